"""The game on a phone: touch, scrolling, zoom, confirmation."""

from __future__ import annotations

import pytest
from playwright.sync_api import CDPSession, Page, expect

from browser.pages import GameBoard
from browser.servers import Mind, Server
from browser.test_play import SMALL, next_move


@pytest.fixture
def touched(phone: Page) -> GameBoard:
    return GameBoard(phone, "touch")


def touch(session: CDPSession, kind: str, *points: tuple[float, float]) -> None:
    session.send(
        "Input.dispatchTouchEvent",
        {
            "type": kind,
            "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)],
        },
    )


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag a finger over the screen, as one scrolls."""
    session = page.context.new_cdp_session(page)
    touch(session, "touchStart", start)
    steps = 8
    for step in range(1, steps + 1):
        along = step / steps
        x = start[0] + (end[0] - start[0]) * along
        y = start[1] + (end[1] - start[1]) * along
        touch(session, "touchMove", (x, y))
    touch(session, "touchEnd")


@pytest.mark.parametrize(("rules", "size"), SMALL)
def test_full_game_by_touch(server: Server, touched: GameBoard, rules: str, size: str) -> None:
    game_id = server.new_game(rules, size)
    touched.open(game_id)
    while server.game(game_id)["status"] == "playing":
        touched.play(next_move(server, game_id))
    expect(touched.page.locator("#game.over")).to_have_count(1)


@pytest.mark.parametrize("size", ["8x8", "18x18", "26x26", "2x26", "26x2"])
def test_nothing_is_wider_than_the_phone(server: Server, touched: GameBoard, size: str) -> None:
    touched.open(server.new_game("advanced", size))
    assert touched.page.evaluate("document.documentElement.scrollWidth") == 360
    touched.page.goto("/")
    assert touched.page.evaluate("document.documentElement.scrollWidth") == 360


def test_scrolling_is_no_move(server: Server, touched: GameBoard) -> None:
    game_id = server.new_game("standard", "8x8")
    touched.open(game_id)
    page = touched.page
    touched.press("d2")
    expect(page.locator(".ring")).to_have_count(32)
    # From a target, from an own stone and from the margin: the page scrolls, nothing is played.
    for start in ("d7", "e2"):
        page.evaluate("scrollTo(0, 0)")
        x, y = touched.center(start)
        swipe(page, (x, y), (x, y - 160))
        page.wait_for_function("scrollY > 50")
        assert server.moves(game_id) == []
        expect(touched.recorded).to_have_count(0)
        expect(touched.doomed).to_have_count(0)
    expect(page.locator(".stone.chosen")).to_have_count(1)


def test_dragging_the_chosen_stone_by_finger(server: Server, touched: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4")
    touched.open(game_id)
    touched.press("a2")
    expect(touched.page.locator(".stone.chosen")).to_have_count(1)
    swipe(touched.page, touched.center("a2"), touched.center("a1"))
    expect(touched.recorded).to_have_count(1)
    assert server.moves(game_id) == ["a2-a1"]
    assert touched.page.evaluate("scrollY") == 0


def test_large_boards_ask_before_sending(server: Server, touched: GameBoard) -> None:
    game_id = server.new_game("standard", "18x18")
    touched.open(game_id)
    touched.press("d2")
    touched.press("e17")
    expect(touched.hint).to_have_text("d2-e17 removes 1 white stone")
    expect(touched.button("Play this move")).to_be_visible()
    assert server.moves(game_id) == []
    touched.button("Choose again").tap()
    expect(touched.button("Play this move")).to_be_hidden()
    touched.press("e17")
    touched.press("f16")
    expect(touched.hint).to_have_text("d2-f16 removes 1 white stone")
    touched.button("Play this move").tap()
    expect(touched.recorded).to_have_text(["d2-f16"])
    assert server.moves(game_id) == ["d2-f16"]


def test_zoom_by_buttons_and_fingers(server: Server, touched: GameBoard) -> None:
    touched.open(server.new_game("standard", "18x18"))
    page = touched.page
    box = touched.cell("r18").bounding_box()
    assert box is not None
    assert box["width"] < 20
    touched.button("Zoom in").tap()
    touched.button("Zoom in").tap()
    box = touched.cell("j9").bounding_box()
    assert box is not None
    assert box["width"] > 36
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    # One finger moves the zoomed board.
    frame = page.locator(".board-frame")
    before = frame.evaluate("(frame) => frame.scrollLeft")
    swipe(page, (200, 250), (80, 250))
    page.wait_for_function(
        "(before) => document.querySelector('.board-frame').scrollLeft > before + 40", arg=before
    )
    page.wait_for_timeout(500)  # a tap while the board still glides only stops it
    touched.button("Zoom out").tap()
    touched.button("Zoom out").tap()
    expect(touched.button("Zoom out")).to_be_disabled()
    session = page.context.new_cdp_session(page)
    touch(session, "touchStart", (150, 250), (170, 270))
    for spread in range(10, 70, 10):
        touch(session, "touchMove", (150 - spread, 250 - spread), (170 + spread, 270 + spread))
    touch(session, "touchEnd")
    box = touched.cell("j9").bounding_box()
    assert box is not None
    assert box["width"] > 36
    expect(touched.recorded).to_have_count(0)


def test_small_boards_need_no_zoom(server: Server, touched: GameBoard) -> None:
    touched.open(server.new_game("standard", "8x8"))
    expect(touched.page.get_by_role("button", name="Zoom in")).to_be_hidden()
    box = touched.cell("a1").bounding_box()
    assert box is not None
    assert box["width"] > 34


def test_layout_order_and_stability(server: Server, touched: GameBoard) -> None:
    """Opponent, board, you, hint and actions, moves; and nothing moves when the state changes."""
    game_id = server.new_game("standard", "18x18")
    touched.open(game_id)
    parts = [
        "#player-top",
        "forms-board",
        "#player-bottom",
        "#hint",
        ".actions",
        ".moves",
        ".tools",
    ]

    def tops() -> list[float]:
        boxes = [touched.page.locator(part).bounding_box() for part in parts]
        return [box["y"] for box in boxes if box]

    start = tops()
    assert start == sorted(start)
    touched.press("d2")
    assert tops() == start
    touched.press("e17")
    expect(touched.button("Play this move")).to_be_visible()
    assert tops() == start
    touched.button("Play this move").tap()
    expect(touched.recorded).to_have_count(1)
    assert tops() == start
    touched.page.keyboard.press("ArrowLeft")
    expect(touched.button("Back to the game")).to_be_visible()
    assert tops() == start
    touched.page.keyboard.press("ArrowRight")
    touched.button("Resign").tap()
    assert tops() == start
    touched.button("Resign").tap()
    expect(touched.hint).to_have_text("White resigned. Black wins.")
    assert tops() == start


def test_a_move_is_confirmed_without_scrolling(server: Server, touched: GameBoard) -> None:
    page = touched.page
    for height in (740, 640):
        page.set_viewport_size({"width": 360, "height": height})
        touched.open(server.new_game("standard", "18x18", white=1))
        touched.press("d2")
        touched.press("e17")
        for name in ("Play this move", "Choose again"):
            expect(touched.button(name)).to_be_in_viewport(ratio=1)
        assert page.evaluate("scrollY") == 0
        page.evaluate("scrollTo(0, 1000)")
        expect(touched.button("Play this move")).to_be_in_viewport(ratio=1)
        touched.button("Play this move").tap()
        expect(touched.recorded).to_have_count(2)


def test_turns_move_nothing(server: Server, touched: GameBoard) -> None:
    """The longest words beside the longest numbers take one line each, whoever's turn it is."""
    touched.open(server.new_game("standard", "18x18", white=5))
    cards = touched.page.locator(".player")
    assert [card.bounding_box()["height"] for card in cards.all()] == [52, 52]  # type: ignore[index]
    Mind.gate.clear()
    try:
        touched.press("d2")
        touched.press("e17")
        touched.button("Play this move").tap()
        expect(touched.hint).to_have_text("The computer is thinking…")
        assert [card.bounding_box()["height"] for card in cards.all()] == [52, 52]  # type: ignore[index]
    finally:
        Mind.gate.set()


def test_long_boards_keep_cells_of_a_sensible_size(server: Server, touched: GameBoard) -> None:
    touched.open(server.new_game("advanced", "26x2"))
    box = touched.cell("a26").bounding_box()
    assert box is not None
    assert 28 < box["width"] < 44


def test_buttons_are_large_enough_for_fingers(server: Server, touched: GameBoard) -> None:
    touched.open(server.new_game("standard", "18x18", moves="a1-a18"))
    for button in touched.page.locator("button:visible, a.button:visible, header a").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44, button.text_content()
