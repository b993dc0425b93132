"""Forms of many shapes from a seeded generator, as stones of `naive`.

Random play from a start position seldom makes thin, winding or holed forms, and those are where
connectivity goes wrong: cut cells, rings, separate empty regions.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import naive
from naive import Board, Cell

Grid = Callable[[int, int, random.Random], set[Cell]]


def cells_of(rows: int, columns: int) -> set[Cell]:
    return {(column, row) for column in range(columns) for row in range(rows)}


def full(rows: int, columns: int, generator: random.Random) -> set[Cell]:
    """Every cell."""
    return cells_of(rows, columns)


def blob(rows: int, columns: int, generator: random.Random) -> set[Cell]:
    """A clump grown from one cell, each time by a random neighbour."""
    board = cells_of(rows, columns)
    wanted = generator.randint(1, len(board))
    form = {generator.choice(sorted(board))}
    edge = sorted(form)
    while len(form) < wanted:
        place = generator.randrange(len(edge))
        free = [cell for cell in naive.neighbours(edge[place]) if cell in board - form]
        if not free:
            del edge[place]
            continue
        cell = generator.choice(free)
        form.add(cell)
        edge.append(cell)
    return form


def holed(rows: int, columns: int, generator: random.Random) -> set[Cell]:
    """A full board with random cells left out: the largest form that remains."""
    share = generator.uniform(0.1, 0.4)
    board = sorted(cells_of(rows, columns))
    kept = {cell for cell in board if generator.random() > share} or {board[0]}
    return max(naive.forms(kept), key=lambda form: (len(form), sorted(form)))


def snake(rows: int, columns: int, generator: random.Random) -> set[Cell]:
    """A path that never touches itself: every inner cell cuts it."""
    board = cells_of(rows, columns)
    head = generator.choice(sorted(board))
    form = {head}
    heading = 0
    while True:
        steps = naive.neighbours(head)
        order = [heading, *generator.sample(range(4), 4)] if generator.random() < 0.7 else []
        for turn in order or generator.sample(range(4), 4):
            step = steps[turn]
            if step in board - form and len(form.intersection(naive.neighbours(step))) == 1:
                heading, head = turn, step
                form.add(step)
                break
        else:
            return form


def maze(rows: int, columns: int, generator: random.Random) -> set[Cell]:
    """A tree that fills the board: no rings, no cell of it safe to take."""
    rooms = sorted((x, y) for x in range(0, columns, 2) for y in range(0, rows, 2))
    reached = {generator.choice(rooms)}
    form = set(reached)
    while len(reached) < len(rooms):
        x, y = generator.choice(sorted(reached))
        dx, dy = generator.choice([(2, 0), (-2, 0), (0, 2), (0, -2)])
        room = (x + dx, y + dy)
        if room in rooms and room not in reached:
            reached.add(room)
            form |= {room, (x + dx // 2, y + dy // 2)}
    return form


def rings(rows: int, columns: int, generator: random.Random) -> set[Cell]:
    """Nested rings, joined by a line across and broken here and there: empty regions apart."""
    form = set()
    for x, y in cells_of(rows, columns):
        if min(x, y, columns - 1 - x, rows - 1 - y) % 2 == 0:
            form.add((x, y))
    form |= {(x, rows // 2) for x in range(columns)}
    for cell in generator.sample(sorted(form), len(form) // 4):
        if len(naive.forms(form - {cell})) == 1:
            form.remove(cell)
    return form


def lattice(rows: int, columns: int, generator: random.Random) -> set[Cell]:
    """Crossing lines with one-cell holes, some filled, some opened to each other."""
    form = {(x, y) for x, y in cells_of(rows, columns) if x % 2 == 0 or y % 2 == 0}
    for cell in sorted(cells_of(rows, columns)):
        if generator.random() < 0.15:
            if cell not in form:
                form.add(cell)
            elif len(naive.forms(form - {cell})) == 1:
                form.remove(cell)
    return form


KINDS: tuple[Grid, ...] = (full, blob, holed, snake, maze, rings, lattice)


def paint(rules: str, rows: int, columns: int, form: set[Cell], generator: random.Random) -> Board:
    """Color a form at random, from evenly mixed to a lone stone, and choose the side to move."""
    cells = sorted(form)
    first, second = generator.sample([naive.BLACK, naive.WHITE], 2)
    style = generator.choice(["even", "even", "few", "lone", "checkered", "halves", "finished"])
    if style == "finished" or len(cells) == 1:
        stones = dict.fromkeys(cells, first)
        return Board(rules, rows, columns, stones, second)
    lone = generator.choice(cells)
    stones = {}
    for place, (x, y) in enumerate(cells):
        is_first = {
            "even": generator.random() < 0.5,
            "few": generator.random() < 0.1,
            "lone": False,
            "checkered": (x + y) % 2 == 0,
            "halves": 2 * place < len(cells),
        }[style]
        stones[x, y] = first if is_first else second
    stones[lone] = first
    if second not in stones.values():
        stones[next(cell for cell in cells if cell != lone)] = second
    return Board(rules, rows, columns, stones, generator.choice([naive.BLACK, naive.WHITE]))


def random_board(rules: str, rows: int, columns: int, generator: random.Random) -> Board:
    """A sound position of a random shape."""
    kind = generator.choice(KINDS)
    board = paint(rules, rows, columns, kind(rows, columns, generator), generator)
    assert not naive.defects(board), naive.format_board(board)
    return board


def random_move(board: Board, generator: random.Random) -> naive.Move:
    """A legal move of a random stone that has one: quicker than a choice from the whole list."""
    own = sorted(cell for cell, stone in board.stones.items() if stone == board.side)
    while True:
        source = generator.choice(own)
        targets = naive.captures_from(board, source) | naive.slides_from(board, source)
        if targets:
            return source, generator.choice(sorted(targets))


def played_board(rules: str, rows: int, columns: int, generator: random.Random) -> Board:
    """A position some plies into a game, by moves that tend to remove little."""
    boards = [naive.initial(rules, rows, columns)]
    care = generator.choice([1, 2, 4])
    while naive.winner(boards[-1]) is None:
        moves = [random_move(boards[-1], generator) for _ in range(care)]
        after = [naive.apply(boards[-1], move).board for move in moves]
        boards.append(max(after, key=lambda board: len(board.stones)))
    return generator.choice(boards)
