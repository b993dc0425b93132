"""Analysing from the command line: lines of positions, and records with their turning points."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import formsgame as fg
import naive
from commanding import PREPARING, refused, run, start
from formsgame.cli.annotating import Evaluation, annotate, judge
from formsgame.engine import LEVELS

POSITION = "8/8/8/2xxo3/8/8/8/8 x advanced"
OVER = "8/8/8/4x3/8/8/8/8 o advanced"
QUICK = ("--nodes", "200", "--workers", "1")


# A position


def test_a_position() -> None:
    ran = run("analyse", POSITION, "--nodes", "500")
    assert (ran.status, ran.err) == (0, "")
    turn, line, proved, cost = ran.lines
    assert turn == "Black to move"
    rank, score, move, *_rest = line.split()
    assert (rank, score) == ("1.", "wins")
    after = fg.Position.parse(POSITION).play(move)
    assert not naive.mover_wins(naive.parse_board(str(after)))
    assert proved == "Black wins with best play."
    assert "nodes per second" in cost


def test_an_estimate_is_told_from_a_proof() -> None:
    ran = run("analyse", "--rules", "standard", "--size", "8", "--nodes", "200")
    assert ran.status == 0
    turn, line, cost = ran.lines
    assert turn == "Black to move"
    assert line.split()[1].endswith("%")
    assert "wins" not in ran.out
    assert cost.startswith("depth ")


def test_who_loses_is_told_so() -> None:
    ran = run("analyse", "xo x standard")
    assert ran.lines[1].split() == ["1.", "loses", "a1-b1"]
    assert ran.lines[2] == "White wins with best play."


def test_a_finished_game() -> None:
    assert run("analyse", OVER).out == "White ran out of stones and wins.\n"
    (found,) = map(json.loads, run("analyse", OVER, "--json").lines)
    assert found == {"position": OVER, "winner": "white", "lines": []}


def test_json_of_a_position() -> None:
    (found,) = map(json.loads, run("analyse", POSITION, "--json", "--nodes", "500").lines)
    assert found["position"] == POSITION
    assert found["winner"] is None
    best = found["lines"][0]
    assert (best["rank"], best["verdict"], best["score"]) == (1, "black", 1.0)
    assert fg.Position.parse(POSITION).is_legal(best["line"][0])
    assert set(best) == {"rank", "line", "score", "verdict", "depth", "nodes", "seconds"}


def test_the_same_every_time() -> None:
    found = set()
    for _ in range(2):
        (data,) = map(json.loads, run("analyse", "--size", "6", "--json", "--nodes", "300").lines)
        found.add((*data["lines"][0]["line"], data["lines"][0]["score"]))
    assert len(found) == 1


@pytest.mark.parametrize("text", [POSITION, f"{POSITION}\n", f"  {POSITION}\nmore"])
def test_a_position_from_standard_input(text: str) -> None:
    assert "Black wins with best play." in run("analyse", "-", stdin=text).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--lines 0", "--lines"),
        ("--seconds -1", "--seconds"),
        ("--seconds nan", "--seconds"),
        ("--seconds inf", "seconds must be"),
        ("--nodes 0", "--nodes"),
        ("--depth 0", "--depth"),
        ("--level 0", "level must be"),
        (f"--level {max(LEVELS) + 1}", "level must be"),
        ("--threads 0", "--threads"),
        ("--threads 99999", "threads must be"),
        ("--hash 0", "--hash"),
        ("--hash 99999999", "hash_mb must be"),
        ("--output x", "this is for records"),
        ("--journal x", "this is for records"),
        ("--workers 2", "this is for records"),
        (f"--size 4 {POSITION}", "leave out --rules and --size"),
        ("hello", "three fields"),
        (f"{'x' * 5000}", "at most 4096 are read"),
    ],
)
def test_wrong_use(arguments: str, words: str) -> None:
    assert words in refused(2, "analyse", *arguments.split())


def test_wrong_use_with_records(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(RECORD)
    assert "its own rules" in refused(2, "analyse", str(file), "--size", "4")
    assert "over itself" in refused(2, "analyse", str(file), "--output", str(file))
    assert file.read_text() == RECORD
    assert "No such file" in refused(1, "analyse", str(tmp_path / "none.pgn"))
    assert "No such file" in refused(1, "analyse", str(file), "-o", str(tmp_path / "no" / "x"))


# What is said of a game, whatever found it out


def a_game(rules: str, size: int, seed: int) -> fg.Game:
    start = fg.Position.initial(rules, size)
    return fg.Game(start, moves=fg.playout(start, seed).moves)


def known(game: fg.Game, *values: tuple[float, fg.Color | None, str]) -> dict[str, Evaluation]:
    """Evaluations of the first positions: Black's chance, the winner if proved, the best move."""
    return {
        str(position): Evaluation(chance, verdict, (fg.Move.parse(move),))
        for position, (chance, verdict, move) in zip(game.positions, values, strict=False)
    }


def main_line(game: fg.Game) -> list[fg.Node]:
    nodes = [game.root]
    while (after := nodes[-1].next) is not None:
        nodes.append(after)
    return nodes


@pytest.mark.parametrize(
    ("chances", "glyph"),
    [((0.6, 0.55), None), ((0.6, 0.45), 6), ((0.6, 0.38), 2), ((0.6, 0.2), 4), ((0.2, 0.9), None)],
)
def test_how_much_a_move_gives_away(chances: tuple[float, float], glyph: int | None) -> None:
    game = fg.Game(fg.Position.initial("advanced", 4), moves=["a2-a1", "c1-c2"])
    evaluations = known(game, (chances[0], None, "b1-a1"), (chances[1], None, "c1-c2"))
    annotate(game, evaluations)
    root, first, second = main_line(game)
    assert root.comment == f"[%win {chances[0]:.2f}]"
    assert first.glyphs == ((glyph,) if glyph else ())
    assert first.comment.startswith(f"[%win {chances[1]:.2f}]")
    assert second.comment == ""  # nothing is known of that
    others = [str(node.move) for node in root.variations[1:]]
    assert others == (["b1-a1"] if glyph else [])
    if glyph:
        assert "b1-a1 was better" in first.comment
        assert root.variations[1].comment == root.comment


def test_the_second_player_is_judged_by_his_own_chance() -> None:
    game = fg.Game(fg.Position.initial("advanced", 4), moves=["a2-a1", "c1-c2"])
    annotate(
        game,
        known(game, (0.5, None, "a2-a1"), (0.2, None, "c1-b1"), (0.7, None, "d1-c1")),
    )
    _root, first, second = main_line(game)
    assert first.glyphs == ()
    assert second.glyphs == (4,)
    assert "From a chance of 80% to 30%; c1-b1 was better." in second.comment


def test_the_best_move_is_no_mistake_whatever_the_numbers_say() -> None:
    game = fg.Game(fg.Position.initial("advanced", 4), moves=["a2-a1"])
    annotate(game, known(game, (0.9, None, "a2-a1"), (0.1, None, "c1-b1")))
    assert main_line(game)[1].glyphs == ()


def test_verdicts_that_flip() -> None:
    game = fg.Game(fg.Position.initial("advanced", 4), moves=["a2-a1", "c1-c2"])
    annotate(
        game,
        known(game, (1.0, fg.BLACK, "b1-a1"), (0.0, fg.WHITE, "c1-b1"), (0.0, fg.WHITE, "d1-c1")),
    )
    root, first, second = main_line(game)
    assert root.comment == "[%proved B]"
    assert first.comment == "[%proved W] Threw away a proved win: b1-a1 wins."
    assert first.glyphs == (4,)
    assert second.comment == "[%proved W]"
    assert root.variations[1].comment == "[%proved B]"


def test_a_move_to_a_proved_win_proves_the_position_before() -> None:
    game = fg.Game(fg.Position.initial("advanced", 4), moves=["a2-a1", "c1-c2"])
    evaluations = known(game, (0.5, None, "b1-a1"), (0.6, None, "c1-b1"), (0.0, fg.WHITE, "d1-c1"))
    start, first, second = judge(game, evaluations)
    assert start.evaluation.verdict is None
    assert first.evaluation.verdict is fg.WHITE
    assert first.glyph == 4
    assert "Loses for certain; b1-a1 had a chance of 50%." in first.sentence
    assert second.glyph is None


def test_what_people_wrote_stays_and_what_was_found_before_goes() -> None:
    game = fg.Game(fg.Position.initial("advanced", 4), moves=["a2-a1", "c1-c2"])
    _root, first, second = main_line(game)
    first.comment, first.glyphs = "A fine move!", (1, 10)
    second.comment = "Hm."
    annotate(game, known(game, (0.9, None, "b1-a1"), (0.1, None, "c1-c2"), (0.1, None, "a1-b1")))
    assert first.comment.startswith("A fine move! [%win 0.10] From")
    assert first.glyphs == (1, 10)
    assert second.comment == "Hm. [%win 0.10]"
    second_game = fg.Game.parse(game.to_text())
    annotate(
        second_game,
        known(game, (0.5, None, "a2-a1"), (0.5, None, "c1-b1"), (1.0, fg.BLACK, "a1-b1")),
    )
    _root, first, second = main_line(second_game)
    assert first.comment == "A fine move! [%win 0.50]"
    assert second.comment == "Hm. [%proved B] Loses for certain; c1-b1 had a chance of 50%."
    assert second.glyphs == (4,)
    annotate(second_game, known(game, *[(0.5, None, "a2-a1")] * 3))
    assert main_line(second_game)[2].glyphs == ()


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_any_game_stays_the_game_it_was(rules: str) -> None:
    """Whatever is said, the moves and the result stay, and the record can be read again."""
    for seed in range(10):
        game = a_game(rules, 6, seed)
        before = game.moves, game.result, game.positions
        evaluations = {
            str(position): Evaluation(
                (seed * 37 + number * 61) % 101 / 100, None, (position.legal_moves[number],)
            )
            for number, position in enumerate(game.positions)
            if number < len(position.legal_moves)
        }
        annotate(game, evaluations)
        assert (game.moves, game.result, game.positions) == before
        assert fg.Game.parse(game.to_text()) == game


# Records


RECORD = """\
[Event "One"]
[Black "Anna"]
[White "Bo"]
[Rules "advanced"]
[Size "4x4"]

1. a2-a1 {why not} 1... b2-b1 *

[Event "Two"]
[Rules "standard"]
[Position "xxoo x standard"]

1. a1-c1 d1-b1 *
"""


def test_a_record(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(RECORD)
    ran = run("analyse", str(file), *QUICK)
    assert (ran.status, ran.err) == (0, "")
    games = list(fg.read_games(ran.lines))
    assert [game.headers["Event"] for game in games] == ["One", "Two"]
    for game, old in zip(games, fg.read_games(RECORD.splitlines()), strict=True):
        assert game.moves == old.moves
        assert game.headers["Annotator"] == f"formsgame {fg.__version__}"
        for node in main_line(game):
            assert "[%win " in node.comment or "[%proved " in node.comment
    assert games[0].root.next
    assert games[0].root.next.comment.startswith("why not [%")
    # xxoo is won by leaving one stone (the one-stone law); a1-c1 leaves it, too, or does not:
    # what is said of it is what a full search says.
    for node in main_line(games[1]):
        if not node.position.is_over:
            board = naive.parse_board(str(node.position))
            winner = board.side if naive.mover_wins(board) else naive.opponent(board.side)
            assert node.comment.startswith(f"[%proved {'B' if winner == 'x' else 'W'}]")
    output = tmp_path / "out.pgn"
    other = run("analyse", "-", *QUICK, "--output", str(output), stdin=RECORD)
    assert other.status == 0
    assert other.out.startswith(f"{output}: 2 games, ")
    assert output.read_text() == ran.out


def test_json_of_a_record(tmp_path: Path) -> None:
    file = tmp_path / "games"
    file.write_text(RECORD)
    first, second = map(json.loads, run("analyse", str(file), *QUICK, "--json").lines)
    assert (first["game"], second["game"]) == (1, 2)
    assert first["headers"]["Black"] == "Anna"
    assert [ply["move"] for ply in first["plies"]] == [None, "a2-a1", "b2-b1"]
    positions = [fg.Position.parse(ply["position"]) for ply in first["plies"]]
    assert positions[1] == positions[0].play("a2-a1")
    for ply in (*first["plies"], *second["plies"]):
        assert 0 <= ply["black"] <= 1
        assert ply["verdict"] in (None, "black", "white")
        assert ply["glyph"] in (None, 2, 4, 6)
    assert second["plies"][0]["verdict"] == "black"


def test_games_that_are_not_sound_are_reported(tmp_path: Path) -> None:
    bad = RECORD.replace("1. a2-a1", "1. a2-a9")
    ran = run("analyse", "-", *QUICK, stdin=bad)
    assert ran.status == 1
    assert ran.err.startswith("formsgame: standard input: line 7, column 4: ")
    (game,) = fg.read_games(ran.lines)
    assert game.headers["Event"] == "Two"
    empty = run("analyse", "-", *QUICK, stdin="\n")
    assert (empty.status, empty.out) == (1, "")
    assert empty.err == "formsgame: standard input: there is no game\n"


def test_goes_on_in_its_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, journal = tmp_path / "games.pgn", tmp_path / "journal"
    file.write_text(RECORD)
    think = fg.Engine.think
    calls: list[Any] = []

    def count(self: fg.Engine, position: fg.Position, *rest: Any, **more: Any) -> fg.Thought:
        calls.append(position)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return think(self, position, *rest, **more)

    monkeypatch.setattr(fg.Engine, "think", count)
    arguments = ("analyse", str(file), *QUICK, "--journal", str(journal))
    cut_off = run(*arguments)
    assert (cut_off.status, cut_off.err) == (130, "")
    (game,) = fg.read_games(cut_off.lines)  # the game that was done
    assert game.headers["Event"] == "One"
    whole = run(*arguments)
    assert whole.status == 0
    assert calls[4] == calls[3], "only what was missing is done"
    done = len(calls)
    assert run(*arguments).out == whole.out
    assert len(calls) == done
    assert run(*arguments[:-2]).out == whole.out


def test_ctrl_c_shows_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    think, stop = fg.Engine.think, fg.Engine.stop
    told: list[fg.Engine] = []

    def interrupted(self: fg.Engine, *rest: Any, **more: Any) -> fg.Thought:
        signal.raise_signal(signal.SIGINT)
        assert told[-1] is self
        return think(self, *rest, **more)

    def stopped(self: fg.Engine) -> None:
        told.append(self)
        stop(self)

    monkeypatch.setattr(fg.Engine, "think", interrupted)
    monkeypatch.setattr(fg.Engine, "stop", stopped)
    handler = signal.getsignal(signal.SIGINT)
    ran = run("analyse", POSITION)
    assert (ran.status, ran.err) == (130, "")
    assert ran.lines[1].split()[:2] == ["1.", "wins"]
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_ctrl_c_keeps_what_is_known_of_a_game(tmp_path: Path, warm: None) -> None:
    file, journal = tmp_path / "games.pgn", tmp_path / "journal"
    game = a_game("advanced", 18, 1)
    file.write_text(game.to_text())
    options = ("--seconds", "0.1", "--workers", "1", "--journal", str(journal))
    with start("analyse", str(file), *options) as process:
        while process.poll() is None and len([*journal.glob("*")]) < 5:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.decode().replace(PREPARING, "") == ""
    found = fg.Game.parse(out.decode())
    assert found.moves == game.moves
    comments = [node.comment for node in main_line(found)]
    assert comments[0].startswith("[%win")
    assert "" in comments
