"""Endgame tables as files and in memory: opening, finding and asking them; see `building`.

A file is a line of JSON (magic, format, version, rules, levels, sizes and the SHA-256 of what
follows), padded with spaces to `HEADER_BYTES`, then the keys of all shapes as little-endian 64-bit
words and the bits; see `endings` for their order. It is mapped, not read, when it is asked.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import mmap
import os
import re
import stat
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import numpy as np

from formsgame.errors import LimitError, TableError
from formsgame.kernels.board import Array
from formsgame.position import Position
from formsgame.rules import ADVANCED, STANDARD, Rules, Size, shown
from formsgame.solver import endings, filling, shapes

MAGIC = "formsgame-table"
#: Version of the file's form; another one is refused.
FORMAT = 1
HEADER_BYTES = 512
#: Folder of tables within the user's data folder.
FOLDER = "tables"
#: Most stones of a form in a table that can be built: memory and time grow about sixfold a stone.
MOST_LEVELS = {STANDARD: 13, ADVANCED: 9}
#: Levels of the tables that come with the package.
SHIPPED_LEVELS = {STANDARD: 10, ADVANCED: 7}
#: Number of shapes for each number of stones (OEIS A000105, but none of no stones).
SHAPES = (0, 1, 1, 2, 5, 12, 35, 108, 369, 1285, 4655, 17073, 63600, 238591)


def margin_caps(rules: Rules, levels: int) -> Array:
    """Return the largest margin told apart for each number of stones, int64[levels + 1]."""
    caps = np.zeros(levels + 1, np.int64)
    if rules is ADVANCED:
        caps[2:] = np.arange(levels - 1)
    return caps


def level_bytes(rules: Rules, level: int, shapes: int) -> int:
    """Return the bytes that so many shapes of a level take."""
    cap = level - 2 if rules is ADVANCED and level > 2 else 0
    return ((shapes * (cap + 1) ** 4 << level) + 7) // 8


@dataclass(frozen=True, eq=False)
class Table:
    """Who wins every form of up to `levels` stones; safe to ask from many threads.

    The arrays are those that `endings` describes, `keys` and `wins` read-only. `path` is the file
    they are mapped from, if any.
    """

    rules: Rules
    levels: int
    keys: Array
    key_starts: Array
    bit_starts: Array
    caps: Array
    wins: Array
    path: Path | None = None

    @classmethod
    def empty(cls, rules: Rules) -> Table:
        """Return a table that knows nothing."""
        return cls.assemble(rules, (0,), np.zeros(0, np.uint64), np.zeros(0, np.uint8))

    @classmethod
    def assemble(cls, rules: Rules, counts: Sequence[int], keys: Array, wins: Array) -> Table:
        """Return the table of the arrays that a file holds; `counts` are those of the shapes."""
        levels = len(counts) - 1
        key_starts = np.zeros(levels + 2, np.int64)
        bit_starts = np.zeros(levels + 2, np.int64)
        for level, count in enumerate(counts):
            key_starts[level + 1] = key_starts[level] + count
            bit_starts[level + 1] = bit_starts[level] + 8 * level_bytes(rules, level, count)
        return cls(
            rules,
            levels,
            filling.frozen(keys),
            key_starts,
            bit_starts,
            margin_caps(rules, levels),
            filling.frozen(wins),
        )

    @classmethod
    def open(cls, path: str | os.PathLike[str], rules: Rules | None = None) -> Table:
        """Map a file, which must not be written to while it is in use (replacing it is fine).

        Raises `TableError` for one that is damaged, cut short, none of ours or not of `rules`.
        """
        return replace(_open_table(Path(path), rules), path=Path(path))

    def extend(self, keys: Array, wins: Array) -> Table:
        """Return the table with a level more: the keys of its shapes and its bits."""
        return Table.assemble(
            self.rules,
            (*np.diff(self.key_starts).tolist(), len(keys)),
            np.concatenate((self.keys, keys)),
            np.concatenate((self.wins, wins)),
        )

    def shorten(self, levels: int) -> Table:
        """Return the table without its upper levels."""
        counts = np.diff(self.key_starts)[: levels + 1].tolist()
        keys = self.keys[: self.key_starts[levels + 1]]
        wins = self.wins[: self.bit_starts[levels + 1] >> 3]
        return Table.assemble(self.rules, counts, keys, wins)

    def level_keys(self, level: int) -> Array:
        """Return the keys of a level's shapes."""
        return self.keys[self.key_starts[level] : self.key_starts[level + 1]]

    def level_wins(self, level: int) -> Array:
        """Return the bits of a level, uint8[n]."""
        return self.wins[self.bit_starts[level] >> 3 : self.bit_starts[level + 1] >> 3]

    def wins_for_mover(self, position: Position) -> bool | None:
        """Return whether the side to move wins, None if the table does not hold the form.

        Takes a few microseconds. Raises `LimitError` for a position of the other rule set.
        """
        if position.rules is not self.rules:
            raise LimitError(
                "limit.value",
                name="position",
                expected=f"one of {self.rules.name} rules",
                value=position.rules.name,
            )
        found = endings.probe_cells(
            np.frombuffer(position.cells, np.uint8),
            position.rows,
            int(position.side_to_move),
            self.levels,
            self.keys,
            self.key_starts,
            self.bit_starts,
            self.caps,
            self.wins,
        )
        return None if found < 0 else found == 1

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file, all of it or nothing."""
        path = Path(path)
        keys = self.keys.astype("<u8", copy=False)
        digest = hashlib.sha256(keys.data)
        digest.update(self.wins.data)
        header = _make_header(self.rules, self.levels, digest.hexdigest())
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(header)
                file.write(keys.data)
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
    box: Size | None = None,
    report: Callable[[int, int, int], None] | None = None,
) -> Table:
    """Make the table of all forms of up to `levels` stones from nothing, in memory.

    With a `box`, for standard rules, of those forms alone that fit a board of this size, as they
    are or turned: all that a game on it can come to, in so much less room that more levels fit.

    `report(level, done, shapes)` is called between slices of a fraction of a second. Raises
    `LimitError` for levels that are not within 1 and `MOST_LEVELS`.
    """
    check_levels(rules, levels, shapes.MOST_CELLS if box and rules is STANDARD else None)
    table = Table.empty(rules)
    for level in range(1, levels + 1):
        keys = filling.grown_keys(table.level_keys(level - 1), box)
        place = len(table.wins)
        wins = np.zeros(place + level_bytes(rules, level, len(keys)), np.uint8)
        wins[:place] = table.wins
        for first in range(0, len(keys), 64):
            if report:
                report(level, first, len(keys))
            part = fill_level(table, level, keys[first : first + 64])
            wins[place : place + len(part)] = part
            place += len(part)
        if report:
            report(level, len(keys), len(keys))
        counts = (*np.diff(table.key_starts).tolist(), len(keys))
        table = Table.assemble(rules, counts, np.concatenate((table.keys, keys)), wins)
    return table


def check_levels(rules: Rules, levels: int, most: int | None = None) -> None:
    """Raise `LimitError` for levels that no table (or none of `most` levels) has."""
    most = MOST_LEVELS[rules] if most is None else most
    if isinstance(levels, bool) or not isinstance(levels, int) or not 1 <= levels <= most:
        raise LimitError(
            "limit.value", name="levels", expected=f"within 1 to {most}", value=shown(levels)
        )


def fill_level(table: Table, level: int, keys: Array) -> Array:
    """Return the bits, uint8[n], of some shapes of a level from a table of the levels below.

    For levels above 2 the bits of many shapes are those of the single shapes one after the other.
    """
    out = np.zeros(level_bytes(table.rules, level, len(keys)), np.uint8)
    below = (table.keys, table.key_starts, table.bit_starts)
    if table.rules is STANDARD:
        filling.fill_standard(level, keys, *below, table.wins, out)
    else:
        filling.fill_advanced(level, keys, *below, margin_caps(table.rules, level), table.wins, out)
    return out


def shipped_path(rules: Rules) -> Path:
    """Return the file of the table that comes with the package."""
    with resources.as_file(resources.files("formsgame.solver") / "data") as folder:
        return folder / f"{rules.name}.table"


def look_in(folder: str | os.PathLike[str]) -> None:
    """Look for tables in a folder too, before the next position is solved."""
    if Path(folder) not in _folders:
        _folders.append(Path(folder))
        best_table.cache_clear()


@functools.cache
def best_table(rules: Rules) -> Table:
    """Return the largest sound table at hand, an empty one if there is none.

    The package brings one; `look_in` names folders with larger ones. What cannot be used is passed
    over: `formsgame tables info` names it.
    """
    candidates = []
    for path in table_files():
        with contextlib.suppress(TableError):
            found, levels, _ = _read_header(path)
            if found is rules:
                candidates.append((levels, path))
    for _, path in sorted(candidates, reverse=True, key=lambda candidate: candidate[0]):
        with contextlib.suppress(TableError):
            return Table.open(path, rules)
    return Table.empty(rules)


def table_files() -> list[Path]:
    """Return all files at hand: those of the package and in the folders that `look_in` named."""
    found = [shipped_path(rules) for rules in (STANDARD, ADVANCED)]
    for folder in _folders:
        with contextlib.suppress(OSError):
            found.extend(sorted(folder.glob("*.table")))
    return found


_folders: list[Path] = []


def _make_header(rules: Rules, levels: int, digest: str) -> bytes:
    """Return the only header that a file of some levels may have."""
    values = {
        "magic": MAGIC,
        "format": FORMAT,
        "rules": rules.name,
        "levels": levels,
        "keys": sum(SHAPES[: levels + 1]),
        "bytes": _wins_bytes(rules, levels),
        "sha256": digest,
    }
    return json.dumps(values).encode().ljust(HEADER_BYTES - 1) + b"\n"


def _wins_bytes(rules: Rules, levels: int) -> int:
    return sum(level_bytes(rules, level, SHAPES[level]) for level in range(levels + 1))


def _open_table(path: Path, wanted: Rules | None) -> Table:
    """Map and check a file."""
    rules, levels, digest = _read_header(path)
    if wanted is not None and rules is not wanted:
        raise TableError("table.rules", path=str(path), found=rules.name, expected=wanted.name)
    key_count, wins_bytes = sum(SHAPES[: levels + 1]), _wins_bytes(rules, levels)
    size = HEADER_BYTES + 8 * key_count + wins_bytes
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != size:
                raise TableError("table.damaged", path=str(path), reason="its length is wrong")
            data = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    with memoryview(data) as view, view[HEADER_BYTES:] as body:
        if hashlib.sha256(body).hexdigest() != digest:
            raise TableError("table.damaged", path=str(path), reason="its checksum is wrong")
    keys = np.frombuffer(data, "<u8", key_count, HEADER_BYTES)
    wins = np.frombuffer(data, np.uint8, wins_bytes, HEADER_BYTES + 8 * key_count)
    table = Table.assemble(rules, SHAPES[: levels + 1], keys, wins)
    for level in range(1, levels + 1):
        part = table.level_keys(level)
        counts = np.bitwise_count(part & np.uint64((1 << 56) - 1))
        if (counts != level).any() or (part[1:] <= part[:-1]).any():
            raise TableError("table.damaged", path=str(path), reason="its shapes make no sense")
    return table


def _read_header(path: Path) -> tuple[Rules, int, str]:
    """Return the rules, levels and SHA-256 that the head of a file claims, and nothing else can."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise TableError("table.foreign", path=str(path))
        with path.open("rb") as file:
            data = file.read(HEADER_BYTES)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    try:
        header = json.loads(data.decode("ascii"))
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("magic") != MAGIC:
        raise TableError("table.foreign", path=str(path))
    number = header.get("format")
    if type(number) is not int or number != FORMAT:
        raise TableError("table.format", path=str(path), found=shown(number))
    levels, digest = header.get("levels"), header.get("sha256")
    for rules in (STANDARD, ADVANCED):
        if (
            header.get("rules") == rules.name
            and type(levels) is int
            and 1 <= levels <= MOST_LEVELS[rules]
            and isinstance(digest, str)
            and re.fullmatch("[0-9a-f]{64}", digest)
            and data == _make_header(rules, levels, digest)
        ):
            return rules, levels, digest
    raise TableError("table.damaged", path=str(path), reason="its header makes no sense")


def _unreadable(path: Path, error: OSError | ValueError) -> TableError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return TableError("table.unreadable", path=str(path), reason=reason)
