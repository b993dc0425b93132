"""Games on one device: laws over random commands, and every refusal."""

from __future__ import annotations

import dataclasses
import random
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formsgame import engine
from formsgame.errors import FormsError, IllegalMoveError, NotationError, SetupError, SizeError
from formsgame.position import Position
from formsgame.rules import BLACK, WHITE, Color
from formsgame.server.contest import (
    Command,
    Play,
    Reply,
    Resign,
    TakeBack,
    apply,
    on_this_device,
)
from formsgame.server.livegame import LEVELS, PERSON, LiveGame, Seat, again, new_game
from formsgame.server.refusals import REFUSALS, GameError

COMPUTER = Seat(3)
SEATS = [(PERSON, PERSON), (PERSON, COMPUTER), (COMPUTER, PERSON), (COMPUTER, COMPUTER)]
#: What happens in a random game, moves most often.
KINDS = ["move", "move", "move", "undo", "resign", "stale"]
SIZES = ["2x2", "2x3", "4x4", "4x6", "6x6"]


def play(move: str, ply: int) -> Command:
    return Command(Play(move), ply)


def reply(move: str, ply: int) -> Command:
    return Command(Reply(move), ply)


def undo(ply: int) -> Command:
    return Command(TakeBack(), ply)


def resign(ply: int) -> Command:
    return Command(Resign(), ply)


def after(game: LiveGame, command: Command) -> LiveGame:
    """What a game on this device becomes."""
    return apply(on_this_device(game, 1, 0), command, 0).contest.game


def random_move(game: LiveGame, rng: random.Random) -> str:
    return str(rng.choice(Position.parse(game.position).legal_moves))


def mover(game: LiveGame, move: str) -> Command:
    if game.level_to_move is not None:
        return reply(move, game.ply)
    return play(move, game.ply)


def play_out(game: LiveGame, seed: int = 0) -> list[LiveGame]:
    """Every state of a random game, the first and the last included."""
    rng = random.Random(seed)
    states = [game]
    while not states[-1].winner:
        states.append(after(states[-1], mover(states[-1], random_move(states[-1], rng))))
    return states


def code_of(game: LiveGame, command: Command) -> str:
    with pytest.raises(FormsError) as caught:
        after(game, command)
    return caught.value.code


def test_a_game_begins_as_the_rules_say() -> None:
    game = new_game("advanced", "8x8", PERSON, Seat(5))
    assert game.position == game.start == str(Position.initial("advanced", 8))
    assert (game.rules, game.size, game.ply, game.result) == ("advanced", "8x8", 0, "*")
    assert game.stones == {BLACK: 32, WHITE: 32}
    assert (game.side_to_move, game.winner, game.level_to_move) == (BLACK, None, None)


@pytest.mark.parametrize("rules", ["standard", "advanced"])
@pytest.mark.parametrize(("black", "white"), SEATS)
def test_whoever_runs_out_of_stones_wins_and_never_the_mover(
    rules: str, black: Seat, white: Seat
) -> None:
    for seed in range(10):
        states = play_out(new_game(rules, "4x4", black, white), seed)
        last = states[-1]
        assert last.winner
        assert last.stones[last.winner] == 0
        assert last.winner is not states[-2].side_to_move
        assert last.result == {BLACK: "B+", WHITE: "W+"}[last.winner]
        assert last.level_to_move is None
        for state in states[:-1]:
            assert min(state.stones.values()) > 0
            assert state.result == "*"


@given(
    rules=st.sampled_from(["standard", "advanced"]),
    size=st.sampled_from(SIZES),
    seats=st.sampled_from(SEATS),
    seed=st.integers(0, 2**32),
    kinds=st.lists(st.sampled_from(KINDS), max_size=40),
)
def test_states_follow_from_their_moves_and_refusals_change_nothing(
    rules: str, size: str, seats: tuple[Seat, Seat], seed: int, kinds: list[str]
) -> None:
    if rules == "standard" and size[0] in "13579":
        size = "4x4"
    rng = random.Random(seed)
    game = new_game(rules, size, *seats)
    for kind in kinds:
        command: Command
        if kind == "move":
            command = mover(game, "a1-a2" if game.winner else random_move(game, rng))
        elif kind == "undo":
            command = undo(game.ply)
        elif kind == "resign":
            command = resign(game.ply)
        else:
            stale: list[Command] = [play("a1-a2", game.ply + 1), undo(game.ply + 1), resign(10**9)]
            command = rng.choice(stale)
        before, code = dataclasses.replace(game), ""
        try:
            new = after(game, command)
        except GameError as refusal:
            new, code = game, refusal.code
        assert game == before
        assert (code == "game.stale") is (kind == "stale")
        assert (new.rules, new.size, new.start) == (game.rules, game.size, game.start)
        assert (new.black, new.white) == (game.black, game.white)
        position = Position.parse(new.start)
        for move in new.moves:
            position = position.play(move)
        assert str(position) == new.position
        assert new.stones == dict(position.counts)
        assert new.side_to_move == position.side_to_move
        if new.ending:
            assert new.ending.loser
            assert new.winner is new.ending.loser.opponent
            assert not new.seat(new.ending.loser).is_computer
            assert new.result.endswith("R")
        else:
            assert new.winner == position.winner
        assert hash(new) == hash(dataclasses.replace(new))
        game = new


def test_undo_on_one_device_takes_back_one_ply() -> None:
    states = play_out(new_game("advanced", "4x4", PERSON, PERSON))
    for old, new in pairwise(states):
        assert after(new, undo(new.ply)) == old
    assert code_of(states[0], undo(0)) == "game.nothing_to_undo"


@pytest.mark.parametrize("person", list(Color))
def test_undo_against_the_computer_goes_back_to_the_person(person: Color) -> None:
    seats = (PERSON, COMPUTER) if person is BLACK else (COMPUTER, PERSON)
    states = play_out(new_game("standard", "4x4", *seats))
    for number, state in enumerate(states):
        turns = [old for old in states[:number] if old.side_to_move is person]
        if turns:
            assert after(state, undo(state.ply)) == turns[-1]
        else:
            assert code_of(state, undo(state.ply)) == "game.nothing_to_undo"


def test_undo_takes_back_an_end_on_the_board_but_no_resignation() -> None:
    states = play_out(new_game("standard", "2x2", PERSON, PERSON))
    assert after(states[-1], undo(states[-1].ply)).winner is None
    resigned = after(states[1], resign(1))
    assert code_of(resigned, undo(1)) == "game.finished"


def test_who_resigns_is_the_person_or_else_the_side_to_move() -> None:
    both = new_game("advanced", 4, PERSON, PERSON)
    assert after(both, resign(0)).result == "W+R"
    second = after(both, play("a4-a3", 0))
    assert after(second, resign(1)).result == "B+R"
    # The computer is to move; the person gives up all the same.
    against = after(new_game("advanced", 4, PERSON, COMPUTER), play("a4-a3", 0))
    assert against.level_to_move == COMPUTER.level
    assert after(against, resign(1)).result == "W+R"
    assert after(new_game("advanced", 4, COMPUTER, PERSON), resign(0)).result == "B+R"
    assert code_of(new_game("advanced", 4, COMPUTER, COMPUTER), resign(0)) == "game.no_person"


def test_a_finished_game_takes_nothing_more() -> None:
    states = play_out(new_game("advanced", 4, PERSON, PERSON))
    for last in (states[-1], after(states[0], resign(0))):
        assert last.winner
        assert code_of(last, play("a1-a2", last.ply)) == "game.finished"
        assert code_of(last, reply("a1-a2", last.ply)) == "game.finished"
        assert code_of(last, resign(last.ply)) == "game.finished"


def test_moves_are_refused_with_what_is_wrong() -> None:
    game = new_game("advanced", 4, PERSON, COMPUTER)
    assert code_of(game, play("a4-a3", 1)) == "game.stale"
    assert code_of(game, play("a4-a2", 0)).startswith("move.")
    assert code_of(game, play("zebra", 0)) == "move.syntax"
    with pytest.raises(IllegalMoveError):
        after(game, play("a1-a2", 0))
    with pytest.raises(NotationError):
        after(game, play("", 0))
    second = after(game, play(" A4xa3 ", 0))
    assert second.moves == ("a4-a3",)
    assert code_of(second, play("a1-b1", 1)) == "game.not_your_turn"
    assert code_of(second, undo(0)) == "game.stale"


def test_a_given_position_sets_rules_and_size() -> None:
    text = "2xo/1xx1 o advanced"
    game = new_game(None, None, PERSON, PERSON, text)
    assert (game.rules, game.size, game.start) == ("advanced", "2x4", text)
    assert game.side_to_move is WHITE
    assert new_game("advanced", "2x4", PERSON, PERSON, text) == game
    disagreeing: list[tuple[str | None, int | None]] = [("standard", None), (None, 8)]
    for rules, size in disagreeing:
        with pytest.raises(GameError, match="does not agree"):
            new_game(rules, size, PERSON, PERSON, text)
    with pytest.raises(SetupError):
        new_game(None, None, PERSON, PERSON, "x2o x advanced")
    over = new_game(None, None, PERSON, PERSON, "xx o standard")
    assert over.result == "W+"


def test_settings_that_make_no_game_are_refused() -> None:
    incomplete: list[tuple[str | None, int | None]] = [(None, 8), ("standard", None)]
    for rules, size in incomplete:
        with pytest.raises(GameError, match="is needed"):
            new_game(rules, size, PERSON, PERSON)
    for bad in ("3x3", "27x27", "0x2", "1x2"):
        with pytest.raises(SizeError):
            new_game("standard", bad, PERSON, PERSON)
    for level in (LEVELS.start - 1, LEVELS.stop):
        with pytest.raises(GameError, match="does not exist"):
            new_game("advanced", 4, PERSON, Seat(level))


def test_again_keeps_the_settings_alone() -> None:
    first = new_game(None, None, COMPUTER, PERSON, "2xo/1xx1 o advanced")
    assert again(play_out(first)[-1]) == first
    assert again(after(first, resign(0))) == first


def test_levels_are_those_of_the_engine() -> None:
    assert list(LEVELS) == list(engine.LEVELS)


def test_every_refusal_has_a_sentence() -> None:
    names = set(re.findall(r"\{(\w+)", " ".join(REFUSALS.values())))
    for code in REFUSALS:
        assert GameError(code, **dict.fromkeys(names, 1)).message
