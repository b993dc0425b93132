"""What the command line says about a game: the same sentences as the pages', so one catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from formsgame.cli.words import _, ngettext
from formsgame.rules import BLACK, WHITE, Color

if TYPE_CHECKING:
    from formsgame.position import Move, MoveResult, Outcome, Position


def name(color: Color) -> str:
    """Return a color's name."""
    return _("Black") if color is BLACK else _("White")


def turn(color: Color) -> str:
    """Return whose turn it is."""
    return _("Black to move") if color is BLACK else _("White to move")


def objective() -> str:
    """Return what winning means."""
    return _("Fewer is better: whoever runs out of stones wins.")


def won_on_the_board(winner: Color) -> str:
    """Return who won, and why."""
    if winner is BLACK:
        return _("Black ran out of stones and wins.")
    return _("White ran out of stones and wins.")


def ended(outcome: Outcome) -> str:
    """Return how a game ended."""
    winner = outcome.winner
    if winner is None:
        return _("The game ended without a result.")
    if outcome.reason == "board":
        return won_on_the_board(winner)
    if outcome.reason == "time":
        if winner is BLACK:
            return _("White ran out of time. Black wins.")
        return _("Black ran out of time. White wins.")
    if winner is BLACK:
        return _("White resigned. Black wins.")
    return _("Black resigned. White wins.")


def proved(winner: Color) -> str:
    """Return who wins if nobody errs."""
    if winner is BLACK:
        return _("Black wins with best play.")
    return _("White wins with best play.")


def status(position: Position) -> str:
    """Return whose turn it is, or who won."""
    winner = position.winner
    return turn(position.side_to_move) if winner is None else won_on_the_board(winner)


def removes(position: Position, result: MoveResult) -> str:
    """Return what a move removes, the captured stone included."""
    black, white = _losses(position, result)
    values = {"move": result.move, "n": black + white, "black": black, "white": white}
    if black and white:
        text = ngettext(
            "%(move)s removes %(n)s stone: %(black)s black, %(white)s white",
            "%(move)s removes %(n)s stones: %(black)s black, %(white)s white",
            black + white,
        )
    elif black:
        text = ngettext(
            "%(move)s removes %(n)s black stone", "%(move)s removes %(n)s black stones", black
        )
    else:
        text = ngettext(
            "%(move)s removes %(n)s white stone", "%(move)s removes %(n)s white stones", white
        )
    return text % values


def removed(position: Position, result: MoveResult) -> str:
    """Return what a move that was made has removed."""
    black, white = _losses(position, result)
    values = {
        "player": name(result.color),
        "move": result.move,
        "n": black + white,
        "black": black,
        "white": white,
    }
    if black and white:
        text = ngettext(
            "%(player)s played %(move)s: %(n)s stone removed, %(black)s black and %(white)s white.",
            "%(player)s played %(move)s: %(n)s stones removed, "
            "%(black)s black and %(white)s white.",
            black + white,
        )
    elif black:
        text = ngettext(
            "%(player)s played %(move)s: %(n)s black stone removed.",
            "%(player)s played %(move)s: %(n)s black stones removed.",
            black,
        )
    else:
        text = ngettext(
            "%(player)s played %(move)s: %(n)s white stone removed.",
            "%(player)s played %(move)s: %(n)s white stones removed.",
            white,
        )
    return text % values


def choices(position: Position, cell: str, moves: Sequence[Move]) -> str:
    """Return how many captures and slides the stone on a cell, whose moves these are, can make."""
    slides = sum(position[move.target] is None for move in moves)
    captures = len(moves) - slides
    if not moves:
        return _("%(cell)s: nothing there can move.") % {"cell": cell}
    capturing = ngettext("%(n)s capture", "%(n)s captures", captures) % {"n": captures}
    sliding = ngettext("%(n)s slide", "%(n)s slides", slides) % {"n": slides}
    if captures and slides:
        return _("%(cell)s: choose where it goes (%(captures)s, %(slides)s).") % {
            "cell": cell,
            "captures": capturing,
            "slides": sliding,
        }
    return _("%(cell)s: choose where it goes (%(moves)s).") % {
        "cell": cell,
        "moves": capturing if captures else sliding,
    }


def _losses(position: Position, result: MoveResult) -> tuple[int, int]:
    """Return how many black and how many white stones a move takes off the board."""
    black, white = (
        position.counts[color] - result.position.counts[color] for color in (BLACK, WHITE)
    )
    return black, white
