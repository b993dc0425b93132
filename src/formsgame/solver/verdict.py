"""Who wins, exactly: `solve`, `winning_moves`, `outcome_class`, and the `Solver` they share.

Endgame tables answer at once for small forms. Above them, positions that fit 64-bit words (with
standard rules, forms that fit 8 x 8; with advanced rules, boards that do after margins no slide can
feel are cut off) are searched by proof numbers on words, all others on whole forms; see `wide`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import overload

import numpy as np

from formsgame.errors import LimitError
from formsgame.kernels.bits import make_layout
from formsgame.kernels.board import Array
from formsgame.limit import Limit
from formsgame.position import Move, Position
from formsgame.rules import ADVANCED, BLACK, STANDARD, WHITE, Color, Rules, Size, parse_rules, shown
from formsgame.solver import search
from formsgame.solver.clock import Clock
from formsgame.solver.pattern import place_pattern
from formsgame.solver.tables import Table, best_table
from formsgame.solver.wide import Memory, WideSearch, words_of
from formsgame.solver.work import SearchWork, run_together

#: Memory of a transposition table, in megabytes, where the caller sets none.
MEMORY_MB = 64
#: Bytes of an entry of the transposition table.
ENTRY_BYTES = 24
#: By how many per cent a child may exceed the second best before the search turns to that.
EPSILON = {STANDARD: 100, ADVANCED: 10}


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


@overload
def outcome_class(
    position: Position, limit: Limit | None = None, *, memory_mb: int = MEMORY_MB
) -> OutcomeClass | None: ...


@overload
def outcome_class(
    position: str, limit: Limit | None = None, *, rules: Rules | str, memory_mb: int = MEMORY_MB
) -> OutcomeClass | None: ...


def outcome_class(
    position: Position | str,
    limit: Limit | None = None,
    *,
    rules: Rules | str | None = None,
    memory_mb: int = MEMORY_MB,
) -> OutcomeClass | None:
    """Return who wins a form whoever starts, or None if the limit was too small to prove it.

    A text is a pattern, for which `rules` must be named: rows separated by `/` or line ends, with
    `x`, `o`, and full stops or numbers for empty cells. It is looked at where it feels no edge.

    The position's side to move does not matter. A finished form belongs to the side that has run
    out. The limit is for both sides' starts together. Raises what `pattern.place_pattern` raises.

    >>> outcome_class(Position.parse("8/8/8/2xxo3/8/8/8/8 x advanced"))
    <OutcomeClass.N: 'N'>
    >>> outcome_class("xxo/.x.", rules="standard")
    <OutcomeClass.W: 'W'>
    """
    if not isinstance(position, Position):
        position = place_pattern(position, rules)  # type: ignore[arg-type] # None is refused
    elif rules is not None and parse_rules(rules) is not position.rules:
        raise LimitError(
            "limit.value", name="rules", expected=position.rules.name, value=shown(str(rules))
        )
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

    Not for use by two threads at a time; with `threads` above 1 it uses so many itself, each
    search ending with the first that has proved the result. `table` is the endgame table to ask,
    by default the largest at hand. Raises `LimitError` for a memory under 1 MB or no threads.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        memory_mb: int = MEMORY_MB,
        table: Table | None = None,
        threads: int = 1,
    ) -> None:
        for name, value in (("memory_mb", memory_mb), ("threads", threads)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise LimitError(
                    "limit.value", name=name, expected="an integer >= 1", value=shown(value)
                )
        self.rules = rules
        self.threads = threads
        self.table = best_table(rules) if table is None else table
        entries = memory_mb * 2**20 // ENTRY_BYTES
        size = 1 << (entries.bit_length() - 1)
        self._entries = np.zeros((size, 3), np.uint64)
        self._board = Size(0, 0)
        self._memory_mb = memory_mb
        self._wide: Memory | None = None

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
                    if chosen is None or stones_of(after) > stones_of(chosen[1]):
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

    def best_move(self, position: Position, clock: Clock) -> tuple[Color, Move | None] | None:
        """Return who wins and, where that is the side to move, a move that wins.

        None when the clock ends first. Takes one search, of the position itself.
        """
        self._check_rules(position)
        side = position.side_to_move
        won = position.winner
        if won is not None:
            return won, None
        if self.table.wins_for_mover(position) is not None:
            return self._first_winning(position, clock)
        box = _box_of(position)
        if box is None:
            found = WideSearch(position, self.table, self._memory_of_forms())
            result = found.run(clock)
            if result == search.UNKNOWN:
                return None
            return (side, found.winning_move()) if result == search.WIN else (side.opponent, None)
        result, work = self._search_words(box, position, clock)
        if result == search.UNKNOWN:
            return None
        if result == search.LOSS:
            return side.opponent, None
        child = work.winning_child()
        stride = int(make_layout(*box.size)[1])
        for move in position.legal_moves:
            after = position.play_unchecked(move)
            words = np.array(box.words(after), np.uint64)
            if words[0] == 0:
                continue  # outside of the box are only cells where a slide loses at once
            search.normalize(self.rules.number, *box.size, stride, words)
            if (int(words[0]), int(words[1])) == child:
                return side, move
        raise AssertionError(f"no move of {position} leads to what wins")

    def _first_winning(self, position: Position, clock: Clock) -> tuple[Color, Move | None] | None:
        """Do the work of `best_move` move by move."""
        known: dict[Position, Color | None] = {}
        for move in position.legal_moves:
            after = position.play_unchecked(move)
            if after not in known:
                known[after] = self.winner(after, clock)
            if known[after] is None:
                return None
            if known[after] is position.side_to_move:
                return position.side_to_move, move
        return position.side_to_move.opponent, None

    def winner(self, position: Position, clock: Clock) -> Color | None:
        """Return who wins with best play, None when the clock ends first."""
        self._check_rules(position)
        won = position.winner
        if won is not None:
            return won
        known = self.table.wins_for_mover(position)
        if known is None:
            box = _box_of(position)
            result = (
                self._search_words(box, position, clock)[0]
                if box
                else WideSearch(position, self.table, self._memory_of_forms()).run(clock)
            )
            if result == search.UNKNOWN:
                return None
            known = result == search.WIN
        return position.side_to_move if known else position.side_to_move.opponent

    def _check_rules(self, position: Position) -> None:
        if position.rules is not self.rules:
            raise LimitError(
                "limit.value",
                name="position",
                expected=f"one of {self.rules.name} rules",
                value=position.rules.name,
            )

    def memory_for(self, position: Position) -> tuple[Array, ...]:
        """Return the arrays that hold what is found of a position; see `checkpoint`."""
        box = _box_of(position)
        if box is None:
            memory = self._memory_of_forms()
            memory.make_room(words_of(position))
            return memory.positions, memory.numbers
        self._take_board(box.size)
        return (self._entries,)

    def _memory_of_forms(self) -> Memory:
        """Return the memory of searches on whole forms, which takes half of that on words."""
        if self._wide is None:
            # What stands in the first half stands where a table half as large would have it.
            half = max(search.WAYS, len(self._entries) // 2)
            self._entries = self._entries[:half].copy()
            self._wide = Memory(self._memory_mb / 2)
        return self._wide

    def _take_board(self, size: Size) -> None:
        """Forget what was found on another board, where it does not hold on this one."""
        board = size if self.rules is ADVANCED else Size(0, int(make_layout(*size)[1]))
        if board != self._board:
            self._entries[:] = 0
            self._board = board

    def _search_words(self, box: _Box, position: Position, clock: Clock) -> tuple[int, SearchWork]:
        """Search a position on words by proof numbers; returns the result and what has it."""
        own, enemy = box.words(position)
        size = box.size
        layout = make_layout(*size)
        self._take_board(size)
        table = self.table

        def run(work: SearchWork, budget: int) -> int:
            result = search.search_slice(
                self.rules.number,
                size.rows,
                size.columns,
                layout,
                budget,
                EPSILON[self.rules],
                work.noise,
                self._entries,
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
            return int(result)

        return run_together(own, enemy, self.threads, run, clock)


@dataclass(frozen=True, slots=True)
class _Box:
    """The part of a board that a search on words sees."""

    top: int
    left: int
    size: Size

    def words(self, position: Position) -> tuple[int, int]:
        """Return the stones of the side to move and the enemy's within the box as words."""
        array = position.array[self.top :, self.left :][: self.size.rows, : self.size.columns]
        stride = int(make_layout(*self.size)[1])
        side = int(position.side_to_move)
        words = [0, 0]
        for row, column in np.argwhere(array != 0).tolist():
            words[int(array[row, column] != side)] |= 1 << (stride * row + column)
        return words[0], words[1]


def _box_of(position: Position) -> _Box | None:
    """Return the box that holds all that a position can come to, None if no words hold that.

    With standard rules it is the form's bounding box; with advanced rules margins that no slide
    can feel are cut off.
    """
    filled = position.array != 0
    rows, columns = np.flatnonzero(filled.any(axis=1)), np.flatnonzero(filled.any(axis=0))
    margin = 0 if position.rules is STANDARD else max(0, stones_of(position) - 2)
    top, left = max(0, int(rows[0]) - margin), max(0, int(columns[0]) - margin)
    size = Size(
        min(position.rows, int(rows[-1]) + 1 + margin) - top,
        min(position.columns, int(columns[-1]) + 1 + margin) - left,
    )
    if max(size) > 8 and size.rows * size.columns > 64:
        return None
    return _Box(top, left, size)


def stones_of(position: Position) -> int:
    """Return the number of stones of both colors."""
    return len(position.cells) - position.cells.count(0)
