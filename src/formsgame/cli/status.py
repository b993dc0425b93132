"""A line on the terminal that says how far some work is."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from formsgame.cli import output


class StatusLine:
    """A line on standard error, where that is a terminal, which vanishes when the work is done."""

    #: Seconds between two changes of it, and before it appears.
    PATIENCE = 0.5

    def __init__(self) -> None:
        self._is_shown = output.is_terminal(sys.stderr)
        self._last = time.monotonic()
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def show(self, text: str) -> None:
        """Say something else, if it is time to."""
        now = time.monotonic()
        if self._is_shown and now - self._last >= self.PATIENCE:
            self._last = now
            self._write(text)

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
