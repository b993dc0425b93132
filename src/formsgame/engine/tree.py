"""Compiled Monte Carlo tree search with proofs.

A node of the tree is a row of several arrays: `links` int32[n, 3] (first child, number of children,
move into it as source * CELLS + target), `visits` int32[n], `sums` float64[n] (values seen, as the
chance of the side that moved into the node), `priors` float32[n], `flags` uint8[n] (the outcome for
the side to move there if proved, and whether its children are all its moves). The children of a
node stand together, the most promising first, and only as many of them are looked at as its visits
warrant (progressive widening).

What a leaf is worth: with standard rules what its cuts are worth (`cuts`), with advanced rules a
random playout, which endgame tables end as soon as they know its form.
"""

from __future__ import annotations

import math

import numpy as np

from formsgame.compiled import compiled
from formsgame.engine.sight import chance, find_parts, judge
from formsgame.kernels.board import (
    CELLS,
    RING_SAFE,
    STRIDE,
    Array,
    Int,
    list_targets,
    ring,
)
from formsgame.kernels.playout import (
    below_high,
    below_low,
    draw,
    keep_marked,
    remove,
    remove_cut,
    shift,
    touches,
)
from formsgame.solver.endings import probe

#: Bits of `flags`.
WINS = 1
LOSES = 2
COMPLETE = 4
TERMINAL_SEEN = 8

#: With standard rules, a node with no more moves than this gets them all.
FEW_MOVES = 40
#: Places of `knobs` float64[8].
EXPLORE, FIRST_WORTH, WIDE, WIDER, EXPAND, QUIET, PLAYOUT_SHARE = range(7)


@compiled(
    "i8(i1[::1], u2[::1], i8[::1], i8, i8, i8, Array(u8, 1, 'C', readonly=True), i8[::1],"
    " i8[::1], i8[::1], Array(u1, 1, 'C', readonly=True), i8[:, ::1])",
    inner=True,
)
def probe_stones(
    board: Array,
    stones: Array,
    counts: Array,
    side: Int,
    rows: Int,
    columns: Int,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
    scratch: Array,
) -> Int:
    """Return 1 if `side` to move wins a form that the tables hold, else 0."""
    count = 0
    mask = 0
    margins = scratch[5]
    margins[0] = margins[2] = CELLS
    bottom, right = 0, 0
    for color in range(1, 3):
        base = (color - 1) * CELLS
        for i in range(base, base + counts[color]):
            cell = np.int64(stones[i])
            column, row = cell // STRIDE - 1, rows - cell % STRIDE
            scratch[0, count] = row
            scratch[1, count] = column
            margins[0] = min(margins[0], row)
            margins[2] = min(margins[2], column)
            bottom = max(bottom, row)
            right = max(right, column)
            mask |= np.int64(color == side) << count
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


@compiled("void(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], u2[::1], i8, i8)", inner=True)
def make_move(
    board: Array,
    stones: Array,
    place: Array,
    counts: Array,
    mark: Array,
    queues: Array,
    source: Int,
    target: Int,
) -> None:
    """Make a legal move of either rule set."""
    if board[target] > 0:
        remove(board, stones, place, counts, mark, target)
    elif not touches(board, target, source):
        shift(board, stones, place, mark, source, target)
        mark[target] = -1
        keep_marked(board, stones, place, counts, mark, -1)
        return
    shift(board, stones, place, mark, source, target)
    if not RING_SAFE[ring(board, source)]:
        remove_cut(board, stones, place, counts, mark, queues, source, target)


@compiled("b1(i1[::1], u2[::1], i8[::1], i8)", inner=True)
def has_pair(board: Array, stones: Array, counts: Array, side: Int) -> bool:
    """Tell whether two stones of a side are next to each other."""
    base = (side - 1) * CELLS
    for i in range(base, base + counts[side]):
        cell = np.int64(stones[i])
        if board[cell + 1] == side or board[cell + STRIDE] == side:
            return True
    return False


@compiled(
    "i8(i1[::1], u2[::1], i8[::1], i8, u8[::1], i8[:, ::1], i8[::1], i8[:, ::1], i8, i8, i8,"
    " i4[::1], f8[::1])",
    inner=True,
)
def list_standard(
    board: Array,
    stones: Array,
    counts: Array,
    side: Int,
    random: Array,
    seen: Array,
    order: Array,
    parts: Array,
    found: Int,
    quiet: Int,
    keys_wanted: Int,
    moves: Array,
    worth: Array,
) -> Int:
    """Write the moves of standard rules worth a look, with their worth; count them.

    All parts that a cut can keep, each with the targets that the enemy would cut at and a random
    one; and quiet moves of random stones, most of them onto those same targets.
    """
    enemy = 3 - side
    base = (side - 1) * CELLS
    other_base = (enemy - 1) * CELLS
    count = 0
    # The enemy's best cuts, whose stones are the targets of choice.
    key = np.zeros(8, np.int64)
    key_worth = np.zeros(8, np.float64)
    keys = 0
    for i in range(found):
        cell = parts[i, 0]
        if board[cell] != enemy:
            continue
        mine = parts[i, 2 + enemy]
        others = parts[i, 5 - enemy]
        if others == 0:
            continue
        value = 1.0 - chance(others - 1, mine + 1)
        at = -1
        for k in range(keys):
            if key[k] == cell:
                at = k
        if at >= 0:
            key_worth[at] = max(key_worth[at], value)
            continue
        if keys < keys_wanted:
            at = keys
            keys += 1
        else:
            at = 0
            for k in range(1, keys):
                if key_worth[k] < key_worth[at]:
                    at = k
            if key_worth[at] >= value:
                continue
        key[at] = cell
        key_worth[at] = value
    stay = chance(counts[enemy] - 1, counts[side])
    start = seen[order[0], 0]
    for i in range(found):
        cell = parts[i, 0]
        if board[cell] != side:
            continue
        mine = parts[i, 2 + side]
        others = parts[i, 5 - side]
        if others == 0:
            continue
        value = 1.0 - chance(others - 1, mine + 1)
        if mine == 0 and others > 1:
            value = 1.0
        chosen = below_high(draw(random), others)
        for j in range(other_base, other_base + counts[enemy]):
            target = np.int64(stones[j])
            at = seen[target, 0] - start
            if parts[i, 1] >= 0:
                if at < parts[i, 1] or at >= parts[i, 2]:
                    continue
            else:
                inside = True
                for k in range(found):
                    if (
                        parts[k, 0] == cell
                        and parts[k, 1] >= 0
                        and at >= parts[k, 1]
                        and at < parts[k, 2]
                    ):
                        inside = False
                if not inside:
                    continue
            wanted = chosen == 0
            chosen -= 1
            extra = 0.0
            for k in range(keys):
                if key[k] == target:
                    wanted = True
                    extra = 0.02
            if wanted and count < moves.size:
                moves[count] = cell * CELLS + target
                worth[count] = value + extra
                count += 1
    # Quiet moves: a stone that cuts nothing.
    first_key = 0.0
    second_key = 0.0
    for k in range(keys):
        if key_worth[k] > first_key:
            second_key = first_key
            first_key = key_worth[k]
        elif key_worth[k] > second_key:
            second_key = key_worth[k]
    tries = 0
    made = 0
    while made < quiet and tries < 2 * quiet:
        tries += 1
        bits = draw(random)
        source = np.int64(stones[base + below_high(bits, counts[side])])
        if seen[source, 8] > 0:
            continue  # listed above
        if made % 4 == 3 or keys == 0:
            target = np.int64(stones[other_base + below_low(bits, counts[enemy])])
            value = 1.0 - max(first_key, stay)
        else:
            k = below_low(bits, keys)
            target = key[k]
            value = 1.0 - max(second_key if key_worth[k] == first_key else first_key, stay)
        if count < moves.size:
            moves[count] = source * CELLS + target
            worth[count] = value
            count += 1
            made += 1
    return count


@compiled("void(i4[::1], f8[::1], i8)", inner=True)
def sort_moves(moves: Array, worth: Array, count: Int) -> None:
    """Sort moves by falling worth (shell sort)."""
    gap = count // 2
    while gap > 0:
        for i in range(gap, count):
            move = moves[i]
            value = worth[i]
            j = i
            while j >= gap and worth[j - gap] < value:
                moves[j] = moves[j - gap]
                worth[j] = worth[j - gap]
                j -= gap
            moves[j] = move
            worth[j] = value
        gap //= 2


@compiled(
    "i8(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], i8, i8, i8, i8, i8, i8, i4[:, ::1], i4[::1],"
    " f8[::1], f4[::1], u1[::1], i8[::1], f8[::1], f8[::1], u8[::1],"
    " i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], u2[::1],"
    " u1[::1], u1[::1], u2[::1], i4[::1], f8[::1], i8[:, ::1], i8[::1], i8[:, ::1], i8[::1],"
    " i8[::1], i8, Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1], i8[::1],"
    " Array(u1, 1, 'C', readonly=True), i8[:, ::1])"
)
def grow(
    start_board: Array,
    start_stones: Array,
    start_place: Array,
    start_counts: Array,
    start_mark: Array,
    rules: Int,
    side: Int,
    rows: Int,
    columns: Int,
    budget: Int,
    root_quiet: Int,
    links: Array,
    visits: Array,
    sums: Array,
    priors: Array,
    flags: Array,
    state: Array,
    knobs: Array,
    weights: Array,
    random: Array,
    board: Array,
    stones: Array,
    place: Array,
    counts: Array,
    mark: Array,
    queues: Array,
    label: Array,
    open_cells: Array,
    targets: Array,
    moves: Array,
    worth: Array,
    seen: Array,
    order: Array,
    parts: Array,
    clock: Array,
    path: Array,
    levels_known: Int,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
    scratch: Array,
) -> Int:
    """Look at `budget` leaves, from the root, node 0; returns how many, fewer once it is proved.

    `state[0]` is the number of nodes, `state[1]` the greatest depth so far.
    """
    last_cell = CELLS
    while last_cell > 0 and start_board[last_cell - 1] < 0:
        last_cell -= 1
    last_cell = min(CELLS, last_cell + STRIDE)
    for cell in range(CELLS):
        board[cell] = start_board[cell]
        mark[cell] = start_mark[cell]
    for leaf in range(budget):
        if flags[0] & (WINS | LOSES):
            return leaf
        for cell in range(STRIDE, last_cell):
            board[cell] = start_board[cell]
            place[cell] = start_place[cell]
            mark[cell] = start_mark[cell]
        for i in range(1, 3):
            counts[i] = start_counts[i]
            base = (i - 1) * CELLS
            for k in range(base, base + counts[i]):
                stones[k] = start_stones[k]
        node = 0
        depth = 0
        mover = side
        path[0] = 0
        value = 0.5  # chance of the side to move at the leaf
        while True:
            enemy = 3 - mover
            if flags[node] & WINS:
                value = 1.0
                break
            if flags[node] & LOSES:
                value = 0.0
                break
            if node != 0 and not flags[node] & TERMINAL_SEEN:
                flags[node] |= TERMINAL_SEEN
                if counts[mover] == 0:
                    flags[node] |= WINS
                elif rules == 0 and not has_pair(board, stones, counts, enemy):
                    flags[node] |= LOSES
                elif counts[1] + counts[2] <= levels_known:
                    won = probe_stones(
                        board,
                        stones,
                        counts,
                        mover,
                        rows,
                        columns,
                        keys,
                        key_starts,
                        bit_starts,
                        caps,
                        wins,
                        scratch,
                    )
                    flags[node] |= WINS if won == 1 else LOSES
                if flags[node] & (WINS | LOSES):
                    continue
            if links[node, 1] == 0 and (
                (visits[node] < knobs[EXPAND] and node != 0)
                or state[0] + 2048 > visits.size
                or depth + 2 > path.size
            ):
                found = find_parts(
                    board, np.int64(stones[0]), counts[1], counts[2], seen, order, parts, clock
                )
                value = judge(board, stones, counts, mover, parts, found, seen, weights)
                break
            if links[node, 1] == 0:
                count = np.int64(0)
                if rules == 0:
                    if counts[mover] * counts[enemy] <= FEW_MOVES:
                        flags[node] |= COMPLETE
                        for i in range(counts[mover]):
                            for k in range(counts[enemy]):
                                source = np.int64(stones[(mover - 1) * CELLS + i])
                                target = np.int64(stones[(enemy - 1) * CELLS + k])
                                moves[count] = source * CELLS + target
                                worth[count] = 0.5
                                count += 1
                    else:
                        found = find_parts(
                            board,
                            np.int64(stones[0]),
                            counts[1],
                            counts[2],
                            seen,
                            order,
                            parts,
                            clock,
                        )
                        count = list_standard(
                            board,
                            stones,
                            counts,
                            mover,
                            random,
                            seen,
                            order,
                            parts,
                            found,
                            root_quiet if node == 0 else np.int64(knobs[QUIET]),
                            6,
                            moves,
                            worth,
                        )
                        sort_moves(moves, worth, count)
                else:
                    flags[node] |= COMPLETE
                    for i in range((mover - 1) * CELLS, (mover - 1) * CELLS + counts[mover]):
                        source = np.int64(stones[i])
                        ends = list_targets(
                            board, 1, mover, source, label, open_cells, queues, targets
                        )
                        for k in range(ends):
                            target = np.int64(targets[k])
                            if board[target] == 0 and not touches(board, target, source):
                                continue  # it loses at once
                            if count == moves.size:
                                flags[node] &= ~np.uint8(COMPLETE)
                                continue
                            moves[count] = source * CELLS + target
                            worth[count] = 0.5
                            count += 1
                    for i in range(count - 1, 0, -1):
                        k = below_high(draw(random), i + 1)
                        move = moves[i]
                        moves[i] = moves[k]
                        moves[k] = move
                count = min(count, 2000)
                first = state[0]
                state[0] += count
                links[node, 0] = first
                links[node, 1] = count
                total = 0.0
                for i in range(count):
                    total += math.exp(6.0 * worth[i])
                for i in range(count):
                    links[first + i, 1] = 0
                    links[first + i, 2] = moves[i]
                    visits[first + i] = 0
                    sums[first + i] = 0.0
                    priors[first + i] = math.exp(6.0 * worth[i]) / total
                    flags[first + i] = 0
            first = np.int64(links[node, 0])
            ends = np.int64(links[node, 1])
            wide = min(ends, np.int64(knobs[WIDE] + knobs[WIDER] * math.sqrt(visits[node])))
            best = -1
            best_score = -1.0
            # What an unseen child is worth: a little less than the node itself.
            worth_here = 0.5
            if visits[node] > 0:
                worth_here = 1.0 - sums[node] / visits[node]
            worth_here -= knobs[FIRST_WORTH]
            root_of = math.sqrt(visits[node] + 1.0)
            looked = 0
            for child in range(first, first + ends):
                if flags[child] & WINS:
                    continue
                looked += 1
                if looked > wide:
                    break
                tried = visits[child]
                bonus = knobs[EXPLORE] * priors[child] * root_of / (1.0 + tried)
                score = (sums[child] / tried if tried > 0 else worth_here) + bonus
                if score > best_score:
                    best_score = score
                    best = child
            if best < 0:
                if flags[node] & COMPLETE:
                    flags[node] |= LOSES
                value = 0.0
                break
            move = np.int64(links[best, 2])
            make_move(
                board, stones, place, counts, mark, queues, move // CELLS, move % CELLS
            )
            node = best
            mover = enemy
            depth += 1
            path[depth] = node
        # Go back: proofs first, then values.
        for at in range(depth, 0, -1):
            above = path[at - 1]
            if flags[path[at]] & LOSES:
                flags[above] |= WINS
            elif flags[path[at]] & WINS and flags[above] & COMPLETE:
                lost = True
                for child in range(links[above, 0], links[above, 0] + links[above, 1]):
                    if not flags[child] & WINS:
                        lost = False
                        break
                if lost:
                    flags[above] |= LOSES
        state[1] = max(state[1], depth)
        for at in range(depth, -1, -1):
            node = path[at]
            if flags[node] & WINS:
                value = 1.0
            elif flags[node] & LOSES:
                value = 0.0
            visits[node] += 1
            sums[node] += 1.0 - value
            value = 1.0 - value
    return budget
