"""The statistics of matches, beside values computed in other ways and beside simulations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formsgame.match import Pairs, Sprt, elo_of, score_of

counts = st.builds(Pairs, *[st.integers(0, 200)] * 3)
scores = st.floats(0.001, 0.999)


def shares(score: float, split: float) -> tuple[float, float, float]:
    """The shares of pairs lost, split and won of a player with a score."""
    return 1 - score - split / 2, split, score - split / 2


def simulated(chance: np.random.Generator, score: float, split: float, pairs: int) -> list[int]:
    """Games won of each of some pairs."""
    return list(chance.choice(3, size=pairs, p=shares(score, split)))


def test_elo_and_score_are_those_of_the_logistic_curve() -> None:
    assert elo_of(0.5) == 0
    assert elo_of(10 / 11) == pytest.approx(400)  # ten to one, by the definition of Elo
    assert score_of(400) == pytest.approx(10 / 11)
    assert elo_of(0.0) == -math.inf
    assert elo_of(1.0) == math.inf


@given(st.floats(-2000, 2000))
def test_elo_comes_back(elo: float) -> None:
    assert elo_of(score_of(elo)) == pytest.approx(elo, abs=1e-6)
    assert score_of(elo) + score_of(-elo) == pytest.approx(1)


def test_pairs_count_games() -> None:
    pairs = Pairs()
    assert pairs.score == 0.5
    for wins in (0, 1, 1, 2, 2, 2):
        pairs = pairs.and_pair(wins)
    assert pairs == (1, 2, 3)
    assert pairs.score == pytest.approx(8 / 12)


@pytest.mark.parametrize("pairs", [*map(Pairs._make, itertools.product((0, 1, 30), repeat=3))])
@pytest.mark.parametrize("score", [0.01, 0.3, 0.5, 0.77, 0.999])
def test_the_likelihood_is_the_highest_of_all_with_that_score(pairs: Pairs, score: float) -> None:
    """Beside a search along the line of all shares with that mean."""
    split = np.linspace(0, 2 * min(score, 1 - score), 20_001)
    with np.errstate(divide="ignore"):
        logarithms = [np.log(1 - score - split / 2), np.log(split), np.log(score - split / 2)]
    terms = [n * logarithm for n, logarithm in zip(pairs, logarithms, strict=True) if n]
    best = float(np.sum(terms, axis=0).max()) if terms else 0.0
    found = pairs.log_likelihood(score)
    assert found >= best - 1e-9
    assert found == pytest.approx(best, abs=1e-4)


@given(counts)
def test_the_observed_score_is_the_likeliest(pairs: Pairs) -> None:
    total = max(1, pairs.total)
    terms = [n * math.log(n / total) for n in pairs if n]
    assert pairs.log_likelihood(pairs.score) == pytest.approx(sum(terms), abs=1e-6)


@given(counts, scores)
def test_both_players_see_the_same_match(pairs: Pairs, score: float) -> None:
    other = Pairs(pairs.won, pairs.split, pairs.lost)
    assert other.log_likelihood(1 - score) == pytest.approx(pairs.log_likelihood(score), abs=1e-6)
    assert other.superiority == pytest.approx(1 - pairs.superiority, abs=1e-6)
    low, high = pairs.interval()
    assert other.interval()[0] == pytest.approx(1 - high, abs=1e-6)
    assert other.interval()[1] == pytest.approx(1 - low, abs=1e-6)
    assert low <= pairs.score <= high


@pytest.mark.parametrize("number", [1, 5, 100])
def test_the_interval_of_a_match_that_was_won_throughout(number: int) -> None:
    """The likelihood of a score s is s ** n, so that the interval begins at exp(-1.92 / n)."""
    low, high = Pairs(0, 0, number).interval()
    assert low == pytest.approx(math.exp(-(1.959964**2) / 2 / number))
    assert high == 1
    # Without split pairs the signed root is that of a sample of n of which all were won.
    root = math.sqrt(2 * number * math.log(2))
    superiority = Pairs(0, 0, number).superiority
    assert superiority == pytest.approx(0.5 * (1 + math.erf(root / math.sqrt(2))))


def test_nothing_is_known_before_the_first_pair() -> None:
    assert Pairs().interval() == (0, 1)
    assert Pairs().superiority == 0.5


@pytest.mark.parametrize(
    "pairs", [Pairs(400, 900, 700), Pairs(1000, 10, 1100), Pairs(90, 800, 110)]
)
def test_of_many_pairs_the_interval_is_that_of_the_normal_curve(pairs: Pairs) -> None:
    """Beside the usual one: the mean and 1.96 standard errors of the pairs' scores."""
    values = np.repeat([0.0, 0.5, 1.0], pairs)
    error = values.std() / math.sqrt(pairs.total)
    low, high = pairs.interval()
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.03 * error)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.03 * error)
    z = (values.mean() - 0.5) / error
    superiority = 0.5 * (1 + math.erf(z / math.sqrt(2)))
    assert pairs.superiority == pytest.approx(superiority, abs=0.005)


@pytest.mark.parametrize(
    ("score", "split", "number"), [(0.7, 0.4, 15), (0.5, 0.6, 40), (0.9, 0.1, 60)]
)
def test_intervals_hold_the_truth_95_times_of_100(score: float, split: float, number: int) -> None:
    chance = np.random.default_rng(1)
    held = 0
    for _ in range(2000):
        counted = chance.multinomial(number, shares(score, split))
        low, high = Pairs(*map(int, counted)).interval()
        held += low <= score <= high
    assert 0.93 <= held / 2000 <= 0.97


def test_the_bounds_are_walds() -> None:
    low, high = Sprt(0, 10, alpha=0.05, beta=0.1).bounds
    assert low == pytest.approx(math.log(0.1 / 0.95))
    assert high == pytest.approx(math.log(0.9 / 0.05))


def test_without_split_pairs_the_ratio_is_that_of_coins() -> None:
    """Pairs of which none is split are a coin's throws, whose likelihood is known exactly."""
    test = Sprt(-20, 60)
    for lost, won in ((3, 9), (0, 5), (20, 20)):
        high, low = score_of(60), score_of(-20)
        ratio = won * math.log(high / low) + lost * math.log((1 - high) / (1 - low))
        assert test.ratio(Pairs(lost, 0, won)) == pytest.approx(ratio)


@pytest.mark.parametrize("split", [0.2, 0.7])
@pytest.mark.parametrize("truth", [0, 1])
def test_the_sequential_test_errs_as_rarely_as_it_says(split: float, truth: int) -> None:
    """The share of wrong verdicts is at most alpha or beta, give or take."""
    test = Sprt(0, 80, alpha=0.05, beta=0.1)
    chance = np.random.default_rng(2)
    wrong = 0
    trials = 600
    score = score_of((test.elo0, test.elo1)[truth])
    for _ in range(trials):
        pairs = Pairs()
        verdict = None
        while verdict is None:
            for wins in simulated(chance, score, split, 50):
                pairs = pairs.and_pair(int(wins))
                if (verdict := test.verdict(pairs)) is not None:
                    break
        wrong += verdict != truth
    allowed = (test.alpha, test.beta)[truth]
    error = math.sqrt(allowed * (1 - allowed) / trials)
    assert wrong / trials <= allowed + 2 * error
