"""The computer opponent: thinks about a position within a budget and names a move.

With advanced rules all moves, with standard rules those that differ in what they cut, are compared
by random playouts, half of the candidates being dropped in each round (sequential halving). Near
the end every move is searched to the end of the game first: a proved win is played, a proved loss
never while there is another move.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable
from types import TracebackType

import numpy as np

from formsgame.engine import search
from formsgame.engine.values import Info, Thought
from formsgame.errors import EngineBusyError, LimitError
from formsgame.kernels import board as board_kernels
from formsgame.kernels.board import CELLS
from formsgame.limit import Limit
from formsgame.position import Move, Position, decode_move
from formsgame.rules import STANDARD, Color, shown
from formsgame.simulate import PlayoutBatch
from formsgame.solver.clock import Clock
from formsgame.solver.verdict import Solver

#: What each level may spend when the caller sets no limit: playouts, stones up to which it proves.
LEVELS = {1: (60, 0), 2: (400, 5), 3: (2_500, 7), 4: (10_000, 9), 5: (60_000, 11)}

#: Longest thought in seconds where the caller sets no limit.
DEFAULT_SECONDS = 1.0
#: Most candidates that playouts compare with standard rules, where most moves differ little.
CANDIDATES = 64
#: Share of the time and nodes that searching to the end may take, and its memory.
PROOF_SHARE = 0.5
PROOF_MEMORY_MB = 16

#: Memory in megabytes where the caller sets none, and the most that may be asked for.
HASH_MB = 64
MOST_HASH_MB = 65_536
MOST_THREADS = 512


class Engine:
    """The computer at a level from 1 to 5; thinks one thought at a time.

    With a seed and a limit of nodes it finds the same move every time. Raises `LimitError` for a
    level or seed outside its range.

    >>> with Engine(level=2, seed=1) as engine:
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
            thought = _Thinker(position, self.level, limit, self._seed, self._stop.is_set).think()
            if report:
                report(thought.lines[0])
            return thought
        finally:
            self._thinking.release()


class _Candidate:
    """A move under comparison, with the playouts made after it."""

    def __init__(self, move: Move, after: Position, seed: int) -> None:
        self.move = move
        self.after = after
        self.seed = seed
        self.batch: PlayoutBatch | None = None
        self.wins = 0
        self.games = 0

    def score(self) -> float:
        """Share of playouts won by the side that made the move."""
        return self.wins / self.games if self.games else 0.5


class _Thinker:
    """One thought: its budget and what has been spent of it."""

    def __init__(
        self,
        position: Position,
        level: int,
        limit: Limit | None,
        seed: int | None,
        stopped: Callable[[], bool],
    ) -> None:
        playouts, self.proof_stones = LEVELS[level]
        limit = limit or Limit(seconds=DEFAULT_SECONDS)
        self.position = position
        self.side = position.side_to_move
        self.random = random.Random(seed)
        self.budget = min(playouts, limit.nodes or playouts)
        self.most_nodes = limit.nodes or math.inf
        self.nodes = 0
        self.start = time.perf_counter()
        self.seconds = limit.seconds
        self.stopped = stopped

    def spent(self, share: float = 1.0) -> bool:
        """Tell whether a share of the time or all nodes are spent, or the thought is to stop."""
        if self.stopped() or self.nodes >= self.most_nodes:
            return True
        return self.seconds is not None and self.elapsed() >= self.seconds * share

    def elapsed(self) -> float:
        """Return the seconds since the thought began."""
        return time.perf_counter() - self.start

    def think(self) -> Thought:
        """Return the thought."""
        candidates = self.candidates()
        winning = [c for c in candidates if self.wins_at_once(c)]
        if winning:
            return self.thought(winning[0], 1.0, self.side)
        safe = [c for c in candidates if not c.after.is_over]
        if not safe:
            return self.thought(candidates[0], 0.0, self.side.opponent)
        if sum(self.position.counts.values()) <= self.proof_stones:
            best = self.prove(safe)
            if best is not None:
                return best
        return self.compare([c for c in safe if c.score() > 0] or safe)

    def candidates(self) -> list[_Candidate]:
        """Return the moves worth comparing, at least one."""
        if self.position.rules is STANDARD and len(self.position.legal_moves) > CANDIDATES:
            moves = self.standard_moves()
        else:
            moves = list(self.position.legal_moves)
            self.random.shuffle(moves)
        return [
            _Candidate(move, self.position.play_unchecked(move), self.random.getrandbits(64))
            for move in moves
        ]

    def standard_moves(self) -> list[Move]:
        """Return the moves that leave the fewest own stones against the enemy's, best first."""
        board = np.zeros(CELLS, np.int8)
        cells = np.frombuffer(self.position.cells, np.uint8)
        board_kernels.load(cells, self.position.rows, self.position.columns, board)
        moves, own, enemy = (np.zeros(4 * CELLS, np.int32) for _ in range(3))
        count = search.list_candidates(
            board,
            int(self.side),
            np.zeros(CELLS, np.uint8),
            np.zeros(CELLS, np.uint16),
            np.array([self.random.getrandbits(64)], np.uint64),
            moves,
            own,
            enemy,
        )
        gain = np.where(enemy[:count] == 0, -CELLS, enemy[:count] - own[:count])
        order = list(range(count))
        self.random.shuffle(order)
        order.sort(key=lambda i: -int(gain[i]))
        return [decode_move(int(moves[i])) for i in order[:CANDIDATES]]

    def wins_at_once(self, candidate: _Candidate) -> bool:
        """Tell whether the enemy's next move must take the last own stone (standard rules)."""
        after = candidate.after
        return (
            self.position.rules is STANDARD and not after.is_over and after.counts[self.side] == 1
        )

    def prove(self, candidates: list[_Candidate]) -> Thought | None:
        """Search the moves to the end; returns a thought if the outcome is proved.

        Moves that lose are left with a score of 0.
        """
        solver = Solver(self.position.rules, memory_mb=PROOF_MEMORY_MB)
        nodes = max(1, int(min(20 * self.budget, self.most_nodes * PROOF_SHARE)))
        seconds = None
        if self.seconds is not None:
            seconds = max(0.0, self.seconds * PROOF_SHARE - self.elapsed())
        clock = Clock(Limit(seconds=seconds, nodes=nodes), None, self.stopped)
        lost = []
        candidates.sort(key=lambda c: sum(c.after.counts.values()))
        for candidate in candidates:
            winner = solver.winner(candidate.after, clock)
            if winner is self.side:
                self.nodes += clock.nodes
                return self.thought(candidate, 1.0, self.side)
            if winner is not None:
                candidate.wins, candidate.games = 0, 1
                lost.append(candidate)
            elif clock.is_over():
                break
        self.nodes += clock.nodes
        if len(lost) == len(candidates):
            return self.thought(lost[-1], 0.0, self.side.opponent)
        return None

    def compare(self, candidates: list[_Candidate]) -> Thought:
        """Return the move that playouts like best."""
        rounds = max(1, (len(candidates) - 1).bit_length())
        for candidate in candidates:
            candidate.wins = candidate.games = 0
        alive = candidates
        budget = int(min(self.budget, self.most_nodes - self.nodes))
        for number in range(rounds):
            each = max(1, budget // (rounds * len(alive)))
            until = (number + 1) / rounds
            if not self.round(alive, each, until):
                break
            alive.sort(key=_Candidate.score, reverse=True)
            alive = alive[: max(2, (len(alive) + 1) // 2)]
        best = max(alive, key=lambda c: (c.score(), c.games))
        return self.thought(best, best.score(), None)

    def round(self, alive: list[_Candidate], each: int, until: float) -> bool:
        """Play `each` games more after every candidate; returns False when the thought must end.

        Games are played some at a time in turn, so that whenever time is over all have had alike.
        """
        size = max(1, min(each, 8))
        for _ in range(0, each, size):
            for candidate in alive:
                if self.spent():
                    return False
                if candidate.batch is None:
                    candidate.batch = PlayoutBatch(
                        candidate.after, candidate.seed, "fast", self.budget + 8
                    )
                batch = candidate.batch
                done = batch.done
                batch.run(int(min(size, self.most_nodes - self.nodes)))
                winners = batch.winners[done : batch.done]
                self.nodes += len(winners)
                candidate.wins += int((winners == int(self.side)).sum())
                candidate.games += len(winners)
            if self.spent(until):
                break
        return True

    def thought(self, candidate: _Candidate, score: float, verdict: Color | None) -> Thought:
        """Return what was found as a value."""
        line = (candidate.move,)
        return Thought((Info(1, line, score, verdict, 1, self.nodes, self.elapsed()),))
