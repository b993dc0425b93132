"""The rules on 64-bit words, for boards up to 64 cells: where positions are counted by the million.

Bit stride * row + column, the row counted from the top, stands for a cell; `stride` is at least the
number of columns, 8 where they fit. `first` and `last` are the words of all cells but those of the
first and of the last column. A position is two words, the stones of the side to move and those of
its opponent. Tests hold these functions to those of
`board`, which know every size.
"""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.board import Array, Int

#: No position on 64 cells has more moves: s stones with 64 - s other cells have s * (64 - s) pairs
#: of stone and cell.
MOST_MOVES = 1024

_ONE = np.uint64(1)
_EIGHT = np.uint64(8)
_ZERO = np.uint64(0)


@compiled("u8(u8, u8, u8, u8)", inline=True)
def near(cells: Int, stride: Int, first: Int, last: Int) -> Int:
    """Return the cells next to any of some cells."""
    return (
        (cells << stride) | (cells >> stride) | ((cells << _ONE) & first) | ((cells >> _ONE) & last)
    )


@compiled("u8(u8, u8, u8, u8, u8)", inline=True)
def spread(seed: Int, within: Int, stride: Int, first: Int, last: Int) -> Int:
    """Return the cells of `within` that are connected to `seed` through it, and the seed."""
    while True:
        grown = seed | (near(seed, stride, first, last) & within)
        grown |= near(grown, stride, first, last) & within
        if grown == seed:
            return seed
        seed = grown


@compiled("u8(u8, u8, u8, u8)", inline=True)
def suspects(stones: Int, stride: Int, first: Int, last: Int) -> Int:
    """Return the cells whose ring of eight neighbors does not prove that nothing hangs on them.

    A neighbor opens a group unless it is joined to the one before it, going around, through the
    corner between them; two groups make a suspect.
    """
    north = stones << stride
    south = stones >> stride
    west = (stones << _ONE) & first
    east = (stones >> _ONE) & last
    heads_n = north & ~(west & (north << _ONE) & first)
    heads_e = east & ~(north & (north >> _ONE) & last)
    heads_s = south & ~(east & (south >> _ONE) & last)
    heads_w = west & ~(south & (south << _ONE) & first)
    return (heads_n & heads_e) | (heads_s & heads_w) | ((heads_n | heads_e) & (heads_s | heads_w))


@compiled("u8(u8)", inline=True)
def lowest(cells: Int) -> Int:
    """Return the lowest of some cells, of which there is at least one."""
    return cells & (~cells + _ONE)


@compiled("i8(u8)", inline=True)
def count_bits(cells: Int) -> Int:
    """Return the number of cells in a word."""
    half = cells - ((cells >> _ONE) & np.uint64(0x5555555555555555))
    half = (half & np.uint64(0x3333333333333333)) + (
        (half >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    half = (half + (half >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    half += half >> _EIGHT
    half += half >> np.uint64(16)
    half += half >> np.uint64(32)
    return np.int64(half & np.uint64(0x7F))


@compiled("i8(u8, u8, u8[::1], u8[::1], u8[::1])")
def children_standard(own: Int, enemy: Int, layout: Array, movers: Array, others: Array) -> Int:
    """Write the positions after each move of standard rules; count them.

    `layout` is uint64[4]: the board's cells, stride, first and last. `movers` uint64[MOST_MOVES]
    gets the stones of the side that moved, `others` the enemy's.
    """
    stride, first, last = layout[1], layout[2], layout[3]
    stones = own | enemy
    count = 0
    unsafe = suspects(stones, stride, first, last)
    start = -1  # where the children of a move that cut nothing begin
    targets = count_bits(enemy)
    sources = own
    while sources != _ZERO:
        source = lowest(sources)
        sources ^= source
        rest = stones ^ source
        stay = own ^ source
        part = rest
        if source & unsafe != _ZERO:
            part = spread(lowest(rest), rest, stride, first, last)
        if part == rest:
            if start < 0:
                start = count
                left = enemy
                for i in range(count, count + targets):
                    target = lowest(left)
                    left ^= target
                    movers[i] = stay | target
                    others[i] = enemy ^ target
            else:
                # The targets are those of the first such move; so are the enemies left.
                for i in range(targets):
                    others[count + i] = others[start + i]
                    movers[count + i] = stay | (enemy ^ others[start + i])
            count += targets
            continue
        while True:
            rest ^= part
            stay_here = stay & part
            enemy_here = enemy & part
            left = enemy_here
            while left != _ZERO:
                target = lowest(left)
                left ^= target
                movers[count] = stay_here | target
                others[count] = enemy_here ^ target
                count += 1
            if rest == _ZERO:
                break
            part = spread(lowest(rest), rest, stride, first, last)
    return count


@compiled("i8(u8, u8, u8[::1], u8[::1], u8[::1])")
def children_advanced(own: Int, enemy: Int, layout: Array, movers: Array, others: Array) -> Int:
    """Write the positions after each move of advanced rules; count them.

    The arguments are as in `children_standard`.
    """
    board, stride, first, last = layout[0], layout[1], layout[2], layout[3]
    stones = own | enemy
    empty = board & ~stones
    count = 0
    unsafe = suspects(stones, stride, first, last)
    sources = own & near(enemy | empty, stride, first, last)
    while sources != _ZERO:
        source = lowest(sources)
        sources ^= source
        rest = stones ^ source
        stay = own ^ source
        around = near(source, stride, first, last)
        part = rest
        cut = False
        if source & unsafe != _ZERO:
            part = spread(lowest(rest), rest, stride, first, last)
            cut = part != rest
        targets = around & enemy
        while targets != _ZERO:
            target = lowest(targets)
            targets ^= target
            kept = rest
            if cut:
                kept = part if target & part != _ZERO else spread(target, rest, stride, first, last)
            movers[count] = (stay | target) & kept
            others[count] = (enemy ^ target) & kept
            count += 1
        open_sides = around & empty
        if open_sides == _ZERO:
            continue
        if not cut:
            # A slide removes stones only where it touches none.
            targets = empty & ~near(rest, stride, first, last)
            if targets != _ZERO:
                targets &= spread(open_sides, empty, stride, first, last)
            while targets != _ZERO:
                target = lowest(targets)
                targets ^= target
                movers[count] = target
                others[count] = _ZERO
                count += 1
            continue
        second = spread(lowest(rest ^ part), rest, stride, first, last)
        third = rest ^ part ^ second
        fourth = _ZERO
        if third != _ZERO:
            both = third
            third = spread(lowest(both), rest, stride, first, last)
            fourth = both ^ third
        near1 = near(part, stride, first, last)
        near2 = near(second, stride, first, last)
        near3 = near(third, stride, first, last)
        near4 = near(fourth, stride, first, last)
        everywhere = near1 & near2
        if third != _ZERO:
            everywhere &= near3
        if fourth != _ZERO:
            everywhere &= near4
        targets = spread(open_sides, empty, stride, first, last) & ~everywhere
        while targets != _ZERO:
            target = lowest(targets)
            targets ^= target
            kept = target
            if near1 & target != _ZERO:
                kept |= part
            if near2 & target != _ZERO:
                kept |= second
            if near3 & target != _ZERO:
                kept |= third
            if near4 & target != _ZERO:
                kept |= fourth
            movers[count] = (stay & kept) | target
            others[count] = enemy & kept
            count += 1
    return count


def make_layout(rows: int, columns: int) -> Array:
    """Return the layout of a board, uint64[4]: its cells, stride, first and last.

    The stride is 8 where that holds the board, else the number of columns.
    """
    stride = 8 if max(rows, columns) <= 8 else columns
    full = (1 << 64) - 1
    column = sum(1 << (stride * row) for row in range((64 + stride - 1) // stride)) & full
    row_mask = (1 << columns) - 1
    board = sum(row_mask << (stride * row) for row in range(rows))
    last_column = (column << (stride - 1)) & full
    return np.array([board, stride, full ^ column, full ^ last_column], np.uint64)
