"""Running a job: chunks out, results back, in order."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import pickle
import queue
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from formsgame.errors import JobError, LimitError
from formsgame.jobs.journal import Journal
from formsgame.jobs.plain import brief, checked, described, shown
from formsgame.jobs.processes import Processes, processors

C = TypeVar("C")
R = TypeVar("R")

#: Seconds between looks at the wish to cancel.
POLL_SECONDS = 0.1
#: Chunks in flight for every worker: the one it is at, and the next.
AHEAD = 2


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is: chunks `done`, those of earlier runs included, of `total`.

    `seconds` this run has taken so far; `left` are the seconds that it still needs if the other
    chunks are like those it has made, or None before the first.
    """

    done: int
    total: int
    seconds: float
    left: float | None


def run(
    function: Callable[[C], R],
    chunks: Sequence[C],
    *,
    journal: Journal | None = None,
    workers: int | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
    attempts: int = 3,
    report: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
) -> list[R]:
    """Return the function's results for all chunks, in the chunks' order.

    `function` stands at the top of a module (or is a `functools.partial` of such a one), depends on
    the chunk alone, and returns bytes or what JSON gives back unchanged. A chunk is plain data:
    numbers, text, and lists, tuples and tables of these. With a `journal`, finished chunks are kept
    there and those it holds are not done again.

    `workers` says how many chunks are worked on at a time: by default one for each processor, each
    a process; 1 works in this process. Another `executor`, or a function that makes one, takes
    their place; one that is given stays open, one that was made here is shut down, and made anew
    when it breaks. A chunk whose worker dies is tried again, up to `attempts` times in all.

    `report` is called at the start and after every chunk. Setting `cancel` ends the run within
    about a second, in this process at the end of a chunk; Ctrl-C ends it at once. Raises `JobError`
    when cancelled, when the function raises, when a chunk's workers keep dying, and for a journal
    that is another job's, in use, or not writable; `LimitError` for arguments that make no sense.
    """
    return list(
        stream(
            function,
            chunks,
            journal=journal,
            workers=workers,
            executor=executor,
            attempts=attempts,
            report=report,
            cancel=cancel,
        )
    )


def stream(
    function: Callable[[C], R],
    chunks: Sequence[C],
    *,
    journal: Journal | None = None,
    workers: int | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
    attempts: int = 3,
    report: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
) -> Generator[R, None, None]:
    """Yield what `run` returns, one result after the other, each as soon as its turn has come.

    The work starts with the first result asked for and ends when the iterator is closed. Results
    that wait for their turn are held in memory, or in the journal if there is one.

    >>> import math
    >>> next(stream(math.factorial, range(10**9), workers=1))
    1
    """
    for name, value in (("workers", workers), ("attempts", attempts)):
        if value is not None and (type(value) is not int or value < 1):
            raise LimitError(
                "limit.value", name=name, expected="an integer >= 1", value=shown(value)
            )
    try:
        pickle.dumps(function)
    except Exception as error:  # whatever an object makes of being pickled
        raise LimitError(
            "limit.value",
            name="function",
            expected="a function at the top of a module",
            value=shown(function),
        ) from error
    count = workers or processors()
    window = AHEAD * count
    if executor is None:
        executor = functools.partial(Processes, count)
        if count == 1:
            executor, window = _InThisProcess, 1
    return _Run(function, chunks, journal, executor, window, attempts, report, cancel).results()


def split(count: int, size: int) -> list[tuple[int, int]]:
    """Return chunks (start, stop) of at most `size` that make up `count` things.

    Raises `LimitError` for a count below 0 or a size below 1.

    >>> split(10, 4)
    [(0, 4), (4, 8), (8, 10)]
    """
    for name, value, least in (("count", count, 0), ("size", size, 1)):
        if type(value) is not int or value < least:
            raise LimitError(
                "limit.value", name=name, expected=f"an integer >= {least}", value=shown(value)
            )
    return [(start, min(start + size, count)) for start in range(0, count, size)]


def chunk_seed(seed: int, number: int) -> int:
    """Return the seed, within 0 to 2**64 - 1, of chunk `number` of a job with a seed.

    The same on every machine and in every version: the first eight bytes, little endian, of the
    SHA-256 of both in decimal with a colon between. Raises `LimitError` for numbers below 0.

    >>> chunk_seed(1, 0)
    18193369737572870310
    """
    for name, value in (("seed", seed), ("chunk number", number)):
        if type(value) is not int or value < 0:
            raise LimitError(
                "limit.value", name=name, expected="an integer >= 0", value=shown(value)
            )
    return int.from_bytes(hashlib.sha256(f"{seed}:{number}".encode()).digest()[:8], "little")


class _InThisProcess(Executor):
    """Does a task when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class _Run(Generic[C, R]):
    """A job in progress."""

    def __init__(
        self,
        function: Callable[[C], R],
        chunks: Sequence[C],
        journal: Journal | None,
        executor: Executor | Callable[[], Executor],
        window: int,
        attempts: int,
        report: Callable[[Progress], None] | None,
        cancel: threading.Event | None,
    ) -> None:
        self.function = function
        self.chunks = chunks
        self.total = len(chunks)
        self.journal = journal
        self.pool: Executor | None = None
        self.make: Callable[[], Executor] | None = None
        if isinstance(executor, Executor):
            self.pool = executor
        else:
            self.make = executor
        self.window = window
        self.attempts = attempts
        self.report = report
        self.cancel = cancel
        self.todo = _Todo(self.total)
        self.done = 0
        self.made = 0
        self.lost: dict[int, int] = {}  # attempts that came to nothing, by chunk
        self.ready: dict[int, tuple[str, bytes]] = {}  # without a journal
        self.in_flight: dict[Future[tuple[str, bytes]], tuple[int, Executor]] = {}
        self.arrived: queue.SimpleQueue[Future[tuple[str, bytes]]] = queue.SimpleQueue()
        self.since = 0.0

    def results(self) -> Generator[R, None, None]:
        """Yield all results in order."""
        self.since = time.monotonic()
        with self.journal or contextlib.nullcontext():
            try:
                self._resume()
                self._tell()
                for number in range(self.total):
                    self._step(0)
                    while (result := self._take(number)) is None:
                        self._step(POLL_SECONDS)
                    yield _decoded(*result)
            except BaseException:
                self._abandon()
                raise
            if self.make and self.pool:
                self.pool.shutdown()

    def _resume(self) -> None:
        """Look which chunks the journal has."""
        if self.journal is None:
            return
        for number in self.journal.finished(self.total):
            self._mind_cancel()
            if self.journal.load(number, self.chunks[number]) is not None:
                self.todo.finish(number)
                self.done += 1

    def _step(self, seconds: float) -> None:
        """Hand out chunks, then wait for one of them so long."""
        self._mind_cancel()
        while len(self.in_flight) < self.window and (number := self.todo.next()) is not None:
            self._mind_cancel()
            chunk = self.chunks[number]
            checked(f"chunk {number}", chunk)
            if self.pool is None:
                assert self.make is not None
                self.pool = self.make()
            pool = self.pool
            try:
                future = pool.submit(_work, self.function, chunk)
            except Exception as error:  # noqa: BLE001 - whatever an executor raises
                self._lose(number, error, pool)
                continue
            self.in_flight[future] = number, pool
            future.add_done_callback(self.arrived.put)
        with contextlib.suppress(queue.Empty):
            self._receive(self.arrived.get(timeout=seconds))

    def _receive(self, future: Future[tuple[str, bytes]]) -> None:
        """Take what a worker has to say."""
        number, pool = self.in_flight.pop(future)
        try:
            kind, body = future.result()
        except Exception as error:  # noqa: BLE001 - the function's own come as results
            self._lose(number, error, pool)
            return
        if kind == "error":
            chunk = brief(self.chunks[number])
            reason, trace = json.loads(body)
            failure = JobError("jobs.failed", number=number, chunk=chunk, reason=reason)
            failure.add_note(trace)
            raise failure
        if self.journal is None:
            self.ready[number] = kind, body
        else:
            self.journal.store(number, self.chunks[number], kind, body)
        self.todo.finish(number)
        self.done += 1
        self.made += 1
        self._tell()

    def _lose(self, number: int, error: Exception, pool: Executor | None) -> None:
        """Have a chunk tried again, by a fresh pool if its own is broken."""
        if isinstance(error, BrokenExecutor) and self.make and pool and pool is self.pool:
            pool.shutdown(wait=False, cancel_futures=True)
            self.pool = None
        count = self.lost[number] = self.lost.get(number, 0) + 1
        if count >= self.attempts:
            chunk = brief(self.chunks[number])
            raise JobError(
                "jobs.lost", number=number, chunk=chunk, count=count, reason=described(error)
            ) from error
        self.todo.again(number)

    def _take(self, number: int) -> tuple[str, bytes] | None:
        """Return a chunk's result, if it is there."""
        if self.journal is None:
            return self.ready.pop(number, None)
        if not self.todo.is_finished(number):
            return None
        result = self.journal.load(number, self.chunks[number])
        if result is None:  # it was sound before
            self.done -= 1
            self._lose(number, OSError("its file was damaged during the run"), None)
        return result

    def _abandon(self) -> None:
        """End what is in flight, and keep what has arrived."""
        for future in self.in_flight:
            future.cancel()
        if self.make and self.pool:
            # The standard library's pool of processes has this method from Python 3.14 on.
            kill: Callable[[], None] | None = getattr(self.pool, "kill_workers", None)
            if kill is not None:
                kill()
            else:
                self.pool.shutdown(wait=False, cancel_futures=True)
        self.report = None
        with contextlib.suppress(queue.Empty, JobError):
            while True:
                future = self.arrived.get_nowait()
                if not future.cancelled() and future.exception() is None:
                    self._receive(future)

    def _mind_cancel(self) -> None:
        if self.cancel is not None and self.cancel.is_set() and self.done < self.total:
            raise JobError("jobs.cancelled", done=self.done, total=self.total)

    def _tell(self) -> None:
        if self.report is None:
            return
        seconds = time.monotonic() - self.since
        left = None
        if self.done == self.total:
            left = 0.0
        elif self.made:
            left = seconds * (self.total - self.done) / self.made
        self.report(Progress(self.done, self.total, seconds, left))


class _Todo:
    """Which chunks are to be done: those to be tried again first, then in order."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._finished: set[int] = set()
        self._again: deque[int] = deque()
        self._next = 0

    def next(self) -> int | None:
        """Take out the next number; None if there is none."""
        if self._again:
            return self._again.popleft()
        while self._next < self._total:
            self._next += 1
            if self._next - 1 not in self._finished:
                return self._next - 1
        return None

    def again(self, number: int) -> None:
        """Put a number back that was taken out, or finished."""
        self._finished.discard(number)
        self._again.append(number)

    def finish(self, number: int) -> None:
        """Note that a chunk needs no more work."""
        self._finished.add(number)

    def is_finished(self, number: int) -> bool:
        """Tell whether a chunk needs no more work."""
        return number in self._finished


def _decoded(kind: str, body: bytes) -> Any:
    """Return a result from its kind and body."""
    return body if kind == "bytes" else json.loads(body)


def _work(function: Callable[[C], Any], chunk: C) -> tuple[str, bytes]:
    """Return kind and body of a chunk's result, or of the error it ends in; runs in a worker."""
    try:
        result = function(chunk)
        if type(result) is bytes:
            return "bytes", result
        body = json.dumps(result, allow_nan=False, separators=(",", ":"))
        if json.loads(body) != result:
            raise TypeError(
                "JSON changes the result: return bytes, or lists for tuples and text for keys"
            )
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it ends the job, by name
        return "error", json.dumps([described(error), traceback.format_exc()]).encode()
    return "json", body.encode()
