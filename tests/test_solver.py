"""The solver agrees with full searches, and says nothing that it has not proved."""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import formsgame as fg
import naive
import shapes
from commanding import refused, run, start
from formsgame.kernels.bits import MOST_MOVES, children_standard, make_layout
from formsgame.solver import Solver, building, filling, search, tables, verdict, wide
from formsgame.solver.clock import Clock
from formsgame.solver.tables import Table
from formsgame.solver.work import SearchWork, run_together

VECTORS = Path(__file__).parent / "vectors"
BOTH = (fg.STANDARD, fg.ADVANCED)
#: In words of stride 8.
FIRST_COLUMN = 0x0101010101010101
#: Takes far longer than any limit here.
HARD = fg.Position.initial("advanced", 8)


def rows_of(name: str) -> list[list[str]]:
    lines = (VECTORS / name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def no_limit() -> Clock:
    return Clock(None, None, None)


def package(board: naive.Board) -> fg.Position:
    return fg.Position.parse(naive.format_board(board))


# What is known


@pytest.mark.parametrize(("rules", "rows", "columns", "result"), rows_of("solved.tsv"))
def test_solved_boards(rules: str, rows: str, columns: str, result: str) -> None:
    position = fg.Position.initial(rules, (int(rows), int(columns)))
    found = fg.solve(position)
    assert found is not None
    assert found.winner is (fg.BLACK if result == "first player wins" else fg.WHITE)
    check_line(position, found.winner, found.line)


@pytest.mark.parametrize(("drawing", "outcome"), rows_of("outcomes.tsv"))
def test_published_outcome_classes(drawing: str, outcome: str) -> None:
    lines = drawing.split("/")
    array = np.zeros((8, 8), np.uint8)
    top, left = (8 - len(lines)) // 2, (8 - len(lines[0])) // 2
    for row, column in itertools.product(range(len(lines)), range(len(lines[0]))):
        array[top + row, left + column] = ".xo".index(lines[row][column])
    for side in (fg.BLACK, fg.WHITE):
        position = fg.Position.from_array(array, side, "advanced")
        assert fg.outcome_class(position) is fg.OutcomeClass(outcome)


# Full searches


def small_boards(rules: fg.Rules, count: int) -> list[naive.Board]:
    """Boards of odd and even sizes that a naive search sees through."""
    generator = random.Random(f"small {rules.name}")
    sizes = [(2, 3), (3, 3), (1, 7), (7, 1), (2, 12), (12, 2), (3, 21), (10, 10), (9, 5), (26, 26)]
    boards: list[naive.Board] = []
    while len(boards) < count:
        rows, columns = generator.choice(sizes)
        high, wide = generator.randint(1, min(rows, 3)), generator.randint(1, min(columns, 4))
        part = shapes.random_board(rules.name, high, wide, generator)
        down, right = generator.randint(0, rows - high), generator.randint(0, columns - wide)
        stones = {(x + right, y + down): stone for (x, y), stone in part.stones.items()}
        if len(stones) > (8 if rules is fg.STANDARD or rows * columns < 30 else 5):
            continue
        boards.append(naive.Board(rules.name, rows, columns, stones, part.side))
    return boards


@pytest.fixture(scope="module", params=BOTH, ids=str)
def judged(request: pytest.FixtureRequest) -> list[tuple[fg.Position, bool, tuple[str, ...]]]:
    """Positions, whether the side to move wins, and the moves that win, by a naive search."""
    found = []
    known: dict[str, bool] = {}
    for board in small_boards(request.param, 400):
        winning = tuple(
            naive.format_move(move)
            for move in naive.legal_moves(board)
            if not naive.mover_wins(naive.apply(board, move).board, known)
        )
        found.append((package(board), naive.mover_wins(board, known), winning))
    return found


Judged = list[tuple[fg.Position, bool, tuple[str, ...]]]


def of_levels(levels: int) -> Callable[[fg.Rules], Table]:
    return lambda rules: tables.build_table(rules, levels) if levels else Table.empty(rules)


@pytest.mark.parametrize(
    "table",
    [tables.best_table, *map(of_levels, (0, 1, 4))],
    ids=["all", "no levels", "1 level", "4 levels"],
)
def test_a_naive_search_agrees(judged: Judged, table: Callable[[fg.Rules], Table]) -> None:
    rules = judged[0][0].rules
    solver = Solver(rules, memory_mb=1, table=table(rules))
    for position, wins, winning in judged:
        side = position.side_to_move
        found = solver.solve(position)
        assert found is not None
        assert found.winner is (side if wins else side.opponent), position
        assert tuple(map(str, solver.winning_moves(position) or ())) == winning, position


@pytest.mark.parametrize(("rules", "stones"), [(fg.STANDARD, 11), (fg.ADVANCED, 8)], ids=str)
def test_a_naive_search_agrees_above_the_tables(rules: fg.Rules, stones: int) -> None:
    assert stones > tables.SHIPPED_LEVELS[rules]
    generator = random.Random(f"above {rules.name}")
    found = 0
    while found < 12:
        board = shapes.random_board(rules.name, 3, 4, generator)
        if len(board.stones) != stones or naive.winner(board) is not None:
            continue
        found += 1
        position = package(board)
        wins = naive.mover_wins(board)
        solved = fg.solve(position, memory_mb=1)
        assert solved is not None
        assert solved.winner is (position.side_to_move if wins else position.side_to_move.opponent)


def test_a_naive_search_agrees_on_outcome_classes(judged: Judged) -> None:
    known: dict[str, bool] = {}
    for position, _, _ in judged[:80]:
        if position.is_over:
            won = fg.OutcomeClass.B if position.winner is fg.BLACK else fg.OutcomeClass.W
            assert fg.outcome_class(position) is won
            continue
        black, white = (
            naive.mover_wins(naive.parse_board(str(position.with_side_to_move(side))), known)
            for side in (fg.BLACK, fg.WHITE)
        )
        expected = {(1, 1): "N", (0, 0): "P", (1, 0): "B", (0, 1): "W"}[black, white]
        assert fg.outcome_class(position) is fg.OutcomeClass(expected)


def with_entries(solver: Solver, count: int) -> Solver:
    """Leave a solver a transposition table of so many entries."""
    solver._entries = np.zeros((count, 3), np.uint64)
    return solver


def test_when_all_positions_collide_the_verdicts_stay(judged: Judged) -> None:
    rules = judged[0][0].rules
    nothing = Table.empty(rules)
    tiny = with_entries(Solver(rules, memory_mb=1, table=nothing), search.WAYS)
    small = with_entries(Solver(rules, memory_mb=1, table=nothing), 4 * search.WAYS)
    for position, wins, _ in judged:
        for solver in (tiny, small):
            winner = solver.winner(position, no_limit())
            assert winner is (position.side_to_move if wins else position.side_to_move.opponent)


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_memory_and_tables_change_no_verdict_of_larger_forms(rules: fg.Rules) -> None:
    generator = random.Random(f"larger {rules.name}")
    shared = Solver(rules, memory_mb=1)
    bare = Solver(rules, memory_mb=4, table=Table.empty(rules))
    colliding = with_entries(Solver(rules, memory_mb=1), search.WAYS)
    for _ in range(40):
        size = generator.choice([(3, 4), (4, 4), (2, 7), (4, 5)])
        position = package(shapes.random_board(rules.name, *size, generator))
        if sum(position.counts.values()) > 13:
            continue
        winner = fg.Color(Solver(rules).winner(position, no_limit()) or 0)
        assert shared.winner(position, no_limit()) is winner
        assert bare.winner(position, no_limit()) is winner
        if sum(position.counts.values()) <= 11:
            assert colliding.winner(position, no_limit()) is winner


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_both_searches_agree(rules: fg.Rules) -> None:
    """That on words, and that for boards which no word holds."""
    table = tables.build_table(rules, 3)
    solver = Solver(rules, memory_mb=1, table=table)
    found = building.random_positions(rules, 7, random.Random(7))
    for position in itertools.islice(found, 300):
        if verdict._box_of(position) is None:
            continue
        result = wide.search_wide(position, table, no_limit())
        assert result != search.UNKNOWN
        side = position.side_to_move
        winner = side if result == search.WIN else side.opponent
        assert solver.winner(position, no_limit()) is winner, position


# What is seen without search


def test_what_recaptures_wins() -> None:
    """In all small forms; and it is seen exactly where a move leaves such stones."""
    table = tables.best_table(fg.STANDARD)
    layout = make_layout(8, 8)
    movers, others = np.zeros(MOST_MOVES, np.uint64), np.zeros(MOST_MOVES, np.uint64)
    rows, columns = np.zeros(16, np.int64), np.zeros(16, np.int64)
    seen = 0
    for level in range(2, 9):
        for key in table.level_keys(level):
            filling.cells_of(key, rows, columns)
            cells = [1 << int(8 * rows[i] + columns[i]) for i in range(level)]
            for mask in range(1, (1 << level) - 1):
                own = sum(cell for i, cell in enumerate(cells) if mask >> i & 1)
                enemy = sum(cells) - own
                pair = np.array([own, enemy], np.uint64)
                search.normalize(0, 8, 8, 8, pair)
                won = search.probe_form(
                    pair[0], pair[1], table.keys, table.key_starts, table.bit_starts, table.wins
                )
                found = search.recaptures(pair[0], pair[1], layout)
                seen += found
                assert won or not found
                if level <= 6:
                    made = children_standard(pair[0], pair[1], layout, movers, others)
                    assert found == any(
                        left and not mover & (mover << 8 | (mover << 1 & ~FIRST_COLUMN))
                        for mover, left in zip(
                            movers[:made].tolist(), others[:made].tolist(), strict=True
                        )
                    )
    assert seen > 60_000


# Threads


@pytest.mark.parametrize(("entries", "stones"), [(1 << 15, 13), (16 * search.WAYS, 10)])
@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_threads_with_one_small_table_change_no_verdict(
    rules: fg.Rules, entries: int, stones: int
) -> None:
    """Four solvers of two threads each search all positions in their own order."""
    generator = random.Random(f"threads {rules.name}")
    nothing = Table.empty(rules)
    alone = Solver(rules, memory_mb=4, table=nothing)
    expected: dict[fg.Position, fg.Color | None] = {}
    while len(expected) < 24:
        position = package(shapes.random_board(rules.name, 4, 4, generator))
        if 9 <= sum(position.counts.values()) <= stones and not position.is_over:
            expected[position] = alone.winner(position, no_limit())
    table = np.zeros((entries, 3), np.uint64)

    def search_all(seed: int) -> dict[fg.Position, fg.Color | None]:
        solver = Solver(rules, memory_mb=1, table=nothing, threads=2)
        solver._entries = table
        solver._board = alone._board  # the table is for all of them: none may clear it
        order = random.Random(seed).sample(sorted(expected, key=str), len(expected))
        return {position: solver.winner(position, no_limit()) for position in order}

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(search_all, range(4)):
            assert found == expected


def words_of(position: fg.Position) -> tuple[int, int]:
    box = verdict._box_of(position)
    assert box is not None
    return box.words(position)


def test_what_goes_wrong_in_a_thread_reaches_the_caller() -> None:
    """Neither an error in any of the threads nor an interrupt of the caller leaves one behind."""
    threads = threading.active_count()

    def fail_at(number: int) -> Callable[[SearchWork, int], int]:
        def run(work: SearchWork, budget: int) -> int:
            if work.noise == number and work.level[1] > 0:
                raise ZeroDivisionError
            work.level[1] += budget
            time.sleep(0.001)
            return search.UNKNOWN

        return run

    for number in range(3):
        with pytest.raises(ZeroDivisionError):
            run_together(*words_of(HARD), 3, fail_at(number), no_limit())
        assert threading.active_count() == threads

    def interrupt() -> bool:
        raise KeyboardInterrupt

    told: list[int] = []
    solver = Solver(fg.ADVANCED, memory_mb=1, threads=3)
    with pytest.raises(KeyboardInterrupt):
        solver.solve(HARD, report=told.append, stopped=lambda: len(told) > 20 and interrupt())
    assert threading.active_count() == threads


def test_threads_keep_to_the_limit() -> None:
    threads = threading.active_count()
    solver = Solver(fg.ADVANCED, memory_mb=1, threads=3)
    for nodes in (1, 300, 5000):
        clock = Clock(fg.Limit(nodes=nodes), None, None)
        assert solver.winner(HARD, clock) is None
        assert clock.nodes == nodes
        assert threading.active_count() == threads
    start = time.perf_counter()
    assert solver.solve(HARD, fg.Limit(seconds=0.2)) is None
    assert time.perf_counter() - start < 5
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(fg.LimitError):
            Solver(fg.ADVANCED, threads=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_searches_of_both_kinds_share_the_memory(rules: fg.Rules) -> None:
    """What was found on words, of the half that stays, holds in the smaller table."""
    solver = Solver(rules, memory_mb=2)
    small = fg.Position.initial(rules, 4)
    before = solver.memory_for(small)[0]
    winner = solver.winner(small, no_limit())
    wide_ones = solver.memory_for(fg.Position.initial(rules, 26))
    after = solver.memory_for(small)[0]
    assert sum(array.nbytes for array in (*wide_ones, after)) <= 2 * 2**20
    assert (after == before[: len(after)]).all()
    assert solver.winner(small, no_limit()) is winner


def test_any_thread_may_find_the_result() -> None:
    """Whichever of them is first, its result is the one that is told."""
    for number in range(3):

        def run(work: SearchWork, budget: int, number: int = number) -> int:
            work.level[1] += budget
            time.sleep(0.001)
            return search.WIN if work.noise == number else search.UNKNOWN

        result, work = run_together(*words_of(HARD), 3, run, no_limit())
        assert (result, work.noise) == (search.WIN, number)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_best_move_wins(judged: Judged, threads: int) -> None:
    rules = judged[0][0].rules
    for table in (tables.best_table(rules), Table.empty(rules)):
        solver = Solver(rules, memory_mb=1, table=table, threads=threads)
        for position, wins, winning in judged[:150]:
            side = position.side_to_move
            found = solver.best_move(position, no_limit())
            assert found is not None
            assert found[0] is (side if wins else side.opponent)
            assert (str(found[1]) in winning) if winning else found[1] is None


def test_no_best_move_without_a_proof() -> None:
    solver = Solver(fg.ADVANCED, memory_mb=1)
    assert solver.best_move(HARD, Clock(fg.Limit(nodes=300), None, None)) is None


class Halting(Clock):
    """A clock that lets a search open a single position at a time."""

    def run_slices(self, run: Callable[[int], tuple[int, int]]) -> int:
        while True:
            result, nodes = run(1)
            assert nodes <= 1
            if result != search.UNKNOWN:
                return result


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_a_search_stands_still_anywhere(rules: fg.Rules) -> None:
    found = building.random_positions(rules, 7, random.Random(8))
    for position in itertools.islice(found, 60):
        results = []
        for clock in (no_limit(), Halting(None, None, None)):
            solver = Solver(rules, memory_mb=1, table=tables.build_table(rules, 2))
            results.append(solver.winner(position, clock))
        assert results[0] is results[1] is not None


# Lines


def check_line(position: fg.Position, winner: fg.Color, line: tuple[fg.Move, ...]) -> None:
    """See that a line is legal, ends with the winner's win, and that every move of theirs wins."""
    solver = Solver(position.rules)
    for move in line:
        if position.side_to_move is winner:
            winning = solver.winning_moves(position)
            assert winning is not None
            assert move in winning
        position = position.play(move)
    assert position.winner is winner


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_lines_lead_where_they_say(rules: fg.Rules) -> None:
    generator = random.Random(f"lines {rules.name}")
    for _ in range(25):
        position = package(shapes.random_board(rules.name, 3, 4, generator))
        found = fg.solve(position, memory_mb=8)
        assert found is not None
        check_line(position, found.winner, found.line)
        assert (len(found.line) == 0) == position.is_over


def test_a_finished_game_is_solved() -> None:
    position = fg.Position.parse("xx o standard")
    found = fg.solve(position, fg.Limit(nodes=1))
    assert found is not None
    assert (found.winner, found.line, found.nodes) == (fg.WHITE, (), 0)
    assert fg.winning_moves(position) == ()
    assert fg.outcome_class(position) is fg.OutcomeClass.W


# Limits


def test_a_limit_that_is_too_small_gives_no_verdict() -> None:
    for limit in (fg.Limit(nodes=1), fg.Limit(nodes=300), fg.Limit(seconds=0)):
        assert fg.solve(HARD, limit) is None
        assert fg.winning_moves(HARD, limit) is None
        assert fg.outcome_class(HARD, limit) is None
        assert fg.solve(fg.Position.initial("standard", 10), limit) is None


def test_whatever_the_limit_a_verdict_is_the_right_one() -> None:
    position = fg.Position.initial("standard", 4)
    right = fg.solve(position)
    assert right is not None
    nodes, given = 1, 0
    while nodes < 4 * right.nodes:
        found = fg.solve(position, fg.Limit(nodes=nodes), memory_mb=1)
        assert found is None or found.winner is right.winner
        assert found is None or found.nodes <= nodes
        given += found is not None
        nodes *= 2
    assert 0 < given < nodes.bit_length()


@pytest.mark.parametrize(
    "position", [HARD, fg.Position.initial("standard", 18)], ids=["words", "wide"]
)
def test_time_limits_hold(position: fg.Position, warm: None) -> None:
    solver = Solver(position.rules, memory_mb=8)
    waits = []
    for _ in range(4):
        start = time.perf_counter()
        assert solver.solve(position, fg.Limit(seconds=0.2)) is None
        waits.append(time.perf_counter() - start)
    assert min(waits) < 0.4


def test_a_search_stops_when_told() -> None:
    told: list[int] = []
    assert fg.solve(HARD, memory_mb=8, report=told.append, stopped=lambda: len(told) > 10) is None
    assert told == sorted(told)
    assert len(told) == 11
    asked = iter([False] * 5)
    assert fg.winning_moves(HARD, memory_mb=8, stopped=lambda: next(asked, True)) is None


def test_what_is_asked_wrongly() -> None:
    position = fg.Position.parse("xo x standard")
    for memory in (0, -1, 1.5, True, "64"):
        with pytest.raises(fg.LimitError):
            fg.solve(position, memory_mb=memory)  # type: ignore[arg-type]
    with pytest.raises(fg.LimitError):
        Solver(fg.ADVANCED, memory_mb=1).solve(position)


# On the command line


def test_solve_on_the_command_line() -> None:
    ran = run("solve", "--board", "4x4", "--rules", "standard", "--moves")
    assert (ran.status, ran.err) == (0, "")
    assert ran.lines[0] == "White wins with best play"
    position = fg.Position.initial("standard", 4)
    line = ran.lines[1].removeprefix("line: ").split()
    check_line(position, fg.WHITE, tuple(map(fg.Move.parse, line)))
    assert ran.lines[2] == "winning moves: -"
    assert " positions, " in ran.lines[3]
    text = "8/8/8/2xxo3/8/8/8/8 x advanced"
    ran = run("solve", *text.split(), "--moves", "--seconds", "60")
    assert ran.lines[0] == "Black wins with best play"
    winning = fg.winning_moves(fg.Position.parse(text))
    assert winning
    assert ran.lines[2] == f"winning moves: {' '.join(map(str, winning))}"
    assert run("solve", "-", stdin=text).lines[0] == "Black wins with best play"
    ran = run("solve", "--board", "2x8", "--rules", "advanced", "--threads", "2")
    assert ran.lines[0] == "Black wins with best play"
    assert run("solve", "xx o standard").out == "White ran out of stones and wins.\n"


def test_what_solve_refuses() -> None:
    assert "not solved within the limit (" in refused(1, "solve", "--board", "8", "--nodes", "50")
    assert "not solved" in refused(1, "solve", "--board", "8", "--moves", "--seconds", "0.05")
    assert "say what to solve" in refused(2, "solve")
    assert "no game starts" in refused(2, "solve", "--board", "3")
    assert "has its own rules" in refused(2, "solve", "xo x standard", "--board", "4")
    for wrong in (["--seconds", "-1"], ["--nodes", "0"], ["--memory", "0"], ["--memory", "much"]):
        assert wrong[0] in refused(2, "solve", "--board", "4", *wrong)
    for seconds in ("nan", "inf"):
        assert "--seconds" in refused(2, "solve", "--board", "4", "--seconds", seconds)


def test_ctrl_c_ends_solving() -> None:
    with start("solve", "--board", "8", start_new_session=True) as process:
        time.sleep(4)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in out + err
