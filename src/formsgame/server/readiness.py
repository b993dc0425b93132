"""Whether the compiled rules are ready, which the first start ever has to wait for."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from formsgame.server.refusals import GameError

#: Seconds that a request waits for the rules before it is told to come again.
PATIENCE = 1.0

_log = logging.getLogger(__name__)

WarmUp = Callable[[Callable[[int, int], None]], None]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the preparation is: `done` of `total` functions, or the error that ended it."""

    ready: bool = False
    done: int = 0
    total: int = 0
    error: str | None = None


def compile_rules(report: Callable[[int, int], None]) -> None:
    """Compile what a game needs, or load it from the cache; imports what that needs.

    What proves who wins follows behind: the computer plays without it until it is there.
    """
    from formsgame import compiled

    compiled.announce_with(None)
    compiled.warm_up(report, compiled.GAME_MODULES)
    compiled.warm_up_behind(compiled.PROOF_MODULES)


class Readiness:
    """Prepares the rules in a thread of its own, so that pages are served meanwhile.

    The thread is a daemon: the program may end while it compiles.
    """

    def __init__(self, warm_up: WarmUp = compile_rules) -> None:
        self._warm_up = warm_up
        self._progress = Progress()
        self._finished = asyncio.Event()
        self._thread: threading.Thread | None = None

    @property
    def progress(self) -> Progress:
        """How far it is now."""
        return self._progress

    @property
    def is_working(self) -> bool:
        """Whether the thread is still at it."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Begin; call it once, in the event loop that waits."""
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(
            target=self._prepare, args=(loop,), name="formsgame-prepare", daemon=True
        )
        self._thread.start()

    async def wait(self) -> None:
        """Wait until the rules are ready.

        Raises `GameError` (`not-prepared`) if they can't be.
        """
        await self._finished.wait()
        if self._progress.error is not None:
            raise GameError("not-prepared", reason=self._progress.error)

    async def demand(self) -> None:
        """Wait for a moment; raises `GameError` (`not-ready`) if it takes longer."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.wait()
        except TimeoutError:
            raise GameError("not-ready") from None

    def _prepare(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            self._warm_up(self._report)
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear it
            _log.exception("the rules could not be prepared")
            self._progress = Progress(error=f"{type(error).__name__}: {error}")
        else:
            total = self._progress.total
            self._progress = Progress(ready=True, done=total, total=total)
        try:
            loop.call_soon_threadsafe(self._finished.set)
        except RuntimeError:
            _log.info("the server ended before the rules were ready")

    def _report(self, done: int, total: int) -> None:
        self._progress = Progress(done=done, total=total)
