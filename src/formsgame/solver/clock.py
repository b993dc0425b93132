"""What a limit leaves to the searches of one question, and their slices."""

from __future__ import annotations

import time
from collections.abc import Callable

from formsgame.limit import Limit
from formsgame.solver.search import UNKNOWN

#: Wall time in seconds that a slice of a search aims at.
SLICE_SECONDS = 0.02
#: Most positions of a slice: one that ends early for other reasons must not let it grow for ever.
MOST_BUDGET = 1 << 30


class Clock:
    """What a limit leaves, shared by all searches of one question."""

    def __init__(
        self,
        limit: Limit | None,
        report: Callable[[int], None] | None,
        stopped: Callable[[], bool] | None,
    ) -> None:
        self.limit = limit or Limit()
        self.report = report
        self.stopped = stopped
        self.nodes = 0
        self.start = time.perf_counter()

    @property
    def nodes_left(self) -> int | None:
        """Positions that may still be opened, None without a limit."""
        return None if self.limit.nodes is None else max(0, self.limit.nodes - self.nodes)

    def elapsed(self) -> float:
        """Return the seconds since the question was asked."""
        return time.perf_counter() - self.start

    def run_slices(self, run: Callable[[int], tuple[int, int]]) -> int:
        """Call `run(budget)` until it knows the result or the limit is reached.

        It returns the result, UNKNOWN while it has none, and the positions it opened.
        """
        budget = 256
        while True:
            start = time.perf_counter()
            left = self.nodes_left
            result, nodes = run(budget if left is None else min(budget, left))
            spent = time.perf_counter() - start
            self.nodes += nodes
            if self.report:
                self.report(self.nodes)
            if result != UNKNOWN or self.is_over():
                return result
            wanted = int(budget * SLICE_SECONDS / max(spent, 1e-6))
            budget = max(16, min(budget * 4, wanted, MOST_BUDGET))

    def is_over(self) -> bool:
        """Tell whether the limit is reached or the caller has asked to stop."""
        if self.stopped is not None and self.stopped():
            return True
        if self.nodes_left == 0:
            return True
        return self.limit.seconds is not None and self.elapsed() >= self.limit.seconds
