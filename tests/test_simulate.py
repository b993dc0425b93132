"""Counting and chance: perft agrees with `naive`, playouts are legal, repeatable and fair."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import formsgame as fg
import naive
import shapes
import strategies
from formsgame import simulate

RULES = (naive.STANDARD, naive.ADVANCED)
POLICIES: tuple[simulate.Policy, ...] = ("fast", "uniform")
MASK = 2**64 - 1


def package(board: naive.Board) -> fg.Position:
    return fg.Position.parse(naive.format_board(board))


# Perft


@given(
    board=st.one_of(strategies.set_up_boards(max_side=4), strategies.played_boards(max_side=4)),
    depth=st.integers(0, 3),
)
@strategies.examples(40)
def test_perft_counts_paths(board: naive.Board, depth: int) -> None:
    position = package(board)
    assume(len(position.legal_moves) ** max(depth - 1, 1) < 4_000)
    counted = fg.perft(position, depth)
    assert counted == naive.perft(board, depth)
    if depth:
        moves = position.legal_moves
        assert counted == sum(fg.perft(position.play(move), depth - 1) for move in moves)


@pytest.mark.parametrize("size", [(9, 9), (2, 14), (26, 3), (1, 26), (8, 9), (3, 8)])
@pytest.mark.parametrize("rules", RULES)
def test_perft_of_any_size(rules: str, size: tuple[int, int]) -> None:
    """Boards of more than 8 rows or columns are counted by other code than the small ones."""
    generator = random.Random(f"{rules} {size}")
    for _ in range(3):
        board = shapes.random_board(rules, *size, generator)
        for depth in (1, 2, 3):
            if naive.perft(board, depth - 1) < 150:
                assert fg.perft(package(board), depth) == naive.perft(board, depth)


def test_perft_ends_where_games_do() -> None:
    """No game of n stones has n plies, however deep the question."""
    position = fg.Position.parse("xox/o1x x standard")
    board = naive.parse_board(str(position))
    counts = [fg.perft(position, depth) for depth in range(8)]
    assert counts == [naive.perft(board, depth) for depth in range(8)]
    assert counts[3] > 0 == max(counts[5:])
    assert fg.perft(position, 675) == 0
    wide = fg.Position.parse("xox6/o1x6 x standard")
    assert [fg.perft(wide, depth) for depth in range(8)] == counts


def leaves(board: naive.Board, depth: int) -> list[naive.Board]:
    found = [board]
    for _ in range(depth):
        found = [naive.apply(one, move).board for one in found for move in naive.legal_moves(one)]
    return found


@given(board=strategies.boards(), depth=st.integers(1, 2))
@strategies.examples(30)
def test_checked_perft_makes_every_last_position(board: naive.Board, depth: int) -> None:
    assume(board.rows <= 8 and board.columns <= 8)
    assume(len(naive.legal_moves(board)) ** depth < 3_000)
    checksum = 0
    for leaf in leaves(board, depth):
        words = {naive.BLACK: 0, naive.WHITE: 0}
        for (column, row), stone in leaf.stones.items():
            words[stone] |= 1 << (8 * (board.rows - 1 - row) + column)
        black = words[naive.BLACK] * 0x9E3779B97F4A7C15 & MASK
        white = words[naive.WHITE] * 0xC2B2AE3D27D4EB4F & MASK
        checksum = checksum + (black ^ white) & MASK
    counted = simulate.perft_checked(package(board), depth)
    assert (counted.count, counted.checksum) == (len(leaves(board, depth)), checksum)


# Playouts


@pytest.mark.parametrize("policy", POLICIES)
@given(board=strategies.boards(), seed=st.integers(0, MASK))
def test_playouts_are_games(policy: simulate.Policy, board: naive.Board, seed: int) -> None:
    """Every move is legal, the last one ends the game, and the winner is whoever ran out."""
    start = position = package(board)
    game = fg.playout(position, seed, policy=policy)
    for move in game.moves:
        assert not position.is_over
        position = position.play(move)
    assert position.winner is game.winner
    assert game.plies == len(game.moves) < sum(start.counts.values())
    assert fg.playout(start, seed, policy=policy) == game


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("rules", "size"),
    [("standard", 18), ("standard", 26), ("advanced", 18), ("advanced", 26), ("advanced", (2, 3))],
)
def test_playouts_on_boards_of_every_size(policy: simulate.Policy, rules: str, size: Any) -> None:
    start = fg.Position.initial(rules, size)
    for seed in range(3):
        position = start
        for move in fg.playout(start, seed, policy=policy).moves:
            position = position.play(move)
        assert position.is_over


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rules", RULES)
def test_a_playout_depends_on_its_seed_and_number_alone(
    rules: str, policy: simulate.Policy
) -> None:
    start = fg.Position.initial(rules, 6)
    many = fg.playouts(start, 300, seed=5, policy=policy).tolist()
    assert len(many) == 300
    assert set(many) == {1, 2}
    for count in (0, 1, 7, 120):
        assert fg.playouts(start, count, seed=5, policy=policy).tolist() == many[:count]
    assert many[0] == fg.playout(start, 5, policy=policy).winner
    assert fg.playouts(start, 300, seed=6, policy=policy).tolist() != many
    assert len({fg.playout(start, seed, policy=policy).moves for seed in range(50)}) == 50


def test_playouts_report_and_stop() -> None:
    start = fg.Position.initial("standard", 4)
    seen: list[int] = []
    fg.playouts(start, 1000, seed=1, report=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1000

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fg.playouts(start, 1000, seed=1, report=stop)
    with pytest.raises(KeyboardInterrupt):
        fg.perft(fg.Position.initial("advanced", 8), 4, report=stop)


# Fairness. Chances are exact, seeds fixed, and a fair draw strays so far once in a million tries.

FAR = 5.0


@cache
def chance_of_black(text: str) -> float:
    """The chance that Black wins when every legal move is as likely as any other."""
    board = naive.parse_board(text)
    won = naive.winner(board)
    if won is not None:
        return float(won == naive.BLACK)
    moves = naive.legal_moves(board)
    after = [naive.format_board(naive.apply(board, move).board) for move in moves]
    return sum(map(chance_of_black, after)) / len(after)


@pytest.mark.parametrize(
    "text",
    [
        "xo/ox x standard",
        "xxo/ox1 x standard",
        "xoxx/1xo1 o standard",
        "xo/ox x advanced",
        "oxo/xox x advanced",
        "xox1/1o2/1x2 o advanced",
        "4/1xxo/3o/4 x advanced",
    ],
)
def test_uniform_playouts_win_as_often_as_they_should(text: str) -> None:
    count = 20_000
    chance = chance_of_black(text)
    winners = fg.playouts(fg.Position.parse(text), count, seed=11, policy="uniform")
    won = int((winners == fg.BLACK).sum())
    assert abs(won - count * chance) <= FAR * (count * chance * (1 - chance)) ** 0.5


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("xxo/ox1/xxx x standard", "fast"),
        ("xxo/ox1/xxx x standard", "uniform"),
        ("xxo2/ox3/xxx2/5 x advanced", "uniform"),
    ],
)
def test_uniform_choice_among_legal_moves(text: str, policy: simulate.Policy) -> None:
    position = fg.Position.parse(text)
    count = 6_000
    first = Counter(fg.playout(position, seed, policy=policy).moves[0] for seed in range(count))
    moves = position.legal_moves
    assert set(first) == set(moves)
    expected = count / len(moves)
    for move in moves:
        assert abs(first[move] - expected) <= FAR * expected**0.5


def test_fast_playouts_never_slide_to_where_a_stone_touches_nothing() -> None:
    """With advanced rules; all captures are made, and of the other slides at least some."""
    position = fg.Position.parse("xxo2/ox3/xxx2/5 x advanced")
    first = {fg.playout(position, seed).moves[0] for seed in range(3_000)}
    results = list(map(position.result, position.legal_moves))
    captures = {result.move for result in results if not result.is_slide}
    lonely = {
        result.move
        for result in results
        if result.is_slide and sum(result.position.counts.values()) == 1
    }
    assert lonely
    assert captures < first <= set(position.legal_moves) - lonely


def test_a_batch_plays_no_more_games_than_it_has_room_for() -> None:
    batch = simulate.PlayoutBatch(fg.Position.initial("standard", 4), 1, "fast", 3)
    assert batch.run(2) > 0
    assert batch.run(2) > 0
    assert batch.run(2) == 0
    assert batch.done == 3
