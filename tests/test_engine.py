"""The computer opponent: always a legal move, proofs that hold, and a stop that acts at once."""

from __future__ import annotations

import importlib.resources
import itertools
import math
import random
import threading
import time
import tracemalloc
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import formsgame as fg
import naive
from formsgame.engine import LEVELS, Info, weights
from formsgame.engine.timing import RESERVE_SECONDS, RESERVE_SHARE, allot, budget

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
            if len(position.legal_moves) > 200 and nodes > 10:
                assert thought.nodes == nodes, "it had no reason to end before"


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


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_lines_are_distinct_best_first_and_their_verdicts_are_proofs(rules: str) -> None:
    known: dict[str, bool] = {}
    checked = proved = 0
    with fg.Engine(seed=4) as engine:
        for size in ((3, 4), (4, 3), (2, 5), (4, 4)):
            if (rules, size[0] % 2) == ("standard", 1):
                continue
            for position in random_positions(11, size, rules, 12):
                if sum(position.counts.values()) > 9:
                    continue
                for limit in (fg.Limit(nodes=60), fg.Limit(nodes=3000)):
                    lines = engine.think(position, limit, lines=6).lines
                    assert [info.rank for info in lines] == list(range(1, len(lines) + 1))
                    assert len({info.move for info in lines}) == len(lines)
                    side = position.side_to_move
                    ranks = [rank_of(info.verdict, side) for info in lines]
                    assert ranks == sorted(ranks)
                    for info in lines:
                        play_out(position, info.line)
                        checked += 1
                        if info.verdict is not None:
                            proved += 1
                            after = naive.parse_board(str(position.play(info.move)))
                            wins = naive.mover_wins(after, known)
                            assert (info.verdict is after_mover(position)) is wins, info
                            assert info.score == (info.verdict is side)
    assert checked > 100
    assert proved > 50


def rank_of(verdict: fg.Color | None, side: fg.Color) -> int:
    """Return 0 for what wins, 1 for what is open, 2 for what loses."""
    return 1 if verdict is None else 0 if verdict is side else 2


def after_mover(position: fg.Position) -> fg.Color:
    """Return who is to move after a move."""
    return position.side_to_move.opponent


def play_out(position: fg.Position, line: tuple[fg.Move, ...]) -> fg.Position:
    """Return the position at the end of a line, every move of which must be legal."""
    for move in line:
        position = position.play(move)
    return position


def form_of(position: fg.Position) -> tuple[object, ...]:
    """Return what is the same for standard positions that are turned, mirrored or moved."""
    array = position.array
    rows, columns = (np.flatnonzero(array.any(axis=axis)) for axis in (1, 0))
    form = array[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    turns = [form, form[::-1], form[:, ::-1], form[::-1, ::-1]]
    turns += [turn.T for turn in turns]
    return position.side_to_move, min((turn.shape, turn.tobytes()) for turn in turns)


@pytest.mark.parametrize(
    ("rules", "size"),
    [
        *[("standard", size) for size in ((2, 2), (2, 4), (4, 2), (2, 6), (4, 3), (4, 4))],
        *[("advanced", size) for size in ((2, 2), (2, 3), (2, 5), (4, 3), (3, 4), (4, 4))],
    ],
    ids=str,
)
def test_a_won_game_is_won_against_every_defence(rules: str, size: tuple[int, int]) -> None:
    """From the start position; with standard rules once for all positions that are of one form."""
    start = fg.Position.initial(rules, size)
    verdict = fg.solve(start)
    assert verdict is not None
    winner = verdict.winner
    seen: set[object] = set()
    thoughts, ends = 0, 0
    open_positions = [start]
    with fg.Engine(hash_mb=2) as engine:
        while open_positions:
            position = open_positions.pop()
            key = form_of(position) if rules == "standard" else position
            if key in seen:
                continue
            seen.add(key)
            if position.is_over:
                assert position.winner is winner
                ends += 1
            elif position.side_to_move is winner:
                thoughts += 1
                thought = engine.think(position, fg.Limit(nodes=20_000))
                assert thought.verdict is winner, position
                open_positions.append(position.play(thought.move))
            else:
                open_positions += {position.play_unchecked(move) for move in position.legal_moves}
    assert thoughts >= 1
    assert ends >= 1


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_a_lost_game_is_not_given_away(rules: str) -> None:
    """Where all moves lose, none is made that ends the game at once unless there is no other."""
    known: dict[str, bool] = {}
    lost = 0
    with fg.Engine(seed=6) as engine:
        for position in random_positions(31, (4, 4), rules, 300):
            board = naive.parse_board(str(position))
            if len(board.stones) > 8 or naive.mover_wins(board, known):
                continue
            lost += 1
            for lines in (1, 3):
                thought = engine.think(position, fg.Limit(nodes=20_000), lines=lines)
                assert thought.verdict is position.side_to_move.opponent
                ends = {move: position.play(move).is_over for move in position.legal_moves}
                assert ends[thought.move] is all(ends.values()), position
                play_out(position, thought.line)
    assert lost >= 5


def test_a_thought_limited_by_time_alone_compares_all_moves() -> None:
    for rules in ("standard", "advanced"):
        position = fg.Position.initial(rules, 8)
        with fg.Engine(seed=1) as engine:
            lines = engine.think(position, fg.Limit(seconds=0.3), lines=20).lines
        assert len({info.move for info in lines}) == 20


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_the_position_stays_as_it_was(rules: str) -> None:
    for size in (4, 8):
        position = fg.Position.initial(rules, size)
        before = str(position), hash(position), position.cells, position.key
        with fg.Engine(threads=2) as engine:
            engine.think(position, fg.Limit(nodes=2000), lines=3)
        assert (str(position), hash(position), position.cells, position.key) == before


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


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_what_a_seeded_engine_thought_before_does_not_matter(rules: str) -> None:
    first, second = fg.Position.initial(rules, 8), fg.Position.initial(rules, 4)
    limit = fg.Limit(nodes=1500)

    def thoughts(*positions: fg.Position) -> list[object]:
        with fg.Engine(seed=5) as engine:
            found = [engine.think(position, limit, lines=3) for position in positions]
        return [
            [(info.line, info.score, info.verdict, info.depth, info.nodes) for info in each.lines]
            for each in found
        ]

    one, two = thoughts(first)[0], thoughts(second)[0]
    assert thoughts(first, second, first, second) == [one, two, one, two]


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_two_threads_find_the_same_verdicts_and_end_with_the_thought(rules: str) -> None:
    before = set(threading.enumerate())
    with fg.Engine(threads=1) as one, fg.Engine(threads=2) as two:
        for position in random_positions(41, (4, 4), rules, 12):
            found = [engine.think(position, fg.Limit(seconds=10)) for engine in (one, two)]
            assert found[0].verdict is found[1].verdict is not None
        # Too large to prove at once: the second thread works beside the tree.
        start = fg.Position.initial(rules, 8)
        position = next(
            each for each in random_positions(43, (8, 8), rules, 40) if len(each.legal_moves) > 50
        )
        for each in (start, position):
            assert each.is_legal(two.think(each, fg.Limit(nodes=5000)).move)
            assert set(threading.enumerate()) == before
    assert set(threading.enumerate()) == before


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_stop_ends_a_thought_without_limit_on_the_largest_board(rules: str, threads: int) -> None:
    """From another thread, with and without a report, and at whatever moment it comes."""
    for number, position in enumerate(
        [fg.Position.initial(rules, 26), *random_positions(51, (26, 26), rules, 2)]
    ):
        with fg.Engine(threads=threads) as engine:
            thoughts: list[fg.Thought] = []
            begun = threading.Event()

            def think(
                position: fg.Position = position,
                engine: fg.Engine = engine,
                thoughts: list[fg.Thought] = thoughts,
                begun: threading.Event = begun,
            ) -> None:
                thoughts.append(engine.think(position, fg.Limit(), report=lambda info: begun.set()))

            worker = threading.Thread(target=think, daemon=True)
            worker.start()
            assert begun.wait(30)
            time.sleep(0.01 * number)
            engine.stop()
            worker.join(30)
            assert not worker.is_alive()
            assert position.is_legal(thoughts[0].move)


def test_a_stop_before_a_thought_is_no_stop_of_it() -> None:
    position = fg.Position.initial("standard", 8)
    with fg.Engine(seed=2) as engine:
        engine.stop()
        assert engine.think(position, fg.Limit(nodes=600)).nodes == 600


def test_a_close_ends_the_thought_under_way() -> None:
    position = fg.Position.initial("advanced", 18)
    engine = fg.Engine()
    thoughts: list[fg.Thought] = []
    begun = threading.Event()
    worker = threading.Thread(
        target=lambda: thoughts.append(
            engine.think(position, fg.Limit(), report=lambda info: begun.set())
        ),
        daemon=True,
    )
    worker.start()
    assert begun.wait(30)
    engine.close()
    worker.join(30)
    assert position.is_legal(thoughts[0].move)
    with pytest.raises(fg.EngineBusyError):
        engine.think(position)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_what_is_reported_is_well_formed(rules: str, threads: int) -> None:
    for position in (fg.Position.initial(rules, 8), *random_positions(61, (6, 6), rules, 2)):
        told: list[Info] = []
        with fg.Engine(threads=threads) as engine:
            lines = engine.think(position, fg.Limit(seconds=0.4), lines=4, report=told.append).lines
        assert tuple(told[-len(lines) :]) == lines
        assert [info.nodes for info in told] == sorted(info.nodes for info in told)
        assert [info.seconds for info in told] == sorted(info.seconds for info in told)
        for info in told:
            assert 1 <= info.rank <= 4
            assert 0 <= info.score <= 1
            assert info.depth >= len(info.line) >= 1
            play_out(position, info.line)


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_depth_is_how_far_the_best_line_goes(rules: str) -> None:
    position = fg.Position.initial(rules, 8)
    with fg.Engine(seed=1) as engine:
        for depth in (1, 2, 3):
            thought = engine.think(position, fg.Limit(depth=depth, seconds=20))
            assert thought.verdict is not None or len(thought.line) == depth
            assert thought.depth <= depth


def test_levels_look_no_further_than_they_may() -> None:
    bounds = [astuple(LEVELS[number]) for number in sorted(LEVELS)]
    assert sorted(LEVELS) == list(range(1, len(LEVELS) + 1))
    ordered = [[math.inf if bound is None else bound for bound in level] for level in bounds]
    for weaker, stronger in itertools.pairwise(ordered):
        assert all(a <= b for a, b in zip(weaker, stronger, strict=True))
        assert weaker != stronger
    assert set(bounds[-1]) == {None}, "the last is full strength"
    for rules in ("standard", "advanced"):
        position = fg.Position.initial(rules, 12)
        for number, level in LEVELS.items():
            if level.nodes is None or level.nodes > 5000:
                continue
            with fg.Engine(level=number, seed=number) as engine:
                thought = engine.think(position, fg.Limit(seconds=20))
            assert thought.nodes <= level.nodes
            assert level.depth is None or thought.depth <= level.depth


def test_memory_is_what_was_asked_for_and_stays() -> None:
    """Arrays of both rule sets and of any board, thought after thought."""
    most, slack = 16 * 2**20, 4 * 2**20
    for rules in ("standard", "advanced"):
        positions = [
            fg.Position.initial(rules, 18),
            *random_positions(71, (8, 8), rules, 2),
            *random_positions(72, (26, 26), rules, 1),
        ]
        with fg.Engine(hash_mb=16) as engine:
            for position in positions:  # what is loaded once, as the endgame tables, is no matter
                engine.think(position, fg.Limit(nodes=500))
        tracemalloc.start()
        with fg.Engine(hash_mb=16) as engine:
            peaks = []
            for _ in range(4):
                tracemalloc.reset_peak()
                for position in positions:
                    engine.think(position, fg.Limit(nodes=3000), lines=2)
                peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert max(peaks) <= most + slack, rules
        assert peaks[-1] <= peaks[1] + 2**20, rules


def test_damaged_weights_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = weights.format_weights(weights.weights_for(fg.STANDARD))
    assert np.allclose(weights.parse_weights(good), weights.weights_for(fg.STANDARD), atol=1e-6)
    lines = good.splitlines(keepends=True)
    damaged = {
        "lines": "".join(lines[:-1]),
        "line 1": "".join([lines[1], lines[0], *lines[2:]]),
        "finite": "".join(["".join(lines[:-1]), f"{weights.NAMES[-1]}\tnan\n"]),
        "float": "".join([*lines[:-1], f"{weights.NAMES[-1]}\tmuch\n"]),
    }
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(importlib.resources, "files", lambda package: tmp_path)
    try:
        for reason, text in damaged.items():
            (tmp_path / "data" / "weights-standard.tsv").write_text(text, encoding="utf-8")
            weights.weights_for.cache_clear()
            with pytest.raises(fg.TableError, match=reason) as caught:
                weights.weights_for(fg.STANDARD)
            assert "weights-standard.tsv" in str(caught.value)
    finally:
        monkeypatch.undo()
        weights.weights_for.cache_clear()


times = st.floats(0, 1e5) | st.floats(0, 1)


@given(st.tuples(times, times), st.integers(2, 676))
def test_a_clock_is_never_spent_to_its_end(clock: tuple[float, float], stones: int) -> None:
    seconds = allot(clock, stones)
    left, _increment = clock
    assert 0 <= seconds <= max(0.0, left - RESERVE_SECONDS)
    assert seconds <= left * (1 - RESERVE_SHARE) + 1e-9
    # However many moves there will be: each takes a share of what the last ones have left.
    for _ in range(50):
        left -= allot((left, 0.0), stones)
        assert left >= 0


@given(
    st.builds(
        fg.Limit,
        seconds=st.none() | times,
        nodes=st.none() | st.integers(1, 10**6),
        depth=st.none() | st.integers(1, 100),
        clock=st.none() | st.tuples(times, times),
    ),
    st.sampled_from(sorted(LEVELS)),
    st.integers(2, 676),
)
def test_a_budget_is_the_least_of_all_limits(limit: fg.Limit, number: int, stones: int) -> None:
    level = LEVELS[number]
    found = budget(limit, level, stones)
    seconds = [limit.seconds] if limit.seconds is not None else []
    seconds += [allot(limit.clock, stones)] if limit.clock is not None else []
    assert found.seconds == (min(seconds) if seconds else None)
    nodes = [bound for bound in (limit.nodes, level.nodes) if bound is not None]
    assert found.nodes == (min(nodes) if nodes else None)
    assert found.depth == limit.depth
    assert found.clock is None


def test_a_budget_that_nobody_sets_ends() -> None:
    for level in LEVELS.values():
        found = budget(None, level, 324)
        assert found.seconds is not None or found.nodes is not None


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
