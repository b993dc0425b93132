"""One thought: its budget, its phases, and what it says meanwhile."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable

import numpy as np

from formsgame.engine.tree import Tree
from formsgame.engine.values import Info, Thought
from formsgame.limit import Limit
from formsgame.position import Move, Position
from formsgame.rules import ADVANCED, STANDARD, Color
from formsgame.solver.clock import Clock
from formsgame.solver.verdict import Solver

CLOCK = time.perf_counter
#: Stones up to which the root is searched to the end of the game first, and the share of time.
PROOF_STONES = {STANDARD: 36, ADVANCED: 28}
PROOF_SHARE = 0.4
SLICE = 0.01


class Thinking:
    def __init__(
        self,
        position,
        solver,
        seconds,
        stopped,
        seed,
        knobs=None,
        nodes=None,
        proof=None,
        leafproof=True,
    ):
        self.position = position
        self.solver = solver
        self.seconds = seconds
        self.stopped = stopped
        self.start = CLOCK()
        self.tree = Tree(position, solver.table, 32, seed, knobs=knobs)
        self.proof = PROOF_STONES[position.rules] if proof is None else proof
        self.leafproof = leafproof
        self.proved = 0

    def left(self):
        return self.seconds - (CLOCK() - self.start)

    def solve(self, position, seconds):
        return self.solver.winner(position, _Clock(seconds, self.stopped))

    def think(self):
        position = self.position
        side = position.side_to_move
        stones = sum(position.counts.values())
        if stones <= self.proof:
            found = self.solver.best_move(
                position, _Clock(self.seconds * PROOF_SHARE, self.stopped)
            )
            if found and found[1] is not None:
                return found[1], 1.0, side
        t = self.tree
        leaves = 64
        t.grow(4)
        while self.left() > 0 and not t.is_proved:
            s = CLOCK()
            t.grow(leaves)
            if t.is_proved:
                break
            spent = CLOCK() - s
            leaves = max(16, min(leaves * 4, int(leaves * min(SLICE, max(self.left(), 0.001)) / max(spent, 1e-6))))
            if self.leafproof:
                self.prove_line(spent)
        c = t.children()[0]
        return c.move, c.score, None

    def prove_line(self, seconds):
        """Search along the line of most visits for nodes that can be proved."""
        t = self.tree
        end = CLOCK() + min(seconds, max(0, self.left()))
        node, position = 0, self.position
        path = [0]
        while True:
            child = t.best_child(node)
            if child is None or t.flags[child] & 3: return
            position = position.play_unchecked(_move(t.links[child, 2]))
            node = child
            path.append(node)
            if sum(position.counts.values()) > self.proof:
                continue
            if CLOCK() >= end: return
            w = self.solve(position, end - CLOCK())
            if w is not None:
                self.proved += 1
                t.prove(path, w is position.side_to_move)
                return


def _move(code):
    from formsgame.position import decode_move
    return decode_move(int(code))


class _Clock(Clock):
    def __init__(self, seconds, stopped):
        super().__init__(Limit(seconds=max(0.0, seconds)), None, stopped)
        self.begin = CLOCK()

    def is_over(self):
        return CLOCK() - self.begin >= self.limit.seconds
