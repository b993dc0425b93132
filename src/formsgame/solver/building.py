"""Building endgame tables as jobs that survive a kill, and checking those that are there.

A level is built from the finished ones below it, which workers map from a file, so on a cluster the
folder of the table must be one that all machines share. What a table says does not depend on who
builds it.
"""

from __future__ import annotations

import functools
import os
import random
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np

from formsgame import jobs
from formsgame.errors import TableError
from formsgame.kernels.board import Array
from formsgame.position import Position
from formsgame.rules import ADVANCED, BLACK, STANDARD, WHITE, Rules, Size, parse_rules
from formsgame.solver import filling, tables
from formsgame.solver.clock import Clock
from formsgame.solver.tables import Table
from formsgame.solver.verdict import Solver

#: Levels that are built at once, in less time than a worker takes to start.
QUICK_LEVELS = {STANDARD: 9, ADVANCED: 6}
#: Chunks of a level; many, so that a kill costs little.
CHUNKS = 64
#: Memory of the searches that tables are compared with.
MEMORY_MB = 16

#: Told how much of the whole is done: (done, total).
Report = Callable[[int, int], None]


def build_file(
    rules: Rules,
    levels: int,
    path: str | os.PathLike[str],
    *,
    workers: int | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
    report: Report | None = None,
    cancel: threading.Event | None = None,
) -> Table:
    """Build the table of all forms of up to `levels` stones into a file; returns it, mapped.

    What is done so far is kept in a folder beside the file, with `.parts` at the end of its name,
    and a build that was killed goes on from there; the file itself appears when it is whole.
    `report(done, total)` counts the table's bytes. For `workers`, `executor`, `cancel` and what is
    raised for them see `jobs.run`; raises `LimitError` for levels that no table has.
    """
    tables.check_levels(rules, levels)
    path = Path(path)
    parts = path.with_name(f"{path.name}.parts")
    parts.mkdir(parents=True, exist_ok=True)
    counts = tables.SHAPES[: levels + 1]
    total = sum(tables.level_bytes(rules, *pair) for pair in enumerate(counts))
    table = _resume(rules, levels, parts) or tables.build_table(
        rules, min(levels, QUICK_LEVELS[rules])
    )
    while table.levels < levels:
        lower = _lower_path(parts, table.levels)
        if not lower.exists():
            table.save(lower)
        level, done = table.levels + 1, len(table.wins)
        size = tables.level_bytes(rules, level, counts[level])

        def tell(progress: jobs.Progress, done: int = done, size: int = size) -> None:
            if report:
                report(done + size * progress.done // progress.total, total)

        folder = parts / f"{level:02d}"
        pieces = jobs.stream(
            functools.partial(fill_chunk, rules.name, str(lower.resolve())),
            level_chunks(level),
            journal=jobs.Journal(folder, "endgame table", {"rules": rules.name, "level": level}),
            workers=workers,
            executor=executor,
            report=tell,
            cancel=cancel,
        )
        wins = np.concatenate([np.frombuffer(piece, np.uint8) for piece in pieces])
        table = table.extend(filling.grown_keys(table.level_keys(table.levels)), wins)
        table.save(_lower_path(parts, level))
        lower.unlink()
        shutil.rmtree(folder)
    table.save(path)
    shutil.rmtree(parts)
    return Table.open(path, rules)


def check_file(
    path: str | os.PathLike[str],
    *,
    level: int | None = None,
    positions: int = 1000,
    seed: int = 0,
    workers: int | None = None,
    report: Report | None = None,
) -> Table:
    """Hold a table to the truth: derive one level (the last) anew and ask a search about positions.

    All bytes of the level are derived from the levels below; so many random positions, the same for
    the same `seed`, are searched without tables. `report(done, total)` counts chunks of the level
    and positions together. Returns the table. Raises `TableError` for a file that cannot be used
    (its header and checksum are looked at first) or that is wrong, naming the first place;
    `LimitError` for a level that it does not have or a bad number of workers.
    """
    path = Path(path)
    table = Table.open(path)
    level = table.levels if level is None else level
    tables.check_levels(table.rules, level, table.levels)
    chunks = level_chunks(level)
    total = len(chunks) + positions

    def tell(progress: jobs.Progress) -> None:
        if report:
            report(progress.done, total)

    below = table.shorten(level - 1)
    if not np.array_equal(filling.grown_keys(below.level_keys(level - 1)), table.level_keys(level)):
        raise _wrong(path, f"these are not the shapes of {level} stones")
    pieces = jobs.stream(
        functools.partial(fill_chunk, table.rules.name, str(path.resolve())),
        chunks,
        workers=workers,
        report=tell,
    )
    start = 0
    wins = table.level_wins(level)
    for chunk, piece in zip(chunks, pieces, strict=True):
        if bytes(piece) != wins[start : start + len(piece)].tobytes():
            raise _wrong(path, f"shapes {chunk[1]} to {chunk[2] - 1} of {level} stones")
        start += len(piece)
    solver = Solver(table.rules, memory_mb=MEMORY_MB, table=Table.empty(table.rules))
    found = random_positions(table.rules, table.levels, random.Random(seed))
    for number in range(positions):
        position = next(found)
        winner = solver.winner(position, Clock(None, None, None))
        assert winner is not None
        if table.wins_for_mover(position) != (winner is position.side_to_move):
            raise _wrong(path, f"{position} is won by {winner.title}")
        if report:
            report(len(chunks) + number + 1, total)
    return table


def level_chunks(level: int) -> list[tuple[int, int, int]]:
    """Return the chunks (level, first, last + 1) of a level's shapes."""
    count = tables.SHAPES[level]
    return [(level, *part) for part in jobs.split(count, -(-count // CHUNKS))]


def fill_chunk(rules: str, path: str, chunk: tuple[int, int, int]) -> bytes:
    """Return the bits of some shapes of a level; the file holds at least the levels below it."""
    level, first, last = chunk
    below, keys = _below(rules, path, level)
    return tables.fill_level(below, level, keys[first:last]).tobytes()


@functools.lru_cache(maxsize=1)
def _below(rules: str, path: str, level: int) -> tuple[Table, Array]:
    """Return the levels below one and the keys of the level."""
    below = Table.open(path, parse_rules(rules)).shorten(level - 1)
    return below, filling.grown_keys(below.level_keys(level - 1))


def random_positions(rules: Rules, stones: int, generator: random.Random) -> Iterator[Position]:
    """Yield positions with random forms of 2 to so many stones, on boards of all sizes.

    Most boards are hardly larger than the form, so that edges are felt.
    """
    while True:
        count = generator.randint(2, stones)
        form = {(0, 0)}
        while len(form) < count:
            x, y = generator.choice(sorted(form))
            form.add(generator.choice([(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]))
        lefts, bottoms = zip(*form, strict=True)
        limit = generator.choice([1, 2, 4, 26])
        rooms = [generator.randint(0, limit) for _ in range(4)]
        size = Size(
            max(bottoms) - min(bottoms) + 1 + rooms[0] + rooms[1],
            max(lefts) - min(lefts) + 1 + rooms[2] + rooms[3],
        )
        if max(size) > 26:
            continue
        colors: list[Any] = [BLACK, WHITE]
        colors += [generator.choice(colors) for _ in range(count - 2)]
        generator.shuffle(colors)
        array = np.zeros(size, np.uint8)
        for (x, y), color in zip(sorted(form), colors, strict=True):
            array[y - min(bottoms) + rooms[0], x - min(lefts) + rooms[2]] = color
        yield Position.from_array(array, generator.choice([BLACK, WHITE]), rules)


def _resume(rules: Rules, levels: int, parts: Path) -> Table | None:
    """Return the most levels that an earlier build has finished, None if there are none."""
    for level in range(levels, 0, -1):
        try:
            return Table.open(_lower_path(parts, level), rules)
        except TableError:
            _lower_path(parts, level).unlink(missing_ok=True)
    return None


def _lower_path(parts: Path, levels: int) -> Path:
    return parts / f"{levels:02d}.table"


def _wrong(path: Path, reason: str) -> TableError:
    return TableError("table.wrong", path=str(path), reason=reason)
