"""A second, slow and readable implementation of Forms, for tests to compare with.

It was written from the text of the rules alone, with plain Python values and without a look at
the package's kernels; it imports nothing from the package. Wherever it and the package disagree,
one of them is wrong.

A cell is a pair (column, row) that counts from 0 at the lower left corner, so sorting cells
gives the order that lists of moves are in: column by column, each from the bottom up. Stones are
written as in the notation: "x" Black, "o" White.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

BLACK, WHITE = "x", "o"
STANDARD, ADVANCED = "standard", "advanced"
MAX_SIDE = 26

Cell = tuple[int, int]
Move = tuple[Cell, Cell]
Stones = dict[Cell, str]


@dataclass(frozen=True)
class Board:
    """A position: the stones on the board, whose turn it is and by which rules."""

    rules: str
    rows: int
    columns: int
    stones: Mapping[Cell, str]
    side: str


@dataclass(frozen=True)
class Effect:
    """All that a move does: the captured cell, the other cleared cells, the board after it."""

    captured: Cell | None
    removed: tuple[Cell, ...]
    board: Board


def opponent(side: str) -> str:
    return WHITE if side == BLACK else BLACK


# Starting


def is_start_size(rules: str, rows: int, columns: int) -> bool:
    """Tell whether a game can start on that board."""
    if not (2 <= rows <= MAX_SIDE and 2 <= columns <= MAX_SIDE):
        return False
    return rows % 2 == 0 if rules == STANDARD else rows * columns % 2 == 0


def initial(rules: str, rows: int, columns: int) -> Board:
    """Set up the board for a new game."""
    if not is_start_size(rules, rows, columns):
        raise ValueError(f"no {rules} game starts on {rows} x {columns}")
    stones: Stones = {}
    for column in range(columns):
        for row in range(rows):
            if rules == STANDARD:
                black = row < rows // 2
            else:
                from_top = rows - 1 - row
                black = (from_top + column) % 2 == 0
            stones[column, row] = BLACK if black else WHITE
    return Board(rules, rows, columns, stones, BLACK)


# Connection


def neighbours(cell: Cell) -> list[Cell]:
    """The four orthogonal neighbours, whether or not they are on a board."""
    column, row = cell
    return [(column - 1, row), (column, row - 1), (column, row + 1), (column + 1, row)]


def connected_to(start: Iterable[Cell], cells: Iterable[Cell]) -> set[Cell]:
    """The cells that a walk over `cells` alone reaches from those of `start` that are in it."""
    allowed = set(cells)
    reached = set(start) & allowed
    edge = list(reached)
    while edge:
        for cell in neighbours(edge.pop()):
            if cell in allowed and cell not in reached:
                reached.add(cell)
                edge.append(cell)
    return reached


def forms(cells: Iterable[Cell]) -> list[set[Cell]]:
    """Split the cells into maximal connected sets."""
    left = set(cells)
    found = []
    while left:
        form = connected_to([min(left)], left)
        found.append(form)
        left -= form
    return found


def empty_cells(board: Board) -> set[Cell]:
    return {
        (column, row)
        for column in range(board.columns)
        for row in range(board.rows)
        if (column, row) not in board.stones
    }


# Moving


def winner(board: Board) -> str | None:
    """The side that has run out of stones; None while the game goes on."""
    present = set(board.stones.values())
    for side in (BLACK, WHITE):
        if side not in present:
            return side
    return None


def apply(board: Board, move: Move) -> Effect:
    """Carry out a move that keeps the rules: put the stone down, then clear what it lost."""
    source, target = move
    stones = dict(board.stones)
    stone = stones.pop(source)
    captured = target if target in stones else None
    stones[target] = stone
    stays = connected_to([target], stones)
    removed = tuple(sorted(set(stones) - stays))
    for cell in removed:
        del stones[cell]
    after = Board(board.rules, board.rows, board.columns, stones, opponent(board.side))
    return Effect(captured, removed, after)


def captures_from(board: Board, source: Cell) -> set[Cell]:
    """Where the stone may capture: every enemy in standard, the neighbouring ones in advanced."""
    enemies = {cell for cell, stone in board.stones.items() if stone == opponent(board.side)}
    if board.rules == STANDARD:
        return enemies
    return enemies & set(neighbours(source))


def slides_from(board: Board, source: Cell) -> set[Cell]:
    """Where the stone may slide: in advanced, over empty cells, if the removal takes a stone."""
    if board.rules == STANDARD:
        return set()
    reachable = connected_to(neighbours(source), empty_cells(board))
    # The stones that stay are those of the forms that the moved stone touches in its new place.
    # So nothing is removed exactly when it touches all that the others make without it.
    others = forms(set(board.stones) - {source})
    return {
        target
        for target in reachable
        if any(form.isdisjoint(neighbours(target)) for form in others)
    }


def legal_moves(board: Board) -> list[Move]:
    """Every legal move, by source and then target."""
    if winner(board) is not None:
        return []
    own = sorted(cell for cell, stone in board.stones.items() if stone == board.side)
    return [
        (source, target)
        for source in own
        for target in sorted(captures_from(board, source) | slides_from(board, source))
    ]


def play(board: Board, move: Move) -> Board:
    """The board after a legal move."""
    if move not in legal_moves(board):
        raise ValueError(f"{format_move(move)} is not legal")
    return apply(board, move).board


# Playing on


def random_game(board: Board, generator: random.Random) -> list[tuple[Board, Move]]:
    """Play uniformly random moves to the end: each board met, with the move made there."""
    game = []
    while moves := legal_moves(board):
        move = generator.choice(moves)
        game.append((board, move))
        board = apply(board, move).board
    return game


def perft(board: Board, depth: int) -> int:
    """Count the paths of exactly `depth` legal moves."""
    if depth == 0:
        return 1
    moves = legal_moves(board)
    if depth == 1:
        return len(moves)
    return sum(perft(apply(board, move).board, depth - 1) for move in moves)


def mover_wins(board: Board, known: dict[str, bool] | None = None) -> bool:
    """Tell by a full search whether the side to move wins with best play."""
    known = {} if known is None else known
    won = winner(board)
    if won is not None:
        return won == board.side
    key = format_board(board)
    if key not in known:
        known[key] = any(
            not mover_wins(apply(board, move).board, known) for move in legal_moves(board)
        )
    return known[key]


# Setting up


def defects(board: Board) -> set[str]:
    """All that is wrong with a position set up by hand: an empty set if it is sound."""
    wrong = set()
    if not (1 <= board.rows <= MAX_SIDE and 1 <= board.columns <= MAX_SIDE):
        wrong.add("size")
    if not board.stones:
        wrong.add("empty")
    if len(forms(board.stones)) > 1:
        wrong.add("disconnected")
    if set(board.stones.values()) == {board.side}:
        wrong.add("side")
    return wrong


# Notation


def format_cell(cell: Cell) -> str:
    column, row = cell
    return f"{chr(ord('a') + column)}{row + 1}"


def parse_cell(text: str) -> Cell:
    return ord(text[0]) - ord("a"), int(text[1:]) - 1


def format_move(move: Move) -> str:
    return "-".join(map(format_cell, move))


def parse_move(text: str) -> Move:
    source, target = text.split("-")
    return parse_cell(source), parse_cell(target)


def format_moves(moves: Iterable[Move]) -> str:
    return " ".join(map(format_move, moves))


def format_board(board: Board) -> str:
    """Write the board as the position notation has it."""
    lines = []
    for row in reversed(range(board.rows)):
        line, gap = "", 0
        for column in range(board.columns):
            stone = board.stones.get((column, row))
            if stone is None:
                gap += 1
                continue
            line += (str(gap) if gap else "") + stone
            gap = 0
        lines.append(line + (str(gap) if gap else ""))
    return f"{'/'.join(lines)} {board.side} {board.rules}"


def parse_board(text: str) -> Board:
    """Read the position notation; ValueError where the text is not that of a sound position."""
    placement, side, rules = text.split(" ")
    if side not in (BLACK, WHITE) or rules not in (STANDARD, ADVANCED):
        raise ValueError(f"no such side or rules: {side} {rules}")
    lines = [_expand(line) for line in placement.split("/")]
    columns = len(lines[0])
    if any(len(line) != columns for line in lines):
        raise ValueError("the rows differ in length")
    stones = {
        (column, len(lines) - 1 - from_top): character
        for from_top, line in enumerate(lines)
        for column, character in enumerate(line)
        if character != "."
    }
    board = Board(rules, len(lines), columns, stones, side)
    if wrong := defects(board):
        raise ValueError(", ".join(sorted(wrong)))
    return board


def _expand(line: str) -> str:
    """Write a row of the placement with a full stop for every empty cell."""
    expanded, number = "", ""
    for character in line + "/":
        if character in set("0123456789"):
            number += character
            continue
        if number:
            if number.startswith("0") or len(number) > 2:
                raise ValueError(f"a run of {number} empty cells")
            expanded += "." * int(number)
            number = ""
        if character in (BLACK, WHITE):
            expanded += character
        elif character != "/":
            raise ValueError(f"{character!r} in a row")
    return expanded
