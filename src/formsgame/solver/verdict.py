"""Who wins, exactly: `solve`, `winning_moves`, `outcome_class`, and the `Solver` they share.

Endgame tables answer at once for small forms. Above them, positions that fit 64-bit words (with
standard rules, forms that fit 8 x 8; with advanced rules, boards that do after margins no slide can
feel are cut off) are searched by proof numbers; all others depth first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from formsgame.errors import LimitError
from formsgame.kernels.bits import MOST_MOVES, make_layout
from formsgame.kernels.board import Array
from formsgame.limit import Limit
from formsgame.position import Move, Position
from formsgame.rules import ADVANCED, BLACK, STANDARD, WHITE, Color, Rules, Size, shown
from formsgame.solver import search, wide
from formsgame.solver.clock import Clock
from formsgame.solver.tables import Table, best_table

#: Memory of a transposition table, in megabytes, where the caller sets none.
MEMORY_MB = 64
#: Bytes of an entry of the transposition table.
ENTRY_BYTES = 28
#: By how many per cent a child may exceed the second best before the search turns to that.
EPSILON = {STANDARD: 100, ADVANCED: 25}


class OutcomeClass(Enum):
    """Who wins a form, whoever starts, in the terms of combinatorial game theory."""

    N = "N"
    P = "P"
    B = "B"
    W = "W"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A proved result: the winner with best play, and a line of moves that shows it.

    The winner's moves in the line keep the win; the loser's are those that leave the most stones.
    `nodes` counts positions opened; what the tables knew is not counted.
    """

    winner: Color
    line: tuple[Move, ...]
    nodes: int
    seconds: float


def solve(
    position: Position,
    limit: Limit | None = None,
    *,
    memory_mb: int = MEMORY_MB,
    report: Callable[[int], None] | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Verdict | None:
    """Return who wins with best play and how, or None if the limit was too small to prove it.

    `report(nodes)` is called and `stopped()` asked many times a second. Memory changes how long it
    takes, never the verdict. Raises `LimitError` for a memory under 1 MB.

    >>> solve(Position.initial("standard", 4)).winner
    <Color.WHITE: 2>
    """
    return Solver(position.rules, memory_mb=memory_mb).solve(
        position, limit, report=report, stopped=stopped
    )


def winning_moves(
    position: Position,
    limit: Limit | None = None,
    *,
    memory_mb: int = MEMORY_MB,
    report: Callable[[int], None] | None = None,
    stopped: Callable[[], bool] | None = None,
) -> tuple[Move, ...] | None:
    """Return every move that wins with best play, or None if the limit was too small.

    None of them is worse than another. Raises `LimitError` for a memory under 1 MB.
    """
    return Solver(position.rules, memory_mb=memory_mb).winning_moves(
        position, limit, report=report, stopped=stopped
    )


def outcome_class(
    position: Position, limit: Limit | None = None, *, memory_mb: int = MEMORY_MB
) -> OutcomeClass | None:
    """Return who wins a form whoever starts, or None if the limit was too small to prove it.

    The position's side to move does not matter. A finished form belongs to the side that has run
    out. The limit is for both sides' starts together.

    >>> outcome_class(Position.parse("8/8/8/2xxo3/8/8/8/8 x advanced"))
    <OutcomeClass.N: 'N'>
    """
    won = position.winner
    if won is not None:
        return OutcomeClass.B if won is BLACK else OutcomeClass.W
    solver = Solver(position.rules, memory_mb=memory_mb)
    clock = Clock(limit, None, None)
    first = solver.winner(position.with_side_to_move(BLACK), clock)
    second = solver.winner(position.with_side_to_move(WHITE), clock)
    if first is None or second is None:
        return None
    if first is second:
        return OutcomeClass.B if first is BLACK else OutcomeClass.W
    return OutcomeClass.N if first is BLACK else OutcomeClass.P


class Solver:
    """Solves positions of one rule set, remembering between them what it has found.

    Not for use by two threads at a time. `table` is the endgame table to ask, by default the
    largest at hand.
    """

    def __init__(
        self, rules: Rules, *, memory_mb: int = MEMORY_MB, table: Table | None = None
    ) -> None:
        if isinstance(memory_mb, bool) or not isinstance(memory_mb, int) or memory_mb < 1:
            raise LimitError(
                "limit.value", name="memory_mb", expected="an integer >= 1", value=shown(memory_mb)
            )
        self.rules = rules
        self.table = best_table(rules) if table is None else table
        entries = memory_mb * 2**20 // ENTRY_BYTES
        size = 1 << (entries.bit_length() - 1)
        self._positions = np.zeros((size, 2), np.uint64)
        self._numbers = np.zeros((size, 3), np.uint32)
        self._board = Size(0, 0)

    def solve(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        report: Callable[[int], None] | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> Verdict | None:
        """Return who wins with best play and how; see the function `solve`."""
        clock = Clock(limit, report, stopped)
        winner = self.winner(position, clock)
        if winner is None:
            return None
        line = self.line(position, winner, clock)
        if line is None:
            return None
        return Verdict(winner, line, clock.nodes, clock.elapsed())

    def winning_moves(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        report: Callable[[int], None] | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> tuple[Move, ...] | None:
        """Return every move that wins; see the function `winning_moves`."""
        clock = Clock(limit, report, stopped)
        winning = []
        known: dict[Position, Color | None] = {}
        for move in position.legal_moves:
            after = position.play_unchecked(move)
            if after not in known:
                known[after] = self.winner(after, clock)
            if known[after] is None:
                return None
            if known[after] is position.side_to_move:
                winning.append(move)
        return tuple(winning)

    def line(self, position: Position, winner: Color, clock: Clock) -> tuple[Move, ...] | None:
        """Return a line of best play from a position whose winner is known; None if time ended."""
        line: list[Move] = []
        while not position.is_over:
            chosen: tuple[Move, Position] | None = None
            seen: set[Position] = set()
            for move in position.legal_moves:
                after = position.play_unchecked(move)
                if after in seen:
                    continue
                seen.add(after)
                if position.side_to_move is not winner:
                    if chosen is None or _stones(after) > _stones(chosen[1]):
                        chosen = (move, after)
                    continue
                found = self.winner(after, clock)
                if found is winner:
                    chosen = (move, after)
                    break
                if found is None:
                    return None
            assert chosen is not None
            line.append(chosen[0])
            position = chosen[1]
        return tuple(line)

    def winner(self, position: Position, clock: Clock) -> Color | None:
        """Return who wins with best play, None when the clock ends first."""
        if position.rules is not self.rules:
            raise LimitError(
                "limit.value",
                name="position",
                expected=f"one of {self.rules.name} rules",
                value=position.rules.name,
            )
        won = position.winner
        if won is not None:
            return won
        known = self.table.wins_for_mover(position)
        if known is None:
            words = _as_words(position)
            result = (
                self._search_words(*words, clock)
                if words
                else wide.search_wide(position, self.table, clock)
            )
            if result == search.UNKNOWN:
                return None
            known = result == search.WIN
        return position.side_to_move if known else position.side_to_move.opponent

    def _search_words(self, own: int, enemy: int, size: Size, clock: Clock) -> int:
        """Search a position on words by proof numbers."""
        layout = make_layout(*size)
        stride = int(layout[1])
        board = size if self.rules is ADVANCED else Size(0, stride)
        if board != self._board:
            # What was found on another board does not hold on this one.
            self._positions[:] = 0
            self._numbers[:] = 0
            self._board = board
        work = _SearchWork(own, enemy)
        table = self.table

        def run(budget: int) -> tuple[int, int]:
            before = int(work.level[1])
            result = search.search_slice(
                self.rules.number,
                size.rows,
                size.columns,
                layout,
                budget,
                EPSILON[self.rules],
                self._positions,
                self._numbers,
                work.owns,
                work.enemies,
                work.phis,
                work.deltas,
                work.frames,
                work.level,
                table.keys,
                table.key_starts,
                table.bit_starts,
                table.caps,
                table.wins,
                table.levels,
                work.seen,
                work.scratch,
                work.pair,
            )
            return int(result), int(work.level[1]) - before

        return clock.run_slices(run)


class _SearchWork:
    """The arrays of a search on words; see `search.search_slice`."""

    def __init__(self, own: int, enemy: int) -> None:
        levels = (own | enemy).bit_count() + 2
        self.owns = np.zeros((levels, MOST_MOVES), np.uint64)
        self.enemies = np.zeros((levels, MOST_MOVES), np.uint64)
        self.phis = np.zeros((levels, MOST_MOVES), np.int64)
        self.deltas = np.zeros((levels, MOST_MOVES), np.int64)
        self.frames = np.zeros((levels, 8), np.int64)
        self.level = np.zeros(2, np.int64)
        self.seen = np.zeros(1 + 2 * 2048, np.int64)
        self.scratch = np.zeros((6, 65), np.int64)
        self.pair = np.zeros(2, np.uint64)
        self.frames[0, :2] = search.INFINITE
        self.frames[0, 2] = -1
        self.frames[0, 4:6] = np.array([own, enemy], np.uint64).view(np.int64)


def _as_words(position: Position) -> tuple[int, int, Size] | None:
    """Return own and enemy stones as words and the board they lie on, None if they do not fit.

    With standard rules the board is the form's bounding box; with advanced rules margins that no
    slide can feel are cut off.
    """
    array: Array = position.array
    filled = array != 0
    rows, columns = np.flatnonzero(filled.any(axis=1)), np.flatnonzero(filled.any(axis=0))
    margin = 0 if position.rules is STANDARD else max(0, _stones(position) - 2)
    top, left = max(0, int(rows[0]) - margin), max(0, int(columns[0]) - margin)
    array = array[top : int(rows[-1]) + 1 + margin, left : int(columns[-1]) + 1 + margin]
    size = Size(*array.shape)
    if max(size) > 8 and size.rows * size.columns > 64:
        return None
    stride = int(make_layout(*size)[1])
    side = int(position.side_to_move)
    words = [0, 0]
    for row, column in np.argwhere(array != 0).tolist():
        words[int(array[row, column] != side)] |= 1 << (stride * row + column)
    return words[0], words[1], size


def _stones(position: Position) -> int:
    """Return the number of stones of both colors."""
    return len(position.cells) - position.cells.count(0)
