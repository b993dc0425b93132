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
    1: Level(4, 1, 4, 0, 0),
    2: Level(8, 1, 8, 0, 0),
    3: Level(16, 1, 16, 0, 0),
    4: Level(40, 2, 24, 0, 0),
    5: Level(120, 3, 40, 3, 0),
    6: Level(400, 4, 60, 4, 8),
    7: Level(1_200, 6, None, 5, 12),
    8: Level(4_000, 10, None, 6, 16),
    9: Level(15_000, None, None, None, 20),
    10: Level(None, None, None, None, None),
}
