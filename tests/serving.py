"""Real server processes for tests, with parts that can be swapped for slow or broken ones.

Run as a program, this file is the server; imported, it starts and ends such programs.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

import httpx
from websockets.sync.client import ClientConnection, connect

SOURCE = Path(__file__).parents[1] / "src"

#: How long anything may take that should take a moment.
PATIENCE = 60.0

Game = dict[str, Any]


class Thought(NamedTuple):
    """What a stand-in for the engine answers."""

    move: Any


class QuickMind:
    """Stands for the engine: plays the last legal move at once."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pass

    def think(self, position: Any, limit: object) -> Thought:
        return Thought(position.legal_moves[-1])

    def stop(self) -> None:
        pass


class SlowMind(QuickMind):
    """Thinks until it is stopped, then answers all the same."""

    def __init__(self) -> None:
        self._stopped = threading.Event()

    def think(self, position: Any, limit: object) -> Thought:
        self._stopped.wait(PATIENCE)
        return super().think(position, limit)

    def stop(self) -> None:
        self._stopped.set()


class DeafMind(QuickMind):
    """Thinks for long and can't be stopped."""

    def think(self, position: Any, limit: object) -> Thought:
        time.sleep(PATIENCE)
        return super().think(position, limit)


class FailingMind(QuickMind):
    """Fails."""

    def think(self, position: Any, limit: object) -> Thought:
        raise RuntimeError("no idea")


class LyingMind(QuickMind):
    """Answers with a move that is illegal."""

    def think(self, position: Any, limit: object) -> Thought:
        return Thought("a1-a1")


#: The stand-ins by the level that a test asks for.
QUICK, SLOW, DEAF, FAILING, LYING = range(1, 6)

MINDS: dict[int, Callable[[], QuickMind]] = {
    QUICK: QuickMind,
    SLOW: SlowMind,
    DEAF: DeafMind,
    FAILING: FailingMind,
    LYING: LyingMind,
}

WarmUpName = Literal["real", "endless", "broken"]


def warm_up_endlessly(report: Callable[[int, int], None]) -> None:
    report(3, 10)
    time.sleep(PATIENCE)


def warm_up_badly(report: Callable[[int, int], None]) -> None:
    raise OSError("no room")


def main() -> int:
    """Run the server as `formsgame` does, with the parts that the arguments name."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("--engine", action="store_true")
    parser.add_argument("--warm-up", default="real")
    given = parser.parse_args()

    from formsgame import web
    from formsgame.server import serve

    parts: dict[str, Any] = {}
    if not given.engine:
        parts["make_mind"] = lambda level: MINDS[level]()
    if given.warm_up != "real":
        parts["warm_up"] = warm_up_endlessly if given.warm_up == "endless" else warm_up_badly
    if parts:
        # Slow to import, which must not keep a second start from finding the first.
        original = serve._serve

        def serve_with_parts(*args: Any) -> None:
            from formsgame.server import app

            made = app.create_app
            vars(app)["create_app"] = lambda *given, **named: made(*given, **(named | parts))
            original(*args)

        vars(serve)["_serve"] = serve_with_parts
    return serve.run(web, given.port, open_browser=given.browser)


def start(
    folder: Path,
    *,
    port: int | None = 0,
    engine: bool = False,
    warm_up: WarmUpName = "real",
    browser: bool = False,
    **environment: str,
) -> subprocess.Popen[str]:
    """Start a server process on a data folder; without the engine, with its stand-ins."""
    command = [sys.executable, __file__, "--warm-up", warm_up]
    if engine:
        command += ["--engine"]
    if port is not None:
        command += ["--port", str(port)]
    if browser:
        command += ["--browser"]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "FORMSGAME_DATA": str(folder),
            **environment,
        },
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for the end of a process; return status, output and error output."""
    assert process.stdout
    assert process.stderr
    if process.stdout.closed:
        return process.wait(PATIENCE), "", ""
    with process.stdout, process.stderr:
        output, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, output, errors


class Served:
    """A server that runs, and a client for it."""

    def __init__(self, process: subprocess.Popen[str], address: str, folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.address = address
        self.client = httpx.Client(base_url=address, timeout=PATIENCE, trust_env=False)

    @property
    def host(self) -> str:
        return self.address.split("/")[2]

    @property
    def port(self) -> int:
        return int(self.host.split(":")[1])

    def kill(self) -> None:
        """End it without warning."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self, number: int = signal.SIGTERM) -> float:
        """End it, which must go well; return how long that took."""
        begun = time.monotonic()
        self.process.send_signal(number)
        status, output, errors = finish(self.process)
        assert (status, output, errors) == (0, "", "")
        return time.monotonic() - begun

    def wait_until_ready(self) -> None:
        wait_for(lambda: self.client.get("/api/v1/ready").json()["ready"])

    def get(self, path: str) -> Any:
        response = self.client.get(f"/api/v1/{path}")
        response.raise_for_status()
        return response.json()

    def post(self, path: str, body: object = None, status: int | None = None) -> Any:
        response = self.client.post(f"/api/v1/{path}", json=body)
        if status is None:
            response.raise_for_status()
        else:
            assert response.status_code == status, response.text
        return response.json()

    def new_game(self, black: int | None = None, white: int | None = None, **more: object) -> Game:
        """Start a 4 x 4 game; a level stands for the computer."""
        seats = {
            name: {"kind": "person"} if level is None else {"kind": "computer", "level": level}
            for name, level in (("black", black), ("white", white))
        }
        game: Game = self.post("games", {"rules": "advanced", "size": "4x4", **seats, **more})
        return game

    def move(self, game: Game, move: str | None = None, status: int | None = None) -> Any:
        """Make a move in a game as it is known, the first legal one unless it is given."""
        return self.post(
            f"games/{game['id']}/moves",
            {"move": move or first_move(game), "ply": game["ply"]},
            status,
        )

    @contextmanager
    def live(self, game_id: str, **headers: str) -> Iterator[ClientConnection]:
        with connect(
            f"ws://{self.host}/api/v1/games/{game_id}/live",
            additional_headers=headers,
            open_timeout=PATIENCE,
            proxy=None,
        ) as connection:
            yield connection


def state(connection: ClientConnection) -> Game:
    """The next state that a watched game is told to be in."""
    game: Game = json.loads(connection.recv(timeout=PATIENCE))
    return game


def state_where(connection: ClientConnection, fits: Callable[[Game], bool]) -> Game:
    """The next state of a watched game that fits."""
    while True:
        game = state(connection)
        if fits(game):
            return game


def first_move(game: Game) -> str:
    from formsgame.position import Position

    return str(Position.parse(game["position"]).legal_moves[0])


def wait_for(true: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until something is true."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


@contextmanager
def served(
    folder: Path,
    *,
    engine: bool = False,
    warm_up: WarmUpName = "real",
    port: int | None = 0,
) -> Iterator[Served]:
    """Run a server for a while; it must end well, unless it was killed."""
    process = start(folder, engine=engine, warm_up=warm_up, port=port)
    try:
        assert process.stdout
        line = process.stdout.readline()
        assert "Forms is at http://127.0.0.1:" in line, line + process.communicate()[1]
        address = line.split("Forms is at ")[1].split()[0].rstrip("/")
        server = Served(process, address, folder)
        with server.client:
            yield server
        if process.poll() is None:
            server.stop()
    finally:
        process.kill()
        finish(process)


if __name__ == "__main__":
    sys.exit(main())
