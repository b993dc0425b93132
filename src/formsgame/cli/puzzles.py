"""Puzzles from the command line: making, proving and showing them."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from formsgame.cli import output
from formsgame.cli.words import _
from formsgame.errors import FormsError

if TYPE_CHECKING:
    from formsgame.position import Position
    from formsgame.solver.puzzles import Puzzle
    from formsgame.solver.verdict import Solver

#: Sides of the boards that puzzles are made on.
SIDES = (6, 8, 10, 12)
#: Games of the computer against itself in a chunk of the job; random games for each of them.
GAMES, RANDOM_GAMES = 50, 5
#: Level of the computer in games for puzzles, and the stones at which it takes over from chance.
LEVEL, NODES, OPENING = 5, 100, 24
#: Raised when the same chunks would give other puzzles.
VERSION = 1
#: Memory in megabytes of the solver.
MEMORY_MB = 16

#: What one task makes puzzles of: rules, side of the board, "random" or "computer", seed, the first
#: game and the one after the last.
Chunk = tuple[str, int, str, int, int, int]


def make(
    rules: str,
    file: Path,
    *,
    games: int,
    seed: int,
    count: int,
    journal: Path | None,
    workers: int | None | None,
) -> None:
    """Make `count` puzzles for each size of board and write them to a file."""
    output.write_file(file, "", append=True)  # a wrong name is better found out now
    output.prepare_rules()
    from formsgame import jobs
    from formsgame.solver import puzzles

    chunks: list[Chunk] = [
        (rules, side, kind, seed, first, last)
        for first, last in jobs.split(games, GAMES)
        for side in SIDES
        for kind in ("random", "computer")
    ]
    kept = jobs.Journal(journal, "puzzles", version=VERSION) if journal else None
    with output.progress(_("games")) as report:
        texts = jobs.run(
            make_chunk,
            chunks,
            journal=kept,
            workers=workers,
            report=lambda progress: report(progress.done, progress.total),
        )
    found: dict[int, list[Puzzle]] = {side: [] for side in SIDES}
    for chunk, text in zip(chunks, texts, strict=True):
        found[chunk[1]].extend(puzzles.parse_puzzles(text))
    chosen: list[Puzzle] = []
    for side in SIDES:
        best = puzzles.choose(found[side], count, {puzzle.id for puzzle in chosen})
        output.say(
            _("%(size)s: %(chosen)s of %(found)s")
            % {"size": f"{side}x{side}", "chosen": len(best), "found": len(found[side])}
        )
        chosen += best
    output.write_file(file, puzzles.format_puzzles(chosen))


def make_chunk(chunk: Chunk) -> str:
    """Return all puzzles of some games as text; a task for workers."""
    from formsgame.jobs import chunk_seed
    from formsgame.position import Position
    from formsgame.rules import parse_rules
    from formsgame.solver.puzzles import format_puzzles, make_puzzle
    from formsgame.solver.verdict import Solver

    name, side, kind, seed, first, last = chunk
    rules = parse_rules(name)
    solver = Solver(rules, memory_mb=MEMORY_MB)
    start = Position.initial(rules, side)
    each = RANDOM_GAMES if kind == "random" else 1
    play = play_randomly if kind == "random" else play_computer
    found = []
    for game in range(each * first, each * last):
        for ply, position in enumerate(play(start, chunk_seed(seed, game)), 1):
            source = f"{kind}, {side}x{side}, seed {seed}, game {game}, ply {ply}"
            puzzle = make_puzzle(position, source, solver)
            if puzzle:
                found.append(puzzle)
    return format_puzzles(found)


def verify(files: Sequence[Path]) -> int:
    """Prove all puzzles of files, or those that are shipped; return the exit status."""
    output.prepare_rules()
    from formsgame.rules import ADVANCED, STANDARD
    from formsgame.solver import puzzles

    if files:
        found = [puzzle for file in files for puzzle in _read(file)]
    else:
        found = [*puzzles.load(STANDARD), *puzzles.load(ADVANCED)]
    wrong = 0
    with output.progress(_("puzzles")) as report:
        for number, puzzle in enumerate(found):
            report(number, len(found))
            if not puzzle.is_proved_by(_solver(puzzle.rules.name)):
                wrong += 1
                output.complain(_("%s: its solutions are not the moves that win") % puzzle.id)
    output.say(
        _("%(right)s of %(count)s puzzles proved")
        % {"right": len(found) - wrong, "count": len(found)}
    )
    return 1 if wrong else 0


def show(
    name: str | None, rules: str | None, *, solution: bool, flip: bool, ascii_only: bool
) -> None:
    """Show a puzzle, or list them."""
    from formsgame.rules import ADVANCED, STANDARD
    from formsgame.solver.puzzles import load

    names = [rules] if rules else [STANDARD.name, ADVANCED.name]
    found = [puzzle for one in names for puzzle in load(one)]
    if name is None:
        for puzzle in found:
            output.say(f"{puzzle.id} {puzzle.rating:>5} {puzzle.position}")
        return
    chosen = next((puzzle for puzzle in found if puzzle.id == name), None)
    if chosen is None:
        raise typer.BadParameter(_("there is no puzzle %r") % name, param_hint="ID")
    from formsgame.cli import sentences
    from formsgame.cli.screen import Screen

    position = chosen.position
    output.say(Screen(ascii_only).draw(position, {}, flip))
    output.say(
        _("%(player)s to move and win; rating %(rating)s")
        % {"player": sentences.name(position.side_to_move), "rating": chosen.rating}
    )
    output.say(str(position))
    if solution:
        output.say(_("solution: %s") % ", ".join(map(str, chosen.solutions)))


def play_randomly(start: Position, seed: int) -> Iterator[Position]:
    """Yield the positions of a random game after the start."""
    from formsgame.simulate import playout

    position = start
    for move in playout(start, seed).moves:
        position = position.play_unchecked(move)
        yield position


def play_computer(start: Position, seed: int) -> Iterator[Position]:
    """Yield the positions of a game of the computer against itself, after a random opening."""
    from formsgame.engine import Engine
    from formsgame.limit import Limit

    limit = Limit(nodes=NODES)  # and no time, which would differ from run to run
    chance = random.Random(seed)
    position = start
    for after in play_randomly(start, seed):
        if sum(after.counts.values()) < OPENING:
            break
        position = after
        yield position
    while not position.is_over:
        with Engine(level=LEVEL, seed=chance.getrandbits(64)) as engine:
            position = position.play_unchecked(engine.think(position, limit).move)
        yield position


@functools.cache
def _solver(rules: str) -> Solver:
    """Return the solver of this process."""
    from formsgame.rules import parse_rules
    from formsgame.solver.verdict import Solver

    return Solver(parse_rules(rules), memory_mb=MEMORY_MB)


def _read(file: Path) -> tuple[Puzzle, ...]:
    """Return the puzzles of a file; raises `FailureError`."""
    from formsgame.solver.puzzles import parse_puzzles

    try:
        return parse_puzzles(file.read_text(encoding="utf-8"))
    except FormsError as error:
        raise output.FailureError(f"{file}: {error}") from None
    except ValueError:
        raise output.FailureError(_("%s is not a file of puzzles") % file) from None
