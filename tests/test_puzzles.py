"""The shipped puzzles: proved, different, graded; and how puzzles are made."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest

import formsgame as fg
import naive
from commanding import refused, run
from formsgame import jobs
from formsgame.cli import puzzles as cli
from formsgame.solver import Solver, puzzles
from formsgame.solver.puzzles import Puzzle, load

RULES = (fg.STANDARD, fg.ADVANCED)
SHIPPED = [*load(fg.STANDARD), *load(fg.ADVANCED)]
DATA = resources.files("formsgame.solver") / "data"


# Those that are shipped


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_every_puzzle_is_proved(rules: fg.Rules) -> None:
    """Exactly the solutions win."""
    solver = Solver(rules, memory_mb=8)
    for puzzle in load(rules):
        assert solver.winning_moves(puzzle.position) == puzzle.solutions, puzzle.id


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_small_puzzles_are_proved_by_the_naive_rules(rules: fg.Rules) -> None:
    """A full search, slow and written apart from the package, says the same."""
    small = sorted(load(rules), key=lambda puzzle: (stones(puzzle), puzzle.id))[:8]
    for puzzle in small:
        board = naive.parse_board(str(puzzle.position))
        known: dict[str, bool] = {}
        winning = [
            naive.format_move(move)
            for move in naive.legal_moves(board)
            if not naive.mover_wins(naive.play(board, move), known)
        ]
        assert winning == list(map(str, puzzle.solutions)), puzzle.id


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_there_are_two_hundred_of_many_kinds(rules: fg.Rules) -> None:
    found = load(rules)
    assert Counter(str(puzzle.position.size) for puzzle in found) == {
        "6x6": 50,
        "8x8": 50,
        "10x10": 50,
        "12x12": 50,
    }
    assert all(puzzle.rules is rules for puzzle in found)
    fewest, most = puzzles.STONES[rules]
    assert all(fewest <= stones(puzzle) <= most for puzzle in found)
    assert len({stones(puzzle) for puzzle in found}) > 5
    assert {puzzle.position.side_to_move for puzzle in found} == {fg.BLACK, fg.WHITE}
    ratings = [puzzle.rating for puzzle in found]
    assert ratings == sorted(ratings)
    for low, high in itertools.pairwise(range(500, 2000, 250)):
        assert sum(low <= rating < high for rating in ratings) >= 8, low


def test_no_two_are_the_same() -> None:
    assert len({puzzle.id for puzzle in SHIPPED}) == len(SHIPPED)
    assert len({puzzles.form_of(puzzle.position) for puzzle in SHIPPED}) == len(SHIPPED)
    assert len({(puzzle.rules.name, puzzle.game) for puzzle in SHIPPED}) == len(SHIPPED)


def test_there_is_something_to_choose_and_one_idea_to_find() -> None:
    for puzzle in SHIPPED[::5]:
        results = {puzzles.form_of(puzzle.position.play(m)) for m in puzzle.position.legal_moves}
        assert len(results) >= puzzles.FEWEST_RESULTS
        assert len({puzzles.form_of(puzzle.position.play(move)) for move in puzzle.solutions}) == 1
        assert list(puzzle.solutions) == sorted(puzzle.solutions)


def test_obvious_ones_are_few_and_easy() -> None:
    obvious = [
        puzzle
        for puzzle in SHIPPED
        if puzzles.ends_at_once(puzzle.position.play(puzzle.solutions[0]))
    ]
    assert len(obvious) <= len(SHIPPED) // 6
    assert all(puzzle.rating <= puzzles.OBVIOUS_RATING for puzzle in obvious)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_file_is_plain_and_small(rules: fg.Rules) -> None:
    data = (DATA / f"puzzles-{rules.name}.tsv").read_bytes()
    assert len(data) < 75_000
    assert data.isascii()
    assert puzzles.format_puzzles(load(rules)).encode() == data
    assert puzzles.load(rules.name) is not None


@pytest.mark.parametrize("number", [0, 60, 120, 199])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_a_puzzle_can_be_made_again(rules: fg.Rules, number: int) -> None:
    """From the seed of a random game, or from the position of one that the computer played."""
    puzzle = load(rules)[number]
    kind, board, seed, game, ply = puzzle.source.split(", ")
    position = puzzle.position
    # The computer plays otherwise with every change of the engine, chance does not.
    if kind == "random":
        start = fg.Position.initial(rules, board)
        number_seed = jobs.chunk_seed(int(seed.split()[1]), int(game.split()[1]))
        positions = cli.play_randomly(start, number_seed)
        position = next(itertools.islice(positions, int(ply.split()[1]) - 1, None))
    assert puzzles.make_puzzle(position, puzzle.source, Solver(rules, memory_mb=8)) == puzzle


def test_moves_are_accepted_or_not() -> None:
    for puzzle in SHIPPED[:3]:
        for move in puzzle.position.legal_moves:
            assert puzzle.is_solved_by(move) is (move in puzzle.solutions)
    assert puzzle.is_solved_by(str(puzzle.solutions[0]).upper())


# Making them


@pytest.mark.parametrize("seed", range(40))
def test_forms_are_the_same_turned_mirrored_moved_and_in_other_colors(seed: int) -> None:
    rules = RULES[seed % 2]
    puzzle = random.Random(seed).choice(load(rules))
    position = puzzle.position
    form = puzzles.form_of(position)
    for symmetry in fg.Symmetry:
        assert puzzles.form_of(position.transform(symmetry)) == form
    swapped = fg.Position(
        {cell: color.opponent for color in fg.Color for cell in position.stones(color)},
        position.size,
        position.side_to_move.opponent,
        rules,
    )
    assert puzzles.form_of(swapped) == form
    assert puzzles.form_of(position.with_side_to_move(position.side_to_move.opponent)) != form
    if rules is fg.STANDARD:
        wider = fg.Position(
            {cell: color for color in fg.Color for cell in position.stones(color)},
            26,
            position.side_to_move,
            rules,
        )
        assert puzzles.form_of(wider) == form


def test_edges_count_as_far_as_slides_feel_them() -> None:
    forms = {
        side: puzzles.form_of(
            fg.Position({"c3": 1, "c4": 2, "d3": 1, "d4": 2}, side, fg.BLACK, fg.ADVANCED)
        )
        for side in (5, 6, 7, 9)
    }
    assert forms[5] != forms[6] == forms[7] == forms[9]


@pytest.mark.parametrize(
    "text",
    [
        "8/8/8/2xxo3/8/8/8/8 x advanced",  # too small
        "8/8/8/8/8/8/3xx3/3x4 o standard",  # over
        "6/6/xxxooo/xxxooo/6/6 x standard",  # too many ways to win, or none
        "1xxxxxxxxxo x advanced",  # too little to choose
    ],
)
def test_what_is_no_puzzle(text: str) -> None:
    position = fg.Position.parse(text)
    assert puzzles.make_puzzle(position, "", Solver(position.rules, memory_mb=1)) is None


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_right_move_looking_worse_makes_it_harder(rules: fg.Rules) -> None:
    for puzzle in load(rules)[::40]:
        side = puzzle.position.side_to_move
        afters = [puzzle.position.play(move) for move in puzzle.position.legal_moves]
        shares = [int((fg.playouts(p, 256, 0) == side).sum()) for p in afters]
        leads = [p.counts[side.opponent] - p.counts[side] for p in afters]
        looks = list(zip(shares, leads, strict=True))
        best, worst = looks.index(max(looks)), looks.index(min(looks))
        if best != worst and leads[best] >= leads[worst]:
            assert puzzles.rate(afters, best, side, 8) < puzzles.rate(afters, worst, side, 8)
        assert puzzles.rate(afters, 0, side, 16) == puzzles.rate(afters, 0, side, 8) + 60


def test_choosing_spreads_the_ratings_and_takes_one_of_a_game() -> None:
    pool = load(fg.STANDARD)
    chosen = puzzles.choose(pool, 20)
    assert len(chosen) == 20
    ratings = sorted(puzzle.rating for puzzle in chosen)
    assert ratings[0] <= pool[3].rating
    assert ratings[-1] >= pool[-4].rating
    assert max(b - a for a, b in itertools.pairwise(ratings)) < (ratings[-1] - ratings[0]) / 3
    assert puzzles.choose(reversed(pool), 20) == chosen
    assert len(puzzles.choose([*pool, *pool], 1000)) == len(pool)
    one_game = [
        Puzzle(p.id, p.rating, p.position, p.solutions, f"random, 6x6, seed 1, game 1, ply {n}")
        for n, p in enumerate(pool)
    ]
    assert len(puzzles.choose(one_game, 10)) == 1
    assert puzzles.choose(pool, 10, {puzzle.id for puzzle in pool}) == []


def test_any_number_of_workers_finds_the_same(tmp_path: Path) -> None:
    chunks = [
        (rules.name, 6, kind, 5, first, first + 3)
        for rules in RULES
        for kind in ("random", "computer")
        for first in (0, 3)
    ]
    alone = jobs.run(cli.make_chunk, chunks, workers=1)
    journal = jobs.Journal(tmp_path / "journal", "puzzles")
    assert jobs.run(cli.make_chunk, chunks[:3], workers=1, journal=journal) == alone[:3]
    assert jobs.run(cli.make_chunk, chunks, workers=2, journal=journal) == alone
    assert any(text.count("\n") > 1 for text in alone)


# The command line


def test_making_and_proving_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "SIDES", (6,))
    file = tmp_path / "puzzles.tsv"
    options = ["--rules", "standard", "--games", "12", "--workers", "1", "--count", "3"]
    journal = tmp_path / "journal"
    ran = run("puzzles", "make", *options, "-o", str(file), "--journal", str(journal))
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("6x6: 3 of ")
    text = file.read_text("utf-8")
    assert len(puzzles.parse_puzzles(text)) == 3
    assert run("puzzles", "make", *options, "-o", str(file), "--journal", str(journal)).status == 0
    assert file.read_text("utf-8") == text

    assert run("puzzles", "verify", str(file)).out == "3 of 3 puzzles proved\n"
    first = puzzles.parse_puzzles(text)[0]
    wrong = next(move for move in first.position.legal_moves if move not in first.solutions)
    file.write_text(text.replace(f"\t{first.solutions[0]}", f"\t{wrong}", 1), "utf-8")
    ran = run("puzzles", "verify", str(file))
    assert (ran.status, ran.out) == (1, "2 of 3 puzzles proved\n")
    assert ran.err == f"formsgame: {first.id}: its solutions are not the moves that win\n"


@pytest.mark.parametrize("text", ["", "no puzzles", "id\trating\tposition\tsolutions\tsource\nx\n"])
def test_files_of_other_things(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x"
    file.write_text(text, "utf-8")
    assert f"{file} is not a file of puzzles" in refused(1, "puzzles", "verify", str(file))


def test_a_file_with_a_position_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "x"
    lines = puzzles.format_puzzles(SHIPPED[:1]).replace(" standard", " forms")
    file.write_text(lines, "utf-8")
    assert f"{file}: rules are 'forms'" in refused(1, "puzzles", "verify", str(file))


def test_showing() -> None:
    ran = run("puzzles", "show")
    assert (ran.status, len(ran.lines)) == (0, 400)
    ran = run("puzzles", "show", "--rules", "advanced")
    assert [line.split()[0] for line in ran.lines] == [puzzle.id for puzzle in load(fg.ADVANCED)]
    puzzle = SHIPPED[7]
    ran = run("puzzles", "show", puzzle.id, "--ascii")
    name = puzzle.position.side_to_move.title
    assert f"{name} to move and win; rating {puzzle.rating}" in ran.lines
    assert str(puzzle.position) in ran.lines
    assert "solution" not in ran.out
    told = run("puzzles", "show", puzzle.id, "--ascii", "--solution")
    assert told.out == ran.out + f"solution: {', '.join(map(str, puzzle.solutions))}\n"
    assert "there is no puzzle 'x1'" in refused(2, "puzzles", "show", "x1")


def stones(puzzle: Puzzle) -> int:
    return sum(puzzle.position.counts.values())
