"""A search tree in Python's hands: its arrays, its growth, what it has found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formsgame.engine import mcts
from formsgame.engine.sight import CONSTANT
from formsgame.engine.weights import weights_for
from formsgame.kernels.board import CELLS, Array
from formsgame.kernels.stones import empty_game, load_game
from formsgame.position import Move, Position, decode_move
from formsgame.rules import ADVANCED, STANDARD
from formsgame.solver.tables import Table

#: Bytes of a node.
NODE_BYTES = 29
#: The deepest line there can be: one ply for every stone of the largest board.
MOST_DEPTH = 26 * 26
#: For each rule set the knobs of `mcts`: exploration, sharpness, quiet moves, slides.
KNOBS = {STANDARD: (1.0, 6.0, 24.0, 0.0), ADVANCED: (1.0, 6.0, 0.0, 16.0)}


@dataclass(frozen=True, slots=True)
class Child:
    """A move from a node: the node it leads to, visits, the mover's chance, what is proved.

    `won` says that the move wins for sure, `lost` that it loses for sure.
    """

    node: int
    move: Move
    visits: int
    score: float
    won: bool
    lost: bool


class Tree:
    """A search tree from one position; not for two threads at a time.

    `memory_mb` bounds its nodes: a full tree still learns which of its leaves are best. `seed`
    decides which of many alike moves are looked at. `depth`, `width` and `known` are those of a
    level; see `levels`.
    """

    def __init__(
        self,
        position: Position,
        table: Table,
        memory_mb: float,
        seed: int,
        *,
        depth: int | None = None,
        width: int | None = None,
        known: int | None = None,
        knobs: tuple[float, ...] | None = None,
    ) -> None:
        self.position = position
        self._table = table
        self._most_depth = MOST_DEPTH if depth is None else min(depth, MOST_DEPTH)
        size = max(2 * mcts.MOST_CHILDREN, int(memory_mb * 2**20 / NODE_BYTES))
        self.links = np.zeros((size, 3), np.int32)
        self.visits = np.zeros(size, np.int32)
        self.sums = np.zeros(size, np.float64)
        self._priors = np.zeros(size, np.float32)
        self.flags = np.zeros(size, np.uint8)
        self._state = np.array([1, 0], np.int64)
        self._known = table.levels if known is None else min(known, table.levels)
        wide = mcts.MOST_CHILDREN if width is None else width
        self._knobs = np.array((*(knobs or KNOBS[position.rules]), wide), np.float64)
        self._weights = weights_for(position.rules)
        self._random = np.array([seed], np.uint64)
        self._start = load_game(position.cells, position.rows, position.columns)
        self._scratch = (
            *empty_game(),
            *empty_game(),
            np.zeros(4 * CELLS, np.uint16),
            np.zeros(CELLS, np.uint8),
            np.zeros(CELLS, np.uint8),
            np.zeros(CELLS, np.uint16),
            np.zeros(1, np.uint8),
            np.zeros(mcts.MOST_CHILDREN, np.int32),
            np.zeros(mcts.MOST_CHILDREN, np.float64),
            *sight_arrays(),
            np.zeros(MOST_DEPTH + 2, np.int64),
        )
        self._probe = np.zeros((6, 65), np.int64)

    @property
    def is_proved(self) -> bool:
        """Whether it is known for sure who wins."""
        return bool(self.flags[0] & mcts.PROVED)

    @property
    def is_lost(self) -> bool:
        """Whether the side to move loses for sure."""
        return bool(self.flags[0] & mcts.LOSES)

    @property
    def depth(self) -> int:
        """How many plies ahead it has looked."""
        return int(self._state[1])

    def grow(self, budget: int, most: int | None = None) -> int:
        """Judge about `budget` positions more, and at most `most`; returns how many it were."""
        position, table = self.position, self._table
        return int(
            mcts.grow(
                *self._start,
                position.rules.number,
                int(position.side_to_move),
                position.rows,
                position.columns,
                budget,
                2**62 if most is None else most,
                self._most_depth,
                self.links,
                self.visits,
                self.sums,
                self._priors,
                self.flags,
                self._state,
                self._knobs,
                self._weights,
                self._random,
                *self._scratch,
                self._known,
                table.keys,
                table.key_starts,
                table.bit_starts,
                table.caps,
                table.wins,
                self._probe,
            )
        )

    def children(self, node: int = 0) -> list[Child]:
        """Return the moves from a node, the best first: won, then most visited, lost ones last."""
        first, count = int(self.links[node, 0]), int(self.links[node, 1])
        found = [
            Child(
                child,
                decode_move(int(self.links[child, 2])),
                int(self.visits[child]),
                float(self.sums[child] / max(1, self.visits[child])),
                bool(self.flags[child] & mcts.LOSES),
                bool(self.flags[child] & mcts.WINS),
            )
            for child in range(first, first + count)
        ]
        found.sort(key=lambda c: (c.won, not c.lost, c.visits, c.score), reverse=True)
        return found

    def best_child(self, node: int) -> int | None:
        """Return the child of a node that its best move leads to, None where there is none."""
        first, count = int(self.links[node, 0]), int(self.links[node, 1])
        if count == 0:
            return None
        flags = self.flags[first : first + count]
        rank = self.visits[first : first + count].astype(np.float64)
        rank += self.sums[first : first + count] / np.maximum(rank, 1)
        rank[flags & mcts.WINS != 0] -= 1e12
        rank[flags & mcts.LOSES != 0] += 1e12
        return first + int(np.argmax(rank))

    def line(self, node: int) -> list[Move]:
        """Return how the game might go on from a node."""
        line: list[Move] = []
        below = self.best_child(node)
        while below is not None:
            line.append(decode_move(int(self.links[below, 2])))
            below = self.best_child(below)
        return line

    def prove(self, path: list[int], wins: bool) -> None:
        """Note that the side to move at the end of a path of nodes wins, or loses, for sure."""
        self.flags[path[-1]] |= mcts.WINS if wins else mcts.LOSES
        for above in reversed(path[:-1]):
            first, count = int(self.links[above, 0]), int(self.links[above, 1])
            flags = self.flags[first : first + count]
            if (flags & mcts.LOSES).any():
                self.flags[above] |= mcts.WINS
            elif self.flags[above] & mcts.COMPLETE and (flags & mcts.WINS).all():
                self.flags[above] |= mcts.LOSES
            else:
                return


def sight_arrays() -> tuple[Array, Array, Array, Array, Array]:
    """Return seen, order, parts, clock and features; see `sight`."""
    return (
        np.zeros((CELLS, 9), np.int64),
        np.zeros(CELLS, np.int64),
        np.zeros((4 * CELLS, 6), np.int64),
        np.zeros(1, np.int64),
        np.zeros(CONSTANT + 1, np.float64),
    )
