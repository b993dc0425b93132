"""The whole state of a contest as JSON, and back: any JSON value gives a state or one error.

What is read is checked by itself: types, ranges, and what belongs together. Whether the moves are
legal and lead to the position is asked only on demand, since it takes as long as playing them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar, get_args

from formsgame.errors import FormsError
from formsgame.rules import MAX_SIDE, Color
from formsgame.server.clock import UNLIMITED, Clock, Control
from formsgame.server.contest import KEPT, Answer, Contest, Offer
from formsgame.server.livegame import (
    ABORTED,
    LEVELS,
    OPEN,
    PERSON,
    Ending,
    LiveGame,
    Reason,
    Seat,
    taken_back,
)
from formsgame.server.refusals import GameError

#: The form of what is written; a reader knows all older ones.
FORMAT = 1

#: More than any count or time (milliseconds since 1970) can be.
_MOST = 2**53

_POSITION = re.compile(r"[xo1-9][xo0-9/]{0,1000} [xo] (standard|advanced)")
_MOVE = re.compile(r"[a-z][1-9][0-9]?-[a-z][1-9][0-9]?")
_CODE = re.compile(r"[a-z_.]{1,40}")
_CONTROL = re.compile(r"[-+/0-9]{1,24}")
_ID = re.compile(r"[ -~]{1,64}")
_SIZE = re.compile(r"[1-9][0-9]?x[1-9][0-9]?")

_SIDES = {color.symbol: color for color in Color}

_T = TypeVar("_T")


def to_json(contest: Contest) -> dict[str, Any]:
    """Return a state as a JSON object."""
    game, clock, offer = contest.game, contest.clock, contest.offer
    return {
        "format": FORMAT,
        "rules": game.rules,
        "size": game.size,
        "black": _seat_to_json(game.black),
        "white": _seat_to_json(game.white),
        "start": game.start,
        "position": game.position,
        "moves": list(game.moves),
        "ending": game.ending and {"reason": game.ending.reason, "loser": _side(game.ending.loser)},
        "control": clock.control.text,
        "left": [clock.black, clock.white],
        "since": clock.since,
        "version": contest.version,
        "at": contest.at,
        "is_local": contest.is_local,
        "is_rated": contest.is_rated,
        "have_both_moved": contest.have_both_moved,
        "offer": offer and {"kind": offer.kind, "by": _side(offer.by), "number": offer.number},
        "next_id": contest.next_id,
        "resumed": contest.resumed,
        "answers": [
            {
                "by": _side(one.by),
                "id": one.id,
                "number": one.number,
                "code": one.code,
                "claimed": _side(one.claimed),
            }
            for one in contest.answers
        ],
        "forgotten": contest.forgotten,
    }


def from_json(data: object, *, replay: bool = False) -> Contest:
    """Return the state that a JSON value holds; with `replay` its moves are played again.

    Raises `GameError`, which says where and why.
    """
    whole = _Reader("game", data)
    whole.integer("format", FORMAT, FORMAT)
    game = _game(whole)
    contest = Contest(
        game=game,
        clock=_clock(whole),
        version=whole.integer("version", 1),
        at=whole.integer("at"),
        is_local=whole.boolean("is_local"),
        is_rated=whole.boolean("is_rated"),
        have_both_moved=whole.boolean("have_both_moved"),
        offer=whole.maybe("offer", _offer),
        next_id=whole.text_or_none("next_id", _ID),
        resumed=whole.integer("resumed"),
        answers=tuple(whole.each("answers", KEPT, _answer)),
        forgotten=whole.integer("forgotten"),
    )
    whole.end()
    _check(whole, contest)
    if replay:
        _check_moves(whole, game)
    return contest


# Writing


def _seat_to_json(seat: Seat) -> str | int:
    if seat.level is not None:
        return seat.level
    return "open" if seat.is_open else "person"


def _side(color: Color | None) -> str | None:
    return None if color is None else color.symbol


# Reading


class _Reader:
    """A JSON object of which each entry is taken once; errors say where it is."""

    def __init__(self, place: str, data: object) -> None:
        self.place = place
        if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
            raise self.error("it is not an object")
        self._entries: dict[str, object] = dict(data)

    def error(self, reason: str, name: str = "") -> GameError:
        place = f"{self.place}.{name}" if name else self.place
        return GameError("game.json", place=place, reason=reason)

    def take(self, name: str) -> object:
        if name not in self._entries:
            raise self.error("it is missing", name)
        return self._entries.pop(name)

    def end(self) -> None:
        for name in self._entries:
            raise self.error("it is not known", name[:40])

    def integer(self, name: str, lowest: int = 0, highest: int = _MOST) -> int:
        return self._number(name, self.take(name), lowest, highest)

    def _number(self, name: str, found: object, lowest: int, highest: int) -> int:
        if type(found) is not int or not lowest <= found <= highest:
            raise self.error(f"it is not a whole number from {lowest} to {highest}", name)
        return found

    def integer_or_none(self, name: str) -> int | None:
        found = self.take(name)
        return None if found is None else self._number(name, found, 0, _MOST)

    def boolean(self, name: str) -> bool:
        found = self.take(name)
        if not isinstance(found, bool):
            raise self.error("it is not true or false", name)
        return found

    def text(self, name: str, pattern: re.Pattern[str]) -> str:
        return self._text(name, self.take(name), pattern)

    def _text(self, name: str, found: object, pattern: re.Pattern[str]) -> str:
        if not isinstance(found, str) or not pattern.fullmatch(found):
            raise self.error("it is not a text of the form that belongs here", name)
        return found

    def word(self, name: str, words: tuple[str, ...]) -> str:
        found = self.take(name)
        if not isinstance(found, str) or found not in words:
            raise self.error(f"it is none of {', '.join(words)}", name)
        return found

    def text_or_none(self, name: str, pattern: re.Pattern[str]) -> str | None:
        found = self.take(name)
        return None if found is None else self._text(name, found, pattern)

    def side(self, name: str) -> Color:
        return _SIDES[self.word(name, tuple(_SIDES))]

    def side_or_none(self, name: str) -> Color | None:
        if self._entries.get(name, "") is not None:
            return self.side(name)
        self.take(name)
        return None

    def texts(self, name: str, most: int, pattern: re.Pattern[str]) -> tuple[str, ...]:
        found = self._list(name, most)
        return tuple(self._text(f"{name}[{n}]", one, pattern) for n, one in enumerate(found))

    def pair(self, name: str, highest: int) -> tuple[int, int]:
        found = self._list(name, 2)
        if len(found) != 2:
            raise self.error("it does not have two entries", name)
        first, second = (self._number(name, one, 0, highest) for one in found)
        return first, second

    def maybe(self, name: str, read: Callable[[_Reader], _T]) -> _T | None:
        found = self.take(name)
        return None if found is None else read(_Reader(f"{self.place}.{name}", found))

    def each(self, name: str, most: int, read: Callable[[_Reader], _T]) -> list[_T]:
        return [
            read(_Reader(f"{self.place}.{name}[{number}]", one))
            for number, one in enumerate(self._list(name, most))
        ]

    def _list(self, name: str, most: int) -> list[object]:
        found = self.take(name)
        if not isinstance(found, list) or len(found) > most:
            raise self.error(f"it is not a list of at most {most}", name)
        return found


def _game(whole: _Reader) -> LiveGame:
    rules = whole.word("rules", ("standard", "advanced"))
    size = whole.text("size", _SIZE)
    start, position = whole.text("start", _POSITION), whole.text("position", _POSITION)
    for name, text in (("start", start), ("position", position)):
        if not text.endswith(f" {rules}"):
            raise whole.error("it has other rules than the game", name)
    return LiveGame(
        rules=rules,
        size=size,
        black=_seat(whole, "black"),
        white=_seat(whole, "white"),
        start=start,
        position=position,
        moves=whole.texts("moves", MAX_SIDE * MAX_SIDE, _MOVE),
        ending=whole.maybe("ending", _ending),
    )


def _seat(whole: _Reader, name: str) -> Seat:
    found = whole.take(name)
    if type(found) is int and found in LEVELS:
        return Seat(found)
    if found == "open":
        return OPEN
    if found == "person":
        return PERSON
    raise whole.error("it is neither person nor open nor a level of the computer", name)


def _ending(found: _Reader) -> Ending:
    match found.word("reason", get_args(Reason)):
        case "aborted":
            if found.side_or_none("loser") is not None:
                raise found.error("nobody loses a game that is aborted", "loser")
            ending = ABORTED
        case "time":
            ending = Ending("time", found.side("loser"))
        case _:
            ending = Ending("resigned", found.side("loser"))
    found.end()
    return ending


def _clock(whole: _Reader) -> Clock:
    text = whole.text("control", _CONTROL)
    try:
        control = Control.parse(text)
    except GameError as error:
        raise whole.error(str(error), "control") from error
    black, white = whole.pair("left", _MOST)
    since = whole.integer_or_none("since")
    if control == UNLIMITED and (black or white or since is not None):
        raise whole.error("there is a time, but no limit of it", "control")
    return Clock(control, black, white, since)


def _offer(found: _Reader) -> Offer:
    kind = found.word("kind", ("takeback", "rematch"))
    by, number = found.side("by"), found.integer("number", 1)
    found.end()
    return Offer("takeback" if kind == "takeback" else "rematch", by, number)


def _answer(found: _Reader) -> Answer:
    answer = Answer(
        by=found.side_or_none("by"),
        id=found.text("id", _ID),
        number=found.integer("number", 1),
        code=found.text_or_none("code", _CODE),
        claimed=found.side_or_none("claimed"),
    )
    found.end()
    return answer


def _check(whole: _Reader, contest: Contest) -> None:
    """Raise `GameError` where two entries cannot both be."""
    game = contest.game
    begins_alike = game.start.split()[1] == game.position.split()[1]
    numbers = [one.number for one in contest.answers]
    offer = contest.offer
    is_over = game.is_over
    for name, is_wrong, reason in (
        ("position", begins_alike is (game.ply % 2 == 1), "the wrong side is to move"),
        ("ending", game.ending and 0 in game.stones.values(), "it has ended on the board"),
        ("since", is_over and contest.clock.since is not None, "the game is over"),
        ("since", contest.clock.since is not None and contest.status != "playing", "nobody plays"),
        ("since", (contest.clock.since or 0) > contest.at, "it is after the last change"),
        ("resumed", contest.resumed > contest.at, "it is after the last change"),
        ("is_rated", contest.is_rated and contest.is_local, "one device rates no games"),
        ("have_both_moved", game.ply > 1 and not contest.have_both_moved, "both have moved"),
        ("offer", offer and offer.number > contest.version, "it is newer than the game"),
        ("offer", offer and (offer.kind == "rematch") is not is_over, "it is of another time"),
        (
            "offer",
            offer and offer.kind == "takeback" and game.last_turn(offer.by) is None,
            "there is nothing to take back",
        ),
        ("next_id", contest.next_id is not None and not is_over, "the game is not over"),
        ("answers", numbers != sorted(set(numbers)), "they are not in order"),
        ("answers", any(one > contest.version for one in numbers), "they are newer than the game"),
        ("forgotten", any(one <= contest.forgotten for one in numbers), "it is remembered"),
        ("forgotten", contest.forgotten > contest.version, "it is newer than the game"),
    ):
        if is_wrong:
            raise whole.error(reason, name)


def _check_moves(whole: _Reader, game: LiveGame) -> None:
    from formsgame.position import Position

    try:
        size = str(Position.parse(game.start).size)
        played = taken_back(game, game.ply)
    except FormsError as error:
        raise whole.error(str(error), "moves") from error
    if size != game.size:
        raise whole.error(f"the start position is of {size}", "size")
    if played.position != game.position:
        raise whole.error(f"they lead to {played.position}", "moves")
