"""Compiled game in play, of which a move costs about what it removes, not the size of the board.

A game in play is kept in four arrays of the caller: `board` int8[CELLS] as in `board`, `stones`
uint16[2 * CELLS] (Black's entries from 0, White's from CELLS, in no order), `place` uint16[CELLS]
(where in its half of `stones` an entry stands) and `counts` int64[3] (stones of Black at 1, of
White at 2). `mark` int32[CELLS] and `queues` uint16[4 * CELLS] are scratch; `mark` must never hold
a number above that in `counts[0]`, the generation of the last search.

Most moves cut nothing, and the ring of eight neighbors around the vacated cell proves it at once.
Where it can't, searches start from two groups of stones in the ring at a time and take turns, until
they have met or the smaller side is exhausted.
"""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.board import CELLS, STRIDE, Array, Int, load, ring, step

#: Mark of entries that hold no stone.
NO_STONE = 0x7FFFFFFF


@compiled("void(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1])")
def index_stones(board: Array, stones: Array, place: Array, counts: Array, mark: Array) -> None:
    """Fill lists, counts and marks from a board."""
    counts[:] = 0
    for cell in range(CELLS):
        color = np.int64(board[cell])
        mark[cell] = NO_STONE
        if color > 0:
            mark[cell] = 0
            place[cell] = counts[color]
            stones[(color - 1) * CELLS + counts[color]] = cell
            counts[color] += 1


@compiled("void(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], i8)", inline=True)
def remove(
    board: Array, stones: Array, place: Array, counts: Array, mark: Array, cell: Int
) -> None:
    """Take the stone on a cell off the board and out of its list."""
    color = np.int64(board[cell])
    base = (color - 1) * CELLS
    counts[color] -= 1
    last = np.int64(stones[base + counts[color]])
    where = np.int64(place[cell])
    stones[base + where] = last
    place[last] = where
    board[cell] = 0
    mark[cell] = NO_STONE


@compiled("void(i1[::1], u2[::1], u2[::1], i4[::1], i8, i8)", inline=True)
def shift(board: Array, stones: Array, place: Array, mark: Array, source: Int, target: Int) -> None:
    """Move the stone on source to target, which must be empty by now."""
    color = np.int64(board[source])
    where = np.int64(place[source])
    stones[(color - 1) * CELLS + where] = target
    place[target] = where
    board[target] = color
    board[source] = 0
    mark[target] = 0
    mark[source] = NO_STONE


@compiled("void(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], i8)", inner=True)
def keep_marked(
    board: Array, stones: Array, place: Array, counts: Array, mark: Array, kept: Int
) -> None:
    """Take every stone off the board whose mark is not `kept`."""
    for color in range(1, 3):
        base = (color - 1) * CELLS
        for i in range(counts[color] - 1, -1, -1):
            cell = np.int64(stones[base + i])
            if mark[cell] != kept:
                remove(board, stones, place, counts, mark, cell)


@compiled("i8(i4[::1], u2[::1], i8, i8, i8, i8, i8)", inline=True)
def search_cell(
    mark: Array, queues: Array, cell: Int, end: Int, generation: Int, own: Int, other: Int
) -> Int:
    """Queue the unseen stones next to a cell; returns the new end, or -1 if the other is met.

    There is no branch but the last, which hardly ever goes the other way: this is where a playout
    spends its time.
    """
    met = False
    for way in range(4):
        near = cell + step(way)
        seen = np.int64(mark[near])
        queues[end] = near
        fresh = seen < generation
        mark[near] = own if fresh else seen
        end += np.int64(fresh)
        met |= seen == other
    return -1 if met else end


@compiled("i8(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], u2[::1], i8, i8, i8)", inner=True)
def separate(
    board: Array,
    stones: Array,
    place: Array,
    counts: Array,
    mark: Array,
    queues: Array,
    first: Int,
    second: Int,
    moved: Int,
) -> Int:
    """Remove the part of one of two stones if they are not connected and `moved` is elsewhere.

    Returns 0 if they are connected, 1 or 2 if the part of the first or second was removed, 3 if
    one of the parts holds `moved` and everything else was removed.
    """
    one = counts[0] + 2
    two = one + 1
    counts[0] = one
    queues[0] = first
    queues[CELLS] = second
    mark[first] = one
    mark[second] = two
    start1, end1, start2, end2 = 0, 1, CELLS, CELLS + 1
    while True:
        if start1 == end1:
            own, part, start, end = one, 1, 0, end1
            break
        cell = np.int64(queues[start1])
        start1 += 1
        end1 = search_cell(mark, queues, cell, end1, one, one, two)
        if end1 < 0:
            return 0
        if start2 == end2:
            own, part, start, end = two, 2, CELLS, end2
            break
        cell = np.int64(queues[start2])
        start2 += 1
        end2 = search_cell(mark, queues, cell, end2, one, two, one)
        if end2 < 0:
            return 0
    if mark[moved] == own:
        keep_marked(board, stones, place, counts, mark, own)
        return 3
    for i in range(start, end):
        remove(board, stones, place, counts, mark, np.int64(queues[i]))
    return part


@compiled("b1(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], u2[::1], i8, i8)", inner=True)
def remove_cut(
    board: Array,
    stones: Array,
    place: Array,
    counts: Array,
    mark: Array,
    queues: Array,
    vacated: Int,
    moved: Int,
) -> bool:
    """Remove what the stone on `moved` is not connected to, `vacated` having been left just now.

    Costs about the smaller of what falls and what stays; returns whether anything fell. A moved
    stone that touches nothing (a slide to a lonely cell) is for `keep_marked`.
    """
    around = ring(board, vacated)
    fell = False
    last = -1
    # Each run of stones in the ring that has one next to the vacated cell may be a part by itself:
    # separate it from the one before that is still on the board.
    for k in range(0, 8, 2):
        if around >> k & 1 == 0:
            continue
        if around >> ((k + 7) & 7) & 1 and around >> ((k + 6) & 7) & 1:
            continue
        head = vacated + (1 if k == 0 else STRIDE if k == 2 else -1 if k == 4 else -STRIDE)
        if board[head] == 0:
            continue  # it fell with an earlier one
        if last < 0:
            last = head
            continue
        removed = separate(board, stones, place, counts, mark, queues, last, head, moved)
        fell |= removed != 0
        if removed == 3:
            break
        if removed == 1:
            last = head
    return fell


@compiled("b1(i1[::1], i8, i8)", inline=True)
def touches(board: Array, target: Int, source: Int) -> bool:
    """Tell whether an empty target touches a stone other than the one on `source`."""
    touching = False
    for way in range(4):
        near = target + step(way)
        touching |= board[near] > 0 and near != source
    return touching


def empty_game() -> tuple[Array, Array, Array, Array, Array]:
    """Return the arrays of a game in play: board, stones, place, counts and mark."""
    return (
        np.zeros(CELLS, np.int8),
        np.zeros(2 * CELLS, np.uint16),
        np.zeros(CELLS, np.uint16),
        np.zeros(5, np.int64),
        np.zeros(CELLS, np.int32),
    )


def load_game(cells: bytes, rows: int, columns: int) -> tuple[Array, Array, Array, Array, Array]:
    """Return the arrays of a game in play at a position, whose cells are as in `board.load`."""
    game = empty_game()
    load(np.frombuffer(cells, np.uint8), rows, columns, game[0])
    index_stones(*game)
    return game
