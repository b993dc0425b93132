"""Compiled proof-number search on 64-bit words: exact winners on boards up to 64 cells.

Depth-first proof-number search (Nagai 2002) over positions from the view of the side to move. The
stones only become fewer, so there are no cycles. `phi` is how hard it looks to prove that the side
to move wins, `delta` that it loses; a proved win has phi 0, a proved loss delta 0.

A position is two words, as in `kernels.bits`. With standard rules only adjacency matters, so
positions are compared after moving them to the corner, turning and mirroring; with advanced rules
after the symmetries of the board. The transposition table holds whole positions: the hash only
says where to look.

Several threads may search with one table at once, without locks. An entry is three words, numbers
and a position; what is written of the position is changed by the numbers (Hyatt and Mann 2002), so
that an entry of which threads have written parts in turn reads as another position, which no one
asks for. So numbers, once found, are always those that some thread has stored for the position.
"""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.bits import (
    MOST_MOVES,
    children_advanced,
    children_standard,
    count_bits,
    lowest,
    near,
    spread,
    suspects,
)
from formsgame.kernels.board import Array, Int
from formsgame.solver.endings import get_bit, probe
from formsgame.solver.shapes import find_key

#: What `search_slice` returns.
LOSS = 0
WIN = 1
UNKNOWN = 2

#: Bits of phi and delta in an entry of the transposition table, and of what measures the work.
NUMBER_BITS = 29
WORK_BITS = 6
#: A number no proof needs, and the largest that any may.
INFINITE = (1 << NUMBER_BITS) - 1
LARGEST = INFINITE - 1
#: Entries of the transposition table among which a position may stand.
WAYS = 4

#: Logarithm of the odds that the side to move wins a form of standard rules above the tables, from
#: the solved ones among those that searches met: a constant, for each enemy stone that is next to
#: another, and for an enemy who would win with the move.
HOPE = (0.5, 0.5, -2.8)
#: How phi and delta grow with what is to be proved: a win needs one move, a loss all of them; and
#: with each stone above the tables. Tuned by the positions that small boards took.
WIN_WEIGHT = 2.0
LOSS_WEIGHT = 0.1
DEPTH_WEIGHT = 0.5

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_EIGHT = np.uint64(8)
_FIRST_COLUMN = np.uint64(0x0101010101010101)


@compiled("i8(u8)", inline=True)
def lowest_index(cells: Int) -> Int:
    """Return the index of the lowest bit of a word that is not 0."""
    return count_bits(lowest(cells) - _ONE)


@compiled("u8(u8)", inline=True)
def flip_rows(cells: Int) -> Int:
    """Return a word with its rows in reverse order."""
    x = cells
    x = (x >> np.uint64(32)) | (x << np.uint64(32))
    low16 = np.uint64(0x0000FFFF0000FFFF)
    x = ((x >> np.uint64(16)) & low16) | ((x & low16) << np.uint64(16))
    low8 = np.uint64(0x00FF00FF00FF00FF)
    return ((x >> _EIGHT) & low8) | ((x & low8) << _EIGHT)


@compiled("u8(u8)", inline=True)
def flip_columns(cells: Int) -> Int:
    """Return a word with its columns in reverse order."""
    x = cells
    m1 = np.uint64(0x5555555555555555)
    m2 = np.uint64(0x3333333333333333)
    m4 = np.uint64(0x0F0F0F0F0F0F0F0F)
    x = ((x >> _ONE) & m1) | ((x & m1) << _ONE)
    x = ((x >> np.uint64(2)) & m2) | ((x & m2) << np.uint64(2))
    return ((x >> np.uint64(4)) & m4) | ((x & m4) << np.uint64(4))


@compiled("u8(u8)", inline=True)
def transpose(cells: Int) -> Int:
    """Return a word with rows and columns exchanged."""
    x = cells
    t = (x ^ (x >> np.uint64(7))) & np.uint64(0x00AA00AA00AA00AA)
    x = x ^ t ^ (t << np.uint64(7))
    t = (x ^ (x >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
    x = x ^ t ^ (t << np.uint64(14))
    t = (x ^ (x >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
    return x ^ t ^ (t << np.uint64(28))


@compiled("i8(u8)", inline=True)
def height(stones: Int) -> Int:
    """Return the number of rows up to the last stone."""
    rows = 1
    if stones >> np.uint64(32) != _ZERO:
        rows += 4
        stones >>= np.uint64(32)
    if stones >> np.uint64(16) != _ZERO:
        rows += 2
        stones >>= np.uint64(16)
    return rows + np.int64(stones >> _EIGHT != _ZERO)


@compiled("i8(u8)", inline=True)
def fold_rows(stones: Int) -> Int:
    """Return which columns hold a stone, in the first eight bits."""
    folded = stones | (stones >> np.uint64(32))
    folded |= folded >> np.uint64(16)
    folded |= folded >> _EIGHT
    return folded & np.uint64(0xFF)


@compiled("void(i8, i8, u8[::1], i8, i8)", inner=True)
def normalize_long(rows: Int, stride: Int, pair: Array, moves: Int, columns: Int) -> None:
    """Do the work of `normalize` on a board longer than 8 cells, which is never transposed."""
    top, left = 64, 64
    bottom, right = rows - 1, columns - 1
    if moves:
        bottom, right = 0, 0
        for cell in range(rows * stride):
            if (pair[0] | pair[1]) >> np.uint64(cell) & _ONE:
                top = min(top, cell // stride)
                left = min(left, cell % stride)
                bottom = max(bottom, cell // stride)
                right = max(right, cell % stride)
    else:
        top, left = 0, 0
    best_own, best_enemy = pair[0], pair[1]
    for symmetry in range(4):
        own, enemy = _ZERO, _ZERO
        for word in range(2):
            left_over = pair[word]
            turned = _ZERO
            while left_over != _ZERO:
                cell = lowest(left_over)
                left_over ^= cell
                index = lowest_index(cell)
                row, column = index // stride - top, index % stride - left
                if symmetry & 1:
                    row = bottom - top - row
                if symmetry & 2:
                    column = right - left - column
                turned |= _ONE << np.uint64(row * stride + column)
            if word == 0:
                own = turned
            else:
                enemy = turned
        if symmetry == 0 or own < best_own or (own == best_own and enemy < best_enemy):
            best_own, best_enemy = own, enemy
    pair[0] = best_own
    pair[1] = best_enemy


@compiled("void(i8, i8, i8, i8, u8[::1])")
def normalize(rules: Int, rows: Int, columns: Int, stride: Int, pair: Array) -> None:
    """Replace a position, pair[0] the own and pair[1] the enemy's stones, by its first equal.

    Equal are those of which one becomes the other by the symmetries that the rules allow: with
    standard rules a form may be moved too, and lies in the corner, at least as wide as high.
    """
    if stride != 8:
        normalize_long(rows, stride, pair, rules == 0, columns)
        return
    own, enemy = pair[0], pair[1]
    square = rows == columns
    if rules == 0:
        stones = own | enemy
        shift = np.uint64((lowest_index(stones) & ~7) + lowest_index(fold_rows(stones)))
        own >>= shift
        enemy >>= shift
        stones >>= shift
        rows = height(stones)
        columns = np.int64(1)
        folded = fold_rows(stones) >> _ONE
        while folded != _ZERO:
            columns += 1
            folded >>= _ONE
        square = rows == columns
        if rows > columns:
            own, enemy = transpose(own), transpose(enemy)
            rows, columns = columns, rows
    down = np.uint64(8 * (8 - rows))
    right = np.uint64(8 - columns)
    best_own, best_enemy = own, enemy
    for _ in range(2):
        for symmetry in range(4):
            turned = own
            if symmetry & 1:
                turned = flip_rows(turned) >> down
            if symmetry & 2:
                turned = flip_columns(turned) >> right
            if turned > best_own:
                continue
            turned_enemy = enemy
            if symmetry & 1:
                turned_enemy = flip_rows(turned_enemy) >> down
            if symmetry & 2:
                turned_enemy = flip_columns(turned_enemy) >> right
            if turned < best_own or turned_enemy < best_enemy:
                best_own, best_enemy = turned, turned_enemy
        if not square:
            break
        own, enemy = transpose(own), transpose(enemy)
    pair[0] = best_own
    pair[1] = best_enemy


@compiled("i8(u8, u8, i8)", inline=True)
def slot_of(own: Int, enemy: Int, size: Int) -> Int:
    """Return where a table of `size` entries, a power of two, may hold a position."""
    z = own * np.uint64(0x9E3779B97F4A7C15) ^ enemy * np.uint64(0xC2B2AE3D27D4EB4F)
    z = (z ^ (z >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(32)
    return np.int64(z & np.uint64(size - 1)) & ~(WAYS - 1)


@compiled("u8(i8, i8, i8)", inline=True)
def pack(phi: Int, delta: Int, work: Int) -> Int:
    """Return numbers as one word, which is not 0; of the work only its number of bits."""
    bits = np.int64(1)
    while work > 1:
        bits += 1
        work >>= 1
    return np.uint64((phi << (NUMBER_BITS + WORK_BITS)) | (delta << WORK_BITS) | bits)


@compiled("i8(u8)", inline=True)
def phi_of(packed: Int) -> Int:
    """Return phi of packed numbers."""
    return np.int64(packed >> np.uint64(NUMBER_BITS + WORK_BITS))


@compiled("i8(u8)", inline=True)
def delta_of(packed: Int) -> Int:
    """Return delta of packed numbers."""
    return np.int64((packed >> np.uint64(WORK_BITS)) & np.uint64(INFINITE))


@compiled("u8(u8)", inline=True)
def mask_of(packed: Int) -> Int:
    """Return what the first word of an entry is changed by; its halves exchanged, the second."""
    return packed * np.uint64(0x9E3779B97F4A7C15)


@compiled("u8(u8)", inline=True)
def exchange_halves(word: Int) -> Int:
    """Return a word with its upper and its lower half exchanged."""
    return (word >> np.uint64(32)) | (word << np.uint64(32))


@compiled("u8(u8, u8, u8[:, ::1])", inline=True)
def find_numbers(own: Int, enemy: Int, table: Array) -> Int:
    """Return the packed numbers that the table has for a position, 0 if it has none."""
    slot = slot_of(own, enemy, table.shape[0])
    for entry in range(slot, slot + WAYS):
        packed = table[entry, 2]
        mask = mask_of(packed)
        if table[entry, 0] ^ mask == own and table[entry, 1] ^ exchange_halves(mask) == enemy:
            return packed
    return _ZERO


@compiled("void(u8, u8, i8, i8, i8, u8[:, ::1])")
def store(own: Int, enemy: Int, phi: Int, delta: Int, work: Int, table: Array) -> None:
    """Put a position into the table, over the entry on which least work was spent."""
    slot = slot_of(own, enemy, table.shape[0])
    chosen = slot
    least = np.uint64(1 << WORK_BITS)
    for entry in range(slot, slot + WAYS):
        packed = table[entry, 2]
        mask = mask_of(packed)
        if table[entry, 0] ^ mask == own and table[entry, 1] ^ exchange_halves(mask) == enemy:
            chosen = entry
            break
        if packed & np.uint64((1 << WORK_BITS) - 1) < least:
            least = packed & np.uint64((1 << WORK_BITS) - 1)
            chosen = entry
    packed = pack(phi, delta, work)
    mask = mask_of(packed)
    table[chosen, 0] = own ^ mask
    table[chosen, 1] = enemy ^ exchange_halves(mask)
    table[chosen, 2] = packed


@compiled("b1(u8, u8[::1])", inline=True)
def touching(stones: Int, layout: Array) -> bool:
    """Tell whether two of some stones are next to each other.

    With standard rules a side to move loses against stones of which no two are: whatever it
    captures, another of them captures back on the same cell, and again no two are.
    """
    below = stones & (stones << layout[1])
    return below | (stones & ((stones << _ONE) & layout[2])) != _ZERO


@compiled("b1(u8, u8, u8[::1])")
def recaptures(own: Int, enemy: Int, layout: Array) -> bool:
    """Tell whether a move of standard rules leaves own stones of which no two are adjacent.

    And an enemy stone: such a move wins, see `touching`.
    """
    stride, first, last = layout[1], layout[2], layout[3]
    stones = own | enemy
    unsafe = suspects(stones, stride, first, last)
    sources = own
    while sources != _ZERO:
        source = lowest(sources)
        sources ^= source
        stay = own ^ source
        if source & unsafe == _ZERO:
            around = near(stay, stride, first, last)
            if (
                stay & around == _ZERO
                and enemy & ~around != _ZERO
                and enemy & (enemy - _ONE) != _ZERO
            ):
                return True
            continue
        rest = stones ^ source
        while rest != _ZERO:
            part = spread(lowest(rest), rest, stride, first, last)
            rest ^= part
            left = enemy & part
            if left & (left - _ONE) != _ZERO:
                around = near(stay & part, stride, first, last)
                if stay & part & around == _ZERO and left & ~around != _ZERO:
                    return True
    return False


@compiled("i8(u8, u8, i8, i8, i8, i8, i8[:, ::1])", inner=True)
def probe_words(
    own: Int,
    enemy: Int,
    rows: Int,
    columns: Int,
    stride: Int,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
    scratch: Array,
) -> Int:
    """Return 1 if the side to move wins a position that the tables hold."""
    left = own | enemy
    count = 0
    mask = 0
    margins = scratch[5]
    margins[0] = margins[2] = 64
    bottom, right = 0, 0
    while left != _ZERO:
        cell = lowest(left)
        left ^= cell
        index = lowest_index(cell)
        row, column = index // stride, index % stride
        scratch[0, count] = row
        scratch[1, count] = column
        margins[0] = min(margins[0], row)
        margins[2] = min(margins[2], column)
        bottom = max(bottom, row)
        right = max(right, column)
        if own & cell != _ZERO:
            mask |= 1 << count
        count += 1
    margins[1] = rows - 1 - bottom
    margins[3] = columns - 1 - right
    return probe(
        scratch[0],
        scratch[1],
        count,
        mask,
        margins,
        keys,
        key_starts,
        bit_starts,
        caps,
        wins,
        scratch[2],
        scratch[3:5],
    )


@compiled("u8(u8, i8, i8)", inline=True)
def pack_rows(cells: Int, rows: Int, columns: Int) -> Int:
    """Return the cells of the first rows and columns of a word of stride 8 one after the other."""
    packed = _ZERO
    for row in range(rows):
        packed |= ((cells >> np.uint64(8 * row)) & np.uint64(0xFF)) << np.uint64(columns * row)
    return packed


@compiled(
    "i8(u8, u8, Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1],"
    " Array(u1, 1, 'C', readonly=True))"
)
def probe_form(
    own: Int, enemy: Int, keys: Array, key_starts: Array, bit_starts: Array, wins: Array
) -> Int:
    """Return what `endings.probe` does of a form of standard rules that `normalize` has laid down.

    On words of stride 8, where the shape's key is made of whole rows.
    """
    stones = own | enemy
    rows = height(stones)
    columns = np.int64(1)
    folded = fold_rows(stones) >> _ONE
    while folded != _ZERO:
        columns += 1
        folded >>= _ONE
    if rows * columns > 56:
        return -1
    down = np.uint64(8 * (8 - rows))
    right = np.uint64(8 - columns)
    best, best_own = np.uint64(0xFFFFFFFFFFFFFFFF), own
    for _ in range(2):
        for symmetry in range(4):
            turned = stones
            turned_own = own
            if symmetry & 1:
                turned = flip_rows(turned) >> down
                turned_own = flip_rows(turned_own) >> down
            if symmetry & 2:
                turned = flip_columns(turned) >> right
                turned_own = flip_columns(turned_own) >> right
            cells = pack_rows(turned, rows, columns)
            if cells < best:
                best, best_own = cells, turned_own
        if rows != columns:
            break
        own, stones = transpose(own), transpose(stones)
    count = count_bits(best)
    key = np.uint64(rows - 1) << np.uint64(60) | np.uint64(columns - 1) << np.uint64(56) | best
    place = find_key(keys[key_starts[count] : key_starts[count + 1]], key)
    if place < 0:
        return -1
    own = pack_rows(best_own, rows, columns)
    mask = np.int64(0)
    stone = np.int64(1)
    while best != _ZERO:
        cell = lowest(best)
        best ^= cell
        if own & cell != _ZERO:
            mask |= stone
        stone <<= 1
    return np.int64(get_bit(wins, bit_starts[count] + (place << count) + mask))


@compiled(
    "i8(i8, i8, i8, u8[::1], i8, i8, i8, u8[:, ::1], u8[:, ::1], u8[:, ::1], i8[:, ::1],"
    " i8[:, ::1], i8[:, ::1], i8[::1], Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1],"
    " i8[::1], Array(u1, 1, 'C', readonly=True), i8, i8[::1], i8[:, ::1], u8[::1])"
)
def search_slice(
    rules: Int,
    rows: Int,
    columns: Int,
    layout: Array,
    budget: Int,
    epsilon: Int,
    noise: Int,
    table: Array,
    owns: Array,
    enemies: Array,
    phis: Array,
    deltas: Array,
    frames: Array,
    level: Array,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
    levels_known: Int,
    seen: Array,
    scratch: Array,
    pair: Array,
) -> Int:
    """Search for about `budget` positions; returns WIN or LOSS for the root, or UNKNOWN.

    The search stands in the caller's arrays between slices. Row d of `owns`, `enemies`, `phis` and
    `deltas` [levels, MOST_MOVES] holds the children of the position at depth d; row d of `frames`
    int64[levels, 8]: phi and delta thresholds, number of children (-1: not made yet), the child
    under search, the position's own two words, work spent. `level[0]` is the depth of the search,
    `level[1]` counts positions. To start, put the root's words into frames[0, 4:6], INFINITE into
    both thresholds, -1 into frames[0, 2], and 0 into level[0].

    `table` uint64[n, 3], n a power of two, is the transposition table, 0 to start; threads may
    share it. `noise` other than 0 makes a thread take another way through the search than those
    with another noise do, to the same result.
    """
    opened = 0
    stride = np.int64(layout[1])
    at = level[0]
    while True:
        frame = frames[at]
        if frame[2] < 0:
            if opened >= budget:
                level[0] = at
                return UNKNOWN
            opened += 1
            level[1] += 1
            own = np.uint64(frame[4])
            enemy = np.uint64(frame[5])
            # What moved is the enemy of what moves next.
            if rules == 0:
                made = children_standard(own, enemy, layout, enemies[at], owns[at])
            else:
                made = children_advanced(own, enemy, layout, enemies[at], owns[at])
            kept = 0
            seen[0] += 1
            for i in range(made):
                pair[0] = owns[at, i]
                pair[1] = enemies[at, i]
                if pair[0] == _ZERO:
                    continue  # the other side has run out and won: this move only loses
                normalize(rules, rows, columns, stride, pair)
                # Equal children count once. `seen` is a small table of places, by generation.
                place = np.int64(
                    (
                        pair[0] * np.uint64(0x9E3779B97F4A7C15)
                        ^ pair[1] * np.uint64(0xC2B2AE3D27D4EB4F)
                    )
                    >> np.uint64(53)
                )
                double = False
                while seen[1 + 2 * place] == seen[0]:
                    other = seen[2 + 2 * place]
                    if owns[at, other] == pair[0] and enemies[at, other] == pair[1]:
                        double = True
                        break
                    place = (place + 1) & 2047
                if double:
                    continue
                seen[1 + 2 * place] = seen[0]
                seen[2 + 2 * place] = kept
                owns[at, kept] = pair[0]
                enemies[at, kept] = pair[1]
                won = np.int64(-1)
                own_count = count_bits(pair[0])
                enemy_count = count_bits(pair[1])
                packed = _ZERO
                if rules == 0 and not touching(pair[1], layout):
                    won = np.int64(0)
                elif own_count + enemy_count <= levels_known:
                    if rules == 0 and stride == 8:
                        won = probe_form(pair[0], pair[1], keys, key_starts, bit_starts, wins)
                    else:
                        won = probe_words(
                            pair[0],
                            pair[1],
                            rows,
                            columns,
                            stride,
                            keys,
                            key_starts,
                            bit_starts,
                            caps,
                            wins,
                            scratch,
                        )
                if won < 0:
                    packed = find_numbers(pair[0], pair[1], table)
                    if packed == _ZERO and rules == 0 and recaptures(pair[0], pair[1], layout):
                        won = np.int64(1)
                if won >= 0:
                    phis[at, kept] = 0 if won else INFINITE
                    deltas[at, kept] = INFINITE if won else 0
                elif packed != _ZERO:
                    phis[at, kept] = phi_of(packed)
                    deltas[at, kept] = delta_of(packed)
                else:
                    phi, delta = np.int64(1), np.int64(1)
                    if rules == 0:
                        hope = HOPE[0] + HOPE[1] * count_bits(
                            pair[1] & near(pair[1], layout[1], layout[2], layout[3])
                        )
                        if recaptures(pair[1], pair[0], layout):
                            hope += HOPE[2]
                        depth = 1 + DEPTH_WEIGHT * max(0, own_count + enemy_count - levels_known)
                        phi += np.int64(WIN_WEIGHT * depth * np.log1p(np.exp(-hope)))
                        delta += np.int64(
                            LOSS_WEIGHT * depth * (own_count * enemy_count) * np.log1p(np.exp(hope))
                        )
                    phis[at, kept] = phi
                    deltas[at, kept] = delta
                    if noise != 0:
                        mixed = (pair[0] ^ np.uint64(noise)) * np.uint64(0x9E3779B97F4A7C15)
                        mixed = (mixed ^ pair[1]) * np.uint64(0xC2B2AE3D27D4EB4F)
                        phis[at, kept] += np.int64(mixed >> np.uint64(63))
                        deltas[at, kept] += np.int64((mixed >> np.uint64(62)) & _ONE)
                kept += 1
                if deltas[at, kept - 1] == 0:
                    break  # one winning move is enough
            frame[2] = kept
            frame[6] += made
        # Sum up the children: phi is the least delta, delta the sum of phis.
        phi, second, delta = np.int64(INFINITE), np.int64(INFINITE), np.int64(0)
        best = -1
        for i in range(frame[2]):
            if deltas[at, i] < phi:
                second = phi
                phi = deltas[at, i]
                best = i
            elif deltas[at, i] < second:
                second = deltas[at, i]
            delta = min(np.int64(INFINITE), delta + phis[at, i])
        if phi == 0:
            delta = np.int64(INFINITE)
        elif delta > 0:
            # A number that has grown too large to be told must not look like a proof.
            delta = min(delta, np.int64(LARGEST))
        if phi >= frame[0] or delta >= frame[1] or phi == 0 or delta == 0:
            store(np.uint64(frame[4]), np.uint64(frame[5]), phi, delta, frame[6], table)
            if at == 0:
                level[0] = 0
                return WIN if phi == 0 else LOSS
            at -= 1
            child = frames[at, 3]
            phis[at, child] = phi
            deltas[at, child] = delta
            frames[at, 6] += frame[6]
            continue
        packed = find_numbers(owns[at, best], enemies[at, best], table)
        if packed != _ZERO and (
            phi_of(packed) != phis[at, best] or delta_of(packed) != deltas[at, best]
        ):
            # Met in another way, or by another thread, since it was made.
            phis[at, best] = phi_of(packed)
            deltas[at, best] = delta_of(packed)
            continue
        frame[3] = best
        below = frames[at + 1]
        below[0] = min(INFINITE, frame[1] - delta + phis[at, best])
        below[1] = min(frame[0], second + 1 + second * epsilon // 100)
        below[2] = -1
        below[4] = np.int64(owns[at, best])
        below[5] = np.int64(enemies[at, best])
        below[6] = 0
        at += 1


assert MOST_MOVES <= 2048
