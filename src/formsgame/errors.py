"""Every error of the package: one small tree, each error with a stable code and its data.

An error is raised with a code and the values that belong to it; the English sentence is made
from the table below, and other languages translate the same templates by code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "EngineBusyError",
    "FormsError",
    "IllegalMoveError",
    "JobError",
    "LimitError",
    "NotationError",
    "RecordError",
    "SetupError",
    "SizeError",
    "StorageError",
    "TableError",
]

#: Template of the English sentence for every code.
MESSAGES: dict[str, str] = {
    # notation
    "text.type": "{what} must be text, not {type}",
    "text.length": "{what} is {length} characters long; at most {limit} are read",
    "cell.syntax": "{text!r} is not a cell: expected a letter a to z and a row number 1 to 26",
    "cell.off_board": "{cell} is not on this {size} board",
    "move.syntax": "{text!r} is not a move: at character {place}, {reason}",
    "position.fields": (
        "a position has three fields, PLACEMENT SIDE RULES; {count} found in {text!r}"
    ),
    "position.placement": "placement {text!r}: at character {place}, {reason}",
    "position.ragged": "placement row {row} is {found} long where row 1 is {expected} long",
    "position.rows": "placement has {found} rows; at most {limit} fit",
    "position.columns": "placement row {row} is longer than {limit} cells",
    "position.side": "side to move is {text!r}; expected 'x' (Black) or 'o' (White)",
    "position.json": "position data: {reason}",
    "rules.name": "rules are {text!r}; expected 'standard' or 'advanced'",
    # sizes
    "size.syntax": "{text!r} is not a board size: expected 8 or 4x6, (rows, columns)",
    "size.range": "a board of {rows}x{columns} cells: rows and columns go from 1 to {limit}",
    "size.start": "no game starts on {rows}x{columns} with {rules} rules: {reason}",
    # setting up
    "setup.defects": "not a position of Forms: {defects}",
    "setup.empty": "there are no stones",
    "setup.disconnected": (
        "the stones make {forms} forms instead of one (separate ones at {cells})"
    ),
    "setup.one_color": ("only {color} has stones, so {other} has won and must be the side to move"),
    "setup.code": "cell {cell} holds {value}; cells are 0 empty, 1 Black, 2 White",
    "setup.twice": "cell {cell} is given twice",
    "setup.cells": "{found} cells for a board of {expected}",
    # moves
    "move.over": "{move}: the game is over",
    "move.off_board": "{move}: {cell} is not on this {size} board",
    "move.empty_source": "{move}: there is no stone on {cell}",
    "move.not_yours": "{move}: the stone on {cell} is {color}'s, and it is {other}'s turn",
    "move.same_cell": "{move}: source and target are the same cell",
    "move.own_target": "{move}: your own stone stands on {cell}",
    "move.empty_target": "{move}: {cell} is empty; with standard rules a move always captures",
    "move.not_adjacent": "{move}: a stone captures only on the four cells next to it",
    "move.unreachable": "{move}: no path over empty cells leads from {source} to {target}",
    "move.removes_nothing": "{move}: a slide must remove at least one stone",
    # records
    "record.type": "a record must be text, not {type}",
    "record.source": "records are read from a path, a file or lines, not {type}",
    "record.decoding": "the file cannot be read as {encoding}: {reason}",
    "record.none": "line {line}, column {column}: there is no game here",
    "record.second": "line {line}, column {column}: a second game starts; one was expected",
    "record.unexpected": "line {line}, column {column}: {text!r} was not expected here",
    "record.move": "line {line}, column {column}: {cause}",
    "record.tag": "line {line}, column {column}: tag {name}: {cause}",
    "record.tag_syntax": (
        'line {line}, column {column}: a tag is written [Name "value"] on one line'
    ),
    "record.tag_twice": "line {line}, column {column}: tag {name} is given twice",
    "record.tag_disagrees": (
        "line {line}, column {column}: tag {name} is {found!r}, but the position says {expected!r}"
    ),
    "record.no_start": (
        "line {line}, column {column}: tags Rules and Size, or Position, must say where it starts"
    ),
    "record.open_comment": "line {line}, column {column}: this comment is never closed",
    "record.open_variation": "line {line}, column {column}: this variation is never closed",
    "record.close": "line {line}, column {column}: no variation is open here",
    "record.empty_variation": "line {line}, column {column}: a variation starts with a move",
    "record.no_move": "line {line}, column {column}: {text!r} must follow a move",
    "record.glyph": (
        "line {line}, column {column}: {text!r} is no glyph; expected $0 to $255 or ! ? !! ?? !? ?!"
    ),
    "record.nesting": (
        "line {line}, column {column}: variations are nested more than {limit} deep"
    ),
    "record.length": (
        "line {line}, column {column}: the game is more than {limit} characters long"
    ),
    "record.encoding": "line {line}, column {column}: {text} is not UTF-8",
    "record.result": (
        "line {line}, column {column}: {text!r} is no result; expected B+ B+R B+T W+ W+R W+T or *"
    ),
    "record.no_result": "line {line}, column {column}: the moves end without the result",
    "record.result_disagrees": (
        "line {line}, column {column}: the result is {found}, but {by} says {expected}"
    ),
    "record.json": "game data: {reason}",
    "record.over": "the game is over ({result})",
    "record.header": "tag {name!r}: {reason}",
    "record.note": "{what}: {reason}",
    "record.root": "the start of a game is not a move: it cannot be moved or deleted",
    "record.first": "this is the start of the game; no move leads to it",
    "record.last": "there is no continuation {variation} here; there are {count}",
    "record.node": "this move was deleted, or is part of another game",
    # budgets, seeds, engines
    "limit.value": "{name} must be {expected}, not {value}",
    "engine.busy": "this engine is thinking already; one thought at a time",
    "engine.closed": "this engine is closed",
    "engine.over": "the game is over; there is nothing to think about",
    "engine.start": "{engine} cannot be started: {reason}",
    "engine.ended": "{engine} ended when it was to answer {command!r}: {reason}",
    "engine.silent": "{engine} did not answer {command!r} within {seconds} seconds",
    "engine.answer": "{engine} answered {command!r} with {answer!r}: {reason}",
    "engine.illegal": "{engine} answered {command!r} with a move against the rules: {cause}",
    "engine.option": "{engine} has no option {name!r} (it has {known})",
    # jobs
    "jobs.failed": "chunk {number} {chunk} failed: {reason}",
    "jobs.lost": "chunk {number} {chunk} was given up after {count} attempts: {reason}",
    "jobs.process": "a worker process ended in the middle of its task ({reason})",
    "jobs.cancelled": "cancelled when {done} of {total} chunks were done",
    "jobs.foreign": "{path} belongs to {found}, not to {expected}",
    "jobs.busy": "{path} is in use by another run",
    "jobs.journal": "{path} cannot be used as a journal: {reason}",
    # storage
    "storage.newer": "{path} was written by a newer version (schema {found}, known {known})",
    "storage.damaged": "{path} is damaged: {reason}",
    "storage.foreign": "{path} is not a database of Forms; it is left as it is",
    "storage.busy": "{path} is in use by another program; try again",
    "storage.failed": "{path} cannot be used: {reason}",
    # endgame tables
    "table.foreign": "{path} is not an endgame table of formsgame",
    "table.format": "{path} is an endgame table of another form (version {found})",
    "table.damaged": "{path} is damaged: {reason}",
    "table.rules": "{path} is an endgame table of {found} rules, not of {expected}",
    "table.wrong": "{path} is wrong about what search proves: {reason}",
    "table.unreadable": "{path} cannot be read: {reason}",
}


class FormsError(Exception):
    """Base of every error of the package; `code` is stable, `data` holds the values."""

    def __init__(self, code: str, **data: Any) -> None:
        self.code = code
        self.data = data
        super().__init__(code)

    @property
    def template(self) -> str:
        """The English sentence with the names of the data in braces."""
        return MESSAGES[self.code]

    def sentence(self, translate: Callable[[str], str]) -> str:
        """Return the sentence in another language, given what turns a template into it."""
        return translate(self.template).format(**self.data)

    @property
    def message(self) -> str:
        """The English sentence."""
        return self.sentence(str)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.code, self.data))


class NotationError(FormsError, ValueError):
    """Text (or JSON) that is not a cell, a move or a position; `place` counts from 1."""

    @property
    def place(self) -> int | None:
        """Character at which reading stopped, counted from 1, where there is one."""
        place: int | None = self.data.get("place")
        return place


class SizeError(FormsError, ValueError):
    """A board size that does not exist or on which no game starts."""


class SetupError(FormsError, ValueError):
    """Stones that are not a position of Forms; `defects` names everything that is wrong."""

    @property
    def defects(self) -> tuple[FormsError, ...]:
        """Every defect, each an error with its own code and data."""
        defects: tuple[FormsError, ...] = self.data["defects"]
        return defects

    def sentence(self, translate: Callable[[str], str]) -> str:
        """Return the sentence in another language, with every defect."""
        defects = "; ".join(defect.sentence(translate) for defect in self.defects)
        return translate(self.template).format(defects=defects)


class IllegalMoveError(FormsError, ValueError):
    """A move the rules forbid; `code` says why."""

    @property
    def move(self) -> str:
        """The move, as it was understood."""
        return str(self.data["move"])


class RecordError(FormsError, ValueError):
    """A game record that cannot be read; `line` and `column` count from 1."""

    @property
    def line(self) -> int:
        """Line at which reading stopped, counted from 1."""
        return int(self.data.get("line", 1))

    @property
    def column(self) -> int:
        """Column at which reading stopped, counted from 1."""
        return int(self.data.get("column", 1))


class LimitError(FormsError, ValueError):
    """A budget, count, seed, level or depth outside its range."""


class EngineBusyError(FormsError, RuntimeError):
    """An engine asked for a second thought while thinking, after closing, or after the end."""


class JobError(FormsError, RuntimeError):
    """A job that was cancelled or cannot go on; `number` is that of the chunk it stopped at."""

    @property
    def number(self) -> int | None:
        """Number of the chunk that stopped the job, counted from 0, where one did."""
        number: int | None = self.data.get("number")
        return number


class StorageError(FormsError, RuntimeError):
    """Stored games that cannot be opened."""


class TableError(FormsError, RuntimeError):
    """An endgame table that cannot be used."""


def _rebuild(kind: type[FormsError], code: str, data: dict[str, Any]) -> FormsError:
    """Make an unpickled error again from its code and data."""
    return kind(code, **data)
