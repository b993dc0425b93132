"""Random games: the package agrees with `naive` move list by move list."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import formsgame as fg
import naive
import shapes
import strategies

RULES = (naive.STANDARD, naive.ADVANCED)
SIZES = [
    *[(side, side) for side in (2, 4, 6, 8, 10)],
    *[(2, 3), (2, 5), (2, 26), (4, 3), (4, 7), (6, 5), (8, 4), (10, 3), (26, 2), (12, 5)],
]
#: Sizes on which a game starts with advanced rules alone.
ADVANCED_SIZES = [(3, 2), (3, 4), (5, 6), (7, 2), (9, 8), (25, 2)]
STARTS = [
    *[(rules, *size) for rules in RULES for size in SIZES],
    *[(naive.ADVANCED, *size) for size in ADVANCED_SIZES],
]
PLAIN_PYTHON = os.environ.get("NUMBA_DISABLE_JIT", "0") == "1"


def agree(board: naive.Board, generator: random.Random, looks: int = 3) -> None:
    """Compare all that the package says of a position with what `naive` says."""
    position = fg.Position.parse(naive.format_board(board))
    assert str(position) == naive.format_board(board)
    for color in fg.Color:
        stones = sorted(cell for cell, stone in board.stones.items() if stone == color.symbol)
        assert position.stones(color) == tuple(map(naive.format_cell, stones))
        assert position.counts[color] == len(stones)
    won = naive.winner(board)
    assert (position.winner.symbol if position.winner else None) == won
    assert position.is_over == (won is not None)
    moves = naive.legal_moves(board)
    assert " ".join(map(str, position.legal_moves)) == naive.format_moves(moves)
    for source in board.stones if len(moves) < 400 else sorted(board.stones)[::9]:
        assert [str(move) for move in position.legal_moves_from(naive.format_cell(source))] == [
            naive.format_move(move) for move in moves if move[0] == source
        ]
    for move in generator.sample(moves, min(looks, len(moves))):
        agree_on(position, board, move)


def agree_on(position: fg.Position, board: naive.Board, move: naive.Move) -> None:
    """Compare what a legal move does."""
    effect = naive.apply(board, move)
    text = naive.format_move(move)
    removed = tuple(map(naive.format_cell, effect.removed))
    assert position.removed_by(text) == removed
    result = position.result(text)
    assert result.captured == (effect.captured and naive.format_cell(effect.captured))
    assert result.is_slide == (effect.captured is None)
    for color in fg.Color:
        assert result.removed[color] == tuple(
            naive.format_cell(cell) for cell in effect.removed if board.stones[cell] == color.symbol
        )
    assert str(result.position) == naive.format_board(effect.board)
    assert position.play(text) == result.position
    assert position.play_unchecked(fg.Move.parse(text)) == result.position


@pytest.mark.parametrize(
    ("rules", "rows", "columns"), STARTS, ids=lambda value: str(value) if value else ""
)
def test_games(rules: str, rows: int, columns: int) -> None:
    generator = random.Random(f"{rules} {rows} {columns}")
    assert str(fg.Position.initial(rules, (rows, columns))) == naive.format_board(
        naive.initial(rules, rows, columns)
    )
    for _ in range(2 if rows * columns > 40 else 6):
        game = naive.random_game(naive.initial(rules, rows, columns), generator)
        for board, _ in game:
            agree(board, generator)
        board, move = game[-1]
        last = naive.apply(board, move).board
        assert naive.winner(last) is not None
        agree(last, generator)


@pytest.mark.parametrize("kind", shapes.KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("rules", RULES)
def test_shapes(rules: str, kind: shapes.Grid) -> None:
    generator = random.Random(f"{rules} {kind.__name__}")
    for _ in range(25):
        rows, columns = generator.randint(1, 11), generator.randint(1, 11)
        form = kind(rows, columns, generator)
        agree(shapes.paint(rules, rows, columns, form, generator), generator)


@pytest.mark.parametrize("rules", RULES)
def test_large_boards(rules: str) -> None:
    generator = random.Random(f"large {rules}")
    for rows, columns in [(18, 18), (26, 26), (26, 25), (1, 26), (26, 1)]:
        for _ in range(2):
            board = shapes.random_board(rules, rows, columns, generator)
            if len(board.stones) < 400 or rules == naive.STANDARD:
                agree(board, generator, looks=2)


@given(board=strategies.boards(), generator=strategies.generators)
def test_any_position(board: naive.Board, generator: random.Random) -> None:
    agree(board, generator)


def test_plain_python_small() -> None:
    """What the run without the compiler repeats: short, as Python runs the kernels."""
    generator = random.Random(1)
    for rules, rows, columns in [
        ("standard", 4, 4),
        ("advanced", 4, 4),
        ("advanced", 3, 6),
        ("standard", 2, 5),
        ("advanced", 8, 8),
    ]:
        for board, _ in naive.random_game(naive.initial(rules, rows, columns), generator):
            agree(board, generator, looks=2)
    for rules in RULES:
        for _ in range(20):
            agree(shapes.random_board(rules, 6, 7, generator), generator, looks=2)
        start = fg.Position.initial(rules, (4, 4))
        assert fg.perft(start, 2) == naive.perft(naive.initial(rules, 4, 4), 2)
        larger = fg.Position.initial(rules, (2, 10))
        assert fg.perft(larger, 2) == naive.perft(naive.initial(rules, 2, 10), 2)
        with np.errstate(over="ignore"):  # the generator's words wrap around, as they should
            ends = fg.playouts(start, 5, seed=1)
            assert set(map(int, ends)) <= {1, 2}
            position = start
            for move in fg.playout(start, seed=1).moves:
                position = position.play(move)
        assert position.winner == ends[0]


@pytest.mark.skipif(PLAIN_PYTHON, reason="this is the run without the compiler")
def test_without_the_compiler() -> None:
    """The kernels say the same as plain Python, where an overflow or a bad index shows."""
    source = Path(__file__).parents[1] / "src"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"{__file__}::test_plain_python_small"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
