"""Text to plain values and back: cells, moves and positions. No rules of play are known here."""

from __future__ import annotations

from dataclasses import dataclass

from formsgame.errors import FormsError, NotationError
from formsgame.rules import BLACK, MAX_SIDE, WHITE, Color, Rules, Size, clip, parse_rules

#: Longest texts read. A 26 x 26 placement has 701 characters; the rest is room for white space.
CELL_LIMIT = 32
MOVE_LIMIT = 64
POSITION_LIMIT = 4096

#: Dashes and signs that word processors put for `-`, and the marks of a capture.
_DASHES = frozenset("-‐‑‒–—―−﹘﹣－⁃")
_CAPTURES = frozenset("xX×:")


def parse_cell(text: str) -> tuple[int, int]:
    """Return (column, row) of a cell, both from 0 at a1.

    Raises `NotationError` when the text is not a cell of a 26 x 26 board.

    >>> parse_cell("e4")
    (4, 3)
    """
    _check_text("cell", text, CELL_LIMIT)
    cell, end = _scan_cell(text, _skip(text, 0))
    if cell is None or _skip(text, end) != len(text):
        raise NotationError("cell.syntax", text=clip(text))
    return cell


def format_cell(column: int, row: int) -> str:
    """Return the name of the cell (column, row), both from 0 at a1.

    >>> format_cell(4, 3)
    'e4'
    """
    return f"{chr(97 + column)}{row + 1}"


def parse_move(text: str) -> tuple[str, str]:
    """Return the names of source and target of a move.

    Reads `e4-e2`, `e4e2`, `e4xe2`, upper case, white space anywhere between the parts, and every
    dash. Raises `NotationError` with the place otherwise.

    >>> parse_move(" E4 – e2 ")
    ('e4', 'e2')
    """
    _check_text("move", text, MOVE_LIMIT)
    place = _skip(text, 0)
    source, place = _scan_cell(text, place)
    if source is None:
        raise _move_error(text, place, "a source cell such as e4 was expected")
    place = _skip(text, place)
    if place < len(text) and (text[place] in _DASHES or _is_capture(text, place)):
        place = _skip(text, place + 1)
    target, place = _scan_cell(text, place)
    if target is None:
        raise _move_error(text, place, "a target cell such as e2 was expected")
    place = _skip(text, place)
    if place != len(text):
        raise _move_error(text, place, "nothing more was expected")
    return format_cell(*source), format_cell(*target)


@dataclass(frozen=True, slots=True)
class Setup:
    """A position as written, before anything about it is checked but its shape.

    `cells` has one byte a cell, row by row from the top: 0 empty, 1 Black, 2 White.
    """

    cells: bytes
    size: Size
    side_to_move: Color
    rules: Rules


def parse_position(text: str) -> Setup:
    """Return what a text of the form `PLACEMENT SIDE RULES` says, its meaning unchecked.

    Raises `NotationError` with the place and the reason.

    >>> parse_position("2x1/1oo1 o advanced").size
    Size(rows=2, columns=4)
    """
    _check_text("position", text, POSITION_LIMIT)
    fields = text.split()
    if len(fields) != 3:
        raise NotationError("position.fields", count=len(fields), text=clip(text))
    placement, side, rules = fields
    cells, size = _parse_placement(placement)
    if side not in ("x", "o"):
        raise NotationError("position.side", text=clip(side))
    return Setup(cells, size, BLACK if side == "x" else WHITE, parse_rules(rules))


def format_position(cells: bytes, size: Size, side_to_move: Color, rules: Rules) -> str:
    """Return the text of a position.

    >>> format_position(bytes([0, 1, 2, 0]), Size(2, 2), WHITE, parse_rules("standard"))
    '1x/o1 o standard'
    """
    rows = []
    for start in range(0, len(cells), size.columns):
        parts: list[str] = []
        run = 0
        for code in cells[start : start + size.columns]:
            if code == 0:
                run += 1
                continue
            if run:
                parts.append(str(run))
                run = 0
            parts.append("x" if code == 1 else "o")
        if run:
            parts.append(str(run))
        rows.append("".join(parts))
    return f"{'/'.join(rows)} {side_to_move.symbol} {rules.name}"


def _parse_placement(text: str) -> tuple[bytes, Size]:
    """Return cells and size of a placement; refuses ragged, oversized and malformed rows."""
    rows: list[bytearray] = []
    place = 0
    for line in text.split("/"):
        number = len(rows) + 1
        if number > MAX_SIDE:
            raise NotationError("position.rows", found=text.count("/") + 1, limit=MAX_SIDE)
        row = bytearray()
        start = place
        while place < start + len(line):
            char = text[place]
            if char == "x":
                row.append(1)
            elif char == "o":
                row.append(2)
            elif char in "123456789":
                end = place
                while end < len(text) and text[end] in "0123456789":
                    end += 1
                run = int(text[place : min(end, place + 4)])
                if len(row) + run > MAX_SIDE:
                    raise NotationError("position.columns", row=number, limit=MAX_SIDE)
                row.extend(bytes(run))
                place = end
                continue
            else:
                reason = (
                    "a run of empty cells neither is 0 nor starts with it"
                    if char == "0"
                    else f"{char!r} was found where x, o, a number or / was expected"
                )
                raise _placement_error(text, place, reason)
            place += 1
        if len(row) > MAX_SIDE:
            raise NotationError("position.columns", row=number, limit=MAX_SIDE)
        if not row:
            raise _placement_error(text, place, f"row {number} is missing")
        if rows and len(row) != len(rows[0]):
            raise NotationError(
                "position.ragged", row=number, found=len(row), expected=len(rows[0])
            )
        rows.append(row)
        place += 1
    return b"".join(rows), Size(len(rows), len(rows[0]))


def _scan_cell(text: str, place: int) -> tuple[tuple[int, int] | None, int]:
    """Read a cell at a place; returns it (or None) and where reading ended."""
    if place >= len(text):
        return None, place
    letter = text[place]
    if not ("a" <= letter <= "z" or "A" <= letter <= "Z"):
        return None, place
    column = ord(letter.lower()) - 97
    start = end = _skip(text, place + 1)
    while end < len(text) and text[end] in "0123456789" and end < start + 2:
        end += 1
    digits = text[start:end]
    if not digits or digits[0] == "0" or int(digits) > MAX_SIDE:
        return None, start
    if end < len(text) and text[end] in "0123456789":
        return None, end
    return (column, int(digits) - 1), end


def _is_capture(text: str, place: int) -> bool:
    """Tell a capture's `x` from the column x: a column is followed by its row's number."""
    if text[place] not in _CAPTURES:
        return False
    after = _skip(text, place + 1)
    return after < len(text) and text[after] not in "0123456789"


def _skip(text: str, place: int) -> int:
    """Return the place of the next character that is not white space."""
    while place < len(text) and (text[place].isspace() or text[place] in "\u200b\ufeff\u2060"):
        place += 1
    return place


def _check_text(what: str, text: object, limit: int) -> None:
    """Raise `NotationError` unless it is text of bounded length."""
    if not isinstance(text, str):
        raise NotationError("text.type", what=what, type=type(text).__name__)
    if len(text) > limit:
        raise NotationError("text.length", what=what, length=len(text), limit=limit)


def _move_error(text: str, place: int, reason: str) -> FormsError:
    return NotationError("move.syntax", text=clip(text), place=place + 1, reason=reason)


def _placement_error(text: str, place: int, reason: str) -> FormsError:
    return NotationError("position.placement", text=clip(text), place=place + 1, reason=reason)
