"""The application: interface, pages, static files and the form of every error."""

from __future__ import annotations

import hashlib
import logging
import mimetypes
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from gettext import NullTranslations
from pathlib import Path
from typing import Protocol

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

from formsgame import __version__
from formsgame.errors import FormsError, StorageError
from formsgame.server.api import game_model, make_router
from formsgame.server.guard import ErrorResponse, Guard, error_response
from formsgame.server.hub import ConflictError, Hub, MakeMind, make_engine
from formsgame.server.readiness import Readiness, WarmUp, compile_rules
from formsgame.server.refusals import GameError
from formsgame.server.storage import Storage

#: A browser asks each time whether a page or a file has changed, so that no page of a new
#: version runs scripts of an old one.
_REVALIDATE = {"Cache-Control": "no-cache"}

#: Number of faults of a request that are told at once.
_PROBLEMS = 10

_STATUSES = {"game.missing": 404, "not-ready": 503, "not-prepared": 503}

_log = logging.getLogger(__name__)

# Some systems call these something that a browser refuses to run.
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("text/css", ".css")
mimetypes.add_type("image/svg+xml", ".svg")


class Pages(Protocol):
    """Where the pages come from; the module `formsgame.web` is one."""

    STATIC: Path
    LANGUAGES: tuple[str, ...]

    def render(self, template_name: str, language: str, **context: object) -> str:
        """Return a page as HTML."""

    def translations(self, language: str) -> NullTranslations:
        """Return the words of a language."""


def create_app(
    database: Path,
    pages: Pages,
    *,
    home: str = "",
    warm_up: WarmUp = compile_rules,
    make_mind: MakeMind = make_engine,
) -> FastAPI:
    """Return the application over a database, which is opened at once.

    Raises `StorageError` if it can't be.
    """
    storage = Storage(database)
    readiness = Readiness(warm_up)
    hub = Hub(storage, readiness, make_mind)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await hub.close()

    app = FastAPI(
        title="Forms",
        version=__version__,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.readiness = readiness
    app.include_router(make_router(hub, readiness, home))
    _add_pages(app, hub, pages)
    _add_error_handlers(app, pages)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard)
    return app


def _add_pages(app: FastAPI, hub: Hub, pages: Pages) -> None:
    async def start_page(request: Request) -> Response:
        return _page(pages, request, "start.html")

    async def game_page(request: Request) -> Response:
        game_id = request.path_params["game_id"]
        await hub.open(game_id)
        return _page(pages, request, "game.html", game_id=game_id)

    app.add_route("/", start_page)
    app.add_route("/games/{game_id}", game_page)
    app.mount("/static", _StaticFiles(directory=pages.STATIC))


def _add_error_handlers(app: FastAPI, pages: Pages) -> None:
    def answer(
        request: Request, status: int, error: FormsError, headers: dict[str, str] | None = None
    ) -> Response:
        path = request.url.path
        if status == 404 and not path.startswith("/api/"):
            return _page(pages, request, "not_found.html", status=404)
        return error_response(path, status, error, headers, translate(request))

    def translate(request: Request) -> Callable[[str], str]:
        return pages.translations(_language(request.headers, pages.LANGUAGES)).gettext

    async def on_forms_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, FormsError)
        status = _STATUSES.get(error.code, 422)
        if isinstance(error, StorageError):
            _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
            status = 503
        return answer(request, status, error, {"Retry-After": "1"} if status == 503 else None)

    async def on_conflict(request: Request, error: Exception) -> Response:
        assert isinstance(error, ConflictError)
        game = game_model(error.snapshot).model_dump()
        return ErrorResponse(409, error.reason, translate=translate(request), game=game)

    async def on_invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        problems = [
            {"where": ".".join(map(str, problem["loc"])), "what": problem["msg"]}
            for problem in error.errors()[:_PROBLEMS]
        ]
        reason = "; ".join(f"{problem['where']}: {problem['what']}" for problem in problems)
        return answer(request, 422, GameError("request.invalid", reason=reason, problems=problems))

    async def on_http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == 404:
            return answer(request, 404, GameError("request.missing"))
        if error.status_code == 405:
            refusal = GameError("request.method", method=request.method)
            return answer(request, 405, refusal, dict(error.headers or {}))
        return answer(request, 422, GameError("request.invalid", reason=error.detail))

    app.add_exception_handler(FormsError, on_forms_error)
    app.add_exception_handler(ConflictError, on_conflict)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http_error)


def _page(
    pages: Pages, request: Request, template: str, *, status: int = 200, **context: object
) -> Response:
    language = _language(request.headers, pages.LANGUAGES)
    return HTMLResponse(
        pages.render(template, language, **context),
        status,
        headers={**_REVALIDATE, "Content-Language": language, "Vary": "Accept-Language"},
    )


def _language(headers: Headers, known: Sequence[str]) -> str:
    """Return the language that the browser likes best of those known, else the first."""
    wishes: list[tuple[float, str]] = []
    for wish in headers.get("accept-language", "")[:200].split(","):
        name, _, weight = wish.partition(";q=")
        try:
            wishes.append((float(weight or 1), name.strip().lower().split("-")[0]))
        except ValueError:
            continue
    wishes.sort(key=lambda wish: -wish[0])
    return next((name for weight, name in wishes if name in known and weight > 0), known[0])


class _StaticFiles(StaticFiles):
    """Static files whose tags come from what they hold: a time stamp may outlive an update."""

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response = FileResponse(
            full_path, status_code=status_code, stat_result=stat_result, headers=_REVALIDATE
        )
        response.headers["ETag"] = _tag(
            str(full_path), stat_result.st_mtime_ns, stat_result.st_size
        )
        del response.headers["Last-Modified"]
        if self.is_not_modified(response.headers, Headers(scope=scope)):
            return NotModifiedResponse(response.headers)
        return response


@lru_cache(maxsize=1024)
def _tag(path: str, _changed: int, _size: int) -> str:
    return f'"{hashlib.sha256(Path(path).read_bytes()).hexdigest()[:24]}"'
