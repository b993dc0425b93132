"""Servers for tests: one in this process whose computer obeys the test, and the real one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import uvicorn
from fastapi import FastAPI

from formsgame import web
from formsgame.limit import Limit
from formsgame.server.app import create_app
from formsgame.server.readiness import WarmUp

START_SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A server that runs, and its games by its own interface."""

    address: str

    def request(self, path: str, body: Mapping[str, object] | None = None) -> Any:
        """Send a request (POST where there is a body) and return the answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.address}/api/v1{path}", data, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=20) as response:
            return json.load(response)

    def wait_until_ready(self) -> None:
        """Wait until the rules are compiled, which the first start ever takes time for."""
        while not (state := self.request("/ready"))["ready"]:
            assert state["error"] is None, state["error"]
            time.sleep(0.1)

    def new_game(
        self,
        rules: str = "advanced",
        size: str = "4x4",
        *,
        black: int | None = None,
        white: int | None = None,
        position: str | None = None,
        moves: str = "",
    ) -> str:
        """Make a game and return its id; a color with a level is the computer's."""
        seats = [
            {"kind": "person"} if level is None else {"kind": "computer", "level": level}
            for level in (black, white)
        ]
        settings: dict[str, object] = {
            "black": seats[0],
            "white": seats[1],
            "position": position,
        }
        if position is None:
            settings |= {"rules": rules, "size": size}
        game = self.request("/games", settings)
        for ply, move in enumerate(moves.split()):
            self.request(f"/games/{game['id']}/moves", {"move": move, "ply": ply})
        return str(game["id"])

    def game(self, game_id: str) -> Any:
        """Return a game."""
        return self.request(f"/games/{game_id}")

    def moves(self, game_id: str) -> list[str]:
        """Return the moves of a game."""
        moves: list[str] = self.game(game_id)["moves"]
        return moves


class Mind:
    """A computer that plays its first legal move, when it may.

    While `gate` is not set it thinks.
    """

    gate = threading.Event()
    gate.set()

    def __init__(self) -> None:
        self._stopped = threading.Event()

    def think(self, position: Any, limit: Limit) -> Any:
        while not (self.gate.wait(0.02) or self._stopped.is_set()):
            pass
        return SimpleNamespace(move=position.legal_moves[0])

    def stop(self) -> None:
        self._stopped.set()


@contextmanager
def make_mind(level: int) -> Iterator[Mind]:
    yield Mind()


@contextmanager
def serve_app(folder: Path, warm_up: WarmUp | None = None) -> Iterator[Server]:
    """Serve the application from a thread of this process."""
    minds: Callable[[int], AbstractContextManager[Mind]] = make_mind
    options: dict[str, Any] = {} if warm_up is None else {"warm_up": warm_up}
    app = create_app(folder / "games.sqlite3", web, make_mind=minds, **options)
    _start_with_the_server(app)
    config = uvicorn.Config(app, port=0, log_level="warning", ws="websockets-sansio")
    config.load()
    runner = uvicorn.Server(config)
    thread = threading.Thread(target=runner.run, daemon=True)
    thread.start()
    while not runner.started:
        thread.join(0.01)
        assert thread.is_alive(), "the server did not start"
    port = runner.servers[0].sockets[0].getsockname()[1]
    server = Server(f"http://127.0.0.1:{port}")
    if warm_up is None:
        server.wait_until_ready()
    yield server
    runner.should_exit = True
    thread.join(START_SECONDS)


def _start_with_the_server(app: FastAPI) -> None:
    """Have the rules prepared as soon as the server runs, as the real one does."""
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> Any:
        async with inner(app):
            app.state.readiness.start()
            yield

    app.router.lifespan_context = lifespan


@contextmanager
def run_server(folder: Path) -> Iterator[Server]:
    """Run the server as a user does, with a data folder of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "formsgame", "serve", "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "FORMSGAME_DATA": str(folder), "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    address = None
    for line in process.stdout:
        address = re.search(r"http://[\d.]+:\d+", line)
        if address:
            break
    assert address, "the server did not say where it is"
    server = Server(address[0])
    server.wait_until_ready()
    yield server
    process.terminate()
    process.wait(START_SECONDS)
    process.stdout.close()
