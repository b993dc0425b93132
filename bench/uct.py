"""Plain UCT with random playouts: the honest baseline that the computer has to beat.

    python bench/uct.py                 # its speed beside that of bare playouts
    python bench/uct.py --tune 40       # plays its constants against each other
    formsgame match 5 "python bench/uct.py --ugi" --seconds 0.1

UCB1 with one constant, one playout per iteration to the end of the game, nodes in arrays, and
progressive widening: a node visited n times has up to ceil(WIDEN * n ** ALPHA) children, drawn at
random, because a position on 18 x 18 has up to 26,244 moves. The move made is the most visited. It
knows nothing of the game but its rules: no proofs, no evaluation, no table, nothing kept from move
to move.

Tuned at 0.05 s of processor time a move, from openings of two random plies, both colors. Games won
by three constants C against the other two (WIDEN 1), of 120 on 8 x 8 and of 80 on 12 x 12:

    C     standard 8   advanced 8   standard 12   advanced 12   together
    0.3           69           61            42            43   215 of 400
    0.6           70           65            39            46   220 of 400
    1.2           41           54            39            31   165 of 400

So 1.2 is too much, and between 0.3 and 0.6 there is little to choose (0.6 won 30, 32, 21 and 25 of
60, 60, 40 and 40 games against 0.3). With C 0.6, WIDEN 4 won 99 of 180 games against WIDEN 1 (35
and 31 of 60 on 8 x 8, 14 and 19 of 30 on 12 x 12), and 13 of 24 at 0.3 s on 8 x 8 standard: no
worse, perhaps a little better. It makes 0.68 (8 x 8 standard) to 1.0 (26 x 26) times as many
playouts a second as bare playouts.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable

import numba
import numpy as np

import formsgame as fg
from formsgame import compiled
from formsgame.kernels import board as board_kernels
from formsgame.kernels.board import CELLS, RING_SAFE, STRIDE, ring
from formsgame.kernels.playout import FAST, UNIFORM, list_empty, step_advanced, step_standard
from formsgame.kernels.stones import (
    empty_game,
    index_stones,
    keep_marked,
    remove,
    remove_cut,
    shift,
    touches,
)
from formsgame.position import Move, Position, decode_move

#: Exploration constant, and how fast nodes get children.
C = 0.6
WIDEN = 4.0
ALPHA = 0.5
#: Most nodes of a tree; a full one grows no more, and its leaves are played out again.
NODES = 4_000_000
#: Time that one slice of compiled work aims at, in seconds: limits hold within some of these.
SLICE_SECONDS = 0.002

#: Moves of a node that are still to be counted: never needed so far, or needed at its next visit.
UNKNOWN = -1
WANTED = -2

#: Columns of a tree's rows.
MOVE, VISITS, FIRST, CHILDREN, ROOM, MOVES, NEXT = range(7)

# Numba's own cache looks at this file alone; the folder's name stands for the kernels.
numba.config.CACHE_DIR = str(compiled.cache_folder() or "")
_options = {"nogil": True, "error_model": "numpy", "cache": compiled.cache_folder() is not None}


@numba.njit(**_options)
def make(board, stones, place, counts, mark, queues, source, target):
    """Make a legal move on the arrays of a game in play (see `kernels.stones`)."""
    lonely = False
    if board[target] > 0:
        remove(board, stones, place, counts, mark, target)
    else:
        lonely = not touches(board, target, source)
    shift(board, stones, place, mark, source, target)
    if lonely:
        mark[target] = -1
        keep_marked(board, stones, place, counts, mark, -1)
    elif not RING_SAFE[ring(board, source)]:
        remove_cut(board, stones, place, counts, mark, queues, source, target)


@numba.njit(**_options)
def grow(
    start_board,
    start_stones,
    start_place,
    start_counts,
    start_mark,
    rules,
    side,
    policy,
    c,
    widen,
    alpha,
    iterations,
    tree,
    wins,
    rareness,
    path,
    board,
    stones,
    place,
    counts,
    mark,
    queues,
    reached,
    random,
    empty,
    move,
    label,
    nearby,
    queue,
    targets,
    nothing,
):
    """Grow a tree by some iterations.

    A row of `tree`, int32[NODES + 1, 7], is a node: its move, visits, first child, number of
    children, rows set aside for them, number of legal moves, and the visits after which it gets
    another child. The children of a node stand side by side, and move when they need more rows.
    `wins` float32[NODES], of the side that made the move, and `rareness` float32[NODES], one by the
    square root of the visits, are apart, because UCB1 reads nothing else. Row 0 is the root; the
    last row's first entry counts the rows in use.
    """
    capacity = tree.shape[0] - 1
    last_cell = CELLS
    while last_cell > 0 and start_board[last_cell - 1] < 0:
        last_cell -= 1
    last_cell = min(CELLS, last_cell + STRIDE)
    for cell in range(CELLS):
        board[cell] = start_board[cell]
        mark[cell] = start_mark[cell]
    for _ in range(iterations):
        for cell in range(STRIDE, last_cell):
            board[cell] = start_board[cell]
            place[cell] = start_place[cell]
            mark[cell] = start_mark[cell]
            reached[cell] = 0
        for i in range(counts.size):
            counts[i] = start_counts[i]
        for color in range(1, 3):
            base = (color - 1) * CELLS
            for i in range(base, base + counts[color]):
                stones[i] = start_stones[i]
        node = np.int64(0)
        mover = side
        depth = 0
        fresh = False
        while not fresh and counts[1] > 0 and counts[2] > 0:
            visits = np.int64(tree[node, VISITS])
            first = np.int64(tree[node, FIRST])
            children = np.int64(tree[node, CHILDREN])
            wide = visits >= tree[node, NEXT]
            if wide and children > 0:
                if rules == 0:
                    tree[node, MOVES] = counts[1] * counts[2]
                elif tree[node, MOVES] == WANTED:
                    tree[node, MOVES] = board_kernels.list_moves(
                        board, rules, mover, label, nearby, queue, targets, nothing
                    )
                wide = tree[node, MOVES] < 0 or children < tree[node, MOVES]
            if wide and children == tree[node, ROOM]:
                room = max(2, 2 * children)
                block = np.int64(tree[capacity, 0])
                if block + room > capacity:
                    if children == 0:
                        break
                    wide = False
                else:
                    tree[capacity, 0] = block + room
                    for i in range(children):
                        tree[block + i] = tree[first + i]
                        wins[block + i] = wins[first + i]
                        rareness[block + i] = rareness[first + i]
                    first = block
                    tree[node, FIRST] = first
                    tree[node, ROOM] = room
            if wide:
                if rules == 0:
                    step_standard(board, stones, place, counts, mark, queues, random, mover, move)
                else:
                    list_empty(board, counts, empty)
                    step_advanced(
                        board,
                        stones,
                        place,
                        counts,
                        mark,
                        queues,
                        reached,
                        random,
                        empty,
                        UNIFORM,
                        mover,
                        move,
                    )
                code = move[0] * CELLS + move[1]
                child = first
                while child < first + children and tree[child, MOVE] != code:
                    child += 1
                if child == first + children:
                    fresh = True
                    tree[child, MOVE] = code
                    tree[child, VISITS] = 0
                    tree[child, CHILDREN] = 0
                    tree[child, ROOM] = 0
                    tree[child, MOVES] = UNKNOWN
                    tree[child, NEXT] = 0
                    wins[child] = 0.0
                    tree[node, CHILDREN] = children + 1
                    tree[node, NEXT] = np.int64(((children + 1) / widen) ** (1.0 / alpha)) + 1
                elif tree[node, MOVES] == UNKNOWN:
                    tree[node, MOVES] = WANTED  # the draw fell on a known child: follow it
                node = child
            else:
                spread = np.float32(c * np.sqrt(np.log(np.float64(visits))))
                best = np.float32(-1.0)
                for child in range(first, first + children):
                    rare = rareness[child]
                    value = rare * (rare * wins[child] + spread)
                    if value > best:
                        best = value
                        node = child
                code = np.int64(tree[node, MOVE])
                make(board, stones, place, counts, mark, queues, code // CELLS, code % CELLS)
            depth += 1
            path[depth] = node
            mover = 3 - mover
        if rules == 1 and policy == UNIFORM:
            list_empty(board, counts, empty)
        while counts[1] > 0 and counts[2] > 0:
            if rules == 0:
                step_standard(board, stones, place, counts, mark, queues, random, mover, move)
            else:
                step_advanced(
                    board,
                    stones,
                    place,
                    counts,
                    mark,
                    queues,
                    reached,
                    random,
                    empty,
                    policy,
                    mover,
                    move,
                )
            mover = 3 - mover
        winner = 1 if counts[1] == 0 else 2
        tree[0, VISITS] += 1
        mover = side
        for i in range(1, depth + 1):
            node = path[i]
            tree[node, VISITS] += 1
            rareness[node] = 1.0 / np.sqrt(np.float64(tree[node, VISITS]))
            wins[node] += np.float32(mover == winner)
            mover = 3 - mover


class Uct:
    """The baseline player; `clock` measures its seconds, by the wall or by the processor."""

    def __init__(
        self,
        rules: str,
        *,
        c: float = C,
        seed: int = 0,
        widen: float = WIDEN,
        alpha: float = ALPHA,
        policy: str = "fast",
        clock: Callable[[], float] = time.perf_counter,
        most_nodes: int = NODES,
    ) -> None:
        self.rules = fg.ADVANCED if str(rules) == "advanced" else fg.STANDARD
        self.constants = (float(c), float(widen), float(alpha))
        self.policy = FAST if policy == "fast" else UNIFORM
        self.clock = clock
        self.playouts = 0
        self.seconds = 0.0
        self._tree = np.empty((most_nodes + 1, 7), np.int32)
        self._wins = np.empty(most_nodes, np.float32)
        self._rareness = np.empty(most_nodes, np.float32)
        self._start = empty_game()
        self._random = np.array([seed], np.uint64)
        self._work = (
            np.zeros(CELLS + 1, np.int64),
            *empty_game(),
            np.zeros(4 * CELLS, np.uint16),
            np.zeros(CELLS, np.int32),
            self._random,
            np.zeros(CELLS, np.uint16),
            np.zeros(2, np.int64),
            np.zeros(CELLS, np.uint8),
            np.zeros(CELLS, np.uint8),
            np.zeros(CELLS, np.uint16),
            np.zeros(CELLS, np.uint16),
            np.zeros(0, np.int32),
        )

    def best_move(
        self, position: Position, seconds: float | None = None, nodes: int | None = None
    ) -> Move:
        """Return the most visited move after a time, a number of playouts, or what is first."""
        if position.rules is not self.rules or position.is_over:
            raise ValueError(f"no move for {self.rules}: {position}")
        if seconds is None and nodes is None:
            raise ValueError("seconds or nodes must be given")
        start = self.clock()
        self._set_root(position)
        done, size = 0, 1
        while nodes is None or done < nodes:
            if nodes is not None:
                size = min(size, nodes - done)
            before = self.clock()
            self._grow(position, size)
            done += size
            now = self.clock()
            aim = SLICE_SECONDS
            if seconds is not None:
                if now - start >= seconds:
                    break
                aim = min(aim, seconds - (now - start))
            size = max(1, min(size * 4, int(size * aim / max(now - before, 1e-7))))
        self.playouts = done
        self.seconds = self.clock() - start
        return self.ranking()[0][0]

    def ranking(self) -> list[tuple[Move, int, float]]:
        """Return the root's moves with their visits and shares of wins, most visited first."""
        children = []
        first, count = int(self._tree[0, FIRST]), int(self._tree[0, CHILDREN])
        for child in range(first, first + count):
            visits = int(self._tree[child, VISITS])
            move = decode_move(int(self._tree[child, MOVE]))
            children.append((move, visits, float(self._wins[child]) / visits))
        children.sort(key=lambda entry: (-entry[1], -entry[2], entry[0]))
        return children

    @property
    def nodes(self) -> int:
        """Rows in use in the last tree."""
        return int(self._tree[-1, 0])

    def _set_root(self, position: Position) -> None:
        self._tree[0] = (0, 0, 0, 0, 0, UNKNOWN, 0)
        self._tree[-1, 0] = 1
        cells = np.frombuffer(position.cells, np.uint8)
        board_kernels.load(cells, position.rows, position.columns, self._start[0])
        index_stones(*self._start)

    def _grow(self, position: Position, iterations: int) -> None:
        grow(
            *self._start,
            position.rules.number,
            int(position.side_to_move),
            self.policy,
            *self.constants,
            iterations,
            self._tree,
            self._wins,
            self._rareness,
            *self._work,
        )


def random_opening(rules: str, size: object, plies: int, seed: int) -> Position:
    """Return the position after some random plies in which the game still goes on."""
    chance = random.Random(seed)
    while True:
        position = Position.initial(rules, size)
        for _ in range(plies):
            if not position.is_over:
                moves = position.legal_moves
                position = position.play_unchecked(moves[chance.randrange(len(moves))])
        if not position.is_over:
            return position


def measure(seconds: float) -> None:
    """Print playouts per second of UCT beside those of bare playouts, by processor time."""
    print("rules     size   uct/s  bare/s  ratio    rows")
    for rules in ("standard", "advanced"):
        for size in (8, 12, 18, 26):
            position = random_opening(rules, size, 2, 1)
            player = Uct(rules, seed=1, clock=time.process_time)
            player.best_move(position, nodes=10)
            fg.playouts(position, 10, 1)
            player.best_move(position, seconds=seconds)
            speed = player.playouts / player.seconds
            start = time.process_time()
            done = 0
            while time.process_time() - start < seconds:
                done += len(fg.playouts(position, max(1, int(speed * 0.2)), done))
            bare = done / (time.process_time() - start)
            print(
                f"{rules:9} {size:4} {speed:7.0f} {bare:7.0f} {speed / bare:6.2f} {player.nodes:7}"
            )


def duel(rules: str, size: int, first: dict, second: dict, seconds: float, number: int) -> bool:
    """Play game `number` of two settings; returns whether the first won."""
    position = random_opening(rules, size, 2, number // 2)
    players = [
        Uct(rules, seed=2 * number + i, clock=time.thread_time, most_nodes=200_000, **settings)
        for i, settings in enumerate((first, second))
    ]
    black = number % 2
    while not position.is_over:
        player = players[black if position.side_to_move is fg.BLACK else 1 - black]
        position = position.play(player.best_move(position, seconds=seconds))
    return position.winner is (fg.BLACK if black == 0 else fg.WHITE)


def tune(games: int, seconds: float, sizes: list[int], settings: list[dict]) -> None:
    """Play every two of some settings against each other and print how many games each won."""
    for rules in ("standard", "advanced"):
        for size in sizes:
            for i, first in enumerate(settings):
                for second in settings[:i]:
                    wins = sum(
                        duel(rules, size, first, second, seconds, number) for number in range(games)
                    )
                    print(
                        f"{rules} {size}: {first} won {wins} of {games} against {second}",
                        flush=True,
                    )


def speak(c: float) -> None:
    """Answer in the Universal Game Interface; positions come as `position fen`."""
    players = {rules: Uct(rules, c=c, seed=1) for rules in ("standard", "advanced")}
    for rules, player in players.items():
        player.best_move(Position.initial(rules, 4), nodes=10)
    position = None
    for line in sys.stdin:
        words = line.split()
        values = dict(zip(words[1::2], words[2::2], strict=False))
        if words == ["ugi"]:
            print(f"id name UCT {c:g}\nugiok", flush=True)
        elif words == ["isready"]:
            print("readyok", flush=True)
        elif words[:2] == ["position", "fen"]:
            position = Position.parse(" ".join(words[2:]))
        elif words[:1] == ["go"] and position is not None:
            side = f"p{int(position.side_to_move)}"
            seconds = nodes = None
            if "movetime" in values:
                seconds = int(values["movetime"]) / 1000
            elif f"{side}time" in values:
                left, gain = (int(values.get(side + what, 0)) for what in ("time", "inc"))
                seconds = (left / 20 + gain / 2) / 1000
            if "nodes" in values:
                nodes = int(values["nodes"])
            player = players[position.rules.name]
            print("bestmove", player.best_move(position, seconds, nodes), flush=True)
        elif words == ["quit"]:
            return


def main() -> None:
    """Measure, tune, or answer another program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--tune", type=int, metavar="GAMES", default=0)
    parser.add_argument("--c", type=float, nargs="+", default=[0.3, 0.6, 1.2])
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 12], help="to tune for")
    parser.add_argument("--ugi", action="store_true", help="answer another program")
    options = parser.parse_args()
    if options.ugi:
        speak(options.c[0] if len(options.c) == 1 else C)
    elif options.tune:
        settings = [{"c": c} for c in options.c]
        tune(options.tune, options.seconds or 0.05, options.sizes, settings)
    else:
        measure(options.seconds or 1.0)


if __name__ == "__main__":
    main()
