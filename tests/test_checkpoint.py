"""Long searches are kept in a file: a killed one goes on, and what is damaged is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import formsgame as fg
from commanding import Ran, environment, refused, run
from formsgame.solver import Solver, checkpoint
from formsgame.solver.clock import Clock

#: Takes some ten thousand positions.
HARD = fg.Position.initial("advanced", (4, 5))


def search(solver: Solver, position: fg.Position, nodes: int | None) -> tuple[fg.Color | None, int]:
    clock = Clock(fg.Limit(nodes=nodes), None, None)
    return solver.winner(position, clock), clock.nodes


@pytest.mark.parametrize(
    "position", [HARD, fg.Position.initial("standard", (2, 12))], ids=["advanced", "standard"]
)
def test_a_search_goes_on(tmp_path: Path, position: fg.Position) -> None:
    path = tmp_path / "search"
    assert checkpoint.load(path, Solver(position.rules, memory_mb=16), position) is None
    winner, whole = search(Solver(position.rules, memory_mb=16), position, None)
    assert whole > 2_000
    nodes = whole // 3
    solver = Solver(position.rules, memory_mb=16)
    assert search(solver, position, nodes) == (None, nodes)
    checkpoint.save(path, solver, position, nodes, 1.5)
    other = Solver(position.rules, memory_mb=16)
    assert checkpoint.load(path, other, position) == (nodes, 1.5)
    found, more = search(other, position, None)
    assert found is winner
    assert more <= whole - nodes // 2


def test_searches_on_wide_boards_go_on(tmp_path: Path) -> None:
    position = fg.Position.initial("advanced", 10)
    path = tmp_path / "wide"
    solver = Solver(position.rules, memory_mb=4)
    search(solver, position, 300)
    checkpoint.save(path, solver, position, 300, 1.0)
    other = Solver(position.rules, memory_mb=4)
    assert checkpoint.load(path, other, position) == (300, 1.0)
    for mine, its in zip(solver.memory_for(position), other.memory_for(position), strict=True):
        assert mine.any()
        assert (mine == its).all()


def test_of_many_entries_those_of_most_work_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solver = Solver(HARD.rules, memory_mb=16)
    search(solver, HARD, 5_000)
    monkeypatch.setattr(checkpoint, "MOST_ENTRIES", 500)
    checkpoint.save(tmp_path / "some", solver, HARD, 1, 1.0)
    other = Solver(HARD.rules, memory_mb=16)
    checkpoint.load(tmp_path / "some", other, HARD)
    kept = other.memory_for(HARD)[0]
    assert 0 < int((kept[:, 2] != 0).sum()) <= 500
    bits = (1 << 6) - 1
    left_out = (solver.memory_for(HARD)[0][:, 2] & bits)[kept[:, 2] == 0]
    assert (kept[:, 2] & bits)[kept[:, 2] != 0].min() > left_out.max()


def test_what_is_damaged_or_of_another_search_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    solver = Solver(HARD.rules, memory_mb=2)
    search(solver, HARD, 2_000)
    checkpoint.save(path, solver, HARD, 2_000, 1.0)
    whole = path.read_bytes()
    header = json.loads(whole[: checkpoint.HEADER_BYTES])
    size = checkpoint.HEADER_BYTES

    def changed(**values: object) -> bytes:
        line = json.dumps(header | values).encode()
        return line.ljust(size - 1) + b"\n" + whole[size:]

    flipped = bytearray(whole)
    flipped[size + 1000] ^= 4
    damaged = [b"", b"something", whole[:-1], whole + b"\0", whole[:size], bytes(flipped)]
    damaged += [changed(magic="other"), changed(kept=-1), changed(kept=10**9), changed(kept="1")]
    damaged += [changed(sha256="0" * 64), changed(nodes=None), changed(words=3), b"[" * 5000]
    others = [changed(position="xo x advanced"), changed(entries=4), changed(words=[5])]
    others += [changed(format=2), changed(version="0")]
    for data in damaged + others:
        path.write_bytes(data)
        fresh = Solver(HARD.rules, memory_mb=2)
        with pytest.raises(fg.JobError, match="kept"):
            checkpoint.load(path, fresh, HARD)
        assert not fresh.memory_for(HARD)[0].any()
    path.write_bytes(whole)
    with pytest.raises(fg.JobError, match="entries"):
        checkpoint.load(path, Solver(HARD.rules, memory_mb=8), HARD)
    turned = fg.Position.initial("advanced", (5, 4))
    with pytest.raises(fg.JobError, match="position"):
        checkpoint.load(path, Solver(HARD.rules, memory_mb=2), turned)
    with pytest.raises(fg.JobError, match="folder"):
        checkpoint.save(tmp_path / "folder" / "kept", solver, HARD, 1, 1.0)
    with pytest.raises(fg.JobError):
        checkpoint.load(tmp_path, solver, HARD)


# On the command line


def arguments(path: Path) -> list[str]:
    board = ["solve", "--board", "2x12", "--rules", "standard", "--memory", "16"]
    return [*board, "--checkpoint", str(path)]


def opened(out: str) -> int:
    """The positions of the last line of `formsgame solve`."""
    return int(out.splitlines()[-1].split(" ")[0])


#: The command, which waits for its end once it has kept something.
WAITING = """
import sys, time
from formsgame.cli import main, solving
from formsgame.solver import checkpoint

def save_and_wait(*arguments):
    checkpoint.save = save
    save(*arguments)
    time.sleep(60)

solving.KEEP_SECONDS = 0.05
save, checkpoint.save = checkpoint.save, save_and_wait
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def whole(warm: None) -> Ran:
    """What the command says when nothing stops it."""
    return run(*arguments(Path("none"))[:-2])


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_goes_on(tmp_path: Path, kill: signal.Signals, whole: Ran) -> None:
    path = tmp_path / "kept"
    with subprocess.Popen(
        [sys.executable, "-c", WAITING, *arguments(path)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 60
        while not path.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        os.killpg(process.pid, kill)
        out, _ = process.communicate(timeout=30)
    assert b"wins" not in out
    assert path.exists()
    kept = json.loads(path.read_bytes()[: checkpoint.HEADER_BYTES])["nodes"]
    assert 0 < kept < opened(whole.out)
    ran = run(*arguments(path))
    assert ran.status == 0
    assert ran.lines[0].startswith(f"going on after {kept} positions, ")
    assert ran.lines[1] == whole.lines[0]
    assert opened(ran.out) - kept < opened(whole.out)
    assert not path.exists()


def test_a_damaged_checkpoint_stops_the_command(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_text("nothing of ours")
    assert str(path) in refused(1, *arguments(path))
    assert path.read_text() == "nothing of ours"


def test_a_limit_keeps_what_was_found(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    assert "not solved" in refused(1, *arguments(path), "--nodes", "2000")
    ran = run(*arguments(path), "--nodes", "5000")
    assert ran.lines[0].startswith("going on after 2000 positions")
    header = json.loads(path.read_bytes()[: checkpoint.HEADER_BYTES])
    assert header["nodes"] == 7000
