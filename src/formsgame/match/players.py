"""The two kinds of players of a match: the computer at a level, and engines of any make."""

from __future__ import annotations

import functools
import re
import time
from typing import Protocol

from formsgame import compiled
from formsgame.engine import LEVELS, Engine
from formsgame.engine.client import GRACE, PATIENCE, EngineError, UgiEngine
from formsgame.errors import FormsError, LimitError
from formsgame.limit import Limit
from formsgame.position import Move, Position
from formsgame.rules import clip

_LEVEL = re.compile(r"(?:level:)?([0-9]{1,3})", re.ASCII)
_WORD = re.compile(r"level:.*|[0-9]+", re.ASCII | re.DOTALL)

#: Why a player has lost a game that was not lost on the board, by the code of its error.
FAULTS = {"engine.silent": "silent", "engine.illegal": "illegal", "engine.answer": "illegal"}
DIED = "died"


class PlayerError(Exception):
    """A player that can't go on with its game: `reason` is one of the words of `FAULTS`."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Player(Protocol):
    """Whoever can be asked for moves; `seconds` are those that the last one took."""

    name: str
    seconds: float

    def new_game(self, seed: int) -> None:
        """Get ready for another game; raises `PlayerError`."""

    def move(
        self, position: Position, limit: Limit | None, opponent_clock: tuple[float, float] | None
    ) -> Move:
        """Return a legal move; raises `PlayerError`."""

    def close(self) -> None:
        """End all that belongs to it."""


def parse_level(text: str) -> int | None:
    """Return the level that a text names, as "5" or "level:5"; None for a command line.

    Raises `LimitError` for a level that there is none of.
    """
    text = text.strip()
    if not text or _WORD.fullmatch(text):
        match = _LEVEL.fullmatch(text)
        if match is None or int(match[1]) not in LEVELS:
            raise LimitError(
                "limit.value",
                name="player",
                expected=f"a level within 1 to {max(LEVELS)} or a command",
                value=repr(clip(text)),
            )
        return int(match[1])
    return None


def open_player(text: str, patience: float = PATIENCE) -> Player:
    """Return the player that a text names; raises `PlayerError` for one that does not start."""
    level = parse_level(text)
    return UgiPlayer(text, patience) if level is None else LevelPlayer(level)


class LevelPlayer:
    """The computer at a level, in this process."""

    def __init__(self, level: int) -> None:
        self.level = level
        self.name = f"level {level}"
        self.seconds = 0.0
        self._engine = Engine(level=level)
        _warm_up()

    def new_game(self, seed: int) -> None:
        """Begin with an engine that remembers nothing."""
        self._engine.close()
        self._engine = Engine(level=self.level, seed=seed)

    def move(
        self, position: Position, limit: Limit | None, opponent_clock: tuple[float, float] | None
    ) -> Move:
        """Return its move."""
        start = time.perf_counter()
        try:
            move = self._engine.think(position, limit).move
            self.seconds = time.perf_counter() - start
            position.play(move)
        except Exception as error:  # whatever is wrong with it costs this game and no other
            raise PlayerError(DIED, f"{type(error).__name__}: {error}") from error
        return move

    def close(self) -> None:
        """Forget everything."""
        self._engine.close()


class UgiPlayer:
    """An engine that speaks the Universal Game Interface, started anew when it has ended."""

    def __init__(self, command: str, patience: float = PATIENCE) -> None:
        self.command = command
        self.patience = patience
        self.name = clip(command, 80)
        self.seconds = 0.0
        self._engine: UgiEngine | None = None
        self._start()

    def new_game(self, seed: int) -> None:
        """Tell it so; seeds are the engine's own affair."""
        engine = self._engine or self._start()
        try:
            engine.new_game()
        except EngineError as error:
            raise self._failure(error) from error

    def move(
        self, position: Position, limit: Limit | None, opponent_clock: tuple[float, float] | None
    ) -> Move:
        """Return its move."""
        engine = self._engine or self._start()
        try:
            move = engine.best_move(position, limit, opponent_clock=opponent_clock)
        except EngineError as error:
            raise self._failure(error) from error
        self.seconds = engine.seconds
        return move

    def close(self) -> None:
        """End its process."""
        if self._engine:
            self._engine.close()
            self._engine = None

    def _start(self) -> UgiEngine:
        try:
            self._engine = UgiEngine(
                self.command, patience=self.patience, grace=min(GRACE, self.patience)
            )
        except EngineError as error:
            raise self._failure(error) from error
        self.name = self._engine.name
        return self._engine

    def _failure(self, error: FormsError) -> PlayerError:
        """Return the error of a game, the process that made it being ended."""
        self.close()
        return PlayerError(FAULTS.get(error.code, DIED), str(error))


@functools.cache
def _warm_up() -> None:
    """Have everything compiled before a clock runs."""
    compiled.warm_up(modules=compiled.PLAY_MODULES)
