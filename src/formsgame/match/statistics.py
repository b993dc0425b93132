"""What the games of a match prove: scores, Elo, intervals and a sequential test.

Games come in pairs, both from one opening with the colors changed. Because an opening may favor a
color, the two games of a pair are not independent, but pairs are; so everything is computed from
pairs. There are no draws: a pair is lost, split or won, and scores 0, 1/2 or 1. The likelihood of a
score is that of the likeliest three shares which have it as their mean, and intervals, likelihoods
and the sequential test all come from that one function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

#: Twice the logarithm of the likelihood ratio at the ends of an interval of 95 %.
LEVEL_95 = 1.959964**2


class Pairs(NamedTuple):
    """How many pairs of games a player has lost, split and won."""

    lost: int = 0
    split: int = 0
    won: int = 0

    @property
    def total(self) -> int:
        """Number of pairs."""
        return sum(self)

    @property
    def score(self) -> float:
        """Share of the games won; a half before the first pair."""
        return (self.won + self.split / 2) / self.total if self.total else 0.5

    def and_pair(self, wins: int) -> Pairs:
        """Return these and one pair more, of which the player won 0, 1 or 2 games."""
        lost, split, won = self
        return Pairs(lost + (wins == 0), split + (wins == 1), won + (wins == 2))

    def log_likelihood(self, score: float) -> float:
        """Return the logarithm of the highest likelihood of these pairs where the score is given.

        Of all shares (lost, split, won) with that mean: these are (1 - s - d/2, d, s - d/2), and
        the likeliest d solves a quadratic equation.
        """
        if not self.total:
            return 0.0
        most_lost, most_won = 2 * (1 - score), 2 * score
        half = (2 * self.split + self.lost * most_won + self.won * most_lost) / 2
        product = self.total * self.split * most_lost * most_won
        split = (half - math.sqrt(max(0.0, half * half - product))) / self.total
        split = min(split, most_lost, most_won)
        shares = ((most_lost - split) / 2, split, (most_won - split) / 2)
        logarithm = 0.0
        for number, share in zip(self, shares, strict=True):
            if number:
                logarithm += number * math.log(share) if share > 0 else -math.inf
        return logarithm

    def interval(self, level: float = LEVEL_95) -> tuple[float, float]:
        """Return the scores that are not much less likely than the one observed (95 %).

        They hold the truth in 95 of 100 matches; in 90, where about four pairs are not split.
        """
        least = self.log_likelihood(self.score) - level / 2
        return (
            _edge(lambda score: self.log_likelihood(score) >= least, 0.0, self.score),
            _edge(lambda score: self.log_likelihood(score) >= least, 1.0, self.score),
        )

    @property
    def superiority(self) -> float:
        """Likelihood that the player is the better one, 0 to 1: by the signed likelihood root."""
        gain = self.log_likelihood(self.score) - self.log_likelihood(0.5)
        root = math.copysign(math.sqrt(max(0.0, 2 * gain)), self.score - 0.5)
        return 0.5 * math.erfc(-root / math.sqrt(2))


def elo_of(score: float) -> float:
    """Return the difference in Elo that a score means: infinite where all games were won or lost.

    >>> round(elo_of(0.75), 1), elo_of(1.0)
    (190.8, inf)
    """
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Return the score that a difference in Elo means.

    >>> score_of(0)
    0.5
    """
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test whether a player is `elo0` or `elo1` better (Wald; generalized for pairs).

    After each pair the logarithm of the likelihood ratio is compared with two bounds. If the truth
    is `elo0`, `elo1` is accepted with a probability of about `alpha`; if it is `elo1`, `elo0` with
    about `beta`.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """The ratio at which `elo0`, and that at which `elo1` is accepted."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def ratio(self, pairs: Pairs) -> float:
        """Return the logarithm of the likelihood ratio of `elo1` to `elo0`."""
        likelihood = pairs.log_likelihood
        return likelihood(score_of(self.elo1)) - likelihood(score_of(self.elo0))

    def verdict(self, pairs: Pairs) -> int | None:
        """Return 0 or 1 where that hypothesis is accepted, None where more games are needed."""
        low, high = self.bounds
        ratio = self.ratio(pairs)
        return 0 if ratio <= low else 1 if ratio >= high else None


def _edge(holds: Callable[[float], bool], outside: float, inside: float) -> float:
    """Return where, from a place at which something holds towards another, it ceases to."""
    if holds(outside):
        return outside
    for _ in range(60):
        middle = (outside + inside) / 2
        outside, inside = (outside, middle) if holds(middle) else (middle, inside)
    return inside
