"""The computer opponent: thinks about a position within a budget and names a move."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType

from formsgame.engine.levels import LEVELS
from formsgame.engine.thinking import Thinking
from formsgame.engine.timing import budget
from formsgame.engine.values import Info, Thought
from formsgame.errors import EngineBusyError, LimitError
from formsgame.limit import Limit
from formsgame.position import Position
from formsgame.rules import Rules, shown
from formsgame.solver.verdict import Solver, stones_of

#: Memory in megabytes where the caller sets none, and the most that may be asked for.
HASH_MB = 64
MOST_HASH_MB = 65_536
MOST_THREADS = 512


class Engine:
    """The computer at a level from 1 to 10, the strongest; thinks one thought at a time.

    With a seed, one thread and a limit of nodes it finds the same move every time. `hash_mb` bounds
    the memory of its tree and of its proofs together. Raises `LimitError` for a number outside its
    range.

    >>> with Engine(level=8, seed=1) as engine:
    ...     thought = engine.think(Position.parse("8/8/8/2xxo3/8/8/8/8 x advanced"))
    >>> thought.verdict
    <Color.BLACK: 1>
    """

    def __init__(
        self,
        *,
        level: int = max(LEVELS),
        threads: int = 1,
        hash_mb: int = HASH_MB,
        seed: int | None = None,
    ) -> None:
        for name, value, most in (
            ("level", level, max(LEVELS)),
            ("threads", threads, MOST_THREADS),
            ("hash_mb", hash_mb, MOST_HASH_MB),
        ):
            if type(value) is not int or not 1 <= value <= most:
                raise LimitError(
                    "limit.value", name=name, expected=f"within 1 to {most}", value=shown(value)
                )
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
            raise LimitError("limit.value", name="seed", expected="an integer", value=shown(seed))
        self.level = level
        self.threads = threads
        self.hash_mb = hash_mb
        self._seed = seed
        self._solver: Solver | None = None
        self._thinking = threading.Lock()
        self._stop = threading.Event()
        self._closed = False

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the thought under way and refuse further ones."""
        self._closed = True
        self.stop()

    def stop(self) -> None:
        """End the thought under way within some milliseconds; it returns its best move so far."""
        self._stop.set()

    def think(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        lines: int = 1,
        report: Callable[[Info], None] | None = None,
    ) -> Thought:
        """Return the best move found within a limit (the level's own by default).

        Always finds a legal move, whatever the limit. `lines` is how many moves to compare and
        tell of, best first; `report` is called in this thread with each line whenever the thought
        has got on. Raises `EngineBusyError` while another thought is under way, when closed, and
        where the game is over.
        """
        if position.is_over:
            raise EngineBusyError("engine.over")
        if not self._thinking.acquire(blocking=False):
            raise EngineBusyError("engine.closed" if self._closed else "engine.busy")
        try:
            self._stop.clear()
            if self._closed:  # looked at last, so that no call of close is overtaken
                raise EngineBusyError("engine.closed")
            level = LEVELS[self.level]
            return Thinking(
                position,
                level,
                budget(limit, level, stones_of(position)),
                self._solver_for(position.rules),
                threads=self.threads,
                memory_mb=self.hash_mb / 2,
                seed=self._seed,
                lines=max(1, lines),
                report=report,
                stopped=self._stop.is_set,
            ).think()
        finally:
            self._thinking.release()

    def _solver_for(self, rules: Rules) -> Solver:
        """Return a solver for a rule set, which remembers the thoughts before.

        With a seed it remembers none, so that every thought is the same as the first.
        """
        if self._solver is None or self._solver.rules is not rules or self._seed is not None:
            memory = max(1, self.hash_mb // 2)
            self._solver = Solver(rules, memory_mb=memory, threads=max(1, self.threads))
        return self._solver
