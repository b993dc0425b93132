"""Endgame tables: what they say is so, whoever built them, and no bad file is believed."""

from __future__ import annotations

import functools
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import formsgame as fg
import naive
from commanding import environment, refused, run, start
from formsgame.server import serve
from formsgame.solver import Solver, building, filling, tables
from formsgame.solver.clock import Clock
from formsgame.solver.tables import Table

BOTH = (fg.STANDARD, fg.ADVANCED)


@functools.cache
def small(rules: fg.Rules) -> Table:
    """A table of some levels, built here."""
    return tables.build_table(rules, 6 if rules is fg.STANDARD else 5)


def shipped(rules: fg.Rules) -> Table:
    return Table.open(tables.shipped_path(rules), rules)


def positions(rules: fg.Rules, stones: int, count: int, seed: int) -> list[fg.Position]:
    found = building.random_positions(rules, stones, random.Random(f"{seed} {rules.name}"))
    return list(itertools.islice(found, count))


def searched(solver: Solver, position: fg.Position) -> bool:
    """Whether the side to move wins, by a search."""
    winner = solver.winner(position, Clock(None, None, None))
    assert winner is not None
    return winner is position.side_to_move


def searcher(rules: fg.Rules) -> Solver:
    return Solver(rules, memory_mb=16, table=Table.empty(rules))


class Told:
    """Keeps what is reported."""

    def __init__(self) -> None:
        self.all: list[tuple[int, int]] = []

    def __call__(self, done: int, total: int) -> None:
        self.all.append((done, total))


# What they say


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_tables_agree_with_a_naive_full_search(rules: fg.Rules) -> None:
    table = small(rules)
    known: dict[str, bool] = {}
    generator = random.Random(rules.name)
    for position in itertools.islice(building.random_positions(rules, 5, generator), 400):
        if max(position.size) > 8 and len(position.legal_moves) > 60:
            continue
        board = naive.parse_board(str(position))
        assert table.wins_for_mover(position) == naive.mover_wins(board, known), position


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_tables_agree_with_search_without_tables(rules: fg.Rules) -> None:
    """Five thousand random positions of each rule set, on boards of any size."""
    table, solver = shipped(rules), searcher(rules)
    for position in positions(rules, table.levels, 5000, 1):
        assert table.wins_for_mover(position) == searched(solver, position), position


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_every_level_of_the_shipped_tables_is_what_the_levels_below_make(rules: fg.Rules) -> None:
    table = shipped(rules)
    assert table.levels == tables.SHIPPED_LEVELS[rules]
    assert not [name for name in ("keys", "wins") if getattr(table, name).flags.writeable]
    for level in range(1, table.levels + 1):
        below = table.shorten(level - 1)
        keys = filling.grown_keys(below.level_keys(level - 1))
        assert np.array_equal(keys, table.level_keys(level))
        assert len(keys) == tables.SHAPES[level]
        bits = tables.fill_level(below, level, keys)
        assert bits.tobytes() == table.level_wins(level).tobytes()


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_exchanging_colors_and_turning_the_board_change_nothing(rules: fg.Rules) -> None:
    table = shipped(rules)
    for position in positions(rules, table.levels, 500, 2):
        known = table.wins_for_mover(position)
        array = position.array
        exchanged = np.where(array, 3 - array, 0)
        assert known == table.wins_for_mover(
            fg.Position.from_array(exchanged, position.side_to_move.opponent, rules)
        )
        for symmetry in fg.Symmetry:
            assert table.wins_for_mover(position.transform(symmetry)) == known


def placed(position: fg.Position, margins: Sequence[int]) -> fg.Position | None:
    """The position's form with margins below, above, left and right; None if it is too large."""
    array = position.array
    rows, columns = np.nonzero(array)
    form = array[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    below, above, left, right = margins
    padded = np.pad(form, ((above, below), (left, right)))
    if max(padded.shape) > 26:
        return None
    return fg.Position.from_array(padded, position.side_to_move, position.rules)


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_margins_that_no_slide_can_feel_do_not_matter(rules: fg.Rules) -> None:
    """With advanced rules those above stones - 2; with standard rules none matters."""
    table, solver = shipped(rules), searcher(rules)
    generator = random.Random(3)
    differing = 0
    for position in positions(rules, 6, 300, 3):
        cap = max(0, sum(position.counts.values()) - 2) if rules is fg.ADVANCED else 0
        margins = [generator.choice([0, cap // 2, cap]) for _ in range(4)]
        wider = [
            margin + generator.randint(0, 3) if margin == cap else margin for margin in margins
        ]
        at_cap, beyond = placed(position, margins), placed(position, wider)
        if at_cap is None or beyond is None:
            continue
        assert table.wins_for_mover(at_cap) == table.wins_for_mover(beyond)
        assert searched(solver, at_cap) == searched(solver, beyond), (at_cap, beyond)
        bare = placed(position, (0, 0, 0, 0))
        assert bare is not None
        differing += table.wins_for_mover(bare) != table.wins_for_mover(at_cap)
    assert (differing > 0) == (rules is fg.ADVANCED), "edges are felt, or never"


def test_what_a_table_does_not_hold_it_does_not_know() -> None:
    table = small(fg.STANDARD)
    assert table.wins_for_mover(fg.Position.parse("xoxoxo x standard")) is not None
    assert table.wins_for_mover(fg.Position.parse("xoxoxox x standard")) is None
    assert table.wins_for_mover(fg.Position.initial("standard", 26)) is None
    with pytest.raises(fg.LimitError):
        table.wins_for_mover(fg.Position.parse("xo x advanced"))
    nothing = Table.empty(fg.ADVANCED)
    assert nothing.wins_for_mover(fg.Position.parse("xo x advanced")) is None
    for levels in (0, 14, True, 2.0):
        with pytest.raises(fg.LimitError):
            tables.build_table(fg.STANDARD, levels)  # type: ignore[arg-type]


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_finished_forms_belong_to_the_side_to_move(rules: fg.Rules) -> None:
    """Only such are positions: the side that has run out of stones has won."""
    for text in ("x o", "xx/x1 o", "1o1/ooo x", "3/1x1/3 o"):
        assert small(rules).wins_for_mover(fg.Position.parse(f"{text} {rules.name}"))


def test_threads_may_ask_at_once() -> None:
    table = shipped(fg.ADVANCED)
    asked = positions(fg.ADVANCED, table.levels, 300, 4)
    expected = [table.wins_for_mover(position) for position in asked]

    def ask(seed: int) -> bool:
        order = random.Random(seed).sample(range(len(asked)), len(asked))
        return all(table.wins_for_mover(asked[i]) == expected[i] for i in order * 5)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(16)))


def test_asking_takes_microseconds(warm: None) -> None:
    table = shipped(fg.ADVANCED)
    position = fg.Position.parse("8/8/2xo4/2oxo3/3x4/8/8/8 x advanced")
    times = []
    for _ in range(20):
        before = time.process_time()
        for _ in range(500):
            table.wins_for_mover(position)
        times.append((time.process_time() - before) / 500)
    assert min(times) < 10e-6


# Files


def test_a_file_is_what_was_saved(tmp_path: Path) -> None:
    for rules in BOTH:
        path = tmp_path / "new" / f"{rules.name}.table"
        small(rules).save(path)
        table = Table.open(path)
        assert (table.rules, table.levels, table.path) == (rules, small(rules).levels, path)
        for name in ("keys", "wins", "key_starts", "bit_starts", "caps"):
            assert np.array_equal(getattr(table, name), getattr(small(rules), name))
        assert [file.name for file in path.parent.iterdir() if "part" in file.name] == []


def test_damage_anywhere_is_found(tmp_path: Path) -> None:
    path = tmp_path / "some.table"
    small(fg.ADVANCED).save(path)
    whole = path.read_bytes()
    generator = random.Random(5)
    places = [*range(0, 300, 3), *(generator.randrange(len(whole)) for _ in range(300))]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= generator.randint(1, 255)
        path.write_bytes(damaged)
        with pytest.raises(fg.TableError) as caught:
            Table.open(path)
        assert str(path) in str(caught.value)


def test_a_file_cut_short_or_made_longer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.table"
    small(fg.STANDARD).save(path)
    whole = path.read_bytes()
    generator = random.Random(6)
    lengths = {0, 1, 511, 512, 513, len(whole) - 1}
    for length in lengths | {generator.randrange(len(whole)) for _ in range(60)}:
        path.write_bytes(whole[:length])
        with pytest.raises(fg.TableError) as caught:
            Table.open(path)
        assert caught.value.code in ("table.foreign", "table.damaged")
    path.write_bytes(whole + b"\0")
    with pytest.raises(fg.TableError, match="length"):
        Table.open(path)


def header_of(path: Path) -> dict[str, object]:
    values = json.loads(path.read_bytes()[: tables.HEADER_BYTES])
    assert isinstance(values, dict)
    return values


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"magic": "PNG"}, "table.foreign"),
        ({"format": 2}, "table.format"),
        ({"format": True}, "table.format"),
        ({"format": "1\n"}, "table.format"),
        ({"rules": "advanced"}, "table.damaged"),
        ({"rules": "chess"}, "table.damaged"),
        ({"rules": ["standard"]}, "table.damaged"),
        ({"levels": 5}, "table.damaged"),
        ({"levels": 13}, "table.damaged"),
        ({"levels": 10**400}, "table.foreign"),
        ({"levels": -1}, "table.damaged"),
        ({"levels": 0}, "table.damaged"),
        ({"levels": 6.0}, "table.damaged"),
        ({"levels": True}, "table.damaged"),
        ({"keys": 2**62}, "table.damaged"),
        ({"bytes": 2**62}, "table.damaged"),
        ({"bytes": -1}, "table.damaged"),
        ({"sha256": "0" * 64}, "table.damaged"),
        ({"sha256": None}, "table.damaged"),
        ({"more": 1}, "table.damaged"),
    ],
)
def test_a_header_that_nothing_could_have_written_is_refused_at_once(
    tmp_path: Path, changes: dict[str, object], code: str
) -> None:
    path = tmp_path / "some.table"
    small(fg.STANDARD).save(path)
    values = header_of(path) | changes
    body = path.read_bytes()[tables.HEADER_BYTES :]
    path.write_bytes(json.dumps(values).encode().ljust(tables.HEADER_BYTES - 1) + b"\n" + body)
    before = time.process_time()
    with pytest.raises(fg.TableError) as caught:
        Table.open(path)
    assert caught.value.code == code
    assert str(caught.value).isprintable()
    assert time.process_time() - before < 0.5


def test_things_that_are_no_files_of_ours_are_refused(tmp_path: Path) -> None:
    deep = tmp_path / "deep"
    deep.write_bytes(b"[" * 600)
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(2**40)  # a hole, where the file system can make one
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = tmp_path / "text"
    text.write_text("Es ist ein Ros entsprungen" * 100, encoding="utf-8")
    before = time.monotonic()
    for path in (deep, huge, pipe, text, tmp_path, Path("/dev/zero")):
        with pytest.raises(fg.TableError) as caught:
            Table.open(path)
        assert caught.value.code == "table.foreign"
    for path in (tmp_path / "none", Path("a\0b"), tmp_path / ("n" * 300), text / "below"):
        with pytest.raises(fg.TableError) as caught:
            Table.open(path)
        assert caught.value.code == "table.unreadable"
    assert time.monotonic() - before < 5


def test_a_table_of_the_other_rules_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "standard.table"
    small(fg.ADVANCED).save(path)
    with pytest.raises(fg.TableError) as caught:
        Table.open(path, fg.STANDARD)
    assert caught.value.code == "table.rules"
    assert Table.open(path, fg.ADVANCED).rules is fg.ADVANCED


def test_forged_shapes_are_refused(tmp_path: Path) -> None:
    """A checksum that fits does not make a shape out of a number."""
    good = small(fg.STANDARD)
    for changed in (0, 5, len(good.keys) - 1):
        keys = good.keys.copy()
        keys[changed] ^= np.uint64(1)
        path = tmp_path / "some.table"
        Table.assemble(fg.STANDARD, tables.SHAPES[:7], keys, good.wins).save(path)
        with pytest.raises(fg.TableError, match="shapes"):
            Table.open(path)


@pytest.fixture
def looked_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is looked into for tables, for the time of a test."""
    monkeypatch.setattr(tables, "_folders", [])
    tables.look_in(tmp_path)
    yield tmp_path
    tables.best_table.cache_clear()


def test_the_largest_sound_table_at_hand_is_used(looked_in: Path) -> None:
    assert tables.best_table(fg.ADVANCED).path == tables.shipped_path(fg.ADVANCED)
    small(fg.ADVANCED).save(looked_in / "small.table")
    larger = looked_in / "large.table"
    extended(shipped(fg.STANDARD)).save(larger)
    shutil.copy(larger, looked_in / "damaged.table")
    with (looked_in / "damaged.table").open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x55")
    (looked_in / "text.table").write_text("not a table", encoding="utf-8")
    (looked_in / "folder.table").mkdir()
    tables.best_table.cache_clear()
    assert tables.best_table(fg.ADVANCED).path == tables.shipped_path(fg.ADVANCED)
    assert tables.best_table(fg.STANDARD).path == larger
    assert fg.solve(fg.Position.parse("xoxoxoxoxox x standard")) is not None
    larger.write_bytes(b"")
    tables.best_table.cache_clear()
    assert tables.best_table(fg.STANDARD).path == tables.shipped_path(fg.STANDARD)


def test_the_server_looks_into_its_data_folder(looked_in: Path) -> None:
    larger = looked_in / "data" / "tables" / "large.table"
    extended(shipped(fg.STANDARD)).save(larger)
    serve._prepare(looked_in / "data", lambda done, total: None)
    assert tables.best_table(fg.STANDARD).path == larger


def extended(table: Table) -> Table:
    """A table with a level more that is not true, which nobody looks at here."""
    level = table.levels + 1
    keys = filling.grown_keys(table.level_keys(table.levels))
    size = tables.level_bytes(table.rules, level, len(keys))
    return table.extend(keys, np.zeros(size, np.uint8))


# Building and checking


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_any_number_of_workers_builds_the_shipped_bytes(rules: fg.Rules, tmp_path: Path) -> None:
    levels = tables.SHIPPED_LEVELS[rules]
    assert levels > building.QUICK_LEVELS[rules], "or there is nothing for workers"
    wanted = tables.shipped_path(rules).read_bytes()
    for workers in (1, 2, 3) if rules is fg.ADVANCED else (1, 3):
        path = tmp_path / f"{workers}.table"
        told = Told()
        building.build_file(rules, levels, path, workers=workers, report=told)
        assert path.read_bytes() == wanted
        assert told.all == sorted(told.all)
        assert told.all[-1] == (len(shipped(rules).wins),) * 2
    assert all(file.suffix == ".table" for file in tmp_path.iterdir())


def test_any_executor_builds_it(tmp_path: Path) -> None:
    path = tmp_path / "some.table"
    with ThreadPoolExecutor(3) as pool:
        building.build_file(fg.STANDARD, 10, path, executor=pool)
    assert path.read_bytes() == tables.shipped_path(fg.STANDARD).read_bytes()


def test_few_levels_need_no_workers(tmp_path: Path) -> None:
    for levels in (1, 2, 3):
        table = building.build_file(fg.ADVANCED, levels, tmp_path / f"{levels}.table", workers=2)
        assert table.levels == levels
        assert np.array_equal(table.wins, small(fg.ADVANCED).shorten(levels).wins)


def test_a_build_that_is_killed_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    path = tmp_path / "some.table"
    arguments = ("tables", "build", "--rules", "advanced", "--levels", "7", "-o", str(path))
    parts = tmp_path / "some.table.parts"
    for enough in (3, 20):
        with start(*arguments, "--workers", "1", start_new_session=True) as process:
            end = time.monotonic() + 120
            while len(list(parts.glob("07/*.chunk"))) < enough:
                assert time.monotonic() < end
                assert process.poll() is None
                time.sleep(0.005)
            os.killpg(process.pid, signal.SIGKILL)
        assert not path.exists()
        assert parts.exists()
    before = len(list(parts.glob("07/*.chunk")))
    total = len(building.level_chunks(7))
    assert before < total
    damaged = next(parts.glob("07/*.chunk"))
    damaged.write_bytes(damaged.read_bytes()[:-1])
    told = Told()
    building.build_file(fg.ADVANCED, 7, path, workers=1, report=told)
    assert len(told.all) == 1 + total - (before - 1), "only what was not there"
    assert path.read_bytes() == tables.shipped_path(fg.ADVANCED).read_bytes()
    assert not parts.exists()


def test_a_build_that_is_cancelled_says_so_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "some.table"
    cancel = threading.Event()

    def report(done: int, total: int) -> None:
        if done > total // 2:
            cancel.set()

    with pytest.raises(fg.JobError) as caught:
        building.build_file(fg.STANDARD, 10, path, workers=1, report=report, cancel=cancel)
    assert caught.value.code == "jobs.cancelled"
    building.build_file(fg.STANDARD, 10, path, workers=1)
    assert path.read_bytes() == tables.shipped_path(fg.STANDARD).read_bytes()


def test_leftovers_that_are_damaged_are_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "some.table"
    parts = tmp_path / "some.table.parts"
    parts.mkdir()
    (parts / "06.table").write_bytes(b"rubbish")
    small(fg.STANDARD).save(parts / "05.table")
    building.build_file(fg.ADVANCED, 7, path, workers=1)
    assert path.read_bytes() == tables.shipped_path(fg.ADVANCED).read_bytes()


def test_checking_finds_what_a_checksum_cannot(tmp_path: Path) -> None:
    """A file whose bits were wrong when its checksum was made."""
    path = tmp_path / "some.table"
    good = small(fg.ADVANCED)
    good.save(path)
    told = Told()
    building.check_file(path, workers=1, positions=50, report=told)
    assert told.all[-1] == (told.all[0][1],) * 2
    wins = good.wins.copy()
    wins[good.bit_starts[5] // 8 + 1234] ^= 4
    Table.assemble(fg.ADVANCED, tables.SHAPES[:6], good.keys, wins).save(path)
    with pytest.raises(fg.TableError, match="of 5 stones"):
        building.check_file(path, workers=1, positions=0)
    building.check_file(path, level=4, workers=1, positions=0)
    first = good.bit_starts[2] // 8
    wins = np.concatenate((good.wins[:first], ~good.wins[first:]))
    Table.assemble(fg.ADVANCED, tables.SHAPES[:6], good.keys, wins).save(path)
    with pytest.raises(fg.TableError, match="is won by"):
        building.check_file(path, level=1, workers=1, positions=50)


# On the command line


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMSGAME_DATA", str(tmp_path))
    monkeypatch.setattr(tables, "_folders", [])
    path = tmp_path / "tables" / "standard-10.table"
    built = run("tables", "build", "--rules", "standard", "--levels", "10", "--workers", "1")
    assert (built.status, built.err) == (0, "")
    assert built.out == f"{path}: standard rules, up to 10 stones, 6473 shapes, 0.7 MB\n"
    again = run("tables", "build", "--rules", "standard", "--levels", "10")
    assert again.out == f"{path} is there already\n"
    checked = run("tables", "verify", str(path), "--positions", "20", "--workers", "1")
    assert checked.lines[1] == "sound: level 10 derived anew, 20 positions solved"
    checked = run("tables", "verify", str(path), "--level", "3", "--positions", "0")
    assert checked.lines[1] == "sound: level 3 derived anew, 0 positions solved"
    listed = run("tables", "info")
    assert listed.status == 0
    assert sum("in use" in line for line in listed.lines) == 2
    assert f"{path}: standard rules" in listed.out
    (tmp_path / "tables" / "bad.table").write_text("bad", encoding="utf-8")
    listed = run("tables", "info")
    assert listed.status == 0
    assert "refused: " in listed.out
    assert "bad.table is not an endgame table" in listed.out
    assert run("tables", "info", str(path)).status == 0
    assert run("tables", "info", str(tmp_path)).status == 1
    tables.best_table.cache_clear()


def test_what_the_commands_refuse(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("mine", encoding="utf-8")
    build = ("tables", "build", "--rules", "advanced", "--levels")
    assert "levels must be within 1 to 9" in refused(2, *build, "10")
    assert "levels must be within 1 to 9" in refused(2, *build, "0")
    assert "is not an endgame table" in refused(1, *build, "3", "-o", str(text))
    assert text.read_text("utf-8") == "mine"
    assert "not an endgame table" in refused(1, *build, "3", "-o", str(tmp_path))
    assert refused(1, *build, "3", "-o", str(text / "below"))
    assert "--workers" in refused(2, *build, "3", "--workers", "0")
    assert "is not an endgame table" in refused(1, "tables", "verify", str(text))
    some = tmp_path / "some.table"
    small(fg.ADVANCED).save(some)
    assert "within 1 to 5" in refused(2, "tables", "verify", str(some), "--level", "6")
    assert "of advanced rules, not of standard" in refused(
        1, "tables", "build", "--rules", "standard", "--levels", "3", "-o", str(some)
    )


def test_ctrl_c_ends_a_build_at_once(tmp_path: Path) -> None:
    path = tmp_path / "some.table"
    arguments = ("tables", "build", "--rules", "standard", "--levels", "13", "-o", str(path))
    with start(*arguments, "--workers", "2", start_new_session=True) as process:
        end = time.monotonic() + 120
        while not list(path.with_name("some.table.parts").glob("1?/*.chunk")):
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 130
    assert not path.exists()


def test_without_numba(tmp_path: Path) -> None:
    """The kernels say the same as plain Python."""
    code = (
        "import sys, formsgame as fg\n"
        "from formsgame.solver import tables\n"
        "for rules, levels in ((fg.STANDARD, 4), (fg.ADVANCED, 3)):\n"
        "    built = tables.build_table(rules, levels)\n"
        "    good = tables.Table.open(tables.shipped_path(rules)).shorten(levels)\n"
        "    assert built.wins.tobytes() == good.wins.tobytes()\n"
        "    print(built.wins_for_mover(fg.Position.parse(f'5/1xxo1/5 x {rules.name}')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=environment({"NUMBA_DISABLE_JIT": "1"}),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.split() == ["False", "True"], done.stderr
