"""What stands around the moves of a record: tags, results, and the text of notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping

from formsgame.errors import RecordError
from formsgame.position import Outcome
from formsgame.rules import BLACK, WHITE, clip

#: Tags that every record has, with what they say when nothing is known.
ROSTER = {
    "Event": "?",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "?",
    "Black": "?",
    "White": "?",
}
#: Tags that follow from the game.
DERIVED = ("Result", "Rules", "Size", "Position")
#: Tags that have a place of their own; the others follow, in the order in which they came.
ORDER = (*ROSTER, *DERIVED, "TimeControl", "BlackElo", "WhiteElo", "Termination")

#: The value of Termination that belongs to a game without a result.
ABORTED = "aborted"

#: How a game ended by what its record says; `*` is a game that goes on or was aborted.
RESULTS: dict[str, Outcome | None] = {
    "B+": Outcome(BLACK, "board"),
    "W+": Outcome(WHITE, "board"),
    "B+R": Outcome(BLACK, "resigned"),
    "W+R": Outcome(WHITE, "resigned"),
    "B+T": Outcome(BLACK, "time"),
    "W+T": Outcome(WHITE, "time"),
    "*": None,
}
_RESULT_TEXTS = {outcome: text for text, outcome in RESULTS.items()}

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACES = re.compile(r"[ \t\n\r\v\f]+")
_BRACES = str.maketrans("{}", "()")


def format_result(outcome: Outcome | None) -> str:
    """Return how a record says an outcome.

    >>> format_result(Outcome(WHITE, "time")), format_result(None)
    ('W+T', '*')
    """
    return _RESULT_TEXTS.get(outcome, "*")


def find_surrogate(text: str) -> int:
    """Return the place of the first lone surrogate, which no file can hold; -1 if there is none."""
    if text.isascii():
        return -1
    match = _SURROGATE.search(text)
    return match.start() if match else -1


def clean_comment(text: object) -> str:
    """Return a comment as a record can hold it.

    Lines are wrapped in a record, so that runs of blanks, tabs and line ends are one space each;
    braces end a comment there, so that they become parentheses. Raises `RecordError` for what is
    no text.

    >>> clean_comment("  a trap:\\n{b2-b1} loses ")
    'a trap: (b2-b1) loses'
    """
    if not isinstance(text, str):
        raise RecordError(
            "record.note", what="comment", reason=f"expected text, not {type(text).__name__}"
        )
    if find_surrogate(text) >= 0:
        raise RecordError("record.note", what="comment", reason="it holds a lone surrogate")
    return _SPACES.sub(" ", text).strip(" ").translate(_BRACES)


def clean_glyphs(glyphs: object) -> tuple[int, ...]:
    """Return numeric annotation glyphs without repetitions, in the order in which they came.

    Raises `RecordError` for anything but integers from 0 to 255.
    """
    try:
        found = tuple(dict.fromkeys(glyphs))  # type: ignore[call-overload]
    except TypeError:
        found = (None,)
    if not all(type(glyph) is int and 0 <= glyph <= 255 for glyph in found):
        raise RecordError("record.note", what="glyphs", reason="expected numbers from 0 to 255")
    return found


def join_comments(*comments: str) -> str:
    """Return comments as one."""
    return " ".join(filter(None, comments))


class Headers(MutableMapping[str, str]):
    """The tags of a game in the order in which they are written, free ones and derived ones.

    Event, Site, Date, Round, Black and White are always there; Result, Rules, Size and Position
    (where the start is not the usual one) follow from the game and cannot be set. Raises
    `RecordError` for a name or a value that no record can hold.
    """

    __slots__ = ("_derive", "_values")

    def __init__(self, derive: Callable[[], dict[str, str]], values: Mapping[str, str]) -> None:
        self._derive = derive
        self._values: dict[str, str] = {}
        for name, value in values.items():
            self[name] = value

    def copy_for(self, derive: Callable[[], dict[str, str]]) -> Headers:
        """Return headers for another game with the same tags, but for those that follow from it."""
        headers = Headers(derive, {})
        headers._values.update(self._values)
        return headers

    @property
    def free(self) -> dict[str, str]:
        """A copy of the tags that were set, without those that follow from the game."""
        return {name: self._values[name] for name in self if name in self._values}

    def __getitem__(self, name: str) -> str:
        return self._all()[name]

    def __setitem__(self, name: object, value: object) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            reason = "a name is a letter, then letters, digits and _"
            raise RecordError("record.header", name=clip(name), reason=reason)
        if name in DERIVED or name == "Termination":
            derived = self._derive()
            if name in derived and value == derived[name]:
                return
            is_derived = name in DERIVED or name in derived or value == ABORTED
        else:
            is_derived = False
        if is_derived:
            raise RecordError("record.header", name=name, reason="it follows from the game")
        if not isinstance(value, str):
            reason = f"expected text, not {type(value).__name__}"
            raise RecordError("record.header", name=name, reason=reason)
        if "\n" in value or "\r" in value:
            raise RecordError("record.header", name=name, reason="a value is one line")
        if find_surrogate(value) >= 0:
            raise RecordError("record.header", name=name, reason="it holds a lone surrogate")
        if ROSTER.get(name) == value:
            self._values.pop(name, None)
        else:
            self._values[name] = value

    def __delitem__(self, name: str) -> None:
        if name in self._derive():
            raise RecordError("record.header", name=name, reason="it follows from the game")
        if name in ROSTER:
            self._values.pop(name, None)
        else:
            del self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"Headers({self._all()!r})"

    def forget(self, name: str) -> None:
        """Drop what was set for a tag, if anything was."""
        self._values.pop(name, None)

    def _all(self) -> dict[str, str]:
        """Return every tag in the order of writing."""
        known = {**ROSTER, **self._values, **self._derive()}
        tags = {name: known.pop(name) for name in ORDER if name in known}
        return {**tags, **known}
