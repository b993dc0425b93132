"""Compiled random playouts on games in play; see `stones`."""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.board import CELLS, RING_SAFE, STRIDE, Array, Int, ring, step
from formsgame.kernels.stones import keep_marked, remove, remove_cut, shift, touches

#: Policies of `run_playouts`.
FAST = 0
UNIFORM = 1


@compiled("u8(u8)", inline=True)
def scramble(word: Int) -> Int:
    """Return a 64-bit word of which every bit depends on every bit of `word` (splitmix64)."""
    z = np.uint64(word)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled("u8(u8[::1])", inline=True)
def draw(random: Array) -> Int:
    """Return the next 64 random bits of the generator (splitmix64) whose state is given."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    return scramble(random[0])


@compiled("i8(u8, i8)", inline=True)
def below_high(bits: Int, bound: Int) -> Int:
    """Return a number below `bound` from the upper 32 of 64 random bits (bias under 2**-22)."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@compiled("i8(u8, i8)", inline=True)
def below_low(bits: Int, bound: Int) -> Int:
    """Return a number below `bound` from the lower 32 of 64 random bits (bias under 2**-22)."""
    return np.int64(((bits & np.uint64(0xFFFFFFFF)) * np.uint64(bound)) >> np.uint64(32))


@compiled(
    "i8(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], u2[::1], u8[::1], i8, i8[::1])", inline=True
)
def step_standard(
    board: Array,
    stones: Array,
    place: Array,
    counts: Array,
    mark: Array,
    queues: Array,
    random: Array,
    side: Int,
    move: Array,
) -> Int:
    """Make a uniformly random legal move of standard rules; writes source and target to `move`."""
    enemy = 3 - side
    bits = draw(random)
    source = np.int64(stones[(side - 1) * CELLS + below_high(bits, counts[side])])
    target = np.int64(stones[(enemy - 1) * CELLS + below_low(bits, counts[enemy])])
    remove(board, stones, place, counts, mark, target)
    shift(board, stones, place, mark, source, target)
    if not RING_SAFE[ring(board, source)]:
        remove_cut(board, stones, place, counts, mark, queues, source, target)
    move[0] = source
    move[1] = target
    return 0


@compiled("b1(i1[::1], u2[::1], i4[::1], i8[::1], i8, i8)", inner=True)
def reaches(
    board: Array, queues: Array, reached: Array, counts: Array, source: Int, target: Int
) -> bool:
    """Tell whether a path over empty cells leads from a stone to an empty cell."""
    generation = counts[3] + 1
    counts[3] = generation
    cell = np.int64(source)
    start, end = 0, 0
    while True:
        for way in range(4):
            near = cell + step(way)
            if near == target:
                return True
            if board[near] == 0 and reached[near] != generation:
                reached[near] = generation
                queues[end] = near
                end += 1
        if start == end:
            return False
        cell = np.int64(queues[start])
        start += 1


@compiled("i8(i1[::1], i8, u8)", inline=True)
def walk(board: Array, source: Int, bits: Int) -> Int:
    """Return where a random walk over empty cells ends: after each step one in four, 16 at most.

    A step towards a stone or the border is not made; where the first is not, the walk ends on the
    source itself.
    """
    cell = np.int64(source)
    for _ in range(16):
        near = cell + step(np.int64(bits & np.uint64(3)))
        if board[near] == 0:
            cell = near
        if cell == source or bits & np.uint64(12) == np.uint64(0):
            break
        bits = bits >> np.uint64(4)
    return cell


@compiled("void(i1[::1], i8[::1], u2[::1])", inline=True)
def list_empty(board: Array, counts: Array, empty: Array) -> None:
    """List the empty cells of a board."""
    found = np.int64(0)
    for cell in range(CELLS):
        empty[found] = cell
        found += np.int64(board[cell] == 0)
    counts[4] = found


@compiled(
    "i8(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], u2[::1], i4[::1], u8[::1], u2[::1], i8, i8,"
    " i8[::1])",
    inner=True,
)
def step_advanced(
    board: Array,
    stones: Array,
    place: Array,
    counts: Array,
    mark: Array,
    queues: Array,
    reached: Array,
    random: Array,
    empty: Array,
    policy: Int,
    side: Int,
    move: Array,
) -> Int:
    """Make a random legal move of advanced rules; writes source and target to `move`.

    UNIFORM draws pairs of one of the side's stones and either one of four directions (a capture)
    or one of the empty cells (a slide), all pairs alike, until one is legal: nothing has to be
    counted, so that a ply costs little though the legal moves are many. It needs the list `empty`
    uint16[CELLS] of the `counts[4]` empty cells and keeps it up to date.

    FAST draws one of the stones and one of five actions (a capture in each direction; a slide to
    where a random walk over empty cells ends) until that is legal and no slide to a cell that
    touches nothing, which always loses at once.
    """
    enemy = 3 - side
    base = (side - 1) * CELLS
    actions = 5 if policy == FAST else counts[4] + 4
    fell = False
    while True:
        bits = draw(random)
        source = np.int64(stones[base + below_high(bits, counts[side])])
        action = below_low(bits, actions)
        if action < 4:
            target = source + step(action)
            if board[target] != enemy:
                continue
            remove(board, stones, place, counts, mark, target)
        elif policy == FAST:
            if RING_SAFE[ring(board, source)]:
                continue
            target = walk(board, source, draw(random))
            if target == source or not touches(board, target, source):
                continue
        else:
            target = np.int64(empty[action - 4])
            lonely = not touches(board, target, source)
            if not lonely and RING_SAFE[ring(board, source)]:
                continue
            if not reaches(board, queues, reached, counts, source, target):
                continue
            if lonely:
                shift(board, stones, place, mark, source, target)
                mark[target] = -1
                keep_marked(board, stones, place, counts, mark, -1)
                break
        shift(board, stones, place, mark, source, target)
        if not RING_SAFE[ring(board, source)]:
            fell = remove_cut(board, stones, place, counts, mark, queues, source, target)
        if fell or action < 4:
            break
        shift(board, stones, place, mark, target, source)
    if policy == UNIFORM:
        if fell:
            list_empty(board, counts, empty)
        else:
            empty[counts[4]] = source
            counts[4] += 1
    move[0] = source
    move[1] = target
    return 0


@compiled(
    "i8(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], i8, i8, i8, u8, i8, i8, u1[::1], u2[::1],"
    " i4[::1], i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], u2[::1], i4[::1], u8[::1], u2[::1],"
    " i8[::1])"
)
def run_playouts(
    start_board: Array,
    start_stones: Array,
    start_place: Array,
    start_counts: Array,
    start_mark: Array,
    rules: Int,
    side: Int,
    policy: Int,
    seed: Int,
    first: Int,
    count: Int,
    winners: Array,
    plies: Array,
    moves: Array,
    board: Array,
    stones: Array,
    place: Array,
    counts: Array,
    mark: Array,
    queues: Array,
    reached: Array,
    random: Array,
    empty: Array,
    move: Array,
) -> Int:
    """Play random games number `first` to `first + count - 1` of a seed; returns plies made.

    Game i depends on (seed, i) alone. Its winner, 1 or 2, goes to `winners[i]`; its number of
    plies to `plies[i]` and its moves as source * CELLS + target to `moves`, as far as they fit.
    """
    # Only the part of the arrays that the board covers is set anew for each game.
    last_cell = CELLS
    while last_cell > 0 and start_board[last_cell - 1] < 0:
        last_cell -= 1
    last_cell = min(CELLS, last_cell + STRIDE)
    for cell in range(CELLS):
        board[cell] = start_board[cell]
        mark[cell] = start_mark[cell]
    total = 0
    for game in range(first, first + count):
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
        if policy == UNIFORM:
            list_empty(board, counts, empty)
        random[0] = scramble(scramble(seed) + np.uint64(game))
        mover = side
        made = 0
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
            if made < moves.size:
                moves[made] = move[0] * CELLS + move[1]
            made += 1
            mover = 3 - mover
        winners[game] = 1 if counts[1] == 0 else 2
        if game < plies.size:
            plies[game] = made
        total += made
    return total
