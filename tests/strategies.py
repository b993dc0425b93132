"""What Hypothesis draws: positions from play and set up by hand, moves, and bad text."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

import naive


def examples(count: int) -> settings:
    """Draw so many examples, more in the profile that looks for more."""
    return settings(max_examples=max(1, count * settings().max_examples // 60))


RULES = (naive.STANDARD, naive.ADVANCED)
SIDES = (naive.BLACK, naive.WHITE)


def sizes_to_start(max_side: int) -> st.SearchStrategy[tuple[str, int, int]]:
    """Rules, rows and columns with which a game starts."""
    sides = st.integers(2, max_side)
    return st.tuples(st.sampled_from(RULES), sides, sides).filter(
        lambda drawn: naive.is_start_size(*drawn)
    )


start_sizes = sizes_to_start(9)


@st.composite
def set_up_boards(
    draw: st.DrawFn, rules: str | None = None, max_side: int = 8, finished: bool | None = None
) -> naive.Board:
    """A sound position of any shape; of both colors or finished, as told or at random."""
    if finished is None:
        finished = draw(st.integers(0, 9)) == 9
    rows = draw(st.integers(1, max_side))
    columns = draw(st.integers(1 if finished or rows > 1 else 2, max_side))
    marks = draw(st.text("xo.", min_size=rows * columns, max_size=rows * columns))
    marked = {
        (place % columns, place // columns): mark for place, mark in enumerate(marks) if mark != "."
    }
    cells = max(naive.forms(marked) or [{(0, 0)}], key=lambda form: (len(form), sorted(form)))
    if finished:
        side = draw(st.sampled_from(SIDES))
        stones = dict.fromkeys(cells, naive.opponent(side))
        return naive.Board(draw_rules(draw, rules), rows, columns, stones, side)
    if len(cells) == 1:
        cells = {(0, 0), (1, 0) if columns > 1 else (0, 1)}
    stones = {cell: marked.get(cell, naive.BLACK) for cell in cells}
    if len(set(stones.values())) == 1:
        first = min(stones)
        stones[first] = naive.opponent(stones[first])
    side = draw(st.sampled_from(SIDES))
    return naive.Board(draw_rules(draw, rules), rows, columns, stones, side)


def draw_rules(draw: st.DrawFn, rules: str | None) -> str:
    return rules or draw(st.sampled_from(RULES))


@st.composite
def played_games(
    draw: st.DrawFn, rules: str | None = None, max_side: int = 9
) -> tuple[naive.Board, list[naive.Move]]:
    """A start position and legal moves from there, to the end or not so far."""
    sizes = sizes_to_start(max_side).filter(lambda drawn: rules in (None, drawn[0]))
    name, rows, columns = draw(sizes)
    start = board = naive.initial(name, rows, columns)
    played: list[naive.Move] = []
    plies = draw(st.integers(0, 40))
    while len(played) < plies and (moves := naive.legal_moves(board)):
        played.append(draw(st.sampled_from(moves)))
        board = naive.apply(board, played[-1]).board
    return start, played


@st.composite
def played_boards(draw: st.DrawFn, rules: str | None = None, max_side: int = 9) -> naive.Board:
    """A position reached by play."""
    board, moves = draw(played_games(rules, max_side))
    for move in moves:
        board = naive.apply(board, move).board
    return board


def boards(rules: str | None = None) -> st.SearchStrategy[naive.Board]:
    """A sound position, set up or played."""
    return st.one_of(set_up_boards(rules), played_boards(rules))


def going_on(rules: str | None = None) -> st.SearchStrategy[naive.Board]:
    """A sound position with both colors on the board."""
    return st.one_of(
        set_up_boards(rules, finished=False),
        played_boards(rules).filter(lambda board: naive.winner(board) is None),
    )


#: Text that looks almost right, and text that does not.
noise = st.one_of(
    st.text(max_size=80),
    st.text("xo/ 0123456789.standrvce\n\t", max_size=80),
    st.text("abehzAE0123456789-–−xX×: \n\u200b\ufeff٣²", max_size=20),
)


@st.composite
def damaged(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A right text with a few characters changed, doubled, dropped or put in."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(text)))
        extent = draw(st.integers(0, 3))
        text = text[:place] + draw(st.text(max_size=2) | noise) + text[place + extent :]
    return text


#: Values of any kind.
things: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.binary(max_size=8),
    st.lists(st.integers(), max_size=3),
    st.tuples(st.integers(), st.integers()),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=3),
    st.text(max_size=3),
)

#: Seeded generators, for the choices that need not shrink.
generators = st.integers(0, 2**32 - 1).map(random.Random)
