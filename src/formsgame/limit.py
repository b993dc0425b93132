"""Budgets for thinking and solving."""

from __future__ import annotations

import math
from dataclasses import dataclass

from formsgame.errors import LimitError
from formsgame.rules import shown


@dataclass(frozen=True, slots=True)
class Limit:
    """A budget: whatever is given ends the work, the first to be reached.

    `seconds` is wall time, `nodes` positions looked at, `depth` plies, `clock` the seconds left for
    the whole game and those gained with every move. Nothing given: until stopped. Raises
    `LimitError` for anything that is not a positive number.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    clock: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not _is_time(self.seconds):
            raise LimitError(
                "limit.value", name="seconds", expected="a number >= 0", value=shown(self.seconds)
            )
        if self.clock is not None and not (
            isinstance(self.clock, tuple)
            and len(self.clock) == 2
            and all(_is_time(part) for part in self.clock)
        ):
            raise LimitError(
                "limit.value",
                name="clock",
                expected="two numbers >= 0, the time left and the increment",
                value=shown(self.clock),
            )
        for name in ("nodes", "depth"):
            value = getattr(self, name)
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or value < 1
            ):
                raise LimitError(
                    "limit.value", name=name, expected="an integer >= 1", value=shown(value)
                )


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
