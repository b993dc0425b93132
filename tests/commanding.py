"""Running the command line, in this process and in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from formsgame.cli import main

SOURCE = Path(__file__).parents[1] / "src"


#: What the first compilation says, whenever it comes in a fresh environment.
PREPARING = "formsgame: preparing the rules for this computer (first use only, some seconds)\n"


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def run(*arguments: str, stdin: str | bytes = b"", encoding: str = "utf-8") -> Ran:
    """Run the command in this process, its streams in the given encoding."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = io.BytesIO(), io.BytesIO()
    streams = [io.TextIOWrapper(raw, encoding, write_through=True) for raw in (out, err)]
    source = io.TextIOWrapper(io.BytesIO(data), encoding)
    with (
        mock.patch.object(sys, "stdin", source),
        redirect_stdout(streams[0]),
        redirect_stderr(streams[1]),
    ):
        status = main(list(arguments))
    return Ran(
        status,
        out.getvalue().decode(encoding),
        err.getvalue().decode(encoding).replace(PREPARING, ""),
    )


def refused(status: int, *arguments: str, stdin: str | bytes = b"") -> str:
    """Run a command that must fail with a status, and return its one line of complaint."""
    ran = run(*arguments, stdin=stdin)
    assert ran.status == status, ran
    lines = ran.err.splitlines()
    assert len(lines) == 1, ran.err
    assert lines[0].startswith("formsgame: ")
    assert "Traceback" not in ran.out
    return lines[0].removeprefix("formsgame: ")


def environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a process of its own: this source, no settings of the tester's."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LC_", "LANG", "PYTHON", "NO_COLOR", "FORCE_COLOR"))
    }
    return {**kept, "PYTHONPATH": str(SOURCE), **(variables or {})}


def start(
    *arguments: str, variables: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own, with pipes unless told otherwise."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(
        [sys.executable, "-m", "formsgame", *arguments],
        env=environment(variables),
        **{**pipes, **options},
    )


def run_process(
    *arguments: str, stdin: bytes = b"", variables: Mapping[str, str] | None = None
) -> Ran:
    """Run the command in a process of its own."""
    with start(*arguments, variables=variables) as process:
        out, err = process.communicate(stdin, timeout=120)
    return Ran(process.returncode, out.decode(errors="replace"), complaints(err))


def complaints(err: bytes) -> str:
    """What a process wrote to standard error, without the news of a first compilation."""
    return err.decode(errors="replace").replace(PREPARING, "")
