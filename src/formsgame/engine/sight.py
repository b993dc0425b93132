"""Compiled sight of a form: its cut cells, what each side could do with them, who is better off.

What matters in Forms are the stones on whose leaving the form falls apart. One pass over the form
(Tarjan's search for cut vertices) finds them all, each with the parts that fall asunder. From them
and from what the stones touch come the features, of which a weighted sum estimates the odds.

A part is a row of `parts` int64[4 * CELLS, 6]: the cut cell, the places in `order` from which to
which the part's cells stand (-1 for the part that holds the first cell of the pass), the black and
the white stones in it, and a spare. `order` int64[CELLS] lists the cells as the pass met them.
"""

from __future__ import annotations

import math

import numpy as np

from formsgame.compiled import compiled
from formsgame.kernels.board import CELLS, Array, Int, step

#: Logarithm of the odds to win of the side to move when both have as many stones, and what each
#: stone more takes off it, in forms of `FITTED` stones; both shrink with the root of the stones.
TEMPO = 1.39
STONE = 0.78
FITTED = 8.5


@compiled("f8(i8, i8)", inline=True)
def chance(own: Int, enemy: Int) -> float:
    """Return how likely the side to move wins, by the stones of both alone."""
    if own == 0:
        return 1.0
    if enemy == 0:
        return 0.0
    scale = math.sqrt(FITTED / (own + enemy))
    return 1.0 / (1.0 + math.exp(-(TEMPO - STONE * (own - enemy)) * scale))


@compiled("i8(i1[::1], i8, i8, i8, i8[:, ::1], i8[::1], i8[:, ::1], i8[::1])", inner=True)
def find_parts(
    board: Array,
    first: Int,
    black: Int,
    white: Int,
    seen: Array,
    order: Array,
    parts: Array,
    clock: Array,
) -> Int:
    """Write the parts of every cut cell of the form that holds `first`; count them.

    `seen` int64[CELLS, 9] is scratch between calls: what it holds of a cell counts if it was met
    after `clock[0]`. Its columns: when met, the earliest met that hangs together, from where, next
    direction, black and white stones below, those in parts cut off, and how many those parts are.
    """
    base = clock[0] + 1
    time = base
    found = 0
    children = np.int64(0)  # of the first cell: it is a cut cell if they are two or more
    cell = np.int64(first)
    seen[cell, 0] = seen[cell, 1] = time
    seen[cell, 2] = 0
    seen[cell, 3] = 0
    seen[cell, 4] = board[cell] == 1
    seen[cell, 5] = board[cell] == 2
    seen[cell, 6] = seen[cell, 7] = seen[cell, 8] = 0
    order[0] = cell
    while True:
        way = seen[cell, 3]
        if way < 4:
            seen[cell, 3] = way + 1
            near = cell + step(way)
            if board[near] <= 0:
                continue
            if seen[near, 0] < base:
                time += 1
                seen[near, 0] = seen[near, 1] = time
                seen[near, 2] = cell
                seen[near, 3] = 0
                seen[near, 4] = board[near] == 1
                seen[near, 5] = board[near] == 2
                seen[near, 6] = seen[near, 7] = seen[near, 8] = 0
                order[time - base] = near
                cell = near
            elif near != seen[cell, 2] and seen[near, 0] < seen[cell, 1]:
                seen[cell, 1] = seen[near, 0]
            continue
        if seen[cell, 8] > 0 and cell != first:
            seen[cell, 8] += 1
            parts[found, 0] = cell
            parts[found, 1] = -1
            parts[found, 2] = -1
            parts[found, 3] = black - seen[cell, 6] - np.int64(board[cell] == 1)
            parts[found, 4] = white - seen[cell, 7] - np.int64(board[cell] == 2)
            found += 1
        if cell == first:
            break
        above = seen[cell, 2]
        if seen[cell, 1] >= seen[above, 0]:
            parts[found, 0] = above
            parts[found, 1] = seen[cell, 0] - base
            parts[found, 2] = time - base + 1
            parts[found, 3] = seen[cell, 4]
            parts[found, 4] = seen[cell, 5]
            found += 1
            seen[above, 6] += seen[cell, 4]
            seen[above, 7] += seen[cell, 5]
            seen[above, 8] += 1
            children += np.int64(above == first)
        elif seen[cell, 1] < seen[above, 1]:
            seen[above, 1] = seen[cell, 1]
        seen[above, 4] += seen[cell, 4]
        seen[above, 5] += seen[cell, 5]
        cell = above
    clock[0] = time
    if children == 1:
        seen[first, 8] = 0
        for i in range(found):
            if parts[i, 0] == first:
                found -= 1
                for k in range(6):
                    parts[i, k] = parts[found, k]
                break
    return found


@compiled("f8(i1[::1], i8, i8, i8, i8[:, ::1], i8)", inner=True)
def judge_parts(board: Array, side: Int, own: Int, enemy: Int, parts: Array, found: Int) -> float:
    """Return how likely `side` to move wins with standard rules, by its cuts and the enemy's.

    It makes its best cut; or else it captures the stone of the enemy's best cut, and the enemy
    makes its second best.
    """
    best = 0.0
    first, second = 0.0, 0.0
    where = -1
    for i in range(found):
        cell = parts[i, 0]
        color = np.int64(board[cell])
        mine = parts[i, 2 + color]
        others = parts[i, 5 - color]
        if others == 0:
            continue
        value = 1.0 - chance(others - 1, mine + 1)
        if mine == 0 and others > 1:
            value = 1.0
        if color == side:
            best = max(best, value)
        elif value > first:
            if cell != where:
                second = first
            first = value
            where = cell
        elif value > second and cell != where:
            second = value
    stay = 1.0 - max(second, chance(enemy - 1, own)) if enemy > 1 else 0.0
    return max(best, stay)


#: What is counted of each side's stones, in this order (see `describe`).
FEATURES = (
    "stones",
    "touching an enemy",
    "own neighbors",
    "touching an empty cell",
    "cut stones",
    "parts at cut stones that can slide",
    "cut stones that can slide",
    "enemies next to cut stones",
    "choices of parts at cut stones that can slide",
    "borders touched",
    "leaves",
    "leaves that hang on an enemy",
    "parts without an enemy",
    "parts without an own stone",
)
SIDE = len(FEATURES)
#: The last two features: the log-odds by cuts alone (`judge_parts`), and a constant.
CUTS = 2 * SIDE
CONSTANT = CUTS + 1
#: The features are counted in a form of so many stones; in others in proportion.
NORM = 16.0


@compiled("void(i1[::1], u2[::1], i8[::1], i8, i8[:, ::1], i8, i8[:, ::1], f8[::1])", inner=True)
def describe(
    board: Array,
    stones: Array,
    counts: Array,
    side: Int,
    parts: Array,
    found: Int,
    seen: Array,
    features: Array,
) -> None:
    """Write the features of a form with `side` to move, float64[CONSTANT + 1]: own, then enemy's.

    `stones` and `counts` are as in `kernels.stones`, the others as `find_parts` left them.
    """
    features[:] = 0.0
    for color in range(1, 3):
        base = 0 if color == side else SIDE
        for i in range((color - 1) * CELLS, (color - 1) * CELLS + counts[color]):
            cell = np.int64(stones[i])
            own, enemy, empty = np.int64(0), np.int64(0), np.int64(0)
            for way in range(4):
                near = np.int64(board[cell + step(way)])
                own += np.int64(near == color)
                enemy += np.int64(near == 3 - color)
                empty += np.int64(near == 0)
            features[base] += 1
            features[base + 1] += np.float64(enemy > 0)
            features[base + 2] += own
            features[base + 3] += np.float64(empty > 0)
            features[base + 9] += 4 - own - enemy - empty
            if own + enemy == 1:
                features[base + 10] += 1
                features[base + 11] += enemy
            pieces = seen[cell, 8]
            if pieces > 0:
                features[base + 4] += 1
                features[base + 7] += enemy
                if empty > 0:
                    features[base + 5] += pieces
                    features[base + 6] += 1
                    features[base + 8] += (1 << pieces) - 2
    for i in range(found):
        owner = np.int64(board[parts[i, 0]])
        base = 0 if owner == side else SIDE
        features[base + 12] += np.float64(parts[i, 5 - owner] == 0)
        features[base + 13] += np.float64(parts[i, 2 + owner] == 0)
    scale = NORM / (counts[1] + counts[2])
    for i in range(CUTS):
        features[i] *= scale
    value = judge_parts(board, side, counts[side], counts[3 - side], parts, found)
    value = min(max(value, 0.001), 0.999)
    features[CUTS] = math.log(value / (1.0 - value))
    features[CONSTANT] = 1.0


@compiled("f8(f8[::1], f8[::1])", inner=True)
def weigh(features: Array, weights: Array) -> float:
    """Return how likely the side to move wins a form that has these features."""
    odds = 0.0
    for i in range(CONSTANT + 1):
        odds += features[i] * weights[i]
    return 1.0 / (1.0 + math.exp(-odds))


@compiled("void(i1[::1], u2[::1], i8[::1], i8, i8[:, ::1], i8[::1], i8[:, ::1], i8[::1], f8[::1])")
def see(
    board: Array,
    stones: Array,
    counts: Array,
    side: Int,
    seen: Array,
    order: Array,
    parts: Array,
    clock: Array,
    features: Array,
) -> None:
    """Write the features of a form with `side` to move; see `describe` and `find_parts`."""
    first = np.int64(stones[0] if counts[1] > 0 else stones[CELLS])
    found = find_parts(board, first, counts[1], counts[2], seen, order, parts, clock)
    describe(board, stones, counts, side, parts, found, seen, features)
