"""The pages on the server that a user starts, against the computer as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.conftest import NewPage
from browser.pages import GameBoard
from browser.servers import Server, run_server
from browser.test_play import SMALL
from formsgame.position import Position


@pytest.mark.parametrize(("rules", "size"), SMALL)
def test_full_game_against_the_computer(
    real_server: Server, new_page: NewPage, rules: str, size: str
) -> None:
    board = GameBoard(new_page(base_url=real_server.address))
    board.page.goto("/")
    board.page.get_by_role("radio", name=re.compile(rules.title())).check()
    board.page.get_by_role("radio", name="Other").check()
    for label, side in zip(("Rows", "Columns"), size.split("x"), strict=True):
        board.page.get_by_label(label).fill(side)
    board.page.get_by_role("radio", name=re.compile("easiest")).check()
    board.button("Play").click()
    board.wait()
    game_id = board.page.url.rsplit("/", 1)[1]
    yours = board.page.locator("#player-bottom.turn")
    over = board.page.locator("#game.over")
    while True:
        expect(yours.or_(over)).to_be_visible(timeout=15_000)
        if over.count():
            break
        position = Position.parse(real_server.game(game_id)["position"])
        move = position.legal_moves[len(position.legal_moves) // 2]
        played = board.recorded.count()
        board.press(move.source)
        board.press(move.target)
        expect(board.recorded).not_to_have_count(played)
    game = real_server.game(game_id)
    won = "You won." if game["winner"] == "x" else "The computer won."
    name = {"x": "Black", "o": "White"}[game["winner"]]
    expect(board.hint).to_have_text(f"{won} {name} ran out of stones and wins.")


def test_games_outlive_the_server(tmp_path: Path, new_page: NewPage) -> None:
    with run_server(tmp_path) as server:
        game_id = server.new_game("standard", "4x4", moves="a1-a4")
    with run_server(tmp_path) as server:
        board = GameBoard(new_page(base_url=server.address))
        board.page.goto("/")
        board.page.locator("#recent a").click()
        board.wait()
        expect(board.page).to_have_url(re.compile(game_id))
        expect(board.recorded).to_have_text(["a1-a4"])
        board.play("b4-b1")
        board.page.close()
