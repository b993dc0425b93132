"""Playing in the terminal, line by line; the lines may as well come out of a pipe."""

from __future__ import annotations

import contextlib
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

from formsgame.cli import board, output, sentences
from formsgame.cli.output import complain, say
from formsgame.cli.screen import Screen
from formsgame.cli.words import _
from formsgame.engine import Engine
from formsgame.errors import FormsError
from formsgame.limit import Limit
from formsgame.notation import parse_cell
from formsgame.position import Move, Position
from formsgame.record import Game
from formsgame.rules import Color

#: Seconds for a hint, which is the best there is, whatever the computer's level.
HINT_SECONDS = 1.0
#: Longest list of moves that is printed.
MANY_MOVES = 500
#: Characters of a line that are looked at.
LINE_LIMIT = 4096


def run(
    start: Position,
    computer: Color | None,
    level: int,
    *,
    save: Path | None,
    flip: bool,
    ascii_only: bool,
) -> int:
    """Play a game from a position to its end, or to the end of the input.

    `computer` is what the computer plays at its level, None if nothing. The record is added to
    the file `save`, however the playing ends. Returns the exit status.
    """
    if save is not None:
        output.write_file(save, "", append=True)  # a wrong name is better found out now
    output.prepare_rules(proofs_behind=output.is_terminal(sys.stdin))
    table = Table(start, computer, level, Screen(ascii_only), flip)
    try:
        table.play()
    finally:
        if save is not None:
            table.save(save)
    return table.status


class Table:
    """A game in play, the one or two who play it, and the screen."""

    def __init__(
        self, start: Position, computer: Color | None, level: int, screen: Screen, flip: bool
    ) -> None:
        self.game = Game(start, {"Date": time.strftime("%Y.%m.%d")})
        self.computer = computer
        self.level = level
        self.screen = screen
        self.flip = flip
        self.is_interactive = output.is_terminal(sys.stdin) and output.is_terminal(sys.stdout)
        #: 0, or 1 once a line of a pipe was refused: what follows it may make no sense.
        self.status = 0
        self._line = 0
        self._is_leaving = False
        if computer is not None:
            self.game.headers[computer.title] = f"formsgame, level {level}"
        self._commands: dict[str, Callable[[str], None]] = {
            "help": lambda rest: say(commands_help()),
            "moves": lambda rest: self.list_moves(),
            "hint": lambda rest: self.hint(),
            "undo": lambda rest: self.undo(),
            "board": lambda rest: self.show(),
            "flip": lambda rest: self.turn_board(),
            "position": lambda rest: say(str(self.game.position)),
            "record": lambda rest: say(self.game.to_text(), end=""),
            "resign": lambda rest: self.game.resign(),
            "quit": lambda rest: self.leave(),
            "show": self.preview,
            "save": lambda rest: self.save(output.file_named(rest)),
        }
        short = {"?": "help", "m": "moves", "h": "hint", "u": "undo", "b": "board", "q": "quit"}
        self._commands |= {letter: self._commands[word] for letter, word in short.items()}

    def play(self) -> None:
        """Play until the game is over, the input ends or the player leaves."""
        if self.is_interactive:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - gives input() its history and editing
            say(sentences.objective())
            say(_("Type a move, as e4-e2, or help."))
        self.show()
        while not self.game.is_over:
            if self.game.position.side_to_move is self.computer:
                self.reply()
                continue
            line = self.ask()
            if line is None:
                break
            try:
                self.obey(line)
            except FormsError as error:
                self.refuse(str(error))
            except OSError as error:
                self.refuse(output.describe(error))
            if self._is_leaving:
                return
        outcome = self.game.outcome
        if outcome is not None and outcome.reason != "board":
            say(sentences.ended(outcome))

    def ask(self) -> str | None:
        """Return the next line of the player, None if there is none."""
        output.flush()
        if self.is_interactive:
            try:
                return input(f"{sentences.name(self.game.position.side_to_move)}> ")
            except EOFError:
                say()
                return None
            except KeyboardInterrupt:
                say()
                raise
        line = sys.stdin.readline() if sys.stdin else ""
        self._line += 1
        return line or None

    def obey(self, line: str) -> None:
        """Do what a line says: a command, a cell to look at, or a move; raises `FormsError`."""
        word, _blank, rest = line[:LINE_LIMIT].strip().partition(" ")
        command = self._commands.get(word.lower())
        if not word or word.startswith("#"):
            return
        if command is not None:
            command(rest.strip())
        elif _is_cell(line):
            self.show_targets(line.strip().lower())
        else:
            self.move(Move.parse(line.rstrip("\r\n")))

    def refuse(self, reason: str) -> None:
        """Say why a line can't be done."""
        if self.is_interactive:
            say(reason)
        else:
            complain(_("line %(line)s: %(reason)s") % {"line": self._line, "reason": reason})
            self.status = 1

    def move(self, move: Move) -> None:
        """Play a move and say what it did; raises `IllegalMoveError`."""
        before = self.game.position
        self.game.play(move)
        say(sentences.removed(before, before.result(move)))
        self.show()

    def reply(self) -> None:
        """Have the computer play."""
        output.flush()
        with Engine(level=self.level) as engine:
            thought = engine.think(self.game.position)
        self.move(thought.move)

    def show(self) -> None:
        """Show the board, the last move marked."""
        last = self.game.current.move
        marks = board.last_marks(last) if last else {}
        say(self.screen.draw(self.game.position, marks, self.flip))

    def show_targets(self, cell: str) -> None:
        """Show where the stone on a cell can go; raises `NotationError`."""
        position = self.game.position
        moves = position.legal_moves_from(cell)
        if moves:
            say(self.screen.draw(position, board.target_marks(moves), self.flip))
        say(sentences.choices(position, cell, moves))

    def preview(self, text: str) -> None:
        """Show what a move would remove; raises `FormsError`."""
        position = self.game.position
        result = position.result(text)
        say(self.screen.draw(position, board.preview_marks(result), self.flip))
        say(sentences.removes(position, result))

    def list_moves(self) -> None:
        """List the legal moves, or say that they are too many."""
        moves = self.game.position.legal_moves
        if len(moves) > MANY_MOVES:
            say(_("%s legal moves; type a cell to see those of its stone.") % len(moves))
        else:
            say(textwrap.fill(" ".join(map(str, moves)), 78))

    def hint(self) -> None:
        """Say what the computer would play."""
        position = self.game.position
        output.flush()
        with Engine() as engine:
            thought = engine.think(position, Limit(seconds=HINT_SECONDS))
        say(sentences.removes(position, position.result(thought.move)))
        if thought.verdict is not None:
            say(sentences.proved(thought.verdict))
        else:
            chance = _("chance to win about %.0f%%") % (100 * thought.score)
            say(f"{sentences.name(position.side_to_move)}: {chance}")

    def undo(self) -> None:
        """Take back to the last turn of who plays here; raises `RecordError` if there is none."""
        plies = 1 if self.computer is None else 2
        if self.game.current.ply < plies:
            self.refuse(_("there is nothing to take back"))
            return
        for _ply in range(plies):
            self.game.undo()
        self.show()

    def turn_board(self) -> None:
        """Show the board from the other side."""
        self.flip = not self.flip
        self.show()

    def save(self, file: Path) -> None:
        """Add the record to a file; raises `OSError` after printing the record instead."""
        if file == Path():
            self.refuse(_("save needs the name of a file"))
            return
        try:
            output.write_file(file, self.game.to_text(), append=True)
        except OSError:
            say(self.game.to_text(), end="")
            raise
        say(_("The record is in %s.") % file)

    def leave(self) -> None:
        """Stop playing, the game unfinished."""
        self._is_leaving = True


def commands_help() -> str:
    """Return what can be typed."""
    return _(
        """\
e4-e2      play this move
e4         show where the stone on a cell can go
show e4-e2 show what a move would remove
moves      list the legal moves
hint       ask the computer for a move
undo       take back (against the computer: its reply and your move)
board      show the board again
flip       turn the board around
position   print the position in notation
record     print the record of the game
save FILE  add the record of the game to a file
resign     give the game up
quit       leave
help       this list
Single letters do for help (?), moves (m), hint (h), undo (u), board (b) and quit (q)."""
    )


def _is_cell(text: str) -> bool:
    try:
        parse_cell(text)
    except FormsError:
        return False
    return True
