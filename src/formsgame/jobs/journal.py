"""The folder that keeps the finished chunks of a job."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from formsgame.errors import JobError
from formsgame.jobs.plain import brief, checked, dump, line

if sys.platform != "win32":
    import fcntl

#: Number of the journal's format on disk.
FORMAT = 1


class Journal:
    """A folder that keeps every finished chunk of one job, so that a killed run can go on.

    `job`, `parameters` (plain data) and `version` name the job, and a folder of another job is
    refused. Parameters are whatever the results depend on beside the chunks: rules, sizes, seeds. A
    change of the function that changes results asks for another version. Chunks are compared one by
    one; a job of more chunks may go on where one of fewer ended. One run at a time uses a folder,
    which holds `journal.json`, `lock`, and a file for every chunk: the SHA-256 of all that follows,
    a line of JSON that says which chunk it is, and the result.

    >>> import math, tempfile
    >>> from formsgame.jobs import run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run(math.factorial, [3, 4], journal=Journal(folder, "factorials"), workers=1)
    [6, 24]
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        job: str,
        parameters: Mapping[str, Any] | None = None,
        version: int = 1,
    ) -> None:
        self.folder = Path(folder)
        self.job = job
        self.parameters = dict(parameters or {})
        self.version = version
        values = {"job": job, "parameters": self.parameters, "version": version}
        self._header = checked("parameters", {"format": FORMAT, **values}).encode()
        self._name = _named(values)
        self._key = hashlib.sha256(self._header).hexdigest()
        self._lock: int | None = None

    def __repr__(self) -> str:
        return f"Journal({str(self.folder)!r}, {self.job!r}, {self.parameters!r}, {self.version!r})"

    def __enter__(self) -> Journal:
        """Make the folder, or see that it is this job's; and keep others out of it."""
        with self._problems():
            self.folder.mkdir(parents=True, exist_ok=True)
            self._is_ours()  # before a lock is left in a folder that has nothing to do with it
            self._take_lock()
            try:
                if not self._is_ours():
                    _replace(self.folder / "journal.json", self._header + b"\n")
            except BaseException:
                self._give_lock()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        self._give_lock()

    def finished(self, total: int) -> Iterator[int]:
        """Yield the numbers below `total` for which the open journal has a file, sound or not."""
        with self._problems(), os.scandir(self.folder) as entries:
            for entry in entries:
                number, _, ending = entry.name.partition(".")
                if ending == "chunk" and number.isdecimal() and int(number) < total:
                    yield int(number)

    def load(self, number: int, chunk: Any) -> tuple[str, bytes] | None:
        """Return kind and body of a chunk's result; None if it is missing or damaged."""
        path = self._path(number)
        with self._problems():
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                return None
        digest, _, rest = data.partition(b"\n")
        if hashlib.sha256(rest).hexdigest().encode() != digest:
            return None
        head, _, body = rest.partition(b"\n")
        header = json.loads(head)
        if header["journal"] != self._key:
            raise JobError("jobs.foreign", path=str(path), found="another job", expected=self._name)
        if header["number"] != number or dump(header["chunk"]) != dump(chunk):
            raise JobError(
                "jobs.foreign",
                path=str(path),
                found=f"chunk {header['number']} {brief(header['chunk'])}",
                expected=f"chunk {number} {brief(chunk)}",
            )
        return header["kind"], body

    def store(self, number: int, chunk: Any, kind: str, body: bytes) -> None:
        """Keep a chunk's result: after a crash it is there as a whole or not at all."""
        head = dump({"chunk": chunk, "journal": self._key, "kind": kind, "number": number})
        rest = head.encode() + b"\n" + body
        with self._problems():
            _replace(self._path(number), hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:08d}.chunk"

    def _is_ours(self) -> bool:
        """Tell whether the folder has this job's header, False if it is empty, or refuse it."""
        try:
            data = (self.folder / "journal.json").read_bytes()
        except FileNotFoundError:
            if {path.name for path in self.folder.iterdir()} - {"lock", "journal.json.new"}:
                raise self._refused("it is a folder of other things") from None
            return False
        if data == self._header + b"\n":
            return True
        try:
            header = json.loads(data)
            number, found = header["format"], _named(header)
        except (ValueError, TypeError, KeyError):
            raise self._refused("journal.json is damaged") from None
        if number != FORMAT:
            raise self._refused(f"its format is {number!r}, and this version knows {FORMAT}")
        raise JobError("jobs.foreign", path=str(self.folder), found=found, expected=self._name)

    def _take_lock(self) -> None:
        if self._lock is not None:
            raise JobError("jobs.busy", path=str(self.folder))
        lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        if sys.platform != "win32":
            try:
                # Of this process alone: children that outlive it do not hold on to it.
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                os.close(lock)
                raise JobError("jobs.busy", path=str(self.folder)) from None
            except OSError:
                pass  # a file system without locks
        self._lock = lock

    def _give_lock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @contextlib.contextmanager
    def _problems(self) -> Iterator[None]:
        """Make what goes wrong with files an error that says where."""
        try:
            yield
        except OSError as error:
            raise self._refused(error.strerror or str(error)) from error

    def _refused(self, reason: str) -> JobError:
        return JobError("jobs.journal", path=str(self.folder), reason=reason)


def _named(values: Mapping[str, Any]) -> str:
    """Return the name of a job in a sentence."""
    return line(f"{values['job']} (version {values['version']}, {brief(values['parameters'])})")


def _replace(path: Path, data: bytes) -> None:
    """Write a file that is there as a whole or not at all, and stays."""
    new = path.with_name(path.name + ".new")
    try:
        with new.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink()
        raise
    if sys.platform != "win32":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
