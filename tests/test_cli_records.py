"""Checking and replaying record files."""

from __future__ import annotations

from pathlib import Path

import pytest

import formsgame as fg
from commanding import refused, run

START = fg.Position.initial("advanced", 2)


def record(name: str = "Ann", moves: tuple[str, ...] = ("a2-a1", "b2-b1", "a1-b1")) -> str:
    return fg.Game(START, {"Black": name}, moves).to_text()


#: A game whose second move is illegal, in line 11 of its own text.
UNSOUND = record(moves=("a2-a1",)).replace("a2-a1 *", "a2-a1 a1-a2 *")


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A file of four games, of which the second and the last are not sound."""
    file = tmp_path / "mixed.pgn"
    file.write_text("\n".join([record(), UNSOUND, record("Ёж"), UNSOUND]), "utf-8")
    return file


def test_check_sound_games(tmp_path: Path) -> None:
    one, two = tmp_path / "one.pgn", tmp_path / "two.pgn"
    one.write_text(record(), "utf-8")
    two.write_bytes(b"\xef\xbb\xbf" + (record() + "\n" + record()).replace("\n", "\r\n").encode())
    ran = run("record", "check", str(one), str(two), "-", stdin=record() * 3)
    assert (ran.status, ran.err) == (0, "")
    assert ran.lines == [f"{one}: 1 game", f"{two}: 2 games", "standard input: 3 games"]
    assert run("record", "check", "--quiet", str(one)).out == ""


def test_check_says_where_games_are_not_sound(mixed: Path) -> None:
    ran = run("record", "check", str(mixed))
    assert ran.status == 1
    assert ran.lines == [f"{mixed}: 4 games, 2 not sound"]
    first, second = ran.err.splitlines()
    assert first.startswith(f"formsgame: {mixed}, game 2: line ")
    assert second.startswith(f"formsgame: {mixed}, game 4: line ")
    assert "a1-a2: the stone on a1 is Black's" in first
    quiet = run("record", "check", "-q", str(mixed))
    assert (quiet.status, quiet.out, quiet.err) == (1, "", ran.err)


def test_check_goes_on_after_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "one.pgn"
    file.write_text(record(), "utf-8")
    ran = run("record", "check", "/nowhere.pgn", str(file))
    assert ran.status == 1
    assert ran.err == "formsgame: /nowhere.pgn: No such file or directory\n"
    assert ran.lines == [f"{file}: 1 game"]


def test_check_a_file_without_games(tmp_path: Path) -> None:
    file = tmp_path / "empty.pgn"
    file.touch()
    assert run("record", "check", str(file)).lines == [f"{file}: 0 games"]


@pytest.mark.parametrize(
    "content",
    [
        b"\x7fELF\x00\x01\xff\xfe" * 5000,
        bytes(range(256)) * 40,
        b"[Rules \x1b[31m]\n\n1. e4 *",
        b"(" * 100_000,
        b"{" * 100_000,
        b"x" * 3_000_000,
    ],
)
def test_check_files_that_are_no_records(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "strange.pgn"
    file.write_bytes(content)
    ran = run("record", "check", str(file))
    assert ran.status == 1
    assert ran.err
    for line in ran.err.splitlines():
        assert line.startswith(f"formsgame: {file}, game ")
        assert line.isprintable()
        assert len(line) < 400


def test_replay_shows_every_position(mixed: Path) -> None:
    ran = run("record", "replay", str(mixed), "--game", "3")
    assert (ran.status, ran.err) == (0, "")
    assert ran.lines == [
        "Game 3: Ёж - ?, advanced rules, 2x2, W+",
        "    a b",
        " 2  ● ○  2",
        " 1  ○ ●  1",
        "    a b",
        "● Black 2   ○ White 2   Black to move",
        "Black played a2-a1: 1 white stone removed.",
        "    a b",
        " 2  ·'○  2",
        " 1  ●'●  1",
        "    a b",
        "● Black 2   ○ White 1   White to move",
        "' the last move",
        "White played b2-b1: 1 black stone removed.",
        "    a b",
        " 2  · ·' 2",
        " 1  ● ○' 1",
        "    a b",
        "● Black 1   ○ White 1   Black to move",
        "' the last move",
        "Black played a1-b1: 1 white stone removed.",
        "    a b",
        " 2  · ·  2",
        " 1  ·'●' 1",
        "    a b",
        "● Black 1   ○ White 0   White ran out of stones and wins.",
        "' the last move",
        "",
    ]


def test_replay_in_notation(mixed: Path) -> None:
    ran = run("record", "replay", "-", "--positions", stdin=mixed.read_bytes())
    assert ran.status == 1
    positions = [str(position) for position in fg.Game.parse(record()).positions]
    assert ran.lines == 2 * positions
    assert [line.partition(", ")[2][:6] for line in ran.err.splitlines()] == ["game 2", "game 4"]


def test_replay_tells_how_games_ended_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    games = [fg.Game(START, moves=["a2-a1"]) for _ in range(4)]
    games[0].resign()
    games[1].lose_on_time(fg.BLACK)
    games[2].abort()
    games[3].root.comment = "so it\x1b begins".replace("\x1b", "\u200b")
    file.write_text("\n".join(game.to_text() for game in games), "utf-8")
    out = run("record", "replay", str(file)).out
    assert "White resigned. Black wins.\n" in out
    assert "Black ran out of time. White wins.\n" in out
    assert "The game ended without a result.\n" in out
    assert "so it\ufffd begins\n" in out


def test_replay_one_game_that_is_not_sound_or_not_there(mixed: Path, tmp_path: Path) -> None:
    assert "game 2: line" in refused(1, "record", "replay", str(mixed), "--game", "2")
    assert "there is no game 5 among 4" in refused(1, "record", "replay", str(mixed), "--game", "5")


def test_stepping_needs_a_terminal(mixed: Path) -> None:
    assert "--step" in refused(2, "record", "replay", str(mixed), "--step")
