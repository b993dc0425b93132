"""Take pictures of the pages, to be looked at: `python -m browser.shots FOLDER` in `tests/`.

Every state at 360, 768 and 1440 px, light and dark, one PNG each; names of states after FOLDER
take only these.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from browser.conftest import find_chromium
from browser.pages import GameBoard
from browser.servers import Server, serve_app
from formsgame.position import Position
from formsgame.rules import parse_rules

WIDTHS = {360: 740, 768: 1024, 1440: 900}


def random_moves(rules: str, size: str, stones_left: int, seed: int) -> str:
    """Return the moves of a random game until few enough stones are left; no number ends it."""
    choose = random.Random(seed)
    position = Position.initial(parse_rules(rules), size=size)
    moves = []
    while not position.is_over and sum(position.counts.values()) > stones_left:
        # Large removals are left out, so that a middle game looks like one.
        quiet = [choose.choice(position.legal_moves) for _ in range(12)]
        move = min(quiet, key=lambda move: len(position.removed_by(move)))
        moves.append(str(move))
        position = position.play(move)
    return " ".join(moves)


def telling_move(game: dict[str, str]) -> tuple[str, str]:
    """Return a move that would remove about a fifth of the stones, as source and target."""
    position = Position.parse(game["position"])
    wanted = sum(position.counts.values()) // 5
    move = min(position.legal_moves, key=lambda move: abs(len(position.removed_by(move)) - wanted))
    return move.source, move.target


def look_at_preview(board: GameBoard, game: dict[str, str]) -> None:
    source, target = telling_move(game)
    board.press(source)
    if board.means == "mouse":
        board.cell(target).hover()
        return
    confirms = board.page.locator("#confirm[aria-pressed=true]").count()
    if not confirms:
        board.button("Confirm moves").click()
        board.press(source)
    board.press(target)


State = Callable[[Server, GameBoard], None]


def show(
    rules: str, size: str, stones: int, seed: int = 1, *, preview: bool = False, back: int = 0
) -> State:
    def state(server: Server, board: GameBoard) -> None:
        game_id = server.new_game(rules, size, moves=random_moves(rules, size, stones, seed))
        board.open(game_id)
        if preview:
            look_at_preview(board, server.game(game_id))
        for _ in range(back):
            board.page.keyboard.press("ArrowLeft")

    return state


def computer(server: Server, board: GameBoard) -> None:
    game_id = server.new_game("advanced", "8x8", black=4)
    board.open(game_id)


def start(server: Server, board: GameBoard) -> None:
    board.page.goto("/")


def missing(server: Server, board: GameBoard) -> None:
    board.page.goto("/games/none")


def chosen(server: Server, board: GameBoard) -> None:
    moves = random_moves("advanced", "8x8", 36, 5)
    board.open(server.new_game("advanced", "8x8", moves=moves))
    position = Position.initial(parse_rules("advanced"), size=8)
    for move in moves.split():
        position = position.play(move)
    sources = sorted({move.source for move in position.legal_moves})
    board.press(max(sources, key=lambda cell: len(position.legal_moves_from(cell))))


STATES: dict[str, State] = {
    "start": start,
    "game-begin-8": show("advanced", "8x8", 64),
    "game-middle-12": show("advanced", "12x12", 90),
    "game-preview-12": show("advanced", "12x12", 90, preview=True),
    "game-preview-8-standard": show("standard", "8x8", 26, 3, preview=True),
    "game-chosen-8": chosen,
    "game-preview-18": show("standard", "18x18", 190, preview=True),
    "game-past-8": show("standard", "8x8", 26, 3, back=3),
    "game-finished-8": show("advanced", "8x8", 0, 2),
    "game-computer-8": computer,
    "missing": missing,
}


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[2:]
    is_root = hasattr(os, "getuid") and os.getuid() == 0
    with (
        tempfile.TemporaryDirectory() as games,
        serve_app(Path(games)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox"] if is_root else []
        )
        for width, height in WIDTHS.items():
            for scheme in ("light", "dark"):
                small = width < 500
                context = browser.new_context(
                    base_url=server.address,
                    viewport={"width": width, "height": height},
                    color_scheme=scheme,
                    has_touch=small,
                    is_mobile=small,
                )
                page: Page = context.new_page()
                for name, state in STATES.items():
                    if wanted and name not in wanted:
                        continue
                    page.goto("/static/icon.svg")
                    state(server, GameBoard(page, "touch" if small else "mouse"))
                    page.wait_for_timeout(400)
                    path = folder / f"{name}-{width}-{scheme}.png"
                    page.screenshot(path=path)
                    wide = page.evaluate("document.documentElement.scrollWidth")
                    print(path, "" if wide <= width else f"WIDER THAN THE SCREEN: {wide}")
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
