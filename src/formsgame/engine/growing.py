"""A tree of search in Python's hands: its arrays, its slices, what it has found."""

from __future__ import annotations

import numpy as np

from formsgame.engine import tree
from formsgame.kernels import board as board_kernels
from formsgame.kernels import playout as playout_kernels
from formsgame.kernels.board import CELLS
from formsgame.position import Move, Position, decode_move
from formsgame.rules import ADVANCED, STANDARD, Rules
from formsgame.solver.tables import Table

#: Bytes of a node of the tree.
NODE_BYTES = 29
#: The deepest line: the stones of the largest board.
MOST_DEPTH = 26 * 26 + 2

#: For each rule set: explore, first worth, wide, wider, expand, quiet, playout share.
KNOBS = {
    STANDARD: (0.6, 0.05, 10.0, 1.5, 2.0, 24.0, 0.0, 0.0),
    ADVANCED: (0.7, 0.0, 6.0, 1.0, 4.0, 0.0, 0.0, 0.0),
}
ROOT_QUIET = 200
WEIGHTS = {rules: np.load(f"/tmp/w_{rules.name}.npy") for rules in (STANDARD, ADVANCED)}


class Tree:
    """A search tree from one position, grown by slices; not for two threads at a time."""

    def __init__(self, position: Position, table: Table, memory_mb: int, seed: int, knobs=None) -> None:
        self.position = position
        self.table = table
        size = max(4096, memory_mb * 2**20 // NODE_BYTES)
        self.links = np.zeros((size, 3), np.int32)
        self.visits = np.zeros(size, np.int32)
        self.sums = np.zeros(size, np.float64)
        self.priors = np.zeros(size, np.float32)
        self.flags = np.zeros(size, np.uint8)
        self.state = np.array([1, 0], np.int64)
        self.knobs = np.array(knobs or KNOBS[position.rules], np.float64)
        self.weights = WEIGHTS[position.rules]
        self._random = np.array([seed], np.uint64)
        start = (
            np.zeros(CELLS, np.int8),
            np.zeros(2 * CELLS, np.uint16),
            np.zeros(CELLS, np.uint16),
            np.zeros(5, np.int64),
            np.zeros(CELLS, np.int32),
        )
        cells = np.frombuffer(position.cells, np.uint8)
        board_kernels.load(cells, position.rows, position.columns, start[0])
        playout_kernels.index_stones(*start)
        self._start = start
        self._scratch = (
            np.zeros(CELLS, np.int8),
            np.zeros(2 * CELLS, np.uint16),
            np.zeros(CELLS, np.uint16),
            np.zeros(5, np.int64),
            np.zeros(CELLS, np.int32),
            np.zeros(4 * CELLS, np.uint16),
            np.zeros(CELLS, np.uint8),
            np.zeros(CELLS, np.uint8),
            np.zeros(CELLS, np.uint16),
            np.zeros(4096, np.int32),
            np.zeros(4096, np.float64),
            np.zeros((CELLS, 9), np.int64),
            np.zeros(CELLS, np.int64),
            np.zeros((4 * CELLS, 6), np.int64),
            np.zeros(1, np.int64),
            np.zeros(MOST_DEPTH, np.int64),
        )
        self._probe = np.zeros((6, 65), np.int64)

    def grow(self, budget: int) -> int:
        position, table = self.position, self.table
        return int(
            tree.grow(
                *self._start,
                position.rules.number,
                int(position.side_to_move),
                position.rows,
                position.columns,
                budget,
                ROOT_QUIET,
                self.links,
                self.visits,
                self.sums,
                self.priors,
                self.flags,
                self.state,
                self.knobs,
                self.weights,
                self._random,
                *self._scratch,
                table.levels,
                table.keys,
                table.key_starts,
                table.bit_starts,
                table.caps,
                table.wins,
                self._probe,
            )
        )

    def children(self, node: int = 0):
        first, count, _ = self.links[node]
        out = []
        for child in range(first, first + count):
            v = int(self.visits[child])
            out.append((child, decode_move(int(self.links[child, 2])), v,
                        self.sums[child] / v if v else 0.0, int(self.flags[child])))
        return out

    def best(self):
        def key(c):
            if c[4] & tree.LOSES:
                return (2, c[2], c[3])
            if c[4] & tree.WINS:
                return (0, c[2], c[3])
            return (1, c[2], c[3])
        return max(self.children(), key=key)
