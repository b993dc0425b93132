"""Positions as text boards: what stands on a cell, and after it a mark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formsgame.cli.words import _
from formsgame.rules import Color

if TYPE_CHECKING:
    from formsgame.position import Move, MoveResult, Position

#: Marks behind a cell.
LAST, FALLS, TARGET, CHOSEN = "'", "-", "+", "*"

#: A stretch of a line and the name of its style ("" is none).
Segment = tuple[str, str]
Marks = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Glyphs:
    """How stones and empty cells are written."""

    black: str
    white: str
    empty: str

    def of(self, color: Color | None) -> str:
        """Return the sign of what stands on a cell."""
        if color is None:
            return self.empty
        return self.black if color is Color.BLACK else self.white


ASCII = Glyphs("x", "o", ".")
DISCS = Glyphs("●", "○", "·")
#: Where black and white can really be seen.
COLORED = Glyphs("●", "●", "·")


def draw(
    position: Position, glyphs: Glyphs, marks: Marks | None = None, flip: bool = False
) -> list[list[Segment]]:
    """Return the lines of a board with its coordinates."""
    marks = marks or {}
    columns = [chr(97 + column) for column in range(position.columns)]
    rows = list(range(position.rows, 0, -1))
    if flip:
        columns.reverse()
        rows.reverse()
    letters: list[Segment] = [("    " + " ".join(columns), "rim")]
    lines = [letters]
    for row in rows:
        line: list[Segment] = [(f"{row:>2} ", "rim"), (" ", "ground")]
        for column in columns:
            cell = f"{column}{row}"
            color = position[cell]
            mark = marks.get(cell, " ")
            line.append((glyphs.of(color), color.title.lower() if color else "ground"))
            line.append((mark, "falls" if mark == FALLS else "mark"))
        line.append((f" {row}", "rim"))
        lines.append(line)
    lines.append(letters)
    return lines


def plain(lines: Iterable[Iterable[Segment]]) -> str:
    """Return lines as text without styles."""
    return "\n".join("".join(text for text, _style in line).rstrip() for line in lines)


def preview_marks(result: MoveResult) -> dict[str, str]:
    """Return the marks that show what a move would do."""
    marks = {cell: FALLS for cells in result.removed.values() for cell in cells}
    return marks | {result.source: CHOSEN, result.target: TARGET}


def target_marks(moves: Sequence[Move]) -> dict[str, str]:
    """Return the marks that show where a stone, whose moves these are, can go."""
    return {move.target: TARGET for move in moves} | {move.source: CHOSEN for move in moves[:1]}


def last_marks(move: Move) -> dict[str, str]:
    """Return the marks of the last move."""
    return dict.fromkeys((move.source, move.target), LAST)


def explain(marks: Marks) -> str:
    """Return what the marks on a board mean, "" if there are none."""
    used = set(marks.values())
    meanings = {
        CHOSEN: _("* the stone"),
        TARGET: _("+ where it goes"),
        FALLS: _("- would be removed"),
        LAST: _("' the last move"),
    }
    return "   ".join(text for mark, text in meanings.items() if mark in used)
