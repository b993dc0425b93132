"""The HTTP interface for games, under `/api/v1`."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, WebSocket
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.websockets import WebSocketDisconnect

from formsgame import __version__
from formsgame.errors import StorageError
from formsgame.rules import BLACK, MAX_SIDE, WHITE
from formsgame.server.contest import Play, Resign, TakeBack
from formsgame.server.hub import Hub, Snapshot, Watcher
from formsgame.server.livegame import LEVELS, PERSON, Seat
from formsgame.server.readiness import Readiness
from formsgame.server.refusals import GameError

#: How a WebSocket is closed if there is no such game, and if the server fails.
CLOSE_MISSING = 4404
CLOSE_FAILED = 1011

#: More plies than any game can have: a move removes a stone.
_PLY_LIMIT = MAX_SIDE * MAX_SIDE

_log = logging.getLogger(__name__)

Symbol = Literal["x", "o"]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PersonSeat(_Request):
    """A person plays."""

    kind: Literal["person"]


class ComputerSeat(_Request):
    """The computer plays at a level."""

    kind: Literal["computer"]
    level: int = Field(ge=LEVELS.start, lt=LEVELS.stop)


AnySeat = Annotated[PersonSeat | ComputerSeat, Field(discriminator="kind")]


class NewGame(_Request):
    """Settings of a game. `rules` and `size` may be left out where a position is given."""

    rules: Literal["standard", "advanced"] | None = None
    size: Annotated[str, Field(max_length=32)] | int | None = Field(
        None, examples=["8x8"], description="rows x columns"
    )
    black: AnySeat = PersonSeat(kind="person")
    white: AnySeat = PersonSeat(kind="person")
    position: str | None = Field(None, description="start position; null for the rules' own")


class PlyRequest(_Request):
    """A request about the game after as many plies as the sender has seen."""

    ply: int = Field(ge=0, lt=_PLY_LIMIT)


class MoveRequest(PlyRequest):
    """A move."""

    move: str = Field(examples=["e4-e2"])


class SeatModel(BaseModel):
    """Who plays a color; `level` is null for a person."""

    kind: Literal["person", "computer"]
    level: int | None


class StonesModel(BaseModel):
    """Number of stones left."""

    x: int
    o: int


class GameSummary(BaseModel):
    """A game without its moves. `version` grows by one with every change."""

    id: str
    version: int
    rules: Literal["standard", "advanced"]
    size: str
    rows: int
    columns: int
    position: str
    side: Symbol
    ply: int
    stones: StonesModel
    status: Literal["playing", "finished"]
    result: Literal["*", "B+", "W+", "B+R", "W+R"]
    winner: Symbol | None
    black: SeatModel
    white: SeatModel
    thinking: bool
    created: str
    updated: str


class GameModel(GameSummary):
    """A game."""

    start: str
    moves: list[str]


class GameList(BaseModel):
    """Games, newest first; `more` tells whether there are older ones."""

    games: list[GameSummary]
    more: bool


class AboutModel(BaseModel):
    """What answers here; `home` tells the data folders of this computer's users apart."""

    name: Literal["formsgame"]
    version: str
    home: str


class ReadyModel(BaseModel):
    """How far the one-off preparation of the rules is."""

    ready: bool
    done: int
    total: int
    error: str | None


class ErrorDetail(BaseModel):
    """An error: a stable code, an English sentence, the values that belong to it."""

    code: str
    message: str
    data: dict[str, Any]


class ErrorModel(BaseModel):
    """The form of every error."""

    error: ErrorDetail


class ConflictModel(ErrorModel):
    """A request that the game as it stands refuses, and the game."""

    game: GameModel


def game_summary(snapshot: Snapshot) -> GameSummary:
    """Return a game without its moves, as JSON shows it."""
    return GameSummary(**_summary(snapshot))


def game_model(snapshot: Snapshot) -> GameModel:
    """Return a game as JSON shows it."""
    game = snapshot.stored.game
    return GameModel(**_summary(snapshot), start=game.start, moves=list(game.moves))


def _summary(snapshot: Snapshot) -> dict[str, Any]:
    stored = snapshot.stored
    game = stored.game
    rows, columns = game.size.split("x")
    stones = game.stones
    winner = game.winner
    return {
        "id": stored.id,
        "version": stored.version,
        "rules": game.rules,
        "size": game.size,
        "rows": int(rows),
        "columns": int(columns),
        "position": game.position,
        "side": game.side_to_move.symbol,
        "ply": game.ply,
        "stones": StonesModel(x=stones[BLACK], o=stones[WHITE]),
        "status": "finished" if winner else "playing",
        "result": game.result,
        "winner": winner.symbol if winner else None,
        "black": _seat_model(game.black),
        "white": _seat_model(game.white),
        "thinking": snapshot.thinking,
        "created": _iso(stored.created),
        "updated": _iso(stored.updated),
    }


def _seat_model(seat: Seat) -> SeatModel:
    return SeatModel(kind="computer" if seat.is_computer else "person", level=seat.level)


def _seat(model: PersonSeat | ComputerSeat) -> Seat:
    return Seat(model.level) if isinstance(model, ComputerSeat) else PERSON


def _iso(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def make_router(hub: Hub, readiness: Readiness, home: str) -> APIRouter:
    """Return the routes of the interface over a hub."""
    missing: dict[int | str, dict[str, Any]] = {404: {"model": ErrorModel}}
    invalid: dict[int | str, dict[str, Any]] = {422: {"model": ErrorModel}}
    preparing: dict[int | str, dict[str, Any]] = {503: {"model": ErrorModel}}
    changing = {**missing, 409: {"model": ConflictModel}, **invalid, **preparing}
    router = APIRouter(prefix="/api/v1")

    @router.get("/about")
    async def about() -> AboutModel:
        """Tell that Forms answers here."""
        return AboutModel(name="formsgame", version=__version__, home=home)

    @router.get("/ready")
    async def ready() -> ReadyModel:
        """Tell how far the one-off preparation of the rules is."""
        progress = readiness.progress
        return ReadyModel(
            ready=progress.ready, done=progress.done, total=progress.total, error=progress.error
        )

    @router.post("/games", status_code=201, responses=invalid | preparing)
    async def create(settings: NewGame) -> GameModel:
        """Start a game."""
        return game_model(
            await hub.create(
                settings.rules,
                settings.size,
                _seat(settings.black),
                _seat(settings.white),
                settings.position,
            )
        )

    @router.get("/games", responses=missing | invalid)
    async def recent(
        limit: Annotated[int, Query(ge=1, le=500)] = 100, before: str | None = None
    ) -> GameList:
        """List games, newest first; `before` is the id of the game after which to go on."""
        found = await hub.recent(limit + 1, before)
        return GameList(games=[game_summary(one) for one in found[:limit]], more=len(found) > limit)

    @router.get("/games/{game_id}", responses=missing)
    async def read(game_id: str) -> GameModel:
        """Return a game."""
        return game_model(await hub.open(game_id))

    @router.get(
        "/games/{game_id}/record", responses=missing | preparing, response_class=PlainTextResponse
    )
    async def record(game_id: str) -> PlainTextResponse:
        """Return a game's record, as a file to keep."""
        text = await hub.record(game_id)
        disposition = f'attachment; filename="forms-{game_id}.pgn"'
        return PlainTextResponse(text, headers={"Content-Disposition": disposition})

    @router.post("/games/{game_id}/moves", responses=changing)
    async def move(game_id: str, request: MoveRequest) -> GameModel:
        """Make a person's move."""
        return game_model(await hub.apply(game_id, Play(request.move), request.ply))

    @router.post("/games/{game_id}/undo", responses=changing)
    async def undo(game_id: str, request: PlyRequest) -> GameModel:
        """Take back a ply; against the computer, back to the person's last turn."""
        return game_model(await hub.apply(game_id, TakeBack(), request.ply))

    @router.post("/games/{game_id}/resign", responses=changing)
    async def resign(game_id: str, request: PlyRequest) -> GameModel:
        """Give up for the person who plays the computer, else for the side to move."""
        return game_model(await hub.apply(game_id, Resign(), request.ply))

    @router.post("/games/{game_id}/restart", status_code=201, responses=missing)
    async def restart(game_id: str) -> GameModel:
        """Start a new game with the same settings; the old one is kept."""
        return game_model(await hub.restart(game_id))

    @router.websocket("/games/{game_id}/live")
    async def live(websocket: WebSocket, game_id: str) -> None:
        await websocket.accept()
        try:
            async with hub.watch(game_id) as watcher:
                await _follow(websocket, watcher)
        except GameError as error:
            await websocket.close(CLOSE_MISSING, error.code)
        except StorageError as error:
            _log.error("a watcher of game %s was left alone", game_id, exc_info=error)
            await websocket.close(CLOSE_FAILED, error.code)

    return router


async def _follow(websocket: WebSocket, watcher: Watcher) -> None:
    """Send the states of a game until the other side leaves; what it says is passed over."""

    async def send() -> None:
        while True:
            snapshot = await watcher.next()
            await websocket.send_text(game_model(snapshot).model_dump_json())

    sending = asyncio.create_task(send())
    receiving = asyncio.create_task(_receive_all(websocket))
    try:
        await asyncio.wait({sending, receiving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sending, receiving):
            task.cancel()
        for task in (sending, receiving):
            with suppress(asyncio.CancelledError, WebSocketDisconnect):
                await task


async def _receive_all(websocket: WebSocket) -> None:
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass
