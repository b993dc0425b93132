"""The compiled sight of a form and the proofs of the tree, against slow twins and the solver."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

import formsgame as fg
import naive
from formsgame.engine import mcts, sight
from formsgame.engine.tree import Tree, sight_arrays
from formsgame.kernels import board as board_kernels
from formsgame.kernels.board import CELLS, STRIDE, Array
from formsgame.kernels.stones import index_stones
from formsgame.position import decode_move
from formsgame.solver.clock import Clock
from formsgame.solver.tables import best_table
from formsgame.solver.verdict import Solver

SIZES = [(2, 2), (2, 9), (4, 4), (6, 5), (8, 8), (2, 26), (18, 18), (26, 26)]


def some_positions(size: tuple[int, int], count: int) -> Iterator[fg.Position]:
    """Yield positions with both colors from all over random games of both rule sets."""
    for number in range(count):
        for rules in ("standard", "advanced"):
            if rules == "standard" and size[0] % 2:
                continue
            position = fg.Position.initial(rules, size)
            moves = fg.playout(position, 100 + number).moves
            for move in moves[: (number * len(moves)) // count]:
                position = position.play(move)
            yield position


class Seen:
    """What the compiled sight writes about a position."""

    def __init__(self, position: fg.Position, arrays: tuple[Array, ...] | None = None) -> None:
        board = np.zeros(CELLS, np.int8)
        stones, place = np.zeros(2 * CELLS, np.uint16), np.zeros(CELLS, np.uint16)
        counts, mark = np.zeros(5, np.int64), np.zeros(CELLS, np.int32)
        cells = np.frombuffer(position.cells, np.uint8)
        board_kernels.load(cells, position.rows, position.columns, board)
        index_stones(board, stones, place, counts, mark)
        self.seen, self.order, self.parts, clock, self.features = arrays or sight_arrays()
        side = int(position.side_to_move)
        sight.see(
            board, stones, counts, side, self.seen, self.order, self.parts, clock, self.features
        )
        #: The cells that are cut, by their entries, each with the number of its parts.
        self.cuts = {
            int(entry): int(self.seen[entry, 8])
            for entry in np.flatnonzero(board > 0)
            if self.seen[entry, 8] > 0
        }


def cell_of(entry: int) -> naive.Cell:
    return entry // STRIDE - 1, entry % STRIDE - 1


def parts_of(board: naive.Board) -> dict[naive.Cell, list[set[naive.Cell]]]:
    """Return the forms that remain when a stone leaves, for each stone that holds them together."""
    found = {}
    for cell in board.stones:
        forms = naive.forms(set(board.stones) - {cell})
        if len(forms) > 1:
            found[cell] = forms
    return found


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_cut_cells_and_their_parts(size: tuple[int, int]) -> None:
    arrays = sight_arrays()  # used again and again, as the tree does
    cut = 0
    for position in some_positions(size, 3 if size[0] > 12 else 12):
        board = naive.parse_board(str(position))
        expected = parts_of(board)
        seen = Seen(position, arrays)
        cut += len(expected)
        assert {cell_of(entry): count for entry, count in seen.cuts.items()} == {
            cell: len(forms) for cell, forms in expected.items()
        }
        rows = seen.parts[: sum(seen.cuts.values())].tolist()
        for entry in seen.cuts:
            forms = expected[cell_of(entry)]
            mine = [row for row in rows if row[0] == entry]
            assert Counter((row[3], row[4]) for row in mine) == Counter(map(colors(board), forms))
            for _entry, start, end, black, white, _spare in mine:
                if start >= 0:
                    cells = {cell_of(int(each)) for each in seen.order[start:end]}
                    assert cells in forms
                    assert colors(board)(cells) == (black, white)
            # At most one part is told by what it is not: that with the first cell of the pass.
            assert sum(row[1] < 0 for row in mine) <= 1
    assert cut > 0 or size == (2, 2)


def colors(board: naive.Board):  # type: ignore[no-untyped-def]
    """Return what counts the black and the white stones of some cells."""
    return lambda cells: tuple(
        sum(board.stones[cell] == color for cell in cells) for color in (naive.BLACK, naive.WHITE)
    )


def chance(own: int, enemy: int) -> float:
    """The twin of `sight.chance`."""
    if own == 0 or enemy == 0:
        return float(own == 0)
    odds = sight.TEMPO - sight.STONE * (own - enemy)
    return 1 / (1 + math.exp(-odds * math.sqrt(sight.FITTED / (own + enemy))))


def describe(board: naive.Board) -> list[float]:
    """The twin of `sight.describe`, from the words of `sight.FEATURES`."""
    parts = parts_of(board)
    on_board = {(x, y) for x in range(board.columns) for y in range(board.rows)}
    found: list[float] = []
    for color in (board.side, naive.opponent(board.side)):
        enemy = naive.opponent(color)
        values = dict.fromkeys(sight.FEATURES, 0.0)
        for cell, stone in board.stones.items():
            if stone != color:
                continue
            near = naive.neighbours(cell)
            own = sum(board.stones.get(each) == color for each in near)
            enemies = sum(board.stones.get(each) == enemy for each in near)
            can_slide = any(each in on_board and each not in board.stones for each in near)
            values["stones"] += 1
            values["touching an enemy"] += enemies > 0
            values["own neighbors"] += own
            values["touching an empty cell"] += can_slide
            values["borders touched"] += sum(each not in on_board for each in near)
            values["leaves"] += own + enemies == 1
            values["leaves that hang on an enemy"] += own == 0 and enemies == 1
            for form in parts.get(cell, ()):
                black, white = colors(board)(form)
                mine, other = (black, white) if color == naive.BLACK else (white, black)
                values["parts without an enemy"] += other == 0
                values["parts without an own stone"] += mine == 0
            if cell in parts:
                count = len(parts[cell])
                values["cut stones"] += 1
                values["enemies next to cut stones"] += enemies
                values["parts at cut stones that can slide"] += count * can_slide
                values["cut stones that can slide"] += can_slide
                values["choices of parts at cut stones that can slide"] += (
                    2**count - 2
                ) * can_slide
        found += [value * sight.NORM / len(board.stones) for value in values.values()]
    value = min(max(cuts_alone(board, parts), 0.001), 0.999)
    return [*found, math.log(value / (1 - value)), 1.0]


def cuts_alone(board: naive.Board, parts: dict[naive.Cell, list[set[naive.Cell]]]) -> float:
    """The twin of `sight.judge_parts`: the mover's best cut, or the enemy's second best."""
    worth: dict[str, dict[naive.Cell, float]] = {naive.BLACK: {}, naive.WHITE: {}}
    for cell, forms in parts.items():
        color = board.stones[cell]
        for form in forms:
            counts = dict(zip((naive.BLACK, naive.WHITE), colors(board)(form), strict=True))
            mine, other = counts[color], counts[naive.opponent(color)]
            if other == 0:
                continue  # there is nothing to capture in it
            value = 1.0 if mine == 0 and other > 1 else 1 - chance(other - 1, mine + 1)
            worth[color][cell] = max(value, worth[color].get(cell, 0.0))
    best = max(worth[board.side].values(), default=0.0)
    second = sorted([0.0, 0.0, *worth[naive.opponent(board.side)].values()])[-2]
    own, enemy = (
        sum(stone == color for stone in board.stones.values())
        for color in (board.side, naive.opponent(board.side))
    )
    stay = 1 - max(second, chance(enemy - 1, own)) if enemy > 1 else 0.0
    return max(best, stay)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_features(size: tuple[int, int]) -> None:
    arrays = sight_arrays()
    for position in some_positions(size, 2 if size[0] > 12 else 10):
        expected = describe(naive.parse_board(str(position)))
        found = Seen(position, arrays).features.tolist()
        assert len(found) == len(expected) == 2 * len(sight.FEATURES) + 2
        assert found == pytest.approx(expected), position


@pytest.mark.parametrize("known", [0, None], ids=["no tables", "tables"])
@pytest.mark.parametrize("rules", [fg.STANDARD, fg.ADVANCED], ids=str)
def test_what_the_tree_proves_is_true(rules: fg.Rules, known: int | None) -> None:
    """Every node whose winner is marked as sure, wherever it is in the tree."""
    solver = Solver(rules, memory_mb=8)
    table = best_table(rules)
    checked = {mcts.WINS: 0, mcts.LOSES: 0}
    for size in ((4, 3), (4, 4), (2, 6), (6, 6)):
        for number in range(6):
            position = fg.Position.initial(rules, size)
            moves = fg.playout(position, 7 + number).moves
            for move in moves[: len(moves) * number // 8]:
                position = position.play(move)
            if sum(position.counts.values()) > 20:
                continue
            tree = Tree(position, table, 1, number, known=known)
            tree.grow(1500)
            for node, below in proved(tree, position):
                wins = solver.winner(below, Clock(None, None, None)) is below.side_to_move
                assert tree.flags[node] & mcts.PROVED == (mcts.WINS if wins else mcts.LOSES)
                checked[mcts.WINS if wins else mcts.LOSES] += 1
    assert min(checked.values()) > 100


def proved(tree: Tree, position: fg.Position, most: int = 400) -> Iterator[tuple[int, fg.Position]]:
    """Yield the first nodes of a tree that are proved, with their positions."""
    nodes = [(0, position)]
    count = 0
    while nodes and count < most:
        node, position = nodes.pop(0)
        if tree.flags[node] & mcts.PROVED:
            yield node, position
            count += 1
        first, children = int(tree.links[node, 0]), int(tree.links[node, 1])
        for child in range(first, first + children):
            move = decode_move(int(tree.links[child, 2]))
            nodes.append((child, position.play(move)))
