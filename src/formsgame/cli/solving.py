"""Solving positions exactly."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import typer

from formsgame.cli import output, sentences, tables
from formsgame.cli.status import StatusLine
from formsgame.cli.words import _
from formsgame.errors import FormsError, LimitError, NotationError, SetupError, SizeError

if TYPE_CHECKING:
    from formsgame.limit import Limit
    from formsgame.position import Position
    from formsgame.rules import Color
    from formsgame.solver import Solver


#: Seconds between two times of keeping what was found.
KEEP_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Budget:
    """What solving may take."""

    seconds: float | None
    nodes: int | None
    memory_mb: int
    threads: int = 1

    def limit(self) -> Limit:
        """Return time and positions as a limit, or exit with a usage error."""
        from formsgame.limit import Limit

        try:
            return Limit(seconds=self.seconds, nodes=self.nodes)
        except LimitError as error:
            raise typer.BadParameter(error.sentence(_), param_hint="--seconds") from None


def solve(
    position: Position,
    budget: Budget,
    all_moves: bool,
    checkpoint: Path | None,
    proof: Path | None,
) -> None:
    """Print who wins with best play and how; raises `FailureError` at a limit."""
    from formsgame.limit import Limit
    from formsgame.solver import Solver
    from formsgame.solver.clock import Clock

    limit = budget.limit()
    tables.use_own()
    output.prepare_rules()
    try:
        solver = Solver(position.rules, memory_mb=budget.memory_mb, threads=budget.threads)
        keeper = _Keeper(checkpoint, solver, position)
    except MemoryError:
        raise output.FailureError(_("there is no such memory on this computer")) from None
    with _Counter() as counter, keeper:

        def report(nodes: int) -> None:
            counter.count(keeper.nodes + nodes)
            keeper.tell(nodes)

        clock = Clock(limit, report, None)
        winner = solver.winner(position, clock)
        line = None if winner is None else solver.line(position, winner, clock)
        winning = None
        if all_moves and line is not None and clock.nodes_left != 0:
            left = None if limit.seconds is None else max(0.0, limit.seconds - clock.elapsed())
            winning = solver.winning_moves(
                position, Limit(seconds=left, nodes=clock.nodes_left), report=counter.count
            )
    spent = _("%(nodes)s positions, %(seconds).2f seconds") % {
        "nodes": keeper.nodes + clock.nodes,
        "seconds": keeper.seconds + clock.elapsed(),
    }
    if winner is None or line is None or (all_moves and winning is None):
        raise output.FailureError(_("not solved within the limit (%s)") % spent)
    if position.is_over:
        output.say(sentences.won_on_the_board(winner))
        return
    output.say(_("%s wins with best play") % sentences.name(winner))
    output.say(_("line: %s") % " ".join(map(str, line)))
    if winning is not None:
        output.say(_("winning moves: %s") % (" ".join(map(str, winning)) or "-"))
    output.say(spent)
    if proof is not None:
        _prove(proof, position, winner, solver)
    keeper.remove()


def classify(pattern: str, rules: str, budget: Budget) -> None:
    """Print the outcome class of a drawn form; raises `FailureError` at a limit."""
    from formsgame.rules import parse_rules
    from formsgame.solver import outcome_class

    limit = budget.limit()
    try:
        known = parse_rules(rules)
    except FormsError as error:
        raise typer.BadParameter(error.sentence(_), param_hint="--rules") from None
    tables.use_own()
    output.prepare_rules()
    try:
        found = outcome_class(pattern, limit, rules=known, memory_mb=budget.memory_mb)
    except (NotationError, SetupError, SizeError) as error:
        raise typer.BadParameter(error.sentence(_), param_hint="--class") from None
    if found is None:
        raise output.FailureError(_("not solved within the limit"))
    output.say(found.value)


def _prove(path: Path, position: Position, winner: Color, solver: Solver) -> None:
    """Write the winner's strategy and say so."""
    from formsgame.solver.proof import write_proof

    with _Counter() as counter:
        count = write_proof(path, position, winner, solver, lambda done, _: counter.count(done))
    output.say(
        _("%(file)s: a proof of %(count)s positions")
        % {"file": output.printable(str(path)), "count": count}
    )


class _Keeper:
    """Keeps what a solver finds in a file, if there is to be one."""

    def __init__(self, path: Path | None, solver: Solver, position: Position) -> None:
        self.nodes, self.seconds = 0, 0.0
        self._path = path
        self._solver = solver
        self._position = position
        self._found = 0
        self._start = self._last = time.monotonic()
        if path is None:
            return
        from formsgame.solver import checkpoint

        known = checkpoint.load(path, solver, position)
        if known is not None:
            self.nodes, self.seconds = known
            output.say(
                _("going on after %(nodes)s positions, %(seconds).0f seconds")
                % {"nodes": self.nodes, "seconds": self.seconds}
            )

    def __enter__(self) -> _Keeper:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._found:
            self._keep()

    def tell(self, nodes: int) -> None:
        """Take note of the positions opened, and keep what was found if it is time."""
        self._found = nodes
        if time.monotonic() - self._last >= KEEP_SECONDS:
            self._keep()

    def remove(self) -> None:
        """Remove the file, of which there is no more need."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _keep(self) -> None:
        if self._path is None:
            return
        from formsgame.solver import checkpoint

        self._last = time.monotonic()
        checkpoint.save(
            self._path,
            self._solver,
            self._position,
            self.nodes + self._found,
            self.seconds + self._last - self._start,
        )


class _Counter(StatusLine):
    """A line on the terminal that counts positions while a search takes its time."""

    def __init__(self) -> None:
        super().__init__()
        self._start = time.monotonic()

    def count(self, nodes: int) -> None:
        """Say how many there are, twice a second."""
        seconds = time.monotonic() - self._start
        self.show(
            _("%(nodes)s positions, %(seconds).0f seconds") % {"nodes": nodes, "seconds": seconds}
        )
