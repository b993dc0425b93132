"""Measures how fast the package is on this machine, beside other programs where they are given.

Speeds are by processor time, so that a busy machine changes them little; the times of whole
processes are by the clock. Each is measured in turn with a reference: the engine with playouts from
the same position, the rest with a loop that has nothing to do with the package. So reports can be
compared though their machines were not equally fast. Other programs make a figure worse only, so
that the best of several is what is compared.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numba
import numpy as np

import formsgame
from formsgame.engine import LEVELS, Engine, Thought
from formsgame.errors import LimitError
from formsgame.kernels.board import Array, Int
from formsgame.limit import Limit
from formsgame.match import Settings, opening
from formsgame.position import Position
from formsgame.rules import ADVANCED, STANDARD, Rules
from formsgame.simulate import PlayoutBatch, Policy, perft_checked

#: Start positions whose perft is timed: rules, depth.
PERFTS = ((STANDARD, 3), (ADVANCED, 3), (ADVANCED, 4))
SIZES = (8, 12, 18, 26)
#: The engine: sizes, random plies from the start, seconds of a thought, nodes of a timed one,
#: seconds of the playouts beside.
ENGINE_SIZES = (8, 12, 18)
ENGINE_PLIES = 6
ENGINE_SECONDS = 0.5
ENGINE_NODES = 5_000
BESIDE_SECONDS = 0.15
#: Processor time of one run of playouts, in seconds.
TIMED_SECONDS = 0.5
RULES = (STANDARD, ADVANCED)
#: Steps of the loop that everything is compared with.
REFERENCE_STEPS = 10_000_000

#: Units of which more is better; of all others less is.
SPEEDS = ("M positions/s", "playouts/s", "nodes/s")
#: Units of what is measured by the clock of a machine that does other things, too.
UNSTEADY = ("s a process",)
#: By how much a figure may be worse before it counts as a regression, and how often it is measured
#: again before that is believed.
TOLERANCE = 0.10
RETRIES = 2


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: the median of several runs, in `unit`, and that of the other program.

    `best` is the best run, `reference` the best speed of what was measured in turn with it.
    """

    name: str
    value: float
    unit: str
    yardstick: float | None = None
    note: str = ""
    best: float | None = None
    reference: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the other program's value this is, None where there is none."""
        return self.value / self.yardstick if self.yardstick else None

    @property
    def merit(self) -> float | None:
        """The best beside the reference, the higher the better; None for what is unsteady."""
        if self.unit in UNSTEADY or not self.best or not self.reference:
            return None
        if self.unit == "MB":
            return 1 / self.best
        return (self.best if self.unit in SPEEDS else 1 / self.best) / self.reference

    def better_of(self, other: Row) -> Row:
        """Return the row with the best of both."""
        pick = max if self.unit in SPEEDS else min
        return replace(
            self,
            best=pick(self.best or self.value, other.best or other.value),
            reference=max(self.reference or 0, other.reference or 0),
        )


@dataclass(frozen=True, slots=True)
class Change:
    """A figure beside that of an earlier run; `factor` is how many times better it is."""

    name: str
    factor: float

    @property
    def is_regression(self) -> bool:
        """Whether it is so much worse that it counts."""
        return self.factor < 1 / (1 + TOLERANCE)


@dataclass(frozen=True, slots=True)
class Report:
    """All measurements of a run, and the machine they were made on."""

    machine: dict[str, str]
    rows: tuple[Row, ...]

    def to_json(self) -> str:
        """Return the report as JSON text."""
        rows = [asdict(row) | {"ratio": row.ratio} for row in self.rows]
        return json.dumps({"machine": self.machine, "rows": rows}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Return the report that `to_json` wrote; raises `LimitError` for any other text."""
        try:
            data = json.loads(text)
            rows = [
                Row(**{name: value for name, value in row.items() if name != "ratio"})
                for row in data["rows"]
            ]
            report = cls(dict(data["machine"]), tuple(rows))
            [row.merit for row in rows]  # raises for what is no number
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise LimitError(
                "limit.value",
                name="compare",
                expected="a file that bench --json wrote",
                value="another",
            ) from None
        return report

    def compare(self, before: Report) -> tuple[Change, ...]:
        """Return how the figures that both reports have stand to those of an earlier run."""
        earlier = {row.name: row.merit for row in before.rows}
        changes = []
        for row in self.rows:
            merit, old = row.merit, earlier.get(row.name)
            if merit is not None and old is not None:
                changes.append(Change(row.name, merit / old))
        return tuple(changes)

    def better_of(self, other: Report) -> Report:
        """Return these rows with the best of both reports."""
        others = {row.name: row for row in other.rows}
        rows = tuple(row.better_of(others.get(row.name, row)) for row in self.rows)
        return replace(self, rows=rows)

    def to_text(self) -> str:
        """Return the report as a table in plain text."""
        lines = [f"{'measurement':<38}{'value':>12} {'unit':<16}{'beside':>12}{'ratio':>7}  note"]
        for row in self.rows:
            beside = f"{_number(row.yardstick):>12}{row.ratio:>7.2f}" if row.yardstick else ""
            line = f"{row.name:<38}{_number(row.value):>12} {row.unit:<16}{beside:<19}  {row.note}"
            lines.append(line.rstrip())
        return "\n".join(lines) + "\n"


def run(
    *,
    quick: bool = False,
    yardstick: Path | None = None,
    report: Callable[[str], None] | None = None,
    only: Collection[str] | None = None,
) -> Report:
    """Measure perft, playouts, the engine, start-up and memory; one thread, medians of some runs.

    `yardstick` is a folder with the programs `perft` and `playouts` (or their `.cpp` sources, which
    are then compiled with g++) that are run in turn with the package's own. `report(name)` is
    called before each measurement; `only` are the names of those to make. Raises `LimitError` for a
    folder that holds neither program.
    """
    runs = 1 if quick else 5
    with tempfile.TemporaryDirectory() as scratch:
        programs = _programs(yardstick, Path(scratch)) if yardstick else {}
        rows: list[Row] = []
        for name, unit, measure, beside in _measurements(programs):
            if only is not None and name not in only:
                continue
            if report:
                report(name)
            references = [beside()]
            found: list[_Found] = []
            for _ in range(runs):
                found.append(measure())
                references.append(beside())
            values = [value for value, _other, _note in found]
            others = [other for _value, other, _note in found if other is not None]
            rows.append(
                Row(
                    name,
                    statistics.median(values),
                    unit,
                    statistics.median(others) if others else None,
                    found[-1][2],
                    max(values) if unit in SPEEDS else min(values),
                    max(references),
                )
            )
    machine = {
        "formsgame": formsgame.__version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "system": platform.platform(),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
    }
    return Report(machine, tuple(rows))


def run_beside(
    before: Report,
    *,
    quick: bool = False,
    yardstick: Path | None = None,
    report: Callable[[str], None] | None = None,
) -> Report:
    """Measure as `run` does, and again what seems to be worse than in an earlier report.

    Of what is measured more than once the best counts: other programs make a figure worse only.
    """
    found = run(quick=quick, yardstick=yardstick, report=report)
    for _ in range(RETRIES):
        worse = [change.name for change in found.compare(before) if change.is_regression]
        if not worse:
            break
        found = found.better_of(run(quick=quick, yardstick=yardstick, report=report, only=worse))
    return found


#: What a measurement finds: the value, that of the program beside, and a note.
_Found = tuple[float, float | None, str]
#: Name, unit, one run of what is measured, and of the reference.
_Measurement = tuple[str, str, Callable[[], _Found], Callable[[], float]]


def _measurements(programs: dict[str, Path]) -> list[_Measurement]:
    """Return everything that is measured."""
    work: list[_Measurement] = []

    def add(name: str, unit: str, measure: Callable[..., _Found], *values: object) -> None:
        work.append((name, unit, functools.partial(measure, *values), _reference_speed))

    for rules, depth in PERFTS:
        name = f"perft({depth}) 8x8 {rules}, positions made"
        add(name, "M positions/s", _measure_perft, rules, depth, programs.get("perft"))
    for rules in RULES:
        for size in SIZES:
            name = f"playouts {size}x{size} {rules}"
            position = Position.initial(rules, size)
            add(name, "playouts/s", _measure_playouts, position, "fast", programs.get("playouts"))
            if rules is ADVANCED:
                name += ", uniform"
                add(name, "playouts/s", _measure_playouts, position, "uniform", None)
    for rules in RULES:
        for size in ENGINE_SIZES:
            position = _engine_position(rules, size)
            beside = functools.partial(_playout_speed, position)
            name = f"engine {size}x{size} {rules}"
            measure = functools.partial(_measure_engine_speed, position)
            work.append((name, "nodes/s", measure, beside))
            measure = functools.partial(_measure_engine_time, position)
            work.append((f"{name}, {ENGINE_NODES} nodes", "s", measure, beside))
    for name, code in PROCESSES.items():
        add(name, "s a process", _measure_process, code)
    if sys.platform.startswith("linux"):
        add("memory, playing on 18x18", "MB", _measure_memory)
    return work


@functools.cache
def _reference_loop() -> Callable[[Array, int], int]:
    """Return a compiled loop of what playouts are made of: arithmetic, a small table, branches."""

    def loop(table: Array, steps: Int) -> Int:
        word = np.uint64(1)
        found = np.int64(0)
        for _ in range(steps):
            word ^= word << np.uint64(13)
            word ^= word >> np.uint64(7)
            word ^= word << np.uint64(17)
            place = np.int64(word & np.uint64(4095))
            table[place] += 1
            if table[place] & 1:
                found += place
        return found

    compiled_loop: Callable[[Array, int], int] = numba.njit(loop)
    compiled_loop(np.zeros(4096, np.int64), 1)
    return compiled_loop


def _reference_speed() -> float:
    """Return the speed of the loop, M steps/s."""
    loop = _reference_loop()
    table = np.zeros(4096, np.int64)
    start = time.process_time()
    loop(table, REFERENCE_STEPS)
    return REFERENCE_STEPS / (time.process_time() - start) / 1e6


def _playout_speed(position: Position) -> float:
    """Return playouts per second from a position."""
    batch = PlayoutBatch(position, 1, "fast", 10_000_000)
    start = time.process_time()
    while (spent := time.process_time() - start) < BESIDE_SECONDS:
        batch.run(20)
    return batch.done / spent


def _measure_perft(rules: Rules, depth: int, program: Path | None) -> _Found:
    """Time perft with every last position made, and compare checksums."""
    position = Position.initial(rules, 8)
    perft_checked(position, 2)
    start = time.process_time()
    result = perft_checked(position, depth)
    speed = result.count / (time.process_time() - start) / 1e6
    note = f"checksum {result.checksum:016x}"
    other = None
    if program:
        text, seconds = _run_program(program, "8", "8", rules.name, str(depth))
        found = re.search(r"=(\d+) checksum=([0-9a-f]+)", text.splitlines()[-1])
        if found:
            other = int(found[1]) / seconds / 1e6
            if int(found[2], 16) != result.checksum:
                note += f", BUT {found[2]} BESIDE"
    return speed, other, note


def _measure_playouts(position: Position, policy: Policy, program: Path | None) -> _Found:
    """Time random playouts from the start position."""
    batch = PlayoutBatch(position, 1, policy, 10_000_000)
    batch.run(10)
    start = time.process_time()
    made = plies = 0
    while (spent := time.process_time() - start) < TIMED_SECONDS:
        plies += batch.run(50)
        made += 50
    other = None
    if program:
        size, rules = str(position.rows), str(position.rules.number)
        text, seconds = _run_program(program, size, rules, str(TIMED_SECONDS))
        found = re.search(r"playouts/s=([0-9.]+)", text)
        if found:
            other = float(found[1]) * TIMED_SECONDS / seconds
    return made / spent, other, f"{plies / spent / 1e6:.2f} M plies/s"


def _engine_position(rules: Rules, size: int) -> Position:
    """Return a position some random plies from the start, always the same."""
    settings = Settings("1", "1", rules.name, str(size), opening_plies=ENGINE_PLIES)
    position = Position.initial(rules, size)
    for move in opening(settings, 0):
        position = position.play(move)
    return position


def _measure_engine_speed(position: Position) -> _Found:
    """Time the engine for some seconds."""
    thought, spent = _think(position, Limit(seconds=ENGINE_SECONDS))
    return thought.nodes / spent, None, f"depth {thought.depth}"


def _measure_engine_time(position: Position) -> _Found:
    """Time the engine for some nodes."""
    thought, spent = _think(position, Limit(nodes=ENGINE_NODES))
    return spent, None, f"depth {thought.depth}"


def _think(position: Position, limit: Limit) -> tuple[Thought, float]:
    """Return a thought of the highest level, by an engine that knows nothing yet, and its time."""
    with Engine(level=max(LEVELS), seed=1) as engine:
        engine.think(position, Limit(nodes=10))  # which loads what is compiled
    with Engine(level=max(LEVELS), seed=1) as engine:
        start = time.process_time()
        thought = engine.think(position, limit)
        return thought, time.process_time() - start


#: Processes that are timed; None is `formsgame --help`.
PROCESSES = {
    "formsgame --help": None,
    "import numba": "import numba",
    "import formsgame.position": "import formsgame.position",
    "load all compiled code": (
        "from formsgame import compiled; compiled.announce_with(None); compiled.warm_up()"
    ),
}


def _measure_process(code: str | None) -> _Found:
    """Time a whole process."""
    arguments = ["-c", code] if code else ["-m", "formsgame", "--help"]
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, timeout=600)
    return time.perf_counter() - start, None, ""


def _measure_memory() -> _Found:
    """Return the memory of a process in which the computer plays."""
    play = (
        "import resource, formsgame as fg\n"
        "position = fg.Position.initial(fg.STANDARD)\n"
        "with fg.Engine(level=3) as engine:\n"
        "    for _ in range(4):\n"
        "        position = position.play(engine.think(position, fg.Limit(seconds=0.2)).move)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", play], check=True, capture_output=True, text=True, timeout=600
    )
    return int(done.stdout) / 1024, None, ""


def _programs(folder: Path, scratch: Path) -> dict[str, Path]:
    """Return the programs of a folder, compiling sources into `scratch` where they are missing."""
    programs = {}
    for name in ("perft", "playouts"):
        program, source = folder / name, folder / f"{name}.cpp"
        if not program.is_file() and source.is_file():
            program = scratch / name
            command = ["g++", "-O3", "-march=native", "-o", str(program), str(source)]
            try:
                subprocess.run(command, check=True, capture_output=True, timeout=300)
            except (OSError, subprocess.SubprocessError):
                raise LimitError(
                    "limit.value",
                    name="yardstick",
                    expected=f"a folder whose {source.name} g++ can compile",
                    value=str(folder),
                ) from None
        if not program.is_file():
            raise LimitError(
                "limit.value",
                name="yardstick",
                expected=f"a folder with the program {name} or its source {source.name}",
                value=str(folder),
            )
        programs[name] = program.resolve()
    return programs


def _run_program(program: Path, *arguments: str) -> tuple[str, float]:
    """Return what a program printed and the seconds of processor time that it took."""
    before = os.times()
    done = subprocess.run(
        [str(program), *arguments], check=True, capture_output=True, text=True, timeout=600
    )
    after = os.times()
    spent = after.children_user - before.children_user
    return done.stdout, spent + after.children_system - before.children_system


def _number(value: float | None) -> str:
    """Return a number with about four digits."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _processor() -> str:
    """Return the processor's name, where the system tells."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    names: list[Any] = re.findall(r"model name\s*:\s*(.+)", text)
    return str(names[0]) if names else platform.processor()
