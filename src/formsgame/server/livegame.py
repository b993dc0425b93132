"""A game as it is played: who sits where, the moves, the position and how it ended.

What may happen when, and in whose time, is `contest`'s matter; here a game only follows from its
moves. It holds texts, so that it can be shown without the compiled rules; what needs them asks
them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from formsgame.engine import levels
from formsgame.rules import BLACK, WHITE, Color, parse_rules, parse_size
from formsgame.server.refusals import GameError

if TYPE_CHECKING:
    from formsgame.position import Position

#: Levels that a computer's seat may have: those of the engine.
LEVELS = range(min(levels.LEVELS), max(levels.LEVELS) + 1)


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a color: a person, the computer at a level, or nobody yet."""

    level: int | None = None
    is_open: bool = False

    @property
    def is_computer(self) -> bool:
        """Whether the computer plays here."""
        return self.level is not None

    @property
    def is_person(self) -> bool:
        """Whether a person plays here."""
        return self.level is None and not self.is_open


PERSON = Seat()
OPEN = Seat(is_open=True)

#: How a game ends otherwise than on the board, with the letter in the record's result.
Reason = Literal["resigned", "time", "aborted"]
LETTERS: dict[Reason, str] = {"resigned": "R", "time": "T", "aborted": ""}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended off the board, and who lost by it: nobody where it was aborted."""

    reason: Reason
    loser: Color | None = None


ABORTED = Ending("aborted")


@dataclass(frozen=True, slots=True)
class LiveGame:
    """A game as it stands: its settings, its moves and the position they led to.

    `start` and `position` are position texts, `size` is rows x columns. Make one with `new_game`
    and go on with `moved` and `taken_back`: they keep `position` the result of `moves` from
    `start`.
    """

    rules: str
    size: str
    black: Seat
    white: Seat
    start: str
    position: str
    moves: tuple[str, ...] = ()
    ending: Ending | None = None

    @property
    def ply(self) -> int:
        """Number of plies played."""
        return len(self.moves)

    @property
    def side_to_move(self) -> Color:
        """Whose turn it is; in a finished game whose it would be."""
        return BLACK if self.position.split()[1] == BLACK.symbol else WHITE

    @property
    def stones(self) -> dict[Color, int]:
        """Number of stones that each color has left."""
        placement = self.position.split()[0]
        return {color: placement.count(color.symbol) for color in Color}

    @property
    def winner(self) -> Color | None:
        """Who won; None while the game goes on, and where it was aborted.

        On the board that is the color that ran out of stones, whoever moved last.
        """
        if self.ending:
            return self.ending.loser.opponent if self.ending.loser else None
        return next((color for color, count in self.stones.items() if count == 0), None)

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be played."""
        return self.ending is not None or self.winner is not None

    @property
    def result(self) -> str:
        """The result as a record writes it: `*`, `B+` or `W+`, with `R` or `T` for how it ended."""
        winner = self.winner
        if winner is None:
            return "*"
        return f"{winner.title[0]}+{LETTERS[self.ending.reason] if self.ending else ''}"

    def seat(self, color: Color) -> Seat:
        """Return who plays a color."""
        return self.black if color is BLACK else self.white

    @property
    def level_to_move(self) -> int | None:
        """The level of the computer if it is to move, else None."""
        if self.is_over or OPEN in (self.black, self.white):
            return None
        return self.seat(self.side_to_move).level

    def last_turn(self, color: Color) -> int | None:
        """The number of plies after which a color made its last move; None if it made none."""
        ply = self.ply - (1 if color is not self.side_to_move else 2)
        return ply if ply >= 0 else None

    @property
    def last_turn_of_a_person(self) -> int | None:
        """The number of plies after which a person made the last move; None if none did."""
        for color in (self.side_to_move.opponent, self.side_to_move):
            if self.seat(color).is_person:
                return self.last_turn(color)
        return None


def new_game(
    rules: str | None,
    size: str | int | None,
    black: Seat,
    white: Seat,
    position: str | None = None,
) -> LiveGame:
    """Return a game at its start, from the rules' own start position or a given one.

    A given position sets rules and size; where they are given too, they must agree. Raises
    `GameError`, or what the rules say of position, rules or size.
    """
    from formsgame.position import Position

    for level in (black.level, white.level):
        if level is not None and level not in LEVELS:
            raise GameError("game.level", level=level, lowest=LEVELS[0], highest=LEVELS[-1])
    given_rules = None if rules is None else parse_rules(rules)
    given_size = None if size is None else parse_size(size)
    if position is None:
        if given_rules is None or given_size is None:
            raise GameError("game.unset", name="rules" if given_rules is None else "size")
        start = Position.initial(given_rules, given_size)
    else:
        start = Position.parse(position)
        for name, given, found in (
            ("rules", given_rules, start.rules),
            ("size", given_size, start.size),
        ):
            if given is not None and given != found:
                raise GameError("game.setting", name=name, given=str(given), found=str(found))
    return LiveGame(
        rules=start.rules.name,
        size=str(start.size),
        black=black,
        white=white,
        start=str(start),
        position=str(start),
    )


def again(game: LiveGame) -> LiveGame:
    """Return a new game with the same settings."""
    return replace(game, position=game.start, moves=(), ending=None)


def moved(game: LiveGame, text: str) -> LiveGame:
    """Return the game after a move of the side to move; raises what the rules say of it."""
    from formsgame.position import Move

    move = Move.parse(text)
    position = _position(game.position).play(move)
    return replace(game, position=str(position), moves=(*game.moves, str(move)))


def taken_back(game: LiveGame, ply: int) -> LiveGame:
    """Return the game as it was after so many of its plies."""
    position = _position(game.start)
    for move in game.moves[:ply]:
        position = position.play(move)
    return replace(game, position=str(position), moves=game.moves[:ply], ending=None)


def _position(text: str) -> Position:
    from formsgame.position import Position

    return Position.parse(text)
