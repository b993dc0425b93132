"""Compiled rules on a board of any size: connectivity, generation, play, hash.

A board is an int8 array of `CELLS` entries, column by column with a border all around: the cell
(column, row), both from 0 at a1, is entry (column + 1) * STRIDE + row + 1, so that rising entries
are the order of cells everywhere (column, then row). An entry is 0 empty, 1 Black, 2 White,
-1 border. Every position in play is one connected form; the functions rely on it.

Buffers belong to the caller and are only scratch: `label` and `reached` uint8[CELLS], `queue`
uint16[CELLS].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from formsgame.compiled import compiled

#: Type of the arrays of this package's compiled functions.
Array = np.ndarray[Any, np.dtype[Any]]
#: A machine integer within compiled functions; to their callers an int or a NumPy integer.
Int = Any

STRIDE = 28
CELLS = STRIDE * STRIDE
BORDER = -1

#: Why a move is not legal, as `fault` returns it; 0 is legal.
LEGAL = 0
OVER = 1
EMPTY_SOURCE = 2
NOT_YOURS = 3
SAME_CELL = 4
OWN_TARGET = 5
EMPTY_TARGET = 6
NOT_ADJACENT = 7
UNREACHABLE = 8
REMOVES_NOTHING = 9


def _ring_table() -> Array:
    """Say for each ring of eight neighbors whether it proves that nothing is cut.

    Bit k of the index is neighbor k going around, even k being the four next to the cell. The
    ring proves it when all stones next to the cell are joined within the ring.
    """
    table = np.zeros(256, np.uint8)
    for ring in range(256):
        heads = 0
        for k in range(0, 8, 2):
            joined_before = ring >> (k - 1) % 8 & 1 and ring >> (k - 2) % 8 & 1
            if ring >> k & 1 and not joined_before:
                heads += 1
        table[ring] = heads <= 1
    return table


def _random_words(count: int, seed: int) -> Array:
    """Return the same `count` 64-bit words (splitmix64) on every machine, for hashing."""
    words = np.zeros(count, np.uint64)
    mask = (1 << 64) - 1
    for i in range(count):
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = seed
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        words[i] = z ^ z >> 31
    return words


RING_SAFE = _ring_table()
#: Words of the hash: two for each entry (Black, White), then side to move, then rules, then sizes.
WORDS = _random_words(2 * CELLS + 4 + CELLS, 20070101)
SIDE_WORDS = 2 * CELLS
RULES_WORDS = 2 * CELLS + 2
SIZE_WORDS = 2 * CELLS + 4


@compiled("void(Array(u1, 1, 'C', readonly=True), i8, i8, i1[::1])")
def load(cells: Array, rows: Int, columns: Int, board: Array) -> None:
    """Fill a board from read-only `cells`, uint8[rows * columns] column by column from a1."""
    board[:] = BORDER
    i = 0
    for column in range(columns):
        entry = (column + 1) * STRIDE + 1
        for row in range(rows):
            board[entry + row] = cells[i]
            i += 1


@compiled("i8(i1[::1], i8)", inline=True)
def ring(board: Array, cell: Int) -> Int:
    """Return which of the eight neighbors of a cell are stones, one bit each, going around."""
    return (
        (board[cell + 1] > 0)
        | (board[cell + STRIDE + 1] > 0) << 1
        | (board[cell + STRIDE] > 0) << 2
        | (board[cell + STRIDE - 1] > 0) << 3
        | (board[cell - 1] > 0) << 4
        | (board[cell - STRIDE - 1] > 0) << 5
        | (board[cell - STRIDE] > 0) << 6
        | (board[cell - STRIDE + 1] > 0) << 7
    )


@compiled("i8(i1[::1], i8)", inline=True)
def count_stones(board: Array, color: Int) -> Int:
    """Return the number of stones of a color."""
    count = np.int64(0)
    for cell in range(CELLS):
        count += np.int64(board[cell] == color)
    return count


@compiled("i8(i8)", inline=True)
def step(direction: Int) -> Int:
    """Return the difference of entries of a cell and its neighbor in direction 0 to 3."""
    if direction == 0:
        return -STRIDE
    if direction == 1:
        return -1
    if direction == 2:
        return 1
    return STRIDE


@compiled("i8(i1[::1], i8, u1[::1], u2[::1])")
def label_parts(board: Array, source: Int, label: Array, queue: Array) -> Int:
    """Label the parts into which the form falls when the stone on `source` leaves.

    Sets `label` to 0 where nothing is and to 1, 2, ... on the stones of each part; returns the
    number of parts, at most 4 (0 when the stone is the only one).
    """
    label[:] = 0
    parts = 0
    for direction in range(4):
        head = source + step(direction)
        if board[head] <= 0 or label[head] != 0:
            continue
        parts += 1
        label[head] = parts
        queue[0] = head
        start, end = 0, 1
        while start < end:
            cell = np.int64(queue[start])
            start += 1
            for way in range(4):
                near = cell + step(way)
                if board[near] > 0 and label[near] == 0 and near != source:
                    label[near] = parts
                    queue[end] = near
                    end += 1
    return parts


@compiled("i8(i1[::1], i8, u1[::1], u2[::1])")
def flood_empty(board: Array, source: Int, reached: Array, queue: Array) -> Int:
    """Mark with 1 the empty cells that a stone on `source` can slide to; returns their number."""
    reached[:] = 0
    start, end = 0, 0
    cell = np.int64(source)
    while True:
        for way in range(4):
            near = cell + step(way)
            if board[near] == 0 and reached[near] == 0:
                reached[near] = 1
                queue[end] = near
                end += 1
        if start == end:
            return end
        cell = np.int64(queue[start])
        start += 1


@compiled("i8(i1[::1], i8, i8, u1[::1])", inline=True)
def touched_parts(board: Array, source: Int, target: Int, label: Array) -> Int:
    """Return which labelled parts an empty `target` touches, one bit each from bit 0."""
    touched = 0
    for way in range(4):
        near = target + step(way)
        if board[near] > 0 and near != source:
            touched |= 1 << (label[near] - 1)
    return touched


@compiled("i8(i1[::1], i8, i8, i8, u1[::1], u1[::1], u2[::1], u2[::1])")
def list_targets(
    board: Array,
    rules: Int,
    side: Int,
    source: Int,
    label: Array,
    reached: Array,
    queue: Array,
    targets: Array,
) -> Int:
    """Write the cells to which the stone of `side` on `source` may move, in order; count them.

    `rules` is 0 standard, 1 advanced; `targets` is uint16[CELLS]. The game must not be over.
    """
    count = 0
    enemy = 3 - side
    if rules == 0:
        for cell in range(CELLS):
            if board[cell] == enemy:
                targets[count] = cell
                count += 1
        return count
    open_sides = 0
    for way in range(4):
        near = board[source + step(way)]
        if near == 0:
            open_sides += 1
    if open_sides == 0:
        for way in range(4):
            near = source + step(way)
            if board[near] == enemy:
                targets[count] = near
                count += 1
        return count
    flood_empty(board, source, reached, queue)
    if RING_SAFE[ring(board, source)]:
        # Nothing is cut, so a slide removes stones only where it touches none.
        for cell in range(STRIDE, CELLS - STRIDE):
            if reached[cell] != 0:
                for way in range(4):
                    near = cell + step(way)
                    if board[near] > 0 and near != source:
                        reached[cell] = 0
    else:
        parts = label_parts(board, source, label, queue)
        everything = (1 << parts) - 1
        for cell in range(STRIDE, CELLS - STRIDE):
            if reached[cell] != 0 and touched_parts(board, source, cell, label) == everything:
                reached[cell] = 0
    for way in range(4):
        near = source + step(way)
        if board[near] == enemy:
            reached[near] = 1
    for cell in range(STRIDE, CELLS - STRIDE):
        if reached[cell] != 0:
            targets[count] = cell
            count += 1
    return count


@compiled("i8(i1[::1], i8, i8, u1[::1], u1[::1], u2[::1], u2[::1], i4[::1])")
def list_moves(
    board: Array,
    rules: Int,
    side: Int,
    label: Array,
    reached: Array,
    queue: Array,
    targets: Array,
    moves: Array,
) -> Int:
    """Write all legal moves in order as source * CELLS + target, as many as fit; count them all.

    The game must not be over.
    """
    count = 0
    for source in range(CELLS):
        if board[source] == side:
            found = list_targets(board, rules, side, source, label, reached, queue, targets)
            for i in range(found):
                if count < moves.size:
                    moves[count] = source * CELLS + np.int64(targets[i])
                count += 1
    return count


@compiled("i8(i1[::1], i8, i8, i8, i8, u1[::1], u1[::1], u2[::1])")
def fault(
    board: Array,
    rules: Int,
    side: Int,
    source: Int,
    target: Int,
    label: Array,
    reached: Array,
    queue: Array,
) -> Int:
    """Return 0 for a legal move, else the code of the reason; both cells are on the board."""
    over = True
    for cell in range(CELLS):
        if board[cell] == side:
            over = False
            break
    if over:
        return OVER
    if board[source] == 0:
        return EMPTY_SOURCE
    if board[source] != side:
        return NOT_YOURS
    if source == target:
        return SAME_CELL
    if board[target] == side:
        return OWN_TARGET
    if board[target] != 0:
        if rules == 0:
            return LEGAL
        distance = abs(target - source)
        return LEGAL if distance in (1, STRIDE) else NOT_ADJACENT
    if rules == 0:
        return EMPTY_TARGET
    flood_empty(board, source, reached, queue)
    if reached[target] == 0:
        return UNREACHABLE
    parts = label_parts(board, source, label, queue)
    if touched_parts(board, source, target, label) == (1 << parts) - 1:
        return REMOVES_NOTHING
    return LEGAL


@compiled("i8(i1[::1], i8, i8, u1[::1], u2[::1], u2[::1])")
def list_removed(
    board: Array, source: Int, target: Int, label: Array, queue: Array, removed: Array
) -> Int:
    """Write the cells that a legal move clears besides the captured one, in order; count them."""
    if board[target] > 0 and RING_SAFE[ring(board, source)]:
        return 0
    label_parts(board, source, label, queue)
    if board[target] > 0:
        kept = 1 << (label[target] - 1)
    else:
        kept = touched_parts(board, source, target, label)
    count = 0
    for cell in range(STRIDE, CELLS - STRIDE):
        if label[cell] != 0 and kept >> (label[cell] - 1) & 1 == 0:
            removed[count] = cell
            count += 1
    return count


@compiled("void(i1[::1], i8, i8, u2[::1], i8)", inline=True)
def play(board: Array, source: Int, target: Int, removed: Array, count: Int) -> None:
    """Make a move in place: the stone goes from source to target, `removed` leaves."""
    board[target] = board[source]
    board[source] = 0
    for i in range(count):
        board[removed[i]] = 0


@compiled("i8(i1[::1], u1[::1], u2[::1], u2[::1])")
def list_forms(board: Array, label: Array, queue: Array, heads: Array) -> Int:
    """Write the first cell of every form on a board, which need not be one; count them."""
    label[:] = 0
    forms = 0
    for head in range(CELLS):
        if board[head] <= 0 or label[head] != 0:
            continue
        heads[forms] = head
        forms += 1
        label[head] = 1
        queue[0] = head
        start, end = 0, 1
        while start < end:
            cell = np.int64(queue[start])
            start += 1
            for way in range(4):
                near = cell + step(way)
                if board[near] > 0 and label[near] == 0:
                    label[near] = 1
                    queue[end] = near
                    end += 1
    return forms


@compiled("u8(i1[::1], i8, i8, i8, i8)")
def hash_board(board: Array, rules: Int, side: Int, rows: Int, columns: Int) -> Int:
    """Return the 64-bit key of a position: the XOR of one word for each of its facts."""
    key = WORDS[SIDE_WORDS + side - 1] ^ WORDS[RULES_WORDS + rules]
    key ^= WORDS[SIZE_WORDS + rows * STRIDE + columns]
    for cell in range(CELLS):
        if board[cell] > 0:
            key ^= WORDS[2 * cell + board[cell] - 1]
    return key
