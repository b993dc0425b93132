"""A pool of processes of which each may die alone."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from formsgame.errors import JobError
from formsgame.jobs.plain import described


class Processes(Executor):
    """A pool of processes, started when they are needed, of which one may die without the others.

    The task of a process that dies fails with `JobError`, and a fresh process takes its place. Each
    has a pipe of its own, so no death can leave the others waiting, and none outlives this process.
    (The standard library's pool shares its pipes: a death there ends every task, and one while a
    large result is on its way hangs it.) Works with a `with` statement, like any executor.

    >>> with Processes(1) as pool:
    ...     pool.submit(pow, 2, 10).result()
    1024
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or processors()
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._processes: set[SpawnProcess] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._killed = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a function called in one of the processes; raises RuntimeError after shutdown."""
        with self._lock:
            if self._closed:
                raise RuntimeError("these processes were shut down")
            future: Future[Any] = Future()
            self._tasks.put((future, (fn, args, kwargs)))
            if len(self._threads) < self.workers:
                thread = threading.Thread(target=self._tend, name="formsgame-jobs", daemon=True)
                self._threads.append(thread)
                thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when all tasks, or with `cancel_futures` those begun, are done."""
        with self._lock:
            first, self._closed = not self._closed, True
        if cancel_futures:
            waiting = []
            with contextlib.suppress(queue.Empty):
                while True:
                    waiting.append(self._tasks.get_nowait())
            for task in waiting:
                if task is None:
                    self._tasks.put(None)
                else:
                    task[0].cancel()
                    task[0].set_running_or_notify_cancel()
        if first:
            for _ in self._threads:
                self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def kill_workers(self) -> None:
        """End all processes at once, whatever they are at, and shut down."""
        with self._lock:
            self._killed = True
            for process in self._processes:
                process.kill()
        self.shutdown(cancel_futures=True)

    def _tend(self) -> None:
        """Hand tasks to one process, and to a fresh one whenever it dies; runs in a thread."""
        _keep_interrupts_from_children()
        worker: tuple[SpawnProcess, Connection] | None = None
        while (task := self._tasks.get()) is not None:
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                data = pickle.dumps(call)
                try:
                    if worker and not self._takes(worker[1], data):
                        self._end(*worker)  # it died while idle, and has begun nothing
                        worker = None
                    if worker is None:
                        worker = self._start()
                        if not self._takes(worker[1], data):
                            raise EOFError
                    data = worker[1].recv_bytes()
                except (EOFError, OSError):
                    assert worker is not None
                    reason = self._end(*worker)
                    worker = None
                    raise JobError("jobs.process", reason=reason) from None
                sound, answer = pickle.loads(data)
            except BaseException as error:  # noqa: BLE001 - the caller hears of it
                sound, answer = False, error
            if sound:
                future.set_result(answer)
            else:
                future.set_exception(answer)
            del task, future, call, answer
        if worker:
            self._end(*worker)

    @staticmethod
    def _takes(pipe: Connection, task: bytes) -> bool:
        """Send a task to a process; returns False if that ended before it began."""
        try:
            pipe.send_bytes(task)
            pipe.recv_bytes()
        except (EOFError, OSError):
            return False
        return True

    def _start(self) -> tuple[SpawnProcess, Connection]:
        """Start a process."""
        context = multiprocessing.get_context("spawn")
        with self._lock:
            if self._killed:
                raise JobError("jobs.process", reason="killed")
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            self._processes.add(process)
        return process, ours

    def _end(self, process: SpawnProcess, pipe: Connection) -> str:
        """See a process off, and return how it ended."""
        pipe.close()  # which is its sign to leave
        process.join(2)
        if process.exitcode is None:
            process.kill()
            process.join()
        with self._lock:
            self._processes.discard(process)
        code = process.exitcode or 0
        process.close()
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
        return f"exit status {code}"


_Task = tuple[Future[Any], tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]


def _serve(pipe: Connection) -> None:
    """Do what comes through a pipe until it is closed; the life of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the master's to act on
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):  # the master is gone, or wants no more
        while True:
            data = pipe.recv_bytes()
            pipe.send_bytes(b"")  # from here on, it is begun
            try:
                function, args, kwargs = pickle.loads(data)
                data = pickle.dumps((True, function(*args, **kwargs)))
            except Exception as error:  # noqa: BLE001 - the caller's to act on
                try:
                    data = pickle.dumps((False, error))
                    pickle.loads(data)
                except Exception:  # noqa: BLE001 - an error that cannot travel goes as text
                    data = pickle.dumps((False, RuntimeError(described(error))))
            pipe.send_bytes(data)


def _leave_with_parent() -> None:
    """End this process, whatever it is at, when its parent is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _keep_interrupts_from_children() -> None:
    """Let no process that this thread starts hear of Ctrl-C, not even before it can look away."""
    if sys.platform != "win32":
        resource_tracker.ensure_running()  # started later, it would undo the next line
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def processors() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
