"""Measuring, and comparing with an earlier run: what counts as worse, and what doesn't."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commanding import refused, run
from formsgame import bench
from formsgame.errors import LimitError
from formsgame.rules import STANDARD


def row(name: str, value: float, unit: str, reference: float = 500.0) -> bench.Row:
    return bench.Row(name, value, unit, best=value, reference=reference)


SPEED = row("playouts", 1000.0, "playouts/s")
TIME = row("engine", 2.0, "s")
MEMORY = row("memory", 200.0, "MB")
PROCESS = row("help", 0.1, "s a process")
BEFORE = bench.Report({"cores": "2"}, (SPEED, TIME, MEMORY, PROCESS))


def changes(*rows: bench.Row) -> dict[str, bench.Change]:
    """How figures stand to those of `BEFORE`."""
    found = bench.Report({}, rows).compare(BEFORE)
    return {change.name: change for change in found}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have everything measured on one small board, and for moments only."""
    for name, value in {
        "PERFTS": ((STANDARD, 2),),
        "SIZES": (4,),
        "ENGINE_SIZES": (4,),
        "ENGINE_PLIES": 2,
        "ENGINE_NODES": 100,
        "ENGINE_SECONDS": 0.02,
        "TIMED_SECONDS": 0.02,
        "BESIDE_SECONDS": 0.02,
        "PROCESSES": {},
        "_measure_memory": lambda: (100.0, None, ""),
    }.items():
        monkeypatch.setattr(bench, name, value)


def test_the_same_figures_are_no_change() -> None:
    found = changes(SPEED, TIME, MEMORY, PROCESS)
    assert set(found) == {"playouts", "engine", "memory"}  # clocks of whole processes are unsteady
    assert {change.factor for change in found.values()} == {1.0}
    assert not any(change.is_regression for change in found.values())


@pytest.mark.parametrize("better", [0.5, 0.89, 0.92, 1.0, 2.0])
def test_more_is_better_of_speeds_and_less_of_times_and_memory(better: float) -> None:
    found = changes(
        row("playouts", 1000 * better, "playouts/s"),
        row("engine", 2 / better, "s"),
        row("memory", 200 / better, "MB"),
    )
    for change in found.values():
        assert change.factor == pytest.approx(better)
        assert change.is_regression == (better < 0.9)


def test_another_machine_changes_nothing() -> None:
    """All is twice as fast, what it is compared with too; memory does not depend on that."""
    found = changes(
        row("playouts", 2000.0, "playouts/s", 1000.0), row("engine", 1.0, "s", 1000.0), MEMORY
    )
    assert {change.factor for change in found.values()} == {1.0}


def test_what_only_one_report_has_is_not_compared() -> None:
    assert changes(row("another", 1.0, "s"), replace(SPEED, reference=None)) == {}


def test_the_best_of_several_runs_counts() -> None:
    slow = bench.Report({}, (row("playouts", 800.0, "playouts/s", 450.0), row("engine", 3.0, "s")))
    both = slow.better_of(bench.Report({}, (row("playouts", 900.0, "playouts/s", 500.0),)))
    assert (both.rows[0].best, both.rows[0].reference) == (900.0, 500.0)
    assert both.rows[1] == slow.rows[1]
    again = slow.better_of(bench.Report({}, (row("engine", 2.5, "s"),)))
    assert again.rows[1].best == 2.5


def test_reports_are_written_and_read() -> None:
    assert bench.Report.from_json(BEFORE.to_json()) == BEFORE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"machine": {}, "rows": [{}]}',
        '{"machine": {}, "rows": [7]}',
        '{"machine": 1, "rows": []}',
        BEFORE.to_json().replace("1000.0", '"fast"'),
        "[" * 100_000,
    ],
)
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(LimitError):
        bench.Report.from_json(text)
    file = tmp_path / "other.json"
    file.write_text(text, "utf-8")
    assert "a file that bench --json wrote" in refused(1, "bench", "--compare", str(file))


@pytest.mark.usefixtures("quick")
def test_all_is_measured(tmp_path: Path) -> None:
    file = tmp_path / "speed.json"
    ran = run("bench", "--quick", "--json", str(file))
    assert ran.status == 0, ran
    report = bench.Report.from_json(file.read_text("utf-8"))
    engines = [found for found in report.rows if found.name.startswith("engine 4x4")]
    assert len(engines) == 4
    assert {found.unit for found in engines} == {"nodes/s", "s"}
    for found in report.rows:
        assert found.value > 0
        assert found.merit is not None
        assert found.name in ran.out


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("scale", "status"), [(20.0, 1), (0.05, 0)])
def test_the_command_says_what_is_worse(scale: float, status: int, tmp_path: Path) -> None:
    """Beside a report that claims to have been much faster, or much slower, in one figure."""
    name = "playouts 4x4 standard"
    report = bench.run(quick=True)
    rows = tuple(
        replace(found, best=scale * (found.best or 0))
        if found.name == name
        else replace(found, best=(found.best or 0) * (0.02 if found.unit in bench.SPEEDS else 50))
        for found in report.rows
    )
    file = tmp_path / "before.json"
    file.write_text(replace(report, rows=rows).to_json(), "utf-8")
    ran = run("bench", "--quick", "--compare", str(file))
    assert ran.status == status, ran
    worse = [line for line in ran.lines if line.startswith("REGRESSION")]
    assert worse == ([f"REGRESSION: {name}"] if status else [])
    assert sum("times as good" in line for line in ran.lines) == len(rows)


def test_only_what_seems_worse_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    speeds = iter([700.0, 800.0, 950.0])

    def measure(*, only: Any = None, **options: Any) -> bench.Report:
        asked.append(only)
        rows = (row("playouts", next(speeds), "playouts/s"), TIME)
        return bench.Report({}, tuple(one for one in rows if only is None or one.name in only))

    monkeypatch.setattr(bench, "run", measure)
    found = bench.run_beside(BEFORE)
    assert asked == [None, ["playouts"], ["playouts"]]
    assert found.rows[0].best == 950.0
    assert not any(change.is_regression for change in found.compare(BEFORE))
    assert json.loads(found.to_json())["rows"][0]["value"] == 700.0
