"""The web server's own loop: runs an application on a socket until a signal ends it."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

#: How long requests that are being answered may go on after a signal.
GRACE_SECONDS = 0.4

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
]


class _Server(uvicorn.Server):
    """A server that tells when it has started and takes a signal as a wish to end well."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to answer."""
        await super().startup(sockets)
        self._tell_started()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """End well at a signal, and let nobody hear of it afterwards."""
        before = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def serve_until_signal(app: ASGIApp, listener: socket.socket, started: Callable[[], None]) -> None:
    """Serve an application on a listening socket; `started` is called in the event loop."""
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="websockets-sansio",
        ws_max_size=4096,
        lifespan="on",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACE_SECONDS,  # type: ignore[arg-type]
    )
    _Server(config, started).run(sockets=[listener])
