"""Compiled parts of the engine: candidate moves of standard rules, and exact endings."""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.board import (
    CELLS,
    RING_SAFE,
    Array,
    Int,
    count_stones,
    label_parts,
    list_removed,
    list_targets,
    play,
    ring,
)
from formsgame.kernels.playout import below_high, draw

#: What `prove_slice` returns.
LOSS = 0
WIN = 1
UNKNOWN = 2


@compiled("i8(i1[::1], i8, u1[::1], u2[::1], u8[::1], i4[::1], i4[::1], i4[::1])")
def list_candidates(
    board: Array,
    side: Int,
    label: Array,
    queue: Array,
    random: Array,
    moves: Array,
    own_left: Array,
    enemy_left: Array,
) -> Int:
    """Write one move of standard rules for each stone and each part its leaving makes; count them.

    All moves of a stone into the same part leave the same stones but for the captured one, which
    is drawn at random. `moves` gets source * CELLS + target, the others the stones left on each
    side; all three are int32[4 * CELLS].
    """
    enemy = 3 - side
    own_all = count_stones(board, side)
    enemy_all = count_stones(board, enemy)
    count = 0
    for source in range(CELLS):
        if board[source] != side:
            continue
        safe = RING_SAFE[ring(board, source)] != 0
        parts = 1
        if not safe:
            parts = label_parts(board, source, label, queue)
        for part in range(1, parts + 1):
            own, others = own_all, enemy_all
            if not safe:
                own, others = 1, 0
                for cell in range(CELLS):
                    if label[cell] == part:
                        own += np.int64(board[cell] == side)
                        others += np.int64(board[cell] == enemy)
            if others == 0:
                continue
            chosen = below_high(draw(random), others)
            for cell in range(CELLS):
                if board[cell] == enemy and (safe or label[cell] == part):
                    if chosen == 0:
                        moves[count] = source * CELLS + cell
                        break
                    chosen -= 1
            own_left[count] = own
            enemy_left[count] = others - 1
            count += 1
    return count


@compiled(
    "i8(i8, i8, i8, i1[:, ::1], i8[::1], i8[::1], i8[::1], u2[:, ::1], i8[::1], u1[::1], u1[::1],"
    " u2[::1], u2[::1], i8[::1])"
)
def prove_slice(
    rules: Int,
    side: Int,
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
    nodes: Array,
) -> Int:
    """Search for who wins with `side` to move, for about `budget` positions.

    Returns WIN or LOSS for `side`, or UNKNOWN when the budget ends first; another call goes on.
    The search stands in the caller's arrays, as in `kernels.perft.perft_slice`, with as many
    levels as there are stones. Positions made are added to `nodes[0]`.
    """
    opened = 0
    at = level[0]
    while True:
        mover = side if at & 1 == 0 else 3 - side
        board = boards[at]
        lost = False
        if nexts[at] == ends[at]:
            source = sources[at] + 1
            while source < CELLS and board[source] != mover:
                source += 1
            if source < CELLS:
                sources[at] = source
                nexts[at] = 0
                ends[at] = list_targets(
                    board, rules, mover, source, label, reached, queue, targets[at]
                )
                continue
            lost = True  # every move has been tried
        elif opened >= budget:
            level[0] = at
            return UNKNOWN
        if lost:
            if at == 0:
                return LOSS
            # The move that led here wins for the other side, two levels down it fails.
            at -= 1
            if at == 0:
                return WIN
            at -= 1
            continue
        opened += 1
        nodes[0] += 1
        source = sources[at]
        target = np.int64(targets[at, nexts[at]])
        nexts[at] += 1
        child = boards[at + 1]
        for cell in range(CELLS):
            child[cell] = board[cell]
        count = list_removed(child, source, target, label, queue, removed)
        play(child, source, target, removed, count)
        if count_stones(child, 3 - mover) == 0:
            continue  # this move lets the other side win
        at += 1
        sources[at] = -1
        nexts[at] = 0
        ends[at] = 0
