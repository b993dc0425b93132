"""Games while they go on: the computer's thoughts, several processes, and sudden ends."""

from __future__ import annotations

import random
import signal
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from formsgame.server.api import game_model
from formsgame.server.hub import Snapshot
from formsgame.server.livegame import PERSON, Seat, new_game
from formsgame.server.storage import Storage
from serving import (
    DEAF,
    FAILING,
    LYING,
    PATIENCE,
    QUICK,
    SLOW,
    Game,
    Served,
    first_move,
    served,
    state,
    state_where,
    wait_for,
)

#: What an end may take on a busy machine; what it must not wait for takes a minute.
SOON = 5.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("data")) as server:
        server.wait_until_ready()
        yield server


def stored_game(folder: Path, white: Seat = PERSON) -> Game:
    """A game in a database that no server has opened yet."""
    with closing(Storage(folder / "games.sqlite3")) as storage:
        stored = storage.create(new_game("advanced", 4, PERSON, white), 0)
    game: Game = game_model(Snapshot(stored, thinking=False)).model_dump()
    return game


def test_undo_ends_the_thought_and_its_reply_never_lands(server: Served) -> None:
    """The slow mind answers as soon as it is stopped, so that its reply always comes too late."""
    game = server.new_game(white=SLOW)
    other = server.new_game()
    with server.live(game["id"]) as live:
        assert state(live) == game
        for _ in range(5):
            moved = server.move(game)
            assert moved["thinking"] is True
            assert state(live) == moved
            undone = server.post(f"games/{game['id']}/undo", {"ply": moved["ply"]})
            assert (undone["moves"], undone["thinking"]) == ([], False)
            assert state(live) == undone
            game = undone
        # The same moves again: a reply to the first time would fit, and must not land.
        moved = server.move(game)
        assert state(live) == moved
        with pytest.raises(TimeoutError):
            live.recv(timeout=0.3)
        assert server.get(f"games/{game['id']}") == moved
    assert server.get(f"games/{other['id']}") == other


def test_resigning_and_restarting_end_the_thought(server: Served) -> None:
    game = server.new_game(white=SLOW)
    with server.live(game["id"]) as live:
        moved = server.move(game)
        assert state_where(live, lambda game: game["thinking"]) == moved
        new = server.post(f"games/{game['id']}/restart")
        assert state(live) == {**moved, "thinking": False}
        assert (new["thinking"], new["ply"]) == (False, 0)
        # Who opens the old game sets the computer going again.
        assert server.get(f"games/{game['id']}")["thinking"] is True
        assert state(live) == moved
        resigned = server.post(f"games/{game['id']}/resign", {"ply": 1})
        assert (resigned["result"], resigned["thinking"]) == ("W+R", False)
        assert state(live) == resigned
        with pytest.raises(TimeoutError):
            live.recv(timeout=0.3)


@pytest.mark.parametrize("level", [FAILING, LYING])
def test_a_computer_that_fails_moves_all_the_same(server: Served, level: int) -> None:
    game = server.new_game(white=level)
    with server.live(game["id"]) as live:
        server.move(game)
        replied = state_where(live, lambda game: game["ply"] == 2)
        assert replied["thinking"] is False
    assert "the computer failed" in (server.folder / "server.log").read_text("utf-8")


def test_the_computer_plays_itself_while_somebody_watches(server: Served) -> None:
    game = server.new_game(black=QUICK, white=QUICK)
    assert server.get(f"games/{game['id']}")["thinking"] is False
    with server.live(game["id"]) as live:
        versions = [state(live)["version"]]
        while (seen := state(live))["status"] == "playing":
            versions.append(seen["version"])
    assert versions == sorted(versions)
    assert seen["thinking"] is False
    refused = server.post(f"games/{game['id']}/undo", {"ply": seen["ply"]}, status=409)
    assert refused["error"]["code"] == "game.no_person"


def test_many_thoughts_wait_for_each_other(server: Served) -> None:
    """There are few threads that think; all games get their replies, one after the other."""
    slow = [server.move(server.new_game(white=SLOW)) for _ in range(20)]
    quick = server.move(server.new_game(white=QUICK))
    assert server.get(f"games/{quick['id']}")["thinking"] is True
    for game in slow:
        server.post(f"games/{game['id']}/undo", {"ply": 1})
    # Thoughts that nobody waits for any more are stopped: each would take a minute.
    wait_for(partial(has_reply, server, quick["id"]), PATIENCE / 3)


@pytest.mark.parametrize(("level", "number"), [(SLOW, signal.SIGINT), (DEAF, signal.SIGTERM)])
def test_the_end_is_quick_and_clean(tmp_path: Path, level: int, number: int) -> None:
    """With watchers, an idle connection and a computer that thinks, whether or not it heeds."""
    with served(tmp_path) as server:
        server.wait_until_ready()
        game = server.new_game(white=level)
        with server.live(game["id"]) as one, server.live(game["id"]) as two:
            moved = server.move(game)
            assert state_where(one, lambda game: game["ply"] == 1) == moved
            undone = server.post(f"games/{game['id']}/undo", {"ply": 1})
            assert undone["thinking"] is False
            assert server.move(undone)["moves"] == moved["moves"]
            assert server.stop(number) < SOON
            for live in (one, two):
                with pytest.raises(ConnectionClosed) as caught:
                    state_where(live, lambda game: False)
                assert caught.value.rcvd
                assert caught.value.rcvd.code == 1012
    assert (tmp_path / "server.log").read_text("utf-8") == ""


def test_a_thought_is_taken_up_again_after_a_sudden_end(tmp_path: Path) -> None:
    """The engine itself is killed in thought; the game is there before the rules are ready."""
    with served(tmp_path, engine=True) as server:
        server.wait_until_ready()
        game = server.move(server.new_game(white=5, size="18x18"))
        server.kill()
    with served(tmp_path, engine=True) as server:
        with server.live(game["id"]) as live:
            assert state(live) == game
            replied = state_where(live, lambda game: not game["thinking"])
        assert replied["moves"][:1] == game["moves"]
        assert (replied["ply"], replied["version"]) == (2, game["version"] + 1)
        server.kill()
    with closing(Storage(tmp_path / "games.sqlite3")) as storage:
        (stored,) = storage.recent(10)
        assert game_model(Snapshot(stored, thinking=False)).model_dump() == replied


def play(server: Served, states: list[Game]) -> None:
    """Play on, now and then taking back, until the server is gone; note every answer."""
    with httpx.Client(base_url=server.address, timeout=PATIENCE) as client:
        while states[-1]["status"] == "playing":
            path = f"/api/v1/games/{states[-1]['id']}"
            body = {"ply": states[-1]["ply"]}
            try:
                if len(states) % 5 == 4:
                    response = client.post(f"{path}/undo", json=body)
                else:
                    move = first_move(states[-1])
                    response = client.post(f"{path}/moves", json={**body, "move": move})
            except httpx.TransportError:
                return
            states.append(response.json())


def goes_on(games: list[list[Game]]) -> bool:
    return max(map(len, games)) > 5


def test_what_was_acknowledged_is_there_after_kill(tmp_path: Path) -> None:
    """A server that is killed at random while many play keeps every change it confirmed."""
    rng = random.Random(1)
    played: dict[str, list[Game]] = {}
    for _ in range(4):
        with served(tmp_path) as server:
            for game_id, states in played.items():
                found, last = server.get(f"games/{game_id}"), states[-1]
                # One change more may have been written than was confirmed, never one less.
                assert found["version"] - last["version"] in (0, 1)
                assert found == last or found["version"] == last["version"] + 1
                states.append(found)
            server.wait_until_ready()
            new = [[server.new_game(size="8x8")] for _ in range(4)]
            played |= {states[0]["id"]: states for states in new}
            with ThreadPoolExecutor(8) as players:
                games = [players.submit(play, server, states) for states in played.values()]
                wait_for(partial(goes_on, new))
                time.sleep(rng.random() * 0.2)
                server.kill()
                for game in games:
                    game.result(PATIENCE)


def has_reply(server: Served, game_id: str) -> bool:
    return bool(server.get(f"games/{game_id}")["ply"] == 2)


def test_two_servers_share_the_games(tmp_path: Path) -> None:
    """Players at two processes over one database see each other and lose nothing."""
    with served(tmp_path) as one, served(tmp_path) as two:
        for server in (one, two):
            server.wait_until_ready()
        game = one.new_game()
        with one.live(game["id"]) as live_one, two.live(game["id"]) as live_two:
            assert state(live_one) == state(live_two) == game
            moved = one.move(game)
            # Seen by who watches at the other process, and told to who did not look.
            assert state(live_two) == moved
            assert two.move(game, status=409)["game"] == moved
            again = two.move(moved)
            assert state_where(live_one, lambda game: game["ply"] == 2) == again
        # For one ply one move is made, whoever asks where.
        with ThreadPoolExecutor(16) as threads:
            answers = threads.map(
                lambda number: (one, two)[number % 2].client.post(
                    f"/api/v1/games/{game['id']}/moves",
                    json={"move": first_move(again), "ply": 2},
                ),
                range(16),
            )
            assert sorted(answer.status_code for answer in answers) == [200] + [409] * 15
        assert one.get(f"games/{game['id']}") == two.get(f"games/{game['id']}")
        # Both may think about one game; one reply counts.
        for _ in range(5):
            game = one.new_game(white=QUICK)
            one.move(game)
            two.get(f"games/{game['id']}")
            wait_for(partial(has_reply, two, game["id"]))
            found = one.get(f"games/{game['id']}")
            assert (found["version"], found["ply"]) == (3, 2)
            assert found == two.get(f"games/{game['id']}")


def test_pages_are_there_while_the_rules_are_prepared(tmp_path: Path) -> None:
    game = stored_game(tmp_path)
    with served(tmp_path, warm_up="endless") as server:
        wait_for(lambda: server.get("ready")["total"])
        assert server.get("ready") == {"ready": False, "done": 3, "total": 10, "error": None}
        for path in ("/", f"/games/{game['id']}", "/static/rules.js"):
            assert server.client.get(path).status_code == 200
        assert server.get(f"games/{game['id']}") == game
        assert server.get("games")["games"]
        with server.live(game["id"]) as live:
            assert state(live) == game
        begun = time.monotonic()
        response = server.client.post(
            f"/api/v1/games/{game['id']}/moves", json={"move": first_move(game), "ply": 0}
        )
        assert 0.9 < time.monotonic() - begun < SOON
        assert response.status_code == 503
        assert response.headers["retry-after"] == "1"
        assert response.json()["error"]["code"] == "not-ready"
        # The end does not wait for the preparation either.
        assert server.stop(signal.SIGINT) < SOON


def test_rules_that_can_not_be_prepared_are_told(tmp_path: Path) -> None:
    game = stored_game(tmp_path, white=Seat(QUICK))
    with served(tmp_path, warm_up="broken") as server:
        wait_for(lambda: server.get("ready")["error"])
        assert server.get("ready")["error"] == "OSError: no room"
        refused = server.post("games", {"rules": "standard", "size": 4}, status=503)
        assert refused["error"]["code"] == "not-prepared"
        assert refused["error"]["message"].endswith("OSError: no room")
        assert server.get(f"games/{game['id']}") == game
    assert "Traceback" in (tmp_path / "server.log").read_text("utf-8")


def test_a_database_that_breaks_while_it_runs_is_told(tmp_path: Path) -> None:
    game = stored_game(tmp_path)
    with served(tmp_path) as server:
        with closing(sqlite3.connect(tmp_path / "games.sqlite3")) as database:
            database.execute("DROP TABLE games")
        response = server.client.get(f"/api/v1/games/{game['id']}")
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "storage.failed"
        with server.live(game["id"]) as live, pytest.raises(ConnectionClosed) as caught:
            live.recv(timeout=PATIENCE)
        assert caught.value.rcvd
        assert caught.value.rcvd.code == 1011
        page = server.client.get(f"/games/{game['id']}")
        assert page.status_code == 503
        assert page.headers["content-type"] == "text/plain; charset=utf-8"
    assert "Traceback" in (tmp_path / "server.log").read_text("utf-8")
