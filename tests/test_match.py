"""Matches: fair openings, right winners, broken engines, interruptions and many processes."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import commanding
import naive
from formsgame.errors import JobError, LimitError, SizeError
from formsgame.match import A, B, Match, Played, Settings, opening, run_match, to_game
from formsgame.record import Game, read_games
from formsgame.rules import BLACK, WHITE

PLAYER = Path(__file__).with_name("ugi_player.py")
needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="signals")


def player(way: str) -> str:
    """The command line of a small engine, sound or broken."""
    return f"{sys.executable} {PLAYER} {way}"


def small(**changes: Any) -> Settings:
    """Settings of a match of seconds."""
    values = {"a": "2", "b": "1", "rules": "advanced", "size": "4x6", "nodes": 30, "seed": 7}
    return Settings(**{**values, **changes})


def played(settings: Settings, games: int, **options: Any) -> Match:
    """The match at its end."""
    return list(run_match(settings, games, **options))[-1]


def what_was_played(match: Match) -> list[tuple[Any, ...]]:
    """All that does not depend on the clock."""
    return [(game.pair, game.black, game.winner, game.reason, game.moves) for game in match.games]


def check_with_naive_rules(record: Game, played: Played) -> None:
    """Replay a game by the rules as `naive` has them: all moves legal, the winner the same."""
    board = naive.initial(record.start.rules.name, *record.start.size)
    for move in map(str, record.moves):
        assert naive.winner(board) is None
        board = naive.play(board, naive.parse_move(move))
    won = naive.winner(board)
    if played.reason == "board":
        assert won == {BLACK: "x", WHITE: "o"}[played.color]
        # The mover never wins by moving: the one who moved last has lost.
        assert board.side == won
        assert record.winner is played.color
    else:
        assert won is None


# Games


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_games_are_legal_and_their_winners_are_who_ran_out_of_stones(rules: str) -> None:
    match = played(small(rules=rules), 6)
    names = {A: "first", B: "second"}
    for number, game in enumerate(match.games, 1):
        record = Game.parse(to_game(match.settings, names, game, number).to_text())
        assert tuple(map(str, record.moves)) == game.moves
        check_with_naive_rules(record, game)
        assert record.headers["Black"] == names[game.black]
        assert record.headers["White"] == names[B if game.black == A else A]
        assert record.headers["Round"] == str(number)
        assert record.headers["Termination"] == "normal"
    wins = sum((game.color is BLACK) == (game.black == A) for game in match.games)
    assert match.wins(A) == wins
    assert match.wins(B) == 6 - wins


@pytest.mark.parametrize("plies", [0, 1, 2, 5])
def test_every_opening_is_played_with_both_colors(plies: int) -> None:
    settings = small(opening_plies=plies)
    match = played(settings, 8)
    assert [game.pair for game in match.games] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert [game.black for game in match.games] == [A, B] * 4
    for game in match.games:
        begun = tuple(map(str, opening(settings, game.pair)))
        assert len(begun) == plies
        assert game.moves[:plies] == begun
        assert len(game.moves) > plies


def test_openings_differ_and_follow_from_the_seed() -> None:
    settings = small(size="8")
    openings = [opening(settings, pair) for pair in range(50)]
    assert len(set(openings)) > 45
    assert openings == [opening(settings, pair) for pair in range(50)]
    assert openings != [opening(small(size="8", seed=8), pair) for pair in range(50)]


def test_no_opening_ends_the_game() -> None:
    settings = small(size="2", opening_plies=2, rules="standard")
    match = played(settings, 20)
    assert all(len(game.moves) == 3 for game in match.games)
    with pytest.raises(LimitError):
        opening(small(size="2", opening_plies=4), 0)


def test_the_computer_beats_a_random_mover() -> None:
    match = played(small(a="5", b=player("random"), nodes=300, size="8"), 6)
    assert match.wins(A) == 6
    assert match.pairs == (0, 0, 3)
    assert match.wins(A, BLACK) == match.wins(A, WHITE) == 3


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    alone = played(small(), 12)
    together = played(small(), 12, workers=2)
    assert what_was_played(alone) == what_was_played(together)
    assert alone.pairs == together.pairs


@pytest.mark.parametrize(
    "changes",
    [
        {"seconds": -1.0},
        {"nodes": 0},
        {"time": -1.0},
        {"time": 1.0, "seconds": 1.0},
        {"time": 1.0, "increment": -1.0},
        {"opening_plies": -1},
        {"seed": -1},
        {"a": "0"},
        {"a": "level:99"},
        {"b": ""},
        {"b": "level:x"},
        {"nodes": None, "a": "some-engine"},
        {"patience": -1.0},
    ],
)
def test_settings_that_make_no_sense_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(LimitError):
        small(**changes)


def test_a_board_on_which_no_game_starts_is_refused() -> None:
    with pytest.raises(SizeError):
        small(size="3", rules="standard")
    with pytest.raises(LimitError):
        next(run_match(small(), 3))


# Engines of any make


@pytest.mark.parametrize(
    ("way", "reason", "result", "termination"),
    [
        ("die", "died", "R", "abandoned"),
        ("illegal", "illegal", "R", "rules infraction"),
        ("nonsense", "illegal", "R", "rules infraction"),
        ("hang", "silent", "T", "time forfeit"),
    ],
)
def test_a_broken_engine_loses_that_game_and_the_match_goes_on(
    way: str, reason: str, result: str, termination: str
) -> None:
    settings = small(
        a=player(way), b=player("random"), size="8", nodes=10, patience=1.0, opening_plies=3
    )
    match = played(settings, 2)
    assert [(game.winner, game.reason) for game in match.games] == [(B, reason)] * 2
    for number, game in enumerate(match.games, 1):
        assert game.detail
        # White goes on from the opening, and the broken engine, started anew each time, makes
        # two moves before it breaks.
        assert len(game.moves) == 3 + 4 + (game.black == A)
        record = Game.parse(to_game(settings, {A: "a", B: "b"}, game, number).to_text())
        check_with_naive_rules(record, game)
        assert record.result == ("W+" if game.black == A else "B+") + result
        assert record.headers["Termination"] == termination
        assert record.end.comment == game.detail
    assert match.losses(A) == {reason: 2}
    assert not match.losses(B)


def test_whoever_exceeds_the_clock_has_lost() -> None:
    settings = small(
        a=player("random"), b=player("late"), size="8", nodes=None, time=0.8, increment=0.01
    )
    match = played(settings, 2)
    assert [(game.winner, game.reason) for game in match.games] == [(A, "time")] * 2
    for game in match.games:
        record = to_game(settings, {A: "a", B: "b"}, game, 1)
        check_with_naive_rules(record, game)
        assert record.result == ("B+T" if game.black == A else "W+T")
        assert record.headers["Termination"] == "time forfeit"
        assert record.headers["TimeControl"] == "0.8+0.01"
    assert match.longest(B) >= 1.0
    assert match.longest(A) < match.longest(B)


def test_an_engine_that_does_not_start_loses_every_game() -> None:
    match = played(small(a="/no/such/engine", b="1"), 4)
    assert [(game.winner, game.reason) for game in match.games] == [(B, "died")] * 4


# Interruptions


def test_a_match_goes_on_where_it_was_cut_off_and_may_become_longer(tmp_path: Path) -> None:
    folder = str(tmp_path / "journal")
    partly = run_match(small(), 12, folder=folder)
    for _ in range(3):
        next(partly)
    partly.close()  # type: ignore[attr-defined]
    times = {path.name: path.stat().st_mtime_ns for path in Path(folder).glob("*.chunk")}
    assert len(times) >= 3
    whole = played(small(), 12, folder=folder)
    assert what_was_played(whole) == what_was_played(played(small(), 12))
    for name, then in times.items():
        assert Path(folder, name).stat().st_mtime_ns == then, "a game was played again"
    assert len(played(small(), 16, folder=folder).games) == 16
    with pytest.raises(JobError):
        played(small(seed=8), 12, folder=folder)


@needs_signals
@pytest.mark.usefixtures("warm")  # the process is to play, not to compile
def test_a_killed_match_goes_on(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    command = ["match", "2", "1", "--rules", "advanced", "--size", "4x6", "--nodes", "30"]
    command += ["--seed", "7", "--workers", "1", "--journal", str(journal)]
    with commanding.start(*command, "--games", "100000") as process:
        deadline = time.monotonic() + 120
        while len(list(journal.glob("*.chunk"))) < 5:
            assert time.monotonic() < deadline
            assert process.poll() is None, process.stderr and process.stderr.read()
            time.sleep(0.02)
        process.kill()
        process.communicate()
    kept = len(list(journal.glob("*.chunk")))
    games = 2 * (kept + 3)
    result = tmp_path / "result.json"
    ran = commanding.run(*command, "--games", str(games), "--json", str(result))
    assert ran.status == 0, ran
    match = played(small(), games)
    found = json.loads(result.read_text("utf-8"))
    assert found["games"] == games
    assert found["players"]["A"]["wins"] == match.wins(A)
    assert found["pairs"] == match.pairs._asdict()


@needs_signals
@pytest.mark.usefixtures("warm")  # the process is to play, not to compile
def test_control_c_tells_of_the_games_so_far(tmp_path: Path) -> None:
    records = tmp_path / "games.pgn"
    command = ["match", "2", "1", "--size", "4x6", "--nodes", "30", "--workers", "1"]
    with commanding.start(
        *command, "--games", "100000", "--records", str(records), start_new_session=True
    ) as process:
        deadline = time.monotonic() + 120
        while not records.exists() or records.stat().st_size < 4000:
            assert time.monotonic() < deadline
            assert process.poll() is None, process.stderr and process.stderr.read()
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert commanding.complaints(err) == ""
    told = int(out.decode().split(" games from")[0].split()[-1])
    with records.open("rb") as stream:
        games = list(read_games(stream))
    assert told == len(games) >= 4


# The command


def test_the_command_prints_a_table_and_writes_records_and_json(tmp_path: Path) -> None:
    records, result = tmp_path / "games.pgn", tmp_path / "result.json"
    ran = commanding.run(
        *["match", "level:2", player("random"), "--rules", "standard", "--size", "4x6"],
        *["--games", "4", "--nodes", "30", "--workers", "1"],
        *["--records", str(records), "--json", str(result)],
    )
    assert ran.status == 0, ran
    match = played(small(a="level:2", b=player("random"), rules="standard", seed=0), 4)
    assert ran.lines[0] == "standard 4x6, 4 games from 2 openings, 30 nodes a move"
    assert ran.lines[1].startswith(f"A level 2 {match.wins(A):>6} won")
    assert ran.lines[2].startswith(f"B random  {match.wins(B):>6} won")
    found = json.loads(result.read_text("utf-8"))
    assert found["players"]["A"]["wins"] == match.wins(A)
    assert found["broken_games"] == 0
    with records.open("rb") as stream:
        games = list(read_games(stream))
    assert [tuple(map(str, game.moves)) for game in games] == [game.moves for game in match.games]
    for record, game in zip(games, match.games, strict=True):
        check_with_naive_rules(record, game)


def test_the_sequential_test_ends_a_match() -> None:
    ran = commanding.run(
        *["match", "5", "1", "--size", "6", "--games", "1000", "--workers", "1"],
        *["--nodes", "400", "--sprt", "0", "300", "--alpha", "0.2", "--beta", "0.2"],
    )
    assert ran.status == 0, ran
    assert "SPRT of 0 and 300: 300 accepted" in ran.lines[-1]
    assert int(ran.out.split(" games from")[0].split()[-1]) < 100


def test_broken_games_are_told_of() -> None:
    ran = commanding.run(
        *["match", player("illegal"), player("random"), "--games", "2", "--nodes", "9"],
        *["--workers", "1"],
    )
    assert ran.status == 0, ran
    assert "A lost 2: by an illegal move or answer" in ran.lines


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("2", "1", "--games", "5"), "each opening takes two games"),
        (("2", "77"), "player must be a level within"),
        (("2", "1", "--time", "1", "--seconds", "1"), "a clock, or seconds for each move"),
        (("2", "1", "--rules", "standard", "--size", "3"), "number of rows must be even"),
        (("2", "1", "--sprt", "10", "0"), "the first Elo must be below the second"),
        (("2", "1", "--sprt", "0", "9", "--alpha", "0.5"), "shares between 0 and a half"),
    ],
)
def test_wrong_use_is_told_in_one_line(arguments: tuple[str, ...], complaint: str) -> None:
    assert complaint in commanding.refused(2, "match", *arguments)


def test_an_engine_that_does_not_start_is_told_of_at_once() -> None:
    told = commanding.refused(1, "match", "1", "/no/such/engine", "--nodes", "1")
    assert "/no/such/engine" in told
