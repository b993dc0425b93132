"""Puzzles: positions with one winning idea, proved, graded and chosen; and those that are shipped.

A puzzle's side to move wins, but only by moves that lead to one and the same form (turned,
mirrored or, with standard rules, moved on the board it counts as the same); every other move loses.
A file of puzzles has one a line, fields set apart by tabs: id, rating, position, solutions with
spaces between, source.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np

from formsgame.limit import Limit
from formsgame.position import Move, Position
from formsgame.rules import ADVANCED, STANDARD, Color, Rules, Symmetry, parse_rules
from formsgame.simulate import playouts
from formsgame.solver.clock import Clock
from formsgame.solver.tables import Table
from formsgame.solver.verdict import Solver

#: Fewest and most stones of a puzzle.
STONES = {STANDARD: (6, 16), ADVANCED: (5, 12)}
#: Fewest different results that the moves of a puzzle have: with fewer there is little to choose.
FEWEST_RESULTS = 8
#: Most moves that solve a puzzle: different moves may lead to one form.
MOST_SOLUTIONS = 4
#: Positions that a search without tables may open to see through a puzzle, and its memory.
MOST_NODES = 60_000
MEMORY_MB = 4

#: Playouts after each move, and their seed.
PLAYOUTS, SEED = 256, 0
#: How sharply the guesser by playouts and the one by stones prefer what looks better to them.
PLAYOUT_TASTE, STONE_TASTE = 8.0, 0.5
#: Points of a puzzle that is solved at random half the time; for ten times the odds against
#: guessing it; and for twice the search.
BASE, ODDS_POINTS, SEARCH_POINTS = 600, 300, 60
#: Highest rating of a chosen puzzle where every answer to the solution ends the game.
OBVIOUS_RATING = 900
#: Points by which a rating may miss for each solution less, and for a game that is not random.
SOLUTION_POINTS, GAME_POINTS = 30, 60
#: How the ratings aimed at rise: above 1 there are more easy puzzles than hard ones.
SLOPE = 1.3

_HEAD = "id\trating\tposition\tsolutions\tsource"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position and every move of it that wins.

    `rating` grows with difficulty, most within 500 to 2000; see `rate`. `source` says from which
    game it comes: how the game was played, on which board, its seed and the ply. A random game is
    played again from its seed; one of the computer only by the engine of its day, so that such a
    puzzle is made again from its position. `id` depends on the form alone, and stays the same when
    puzzles are made anew.
    """

    id: str
    rating: int
    position: Position
    solutions: tuple[Move, ...]
    source: str

    @property
    def rules(self) -> Rules:
        """The rule set."""
        return self.position.rules

    @property
    def game(self) -> str:
        """The game of the source, without the ply."""
        return self.source.rpartition(",")[0]

    def is_solved_by(self, move: Move | str) -> bool:
        """Tell whether a move wins; raises `NotationError` for text that is no move."""
        return Move.parse(move) in self.solutions

    def is_proved_by(self, solver: Solver) -> bool:
        """Tell whether a solver finds that exactly the solutions win."""
        return solver.winning_moves(self.position) == self.solutions


@functools.cache
def load(rules: Rules | str) -> tuple[Puzzle, ...]:
    """Return the puzzles of a rule set that come with the package, the easiest first.

    >>> puzzle = load("standard")[0]
    >>> puzzle.position.play(puzzle.solutions[0]).is_over
    False
    """
    name = f"puzzles-{parse_rules(rules).name}.tsv"
    folder = resources.files("formsgame.solver") / "data"
    return parse_puzzles((folder / name).read_text(encoding="utf-8"))


def parse_puzzles(text: str) -> tuple[Puzzle, ...]:
    """Return the puzzles that `format_puzzles` wrote; raises `ValueError` for another text."""
    head, *lines = text.splitlines()
    if head != _HEAD:
        raise ValueError(f"a file of puzzles begins with {_HEAD!r}")
    puzzles = []
    for line in lines:
        name, rating, position, solutions, source = line.split("\t")
        moves = tuple(map(Move.parse, solutions.split()))
        puzzles.append(Puzzle(name, int(rating), Position.parse(position), moves, source))
    return tuple(puzzles)


def format_puzzles(puzzles: Iterable[Puzzle]) -> str:
    """Return puzzles as text, the easiest first."""
    lines = [_HEAD]
    for puzzle in sorted(puzzles, key=lambda puzzle: (puzzle.rating, puzzle.id)):
        solutions = " ".join(map(str, puzzle.solutions))
        lines.append(
            f"{puzzle.id}\t{puzzle.rating}\t{puzzle.position}\t{solutions}\t{puzzle.source}"
        )
    return "\n".join(lines) + "\n"


def form_of(position: Position) -> bytes:
    """Return what two positions have in common that are the same to the side to move.

    Colors are told as own and enemy, symmetries of the board do not count, and of its margins only
    what a slide can feel: nothing with standard rules.
    """
    array = position.array
    if position.side_to_move is not Color.BLACK:
        array = np.array([0, 2, 1], np.uint8)[array]
    filled = array != 0
    rows, columns = np.flatnonzero(filled.any(axis=1)), np.flatnonzero(filled.any(axis=0))
    margin = 0 if position.rules is STANDARD else max(0, int(filled.sum()) - 2)
    top, left = max(0, int(rows[0]) - margin), max(0, int(columns[0]) - margin)
    array = array[top : int(rows[-1]) + 1 + margin, left : int(columns[-1]) + 1 + margin]
    forms = []
    for symmetry in Symmetry:
        transpose, flip_rows, flip_columns = symmetry.value
        turned = array.T if transpose else array
        turned = turned[:: -1 if flip_rows else 1, :: -1 if flip_columns else 1]
        forms.append(bytes(turned.shape) + turned.tobytes())
    return position.rules.name.encode() + min(forms)


def make_puzzle(position: Position, source: str, solver: Solver) -> Puzzle | None:
    """Return a position as a puzzle, or None if it is not fit to be one.

    The solver finds what wins, and a second search, without tables, confirms it.
    """
    stones = sum(position.counts.values())
    fewest, most = STONES[position.rules]
    if position.is_over or not fewest <= stones <= most:
        return None
    side = position.side_to_move
    afters, winning = _winning(position, solver)
    if not 1 <= len(winning) <= MOST_SOLUTIONS:
        return None
    results: dict[bytes, Position] = {}
    for after in afters:
        results.setdefault(form_of(after), after)
    right = form_of(winning[0])
    solutions = tuple(move for after in winning for move in afters[after])
    if (
        len(results) < FEWEST_RESULTS
        or len(solutions) > MOST_SOLUTIONS
        or any(form_of(after) != right for after in winning)
    ):
        return None
    nodes = _search_of(results, right, side)
    if nodes is None:
        return None
    if ends_at_once(winning[0]):
        nodes = 1
    return Puzzle(
        position.rules.name[0] + hashlib.sha256(form_of(position)).hexdigest()[:7],
        rate(list(results.values()), list(results).index(right), side, nodes),
        position,
        tuple(sorted(solutions)),
        source,
    )


def rate(afters: Sequence[Position], right: int, side: Color, nodes: int) -> int:
    """Return the rating of a puzzle whose moves lead to `afters`, of which number `right` wins.

    It is BASE + ODDS_POINTS * log10(odds) + SEARCH_POINTS * log2(nodes). `nodes` are the positions
    that a search without tables opens to judge every move, each at least one; 1 where every answer
    to the solution ends the game, which is seen without search. `odds` is the geometric mean of the
    odds against two guessers: they choose a result with a weight that grows as exp(8 * share) with
    the share of random playouts that `side` wins after it, and as exp(d / 2) with the lead d in
    stones got rid of, the enemy's stones less the own.
    """
    shares = [float((playouts(after, PLAYOUTS, SEED) == int(side)).mean()) for after in afters]
    leads = [after.counts[side.opponent] - after.counts[side] for after in afters]
    odds = 0.0
    for taste, values in ((PLAYOUT_TASTE, shares), (STONE_TASTE, leads)):
        others = sum(
            math.exp(taste * (value - values[right]))
            for number, value in enumerate(values)
            if number != right
        )
        odds += math.log10(others) / 2
    return round(BASE + ODDS_POINTS * odds + SEARCH_POINTS * math.log2(nodes))


def ends_at_once(after: Position) -> bool:
    """Tell whether every move of a position ends the game."""
    return all(after.play_unchecked(move).is_over for move in after.legal_moves)


def choose(puzzles: Iterable[Puzzle], count: int, without: Collection[str] = ()) -> list[Puzzle]:
    """Return `count` puzzles, or all if there are fewer, spread over the range of ratings.

    No two have the same form or come from the same game. Obvious ones, where every answer to the
    solution ends the game, are only taken for the easy end, one in six. Of those alike in rating
    one with a single solution is taken before one with more, and one from a game of the computer
    before one from a random game. None has an id of `without`.
    """
    pools: tuple[list[Puzzle], list[Puzzle]] = ([], [])
    seen = set(without)
    for puzzle in sorted(puzzles, key=lambda puzzle: (puzzle.rating, puzzle.id, puzzle.source)):
        if puzzle.id not in seen:
            seen.add(puzzle.id)
            after = puzzle.position.play_unchecked(puzzle.solutions[0])
            pools[ends_at_once(after)].append(puzzle)
    games: set[str] = set()
    easy = [puzzle for puzzle in pools[1] if puzzle.rating <= OBVIOUS_RATING]
    chosen = _spread(easy, count // 6, games)
    return chosen + _spread(pools[0], count - len(chosen), games)


def _spread(pool: list[Puzzle], count: int, games: set[str]) -> list[Puzzle]:
    """Take puzzles from the easiest up, none from `games`, to which theirs are added."""
    chosen: list[Puzzle] = []
    for number in range(count):
        pool = [puzzle for puzzle in pool if puzzle.game not in games]
        if not pool:
            break
        if not chosen:
            low, high = pool[0].rating, pool[-1].rating
        aim = low + (high - low) * (number / max(1, count - 1)) ** SLOPE
        best = min(
            pool,
            key=lambda puzzle: (
                abs(puzzle.rating - aim)
                + SOLUTION_POINTS * (len(puzzle.solutions) - 1)
                + GAME_POINTS * puzzle.source.startswith("random"),
                puzzle.id,
            ),
        )
        games.add(best.game)
        chosen.append(best)
    return chosen


def _winning(
    position: Position, solver: Solver
) -> tuple[dict[Position, list[Move]], list[Position]]:
    """Return what moves lead to, with the moves, and what of it wins; none if it is too much."""
    afters: dict[Position, list[Move]] = {}
    for move in position.legal_moves:
        afters.setdefault(position.play_unchecked(move), []).append(move)
    clock = Clock(Limit(nodes=10 * MOST_NODES), None, None)
    winning = []
    for after in afters:
        winner = solver.winner(after, clock)
        if winner is position.side_to_move:
            winning.append(after)
        if winner is None or len(winning) > MOST_SOLUTIONS:
            return afters, []
    return afters, winning


def _search_of(results: dict[bytes, Position], right: bytes, side: Color) -> int | None:
    """Return how many positions a search without tables opens to judge all results.

    None if they are too many. It sees the puzzle for the second time, on its own.
    """
    rules = results[right].rules
    solver = Solver(rules, memory_mb=MEMORY_MB, table=Table.empty(rules))
    clock = Clock(Limit(nodes=MOST_NODES), None, None)
    for form, after in results.items():
        winner = solver.winner(after, clock)
        if winner is None:
            return None
        assert (winner is side) == (form == right), f"tables and search disagree on {after}"
    return clock.nodes + len(results)
