"""The start page."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from browser.pages import GameBoard
from browser.servers import Server


def test_a_newcomer_plays_with_one_click(server: Server, page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Play").click()
    board = GameBoard(page)
    board.wait()
    game = server.game(page.url.rsplit("/", 1)[1])
    assert (game["rules"], game["size"]) == ("advanced", "8x8")
    assert game["black"]["kind"] == "person"
    assert game["white"] == {"kind": "computer", "level": 2}


def test_every_choice_is_sent_and_remembered(server: Server, page: Page) -> None:
    page.goto("/")
    page.get_by_role("radio", name=re.compile("Standard")).check()
    page.get_by_role("radio", name="12 × 12").check()
    page.get_by_role("radio", name=re.compile("strongest")).check()
    page.get_by_role("radio", name=re.compile("White")).check()
    page.get_by_role("button", name="Play").click()
    GameBoard(page).wait()
    game = server.game(page.url.rsplit("/", 1)[1])
    assert (game["rules"], game["size"]) == ("standard", "12x12")
    assert game["black"] == {"kind": "computer", "level": 10}
    assert game["white"]["kind"] == "person"
    page.goto("/")
    expect(page.get_by_role("radio", name=re.compile("Standard"))).to_be_checked()
    expect(page.get_by_role("radio", name="12 × 12")).to_be_checked()
    expect(page.get_by_role("radio", name=re.compile("strongest"))).to_be_checked()
    expect(page.get_by_role("radio", name=re.compile("White"))).to_be_checked()


def test_other_sizes_and_the_same_screen(server: Server, page: Page) -> None:
    page.goto("/")
    page.get_by_role("radio", name="Someone at this screen").check()
    expect(page.get_by_role("radio", name=re.compile("easiest"))).to_be_disabled()
    page.get_by_role("radio", name="Other").check()
    page.get_by_label("Rows").fill("3")
    page.get_by_label("Columns").fill("5")
    expect(page.locator("#problem")).to_have_text(
        "Advanced rules need an even number of rows or of columns."
    )
    page.get_by_role("button", name="Play").click()
    expect(page).to_have_url(re.compile("/$"))
    page.get_by_label("Columns").fill("27")
    expect(page.locator("#problem")).to_have_text("Rows and columns go from 2 to 26.")
    page.get_by_label("Columns").fill("6")
    expect(page.locator("#problem")).to_have_text("")
    page.get_by_role("button", name="Play").click()
    GameBoard(page).wait()
    game = server.game(page.url.rsplit("/", 1)[1])
    assert game["size"] == "3x6"
    assert [game[color]["kind"] for color in ("black", "white")] == ["person", "person"]


def test_games_can_be_gone_on_with(server: Server, page: Page) -> None:
    game_id = server.new_game("standard", "4x6", white=3, moves="a1-a4")
    page.goto("/")
    first = page.locator("#recent a").first
    expect(first).to_contain_text("Computer, level 3")
    expect(first).to_contain_text("Standard 4 × 6")
    first.click()
    expect(page).to_have_url(re.compile(game_id))


def test_pages_keep_to_the_strict_policy(server: Server, page: Page) -> None:
    response = page.goto("/")
    assert response is not None
    policy = response.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    inline = page.locator("script:not([src]):not([type='application/json']), style, [style]")
    expect(inline).to_have_count(0)
