"""Games that go on elsewhere: reloads, other pages, the computer, lost connections."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from browser.conftest import NewPage
from browser.pages import GameBoard
from browser.servers import Mind, Server, serve_app


@pytest.fixture
def thoughtful() -> Iterator[threading.Event]:
    """The computer thinks until the event is set."""
    Mind.gate.clear()
    yield Mind.gate
    Mind.gate.set()


def test_reload_in_the_middle(server: Server, board: GameBoard) -> None:
    board.open(server.new_game("advanced", "4x4"))
    board.play("a2-a1")
    board.play("b2-b1")
    board.page.reload()
    board.wait()
    expect(board.recorded).to_have_text(["a2-a1", "b2-b1"])
    expect(board.stones).to_have_count(14)
    board.play("d1-c1")
    expect(board.stones).to_have_count(13)


def test_two_tabs_see_the_same_game(server: Server, new_page: NewPage) -> None:
    game_id = server.new_game("advanced", "4x4")
    one, two = GameBoard(new_page()), GameBoard(new_page())
    one.open(game_id)
    two.open(game_id)
    one.play("a2-a1")
    expect(two.recorded).to_have_text(["a2-a1"])
    two.play("b2-b1")
    expect(one.stones).to_have_count(14)
    one.button("Undo").click()
    expect(two.recorded).to_have_count(1)


def test_a_stale_tab_is_refused_and_shown_the_game(server: Server, new_page: NewPage) -> None:
    game_id = server.new_game("advanced", "4x4")
    page = new_page()
    page.route_web_socket("**/live", lambda socket: None)
    board = GameBoard(page)
    board.open(game_id)
    server.request(f"/games/{game_id}/moves", {"move": "a2-a1", "ply": 0})
    board.press("d1")
    board.press("d2")
    expect(page.locator("#notice")).to_have_text(
        "The game had moved on. This is how it stands now."
    )
    expect(board.recorded).to_have_text(["a2-a1"])
    expect(page.locator("#player-top.turn")).to_contain_text("White")
    assert server.moves(game_id) == ["a2-a1"]


def test_the_computer_answers(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4", white=1)
    board.open(game_id)
    expect(board.page.locator("#player-bottom")).to_contain_text("You")
    board.press("a2")
    board.press("a1")
    expect(board.recorded).to_have_count(2)
    expect(board.page.locator("#player-bottom.turn")).to_contain_text("your move")
    expect(board.page).to_have_title("Your move · Forms")
    board.button("Undo").click()
    expect(board.recorded).to_have_count(0)


def test_a_reply_at_once_is_shown_after_the_move(server: Server, board: GameBoard) -> None:
    """One sees one's own move first and the computer's a moment later, however quick it is."""
    board.open(server.new_game("advanced", "4x4", white=1))
    board.page.evaluate(
        """() => {
          const list = document.getElementById("moves");
          window.seen = [];
          new MutationObserver(() => {
            const moves = list.querySelectorAll("button").length;
            if (window.seen.at(-1)?.moves !== moves) {
              window.seen.push({ moves, at: performance.now() });
            }
          }).observe(list, { childList: true, subtree: true });
        }"""
    )
    board.press("a2")
    board.press("a1")
    expect(board.recorded).to_have_count(2)
    first, second = board.page.evaluate("window.seen")
    assert (first["moves"], second["moves"]) == (1, 2)
    assert second["at"] > first["at"]


def test_whoever_plays_white_sits_on_whites_side(server: Server, board: GameBoard) -> None:
    board.open(server.new_game("standard", "4x4", black=1))
    expect(board.recorded).to_have_count(1)
    expect(board.page.locator("#player-bottom")).to_contain_text("You")
    assert board.center("a4")[1] > board.center("a1")[1]
    expect(board.button("Undo")).to_be_disabled()


def test_undo_while_the_computer_thinks(
    server: Server, board: GameBoard, thoughtful: threading.Event
) -> None:
    game_id = server.new_game("advanced", "4x4", white=3)
    board.open(game_id)
    board.press("a2")
    board.press("a1")
    expect(board.hint).to_have_text("The computer is thinking…")
    expect(board.page.locator("#player-top.thinking")).to_contain_text("thinking…")
    board.press("b3")
    expect(board.page.locator(".chosen")).to_have_count(0)
    board.button("Undo").click()
    expect(board.recorded).to_have_count(0)
    expect(board.stones).to_have_count(16)
    expect(board.hint).to_have_text("Your move: choose a black stone.")
    thoughtful.set()
    board.page.wait_for_timeout(300)
    assert server.moves(game_id) == []
    board.press("b3")
    board.press("b2")
    expect(board.recorded).to_have_count(2)
    assert server.moves(game_id)[0] == "b3-b2"


def test_resigning_while_the_computer_thinks(
    server: Server, board: GameBoard, thoughtful: threading.Event
) -> None:
    game_id = server.new_game("advanced", "4x4", white=3)
    board.open(game_id)
    board.press("a2")
    board.press("a1")
    expect(board.hint).to_have_text("The computer is thinking…")
    board.button("Resign").click()
    board.button("Resign").click()
    expect(board.hint).to_have_text("The computer won. Black resigned. White wins.")
    expect(board.button("Undo")).to_be_disabled()


def test_restart_keeps_the_old_game(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4", moves="a2-a1")
    board.open(game_id)
    board.button("Restart").click()
    expect(board.page).not_to_have_url(re.compile(game_id))
    board.wait()
    expect(board.stones).to_have_count(16)
    assert server.moves(game_id) == ["a2-a1"]


def test_a_lost_connection_is_told_and_mended(server: Server, new_page: NewPage) -> None:
    game_id = server.new_game("advanced", "4x4")
    page = new_page()
    sockets = []
    cut = threading.Event()

    def through(socket: object) -> None:
        if cut.is_set():
            socket.close()  # type: ignore[attr-defined]
            return
        sockets.append(socket)
        socket.connect_to_server()  # type: ignore[attr-defined]

    page.route_web_socket("**/live", through)
    board = GameBoard(page)
    board.open(game_id)
    connection = page.locator("#connection")
    expect(connection).to_have_text("")
    cut.set()
    sockets[0].close()  # type: ignore[attr-defined]
    expect(connection).to_have_text("Offline. Connecting again…")
    server.request(f"/games/{game_id}/moves", {"move": "a2-a1", "ply": 0})
    cut.clear()
    expect(connection).to_have_text("", timeout=15_000)
    expect(board.recorded).to_have_text(["a2-a1"])


def test_no_answer_is_told(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4")
    board.open(game_id)
    board.page.route("**/moves", lambda route: route.abort())
    board.press("a2")
    board.press("a1")
    expect(board.page.locator("#notice")).to_have_text(
        "The server does not answer. Nothing was sent."
    )
    expect(board.page.locator(".chosen, .proposed")).to_have_count(0)
    board.page.unroute("**/moves")
    board.play("a2-a1")
    assert server.moves(game_id) == ["a2-a1"]


def test_unknown_games_are_told(server: Server, page: Page) -> None:
    response = page.goto("/games/nosuchgame")
    assert response is not None
    assert response.status == 404
    expect(page.get_by_role("heading")).to_have_text("There is nothing here.")
    page.get_by_role("link", name="To the start page").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_preparing_the_rules_is_seen(tmp_path: Path, new_page: NewPage) -> None:
    """A game can be looked at before the rules are ready, and starts as soon as they are."""
    go_on = threading.Event()

    def warm_up(report: Callable[[int, int], None]) -> None:
        report(3, 11)
        go_on.wait(30)
        report(11, 11)

    with serve_app(tmp_path) as ready_server:
        game_id = ready_server.new_game("advanced", "4x4")
    with serve_app(tmp_path, warm_up) as server:
        page = new_page(base_url=server.address)
        page.goto(f"/games/{game_id}")
        board = GameBoard(page)
        expect(board.hint).to_have_text(
            "Preparing the rules for this computer (first time only)… 3 of 11"
        )
        expect(board.stones).to_have_count(16)
        expect(page.locator("#progress")).to_be_visible()
        board.press("a2")
        expect(page.locator(".chosen")).to_have_count(0)
        start = new_page(base_url=server.address)
        start.goto("/")
        start.get_by_role("button", name="Play").click()
        expect(start.locator("#problem")).to_have_text(re.compile("3 of 11"))
        go_on.set()
        expect(board.hint).to_have_text("Black's move: choose a black stone.")
        board.play("a2-a1")
        expect(start.locator("forms-board")).to_be_visible()
        page.close()
        start.close()


def test_rules_that_cannot_be_prepared_are_told(tmp_path: Path, new_page: NewPage) -> None:
    def warm_up(report: Callable[[int, int], None]) -> None:
        raise OSError("no compiler")

    with serve_app(tmp_path) as ready_server:
        game_id = ready_server.new_game("advanced", "4x4")
    with serve_app(tmp_path, warm_up) as server:
        page = new_page(base_url=server.address)
        page.goto(f"/games/{game_id}")
        expect(GameBoard(page).hint).to_have_text(
            re.compile("could not be prepared: OSError: no compiler")
        )
        page.goto("/")
        page.get_by_role("button", name="Play").click()
        expect(page.locator("#problem")).to_have_text(re.compile("could not be prepared"))
        page.close()


def test_the_next_move_waits_for_no_answer_once_the_last_is_seen(
    server: Server, board: GameBoard
) -> None:
    """The connection that follows the game may be faster than the answer to the move."""
    game_id = server.new_game("advanced", "4x4")
    board.open(game_id)
    held: list[tuple[Route, APIResponse]] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    board.page.route("**/moves", hold_the_first)
    board.play("a2-a1")
    board.play("b2-b1")
    board.press("a1")
    ((route, response),) = held
    route.fulfill(response=response)
    expect(board.cell("a1")).to_have_attribute("aria-selected", "true")
    board.press("b1")
    expect(board.recorded).to_have_count(3)
    assert server.moves(game_id) == ["a2-a1", "b2-b1", "a1-b1"]
    expect(board.page.locator("#notice")).to_be_hidden()
