"""Compiled filling of endgame tables from the small forms up; see `endings` for their order."""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.board import Array, Int
from formsgame.rules import Size
from formsgame.solver.endings import get_bit, margin_index
from formsgame.solver.shapes import MOST_CELLS, canonical, find_key

#: Bits of a mask that the first of two look-ups translates.
LOW_BITS = 6
LOW_MASK = (1 << LOW_BITS) - 1
#: Of the 64 masks of six stones, those that lack each of these.
LACKING = np.array(
    [sum(1 << mask for mask in range(64) if not mask >> stone & 1) for stone in range(6)], np.uint64
)
#: Most moves that the form of one shape can have, whatever its colors.
MOST_ENTRIES = 1024

#: Side of the grid on which the moves of a shape are found: the shape and a cell of margin.
GRID = 16


@compiled("i8(u8, i8[::1], i8[::1])")
def cells_of(key: Int, rows: Array, columns: Array) -> Int:
    """Write the cells of a shape in canonical order; count them."""
    width = np.int64(key >> np.uint64(56) & np.uint64(15)) + 1
    count = np.int64(0)
    for bit in range(56):
        if key >> np.uint64(bit) & np.uint64(1):
            rows[count] = bit // width
            columns[count] = bit % width
            count += 1
    return count


@compiled("void(u1[::1], i8)", inline=True)
def set_bit(bits: Array, index: Int) -> None:
    """Set a bit of an array of bytes."""
    bits[index >> 3] |= np.uint8(1 << (index & 7))


@compiled("void(i8[::1], i8, i8, i8[::1], i8, i8[:, ::1], i8[:, ::1])")
def make_luts(
    members: Array, count: Int, level: Int, order: Array, entry: Int, low: Array, high: Array
) -> None:
    """Write the two tables that translate masks of a form into masks of a part of it.

    `members` are the part's cells by their numbers in the form, `order` theirs in the part.
    """
    low[entry, :] = 0
    high[entry, :] = 0
    for i in range(count):
        place = members[i]
        image = np.int64(1) << order[i]
        if place < LOW_BITS:
            for mask in range(1 << LOW_BITS):
                if mask >> place & 1:
                    low[entry, mask] |= image
        else:
            for mask in range(1 << max(0, level - LOW_BITS)):
                if mask >> (place - LOW_BITS) & 1:
                    high[entry, mask] |= image


@compiled("i8(i8[::1], i8[::1], i8, i8[::1])")
def link_cells(rows: Array, columns: Array, level: Int, near: Array) -> Int:
    """Write for each cell the mask of those next to it; returns the mask of all."""
    for i in range(level):
        near[i] = 0
        for j in range(level):
            if abs(rows[i] - rows[j]) + abs(columns[i] - columns[j]) == 1:
                near[i] |= np.int64(1) << j
    return (np.int64(1) << level) - 1


@compiled("i8(i8, i8, i8[::1], i8)", inline=True)
def spread_mask(part: Int, rest: Int, near: Array, level: Int) -> Int:
    """Return the cells of `rest` connected to `part` through it, as a mask."""
    while True:
        grown = part
        for i in range(level):
            if part >> i & 1:
                grown |= near[i] & rest
        if grown == part:
            return part
        part = grown


@compiled("i8(i8)", inline=True)
def words_of(count: Int) -> Int:
    """Return the number of words that a bit for each mask of so many stones takes."""
    return 1 if count < LOW_BITS else 1 << (count - LOW_BITS)


@compiled("void(Array(u1, 1, 'C', readonly=True), i8, i8, u8[::1], u8[::1])", inner=True)
def load_captures(wins: Array, start: Int, count: Int, found: Array, losses: Array) -> None:
    """Write a bit for each mask of the `count` stones of a shape, whose bits begin at `start`.

    Whether one of the stones in the mask can be captured so that the side to move, with the rest of
    the mask, loses. Less than a word of bits is repeated in it. `losses` is scratch.
    """
    size = words_of(count)
    for i in range(size):
        word = np.uint64(0)
        if count < LOW_BITS:
            for bit in range(64):
                index = start + (bit & ((1 << count) - 1))
                word |= np.uint64(get_bit(wins, index)) << np.uint64(bit)
        else:
            place = (start >> 3) + 8 * i
            for byte in range(8):
                word |= np.uint64(wins[place + byte]) << np.uint64(8 * byte)
        losses[i] = ~word
        found[i] = np.uint64(0)
    for stone in range(count):
        if stone < LOW_BITS:
            shift = np.uint64(1 << stone)
            for i in range(size):
                found[i] |= (losses[i] & LACKING[stone]) << shift
        else:
            block = 1 << (stone - LOW_BITS)
            for first in range(0, size, 2 * block):
                for i in range(first, first + block):
                    found[i + block] |= losses[i]


@compiled("void(u8[::1], i8, i8, i8)", inner=True)
def exchange_stones(bits: Array, size: Int, one: Int, two: Int) -> None:
    """Exchange two stones, `one` below `two`, in a bit for each mask, in `size` words."""
    if two < LOW_BITS:
        chosen = LACKING[two] & ~LACKING[one]
        shift = np.uint64((1 << two) - (1 << one))
        for i in range(size):
            moved = ((bits[i] >> shift) ^ bits[i]) & chosen
            bits[i] ^= moved ^ (moved << shift)
        return
    block = 1 << (two - LOW_BITS)
    if one < LOW_BITS:
        shift = np.uint64(1 << one)
        for first in range(0, size, 2 * block):
            for i in range(first, first + block):
                moved = ((bits[i] >> shift) ^ bits[i + block]) & LACKING[one]
                bits[i + block] ^= moved
                bits[i] ^= moved << shift
        return
    inner = 1 << (one - LOW_BITS)
    for first in range(0, size, 2 * block):
        for second in range(first + inner, first + block, 2 * inner):
            for i in range(second, second + inner):
                bits[i], bits[i - inner + block] = bits[i - inner + block], bits[i]


@compiled("void(u8[::1], i8, i8, u8[::1])", inner=True)
def insert_stone(bits: Array, count: Int, stone: Int, out: Array) -> None:
    """Write a bit for each mask of a stone more, put in at number `stone`, that does not matter."""
    size = words_of(count)
    if stone >= LOW_BITS:
        block = 1 << (stone - LOW_BITS)
        for first in range(0, size, block):
            for i in range(first, first + block):
                out[first + i] = bits[i]
                out[first + i + block] = bits[i]
        return
    for i in range(size):
        for half in range(2):
            word = (bits[i] >> np.uint64(32 * half)) & np.uint64(0xFFFFFFFF)
            for step in range(LOW_BITS - 2, stone - 1, -1):
                word = (word | (word << np.uint64(1 << step))) & LACKING[step]
            out[2 * i + half] = word | (word << np.uint64(1 << stone))
            if count < LOW_BITS:
                return


@compiled("u8(u8)", inline=True)
def reverse_bits(word: Int) -> Int:
    """Return a word with its bits in reverse order."""
    for step in range(LOW_BITS):
        shift = np.uint64(1 << step)
        word = ((word >> shift) & LACKING[step]) | ((word & LACKING[step]) << shift)
    return word


@compiled(
    "void(i8, Array(u8, 1, 'C', readonly=True), Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1],"
    " Array(u1, 1, 'C', readonly=True), u1[::1])"
)
def fill_standard(
    level: Int,
    chosen: Array,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    wins: Array,
    out: Array,
) -> None:
    """Write the bits of the shapes with the keys `chosen`, of a level, from the levels below.

    All masks of a shape are done together: what can be captured after a stone has left is a bit for
    each mask of the part that stays, which becomes one for each mask of the shape when its stones
    are put in order and the others are put in.
    """
    rows, columns = np.zeros(MOST_CELLS, np.int64), np.zeros(MOST_CELLS, np.int64)
    part_rows, part_columns = np.zeros(MOST_CELLS, np.int64), np.zeros(MOST_CELLS, np.int64)
    order = np.zeros(MOST_CELLS + 1, np.int64)
    scratch = np.zeros((2, MOST_CELLS), np.int64)
    near = np.zeros(MOST_CELLS, np.int64)
    size = words_of(level)
    bits, other = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
    # For each mask of enemy stones, whether the side to move, with the others, wins.
    won = np.zeros(size, np.uint64)
    for shape in range(chosen.size):
        cells_of(chosen[shape], rows, columns)
        everything = link_cells(rows, columns, level, near)
        won[:] = 0
        for source in range(level):
            rest = everything & ~(np.int64(1) << source)
            while rest:
                part = spread_mask(rest & -rest, rest, near, level)
                rest &= ~part
                count = np.int64(0)
                for i in range(level):
                    if part >> i & 1:
                        part_rows[count] = rows[i]
                        part_columns[count] = columns[i]
                        count += 1
                key = canonical(part_rows, part_columns, count, order, scratch)
                found = find_key(keys[key_starts[count] : key_starts[count + 1]], key)
                load_captures(wins, bit_starts[count] + (found << count), count, bits, other)
                for i in range(count):
                    # The stones before this one are in order; order[i] tells where it is now.
                    if order[i] != i:
                        exchange_stones(bits, words_of(count), i, order[i])
                        for j in range(i + 1, count):
                            if order[j] == i:
                                order[j] = order[i]
                for i in range(level):
                    if part >> i & 1 == 0:
                        insert_stone(bits, count, i, other)
                        bits, other = other, bits
                        count += 1
                # The stone that leaves is no enemy's.
                if source < LOW_BITS:
                    for i in range(size):
                        won[i] |= bits[i] & LACKING[source]
                else:
                    block = 1 << (source - LOW_BITS)
                    for first in range(0, size, 2 * block):
                        for i in range(first, first + block):
                            won[i] |= bits[i]
        last = (1 << min(level, LOW_BITS)) - 1
        won[size - 1] |= np.uint64(1) << np.uint64(last)  # no own stones left: won
        if level < LOW_BITS:
            for mask in range(last + 1):
                if won[0] >> np.uint64(last - mask) & np.uint64(1):
                    set_bit(out, (shape << level) + mask)
            continue
        for i in range(size):
            word = reverse_bits(won[size - 1 - i])
            for byte in range(8):
                out[((shape << level) >> 3) + 8 * i + byte] = np.uint8(
                    (word >> np.uint64(8 * byte)) & np.uint64(0xFF)
                )


@compiled(
    "void(i8, Array(u8, 1, 'C', readonly=True), Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1],"
    " i8[::1], Array(u1, 1, 'C', readonly=True), u1[::1])"
)
def fill_advanced(
    level: Int,
    chosen: Array,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
    out: Array,
) -> None:
    """Write the bits of the shapes with the keys `chosen`, of a level, from the levels below.

    `caps` reaches to the level itself. `out` must be 0.
    """
    rows, columns = np.zeros(MOST_CELLS, np.int64), np.zeros(MOST_CELLS, np.int64)
    part_rows, part_columns = np.zeros(MOST_CELLS, np.int64), np.zeros(MOST_CELLS, np.int64)
    members = np.zeros(MOST_CELLS, np.int64)
    order = np.zeros(MOST_CELLS + 1, np.int64)
    scratch = np.zeros((2, MOST_CELLS), np.int64)
    near = np.zeros(MOST_CELLS, np.int64)
    parts = np.zeros(4, np.int64)
    grid = np.zeros(GRID * GRID, np.int64)  # -2 outside, -1 empty, else the number of the cell
    reached = np.zeros(GRID * GRID, np.int64)
    queue = np.zeros(GRID * GRID, np.int64)
    # One entry for each move: its source, target (-1: a slide), what stays, where it leads.
    sources = np.zeros(MOST_ENTRIES, np.int64)
    targets = np.zeros(MOST_ENTRIES, np.int64)
    masks = np.zeros(MOST_ENTRIES, np.int64)
    counts = np.zeros(MOST_ENTRIES, np.int64)
    founds = np.zeros(MOST_ENTRIES, np.int64)
    turns = np.zeros(MOST_ENTRIES, np.int64)
    shifts = np.zeros((MOST_ENTRIES, 4), np.int64)
    bases = np.zeros(MOST_ENTRIES, np.int64)
    low = np.zeros((MOST_ENTRIES, 1 << LOW_BITS), np.int64)
    high = np.zeros((MOST_ENTRIES, 1 << max(0, level - LOW_BITS)), np.int64)
    steps = np.array([-GRID, -1, 1, GRID])
    cap = caps[level]
    combinations = (cap + 1) ** 4
    for shape in range(chosen.size):
        cells_of(chosen[shape], rows, columns)
        everything = link_cells(rows, columns, level, near)
        bottom, right = 0, 0
        for i in range(level):
            bottom = max(bottom, rows[i])
            right = max(right, columns[i])
        for open_sides in range(16):
            if cap == 0 and open_sides != 0:
                break
            # The shape on a grid, with a cell of margin on the sides that have any.
            grid[:] = -2
            for row in range(-(open_sides & 1), bottom + 1 + (open_sides >> 1 & 1)):
                for column in range(-(open_sides >> 2 & 1), right + 1 + (open_sides >> 3 & 1)):
                    grid[(row + 2) * GRID + column + 2] = -1
            for i in range(level):
                grid[(rows[i] + 2) * GRID + columns[i] + 2] = i
            entries = np.int64(0)
            for source in range(level):
                rest = everything & ~(np.int64(1) << source)
                number = 0
                while rest:
                    parts[number] = spread_mask(rest & -rest, rest, near, level)
                    rest &= ~parts[number]
                    number += 1
                here = (rows[source] + 2) * GRID + columns[source] + 2
                # Captures first, then the cells that the stone can slide to.
                reached[:] = 0
                start, end = 0, 0
                cell = here
                while True:
                    for way in range(4):
                        spot = cell + steps[way]
                        if grid[spot] == -1 and reached[spot] == 0:
                            reached[spot] = 1
                            queue[end] = spot
                            end += 1
                    if start == end:
                        break
                    cell = queue[start]
                    start += 1
                for choice in range(-4, end):
                    target = -1
                    kept = np.int64(0)
                    if choice < 0:
                        spot = here + steps[choice + 4]
                        target = grid[spot]
                        if target < 0:
                            continue
                        for i in range(number):
                            if parts[i] >> target & 1:
                                kept = parts[i]
                    else:
                        spot = queue[choice]
                        touched = 0
                        for i in range(number):
                            touching = False
                            for way in range(4):
                                other = grid[spot + steps[way]]
                                if other >= 0 and parts[i] >> other & 1:
                                    touching = True
                            if touching:
                                kept |= parts[i]
                                touched += 1
                        # A lonely slide loses at once; one that removes nothing is not legal.
                        if touched == 0 or touched == number:
                            continue
                    count = np.int64(0)
                    for i in range(level):
                        if kept >> i & 1:
                            members[count] = i
                            part_rows[count] = rows[i]
                            part_columns[count] = columns[i]
                            count += 1
                    stones = count
                    if target < 0:
                        part_rows[count] = spot // GRID - 2
                        part_columns[count] = spot % GRID - 2
                        stones += 1
                    key = canonical(part_rows, part_columns, stones, order, scratch)
                    sources[entries] = source
                    targets[entries] = target
                    masks[entries] = kept
                    counts[entries] = stones
                    turns[entries] = order[stones]
                    founds[entries] = find_key(
                        keys[key_starts[stones] : key_starts[stones + 1]], key
                    )
                    shifts[entries, 0] = 1 << 30
                    shifts[entries, 1] = 1 << 30
                    shifts[entries, 2] = 1 << 30
                    shifts[entries, 3] = 1 << 30
                    for i in range(stones):
                        shifts[entries, 0] = min(shifts[entries, 0], part_rows[i])
                        shifts[entries, 1] = min(shifts[entries, 1], bottom - part_rows[i])
                        shifts[entries, 2] = min(shifts[entries, 2], part_columns[i])
                        shifts[entries, 3] = min(shifts[entries, 3], right - part_columns[i])
                    make_luts(members, count, level, order, entries, low, high)
                    entries += 1
            for margins in range(combinations):
                m3 = margins % (cap + 1)
                m2 = margins // (cap + 1) % (cap + 1)
                m1 = margins // (cap + 1) ** 2 % (cap + 1)
                m0 = margins // (cap + 1) ** 3
                pattern = (m0 > 0) | (m1 > 0) << 1 | (m2 > 0) << 2 | (m3 > 0) << 3
                if pattern != open_sides:
                    continue
                for entry in range(entries):
                    count = counts[entry]
                    index = margin_index(
                        caps[count],
                        turns[entry],
                        m0 + shifts[entry, 0],
                        m1 + shifts[entry, 1],
                        m2 + shifts[entry, 2],
                        m3 + shifts[entry, 3],
                    )
                    place = founds[entry] * (caps[count] + 1) ** 4 + index
                    bases[entry] = bit_starts[count] + (place << count)
                base = (shape * combinations + margins) << level
                set_bit(out, base)  # no stones left: won
                for mask in range(1, everything):
                    for entry in range(entries):
                        if mask >> sources[entry] & 1 == 0:
                            continue
                        target = targets[entry]
                        if target >= 0 and mask >> target & 1:
                            continue
                        enemy = ~mask & masks[entry]
                        if target >= 0:
                            enemy &= ~(np.int64(1) << target)
                        image = low[entry, enemy & LOW_MASK] | high[entry, enemy >> LOW_BITS]
                        if not get_bit(wins, bases[entry] + image):
                            set_bit(out, base + mask)
                            break


@compiled("i8(Array(u8, 1, 'C', readonly=True), i8, i8, u8[::1])")
def grow_keys(keys: Array, short: Int, long: Int, grown: Array) -> Int:
    """Write the keys of all shapes with a cell more than those of `keys`, repeated; count them.

    Only of those whose bounding box has sides of at most `short` and `long` cells. With a `grown`
    of no entries only counts.
    """
    rows = np.zeros(MOST_CELLS + 1, np.int64)
    columns = np.zeros(MOST_CELLS + 1, np.int64)
    order = np.zeros(MOST_CELLS + 2, np.int64)
    scratch = np.zeros((2, MOST_CELLS + 1), np.int64)
    total = 0
    for k in range(keys.size):
        count = cells_of(keys[k], rows, columns)
        for i in range(count):
            for way in range(4):
                row = rows[i] + (way == 0) - (way == 1)
                column = columns[i] + (way == 2) - (way == 3)
                taken = False
                for j in range(count):
                    taken |= rows[j] == row and columns[j] == column
                if taken:
                    continue
                rows[count] = row
                columns[count] = column
                top, left, bottom, right = row, column, row, column
                for j in range(count):
                    top, left = min(top, rows[j]), min(left, columns[j])
                    bottom, right = max(bottom, rows[j]), max(right, columns[j])
                height, width = bottom - top + 1, right - left + 1
                if min(height, width) > short or max(height, width) > long:
                    continue
                if grown.size:
                    grown[total] = canonical(rows, columns, count + 1, order, scratch)
                total += 1
    return total


def grown_keys(keys: Array, box: Size | None = None) -> Array:
    """Return the keys, sorted, of all shapes with a cell more than those of read-only `keys`.

    All shapes of a level make all of the next; no shape makes that of one cell. With a `box`, only
    shapes that fit a board of this size, as they are or turned.
    """
    if keys.size == 0:
        return frozen(np.ones(1, np.uint64))
    short, long = sorted(box or (MOST_CELLS, MOST_CELLS))
    grown = np.zeros(grow_keys(keys, short, long, np.zeros(0, np.uint64)), np.uint64)
    grow_keys(keys, short, long, grown)
    return frozen(np.unique(grown))


def frozen(array: Array) -> Array:
    """Return an array after making it read-only, which is a type of its own to compiled code."""
    array.flags.writeable = False
    return array
