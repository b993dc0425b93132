"""Work for tests of jobs: functions that worker processes can import, and a master to be killed."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from formsgame import jobs

#: Chunks of the master's job, and how many of them are quick.
CHUNKS = 12
QUICK = 5


def square(number: int) -> int:
    return number * number


def uneven(number: int) -> list[Any]:
    """Take longer for some numbers than for others."""
    time.sleep(0.01 * (number * 7 % 5))
    return [number, f"{number}é", {"half": number / 2}, None, True]


def digits(chunk: tuple[int, int]) -> bytes:
    """Return bytes that depend on a seed, so many."""
    seed, size = chunk
    return hashlib.shake_256(str(seed).encode()).digest(size)


def fails_at_three(number: int) -> int:
    if number == 3:
        raise ValueError("three is\nnot for me")
    return number


def give(chunk: str) -> object:
    """Return something that is no plain data."""
    return {"tuple": (1, 2), "set": {1}, "nan": float("nan"), "keys": {1: 2}}[chunk]


def leave(number: int) -> int:
    sys.exit(f"no {number}")


def logged(chunk: dict[str, Any]) -> int:
    """Write down the number and the process, take some time, and return the number's square.

    Once there is a file `hurry` beside the log, nothing takes time.
    """
    path = Path(chunk["log"])
    with path.open("a", encoding="utf-8") as log:
        log.write(f"{chunk['number']} {os.getpid()}\n")
    end = time.monotonic() + chunk["seconds"]
    while time.monotonic() < end and not path.with_name("hurry").exists():
        time.sleep(0.02)
    return square(chunk["number"])


def dies(chunk: dict[str, Any]) -> int:
    """Be killed at number 3, so many times, and work otherwise."""
    if chunk["number"] == 3:
        log = Path(chunk["log"])
        before = log.read_text("utf-8").split().count("3") if log.exists() else 0
        if before < chunk["deaths"]:
            with log.open("a", encoding="utf-8") as file:
                file.write("3\n")
            os.kill(os.getpid(), signal.SIGKILL)
    return square(chunk["number"])


def exits(number: int) -> int:
    os._exit(7)


def chunks(log: Path, count: int, quick: int | None = None) -> list[dict[str, Any]]:
    """Return chunks for `logged`, of which all but the first `quick` take for ever."""
    return [
        {
            "log": str(log),
            "number": number,
            "seconds": 0 if quick is None or number < quick else 600,
        }
        for number in range(count)
    ]


def master(folder: str, log: str) -> None:
    """Run a job with two workers; to be killed."""
    journal = jobs.Journal(folder, "squares")
    print("started", flush=True)
    try:
        print(jobs.run(logged, chunks(Path(log), CHUNKS, QUICK), journal=journal, workers=2))
    except KeyboardInterrupt:
        print("interrupted")


def hold(folder: str) -> None:
    """Use a journal until standard input ends."""
    with jobs.Journal(folder, "squares"):
        print("held", flush=True)
        sys.stdin.read()
