"""Compiled counting of move paths, on arrays and on words, in slices a caller can interrupt."""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.bits import children_advanced, children_standard, count_bits
from formsgame.kernels.board import (
    CELLS,
    Array,
    Int,
    count_stones,
    list_removed,
    list_targets,
    play,
)

#: Multipliers of the checksum: the wrapping sum over leaves of (Black * K1) ^ (White * K2).
K1 = np.uint64(0x9E3779B97F4A7C15)
K2 = np.uint64(0xC2B2AE3D27D4EB4F)

_ZERO = np.uint64(0)


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


@compiled("u8(u8[::1], u8[::1], i8, u8, u8)", inline=True)
def checksum(movers: Array, others: Array, count: Int, of_movers: Int, of_others: Int) -> Int:
    """Return the wrapping sum of (mover * its multiplier) ^ (other * its multiplier)."""
    total = _ZERO
    for i in range(count):
        total += (movers[i] * of_movers) ^ (others[i] * of_others)
    return total


@compiled("b1(i8, u8[::1], i8, b1, i8, u8[:, ::1], u8[:, ::1], i8[::1], i8[::1], i8[::1], u8[::1])")
def perft_words(
    rules: Int,
    layout: Array,
    depth: Int,
    build: bool,
    budget: Int,
    owns: Array,
    enemies: Array,
    ends: Array,
    nexts: Array,
    level: Array,
    totals: Array,
) -> bool:
    """Count paths of `depth` moves for about `budget` positions; returns whether all is done.

    The search stands in the caller's arrays between slices: `owns` and `enemies` uint64[depth + 1,
    MOST_MOVES] hold the positions of each level, of which `nexts` is the next to open and `ends`
    the number; `level[0]` is where it stands and `level[1]` 1 if Black moves at level 0. To start,
    put the root at [0, 0], ends[0] = 1, nexts[0] = 0, level[0] = 0. Paths are added to `totals[0]`.
    With `build`, every last position is made and its checksum added to `totals[1]`; without it,
    those of standard rules are counted by formula.
    """
    opened = 0
    at = level[0]
    while at >= 0:
        if nexts[at] == ends[at]:
            at -= 1
            continue
        if opened >= budget:
            level[0] = at
            return False
        own = owns[at, nexts[at]]
        enemy = enemies[at, nexts[at]]
        nexts[at] += 1
        if own == _ZERO or enemy == _ZERO:
            continue
        opened += 1
        last = at == depth - 1
        if last and rules == 0 and not build:
            totals[0] += np.uint64(count_bits(own) * count_bits(enemy))
            continue
        # What moves now is the enemy of what moves next.
        if rules == 0:
            count = children_standard(own, enemy, layout, enemies[at + 1], owns[at + 1])
        else:
            count = children_advanced(own, enemy, layout, enemies[at + 1], owns[at + 1])
        if not last:
            at += 1
            ends[at] = count
            nexts[at] = 0
            continue
        totals[0] += np.uint64(count)
        if build:
            if (at & 1 == 0) == (level[1] == 1):
                totals[1] += checksum(enemies[at + 1], owns[at + 1], count, K1, K2)
            else:
                totals[1] += checksum(enemies[at + 1], owns[at + 1], count, K2, K1)
    level[0] = at
    return True
