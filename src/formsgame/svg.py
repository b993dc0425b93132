"""A position as SVG text, for notebooks, the command line and shared images.

The text is complete in itself, the same for the same arguments, and small. What it says is said by
shapes first: a thick ring is the chosen stone, a dashed ring a stone it may capture, a dot a cell
it may slide to, a solid ring the target looked at, hatch and cross a stone that would fall, tinted
cells the last move.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Literal, get_args

from formsgame.errors import LimitError, NotationError
from formsgame.notation import format_cell, parse_cell
from formsgame.position import Move, Position
from formsgame.rules import BLACK, WHITE, Color, shown

Theme = Literal["light", "dark", "auto"]
Mark = Literal["chosen", "capture", "slide", "target", "falls", "last"]

#: Units of the picture that a cell is wide.
CELL = 20
#: Pixels of a cell, and of the longer side at most, where no size is given.
CELL_PIXELS = 40
SIDE_PIXELS = 640
#: Largest size in pixels that is accepted.
MAX_PIXELS = 100_000

#: Width of the rim around the board, and of the two sides where coordinates stand.
_RIM, _COORDINATES = 5, 15

_COLORS: dict[str, dict[str, str]] = {
    "light": {
        "page": "#f6f4ef",
        "ground": "#e9e3d4",
        "grid": "#d3cab6",
        "ink": "#5c6068",
        "black": "#23262d",
        "black-edge": "#23262d",
        "white": "#fffdf6",
        "white-edge": "#8f8873",
        "accent": "#0f766e",
        "falls": "#b4430f",
    },
    "dark": {
        "page": "#15171b",
        "ground": "#2b2f37",
        "grid": "#3b4049",
        "ink": "#a6a9b0",
        "black": "#0b0c0f",
        "black-edge": "#565d69",
        "white": "#efece3",
        "white-edge": "#5d6470",
        "accent": "#5eead4",
        "falls": "#fb923c",
    },
}

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

#: Style of every class that does not depend on the theme.
_SHAPES = {
    "g": "fill:none;stroke-width:.5;",
    "c": "font:7px system-ui,sans-serif;text-anchor:middle;",
    "l": "fill-opacity:.2;",
    "h": "fill:none;stroke-width:1.8;stroke-opacity:.55;",
    "k": "fill:none;stroke-width:2;stroke-linecap:round;",
    "n": "fill:none;stroke-width:2.2;",
    "r": "fill:none;stroke-width:1.4;stroke-dasharray:4.4 2.8;",
    "s": "fill:none;stroke-width:2;",
    "t": "fill-opacity:.14;stroke-width:2;",
    "p": "fill:none;stroke-width:1.4;",
}

#: Hatch and cross of one stone: where the first line starts from the middle, and all the rest.
_HATCH_START = (-7.4, -0.2)
_HATCH = "l7.2-7.2m4 1l-10.2 10.2m2.6 2.6l10.2-10.2m1 4l-7.2 7.2"
_CROSS_START, _CROSS = (-3.4, -3.4), "l6.8 6.8m0-6.8l-6.8 6.8"


def to_svg(
    position: Position,
    *,
    size: float | None = None,
    coordinates: bool = True,
    last_move: Move | str | None = None,
    chosen: str | None = None,
    preview: Move | str | None = None,
    marks: Mapping[str, Mark] | None = None,
    theme: Theme = "auto",
    flip: bool = False,
    pattern: bool = False,
    title: str | None = None,
) -> str:
    """Return a picture of a position.

    `size` is the longer side in pixels; without it a cell takes 40, and the picture at most 640.
    `chosen` is a cell whose stone's targets are shown, `preview` a legal move of which is shown
    what it would remove, `last_move` any two cells to tint, `marks` more marks by cell: `chosen`,
    `capture`, `slide`, `target`, `falls` or `last`. The theme `auto` follows the viewer's system.
    `flip` turns the board half around, `pattern` tells the colors apart by shape as well. `title`
    replaces the English words that stand for the picture where it can't be seen.

    Raises `NotationError` for cells and moves that are none of this board, `IllegalMoveError` for
    an illegal preview and `LimitError` for a size, theme or mark that does not exist.
    """
    if theme not in get_args(Theme):
        raise LimitError(
            "limit.value", name="theme", expected="light, dark or auto", value=shown(theme)
        )
    drawing = _Drawing(position, flip, pattern)
    words = [_describe(position)]
    for cell, mark in (marks or {}).items():
        if mark not in get_args(Mark):
            expected = "one of " + ", ".join(get_args(Mark))
            raise LimitError("limit.value", name="mark", expected=expected, value=shown(mark))
        drawing.mark(mark, [cell])
    if last_move is not None:
        move = Move.parse(last_move)
        drawing.mark("last", [move.source, move.target])
        words.append(f"The last move was {move}.")
    if chosen is not None:
        drawing.mark("chosen", [chosen])
        for move in position.legal_moves_from(chosen):
            drawing.mark("slide" if position[move.target] is None else "capture", [move.target])
    if preview is not None:
        result = position.result(preview)
        drawing.mark("chosen", [result.source])
        drawing.mark("target", [result.target])
        for cells in result.removed.values():
            drawing.mark("falls", cells)
        words.append(_describe_move(position, result.move))
    return drawing.text(coordinates, theme, size, " ".join(words) if title is None else title)


class _Drawing:
    """The marks of a picture, and how they become text."""

    def __init__(self, position: Position, flip: bool, pattern: bool) -> None:
        self.position = position
        self.flip = flip
        self.pattern = pattern
        self.marks: dict[str, set[str]] = {mark: set() for mark in get_args(Mark)}

    def mark(self, mark: str, cells: Iterable[str]) -> None:
        """Mark cells; raises `NotationError` for one that is not on the board."""
        for cell in cells:
            column, row = parse_cell(cell)
            if column >= self.position.columns or row >= self.position.rows:
                size = str(self.position.size)
                raise NotationError("cell.off_board", cell=format_cell(column, row), size=size)
            self.marks[mark].add(format_cell(column, row))

    def marked(self, mark: str) -> list[str]:
        """Return the cells of a mark, in the order of cells."""
        return sorted(self.marks[mark], key=parse_cell)

    def text(self, coordinates: bool, theme: Theme, size: float | None, title: str) -> str:
        """Return the whole picture."""
        rows, columns = self.position.size
        left = _COORDINATES if coordinates else _RIM
        width, height = columns * CELL + left + _RIM, rows * CELL + left + _RIM
        body = (
            f'<rect class="b" x="{-left}" y="{-_RIM}" width="{width}" height="{height}" rx="4"/>'
            + "".join(self._board())
            + "".join(self._stones())
            + "".join(self._rings())
            + (self._coordinates() if coordinates else "")
        )
        # Inline pictures share one page: every style is bound to an id that its content makes.
        id_ = "forms-" + hashlib.sha256(f"{theme}{width}{height}{body}".encode()).hexdigest()[:10]
        scale = _pixels(size, max(width, height)) / max(width, height)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" id="{id_}" role="img" '
            f'viewBox="{-left} {-_RIM} {width} {height}" '
            f'width="{_short(width * scale)}" height="{_short(height * scale)}">'
            f"<title>{escape(_printable(title), quote=False)}</title>"
            f"<desc>{self.position}</desc>"
            f"<style>{_style(id_, theme, body)}</style>{body}</svg>\n"
        )

    def _board(self) -> Iterable[str]:
        rows, columns = self.position.size
        width, height = columns * CELL, rows * CELL
        yield f'<rect class="e" width="{width}" height="{height}" rx="1.6"/>'
        tints = "".join(
            f"M{x - 10} {y - 10}h20v20h-20z" for x, y in map(self._center, self.marked("last"))
        )
        if tints:
            yield f'<path class="l" d="{tints}"/>'
        lines = [f"M{x} 0v{height}" for x in range(CELL, width, CELL)]
        lines += [f"M0 {y}h{width}" for y in range(CELL, height, CELL)]
        if lines:
            yield f'<path class="g" d="{"".join(lines)}"/>'

    def _stones(self) -> Iterable[str]:
        """Draw the stones, first those that stay, then those that would fall."""
        falling = [cell for cell in self.marked("falls") if self.position[cell] is not None]
        gone = set(falling)
        for color in Color:
            stones = self.position.stones(color)
            yield self._group(color, [cell for cell in stones if cell not in gone])
        if falling:
            yield '<g class="f">'
            for color in Color:
                yield self._group(color, [c for c in falling if self.position[c] is color])
            yield f'<path class="h" d="{self._path(falling, _HATCH_START, _HATCH)}"/></g>'
            yield f'<path class="k" d="{self._path(falling, _CROSS_START, _CROSS)}"/>'

    def _group(self, color: Color, cells: list[str]) -> str:
        if not cells:
            return ""
        circles = self._circles(cells, 8)
        if self.pattern:
            # Black carries a ring of the other color, White a dot.
            name, radius = ("p", 4.4) if color is BLACK else ("q", 2.4)
            circles += f'<g class="{name}">{self._circles(cells, radius)}</g>'
        return f'<g class="{color.symbol}">{circles}</g>'

    def _rings(self) -> Iterable[str]:
        """Draw the marks that stand on or around stones, the plainest first."""
        target = self.marks["target"]
        onto: list[str] = []
        into: list[str] = []
        for cell in self.marked("target"):
            (into if self.position[cell] is None else onto).append(cell)
        for name, radius, cells in (
            ("d", 2.8, [cell for cell in self.marked("slide") if cell not in target]),
            ("r", 9.1, [cell for cell in self.marked("capture") if cell not in target]),
            ("n", 8.0, self.marked("chosen")),
            ("s", 8.9, onto),
            ("t", 8.4, into),
        ):
            if cells:
                yield f'<g class="{name}">{self._circles(cells, radius)}</g>'

    def _coordinates(self) -> str:
        rows, columns = self.position.size
        texts = []
        for column in range(columns):
            x, _ = self._center(format_cell(column, 0))
            texts.append(f'<text x="{x}" y="{rows * CELL + 9}">{chr(97 + column)}</text>')
        for row in range(rows):
            _, y = self._center(format_cell(0, row))
            texts.append(f'<text x="-7.5" y="{_short(y + 2.5)}">{row + 1}</text>')
        return f'<g class="c" aria-hidden="true">{"".join(texts)}</g>'

    def _circles(self, cells: Iterable[str], radius: float) -> str:
        return "".join(
            f'<circle cx="{x}" cy="{y}" r="{_short(radius)}"/>' for x, y in map(self._center, cells)
        )

    def _path(self, cells: Iterable[str], start: tuple[float, float], rest: str) -> str:
        """Return the same relative path at every cell."""
        return "".join(
            f"M{_short(x + start[0])} {_short(y + start[1])}{rest}"
            for x, y in map(self._center, cells)
        )

    def _center(self, cell: str) -> tuple[int, int]:
        """Return the middle of a cell in units of the picture."""
        column, row = parse_cell(cell)
        rows, columns = self.position.size
        if self.flip:
            column, row = columns - 1 - column, rows - 1 - row
        return column * CELL + CELL // 2, (rows - 1 - row) * CELL + CELL // 2


def _describe(position: Position) -> str:
    """Return a position in words."""
    rows, columns = position.size
    words = f"Forms, {position.rules} rules, {rows} by {columns} board."
    if position.winner is not None:
        return f"{words} {position.winner.title} ran out of stones and wins."
    counts = position.counts
    return (
        f"{words} {position.side_to_move.title} to move. "
        f"Stones left: Black {counts[BLACK]}, White {counts[WHITE]}."
    )


def _describe_move(position: Position, move: Move) -> str:
    """Return what a legal move would remove in words, the captured stone included."""
    after = position.play(move)
    black, white = (position.counts[color] - after.counts[color] for color in (BLACK, WHITE))
    stones = "stone" if black + white == 1 else "stones"
    return f"{move} would remove {black + white} {stones}: {black} black, {white} white."


def _style(id_: str, theme: Theme, body: str) -> str:
    """Return the style sheet, with the classes that the body uses."""

    def sheet(theme: str, shapes: dict[str, str]) -> str:
        return "".join(
            f"#{id_} .{name}{{{shapes.get(name, '')}{colors}}}"
            for name, colors in _paints(theme).items()
            if f'class="{name}"' in body
        )

    if theme != "auto":
        return sheet(theme, _SHAPES)
    return f"{sheet('light', _SHAPES)}@media(prefers-color-scheme:dark){{{sheet('dark', {})}}}"


def _paints(theme: str) -> dict[str, str]:
    """Return the colors of every class."""
    colors = _COLORS[theme]
    return {
        "b": f"fill:{colors['page']}",
        "e": f"fill:{colors['ground']}",
        "g": f"stroke:{colors['grid']}",
        "c": f"fill:{colors['ink']}",
        "l": f"fill:{colors['accent']}",
        "x": f"fill:{colors['black']};stroke:{colors['black-edge']}",
        "o": f"fill:{colors['white']};stroke:{colors['white-edge']}",
        "f": "opacity:.62",
        "h": f"stroke:{colors['falls']}",
        "k": f"stroke:{colors['falls']}",
        "n": f"stroke:{colors['accent']}",
        "r": f"stroke:{colors['accent']}",
        "s": f"stroke:{colors['accent']}",
        "t": f"fill:{colors['accent']};stroke:{colors['accent']}",
        "d": f"fill:{colors['accent']}",
        "p": f"stroke:{colors['white']}",
        "q": f"fill:{colors['black']};stroke:none",
    }


def _pixels(size: float | None, units: int) -> float:
    """Return the longer side of the picture in pixels."""
    if size is None:
        return min(units * CELL_PIXELS / CELL, SIDE_PIXELS)
    if isinstance(size, bool) or not isinstance(size, int | float) or not 1 <= size <= MAX_PIXELS:
        expected = f"a number of pixels from 1 to {MAX_PIXELS}"
        raise LimitError("limit.value", name="size", expected=expected, value=shown(size))
    return float(size)


def _printable(text: str) -> str:
    """Return a text without the characters that XML can't hold."""
    return _UNPRINTABLE.sub("", text)


def _short(value: float) -> str:
    """Return a number with at most two digits behind the point."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
