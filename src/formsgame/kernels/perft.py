"""Compiled counting of move paths on boards of any size, in slices that a caller can interrupt."""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.board import (
    CELLS,
    Array,
    Int,
    count_stones,
    list_removed,
    list_targets,
    play,
)


@compiled("i8(i1[::1], i8, i8, u1[::1], u1[::1], u2[::1], u2[::1])")
def count_moves(
    board: Array,
    rules: Int,
    side: Int,
    label: Array,
    reached: Array,
    queue: Array,
    targets: Array,
) -> Int:
    """Return the number of legal moves, 0 when the game is over."""
    own = count_stones(board, side)
    enemy = count_stones(board, 3 - side)
    if rules == 0 or own == 0 or enemy == 0:
        return own * enemy
    count = 0
    for source in range(CELLS):
        if board[source] == side:
            count += list_targets(board, rules, side, source, label, reached, queue, targets)
    return count


@compiled(
    "b1(i8, i8, i8, i8, i1[:, ::1], i8[::1], i8[::1], i8[::1], u2[:, ::1], i8[::1], u1[::1],"
    " u1[::1], u2[::1], u2[::1], i8[::1])"
)
def perft_slice(
    rules: Int,
    side: Int,
    depth: Int,
    budget: Int,
    boards: Array,
    sources: Array,
    nexts: Array,
    ends: Array,
    targets: Array,
    level: Array,
    label: Array,
    reached: Array,
    queue: Array,
    removed: Array,
    total: Array,
) -> bool:
    """Count paths of `depth` moves for about `budget` positions; returns whether all is done.

    The search stands in the caller's arrays between slices: `boards` int8[depth, CELLS] the
    position of each level, `sources` the stone whose moves it is making, `targets`
    uint16[depth, CELLS] that stone's targets, of which `nexts` is the next and `ends` the number;
    `level[0]` is where it stands. To start, put the root into boards[0], sources[0] = -1,
    nexts[0] = ends[0] = 0, level[0] = 0. Paths are added to `total[0]`.
    """
    opened = 0
    at = level[0]
    if depth == 1 and at == 0:
        total[0] += count_moves(boards[0], rules, side, label, reached, queue, removed)
        at = -1
    while at >= 0:
        mover = side if at & 1 == 0 else 3 - side
        board = boards[at]
        if nexts[at] == ends[at]:
            source = sources[at] + 1
            while source < CELLS and board[source] != mover:
                source += 1
            if source == CELLS or count_stones(board, 3 - mover) == 0:
                at -= 1
                continue
            sources[at] = source
            nexts[at] = 0
            ends[at] = list_targets(board, rules, mover, source, label, reached, queue, targets[at])
            continue
        if opened >= budget:
            level[0] = at
            return False
        opened += 1
        source = sources[at]
        target = np.int64(targets[at, nexts[at]])
        nexts[at] += 1
        child = boards[at + 1]
        for cell in range(CELLS):
            child[cell] = board[cell]
        count = list_removed(child, source, target, label, queue, removed)
        play(child, source, target, removed, count)
        if at == depth - 2:
            total[0] += count_moves(child, rules, 3 - mover, label, reached, queue, removed)
        else:
            at += 1
            sources[at] = -1
            nexts[at] = 0
            ends[at] = 0
    level[0] = at
    return True
