"""One thought: first a proof, then a tree, and what is said meanwhile."""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from formsgame import compiled
from formsgame.engine import mcts
from formsgame.engine.levels import Level
from formsgame.engine.tree import Tree
from formsgame.engine.values import Info, Thought
from formsgame.limit import Limit
from formsgame.position import Move, Position, decode_move
from formsgame.rules import ADVANCED, STANDARD, Color
from formsgame.solver.clock import Clock
from formsgame.solver.verdict import Solver, stones_of

#: What time is read from; a bench on a busy machine takes `time.thread_time`.
CLOCK: Callable[[], float] = time.perf_counter

#: Stones up to which it is worth a try to search a position to the end of the game, those up to
#: which that mostly succeeds, and the shares of time and nodes that the first proof may take.
PROOF_STONES = {STANDARD: 60, ADVANCED: 48}
LIKELY_STONES = {STANDARD: 30, ADVANCED: 24}
LIKELY_SHARE, TRY_SHARE = 0.4, 0.12
#: Positions that the tree judges between two looks at the clock, and moves that the proof of its
#: best line may make meanwhile, which takes about as long.
STEP = 512
PROOF_STEP = 60_000
#: Seconds that this may take at the most, where no limit of nodes asks for the same steps always.
STEP_SECONDS = 0.005
#: Seconds between two reports, and those for a proved line to be told in full.
REPORT_SECONDS = 0.1
LINE_SECONDS = 0.1
#: Moves of a lost position that are compared, and the share of the time for it.
RESISTING = 12
RESIST_SHARE = 0.25


class Thinking:
    """A thought under way: what it may spend, and what it has found.

    `solver` may remember earlier thoughts; `stopped` is asked every few milliseconds.
    """

    def __init__(
        self,
        position: Position,
        level: Level,
        budget: Limit,
        solver: Solver,
        *,
        threads: int,
        memory_mb: float,
        seed: int | None,
        lines: int,
        report: Callable[[Info], None] | None,
        stopped: Callable[[], bool],
    ) -> None:
        self.position = position
        self.side = position.side_to_move
        self.level = level
        self.budget = budget
        self.solver = solver
        self.threads = threads
        self.lines = lines
        self.report = report
        self.stopped = stopped
        self.start = CLOCK()
        self.nodes = 0
        self.reported = 0.0
        #: Whether the solver can be asked: not while it is being compiled for the first time.
        self.can_prove = not compiled.is_pending(compiled.PROOF_MODULES)
        most = PROOF_STONES[position.rules]
        self.proof = most if level.proof is None else min(most, level.proof)
        depth = [d for d in (budget.depth, level.depth) if d is not None]
        self.tree = Tree(
            position,
            solver.table,
            memory_mb,
            random.Random(seed).getrandbits(64),
            depth=min(depth, default=None),
            width=level.width,
            known=level.known,
        )

    def think(self) -> Thought:
        """Return the thought."""
        proved: list[Info] = []
        outcome = None
        stones = stones_of(self.position)
        share = LIKELY_SHARE if stones <= LIKELY_STONES[self.position.rules] else TRY_SHARE
        if stones <= self.proof and self.can_spend(share):
            outcome = self.solver.best_move(self.position, self.watch(share))
            if outcome is not None and outcome[1] is not None:
                proved = [self.proved_line(outcome[1])]
                if self.lines == 1:
                    return self.thought(proved)
        if outcome is None or outcome[1] is not None:
            self.grow()
        lost = outcome is not None and outcome[1] is None
        if lost or self.tree.is_lost:
            return self.resist()
        return self.thought(proved + self.told(proved))

    # Time and nodes

    def elapsed(self) -> float:
        """Return the seconds since the thought began."""
        return CLOCK() - self.start

    def left(self) -> float | None:
        """Return the seconds that are left, None if there is no such limit."""
        if self.budget.seconds is None:
            return None
        return max(0.0, self.budget.seconds - self.elapsed())

    def nodes_left(self) -> int | None:
        """Return the positions that may still be looked at, None if there is no such limit."""
        return None if self.budget.nodes is None else max(0, self.budget.nodes - self.nodes)

    def is_over(self) -> bool:
        """Tell whether the thought has to end."""
        return self.stopped() or self.left() == 0 or self.nodes_left() == 0

    def can_spend(self, share: float = 1.0) -> bool:
        """Tell whether a share of what is left allows for a search for a proof at all."""
        most = self.nodes_left()
        return self.can_prove and not self.stopped() and (most is None or int(most * share) >= 1)

    def watch(self, share: float, nodes: int | None = None) -> _Watch:
        """Return the clock of a search for a proof that may take a share of what is left."""
        seconds, most = self.left(), self.nodes_left()
        if most is not None:
            most = int(most * share)
            nodes = most if nodes is None else min(nodes, most)
        return _Watch(self, None if seconds is None else seconds * share, nodes)

    # The tree

    def grow(self) -> None:
        """Let the tree grow until the budget is spent, and prove what it likes best meanwhile."""
        tree = self.tree
        # Whatever is left, there is something to choose from.
        most = self.nodes_left()
        self.nodes += tree.grow(1, None if most is None else max(1, most))
        prover = _Prover(self) if self.threads > 1 and self.can_prove else None
        step = STEP
        try:
            while not tree.is_proved and not self.is_over() and not self.is_deep_enough():
                begin = CLOCK()
                self.nodes += tree.grow(min(step, self.nodes_left() or step), self.nodes_left())
                if self.budget.nodes is None:
                    spent = max(CLOCK() - begin, 1e-6)
                    step = max(1, min(STEP, int(step * STEP_SECONDS / spent)))
                if prover:
                    prover.look()
                else:
                    self.prove_best_line()
                if self.report and self.elapsed() >= self.reported + REPORT_SECONDS:
                    self.reported = self.elapsed()
                    for info in self.told([]):
                        self.report(info)
        finally:
            if prover:
                prover.end()

    def is_deep_enough(self) -> bool:
        """Tell whether the best line is as long as the depth that was asked for."""
        return self.budget.depth is not None and (
            len(self.tree.line(0)) >= self.budget.depth and self.tree.depth >= self.budget.depth
        )

    def prove_best_line(self) -> None:
        """Try to prove the first position of the best line that is small enough."""
        found = self.unproved_of_best_line()
        if found is None or not self.can_spend():
            return
        path, position = found
        winner = self.solver.winner(position, self.watch(1.0, _proof_nodes(position)))
        if winner is not None:
            self.tree.prove(path, winner is position.side_to_move)

    def unproved_of_best_line(self) -> tuple[list[int], Position] | None:
        """Return the nodes to the first position of the best line to prove, and the position."""
        position, path = self.position, [0]
        while True:
            child = self.tree.best_child(path[-1])
            if child is None or self.tree.flags[child] & mcts.PROVED:
                return None
            position = position.play_unchecked(decode_move(int(self.tree.links[child, 2])))
            path.append(child)
            if stones_of(position) <= self.proof:
                return path, position

    # What is said

    def told(self, before: list[Info]) -> list[Info]:
        """Return the tree's best lines, but for those told before."""
        known = {info.move for info in before}
        infos = []
        for child in self.tree.children():
            if len(known) == self.lines:
                break
            if child.move in known:
                continue
            known.add(child.move)
            score = 1.0 if child.won else 0.0 if child.lost else child.score
            # That the best move known loses says nothing of those not looked at.
            is_sure = child.won or (child.lost and (len(known) > 1 or self.tree.is_lost))
            winner = self.side if child.won else self.side.opponent
            verdict = winner if is_sure else None
            line = (child.move, *self.tree.line(child.node))
            infos.append(self.info(len(known), line, score, verdict))
        return infos

    def info(self, rank: int, line: tuple[Move, ...], score: float, verdict: Color | None) -> Info:
        """Return a line as a value."""
        depth = max(len(line), self.tree.depth)
        return Info(rank, line, score, verdict, depth, self.nodes, self.elapsed())

    def proved_line(self, move: Move) -> Info:
        """Return the line that begins with a move that wins."""
        line = self.line_after(move, self.side)
        return self.info(1, (move, *line), 1.0, self.side)

    def line_after(self, move: Move, winner: Color) -> tuple[Move, ...]:
        """Return a line of best play after a move, none if it can't be told in short time."""
        if not self.can_spend():
            return ()
        left = self.left()
        seconds = LINE_SECONDS if left is None else min(LINE_SECONDS, left)
        watch = _Watch(self, seconds, self.nodes_left())
        return self.solver.line(self.position.play_unchecked(move), winner, watch) or ()

    def thought(self, infos: list[Info]) -> Thought:
        """Return the thought with its lines, each told with all nodes and the whole time."""
        seconds = self.elapsed()
        lines = tuple(replace(info, nodes=self.nodes, seconds=seconds) for info in infos)
        if self.report:
            for info in lines:
                self.report(info)
        return Thought(lines)

    def resist(self) -> Thought:
        """Return the move of a lost position after which winning is hardest for the enemy.

        Of the moves that leave the most stones, that with the fewest winning replies.
        """
        moves = list(self.position.legal_moves)
        after = {move: self.position.play_unchecked(move) for move in moves}
        moves.sort(key=lambda move: (not after[move].is_over, stones_of(after[move])), reverse=True)
        best, least = moves[0], 2.0
        end = (
            None
            if self.budget.seconds is None
            else self.elapsed() + RESIST_SHARE * (self.left() or 0.0)
        )
        seen: set[Position] = set()
        for move in moves:
            if len(seen) == RESISTING or self.stopped() or self.nodes_left() == 0:
                break
            position = after[move]
            if position.is_over or position in seen:
                continue
            seen.add(position)
            share = self.winning_share(position, end)
            if share is None:
                break
            if share < least:
                best, least = move, share
        line = self.line_after(best, self.side.opponent)
        info = self.info(1, (best, *line), 0.0, self.side.opponent)
        known = self.told([info]) if self.lines > 1 and self.tree.children() else []
        return self.thought([info, *known])

    def winning_share(self, position: Position, end: float | None) -> float | None:
        """Return the share of winning moves, None if time is over before all are known."""
        wins = total = 0
        for move in position.legal_moves:
            after = position.play_unchecked(move)
            if after.is_over:
                total += 1
                continue
            seconds = None if end is None else end - self.elapsed()
            if not self.can_spend() or (seconds is not None and seconds <= 0):
                return None
            winner = self.solver.winner(after, _Watch(self, seconds, self.nodes_left()))
            if winner is None:
                return None
            wins += winner is position.side_to_move
            total += 1
        return wins / total


class _Watch(Clock):
    """The clock of a search for a proof, which is part of a thought."""

    def __init__(self, thinking: Thinking, seconds: float | None, nodes: int | None) -> None:
        super().__init__(Limit(seconds=seconds, nodes=nodes), None, thinking.stopped)
        self._thinking = thinking
        self._begin = CLOCK()

    def elapsed(self) -> float:
        return CLOCK() - self._begin

    def run_slices(self, run: Callable[[int], tuple[int, int]]) -> int:
        before = self.nodes
        try:
            return super().run_slices(run)
        finally:
            self._thinking.nodes += self.nodes - before


class _Prover:
    """A thread that proves positions of the tree's best line while the tree grows."""

    def __init__(self, thinking: Thinking) -> None:
        self._thinking = thinking
        self._tasks: queue.SimpleQueue[tuple[list[int], Position] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[_Proof] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._is_idle = True
        self._thread = threading.Thread(target=self._work, name="formsgame-prove", daemon=True)
        self._thread.start()

    def look(self) -> None:
        """Take in what was proved, and give the thread something to prove if it has nothing."""
        thinking = self._thinking
        while not self._results.empty():
            proof = self._results.get()
            self._is_idle = True
            thinking.nodes += proof.nodes
            if proof.error is not None:
                raise proof.error
            if proof.wins is not None:
                thinking.tree.prove(proof.path, proof.wins)
        if self._is_idle:
            task = thinking.unproved_of_best_line()
            if task is not None:
                self._is_idle = False
                self._tasks.put(task)

    def end(self) -> None:
        """End the thread, which is a matter of milliseconds."""
        self._ended.set()
        self._tasks.put(None)
        self._thread.join()

    def _work(self) -> None:
        thinking = self._thinking
        while (task := self._tasks.get()) is not None:
            path, position = task
            clock = Clock(Limit(nodes=_proof_nodes(position)), None, self._is_over)
            wins, failure = None, None
            try:
                winner = thinking.solver.winner(position, clock)
                wins = None if winner is None else winner is position.side_to_move
            except BaseException as error:  # noqa: BLE001 - the thinking thread's to raise
                failure = error
            self._results.put(_Proof(path, wins, clock.nodes, failure))

    def _is_over(self) -> bool:
        return self._ended.is_set() or self._thinking.stopped()


@dataclass(frozen=True, slots=True)
class _Proof:
    """What came of trying to prove the position at the end of a path of nodes."""

    path: list[int]
    wins: bool | None
    nodes: int
    error: BaseException | None


def _proof_nodes(position: Position) -> int:
    """Return how many positions like this one a step of a proof may open."""
    black, white = position.counts.values()
    moves = black * white if position.rules is STANDARD else 6 * (black + white)
    return max(16, PROOF_STEP // moves)
