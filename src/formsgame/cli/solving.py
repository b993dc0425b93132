"""Solving positions exactly."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

import typer

from formsgame.cli import output, sentences, tables
from formsgame.cli.words import _
from formsgame.errors import LimitError

if TYPE_CHECKING:
    from formsgame.position import Position


def solve(
    position: Position, seconds: float | None, nodes: int | None, memory: int, all_moves: bool
) -> None:
    """Print who wins with best play and how; raises `FailureError` at a limit."""
    from formsgame.limit import Limit
    from formsgame.solver import Solver
    from formsgame.solver.clock import Clock

    try:
        limit = Limit(seconds=seconds, nodes=nodes)
    except LimitError as error:
        raise typer.BadParameter(str(error), param_hint="--seconds") from None
    tables.use_own()
    output.prepare_rules()
    try:
        solver = Solver(position.rules, memory_mb=memory)
    except MemoryError:
        raise output.FailureError(_("there is no such memory on this computer")) from None
    with _Counter() as counter:
        clock = Clock(limit, counter.show, None)
        winner = solver.winner(position, clock)
        line = None if winner is None else solver.line(position, winner, clock)
        winning = None
        if all_moves and line is not None and clock.nodes_left != 0:
            left = None if seconds is None else max(0.0, seconds - clock.elapsed())
            winning = solver.winning_moves(
                position, Limit(seconds=left, nodes=clock.nodes_left), report=counter.show
            )
    spent = _("%(nodes)s positions, %(seconds).2f seconds") % {
        "nodes": clock.nodes,
        "seconds": clock.elapsed(),
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


class _Counter:
    """A line on the terminal that counts positions while a search takes its time."""

    PATIENCE = 0.5

    def __init__(self) -> None:
        self._is_shown = output.is_terminal(sys.stderr)
        self._start = self._last = time.monotonic()
        self._width = 0

    def __enter__(self) -> _Counter:
        return self

    def show(self, nodes: int) -> None:
        """Say how many there are, twice a second."""
        now = time.monotonic()
        if self._is_shown and now - self._last >= self.PATIENCE:
            self._last = now
            self._write(
                _("%(nodes)s positions, %(seconds).0f seconds")
                % {"nodes": nodes, "seconds": now - self._start}
            )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._width:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r{text.ljust(self._width)}")
        sys.stderr.flush()
        self._width = len(text)
