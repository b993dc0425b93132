"""Write `vectors/conformance.jsonl`, the facts that every implementation of Forms is held to.

    python tests/make_conformance.py

The same positions come out every time. `vectors/README.md` describes the lines.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import naive
import shapes

PATH = Path(__file__).parent / "vectors" / "conformance.jsonl"
SIZES = ((2, 3), (4, 6), (12, 12), (18, 18), (26, 26))
POSITIONS = 50
#: Longest list of moves that is written out.
WHOLE_LIST = 300
SAMPLE = 12
EFFECTS = 4


def boards(rules: str, rows: int, columns: int) -> list[naive.Board]:
    """The start position, then positions from play and set up by hand in turn, all different."""
    generator = random.Random(f"{rules} {rows} {columns}")
    found = {naive.format_board(board): board for board in [naive.initial(rules, rows, columns)]}
    makers = (shapes.played_board, shapes.random_board)
    while len(found) < POSITIONS:
        make = makers[len(found) % 2]
        board = make(rules, rows, columns, generator)
        found.setdefault(naive.format_board(board), board)
    return list(found.values())


def facts(board: naive.Board) -> dict[str, Any]:
    """All that a line of the file says about one position."""
    text = naive.format_board(board)
    generator = random.Random(text)
    moves = naive.legal_moves(board)
    joined = naive.format_moves(moves)
    line: dict[str, Any] = {
        "position": text,
        "winner": naive.winner(board),
        "count": len(moves),
        "sha256": hashlib.sha256(joined.encode()).hexdigest(),
    }
    if len(moves) <= WHOLE_LIST:
        line["moves"] = joined
    else:
        places = sorted(generator.sample(range(len(moves)), SAMPLE))
        line["sample"] = {str(place): naive.format_move(moves[place]) for place in places}
    line["effects"] = [effect(board, move) for move in telling(board, moves, generator)]
    return line


def telling(
    board: naive.Board, moves: list[naive.Move], generator: random.Random
) -> list[naive.Move]:
    """A few moves, the captures, slides and large removals among them rather than the plain."""
    looked_at = generator.sample(moves, min(len(moves), 40))
    most = sorted(looked_at, key=lambda move: -len(naive.apply(board, move).removed))
    slides = [move for move in looked_at if move[1] not in board.stones]
    chosen = dict.fromkeys([*most[:1], *slides[:1], *most[len(most) // 2 :][:1], *looked_at])
    return sorted(list(chosen)[:EFFECTS])


def effect(board: naive.Board, move: naive.Move) -> dict[str, Any]:
    """What one move does."""
    after = naive.apply(board, move)
    return {
        "move": naive.format_move(move),
        "captured": None if after.captured is None else naive.format_cell(after.captured),
        "removed": " ".join(map(naive.format_cell, after.removed)),
        "position": naive.format_board(after.board),
        "winner": naive.winner(after.board),
    }


def lines(rules: str, rows: int, columns: int) -> Iterator[str]:
    """The lines of the file for one rule set and size."""
    for board in boards(rules, rows, columns):
        yield json.dumps(facts(board), separators=(",", ":")) + "\n"


def main() -> None:
    with PATH.open("w", encoding="ascii", newline="\n") as file:
        for rules in (naive.STANDARD, naive.ADVANCED):
            for rows, columns in SIZES:
                file.writelines(lines(rules, rows, columns))


if __name__ == "__main__":
    main()
