"""Depth-first search to the end on boards that 64-bit words do not hold, with endgame tables."""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels import board as board_kernels
from formsgame.kernels.board import (
    CELLS,
    STRIDE,
    Array,
    Int,
    list_removed,
    list_targets,
    play,
)
from formsgame.position import Position
from formsgame.solver.clock import Clock
from formsgame.solver.endings import probe
from formsgame.solver.search import LOSS, UNKNOWN, WIN
from formsgame.solver.tables import Table


@compiled(
    "i8(i1[::1], i8, i8, i8, i8, Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1], i8[::1],"
    " Array(u1, 1, 'C', readonly=True), i8[:, ::1])",
    inner=True,
)
def probe_board(
    board: Array,
    side: Int,
    count: Int,
    rows: Int,
    columns: Int,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
    scratch: Array,
) -> Int:
    """Return 1 if `side` to move wins a form of `count` stones that the tables hold, else 0."""
    found = 0
    own = 0
    margins = scratch[5]
    margins[0] = margins[2] = CELLS
    bottom, right = 0, 0
    for cell in range(CELLS):
        if board[cell] <= 0:
            continue
        column, row = cell // STRIDE - 1, rows - cell % STRIDE
        scratch[0, found] = row
        scratch[1, found] = column
        margins[0] = min(margins[0], row)
        margins[2] = min(margins[2], column)
        bottom = max(bottom, row)
        right = max(right, column)
        if board[cell] == side:
            own |= 1 << found
        found += 1
        if found == count:
            break
    margins[1] = rows - 1 - bottom
    margins[3] = columns - 1 - right
    return probe(
        scratch[0],
        scratch[1],
        count,
        own,
        margins,
        keys,
        key_starts,
        bit_starts,
        caps,
        wins,
        scratch[2],
        scratch[3:5],
    )


@compiled(
    "i8(i8, i8, i8, i8, i8, i1[:, ::1], i8[::1], i8[::1], i8[::1], u2[:, ::1], i8[::1], u1[::1],"
    " u1[::1], u2[::1], u2[::1], i8, Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1], i8[::1],"
    " Array(u1, 1, 'C', readonly=True), i8[:, ::1])"
)
def prove_slice(
    rules: Int,
    side: Int,
    rows: Int,
    columns: Int,
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
    levels_known: Int,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
    scratch: Array,
) -> Int:
    """Search for who wins with `side` to move, for about `budget` positions.

    Returns WIN or LOSS for `side`, or UNKNOWN when the budget ends first; another call goes on.
    The search stands in the caller's arrays, as in `kernels.perft.perft_slice`, with as many
    levels as there are stones; `level[1]` counts positions.
    """
    opened = 0
    at = level[0]
    while True:
        mover = side if at & 1 == 0 else 3 - side
        board = boards[at]
        won = False
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
            # Every move has failed, so the move that led here wins for the other side.
            if at == 0:
                return LOSS
            at -= 1
            won = True
        elif opened >= budget:
            level[0] = at
            return UNKNOWN
        else:
            opened += 1
            level[1] += 1
            source = sources[at]
            target = np.int64(targets[at, nexts[at]])
            nexts[at] += 1
            child = boards[at + 1]
            for cell in range(CELLS):
                child[cell] = board[cell]
            count = list_removed(child, source, target, label, queue, removed)
            play(child, source, target, removed, count)
            own, enemy = np.int64(0), np.int64(0)
            touching = False
            for cell in range(CELLS):
                if child[cell] == mover:
                    own += 1
                    touching |= child[cell + 1] == mover or child[cell + STRIDE] == mover
                enemy += np.int64(child[cell] == 3 - mover)
            if enemy == 0:
                continue  # this move lets the other side win
            if rules == 0 and not touching:
                won = True  # see `search.touching`
            elif own + enemy <= levels_known:
                won = (
                    probe_board(
                        child,
                        3 - mover,
                        own + enemy,
                        rows,
                        columns,
                        keys,
                        key_starts,
                        bit_starts,
                        caps,
                        wins,
                        scratch,
                    )
                    == 0
                )
                if not won:
                    continue
            else:
                at += 1
                sources[at] = -1
                nexts[at] = 0
                ends[at] = 0
                continue
        # The side to move at `at` wins, so the move that led there fails.
        if at == 0:
            return WIN
        at -= 1


def search_wide(position: Position, table: Table, clock: Clock) -> int:
    """Search a position of any size; returns WIN or LOSS for the side to move, or UNKNOWN."""
    levels = sum(position.counts.values()) + 1
    boards = np.zeros((levels, CELLS), np.int8)
    cells = np.frombuffer(position.cells, np.uint8)
    board_kernels.load(cells, position.rows, position.columns, boards[0])
    sources = np.full(levels, -1, np.int64)
    nexts, ends = np.zeros(levels, np.int64), np.zeros(levels, np.int64)
    targets = np.zeros((levels, CELLS), np.uint16)
    level = np.zeros(2, np.int64)
    label, reached = np.zeros(CELLS, np.uint8), np.zeros(CELLS, np.uint8)
    queue, removed = np.zeros(CELLS, np.uint16), np.zeros(CELLS, np.uint16)
    scratch = np.zeros((6, 65), np.int64)

    def run(budget: int) -> tuple[int, int]:
        before = int(level[1])
        result = prove_slice(
            position.rules.number,
            int(position.side_to_move),
            position.rows,
            position.columns,
            budget,
            boards,
            sources,
            nexts,
            ends,
            targets,
            level,
            label,
            reached,
            queue,
            removed,
            table.levels,
            table.keys,
            table.key_starts,
            table.bit_starts,
            table.caps,
            table.wins,
            scratch,
        )
        return int(result), int(level[1]) - before

    return clock.run_slices(run)
