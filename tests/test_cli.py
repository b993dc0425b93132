"""The command line: every command run for real, and every kind of bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer.main

import formsgame as fg
from commanding import Ran, complaints, environment, refused, run, run_process, start
from formsgame.cli import app as commands
from formsgame.cli import words

VECTORS = Path(__file__).parent / "vectors"
POSITION = "8/8/8/2xxo3/8/8/8/8 x advanced"


def every_command() -> list[tuple[list[str], Any]]:
    """All commands with the words that call them, the root first."""
    found = []
    waiting: list[tuple[list[str], Any]] = [([], typer.main.get_command(commands.app))]
    while waiting:
        path, command = waiting.pop(0)
        found.append((path, command))
        inner = getattr(command, "commands", {})
        waiting += [([*path, name], below) for name, below in inner.items()]
    return found


# Help


def test_all_commands_are_there() -> None:
    assert {" ".join(path) for path, _command in every_command()} == {
        "",
        "serve",
        "play",
        "show",
        "perft",
        "playout",
        "bench",
        "record",
        "record check",
        "record replay",
        "puzzles",
        "puzzles show",
        "puzzles verify",
        "puzzles make",
        "solve",
        "match",
        "analyse",
        "ugi",
        "tables",
        "tables build",
        "tables info",
        "tables verify",
    }


@pytest.mark.parametrize(("path", "command"), every_command(), ids=lambda value: str(value))
def test_every_command_and_option_is_explained(path: list[str], command: Any) -> None:
    ran = run(*path, "--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: formsgame {' '.join(path)}".rstrip())
    assert run(*path, "-h").out == ran.out
    assert command.help
    for parameter in command.params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert option in ran.out
                assert parameter.help or option == "--help", f"{path} {option}"
            elif not option.startswith("-"):
                shown = parameter.metavar or option.upper()
                assert re.search(rf"\b{shown} is ", ran.out), f"{path} {shown}"


def test_commands_fit_their_line_in_the_list() -> None:
    ran = run("--help")
    assert "..." not in ran.out.partition("Commands:")[2]


def test_help_loads_nothing_heavy_and_costs_little() -> None:
    code = (
        "import sys; from formsgame.cli import main; main(['--help']);"
        "print(*{'numba', 'numpy', 'rich', 'fastapi', 'formsgame.web'} & set(sys.modules),"
        " file=sys.stderr)"
    )
    costs = []
    for _ in range(3):
        before = os.times()
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, env=environment(), check=True
        )
        after = os.times()
        costs.append(
            after.children_user
            - before.children_user
            + after.children_system
            - before.children_system
        )
        assert done.stderr.split() == []
    assert min(costs) < 0.3


def test_version() -> None:
    assert run("--version") == Ran(0, f"formsgame {fg.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("frobnicate", "No such command 'frobnicate'"),
        ("--frobnicate", "No such option: --frobnicate"),
        ("show --frobnicate", "No such option: --frobnicate"),
        ("record", "Missing command"),
        ("record check", "Missing argument"),
        ("record replay", "Missing argument"),
        ("--port 1 perft", "options of serve, not of perft"),
        ("--port 65536", "a port is a number from 0 to 65535"),
        ("serve --port -1", "a port is a number from 0 to 65535"),
        ("serve --port web", "--port"),
        ("perft --depth 0", "--depth"),
        ("perft --depth three", "--depth"),
        ("perft --size 3", "no game starts on 3x3 with advanced rules"),
        ("perft --size 27", "rows and columns go from 1 to 26"),
        ("perft --size 8x", "'8x' is not a board size"),
        (f"perft --size {'9' * 5000}", "is not a board size"),
        ("perft --rules chess", "--rules"),
        ("perft 8/8 x advanced", "not a position of Forms: there are no stones"),
        ("show hello", "a position has three fields"),
        ("show xo ! standard", "side to move is"),
        ("show xo x chess", "rules are 'chess'"),
        ("show x2o x standard", "the stones make 2 forms"),
        (f"show --size 4 {POSITION}", "leave out --rules and --size"),
        (f"show {'x' * 5000}", "at most 4096 are read"),
        ("show --pixels 0", "--pixels"),
        ("show --theme blue", "--theme"),
        ("playout --count 0", "--count"),
        ("playout --seed -1", "--seed"),
        (f"playout --seed {2**64}", "--seed"),
        ("playout --policy best", "--policy"),
        ("play --color green", "--color"),
        ("play --level 0", "--level"),
        ("play --level 99", "--level"),
        ("play --position nowhere", "--position"),
        ("play --size 5", "no game starts on 5x5"),
        ("record replay x.pgn --game 0", "--game"),
        (f"show {POSITION} --move a1-a2", "a1-a2: there is no stone on a1"),
        (f"show {POSITION} --move up", "'up' is not a move"),
        (f"show {POSITION} --targets i1", "i1 is not on this 8x8 board"),
        (f"show {POSITION} --last \x1b[31m", "is not a move"),
        (f"show {POSITION} --last a1-z9", "z9 is not on this 8x8 board"),
        (f"show {POSITION} --svg --last a1-z9", "z9 is not on this 8x8 board"),
    ],
)
def test_wrong_use_is_told_in_one_line(arguments: str, words: str) -> None:
    complaint = refused(2, *arguments.split(" "))
    assert words in complaint
    assert complaint.isprintable()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (f"show {POSITION} -o /nowhere/at/all.svg", "/nowhere/at/all.svg: No such file"),
        (f"show {POSITION} -o /nowhere/at/all.txt", "/nowhere/at/all.txt: No such file"),
        (f"show {POSITION} -o /", "/: Is a directory"),
        ("record check /nowhere.pgn", "/nowhere.pgn: No such file"),
        ("record replay /nowhere.pgn", "/nowhere.pgn: No such file"),
        ("record check /", "/: Is a directory"),
        ("play --save /nowhere/at/all.pgn", "/nowhere/at/all.pgn: No such file"),
    ],
)
def test_what_fails_is_told_in_one_line(arguments: str, words: str) -> None:
    complaint = refused(1, *arguments.split(" "))
    assert words in complaint
    assert complaint.isprintable()


# serve


@pytest.mark.parametrize("command", [[], ["serve"]])
def test_serve_is_what_happens_without_a_command(
    command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from formsgame import web
    from formsgame.server import serve

    calls = []

    def record(*values: object, **options: object) -> int:
        calls.append((values, options))
        return 1

    monkeypatch.setattr(serve, "run", record)
    assert run(*command).status == 1
    assert run(*command, "--port", "0", "--no-browser", "--data", "games").status == 1
    assert calls == [
        ((web, None), {"open_browser": True, "data_folder": None}),
        ((web, 0), {"open_browser": False, "data_folder": Path("games")}),
    ]


# show


def test_show_the_start() -> None:
    ran = run("show", "--size", "2x4")
    assert (ran.status, ran.err) == (0, "")
    assert ran.lines == [
        "    a b c d",
        " 2  ● ○ ● ○  2",
        " 1  ○ ● ○ ●  1",
        "    a b c d",
        "● Black 4   ○ White 4   Black to move",
        "xoxo/oxox x advanced",
    ]


def test_show_turned_around_and_in_letters() -> None:
    ran = run("show", "1x/oo o standard", "--flip", "--ascii")
    assert ran.lines == [
        "    b a",
        " 1  o o  1",
        " 2  x .  2",
        "    b a",
        "x Black 1   o White 2   White to move",
        "1x/oo o standard",
    ]


def test_show_where_a_stone_can_go() -> None:
    ran = run("show", *POSITION.split(), "--targets", "D5", "--last", "e6-e5")
    assert " 5  ·+·+● ●*○+·+·+·+ 5" in ran.lines
    assert "d5: choose where it goes (1 capture, 61 slides)." in ran.lines
    assert "* the stone   + where it goes" in ran.lines
    assert "a1: nothing there can move." in run("show", POSITION, "--targets", "a1").out


def test_show_the_last_move() -> None:
    ran = run("show", POSITION, "--last", "e7-e5")
    assert " 7  · · · · ·'· · ·  7" in ran.lines
    assert " 5  · · ● ● ○'· · ·  5" in ran.lines
    assert "' the last move" in ran.lines


def test_show_what_a_move_would_do() -> None:
    ran = run("show", POSITION, "--move", "d5xe5")
    assert " 5  · · ●-●*○+· · ·  5" in ran.lines
    assert "d5-e5 removes 2 stones: 1 black, 1 white" in ran.lines
    assert "then: 8/8/8/4x3/8/8/8/8 o advanced" in ran.lines


def test_show_reads_standard_input() -> None:
    assert run("show", "-", stdin=f"  {POSITION} \n").lines[-1] == POSITION
    assert "a position has three fields" in refused(1, "show", "-")
    assert "'position' codec" not in refused(1, "show", "-", stdin=b"\xff\xfe\x00 x standard\n")
    assert "at most 4096" in refused(1, "show", "-", stdin=b"x" * 10_000_000)


def test_show_a_finished_game() -> None:
    assert "White ran out of stones and wins." in run("show", "x o advanced").out


def test_show_draws_pictures(tmp_path: Path) -> None:
    expected = fg.to_svg(
        fg.Position.parse(POSITION),
        size=200,
        coordinates=False,
        last_move="e6-e5",
        chosen="c5",
        preview="d5-e5",
        theme="dark",
        flip=True,
        pattern=True,
    )
    options = (
        f"show --pixels 200 --no-coordinates --last e6-e5 --targets c5 --move d5-e5 "
        f"--theme dark --flip --pattern {POSITION}"
    ).split()
    assert run(*options, "--svg").out == expected
    file = tmp_path / "board.SVG"
    assert run(*options, "--output", str(file)).out == ""
    assert file.read_text("utf-8") == expected


def test_show_writes_text_files(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    assert run("show", POSITION, "-o", str(file), encoding="ascii").out == ""
    assert file.read_text("utf-8") == run("show", POSITION).out


# perft and playout


@pytest.mark.parametrize(
    "line",
    [
        line
        for line in (VECTORS / "perft.tsv").read_text("utf-8").splitlines()
        if not line.startswith("#") and int(line.split("\t")[4]) < 300_000
    ],
)
def test_perft(line: str) -> None:
    rules, rows, columns, depth, count = line.split("\t")
    ran = run("perft", "--rules", rules, "--size", f"{rows}x{columns}", "--depth", depth)
    assert ran.status == 0
    assert ran.lines[0].split() == ["depth", "paths", "seconds", "per", "second"]
    assert [row.split()[0] for row in ran.lines[1:]] == [str(n + 1) for n in range(int(depth))]
    assert ran.lines[-1].split()[1] == count


def test_perft_divided_by_moves() -> None:
    ran = run("perft", "--size", "4", "--depth", "3", "--divide")
    *moves, total = ran.lines
    start_position = fg.Position.initial(fg.ADVANCED, 4)
    assert [line.split()[0] for line in moves] == [str(m) for m in start_position.legal_moves]
    assert sum(int(line.split()[1]) for line in moves) == 6448
    assert total == "total 6448"
    assert run("perft", "x", "o", "standard", "--divide").lines == ["total 0"]


def test_playout() -> None:
    ran = run("playout", "--size", "4", "-n", "500", "--seed", "7")
    black, white, speed = ran.lines
    wins = [int(re.findall(r"won (\d+) of 500", line)[0]) for line in (black, white)]
    winners = fg.playouts(fg.Position.initial(fg.ADVANCED, 4), 500, seed=7)
    assert wins == [int((winners == color).sum()) for color in (fg.BLACK, fg.WHITE)]
    assert re.fullmatch(r"[\d.]+ seconds, \d+ playouts per second", speed)
    again = run("playout", "--size", "4", "-n", "500", "--seed", "7", "--policy", "uniform")
    assert again.status == 0
    assert again.lines[0].startswith("Black won ")


# bench


def test_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from formsgame import bench

    made: list[dict[str, Any]] = []

    def measure(**options: Any) -> bench.Report:
        made.append(options)
        return bench.Report({"cores": "2"}, (bench.Row("perft", 12.5, "M/s", 10.0),))

    monkeypatch.setattr(bench, "run", measure)
    file = tmp_path / "speed.json"
    ran = run("bench", "--quick", "--json", str(file), "--yardstick", str(tmp_path))
    assert (ran.status, ran.err) == (0, "")
    assert made == [{"quick": True, "yardstick": tmp_path, "report": None}]
    assert ran.lines[1].split() == ["perft", "12.5", "M/s", "10", "1.25"]
    assert json.loads(file.read_text("utf-8"))["rows"][0]["ratio"] == 1.25


def test_bench_beside_programs_that_do_not_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from formsgame import bench

    def fail(**options: Any) -> None:
        raise subprocess.CalledProcessError(139, [str(tmp_path / "perft"), "8"])

    assert "--yardstick" in refused(2, "bench", "--yardstick", "/nowhere")
    assert "perft.cpp" in refused(1, "bench", "--yardstick", str(tmp_path))
    monkeypatch.setattr(bench, "run", fail)
    assert f"{tmp_path}/perft failed with status 139" in refused(1, "bench")


# Streams


def test_boards_fall_back_to_letters() -> None:
    ran = run("show", "--size", "2", encoding="ascii")
    assert ran.lines[1] == " 2  x o  2"
    assert run("show", "--size", "2", encoding="latin-1").lines[1] == " 2  x o  2"


@pytest.mark.parametrize(
    "variables",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii:strict"},
    ],
)
def test_plain_locales(variables: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "Прага.pgn"
    game = fg.Game(fg.Position.initial(fg.ADVANCED, 2), {"Black": "Ёж"}, ["a2-a1"])
    file.write_text(game.to_text(), "utf-8")
    ran = run_process("record", "replay", str(file), variables=variables)
    assert ran.status == 0
    assert ran.err == ""
    assert "Black played a2-a1: 1 white stone removed." in ran.lines


def test_the_reader_may_leave_early() -> None:
    command = ("perft", "--rules", "standard", "--size", "18", "--depth", "1", "--divide")
    with start(*command) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == b"a1-a10 1\n"
        process.stdout.close()
        assert complaints(process.stderr.read()) == ""
        assert process.wait(60) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told() -> None:
    for command in (["--version"], ["--help"], ["show", "--size", "2"]):
        with Path("/dev/full").open("wb") as full, start(*command, stdout=full) as process:
            _out, err = process.communicate(timeout=60)
        assert process.returncode == 1
        assert re.fullmatch(
            r"formsgame: (standard output: )?No space left on device\n",
            complaints(err),
        )


def test_closed_streams() -> None:
    shell = f'exec "{sys.executable}" -m formsgame "$@" >&- 2>&- <&-'
    for command in (["--version"], ["show", "--size", "2"], ["play", "--size", "2"]):
        done = subprocess.run(["sh", "-c", shell, "sh", *command], env=environment(), timeout=60)
        assert done.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_interrupted_work_ends_in_silence() -> None:
    command = ("perft", "--rules", "standard", "--size", "18", "--depth", "9")
    with start(*command) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().split()[0] == b"depth"
        assert process.stdout.readline().split()[0] == b"1"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert complaints(process.stderr.read()) == ""


def test_interrupted_while_loading() -> None:
    code = (
        "import sys, builtins; real = builtins.__import__\n"
        "def interrupted(name, *rest):\n"
        "    if name == 'typer': raise KeyboardInterrupt\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = interrupted\n"
        "from formsgame.cli import main; sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment())
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_as_a_module() -> None:
    assert run_process("--version") == Ran(0, f"formsgame {fg.__version__}\n", "")
    assert run_process("show", "nonsense").status == 2


# Languages


def test_words_of_an_unknown_language_are_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "tlh_QO.UTF-8")
    words.translations.cache_clear()
    try:
        assert words._("Black") == "Black"
        assert words.ngettext("%(n)s slide", "%(n)s slides", 2) == "%(n)s slides"
    finally:
        monkeypatch.undo()
        words.translations.cache_clear()


def test_words_come_from_the_catalogues(monkeypatch: pytest.MonkeyPatch) -> None:
    import gettext

    from formsgame.web import i18n

    class Shouting(gettext.NullTranslations):
        def gettext(self, message: str) -> str:
            return message.upper()

        def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
            return (msgid1 if n == 1 else msgid2).upper()

    monkeypatch.setattr(i18n, "LANGUAGES", ("en", "es"))
    monkeypatch.setattr(i18n, "translations", lambda language: Shouting())
    monkeypatch.setenv("LANGUAGE", "tlh:es")
    monkeypatch.setenv("LC_ALL", "de_CH.UTF-8")
    words.translations.cache_clear()
    try:
        assert words._("Black") == "BLACK"
        assert words.ngettext("stone", "stones", 1) == "STONE"
    finally:
        words.translations.cache_clear()
