"""The clocks of a game as pure values: time is told to them, in milliseconds of the server.

`since` is when the running clock was last charged. While a clock runs, nothing has to happen for
time to pass: what is left follows from the moment that is asked about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from formsgame.rules import BLACK, Color
from formsgame.server.refusals import GameError

#: The most that the way of a move through the net is forgiven, each time.
LAG_LIMIT = 500

SECOND = 1000
DAY = 24 * 60 * 60 * SECOND

#: The longest that a side can be given, for all its moves or for each.
LONGEST = 366 * DAY

_TEXT = re.compile(r"-|(?P<each>1/)?(?P<time>[1-9][0-9]{0,7})(?P<increment>\+[1-9][0-9]{0,7})?")

Kind = Literal["unlimited", "countdown", "per_move"]


@dataclass(frozen=True, slots=True)
class Control:
    """How time is counted.

    A countdown gives each side `time` for all its moves and adds `increment` after each; without
    an increment that is sudden death. Per move, each turn has `time` and what is not used is lost,
    as in correspondence games. Both are in milliseconds, and whole seconds.
    """

    kind: Kind = "unlimited"
    time: int = 0
    increment: int = 0

    def __post_init__(self) -> None:
        is_timed = self.kind != "unlimited"
        lowest, highest = (SECOND, LONGEST) if is_timed else (0, 0)
        most = LONGEST if self.kind == "countdown" else 0
        if (
            not (lowest <= self.time <= highest and 0 <= self.increment <= most)
            or self.time % SECOND
            or self.increment % SECOND
        ):
            raise GameError("game.control", text=self.text)

    @property
    def text(self) -> str:
        """The control as records write it, in seconds: `-`, `300`, `300+3` or `1/259200`."""
        if self.kind == "unlimited":
            return "-"
        each = "1/" if self.kind == "per_move" else ""
        increment = f"+{self.increment // SECOND}" if self.increment else ""
        return f"{each}{self.time // SECOND}{increment}"

    @classmethod
    def parse(cls, text: str) -> Control:
        """Read what `text` writes; raises `GameError`."""
        found = _TEXT.fullmatch(text)
        if not found or (found["each"] and found["increment"]):
            raise GameError("game.control", text=text[:40])
        if text == "-":
            return UNLIMITED
        return cls(
            "per_move" if found["each"] else "countdown",
            int(found["time"]) * SECOND,
            int(found["increment"] or 0) * SECOND,
        )


UNLIMITED = Control()


def countdown(seconds: int, increment: int = 0) -> Control:
    """Return a control with so many seconds for all moves, and so many more after each."""
    return Control("countdown", seconds * SECOND, increment * SECOND)


def per_move(days: int) -> Control:
    """Return a control with so many days for each move."""
    return Control("per_move", days * DAY)


@dataclass(frozen=True, slots=True)
class Clock:
    """Two clocks, of which the one of the side to move may run.

    `black` and `white` are what was left at `since`; `since` is None while none runs. With an
    unlimited control none ever does.
    """

    control: Control
    black: int
    white: int
    since: int | None = None

    @classmethod
    def new(cls, control: Control) -> Clock:
        """Return the clocks before the game."""
        return cls(control, control.time, control.time)

    def left(self, color: Color) -> int:
        """What a color had left at `since`."""
        return self.black if color is BLACK else self.white

    def deadline(self, side: Color) -> int | None:
        """When the side to move is out of time; None if its clock does not run."""
        return None if self.since is None else self.since + self.left(side)

    def due(self, side: Color) -> int | None:
        """When no move can come in time any more, however long its way was."""
        deadline = self.deadline(side)
        return None if deadline is None else deadline + LAG_LIMIT

    def started(self, now: int) -> Clock:
        """Return the clocks with that of the side to move running."""
        return self if self.control.kind == "unlimited" else replace(self, since=now)

    def stopped(self, side: Color, now: int) -> Clock:
        """Return the clocks standing still, the time until now charged to the side to move."""
        if self.since is None:
            return self
        return replace(self._with(side, max(0, self.left(side) - (now - self.since))), since=None)

    def moved(self, side: Color, now: int, lag: int) -> Clock | None:
        """Return the clocks after a move, that of the opponent running; None if it came too late.

        Of the lag no more than `LAG_LIMIT` is forgiven, and never more than the turn took.
        """
        if self.since is None:
            return self
        now = max(now, self.since)
        spent = max(0, now - self.since - min(max(0, lag), LAG_LIMIT))
        left = self.left(side) - spent
        if left <= 0:
            return None
        if self.control.kind == "per_move":
            left = self.control.time
        return replace(self._with(side, left + self.control.increment), since=now)

    def taken_back(self, side: Color, now: int) -> Clock:
        """Return the clocks after a takeback: what was spent stays spent, what was added stays.

        `side` was to move until now; the clock of whoever is to move then runs from now. Per move,
        that turn begins anew.
        """
        clock = self.stopped(side, now)
        if self.control.kind == "per_move":
            clock = replace(clock, black=self.control.time, white=self.control.time)
        return clock.started(now)

    def fallen(self, side: Color) -> Clock:
        """Return the clocks after a side's time is over."""
        return replace(self._with(side, 0), since=None)

    def _with(self, color: Color, left: int) -> Clock:
        return replace(self, black=left) if color is BLACK else replace(self, white=left)
