"""What an engine says: while it thinks, and in the end."""

from __future__ import annotations

from dataclasses import dataclass

from formsgame.position import Move
from formsgame.rules import Color


@dataclass(frozen=True, slots=True)
class Info:
    """One line of play and what the engine thinks of it.

    `rank` is 1 for the best line. `score` is the estimated chance to win of the side to move, 0 to
    1; `verdict` is the winner with best play where it is proved, None elsewhere. `line` begins with
    the move. `depth` is how many plies ahead the search looks at its deepest; `nodes` counts
    positions and playouts.
    """

    rank: int
    line: tuple[Move, ...]
    score: float
    verdict: Color | None
    depth: int
    nodes: int
    seconds: float

    @property
    def move(self) -> Move:
        """The first move of the line."""
        return self.line[0]

    @property
    def speed(self) -> int:
        """Nodes per second."""
        return int(self.nodes / self.seconds) if self.seconds > 0 else 0


@dataclass(frozen=True, slots=True)
class Thought:
    """What an engine found: the best line and, if they were asked for, the next ones."""

    lines: tuple[Info, ...]

    @property
    def move(self) -> Move:
        """The best move."""
        return self.lines[0].line[0]

    @property
    def line(self) -> tuple[Move, ...]:
        """How the game might go on, the best move first."""
        return self.lines[0].line

    @property
    def score(self) -> float:
        """Estimated chance to win of the side to move, 0 to 1."""
        return self.lines[0].score

    @property
    def verdict(self) -> Color | None:
        """The winner with best play where it is proved, None elsewhere."""
        return self.lines[0].verdict

    @property
    def depth(self) -> int:
        """How many plies ahead the search looked at its deepest."""
        return self.lines[0].depth

    @property
    def nodes(self) -> int:
        """Positions and playouts in all."""
        return self.lines[0].nodes

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.lines[0].seconds
