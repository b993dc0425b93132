"""Perft and seeded random playouts, single and in batches."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from formsgame.errors import LimitError
from formsgame.kernels import bits
from formsgame.kernels import board as board_kernels
from formsgame.kernels import perft as perft_kernels
from formsgame.kernels import playout as playout_kernels
from formsgame.kernels.board import CELLS, Array
from formsgame.kernels.stones import empty_game, load_game
from formsgame.position import Move, Position, decode_move
from formsgame.rules import BLACK, WHITE, Color, shown

Policy = Literal["fast", "uniform"]

#: Deepest perft: the longest game on the largest board has one ply less than stones.
MAX_DEPTH = 675
#: Most playouts of one call.
MAX_COUNT = 1_000_000_000

#: Wall time in seconds that one slice of compiled work aims at, so that Ctrl-C acts soon.
SLICE_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Perft:
    """What `perft_checked` counted: paths, and the checksum of the positions they lead to.

    The checksum is the wrapping sum over those positions of (Black * K1) ^ (White * K2), with the
    stones as 64-bit words: bit 8 * row + column, the row counted from the top.
    """

    count: int
    checksum: int


@dataclass(frozen=True, slots=True)
class Playout:
    """A random game: who won, and its moves."""

    winner: Color
    moves: tuple[Move, ...]

    @property
    def plies(self) -> int:
        """Number of moves."""
        return len(self.moves)


def perft(position: Position, depth: int, *, report: Callable[[int], None] | None = None) -> int:
    """Return the number of move paths of a length from a position (a legal game each).

    `report(count)` is called with the paths found so far, many times a second. Raises `LimitError`
    for a depth that is not within 0 to 675.

    >>> perft(Position.initial("advanced", 8), 3)
    1182344
    """
    _check_int("depth", depth, 0, MAX_DEPTH)
    if depth == 0:
        return 1
    if max(position.size) <= 8:
        return _perft_bits(position, depth, build=False, report=report).count
    return _perft_board(position, depth, report)


def perft_checked(
    position: Position, depth: int, *, report: Callable[[int], None] | None = None
) -> Perft:
    """Return perft with every last position made and folded into a checksum.

    For boards up to 8 x 8. Raises `LimitError` for larger ones, or a depth not within 1 to 675.
    """
    _check_int("depth", depth, 1, MAX_DEPTH)
    _check_int("board side", max(position.size), 1, 8)
    return _perft_bits(position, depth, build=True, report=report)


def playout(position: Position, seed: int, *, policy: Policy = "fast") -> Playout:
    """Play one random game to its end: number 0 of the seed's `playouts`.

    Raises `LimitError` for a seed that is not within 0 to 2**64 - 1 or an unknown policy.

    >>> game = playout(Position.initial("standard", 4), seed=1)
    >>> game.winner, game.plies
    (<Color.BLACK: 1>, 10)
    """
    batch = PlayoutBatch(position, seed, policy, 1, plies=1, moves=CELLS)
    batch.run(1)
    moves = tuple(decode_move(code) for code in batch.moves[: batch.plies[0]].tolist())
    return Playout(Color(int(batch.winners[0])), moves)


def playouts(
    position: Position,
    count: int,
    seed: int,
    *,
    policy: Policy = "fast",
    report: Callable[[int], None] | None = None,
) -> Array:
    """Play random games to their ends; returns their winners, uint8[count] of 1 and 2.

    Number i depends on (seed, i) alone. With standard rules every legal move is as likely as any
    other. With advanced rules so it is with `policy="uniform"`; the default, `"fast"`, draws a
    stone and one of five actions (four captures, a slide along a random walk of up to 16 steps)
    until that is legal, and never slides to where a stone touches nothing, which loses at once.
    `report(done)` is called many times a second. Raises `LimitError`.
    """
    _check_int("count", count, 0, MAX_COUNT)
    batch = PlayoutBatch(position, seed, policy, count)
    size = 1
    done = 0
    while done < count:
        size = min(size, count - done)
        start = time.perf_counter()
        batch.run(size)
        spent = time.perf_counter() - start
        done += size
        size = max(1, min(size * 4, int(size * SLICE_SECONDS / max(spent, 1e-6))))
        if report:
            report(done)
    return batch.winners


class PlayoutBatch:
    """A run of playouts from one position, so many at a time; raises `LimitError`."""

    def __init__(
        self,
        position: Position,
        seed: int,
        policy: str,
        count: int,
        *,
        plies: int = 0,
        moves: int = 0,
    ) -> None:
        _check_int("seed", seed, 0, 2**64 - 1)
        if policy not in ("fast", "uniform"):
            raise LimitError(
                "limit.value", name="policy", expected="'fast' or 'uniform'", value=shown(policy)
            )
        self.seed = np.uint64(seed)
        self.rules = position.rules.number
        self.side = int(position.side_to_move)
        self.policy = playout_kernels.FAST if policy == "fast" else playout_kernels.UNIFORM
        self.done = 0
        self.winners = np.zeros(count, np.uint8)
        self.plies = np.zeros(plies, np.uint16)
        self.moves = np.zeros(moves, np.int32)
        self.start = load_game(position.cells, position.rows, position.columns)
        self.scratch = (
            *empty_game(),
            np.zeros(4 * CELLS, np.uint16),
            np.zeros(CELLS, np.int32),
            np.zeros(1, np.uint64),
            np.zeros(CELLS, np.uint16),
            np.zeros(2, np.int64),
        )

    def run(self, count: int) -> int:
        """Play the next `count` games, as far as there are so many; returns the plies they took."""
        count = min(count, self.winners.size - self.done)
        plies = playout_kernels.run_playouts(
            *self.start,
            self.rules,
            self.side,
            self.policy,
            self.seed,
            self.done,
            count,
            self.winners,
            self.plies,
            self.moves,
            *self.scratch,
        )
        self.done += count
        return int(plies)


def _perft_bits(
    position: Position, depth: int, *, build: bool, report: Callable[[int], None] | None
) -> Perft:
    """Count on 64-bit words; the board is 8 x 8 at most."""
    array = position.array
    words = {0: 0, 1: 0, 2: 0}
    for row in range(position.rows):
        for column in range(position.columns):
            words[int(array[row, column])] |= 1 << (8 * row + column)
    side = int(position.side_to_move)
    levels = min(depth, sum(position.counts.values())) + 1
    owns = np.zeros((levels, bits.MOST_MOVES), np.uint64)
    enemies = np.zeros_like(owns)
    owns[0, 0] = words[side]
    enemies[0, 0] = words[3 - side]
    ends = np.zeros(levels, np.int64)
    ends[0] = 1
    nexts = np.zeros(levels, np.int64)
    level = np.array([0, position.side_to_move is BLACK], np.int64)
    totals = np.zeros(2, np.uint64)
    if depth >= sum(position.counts.values()):
        return Perft(0, 0)  # no game lasts so long
    layout = bits.make_layout(*position.size)
    count = checksum = 0

    def run(budget: int) -> bool:
        nonlocal count, checksum
        done = perft_kernels.perft_words(
            position.rules.number,
            layout,
            depth,
            build,
            budget,
            owns,
            enemies,
            ends,
            nexts,
            level,
            totals,
        )
        count += int(totals[0])
        checksum = (checksum + int(totals[1])) % 2**64
        totals[:] = 0
        if report:
            report(count)
        return bool(done)

    _in_slices(run)
    return Perft(count, checksum)


def _perft_board(position: Position, depth: int, report: Callable[[int], None] | None) -> int:
    """Count on a board of any size."""
    if depth >= sum(position.counts.values()):
        return 0  # no game lasts so long
    boards = np.zeros((depth, CELLS), np.int8)
    cells = np.frombuffer(position.cells, np.uint8)
    board_kernels.load(cells, position.rows, position.columns, boards[0])
    sources = np.full(depth, -1, np.int64)
    nexts = np.zeros(depth, np.int64)
    ends = np.zeros(depth, np.int64)
    targets = np.zeros((depth, CELLS), np.uint16)
    level = np.zeros(1, np.int64)
    label = np.zeros(CELLS, np.uint8)
    reached = np.zeros(CELLS, np.uint8)
    queue = np.zeros(CELLS, np.uint16)
    removed = np.zeros(CELLS, np.uint16)
    total = np.zeros(1, np.int64)
    count = 0

    def run(budget: int) -> bool:
        nonlocal count
        done = perft_kernels.perft_slice(
            position.rules.number,
            int(position.side_to_move),
            depth,
            budget,
            boards,
            sources,
            nexts,
            ends,
            targets,
            level,
            label,
            reached,
            queue,
            removed,
            total,
        )
        count += int(total[0])
        total[0] = 0
        if report:
            report(count)
        return bool(done)

    _in_slices(run)
    return count


def _in_slices(run: Callable[[int], bool]) -> None:
    """Call `run(budget)` until it says it is done, with budgets that take a slice's time each."""
    budget = 64
    while True:
        start = time.perf_counter()
        if run(budget):
            return
        spent = time.perf_counter() - start
        budget = max(1, min(budget * 4, int(budget * SLICE_SECONDS / max(spent, 1e-6))))


def _check_int(name: str, value: object, low: int, high: int) -> None:
    """Raise `LimitError` unless a value is an integer within bounds."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise LimitError("limit.value", name=name, expected="an integer", value=shown(value))
    if not low <= value.__index__() <= high:
        raise LimitError(
            "limit.value", name=name, expected=f"within {low} to {high}", value=shown(value)
        )


assert (int(BLACK), int(WHITE)) == (1, 2)
