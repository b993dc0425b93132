"""A game on this computer as a pure state machine: state and event in, new state or refusal out.

No storage, no clock, no threads: whoever drives the machine keeps its states and tells it what
happens. A state holds texts, so that it can be shown without the compiled rules; an event that
needs them asks them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from formsgame.engine import levels
from formsgame.rules import BLACK, WHITE, Color, parse_rules, parse_size
from formsgame.server.refusals import GameError

if TYPE_CHECKING:
    from formsgame.position import Position

#: Levels that a computer's seat may have: those of the engine.
LEVELS = range(min(levels.LEVELS), max(levels.LEVELS) + 1)


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a color: a person, or the computer at a level."""

    level: int | None = None

    @property
    def is_computer(self) -> bool:
        """Whether the computer plays here."""
        return self.level is not None


PERSON = Seat()


@dataclass(frozen=True, slots=True)
class LiveGame:
    """A game as it stands: its settings, its moves and the position they led to.

    `start` and `position` are position texts, `size` is rows x columns, `resigned` the color that
    gave up. Make one with `new_game` and go on with `after`: they keep `position` the result of
    `moves` from `start`.
    """

    rules: str
    size: str
    black: Seat
    white: Seat
    start: str
    position: str
    moves: tuple[str, ...] = ()
    resigned: Color | None = None

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
        """Who won, or None while the game goes on.

        On the board that is the color that ran out of stones, whoever moved last.
        """
        if self.resigned:
            return self.resigned.opponent
        return next((color for color, count in self.stones.items() if count == 0), None)

    @property
    def result(self) -> str:
        """The result as a record writes it: `*`, `B+`, `W+`, `B+R` or `W+R`."""
        winner = self.winner
        if winner is None:
            return "*"
        return f"{winner.title[0]}+{'R' if self.resigned else ''}"

    def seat(self, color: Color) -> Seat:
        """Return who plays a color."""
        return self.black if color is BLACK else self.white

    @property
    def level_to_move(self) -> int | None:
        """The level of the computer if it is to move, else None."""
        return None if self.winner else self.seat(self.side_to_move).level


@dataclass(frozen=True, slots=True)
class Play:
    """A person moves, having seen `ply` plies."""

    move: str
    ply: int


@dataclass(frozen=True, slots=True)
class Reply:
    """The computer moves, having thought about the position after `ply` plies."""

    move: str
    ply: int


@dataclass(frozen=True, slots=True)
class Undo:
    """A person takes back the last ply; against the computer, back to their own last turn."""

    ply: int


@dataclass(frozen=True, slots=True)
class Resign:
    """A person gives up: against the computer their color, else the color to move."""

    ply: int


Event = Play | Reply | Undo | Resign


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
    return replace(game, position=game.start, moves=(), resigned=None)


def after(game: LiveGame, event: Event) -> LiveGame:
    """Return the game after an event; the old state stays as it was.

    Raises `GameError` if the event does not fit the state, and what the rules say of a move.
    """
    if event.ply != game.ply:
        raise GameError("game.stale", known=event.ply, found=game.ply)
    if isinstance(event, Undo):
        return _undone(game)
    if game.winner:
        raise GameError("game.finished")
    if isinstance(event, Resign):
        return replace(game, resigned=_resigning(game))
    if isinstance(event, Play) and game.level_to_move is not None:
        raise GameError("game.not_your_turn")
    return _moved(game, event.move)


def _moved(game: LiveGame, text: str) -> LiveGame:
    from formsgame.position import Move

    move = Move.parse(text)
    position = _position(game.position).play(move)
    return replace(game, position=str(position), moves=(*game.moves, str(move)))


def _undone(game: LiveGame) -> LiveGame:
    """Take back plies until a person is to move.

    A game that ended on the board goes on again; a resignation stands.
    """
    if game.resigned:
        raise GameError("game.finished")
    if game.black.is_computer and game.white.is_computer:
        raise GameError("game.no_person")
    first = _position(game.start).side_to_move
    for ply in range(game.ply - 1, -1, -1):
        if not game.seat(first if ply % 2 == 0 else first.opponent).is_computer:
            break
    else:
        raise GameError("game.nothing_to_undo")
    position = _position(game.start)
    for move in game.moves[:ply]:
        position = position.play(move)
    return replace(game, position=str(position), moves=game.moves[:ply])


def _resigning(game: LiveGame) -> Color:
    """Return the color whose person gives up."""
    people = [color for color in Color if not game.seat(color).is_computer]
    if not people:
        raise GameError("game.no_person")
    return people[0] if len(people) == 1 else game.side_to_move


def _position(text: str) -> Position:
    from formsgame.position import Position

    return Position.parse(text)
