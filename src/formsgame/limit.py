"""Budgets for thinking and solving."""

from __future__ import annotations

import math
from dataclasses import dataclass

from formsgame.errors import LimitError
from formsgame.rules import shown


@dataclass(frozen=True, slots=True)
class Limit:
    """A budget: whatever is given ends the work, the first to be reached.

    `seconds` is wall time, `nodes` positions looked at, `depth` plies. Nothing given: until
    stopped. Raises `LimitError` for anything that is not a positive number.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        seconds = self.seconds
        if seconds is not None and not (
            isinstance(seconds, int | float)
            and not isinstance(seconds, bool)
            and 0 <= seconds < math.inf
        ):
            raise LimitError(
                "limit.value", name="seconds", expected="a number >= 0", value=shown(seconds)
            )
        for name in ("nodes", "depth"):
            value = getattr(self, name)
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or value < 1
            ):
                raise LimitError(
                    "limit.value", name=name, expected="an integer >= 1", value=shown(value)
                )
