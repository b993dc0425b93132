"""Endgame tables as files and in memory: building, checking, opening and asking them.

A file is a line of JSON (magic, format, version, rules, levels, sizes and the SHA-256 of what
follows), padded with spaces to `HEADER_BYTES`, then the keys of all shapes as little-endian 64-bit
words and the bits; see `endings` for their order. It is mapped, not read, when it is asked.
"""

from __future__ import annotations

import functools
import hashlib
import json
import mmap
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from formsgame.errors import LimitError, TableError
from formsgame.kernels.board import Array
from formsgame.position import Position
from formsgame.rules import ADVANCED, STANDARD, Rules, shown
from formsgame.solver import endings, filling, shapes

MAGIC = "formsgame-table"
#: Version of the file's form; another one is refused.
FORMAT = 1
HEADER_BYTES = 512
#: Most stones of a form in a table that can be built: memory and time grow about sixfold a stone.
MOST_LEVELS = {STANDARD: 13, ADVANCED: 8}
#: Levels of the tables that come with the package.
SHIPPED_LEVELS = {STANDARD: 10, ADVANCED: 7}


def margin_caps(rules: Rules, levels: int) -> Array:
    """Return the largest margin told apart for each number of stones, int64[levels + 1]."""
    caps = np.zeros(levels + 1, np.int64)
    if rules is ADVANCED:
        caps[2:] = np.arange(levels - 1)
    return caps


@dataclass(frozen=True, eq=False)
class Table:
    """Who wins every form of up to `levels` stones; safe to ask from many threads.

    The arrays are those that `endings` describes.
    """

    rules: Rules
    levels: int
    keys: Array
    key_starts: Array
    bit_starts: Array
    caps: Array
    wins: Array

    @classmethod
    def empty(cls, rules: Rules) -> Table:
        """Return a table that knows nothing."""
        return cls._from_keys(rules, 0, [np.zeros(0, np.uint64)], None)

    @classmethod
    def _from_keys(
        cls, rules: Rules, levels: int, keys: Sequence[Array], wins: Array | None
    ) -> Table:
        caps = margin_caps(rules, levels)
        key_starts = np.zeros(levels + 2, np.int64)
        bit_starts = np.zeros(levels + 2, np.int64)
        for level in range(levels + 1):
            count = len(keys[level])
            key_starts[level + 1] = key_starts[level] + count
            bits = (count * (int(caps[level]) + 1) ** 4) << level
            bit_starts[level + 1] = bit_starts[level] + (bits + 7) // 8 * 8
        if wins is None:
            wins = np.zeros(int(bit_starts[-1]) // 8, np.uint8)
        return cls(rules, levels, np.concatenate(keys), key_starts, bit_starts, caps, wins)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Table:
        """Map a file; raises `TableError` for one that is damaged, cut short or none of ours."""
        return _open_table(Path(path))

    def wins_for_mover(self, position: Position) -> bool | None:
        """Return whether the side to move wins, None if the table does not hold the form.

        Takes some microseconds. Raises `LimitError` for a position of the other rule set.
        """
        if position.rules is not self.rules:
            raise LimitError(
                "limit.value",
                name="position",
                expected=f"one of {self.rules.name} rules",
                value=position.rules.name,
            )
        stones = [index for index, code in enumerate(position.cells) if code]
        if len(stones) > self.levels:
            return None
        work = _probe_work()
        side = int(position.side_to_move)
        own = 0
        for i, index in enumerate(stones):
            column, row = divmod(index, position.rows)
            work.rows[i] = position.rows - 1 - row
            work.columns[i] = column
            if position.cells[index] == side:
                own |= 1 << i
        count = len(stones)
        rows, columns = work.rows[:count], work.columns[:count]
        work.margins[0] = rows.min()
        work.margins[1] = position.rows - 1 - rows.max()
        work.margins[2] = columns.min()
        work.margins[3] = position.columns - 1 - columns.max()
        return bool(
            endings.probe(
                work.rows,
                work.columns,
                count,
                own,
                work.margins,
                self.keys,
                self.key_starts,
                self.bit_starts,
                self.caps,
                self.wins,
                work.order,
                work.scratch,
            )
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file, all of it or nothing."""
        path = Path(path)
        digest = hashlib.sha256(self.keys.astype("<u8").tobytes())
        digest.update(self.wins.data)
        header = json.dumps(
            {
                "magic": MAGIC,
                "format": FORMAT,
                "rules": self.rules.name,
                "levels": self.levels,
                "keys": len(self.keys),
                "bytes": len(self.wins),
                "sha256": digest.hexdigest(),
            }
        ).encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(header.ljust(HEADER_BYTES - 1) + b"\n")
                file.write(self.keys.astype("<u8").tobytes())
                file.write(self.wins.data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def build_table(
    rules: Rules,
    levels: int,
    *,
    report: Callable[[int, int, int], None] | None = None,
) -> Table:
    """Make the table of all forms of up to `levels` stones from nothing.

    `report(level, done, shapes)` is called between slices of a fraction of a second. Raises
    `LimitError` for levels that are not within 1 and `MOST_LEVELS`.
    """
    most = MOST_LEVELS[rules]
    if isinstance(levels, bool) or not isinstance(levels, int) or not 1 <= levels <= most:
        raise LimitError(
            "limit.value", name="levels", expected=f"within 1 to {most}", value=shown(levels)
        )
    keys = [np.zeros(0, np.uint64)]
    keys.extend(filling.shape_keys(level) for level in range(1, levels + 1))
    table = Table._from_keys(rules, levels, keys, None)
    captures = np.zeros_like(table.wins) if rules is STANDARD else np.zeros(0, np.uint8)
    for level in range(1, levels + 1):
        count = len(keys[level])
        chunk = max(1, min(count, 64))
        for first in range(0, count, chunk):
            if report:
                report(level, first, count)
            fill_level(table, captures, level, first, min(count, first + chunk))
        if report:
            report(level, count, count)
    table.wins.flags.writeable = False
    table.keys.flags.writeable = False
    return table


def fill_level(table: Table, captures: Array, level: int, first: int, last: int) -> None:
    """Fill the bits of shapes `first` to `last - 1` of a level; see `filling`."""
    common = (level, first, last, table.keys, table.key_starts, table.bit_starts)
    if table.rules is STANDARD:
        filling.fill_standard(*common, table.wins, captures)
    else:
        filling.fill_advanced(*common, table.caps, table.wins)


def shipped_path(rules: Rules) -> Path:
    """Return the file of the table that comes with the package."""
    with resources.as_file(resources.files("formsgame.solver") / "data") as folder:
        return folder / f"{rules.name}.table"


def look_in(folder: str | os.PathLike[str]) -> None:
    """Look for tables in a folder too, before the next position is solved."""
    _folders.append(Path(folder))
    best_table.cache_clear()


@functools.cache
def best_table(rules: Rules) -> Table:
    """Return the largest sound table at hand, an empty one if there is none.

    The package brings one; `look_in` names folders with larger ones. What cannot be used is passed
    over: `formsgame tables info` names it.
    """
    found = Table.empty(rules)
    for path in (shipped_path(rules), *table_files(rules)):
        try:
            table = Table.open(path)
        except TableError:
            continue
        if table.rules is rules and table.levels > found.levels:
            found = table
    return found


def table_files(rules: Rules) -> list[Path]:
    """Return the files of a rule set in the folders that `look_in` named."""
    return [path for folder in _folders for path in sorted(folder.glob(f"{rules.name}*.table"))]


_folders: list[Path] = []


def _open_table(path: Path) -> Table:
    """Map and check a file."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < HEADER_BYTES:
                raise TableError("table.foreign", path=str(path))
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TableError("table.unreadable", path=str(path), reason=reason) from None
    header = _read_header(path, data[:HEADER_BYTES])
    rules = STANDARD if header["rules"] == STANDARD.name else ADVANCED
    levels, key_count, wins_bytes = header["levels"], header["keys"], header["bytes"]
    if size != HEADER_BYTES + 8 * key_count + wins_bytes:
        raise TableError("table.damaged", path=str(path), reason="its length is wrong")
    if hashlib.sha256(memoryview(data)[HEADER_BYTES:]).hexdigest() != header["sha256"]:
        raise TableError("table.damaged", path=str(path), reason="its checksum is wrong")
    all_keys = np.frombuffer(data, "<u8", key_count, HEADER_BYTES)
    wins = np.frombuffer(data, np.uint8, wins_bytes, HEADER_BYTES + 8 * key_count)
    keys = _split_keys(all_keys, levels)
    table = Table._from_keys(rules, levels, keys, wins)
    if int(table.bit_starts[-1]) // 8 != wins_bytes:
        raise TableError("table.damaged", path=str(path), reason="its bits do not fit its shapes")
    table.keys.flags.writeable = False
    return table


def _read_header(path: Path, data: bytes) -> dict[str, Any]:
    """Return the header of a file, its fields of the right types and within bounds."""
    try:
        header = json.loads(data.decode("ascii"))
    except ValueError:
        raise TableError("table.foreign", path=str(path)) from None
    if not isinstance(header, dict) or header.get("magic") != MAGIC:
        raise TableError("table.foreign", path=str(path))
    if header.get("format") != FORMAT:
        raise TableError("table.format", path=str(path), found=shown(header.get("format")))
    numbers = [header.get(name) for name in ("levels", "keys", "bytes")]
    if (
        header.get("rules") not in (STANDARD.name, ADVANCED.name)
        or not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in numbers)
        or header["levels"] > shapes.MOST_CELLS
    ):
        raise TableError("table.damaged", path=str(path), reason="its header makes no sense")
    return header


def _split_keys(keys: Array, levels: int) -> list[Array]:
    """Return the keys level by level."""
    counts = np.bitwise_count(keys & np.uint64((1 << 56) - 1))
    return [keys[counts == level] for level in range(levels + 1)]


class _ProbeWork(threading.local):
    """Buffers for asking a table, one set for each thread."""

    def __init__(self) -> None:
        size = shapes.MOST_CELLS + 2
        self.rows = np.zeros(size, np.int64)
        self.columns = np.zeros(size, np.int64)
        self.margins = np.zeros(4, np.int64)
        self.order = np.zeros(size, np.int64)
        self.scratch = np.zeros((2, size), np.int64)


@functools.cache
def _probe_work() -> _ProbeWork:
    return _ProbeWork()
