"""The HTTP interface of a real server: games, conflicts, refusals, and who may ask."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed, InvalidStatus

from formsgame import __version__
from formsgame.position import Position
from formsgame.record import Game as Record
from formsgame.server.guard import BODY_LIMIT
from serving import Game, Served, served, state, state_where


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("data"), engine=True) as server:
        server.wait_until_ready()
        yield server


@pytest.fixture
def game(server: Served) -> Game:
    return server.new_game()


def error_of(response: httpx.Response, status: int) -> dict[str, Any]:
    """The error in a response, whose form is checked."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    error: dict[str, Any] = response.json()["error"]
    assert set(error) == {"code", "message", "data"}
    assert error["message"]
    assert "\n" not in error["message"]
    assert "Traceback" not in response.text
    return error


def code_of(response: httpx.Response, status: int) -> str:
    return str(error_of(response, status)["code"])


# Games


def test_it_says_what_it_is(server: Served) -> None:
    about = server.get("about")
    assert (about["name"], about["version"]) == ("formsgame", __version__)
    assert server.get("ready") == {**server.get("ready"), "ready": True, "error": None}


@pytest.mark.parametrize("rules", ["standard", "advanced"])
@pytest.mark.parametrize("size", ["8x8", "12x12", "18x18", "4x6", 8])
def test_a_new_game_is_what_was_asked_for(server: Served, rules: str, size: str | int) -> None:
    body = {
        "rules": rules,
        "size": size,
        "black": {"kind": "person"},
        "white": {"kind": "computer", "level": 3},
        "position": None,
    }
    game = server.post("games", body, status=201)
    start = Position.initial(rules, size)
    assert game == {
        "id": game["id"],
        "version": 1,
        "rules": rules,
        "size": str(start.size),
        "rows": start.rows,
        "columns": start.columns,
        "start": str(start),
        "moves": [],
        "position": str(start),
        "side": "x",
        "ply": 0,
        "stones": {"x": start.rows * start.columns // 2, "o": start.rows * start.columns // 2},
        "status": "playing",
        "result": "*",
        "winner": None,
        "black": {"kind": "person", "level": None},
        "white": {"kind": "computer", "level": 3},
        "thinking": False,
        "created": game["created"],
        "updated": game["created"],
    }
    assert server.get(f"games/{game['id']}") == game


def test_a_game_goes_on_from_a_position(server: Served) -> None:
    text = "2xo/1xx1 o advanced"
    game = server.post("games", {"position": text}, status=201)
    assert (game["start"], game["side"], game["size"]) == (text, "o", "2x4")
    refused = server.post("games", {"position": text, "size": "8x8"}, status=422)
    assert refused["error"]["code"] == "game.setting"
    assert server.post("games", {"position": "x2o x advanced"}, status=422)["error"]["data"] == {
        "defects": [
            {
                "code": "setup.disconnected",
                "message": "the stones make 2 forms instead of one (separate ones at a1, d1)",
                "data": {"forms": 2, "cells": "a1, d1"},
            }
        ]
    }


def test_a_game_against_the_computer_to_its_end(server: Served) -> None:
    game = server.new_game(white=2)
    with server.live(game["id"]) as live:
        assert state(live) == game
        while game["status"] == "playing":
            assert game["side"] == "x"
            answer = server.move(game)
            assert answer["version"] == game["version"] + 1
            assert answer["ply"] == game["ply"] + 1
            assert answer["thinking"] is (answer["status"] == "playing")
            seen = state_where(live, lambda game: not game["thinking"])
            assert seen["version"] == answer["version"] + (answer["status"] == "playing")
            game = seen
    assert game == server.get(f"games/{game['id']}")
    # Whoever has no stones left has won, and it is never who moved last.
    position = Position.parse(game["start"])
    for move in game["moves"]:
        mover = position.side_to_move
        position = position.play(move)
    assert position.winner
    assert position.winner is not mover
    assert game["winner"] == position.winner.symbol
    assert game["result"] == f"{position.winner.title[0]}+"
    assert game["stones"][game["winner"]] == 0


def test_a_stale_client_is_refused_and_told(server: Served, game: Game) -> None:
    now = server.move(game)
    for name, more in (("moves", {"move": "a1-a2"}), ("undo", {}), ("resign", {})):
        refused = server.post(f"games/{game['id']}/{name}", {"ply": 0, **more}, status=409)
        assert refused["error"]["code"] == "game.stale"
        assert refused["error"]["data"] == {"known": 0, "found": 1}
        assert refused["game"] == now


def test_an_illegal_move_changes_nothing(server: Served, game: Game) -> None:
    for move, code in (
        ("a1-a1", "move.not_yours"),
        ("a4-a2", "move."),
        ("z9-a1", "move.off_board"),
        ("", "move.syntax"),
        ("x" * 1000, "text.length"),
    ):
        refused = server.move(game, move or " ", status=422)
        assert refused["error"]["code"].startswith(code)
    assert server.get(f"games/{game['id']}") == game


def test_of_fifty_posts_for_one_ply_one_is_made(server: Served, game: Game) -> None:
    moves = [str(move) for move in Position.parse(game["position"]).legal_moves]
    with ThreadPoolExecutor(50) as threads, httpx.Client(base_url=server.address) as client:
        answers = list(
            threads.map(
                lambda number: client.post(
                    f"/api/v1/games/{game['id']}/moves",
                    json={"move": moves[number % len(moves)], "ply": 0},
                ),
                range(50),
            )
        )
    made = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(made) == 1
    assert server.get(f"games/{game['id']}") == made[0]
    for answer in answers:
        if answer.status_code != 200:
            assert code_of(answer, 409) == "game.stale"
            assert answer.json()["game"] == made[0]


def test_undo_resign_and_the_end(server: Served, game: Game) -> None:
    moved = server.move(game)
    undone = server.post(f"games/{game['id']}/undo", {"ply": 1})
    assert {**undone, "version": 1, "updated": game["updated"]} == game
    assert undone["version"] == moved["version"] + 1
    refused = server.post(f"games/{game['id']}/undo", {"ply": 0}, status=409)
    assert refused["error"]["code"] == "game.nothing_to_undo"
    resigned = server.post(f"games/{game['id']}/resign", {"ply": 0})
    assert (resigned["status"], resigned["result"], resigned["winner"]) == ("finished", "W+R", "o")
    refused = server.move(resigned, "a4-a3", status=409)
    assert refused["error"]["code"] == "game.finished"
    assert refused["game"] == resigned


def test_restart_starts_another_game(server: Served) -> None:
    old = server.new_game(black=2, position="2xo/1xx1 o advanced", rules=None, size=None)
    moved = server.move(old)
    new = server.post(f"games/{old['id']}/restart", status=201)
    assert new["id"] != old["id"]
    assert (new["start"], new["moves"], new["black"]) == (old["start"], [], old["black"])
    assert server.get(f"games/{old['id']}")["moves"][:1] == moved["moves"]


def test_a_record_is_a_file_that_says_it_all(server: Served) -> None:
    game = server.new_game(position="2xo/1xx1 o advanced", rules=None, size=None)
    moved = server.move(game, "d2-c2")
    finished = server.post(f"games/{game['id']}/resign", {"ply": moved["ply"]})
    response = server.client.get(f"/api/v1/games/{game['id']}/record")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.headers["content-disposition"] == (
        f'attachment; filename="forms-{game["id"]}.pgn"'
    )
    record = Record.parse(response.text)
    assert (str(record.start), [str(move) for move in record.moves]) == (
        finished["start"],
        finished["moves"],
    )
    assert record.result == finished["result"] == "W+R"
    assert (record.headers["Black"], record.headers["White"]) == ("Person", "Person")
    assert record.headers["Date"] == game["created"][:10].replace("-", ".")


def test_games_are_listed_newest_first_and_in_pages(server: Served) -> None:
    ids = [server.new_game()["id"] for _ in range(5)]
    first = server.get("games?limit=2")
    assert first["more"] is True
    second = server.get(f"games?limit=3&before={first['games'][-1]['id']}")
    assert [game["id"] for game in first["games"] + second["games"]] == ids[::-1]
    assert "moves" not in first["games"][0]
    assert first["games"][0].items() <= server.get(f"games/{ids[-1]}").items()
    for query, status in (("limit=0", 422), ("limit=x", 422), ("before=no", 404)):
        error_of(server.client.get(f"/api/v1/games?{query}"), status)


def test_a_watcher_sees_every_change(server: Served, game: Game) -> None:
    with server.live(game["id"]) as one, server.live(game["id"]) as two:
        assert state(one) == state(two) == game
        moved = server.move(game)
        assert state(one) == state(two) == moved
        undone = server.post(f"games/{game['id']}/undo", {"ply": 1})
        assert state(one) == state(two) == undone


def test_what_a_watcher_says_is_passed_over(server: Served, game: Game) -> None:
    with server.live(game["id"]) as live:
        assert state(live) == game
        for message in ("hello", '{"move": "a1-a2"}', b"\x00\xff", "", "x" * 4000):
            live.send(message)
        moved = server.move(game)
        assert state(live) == moved
        # Too long to be read at all.
        live.send("x" * 5000)
        with pytest.raises(ConnectionClosed):
            live.recv(timeout=10)
    assert server.get(f"games/{game['id']}") == moved


def test_a_watcher_of_nothing_is_told_so(server: Served) -> None:
    with server.live("nothing") as live, pytest.raises(ConnectionClosed) as caught:
        live.recv(timeout=10)
    assert caught.value.rcvd
    assert (caught.value.rcvd.code, caught.value.rcvd.reason) == (4404, "game.missing")


# What is not there, and what is not understood


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "games/nothing"),
        ("GET", "games/nothing/record"),
        ("POST", "games/nothing/moves"),
        ("POST", "games/nothing/undo"),
        ("POST", "games/nothing/resign"),
        ("POST", "games/nothing/restart"),
        ("GET", "games/%00%ff%2e%2e"),
        ("GET", f"games/{'x' * 5000}"),
    ],
)
def test_unknown_games_are_missing(server: Served, method: str, path: str) -> None:
    body = {"ply": 0, "move": "a1-a2"} if path.endswith("moves") else {"ply": 0}
    response = server.client.request(
        method, f"/api/v1/{path}", json=body if method == "POST" else None
    )
    assert code_of(response, 404) == "game.missing"


def test_unknown_addresses_are_missing(server: Served) -> None:
    for path in ("/api/", "/api/v1", "/api/v2/about", "/api/v1/games/a/b/c", "/api/v1/about/"):
        assert code_of(server.client.get(path), 404) == "request.missing"


def test_browsers_get_a_page_for_what_is_missing(server: Served) -> None:
    for path in ("/nothing", "/games/nothing", "/games/", "/static/nothing.js", "/favicon.txt"):
        response = server.client.get(path)
        assert response.status_code == 404
        assert response.headers["content-type"].startswith("text/html")
        assert "<html" in response.text


def test_methods_that_an_address_does_not_take(server: Served) -> None:
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        response = server.client.request(method, "/api/v1/games")
        assert code_of(response, 405) == "request.method"
    assert server.client.post("/").status_code == 405


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"7",
        b"{}",
        b"\xff\xfe",
        b"[" * 16_000,
        b'{"move":' * 2000,
        b'{"move":"a1-a2"}',
        b'{"move":"a1-a2","ply":"0"}',
        b'{"move":"a1-a2","ply":true}',
        b'{"move":"a1-a2","ply":0.0}',
        b'{"move":"a1-a2","ply":-1}',
        b'{"move":"a1-a2","ply":null}',
        b'{"move":"a1-a2","ply":NaN}',
        b'{"move":"a1-a2","ply":1e999}',
        b'{"move":"a1-a2","ply":' + b"9" * 10_000 + b"}",
        b'{"move":7,"ply":0}',
        b'{"move":["a1","a2"],"ply":0}',
        b'{"move":"a1-a2","ply":0,"more":1}',
        b'{"move":"\\ud800","ply":0}',
        b'{"move":"\\u0000","ply":0}',
    ],
    ids=lambda body: repr(body[:40]),
)
def test_malformed_moves_are_refused(server: Served, game: Game, body: bytes) -> None:
    response = server.client.post(
        f"/api/v1/games/{game['id']}/moves",
        content=body,
        headers={"content-type": "application/json"},
    )
    error_of(response, 422)
    assert server.get(f"games/{game['id']}") == game


@pytest.mark.parametrize(
    "change",
    [
        {"rules": "chess"},
        {"rules": None},
        {"size": "8"},
        {"size": "0x0"},
        {"size": "3x3"},
        {"size": "27x27"},
        {"size": "9" * 10_000},
        {"size": 10**30},
        {"size": [8, 8]},
        {"size": 8.0},
        {"black": "person"},
        {"black": {"kind": "engine"}},
        {"white": {"kind": "computer"}},
        {"white": {"kind": "computer", "level": 0}},
        {"white": {"kind": "computer", "level": 11}},
        {"white": {"kind": "computer", "level": "3"}},
        {"white": {"kind": "person", "level": 3}},
        {"position": "\ud800"},
        {"position": "x" * 10_000},
        {"position": "27/27 x standard"},
        {"position": ["x"]},
    ],
    ids=lambda change: repr(change)[:50],
)
def test_malformed_settings_are_refused(server: Served, change: dict[str, object]) -> None:
    body = json.dumps({"rules": "standard", "size": "4x4", **change})
    if change == {"size": "8"}:
        body = body.replace('"8"', '"8x"')
    response = server.client.post(
        "/api/v1/games", content=body, headers={"content-type": "application/json"}
    )
    error_of(response, 422)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["ply", "move", "rules", "size", "black", "kind", "level"]) | st.text(),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(
    body=st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()),
    path=st.sampled_from(["games", "games/ID/moves", "games/ID/undo", "games/ID/resign"]),
    kind=st.sampled_from(["application/json", "application/problem+json", "text/plain", ""]),
)
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_body_makes_the_server_fail(
    server: Served, game: Game, body: bytes, path: str, kind: str
) -> None:
    response = server.client.post(
        f"/api/v1/{path.replace('ID', game['id'])}",
        content=body,
        headers={"content-type": kind} if kind else {},
    )
    if response.status_code in (200, 201):
        assert kind.endswith("json")
    else:
        assert response.status_code in (409, 422)
        error_of(response, response.status_code)


@given(
    base=st.sampled_from(["/", "/api/v1/games/", "/static/", "/games/", "/api/v1/games?before="]),
    target=st.binary(max_size=40),
)
@settings(max_examples=300)
def test_no_address_makes_the_server_fail(server: Served, base: str, target: bytes) -> None:
    response = server.client.get(base + quote(target, safe=""))
    assert response.status_code in (200, 404, 422), response.text
    assert "Traceback" not in response.text


def test_paths_do_not_lead_out_of_the_static_files(server: Served) -> None:
    for path in ("..%2f__init__.py", "%2e%2e/__init__.py", "../__init__.py", "//etc/passwd", "\0"):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            request = f"GET /static/{path} HTTP/1.1\r\nHost: {server.host}\r\n"
            connection.sendall(request.encode() + b"Connection: close\r\n\r\n")
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert answer.split()[1] in (b"404", b"400")
        assert b"STATIC" not in answer


# Who may ask, and how much


def test_large_bodies_are_refused_unread(server: Served) -> None:
    for size in (BODY_LIMIT + 1, 10**6):
        response = server.client.post("/api/v1/games", content=b"x" * size)
        assert code_of(response, 413) == "request.large"
    # Announced, and never sent.
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(
            b"POST /api/v1/games HTTP/1.1\r\nHost: %s\r\nContent-Length: 99999999999999\r\n\r\n"
            % server.host.encode()
        )
        connection.settimeout(10)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_large_bodies_of_unknown_length_are_refused(server: Served) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(BODY_LIMIT // 1000 + 2):
            yield b" " * 1000

    response = server.client.post("/api/v1/games", content=chunks())
    assert code_of(response, 413) == "request.large"


def test_the_longest_position_fits(server: Served) -> None:
    row = "xo" * 13
    text = "/".join([row] * 26)
    game = server.post("games", {"position": f"{text} x standard"}, status=201)
    assert game["stones"] == {"x": 338, "o": 338}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8713", "127.0.0.1.evil.example", "", "[", "0.0.0.0"]
)
def test_foreign_host_names_are_refused(server: Served, host: str) -> None:
    for path in ("/", "/api/v1/games", "/static/rules.js"):
        response = server.client.get(path, headers={"host": host})
        assert response.status_code == 403
    assert code_of(server.client.get("/api/v1/about", headers={"host": host}), 403) == (
        "request.host"
    )


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:1", "[::1]:80"])
def test_own_host_names_are_answered(server: Served, host: str) -> None:
    assert server.client.get("/api/v1/about", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://localhost"},
        {"origin": "http://["},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_change_nothing(server: Served, game: Game, headers: dict[str, str]) -> None:
    response = server.client.post(
        f"/api/v1/games/{game['id']}/resign", json={"ply": 0}, headers=headers
    )
    assert code_of(response, 403) == "request.origin"
    response = server.client.post(f"/api/v1/games/{game['id']}/restart", headers=headers)
    assert code_of(response, 403) == "request.origin"
    with pytest.raises(InvalidStatus) as caught, server.live(game["id"], **headers):
        pass
    assert caught.value.response.status_code == 403
    assert server.get(f"games/{game['id']}") == game


def test_the_own_page_may_ask(server: Served, game: Game) -> None:
    for origin in (server.address, server.address.upper().replace("HTTP", "http")):
        headers = {"origin": origin, "sec-fetch-site": "same-origin"}
        response = server.client.post(
            f"/api/v1/games/{game['id']}/restart", json=None, headers=headers
        )
        assert response.status_code == 201
        with server.live(game["id"], **headers) as live:
            assert state(live) == game


def test_foreign_hosts_can_not_watch(server: Served, game: Game) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(
            f"GET /api/v1/games/{game['id']}/live HTTP/1.1\r\nHost: evil.example\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 403 ")


def test_every_answer_has_the_security_headers(server: Served) -> None:
    for path in ("/", "/nothing", "/static/rules.js", "/api/v1/games", "/api/v1/games/nothing"):
        headers = server.client.get(path).headers
        policy = headers["content-security-policy"]
        for part in ("script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"):
            assert part in policy.split("; ")
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "server" not in headers


# Pages and files


def test_pages_are_served(server: Served, game: Game) -> None:
    for path in ("/", f"/games/{game['id']}"):
        response = server.client.get(path, headers={"accept-language": "xx, en;q=0.5, *;q=0.1"})
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert response.headers["content-language"] == "en"
        assert response.headers["cache-control"] == "no-cache"
        assert server.client.head(path).status_code == 200
    assert game["id"] in response.text


def test_files_are_asked_for_again_and_sent_when_they_changed(server: Served) -> None:
    response = server.client.get("/static/rules.js")
    assert response.headers["content-type"] == "text/javascript; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["content-encoding"] == "gzip"
    assert "last-modified" not in response.headers
    tag = response.headers["etag"]
    again = server.client.get("/static/rules.js", headers={"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag
    assert again.headers["cache-control"] == "no-cache"
    other = server.client.get("/static/rules.js", headers={"if-none-match": '"other"'})
    assert other.content == response.content


def test_long_texts_are_compressed(server: Served, game: Game) -> None:
    for path in ("/", "/api/v1/openapi.json"):
        assert server.client.get(path).headers["content-encoding"] == "gzip"
        plain = server.client.get(path, headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
    assert "content-encoding" not in server.client.get("/api/v1/about").headers


def test_the_interface_is_described(server: Served) -> None:
    description = server.get("openapi.json")
    assert set(description["paths"]) == {
        "/api/v1/about",
        "/api/v1/ready",
        "/api/v1/games",
        "/api/v1/games/{game_id}",
        "/api/v1/games/{game_id}/moves",
        "/api/v1/games/{game_id}/undo",
        "/api/v1/games/{game_id}/resign",
        "/api/v1/games/{game_id}/restart",
        "/api/v1/games/{game_id}/record",
    }
    moves = description["paths"]["/api/v1/games/{game_id}/moves"]["post"]["responses"]
    assert set(moves) == {"200", "404", "409", "422", "503"}


def test_the_log_says_nothing_of_all_that(server: Served) -> None:
    """Nothing that came from outside in these tests was a fault of the server."""
    log = (server.folder / "server.log").read_text("utf-8")
    assert "Traceback" not in log
    assert "ERROR" not in log
