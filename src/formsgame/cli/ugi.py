"""Speaking the Universal Game Interface: the pipes, the engine's thread, and what each waits for.

This thread obeys the protocol and writes. A second one reads lines, each when the one before has
been dealt with; a third one thinks. Both tell this thread through one queue, so nothing is locked
and everything is written in the order in which it happened.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from formsgame.cli import INTERRUPTED, output
from formsgame.engine import Engine, Info, Thought
from formsgame.engine.streams import read_lines
from formsgame.engine.ugi import Action, Order, Protocol, Task
from formsgame.errors import FormsError
from formsgame.limit import Limit

Read = Callable[[int], bytes | None]

#: Seconds after which an engine that was told to stop is told again: it forgets what it is told
#: just before it begins.
STOP_AGAIN = 0.005
#: Seconds between looks whether Ctrl-C was pressed, where waiting can't be interrupted.
IDLE = 1.0
#: Seconds that the engine's thread is given to end.
FAREWELL = 2.0
#: News of the engine that may wait to be written; what comes while there is more is left out.
MOST_NEWS = 1000


def run() -> int:
    """Speak over standard input and output until told to quit; returns the exit status."""
    source: Any = getattr(sys.stdin, "buffer", sys.stdin)
    # The raw stream, where there is one: a reader that waits in it holds no lock that the end of
    # the process would need.
    source = getattr(source, "raw", source)
    session = Session(source.read if source else _read_nothing, _write, _prepare)
    status = INTERRUPTED
    try:
        session.run()
        status = 0
    finally:
        if not session.end():  # it is compiling, and can't be left to that in an orderly way
            output.flush()
            os._exit(status)
    return status


class Session:
    """One conversation over a pair of pipes."""

    def __init__(
        self, read: Read, write: Callable[[str], None], prepare: Callable[[], None]
    ) -> None:
        self._protocol = Protocol()
        self._read = read
        self._write = write
        self._prepare = prepare
        self._is_prepared = False
        self._news: queue.SimpleQueue[Callable[[], list[Action]]] = queue.SimpleQueue()
        self._tasks: queue.SimpleQueue[Task | Order] = queue.SimpleQueue()
        self._may_read = threading.Semaphore()
        self._is_line_due = False
        self._is_stopping = threading.Event()
        self._engine: Engine | None = None
        self._engine_key: object = None
        self._reader = threading.Thread(target=self._listen, name="formsgame-ugi-in", daemon=True)
        self._thinker = threading.Thread(target=self._work, name="formsgame-ugi", daemon=True)

    def run(self) -> None:
        """Talk until told to quit, or until there is nothing more to hear and to say."""
        self._reader.start()
        self._thinker.start()
        while True:
            try:
                news = self._news.get(timeout=STOP_AGAIN if self._is_stopping.is_set() else IDLE)
            except queue.Empty:
                if self._is_stopping.is_set():
                    self._stop()
                continue
            for action in news():
                if action is Order.QUIT:
                    return
                self._do(action)
            if self._is_line_due and not self._protocol.is_holding:
                self._is_line_due = False
                self._may_read.release()

    def end(self) -> bool:
        """End the engine's thread; returns whether it has ended."""
        self._tasks.put(Order.QUIT)
        self._is_stopping.set()
        deadline = time.monotonic() + FAREWELL
        while self._thinker.is_alive() and time.monotonic() < deadline:
            self._stop()
            self._thinker.join(STOP_AGAIN)
        return not self._thinker.is_alive()

    def _receive(self, line: str | None) -> list[Action]:
        self._is_line_due = True
        return self._protocol.receive(line)

    def _do(self, action: Action) -> None:
        if isinstance(action, str):
            self._write(action)
        elif action is Order.STOP:
            self._is_stopping.set()
            self._stop()
        else:
            self._is_stopping.clear()
            self._tasks.put(action)

    def _stop(self) -> None:
        if self._engine is not None:
            self._engine.stop()

    def _listen(self) -> None:
        """Read lines; runs in a thread."""
        try:
            for line in read_lines(self._read):
                self._may_read.acquire()
                self._news.put(partial(self._receive, line))
        except (OSError, ValueError):  # there is no such pipe, or not any more
            pass
        self._may_read.acquire()
        self._news.put(self._protocol.end)

    def _work(self) -> None:
        """Do what the engine is for; runs in a thread."""
        while (task := self._tasks.get()) is not Order.QUIT:
            if isinstance(task, Task):
                self._news.put(partial(self._protocol.finish, task.number, self._think(task)))
                continue
            trouble = ""
            try:
                self._get_ready()
            except Exception as error:  # noqa: BLE001 - the other side is told
                trouble = _described(error)
            self._news.put(partial(self._protocol.prepared, trouble))

    def _get_ready(self) -> None:
        if not self._is_prepared:
            self._prepare()
            self._is_prepared = True

    def _think(self, task: Task) -> Thought | str:
        """Return what the engine found, or why it did not."""

        def report(info: Info) -> None:
            if self._news.qsize() < MOST_NEWS:
                self._news.put(partial(self._protocol.report, task.number, info))

        try:
            self._get_ready()
            engine = self._engine_for(task)
            limit = task.limit
            if self._is_stopping.is_set():  # before it began
                limit = Limit(nodes=1)
            return engine.think(task.position, limit, lines=task.settings.lines, report=report)
        except Exception as error:  # noqa: BLE001 - the other side waits for a move
            return _described(error)

    def _engine_for(self, task: Task) -> Engine:
        """Return the engine of a game; what it has learned is of use for the same game only."""
        settings = task.settings
        key = task.game, replace(settings, rules="", size="", lines=1)
        if self._engine is None or key != self._engine_key:
            if self._engine is not None:
                self._engine.close()
            self._engine = None  # so that two never need their memory at a time
            self._engine = Engine(
                level=settings.level,
                threads=settings.threads,
                hash_mb=settings.hash_mb,
                seed=settings.seed,
            )
            self._engine_key = key
        return self._engine


def _prepare() -> None:
    from formsgame import compiled
    from formsgame.cli import tables

    tables.use_own()
    # It says in one line what the wait is for; no bar, which Ctrl-C would leave on the terminal.
    compiled.warm_up(modules=compiled.PLAY_MODULES)


def _write(line: str) -> None:
    output.say(line)
    output.flush()


def _read_nothing(size: int) -> bytes:
    return b""


def _described(error: BaseException) -> str:
    if isinstance(error, FormsError):
        return error.message
    if isinstance(error, MemoryError):
        return "there is no such memory"
    return " ".join(f"{type(error).__name__}: {error}".split())
