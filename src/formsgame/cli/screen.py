"""Boards for people to look at: in color on a terminal, in plain signs elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from formsgame.cli import board, sentences
from formsgame.cli.output import can_show, is_terminal
from formsgame.rules import BLACK, WHITE

if TYPE_CHECKING:
    from rich.console import Console

    from formsgame.position import Position

#: Colors of the styles that boards are drawn in; the ground is between black and white.
_STYLES = {
    "": "",
    "rim": "dim",
    "ground": "#6f6547 on #b8a77a",
    "black": "#101216 on #b8a77a",
    "white": "#ffffff on #b8a77a",
    "mark": "bold #0b5a54 on #b8a77a",
    "falls": "bold #b4430f on #b8a77a",
}


class Screen:
    """Draws positions as standard output, or a text file, best shows them."""

    def __init__(self, ascii_only: bool = False, *, for_file: bool = False) -> None:
        self._console = None if ascii_only or for_file else _color_console()
        if self._console:
            self._glyphs = board.COLORED
        elif not ascii_only and (for_file or can_show(_signs(board.DISCS))):
            self._glyphs = board.DISCS
        else:
            self._glyphs = board.ASCII

    def draw(self, position: Position, marks: board.Marks | None = None, flip: bool = False) -> str:
        """Return a position as lines, with the stones left on each side and whose turn it is."""
        lines = board.draw(position, self._glyphs, marks, flip)
        legend: list[board.Segment] = []
        for color in (BLACK, WHITE):
            legend.append((self._glyphs.of(color), color.title.lower()))
            legend.append((f" {sentences.name(color)} {position.counts[color]}   ", ""))
        legend.append((sentences.status(position), ""))
        lines.append(legend)
        meaning = board.explain(marks or {})
        if meaning:
            lines.append([(meaning, "")])
        return self._color(lines) if self._console else board.plain(lines)

    def _color(self, lines: list[list[board.Segment]]) -> str:
        """Return lines with the terminal's color codes."""
        from rich.text import Text

        assert self._console is not None
        texts = [Text.assemble(*((part, _STYLES[style]) for part, style in line)) for line in lines]
        with self._console.capture() as capture:
            self._console.print(Text("\n").join(texts), soft_wrap=True)
        return capture.get().rstrip("\n")


def _signs(glyphs: board.Glyphs) -> str:
    return glyphs.black + glyphs.white + glyphs.empty


def _color_console() -> Console | None:
    """Return what colors text if standard output is a terminal with enough colors."""
    if not is_terminal(sys.stdout):
        return None
    from rich.console import Console

    console = Console(highlight=False)
    has_colors = not console.no_color and console.color_system in ("256", "truecolor")
    return console if has_colors and can_show(_signs(board.COLORED)) else None
