"""Jobs: in order, whoever works; nothing finished is lost, whoever dies."""

from __future__ import annotations

import errno
import functools
import json
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

import jobbing
from formsgame import JobError, LimitError, jobs

TESTS = Path(__file__).parent
#: Seconds within which a job ends that is told to: about one, on a machine that has time for it.
SOON = 3.0
#: Seconds after which something that does not come is missed.
PATIENCE = 30.0


def spawning(workers: int = 2) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))


def until(true: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait for something."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def starts(log: Path) -> list[tuple[int, int]]:
    """Return the numbers of the chunks that were begun, each with its process."""
    if not log.exists():
        return []
    lines = log.read_text("utf-8").splitlines()
    return [(int(number), int(process)) for number, process in map(str.split, lines)]


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{process}/stat")  # one that ended may wait for somebody to see it off
    try:
        return stat.read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return not stat.exists() and Path("/proc/self").exists()


def kept(folder: Path) -> set[int]:
    return {int(path.stem) for path in folder.glob("*.chunk")}


# Results


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_come_in_order_whoever_works(workers: int, tmp_path: Path) -> None:
    expected = [jobbing.uneven(number) for number in range(17)]
    assert jobs.run(jobbing.uneven, range(17), workers=workers) == expected
    journal = jobs.Journal(tmp_path, "uneven")
    assert jobs.run(jobbing.uneven, range(17), workers=workers, journal=journal) == expected
    assert jobs.run(jobbing.uneven, range(17), workers=1, journal=journal) == expected


def test_any_executor_does() -> None:
    chunks = [(number, number * 1000) for number in range(12)]
    expected = [jobbing.digits(chunk) for chunk in chunks]
    with spawning() as pool:
        assert jobs.run(jobbing.digits, chunks, executor=pool) == expected
        assert pool.submit(pow, 2, 3).result() == 8, "a pool that was given stays open"
    assert jobs.run(jobbing.digits, chunks, executor=spawning) == expected
    assert jobs.run(jobbing.digits, chunks, executor=ThreadPoolExecutor, workers=3) == expected


def test_journals_are_the_same_whoever_works(tmp_path: Path) -> None:
    found = []
    for workers in (1, 3):
        journal = jobs.Journal(tmp_path / str(workers), "squares", {"seed": 1})
        jobs.run(jobbing.square, range(5), journal=journal, workers=workers)
        paths = sorted((tmp_path / str(workers)).iterdir())
        found.append({path.name: path.read_bytes() for path in paths})
    assert found[0] == found[1]
    assert len(found[0]) == 7


def test_partial_functions_and_no_chunks() -> None:
    assert jobs.run(functools.partial(pow, 2), [1, 2, 3], workers=1) == [2, 4, 8]
    assert jobs.run(jobbing.square, []) == []


def test_results_stream_before_all_is_done(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with closing(jobs.stream(jobbing.logged, jobbing.chunks(log, 50), workers=1)) as results:
        assert [next(results) for _ in range(3)] == [0, 1, 4]
        assert len(starts(log)) <= 5


class Counting(ThreadPoolExecutor):
    """Knows how many of its tasks were under way at most."""

    under_way = most = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(self.over)
        return future

    def over(self, _: Future[Any]) -> None:
        self.under_way -= 1


def test_few_chunks_are_in_flight() -> None:
    with Counting(1) as pool:
        with closing(jobs.stream(jobbing.square, range(10**12), executor=pool, workers=3)) as all_:
            assert [next(all_) for _ in range(100)] == [number**2 for number in range(100)]
        assert 1 < pool.most <= 3 * 2


def test_progress(tmp_path: Path) -> None:
    seen: list[jobs.Progress] = []
    journal = jobs.Journal(tmp_path, "squares")
    jobs.run(jobbing.square, range(3), journal=journal, workers=1, report=seen.append)
    assert [(now.done, now.total) for now in seen] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert seen[0].left is None
    assert seen[1].left == pytest.approx(2 * seen[1].seconds)
    assert seen[3].left == 0
    seen.clear()
    jobs.run(jobbing.square, range(5), journal=journal, workers=2, report=seen.append)
    assert [(now.done, now.total) for now in seen] == [(3, 5), (4, 5), (5, 5)]
    assert seen[1].left == pytest.approx(seen[1].seconds), "earlier runs say nothing of the pace"


def test_an_error_of_a_report_ends_the_job() -> None:
    def refuse(progress: jobs.Progress) -> None:
        if progress.done == 2:
            raise KeyError("report")

    with pytest.raises(KeyError, match="report"):
        jobs.run(jobbing.square, range(9), workers=2, report=refuse)


# Helpers


def test_seeds_are_the_same_for_ever() -> None:
    assert jobs.chunk_seed(1, 0) == 18193369737572870310
    assert jobs.chunk_seed(2026, 7) == 256698323947588807
    assert jobs.chunk_seed(2**64 - 1, 10**6) == 59371910487958939
    assert len({jobs.chunk_seed(seed, number) for seed in range(30) for number in range(30)}) == 900


def test_splitting() -> None:
    assert jobs.split(0, 5) == []
    assert jobs.split(5, 5) == [(0, 5)]
    for count, size in ((17, 3), (18, 3), (1, 9)):
        numbers = [number for chunk in jobs.split(count, size) for number in range(*chunk)]
        assert numbers == list(range(count))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: jobs.run(lambda n: n, [1]), "function must be a function at the top of a module"),
        (lambda: jobs.run(jobbing.square, [1], workers=0), "workers must be an integer >= 1"),
        (lambda: jobs.run(jobbing.square, [1], workers=True), "workers must be"),
        (lambda: jobs.run(jobbing.square, [1], attempts=0), "attempts must be an integer >= 1"),
        (
            lambda: jobs.run(jobbing.square, [cast(Any, {1})], workers=1),
            "chunk 0 must be plain data",
        ),
        (lambda: jobs.Journal("x", "job", {"a": object()}), "parameters must be plain data"),
        (lambda: jobs.split(-1, 2), "count must be an integer >= 0"),
        (lambda: jobs.split(1, 0), "size must be an integer >= 1"),
        (lambda: jobs.chunk_seed(-1, 0), "seed must be an integer >= 0"),
        (lambda: jobs.chunk_seed(0, -1), "chunk number must be"),
    ],
)
def test_arguments_that_make_no_sense(call: Callable[[], object], message: str) -> None:
    with pytest.raises(LimitError, match=message):
        call()


# The journal


def test_what_is_finished_is_not_done_again(tmp_path: Path) -> None:
    journal, log = jobs.Journal(tmp_path / "journal", "squares"), tmp_path / "log"
    first = jobs.run(jobbing.logged, jobbing.chunks(log, 4), journal=journal, workers=1)
    assert jobs.run(jobbing.logged, jobbing.chunks(log, 4), journal=journal) == first
    assert [number for number, _ in starts(log)] == [0, 1, 2, 3]
    more = jobs.run(jobbing.logged, jobbing.chunks(log, 6), journal=journal, workers=1)
    assert more == [*first, 16, 25]
    assert [number for number, _ in starts(log)] == [0, 1, 2, 3, 4, 5]
    assert jobs.run(jobbing.logged, jobbing.chunks(log, 2), journal=journal, workers=1) == [0, 1]


def harm(path: Path, how: str) -> None:
    data = path.read_bytes()
    match how:
        case "truncated":
            path.write_bytes(data[:-1])
        case "changed":
            path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        case "empty":
            path.write_bytes(b"")
        case "longer":
            path.write_bytes(data + b"0")
        case "other":
            path.write_bytes(b"\x00\xff" * 100)
        case "gone":
            path.unlink()


HARMS = ("truncated", "changed", "empty", "longer", "other", "gone")


def test_damaged_chunks_are_done_again(tmp_path: Path) -> None:
    folder, log = tmp_path / "journal", tmp_path / "log"
    journal, chunks = jobs.Journal(folder, "squares"), jobbing.chunks(log, len(HARMS) + 2)
    first = jobs.run(jobbing.logged, chunks, journal=journal, workers=1)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    log.unlink()
    for number, how in enumerate(HARMS):
        harm(folder / f"{number:08d}.chunk", how)
    (folder / "00000001.chunk.new").write_bytes(b"left by a run that was killed")
    assert jobs.run(jobbing.logged, chunks, journal=journal, workers=2) == first
    assert sorted(number for number, _ in starts(log)) == list(range(len(HARMS)))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files


def test_no_byte_changes_unseen(tmp_path: Path) -> None:
    with jobs.Journal(tmp_path, "squares", {"seed": 1}) as journal:
        journal.store(0, [0, 10], "bytes", b"result")
        path = tmp_path / "00000000.chunk"
        sound = path.read_bytes()
        for place in range(len(sound)):
            path.write_bytes(sound[:place] + bytes([sound[place] ^ 0x20]) + sound[place + 1 :])
            assert journal.load(0, [0, 10]) is None
            path.write_bytes(sound[:place])
            assert journal.load(0, [0, 10]) is None
        path.write_bytes(sound)
        assert journal.load(0, (0, 10)) == ("bytes", b"result")


def test_damage_during_the_run(tmp_path: Path) -> None:
    journal, log = jobs.Journal(tmp_path / "journal", "squares"), tmp_path / "log"
    chunks = jobbing.chunks(log, 4)
    first = jobs.run(jobbing.logged, chunks, journal=journal, workers=1)
    log.unlink()

    def damage(progress: jobs.Progress) -> None:
        if not starts(log):
            harm(tmp_path / "journal" / "00000002.chunk", "truncated")

    assert jobs.run(jobbing.logged, chunks, journal=journal, workers=1, report=damage) == first
    assert [number for number, _ in starts(log)] == [2]


def test_a_disk_that_always_spoils_ends_the_job(tmp_path: Path) -> None:
    def damage(progress: jobs.Progress) -> None:
        for path in tmp_path.glob("*.chunk"):
            harm(path, "changed")

    with pytest.raises(JobError, match=r"chunk 0 0 was given up after 3 attempts: .*damaged"):
        jobs.run(
            jobbing.square,
            [0],
            journal=jobs.Journal(tmp_path, "squares"),
            workers=1,
            report=damage,
        )


@pytest.mark.parametrize(
    ("other", "found"),
    [
        (("cubes", {"seed": 1}, 1), r"cubes \(version 1, \{\"seed\":1\}\)"),
        (("squares", {"seed": 2}, 1), r"squares \(version 1, \{\"seed\":2\}\)"),
        (("squares", {}, 1), r"squares \(version 1, \{\}\)"),
        (("squares", {"seed": 1}, 2), r"squares \(version 2, \{\"seed\":1\}\)"),
    ],
)
def test_journals_of_other_jobs_are_refused_by_name(
    other: tuple[str, dict[str, int], int], found: str, tmp_path: Path
) -> None:
    jobs.run(jobbing.square, range(3), journal=jobs.Journal(tmp_path, *other), workers=1)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    mine = jobs.Journal(tmp_path, "squares", {"seed": 1})
    message = rf"belongs to {found}, not to squares \(version 1, \{{\"seed\":1\}}\)"
    with pytest.raises(JobError, match=message) as caught:
        jobs.run(jobbing.square, range(3), journal=mine, workers=1)
    assert caught.value.code == "jobs.foreign"
    assert str(tmp_path) in str(caught.value)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_chunks_that_changed_are_refused_by_name(tmp_path: Path) -> None:
    journal = jobs.Journal(tmp_path, "digits")
    jobs.run(jobbing.digits, [(0, 10), (1, 10)], journal=journal, workers=1)
    with pytest.raises(
        JobError, match=r"00000001.chunk belongs to chunk 1 \[1,10\], not to chunk 1 \[1,20\]"
    ):
        jobs.run(jobbing.digits, [(0, 10), (1, 20)], journal=journal, workers=1)


def test_files_that_moved_are_refused(tmp_path: Path) -> None:
    for name in ("mine", "yours"):
        journal = jobs.Journal(tmp_path / name, name)
        jobs.run(jobbing.square, [5, 5, 6], journal=journal, workers=1)
    mine, yours = tmp_path / "mine", tmp_path / "yours"
    (mine / "00000000.chunk").write_bytes((yours / "00000000.chunk").read_bytes())
    with pytest.raises(JobError, match=r"chunk belongs to another job, not to mine"):
        jobs.run(jobbing.square, [5, 5, 6], journal=jobs.Journal(mine, "mine"), workers=1)
    (mine / "00000000.chunk").write_bytes((mine / "00000001.chunk").read_bytes())
    with pytest.raises(JobError, match=r"belongs to chunk 1 5, not to chunk 0 5"):
        jobs.run(jobbing.square, [5, 5, 6], journal=jobs.Journal(mine, "mine"), workers=1)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("letter.txt", "Dear", "it is a folder of other things"),
        ("journal.json", "", "journal.json is damaged"),
        ("journal.json", "[1]", "journal.json is damaged"),
        ("journal.json", '{"format": 1}', "journal.json is damaged"),
        (
            "journal.json",
            '{"format": 2, "job": "squares", "parameters": {}, "version": 1}',
            "its format is 2, and this version knows 1",
        ),
    ],
)
def test_folders_that_are_no_journals(name: str, content: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(JobError, match=f"cannot be used as a journal: {reason}"):
        jobs.run(jobbing.square, [1], journal=jobs.Journal(tmp_path, "squares"))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, content)]


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(JobError, match="cannot be used as a journal"):
        jobs.run(jobbing.square, [1], journal=jobs.Journal(tmp_path / "file", "squares"))


def test_a_run_that_was_killed_before_its_first_line(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    (tmp_path / "journal.json.new").write_text("{")
    journal = jobs.Journal(tmp_path, "squares")
    assert jobs.run(jobbing.square, [3], journal=journal, workers=1) == [9]
    assert kept(tmp_path) == {0}


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, sync = jobs.Journal(tmp_path, "squares"), os.fsync

    def full(file: int) -> None:
        if kept(tmp_path) == {0, 1}:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(file)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(JobError, match="cannot be used as a journal: No space left on device"):
        jobs.run(jobbing.square, range(5), journal=journal, workers=1)
    monkeypatch.undo()
    assert kept(tmp_path) <= {0, 1, 2}
    assert not list(tmp_path.glob("*.new"))
    assert jobs.run(jobbing.square, range(5), journal=journal, workers=1) == [0, 1, 4, 9, 16]


def test_one_run_at_a_time(tmp_path: Path) -> None:
    journal = jobs.Journal(tmp_path, "squares")
    with journal, pytest.raises(JobError, match="is in use by another run"):
        jobs.run(jobbing.square, [1], journal=journal, workers=1)
    code = f"import jobbing; jobbing.hold({str(tmp_path)!r})"
    with python(code, stdin=subprocess.PIPE) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        with pytest.raises(JobError, match="is in use by another run"):
            jobs.run(jobbing.square, [1], journal=journal, workers=1)
        other.kill()
        other.wait()
        assert jobs.run(jobbing.square, [1], journal=journal, workers=1) == [1]


# Errors of the function


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_names_its_chunk(workers: int, tmp_path: Path) -> None:
    journal = jobs.Journal(tmp_path, "threes")
    with pytest.raises(JobError) as caught:
        jobs.run(jobbing.fails_at_three, range(10**6), journal=journal, workers=workers)
    error = caught.value
    assert (error.code, error.number) == ("jobs.failed", 3)
    assert str(error) == "chunk 3 3 failed: ValueError: three is not for me"
    assert "in fails_at_three" in error.__notes__[0]
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert kept(tmp_path) >= ({0, 1, 2} if workers == 1 else set())
    assert kept(tmp_path) <= set(range(12)) - {3}


@pytest.mark.parametrize(
    ("chunk", "reason"),
    [
        ("tuple", "TypeError: JSON changes the result"),
        ("keys", "TypeError: JSON changes the result"),
        ("set", "TypeError: Object of type set is not JSON serializable"),
        ("nan", "ValueError: Out of range float values are not JSON compliant"),
        ("none such", "KeyError: 'none such'"),
    ],
)
def test_results_that_are_no_plain_data(chunk: str, reason: str) -> None:
    with pytest.raises(JobError, match=f'chunk 0 "{chunk}" failed: {reason}'):
        jobs.run(jobbing.give, [chunk], workers=1)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_function_that_leaves(workers: int) -> None:
    with pytest.raises(JobError, match=r"chunk \d (\d) failed: SystemExit: no \1"):
        jobs.run(jobbing.leave, [1, 2], workers=workers)


# Deaths of workers


def deadly(log: Path, deaths: int) -> list[dict[str, Any]]:
    return [{"log": str(log), "number": number, "deaths": deaths} for number in range(8)]


SQUARES = [number**2 for number in range(8)]


def test_a_worker_killed_costs_its_chunk_only(tmp_path: Path) -> None:
    log = tmp_path / "log"

    def kill() -> None:
        until(lambda: len(starts(log)) == 4)
        os.kill(starts(log)[-1][1], signal.SIGKILL)
        until(lambda: len(starts(log)) == 5)
        (tmp_path / "hurry").touch()

    killer = threading.Thread(target=kill)
    killer.start()
    chunks = jobbing.chunks(log, 8, quick=2)
    assert jobs.run(jobbing.logged, chunks, workers=2) == SQUARES
    killer.join()
    numbers = [number for number, _ in starts(log)]
    assert sorted(numbers) == sorted([*range(8), numbers[3]])


def test_a_chunk_that_kills_its_workers_is_tried_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert jobs.run(jobbing.dies, deadly(log, 2), workers=2) == SQUARES
    assert log.read_text().split() == ["3", "3"]


def test_a_chunk_that_kills_all_its_workers_ends_the_job(tmp_path: Path) -> None:
    log, folder = tmp_path / "log", tmp_path / "journal"
    journal = jobs.Journal(folder, "deadly")
    with pytest.raises(JobError) as caught:
        jobs.run(jobbing.dies, deadly(log, 99), workers=2, journal=journal)
    assert (caught.value.code, caught.value.number) == ("jobs.lost", 3)
    assert str(caught.value).startswith('chunk 3 {"deaths":99,')
    assert str(caught.value).endswith(
        "was given up after 3 attempts: a worker process ended in the middle of its task (SIGKILL)"
    )
    assert log.read_text().split() == ["3"] * 3
    assert kept(folder) >= {0, 1, 2}
    with pytest.raises(JobError, match=r"after 1 attempts: .*\(exit status 7\)"):
        jobs.run(jobbing.exits, [1], workers=2, attempts=1)


def test_a_broken_pool_is_replaced_if_it_was_made_here(tmp_path: Path) -> None:
    log = tmp_path / "log"
    results = jobs.run(jobbing.dies, deadly(log, 1), workers=1, executor=lambda: spawning(1))
    assert results == SQUARES
    with spawning(1) as pool, pytest.raises(JobError, match="after 3 attempts: BrokenProcessPool"):
        jobs.run(jobbing.dies, deadly(tmp_path / "other", 1), executor=pool)


def test_an_executor_that_loses_tasks(tmp_path: Path) -> None:
    """Whatever an executor raises counts as an attempt, and the function's errors do not."""

    class Losing(ThreadPoolExecutor):
        count = 0

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            self.count += 1
            if self.count % 3 == 1:
                raise OSError("no more today")
            future: Future[Any] = super().submit(fn, *args, **kwargs)
            if self.count % 3 == 2:
                lost: Future[Any] = Future()
                lost.set_exception(RuntimeError("the task was lost"))
                return lost
            return future

    with Losing(2) as pool:
        assert jobs.run(jobbing.square, range(8), executor=pool, attempts=20) == SQUARES


def test_killing_at_random_never_changes_results() -> None:
    """Large results, so that some deaths come while one is on its way."""
    chunks = [(number, 4_000_000) for number in range(60)]
    expected = [jobbing.digits(chunk) for chunk in chunks]
    chance, over, deaths = random.Random(1), threading.Event(), 0

    def kill() -> None:
        nonlocal deaths
        while not over.wait(chance.uniform(0.1, 0.3)):
            if processes := multiprocessing.active_children():
                chance.choice(processes).kill()
                deaths += 1

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        found = jobs.run(jobbing.digits, chunks, workers=2, attempts=1000)
    finally:
        over.set()
        killer.join()
    assert found == expected
    assert deaths > 2


# Ends before the end


def test_cancelling_ends_chunks_in_mid_work(tmp_path: Path) -> None:
    log, cancel = tmp_path / "log", threading.Event()
    journal = jobs.Journal(tmp_path / "journal", "squares")
    chunks = jobbing.chunks(log, 8, quick=3)
    asked = 0.0

    def ask() -> None:
        nonlocal asked
        until(lambda: len(starts(log)) == 5)
        asked = time.monotonic()
        cancel.set()

    asker = threading.Thread(target=ask)
    asker.start()
    with pytest.raises(JobError, match="cancelled when 3 of 8 chunks were done") as caught:
        jobs.run(jobbing.logged, chunks, journal=journal, workers=2, cancel=cancel)
    assert time.monotonic() - asked < SOON
    asker.join()
    assert caught.value.code == "jobs.cancelled"
    assert all(is_gone(process) for _, process in starts(log))
    assert kept(tmp_path / "journal") == {0, 1, 2}
    (tmp_path / "hurry").touch()
    assert jobs.run(jobbing.logged, chunks, journal=journal, workers=2) == SQUARES


@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor, spawning])
def test_cancelling_between_chunks(executor: Callable[[], Executor] | None, tmp_path: Path) -> None:
    cancel = threading.Event()
    journal = jobs.Journal(tmp_path, "squares")

    def ask(progress: jobs.Progress) -> None:
        if progress.done == 2:
            cancel.set()

    with pytest.raises(JobError, match="cancelled when 2 of 100 chunks were done"):
        jobs.run(
            jobbing.square,
            range(100),
            journal=journal,
            workers=1,
            executor=executor,
            report=ask,
            cancel=cancel,
        )
    assert 2 <= len(kept(tmp_path)) < 9
    assert jobs.run(jobbing.square, range(4), journal=journal, workers=1) == [0, 1, 4, 9]


def test_cancelling_when_all_is_done_is_too_late() -> None:
    cancel = threading.Event()

    def ask(progress: jobs.Progress) -> None:
        if progress.done == progress.total:
            cancel.set()

    assert jobs.run(jobbing.square, range(8), workers=2, report=ask, cancel=cancel) == SQUARES


def test_closing_a_stream_ends_its_work_and_keeps_what_came(tmp_path: Path) -> None:
    log, journal = tmp_path / "log", jobs.Journal(tmp_path / "journal", "squares")
    chunks = jobbing.chunks(log, 100, quick=2)
    with closing(jobs.stream(jobbing.logged, chunks, journal=journal, workers=2)) as results:
        assert next(results) == 0
        until(lambda: len(starts(log)) == 4)
        start = time.monotonic()
    assert time.monotonic() - start < SOON
    assert kept(tmp_path / "journal") == {0, 1}
    assert all(is_gone(process) for _, process in starts(log))


def python(code: str, **options: Any) -> subprocess.Popen[str]:
    """Start a program in a process group of its own."""
    path = os.pathsep.join([str(TESTS.parent / "src"), str(TESTS)])
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": path},
        **options,
    )


@pytest.fixture
def master(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A job with two workers in a program of its own."""
    code = (
        f"import jobbing; jobbing.master({str(tmp_path / 'journal')!r}, {str(tmp_path / 'log')!r})"
    )
    with python(code) as program:
        assert program.stdout
        assert program.stdout.readline() == "started\n"
        yield program
        program.kill()


def finish(folder: Path, log: Path) -> None:
    """Do the rest of the master's job, and see that it is no more than that."""
    before, begun = kept(folder), len(starts(log))
    (log.parent / "hurry").touch()
    seen: list[int] = []
    results = jobs.run(
        jobbing.logged,
        jobbing.chunks(log, jobbing.CHUNKS, jobbing.QUICK),
        journal=jobs.Journal(folder, "squares"),
        workers=3,
        report=lambda progress: seen.append(progress.done),
    )
    assert results == [number**2 for number in range(jobbing.CHUNKS)]
    assert seen[0] == len(before)
    again = [number for number, _ in starts(log)[begun:]]
    assert sorted(again) == sorted(set(range(jobbing.CHUNKS)) - before)


def test_killing_the_master_costs_unfinished_chunks_only(
    master: subprocess.Popen[str], tmp_path: Path
) -> None:
    log, folder = tmp_path / "log", tmp_path / "journal"
    until(lambda: len(starts(log)) == jobbing.QUICK + 2)
    until(lambda: len(kept(folder)) == jobbing.QUICK)
    master.kill()
    master.wait()
    until(lambda: all(is_gone(process) for _, process in starts(log)), SOON)
    assert kept(folder) == set(range(jobbing.QUICK))
    finish(folder, log)


@pytest.mark.parametrize("begun", [0, jobbing.QUICK + 2])
def test_ctrl_c(begun: int, master: subprocess.Popen[str], tmp_path: Path) -> None:
    """The terminal sends it to the workers, too; they may be starting, and say nothing."""
    log, folder = tmp_path / "log", tmp_path / "journal"
    until(lambda: (folder / "journal.json").exists() and len(starts(log)) >= begun)
    time.sleep(0.1)
    start = time.monotonic()
    os.killpg(master.pid, signal.SIGINT)
    output, complaints = master.communicate(timeout=PATIENCE)
    assert time.monotonic() - start < SOON
    assert (master.returncode, output, complaints) == (0, "interrupted\n", "")
    assert all(is_gone(process) for _, process in starts(log))
    finish(folder, log)


# The pool of processes


def test_processes_are_an_executor() -> None:
    with jobs.Processes(2) as pool:
        assert list(pool.map(jobbing.square, range(8))) == SQUARES
        with pytest.raises(ValueError, match="three"):
            pool.submit(jobbing.fails_at_three, 3).result()
        with pytest.raises(JobError, match="exit status 7"):
            pool.submit(jobbing.exits, 3).result()
        with pytest.raises(AttributeError, match="lambda"):
            pool.submit(lambda: 1).result()
        assert pool.submit(jobbing.square, number=3).result() == 9
    with pytest.raises(RuntimeError, match="shut down"):
        pool.submit(jobbing.square, 3)


def test_idle_processes_that_die_are_replaced_unseen() -> None:
    with jobs.Processes(1) as pool:
        first = pool.submit(os.getpid).result()
        os.kill(first, signal.SIGKILL)
        until(lambda: is_gone(first))
        second = pool.submit(os.getpid).result()
        assert second != first
        os.kill(second, signal.SIGSTOP)  # alive, but it will never begin
        waiting = pool.submit(os.getpid)
        time.sleep(0.2)
        os.kill(second, signal.SIGKILL)
        assert waiting.result() not in {first, second}


def test_shutting_down_finishes_or_cancels(tmp_path: Path) -> None:
    pool = jobs.Processes(1)
    chunks = jobbing.chunks(tmp_path / "log", 4, quick=0)
    futures = [pool.submit(jobbing.logged, chunk) for chunk in chunks]
    until(lambda: starts(tmp_path / "log"))
    assert futures[2].cancel()
    pool.shutdown(wait=False)
    pool.shutdown(wait=False, cancel_futures=True)
    (tmp_path / "hurry").touch()
    pool.shutdown()
    assert [future.cancelled() for future in futures] == [False, True, True, True]
    assert futures[0].result() == 0
    pool.kill_workers()


def test_journal_says_what_it_is(tmp_path: Path) -> None:
    journal = jobs.Journal(tmp_path, "squares", {"rules": "standard"}, 3)
    assert repr(journal) == f"Journal({str(tmp_path)!r}, 'squares', {{'rules': 'standard'}}, 3)"
    jobs.run(jobbing.square, [7], journal=journal, workers=1)
    header = json.loads((tmp_path / "journal.json").read_bytes())
    assert header == {
        "format": 1,
        "job": "squares",
        "parameters": {"rules": "standard"},
        "version": 3,
    }
    head, body = (tmp_path / "00000000.chunk").read_text().splitlines()[1:]
    assert json.loads(head)["chunk"] == 7
    assert body == "49"
