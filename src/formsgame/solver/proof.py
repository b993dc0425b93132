"""Strategies as proofs: for every position that can come up, one move of the side that wins.

A proof is a text, compressed with xz, which a program can check with nothing but the rules. It
holds no positions: who follows it finds them. Its lines are

    formsgame-proof 1
    POSITION
    winner x (or o)
    STONES LEFT MOVE MOVE ...      (and more such lines, from many stones to few)
    end POSITIONS

Positions with the winner to move come from the start, and from the moves in the lines above and any
reply; equal ones count once. Those of the most stones come first, in the order of their drawings. A
line has the number of their stones, how many of this number have no move yet, and the winner's
moves in the first 1000 of these, named as if the drawing were the board.

A drawing has the rows from the top, separated by `/`, with `.`, `o` or `x` for each cell. The
drawing of a position is the least, as text, of those that turning and mirroring make of it: with
standard rules of the form's bounding box, with advanced rules of the whole board, as far as it
comes to lie on itself.

With standard rules, a position with the loser to move in which no two stones of the winner are
adjacent is not followed further: it is won by recapture, see docs/strategy.md.
"""

from __future__ import annotations

import itertools
import lzma
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from formsgame.errors import FormsError, JobError
from formsgame.position import Move, Position
from formsgame.rules import BLACK, STANDARD, Color, Rules, Size
from formsgame.solver.clock import Clock
from formsgame.solver.verdict import Solver

FIRST_LINE = "formsgame-proof 1"
#: How many winning moves are compared by what they add to the proof.
COMPARED = 8
#: How much more a position of one stone more weighs there, for all that follows from it.
GROWTH = 1.7

#: Moves of a line; what a proof that is killed loses at most.
LINE_MOVES = 1000

_MARKS = bytes.maketrans(b"\x00\x01\x02", b".xo")
_CODES = bytes.maketrans(b".xo", b"\x00\x01\x02")


def least_drawing(position: Position) -> str:
    """Return the drawing that stands for a position and all that symmetries make of it."""
    cells = position.cells.translate(_MARKS).decode()
    high = position.rows
    columns = [cells[start : start + high] for start in range(0, len(cells), high)]
    if position.rules is STANDARD:
        columns = _without_empty(columns)
        columns = _transposed(_without_empty(_transposed(columns)))
    ways = [columns, _transposed(columns)]
    if position.rules is not STANDARD and position.rows != position.columns:
        del ways[0]  # turned, the board would not lie on itself
    found = []
    for rows in ways:
        for lines in (rows, [row[::-1] for row in rows]):
            found.append("/".join(lines))
            found.append("/".join(lines[::-1]))
    return min(found)


def from_drawing(drawing: str, side: Color, rules: Rules) -> Position:
    """Return the position of a drawing, which must be of a sound one."""
    rows = drawing.split("/")
    columns = _transposed(rows[::-1])
    cells = "".join(columns).encode().translate(_CODES)
    return Position._unchecked(cells, Size(len(rows), len(columns)), side, rules)


def is_closed(position: Position) -> bool:
    """Tell whether the side to move loses by recapture, with standard rules."""
    if position.rules is not STANDARD:
        return False
    cells = position.cells.translate(_MARKS).decode()
    high = position.rows
    columns = [cells[start : start + high] for start in range(0, len(cells), high)]
    pair = "oo" if position.side_to_move is BLACK else "xx"
    return not any(pair in line for line in itertools.chain(columns, _transposed(columns)))


def _transposed(lines: list[str]) -> list[str]:
    return list(map("".join, zip(*lines, strict=True)))


def _without_empty(lines: list[str]) -> list[str]:
    return [line for line in lines if line.strip(".")]


class Proof:
    """A proof in the making: what is still to be answered, from many stones to few."""

    def __init__(self, position: Position, winner: Color, solver: Solver) -> None:
        self.position = position
        self.winner = winner
        self.positions = 0
        self._solver = solver
        self._open: dict[int, set[str]] = {}
        if position.side_to_move is winner:
            self._add([position])
        elif not is_closed(position):
            self._add(_replies(position))

    def lines(
        self, known: Iterable[str] = (), report: Callable[[int, int], None] | None = None
    ) -> Iterator[str]:
        """Yield the lines of the proof that come after those of `known`, which are lines of it.

        `report(positions, stones)` is called after each position that is not in these. Raises
        `FormsError` or `ValueError` where `known` can't be followed.
        """
        given = iter(known)
        for expected in self.head():
            line = next(given, None)
            if line is None:
                yield expected
            elif line != expected:
                raise ValueError(f"{line[:80]!r} instead of {expected!r}")
        while self._open:
            stones = max(self._open)
            drawings = sorted(self._open.pop(stones))
            for start in range(0, len(drawings), LINE_MOVES):
                some = drawings[start : start + LINE_MOVES]
                head = f"{stones} {len(drawings) - start}"
                line = next(given, None)
                if line is not None:
                    fields = line.split(" ")
                    if " ".join(fields[:2]) != head or len(fields) != len(some) + 2:
                        raise ValueError(f"{line[:20]!r}... where {head!r} was expected")
                    for drawing, text in zip(some, fields[2:], strict=True):
                        self._follow(self._position(drawing).play(text))
                    continue
                moves = []
                for drawing in some:
                    position = self._position(drawing)
                    moves.append(self._choose(position))
                    self._follow(position.play_unchecked(moves[-1]))
                    if report:
                        report(self.positions, stones)
                yield f"{head} {' '.join(map(str, moves))}"
        yield f"end {self.positions}"

    def _position(self, drawing: str) -> Position:
        return from_drawing(drawing, self.winner, self.position.rules)

    def _follow(self, after: Position) -> None:
        """Count a position of which the winner has made a move, and put what may follow to it."""
        self.positions += 1
        if not is_closed(after):
            self._add(_replies(after))

    def head(self) -> list[str]:
        """Return the first lines."""
        return [FIRST_LINE, str(self.position), f"winner {self.winner.symbol}"]

    def _add(self, positions: Iterable[Position]) -> None:
        """Put positions with the winner to move among those to answer."""
        for position in positions:
            if not position.is_over:
                stones = sum(position.counts.values())
                self._open.setdefault(stones, set()).add(least_drawing(position))

    def _choose(self, position: Position) -> Move:
        """Return a winning move that adds little to the proof."""
        found: dict[Position, Move] = {}
        for move in position.legal_moves:
            after = position.play_unchecked(move)
            if after.is_over or after in found:
                continue  # whoever removes the last enemy stone has lost
            if is_closed(after):
                return move
            found[after] = move
        order = sorted(found, key=lambda after: sum(after.counts.values()))
        clock = Clock(None, None, None)
        best: tuple[float, Move] | None = None
        compared = 0
        for after in order:
            if self._solver.winner(after, clock) is not self.winner:
                continue
            price = self._price(after)
            if best is None or price < best[0]:
                best = price, found[after]
            compared += 1
            if price == 0 or compared == COMPARED:
                break
        assert best is not None, f"no winning move in {position}"
        return best[1]

    def _price(self, position: Position) -> float:
        """Return what following a position with the loser to move adds to the proof."""
        new = {}
        for after in _replies(position):
            if not after.is_over:
                stones = sum(after.counts.values())
                drawing = least_drawing(after)
                if drawing not in self._open.get(stones, ()):
                    new[drawing] = stones
        return float(sum(GROWTH**stones for stones in new.values()))


def write_proof(
    path: str | os.PathLike[str],
    position: Position,
    winner: Color,
    solver: Solver,
    report: Callable[[int, int], None] | None = None,
) -> int:
    """Write the proof that `winner` wins a position into a file; returns the number of positions.

    Goes on where it was killed: until it is finished, its lines are kept beside the file, in one
    that ends in `.part`. Raises `JobError` where that is damaged or belongs to another position.
    """
    path = Path(path)
    part = path.with_name(f"{path.name}.part")
    proof = Proof(position, winner, solver)
    known = _known_lines(part, proof)
    with part.open("ab") as file:
        lines = proof.lines(known, report)
        while True:
            try:
                line = next(lines, None)
            except (FormsError, ValueError) as error:
                raise JobError("jobs.journal", path=str(part), reason=str(error)) from None
            if line is None:
                break
            file.write(line.encode() + b"\n")
            file.flush()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
    try:
        with os.fdopen(handle, "wb") as raw:
            with lzma.open(raw, "wb", preset=9) as packed, part.open("rb") as file:
                shutil.copyfileobj(file, packed)
            raw.flush()
            os.fsync(raw.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    part.unlink()
    return proof.positions


def _known_lines(part: Path, proof: Proof) -> list[str]:
    """Return the finished lines of a proof that was killed; cuts off one that is not."""
    try:
        data = part.read_bytes()
    except FileNotFoundError:
        return []
    whole = data[: data.rfind(b"\n") + 1]
    try:
        lines = whole.decode("ascii").splitlines()
    except UnicodeError as error:
        raise JobError("jobs.journal", path=str(part), reason=str(error)) from None
    head = proof.head()
    for found, expected in zip(lines, head, strict=False):
        if found != expected:
            raise JobError(
                "jobs.foreign", path=str(part), found=repr(found[:200]), expected=repr(expected)
            )
    lines = [line for line in lines if not line.startswith("end ")]
    with part.open("r+b") as file:
        file.truncate(sum(len(line) + 1 for line in lines))
    return lines


def _replies(position: Position) -> set[Position]:
    """Return the positions after every move."""
    return {position.play_unchecked(move) for move in position.legal_moves}
