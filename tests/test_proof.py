"""Stored strategies: those that come with the project hold, and what is false is refused."""

from __future__ import annotations

import importlib.util
import lzma
import random
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

import formsgame as fg
import naive
import shapes
from commanding import refused, run
from formsgame.solver import Solver
from formsgame.solver.clock import Clock
from formsgame.solver.proof import Proof, from_drawing, least_drawing, write_proof

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = sorted((ROOT / "data" / "proofs").glob("*.proof.xz"))
#: Proofs that a test may follow: about a thousand bytes are a thousand positions.
QUICK = [path for path in SHIPPED if path.stat().st_size <= 1500]


def load_checker() -> ModuleType:
    """The program that checks proofs, which imports nothing of the package."""
    spec = importlib.util.spec_from_file_location(
        "check_proof", ROOT / "scripts" / "check_proof.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["check_proof"] = module
    spec.loader.exec_module(module)
    return module


checker = load_checker()


def solved() -> dict[str, str]:
    lines = (ROOT / "data" / "solved.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {f"{row[0]}-{row[1]}x{row[2]}": row[3] for row in rows}


def written(path: Path) -> list[str]:
    return lzma.decompress(path.read_bytes()).decode("ascii").splitlines()


def refusal(lines: list[str]) -> str:
    with pytest.raises(checker.ProofError) as caught:
        checker.check(iter(lines))
    return str(caught.value)


def prove(rules: str, rows: int, columns: int) -> list[str]:
    position = fg.Position.initial(rules, (rows, columns))
    solver = Solver(position.rules, memory_mb=4)
    winner = solver.winner(position, Clock(None, None, None))
    assert winner is not None
    return list(Proof(position, winner, solver).lines())


def test_every_proof_is_of_a_solved_board_and_all_quick_ones_are_checked() -> None:
    assert len(SHIPPED) >= 40
    assert len(QUICK) >= 25
    assert {path.name.removesuffix(".proof.xz") for path in SHIPPED} <= set(solved())
    assert sum(path.stat().st_size for path in SHIPPED) < 3_000_000


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_proofs_are_of_the_boards_they_are_named_after(path: Path) -> None:
    rules, size = path.name.removesuffix(".proof.xz").split("-")
    rows, columns = map(int, size.split("x"))
    lines = checker.read(path)
    assert next(lines) == "formsgame-proof 1"
    assert next(lines) == naive.format_board(naive.initial(rules, rows, columns))
    winner = {"first player wins": "x", "first player loses": "o"}[solved()[f"{rules}-{size}"]]
    assert next(lines) == f"winner {winner}"


@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.name)
def test_quick_proofs_hold(path: Path) -> None:
    _, _, positions = checker.check(checker.read(path))
    assert positions > 0


@pytest.mark.parametrize(
    ("rules", "rows", "columns"),
    [("standard", 2, 4), ("standard", 2, 5), ("advanced", 2, 5), ("advanced", 3, 2)],
)
def test_proofs_are_made_and_hold(rules: str, rows: int, columns: int) -> None:
    lines = prove(rules, rows, columns)
    start, winner, positions = checker.check(iter(lines))
    assert start == naive.initial(rules, rows, columns)
    assert naive.mover_wins(start) == (winner == start.side)
    assert lines[-1] == f"end {positions}"


def variants(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Damaged copies, with the number of the line that is wrong."""
    yield 1, ["formsgame-proof 2", *lines[1:]]
    yield 2, [lines[0], lines[1].replace("x", "z", 1), *lines[2:]]
    yield 3, [*lines[:2], "winner", *lines[3:]]
    yield 5, [*lines[:4], *lines[5:]]
    yield len(lines), [*lines[:-1], "end 1"]
    yield len(lines), [*lines, "end 1"]
    yield len(lines), lines[:-1]
    for number in (4, len(lines) - 1):
        fields = lines[number - 1].split(" ")
        for wrong in ("a1-a1", "z9-z8", "", "a1"):
            damaged = " ".join([*fields[:2], wrong, *fields[3:]])
            yield number, [*lines[: number - 1], damaged, *lines[number:]]
        yield number, [*lines[: number - 1], " ".join(fields[:-1]), *lines[number:]]


@pytest.mark.parametrize(("rules", "rows"), [("standard", 4), ("advanced", 4)])
def test_damage_is_named_with_its_place(rules: str, rows: int) -> None:
    lines = prove(rules, rows, 3)
    checker.check(iter(lines))
    for number, damaged in variants(lines):
        assert f"line {number}" in refusal(damaged), number


@pytest.mark.parametrize(("rules", "columns"), [("standard", 5), ("advanced", 5)])
def test_a_move_that_does_not_win_is_found_out(rules: str, columns: int) -> None:
    """Put a legal move that loses in the place of any: the proof breaks there or further on."""
    lines = prove(rules, 2, columns)
    known: dict[str, bool] = {}
    winner = lines[2][-1]
    start = naive.initial(rules, 2, columns)
    follower = checker.Checker(start, winner)
    tried = 0
    for number in range(4, len(lines)):
        fields = lines[number - 1].split(" ")
        drawings = sorted(follower.open.pop(int(fields[0])))
        for place, drawing in enumerate(drawings):
            board = checker.read_drawing(drawing, rules, winner)
            losing = [
                move
                for move in naive.legal_moves(board)
                if naive.mover_wins(naive.apply(board, move).board, known)
            ]
            if losing and place % 4 == 0:
                move = naive.format_move(losing[0])
                damaged = " ".join([*fields[: place + 2], move, *fields[place + 3 :]])
                told = refusal([*lines[: number - 1], damaged, *lines[number:]])
                assert "line " in told
                tried += 1
            follower.answer(drawing, fields[place + 2])
    assert tried >= 4


def test_the_loser_has_no_proof() -> None:
    for rules, rows, columns in (("standard", 2, 2), ("advanced", 2, 3)):
        lines = prove(rules, rows, columns)
        other = {"x": "o", "o": "x"}[lines[2][-1]]
        assert refusal([*lines[:2], f"winner {other}", *lines[3:]])


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_both_programs_draw_alike(rules: str) -> None:
    generator = random.Random(f"drawings {rules}")
    for _ in range(200):
        rows, columns = generator.randint(1, 5), generator.randint(1, 5)
        form = shapes.blob(rows, columns, generator)
        board = shapes.paint(rules, rows, columns, form, generator)
        position = fg.Position.parse(naive.format_board(board))
        drawing = least_drawing(position)
        assert drawing == checker.draw(board)
        again = from_drawing(drawing, position.side_to_move, position.rules)
        assert least_drawing(again) == drawing
        assert naive.format_board(checker.read_drawing(drawing, rules, board.side)) == str(again)


# Files


def note(told: list[tuple[int, int]], positions: int, stones: int) -> None:
    told.append((positions, stones))


def test_a_proof_that_was_stopped_goes_on(tmp_path: Path) -> None:
    position = fg.Position.initial("standard", (4, 3))
    solver = Solver(position.rules, memory_mb=4)
    path = tmp_path / "x.proof.xz"
    whole = write_proof(path, position, fg.WHITE, solver)
    lines = written(path)
    assert not list(tmp_path.glob("*.part"))
    part = tmp_path / "x.proof.xz.part"
    for kept in ("", lines[0][:5], "\n".join(lines[:9]) + "\n18 1 a1", "\n".join(lines) + "\n"):
        part.write_text(kept)
        told: list[tuple[int, int]] = []
        report = partial(note, told)
        assert write_proof(path, position, fg.WHITE, solver, report) == whole
        assert len(told) == whole - sum(
            len(line.split(" ")) - 2 for line in kept.splitlines()[3:-1] if line[0] != "e"
        )
        assert checker.check(checker.read(path))[2] == whole
        assert not part.exists()


def test_parts_of_other_proofs_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    position = fg.Position.initial("standard", (4, 3))
    solver = Solver(position.rules, memory_mb=4)
    path, part = tmp_path / "x", tmp_path / "x.part"
    lines = list(Proof(position, fg.WHITE, solver).lines())
    for wrong in (
        ["something", "else"],
        [lines[0], str(fg.Position.initial("standard", (4, 2))), *lines[2:]],
        [*lines[:4], *lines[5:8]],
        [*lines[:3], lines[3].replace("-", "-a"), *lines[4:]],
    ):
        part.write_text("\n".join(wrong) + "\n")
        with pytest.raises(fg.JobError, match=r"x\.part"):
            write_proof(path, position, fg.WHITE, solver)
        assert not path.exists()


def test_proofs_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "small.proof.xz"
    ran = run("solve", "--board", "4x3", "--rules", "standard", "--proof", str(path))
    assert (ran.status, ran.err) == (0, "")
    positions = checker.check(checker.read(path))[2]
    assert ran.lines[-1] == f"{path}: a proof of {positions} positions"
    assert checker.main([str(path)]) == 0
    data = path.read_bytes()
    for wrong in (data[:50], data[:-20], b"", b"nothing", data[:80] + b"\0" + data[81:]):
        path.write_bytes(wrong)
        assert checker.main([str(path)]) == 1
    assert checker.main([str(tmp_path / "none")]) == 1
    missing = str(tmp_path / "no" / "folder")
    assert "folder" in refused(1, "solve", "--board", "2x3", "--proof", missing)
