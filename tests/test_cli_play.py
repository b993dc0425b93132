"""Playing in the terminal: whole games through pipes, and a person at a real terminal."""

from __future__ import annotations

import io
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import formsgame as fg
from commanding import environment, refused, run, start
from formsgame.cli import play
from formsgame.cli.screen import Screen


def random_game(position: fg.Position, seed: int) -> tuple[fg.Move, ...]:
    return fg.playout(position, seed).moves


@pytest.mark.parametrize(
    ("rules", "size"),
    [("standard", "4"), ("standard", "2x3"), ("advanced", "6"), ("advanced", "2")],
)
def test_two_people_play_a_whole_game_through_a_pipe(rules: str, size: str, tmp_path: Path) -> None:
    start = fg.Position.initial(rules, size)
    for seed in range(3):
        moves = random_game(start, seed)
        file = tmp_path / f"{seed}.pgn"
        ran = run(
            *f"play --color both --rules {rules} --size {size} --save {file}".split(),
            stdin="".join(f"{move}\n" for move in moves),
        )
        assert (ran.status, ran.err) == (0, "")
        game = fg.Game.parse(file.read_text("utf-8"))
        assert game.moves == moves
        assert game.winner is not None
        assert game.result in ("B+", "W+")
        assert f"{game.winner.title} ran out of stones and wins." in ran.out
        assert ran.out.count(" played ") == len(moves)


def test_games_end_with_the_input(tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    ran = run("play", "--color", "both", "--size", "4", "-o", str(file), stdin="a2-a1")
    assert (ran.status, ran.err) == (0, "")
    game = fg.Game.parse(file.read_text("utf-8"))
    assert [str(move) for move in game.moves] == ["a2-a1"]
    assert game.result == "*"
    assert run("play", "--color", "both", "--size", "4").status == 0


def test_records_are_added_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    for line in ("a2-a1\nresign\n", "resign\n", f"save {tmp_path}/other.pgn\nquit\na2-a1"):
        assert (
            run("play", "--color", "both", "--size", "4", "-o", str(file), stdin=line).status == 0
        )
    games = list(fg.read_games(file))
    assert [game.result for game in games] == ["B+R", "W+R", "*"]
    assert [len(game.moves) for game in games] == [1, 0, 0]
    assert len(list(fg.read_games(tmp_path / "other.pgn"))) == 1


class Opponent(io.StringIO):
    """A standard input that asks for the position and answers with a random legal move."""

    def __init__(self, output: Callable[[], str], seed: int) -> None:
        super().__init__()
        self.output = output
        self.seed = seed
        self.asked = False

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        self.asked = not self.asked
        if self.asked:
            return "position\n"
        position = fg.Position.parse(self.output().splitlines()[-1])
        return f"{fg.playout(position, self.seed).moves[0]}\n"


@pytest.mark.parametrize("color", ["black", "white"])
@pytest.mark.parametrize(("rules", "size"), [("standard", "4"), ("advanced", "4x5")])
def test_the_computer_plays_a_whole_game(
    color: str,
    rules: str,
    size: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from formsgame.cli import main

    written = ""

    def output() -> str:
        nonlocal written
        written += capsys.readouterr().out
        return written

    file = tmp_path / "game.pgn"
    monkeypatch.setattr(sys, "stdin", Opponent(output, seed=3))
    command = f"play --rules {rules} --size {size} --color {color} --level 1 --save {file}"
    assert main(command.split()) == 0
    game = fg.Game.parse(file.read_text("utf-8"))
    assert game.winner is not None
    assert f"{game.winner.title} ran out of stones and wins." in output()
    computer = "White" if color == "black" else "Black"
    assert game.headers[computer] == "formsgame, level 1"
    assert game.headers[color.title()] == "?"
    assert re.fullmatch(r"\d{4}\.\d\d\.\d\d", game.headers["Date"])


def test_every_command() -> None:
    ran = run(
        "play",
        "--color",
        "both",
        "--size",
        "4",
        stdin="""
        help
        moves
        a2
        A1
        show a2-a1
        a2-a1
        undo
        a2 - a1
        # a remark
        record
        flip
        board
        hint
        resign
        """,
    )
    assert (ran.status, ran.err) == (0, "")
    assert play.commands_help() in ran.out
    assert "a2-a1 a2-a3 a2-b2" in ran.out
    assert " 2  ●*○+● ○  2" in ran.lines
    assert "a2: choose where it goes (3 captures)." in ran.lines
    assert "a1: nothing there can move." in ran.lines
    assert "a2-a1 removes 1 white stone" in ran.lines
    assert ran.lines.count("Black played a2-a1: 1 white stone removed.") == 2
    assert "1. a2-a1 *" in ran.lines
    assert ran.lines.count("    d c b a") == 4
    assert re.search(
        r"^(White: chance to win about \d+%|\w+ wins with best play\.)$", ran.out, re.M
    )
    assert ran.lines[-1] == "White resigned. Black wins."


def test_names_that_no_file_can_have_end_no_game() -> None:
    stdin = b"save ~nobody-of-this-name/at.pgn\nsave a\0b\na2-a1\n"
    ran = run("play", "--color", "both", "--size", "4", stdin=stdin)
    assert ran.status == 1
    assert "line 1: ~nobody-of-this-name/at.pgn: No such file or directory" in ran.err
    assert "line 2: a\ufffdb: Invalid argument" in ran.err
    assert "Black played a2-a1: 1 white stone removed." in ran.out


def test_what_is_refused_is_said_with_its_line() -> None:
    ran = run(
        "play",
        "--color",
        "both",
        "--size",
        "4",
        stdin=b"a1-a2\n\na2-a4\nundo\nsave\nsave /nowhere/at.pgn\nz9\n\xff\xfe\x00\nshow\n"
        b"frobnicate\n" + b"a" * 1_000_000 + b"\na2-a1",
    )
    assert ran.status == 1
    assert [
        re.sub(":.*", "", line.removeprefix("formsgame: ")) for line in ran.err.splitlines()
    ] == [f"line {number}" for number in (1, 3, 4, 5, 6, 7, 8, 9, 10, 11)]
    assert "line 1: a1-a2: the stone on a1 is White's" in ran.err
    assert "line 4: there is nothing to take back" in ran.err
    assert "line 5: save needs the name of a file" in ran.err
    assert "line 6: /nowhere/at.pgn: No such file or directory" in ran.err
    assert "line 7: z9 is not on this 4x4 board" in ran.err
    assert "Black played a2-a1: 1 white stone removed." in ran.out
    assert ran.err.isascii() or "\ufffd" in ran.err


def test_undo_takes_back_both_plies_against_the_computer() -> None:
    ran = run(
        "play",
        "--size",
        "4",
        "--level",
        "1",
        "--rules",
        "standard",
        stdin="undo\na1-a4\nundo\nposition\nundo\n",
    )
    assert ran.status == 1
    assert ran.lines[-1] == "oooo/oooo/xxxx/xxxx x standard"
    assert ran.err.count("there is nothing to take back") == 2


def test_a_long_list_of_moves_is_only_counted() -> None:
    ran = run("play", "--color", "both", "--size", "8", "--rules", "standard", stdin="moves")
    assert ran.lines[-1] == "1024 legal moves; type a cell to see those of its stone."


def test_play_from_a_position() -> None:
    position = "8/8/8/2xxo3/8/8/8/8 x advanced"
    ran = run("play", "--color", "both", "--position", position, stdin="d5-e5\nrecord")
    assert "White ran out of stones and wins." in ran.out
    over = run("play", "--position", "x o standard")
    assert over.status == 0
    assert "White ran out of stones and wins." in over.out


def test_a_record_that_can_not_be_saved_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    table = play.Table(
        fg.Position.initial("advanced", 2), None, 1, Screen(ascii_only=True), flip=False
    )
    file.mkdir()
    with pytest.raises(IsADirectoryError):
        table.save(file)
    assert str(file) in refused(1, "play", "--save", str(file))


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupted_game_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    with start("play", "--color", "both", "--size", "4", "--save", str(file)) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"a2-a1\n")
        process.stdin.flush()
        while b"played a2-a1" not in process.stdout.readline():
            pass
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert b"Traceback" not in process.stderr.read()
    assert len(fg.Game.parse(file.read_text("utf-8")).moves) == 1


class Terminal:
    """The command at a terminal of its own."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        import pty

        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "formsgame", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment({"TERM": "xterm-256color", **variables}),
            start_new_session=True,
        )
        os.close(theirs)
        self.text = ""

    def wait_for(self, text: str, seconds: float = 90) -> str:
        """Read until a text comes; returns all that was read since the last one."""
        end = time.monotonic() + seconds
        while text not in self.text:
            ready, _, _ = select.select([self.ours], [], [], max(0, end - time.monotonic()))
            assert ready, f"{text!r} does not come: {self.text!r}"
            try:
                self.text += os.read(self.ours, 4096).decode()
            except OSError:  # how a terminal ends on Linux
                raise AssertionError(f"{text!r} did not come: {self.text!r}") from None
        before, _, self.text = self.text.partition(text)
        return before

    def type(self, line: str) -> None:
        os.write(self.ours, line.encode())

    def end(self) -> int:
        """Read until the command has closed the terminal; returns its exit status."""
        try:
            while select.select([self.ours], [], [], 30)[0] and os.read(self.ours, 4096):
                pass
        except OSError:
            pass
        os.close(self.ours)
        return self.process.wait(30)


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
def test_a_person_at_a_terminal() -> None:
    terminal = Terminal("play", "--color", "both", "--size", "4")
    greeting = terminal.wait_for("Black> ")
    assert "Fewer is better: whoever runs out of stones wins." in greeting
    assert "\x1b[" in greeting, "in color"
    terminal.type("a1-a2\n")
    assert "the stone on a1 is White's" in terminal.wait_for("Black> ")
    terminal.type("a2-a1\n")
    assert "Black played a2-a1" in terminal.wait_for("White> ")
    terminal.type("\x04")
    assert terminal.end() == 0, "a typing error is no failure, the end of the input no surprise"


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
def test_control_c_at_the_prompt() -> None:
    terminal = Terminal("play", "--color", "both", "--size", "4", NO_COLOR="1")
    assert "\x1b[38" not in terminal.wait_for("Black> ")
    # Between showing the prompt and waiting for keys the interpreter notes a signal but looks at
    # it only after the next key: some milliseconds that no person meets, but a test does.
    time.sleep(0.5)
    terminal.process.send_signal(signal.SIGINT)
    terminal.wait_for("\n")
    assert terminal.end() == 130


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
def test_stepping_through_a_record(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    position = fg.Position.initial("advanced", 2)
    games = [fg.Game(position, {"Black": name}, ["a2-a1"]) for name in ("Ann", "Bea", "Cy")]
    file.write_text("\n".join(game.to_text() for game in games), "utf-8")
    terminal = Terminal("record", "replay", str(file))
    assert "Game 1: Ann" in terminal.wait_for("Enter: ")
    terminal.type("\n")
    assert "Black played a2-a1" in terminal.wait_for("Enter: "), "and the next game begins"
    terminal.type("n\n")
    assert "Game 3: Cy" in terminal.wait_for("Enter: ")
    terminal.type("q\n")
    assert terminal.end() == 0
