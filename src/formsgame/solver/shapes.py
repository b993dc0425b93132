"""Compiled geometry of small forms: their shapes up to symmetry, numbered and in canonical order.

A shape is a connected set of cells (a polyomino) up to turning, mirroring and moving. Its key is
the smallest, over the eight symmetries, of a word that holds height, width and the cells of the
bounding box, row by row; see `MOST_CELLS` for what fits. The cells of a shape are numbered
in the order of the bits of that word.
"""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.board import Array, Int

#: Most cells of a shape. Its bounding box must fit 56 bits too, as that of any shape of up to 13
#: cells does, and of any that lies on a board of 56 cells.
MOST_CELLS = 16

_ONE = np.uint64(1)


@compiled("u8(i8[::1], i8[::1], i8, i8, i8[::1], i8[::1])", inner=True)
def turned_key(
    rows: Array, columns: Array, count: Int, symmetry: Int, out_rows: Array, out_columns: Array
) -> Int:
    """Return the word of some cells after one of the eight symmetries.

    `out_rows` and `out_columns` int64[count] get the turned cells, moved to the corner.
    """
    top = left = np.int64(1 << 30)
    bottom = right = -np.int64(1 << 30)
    for i in range(count):
        row, column = rows[i], columns[i]
        if symmetry & 4:
            row, column = column, row
        if symmetry & 2:
            row = -row
        if symmetry & 1:
            column = -column
        out_rows[i] = row
        out_columns[i] = column
        top = min(top, row)
        left = min(left, column)
        bottom = max(bottom, row)
        right = max(right, column)
    width = right - left + 1
    key = np.uint64(bottom - top) << np.uint64(60) | np.uint64(width - 1) << np.uint64(56)
    for i in range(count):
        out_rows[i] -= top
        out_columns[i] -= left
        key |= _ONE << np.uint64(out_rows[i] * width + out_columns[i])
    return key


@compiled("u8(i8[::1], i8[::1], i8, i8[::1], i8[:, ::1])")
def canonical(rows: Array, columns: Array, count: Int, order: Array, scratch: Array) -> Int:
    """Return the key of a shape given by its cells, in any place and order.

    `order` int64[>= count + 1] gets for each given cell its number in the canonical order, and
    after them the symmetry that led to it. `scratch` is int64[2, >= count].
    """
    best = np.uint64(0xFFFFFFFFFFFFFFFF)
    chosen = 0
    for symmetry in range(8):
        key = turned_key(rows, columns, count, symmetry, scratch[0], scratch[1])
        if key < best:
            best = key
            chosen = symmetry
    turned_key(rows, columns, count, chosen, scratch[0], scratch[1])
    width = np.int64(best >> np.uint64(56) & np.uint64(15)) + 1
    for i in range(count):
        mine = scratch[0, i] * width + scratch[1, i]
        rank = np.int64(0)
        for j in range(count):
            rank += np.int64(scratch[0, j] * width + scratch[1, j] < mine)
        order[i] = rank
    order[count] = chosen
    return best


@compiled("i8(Array(u8, 1, 'C', readonly=True), u8)", inline=True)
def find_key(keys: Array, key: Int) -> Int:
    """Return the place of a key in sorted keys, -1 if it is not there."""
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < keys.size and keys[low] == key:
        return low
    return -1
