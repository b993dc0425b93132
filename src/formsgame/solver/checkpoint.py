"""What a long search has found, kept in a file, so that a run that was killed can go on.

The file is a line of JSON, padded with spaces to `HEADER_BYTES`, and what follows: the numbers of
the entries of the transposition table on which most work was spent, then these entries, all
little-endian. Entries stand where they were, so a run that goes on must have the same memory.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from formsgame import __version__
from formsgame.errors import JobError
from formsgame.kernels.board import Array
from formsgame.position import Position
from formsgame.solver.search import WORK_BITS
from formsgame.solver.verdict import Solver

MAGIC = "formsgame-checkpoint"
#: Version of the file's form; another one is refused.
FORMAT = 1
HEADER_BYTES = 4096
#: Most entries that are kept.
MOST_ENTRIES = 1 << 20
#: Entries looked at together.
_STEP = 1 << 20


def save(
    path: str | os.PathLike[str], solver: Solver, position: Position, nodes: int, seconds: float
) -> None:
    """Keep what a solver has found of a position, all of it or nothing.

    `nodes` and `seconds` are what that took. Raises `JobError` if the file can't be written.
    """
    path = Path(path)
    arrays = solver.memory_for(position)
    chosen = _choose(arrays)
    parts = [chosen.astype("<u8"), *(_little(array[chosen]) for array in arrays)]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.data)
    header = _header(arrays, position) | {
        "kept": len(chosen),
        "nodes": nodes,
        "seconds": round(seconds, 3),
        "sha256": digest.hexdigest(),
    }
    name = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(header).encode().ljust(HEADER_BYTES - 1) + b"\n")
            for part in parts:
                file.write(part.data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException as error:
        if name is not None:
            Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unusable(path, error.strerror or str(error)) from None
        raise


def load(
    path: str | os.PathLike[str], solver: Solver, position: Position
) -> tuple[int, float] | None:
    """Give a solver what a file keeps; returns nodes and seconds so far, None if there is no file.

    Raises `JobError` for a file that is damaged, of another position, memory or version.
    """
    path = Path(path)
    arrays = solver.memory_for(position)
    expected = _header(arrays, position)
    try:
        with path.open("rb") as file:
            found = _read_header(path, file.read(HEADER_BYTES))
            for name, value in expected.items():
                if found[name] != value:
                    raise JobError(
                        "jobs.foreign",
                        path=str(path),
                        found=f"{name} {str(found[name])[:200]}",
                        expected=f"{name} {value}",
                    )
            kept = found["kept"]
            row_bytes = 8 + sum(array.itemsize * array.shape[1] for array in arrays)
            if os.fstat(file.fileno()).st_size != HEADER_BYTES + kept * row_bytes:
                raise _unusable(path, "its length is wrong")
            body = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from None
    if hashlib.sha256(body).hexdigest() != found["sha256"]:
        raise _unusable(path, "its checksum is wrong")
    chosen = np.frombuffer(body, "<u8", kept)
    if kept and int(chosen.max()) >= len(arrays[0]):
        raise _unusable(path, "its entries make no sense")
    place = 8 * kept
    for array in arrays:
        kind = array.dtype.newbyteorder("<")
        rows = np.frombuffer(body, kind, kept * array.shape[1], place)
        array[chosen] = rows.reshape(kept, array.shape[1])
        place += rows.nbytes
    return found["nodes"], found["seconds"]


def _choose(arrays: tuple[Array, ...]) -> Array:
    """Return the numbers of the entries on which most work was spent, at most `MOST_ENTRIES`."""
    bits = np.zeros(len(arrays[0]), np.uint8)
    for start in range(0, len(bits), _STEP):
        # The third column says how much: on words in its last bits, and as a number of bits.
        work = arrays[-1][start : start + _STEP, 2]
        if len(arrays) == 1:
            bits[start : start + _STEP] = work & np.uint64((1 << WORK_BITS) - 1)
        else:
            bits[start : start + _STEP] = np.frexp(work.astype(np.float64))[1]
    counts = np.bincount(bits, minlength=65)
    least = 1
    while counts[least:].sum() > MOST_ENTRIES:
        least += 1
    return np.flatnonzero(bits >= least)


def _little(array: Array) -> Array:
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def _header(arrays: tuple[Array, ...], position: Position) -> dict[str, Any]:
    """Return what a file must be made for to be of use."""
    return {
        "magic": MAGIC,
        "format": FORMAT,
        "version": __version__,
        "position": str(position),
        "entries": len(arrays[0]),
        "words": [array.shape[1] for array in arrays],
    }


def _read_header(path: Path, data: bytes) -> dict[str, Any]:
    """Return the header of a file, whose fields are of the right types."""
    try:
        header = json.loads(data.decode("ascii"))
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("magic") != MAGIC:
        raise _unusable(path, "it is no checkpoint of formsgame")
    kinds = {
        "format": int,
        "version": str,
        "position": str,
        "entries": int,
        "words": list,
        "kept": int,
        "nodes": int,
        "seconds": float,
        "sha256": str,
    }
    for name, kind in kinds.items():
        if type(header.get(name)) is not kind:
            raise _unusable(path, "its header makes no sense")
    if not 0 <= header["kept"] <= MOST_ENTRIES or header["nodes"] < 0:
        raise _unusable(path, "its header makes no sense")
    return header


def _unusable(path: Path, reason: str) -> JobError:
    return JobError("jobs.journal", path=str(path), reason=reason)
