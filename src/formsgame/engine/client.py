"""Another program's engine: a child process that speaks the Universal Game Interface."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType

from formsgame.engine.streams import read_lines
from formsgame.errors import EngineBusyError, FormsError
from formsgame.limit import Limit
from formsgame.position import Move, Position
from formsgame.rules import BLACK, clip

#: Seconds to wait for an answer that has no time of its own. The first start of an engine may take
#: long: this package's own compiles the rules then.
PATIENCE = 120.0
#: Seconds that a move may come later than its time is up before the engine counts as hung.
GRACE = 5.0
#: Seconds between being asked to quit and being killed.
FAREWELL = 1.0
#: Codes of the errors after which the next question can be asked.
_SURVIVED = ("engine.option", "engine.answer", "engine.illegal")
#: Lines that are kept until somebody asks for them; the oldest go first.
KEPT_LINES = 4096


class EngineError(FormsError, RuntimeError):
    """An engine in a process of its own that does not start, is silent, or answers wrongly."""


class UgiEngine:
    """An engine of any make, run as a child process; one question at a time.

    `command` is a command line, or its words. `options` are set before anything else. Where an
    answer has no time of its own, it is waited for `patience` seconds; a move may be `grace`
    seconds late. Every failure raises `EngineError`, whose code says which: `engine.option`,
    `engine.answer` and `engine.illegal` leave the engine at work, `engine.start`, `engine.ended`
    and `engine.silent` end it. Ctrl-C in a terminal does not reach the process; closing ends it.

    >>> engine = UgiEngine("formsgame ugi", {"Level": 3})  # doctest: +SKIP
    >>> engine.best_move(Position.initial("advanced", 8), Limit(seconds=0.1))  # doctest: +SKIP
    Move('e4', 'e5')
    """

    def __init__(
        self,
        command: str | Sequence[str],
        options: Mapping[str, object] | None = None,
        *,
        patience: float = PATIENCE,
        grace: float = GRACE,
    ) -> None:
        self.patience = patience
        self.grace = grace
        #: What the engine calls itself, at first its command.
        self.name = clip(command if isinstance(command, str) else shlex.join(command), 80)
        self.author = ""
        #: What the engine says of its options, as "type spin default 8 min 1 max 9", by name.
        self.options: dict[str, str] = {}
        #: Seconds that the last move took, from the question to the answer.
        self.seconds = 0.0
        self._in_use = threading.Lock()
        self._is_closed = False
        self._child = _Child(self.name, _words(command))
        self._end = weakref.finalize(self, self._child.end)
        try:
            with self._question():
                self._greet()
                for name, value in (options or {}).items():
                    self._set_option(name, value)
                self._synchronize()
        except EngineError:
            self.close()
            raise

    def __enter__(self) -> UgiEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Have the process quit, and kill it if it does not."""
        self._is_closed = True
        self._end()

    def new_game(self) -> None:
        """Tell the engine that what follows is another game, and wait until it is ready."""
        with self._question():
            self._child.send("uginewgame")
            self._synchronize()

    def set_option(self, name: str, value: object) -> None:
        """Set one of the engine's options."""
        with self._question():
            self._set_option(name, value)
            self._synchronize()

    def best_move(
        self,
        position: Position,
        limit: Limit | None = None,
        *,
        opponent_clock: tuple[float, float] | None = None,
    ) -> Move:
        """Return the engine's move, which is legal; without a limit its own holds.

        The limit's `clock` is that of the side to move; `opponent_clock` is the other's, by default
        the same. Raises `EngineBusyError` where the game is over.
        """
        if position.is_over:
            raise EngineBusyError("engine.over")
        with self._question():
            self._child.send(f"position fen {position}")
            self._synchronize()  # so that neither reading that nor any late answer costs time
            command = _go(position, limit, opponent_clock)
            self._child.send(command)
            start = time.monotonic()
            for arrived, line in self._child.lines(command, self._allowance(limit)):
                words = line.split()
                if words[:1] == ["bestmove"]:
                    self.seconds = max(0.0, arrived - start)
                    return self._move(position, command, line, words[1:2])
            raise AssertionError("lines end with an error only")

    def stop(self) -> None:
        """Have the engine answer at once with its best move so far; for another thread."""
        self._child.send("stop")

    @contextlib.contextmanager
    def _question(self) -> Iterator[None]:
        """Keep others out, and end the process where it can't be asked anything more."""
        if not self._in_use.acquire(blocking=False):
            raise EngineBusyError("engine.busy")
        try:
            if self._is_closed:
                raise EngineBusyError("engine.closed")
            yield
        except BaseException as error:
            # After Ctrl-C, too: an engine left in the middle of a thought has no more use.
            if not (isinstance(error, EngineError) and error.code in _SURVIVED):
                self.close()
            raise
        finally:
            self._in_use.release()

    def _greet(self) -> None:
        self._child.send("ugi")
        for _arrived, line in self._child.lines("ugi", self.patience):
            match line.split(maxsplit=2):
                case ["ugiok", *_]:
                    return
                case ["id", "name", name]:
                    self.name = self._child.name = clip(name.strip(), 80)
                case ["id", "author", author]:
                    self.author = clip(author.strip(), 80)
                case ["option", "name", rest]:
                    option, _type, values = rest.partition(" type ")
                    self.options[option.strip()] = f"type {values.strip()}"

    def _synchronize(self) -> None:
        """Wait until the engine has done all it was told; whatever else it says is passed over."""
        self._child.send("isready")
        for _arrived, line in self._child.lines("isready", self.patience):
            if line.split() == ["readyok"]:
                return

    def _set_option(self, name: str, value: object) -> None:
        known = next((known for known in self.options if known.lower() == name.lower()), None)
        if known is None:
            names = ", ".join(self.options) or "none"
            raise EngineError("engine.option", engine=self.name, name=clip(name), known=names)
        text = str(value).lower() if isinstance(value, bool) else " ".join(str(value).split())
        self._child.send(f"setoption name {known} value {text}")

    def _allowance(self, limit: Limit | None) -> float:
        """Return the seconds after which a move does not come any more."""
        times = [self.patience]
        if limit is not None and (limit.seconds is not None or limit.clock is not None):
            given = [limit.seconds, limit.clock[0] if limit.clock else None]
            times = [time + self.grace for time in given if time is not None]
        return min(times)

    def _move(self, position: Position, command: str, line: str, words: Sequence[str]) -> Move:
        """Return the move of an answer."""
        text = words[0] if words else ""
        try:
            move = Move.parse(text)
        except FormsError as error:
            raise EngineError(
                "engine.answer",
                engine=self.name,
                command=command,
                answer=clip(line),
                reason=error.message,
            ) from None
        try:
            position.play(move)
        except FormsError as error:
            raise EngineError(
                "engine.illegal", engine=self.name, command=command, cause=error
            ) from None
        return move


class _Child:
    """The process, and what it has said that nobody has asked for yet."""

    def __init__(self, name: str, words: Sequence[str] | str) -> None:
        self.name = name
        self.heard: deque[tuple[float, str]] = deque(maxlen=KEPT_LINES)
        self.news = threading.Condition()
        self.is_mute = False
        self.last_complaint = ""
        self.outgoing: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        pipe = subprocess.PIPE
        try:
            self.process = subprocess.Popen(
                words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        except (OSError, ValueError, IndexError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise EngineError("engine.start", engine=name, reason=reason) from None
        # Reading and writing have threads of their own: no engine that falls silent, or does not
        # read, keeps anyone waiting for longer than is asked for.
        work = (self._listen, self._listen_to_complaints, self._speak)
        self.threads = [threading.Thread(target=task, daemon=True) for task in work]
        for thread in self.threads:
            thread.start()

    def send(self, line: str) -> None:
        """Say something."""
        self.outgoing.put(line)

    def lines(self, command: str, seconds: float) -> Iterator[tuple[float, str]]:
        """Yield when what was said, for so long; raises `EngineError` when there is no more."""
        deadline = time.monotonic() + seconds
        while True:
            with self.news:
                while not self.heard:
                    if self.is_mute:
                        raise EngineError(
                            "engine.ended", engine=self.name, command=command, reason=self._fate()
                        )
                    left = deadline - time.monotonic()
                    if left <= 0:
                        break
                    self.news.wait(left)
                heard = self.heard.popleft() if self.heard else None
            if heard is None or heard[0] > deadline:
                raise EngineError(
                    "engine.silent", engine=self.name, command=command, seconds=f"{seconds:g}"
                )
            yield heard

    def end(self) -> None:
        """End the process, by force after a moment."""
        self.send("quit")
        self.outgoing.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(FAREWELL)
        if self.process.poll() is None:
            self._kill()
            self.process.wait()
        for thread, stream in zip(
            self.threads, (self.process.stdout, self.process.stderr), strict=False
        ):
            thread.join(FAREWELL)
            if stream and not thread.is_alive():  # else a child of its own holds the pipe open
                stream.close()
        self.threads[-1].join(FAREWELL)

    def _kill(self) -> None:
        """Kill the process and, where there are such, those of its group."""
        if sys.platform == "win32":
            self.process.kill()
            return
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def _fate(self) -> str:
        """Return what became of the process, in some words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(FAREWELL)
        self.threads[1].join(FAREWELL)
        status = self.process.returncode
        if status is None:
            fate = "it closed its output"
        elif status < 0:
            fate = f"signal {-status}"
        else:
            fate = f"status {status}"
        return f"{fate}, {self.last_complaint}" if self.last_complaint else fate

    def _listen(self) -> None:
        """Keep what the process says; runs in a thread."""
        assert self.process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for line in read_lines(self.process.stdout.read1):  # type: ignore[attr-defined]
                if line is not None:
                    with self.news:
                        self.heard.append((time.monotonic(), line))
                        self.news.notify_all()
        with self.news:
            self.is_mute = True
            self.news.notify_all()

    def _listen_to_complaints(self) -> None:
        """Keep the last line of the process's errors; runs in a thread."""
        assert self.process.stderr is not None
        with contextlib.suppress(OSError, ValueError):
            for line in read_lines(self.process.stderr.read1):  # type: ignore[attr-defined]
                if line and line.strip():
                    self.last_complaint = clip(line.strip(), 200)

    def _speak(self) -> None:
        """Hand the process what is said to it; runs in a thread."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            while (line := self.outgoing.get()) is not None:
                self.process.stdin.write(f"{line}\n".encode())
                self.process.stdin.flush()
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.close()


def _words(command: str | Sequence[str]) -> Sequence[str] | str:
    """Return the words of a command, or what this system takes for them."""
    if not isinstance(command, str):
        return list(command)
    if sys.platform == "win32":
        return command
    try:
        return shlex.split(command)
    except ValueError as error:
        raise EngineError("engine.start", engine=clip(command), reason=str(error)) from None


def _go(position: Position, limit: Limit | None, opponent_clock: tuple[float, float] | None) -> str:
    """Return the command that has the engine think."""
    if limit is None:
        return "go"
    words = ["go"]
    if limit.seconds is not None:
        words += ["movetime", _milliseconds(max(0.001, limit.seconds))]
    if limit.clock is not None:
        clocks = [limit.clock, opponent_clock or limit.clock]
        if position.side_to_move is not BLACK:
            clocks.reverse()
        for number, (left, _increment) in enumerate(clocks, 1):
            words += [f"p{number}time", _milliseconds(left)]
        for number, (_left, increment) in enumerate(clocks, 1):
            words += [f"p{number}inc", _milliseconds(increment)]
    if limit.nodes is not None:
        words += ["nodes", str(limit.nodes)]
    if limit.depth is not None:
        words += ["depth", str(limit.depth)]
    return " ".join(words)


def _milliseconds(seconds: float) -> str:
    return str(max(0, round(1000 * seconds)))
