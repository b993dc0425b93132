"""Positions, moves and what a move did: the public values of the game.

Cells are written as in the notation ("e4") everywhere in this face, and tuples of cells are in
the order of cells: column, then row.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, overload

import numpy as np

from formsgame import notation
from formsgame.errors import FormsError, IllegalMoveError, NotationError, SetupError
from formsgame.kernels import board as kernels
from formsgame.kernels.board import CELLS, STRIDE, Array
from formsgame.notation import Setup
from formsgame.rules import (
    BLACK,
    MAX_SIDE,
    WHITE,
    Color,
    Rules,
    Size,
    Symmetry,
    cell_name,
    check_start_size,
    clip,
    parse_rules,
    parse_size,
    shown,
)


@dataclass(frozen=True, slots=True, order=True, init=False, repr=False)
class Move:
    """A move from a source cell to a target cell; moves sort by source, then target.

    >>> Move("e4", "e2"), str(Move.parse("E4 x e2"))
    (Move('e4', 'e2'), 'e4-e2')
    """

    #: (column, row) of source and target, from 0 at a1; moves are ordered by these.
    _key: tuple[tuple[int, int], tuple[int, int]]

    def __init__(self, source: str, target: str) -> None:
        key = (notation.parse_cell(source), notation.parse_cell(target))
        object.__setattr__(self, "_key", key)

    @classmethod
    def parse(cls, text: str | Move) -> Move:
        """Return the move a text says; raises `NotationError` when it says none."""
        if isinstance(text, Move):
            return text
        return cls(*notation.parse_move(text))

    @classmethod
    def _from_cells(cls, source: tuple[int, int], target: tuple[int, int]) -> Move:
        move = cls.__new__(cls)
        object.__setattr__(move, "_key", (source, target))
        return move

    @property
    def source(self) -> str:
        """The cell that the stone leaves."""
        return notation.format_cell(*self._key[0])

    @property
    def target(self) -> str:
        """The cell to which the stone goes."""
        return notation.format_cell(*self._key[1])

    def transform(self, symmetry: Symmetry, size: int | str | tuple[int, int]) -> Move:
        """Return the move after turning or mirroring a board of `size`, on which it must lie."""
        rows, columns = parse_size(size)
        turned = []
        for column, row in self._key:
            if column >= columns or row >= rows:
                raise NotationError(
                    "cell.off_board",
                    cell=notation.format_cell(column, row),
                    size=str(Size(rows, columns)),
                )
            top, column = symmetry.cell(rows - 1 - row, column, Size(rows, columns))
            turned.append((column, symmetry.size(Size(rows, columns)).rows - 1 - top))
        return Move._from_cells(turned[0], turned[1])

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"

    def __repr__(self) -> str:
        return f"Move({self.source!r}, {self.target!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Move, (self.source, self.target))


@dataclass(frozen=True, slots=True)
class MoveResult:
    """What a move did: what it captured, what it removed besides, and the position after it."""

    move: Move
    color: Color
    #: The cell of the captured stone (the target), None for a slide.
    captured: str | None
    #: Cells cleared besides the captured one, by the color of the stones that stood there.
    removed: Mapping[Color, tuple[str, ...]]
    position: Position

    @property
    def source(self) -> str:
        """The cell that the stone left."""
        return self.move.source

    @property
    def target(self) -> str:
        """The cell to which the stone went."""
        return self.move.target

    @property
    def is_slide(self) -> bool:
        """Whether the stone went to an empty cell."""
        return self.captured is None

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            _make_result,
            (self.move, self.color, self.captured, dict(self.removed), self.position),
        )


class Outcome(NamedTuple):
    """How a game ended: the winner (None: no result) and why.

    `reason` is `board` (the winner has no stones left), `resigned`, `time` or `aborted`.
    """

    winner: Color | None
    reason: str


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class Position:
    """Stones on a board, a side to move and the rules: a value that never changes.

    Positions are equal when stones, size, side to move and rules are. Every position is one
    connected form. Raises `SetupError`, naming every defect, for stones that are not.

    >>> position = Position.parse("8/8/8/2xxo3/8/8/8/8 x advanced")
    >>> str(position.play("d5-e5"))
    '8/8/8/4x3/8/8/8/8 o advanced'
    """

    _cells: bytes
    _size: Size
    _side: Color
    _rules: Rules
    _cache: dict[str, Any] = field(compare=False)

    def __init__(
        self,
        stones: Mapping[str, Color | int],
        size: int | str | tuple[int, int],
        side_to_move: Color | int,
        rules: Rules | str,
    ) -> None:
        board_size = parse_size(size)
        cells = bytearray(board_size.rows * board_size.columns)
        defects: list[FormsError] = []
        for cell, code in stones.items():
            column, row = notation.parse_cell(cell)
            name = notation.format_cell(column, row)
            if column >= board_size.columns or row >= board_size.rows:
                defects.append(NotationError("cell.off_board", cell=name, size=str(board_size)))
            elif code not in (1, 2):
                defects.append(FormsError("setup.code", cell=name, value=shown(code)))
            elif cells[column * board_size.rows + row]:
                defects.append(FormsError("setup.twice", cell=name))
            else:
                cells[column * board_size.rows + row] = int(code)
        self._fill(bytes(cells), board_size, _color(side_to_move), parse_rules(rules), defects)

    def _fill(
        self, cells: bytes, size: Size, side: Color, rules: Rules, defects: list[FormsError]
    ) -> None:
        """Set the fields, after checking that they are a position."""
        defects = [*defects, *_defects(cells, size, side)]
        if defects:
            raise SetupError("setup.defects", defects=tuple(defects))
        _set(self, cells, size, side, rules)

    # Making positions

    @classmethod
    def initial(cls, rules: Rules | str, size: int | str | tuple[int, int] = 18) -> Position:
        """Return the start position on a board of a size; raises `SizeError` where no game starts.

        >>> str(Position.initial("standard", (2, 3)))
        'ooo/xxx x standard'
        """
        rules = parse_rules(rules)
        board_size = parse_size(size)
        check_start_size(rules, board_size)
        rows, columns = board_size
        if rules.checkered_start:
            cells = bytes(
                1 if (rows - 1 - row + column) % 2 == 0 else 2
                for column in range(columns)
                for row in range(rows)
            )
        else:
            cells = (b"\1" * (rows // 2) + b"\2" * (rows // 2)) * columns
        return cls._unchecked(cells, board_size, BLACK, rules)

    @classmethod
    def parse(cls, text: str) -> Position:
        """Return the position a text says.

        Raises `NotationError` for text that is no set-up, `SetupError` for a set-up that is no
        position.
        """
        return cls.from_setup(notation.parse_position(text))

    @classmethod
    def from_setup(cls, setup: Setup) -> Position:
        """Return a set-up as a position; raises `SetupError`, naming every defect.

        Raises `SizeError` or `NotationError` for a size, side or rules that do not exist.
        """
        size = parse_size(setup.size)
        if len(setup.cells) != size.rows * size.columns:
            defect = FormsError(
                "setup.cells", found=len(setup.cells), expected=size.rows * size.columns
            )
            raise SetupError("setup.defects", defects=(defect,))
        cells = b"".join(
            setup.cells[column :: size.columns][::-1] for column in range(size.columns)
        )
        if max(cells) > 2:
            defects = tuple(
                FormsError("setup.code", cell=cell_name(index, size), value=shown(code))
                for index, code in enumerate(cells)
                if code > 2
            )
            raise SetupError("setup.defects", defects=defects)
        self = cls.__new__(cls)
        self._fill(cells, size, _color(setup.side_to_move), parse_rules(setup.rules), [])
        return self

    @classmethod
    def from_array(cls, array: Any, side_to_move: Color | int, rules: Rules | str) -> Position:
        """Return the position of an array (rows, columns) of 0, 1, 2, the top row first.

        Raises `SizeError` or `SetupError`.
        """
        try:
            values = np.asarray(array)
        except ValueError:  # rows of different lengths
            values = np.zeros(0)
        if values.ndim != 2 or values.dtype.kind not in "iub":
            defect = NotationError(
                "position.json", reason="an array of integers (rows, columns) was expected"
            )
            raise SetupError("setup.defects", defects=(defect,))
        size = parse_size((values.shape[0], values.shape[1]))
        defects: list[FormsError] = []
        for top, column in np.argwhere((values < 0) | (values > 2)):
            defects.append(
                FormsError(
                    "setup.code",
                    cell=notation.format_cell(int(column), size.rows - 1 - int(top)),
                    value=clip(int(values[top, column])),
                )
            )
        if defects:
            raise SetupError("setup.defects", defects=tuple(defects))
        self = cls.__new__(cls)
        cells = values[::-1].T.astype(np.uint8).tobytes()
        self._fill(cells, size, _color(side_to_move), parse_rules(rules), [])
        return self

    @classmethod
    def from_json(cls, data: Any) -> Position:
        """Return the position that `to_json` wrote; raises `NotationError` or `SetupError`."""
        if not isinstance(data, Mapping) or set(data) != {"position"}:
            raise NotationError("position.json", reason='an object {"position": text} was expected')
        return cls.parse(data["position"])

    @classmethod
    def _unchecked(cls, cells: bytes, size: Size, side: Color, rules: Rules) -> Position:
        """Make a position from fields known to be one; anything else breaks every later answer."""
        self = cls.__new__(cls)
        _set(self, cells, size, side, rules)
        return self

    # What it says

    @property
    def rules(self) -> Rules:
        """The rule set."""
        return self._rules

    @property
    def size(self) -> Size:
        """The board's size, (rows, columns)."""
        return self._size

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._size.rows

    @property
    def columns(self) -> int:
        """Number of columns."""
        return self._size.columns

    @property
    def side_to_move(self) -> Color:
        """Whose turn it is."""
        return self._side

    @property
    def cells(self) -> bytes:
        """One byte a cell in the order of cells: 0 empty, 1 Black, 2 White."""
        return self._cells

    @property
    def array(self) -> Array:
        """A read-only uint8 array (rows, columns), the top row first: 0 empty, 1 Black, 2 White."""
        flat = np.frombuffer(self._cells, np.uint8)
        return flat.reshape(self.columns, self.rows).T[::-1]

    @property
    def counts(self) -> Mapping[Color, int]:
        """Stones left on each side; fewer is better, and none has won."""
        if "counts" not in self._cache:
            self._cache["counts"] = MappingProxyType(
                {color: self._cells.count(int(color)) for color in Color}
            )
        counts: Mapping[Color, int] = self._cache["counts"]
        return counts

    @property
    def winner(self) -> Color | None:
        """Who has won by running out of stones, None while the game goes on."""
        return next((color for color, count in self.counts.items() if count == 0), None)

    @property
    def is_over(self) -> bool:
        """Whether one side has no stones left."""
        return self.winner is not None

    @property
    def outcome(self) -> Outcome | None:
        """The winner and the reason `board`, None while the game goes on."""
        winner = self.winner
        return None if winner is None else Outcome(winner, "board")

    @property
    def key(self) -> int:
        """A 64-bit number, the same for equal positions on every machine and in every version."""
        if "key" not in self._cache:
            work = _workspace()
            self._load(work)
            self._cache["key"] = int(
                kernels.hash_board(
                    work.board, self._rules.number, int(self._side), self.rows, self.columns
                )
            )
        key: int = self._cache["key"]
        return key

    def __getitem__(self, cell: str) -> Color | None:
        """Return the color of the stone on a cell, None if there is none.

        Raises `NotationError` for text that is no cell of this board.
        """
        column, row = notation.parse_cell(cell)
        if column >= self.columns or row >= self.rows:
            raise NotationError(
                "cell.off_board", cell=notation.format_cell(column, row), size=str(self._size)
            )
        code = self._cells[column * self.rows + row]
        return Color(code) if code else None

    def stones(self, color: Color | int) -> tuple[str, ...]:
        """Return the cells of a side's stones."""
        code = int(_color(color))
        return tuple(
            cell_name(index, self._size) for index, value in enumerate(self._cells) if value == code
        )

    # Moves

    @property
    def legal_moves(self) -> LegalMoves:
        """All legal moves, by source then target, as a lazy sequence; empty when it is over."""
        return LegalMoves(self)

    def legal_moves_from(self, cell: str) -> tuple[Move, ...]:
        """Return the legal moves of the stone on a cell; none where no own stone stands.

        Raises `NotationError` for text that is no cell of this board.
        """
        if self[cell] is not self._side or self.is_over:
            return ()
        column, row = notation.parse_cell(cell)
        work = _workspace()
        self._load(work)
        found = kernels.list_targets(
            work.board,
            self._rules.number,
            int(self._side),
            _entry(column, row),
            work.label,
            work.reached,
            work.queue,
            work.cells,
        )
        source = (column, row)
        return tuple(
            Move._from_cells(source, _column_row(entry)) for entry in work.cells[:found].tolist()
        )

    def is_legal(self, move: Move | str) -> bool:
        """Tell whether a move is legal; raises `NotationError` for text that is no move."""
        return self._fault(Move.parse(move)) is None

    def removed_by(self, move: Move | str) -> tuple[str, ...]:
        """Return the cells that a move would clear besides the captured one.

        Raises `NotationError` or `IllegalMoveError`.
        """
        source, target = self._checked(move)
        return tuple(map(_entry_name, self._removed(source, target)))

    def play(self, move: Move | str) -> Position:
        """Return the position after a move.

        Raises `NotationError` for text that is no move and `IllegalMoveError` for one that the
        rules forbid, whose code says why.
        """
        source, target = self._checked(move)
        return self._after(source, target, self._removed(source, target))

    def play_unchecked(self, move: Move) -> Position:
        """Return the position after a move known to be legal, checking nothing.

        An illegal move gives stones that are no position, or a position of another game.
        """
        source, target = (_entry(*cell) for cell in move._key)
        return self._after(source, target, self._removed(source, target))

    def result(self, move: Move | str) -> MoveResult:
        """Return what a move does, with the position after it; raises as `play` does."""
        source, target = self._checked(move)
        removed = self._removed(source, target)
        by_color: dict[Color, list[str]] = {BLACK: [], WHITE: []}
        for entry in removed:
            by_color[Color(self._cells[self._index(entry)])].append(_entry_name(entry))
        return _make_result(
            Move.parse(move),
            self._side,
            _entry_name(target) if self._cells[self._index(target)] else None,
            {color: tuple(cells) for color, cells in by_color.items()},
            self._after(source, target, removed),
        )

    # Other forms

    def transform(self, symmetry: Symmetry) -> Position:
        """Return the position on the turned or mirrored board."""
        array = self.array
        transpose, flip_rows, flip_columns = symmetry.value
        if transpose:
            array = array.T
        array = array[:: -1 if flip_rows else 1, :: -1 if flip_columns else 1]
        cells = array[::-1].T.tobytes()
        return Position._unchecked(cells, symmetry.size(self._size), self._side, self._rules)

    def with_side_to_move(self, color: Color | int) -> Position:
        """Return the same stones with a side to move; raises `SetupError` if that has lost."""
        self_ = Position.__new__(Position)
        self_._fill(self._cells, self._size, _color(color), self._rules, [])
        return self_

    def to_json(self) -> dict[str, str]:
        """Return the position as data for JSON; `from_json` reads it."""
        return {"position": str(self)}

    def _repr_svg_(self) -> str:
        """Show the position as a picture in notebooks."""
        import formsgame  # drawing is above this module; the public face knows where

        return formsgame.to_svg(self)

    def __str__(self) -> str:
        cells = np.ascontiguousarray(self.array).tobytes()
        return notation.format_position(cells, self._size, self._side, self._rules)

    def __repr__(self) -> str:
        return f"Position.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return (
            self._cells == other._cells
            and self._size == other._size
            and self._side is other._side
            and self._rules == other._rules
        )

    def __hash__(self) -> int:
        return hash((self._cells, self._size, self._side, self._rules.number))

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: Any) -> Position:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (Position.parse, (str(self),))

    # Inside

    def _load(self, work: Workspace) -> None:
        kernels.load(np.frombuffer(self._cells, np.uint8), self.rows, self.columns, work.board)

    def _index(self, entry: int) -> int:
        """Return the index in `cells` of a board's entry."""
        column, row = _column_row(entry)
        return column * self._size.rows + row

    def _fault(self, move: Move) -> FormsError | None:
        """Return why a move is not legal, None if it is."""
        for column, row in move._key:
            if column >= self.columns or row >= self.rows:
                return IllegalMoveError(
                    "move.off_board",
                    move=str(move),
                    cell=notation.format_cell(column, row),
                    size=str(self._size),
                )
        work = _workspace()
        self._load(work)
        code = kernels.fault(
            work.board,
            self._rules.number,
            int(self._side),
            _entry(*move._key[0]),
            _entry(*move._key[1]),
            work.label,
            work.reached,
            work.queue,
        )
        return None if code == kernels.LEGAL else self._explain(move, code)

    def _explain(self, move: Move, code: int) -> IllegalMoveError:
        """Return the error for a kernel's reason."""
        data: dict[str, Any] = {"move": str(move)}
        source, target = move.source, move.target
        if code == kernels.EMPTY_SOURCE:
            data |= {"cell": source}
        elif code == kernels.NOT_YOURS:
            other = self._side
            data |= {"cell": source, "color": other.opponent.title, "other": other.title}
        elif code in (kernels.OWN_TARGET, kernels.EMPTY_TARGET):
            data |= {"cell": target}
        elif code == kernels.UNREACHABLE:
            data |= {"source": source, "target": target}
        return IllegalMoveError(_FAULTS[code], **data)

    def _checked(self, move: Move | str) -> tuple[int, int]:
        """Return source and target of a move as entries; raises when it is not legal."""
        move = Move.parse(move)
        error = self._fault(move)
        if error is not None:
            raise error
        return _entry(*move._key[0]), _entry(*move._key[1])

    def _removed(self, source: int, target: int) -> list[int]:
        """Return the entries that a legal move clears besides the captured one."""
        work = _workspace()
        self._load(work)
        count = kernels.list_removed(work.board, source, target, work.label, work.queue, work.cells)
        removed: list[int] = work.cells[:count].tolist()
        return removed

    def _after(self, source: int, target: int, removed: list[int]) -> Position:
        """Return the position after a move whose removed entries are known."""
        cells = bytearray(self._cells)
        cells[self._index(target)] = self._side
        cells[self._index(source)] = 0
        for entry in removed:
            cells[self._index(entry)] = 0
        return Position._unchecked(bytes(cells), self._size, self._side.opponent, self._rules)


class LegalMoves(Sequence[Move]):
    """The legal moves of a position, by source then target, made when they are asked for.

    With standard rules length, index and membership cost no list; with advanced rules the moves
    are found at the first question and kept as numbers.
    """

    __slots__ = ("_position", "_table")

    def __init__(self, position: Position) -> None:
        self._position = position
        self._table: Array | None = None

    def __len__(self) -> int:
        counts = self._position.counts
        if self._position.rules.captures_anywhere:
            return counts[BLACK] * counts[WHITE]
        return len(self._moves())

    @overload
    def __getitem__(self, index: int) -> Move: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Move, ...]: ...

    def __getitem__(self, index: int | slice) -> Move | tuple[Move, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        count = len(self)
        i = index + count if index < 0 else index
        if not 0 <= i < count:
            raise IndexError(f"move {index} of {count}")
        if self._position.rules.captures_anywhere:
            own, enemy = self._sides()
            source, target = divmod(i, len(enemy))
            return Move._from_cells(own[source], enemy[target])
        return decode_move(int(self._moves()[i]))

    def __iter__(self) -> Iterator[Move]:
        if self._position.rules.captures_anywhere:
            own, enemy = self._sides()
            for source in own:
                for target in enemy:
                    yield Move._from_cells(source, target)
        else:
            for code in self._moves().tolist():
                yield decode_move(code)

    def __contains__(self, move: object) -> bool:
        if isinstance(move, str):
            try:
                move = Move.parse(move)
            except NotationError:
                return False
        return isinstance(move, Move) and self._position.is_legal(move)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the index of a move; raises ValueError if it is not among them."""
        move = Move.parse(value)
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self[middle] < move:
                low = middle + 1
            else:
                high = middle
        if low < len(self) and self[low] == move and low in range(len(self))[start:stop]:
            return low
        raise ValueError(f"{move} is not among these moves")

    def count(self, value: Any) -> int:
        """Return 1 if a move is legal, else 0."""
        return int(value in self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LegalMoves):
            return self._position == other._position
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._position)

    def __repr__(self) -> str:
        return f"<{len(self)} legal moves of {self._position}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (LegalMoves, (self._position,))

    def _sides(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return the (column, row) of own and of enemy stones, kept with the position."""
        cache = self._position._cache
        if "sides" not in cache:
            side, rows = self._position.side_to_move, self._position.rows
            sides: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
            for index, code in enumerate(self._position.cells):
                if code:
                    sides[code != side].append(divmod(index, rows))
            cache["sides"] = sides
        found: tuple[list[tuple[int, int]], list[tuple[int, int]]] = cache["sides"]
        return found

    def _moves(self) -> Array:
        """Return the moves as numbers, int32[n]; found once for the position."""
        if self._table is None:
            position = self._position
            if "moves" not in position._cache:
                position._cache["moves"] = _list_moves(position)
            self._table = position._cache["moves"]
        return self._table


class Workspace(threading.local):
    """Buffers for the kernels, one set for each thread."""

    def __init__(self) -> None:
        self.board = np.zeros(CELLS, np.int8)
        self.label = np.zeros(CELLS, np.uint8)
        self.reached = np.zeros(CELLS, np.uint8)
        self.queue = np.zeros(CELLS, np.uint16)
        self.cells = np.zeros(CELLS, np.uint16)
        self.moves = np.zeros(4096, np.int32)


@functools.cache
def _workspace() -> Workspace:
    return Workspace()


_FAULTS = {
    kernels.OVER: "move.over",
    kernels.EMPTY_SOURCE: "move.empty_source",
    kernels.NOT_YOURS: "move.not_yours",
    kernels.SAME_CELL: "move.same_cell",
    kernels.OWN_TARGET: "move.own_target",
    kernels.EMPTY_TARGET: "move.empty_target",
    kernels.NOT_ADJACENT: "move.not_adjacent",
    kernels.UNREACHABLE: "move.unreachable",
    kernels.REMOVES_NOTHING: "move.removes_nothing",
}


def _set(position: Position, cells: bytes, size: Size, side: Color, rules: Rules) -> None:
    """Set the fields of a frozen position; written out, since every position passes here."""
    put = object.__setattr__
    put(position, "_cells", cells)
    put(position, "_size", size)
    put(position, "_side", side)
    put(position, "_rules", rules)
    put(position, "_cache", {})


def _make_result(
    move: Move,
    color: Color,
    captured: str | None,
    removed: dict[Color, tuple[str, ...]],
    position: Position,
) -> MoveResult:
    return MoveResult(move, color, captured, MappingProxyType(removed), position)


def _defects(cells: bytes, size: Size, side: Color) -> list[FormsError]:
    """Return everything that keeps stones from being a position."""
    defects: list[FormsError] = []
    counts = {color: cells.count(int(color)) for color in Color}
    if not any(counts.values()):
        return [FormsError("setup.empty")]
    if counts[side.opponent] == 0:
        defects.append(FormsError("setup.one_color", color=side.title, other=side.opponent.title))
    work = _workspace()
    kernels.load(np.frombuffer(cells, np.uint8), size.rows, size.columns, work.board)
    forms = kernels.list_forms(work.board, work.label, work.queue, work.cells)
    if forms > 1:
        names = [_entry_name(entry) for entry in work.cells[: min(forms, 8)].tolist()]
        defects.append(
            FormsError(
                "setup.disconnected",
                forms=forms,
                cells=", ".join(names) + (", …" if forms > 8 else ""),
            )
        )
    return defects


def _list_moves(position: Position) -> Array:
    """Return the legal moves of a position with advanced rules as numbers, int32[n]."""
    if position.is_over:
        return np.zeros(0, np.int32)
    work = _workspace()
    position._load(work)
    while True:
        count = kernels.list_moves(
            work.board,
            position.rules.number,
            int(position.side_to_move),
            work.label,
            work.reached,
            work.queue,
            work.cells,
            work.moves,
        )
        if count <= len(work.moves):
            return work.moves[:count].copy()
        work.moves = np.zeros(count, np.int32)


def _entry(column: int, row: int) -> int:
    """Return the board's entry of a cell."""
    return (column + 1) * STRIDE + row + 1


def _column_row(entry: int) -> tuple[int, int]:
    """Return the cell, (column, row) from 0 at a1, of a board's entry."""
    column, row = divmod(entry, STRIDE)
    return column - 1, row - 1


def _entry_name(entry: int) -> str:
    return notation.format_cell(*_column_row(entry))


def decode_move(code: int) -> Move:
    """Return the move that a kernel wrote as a number."""
    source, target = divmod(code, CELLS)
    return Move._from_cells(_column_row(source), _column_row(target))


def _color(color: Color | int) -> Color:
    """Return a color given as a color or its code; raises `NotationError` for another value."""
    try:
        return Color(color)
    except ValueError:
        raise NotationError("position.side", text=clip(color)) from None


assert MAX_SIDE + 2 == STRIDE
