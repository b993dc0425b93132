"""Compiled look-up in endgame tables: who wins every small form, one bit each.

A form is its shape, its margins and a mask of the stones of the side to move, in the shape's
canonical order; the other stones are the enemy's. A bit says whether the side to move wins.

Margins are the empty rows and columns between the form and the board's edges, in the order top,
bottom, left, right of the canonical shape. With standard rules they do not matter. With advanced
rules they matter only as far as slides can feel them: a slide outwards takes one cell of margin
and at least one stone, and two stones can't slide any more, so that of n stones margins above
n - 2 are all alike. `caps[n]` is the largest margin told apart, 0 for standard rules.

All tables lie in one array of bits, level by level (a level is a number of stones), shape by
shape, margins by margins, mask by mask: bit
`bit_starts[n] + ((shape * (caps[n] + 1) ** 4 + margins) << n) + mask`. The keys of the shapes of
level n are `keys[key_starts[n] : key_starts[n + 1]]`.
"""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.board import Array, Int
from formsgame.solver.shapes import MOST_CELLS, canonical, find_key


@compiled("b1(Array(u1, 1, 'C', readonly=True), i8)", inline=True)
def get_bit(bits: Array, index: Int) -> bool:
    """Return a bit of an array of bytes."""
    return bits[index >> 3] >> (index & 7) & 1 != 0


@compiled("i8(i8, i8, i8, i8, i8, i8)", inline=True)
def margin_index(cap: Int, symmetry: Int, top: Int, bottom: Int, left: Int, right: Int) -> Int:
    """Return the number of some margins after one of the eight symmetries of `shapes`."""
    if symmetry & 4:
        top, bottom, left, right = left, right, top, bottom
    if symmetry & 2:
        top, bottom = bottom, top
    if symmetry & 1:
        left, right = right, left
    base = cap + 1
    return ((min(top, cap) * base + min(bottom, cap)) * base + min(left, cap)) * base + min(
        right, cap
    )


@compiled(
    "i8(i8[::1], i8[::1], i8, i8, i8[::1], Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1],"
    " i8[::1], Array(u1, 1, 'C', readonly=True), i8[::1], i8[:, ::1])",
    inner=True,
)
def probe(
    rows: Array,
    columns: Array,
    count: Int,
    own: Int,
    margins: Array,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
    order: Array,
    scratch: Array,
) -> Int:
    """Return 1 if the side to move wins a form of the tables, 0 if it loses, -1 if it is in none.

    The form is given by its cells (rows counted from the top), the mask `own` of those, as they
    are given, that hold stones of the side to move, and its margins, top, bottom, left and right.
    `order` int64[count + 1] and `scratch` int64[2, count] are scratch.
    """
    key = canonical(rows, columns, count, order, scratch)
    place = find_key(keys[key_starts[count] : key_starts[count + 1]], key)
    if place < 0:
        return -1
    cap = caps[count]
    if cap > 0:
        place = place * (cap + 1) ** 4 + margin_index(
            cap, order[count], margins[0], margins[1], margins[2], margins[3]
        )
    mask = 0
    for i in range(count):
        if own >> i & 1:
            mask |= 1 << order[i]
    return np.int64(get_bit(wins, bit_starts[count] + (place << count) + mask))


@compiled(
    "i8(Array(u1, 1, 'C', readonly=True), i8, i8, i8, Array(u8, 1, 'C', readonly=True), i8[::1],"
    " i8[::1], i8[::1], Array(u1, 1, 'C', readonly=True))"
)
def probe_cells(
    cells: Array,
    rows: Int,
    side: Int,
    levels: Int,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
) -> Int:
    """Return 1 if `side` to move wins the form on a board, 0 if it loses, -1 if it is in no table.

    `cells` has the codes of a board's cells column by column, each from the bottom up.
    """
    scratch = np.empty((6, MOST_CELLS + 1), np.int64)
    margins = scratch[5]
    count, own = np.int64(0), np.int64(0)
    top, bottom, right = rows, 0, 0
    row, column = rows - 1, 0
    for index in range(cells.size):
        code = cells[index]
        if code != 0:
            if count == levels:
                return -1
            scratch[0, count] = row
            scratch[1, count] = column
            if code == side:
                own |= 1 << count
            count += 1
            top = min(top, row)
            bottom = max(bottom, row)
            right = column
        row -= 1
        if row < 0:
            row = rows - 1
            column += 1
    margins[0] = top
    margins[1] = rows - 1 - bottom
    margins[2] = scratch[1, 0]
    margins[3] = cells.size // rows - 1 - right
    return probe(
        scratch[0],
        scratch[1],
        count,
        own,
        margins,
        keys,
        key_starts,
        bit_starts,
        caps,
        wins,
        scratch[2],
        scratch[3:5],
    )
