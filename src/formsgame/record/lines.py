"""Lines of text out of paths, files and iterables, a bounded part of them at a time."""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from formsgame.errors import RecordError

#: Characters read from a file at a time.
CHUNK = 1 << 16


class Readable(Protocol):
    """An open file of text or bytes."""

    def read(self, size: int, /) -> str | bytes:
        """Return at most `size` characters or bytes, none at the end."""


#: Where records come from: a path, an open file of text or bytes, or lines.
Source = str | os.PathLike[str] | Readable | Iterable[str] | Iterable[bytes]


def read_lines(source: object, limit: int) -> Iterator[str]:
    """Yield the lines of a source, without their ends: LF, CRLF or CR.

    A text (str) is a path. Bytes are UTF-8; one that is not becomes a lone surrogate, U+DC80 to
    U+DCFF. Of a line longer than `limit` its first limit + 1 characters are yielded. Raises
    `RecordError` for anything else, OSError for a file that cannot be read.
    """
    if isinstance(source, str | os.PathLike):
        with Path(source).open("rb") as file:
            yield from _split(_chunks(file), limit)
    elif hasattr(source, "read"):
        yield from _split(_chunks(source), limit)
    elif isinstance(source, Iterable) and not isinstance(source, bytes | bytearray):
        yield from _split(_ended(source), limit)
    else:
        raise RecordError("record.source", type=type(source).__name__)


def split_text(text: str) -> Iterator[str]:
    """Yield the lines of a text."""
    return _split(iter([text]), len(text))


def _chunks(file: Any) -> Iterator[str | bytes]:
    try:
        while chunk := file.read(CHUNK):
            yield chunk
    except UnicodeDecodeError as error:
        # A file that somebody opened as text of a wrong encoding: where it fails is not known.
        raise RecordError(
            "record.decoding", encoding=error.encoding, reason=error.reason
        ) from error


def _ended(lines: Iterable[Any]) -> Iterator[str | bytes]:
    """Yield lines, each with an end."""
    for line in lines:
        yield line
        if isinstance(line, str) and not line.endswith(("\n", "\r")):
            yield "\n"
        elif isinstance(line, bytes) and not line.endswith((b"\n", b"\r")):
            yield b"\n"


def _split(chunks: Iterator[str | bytes], limit: int) -> Iterator[str]:
    """Yield the lines of a text that comes in chunks."""
    bytes_decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    of_bytes = io.IncrementalNewlineDecoder(bytes_decoder, translate=True)
    of_text = io.IncrementalNewlineDecoder(None, translate=True)
    parts: list[str] = []
    length = 0
    decoder = of_text
    for chunk in chunks:
        if not isinstance(chunk, str | bytes):
            raise RecordError("record.source", type=type(chunk).__name__)
        decoder = of_bytes if isinstance(chunk, bytes) else of_text
        *lines, rest = decoder.decode(chunk).split("\n")
        for line in lines:
            yield ("".join(parts) + line)[: limit + 1]
            parts.clear()
            length = 0
        if rest and length <= limit:
            parts.append(rest)
            length += len(rest)
    *lines, rest = decoder.decode(b"" if decoder is of_bytes else "", final=True).split("\n")
    for line in (*lines, rest):
        yield ("".join(parts) + line)[: limit + 1]
        parts.clear()
