"""Compiled random playouts that cost about what each move removes, not the size of the board.

A game in play is kept in four arrays of the caller: `board` int8[CELLS] as in `board`, `stones`
uint16[2 * CELLS] (Black's entries from 0, White's from CELLS, in no order), `place` uint16[CELLS]
(where in its half of `stones` an entry stands) and `counts` int64[3] (stones of Black at 1, of
White at 2). `mark` int32[CELLS] and `queues` uint16[4 * CELLS] are scratch; `mark` must never hold
a number above that in `counts[0]`, the generation of the last search.

Most moves cut nothing, and the ring of eight neighbors around the vacated cell proves it at once.
Where it can't, searches start from two groups of stones in the ring at a time and take turns, until
they have met or the smaller side is exhausted.
"""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.board import (
    CELLS,
    RING_SAFE,
    STRIDE,
    Array,
    Int,
    ring,
    step,
)

#: Policies of `run_playouts`.
FAST = 0
UNIFORM = 1

#: Mark of entries that hold no stone.
NO_STONE = 0x7FFFFFFF


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


@compiled("void(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1])")
def index_stones(board: Array, stones: Array, place: Array, counts: Array, mark: Array) -> None:
    """Fill lists, counts and marks from a board."""
    counts[:] = 0
    for cell in range(CELLS):
        color = np.int64(board[cell])
        mark[cell] = NO_STONE
        if color > 0:
            mark[cell] = 0
            place[cell] = counts[color]
            stones[(color - 1) * CELLS + counts[color]] = cell
            counts[color] += 1


@compiled("void(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], i8)", inline=True)
def remove(
    board: Array, stones: Array, place: Array, counts: Array, mark: Array, cell: Int
) -> None:
    """Take the stone on a cell off the board and out of its list."""
    color = np.int64(board[cell])
    base = (color - 1) * CELLS
    counts[color] -= 1
    last = np.int64(stones[base + counts[color]])
    where = np.int64(place[cell])
    stones[base + where] = last
    place[last] = where
    board[cell] = 0
    mark[cell] = NO_STONE


@compiled("void(i1[::1], u2[::1], u2[::1], i4[::1], i8, i8)", inline=True)
def shift(board: Array, stones: Array, place: Array, mark: Array, source: Int, target: Int) -> None:
    """Move the stone on source to target, which must be empty by now."""
    color = np.int64(board[source])
    where = np.int64(place[source])
    stones[(color - 1) * CELLS + where] = target
    place[target] = where
    board[target] = color
    board[source] = 0
    mark[target] = 0
    mark[source] = NO_STONE


@compiled("void(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], i8)", inner=True)
def keep_marked(
    board: Array, stones: Array, place: Array, counts: Array, mark: Array, kept: Int
) -> None:
    """Take every stone off the board whose mark is not `kept`."""
    for color in range(1, 3):
        base = (color - 1) * CELLS
        for i in range(counts[color] - 1, -1, -1):
            cell = np.int64(stones[base + i])
            if mark[cell] != kept:
                remove(board, stones, place, counts, mark, cell)


@compiled("i8(i4[::1], u2[::1], i8, i8, i8, i8, i8)", inline=True)
def search_cell(
    mark: Array, queues: Array, cell: Int, end: Int, generation: Int, own: Int, other: Int
) -> Int:
    """Queue the unseen stones next to a cell; returns the new end, or -1 if the other is met.

    There is no branch but the last, which hardly ever goes the other way: this is where a playout
    spends its time.
    """
    met = False
    for way in range(4):
        near = cell + step(way)
        seen = np.int64(mark[near])
        queues[end] = near
        fresh = seen < generation
        mark[near] = own if fresh else seen
        end += np.int64(fresh)
        met |= seen == other
    return -1 if met else end


@compiled("i8(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], u2[::1], i8, i8, i8)", inner=True)
def separate(
    board: Array,
    stones: Array,
    place: Array,
    counts: Array,
    mark: Array,
    queues: Array,
    first: Int,
    second: Int,
    moved: Int,
) -> Int:
    """Remove the part of one of two stones if they are not connected and `moved` is elsewhere.

    Returns 0 if they are connected, 1 or 2 if the part of the first or second was removed, 3 if
    one of the parts holds `moved` and everything else was removed.
    """
    one = counts[0] + 2
    two = one + 1
    counts[0] = one
    queues[0] = first
    queues[CELLS] = second
    mark[first] = one
    mark[second] = two
    start1, end1, start2, end2 = 0, 1, CELLS, CELLS + 1
    while True:
        if start1 == end1:
            own, part, start, end = one, 1, 0, end1
            break
        cell = np.int64(queues[start1])
        start1 += 1
        end1 = search_cell(mark, queues, cell, end1, one, one, two)
        if end1 < 0:
            return 0
        if start2 == end2:
            own, part, start, end = two, 2, CELLS, end2
            break
        cell = np.int64(queues[start2])
        start2 += 1
        end2 = search_cell(mark, queues, cell, end2, one, two, one)
        if end2 < 0:
            return 0
    if mark[moved] == own:
        keep_marked(board, stones, place, counts, mark, own)
        return 3
    for i in range(start, end):
        remove(board, stones, place, counts, mark, np.int64(queues[i]))
    return part


@compiled("b1(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], u2[::1], i8, i8)", inner=True)
def remove_cut(
    board: Array,
    stones: Array,
    place: Array,
    counts: Array,
    mark: Array,
    queues: Array,
    vacated: Int,
    moved: Int,
) -> bool:
    """Remove what the stone on `moved` is not connected to, `vacated` having been left just now.

    Costs about the smaller of what falls and what stays; returns whether anything fell. A moved
    stone that touches nothing (a slide to a lonely cell) is for `keep_marked`.
    """
    around = ring(board, vacated)
    fell = False
    last = -1
    # Each run of stones in the ring that has one next to the vacated cell may be a part by itself:
    # separate it from the one before that is still on the board.
    for k in range(0, 8, 2):
        if around >> k & 1 == 0:
            continue
        if around >> ((k + 7) & 7) & 1 and around >> ((k + 6) & 7) & 1:
            continue
        head = vacated + (1 if k == 0 else STRIDE if k == 2 else -1 if k == 4 else -STRIDE)
        if board[head] == 0:
            continue  # it fell with an earlier one
        if last < 0:
            last = head
            continue
        removed = separate(board, stones, place, counts, mark, queues, last, head, moved)
        fell |= removed != 0
        if removed == 3:
            break
        if removed == 1:
            last = head
    return fell


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


@compiled("b1(i1[::1], i8, i8)", inline=True)
def touches(board: Array, target: Int, source: Int) -> bool:
    """Tell whether an empty target touches a stone other than the one on `source`."""
    touching = False
    for way in range(4):
        near = target + step(way)
        touching |= board[near] > 0 and near != source
    return touching


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
