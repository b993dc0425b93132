"""The record format: golden records, what is read and written, and where what is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import formsgame as fg
from formsgame.record import Game, read_games, write_games
from formsgame.record.reader import NESTING_LIMIT
from recorded import games

RECORDS = Path(__file__).parent / "data" / "records"

HEAD = '[Rules "advanced"]\n[Size "4x4"]\n\n'
#: A head to put before the move text, of which the first line is line 4.
WHITE_HEAD = '[Position "xo/ox o advanced"]\n'


def read(text: str) -> Game:
    """Read the move text of a 4 x 4 game."""
    return Game.parse(HEAD + text)


def move_text(game: Game) -> str:
    return game.to_text().split("\n\n", 1)[1].rstrip("\n").replace("\n", " ")


def refused(text: str) -> tuple[str, int, int]:
    """Code, line and column of the error for a text."""
    with pytest.raises(fg.RecordError) as error:
        Game.parse(text)
    assert f"line {error.value.line}, column {error.value.column}: " in str(error.value)
    assert "\n" not in str(error.value)
    return error.value.code, error.value.line, error.value.column


# Golden records


def test_games_are_written_as_they_were_read(tmp_path: Path) -> None:
    path = RECORDS / "games.pgn"
    found = list(read_games(path))
    assert [game.result for game in found] == ["W+", "W+R", "W+T", "B+", "W+R", "*"]
    assert write_games(found, tmp_path / "again.pgn") == 6
    assert (tmp_path / "again.pgn").read_bytes() == path.read_bytes()


def test_a_loose_record_is_written_in_order() -> None:
    """A byte order mark, mixed line ends, no last one, odd moves, every kind of comment."""
    (game,) = read_games(RECORDS / "loose.pgn")
    written = (RECORDS / "loose.out.pgn").read_text("utf-8")
    assert game.to_text() == written
    assert Game.parse(written) == game


def test_broken_games_say_what_and_where() -> None:
    errors: list[fg.RecordError] = []
    sound = list(read_games(RECORDS / "broken.pgn", on_error=errors.append))
    assert [str(error) for error in errors] == (
        (RECORDS / "broken.txt").read_text("utf-8").splitlines()
    )
    assert [game.headers["Event"] for game in sound] == ["?", "the last one is sound"]


# Laws


@given(games())
def test_writing_and_reading(game: Game) -> None:
    text = game.to_text()
    again = Game.parse(text)
    assert again.to_text() == text
    assert str(again) == text
    if game.result != "*" or not game.to_json()["ended"]:
        assert again == game
    assert again.current == again.end
    assert (again.moves, again.positions, again.outcome) == (
        game.moves,
        game.positions,
        game.outcome,
    )


@given(games())
def test_lines_fit_where_words_do(game: Game) -> None:
    text = game.to_text()
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    for line in text.split("\n\n", 1)[1].split("\n"):
        assert len(line) <= 80 or not re.search(r"[^.] [^%\[]", line), line


@given(games(), st.data())
def test_every_beginning_of_a_record_is_a_game_or_one_error(
    game: Game, data: st.DataObject
) -> None:
    raw = game.to_text().encode()
    cuts = range(len(raw) + 1)
    for cut in data.draw(st.lists(st.sampled_from(cuts), max_size=12)):
        check_cut(raw[:cut])


def test_every_beginning_of_the_golden_records() -> None:
    for name in ("loose.pgn", "loose.out.pgn"):
        raw = (RECORDS / name).read_bytes()
        for cut in range(len(raw)):
            check_cut(raw[:cut])


def check_cut(raw: bytes) -> None:
    text = raw.decode("utf-8", "surrogateescape")
    error: fg.RecordError | None = None
    try:
        found = Game.parse(text)
    except fg.RecordError as raised:
        error = raised
    if error is None:
        assert Game.parse(found.to_text()) == found
    else:
        assert 1 <= error.line <= text.count("\n") + text.count("\r") + 1
        assert error.column >= 1


def test_a_cut_that_loses_moves_is_noticed() -> None:
    """A record that says its result does not pass for whole when its end is missing."""
    text = (RECORDS / "games.pgn").read_text("utf-8").split("\n\n[")[0]
    assert text.endswith("W+")
    for cut in range(text.index('[Size "8x8"]') + 12, len(text) - 1):
        assert refused(text[:cut])


# What is read


def test_the_least_of_a_record() -> None:
    assert read("").moves == ()
    assert read("1. a2-a1").result == "*"
    assert Game.parse('[Position "xo/ox o advanced"]').start.side_to_move is fg.WHITE
    assert Game.parse('[Rules "standard"][Size "2"]*').start.size == (2, 2)


def test_moves_as_people_write_them() -> None:
    expected = read("1. a2-a1 a3-a4 2. b1-b2 *")
    for text in (
        "1.a2-a1 a3-a4 2.b1-b2 *",
        "1 a2a1 a3xa4 2 b1:b2 *",
        "a2-a1 a3-a4 b1-b2 *",
        "17. A2 - A1 a3 × a4 99... b 1 – b 2*",
        "1. a2—a1 1… a3‑a4 . 2 . b1−b2\t*",
        "1.\u00a0a2-a1\ufeff a3-a4\u200b 2.\n\nb1-b2\n*\n\n",
    ):
        assert read(text) == expected, text


def test_white_may_move_first() -> None:
    game = Game.parse(WHITE_HEAD + "1... b2-b1 2. a2-a1 W+R")
    assert move_text(game) == "1... b2-b1 2. a2-a1 W+R"


def test_numbers_come_again_after_what_interrupts() -> None:
    game = read("a2-a1 {x} a3-a4 (c3-c2 b1-b2) b1-b2 $3 d2-c2 *")
    assert move_text(game) == ("1. a2-a1 {x} 1... a3-a4 (1... c3-c2 2. b1-b2) 2. b1-b2 $3 d2-c2 *")


def test_glyphs() -> None:
    text = "1. a2-a1 ! ?? !!? *"
    assert refused(HEAD + text)[0] == "record.glyph"
    game = read("1. a2-a1! $1 $0 $255 ?? *")
    assert game.end.glyphs == (1, 0, 255, 4)
    assert [read(f"a2-a1{mark} *").end.glyphs for mark in ("!", "?", "!!", "??", "!?", "?!")] == [
        (1,),
        (2,),
        (3,),
        (4,),
        (5,),
        (6,),
    ]


def test_comments() -> None:
    game = read("{one}{two\nlines} ; three }\n1. {four} a2-a1 {} {five ; { %six\n%seven} *")
    assert game.root.comment == "one two lines three ) four"
    assert game.end.comment == "five ; ( %six %seven"


def test_comments_look_like_anything() -> None:
    """Nothing within a comment is read: no tags, moves, results, variations."""
    game = read('{\n\n[Event "x"]\n\n1. z9-z9 B+ (*) ; $999\n% } 1. a2-a1 *')
    assert game.root.comment == '[Event "x"] 1. z9-z9 B+ (*) ; $999 %'
    assert Game.parse(game.to_text()) == game


def test_no_line_of_a_comment_starts_as_another_line_would() -> None:
    game = read("*")
    for mark in "%[":
        game.root.comment = f"{'word ' * 15}{mark}one {mark}two {mark}three four {mark}"
        for line in game.to_text().split("\n\n", 1)[1].splitlines():
            assert not line.startswith(mark)
        assert Game.parse(game.to_text()) == game


def test_variations_and_what_is_said_before_them() -> None:
    game = read("1. a2-a1 ({so} {or} 1. a4-b4 {then} d4-c4) ({!} 1. a2-b2) a3-a4 *")
    first, second = game.root.variations[1:]
    assert (first.starting_comment, first.comment) == ("so or", "then")
    assert (second.starting_comment, second.comment) == ("!", "")
    assert move_text(game) == (
        "1. a2-a1 ({so or} 1. a4-b4 {then} 1... d4-c4) ({!} 1. a2-b2) 1... a3-a4 *"
    )


def test_variations_that_repeat_moves_are_joined() -> None:
    game = read("1. a2-a1 (1. a4-b4 {x} d4-c4) (1. a4-b4 $1 {y} 1... c3-b3) *")
    assert move_text(game) == "1. a2-a1 (1. a4-b4 $1 {x y} 1... d4-c4 (1... c3-b3)) *"


def test_the_main_line_stays_main_when_a_variation_repeats_it() -> None:
    game = read("1. a2-a1 (1. a2-a1 c3-c2) (1. a4-b4 (1. a2-a1 c3-c4)) 1... a3-a4 *")
    assert [str(move) for move in game.moves] == ["a2-a1", "a3-a4"]
    assert move_text(game) == ("1. a2-a1 (1. a4-b4) 1... a3-a4 (1... c3-c2) (1... c3-c4) *")


def test_variations_nest_as_deep_as_the_limit() -> None:
    deep = NESTING_LIMIT // 2
    text = "a2-a1 (a4-b4 (" * deep
    assert refused(HEAD + text + "a2-a1 (")[0] == "record.nesting"
    game = read("a2-a1 (a4-b4 (" * (deep - 1) + "a2-a1" + "))" * (deep - 1) + " *")
    assert len(list(game.nodes())) == 3


def test_tags() -> None:
    game = Game.parse(
        '\n\n[Z "1"] [White "a \\"b\\" \\\\ \\c"]\n{x}\n[Size "4"]\n%[Z "2"]\n'
        '[ Rules\t"advanced" ] ; y\n\n*'
    )
    assert game.headers["White"] == 'a "b" \\ \\c'
    assert list(game.headers)[-1] == "Z"
    assert game.root.comment == "x y"
    assert '[White "a \\"b\\" \\\\ \\\\c"]' in game.to_text()


def test_a_position_that_is_the_usual_start_is_not_written() -> None:
    game = Game.parse('[Position "xo/ox x advanced"] *')
    assert "Position" not in game.to_text()
    assert Game.parse(game.to_text()) == game


# What is refused


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("record.none", 1, 1)),
        (" \n{a comment}\n\n", ("record.none", 1, 1)),
        ("hello", ("record.move", 1, 2)),
        ("<html>", ("record.unexpected", 1, 1)),
        ("1. a2-a1 *", ("record.no_start", 1, 1)),
        ('[Rules "standard"] *', ("record.no_start", 1, 20)),
        ('[Rules "standard"', ("record.tag_syntax", 1, 1)),
        ('[Rules "standard\n"]', ("record.tag_syntax", 1, 1)),
        ('[1 "standard"]', ("record.tag_syntax", 1, 1)),
        ('[A "x\\"]', ("record.tag_syntax", 1, 1)),
        ('[A "x"]\n[A "y"]', ("record.tag_twice", 2, 1)),
        ('[A "\udc80"]', ("record.encoding", 1, 5)),
        (HEAD + "1. a2-a1 *\n\n" + HEAD + "*", ("record.second", 6, 1)),
        (HEAD + "1. a2-a1 * a3-a4", ("record.second", 4, 12)),
        (HEAD + "1. a2-a1 * {", ("record.open_comment", 4, 12)),
        (HEAD + "1. a2-a1 * &", ("record.unexpected", 4, 12)),
        (HEAD + '1. a2-a1 [A "x"]', ("record.second", 4, 10)),
        (HEAD + "1. a2-a1 a1-a2", ("record.move", 4, 10)),
        (HEAD + "1. a2-a1-a3", ("record.unexpected", 4, 9)),
        (HEAD + "1. a2-a", ("record.move", 4, 8)),
        (HEAD + "1. a2-", ("record.move", 4, 7)),
        (HEAD + "1. a2", ("record.move", 4, 6)),
        (HEAD + "1. a02-a1", ("record.move", 4, 5)),
        (HEAD + "1. e2-a1", ("record.move", 4, 4)),
        (HEAD + "1. a2+a1", ("record.move", 4, 6)),
        (HEAD + f"1. a{'1' * 99}-a1", ("record.move", 4, 4)),
        (HEAD + "1. a2-a1 $", ("record.glyph", 4, 10)),
        (HEAD + "1. a2-a1 $00001", ("record.glyph", 4, 10)),
        (HEAD + "1. a2-a1 !!!", ("record.glyph", 4, 10)),
        (HEAD + "$1 a2-a1", ("record.no_move", 4, 1)),
        (HEAD + "1. a2-a1 ($1 a2-a3)", ("record.no_move", 4, 11)),
        (HEAD + "1. a2-a1 ({x})", ("record.empty_variation", 4, 14)),
        (HEAD + "1. a2-a1 (1. a2-a3\n\n", ("record.open_variation", 4, 10)),
        (HEAD + "1. a2-a1 (1. a2-a3 *", ("record.open_variation", 4, 10)),
        (HEAD + '1. a2-a1 (1. a2-a3\n[A "x"]', ("record.open_variation", 4, 10)),
        (HEAD + "B", ("record.move", 4, 2)),
        (HEAD + "B+r", ("record.result", 4, 1)),
        (HEAD + "1-0", ("record.unexpected", 4, 2)),
        (HEAD + "B+", ("record.result_disagrees", 4, 1)),
        ('[Result "*"]\n' + HEAD + "B+R", ("record.result_disagrees", 5, 1)),
        ('[Result "*"]\n' + HEAD, ("record.no_result", 5, 1)),
        ('[Result ""]\n' + HEAD, ("record.result", 1, 10)),
        (WHITE_HEAD + "b2-b1 a2-a1 b1-a1 B+R", ("record.result_disagrees", 2, 19)),
        (WHITE_HEAD + "b2-b1 a2-a1 b1-a1 W+", ("record.result_disagrees", 2, 19)),
        (
            '[Termination "aborted"]' + WHITE_HEAD + "b2-b1 a2-a1 b1-a1",
            ("record.result_disagrees", 1, 15),
        ),
        ('[Position "xo/ox o standard"][Size "4x4"] *', ("record.tag_disagrees", 1, 37)),
        ('[Position "xo"] *', ("record.tag", 1, 12)),
        ('[Rules "standard"][Size "27x2"] *', ("record.tag", 1, 26)),
        ('[Rules "standard"][Size "3x2"] *', ("record.tag", 1, 26)),
    ],
)
def test_what_is_wrong_and_where(text: str, expected: tuple[str, int, int]) -> None:
    assert refused(text) == expected


@pytest.mark.parametrize("value", [None, 1, b"[Rules]", ["x"], Path("x")])
def test_a_record_is_text(value: object) -> None:
    with pytest.raises(fg.RecordError) as error:
        Game.parse(value)  # type: ignore[arg-type]
    assert error.value.code == "record.type"


def test_an_illegal_move_says_why() -> None:
    with pytest.raises(fg.RecordError) as error:
        read("1. a2-a1\na1-a2 *")
    assert str(error.value) == (
        "line 5, column 1: a1-a2: the stone on a1 is Black's, and it is White's turn"
    )
    assert error.value.data["cause"].code == "move.not_yours"
