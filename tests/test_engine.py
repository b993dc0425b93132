"""The computer opponent: always a legal move, proofs that hold, and a stop that acts at once."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

import pytest

import formsgame as fg
import naive
from formsgame.engine import LEVELS

SIZES = [(2, 2), (2, 3), (4, 4), (4, 6), (8, 8), (2, 26), (12, 12), (18, 18), (26, 26)]


def random_positions(seed: int, size: tuple[int, int], rules: str, count: int) -> list[fg.Position]:
    """Return positions of random games in which the game goes on."""
    found: list[fg.Position] = []
    number = 0
    while len(found) < count:
        game = fg.playout(fg.Position.initial(rules, size), seed + number)
        number += 1
        position = fg.Position.initial(rules, size)
        stop = random.Random(seed + number).randrange(len(game.moves))
        for move in game.moves[:stop]:
            position = position.play(move)
        found.append(position)
    return found


def naive_winner(position: fg.Position) -> str:
    """Return the winner with best play, by a full search of the second implementation."""
    board = naive.parse_board(str(position))
    return board.side if naive.mover_wins(board) else naive.opponent(board.side)


@pytest.mark.parametrize("rules", ["standard", "advanced"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_never_stuck(rules: str, size: tuple[int, int]) -> None:
    positions = [fg.Position.initial(rules, size), *random_positions(1, size, rules, 3)]
    for level in LEVELS:
        with fg.Engine(level=level, seed=level) as engine:
            for position in positions:
                thought = engine.think(position, fg.Limit(seconds=0.02))
                assert position.is_legal(thought.move)
                assert 0 <= thought.score <= 1


@pytest.mark.parametrize("seconds", [0, 1e-9])
def test_a_move_whatever_the_limit(seconds: float) -> None:
    position = fg.Position.initial("standard")
    with fg.Engine() as engine:
        assert position.is_legal(engine.think(position, fg.Limit(seconds=seconds)).move)
        assert position.is_legal(engine.think(position, fg.Limit(nodes=1)).move)


@pytest.mark.parametrize("rules", ["standard", "advanced"])
@pytest.mark.parametrize("nodes", [1, 2, 10, 700])
def test_no_more_nodes_than_the_limit(rules: str, nodes: int) -> None:
    with fg.Engine(seed=2) as engine:
        for position in (
            fg.Position.initial(rules, (26, 26)),
            fg.Position.initial(rules, (8, 8)),
            *random_positions(5, (2, 4), rules, 3),
        ):
            thought = engine.think(position, fg.Limit(nodes=nodes))
            assert position.is_legal(thought.move)
            assert thought.nodes <= nodes


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_verdicts_agree_with_a_full_search(rules: str) -> None:
    """A verdict is a proof; and with so few stones there is always one."""
    checked = 0
    with fg.Engine(seed=1) as engine:
        for position in random_positions(7, (3, 4) if rules == "advanced" else (4, 3), rules, 40):
            if sum(position.counts.values()) > 7:
                continue
            thought = engine.think(position, fg.Limit(seconds=20))
            assert thought.verdict is not None
            assert thought.verdict.symbol == naive_winner(position), position
            if thought.verdict is position.side_to_move:
                after = position.play(thought.move)
                assert naive_winner(after) == position.side_to_move.symbol
            checked += 1
    assert checked >= 10


def test_takes_the_win_of_the_one_stone_law() -> None:
    position = fg.Position.parse("xxoo x standard")
    with fg.Engine(seed=3) as engine:
        thought = engine.think(position)
    assert thought.verdict is fg.BLACK
    assert naive_winner(position.play(thought.move)) == "x"


def test_reproducible_with_a_seed_and_a_limit_of_nodes() -> None:
    for rules in ("standard", "advanced"):
        position = fg.Position.initial(rules, 8)
        found = set()
        for _ in range(3):
            with fg.Engine(level=10, seed=11) as engine:
                thought = engine.think(position, fg.Limit(nodes=2000))
                found.add((thought.move, thought.score, thought.nodes))
        assert len(found) == 1


def test_one_thought_at_a_time_and_stop_ends_it() -> None:
    position = fg.Position.initial("advanced", 18)
    with fg.Engine() as engine:
        engine.think(position, fg.Limit(nodes=1))
        thoughts: list[fg.Thought] = []
        worker = threading.Thread(
            target=lambda: thoughts.append(engine.think(position, fg.Limit(seconds=60)))
        )
        worker.start()
        time.sleep(0.2)
        if worker.is_alive():
            with pytest.raises(fg.EngineBusyError) as refusal:
                engine.think(position)
            assert refusal.value.code == "engine.busy"
        engine.stop()
        worker.join(timeout=30)
        assert not worker.is_alive()
    assert position.is_legal(thoughts[0].move)


def test_refusals() -> None:
    engine = fg.Engine(level=1)
    with pytest.raises(fg.EngineBusyError, match="over"):
        engine.think(fg.Position.parse("x o standard"))
    engine.close()
    with pytest.raises(fg.EngineBusyError, match="closed"):
        engine.think(fg.Position.initial("standard", 4))
    levels: tuple[Any, ...] = (0, 11, -1, True, "3", 2.5, 2.0, None, [])
    for level in levels:
        with pytest.raises(fg.LimitError, match="level"):
            fg.Engine(level=level)
    for bad in (-1, float("nan"), float("inf"), "1", True):
        with pytest.raises(fg.LimitError, match="seconds"):
            fg.Limit(seconds=bad)  # type: ignore[arg-type]
    for bad_nodes in (0, -1, 1.5, True):
        with pytest.raises(fg.LimitError, match="nodes"):
            fg.Limit(nodes=bad_nodes)  # type: ignore[arg-type]


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_beats_a_random_mover(rules: str) -> None:
    """A small match as a guard; bench/opponent.py plays the large ones."""
    won = 0
    for number in range(6):
        chance = random.Random(number)
        color = fg.Color(1 + number % 2)
        position = fg.Position.initial(rules, 8)
        with fg.Engine(level=7, seed=number) as engine:
            while not position.is_over:
                if position.side_to_move is color:
                    move = engine.think(position, fg.Limit(nodes=1500)).move
                else:
                    moves = position.legal_moves
                    move = moves[chance.randrange(len(moves))]
                position = position.play(move)
        won += position.winner is color
    assert won >= 5
