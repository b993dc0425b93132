"""How long a move may take."""

from __future__ import annotations

from typing import TypeVar

from formsgame.engine.levels import Level
from formsgame.limit import Limit

Number = TypeVar("Number", int, float)

#: Longest thought in seconds where the caller sets no limit.
DEFAULT_SECONDS = 1.5
#: Kept back of a clock, so that a move arrives in time: seconds, and the share of what is left.
RESERVE_SECONDS = 0.06
RESERVE_SHARE = 0.05
#: How many moves more a side makes, as a share of the stones on the board, and at the least.
MOVES_PER_STONE = 1 / 6
FEWEST_MOVES = 5


def allot(clock: tuple[float, float], stones: int) -> float:
    """Return the seconds to spend on a move, of those left for the game and of the increment.

    >>> allot((60.0, 0.0), 60)
    5.7
    """
    left, increment = clock
    spendable = max(0.0, left - max(RESERVE_SECONDS, left * RESERVE_SHARE))
    moves = max(FEWEST_MOVES, stones * MOVES_PER_STONE)
    return min(spendable, spendable / moves + increment * 0.9)


def budget(limit: Limit | None, level: Level, stones: int) -> Limit:
    """Return what a thought may spend: the limit's, and no more than the level's."""
    if limit is None:
        return Limit(seconds=DEFAULT_SECONDS, nodes=level.nodes, depth=level.depth)
    seconds = [limit.seconds]
    if limit.clock is not None:
        seconds.append(allot(limit.clock, stones))
    return Limit(
        seconds=_least(*seconds),
        nodes=_least(limit.nodes, level.nodes),
        depth=limit.depth,
    )


def _least(*values: Number | None) -> Number | None:
    known = [value for value in values if value is not None]
    return min(known) if known else None
