"""Forms drawn by hand, put where no edge is felt."""

from __future__ import annotations

import numpy as np

from formsgame.errors import NotationError, SizeError
from formsgame.position import Position
from formsgame.rules import ADVANCED, BLACK, MAX_SIDE, WHITE, Rules, clip, parse_rules

#: Most characters of a pattern that are read.
MOST_TEXT = 4096


def place_pattern(text: str, rules: Rules | str) -> Position:
    """Return the position of a pattern in the middle of a board, Black to move if it goes on.

    Rows are separated by `/` or by line ends; `x` is Black, `o` White, a full stop an empty cell
    and a number a run of them. With advanced rules the board is so large that no slide feels an
    edge. Raises `NotationError` for other text and an unknown rule set, `SetupError` for stones
    that are not one form, and `SizeError` where no board is large enough.

    >>> str(place_pattern("xxo", "advanced"))
    '5/1xxo1/5 x advanced'
    """
    known = parse_rules(rules)
    rows = _read_rows(text)
    array = np.zeros((len(rows), max(1, *map(len, rows))), np.uint8)
    for row, codes in enumerate(rows):
        array[row, : len(codes)] = codes
    stones = int(np.count_nonzero(array))
    side = BLACK if (array == 2).any() else WHITE
    position = Position.from_array(array, side, known)
    if known is not ADVANCED or stones <= 2:
        return position
    # Of n stones, margins above n - 2 are all alike; see `endings`.
    high, wide = (side + 2 * (stones - 2) for side in array.shape)
    if max(high, wide) > MAX_SIDE:
        raise SizeError("size.range", rows=high, columns=wide, limit=MAX_SIDE)
    return Position.from_array(np.pad(array, stones - 2), side, known)


def _read_rows(text: str) -> list[list[int]]:
    """Return the codes of the cells of each row, which may differ in length."""
    if not isinstance(text, str):
        raise NotationError("text.type", what="a pattern", type=type(text).__name__)
    if len(text) > MOST_TEXT:
        raise NotationError("text.length", what="a pattern", length=len(text), limit=MOST_TEXT)
    rows: list[list[int]] = [[]]
    end = len(text.rstrip())
    place = len(text) - len(text.lstrip())
    while place < end:
        char = text[place]
        if char in "/\n":
            rows.append([])
        elif char in "xo.":
            rows[-1].append(".xo".index(char))
        elif char in "123456789":
            number = place
            while place + 1 < end and text[place + 1] in "0123456789":
                place += 1
            rows[-1].extend(bytes(min(int(text[number : place + 1][:4]), 2 * MAX_SIDE)))
        elif char != "\r" or text[place + 1] != "\n":
            raise NotationError(
                "position.placement",
                text=clip(text),
                place=place + 1,
                reason=f"{char!r} was found where x, o, a full stop, a number or / was expected",
            )
        if len(rows) > MAX_SIDE:
            raise NotationError("position.rows", found=len(rows), limit=MAX_SIDE)
        if len(rows[-1]) > MAX_SIDE:
            raise NotationError("position.columns", row=len(rows), limit=MAX_SIDE)
        place += 1
    return rows
