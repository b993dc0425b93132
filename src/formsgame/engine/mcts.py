"""Compiled Monte Carlo tree search with an evaluation at its leaves, and with proofs.

A node of the tree is a row of several arrays: `links` int32[n, 3] (first child, number of children,
move into it as source * CELLS + target), `visits` int32[n], `sums` float64[n] (of the values seen,
as the chance of the side that moved into the node), `priors` float32[n], `flags` uint8[n] (see
below). The children of a node stand together, the most promising first.

A leaf is worth what its features say (`sight`), or what is certain: the end of the game, endgame
tables, the recapture theorem (see docs/strategy.md). What is proved of children proves their
parents (MCTS-Solver, Winands and others 2008).
"""

from __future__ import annotations

import math

import numpy as np

from formsgame.compiled import compiled
from formsgame.engine.sight import chance, describe, find_parts, weigh
from formsgame.kernels.board import (
    CELLS,
    RING_SAFE,
    STRIDE,
    Array,
    Int,
    list_targets,
    ring,
    touched_parts,
)
from formsgame.kernels.playout import below_high, below_low, draw
from formsgame.kernels.stones import (
    NO_STONE,
    keep_marked,
    remove,
    remove_cut,
    shift,
    touches,
)
from formsgame.solver.endings import probe

#: Bits of `flags`: the side to move wins or loses for sure; the children are all moves that may
#: not lose; there were fewer children before, and all of them lost.
WINS = 1
LOSES = 2
COMPLETE = 4
WIDENED = 8
PROVED = WINS | LOSES
#: What `judge` returns for a sure win and a sure loss.
SURE_WIN = 2.0
SURE_LOSS = -1.0

#: With standard rules, a node with no more moves than this gets them all.
FEW_MOVES = 40
#: Most children of a node.
MOST_CHILDREN = 2048
#: Most targets that the enemy would cut at, for quiet moves of standard rules to capture.
MOST_KEYS = 6

#: Places of `knobs` float64[5]: how much to explore; how strongly the worth of a child makes its
#: prior; quiet moves among the children (standard rules); most slides of a stone that keep the same
#: parts (advanced rules); most children.
EXPLORE, SHARPNESS, QUIET, SLIDES, WIDTH = range(5)


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
    mask = np.int64(0)
    margins = scratch[5]
    margins[0] = margins[2] = CELLS
    bottom, right = np.int64(0), np.int64(0)
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
    "i8(i1[::1], u2[::1], i8[::1], i8, u8[::1], i8[:, ::1], i8[::1], i8[:, ::1], i8[::1], i8,"
    " i8, i4[::1], u1[::1])",
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
    clock: Array,
    quiet: Int,
    few: Int,
    moves: Array,
    complete: Array,
) -> Int:
    """Write the moves of standard rules worth a look; count them.

    Up to `few` moves are written all. Of more: every part that a cut can keep, with the targets
    that the enemy would cut at and a random one; and quiet moves of random stones, most of them
    onto those same targets. `complete[0]` says whether these are all moves.
    """
    enemy = 3 - side
    base = (side - 1) * CELLS
    other_base = (enemy - 1) * CELLS
    count = 0
    complete[0] = counts[side] * counts[enemy] <= few
    if complete[0]:
        for i in range(base, base + counts[side]):
            for k in range(other_base, other_base + counts[enemy]):
                moves[count] = np.int64(stones[i]) * CELLS + np.int64(stones[k])
                count += 1
        return count
    found = find_parts(board, np.int64(stones[0]), counts[1], counts[2], seen, order, parts, clock)
    # The enemy's best cuts, whose stones are the targets of choice.
    key = np.zeros(MOST_KEYS, np.int64)
    key_worth = np.zeros(MOST_KEYS, np.float64)
    keys = 0
    for i in range(found):
        cell = parts[i, 0]
        others = parts[i, 5 - enemy]
        if board[cell] != enemy or others == 0:
            continue
        value = 1.0 - chance(others - 1, parts[i, 2 + enemy] + 1)
        at = -1
        for k in range(keys):
            if key[k] == cell:
                at = k
        if at < 0 and keys < MOST_KEYS:
            at = keys
            keys += 1
            key_worth[at] = 0.0
        elif at < 0:
            at = 0
            for k in range(1, keys):
                if key_worth[k] < key_worth[at]:
                    at = k
            if key_worth[at] >= value:
                continue
            key_worth[at] = 0.0
        key[at] = cell
        key_worth[at] = max(key_worth[at], value)
    start = seen[order[0], 0]
    for i in range(found):
        cell = parts[i, 0]
        others = parts[i, 5 - side]
        if board[cell] != side or others == 0:
            continue
        chosen = below_high(draw(random), others)
        for j in range(other_base, other_base + counts[enemy]):
            target = np.int64(stones[j])
            if not is_in_part(seen[target, 0] - start, i, parts, found):
                continue
            wanted = chosen == 0
            chosen -= 1
            for k in range(keys):
                wanted |= key[k] == target
            if wanted and count < moves.size:
                moves[count] = cell * CELLS + target
                count += 1
    for number in range(quiet):
        bits = draw(random)
        source = np.int64(stones[base + below_high(bits, counts[side])])
        if seen[source, 8] > 0:
            continue  # its moves stand above
        if number % 4 == 3 or keys == 0:
            target = np.int64(stones[other_base + below_low(bits, counts[enemy])])
        else:
            target = np.int64(key[below_low(bits, keys)])
        if count < moves.size:
            moves[count] = source * CELLS + target
            count += 1
    if count == 0:  # all stones drawn were cut stones that can only cut themselves off
        moves[0] = np.int64(stones[base]) * CELLS + np.int64(stones[other_base])
        count = 1
    return count


@compiled("void(i4[::1], i8, i8, u8[::1])", inner=True)
def draw_moves(moves: Array, count: Int, wanted: Int, random: Array) -> None:
    """Put a random choice of moves first."""
    for i in range(wanted):
        chosen = i + below_high(draw(random), count - i)
        move = moves[i]
        moves[i] = moves[chosen]
        moves[chosen] = move


@compiled("b1(i8, i8, i8[:, ::1], i8)", inner=True)
def is_in_part(place: Int, part: Int, parts: Array, found: Int) -> bool:
    """Tell whether what stands at a place of the order is in a part; see `sight`."""
    if parts[part, 1] >= 0:
        return bool(parts[part, 1] <= place < parts[part, 2])
    for other in range(found):
        if (
            parts[other, 0] == parts[part, 0]
            and parts[other, 1] >= 0
            and parts[other, 1] <= place < parts[other, 2]
        ):
            return False
    return True


@compiled(
    "i8(i1[::1], u2[::1], i8[::1], i8, u8[::1], i8, u1[::1], u1[::1], u2[::1], u2[::1], i4[::1],"
    " u1[::1])",
    inner=True,
)
def list_advanced(
    board: Array,
    stones: Array,
    counts: Array,
    side: Int,
    random: Array,
    slides: Int,
    label: Array,
    open_cells: Array,
    queue: Array,
    targets: Array,
    moves: Array,
    complete: Array,
) -> Int:
    """Write the moves of advanced rules worth a look; count them.

    All captures, and of the slides of a stone that keep the same parts as many as `slides`, drawn
    at random. `complete[0]` says whether these are all moves but those that lose at once.
    """
    count = 0
    complete[0] = 1
    kinds = np.zeros(16, np.int64)
    for i in range((side - 1) * CELLS, (side - 1) * CELLS + counts[side]):
        source = np.int64(stones[i])
        found = list_targets(board, 1, side, source, label, open_cells, queue, targets)
        kinds[:] = 0
        for k in range(found - 1, -1, -1):
            chosen = below_high(draw(random), k + 1)
            target = np.int64(targets[chosen])
            targets[chosen] = targets[k]
            if board[target] == 0:
                if not touches(board, target, source):
                    continue  # it loses at once
                kept = touched_parts(board, source, target, label)
                kinds[kept] += 1
                if kinds[kept] > slides:
                    complete[0] = 0
                    continue
            if count == moves.size:
                complete[0] = 0
                return count
            moves[count] = source * CELLS + target
            count += 1
    return count


@compiled(
    "f8(i8, i1[::1], u2[::1], i8[::1], i8, i8, i8, f8[::1], i8[:, ::1], i8[::1], i8[:, ::1],"
    " i8[::1], f8[::1], i8, Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1], i8[::1],"
    " Array(u1, 1, 'C', readonly=True), i8[:, ::1])",
    inner=True,
)
def judge(
    rules: Int,
    board: Array,
    stones: Array,
    counts: Array,
    side: Int,
    rows: Int,
    columns: Int,
    weights: Array,
    seen: Array,
    order: Array,
    parts: Array,
    clock: Array,
    features: Array,
    levels_known: Int,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
    scratch: Array,
) -> float:
    """Return how likely `side` to move wins, or SURE_WIN or SURE_LOSS."""
    if counts[side] == 0:
        return SURE_WIN
    if rules == 0 and not has_pair(board, stones, counts, 3 - side):
        return SURE_LOSS
    if counts[1] + counts[2] <= levels_known:
        won = probe_stones(
            board,
            stones,
            counts,
            side,
            rows,
            columns,
            keys,
            key_starts,
            bit_starts,
            caps,
            wins,
            scratch,
        )
        return SURE_WIN if won == 1 else SURE_LOSS
    first = np.int64(stones[0])
    found = find_parts(board, first, counts[1], counts[2], seen, order, parts, clock)
    describe(board, stones, counts, side, parts, found, seen, features)
    return weigh(features, weights)


@compiled(
    "void(i8, i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], i1[::1], u2[::1], u2[::1], i8[::1],"
    " i4[::1])",
    inner=True,
)
def copy_game(
    last_cell: Int,
    board: Array,
    stones: Array,
    place: Array,
    counts: Array,
    mark: Array,
    to_board: Array,
    to_stones: Array,
    to_place: Array,
    to_counts: Array,
    to_mark: Array,
) -> None:
    """Copy a game's arrays, but for the generation of its marks, which only rises."""
    for cell in range(STRIDE, last_cell):
        to_board[cell] = board[cell]
        to_place[cell] = place[cell]
        to_mark[cell] = 0 if board[cell] > 0 else NO_STONE
    for color in range(1, 3):
        to_counts[color] = counts[color]
        base = (color - 1) * CELLS
        for k in range(base, base + counts[color]):
            to_stones[k] = stones[k]


@compiled(
    "i8(i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], i8, i8, i8, i8, i8, i8, i8, i4[:, ::1],"
    " i4[::1], f8[::1], f4[::1], u1[::1], i8[::1], f8[::1], f8[::1], u8[::1],"
    " i1[::1], u2[::1], u2[::1], i8[::1], i4[::1],"
    " i1[::1], u2[::1], u2[::1], i8[::1], i4[::1], u2[::1],"
    " u1[::1], u1[::1], u2[::1], u1[::1], i4[::1], f8[::1], i8[:, ::1], i8[::1], i8[:, ::1],"
    " i8[::1], f8[::1], i8[::1], i8, Array(u8, 1, 'C', readonly=True), i8[::1], i8[::1],"
    " i8[::1], Array(u1, 1, 'C', readonly=True), i8[:, ::1])"
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
    most: Int,
    most_depth: Int,
    links: Array,
    visits: Array,
    sums: Array,
    priors: Array,
    flags: Array,
    state: Array,
    knobs: Array,
    weights: Array,
    random: Array,
    node_board: Array,
    node_stones: Array,
    node_place: Array,
    node_counts: Array,
    node_mark: Array,
    board: Array,
    stones: Array,
    place: Array,
    counts: Array,
    mark: Array,
    queues: Array,
    label: Array,
    open_cells: Array,
    targets: Array,
    complete: Array,
    moves: Array,
    worth: Array,
    seen: Array,
    order: Array,
    parts: Array,
    clock: Array,
    features: Array,
    path: Array,
    levels_known: Int,
    keys: Array,
    key_starts: Array,
    bit_starts: Array,
    caps: Array,
    wins: Array,
    scratch: Array,
) -> Int:
    """Judge about `budget` positions more, `most` at the most, from the root, node 0; count them.

    Ends early once the root is proved. Each round goes down to a leaf, gives it its children,
    judges each of them and takes what the best is worth back to the root. `state[0]` is the number
    of nodes, `state[1]` the greatest depth so far.
    """
    last_cell = CELLS
    while last_cell > 0 and start_board[last_cell - 1] < 0:
        last_cell -= 1
    last_cell = min(CELLS, last_cell + STRIDE)
    for cell in range(CELLS):
        board[cell] = node_board[cell] = start_board[cell]
        mark[cell] = node_mark[cell] = start_mark[cell]
    judged = 0
    while judged < budget and not flags[0] & PROVED:
        copy_game(
            last_cell,
            start_board,
            start_stones,
            start_place,
            start_counts,
            start_mark,
            board,
            stones,
            place,
            counts,
            mark,
        )
        counted = judged
        node = 0
        depth = 0
        mover = side
        path[0] = 0
        value = 0.5
        while True:
            if flags[node] & PROVED:
                value = 1.0 if flags[node] & WINS else 0.0
                break
            if links[node, 1] == 0:
                if depth >= most_depth or state[0] + MOST_CHILDREN > visits.size:
                    value = 1.0 - sums[node] / visits[node] if visits[node] > 0 else 0.5
                    break
                copy_game(
                    last_cell,
                    board,
                    stones,
                    place,
                    counts,
                    mark,
                    node_board,
                    node_stones,
                    node_place,
                    node_counts,
                    node_mark,
                )
                generosity = 8 if node == 0 else 1
                if flags[node] & WIDENED:
                    generosity = MOST_CHILDREN
                if rules == 0:
                    count = list_standard(
                        board,
                        stones,
                        counts,
                        mover,
                        random,
                        seen,
                        order,
                        parts,
                        clock,
                        np.int64(knobs[QUIET]) * generosity,
                        MOST_CHILDREN if flags[node] & WIDENED else FEW_MOVES,
                        moves,
                        complete,
                    )
                else:
                    count = list_advanced(
                        board,
                        stones,
                        counts,
                        mover,
                        random,
                        np.int64(knobs[SLIDES]) * generosity,
                        label,
                        open_cells,
                        queues,
                        targets,
                        moves,
                        complete,
                    )
                width = min(np.int64(knobs[WIDTH]), most - judged)
                if count > width:
                    complete[0] = 0
                    draw_moves(moves, count, width, random)
                    count = width
                first = state[0]
                best_value = 0.0
                lost = True
                for i in range(count):
                    move = np.int64(moves[i])
                    make_move(
                        board, stones, place, counts, mark, queues, move // CELLS, move % CELLS
                    )
                    value = judge(
                        rules,
                        board,
                        stones,
                        counts,
                        3 - mover,
                        rows,
                        columns,
                        weights,
                        seen,
                        order,
                        parts,
                        clock,
                        features,
                        levels_known,
                        keys,
                        key_starts,
                        bit_starts,
                        caps,
                        wins,
                        scratch,
                    )
                    child = first + i
                    links[child, 1] = 0
                    links[child, 2] = move
                    visits[child] = 1
                    flags[child] = 0
                    if value == SURE_WIN:
                        flags[child] = WINS
                        value = 1.0
                    elif value == SURE_LOSS:
                        flags[child] = LOSES
                        flags[node] |= WINS
                        value = 0.0
                        lost = False
                    else:
                        lost = False
                    sums[child] = 1.0 - value
                    worth[i] = 1.0 - value
                    best_value = max(best_value, 1.0 - value)
                    copy_game(
                        last_cell,
                        node_board,
                        node_stones,
                        node_place,
                        node_counts,
                        node_mark,
                        board,
                        stones,
                        place,
                        counts,
                        mark,
                    )
                judged += count
                state[0] += count
                links[node, 0] = first
                links[node, 1] = count
                state[1] = max(state[1], depth + 1)
                total = 0.0
                for i in range(count):
                    worth[i] = math.exp(knobs[SHARPNESS] * (worth[i] - best_value))
                    total += worth[i]
                for i in range(count):
                    priors[first + i] = worth[i] / total
                if complete[0]:
                    flags[node] |= COMPLETE
                    if lost:
                        flags[node] |= LOSES
                value = best_value
                break
            first = np.int64(links[node, 0])
            best = -1
            best_score = -1.0
            exploring = knobs[EXPLORE] * math.sqrt(visits[node] + 1.0)
            for child in range(first, first + np.int64(links[node, 1])):
                if flags[child] & WINS:
                    continue
                tried = visits[child]
                score = sums[child] / tried + exploring * priors[child] / (1.0 + tried)
                if score > best_score:
                    best_score = score
                    best = child
            if best < 0:
                if not flags[node] & (COMPLETE | WIDENED):
                    flags[node] |= WIDENED
                    links[node, 1] = 0
                    continue
                value = 0.0
                break
            move = np.int64(links[best, 2])
            make_move(board, stones, place, counts, mark, queues, move // CELLS, move % CELLS)
            node = best
            mover = 3 - mover
            depth += 1
            path[depth] = node
        judged = max(judged, counted + 1)
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
        for at in range(depth, -1, -1):
            node = path[at]
            if flags[node] & WINS:
                value = 1.0
            elif flags[node] & LOSES:
                value = 0.0
            visits[node] += 1
            sums[node] += 1.0 - value
            value = 1.0 - value
    return judged
