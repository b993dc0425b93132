"""What stands before every request: foreign hosts and sites, oversized bodies, faults, headers.

A server on this computer is within reach of every page that the browser shows: a foreign page
may post to it, and a foreign name may be made to point at 127.0.0.1. So the Host header must be
a name of this computer, and whoever says where they come from must come from here.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from formsgame.errors import FormsError
from formsgame.server.refusals import GameError

#: Longest body read, in bytes; the longest sensible one, a position of 26 x 26, has 900.
BODY_LIMIT = 16_384

#: Names by which this computer calls itself.
LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

_SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_log = logging.getLogger(__name__)


def error_response(
    path: str,
    status: int,
    error: FormsError,
    headers: dict[str, str] | None = None,
    translate: Callable[[str], str] = str,
) -> Response:
    """Return an error for who asked at a path: data for a program, a sentence for a person."""
    if path.startswith("/api/"):
        return ErrorResponse(status, error, headers, translate)
    return PlainTextResponse(f"{error.sentence(translate)}\n", status, headers)


class ErrorResponse(JSONResponse):
    """An error in the form that all of the API's errors have."""

    def __init__(
        self,
        status: int,
        error: FormsError,
        headers: dict[str, str] | None = None,
        translate: Callable[[str], str] = str,
        **beside: object,
    ) -> None:
        super().__init__({"error": describe(error, translate), **beside}, status, headers)

    def render(self, content: Any) -> bytes:
        """Return ASCII, which any text survives, halves of surrogate pairs included."""
        return json.dumps(content, separators=(",", ":")).encode()


def describe(error: FormsError, translate: Callable[[str], str] = str) -> dict[str, object]:
    """Return an error as plain data, its sentence in the language of `translate`."""
    return {
        "code": error.code,
        "message": error.sentence(translate),
        "data": {name: _plain(value, translate) for name, value in error.data.items()},
    }


def _plain(value: object, translate: Callable[[str], str]) -> object:
    if isinstance(value, FormsError):
        return describe(value, translate)
    if isinstance(value, tuple | list):
        return [_plain(item, translate) for item in value]
    if isinstance(value, dict):
        return {str(name): _plain(item, translate) for name, item in value.items()}
    return value if value is None or type(value) in (str, int, float, bool) else str(value)


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = LOCAL_HOSTS) -> None:
        self._app = app
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse to."""
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            if _refusal(scope, self._hosts) is None:
                await self._app(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 1008})
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_started = False

        async def send_guarded(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                headers = MutableHeaders(scope=message)
                for name, value in _SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        error = _refusal(scope, self._hosts)
        if error is not None:
            response = error_response(scope["path"], 403, error)
            await response(scope, receive, send_guarded)
            return
        body = await _read_body(scope, receive)
        if body is None:
            refusal = GameError("request.large", limit=BODY_LIMIT)
            response = error_response(scope["path"], 413, refusal, {"Connection": "close"})
            await response(scope, receive, send_guarded)
            return
        try:
            await self._app(scope, _replay(body, receive), send_guarded)
        except Exception:
            _log.exception("%s %s failed", scope["method"], scope["path"])
            if has_started:
                raise
            response = error_response(scope["path"], 500, GameError("server.failed"))
            await response(scope, receive, send_guarded)


def _refusal(scope: Scope, hosts: frozenset[str]) -> FormsError | None:
    """Return why a request is refused before anybody looks at it; None if it is not."""
    headers = Headers(scope=scope)
    own = headers.get("host", "")
    if len(headers.getlist("host")) != 1 or _host_name(own) not in hosts:
        return GameError("request.host")
    if scope["type"] == "http" and scope["method"] in _SAFE_METHODS:
        return None
    origin = headers.get("origin")
    if origin is not None and _net_location(origin) != own.lower():
        return GameError("request.origin")
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return GameError("request.origin")
    return None


def _host_name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _net_location(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


async def _read_body(scope: Scope, receive: Receive) -> bytes | None:
    """Return the body, or None if it is too long; a length announced is believed."""
    length = Headers(scope=scope).get("content-length", "0")
    if not length.isdecimal() or int(length[:20]) > BODY_LIMIT:
        return None
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > BODY_LIMIT:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a channel that gives the body that was read, then what comes after it."""
    is_read = False

    async def replayed() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
