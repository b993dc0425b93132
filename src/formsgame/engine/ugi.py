"""The Universal Game Interface, free of input and output: lines in, lines and orders out.

`Protocol` is told what arrives: lines, what the engine finds, and that it is done. Every call
returns what is to be done, in order: lines to write (text), a `Task` for the engine, or an `Order`.
What each command means is in docs/ugi.md.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from formsgame import __version__
from formsgame.engine.engine import HASH_MB, MOST_HASH_MB, MOST_THREADS
from formsgame.engine.levels import LEVELS
from formsgame.engine.streams import LINE_LIMIT
from formsgame.engine.values import Info, Thought
from formsgame.errors import FormsError
from formsgame.limit import Limit
from formsgame.position import Position
from formsgame.rules import (
    ADVANCED,
    BLACK,
    MAX_SIDE,
    STANDARD,
    Color,
    clip,
    parse_rules,
    parse_size,
)

#: Most lines of play that can be asked for.
MOST_LINES = 64
#: Plies of the longest game there can be: every move removes a stone.
MOST_PLIES = MAX_SIDE * MAX_SIDE - 1
#: Most milliseconds, and most nodes, that a number can say.
MOST = 10**15
MOST_SEED = 2**64 - 1
#: Digits of a number that are looked at.
DIGITS = 24


class Order(Enum):
    """What the protocol has done beside lines and tasks."""

    PREPARE = "get ready, then call prepared"
    STOP = "end the task under way soon"
    QUIT = "end the process"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the options say."""

    rules: str = ADVANCED.name
    size: str = "8"
    hash_mb: int = HASH_MB
    threads: int = 1
    level: int = max(LEVELS)
    lines: int = 1
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One `go`: a position to think about; `game` counts the games, of which each begins anew."""

    number: int
    game: int
    position: Position
    limit: Limit | None
    settings: Settings
    is_infinite: bool


Action = str | Task | Order


class _RefusedError(Exception):
    """A line that is wrong; the message says what and where."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its name, the field of the settings, what it is, and what reads its values."""

    name: str
    field: str
    declaration: str
    read: Callable[[str], Any]


def _spin(name: str, field: str, least: int, most: int) -> Option:
    default = getattr(Settings(), field)
    return Option(
        name,
        field,
        f"type spin default {default} min {least} max {most}",
        lambda text: _read_number(name, text, least, most),
    )


def _read_rules(text: str) -> str:
    return parse_rules(text).name


def _read_size(text: str) -> str:
    """Return a board's size; whether the rules can start on it is seen when a game starts."""
    return str(parse_size(text))


def _read_seed(text: str) -> int | None:
    return None if text in ("", "<empty>") else _read_number("Seed", text, 0, MOST_SEED)


_RULES = f"type combo default {Settings().rules} var {STANDARD.name} var {ADVANCED.name}"
#: All options by their names in lower case.
OPTIONS = {
    option.name.lower(): option
    for option in (
        Option("Rules", "rules", _RULES, _read_rules),
        Option("Size", "size", f"type string default {Settings().size}", _read_size),
        _spin("Hash", "hash_mb", 1, MOST_HASH_MB),
        _spin("Threads", "threads", 1, MOST_THREADS),
        _spin("Level", "level", min(LEVELS), max(LEVELS)),
        _spin("MultiPV", "lines", 1, MOST_LINES),
        Option("Seed", "seed", "type string default <empty>", _read_seed),
    )
}


class Protocol:
    """One conversation with whoever uses the engine."""

    def __init__(self) -> None:
        self._settings = Settings()
        self._game = 0
        #: What `position` said; None is the start position of the options.
        self._position: Position | None = None
        self._tasks = 0
        self._task: Task | None = None
        self._is_stopping = False
        #: What an infinite task has found before it was told to stop.
        self._found: Thought | str | None = None
        self._shown: dict[int, Info] = {}
        #: A change that waits for the end of a task, and the lines that came after it.
        self._held: deque[Callable[[], list[Action]] | str | None] = deque()
        self._is_prepared = False
        self._asked_ready = 0
        self._is_ending = self._has_left = False
        self._commands: dict[str, Callable[[Sequence[str]], list[Action]]] = {
            "ugi": self._greet,
            "isready": self._answer_ready,
            "setoption": self._set_option,
            "uginewgame": self._begin_game,
            "position": self._set_position,
            "go": self._go,
            "stop": lambda words: self._stop(),
            "query": self._query,
            "quit": lambda words: self._quit(),
        }

    @property
    def is_holding(self) -> bool:
        """Whether lines wait for the end of a task; nothing is lost, but better read none now."""
        return bool(self._held)

    def receive(self, line: str | None) -> list[Action]:
        """Take a line; None is one that was too long to be kept."""
        if self._is_ending:
            return []
        if self._held:
            self._held.append(line)
            return []
        return self._obey(line)

    def end(self) -> list[Action]:
        """Take the end of the input: what is under way is answered, then follows `Order.QUIT`."""
        if self._held:
            self._held.append("quit")
            return []
        self._is_ending = True
        return self._stop() + self._leave()

    def prepared(self, trouble: str = "") -> list[Action]:
        """Hear that all is ready, or why it can't be."""
        self._is_prepared = not trouble
        actions: list[Action] = [_error(trouble)] if trouble else []
        actions += ["readyok"] * self._asked_ready
        self._asked_ready = 0
        return actions + self._leave()

    def report(self, number: int, info: Info) -> list[Action]:
        """Hear what the engine finds while it is at a task."""
        if self._task is None or number != self._task.number:
            return []
        self._shown[info.rank] = info
        return [_info_line(info, self._task.position.side_to_move)]

    def finish(self, number: int, found: Thought | str) -> list[Action]:
        """Hear that a task is done, or in some words why the engine could not do it."""
        if self._task is None or number != self._task.number or self._found is not None:
            return []
        actions: list[Action] = []
        if isinstance(found, Thought):
            for info in found.lines:
                if self._shown.get(info.rank) != info:
                    actions += self.report(number, info)
        self._found = found
        self._is_prepared = True
        if self._task.is_infinite and not self._is_stopping:
            return actions
        return actions + self._answer()

    def _answer(self) -> list[Action]:
        """End the task with its best move, then go on with the lines that came meanwhile."""
        assert self._task is not None
        found, actions = self._found, list[Action]()
        if isinstance(found, Thought):
            actions.append(f"bestmove {found.move}")
        else:  # whoever asked waits for a move: any is better than none
            actions.append(_error(f"the engine failed: {found}"))
            actions.append(f"bestmove {self._task.position.legal_moves[0]}")
        self._task = self._found = None
        while self._held and not (callable(self._held[0]) and self._task):
            held = self._held.popleft()
            actions += held() if callable(held) else self._obey(held)
        return actions + self._leave()

    def _obey(self, line: str | None) -> list[Action]:
        """Do what a line says; one that is wrong anywhere does nothing but say so."""
        if self._is_ending:
            return []
        if line is None:
            return [_error(f"a line of more than {LINE_LIMIT} bytes was left out")]
        words = line.split()
        if not words:
            return []
        command = self._commands.get(words[0])
        if command is None:
            return [_error(f"there is no command {_quoted(words[0])}")]
        try:
            return command(words[1:])
        except (FormsError, _RefusedError) as error:
            return [_error(f"{words[0]}: {error}")]

    def _greet(self, words: Sequence[str]) -> list[Action]:
        options = [f"option name {option.name} {option.declaration}" for option in OPTIONS.values()]
        return [
            f"id name formsgame {__version__}",
            "id author The formsgame authors",
            *options,
            "ugiok",
        ]

    def _answer_ready(self, words: Sequence[str]) -> list[Action]:
        if self._is_prepared or self._task is not None:
            return ["readyok"]
        self._asked_ready += 1
        return [Order.PREPARE] if self._asked_ready == 1 else []

    def _set_option(self, words: Sequence[str]) -> list[Action]:
        if words[:1] != ["name"]:
            raise _RefusedError("expected: name NAME value VALUE")
        place = words.index("value") if "value" in words else len(words)
        name = " ".join(words[1:place])
        option = OPTIONS.get(name.lower())
        if option is None:
            raise _RefusedError(f"there is no option {_quoted(name)}")
        value = option.read(" ".join(words[place + 1 :]))

        def change() -> list[Action]:
            self._settings = replace(self._settings, **{option.field: value})
            return []

        return self._when_idle(change)

    def _begin_game(self, words: Sequence[str]) -> list[Action]:
        def change() -> list[Action]:
            self._game += 1
            self._position = None
            return []

        return self._when_idle(change)

    def _set_position(self, words: Sequence[str]) -> list[Action]:
        place = words.index("moves") if "moves" in words else len(words)
        match words[:place]:
            case ["startpos"]:
                position = self._start_position()
            case ["fen", *fields]:
                position = Position.parse(" ".join(fields))
            case _:
                raise _RefusedError("expected: startpos or fen POSITION, then moves M1 M2 ...")
        for number, move in enumerate(words[place + 1 :], 1):
            try:
                position = position.play(move)
            except FormsError as error:
                raise _RefusedError(f"move number {number}: {error}") from None

        def change() -> list[Action]:
            self._position = position
            return []

        return self._when_idle(change)

    def _go(self, words: Sequence[str]) -> list[Action]:
        position = self._now()
        limit = _read_limit(words, position.side_to_move)
        is_infinite = "infinite" in words

        if position.is_over:
            return ["info string the game is over, there is no move", "bestmove none"]

        def change() -> list[Action]:
            self._tasks += 1
            self._is_stopping = False
            self._shown.clear()
            self._task = Task(self._tasks, self._game, position, limit, self._settings, is_infinite)
            return [self._task]

        return self._when_idle(change)

    def _query(self, words: Sequence[str]) -> list[Action]:
        position = self._now()
        match words:
            case ["gameover"]:
                answer = "true" if position.is_over else "false"
            case ["p1turn"]:
                answer = "true" if position.side_to_move is BLACK else "false"
            case ["result"]:
                winner = position.winner
                answer = "none" if winner is None else "p1win" if winner is BLACK else "p2win"
            case _:
                asked = _quoted(" ".join(words))
                raise _RefusedError(f"expected gameover, p1turn or result, not {asked}")
        return [f"response {answer}"]

    def _stop(self) -> list[Action]:
        if self._task is None or self._is_stopping:
            return []
        self._is_stopping = True
        return [Order.STOP] if self._found is None else self._answer()

    def _quit(self) -> list[Action]:
        self._asked_ready = 0  # whoever leaves need not be told any more
        self._is_ending = True
        self._held.clear()
        return self._stop() + self._leave()

    def _leave(self) -> list[Action]:
        """Order the end, if it is asked for and nobody waits for an answer."""
        if not self._is_ending or self._task is not None or self._asked_ready or self._has_left:
            return []
        self._has_left = True
        return [Order.QUIT]

    def _when_idle(self, change: Callable[[], list[Action]]) -> list[Action]:
        """Make a change now or, if there is a task under way, stop that and make it then."""
        if self._task is None:
            return change()
        self._held.appendleft(change)
        return self._stop()

    def _now(self) -> Position:
        """Return the position that is talked about."""
        return self._start_position() if self._position is None else self._position

    def _start_position(self) -> Position:
        return Position.initial(self._settings.rules, self._settings.size)


#: What `go` can name, each with a number: the least and the most. A clock may have run over.
_LIMITS = {
    "p1time": (-MOST, MOST),
    "p2time": (-MOST, MOST),
    "p1inc": (0, MOST),
    "p2inc": (0, MOST),
    "movetime": (0, MOST),
    "depth": (1, MOST),
    "nodes": (1, MOST),
}


def _read_limit(words: Sequence[str], side: Color) -> Limit | None:
    """Return the limit that `go` names, None for the level's own; raises `_RefusedError`."""
    if words == ["infinite"]:
        return Limit()
    values: dict[str, int] = {}
    for place in range(0, len(words), 2):
        name, *rest = words[place : place + 2]
        if name == "infinite":
            raise _RefusedError("infinite goes with nothing else")
        if name not in _LIMITS:
            raise _RefusedError(f"there is no limit {_quoted(name)}")
        if name in values:
            raise _RefusedError(f"{name} is given twice")
        least, most = _LIMITS[name]
        values[name] = max(0, _read_number(name, rest[0] if rest else "", least, most))
    if not values:
        return None
    own = 1 if side is BLACK else 2
    clock = None
    if f"p{own}time" in values:
        clock = values[f"p{own}time"] / 1000, values.get(f"p{own}inc", 0) / 1000
    elif f"p{3 - own}time" in values:
        raise _RefusedError(f"p{own}time is missing, and it is the turn of p{own}")
    depth = values.get("depth")
    return Limit(
        seconds=values["movetime"] / 1000 if "movetime" in values else None,
        nodes=values.get("nodes"),
        depth=None if depth is None else min(depth, MOST_PLIES),
        clock=clock,
    )


def _read_number(name: str, text: str, least: int, most: int) -> int:
    """Return the number that a text is; raises `_RefusedError`."""
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= DIGITS:
        number = int(text)
        if least <= number <= most:
            return number
    raise _RefusedError(f"{name} is a whole number from {least} to {most}, not {_quoted(text)}")


def _info_line(info: Info, side: Color) -> str:
    """Return what is written of a line of play."""
    return " ".join(
        (
            f"info depth {info.depth} nodes {info.nodes} time {round(1000 * info.seconds)}",
            f"nps {info.speed} score {_score(info, side)} multipv {info.rank}",
            f"pv {' '.join(map(str, info.line))}",
        )
    )


def _score(info: Info, side: Color) -> str:
    """Return a score as the side to move sees it: proved, or in logarithms of the odds."""
    if info.verdict is not None:
        return "win wdl 1000 0 0" if info.verdict is side else "loss wdl 0 0 1000"
    wins = round(1000 * min(max(info.score, 0.0), 1.0))
    # Odds of ten to one are 400, as between Elo ratings; what is not proved stays below 3000 to 1.
    chance = min(max(info.score, 1 / 3001), 3000 / 3001)
    return f"cp {round(400 * math.log10(chance / (1 - chance)))} wdl {wins} 0 {1000 - wins}"


def _error(text: str) -> str:
    """Return the line that says what is wrong, whatever the words that are quoted in it."""
    shown = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return f"info string error: {shown}"


def _quoted(text: str) -> str:
    return repr(clip(text))
