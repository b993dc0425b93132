"""Many games in one source, one at a time; and texts by the megabyte that mean harm."""

from __future__ import annotations

import gc
import gzip
import io
import itertools
import pickle
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import formsgame as fg
from formsgame.record import Game, read_games, write_games
from formsgame.record import reader as reading

HEAD = '[Rules "advanced"]\n[Size "4x4"]\n\n'
SOUND = HEAD + "1. a2-a1 {李 \U0001f600 é} a3-a4 *\n"

#: Seconds that anything here may take: a guard against what never ends, not a measure.
GUARD = 60.0


def some_games(count: int = 3) -> list[Game]:
    found = []
    for number in range(count):
        game = Game(fg.Position.initial("advanced", 4), {"Event": f"Nº {number}"})
        game.play("a2-a1")
        found.append(game)
    return found


def text_of(found: list[Game]) -> str:
    return "\n".join(map(str, found))


# Sources


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_sources_of_every_kind(tmp_path: Path, end: str, mark: str) -> None:
    expected = some_games()
    text = mark + text_of(expected).rstrip("\n").replace("\n", end)
    path = tmp_path / "games.pgn"
    path.write_bytes(text.encode())
    sources: dict[str, Callable[[], Any]] = {
        "path": lambda: path,
        "text path": lambda: str(path),
        "text": lambda: io.StringIO(text, newline=""),
        "bytes": lambda: io.BytesIO(text.encode()),
        "lines": lambda: text.splitlines(),
        "lines with ends": lambda: iter(text.splitlines(keepends=True)),
        "lines of bytes": lambda: text.encode().splitlines(keepends=True),
        "single bytes": lambda: Slow(text.encode()),
        "single characters": lambda: Slow(text),
        "a generator": lambda: (line for line in text.splitlines()),
    }
    for name, source in sources.items():
        assert list(read_games(source())) == expected, name
    with path.open(encoding="utf-8-sig") as file:
        assert list(read_games(file)) == expected
    with path.open("rb") as raw:
        assert list(read_games(raw)) == expected


class Slow:
    """A file that gives one character or byte at a time."""

    def __init__(self, content: str | bytes) -> None:
        is_text = isinstance(content, str)
        self._file: Any = io.StringIO(content, "") if is_text else io.BytesIO(content)  # type: ignore[arg-type]

    def read(self, _size: int) -> Any:
        return self._file.read(1)


def test_nothing_is_no_game() -> None:
    for text in ("", "\n\n", "\ufeff", "; no game\n% none\n{none}\n"):
        assert list(read_games(io.StringIO(text))) == []


def test_byte_order_marks_of_files_put_together() -> None:
    text = "\ufeff".join(["", SOUND, "\n" + SOUND, SOUND])
    assert len(list(read_games(io.StringIO(text)))) == 3


def test_games_without_lines_between_them() -> None:
    found = list(read_games(io.StringIO(SOUND.rstrip() + SOUND.replace("\n", " ") + SOUND)))
    assert len(found) == 3


def test_what_is_no_source() -> None:
    for source in (None, 5, b"bytes", [5], [None], object()):
        with pytest.raises(fg.RecordError) as error:
            list(read_games(source))  # type: ignore[arg-type]
        assert error.value.code == "record.source"
    with pytest.raises(FileNotFoundError):
        list(read_games("no such file.pgn"))


def test_bytes_that_are_not_utf_8() -> None:
    raw = SOUND.encode() + HEAD.encode() + b"1. a2-a1 {\xe9t\xe9} *\n\n" + SOUND.encode()
    errors: list[fg.RecordError] = []
    assert len(list(read_games(io.BytesIO(raw), on_error=errors.append))) == 2
    assert [str(error) for error in errors] == ["line 8, column 11: byte 0xe9 is not UTF-8"]
    wrong = io.TextIOWrapper(io.BytesIO(raw), "utf-8")
    with pytest.raises(fg.RecordError) as error:
        list(read_games(wrong))
    assert error.value.code == "record.decoding"
    with pytest.raises(fg.RecordError):
        list(read_games(io.BytesIO(SOUND.encode("utf-16"))))


# Errors on the way


def test_a_broken_game_ends_the_reading() -> None:
    stream = read_games(io.StringIO(SOUND + HEAD + "1. a1-a2 *\n" + SOUND))
    assert next(stream).moves
    with pytest.raises(fg.RecordError) as error:
        next(stream)
    assert (error.value.line, error.value.column) == (8, 4)
    assert list(stream) == []
    twin = pickle.loads(pickle.dumps(error.value))
    assert (str(twin), twin.line) == (str(error.value), 8)


@pytest.mark.parametrize(
    "broken",
    [
        HEAD + "1. a1-a2 *\n\n",
        HEAD + "1. a2-a1 {never closed *\n\n",
        HEAD + "1. a2-a1 (1. a2-a3\n\n",
        HEAD + "1. a2-a1 & 17 { ( \n more \n\n and more\n\n",
        '[Result "B+R"]\n' + HEAD + "1. a2-a1\n\n",
        '[Rules "none"]\n[Size "4x4"]\n[Event "x"]\n\n1. a2-a1 *\n\n',
        '[Rules "advanced"\n[Size "4x4"]\n\n1. a2-a1 *\n\n',
        "no game at all\n\n",
        "{ never closed\n\n",
    ],
)
def test_reading_goes_on_after_a_broken_game(broken: str) -> None:
    errors: list[fg.RecordError] = []
    sound = HEAD + "1. a2-a1 *\n"
    text = sound + "\n" + broken + sound + "\n" + broken + sound
    found = list(read_games(io.StringIO(text), on_error=errors.append))
    assert len(found) == 3
    assert len(errors) == 2
    first, second = errors
    assert first.code == second.code
    assert second.line - first.line == (broken + sound).count("\n") + 1
    assert first.column == second.column


# Writing


def test_destinations_of_every_kind(tmp_path: Path) -> None:
    found = some_games()
    expected = text_of(found)
    path = tmp_path / "games.pgn"
    assert write_games(found, path) == 3
    assert path.read_bytes() == expected.encode()
    assert write_games(iter(found), str(path)) == 3
    text, raw = io.StringIO(), io.BytesIO()
    write_games(found, text)
    write_games(found, raw)
    assert text.getvalue() == expected
    assert raw.getvalue() == expected.encode()
    with gzip.open(path, "wb") as packed:
        write_games(found, packed)
    with gzip.open(path) as packed:
        assert list(read_games(packed)) == found
    with gzip.open(path, "wt", encoding="utf-8", newline="\n") as file:
        write_games(found, file)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        assert list(read_games(file)) == found
    assert write_games([], path) == 0
    assert path.read_bytes() == b""


# Memory


def test_games_are_read_one_at_a_time() -> None:
    taken = 0

    def lines() -> Iterator[str]:
        nonlocal taken
        while True:
            for line in SOUND.splitlines():
                taken += 1
                yield line

    stream = read_games(lines())
    list(itertools.islice(stream, 10))
    assert taken == 40


def test_memory_does_not_grow_with_the_number_of_games() -> None:
    lines = itertools.chain.from_iterable(SOUND.splitlines() for _ in range(4000))
    stream = read_games(lines)
    next(stream)
    gc.collect()
    tracemalloc.start()
    try:
        for _ in stream:
            pass
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_a_line_without_end_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("formsgame.record.game.GAME_LIMIT", 1 << 20)
    monkeypatch.setattr(reading, "GAME_LIMIT", 1 << 20)

    class Endless:
        def __init__(self, head: str, tail: str) -> None:
            self._left = 64
            self._head, self._tail = head, tail

        def read(self, size: int) -> str:
            self._left -= 1
            if self._head:
                head, self._head = self._head, ""
                return head
            return self._tail * size if self._left > 0 else ""

    for head in ("", "{", HEAD + "{", '[Event "'):
        tracemalloc.start()
        try:
            with pytest.raises(fg.RecordError) as error:
                list(read_games(Endless(head, "x")))
            assert error.value.code == "record.length"
            assert tracemalloc.get_traced_memory()[1] < 8 << 20
        finally:
            tracemalloc.stop()
    errors: list[fg.RecordError] = []
    list(read_games(Endless(HEAD + "{", "x\n"), on_error=errors.append))
    assert [error.code for error in errors] == ["record.length"]


# Harm


MEGABYTE = 1 << 20


def filled(head: str, unit: str, tail: str = "") -> str:
    return head + unit * (MEGABYTE // len(unit)) + tail


GAME = HEAD + "1. a2-a1 "
HARM = {
    "brackets": filled("", "("),
    "brackets in a game": filled(GAME, "("),
    "brackets closed": filled(GAME, ")"),
    "variations": filled(GAME, "(a4-b4)"),
    "variations that go on": filled(GAME, "(a4-b4 d4-c4)"),
    "variations in comments": filled(GAME, "({x}a4-b4{y})"),
    "variations in variations": filled(GAME, "(a4-b4 (a2-a1 ", "x"),
    "a variation of itself": filled(GAME, "(a2-a1 a3-a4 (a3-a4))"),
    "braces": filled("", "{"),
    "braces in a game": filled(GAME, "{"),
    "pairs of braces": filled(GAME, "{}"),
    "comments": filled(GAME, "{x}"),
    "comments before": filled(HEAD, "{x}"),
    "lines of a comment": filled(GAME + "{", "x\n", "}"),
    "blanks of a comment": filled(GAME + "{", " ", "}"),
    "percent signs of a comment": filled(GAME + "{", "% ", "} *"),
    "brackets of a comment": filled(GAME + "{", "[ ", "} *"),
    "lines of comments": filled(GAME, ";\n"),
    "open comments of many games": filled("", '[A "b"]\n{\n'),
    "open comments in a game": filled(GAME, "{\n"),
    "squares": filled("", "["),
    "squares in a game": filled(GAME, "["),
    "lines of squares": filled("", "[\n"),
    "tags": "".join(f'[A{number} "b"]\n' for number in range(70_000)),
    "quotes": filled("", '"'),
    "quotes in a tag": filled('[A "', '"'),
    "backslashes in a tag": filled('[A "', "\\"),
    "escapes in a tag": filled('[A "', '\\"', '"]' + HEAD + "*"),
    "a value": filled('[A "', "x", '"]' + HEAD + "*"),
    "a name": filled("[", "A"),
    "blanks in a tag": filled("[", " "),
    "digits": filled("", "1"),
    "digits in a game": filled(GAME, "1"),
    "numbers": filled(GAME, "1. "),
    "dots": filled(GAME, "."),
    "a cell": filled(GAME, "a", "1"),
    "a row": filled(GAME + "a", "1", "-a1"),
    "half moves": filled(GAME, "a1 - "),
    "blanks in a move": filled(GAME + "a1", " ", "!"),
    "dashes": filled(GAME + "a1", "-"),
    "moves": filled(GAME, "a3-a4 b1-b2 "),
    "glyphs": filled(GAME, "$1"),
    "a glyph": filled(GAME + "$", "1"),
    "marks": filled(GAME, "! "),
    "a mark": filled(GAME, "!"),
    "results": filled(HEAD, "*"),
    "a result": filled(HEAD + "B+", "R"),
    "blanks": filled("", " "),
    "line ends": filled("", "\n"),
    "returns": filled("", "\r"),
    "byte order marks": filled("", "\ufeff"),
    "escaped lines": filled("", "%\n"),
    "broken games": filled("", HEAD + "1. a1-a2 *\n"),
    "games": filled("", HEAD + "*\n"),
    "zeros": filled("", "\0"),
    "surrogates": filled("", "\ud800"),
    "emoji": filled("", "\U0001f600"),
}


@pytest.mark.parametrize("text", HARM.values(), ids=HARM)
def test_a_megabyte_of_anything(text: str) -> None:
    begun = time.perf_counter()
    refused = None
    try:
        game = Game.parse(text)
    except fg.RecordError as error:
        refused = error
    if refused is None:
        assert Game.parse(game.to_text()) == game
    else:
        assert len(str(refused)) < 300
    errors: list[fg.RecordError] = []
    for _ in read_games(io.StringIO(text), on_error=errors.append):
        pass
    assert time.perf_counter() - begun < GUARD
