"""Compiled parts of the engine: candidate moves of standard rules."""

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
    ring,
)
from formsgame.kernels.playout import below_high, draw


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
