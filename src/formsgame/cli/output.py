"""Where the command line writes: results, errors, progress, whatever the streams can show."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from formsgame.cli.words import _

if TYPE_CHECKING:
    from rich.progress import Progress

#: Reports how much of the whole is done, as (done, total).
Report = Callable[[int, int], None]


class FailureError(Exception):
    """The work failed; the message is one line for the user."""


class OutputError(Exception):
    """Results could not be written; `reader_left` if whoever read them has gone."""

    def __init__(self, error: OSError) -> None:
        self.reader_left = isinstance(error, BrokenPipeError)
        super().__init__(error.strerror or str(error))


def prepare() -> None:
    """Make the streams take any text: what they can't show is written in escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


def say(text: str = "", end: str = "\n") -> None:
    """Write a result to standard output; raises `OutputError`."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(text + end)
    except OSError as error:
        raise OutputError(error) from None


def flush() -> None:
    """Have all results written now; raises `OutputError`."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError as error:
        raise OutputError(error) from None


def give_up() -> None:
    """Write nothing more, so that the end of the process does not try again."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a device, not a path
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


def complain(text: str) -> None:
    """Write an error, one line, to standard error."""
    if sys.stderr is None:
        return
    with contextlib.suppress(OSError):  # there is nowhere left to say so
        sys.stderr.write(f"formsgame: {printable(' '.join(text.split()))}\n")
        sys.stderr.flush()


def printable(text: str) -> str:
    """Return a text without what could steer a terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def describe(error: OSError) -> str:
    """Return what went wrong with a file, in one line."""
    reason = error.strerror or str(error)
    return f"{os.fsdecode(error.filename)}: {reason}" if error.filename is not None else reason


def file_named(name: str) -> Path:
    """Return the path of a name that a person typed; raises `OSError` for one that is none."""
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # there is no such user
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), name) from None
    if "\0" in name:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), name)
    return path


def write_file(file: Path, text: str, *, append: bool = False) -> None:
    """Write a text file, or add to it after an empty line; raises `OSError`."""
    with file.open("a" if append else "w", encoding="utf-8", newline="\n") as stream:
        if text and append and stream.tell():
            stream.write("\n")
        stream.write(text)


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a person looks at a stream."""
    return stream is not None and not stream.closed and stream.isatty()


def can_show(text: str) -> bool:
    """Tell whether standard output has all characters of a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


@contextlib.contextmanager
def progress(what: str) -> Iterator[Report]:
    """Show how far some work is, if standard error is a terminal and the work takes a while."""
    bar = _Bar(what) if is_terminal(sys.stderr) else None
    try:
        yield bar.report if bar else _ignore
    finally:
        if bar:
            bar.close()


def _ignore(done: int, total: int) -> None:
    """Show nothing."""


class _Bar:
    """A bar of progress that appears after a moment and vanishes when the work is done."""

    PATIENCE = 0.5

    def __init__(self, what: str) -> None:
        self._what = what
        self._start = time.monotonic()
        self._progress: Progress | None = None

    def report(self, done: int, total: int) -> None:
        """Draw how far it is."""
        if self._progress is None:
            if time.monotonic() - self._start < self.PATIENCE:
                return
            from rich.console import Console
            from rich.progress import Progress

            self._progress = Progress(console=Console(stderr=True), transient=True)
            self._task = self._progress.add_task(self._what, total=total)
            self._progress.start()
        self._progress.update(self._task, completed=done)

    def close(self) -> None:
        """Wipe it off."""
        if self._progress:
            self._progress.stop()


def prepare_rules(*modules: str, proofs_behind: bool = False) -> None:
    """Compile modules (by default those of a game), or load them from the cache.

    The first time ever this happens in sight of the user; with `proofs_behind`, what proves who
    wins is compiled while the user plays.
    """
    from formsgame import compiled

    if proofs_behind:
        _prepare(compiled.GAME_MODULES)
        compiled.warm_up_behind(compiled.PROOF_MODULES)
    else:
        _prepare(tuple(f"formsgame.{module}" for module in modules) or compiled.PLAY_MODULES)


def _prepare(wanted: tuple[str, ...]) -> None:
    from formsgame import compiled

    if not is_terminal(sys.stderr):
        compiled.warm_up(modules=wanted)  # says in one line what the wait is for
        return
    compiling: list[bool] = []
    compiled.announce_with(lambda: compiling.append(True))
    with progress(_("Preparing the rules for this computer (first use only)")) as report:
        compiled.warm_up(lambda done, total: report(done, total) if compiling else None, wanted)
