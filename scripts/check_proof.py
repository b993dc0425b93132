"""Check proofs of who wins, with nothing but the rules: `python scripts/check_proof.py FILE ...`.

A proof (made by `formsgame solve --proof FILE`; its form is in docs/solved.md) names one move of
the winner for every position that can come up when the winner follows it. This program plays each
of them, and every reply, by the rules of `tests/naive.py`, which share nothing with the package: no
search, no tables, no compiled code. It believes nothing else but the theorem of recapture, whose
premise it looks at wherever it is used.
"""

from __future__ import annotations

import lzma
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import naive

#: Moves of a line.
LINE_MOVES = 1000
#: Longer lines are not read.
LONGEST_LINE = 10_000


class ProofError(Exception):
    """A proof that proves nothing, and the place."""


def draw(board: naive.Board) -> str:
    """Draw a board: the least, as text, of what turning and mirroring make of it."""
    columns = {column for column, row in board.stones}
    rows = {row for column, row in board.stones}
    left, below, right, top = 0, 0, board.columns - 1, board.rows - 1
    if board.rules == naive.STANDARD:
        left, right, below, top = min(columns), max(columns), min(rows), max(rows)
    picture = [
        [board.stones.get((column, row), ".") for column in range(left, right + 1)]
        for row in range(top, below - 1, -1)
    ]
    found = []
    for _ in range(4):
        picture = [list(line) for line in zip(*picture[::-1], strict=True)]
        fits = (len(picture), len(picture[0])) == (board.rows, board.columns)
        if fits or board.rules == naive.STANDARD:
            for shown in (picture, [line[::-1] for line in picture]):
                found.append("/".join("".join(line) for line in shown))
    return min(found)


def read_drawing(drawing: str, rules: str, side: str) -> naive.Board:
    """Return the board of a drawing."""
    lines = drawing.split("/")
    stones = {
        (column, len(lines) - 1 - down): mark
        for down, line in enumerate(lines)
        for column, mark in enumerate(line)
        if mark != "."
    }
    return naive.Board(rules, len(lines), len(lines[0]), stones, side)


def recaptures(board: naive.Board) -> bool:
    """Tell whether no two stones of the side that does not move are adjacent, in standard rules."""
    if board.rules != naive.STANDARD or naive.winner(board) is not None:
        return False
    enemy = {cell for cell, stone in board.stones.items() if stone != board.side}
    return not any(near in enemy for cell in enemy for near in naive.neighbours(cell))


class Checker:
    """Follows a proof; `open` holds what is still to be answered, by number of stones."""

    def __init__(self, start: naive.Board, winner: str) -> None:
        self.winner = winner
        self.rules = start.rules
        self.open: dict[int, set[str]] = {}
        if naive.winner(start) is not None:
            raise ProofError("the game is over where it starts")
        if start.side == winner:
            self.open[len(start.stones)] = {draw(start)}
        else:
            self.follow(start)

    def follow(self, board: naive.Board) -> None:
        """Put what every reply of the loser leads to among what is to be answered."""
        if recaptures(board):
            return
        moves = naive.legal_moves(board)
        if not moves:
            raise ProofError("there is no reply, and the game is not over")
        for move in moves:
            after = naive.apply(board, move).board
            over = naive.winner(after)
            if over is None:
                self.open.setdefault(len(after.stones), set()).add(draw(after))
            elif over != self.winner:
                raise ProofError(f"{naive.format_move(move)} in reply wins for the other side")

    def answer(self, drawing: str, text: str) -> None:
        """Make the winner's move in a position and follow it."""
        board = read_drawing(drawing, self.rules, self.winner)
        legal = {naive.format_move(move): move for move in naive.legal_moves(board)}
        if text not in legal:
            raise ProofError(f"{text[:20]!r} is not a legal move")
        after = naive.apply(board, legal[text]).board
        if naive.winner(after) is not None:
            raise ProofError(f"{text} lets the other side win")
        try:
            self.follow(after)
        except ProofError as error:
            raise ProofError(f"after {text} {error}") from None


def check(lines: Iterator[str]) -> tuple[naive.Board, str, int]:
    """Check the lines of a proof; returns the start, the winner and how many positions it has.

    `lines` is what `read` makes. Raises `ProofError` with the place of what is wrong.
    """
    if next(lines, "") != "formsgame-proof 1":
        raise ProofError("line 1: this is no proof of formsgame")
    try:
        start = naive.parse_board(next(lines, ""))
    except ValueError as error:
        raise ProofError(f"line 2: {error}") from None
    winner = {"winner x": "x", "winner o": "o"}.get(next(lines, ""))
    if winner is None:
        raise ProofError("line 3: it does not say who wins")
    checker = Checker(start, winner)
    number, positions = 3, 0
    while checker.open:
        stones = max(checker.open)
        drawings = sorted(checker.open.pop(stones))
        for first in range(0, len(drawings), LINE_MOVES):
            number += 1
            some = drawings[first : first + LINE_MOVES]
            found = next(lines, "").split(" ")
            head = [str(stones), str(len(drawings) - first)]
            if found[:2] != head or len(found) != len(some) + 2:
                raise ProofError(
                    f"line {number}: {' '.join(head)} and {len(some)} moves were expected"
                )
            for place, (drawing, text) in enumerate(zip(some, found[2:], strict=True), 1):
                try:
                    checker.answer(drawing, text)
                except ProofError as error:
                    raise ProofError(f"line {number}, move {place}, {drawing}: {error}") from None
        positions += len(drawings)
    if next(lines, "") != f"end {positions}" or next(lines, None) is not None:
        raise ProofError(f"line {number + 1}: 'end {positions}' and no more was expected")
    return start, winner, positions


def read(path: Path) -> Iterator[str]:
    """Return the lines of a file, one at a time."""
    try:
        with lzma.open(path, "rt", encoding="ascii", newline="\n") as file:
            while line := file.readline(LONGEST_LINE):
                yield line.removesuffix("\n")
    except (OSError, EOFError, lzma.LZMAError, UnicodeError) as error:
        raise ProofError(f"it cannot be read: {error}") from None


def main(names: list[str]) -> int:
    """Check files and say what they prove; the exit status is 1 if one of them is wrong."""
    status = 0
    for name in names:
        begin = time.process_time()
        try:
            start, winner, positions = check(read(Path(name)))
        except ProofError as error:
            print(f"{name}: refused: {error}", flush=True)
            status = 1
            continue
        side = {"x": "Black", "o": "White"}[winner]
        print(
            f"{name}: {side} wins {naive.format_board(start)}:"
            f" {positions} positions, {time.process_time() - begin:.1f} s",
            flush=True,
        )
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
