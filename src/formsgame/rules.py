"""The rule sets as frozen data, colors, board sizes, cell names and symmetries."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple

from formsgame.errors import NotationError, SizeError

#: Longest side of a board: columns are named a to z.
MAX_SIDE = 26

_SIZE = re.compile(r"\s*([0-9]{1,3})(?:\s*[xX×]\s*([0-9]{1,3}))?\s*", re.ASCII)


class Color(IntEnum):
    """A player's color, with the code that its stones have in arrays."""

    BLACK = 1
    WHITE = 2

    @property
    def opponent(self) -> Color:
        """The other color."""
        return WHITE if self is BLACK else BLACK

    @property
    def symbol(self) -> str:
        """The letter of the position notation: `x` for Black, `o` for White."""
        return ".xo"[self]

    @property
    def title(self) -> str:
        """The English name, `Black` or `White`."""
        return self.name.capitalize()


BLACK = Color.BLACK
WHITE = Color.WHITE


@dataclass(frozen=True, slots=True)
class Rules:
    """A rule set: what a stone may do and how the board is filled at the start.

    `number` is the code of the rule set in compiled functions and in keys.
    """

    name: str
    number: int
    captures_anywhere: bool
    slides: bool
    checkered_start: bool

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name.upper()

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (parse_rules, (self.name,))


#: The game of 2007: any own stone captures any enemy stone.
STANDARD = Rules("standard", 0, captures_anywhere=True, slides=False, checkered_start=False)
#: The game of 2011: stones capture next to themselves, or slide over empty cells.
ADVANCED = Rules("advanced", 1, captures_anywhere=False, slides=True, checkered_start=True)

_RULES = {rules.name: rules for rules in (STANDARD, ADVANCED)}


class Size(NamedTuple):
    """A board's size in cells, always rows before columns."""

    rows: int
    columns: int

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}"


def parse_rules(text: str | Rules) -> Rules:
    """Return the rule set named by a text.

    Raises `NotationError` when there is none of that name, and for a rule set that somebody made.

    >>> parse_rules("advanced")
    ADVANCED
    """
    name = text.name if isinstance(text, Rules) else text
    known = _RULES.get(name) if isinstance(name, str) else None
    if known is None or text not in (name, known):
        raise NotationError("rules.name", text=clip(name))
    return known


def parse_size(size: int | str | tuple[int, int]) -> Size:
    """Return a board size given as a side, a pair (rows, columns) or a text.

    Raises `SizeError` when it is none, or when a side is not within 1 to 26.

    >>> parse_size(8), parse_size("4x6"), parse_size((2, 3))
    (Size(rows=8, columns=8), Size(rows=4, columns=6), Size(rows=2, columns=3))
    """
    if isinstance(size, str):
        match = _SIZE.fullmatch(size) if len(size) <= 32 else None
        if match is None:
            raise SizeError("size.syntax", text=clip(size))
        rows = int(match[1])
        columns = int(match[2]) if match[2] else rows
    elif _is_int(size):
        rows = columns = int(size)  # type: ignore[arg-type]
    elif isinstance(size, tuple | list) and len(size) == 2 and all(map(_is_int, size)):
        rows, columns = int(size[0]), int(size[1])
    else:
        raise SizeError("size.syntax", text=clip(size))
    if not (1 <= rows <= MAX_SIDE and 1 <= columns <= MAX_SIDE):
        raise SizeError("size.range", rows=clip(rows), columns=clip(columns), limit=MAX_SIDE)
    return Size(rows, columns)


def check_start_size(rules: Rules, size: Size) -> None:
    """Raise `SizeError` unless a game of these rules can start on a board of this size."""
    rows, columns = size
    if min(rows, columns) < 2:
        reason = "both sides must be at least 2"
    elif rules.checkered_start and rows * columns % 2:
        reason = "the number of cells must be even"
    elif not rules.checkered_start and rows % 2:
        reason = "the number of rows must be even"
    else:
        return
    raise SizeError("size.start", rows=rows, columns=columns, rules=rules.name, reason=reason)


def cell_name(index: int, size: Size) -> str:
    """Return the name of a cell from its index, column by column from a1 upwards.

    >>> cell_name(0, Size(8, 8)), cell_name(1, Size(8, 8)), cell_name(63, Size(8, 8))
    ('a1', 'a2', 'h8')
    """
    column, row = divmod(index, size.rows)
    return f"{chr(97 + column)}{row + 1}"


class Symmetry(Enum):
    """A way to turn or mirror the board: (transpose, flip rows, flip columns), in this order.

    The four that transpose turn an R x C board into a C x R one.
    """

    IDENTITY = (False, False, False)
    FLIP_ROWS = (False, True, False)
    FLIP_COLUMNS = (False, False, True)
    HALF_TURN = (False, True, True)
    TRANSPOSE = (True, False, False)
    QUARTER_TURN_LEFT = (True, True, False)
    QUARTER_TURN_RIGHT = (True, False, True)
    ANTITRANSPOSE = (True, True, True)

    @property
    def transposes(self) -> bool:
        """Whether rows become columns."""
        return self.value[0]

    def size(self, size: Size) -> Size:
        """Return the size of a board after it."""
        return Size(size.columns, size.rows) if self.transposes else size

    def cell(self, row: int, column: int, size: Size) -> tuple[int, int]:
        """Return where the cell (row from the top, column) of a board of `size` goes."""
        transpose, flip_rows, flip_columns = self.value
        if transpose:
            row, column = column, row
        rows, columns = self.size(size)
        return (
            rows - 1 - row if flip_rows else row,
            columns - 1 - column if flip_columns else column,
        )


def clip(value: object, limit: int = 40) -> str:
    """Return a value as text, cut so that an error message stays a line."""
    if isinstance(value, int) and abs(value) >= 10**limit:
        return "a number of more than forty digits"
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:  # Python writes no number of more than some thousand digits
        text = f"a {type(value).__name__} of very long numbers"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def shown(value: object) -> str:
    """Return a value as a program would write it, text in quotes, cut as `clip` cuts."""
    return repr(clip(value)) if isinstance(value, str) else clip(value)


def _is_int(value: object) -> bool:
    """Tell integers (NumPy's included) from booleans and everything else."""
    return hasattr(value, "__index__") and not isinstance(value, bool)
