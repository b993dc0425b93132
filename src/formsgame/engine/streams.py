"""Lines out of a pipe as they come, of bounded length whatever arrives."""

from __future__ import annotations

from collections.abc import Callable, Iterator

#: Longest line that is read, in bytes; a game of 675 moves is a tenth of it.
LINE_LIMIT = 65_536
CHUNK = 65_536


def read_lines(
    read: Callable[[int], bytes | None], limit: int = LINE_LIMIT
) -> Iterator[str | None]:
    """Yield lines without their ends; None for one of more than `limit` bytes, which is not kept.

    `read(size)` returns what there is, as soon as there is any, and nothing at the end. Bytes that
    are not UTF-8 become replacement characters.

    >>> parts = [b"go dep", bytes([116, 104]), b" 2\\r\\n" + 50 * b"x", b"\\nquit", b""]
    >>> list(read_lines(lambda size: parts.pop(0), limit=20))
    ['go depth 2', None, 'quit']
    """
    held = bytearray()
    is_long = False
    while chunk := read(CHUNK):
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            is_long = is_long or len(held) + len(piece) > limit
            yield None if is_long else _decoded(held + piece)
            held.clear()
            is_long = False
        is_long = is_long or len(held) + len(rest) > limit
        if is_long:
            held.clear()
        else:
            held += rest
    if is_long or held:
        yield None if is_long else _decoded(held)


def _decoded(line: bytes | bytearray) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")
