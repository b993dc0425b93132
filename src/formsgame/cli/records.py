"""Checking and replaying the games of record files, one game in memory at a time."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import typer

from formsgame.cli import board, output, sentences
from formsgame.cli.output import complain, printable, say
from formsgame.cli.screen import Screen
from formsgame.cli.words import _, ngettext
from formsgame.errors import RecordError
from formsgame.record import Game, Node, read_games


def check(files: list[str], quiet: bool) -> int:
    """Read all games and report those that are not sound; returns the exit status."""
    status = 0
    for file in files:
        count = faults = 0
        try:
            for game in _games(file):
                count += 1
                if isinstance(game, RecordError):
                    faults += 1
                    _report(file, count, game)
        except OSError as error:
            complain(output.describe(error))
            status = 1
            continue
        if faults:
            status = 1
        if not quiet:
            text = ngettext("%(file)s: %(n)s game", "%(file)s: %(n)s games", count)
            unsound = ", " + _("%s not sound") % faults if faults else ""
            say(text % {"file": _name(file), "n": count} + unsound)
            output.flush()
    return status


def replay(
    file: str,
    number: int | None,
    *,
    step: bool | None,
    notation: bool,
    flip: bool,
    ascii_only: bool,
) -> int:
    """Show the positions of the games, waiting in between if asked to; returns the exit status."""
    can_step = file != "-" and output.is_terminal(sys.stdin)
    if step and not can_step:
        raise typer.BadParameter(_("stepping needs a terminal to hear from"), param_hint="--step")
    if step is None:
        step = can_step and output.is_terminal(sys.stdout) and not notation
    screen = Screen(ascii_only)
    status = count = 0
    for game in _games(file):
        count += 1
        if number not in (None, count):
            continue
        if isinstance(game, RecordError):
            _report(file, count, game)
            status = 1
        elif notation:
            for position in game.positions:
                say(str(position))
        else:
            say(_headline(game, count))
            if not _show(game, screen, flip, step):
                return status
        if number == count:
            return status
    if number is not None:
        complain(
            _("%(file)s: there is no game %(number)s among %(count)s")
            % {"file": _name(file), "number": number, "count": count}
        )
        return 1
    return status


def _show(game: Game, screen: Screen, flip: bool, step: bool) -> bool:
    """Show the positions of a game; returns whether to go on with the next one."""
    node: Node | None = game.root
    while node is not None:
        if node.move is not None and node.parent is not None:
            before = node.parent.position
            say(sentences.removed(before, before.result(node.move)))
        marks = board.last_marks(node.move) if node.move is not None else {}
        say(screen.draw(node.position, marks, flip))
        if node.comment:
            say(printable(node.comment))
        node = node.next
        if step and node is not None:
            answer = _wait()
            if answer == "q":
                return False
            if answer == "n":
                return True
    outcome = game.outcome
    if outcome is not None and outcome.reason != "board":
        say(sentences.ended(outcome))
    say()
    return True


def _wait() -> str:
    """Wait for the person at the terminal; returns `n` for the next game, `q` to stop, or ""."""
    output.flush()
    try:
        return input(_("Enter: go on, n: next game, q: quit ")).strip().lower()[:1]
    except EOFError:
        say()
        return "q"
    except KeyboardInterrupt:
        say()
        raise


def _headline(game: Game, number: int) -> str:
    """Return who played which game."""
    headers = game.headers
    return printable(
        _("Game %(number)s: %(black)s - %(white)s, %(rules)s rules, %(size)s, %(result)s")
        % {
            "number": number,
            "black": headers["Black"],
            "white": headers["White"],
            "rules": headers["Rules"],
            "size": headers["Size"],
            "result": headers["Result"],
        }
    )


def _games(file: str) -> Iterator[Game | RecordError]:
    """Yield the games of a file, or of standard input, and what is wrong with them in turn.

    Raises `OSError`.
    """
    source = getattr(sys.stdin, "buffer", sys.stdin) if file == "-" else file
    if source is None:
        return
    faults: list[RecordError] = []
    for game in read_games(source, on_error=faults.append):
        yield from faults
        faults.clear()
        yield game
    yield from faults


def _report(file: str, number: int, error: RecordError) -> None:
    complain(
        _("%(file)s, game %(number)s: %(error)s")
        % {"file": _name(file), "number": number, "error": error}
    )


def _name(file: str) -> str:
    return _("standard input") if file == "-" else printable(file)
