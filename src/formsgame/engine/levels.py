"""The levels: how far each looks, the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """What a level may spend on a move, and what it overlooks.

    It judges up to `nodes` positions, at most `depth` plies ahead, and sees no more than `width`
    moves of each position, drawn at random: weak levels err by short sight, as people do. Forms of
    up to `known` stones it knows by heart (the endgame tables), those of up to `proof` stones it
    tries to search to the end of the game. None stands for no bound.
    """

    nodes: int | None
    depth: int | None
    width: int | None
    known: int | None
    proof: int | None


LEVELS = {
    1: Level(6, 1, 6, 0, 0),
    2: Level(12, 1, 12, 3, 0),
    3: Level(24, 1, 24, 4, 0),
    4: Level(60, 2, 40, 4, 0),
    5: Level(140, 3, 60, 5, 6),
    6: Level(300, 3, None, 5, 8),
    7: Level(1_000, 4, None, 6, 8),
    8: Level(4_000, 6, None, 6, 14),
    9: Level(12_000, None, None, 7, 18),
    10: Level(None, None, None, None, None),
}
