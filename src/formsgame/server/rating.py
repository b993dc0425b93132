"""Glicko-2 ratings, as Mark Glickman published them, with pure functions.

After "Example of the Glicko-2 system" (Boston University, 2013, revised 2022), whose worked
example is a test. What the paper calls mu, phi and sigma are kept here on the scale that people
see: rating, deviation and volatility.

**Batches.** The paper rates all games of a period at once, against the opponents' ratings from
before it: `rate(rating, results)`. Who played none only becomes less certain: `idle`.

**Game by game.** People want to see what a game did to their rating. `rate_game` rates a game as
soon as it ends, as a batch of one in which not a whole period has passed, but as much of one as
went by since that player's last rated game: a deviation grows by the same in the same time,
however many games are rated in it. With ten to fifteen games a period that comes close to the
batch, but is not the same: each game is rated against what the games before made of the ratings.

**Pools.** Each rule set has ratings of its own, and games against the computer are rated apart
from games of people: `pool`. In such a pool the levels are players like all others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from formsgame.rules import parse_rules
from formsgame.server.clock import DAY

#: How much volatilities may change, 0.3 to 1.2: the paper's choice for its example.
TAU = 0.5

#: How long a period is, in milliseconds: at ten games a week it has the paper's ten to fifteen.
PERIOD = 7 * DAY

#: Nobody is less certain than a newcomer.
WIDEST = 350.0

#: The highest volatility. The paper has no bound, but a long row of upsets, real or arranged, would
#: let a rating jump about for years: a volatility falls slowly.
WILDEST = 0.15

#: Ratings beyond are nobody's, and would leave the range of the numbers.
_FARTHEST = 10_000.0

#: Points for one unit of the paper's inner scale.
_SCALE = 173.7178
_CENTRE = 1500.0

_CLOSE_ENOUGH = 0.000001
_MOST_ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong a player is thought to be: with 95 per cent, `rating` give or take two deviations.

    `volatility` tells how much the strength is expected to wander in a period.
    """

    rating: float = 1500.0
    deviation: float = WIDEST
    volatility: float = 0.06

    def __post_init__(self) -> None:
        if not (
            abs(self.rating) <= _FARTHEST
            and 0 < self.deviation <= WIDEST
            and 0 < self.volatility <= WILDEST
        ):
            raise ValueError(f"{self} is no rating")


NEWCOMER = Rating()


@dataclass(frozen=True, slots=True)
class Result:
    """A game: the opponent as they were before it, and 1 if it was won, 0 if it was lost."""

    opponent: Rating
    score: float

    def __post_init__(self) -> None:
        if not 0 <= self.score <= 1:
            raise ValueError(f"{self.score} is no score")


def pool(rules: str, *, against_computer: bool) -> str:
    """Return the name of the ratings that a game belongs to.

    Raises `NotationError` if there are no such rules.
    """
    return parse_rules(rules).name + ("-computer" if against_computer else "")


def expected(one: Rating, other: Rating) -> float:
    """Return the chance that the first wins, both ratings being as uncertain as they are."""
    spread = math.hypot(one.deviation, other.deviation) / _SCALE
    return _logistic(_weight(spread) * (one.rating - other.rating) / _SCALE)


def idle(rating: Rating, periods: float) -> Rating:
    """Return a rating after periods without a game: as high as before, but less certain."""
    if not periods >= 0:
        raise ValueError(f"{periods} periods")
    return replace(rating, deviation=_widened(rating, rating.volatility, periods))


def rate(rating: Rating, results: Sequence[Result], periods: float = 1.0) -> Rating:
    """Return a rating after games; `periods` have passed since it was last changed."""
    if not results:
        return idle(rating, periods)
    if not periods >= 0:
        raise ValueError(f"{periods} periods")
    precision = surprise = 0.0
    for result in results:
        weight = _weight(result.opponent.deviation / _SCALE)
        lead = weight * (rating.rating - result.opponent.rating) / _SCALE
        precision += weight * weight * _logistic(lead) * _logistic(-lead)
        # The same as score - chance, without the loss of digits when both are near 1.
        surprise += weight * (
            result.score * _logistic(-lead) - (1 - result.score) * _logistic(lead)
        )
    volatility = _new_volatility(rating, 1 / precision, surprise / precision)
    before = _widened(rating, volatility, periods) / _SCALE
    after = 1 / math.sqrt(1 / before**2 + precision)
    change = after**2 * surprise * _SCALE
    return Rating(
        max(-_FARTHEST, min(_FARTHEST, rating.rating + change)), after * _SCALE, volatility
    )


def rate_game(
    winner: Rating, loser: Rating, winner_idle: int, loser_idle: int
) -> tuple[Rating, Rating]:
    """Return the ratings of both after a game.

    The milliseconds are those since each one's last rated game; 0 for a newcomer. Both are rated
    against what the other was before the game.
    """
    return (
        rate(winner, [Result(loser, 1)], winner_idle / PERIOD),
        rate(loser, [Result(winner, 0)], loser_idle / PERIOD),
    )


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _weight(deviation: float) -> float:
    """Return what a game against so uncertain an opponent counts (the paper's g)."""
    return 1 / math.sqrt(1 + 3 * deviation**2 / math.pi**2)


def _widened(rating: Rating, volatility: float, periods: float) -> float:
    """Return the deviation after periods, in points (step 6)."""
    return min(WIDEST, math.hypot(rating.deviation, volatility * math.sqrt(periods) * _SCALE))


def _new_volatility(rating: Rating, variance: float, improvement: float) -> float:
    """Return the volatility that fits the results (step 5: the paper's v and Delta are given).

    The root of a falling function, by regula falsi in the Illinois way.
    """
    start = math.log(rating.volatility**2)
    square = (rating.deviation / _SCALE) ** 2
    excess = improvement**2 - square - variance

    def fit(x: float) -> float:
        grown = math.exp(x)
        return (
            grown * (excess - grown) / (2 * (square + variance + grown) ** 2) - (x - start) / TAU**2
        )

    low = start
    if excess > 0:
        high = math.log(excess)
    else:
        steps = 1
        while fit(start - steps * TAU) < 0:
            steps += 1
        high = start - steps * TAU
    at_low, at_high = fit(low), fit(high)
    rounds = 0
    while abs(high - low) > _CLOSE_ENOUGH and rounds < _MOST_ROUNDS:
        rounds += 1
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = fit(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return min(math.exp(low / 2), WILDEST)
