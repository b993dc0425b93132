"""What data/solved.tsv claims: lines play, known results agree, quick ones are proved anew."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import formsgame as fg
import naive
from formsgame.rules import parse_rules
from formsgame.solver import Solver
from formsgame.solver.clock import Clock
from formsgame.solver.tables import Table

ROOT = Path(__file__).resolve().parent.parent
RESULTS = {fg.BLACK: "first player wins", fg.WHITE: "first player loses"}


def read(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


ROWS = read(ROOT / "data" / "solved.tsv")
#: Boards that a search without any table proves in a moment.
QUICK = [row for row in ROWS if int(row[1]) * int(row[2]) <= 16 and int(row[4]) <= 1000]


def name(row: list[str]) -> str:
    return f"{row[0]}-{row[1]}x{row[2]}"


def test_no_board_stands_twice() -> None:
    assert len({tuple(row[:3]) for row in ROWS}) == len(ROWS)


def test_independent_results_agree() -> None:
    known = {tuple(row[:3]): row[3] for row in ROWS}
    for rules, rows, columns, result in read(ROOT / "tests" / "vectors" / "solved.tsv"):
        assert known[rules, rows, columns] == result


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_lines_lead_to_the_result(row: list[str]) -> None:
    position = fg.Position.initial(row[0], (int(row[1]), int(row[2])))
    for move in row[7].split():
        position = position.play(move)
    assert position.winner is not None
    assert RESULTS[position.winner] == row[3]


@pytest.mark.parametrize("row", QUICK, ids=name)
def test_quick_boards_are_proved_without_tables(row: list[str]) -> None:
    rules = parse_rules(row[0])
    solver = Solver(rules, memory_mb=16, table=Table.empty(rules))
    position = fg.Position.initial(rules, (int(row[1]), int(row[2])))
    winner = solver.winner(position, Clock(fg.Limit(seconds=120), None, None))
    assert winner is not None
    assert RESULTS[winner] == row[3]


@pytest.mark.parametrize("row", [row for row in ROWS if int(row[1]) * int(row[2]) <= 10], ids=name)
def test_the_slow_rules_agree(row: list[str]) -> None:
    board = naive.initial(row[0], int(row[1]), int(row[2]))
    assert naive.mover_wins(board) == (row[3] == "first player wins")


def test_the_page_shows_these_results() -> None:
    script = ROOT / "scripts" / "solve_boards.py"
    done = subprocess.run(
        [sys.executable, str(script), "--show"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.strip() in (ROOT / "docs" / "solved.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_lines_of_the_winner_are_winning_moves(rules: str) -> None:
    """Every move of the winner in a line keeps the win, as the solver sees it with its tables."""
    for row in ROWS:
        if row[0] != rules or int(row[1]) * int(row[2]) > 12:
            continue
        position = fg.Position.initial(rules, (int(row[1]), int(row[2])))
        winner = next(color for color, result in RESULTS.items() if result == row[3])
        for move in map(fg.Move.parse, row[7].split()):
            if position.side_to_move is winner:
                assert move in (fg.winning_moves(position) or ())
            position = position.play(move)
