"""Compiled proof-number search on boards of any size, for positions that 64-bit words do not hold.

The search is that of `search`. A position here is a key: what its form looks like, up to the
symmetries that the rules allow, with the margins of `endings` as far as n - 2 cells: so that what
was found of a form holds wherever it lies, on any board. Slides to where a stone touches none
lose, and all others end next to a stone; so the width of a board costs nothing.

A key is uint64[words]: height - 1, width - 1 and the margins top, bottom, left and right take five
bits each, from bit 32 on lie the cells of the bounding box, row by row: first those that hold
stones of the side to move, then those that hold the enemy's. No two positions share a key.
"""

from __future__ import annotations

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.board import CELLS, RING_SAFE, STRIDE, Array, Int, step
from formsgame.notation import format_cell
from formsgame.position import Move, Position
from formsgame.rules import STANDARD
from formsgame.solver.clock import Clock
from formsgame.solver.endings import probe
from formsgame.solver.search import INFINITE, LOSS, UNKNOWN, WAYS, WIN
from formsgame.solver.tables import Table

#: What `search_slice` returns when the arena has no room for another position's children.
FULL = 3
#: By how many per cent a child may exceed the second best before the search turns to that.
EPSILON = 10
#: Stones of children after which a slice ends, so that it takes some hundredths of a second.
EFFORT = 1 << 20
#: Entries of an arena to begin with.
ARENA = 1 << 12

#: Marks of a grid; stones are marked by their numbers, from 0.
EMPTY = -1
OUTSIDE = -2

#: Neighbors in the order of `kernels.board.ring`.
_AROUND = np.array(
    [1, STRIDE + 1, STRIDE, STRIDE - 1, -1, -STRIDE - 1, -STRIDE, -STRIDE + 1], np.int64
)

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_MARGINS = 10
_CELLS = 32


@compiled("i8(i8, i8[:, ::1], i8, i8, i8, u8[::1], u8[::1])")
def encode(
    rules: Int, stones: Array, count: Int, rows: Int, columns: Int, key: Array, other: Array
) -> Int:
    """Write the key of a form on a board of `rows` and `columns`; returns the symmetry it took.

    `stones` int64[3, >= count] has rows, columns, and 0 for stones of the side to move or 1 for the
    enemy's. `other` is scratch of the same size as the key.

    Symmetries are numbered as in `shapes`. Which of them to try is told by where the weight of the
    stones lies; where that is even, both sides are.
    """
    top, left = stones[0, 0], stones[1, 0]
    bottom, right = top, left
    weight = np.int64(0)
    down, across = np.int64(0), np.int64(0)
    for i in range(count):
        row, column = stones[0, i], stones[1, i]
        top = min(top, row)
        bottom = max(bottom, row)
        left = min(left, column)
        right = max(right, column)
        heavy = 5 + 2 * stones[2, i]
        weight += heavy
        down += heavy * row
        across += heavy * column
    down = 2 * down - weight * (top + bottom)
    across = 2 * across - weight * (left + right)
    height, width = bottom - top + 1, right - left + 1
    cap = np.int64(0) if rules == 0 else max(0, count - 2)
    above, below = min(top, cap), min(rows - 1 - bottom, cap)
    before, behind = min(left, cap), min(columns - 1 - right, cap)
    tall = height - width
    if tall == 0:
        tall = abs(down) - abs(across)
    chosen = np.int64(-1)
    for symmetry in range(8):
        if symmetry & 4:
            if tall > 0:
                break
        elif tall < 0:
            continue
        if (down < 0) if symmetry & 2 == 0 else (down > 0):
            continue
        if (across < 0) if symmetry & 1 == 0 else (across > 0):
            continue
        turned = key if chosen < 0 else other
        for word in range(turned.size):
            turned[word] = _ZERO
        up, low = (below, above) if symmetry & 2 else (above, below)
        near, far = (behind, before) if symmetry & 1 else (before, behind)
        high, wide = height, width
        if symmetry & 4:
            up, low, near, far = near, far, up, low
            high, wide = width, height
        size = high * wide
        turned[0] = np.uint64(
            (high - 1)
            | (wide - 1) << 5
            | up << _MARGINS
            | low << (_MARGINS + 5)
            | near << (_MARGINS + 10)
            | far << (_MARGINS + 15)
        )
        for i in range(count):
            row = bottom - stones[0, i] if symmetry & 2 else stones[0, i] - top
            column = right - stones[1, i] if symmetry & 1 else stones[1, i] - left
            place = column * wide + row if symmetry & 4 else row * wide + column
            place += _CELLS + stones[2, i] * size
            turned[place >> 6] |= _ONE << np.uint64(place & 63)
        if chosen < 0:
            chosen = np.int64(symmetry)
            continue
        for word in range(key.size):
            if other[word] != key[word]:
                if other[word] < key[word]:
                    # Not all at once: to say how that could fail, Numba would compile its texts.
                    for place in range(word, key.size):
                        key[place] = other[place]
                    chosen = np.int64(symmetry)
                break
    return chosen


@compiled("i8(u8[::1], i8[:, ::1], i2[::1], i8[::1])", inner=True)
def decode(key: Array, stones: Array, grid: Array, sizes: Array) -> Int:
    """Put the form of a key on a board as large as it can feel; returns the number of stones.

    `stones` is filled as for `encode`; `grid` int16[CELLS] gets the stones' numbers, EMPTY for
    empty cells that stones may go to or pass and OUTSIDE for all others, the cell of row and
    column (both from 0 at the top left) at (column + 1) * STRIDE + row + 1; `sizes` gets rows and
    columns of the board.
    """
    head: Int = np.int64(key[0] & np.uint64(0x3FFFFFFF))
    height, width = (head & 31) + 1, (head >> 5 & 31) + 1
    top, left = head >> _MARGINS & 31, head >> (_MARGINS + 10) & 31
    sizes[0] = top + height + (head >> (_MARGINS + 5) & 31)
    sizes[1] = left + width + (head >> (_MARGINS + 15) & 31)
    grid[:] = OUTSIDE
    for column in range(max(0, left - 1), min(sizes[1], left + width + 1)):
        start = (column + 1) * STRIDE + 1
        for row in range(max(0, top - 1), min(sizes[0], top + height + 1)):
            grid[start + row] = EMPTY
    count = 0
    size = height * width
    for owner in range(2):
        place = _CELLS + owner * size
        end = place + size
        while place < end:
            left_over = key[place >> 6] >> np.uint64(place & 63)
            if left_over == _ZERO:
                place = (place >> 6) + 1 << 6
                continue
            if left_over & _ONE != _ZERO:
                cell = place - _CELLS - owner * size
                stones[0, count] = top + cell // width
                stones[1, count] = left + cell % width
                stones[2, count] = owner
                grid[(stones[1, count] + 1) * STRIDE + stones[0, count] + 1] = count
                count += 1
            place += 1
    return count


@compiled("i8(i2[::1], i8[:, ::1], i8, u1[::1], u2[::1], u2[::1])", inner=True)
def find_shore(
    grid: Array, stones: Array, count: Int, region: Array, shore: Array, queue: Array
) -> Int:
    """Write the empty cells next to stones into `shore`; count them.

    `region` uint8[CELLS] gets for all empty cells the number, from 1, of the part of the board
    over which stones can slide to it.
    """
    region[:] = 0
    regions, found = 0, 0
    for i in range(count):
        cell = (stones[1, i] + 1) * STRIDE + stones[0, i] + 1
        for way in range(4):
            head = cell + step(way)
            if grid[head] != EMPTY or region[head] != 0:
                continue
            regions += 1
            region[head] = regions
            queue[0] = head
            start, end = 0, 1
            while start < end:
                at = np.int64(queue[start])
                start += 1
                is_shore = False
                for to in range(4):
                    near = at + step(to)
                    if grid[near] >= 0:
                        is_shore = True
                    elif grid[near] == EMPTY and region[near] == 0:
                        region[near] = regions
                        queue[end] = near
                        end += 1
                if is_shore:
                    shore[found] = at
                    found += 1
    return found


@compiled("i8(i2[::1], i8, i8, u1[::1], u2[::1])", inner=True)
def label_stones(grid: Array, source: Int, count: Int, label: Array, queue: Array) -> Int:
    """Label the parts into which the form falls when the stone on `source` leaves; count them.

    `label` uint8[count] gets for each stone the number, from 0, of its part.
    """
    ring = 0
    for k in range(8):
        ring |= (grid[source + _AROUND[k]] >= 0) << k
    label[:count] = 255
    if RING_SAFE[ring]:
        label[:count] = 0
        return 1
    moved = grid[source]
    label[moved] = 254
    parts = 0
    for direction in range(4):
        head = grid[source + step(direction)]
        if head < 0 or label[head] != 255:
            continue
        label[head] = parts
        queue[0] = source + step(direction)
        start, end = 0, 1
        while start < end:
            cell = np.int64(queue[start])
            start += 1
            for way in range(4):
                near = cell + step(way)
                if grid[near] >= 0 and label[grid[near]] == 255:
                    label[grid[near]] = parts
                    queue[end] = near
                    end += 1
        parts += 1
    return parts


@compiled("i8(u8[::1], i8)", inline=True)
def slot_of(key: Array, size: Int) -> Int:
    """Return where a table of `size` entries, a power of two, may hold a position."""
    z = _ZERO
    for word in range(key.size):
        z = (z ^ key[word]) * np.uint64(0x9E3779B97F4A7C15)
        z ^= z >> np.uint64(29)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(32)
    return np.int64(z & np.uint64(size - 1))


@compiled("i8(u8[::1], u8[:, ::1], i8)", inline=True)
def find_entry(key: Array, table: Array, slot: Int) -> Int:
    """Return the entry from `slot` on that holds a position, -1 if none does."""
    for entry in range(slot, slot + WAYS):
        if table[entry, 0] == key[0]:
            same = True
            for word in range(1, key.size):
                same &= table[entry, word] == key[word]
            if same:
                return entry
    return -1


@compiled("void(u8[::1], i8, i8, i8, u8[:, ::1], u4[:, ::1])", inner=True)
def store(key: Array, phi: Int, delta: Int, work: Int, table: Array, numbers: Array) -> None:
    """Put a position into the table, over the entry on which least work was spent."""
    slot = slot_of(key, table.shape[0]) & ~(WAYS - 1)
    chosen = find_entry(key, table, slot)
    if chosen < 0:
        chosen = slot
        for entry in range(slot, slot + WAYS):
            if numbers[entry, 2] < numbers[chosen, 2]:
                chosen = entry
        for word in range(key.size):
            table[chosen, word] = key[word]
    numbers[chosen, 0] = phi
    numbers[chosen, 1] = delta
    numbers[chosen, 2] = min(max(work, 1), 0xFFFFFFFF)


@compiled("b1(i2[::1], i8[:, ::1], i8, i8, i8, u1[::1], i8)", inner=True)
def touching(
    grid: Array, stones: Array, own: Int, source: Int, target: Int, label: Array, kept: Int
) -> bool:
    """Tell whether two own stones are next to each other after a capture; see `search.touching`.

    `kept` are the parts that stay, one bit each.
    """
    for i in range(own):
        if i == source or kept >> label[i] & 1 == 0:
            continue
        cell = (stones[1, i] + 1) * STRIDE + stones[0, i] + 1
        for way in range(4):
            near = cell + step(way)
            if near == target or (grid[near] >= 0 and grid[near] < own and grid[near] != source):
                return True
    return False


@compiled(
    "i8(i8, i8, i8[:, ::1], i8, i8, i8, u8[:, ::1], i8[:, ::1], u8[:, ::1], u4[:, ::1], i8[::1],"
    " i8, i8, Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1], i8[::1],"
    " Array(u1, 1, 'C', readonly=True), i8, i8[:, ::1], u8[::1])",
    inner=True,
)
def add_child(
    rules: Int,
    own: Int,
    stones: Array,
    count: Int,
    rows: Int,
    columns: Int,
    arena: Array,
    values: Array,
    table: Array,
    numbers: Array,
    seen: Array,
    start: Int,
    kept: Int,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
    levels_known: Int,
    scratch: Array,
    other: Array,
) -> Int:
    """Look at the position after a move and put it into the arena if it must be searched.

    Returns LOSS if the side to move there loses, WIN if it wins, UNKNOWN if it was added and FULL
    if it stood there before.
    """
    if count <= levels_known:
        mask = 0
        margins = scratch[5]
        margins[0] = margins[2] = CELLS
        bottom, right = 0, 0
        for i in range(count):
            margins[0] = min(margins[0], stones[0, i])
            margins[2] = min(margins[2], stones[1, i])
            bottom = max(bottom, stones[0, i])
            right = max(right, stones[1, i])
            if stones[2, i] == 0:
                mask |= 1 << i
        margins[1] = rows - 1 - bottom
        margins[3] = columns - 1 - right
        return probe(
            stones[0],
            stones[1],
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
    key = arena[start + kept]
    encode(rules, stones, count, rows, columns, key, other)
    slot = slot_of(key, table.shape[0])
    entry = find_entry(key, table, slot & ~(WAYS - 1))
    if entry >= 0:
        if numbers[entry, 0] == 0:
            return WIN
        if numbers[entry, 1] == 0:
            return LOSS
    # Equal children count once. `seen` is a small table of places, by generation.
    place = slot & (seen.size // 2 - 1)
    for _ in range(16):
        if seen[1 + 2 * place] != seen[0]:
            seen[1 + 2 * place] = seen[0]
            seen[2 + 2 * place] = kept
            break
        same = True
        for word in range(key.size):
            same &= arena[start + seen[2 + 2 * place], word] == key[word]
        if same:
            return FULL
        place = (place + 1) & (seen.size // 2 - 1)
    if entry >= 0:
        values[start + kept, 0] = numbers[entry, 0]
        values[start + kept, 1] = numbers[entry, 1]
    elif rules == 0:
        # Fewer stones than the enemy's are the best sign there is.
        enemy = count - own
        values[start + kept, 0] = 1 + max(0, own - enemy + 2)
        values[start + kept, 1] = 1 + max(0, enemy - own + 2)
    else:
        values[start + kept, 0] = 1
        values[start + kept, 1] = 1
    return UNKNOWN


@compiled(
    "i8(i8, i8, u8[:, ::1], u4[:, ::1], u8[:, ::1], i8[:, ::1], i8[:, ::1], i8[::1],"
    " Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1], i8[::1],"
    " Array(u1, 1, 'C', readonly=True), i8, i8[::1], i8[:, ::1], i8[:, ::1], i8[:, ::1],"
    " i2[::1], u1[:, ::1], u2[:, ::1], u8[::1])"
)
def search_slice(
    rules: Int,
    budget: Int,
    table: Array,
    numbers: Array,
    arena: Array,
    values: Array,
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
    stones: Array,
    after: Array,
    grid: Array,
    marks: Array,
    cells: Array,
    other: Array,
) -> Int:
    """Search for about `budget` positions; returns WIN or LOSS for the root, UNKNOWN or FULL.

    With many stones a slice may end sooner, and within a position.

    The search stands in the caller's arrays between slices. `arena` uint64[n, words] holds the keys
    of the root and of the children of all positions on the way to the one under search, `values`
    int64[n, 3] their phi, delta and the move that leads to them. Row d of `frames` int64[levels, 7]
    belongs to depth d: phi and delta thresholds, where its children begin, their number (-1 - s:
    made up to stone s alone), the child under search or, at the end, the winning one, work spent,
    and children made so far. `level[0]` is the depth, `level[1]` counts positions. To start, put
    the root's key into arena[0], INFINITE into both thresholds, 1 into frames[0, 2], -1 into
    frames[0, 3] and 0 into level[0].
    """
    opened, effort = np.int64(0), np.int64(0)
    at = level[0]
    sizes = scratch[6]
    label, region = marks[0], marks[1]
    queue, shore, targets = cells[0], cells[1], cells[2]
    while True:
        frame = frames[at]
        key = arena[0]
        if at > 0:
            key = arena[frames[at - 1, 2] + frames[at - 1, 4]]
        phi, second, delta = np.int64(INFINITE), np.int64(INFINITE), np.int64(0)
        if frame[3] < 0:
            if opened >= budget:
                level[0] = at
                return UNKNOWN
            count = decode(key, stones, grid, sizes)
            rows, columns = sizes[0], sizes[1]
            start = frame[2]
            own = np.int64(0)
            for i in range(count):
                own += np.int64(stones[2, i] == 0)
            on_shore = np.int64(0)
            if rules == 1:
                on_shore = find_shore(grid, stones, count, region, shore, queue)
            most = own * (count - own if rules == 0 else 4 + on_shore)
            if start + most >= arena.shape[0]:
                level[0] = at
                return FULL
            source = -1 - frame[3]
            kept = frame[6]
            if source == 0:
                opened += 1
                level[1] += 1
                seen[0] += 1
            while source < own and phi > 0:
                if effort > EFFORT:
                    frame[3] = -1 - source
                    frame[6] = kept
                    level[0] = at
                    return UNKNOWN
                moved = (stones[1, source] + 1) * STRIDE + stones[0, source] + 1
                parts = label_stones(grid, moved, count, label, queue)
                found = np.int64(0)
                if rules == 0:
                    for i in range(own, count):
                        targets[found] = (stones[1, i] + 1) * STRIDE + stones[0, i] + 1
                        found += 1
                else:
                    open_to = np.int64(0)
                    for way in range(4):
                        near = moved + step(way)
                        if grid[near] >= own:
                            targets[found] = near
                            found += 1
                        elif grid[near] == EMPTY:
                            open_to |= 1 << region[near]
                    if parts > 1 and open_to != 0:
                        for i in range(on_shore):
                            if open_to >> region[shore[i]] & 1:
                                targets[found] = shore[i]
                                found += 1
                for k in range(found):
                    target = np.int64(targets[k])
                    captured = np.int64(grid[target])
                    touched = np.int64(0)
                    if captured >= 0:
                        touched = 1 << label[captured]
                    else:
                        for way in range(4):
                            near = np.int64(grid[target + step(way)])
                            if near >= 0 and near != source:
                                touched |= 1 << label[near]
                        if touched == 0 or touched == (1 << parts) - 1:
                            continue
                    # What moved is the enemy of what moves next.
                    left, left_own = np.int64(0), np.int64(0)
                    for i in range(count):
                        if i != source and i != captured and touched >> label[i] & 1:
                            after[0, left] = stones[0, i]
                            after[1, left] = stones[1, i]
                            after[2, left] = 1 - stones[2, i]
                            left_own += 1 - after[2, left]
                            left += 1
                    if left_own == 0:
                        continue  # the other side has run out and won: this move only loses
                    effort += count
                    if rules == 0 and not touching(
                        grid, stones, own, source, target, label, touched
                    ):
                        phi = np.int64(0)
                        values[start + kept, 2] = moved * CELLS + target
                        frame[4] = kept
                        break
                    after[0, left] = target % STRIDE - 1
                    after[1, left] = target // STRIDE - 1
                    after[2, left] = 1
                    values[start + kept, 2] = moved * CELLS + target
                    result = add_child(
                        rules,
                        left_own,
                        after,
                        left + 1,
                        rows,
                        columns,
                        arena,
                        values,
                        table,
                        numbers,
                        seen,
                        start,
                        kept,
                        keys,
                        key_starts,
                        bit_starts,
                        caps,
                        wins,
                        levels_known,
                        scratch,
                        other,
                    )
                    if result == UNKNOWN:
                        kept += 1
                    elif result == LOSS:
                        phi = np.int64(0)  # one winning move is enough
                        frame[4] = kept
                        break
                source += 1
            frame[3] = kept
        # Sum up the children: phi is the least delta, delta the sum of phis.
        best: Int = np.int64(-1)
        if phi > 0:
            for i in range(frame[3]):
                mine = values[frame[2] + i, 1]
                if mine < phi:
                    second = phi
                    phi = mine
                    best = i
                elif mine < second:
                    second = mine
                delta = min(np.int64(INFINITE), delta + values[frame[2] + i, 0])
            frame[4] = best
        if phi == 0:
            delta = np.int64(INFINITE)
        frame[5] += 1
        if phi >= frame[0] or delta >= frame[1] or phi == 0 or delta == 0:
            store(key, phi, delta, frame[5], table, numbers)
            if at == 0:
                level[0] = 0
                return WIN if phi == 0 else LOSS
            at -= 1
            child = frames[at, 2] + frames[at, 4]
            values[child, 0] = phi
            values[child, 1] = delta
            frames[at, 5] += frame[5]
            continue
        below = frames[at + 1]
        child = frame[2] + best
        below[0] = min(INFINITE, frame[1] - delta + values[child, 0])
        below[1] = min(frame[0], second + 1 + second * EPSILON // 100)
        below[2] = frame[2] + frame[3]
        below[3] = -1
        below[5] = 0
        below[6] = 0
        at += 1


class Memory:
    """What a search found, kept for further searches: a transposition table of whole positions."""

    def __init__(self, memory_mb: float) -> None:
        self._bytes = int(memory_mb * 2**20)
        self.words = 0
        self.positions = np.zeros((0, 0), np.uint64)
        self.numbers = np.zeros((0, 3), np.uint32)

    def make_room(self, words: int) -> None:
        """Take keys of so many words; what was found with shorter ones is forgotten."""
        if words <= self.words:
            return
        self.words = words
        entries = self._bytes // (8 * words + 12)
        size = max(WAYS, 1 << (entries.bit_length() - 1))
        self.positions = np.zeros((size, words), np.uint64)
        self.numbers = np.zeros((size, 3), np.uint32)


def words_of(position: Position) -> int:
    """Return the words that the keys of a position and of all that can follow it need.

    A form of n stones has a height and width of n + 1 together at most, and so has all that
    follows from it.
    """
    array = position.array
    filled = array != 0
    stones = int(filled.sum())
    if position.rules is STANDARD:
        area = int(filled.any(axis=1).sum()) * int(filled.any(axis=0).sum())
    else:
        area = array.size
    return (_CELLS + 2 * min(area, (stones + 1) ** 2 // 4) + 63) // 64


class WideSearch:
    """A search for who wins a position of any size, by proof numbers."""

    def __init__(self, position: Position, table: Table, memory: Memory) -> None:
        memory.make_room(words_of(position))
        self._rules = position.rules.number
        self._table = table
        self._memory = memory
        self._position = position
        array = position.array
        cells = np.argwhere(array != 0)
        count = len(cells)
        self._stones = np.zeros((3, count), np.int64)
        self._stones[:2] = cells.T
        self._stones[2] = array[array != 0] != int(position.side_to_move)
        self._top, self._left = (int(side) for side in cells.min(axis=0))
        self._bottom, self._right = (int(side) for side in cells.max(axis=0))
        self._arena = np.zeros((ARENA, memory.words), np.uint64)
        self._values = np.zeros((ARENA, 3), np.int64)
        self._other = np.zeros(memory.words, np.uint64)
        self._symmetry = int(
            encode(
                self._rules,
                self._stones,
                count,
                position.rows,
                position.columns,
                self._arena[0],
                self._other,
            )
        )
        self._frames = np.zeros((count + 2, 7), np.int64)
        self._frames[0] = INFINITE, INFINITE, 1, -1, 0, 0, 0
        self._level = np.zeros(2, np.int64)
        self._seen = np.zeros(1 + 2 * 4096, np.int64)
        self._scratch = np.zeros((7, 65), np.int64)
        self._after = np.zeros_like(self._stones)
        self._grid = np.zeros(CELLS, np.int16)
        self._marks = np.zeros((2, CELLS), np.uint8)
        self._cells = np.zeros((3, CELLS), np.uint16)

    @property
    def key(self) -> bytes:
        """The key of the position, as bytes."""
        return self._arena[0].tobytes()

    def run(self, clock: Clock) -> int:
        """Search; returns WIN or LOSS for the side to move, or UNKNOWN when the clock ends."""
        return clock.run_slices(self._run_slice)

    def _run_slice(self, budget: int) -> tuple[int, int]:
        before = int(self._level[1])
        table, memory = self._table, self._memory
        while True:
            result = search_slice(
                self._rules,
                budget,
                memory.positions,
                memory.numbers,
                self._arena,
                self._values,
                self._frames,
                self._level,
                table.keys,
                table.key_starts,
                table.bit_starts,
                table.caps,
                table.wins,
                table.levels,
                self._seen,
                self._scratch,
                self._stones,
                self._after,
                self._grid,
                self._marks,
                self._cells,
                self._other,
            )
            if result != FULL:
                return int(result), int(self._level[1]) - before
            self._arena = np.concatenate((self._arena, np.zeros_like(self._arena)))
            self._values = np.concatenate((self._values, np.zeros_like(self._values)))

    def winning_move(self) -> Move:
        """Return a move that wins, of a search that has ended with a win."""
        move = int(self._values[self._frames[0, 2] + self._frames[0, 4], 2])
        key = int(self._arena[0, 0])
        margins = key >> _MARGINS & 31, key >> (_MARGINS + 10) & 31
        names = []
        for cell in divmod(move, CELLS):
            row, column = cell % STRIDE - 1 - margins[0], cell // STRIDE - 1 - margins[1]
            if self._symmetry & 4:
                row, column = column, row
            row = self._bottom - row if self._symmetry & 2 else self._top + row
            column = self._right - column if self._symmetry & 1 else self._left + column
            names.append(format_cell(column, self._position.rows - 1 - row))
        return Move(*names)


def search_wide(
    position: Position, table: Table, clock: Clock, memory: Memory | None = None
) -> int:
    """Search a position of any size; returns WIN or LOSS for the side to move, or UNKNOWN."""
    return WideSearch(position, table, memory or Memory(1)).run(clock)
