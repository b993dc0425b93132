"""Measures how fast the package is on this machine, beside other programs where they are given.

Speeds are by processor time, so that a busy machine changes them little; the times of whole
processes are by the clock.
"""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

import formsgame
from formsgame.errors import LimitError
from formsgame.position import Position
from formsgame.rules import ADVANCED, STANDARD, Rules
from formsgame.simulate import PlayoutBatch, Policy, perft_checked

#: Start positions whose perft is timed: rules, depth.
PERFTS = ((STANDARD, 3), (ADVANCED, 3), (ADVANCED, 4))
SIZES = (8, 12, 18, 26)
#: Processor time of one run of playouts, in seconds.
TIMED_SECONDS = 0.5
RULES = (STANDARD, ADVANCED)


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: the median of several runs, in `unit`, and that of the other program."""

    name: str
    value: float
    unit: str
    yardstick: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times the other program's value this is, None where there is none."""
        return self.value / self.yardstick if self.yardstick else None


@dataclass(frozen=True, slots=True)
class Report:
    """All measurements of a run, and the machine they were made on."""

    machine: dict[str, str]
    rows: tuple[Row, ...]

    def to_json(self) -> str:
        """Return the report as JSON text."""
        rows = [asdict(row) | {"ratio": row.ratio} for row in self.rows]
        return json.dumps({"machine": self.machine, "rows": rows}, indent=2) + "\n"

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
) -> Report:
    """Measure perft, playouts, start-up and memory; single thread, medians of several runs.

    `yardstick` is a folder with the programs `perft` and `playouts` (or their `.cpp` sources, which
    are then compiled with g++) that are run in turn with the package's own. `report(name)` is
    called before each measurement. Raises `LimitError` for a folder that holds neither.
    """
    say = report or (lambda name: None)
    runs = 1 if quick else 5
    with tempfile.TemporaryDirectory() as scratch:
        programs = _programs(yardstick, Path(scratch)) if yardstick else {}
        rows: list[Row] = []
        for rules, depth in PERFTS:
            say(f"perft({depth}) {rules}")
            rows.append(_measure_perft(rules, depth, runs, programs.get("perft")))
        for rules in RULES:
            for size in SIZES:
                say(f"playouts {size} x {size} {rules}")
                rows.extend(_measure_playouts(rules, size, runs, programs.get("playouts"), "fast"))
                if rules is ADVANCED:
                    rows.extend(_measure_playouts(rules, size, runs, None, "uniform"))
        say("start-up and memory")
        rows.extend(_measure_processes(runs))
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


def _measure_perft(rules: Rules, depth: int, runs: int, program: Path | None) -> Row:
    """Time perft with every last position made, and compare checksums."""
    position = Position.initial(rules, 8)
    perft_checked(position, 2)
    own, other = [], []
    note = ""
    for _ in range(runs):
        start = time.process_time()
        result = perft_checked(position, depth)
        own.append(result.count / (time.process_time() - start) / 1e6)
        note = f"checksum {result.checksum:016x}"
        if program:
            text, seconds = _run_program(program, "8", "8", rules.name, str(depth))
            found = re.search(r"=(\d+) checksum=([0-9a-f]+)", text.splitlines()[-1])
            if found:
                other.append(int(found[1]) / seconds / 1e6)
                if int(found[2], 16) != result.checksum:
                    note += f", BUT {found[2]} BESIDE"
    name = f"perft({depth}) 8x8 {rules}, positions made"
    return Row(name, statistics.median(own), "M positions/s", _median(other), note)


def _measure_playouts(
    rules: Rules, size: int, runs: int, program: Path | None, policy: Policy
) -> list[Row]:
    """Time random playouts from the start position."""
    position = Position.initial(rules, size)
    batch = PlayoutBatch(position, 1, policy, 10_000_000)
    batch.run(10)
    games, plies, other = [], [], []
    for _ in range(runs):
        start = time.process_time()
        made = before = 0
        while (spent := time.process_time() - start) < TIMED_SECONDS:
            before += batch.run(50)
            made += 50
        games.append(made / spent)
        plies.append(before / spent / 1e6)
        if program:
            text, seconds = _run_program(program, str(size), str(rules.number), str(TIMED_SECONDS))
            found = re.search(r"playouts/s=([0-9.]+)", text)
            if found:
                other.append(float(found[1]) * TIMED_SECONDS / seconds)
    name = f"playouts {size}x{size} {rules}" + (", uniform" if policy == "uniform" else "")
    note = f"{statistics.median(plies):.2f} M plies/s"
    return [Row(name, statistics.median(games), "playouts/s", _median(other), note)]


def _measure_processes(runs: int) -> list[Row]:
    """Time whole processes: help, import, first playout; and the memory of one that plays."""
    code = {
        "import numba": "import numba",
        "import formsgame.position": "import formsgame.position",
        "load all compiled code": (
            "from formsgame import compiled; compiled.announce_with(None); compiled.warm_up()"
        ),
    }
    rows = []
    for name, command in {"formsgame --help": None, **code}.items():
        arguments = ["-c", command] if command else ["-m", "formsgame", "--help"]
        times = []
        for _ in range(max(3, runs)):
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, *arguments], check=True, capture_output=True, timeout=600
            )
            times.append(time.perf_counter() - start)
        rows.append(Row(name, statistics.median(times), "s a process"))
    play = (
        "import resource, formsgame as fg\n"
        "position = fg.Position.initial(fg.STANDARD)\n"
        "with fg.Engine(level=3) as engine:\n"
        "    for _ in range(4):\n"
        "        position = position.play(engine.think(position, fg.Limit(seconds=0.2)).move)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    if sys.platform.startswith("linux"):
        done = subprocess.run(
            [sys.executable, "-c", play], check=True, capture_output=True, text=True, timeout=600
        )
        rows.append(Row("memory, playing on 18x18", int(done.stdout) / 1024, "MB"))
    return rows


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


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


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
