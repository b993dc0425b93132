"""The record reader is total, takes linear time, and writes again what it has read."""

from __future__ import annotations

import copy
import io
import json
import pickle
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import formsgame as fg
import naive
import strategies
from test_fuzz import check_error

pytestmark = pytest.mark.usefixtures("warm")

#: Seconds that reading what is below may take, many times what it should: machines are shared.
BOUND = 3.0


@st.composite
def records(draw: st.DrawFn) -> str:
    """The text of a record as some other program might write it."""
    start, moves = draw(strategies.played_games(max_side=5))
    ended = naive.format_board(start)
    words = []
    board = start
    for ply, move in enumerate(moves):
        if draw(st.booleans()):
            words.append(f"{ply // 2 + 1}." + "..." * (ply % 2))
        words.append(naive.format_move(move))
        words += draw(st.lists(st.sampled_from(["$1", "!", "{so}", "?!", "{}", "{(}"]), max_size=2))
        others = naive.legal_moves(board)
        if draw(st.integers(0, 4)) == 0:
            other = naive.format_move(draw(st.sampled_from(others)))
            words.append(f"({other} {{instead}})")
        board = naive.apply(board, move).board
    won = naive.winner(board)
    result = {"x": "B+", "o": "W+"}.get(won or "", draw(st.sampled_from(["*", "B+R", "W+T"])))
    tags = {
        "Event": draw(st.text("abcé \U0001f600-\\[]", max_size=8)),
        "Rules": start.rules,
        "Size": f"{start.rows}x{start.columns}",
        "Result": result,
    }
    if draw(st.booleans()):
        tags["Position"] = ended
    lines = [f'[{name} "{value.replace(chr(92), chr(92) * 2)}"]' for name, value in tags.items()]
    separator = draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return mark + separator.join([*lines, "", " ".join([*words, result])])


def whole_file(text: str) -> list[fg.Game]:
    return list(fg.read_games(io.StringIO(text)))


def past_errors(text: str) -> list[fg.Game]:
    return list(fg.read_games(io.StringIO(text), on_error=check_error))


def as_bytes(text: str) -> list[fg.Game]:
    return list(fg.read_games(io.BytesIO(text.encode("utf-8", "surrogatepass"))))


def as_lines(text: str) -> list[fg.Game]:
    return list(fg.read_games(text.splitlines()))


READERS: dict[str, Callable[[str], Any]] = {
    "one game": fg.Game.parse,
    "a file": whole_file,
    "a file, past errors": past_errors,
    "bytes": as_bytes,
    "lines": as_lines,
}


def read(reader: Callable[[str], Any], text: str, bound: float = BOUND) -> Any:
    """Read a record; return what came, or None where it was refused as it should be."""
    found: Any = None
    error: fg.RecordError | None = None
    before = time.process_time()
    try:
        found = reader(text)
    except fg.RecordError as raised:
        error = raised
    assert time.process_time() - before < bound
    if error is not None:
        check_error(error)
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert 1 <= error.line <= len(lines) + 1
        assert error.column >= 1
    return found


@given(text=records())
def test_records_are_read(text: str) -> None:
    game = fg.Game.parse(text)
    written = game.to_text()
    again = fg.Game.parse(written)
    assert again == game
    assert again.to_text() == written
    for other in (
        pickle.loads(pickle.dumps(game)),
        copy.copy(game),
        copy.deepcopy(game),
        fg.Game.from_json(json.loads(json.dumps(game.to_json()))),
    ):
        assert other == game
        assert other.to_text() == written
    for reader in READERS.values():
        found = reader(text)
        assert found in (game, [game])


@pytest.mark.parametrize("name", READERS)
def test_any_text(name: str) -> None:
    @strategies.examples(80)
    @given(text=strategies.damaged(records()) | strategies.noise)
    @example(text="")
    @example(text="$²")
    @example(text='[Rules "standard"]\n[Size "2x2"]\n$² *')
    @example(text='[Rules "standard"]\n[Size "2x2"]\n1. a1-a2 $²')
    @example(text='[Rules "standard"]\n[Size "²"]\n*')
    @example(text='[Size "\ud800"]')
    @example(text="{\x00")
    @example(text="\ufeff\ufeff*")
    def check(text: str) -> None:
        found = read(READERS[name], text)
        for game in [found] if isinstance(found, fg.Game) else found or []:
            written = game.to_text()
            assert fg.Game.parse(written) == game
            assert fg.Game.parse(written).to_text() == written

    check()


HEAD = '[Rules "advanced"]\n[Size "4x4"]\n\n'
LOTS = 300_000
LONG = {
    "brackets": "(" * LOTS,
    "braces": "{" * LOTS,
    "tags opened": "[" * LOTS,
    "tags": "".join(f'[A{number} "x"]\n' for number in range(20_000)),
    "one tag again": '[Event "x"]\n' * 20_000,
    "a long tag": '[Event "' + "x" * LOTS,
    "backslashes": '[Event "' + "\\" * LOTS + '"]',
    "words": "e4 " * (LOTS // 3),
    "one word": "e" * LOTS,
    "digits": "1" * LOTS,
    "points": HEAD + "1." * (LOTS // 2),
    "blank lines": "\n" * LOTS,
    "returns": "\r" * LOTS,
    "white space": " " * LOTS,
    "escaped lines": "%x\n" * (LOTS // 3),
    "comments to the end of the line": ";x\n" * (LOTS // 3),
    "comments": HEAD + "1. a1-a2 " + "{a}" * (LOTS // 3),
    "comments before a move": HEAD + "{a}" * (LOTS // 3),
    "a comment": HEAD + "{" + "a b\n" * (LOTS // 4) + "}",
    "glyphs": HEAD + "1. a2-a1 " + "$1 " * (LOTS // 3),
    "marks": HEAD + "1. a2-a1 " + "!" * LOTS,
    "a variation again": HEAD + "1. a2-a1 " + "(1. a2-a3) " * (LOTS // 11),
    "deep variations": HEAD + "1. a2-a1 " + "(1. a2-a3 " * (LOTS // 10),
    "variations closed": HEAD + "1. a2-a1 " + ")" * LOTS,
    "games": (HEAD + "1. a2-a1 *\n\n") * (LOTS // 45),
    "empty games": (HEAD + "*\n") * (LOTS // 35),
    "results": HEAD + "*" * LOTS,
    "zero bytes": "\0" * LOTS,
    "surrogates": "\udc80" * (LOTS // 3),
    "emoji": "\U0001f600" * (LOTS // 4),
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_lots_of_anything_take_linear_time(text: str) -> None:
    for name in ("one game", "a file, past errors"):
        read(READERS[name], text)


@given(
    value=strategies.things
    | st.dictionaries(
        st.sampled_from(["start", "headers", "comment", "nodes", "current", "ended"]),
        strategies.things,
    )
)
def test_data_that_is_no_game(value: object) -> None:
    with pytest.raises(fg.FormsError) as refused:
        fg.Game.from_json(value)
    check_error(refused.value)


@given(text=records(), data=st.data())
def test_data_of_a_game_changed(text: str, data: st.DataObject) -> None:
    """One value of the data replaced by another: a game again, or one error."""
    whole = fg.Game.parse(text).to_json()
    key = data.draw(st.sampled_from(sorted(whole)))
    if key == "nodes" and whole["nodes"]:
        row = data.draw(st.sampled_from(whole["nodes"]))
        row[data.draw(st.integers(0, len(row) - 1))] = data.draw(strategies.things)
    else:
        whole[key] = data.draw(strategies.things)
    try:
        game = fg.Game.from_json(whole)
    except fg.FormsError as error:
        check_error(error)
    else:
        assert fg.Game.parse(game.to_text()) == game


@given(value=strategies.things)
def test_what_is_no_record(value: Any) -> None:
    if isinstance(value, str):
        return
    with pytest.raises(fg.RecordError) as refused:
        fg.Game.parse(value)
    check_error(refused.value)
