"""The golden data: the package, and `naive` where it can, reproduce every fact in `vectors/`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import formsgame as fg
import make_conformance
import naive

VECTORS = Path(__file__).parent / "vectors"
RULES = (naive.STANDARD, naive.ADVANCED)

#: Counts up to which `naive` walks a tree, per rule set.
NAIVE_PERFT = {naive.STANDARD: 2_000_000, naive.ADVANCED: 12_000}
#: Boards up to so many cells are solved by `naive`.
NAIVE_SOLVE = 12


def rows_of(name: str) -> Iterator[list[str]]:
    """The tab-separated fields of a file's lines, without comments."""
    for line in (VECTORS / name).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def objects_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text("ascii").splitlines()]


def joined(position: fg.Position) -> str:
    return " ".join(map(str, position.legal_moves))


def plain(position: fg.Position) -> str:
    """The board as the vectors draw it: rows from the top, a full stop for an empty cell."""
    return "/".join("".join(".xo"[code] for code in row) for row in position.array.tolist())


PERFT = list(rows_of("perft.tsv"))
SOLVED = list(rows_of("solved.tsv"))


@pytest.mark.parametrize("line", PERFT, ids=" ".join)
def test_perft(line: list[str]) -> None:
    rules, rows, columns, depth, count = line
    position = fg.Position.initial(rules, (int(rows), int(columns)))
    assert fg.perft(position, int(depth)) == int(count)


@pytest.mark.parametrize(
    "line", [line for line in PERFT if int(line[-1]) <= NAIVE_PERFT[line[0]]], ids=" ".join
)
def test_naive_perft(line: list[str]) -> None:
    rules, rows, columns, depth, count = line
    assert naive.perft(naive.initial(rules, int(rows), int(columns)), int(depth)) == int(count)


@pytest.mark.parametrize("rules", RULES)
def test_move_lists(rules: str) -> None:
    for fact in objects_of(f"moves_{rules}.jsonl"):
        position = fg.Position.parse(fact["position"])
        assert str(position) == fact["position"]
        assert joined(position) == fact["moves"]
        board = naive.parse_board(fact["position"])
        assert naive.format_moves(naive.legal_moves(board)) == fact["moves"]


@pytest.mark.parametrize("rules", RULES)
def test_games(rules: str) -> None:
    for fact in objects_of(f"games_{rules}.jsonl"):
        position = fg.Position.initial(rules, fact["size"])
        board = naive.initial(rules, fact["size"], fact["size"])
        for move in fact["moves"].split():
            assert not position.is_over
            position = position.play(move)
            board = naive.play(board, naive.parse_move(move))
        assert position.winner is not None
        assert position.winner.symbol == naive.winner(board) == fact["winner"]
        assert plain(position) == fact["final"]
        assert str(position) == naive.format_board(board)


@pytest.mark.parametrize("line", list(rows_of("outcomes.tsv")), ids=" ".join)
def test_naive_outcome_classes(line: list[str]) -> None:
    drawn, published = line
    form = drawn.split("/")
    height, width = len(form), len(form[0])
    stones = {
        ((8 - width) // 2 + column, 7 - (8 - height) // 2 - row): mark
        for row, marks in enumerate(form)
        for column, mark in enumerate(marks)
        if mark != "."
    }
    black_first, white_first = (
        naive.mover_wins(naive.Board(naive.ADVANCED, 8, 8, stones, side)) for side in "xo"
    )
    if black_first == white_first:
        assert published == ("N" if black_first else "P")
    else:
        assert published == ("B" if black_first else "W")


@pytest.mark.parametrize(
    "line", [line for line in SOLVED if int(line[1]) * int(line[2]) <= NAIVE_SOLVE], ids=" ".join
)
def test_naive_solved(line: list[str]) -> None:
    rules, rows, columns, result = line
    first_wins = naive.mover_wins(naive.initial(rules, int(rows), int(columns)))
    assert result == f"first player {'wins' if first_wins else 'loses'}"


# The conformance suite

CONFORMANCE = objects_of("conformance.jsonl")


def group(fact: dict[str, Any]) -> tuple[str, int, int]:
    """Rules, rows and columns of a position of the suite."""
    position = fg.Position.parse(fact["position"])
    return position.rules.name, position.rows, position.columns


def test_conformance_covers_every_size() -> None:
    groups = [group(fact) for fact in CONFORMANCE]
    for rules in RULES:
        for size in make_conformance.SIZES:
            assert groups.count((rules, *size)) == make_conformance.POSITIONS
    assert len({fact["position"] for fact in CONFORMANCE}) == len(CONFORMANCE)


@pytest.mark.parametrize("size", make_conformance.SIZES, ids="{0[0]}x{0[1]}".format)
@pytest.mark.parametrize("rules", RULES)
def test_conformance(rules: str, size: tuple[int, int]) -> None:
    for fact in CONFORMANCE:
        if group(fact) == (rules, *size):
            check_fact(fact)


def check_fact(fact: dict[str, Any]) -> None:
    """Hold the package to one line of the suite."""
    position = fg.Position.parse(fact["position"])
    assert str(position) == fact["position"]
    assert (position.winner.symbol if position.winner else None) == fact["winner"]
    moves = position.legal_moves
    assert len(moves) == fact["count"]
    assert hashlib.sha256(joined(position).encode()).hexdigest() == fact["sha256"]
    if "moves" in fact:
        assert joined(position) == fact["moves"]
    for place, move in fact.get("sample", {}).items():
        assert str(moves[int(place)]) == move
        assert moves.index(move) == int(place)
    for effect in fact["effects"]:
        check_effect(position, effect)


def check_effect(position: fg.Position, effect: dict[str, Any]) -> None:
    """Hold the package to what one move of the suite does."""
    move = effect["move"]
    removed = tuple(effect["removed"].split())
    assert position.is_legal(move)
    assert position.removed_by(move) == removed
    result = position.result(move)
    assert str(result.move) == move
    assert result.color is position.side_to_move
    assert result.captured == effect["captured"]
    assert result.position == position.play(move)
    assert str(result.position) == effect["position"]
    for color in fg.Color:
        assert result.removed[color] == tuple(cell for cell in removed if position[cell] is color)
    winner = result.position.winner
    assert (winner.symbol if winner else None) == effect["winner"]


@pytest.mark.parametrize("size", [(2, 3), (4, 6)], ids="{0[0]}x{0[1]}".format)
@pytest.mark.parametrize("rules", RULES)
def test_conformance_is_what_its_script_makes(rules: str, size: tuple[int, int]) -> None:
    """The small boards' part; the whole takes a minute."""
    made = [json.loads(line) for line in make_conformance.lines(rules, *size)]
    assert made == [fact for fact in CONFORMANCE if group(fact) == (rules, *size)]
