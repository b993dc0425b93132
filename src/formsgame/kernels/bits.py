"""The rules on 64-bit words, for boards up to 8 x 8: where positions are counted by the million.

Bit 8 * row + column, the row counted from the top, stands for a cell. A position is two words, the
stones of the side to move and those of its opponent. Tests hold these functions to those of
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
_NOT_FIRST = np.uint64(0xFEFEFEFEFEFEFEFE)
_NOT_LAST = np.uint64(0x7F7F7F7F7F7F7F7F)


@compiled("u8(u8)", inline=True)
def near(cells: Int) -> Int:
    """Return the cells next to any of some cells."""
    return (
        (cells << _EIGHT)
        | (cells >> _EIGHT)
        | ((cells << _ONE) & _NOT_FIRST)
        | ((cells >> _ONE) & _NOT_LAST)
    )


@compiled("u8(u8, u8)", inline=True)
def spread(seed: Int, within: Int) -> Int:
    """Return the cells of `within` that are connected to `seed` through it, and the seed."""
    while True:
        grown = seed | (near(seed) & within)
        grown |= near(grown) & within
        if grown == seed:
            return seed
        seed = grown


@compiled("u8(u8)", inline=True)
def suspects(stones: Int) -> Int:
    """Return the cells whose ring of eight neighbors does not prove that nothing hangs on them.

    A neighbor opens a group unless it is joined to the one before it, going around, through the
    corner between them; two groups make a suspect.
    """
    north = stones << _EIGHT
    south = stones >> _EIGHT
    west = (stones << _ONE) & _NOT_FIRST
    east = (stones >> _ONE) & _NOT_LAST
    heads_n = north & ~(west & (north << _ONE) & _NOT_FIRST)
    heads_e = east & ~(north & (north >> _ONE) & _NOT_LAST)
    heads_s = south & ~(east & (south >> _ONE) & _NOT_LAST)
    heads_w = west & ~(south & (south << _ONE) & _NOT_FIRST)
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


@compiled("i8(u8, u8, u8, u8[::1], u8[::1])")
def children_standard(own: Int, enemy: Int, board: Int, movers: Array, others: Array) -> Int:
    """Write the positions after each move of standard rules; count them.

    `movers` uint64[MOST_MOVES] gets the stones of the side that moved, `others` the enemy's.
    """
    stones = own | enemy
    count = 0
    unsafe = suspects(stones)
    first = -1  # where the children of a move that cut nothing begin
    targets = count_bits(enemy)
    sources = own
    while sources != _ZERO:
        source = lowest(sources)
        sources ^= source
        rest = stones ^ source
        stay = own ^ source
        part = rest
        if source & unsafe != _ZERO:
            part = spread(lowest(rest), rest)
        if part == rest:
            if first < 0:
                first = count
                left = enemy
                for i in range(count, count + targets):
                    target = lowest(left)
                    left ^= target
                    movers[i] = stay | target
                    others[i] = enemy ^ target
            else:
                # The targets are those of the first such move; so are the enemies left.
                for i in range(targets):
                    others[count + i] = others[first + i]
                    movers[count + i] = stay | (enemy ^ others[first + i])
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
            part = spread(lowest(rest), rest)
    return count


@compiled("i8(u8, u8, u8, u8[::1], u8[::1])")
def children_advanced(own: Int, enemy: Int, board: Int, movers: Array, others: Array) -> Int:
    """Write the positions after each move of advanced rules; count them.

    `board` has all the board's cells; the rest is as in `children_standard`.
    """
    stones = own | enemy
    empty = board & ~stones
    count = 0
    unsafe = suspects(stones)
    sources = own & near(enemy | empty)
    while sources != _ZERO:
        source = lowest(sources)
        sources ^= source
        rest = stones ^ source
        stay = own ^ source
        around = near(source)
        part = rest
        cut = False
        if source & unsafe != _ZERO:
            part = spread(lowest(rest), rest)
            cut = part != rest
        targets = around & enemy
        while targets != _ZERO:
            target = lowest(targets)
            targets ^= target
            kept = rest
            if cut:
                kept = part if target & part != _ZERO else spread(target, rest)
            movers[count] = (stay | target) & kept
            others[count] = (enemy ^ target) & kept
            count += 1
        open_sides = around & empty
        if open_sides == _ZERO:
            continue
        if not cut:
            # A slide removes stones only where it touches none.
            targets = empty & ~near(rest)
            if targets != _ZERO:
                targets &= spread(open_sides, empty)
            while targets != _ZERO:
                target = lowest(targets)
                targets ^= target
                movers[count] = target
                others[count] = _ZERO
                count += 1
            continue
        second = spread(lowest(rest ^ part), rest)
        third = rest ^ part ^ second
        fourth = _ZERO
        if third != _ZERO:
            both = third
            third = spread(lowest(both), rest)
            fourth = both ^ third
        near1 = near(part)
        near2 = near(second)
        near3 = near(third)
        near4 = near(fourth)
        everywhere = near1 & near2
        if third != _ZERO:
            everywhere &= near3
        if fourth != _ZERO:
            everywhere &= near4
        targets = spread(open_sides, empty) & ~everywhere
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
