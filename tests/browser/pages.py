"""The game page as a player uses it."""

from __future__ import annotations

from typing import Literal

from playwright.sync_api import Locator, Page, expect

Means = Literal["mouse", "touch"]


class GameBoard:
    """A board on a page, by the names of its cells."""

    def __init__(self, page: Page, means: Means = "mouse") -> None:
        self.page = page
        self.means = means

    def open(self, game_id: str) -> None:
        """Open a game and wait until it can be played."""
        self.page.goto(f"/games/{game_id}")
        self.wait()

    def wait(self) -> None:
        """Wait until the game is shown and the rules are ready."""
        expect(self.page.locator("#game.loading")).to_have_count(0)
        expect(self.page.locator("#progress")).to_be_hidden()
        expect(self.page.locator("#resign")).to_be_enabled()
        expect(self.stones.first).to_be_attached()

    def cell(self, name: str) -> Locator:
        """Return the cell of a name."""
        return self.page.locator(f'.cell[aria-label^="{name},"]')

    def press(self, name: str) -> None:
        """Click or tap a cell."""
        if self.means == "touch":
            self.cell(name).tap()
        else:
            self.cell(name).click()

    def play(self, move: str) -> None:
        """Make a move by clicks or taps and wait until it is recorded."""
        before = self.recorded.count()
        source, target = move.split("-")
        self.press(source)
        expect(self.cell(source)).to_have_attribute("aria-selected", "true")
        self.press(target)
        expect(self.recorded).to_have_count(before + 1)

    @property
    def stones(self) -> Locator:
        """The stones on the board."""
        return self.page.locator(".stone")

    @property
    def recorded(self) -> Locator:
        """The moves of the list."""
        return self.page.locator("#moves button")

    @property
    def hint(self) -> Locator:
        """The line that says what is going on."""
        return self.page.locator("#hint-line")

    @property
    def doomed(self) -> Locator:
        """The stones that the move pointed at would clear."""
        return self.page.locator(".stone.doomed")

    def center(self, name: str) -> tuple[float, float]:
        """Return the middle of a cell on the page."""
        box = self.cell(name).bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def button(self, name: str) -> Locator:
        """Return the button of a name that can be seen."""
        return self.page.get_by_role("button", name=name, exact=True)
