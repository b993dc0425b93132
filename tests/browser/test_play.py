"""Whole games and single moves by mouse and by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import NewPage
from browser.pages import GameBoard
from browser.servers import Server
from formsgame.position import Position

#: Every one-color ending here comes after few moves.
SMALL = [("standard", "2x4"), ("advanced", "4x4")]


def next_move(server: Server, game_id: str) -> str:
    position = Position.parse(server.game(game_id)["position"])
    # The middle of the list: neither always the same stone nor always the edge.
    return str(position.legal_moves[len(position.legal_moves) // 2])


@pytest.mark.parametrize(("rules", "size"), SMALL)
def test_full_game_by_mouse(server: Server, board: GameBoard, rules: str, size: str) -> None:
    game_id = server.new_game(rules, size)
    board.open(game_id)
    plies = 0
    while server.game(game_id)["status"] == "playing":
        board.play(next_move(server, game_id))
        plies += 1
    game = server.game(game_id)
    assert game["ply"] == plies
    winner = {"x": "Black", "o": "White"}[game["winner"]]
    expect(board.hint).to_have_text(f"{winner} ran out of stones and wins.")
    expect(board.stones).to_have_count(game["stones"]["x"] + game["stones"]["o"])
    expect(board.button("Play again")).to_be_visible()
    board.button("Play again").click()
    expect(board.recorded).to_have_count(0)
    assert board.page.url.rsplit("/", 1)[1] != game_id


def walk(page: Page, source: str, target: str) -> None:
    """Move the cursor from one cell to another by arrow keys."""
    columns = ord(target[0]) - ord(source[0])
    rows = int(target[1:]) - int(source[1:])
    for _ in range(abs(columns)):
        page.keyboard.press("ArrowRight" if columns > 0 else "ArrowLeft")
    for _ in range(abs(rows)):
        page.keyboard.press("ArrowUp" if rows > 0 else "ArrowDown")
    expect(page.locator(".cell:focus")).to_have_attribute("aria-label", re.compile(f"^{target},"))


@pytest.mark.parametrize(("rules", "size"), SMALL)
def test_full_game_by_keyboard(server: Server, board: GameBoard, rules: str, size: str) -> None:
    game_id = server.new_game(rules, size)
    board.open(game_id)
    page = board.page
    page.locator('.cell[tabindex="0"]').focus()
    cursor, plies = "a1", 0
    while server.game(game_id)["status"] == "playing":
        source, target = next_move(server, game_id).split("-")
        walk(page, cursor, source)
        page.keyboard.press("Enter")
        expect(board.cell(source)).to_have_attribute("aria-selected", "true")
        walk(page, source, target)
        expect(board.hint).to_have_text(re.compile(f"^{source}-{target} removes"))
        page.keyboard.press("Space")
        plies += 1
        expect(board.recorded).to_have_count(plies)
        cursor = target
    expect(board.hint).to_have_text(re.compile("ran out of stones and wins"))


def test_a_chosen_stone_shows_its_targets_by_shape(server: Server, board: GameBoard) -> None:
    board.open(server.new_game(position="xo2/x3/4 x advanced"))
    board.press("a3")
    expect(board.page.locator(".ring")).to_have_count(1)
    expect(board.page.locator(".dot")).to_have_count(0)
    board.press("a2")
    expect(board.page.locator(".stone.chosen")).to_have_count(1)
    expect(board.page.locator(".ring")).to_have_count(0)
    expect(board.page.locator(".dot")).to_have_count(7)
    board.page.wait_for_timeout(600)
    board.press("a2")
    expect(board.page.locator(".ring, .dot, .chosen")).to_have_count(0)
    expect(board.hint).to_have_text("Black's move: choose a black stone.")


def test_preview_by_pointing(server: Server, board: GameBoard) -> None:
    """What would fall is hatched and crossed before anything is sent, and said in words."""
    game_id = server.new_game(position="xoxo/4 x advanced")
    board.open(game_id)
    board.press("c2")
    board.cell("d2").hover()
    expect(board.doomed).to_have_count(2)
    expect(board.page.locator(".doomed .cross")).to_have_count(2)
    expect(board.hint).to_have_text("c2-d2 removes 3 stones: 1 black, 2 white")
    expect(board.page.locator("#hint-more")).to_have_text(
        "White runs out of stones with it and wins."
    )
    board.cell("b2").hover()
    expect(board.doomed).to_have_count(1)
    expect(board.hint).to_have_text("c2-b2 removes 2 white stones")
    board.cell("a2").hover()
    expect(board.doomed).to_have_count(0)
    assert server.moves(game_id) == []


def test_removed_stones_leave_the_document(server: Server, board: GameBoard) -> None:
    board.open(server.new_game(position="xoxo/4 x advanced"))
    expect(board.stones).to_have_count(4)
    board.play("a2-b2")
    expect(board.stones).to_have_count(3)
    board.play("d2-c2")
    expect(board.stones).to_have_count(2)
    expect(board.page.locator(".falling")).to_have_count(0)
    expect(board.page.locator("#player-bottom .count")).to_have_text("1")


def test_falling_stones_are_seen_for_a_moment(server: Server, board: GameBoard) -> None:
    board.open(server.new_game(position="xooxo/5 x advanced"))
    board.page.evaluate(
        """() => {
          window.seen = 0;
          new MutationObserver((changes) => {
            for (const { addedNodes } of changes) {
              window.seen += [...addedNodes].filter(
                (node) => node.classList?.contains("falling") && node.querySelector(".cross"),
              ).length;
            }
          }).observe(document.querySelector(".board"), { childList: true, subtree: true });
        }"""
    )
    board.play("d2-c2")
    expect(board.stones).to_have_count(3)
    expect(board.page.locator(".falling")).to_have_count(0)
    assert board.page.evaluate("window.seen") == 1


def test_reduced_motion_moves_nothing(server: Server, new_page: NewPage) -> None:
    board = GameBoard(new_page(reduced_motion="reduce"))
    board.open(server.new_game(position="xooxo/5 x advanced"))
    board.page.evaluate(
        """() => {
          window.animations = 0;
          const animate = Element.prototype.animate;
          Element.prototype.animate = function (...values) {
            window.animations += 1;
            return animate.apply(this, values);
          };
        }"""
    )
    board.play("d2-c2")
    expect(board.stones).to_have_count(3)
    assert board.page.evaluate("window.animations") == 0


def test_double_click_is_one_ply(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4")
    board.open(game_id)
    board.cell("a2").click()
    board.cell("a1").dblclick()
    expect(board.recorded).to_have_count(1)
    board.page.wait_for_timeout(200)
    assert server.moves(game_id) == ["a2-a1"]
    # On a stone, a double click chooses it as a single one does.
    board.cell("b2").dblclick()
    expect(board.page.locator(".stone.chosen")).to_have_count(1)


def test_double_click_on_the_confirming_button_is_one_ply(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4")
    board.open(game_id)
    board.button("Confirm moves").click()
    board.press("a2")
    board.press("a1")
    board.button("Play this move").dblclick()
    expect(board.recorded).to_have_count(1)
    board.page.wait_for_timeout(200)
    assert server.moves(game_id) == ["a2-a1"]


def test_key_repeat_is_one_ply(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4")
    board.open(game_id)
    page = board.page
    board.cell("a2").focus()
    for _ in range(5):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    expect(board.cell("a2")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    for _ in range(5):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    expect(board.recorded).to_have_count(1)
    page.wait_for_timeout(200)
    assert server.moves(game_id) == ["a2-a1"]


def test_a_slow_answer_takes_no_second_command(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4")
    page = board.page
    sent = []

    def slowly(route: object) -> None:
        sent.append(route)
        page.wait_for_timeout(300)
        route.continue_()  # type: ignore[attr-defined]

    page.route("**/moves", slowly)
    board.open(game_id)
    board.press("a2")
    board.press("a1")
    board.press("a2")
    board.press("b1")
    board.press("a1")
    expect(board.recorded).to_have_count(1)
    assert len(sent) == 1
    assert server.moves(game_id) == ["a2-a1"]


def test_drag_and_drop(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4")
    board.open(game_id)
    mouse = board.page.mouse
    mouse.move(*board.center("a2"))
    mouse.down()
    mouse.move(*board.center("b3"), steps=4)
    expect(board.page.locator(".stone.held")).to_have_count(1)
    mouse.up()
    expect(board.page.locator(".stone.held")).to_have_count(0)
    assert server.moves(game_id) == []
    mouse.move(*board.center("a2"))
    mouse.down()
    mouse.move(*board.center("a1"), steps=4)
    expect(board.hint).to_have_text("a2-a1 removes 1 white stone")
    mouse.up()
    expect(board.recorded).to_have_count(1)
    assert server.moves(game_id) == ["a2-a1"]


def test_escape_gives_up(server: Server, board: GameBoard) -> None:
    board.open(server.new_game("advanced", "4x4"))
    board.press("a2")
    expect(board.page.locator(".ring")).to_have_count(3)
    board.page.keyboard.press("Escape")
    expect(board.page.locator(".ring")).to_have_count(0)


def test_a_stone_without_moves_says_so(server: Server, board: GameBoard) -> None:
    board.open(server.new_game(position="xxo x advanced"))
    board.press("a1")
    expect(board.hint).to_have_text("a1 has no move now.")


def test_only_the_side_to_move_can_be_chosen(server: Server, board: GameBoard) -> None:
    board.open(server.new_game("advanced", "4x4"))
    board.press("a1")
    expect(board.page.locator(".chosen, .ring")).to_have_count(0)
    expect(board.page.locator("#player-bottom.turn")).to_contain_text("Black")
    board.play("a2-a1")
    expect(board.page.locator("#player-top.turn")).to_contain_text("White")
    expect(board.page.locator(".player.turn")).to_have_count(1)


def test_flip_and_coordinates(server: Server, board: GameBoard) -> None:
    board.open(server.new_game("advanced", "4x6"))
    left, top = board.center("a4")
    expect(board.page.locator(".coordinates text")).to_have_count(10)
    board.button("Flip").click()
    expect(board.page.locator("#player-bottom")).to_contain_text("White")
    right, bottom = board.center("a4")
    assert right > left
    assert bottom > top
    board.play("a4-a3")
    board.button("Coordinates").click()
    expect(board.page.locator(".coordinates text")).to_have_count(0)
    board.page.reload()
    board.wait()
    expect(board.page.locator("#player-bottom")).to_contain_text("White")
    expect(board.page.locator(".coordinates text")).to_have_count(0)


def test_stepping(server: Server, board: GameBoard) -> None:
    board.open(server.new_game("standard", "4x4", moves="a1-a3 b3-a2 b1-c4"))
    page = board.page
    expect(board.stones).to_have_count(13)
    page.keyboard.press("ArrowLeft")
    expect(board.stones).to_have_count(14)
    expect(board.hint).to_have_text("Looking back: after move 2 of 3.")
    page.keyboard.press("Home")
    expect(board.stones).to_have_count(16)
    board.press("a1")
    expect(page.locator(".chosen")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(board.stones).to_have_count(15)
    expect(page.locator("#moves [aria-current]")).to_have_text("a1-a3")
    page.get_by_role("button", name="b3-a2").click()
    expect(page.locator("#moves [aria-current]")).to_have_text("b3-a2")
    board.button("Back to the game").click()
    expect(board.hint).to_have_text("White's move: choose a white stone.")
    page.keyboard.press("Home")
    page.keyboard.press("End")
    expect(board.stones).to_have_count(13)


def test_moves_that_remove_more_carry_the_number(server: Server, board: GameBoard) -> None:
    board.open(server.new_game(position="xoxo/4 x advanced", moves="a2-b2"))
    expect(board.recorded).to_have_text(["a2-b2"])
    board.play("d2-c2")
    board.button("Undo").click()
    expect(board.recorded).to_have_count(1)
    board.open(server.new_game(position="xooxo/5 x advanced", moves="d2-c2"))
    expect(board.recorded).to_have_text(["d2-c2 \u22122"])


def test_undo_redraws_the_board(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4", moves="a2-a1 b2-b1")
    board.open(game_id)
    expect(board.stones).to_have_count(14)
    board.button("Undo").click()
    expect(board.stones).to_have_count(15)
    board.button("Undo").click()
    expect(board.stones).to_have_count(16)
    expect(board.button("Undo")).to_be_disabled()
    assert server.moves(game_id) == []


def test_resigning_asks_once(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4")
    board.open(game_id)
    board.button("Resign").click()
    expect(board.hint).to_have_text("Resign this game?")
    board.button("Keep playing").click()
    assert server.game(game_id)["status"] == "playing"
    board.button("Resign").dblclick()
    expect(board.button("Resign")).to_be_visible()
    assert server.game(game_id)["status"] == "playing"
    board.button("Resign").click()
    board.button("Resign").click()
    expect(board.hint).to_have_text("Black resigned. White wins.")
    expect(board.page.locator("#player-top.won")).to_have_count(1)
    assert server.game(game_id)["result"] == "W+R"


def test_the_record_can_be_saved(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "4x4", moves="a2-a1")
    board.open(game_id)
    link = board.page.get_by_role("link", name="Save record")
    expect(link).to_have_attribute("href", f"/api/v1/games/{game_id}/record")
