"""The games of a match: one pair from each opening, the colors changed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from formsgame.engine.client import PATIENCE
from formsgame.errors import LimitError
from formsgame.jobs import chunk_seed
from formsgame.limit import Limit
from formsgame.match.players import DIED, Player, PlayerError, open_player, parse_level
from formsgame.position import Move, Position
from formsgame.record import Game
from formsgame.rules import BLACK, WHITE, Color, check_start_size, parse_rules, parse_size, shown

#: The two players of a match, as results call them.
A, B = "A", "B"
#: How a game of a match ends: as in records, and by what a player did wrong.
BOARD, TIME, SILENT = "board", "time", "silent"
TERMINATIONS = {
    BOARD: "normal",
    TIME: "time forfeit",
    "illegal": "rules infraction",
    SILENT: "time forfeit",
    DIED: "abandoned",
}


def other(name: str) -> str:
    """Return the other player of a match."""
    return B if name == A else A


@dataclass(frozen=True, slots=True)
class Settings:
    """All that the games of a match depend on; raises for what makes no sense.

    `a` and `b` are levels ("5", "level:5") or command lines of engines. A move gets `seconds` or
    `nodes`, or a player gets `time` for the whole game and `increment` with every move; without any
    of these a level spends what is its own.
    """

    a: str
    b: str
    rules: str = "standard"
    size: str = "8"
    opening_plies: int = 2
    seconds: float | None = None
    nodes: int | None = None
    time: float | None = None
    increment: float = 0.0
    seed: int = 0
    #: Seconds after which an engine that does not answer has lost, where no time is set.
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        check_start_size(parse_rules(self.rules), parse_size(self.size))
        for name, value, least in (
            ("opening_plies", self.opening_plies, 0),
            ("seed", self.seed, 0),
        ):
            if type(value) is not int or value < least:
                raise LimitError(
                    "limit.value", name=name, expected="an integer >= 0", value=shown(value)
                )
        if self.time is not None and self.seconds is not None:
            raise LimitError(
                "limit.value",
                name="time",
                expected="a clock, or seconds for each move",
                value=shown(self.time),
            )
        self.limit(self.time)
        Limit(seconds=self.patience)
        for player in (self.a, self.b):
            if parse_level(player) is None and self.limit(self.time) is None:
                raise LimitError(
                    "limit.value",
                    name="limit",
                    expected="seconds, nodes or a clock for an engine that is no level",
                    value="none",
                )

    def limit(self, left: float | None) -> Limit | None:
        """Return the budget of a move, given the seconds left on the clock if there is one."""
        clock = None if left is None else (left, self.increment)
        if clock is None and self.seconds is None and self.nodes is None:
            return None
        return Limit(seconds=self.seconds, nodes=self.nodes, clock=clock)

    def to_plain(self) -> dict[str, Any]:
        """Return these as plain data, which `Settings(**data)` takes."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Played:
    """A game of a match: who played Black, who won and why, and its moves, opening included."""

    pair: int
    black: str
    winner: str
    reason: str
    detail: str
    moves: tuple[str, ...]
    #: The longest that A and B thought about a move, and all their thinking, in seconds.
    longest: tuple[float, float]
    seconds: tuple[float, float]

    @property
    def color(self) -> Color:
        """The color that won."""
        return BLACK if self.winner == self.black else WHITE

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        lists = {"moves": list(self.moves), "longest": list(self.longest)}
        return {**asdict(self), **lists, "seconds": list(self.seconds)}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Played:
        """Return the game that `to_plain` told of."""
        tuples = {name: tuple(data[name]) for name in ("moves", "longest", "seconds")}
        return cls(**{**data, **tuples})


def opening(settings: Settings, pair: int) -> tuple[Move, ...]:
    """Return the random moves from which a pair of games goes on, after which none is over."""
    chance = random.Random(chunk_seed(settings.seed, pair))
    start = Position.initial(settings.rules, settings.size)
    for _ in range(1000):
        position = start
        moves: list[Move] = []
        while len(moves) < settings.opening_plies and not position.is_over:
            legal = position.legal_moves
            moves.append(legal[chance.randrange(len(legal))])
            position = position.play_unchecked(moves[-1])
        if not position.is_over:
            return tuple(moves)
    raise LimitError(
        "limit.value",
        name="opening_plies",
        expected="a number after which games still go on",
        value=shown(settings.opening_plies),
    )


def play_pair(settings_data: Mapping[str, Any], pair: int) -> list[dict[str, Any]]:
    """Play both games of a pair; plain data in and out, for `jobs`."""
    settings = Settings(**settings_data)
    moves = opening(settings, pair)
    players: dict[str, Player] = {}
    try:
        return [_Table(settings, pair, black, moves, players).play().to_plain() for black in (A, B)]
    finally:
        for player in players.values():
            player.close()


class _Table:
    """One game, the players at it and their clocks; players that are not there yet are made."""

    def __init__(
        self,
        settings: Settings,
        pair: int,
        black: str,
        opening_moves: Sequence[Move],
        players: dict[str, Player],
    ) -> None:
        self.settings = settings
        self.pair = pair
        self.black = black
        self.names = {BLACK: black, WHITE: other(black)}
        self.players = players
        self.clocks = {A: settings.time, B: settings.time}
        self.longest = {A: 0.0, B: 0.0}
        self.spent = {A: 0.0, B: 0.0}
        self.moves = list(opening_moves)
        self.position = Position.initial(settings.rules, settings.size)
        for move in opening_moves:
            self.position = self.position.play(move)

    def play(self) -> Played:
        """Play to the end, whatever that is."""
        for name in (A, B):
            try:
                self._make_ready(name)
            except PlayerError as error:
                return self._end(other(name), error.reason, error.detail)
        while (winner := self.position.winner) is None:
            name = self.names[self.position.side_to_move]
            try:
                lateness = self._move(name)
            except PlayerError as error:
                return self._end(other(name), error.reason, error.detail)
            if lateness > 0:
                return self._end(other(name), TIME, f"{lateness:.3f} s too late")
        return self._end(self.names[winner], BOARD)

    def _make_ready(self, name: str) -> None:
        if name not in self.players:
            text = self.settings.a if name == A else self.settings.b
            self.players[name] = open_player(text, self.settings.patience)
        number = 4 * self.pair + 2 * (self.black == B) + (name == B)
        self.players[name].new_game(chunk_seed(self.settings.seed, number))

    def _move(self, name: str) -> float:
        """Have a player make a move, unless its time was up: then return how much too late."""
        left, theirs = self.clocks[name], self.clocks[other(name)]
        increment = self.settings.increment
        player = self.players[name]
        opponent_clock = None if theirs is None else (theirs, increment)
        move = player.move(self.position, self.settings.limit(left), opponent_clock)
        self.longest[name] = max(self.longest[name], player.seconds)
        self.spent[name] += player.seconds
        if left is not None:
            if player.seconds > left:
                return player.seconds - left
            self.clocks[name] = left - player.seconds + increment
        self.position = self.position.play(move)
        self.moves.append(move)
        return 0.0

    def _end(self, winner: str, reason: str, detail: str = "") -> Played:
        """Return the game as it was."""
        return Played(
            self.pair,
            self.black,
            winner,
            reason,
            detail,
            tuple(map(str, self.moves)),
            (round(self.longest[A], 4), round(self.longest[B], 4)),
            (round(self.spent[A], 4), round(self.spent[B], 4)),
        )


def to_game(settings: Settings, names: Mapping[str, str], played: Played, number: int) -> Game:
    """Return a game as its record; `number` counts the games of the match from 1."""
    headers = {
        "Event": f"{names[A]} - {names[B]}",
        "Round": str(number),
        "Black": names[played.black],
        "White": names[other(played.black)],
        "Termination": TERMINATIONS[played.reason],
    }
    if settings.time is not None:
        headers["TimeControl"] = f"{settings.time:g}+{settings.increment:g}"
    elif settings.seconds is not None:
        headers["TimeControl"] = f"{settings.seconds:g}/move"
    start = Position.initial(settings.rules, settings.size)
    game = Game(start, headers, played.moves)
    if settings.opening_plies:
        game.root.comment = f"Opening: {settings.opening_plies} random plies."
    if played.reason in (TIME, SILENT):
        game.lose_on_time(played.color.opponent)
    elif played.reason != BOARD:
        game.resign(played.color.opponent)
    if played.detail:
        game.end.comment = played.detail
    return game
