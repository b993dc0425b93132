"""Ratings: the paper's example, a slow twin of its formulas, and what must hold of any ratings."""

from __future__ import annotations

import math
import random
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formsgame.errors import NotationError
from formsgame.server.rating import (
    NEWCOMER,
    PERIOD,
    TAU,
    WIDEST,
    WILDEST,
    Rating,
    Result,
    expected,
    idle,
    pool,
    rate,
    rate_game,
)

ratings = st.builds(Rating, st.floats(-1000, 4000), st.floats(10, WIDEST), st.floats(0.01, WILDEST))
results = st.lists(st.builds(Result, ratings, st.sampled_from([0.0, 1.0])), min_size=1, max_size=9)


def by_the_paper(
    player: Rating, games: list[Result], volatility: float, periods: float = 1
) -> Rating:
    """The formulas as printed, in fifty digits; checks that the volatility solves step 5."""
    with localcontext() as context:
        context.prec = 50
        scale, pi2 = Decimal("173.7178"), Decimal(math.pi) ** 2
        tau = Decimal(TAU)
        mu = (Decimal(player.rating) - 1500) / scale
        phi = Decimal(player.deviation) / scale
        sigma = Decimal(player.volatility)

        def g(phi: Decimal) -> Decimal:
            return 1 / (1 + 3 * phi**2 / pi2).sqrt()

        v_inverse = total = Decimal(0)
        for game in games:
            mu_j = (Decimal(game.opponent.rating) - 1500) / scale
            phi_j = Decimal(game.opponent.deviation) / scale
            chance = 1 / (1 + (-g(phi_j) * (mu - mu_j)).exp())
            v_inverse += g(phi_j) ** 2 * chance * (1 - chance)
            total += g(phi_j) * (Decimal(game.score) - chance)
        v = 1 / v_inverse
        delta = v * total
        a = (sigma**2).ln()

        def f(x: Decimal) -> Decimal:
            return (
                x.exp() * (delta**2 - phi**2 - v - x.exp()) / (2 * (phi**2 + v + x.exp()) ** 2)
                - (x - a) / tau**2
            )

        # Far-fetched results give f several roots, of which the paper's method finds one.
        new_sigma = Decimal(volatility)
        x, near = (new_sigma**2).ln(), Decimal("0.00001")
        assert f(x - near) > 0 > f(x + near) or (volatility == WILDEST and f(x) * f(x + 90) <= 0)
        phi_star = min((phi**2 + new_sigma**2 * Decimal(periods)).sqrt(), Decimal(WIDEST) / scale)
        new_phi = 1 / (1 / phi_star**2 + 1 / v).sqrt()
        new_mu = mu + new_phi**2 * total
        return Rating(float(new_mu * scale + 1500), float(new_phi * scale), float(new_sigma))


def close(one: Rating, other: Rating) -> bool:
    return (
        math.isclose(one.rating, other.rating, abs_tol=0.01)
        and math.isclose(one.deviation, other.deviation, rel_tol=1e-5)
        and one.volatility == other.volatility
    )


def test_the_example_of_the_paper() -> None:
    player = Rating(1500, 200, 0.06)
    games = [
        Result(Rating(1400, 30), 1),
        Result(Rating(1550, 100), 0),
        Result(Rating(1700, 300), 0),
    ]
    after = rate(player, games)
    assert round(after.rating, 2) == 1464.05  # the paper rounds on the way, and prints 1464.06
    assert round(after.deviation, 2) == 151.52
    assert round(after.volatility, 4) == 0.06
    assert close(after, by_the_paper(player, games, after.volatility))


def test_one_upset_that_moves_the_volatility() -> None:
    """The paper's example hardly moves it, so that a wrong formula for it passes there."""
    player = Rating(2000, 100, 0.06)
    games = [Result(Rating(1600, 50), 0)] * 12
    after = rate(player, games)
    assert close(after, by_the_paper(player, games, after.volatility))
    assert round(after.volatility, 4) == 0.0609


@given(ratings, results, st.sampled_from([0.0, 0.1, 1.0, 7.5]))
def test_ratings_are_those_of_the_paper(
    player: Rating, games: list[Result], periods: float
) -> None:
    after = rate(player, games, periods)
    assert close(after, by_the_paper(player, games, after.volatility, periods))


@given(ratings, ratings, st.integers(0, 100 * PERIOD), st.integers(0, 100 * PERIOD))
def test_the_winner_rises_and_the_loser_falls(
    winner: Rating, loser: Rating, first: int, second: int
) -> None:
    better, worse = rate_game(winner, loser, first, second)
    assert better.rating > winner.rating or math.isclose(better.rating, winner.rating)
    assert worse.rating < loser.rating or math.isclose(worse.rating, loser.rating)
    # A game teaches something: it never leaves one less certain than the time alone would, but
    # for what it teaches about the volatility.
    if better.volatility <= winner.volatility:
        assert better.deviation <= idle(winner, first / PERIOD).deviation


@given(ratings, st.floats(0, 1000), st.floats(0, 1000))
def test_who_does_not_play_becomes_less_certain(rating: Rating, one: float, two: float) -> None:
    after = idle(rating, one)
    assert (after.rating, after.volatility) == (rating.rating, rating.volatility)
    assert rating.deviation <= after.deviation <= WIDEST
    assert rate(rating, [], one) == after
    # In steps or at once, time does the same.
    again = idle(after, two)
    assert math.isclose(again.deviation, idle(rating, one + two).deviation)
    assert idle(rating, 0) == rating
    assert idle(rating, 10**9).deviation == WIDEST


@given(ratings, ratings)
def test_chances_add_up(one: Rating, other: Rating) -> None:
    assert math.isclose(expected(one, other) + expected(other, one), 1)
    assert (expected(one, other) > 0.5) is (one.rating > other.rating) or math.isclose(
        expected(one, other), 0.5, abs_tol=1e-9
    )


def test_ratings_find_the_strength_that_games_show() -> None:
    """Four players of known strength meet at random, rated game by game: they come out right."""
    rng = random.Random(3)
    strengths = [1200.0, 1400.0, 1600.0, 1800.0]
    players = [NEWCOMER] * 4
    for _ in range(3000):
        one, two = rng.sample(range(4), 2)
        chance = expected(Rating(strengths[one], 1e-6), Rating(strengths[two], 1e-6))
        if rng.random() > chance:
            one, two = two, one
        players[one], players[two] = rate_game(
            players[one], players[two], PERIOD // 15, PERIOD // 15
        )
    # Ratings are relative: what counts is how far they are apart.
    off = sum(player.rating for player in players) / 4 - 1500
    for player, strength in zip(players, strengths, strict=True):
        assert abs(player.rating - off - strength) < 3 * player.deviation
        assert player.deviation < 80


def test_game_by_game_comes_close_to_a_batch() -> None:
    player = Rating(1500, 80, 0.06)
    games = [Result(Rating(1500 + 20 * n, 60), n % 2) for n in range(-6, 6)]
    batch = rate(player, games)
    single = player
    for game in games:
        single = rate(single, [game], 1 / len(games))
    assert abs(single.rating - batch.rating) < 5
    assert abs(single.deviation - batch.deviation) < 2
    assert abs(single.volatility - batch.volatility) < 0.001


@given(st.lists(st.booleans(), max_size=200), st.integers(0, PERIOD))
def test_no_run_of_results_leaves_the_range(wins: list[bool], between: int) -> None:
    strong, weak = Rating(9_900, 30, 0.1), Rating(-9_900, 30, 0.1)
    for is_upset in wins:
        if is_upset:
            weak, strong = rate_game(weak, strong, between, between)
        else:
            strong, weak = rate_game(strong, weak, between, between)


def test_each_rule_set_has_its_pool_and_the_computer_its_own() -> None:
    kinds = [(rules, level) for rules in ("standard", "advanced") for level in (False, True)]
    assert len({pool(rules, against_computer=level) for rules, level in kinds}) == 4
    assert pool("standard", against_computer=False) == "standard"
    with pytest.raises(NotationError):
        pool("misere", against_computer=False)


def test_what_is_no_rating_or_result_is_refused() -> None:
    for bad in (
        (math.nan, 50, 0.06),
        (1500, 0, 0.06),
        (1500, 351, 0.06),
        (1500, 50, 0),
        (1e9, 9, 1),
    ):
        with pytest.raises(ValueError, match="is no rating"):
            Rating(*bad)
    with pytest.raises(ValueError, match="is no score"):
        Result(NEWCOMER, 1.5)
    for periods in (-1, math.nan):
        with pytest.raises(ValueError, match="periods"):
            idle(NEWCOMER, periods)
        with pytest.raises(ValueError, match="periods"):
            rate(NEWCOMER, [Result(NEWCOMER, 1)], periods)
