"""Reading records: text to plain trees, one game at a time, every move checked.

The syntax is PGN's: tags `[Name "value"]`, then moves with numbers (which are passed over),
`{comments}`, `; comments` to the end of the line, `(variations)`, glyphs `$n` or `! ? !! ?? !? ?!`,
and the result at the end. A line that starts with `%` is passed over, except in a comment.
Everything takes linear time, and no text makes it recurse.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from formsgame.errors import FormsError, IllegalMoveError, NotationError, RecordError
from formsgame.position import Move, Outcome, Position
from formsgame.record.tags import (
    ABORTED,
    DERIVED,
    RESULTS,
    clean_comment,
    find_surrogate,
    format_result,
    join_comments,
)
from formsgame.record.tree import Tree, parse_move
from formsgame.rules import clip, parse_rules, parse_size

#: Most characters of one game. One of 26 x 26 cells with 10,000 variations has about a million.
GAME_LIMIT = 1 << 24

#: Deepest nesting of variations; no game has as many plies, so that all that is written is read.
NESTING_LIMIT = 700

_SPACE = r"[\s\u200b\u2060\ufeff]"
#: A move is whatever looks like two cells with or without a mark; the notation decides then.
_TOKEN = re.compile(
    rf"""{_SPACE}*+(?:
    (?P<move>
        [A-Za-z]{_SPACE}*+[0-9]++{_SPACE}*+
        (?:(?:[xX]|[^\w\s()\[\]{{}};$!?*.…"]){_SPACE}*+)?
        [A-Za-z]{_SPACE}*+[0-9]++(?![A-Za-z0-9])
    )
    |(?P<number>[0-9]++{_SPACE}*+[.…]*+)
    |(?P<comment>\{{)
    |(?P<open>\()
    |(?P<close>\))
    |(?P<glyph>\$[0-9]*+|[!?]++)
    |(?P<result>[BW]\+[A-Za-z]*+|\*)
    |(?P<tag>\[)
    |(?P<rest>;)
    |(?P<dots>[.…]++)
    |(?P<end>\Z)
    |(?P<other>.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_TAG = re.compile(
    r'\[\s*+([A-Za-z][A-Za-z0-9_]*+)\s*+"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*+\]', re.DOTALL
)
_ESCAPED = re.compile(r'\\(["\\])')
_TAG_LINE = re.compile(rf"{_SPACE}*+\[\s*+[A-Za-z]")
_SUFFIXES = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}


class Parsed(NamedTuple):
    """A game as read: what a `Game` is made of."""

    tree: Tree
    headers: dict[str, str]
    #: How it ended otherwise than on the board, if it did.
    ending: Outcome | None


class Tag(NamedTuple):
    """A tag's value and where it stands."""

    value: str
    line: int
    column: int


class Reader:
    """The games in lines of text, one after the other. Errors have the line in all the text."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._again: deque[str] = deque()
        self._text = ""
        self._place = 0
        self._number = 0
        self._size = 0
        # Set once a comment was found that the text ends in: then no later one is closed either.
        self._never_closed = False
        self._at_next_game = False

    def read(self) -> Parsed | None:
        """Return the next game, None when there are no more; raises `RecordError`.

        After an error, `skip` goes on to the next game.
        """
        self._size = len(self._text) - self._place
        self._at_next_game = False
        draft = _Draft()
        match_token = _TOKEN.match
        while True:
            match = match_token(self._text, self._place)
            assert match is not None
            kind = match.lastgroup
            if kind == "move":
                place = match.start("move")
                self._place = match.end()
                self._move(draft, match, place)
            elif kind == "end":
                if draft.is_blank:
                    self._size = 0
                if not self._advance():
                    return self._finish_open(draft)
            elif kind == "number" or kind == "dots":
                if draft.tree is None:
                    self._start(draft, match.start(kind))
                self._place = match.end()
            elif kind == "tag":
                place = match.start("tag")
                if draft.tree is not None:
                    self._place = place
                    self._at_next_game = True
                    return self._finish_open(draft)
                self._tag(draft, place)
            elif kind == "comment":
                self._comment(draft, match.start("comment"))
            elif kind == "rest":
                draft.comment(self._text[match.end() :])
                self._place = len(self._text)
            elif kind == "result":
                place = match.start("result")
                self._place = match.end()
                return self._finish(draft, match["result"], place)
            else:
                assert kind is not None
                place = match.start(kind)
                if draft.tree is None:
                    if kind == "other":
                        self._unexpected(place)
                    self._start(draft, place)
                self._place = match.end()
                if kind == "glyph":
                    self._glyph(draft, match["glyph"], place)
                elif kind == "open":
                    self._open(draft, place)
                elif kind == "close":
                    self._close(draft, place)
                else:
                    self._unexpected(place)

    def skip(self) -> None:
        """After an error: go to the next line that starts tags after a line that is no tag."""
        if self._at_next_game:
            return
        was_tag = self._text.lstrip().startswith("[")
        while (line := self._take()) is not None:
            is_tag = _TAG_LINE.match(line) is not None
            if is_tag and not was_tag:
                self._again.appendleft(line)
                self._number -= 1
                break
            was_tag = is_tag
        self._text, self._place = "", 0

    def expect_end(self) -> None:
        """Raise `RecordError` if anything but comments is left."""
        draft = _Draft()
        while True:
            match = _TOKEN.match(self._text, self._place)
            assert match is not None
            if match["end"] is not None:
                if not self._advance():
                    return
            elif match["comment"]:
                self._comment(draft, match.start("comment"))
            elif match["rest"]:
                self._place = len(self._text)
            elif match["other"]:
                self._unexpected(match.start("other"))
            else:
                self._fail("record.second", match.start(match.lastgroup or 0))

    # Lines

    def _take(self) -> str | None:
        """Return the next line, whatever it is, counting it; None at the end."""
        line = self._again.popleft() if self._again else next(self._lines, None)
        if line is not None:
            self._number += 1
            if self._number == 1:
                line = line.removeprefix("\ufeff")
        return line

    def _advance(self) -> bool:
        """Make the next line the current one, but those that start with `%`; False at the end."""
        while self._next_line():
            if not self._text.startswith("%"):
                return True
        return False

    def _next_line(self) -> bool:
        """Make the next line the current one, after checking it; False at the end."""
        line = self._take()
        if line is None:
            return False
        self._text, self._place = line, 0
        self._size += len(line) + 1
        if self._size > GAME_LIMIT:
            self._fail("record.length", 0, limit=GAME_LIMIT)
        place = find_surrogate(line)
        if place >= 0:
            code = ord(line[place])
            is_byte = 0xDC80 <= code <= 0xDCFF
            text = f"byte 0x{code - 0xDC00:02x}" if is_byte else f"surrogate 0x{code:04x}"
            self._fail("record.encoding", place, text=text)
        return True

    def _fail(self, code: str, place: int, cause: Exception | None = None, **data: Any) -> NoReturn:
        """Raise an error at a place of the current line."""
        self._fail_at(code, self._number, place + 1, cause, **data)

    def _fail_at(
        self, code: str, line: int, column: int, cause: Exception | None = None, **data: Any
    ) -> NoReturn:
        if cause is not None:
            data["cause"] = cause
        raise RecordError(code, line=max(line, 1), column=column, **data) from cause

    def _unexpected(self, place: int) -> NoReturn:
        """Raise the error for what is no token: what is wrong with it as a move, if it is like one.

        Moves are what people write by hand.
        """
        word = self._text[place : place + 40].split()[0]
        if word[0].isalpha():
            try:
                Move.parse(word)
            except NotationError as error:
                self._fail("record.move", place + (error.place or 1) - 1, error)
        self._fail("record.unexpected", place, text=clip(word))

    # Tokens

    def _tag(self, draft: _Draft, place: int) -> None:
        match = _TAG.match(self._text, place)
        if match is None:
            self._fail("record.tag_syntax", place)
        name, value = match[1], match[2]
        if name in draft.tags:
            self._fail("record.tag_twice", place, name=clip(name))
        if "\\" in value:
            value = _ESCAPED.sub(r"\1", value)
        draft.tags[name] = Tag(value, self._number, match.start(2) + 1)
        self._place = match.end()

    def _comment(self, draft: _Draft, place: int) -> None:
        """Read a comment that opens at a place, over as many lines as it takes."""
        opened = self._number
        parts: list[str] = []
        taken: list[str] = []
        start = place + 1
        while (end := self._text.find("}", start)) < 0:
            parts.append(self._text[start:])
            if self._never_closed or not self._next_line():
                # Nothing closes it: what follows may be games, so it is read again as such.
                self._never_closed = True
                self._again.extendleft(reversed(taken))
                self._number = opened
                self._text, self._place = "", 0
                self._fail("record.open_comment", place)
            taken.append(self._text)
            start = 0
        parts.append(self._text[start:end])
        self._place = end + 1
        draft.comment("\n".join(parts))

    def _move(self, draft: _Draft, match: re.Match[str], place: int) -> None:
        tree = draft.tree
        if tree is None:
            tree = self._start(draft, place)
        try:
            draft.play(tree, parse_move(match["move"]))
        except NotationError as error:
            self._fail("record.move", place + (error.place or 1) - 1, error)
        except IllegalMoveError as error:
            self._fail("record.move", place, error)

    def _glyph(self, draft: _Draft, text: str, place: int) -> None:
        if draft.is_fresh:
            self._fail("record.no_move", place, text=clip(text))
        glyph = _SUFFIXES.get(text)
        if glyph is None:
            if not 2 <= len(text) <= 4 or text[0] != "$" or int(text[1:]) > 255:
                self._fail("record.glyph", place, text=clip(text))
            glyph = int(text[1:])
        draft.glyph(glyph)

    def _open(self, draft: _Draft, place: int) -> None:
        if draft.is_fresh:
            self._fail("record.no_move", place, text="(")
        if len(draft.waiting) == NESTING_LIMIT:
            self._fail("record.nesting", place, limit=NESTING_LIMIT)
        draft.open(self._number, place + 1)

    def _close(self, draft: _Draft, place: int) -> None:
        if not draft.waiting:
            self._fail("record.close", place)
        if draft.is_fresh:
            self._fail("record.empty_variation", place)
        draft.close()

    # Start and end

    def _start(self, draft: _Draft, place: int) -> Tree:
        """Find out where the game starts, which its tags say, before its first move."""
        tags = draft.tags
        values: dict[str, Any] = {}
        for name, parse in (
            ("Position", Position.parse),
            ("Rules", parse_rules),
            ("Size", parse_size),
        ):
            if name in tags:
                try:
                    values[name] = parse(tags[name].value)
                except FormsError as error:
                    self._fail_tag("record.tag", name, tags[name], error)
        position = values.get("Position")
        if position is None:
            if len(values) < 2:
                self._fail("record.no_start", place)
            try:
                position = Position.initial(values["Rules"], values["Size"])
            except FormsError as error:
                self._fail_tag("record.tag", "Size", tags["Size"], error)
        for name, expected in (("Rules", position.rules), ("Size", position.size)):
            if values.get(name, expected) != expected:
                found = clip(tags[name].value)
                self._fail_tag(
                    "record.tag_disagrees", name, tags[name], found=found, expected=str(expected)
                )
        if "Result" in tags and tags["Result"].value not in RESULTS:
            tag = tags["Result"]
            self._fail_at("record.result", tag.line, tag.column, text=clip(tag.value))
        draft.tree = Tree(position)
        return draft.tree

    def _fail_tag(
        self, code: str, name: str, tag: Tag, cause: Exception | None = None, **data: Any
    ) -> NoReturn:
        self._fail_at(code, tag.line, tag.column, cause, name=name, **data)

    def _finish_open(self, draft: _Draft) -> Parsed | None:
        """Return the game that ends with the text or with the next game's tags."""
        if draft.tree is None and not draft.tags:
            return None
        return self._finish(draft, None, self._place)

    def _finish(self, draft: _Draft, found: str | None, place: int) -> Parsed:
        """Return the game, its result checked against its tags and the board."""
        tree = draft.tree or self._start(draft, place)
        if draft.waiting:
            line, column = draft.waiting[-1][2:]
            self._fail_at("record.open_variation", line, column)
        tags = draft.tags
        if found is None:
            if "Result" in tags:
                self._fail("record.no_result", place)
        elif found not in RESULTS:
            self._fail("record.result", place, text=clip(found))
        elif "Result" in tags and tags["Result"].value != found:
            self._disagree(found, "tag Result", tags["Result"].value, self._number, place + 1)
        # Not where the reading ended: a variation that repeats the last move may go on from it.
        on_board = tree.position(tree.end()).outcome
        ending = RESULTS[found or "*"]
        if found and ending != on_board and (on_board or (ending and ending.reason == "board")):
            expected = format_result(on_board) if on_board else "that it goes on"
            self._disagree(found, "the board", expected, self._number, place + 1)
        if on_board:
            ending = None
        if "Termination" in tags and tags["Termination"].value == ABORTED:
            if ending or on_board:
                _, line, column = tags["Termination"]
                by = f"tag Termination {ABORTED}"
                self._disagree(format_result(ending or on_board), by, "*", line, column)
            del tags["Termination"]
            ending = Outcome(None, ABORTED)
        headers = {name: tag.value for name, tag in tags.items() if name not in DERIVED}
        draft.settle()
        return Parsed(tree, headers, ending)

    def _disagree(self, found: str, by: str, expected: str, line: int, column: int) -> NoReturn:
        self._fail_at(
            "record.result_disagrees", line, column, found=found, by=by, expected=expected
        )


class _Draft:
    """A game while it is read: its tags, then its tree and the place in it."""

    def __init__(self) -> None:
        self.tags: dict[str, Tag] = {}
        self.tree: Tree | None = None
        self.node = 0
        #: Whether no move has been made yet in the line that is read.
        self.is_fresh = True
        #: Whether the line that is read was the first to reach its node, so that its next move
        #: is the continuation even where a variation has repeated the moves that it replaces.
        self.is_first = True
        #: For each open variation the node to go on from, if it is first there, and its place.
        self.waiting: list[tuple[int, bool, int, int]] = []
        # Texts as they come: joined once, since many small ones may belong to one move.
        self._comments: dict[int, list[str]] = {}
        self._openings: dict[int, list[str]] = {}
        self._opening: list[str] = []
        self._glyphs: dict[int, dict[int, None]] = {}

    @property
    def is_blank(self) -> bool:
        """Whether nothing of a game has been seen yet."""
        return self.tree is None and not self.tags and not self._comments

    def play(self, tree: Tree, move: Move) -> None:
        count = len(tree.moves)
        child = tree.play(self.node, move)
        if self.is_first and len(tree.children[self.node]) > 1:
            tree.reorder(child, 0)
        self.is_first = self.is_first or child == count
        self.node = child
        if self.is_fresh:
            self.is_fresh = False
            if self._opening:
                self._openings.setdefault(child, []).extend(self._opening)
                self._opening = []

    def comment(self, text: str) -> None:
        if self.is_fresh and self.waiting:
            self._opening.append(text)
        else:
            self._comments.setdefault(self.node, []).append(text)

    def glyph(self, glyph: int) -> None:
        self._glyphs.setdefault(self.node, {})[glyph] = None

    def open(self, line: int, column: int) -> None:
        assert self.tree is not None
        self.waiting.append((self.node, self.is_first, line, column))
        self.node = self.tree.parents[self.node]
        self.is_fresh = True
        self.is_first = False

    def close(self) -> None:
        self.node, self.is_first = self.waiting.pop()[:2]
        self.is_fresh = False

    def settle(self) -> None:
        """Put what was said of the moves into the tree."""
        tree = self.tree
        assert tree is not None
        tree.glyphs = {node: tuple(glyphs) for node, glyphs in self._glyphs.items()}
        for kept, texts in ((tree.comments, self._comments), (tree.openings, self._openings)):
            for node, parts in texts.items():
                if comment := join_comments(*map(clean_comment, parts)):
                    kept[node] = comment
        for node in list(tree.openings):
            tree.settle(tree.parents[node])
