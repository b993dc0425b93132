"""Measures how quickly the server answers while the computer thinks in several games.

    python bench/latency.py --games 4 --seconds 60

Starts the server as a user does, with a data folder of its own. In each game somebody moves as soon
as they may, so that the computer thinks at its highest level nearly all the time. Meanwhile pages,
games and static files are asked for one after the other, as one browser does. Prints percentiles
in milliseconds; exits with 1 if the 99th is not under 100.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

import httpx

from formsgame.engine.levels import LEVELS
from formsgame.position import Position

#: Milliseconds that 99 of 100 answers must not take.
BOUND = 100.0
#: Seconds between two requests of the one who looks at pages.
PAUSE = 0.02


def start(folder: str) -> tuple[subprocess.Popen[str], str]:
    """Start the server; returns it and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "formsgame", "serve", "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "FORMSGAME_DATA": folder, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout
    for line in process.stdout:
        if found := re.search(r"http://[\d.]+:\d+", line):
            return process, found[0]
    raise SystemExit("the server did not start")


class Player(threading.Thread):
    """Plays a game after the other against the computer, as fast as it replies."""

    def __init__(self, address: str, number: int, size: int, ended: threading.Event) -> None:
        super().__init__(daemon=True)
        self.client = httpx.Client(base_url=f"{address}/api/v1", timeout=60, trust_env=False)
        self.chance = random.Random(number)
        self.rules = ("standard", "advanced")[number % 2]
        self.size = size
        self.ended = ended
        self.game: dict[str, Any] = {}
        self.moves: list[float] = []

    def run(self) -> None:
        """Play until all is measured."""
        while not self.ended.is_set():
            computer = {"kind": "computer", "level": max(LEVELS)}
            body = {"rules": self.rules, "size": f"{self.size}x{self.size}", "black": computer}
            self.game = self.post("/games", {**body, "white": {"kind": "person"}})
            while self.game["status"] == "playing" and not self.ended.is_set():
                if self.game["side"] == "o":
                    self.move()
                else:
                    time.sleep(0.05)
                    self.game = self.client.get(f"/games/{self.game['id']}").json()

    def move(self) -> None:
        """Make a random move."""
        moves = Position.parse(self.game["position"]).legal_moves
        move = str(moves[self.chance.randrange(len(moves))])
        begin = time.perf_counter()
        self.game = self.post(
            f"/games/{self.game['id']}/moves", {"move": move, "ply": self.game["ply"]}
        )
        self.moves.append(1000 * (time.perf_counter() - begin))

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the game that comes back."""
        answer = self.client.post(path, json=body)
        answer.raise_for_status()
        game: dict[str, Any] = answer.json()
        return game


def tell(name: str, times: list[float]) -> float:
    """Print percentiles of some times; returns the 99th."""
    times = sorted(times)
    at = {part: times[min(len(times) - 1, int(part / 100 * len(times)))] for part in (50, 90, 99)}
    print(
        f"{name:22} {len(times):6}  median {at[50]:7.1f}  90 % {at[90]:7.1f}  99 % {at[99]:7.1f}"
        f"  longest {times[-1]:7.1f}"
    )
    return at[99]


def main() -> int:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=4, help="games in which the computer thinks")
    parser.add_argument("--size", type=int, default=18)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        process, address = start(folder)
        try:
            return measure(address, options)
        finally:
            process.terminate()
            process.wait(60)


def measure(address: str, options: argparse.Namespace) -> int:
    """Have games played and ask for pages meanwhile."""
    client = httpx.Client(base_url=address, timeout=60, trust_env=False)
    while not client.get("/api/v1/ready").json()["ready"]:
        time.sleep(0.1)
    ended = threading.Event()
    players = [Player(address, number, options.size, ended) for number in range(options.games)]
    for player in players:
        player.start()
    while not all(player.game for player in players):
        time.sleep(0.05)
    times: dict[str, list[float]] = {}
    thinking = asked = 0
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        some = players[asked % len(players)].game["id"]
        for name, path in (
            ("start page", "/"),
            ("game page", f"/games/{some}"),
            ("game", f"/api/v1/games/{some}"),
            ("games", "/api/v1/games"),
            ("script", "/static/game.js"),
        ):
            begin = time.perf_counter()
            answer = client.get(path)
            times.setdefault(name, []).append(1000 * (time.perf_counter() - begin))
            answer.raise_for_status()
            if name == "game":
                asked += 1
                thinking += bool(answer.json()["thinking"])
            time.sleep(PAUSE)
    ended.set()
    print(
        f"{options.games} games on {options.size} x {options.size}, load {os.getloadavg()[0]:.1f};"
    )
    print(f"the computer was thinking in {100 * thinking / asked:.0f} % of the games looked at")
    for name, found in times.items():
        tell(name, found)
    tell("move", [each for player in players for each in player.moves])
    worst = tell("all that was asked for", [each for found in times.values() for each in found])
    return 0 if worst < BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
