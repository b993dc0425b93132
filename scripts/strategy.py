"""Compute what docs/strategy.md says: `python scripts/strategy.py [--check]`, about a minute.

Figures come from the endgame tables, from the exact solver and from seeded random games, and go to
`docs/strategy/facts.json`. The words are in `docs/strategy/template.md`; filled with the figures
they are `docs/strategy.md`. The diagrams beside the template are made anew, too. With --check
nothing is written, and the exit status is 1 if anything would be.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import formsgame as fg
from formsgame.kernels.board import Array
from formsgame.solver import filling
from formsgame.solver.tables import best_table

ROOT = Path(__file__).resolve().parent.parent
TEXT = ROOT / "docs" / "strategy.md"
FOLDER = ROOT / "docs" / "strategy"
OUTCOMES = ROOT / "tests" / "vectors" / "outcomes.tsv"

#: Most stones of the forms counted: those of the tables that come with the package.
TOP = {fg.STANDARD: 10, fg.ADVANCED: 7}
#: Numbers of stones of the forms of which every single move is looked at.
MOVES_OF = {fg.STANDARD: (5, 6, 7), fg.ADVANCED: (4, 5, 6)}
#: Random games that a simple player spends on a move, and the positions on which it is tried.
PLAYOUTS, TRIALS = 60, 300
#: Random games from which frequent endings are taken, and the number of stones of these.
GAMES, ENDING = 1000, 4

#: Of how many won forms one is asked for a move that leaves no own stones adjacent, by stones.
RULE_SAMPLES = {3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 40, 10: 300}

#: The eight symmetries as (turn over the diagonal, sign of rows, sign of columns).
SYMMETRIES = [(turn, up, left) for turn in (False, True) for up in (1, -1) for left in (1, -1)]

Facts = dict[str, str]
Cells = list[tuple[int, int]]


# Forms of the tables


class Level(NamedTuple):
    """All forms of so many stones: cells by shape, and arrays [shape, mask of some stones].

    `distinct` marks one mask of each class that turning and mirroring make alike, of two colors.
    """

    stones: int
    shapes: list[Cells]
    distinct: Array

    @property
    def masks(self) -> Array:
        """All masks."""
        return np.arange(1 << self.stones)


@cache
def level(stones: int) -> Level:
    """Return all forms of so many stones."""
    keys = best_table(fg.STANDARD).level_keys(stones)
    masks = np.arange(1 << stones)
    distinct = np.zeros((len(keys), len(masks)), bool)
    shapes = []
    for number, key in enumerate(keys):
        rows, columns = np.zeros(13, np.int64), np.zeros(13, np.int64)
        filling.cells_of(key, rows, columns)
        cells = list(zip(rows[:stones].tolist(), columns[:stones].tolist(), strict=True))
        shapes.append(cells)
        least = masks.copy()
        for order in _orders(cells):
            image = np.zeros_like(masks)
            for place, turned in enumerate(order):
                image |= (masks >> place & 1) << turned
            np.minimum(least, image, out=least)
        distinct[number] = least == masks
    distinct[:, [0, -1]] = False
    return Level(stones, shapes, distinct)


def _orders(cells: Cells) -> set[tuple[int, ...]]:
    """Return where each cell goes in every symmetry that maps the shape on itself."""
    place = {cell: number for number, cell in enumerate(cells)}
    orders = set()
    for symmetry in SYMMETRIES:
        turned = _turn(cells, symmetry)
        if all(cell in place for cell in turned):
            orders.add(tuple(place[cell] for cell in turned))
    return orders


def _turn(cells: Cells, symmetry: tuple[bool, int, int]) -> Cells:
    """Return the cells after a symmetry, moved to the corner."""
    turn, up, left = symmetry
    turned = [(up * (c if turn else r), left * (r if turn else c)) for r, c in cells]
    top, side = min(r for r, _ in turned), min(c for _, c in turned)
    return [(r - top, c - side) for r, c in turned]


def wins(rules: fg.Rules, stones: int) -> Array:
    """Return who wins, bool[shape, top, bottom, left, right, mask of the side to move].

    The four margins are counted up to the largest that matters; with standard rules none does.
    """
    table = best_table(rules)
    base = int(table.caps[stones]) + 1
    shapes = len(table.level_keys(stones))
    bits = np.unpackbits(table.level_wins(stones), bitorder="little")
    size = shapes * base**4 << stones
    return bits[:size].reshape(shapes, base, base, base, base, 1 << stones).astype(bool)


def central(rules: fg.Rules, stones: int) -> Array:
    """Return who wins far from all edges, bool[shape, mask of the side to move]."""
    array: Array = wins(rules, stones)[:, -1, -1, -1, -1]
    return array


def classes(mover: Array) -> Array:
    """Return outcome classes from wins by the mover's mask, the last axis: P 0, W 1, B 2, N 3."""
    array: Array = 2 * mover.astype(np.int64) + mover[..., ::-1]
    return array


def no_pairs(forms: Level) -> Array:
    """Return where no two stones outside the mask are adjacent, bool[shape, mask]."""
    masks = forms.masks
    free = np.ones(forms.distinct.shape, bool)
    for number, cells in enumerate(forms.shapes):
        for i, (row, column) in enumerate(cells):
            for j, (other, along) in enumerate(cells[:i]):
                if abs(row - other) + abs(column - along) == 1:
                    free[number] &= (masks >> i & 1 | masks >> j & 1) != 0
    return free


def diagram_of(cells: Cells, mask: int) -> str:
    """Return a form in rows, Black in the mask."""
    height, width = (max(cell[axis] for cell in cells) + 1 for axis in (0, 1))
    grid = [["."] * width for _ in range(height)]
    for number, (row, column) in enumerate(cells):
        grid[row][column] = "x" if mask >> number & 1 else "o"
    return "/".join("".join(row) for row in grid)


def place(form: str, rules: fg.Rules, margin: int | None = None) -> fg.Position:
    """Return a form, given in rows, with Black to move and free space around it.

    By default there is as much as slides can feel: so it is in the center of a larger board, too.
    """
    rows = form.split("/")
    stones = sum(form.count(mark) for mark in "xo")
    if margin is None:
        margin = max(0, stones - 2) if rules is fg.ADVANCED else 0
    array = np.array([[".xo".index(mark) for mark in row] for row in rows], np.uint8)
    return fg.Position.from_array(np.pad(array, margin), fg.BLACK, rules)


def class_of(form: str, rules: fg.Rules) -> str:
    """Return the outcome class of a form in the center."""
    found = fg.outcome_class(place(form, rules))
    assert found is not None
    return found.value


# Figures from whole levels


def share(part: float, whole: float) -> str:
    """Return a share in per cent; 0 and 100 mean none and all."""
    part, whole = float(part), float(whole)
    if part in (0, whole):
        return "100 %" if part else "0 %"
    value = 100 * part / whole
    return "< 1 %" if value < 1 else "> 99 %" if value > 99 else f"{value:.0f} %"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def count_facts(rules: fg.Rules, top: int) -> Facts:
    """Return shares of wins by (own, enemy) stones, and outcome classes by stones."""
    wins_of: dict[tuple[int, int], str] = {}
    next_wins: Facts = {}
    class_rows, totals = [], Counter[int]()
    for stones in range(2, top + 1):
        forms, mover = level(stones), central(rules, stones)
        own = np.bitwise_count(forms.masks)
        for number in range(1, stones):
            here = forms.distinct & (own == number)
            wins_of[number, stones - number] = share((here & mover).sum(), here.sum())
        found = Counter(classes(mover)[forms.distinct].tolist())
        totals.update(found)
        next_wins[f"n_{stones}"] = share(found[3], found.total())
        class_rows.append(
            [
                str(stones),
                f"{found.total():,}",
                *(f"{found[number]:,}" for number in (3, 0, 2, 1)),
                *(share(found[number], found.total()) for number in (3, 0)),
            ]
        )
    rows = [
        [f"**{own}**", *(wins_of.get((own, enemy), "").removesuffix(" %") for enemy in _to(top))]
        for own in _to(top)
    ]
    return {
        "tempo": table(["own \\ enemy", *(f"**{enemy}**" for enemy in _to(top))], rows),
        "classes": table(
            ["stones", "forms", "N", "P", "B", "W", "share of N", "share of P"], class_rows
        ),
        **next_wins,
        "forms": f"{totals.total():,}",
        **{f"win_{own}_{enemy}": value for (own, enemy), value in wins_of.items()},
    }


def _to(top: int) -> range:
    return range(1, top)


def law_facts(top: int) -> Facts:
    """Check the laws of adjacent enemy stones (standard rules); return what they cover."""
    checked = broken = few = few_broken = small_broken = 0
    rows = []
    first = 0
    for stones in range(2, top + 1):
        forms, mover, free = level(stones), central(fg.STANDARD, stones), no_pairs(level(stones))
        own = np.bitwise_count(forms.masks)
        lost = forms.distinct & ~mover
        odd = lost & ~free
        checked += int((forms.distinct & free).sum())
        broken += int((forms.distinct & free & mover).sum())
        few += int((forms.distinct & (own <= 3)).sum())
        few_broken += int((odd & (own <= 3)).sum())
        small_broken += int(odd.sum()) if stones <= 5 else 0
        first = first or (stones if odd.any() else 0)
        rows.append([str(stones), f"{lost.sum():,}", share((lost & free).sum(), lost.sum())])
    assert (broken, few_broken, small_broken) == (0, 0, 0)
    return {
        "recapture_checked": f"{checked:,}",
        "few_checked": f"{few:,}",
        "first_exception": str(first),
        "lost": table(
            ["", *(row[0] for row in rows)],
            [
                ["lost for the side to move", *(row[1] for row in rows)],
                ["of these: no two adjacent enemy stones", *(row[2] for row in rows)],
            ],
        ),
    }


def rule_facts(samples: dict[int, int]) -> Facts:
    """Return how often a won position has a move that leaves no two own stones adjacent.

    Of forms of so many stones (standard rules) one in so many is looked at.
    """
    facts = {}
    for stones, step in samples.items():
        forms = level(stones)
        won = np.argwhere(forms.distinct & central(fg.STANDARD, stones))[::step].tolist()
        good = 0
        for shape, mask in won:
            position = place(diagram_of(forms.shapes[shape], mask), fg.STANDARD)
            after = map(position.play_unchecked, position.legal_moves)
            good += any(one.counts[fg.WHITE] and not _has_pair(one, fg.BLACK) for one in after)
        facts[f"rule_{stones}"] = f"{good:,} of {len(won):,}"
        facts[f"rule_share_{stones}"] = f"{100 * good / len(won):.1f} %"
    return facts


def edge_facts(top: int) -> Facts:
    """Return how often the edge changes the outcome class (advanced rules)."""
    rows = []
    for stones in range(3, top + 1):
        forms, mover = level(stones), wins(fg.ADVANCED, stones)
        far = mover.shape[1] - 1
        middle = classes(mover[:, far, far, far, far])
        row = [str(stones)]
        places = {
            "edge": [[0 if i == side else far for i in range(4)] for side in range(4)],
            "row": [[1 if i == side else far for i in range(4)] for side in range(4)],
            "corner": [
                [far if up else 0, 0 if up else far, far if left else 0, 0 if left else far]
                for up in (0, 1)
                for left in (0, 1)
            ],
        }
        for name in ("edge", "row", "corner"):
            changed = np.stack(
                [classes(mover[(slice(None), *at)]) != middle for at in places[name]]
            )
            picked = changed[:, forms.distinct]
            row.append(share(picked.sum(), picked.size))
            if name != "row":
                row.append(share(picked.any(axis=0).sum(), picked.shape[1]))
        rows.append(row)
    head = ["stones", "at an edge", "(some edge)", "one empty row from it", "in a corner"]
    return {"edges": table([*head, "(some corner)"], rows)}


def smallest_lost(rules: fg.Rules, stones: int) -> list[str]:
    """Return all P forms of so many stones in the center, one of each pair of exchanged colors."""
    forms = level(stones)
    found = []
    for shape, mask in np.argwhere(forms.distinct & (classes(central(rules, stones)) == 0)):
        twins = {
            diagram_of(_turn(cells, symmetry), number)
            for cells in (forms.shapes[shape],)
            for number in (int(mask), (1 << stones) - 1 - int(mask))
            for symmetry in SYMMETRIES
        }
        found.append(max(twins, key=lambda form: (-form.count("/"), form)))
    return sorted(set(found))


# Figures from single moves


class Try(NamedTuple):
    """A move that does not lose at once: what it does, and whether it wins."""

    move: fg.Move
    after: fg.Position
    slide: bool
    own: int
    enemy: int
    removed: int
    wins: bool


def tries(position: fg.Position) -> list[Try]:
    """Return all moves that leave the enemy a stone."""
    side, found = position.side_to_move, []
    stones, mover = sum(position.counts.values()), best_table(position.rules).wins_for_mover
    filled = {*position.stones(fg.BLACK), *position.stones(fg.WHITE)}
    near = {cell: set(_neighbors(cell)) & filled for cell in _cells(position)}
    for move in position.legal_moves:
        source, target = move.source, move.target
        slide = target not in filled
        if slide and not near[target] - {source}:
            continue
        after = position.play_unchecked(move)
        own, enemy = after.counts[side], after.counts[side.opponent]
        if enemy:
            good = own == 0 or not mover(after)
            found.append(Try(move, after, slide, own, enemy, stones - own - enemy, good))
    return found


def _cells(position: fg.Position) -> Iterator[str]:
    for column in range(position.columns):
        for row in range(position.rows):
            yield chr(97 + column) + str(row + 1)


def _neighbors(cell: str) -> Iterator[str]:
    column, row = ord(cell[0]), int(cell[1:])
    for right, up in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        yield chr(column + right) + str(row + up)


def chance(moves: Sequence[Try]) -> float:
    """Return the chance that a move drawn from some wins."""
    return sum(one.wins for one in moves) / len(moves)


def lightest(moves: Sequence[Try], enemy: int) -> list[Try]:
    """Return the moves with the fewest own stones, enemy stones counted `enemy` times against."""
    least = min(one.own - enemy * one.enemy for one in moves)
    return [one for one in moves if one.own - enemy * one.enemy == least]


def guess(moves: Sequence[Try], side: fg.Color, seed: int) -> Try:
    """Return the move after which the side wins most of a few random games."""

    def score(move: Try) -> int:
        if move.own == 0:
            return -1
        count = max(1, PLAYOUTS // len(moves))
        return int((fg.playouts(move.after, count, seed) == int(side)).sum())

    return max(moves, key=score)


#: What is told of moves, in the order of the rows.
MOVE_ROWS = (
    "only one move wins (of won forms)",
    "every winning move is a slide (of won forms)",
    "every winning move cuts (of won forms)",
    "some winning move leaves no two own stones adjacent (of won forms)",
    "a random move still wins",
    "the fewest own stones still win",
    "own minus enemy stones at its lowest still wins",
    f"{PLAYOUTS} random games find a win",
    "of moves that leave one own stone, win",
    "of captures that cut nothing, win",
    "of captures that cut, win",
    "of slides, win",
)


def move_shares(rules: fg.Rules, stones: int) -> list[str]:
    """Return the rows of `MOVE_ROWS` for all forms of so many stones in the center."""
    forms, mover = level(stones), central(rules, stones)
    total = [0.0] * len(MOVE_ROWS)
    whole = [0] * len(MOVE_ROWS)

    def add(row: int, value: float) -> None:
        total[row] += value
        whole[row] += 1

    won = int((forms.distinct & mover).sum())
    every, number = max(1, won // TRIALS), 0
    for shape, mask in np.argwhere(forms.distinct).tolist():
        position = place(diagram_of(forms.shapes[shape], mask), rules)
        moves = tries(position)
        for one in moves:
            if one.own == 1:
                add(8, one.wins)
            add(11 if one.slide else 10 if one.removed > 1 else 9, one.wins)
        winning = [one for one in moves if one.wins]
        assert bool(winning) == bool(mover[shape, mask])
        if not winning:
            continue
        add(0, len(winning) == 1)
        add(1, all(one.slide for one in winning))
        add(2, all(one.slide or one.removed > 1 for one in winning))
        add(3, any(not _has_pair(one.after, fg.BLACK) for one in winning))
        add(4, chance(moves))
        add(5, chance(lightest(moves, 0)))
        add(6, chance(lightest(moves, 1)))
        if number % every == 0:
            add(7, guess(moves, fg.BLACK, number).wins)
        number += 1
    return [share(*pair) if pair[1] else "" for pair in zip(total, whole, strict=True)]


def _has_pair(position: fg.Position, color: fg.Color) -> bool:
    stones = set(position.stones(color))
    return any(stones & set(_neighbors(cell)) for cell in stones)


def move_facts(rules: fg.Rules, numbers: Sequence[int]) -> Facts:
    """Return what is told of moves, each share as a fact."""
    return {
        f"move_{row}_{stones}": value
        for stones in numbers
        for row, value in enumerate(move_shares(rules, stones))
    }


# Figures from searches and games


def line_facts() -> Facts:
    """Return the outcome classes of some lines, rectangles and rings."""
    rows = []
    lengths = range(2, 10)
    lines = {
        "`xoxo`... in turns": [("xo" * n)[:n] for n in lengths],
        "`xooo`... one at the end": ["x" + "o" * (n - 1) for n in lengths],
        "`xxoo` two blocks alike": [
            "" if n % 2 else "x" * (n // 2) + "o" * (n // 2) for n in lengths
        ],
    }
    for name, forms in lines.items():
        for rules in (fg.STANDARD, fg.ADVANCED):
            found = [class_of(form, rules) if form else "" for form in forms]
            rows.append([name, str(rules), *found])
    facts = {"lines": table(["line", "rules", *map(str, lengths)], rows)}
    blocks = [class_of("x" * k + "/" + "o" * k, fg.STANDARD) for k in range(1, 11)]
    *some, last = (str(k) for k, found in enumerate(blocks, 1) if found == "P")
    facts["blocks"] = f"{', '.join(some)} and {last}"
    assert set(blocks) == {"N", "P"}
    rings = {
        4: "xo/ox",
        8: "xox/o.o/xox",
        10: "xoxo/o..x/xoxo",
        12: "xoxo/o..x/x..o/oxox",
    }
    for rules in (fg.STANDARD, fg.ADVANCED):
        assert all(class_of(form, rules) == "P" for form in rings.values())
    *some, last = map(str, rings)
    facts["rings"] = f"{', '.join(some)} and {last}"
    return facts


def published_facts() -> Facts:
    """Check the published outcome classes (forms in the center of an 8 x 8 board)."""
    count = 0
    for line in OUTCOMES.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            form, expected = line.split("\t")
            height, width = form.count("/") + 1, len(form.split("/")[0])
            array = np.zeros((8, 8), np.uint8)
            for row, marks in enumerate(form.split("/")):
                for column, mark in enumerate(marks):
                    array[(8 - height) // 2 + row, (8 - width) // 2 + column] = ".xo".index(mark)
            position = fg.Position.from_array(array, fg.BLACK, fg.ADVANCED)
            found = fg.outcome_class(position)
            assert found is not None
            assert found.value == expected, form
            count += 1
    return {"published": str(count)}


def ending_facts(rules: fg.Rules, games: int) -> Facts:
    """Return the forms of `ENDING` stones that random games on 8 x 8 pass most often."""
    start = fg.Position.initial(rules, 8)
    found: Counter[tuple[str, str]] = Counter()
    for seed in range(games):
        position = start
        for move in fg.playout(start, seed).moves:
            position = position.play_unchecked(move)
            if sum(position.counts.values()) == ENDING and not position.is_over:
                winner = best_table(rules).wins_for_mover(position)
                found[_seen_by_mover(position), "wins" if winner else "loses"] += 1
    total = found.total()
    merged = Counter[str]()
    verdicts: dict[str, set[str]] = {}
    for (form, verdict), count in found.items():
        merged[form] += count
        verdicts.setdefault(form, set()).add(verdict)
    rows = [
        [f"`{form}`", share(count, total), " or ".join(sorted(verdicts[form], reverse=True))]
        for form, count in sorted(merged.items(), key=lambda item: (-item[1], item[0]))[:5]
    ]
    head = ["form, the side to move is `x`", "share", "the side to move"]
    return {"endings": table(head, rows), "endings_count": f"{total:,}"}


def _seen_by_mover(position: fg.Position) -> str:
    """Return a form as its mover sees it (own stones x), turned in one way."""
    array = position.array
    cells = [(int(row), int(column)) for row, column in np.argwhere(array)]
    side = int(position.side_to_move)
    own = sum((int(array[cell]) == side) << number for number, cell in enumerate(cells))
    return max(
        (diagram_of(_turn(cells, symmetry), own) for symmetry in SYMMETRIES),
        key=lambda form: (-form.count("/"), form),
    )


# Diagrams


@dataclass(frozen=True)
class Diagram:
    """A diagram of the text: a position, and the move shown in it, if one is."""

    position: str
    move: str | None = None

    def caption(self) -> str:
        """Return the position with what is proved about it."""
        position = fg.Position.parse(self.position)
        words = [f"`{self.position}`"]
        if self.move is None:
            found = fg.outcome_class(position)
            assert found is not None
            words.append(f"Class {found.value}.")
            for side in (fg.BLACK, fg.WHITE):
                words.append(_told(position.with_side_to_move(side)))
        else:
            moves = fg.winning_moves(position)
            assert moves is not None
            names = [str(move) for move in moves]
            wins = self.move in names
            rest = "no move wins" if not names else "the winning moves are " + ", ".join(names)
            if len(names) == 1:
                rest = f"the only winning move of {len(position.legal_moves)} is {names[0]}"
            words.append(f"{self.move} {'wins' if wins else 'loses'}; {rest}.")
            words.append(_told(position.play(self.move)))
        return " ".join(words)

    def svg(self) -> str:
        """Return the picture."""
        return fg.to_svg(fg.Position.parse(self.position), preview=self.move, size=240)


def _told(position: fg.Position) -> str:
    verdict = fg.solve(position)
    assert verdict is not None
    line = " ".join(map(str, verdict.line))
    return f"{position.side_to_move.title} to move: {verdict.winner.title} wins ({line})."


DIAGRAMS = {
    "recapture": Diagram("5/1xox1/1oxo1/5/5 x standard", "b4-c4"),
    "one-stone": Diagram("8/1xxxooo1/8 x standard", "d2-e2"),
    "two-pairs": Diagram("8/1xxooxx1/8 x standard"),
    "trap": Diagram("5/1xoo1/2xx1/1xo2/5 x standard", "d3-d4"),
    "block-4": Diagram("6/1xxxx1/1oooo1/6 x standard"),
    "lone": Diagram("8/8/8/2xooo2/8/8/8/8 x advanced"),
    "lone-standard": Diagram("6/1xooo1/6 x standard"),
    "blocks-advanced": Diagram("8/8/8/1xxxooo1/8/8/8/8 x advanced"),
    "turns-even": Diagram("8/8/8/2xoxo2/8/8/8/8 x advanced"),
    "turns-odd": Diagram("9/9/9/2xoxox2/9/9/9/9 x advanced"),
    "cut": Diagram("8/8/8/2ooxx2/2x1o3/8/8/8 x advanced", "e5-e3"),
    "center": Diagram("8/8/8/2xxx3/3o4/8/8/8 x advanced"),
    "edge": Diagram("2xxx3/3o4/8/8/8/8/8/8 x advanced"),
    "trap-advanced": Diagram("8/8/8/2xxox2/2ox4/8/8/8 x advanced", "f5-e5"),
}


def gallery(rules: fg.Rules, stones: Sequence[int]) -> dict[str, Diagram]:
    """Return diagrams of the smallest P forms."""
    found = {}
    for number in stones:
        for index, form in enumerate(smallest_lost(rules, number), 1):
            position = str(place(form, rules, max(1, number - 2) if rules is fg.ADVANCED else 1))
            found[f"p-{rules}-{number}-{index}"] = Diagram(position)
    return found


# The whole


def compute() -> Facts:
    """Return all facts."""
    facts: Facts = {}
    for rules in (fg.STANDARD, fg.ADVANCED):
        found = {
            **count_facts(rules, TOP[rules]),
            **move_facts(rules, MOVES_OF[rules]),
            **ending_facts(rules, GAMES),
        }
        facts.update({f"{rules.name}_{name}": value for name, value in found.items()})
    facts.update(law_facts(TOP[fg.STANDARD]))
    facts.update(rule_facts(RULE_SAMPLES))
    facts.update(edge_facts(TOP[fg.ADVANCED]))
    facts.update(line_facts())
    facts.update(published_facts())
    return facts


def diagrams() -> dict[str, Diagram]:
    """Return all diagrams by name."""
    return {**DIAGRAMS, **gallery(fg.STANDARD, (2, 3, 4)), **gallery(fg.ADVANCED, (2, 4, 5))}


def render(facts: Facts) -> str:
    """Return the template filled with the figures."""
    values = dict(facts)
    for name, diagram in DIAGRAMS.items():
        about = fg.Position.parse(diagram.position)
        values[f"picture:{name}"] = f"![{about}](strategy/{name}.svg)"
        values[f"caption:{name}"] = diagram.caption()
    for rules, stones in ((fg.STANDARD, (2, 3, 4)), (fg.ADVANCED, (2, 4, 5))):
        values[f"gallery:{rules}"] = " ".join(
            f"![{diagram.position}](strategy/{name}.svg)"
            for name, diagram in gallery(rules, stones).items()
        )
    for rows in ("players", "moves"):
        values[f"table:{rows}"] = _move_table(facts, rows)
    text = (FOLDER / "template.md").read_text("utf-8")
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def _move_table(facts: Facts, rows: str) -> str:
    numbers = range(4, 8) if rows == "players" else (0, 1, 2, 3, 8, 9, 10, 11)
    columns = [(rules, stones) for rules in MOVES_OF for stones in MOVES_OF[rules]]
    return table(
        ["", *(f"{rules} {stones}" for rules, stones in columns)],
        [
            [MOVE_ROWS[row], *(facts[f"{rules}_move_{row}_{stones}"] for rules, stones in columns)]
            for row in numbers
        ],
    )


def files(facts: Facts) -> dict[Path, str]:
    """Return what all files should hold."""
    return {
        FOLDER / "facts.json": json.dumps(facts, indent=1, ensure_ascii=False) + "\n",
        TEXT: render(facts),
        **{FOLDER / f"{name}.svg": diagram.svg() for name, diagram in diagrams().items()},
    }


def main(arguments: Sequence[str]) -> int:
    """Write or check the files and return the exit status."""
    status = 0
    wanted = files(compute())
    known = {path.name for path in wanted}
    for path in FOLDER.glob("*.svg"):
        if path.name not in known:
            print(f"{path} belongs to no diagram", file=sys.stderr)
            status = 1
    for path, text in wanted.items():
        if path.exists() and path.read_text("utf-8") == text:
            continue
        if "--check" in arguments:
            print(f"{path} is not what the script makes", file=sys.stderr)
            status = 1
        else:
            path.write_text(text, "utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
