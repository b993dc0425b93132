"""Games: a tree of moves with headers, comments and glyphs, and a place in it."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from formsgame.errors import FormsError, IllegalMoveError, RecordError
from formsgame.position import Move, Outcome, Position
from formsgame.record.lines import Source, read_lines, split_text
from formsgame.record.reader import GAME_LIMIT, Parsed, Reader
from formsgame.record.tags import (
    ABORTED,
    RESULTS,
    Headers,
    clean_comment,
    clean_glyphs,
    format_result,
)
from formsgame.record.tree import DELETED, Tree, parse_move
from formsgame.record.writer import format_game
from formsgame.rules import STANDARD, Color, clip


class Game:
    """A game as a document: moves with variations, comments and glyphs, headers, a current node.

    The main line is what was played: from the start always the first continuation. `play` goes on
    from the current node and `undo` takes back; both the game and its nodes can be changed, and a
    copy (`copy.copy` as well as `deepcopy`) is a game of its own. Games are equal when all that
    they record is; the current node is not part of that.

    The start is the standard one of 18 x 18 cells unless given, as a position or its text. Raises
    what the moves, headers or position given raise.

    >>> from formsgame.position import Position
    >>> game = Game(Position.initial("advanced", (2, 2)), headers={"Black": "Anna"})
    >>> game.play("a2-a1")
    <Node 1. a2-a1>
    >>> game.current.comment = "The only way."
    >>> game.play("b2-b1"), game.play("a1-b1"), game.outcome
    (<Node 1... b2-b1>, <Node 2. a1-b1>, Outcome(winner=<Color.WHITE: 2>, reason='board'))
    >>> print(game.to_text().splitlines()[-1])
    1. a2-a1 {The only way.} 1... b2-b1 2. a1-b1 W+
    """

    __slots__ = ("_current", "_ended", "_headers", "_tree")

    def __init__(
        self,
        start: Position | str | None = None,
        headers: Mapping[str, str] | None = None,
        moves: Iterable[Move | str] = (),
    ) -> None:
        if start is None:
            start = Position.initial(STANDARD)
        elif not isinstance(start, Position):
            start = Position.parse(start)
        self._tree = Tree(start)
        self._current = 0
        #: The node after which the game ended otherwise than on the board, and how.
        self._ended: tuple[int, Outcome] | None = None
        self._headers = Headers(self._derived_headers, headers or {})
        for move in moves:
            self.play(move)

    @classmethod
    def parse(cls, text: str) -> Game:
        """Return the one game of a record, its last position the current one.

        Raises `RecordError` with line and column for anything else.
        """
        if not isinstance(text, str):
            raise RecordError("record.type", type=type(text).__name__)
        reader = Reader(split_text(text))
        parsed = reader.read()
        if parsed is None:
            raise RecordError("record.none", line=1, column=1)
        reader.expect_end()
        return cls._from_parsed(parsed)

    @classmethod
    def _from_parsed(cls, parsed: Parsed) -> Game:
        game = cls.__new__(cls)
        game._tree = parsed.tree
        game._current = end = parsed.tree.end()
        game._ended = None if parsed.ending is None else (end, parsed.ending)
        game._headers = Headers(game._derived_headers, parsed.headers)
        return game

    # The game as it was played

    @property
    def start(self) -> Position:
        """The position before the first move."""
        return self._tree.start

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves of the main line."""
        moves = self._tree.moves
        return tuple(move for node in self._tree.line() if (move := moves[node]))

    @property
    def positions(self) -> tuple[Position, ...]:
        """The positions of the main line, the start first: one more than there are moves."""
        tree = self._tree
        return tuple(tree.position(node) for node in (0, *tree.line()))

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, None while it goes on.

        Resigning, losing on time and aborting count while the move after which they came is the
        last of the main line.
        """
        end = self._tree.end()
        if self._ended and self._ended[0] == end:
            return self._ended[1]
        return self._tree.position(end).outcome

    @property
    def winner(self) -> Color | None:
        """Who has won; None while the game goes on and when it was aborted."""
        outcome = self.outcome
        return None if outcome is None else outcome.winner

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, in whatever way."""
        return self.outcome is not None

    @property
    def result(self) -> str:
        """How the game ended as its record says it: `B+`, `W+R`, `B+T` and so on, or `*`."""
        return format_result(self.outcome)

    def resign(self, color: Color | int | None = None) -> None:
        """Let a side give up, the one to move at the end of the main line unless given.

        Raises `RecordError` when the game is over.
        """
        self._lose(color, "resigned")

    def lose_on_time(self, color: Color | int | None = None) -> None:
        """Let a side lose on time; otherwise as `resign`."""
        self._lose(color, "time")

    def abort(self) -> None:
        """End the game without a result; raises `RecordError` when it is over.

        Players may do so before both have moved. That is for those to see to who let them.
        """
        self._end(Outcome(None, ABORTED))
        self._headers.forget("Termination")

    def reopen(self) -> None:
        """Forget that the game was resigned, lost on time or aborted, if it was."""
        self._ended = None

    def _lose(self, color: Color | int | None, reason: str) -> None:
        if color is None:
            color = self.end.position.side_to_move
        elif color not in (1, 2):
            raise RecordError("record.note", what="color", reason=f"there is no {clip(color)}")
        self._end(Outcome(Color(color).opponent, reason))

    def _end(self, outcome: Outcome) -> None:
        if self.is_over:
            raise RecordError("record.over", result=self.result)
        self._ended = (self._tree.end(), outcome)

    # The place in it

    @property
    def current(self) -> Node:
        """The current node; set it to any node of this game to go there.

        Setting raises `RecordError` for a node that was deleted or is another game's.
        """
        return Node(self, self._current)

    @current.setter
    def current(self, node: Node) -> None:
        if node.game is not self:
            raise RecordError("record.node")
        self._current = node._live()

    @property
    def root(self) -> Node:
        """The start of the game, before any move."""
        return Node(self, 0)

    @property
    def end(self) -> Node:
        """The last node of the main line."""
        return Node(self, self._tree.end())

    @property
    def position(self) -> Position:
        """The position at the current node."""
        return self._tree.position(self._current)

    def play(self, move: Move | str) -> Node:
        """Make a move at the current node and go there.

        A move that is there already is entered, another becomes a variation. Raises
        `NotationError` or `IllegalMoveError`, as `Position.play` does, also for a move after the
        one with which the game ended in whatever way.
        """
        node = self.current.add(move)
        self._current = node._id
        return node

    def undo(self) -> Move:
        """Take back the move at the current node: delete it with all that follows, return it.

        Raises `RecordError` at the start. To go back without deleting, use `back`.
        """
        node = self.current
        move = node.move
        if move is None:
            raise RecordError("record.first")
        node.delete()
        return move

    def back(self) -> Node:
        """Go to the node before the current one; raises `RecordError` at the start."""
        parent = self.current.parent
        if parent is None:
            raise RecordError("record.first")
        self._current = parent._id
        return parent

    def forward(self, variation: int = 0) -> Node:
        """Go to a node after the current one, the continuation or a variation by its number.

        Raises `RecordError` if there is none.
        """
        following = self.current.variations
        if not _is_index(variation, len(following)):
            raise RecordError("record.last", variation=clip(variation), count=len(following))
        self._current = following[variation]._id
        return following[variation]

    def nodes(self) -> Iterator[Node]:
        """Yield every node, the root first and each before those that follow it."""
        for node in self._tree.walk():
            yield Node(self, node)

    # Headers

    @property
    def headers(self) -> Headers:
        """The tags of the record in the order in which they are written.

        Those that follow from the game (Result, Rules, Size, Position) can only be read.
        """
        return self._headers

    def _derived_headers(self) -> dict[str, str]:
        start = self.start
        outcome = self.outcome
        headers = {
            "Result": format_result(outcome),
            "Rules": start.rules.name,
            "Size": str(start.size),
        }
        if not _is_initial(start):
            headers["Position"] = str(start)
        if outcome and outcome.reason == ABORTED:
            headers["Termination"] = ABORTED
        return headers

    # Other forms

    def to_text(self) -> str:
        """Return the record: UTF-8 text in lines of at most 80 columns, the last one ended.

        Only a tag or a word that is longer makes a longer line. Reading and writing again gives
        the same text; records of more than 16 million characters are not read.
        """
        return format_game(self._headers, self._tree, self.result)

    def to_json(self) -> dict[str, Any]:
        """Return everything as data for JSON; `from_json` reads it.

        `nodes` has for every move the index of the node before it (0 is the start, then they are
        counted from 1), the move, and its notes where there are any.
        """
        index: dict[int, int] = {}
        nodes: list[list[Any]] = []
        tree = self._tree
        for node in tree.walk():
            index[node] = len(index)
            if node == 0:
                continue
            row: list[Any] = [index[tree.parents[node]], str(tree.moves[node])]
            notes: dict[str, Any] = {}
            if node in tree.openings:
                notes["starting_comment"] = tree.openings[node]
            if node in tree.glyphs:
                notes["glyphs"] = list(tree.glyphs[node])
            if node in tree.comments:
                notes["comment"] = tree.comments[node]
            nodes.append([*row, notes] if notes else row)
        ended = None
        if self._ended:
            ended = {"node": index[self._ended[0]], "result": format_result(self._ended[1])}
        return {
            "start": str(self.start),
            "headers": self._headers.free,
            "comment": tree.comments.get(0, ""),
            "nodes": nodes,
            "current": index[self._current],
            "ended": ended,
        }

    @classmethod
    def from_json(cls, data: Any) -> Game:
        """Return the game that `to_json` wrote, every move checked.

        Raises `RecordError`, or what the position, a move or a header in it raises.
        """
        return cls._from_data(data, is_checked=False)

    @classmethod
    def _from_data(cls, data: Any, is_checked: bool = True) -> Game:
        """Return the game that `to_json` wrote; `is_checked` says that its moves are legal."""
        keys = {"start", "headers", "comment", "nodes", "current", "ended"}
        if not isinstance(data, Mapping) or set(data) != keys:
            raise _json_error(f"an object of {', '.join(sorted(keys))} was expected")
        if not isinstance(data["headers"], Mapping):
            raise _json_error("headers are no object")
        if not isinstance(data["nodes"], list | tuple):
            raise _json_error("nodes are no list")
        game = cls(Position.parse(data["start"]), data["headers"])
        game.root.comment = data["comment"]
        tree = game._tree
        # The nodes from the start to the last one made: each row must go on from one of them.
        path = [0]
        for row in data["nodes"]:
            number = len(tree.moves)
            if not isinstance(row, list | tuple) or len(row) not in (2, 3):
                raise _json_error(f"node {number} is not [node before it, move, notes]")
            parent, text = row[0], row[1]
            ply = tree.plies[parent] if _is_index(parent, number) else len(path)
            if ply >= len(path) or path[ply] != parent:
                raise _json_error(f"node {number} does not follow from those before it")
            move = parse_move(text)
            if move in tree.children[parent]:
                raise _json_error(f"node {number} repeats {move}")
            node = tree.add(parent, move) if is_checked else tree.play(parent, move)
            path[ply + 1 :] = [node]
            if len(row) == 3:
                game._set_notes(node, row[2])
        if not _is_index(data["current"], len(tree.moves)):
            raise _json_error("there is no current node of that number")
        game._current = data["current"]
        if data["ended"] is not None:
            game._set_ended(data["ended"])
        return game

    def _set_notes(self, number: int, notes: Any) -> None:
        """Set what data says of a node."""
        if not isinstance(notes, Mapping) or not set(notes) <= {
            "starting_comment",
            "glyphs",
            "comment",
        }:
            raise _json_error(f"node {number} has other notes than comments and glyphs")
        node = Node(self, number)
        for name, value in notes.items():
            setattr(node, name, value)

    def _set_ended(self, ended: Any) -> None:
        """Set what data says of how the game ended."""
        if not isinstance(ended, Mapping) or set(ended) != {"node", "result"}:
            raise _json_error("ended is no object of node and result")
        node, result = ended["node"], ended["result"]
        if not _is_index(node, len(self._tree.moves)) or self._tree.children[node]:
            raise _json_error("ended is no node that nothing follows")
        if not isinstance(result, str) or result not in RESULTS:
            raise _json_error(f"there is no result {clip(result)}")
        outcome = RESULTS[result] or Outcome(None, ABORTED)
        if outcome.reason == "board" or self._tree.position(node).is_over:
            raise _json_error("a game that ended on the board cannot end otherwise")
        self._ended = (node, outcome)

    def copy(self) -> Game:
        """Return a game of its own that says the same."""
        game = type(self).__new__(type(self))
        game._tree = self._tree.copy()
        game._current = self._current
        game._ended = self._ended
        game._headers = self._headers.copy_for(game._derived_headers)
        return game

    def __copy__(self) -> Game:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Game:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self)._from_data, (self.to_json(),))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self._content() == other._content()

    def _content(self) -> dict[str, Any]:
        return {**self.to_json(), "current": None}

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        black, white = self._headers["Black"], self._headers["White"]
        plies = len(self._tree.line())
        return (
            f"<Game {clip(black)} - {clip(white)}, {self.start.rules} {self.start.size}, "
            f"{plies} plies, {self.result}>"
        )


class Node:
    """A place in a game: the state after a move, or at the start.

    A handle that is made when it is asked for; two of the same place are equal. Every use of one
    whose move was deleted raises `RecordError`.
    """

    __slots__ = ("_game", "_id")

    def __init__(self, game: Game, number: int) -> None:
        self._game = game
        self._id = number

    @property
    def game(self) -> Game:
        """The game it belongs to."""
        return self._game

    @property
    def move(self) -> Move | None:
        """The move that leads here, None at the start."""
        return self._tree.moves[self._live()]

    @property
    def moves(self) -> tuple[Move, ...]:
        """All moves from the start to here."""
        moves = []
        node: Node | None = self
        while node and (move := node.move):
            moves.append(move)
            node = node.parent
        return tuple(reversed(moves))

    @property
    def ply(self) -> int:
        """Number of moves from the start to here."""
        return self._tree.plies[self._live()]

    @property
    def position(self) -> Position:
        """The position here."""
        return self._tree.position(self._live())

    @property
    def parent(self) -> Node | None:
        """The node before the move, None at the start."""
        parent = self._tree.parents[self._live()]
        return None if parent < 0 else Node(self._game, parent)

    @property
    def variations(self) -> tuple[Node, ...]:
        """The nodes after this one: the continuation, then the variations to it."""
        children = self._tree.children[self._live()]
        return tuple(Node(self._game, child) for child in children.values())

    @property
    def next(self) -> Node | None:
        """The continuation, None at the end of a line."""
        children = self._tree.children[self._live()]
        return Node(self._game, next(iter(children.values()))) if children else None

    @property
    def is_main_line(self) -> bool:
        """Whether it is part of what was played: the first continuation all along."""
        tree, node = self._tree, self._live()
        while node:
            parent = tree.parents[node]
            if next(iter(tree.children[parent].values())) != node:
                return False
            node = parent
        return True

    @property
    def comment(self) -> str:
        """What is said after the move (at the start: before the first), "" if nothing.

        Setting it makes runs of white space one space and braces parentheses, as a record needs
        them; it raises `RecordError` for what is no text, or has lone surrogates.
        """
        return self._tree.comments.get(self._live(), "")

    @comment.setter
    def comment(self, text: str) -> None:
        self._note(self._tree.comments, clean_comment(text))

    @property
    def starting_comment(self) -> str:
        """What is said before the first move of a variation, "" if nothing; set as `comment` is.

        Only a node that starts a variation can have one: where it becomes the continuation, the
        text moves into its comment. Setting it elsewhere raises `RecordError`.
        """
        return self._tree.openings.get(self._live(), "")

    @starting_comment.setter
    def starting_comment(self, text: str) -> None:
        comment = clean_comment(text)
        parent = self.parent
        if comment and (parent is None or parent.next == self):
            raise RecordError("record.note", what="starting comment", reason="no variation starts")
        self._note(self._tree.openings, comment)

    @property
    def glyphs(self) -> tuple[int, ...]:
        """The numeric annotation glyphs of the move, as in PGN: 1 is `!`, 2 `?`, 4 `??`.

        Setting them raises `RecordError` for anything but numbers from 0 to 255, and at the start.
        """
        return self._tree.glyphs.get(self._live(), ())

    @glyphs.setter
    def glyphs(self, glyphs: Iterable[int]) -> None:
        found = clean_glyphs(glyphs)
        if found:
            self._move_id()
        self._note(self._tree.glyphs, found)

    def add(self, move: Move | str) -> Node:
        """Return the node after a move made here, added as a variation if it is new.

        The current node stays. Raises as `Game.play` does.
        """
        node = self._live()
        ended = self._game._ended
        move = Move.parse(move)
        if ended and ended[0] == node:
            raise IllegalMoveError("move.over", move=str(move))
        return Node(self._game, self._tree.play(node, move))

    def promote(self) -> None:
        """Move it one place up among the moves that may follow the one before."""
        node, place = self._move_id(), self._place()
        if place:
            self._tree.reorder(node, place - 1)

    def demote(self) -> None:
        """Move it one place down among the moves that may follow the one before."""
        node, place = self._move_id(), self._place()
        self._tree.reorder(node, place + 1)

    def promote_to_main(self) -> None:
        """Make the line that leads here the main line, all the way from the start."""
        self._move_id()
        node: Node | None = self
        while node and node._id:
            if node._place():
                self._tree.reorder(node._id, 0)
            node = node.parent

    def delete(self) -> None:
        """Delete the move and all that follows; a current node among it becomes the one before.

        Raises `RecordError` at the start of the game.
        """
        game, node = self._game, self._move_id()
        parent = self._tree.parents[node]
        gone = self._tree.delete(node)
        if game._current in gone:
            game._current = parent
        if game._ended and game._ended[0] in gone:
            game._ended = None

    @property
    def _tree(self) -> Tree:
        return self._game._tree

    def _live(self) -> int:
        """Return its number; raises if it was deleted."""
        if self._tree.parents[self._id] == DELETED:
            raise RecordError("record.node")
        return self._id

    def _move_id(self) -> int:
        """Return its number; raises if it was deleted, or at the start."""
        if self._live() == 0:
            raise RecordError("record.root")
        return self._id

    def _place(self) -> int:
        """Return its place among those that follow the same move."""
        siblings = self._tree.children[self._tree.parents[self._id]]
        return list(siblings.values()).index(self._id)

    def _note(self, notes: dict[int, Any], value: Any) -> None:
        node = self._live()
        if value:
            notes[node] = value
        else:
            notes.pop(node, None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self._game is other._game and self._id == other._id

    def __hash__(self) -> int:
        return hash((id(self._game), self._id))

    def __reduce__(self) -> tuple[Any, ...]:
        numbers = list(self._tree.walk())
        return (_pick_node, (self._game, numbers.index(self._live())))

    def __repr__(self) -> str:
        if self._tree.parents[self._id] == DELETED:
            return "<Node deleted>"
        if not self._id:
            return "<Node at the start>"
        number, second = divmod(self.ply - 1 + (self._game.start.side_to_move - 1), 2)
        return f"<Node {number + 1}{'...' if second else '.'} {self.move}>"


class Writable(Protocol):
    """An open file of text or bytes."""

    def write(self, data: Any, /) -> object:
        """Write all of a text, or of bytes."""


def read_games(
    source: Source, on_error: Callable[[RecordError], object] | None = None
) -> Iterator[Game]:
    """Yield the games of a path, an open file (of text or bytes) or an iterable of lines.

    Games are read when they are asked for, one at a time. A game that cannot be read raises
    `RecordError` and ends the reading; with `on_error` that is called with the error instead, and
    reading goes on with the next tags that follow a line that is no tag. Lines count in the whole
    source. A text (str) is a path. OSError is what opening or reading a file raises.

    >>> games = '[Rules "standard"]\\n[Size "2x2"]\\n\\n1. a1-a2 *\\n[Rules "none"]\\n*'
    >>> list(read_games(games.splitlines(), on_error=print))
    line 5, column 9: tag Rules: rules are 'none'; expected 'standard' or 'advanced'
    [<Game ? - ?, standard 2x2, 1 plies, *>]
    """
    reader = Reader(read_lines(source, GAME_LIMIT))
    while True:
        try:
            parsed = reader.read()
        except RecordError as error:
            if on_error is None:
                raise
            # Tracebacks hold all that was read of the game, and errors may be kept.
            for each in (error, error.__cause__):
                if each is not None:
                    each.__traceback__ = None
            on_error(error)
            reader.skip()
            continue
        if parsed is None:
            return
        yield Game._from_parsed(parsed)


def write_games(games: Iterable[Game], file: str | os.PathLike[str] | Writable) -> int:
    """Write games to a path or an open file (of text or bytes) as UTF-8; returns their number.

    An empty line stands between two games. A file at the path is replaced.
    """
    if isinstance(file, str | os.PathLike):
        with Path(file).open("wb") as opened:
            return write_games(games, opened)
    write: Callable[[Any], object] = file.write
    is_binary = isinstance(file, io.RawIOBase | io.BufferedIOBase) or "b" in str(
        getattr(file, "mode", "")
    )
    count = 0
    for game in games:
        text = ("\n" if count else "") + game.to_text()
        write(text.encode() if is_binary else text)
        count += 1
    return count


def _is_initial(position: Position) -> bool:
    """Tell whether a game of these rules and size starts with a position unless told otherwise."""
    try:
        return position == Position.initial(position.rules, position.size)
    except FormsError:
        return False


def _is_index(value: object, count: int) -> bool:
    return type(value) is int and 0 <= value < count


def _json_error(reason: str) -> RecordError:
    return RecordError("record.json", reason=reason)


def _pick_node(game: Game, index: int) -> Node:
    """Return the node of an index in the order of `Game.nodes`."""
    for number, node in enumerate(game.nodes()):
        if number == index:
            return node
    raise RecordError("record.node")
