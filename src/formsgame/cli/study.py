"""Looking at positions, and at the speed of it: show, perft, playout and bench."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from formsgame.cli import board, output, sentences
from formsgame.cli.words import _
from formsgame.errors import FormsError
from formsgame.notation import POSITION_LIMIT, format_cell, parse_cell

if TYPE_CHECKING:
    from formsgame.bench import Change
    from formsgame.position import Position
    from formsgame.simulate import Policy

#: The start position where none is asked for.
RULES, SIZE = "advanced", "8"


def find_position(
    words: Sequence[str] | None, rules: str | None, size: str | None, hint: str = "POSITION"
) -> Position:
    """Return the position that the arguments ask for, or exit with a usage error."""
    if words and (rules is not None or size is not None):
        raise typer.BadParameter(
            _("a position has its own rules and size; leave out --rules and --size"),
            param_hint=hint,
        )
    if not words:
        return _start_position(rules or RULES, size or SIZE)
    from formsgame.position import Position

    if list(words) == ["-"]:
        return Position.parse(_read_line())
    try:
        return Position.parse(" ".join(words))
    except FormsError as error:
        raise typer.BadParameter(error.sentence(_), param_hint=hint) from None


def _start_position(rules: str, size: str) -> Position:
    from formsgame.rules import check_start_size, parse_rules, parse_size

    try:
        board_size = parse_size(size)
        check_start_size(parse_rules(rules), board_size)
    except FormsError as error:
        raise typer.BadParameter(error.sentence(_), param_hint="--size") from None
    from formsgame.position import Position

    return Position.initial(rules, board_size)


def _read_line() -> str:
    """Return the first line of standard input, as far as it can be a position."""
    return sys.stdin.readline(POSITION_LIMIT + 2) if sys.stdin else ""


def show(
    position: Position,
    move: str | None,
    last_move: str | None,
    chosen: str | None,
    flip: bool,
    ascii_only: bool,
    for_file: bool,
) -> str:
    """Return a position as text, with what is asked to be marked on it; raises `FormsError`."""
    from formsgame.cli.screen import Screen
    from formsgame.position import Move

    marks: dict[str, str] = {}
    remarks: list[str] = []
    if last_move is not None:
        last = Move.parse(last_move)
        for cell in (last.source, last.target):
            position[cell]  # raises for one that is not on the board
        marks |= board.last_marks(last)
    if chosen is not None:
        moves = position.legal_moves_from(chosen)
        marks |= board.target_marks(moves)
        remarks.append(sentences.choices(position, format_cell(*parse_cell(chosen)), moves))
    if move is not None:
        result = position.result(move)
        marks |= board.preview_marks(result)
        remarks.append(sentences.removes(position, result))
        remarks.append(_("then: %s") % result.position)
    drawing = Screen(ascii_only, for_file=for_file).draw(position, marks, flip)
    return "\n".join((drawing, *remarks, str(position))) + "\n"


def count(position: Position, depth: int, divide: bool) -> None:
    """Print perft for every depth up to one, or for each move at that depth."""
    output.prepare_rules("kernels.board", "kernels.bits", "kernels.perft")
    if divide:
        _divide(position, depth)
        return
    from formsgame.simulate import perft

    output.say(f"{_('depth'):>5} {_('paths'):>20} {_('seconds'):>9} {_('per second'):>14}")
    found = [1]
    for ply in range(1, depth + 1):
        # The tree grows from ply to ply about as it did from the one before.
        expected = found[-1] ** 2 // max(1, found[-2]) if ply > 1 else 1
        start = time.perf_counter()
        with output.progress(_("depth %s") % ply) as report:
            paths = perft(
                position,
                ply,
                report=lambda done, expected=expected: report(done, max(done, expected)),  # type: ignore[misc]
            )
        seconds = time.perf_counter() - start
        output.say(f"{ply:>5} {paths:>20} {seconds:>9.3f} {paths / max(seconds, 1e-9):>14.0f}")
        output.flush()
        found.append(paths)


def _divide(position: Position, depth: int) -> None:
    from formsgame.simulate import perft

    total = 0
    for move in position.legal_moves:
        paths = perft(position.play_unchecked(move), depth - 1)
        output.say(f"{move} {paths}")
        total += paths
    output.say(_("total %s") % total)


def play_out(position: Position, count: int, seed: int, policy: Policy) -> None:
    """Print who won how many of many random games."""
    output.prepare_rules("kernels.board", "kernels.stones", "kernels.playout")
    from formsgame.rules import BLACK, WHITE
    from formsgame.simulate import playouts

    start = time.perf_counter()
    with output.progress(_("playouts")) as report:
        winners = playouts(
            position, count, seed, policy=policy, report=lambda done: report(done, count)
        )
    seconds = time.perf_counter() - start
    black = int((winners == BLACK).sum())
    for color, wins in ((BLACK, black), (WHITE, count - black)):
        share = wins / count
        # The half width of the interval that holds the true share in 95 of 100 such samples.
        error = 1.96 * math.sqrt(share * (1 - share) / count)
        output.say(
            _("%(player)s won %(n)s of %(count)s, %(share).2f%% +- %(error).2f")
            % {
                "player": sentences.name(color),
                "n": wins,
                "count": count,
                "share": 100 * share,
                "error": 100 * error,
            }
        )
    output.say(
        _("%(seconds).2f seconds, %(rate).0f playouts per second")
        % {"seconds": seconds, "rate": count / max(seconds, 1e-9)}
    )


def measure(quick: bool, json: Path | None, yardstick: Path | None, compare: Path | None) -> int:
    """Print how fast the package is, and write it to a file; raises `FailureError`.

    The exit status is 1 if anything is slower than in the file to compare with.
    """
    if json is not None:
        output.write_file(json, "", append=True)  # a wrong name is better found out now
    before = None
    if compare is not None:
        from formsgame.bench import Report

        try:
            before = Report.from_json(compare.read_text(encoding="utf-8", errors="replace"))
        except FormsError as error:
            raise output.FailureError(f"{compare}: {error.sentence(_)}") from None
    output.prepare_rules()
    from formsgame import bench

    report = _announce if output.is_terminal(sys.stderr) else None
    try:
        if before is None:
            found = bench.run(quick=quick, yardstick=yardstick, report=report)
        else:
            found = bench.run_beside(before, quick=quick, yardstick=yardstick, report=report)
    except subprocess.CalledProcessError as error:
        program = error.cmd[0]
        reason = _("%(program)s failed with status %(status)s")
        raise output.FailureError(
            reason % {"program": program, "status": error.returncode}
        ) from None
    except subprocess.TimeoutExpired as error:
        raise output.FailureError(_("%s does not come to an end") % error.cmd[0]) from None
    output.say(found.to_text(), end="")
    if json is not None:
        output.write_file(json, found.to_json())
    return _tell_changes(found.compare(before)) if before else 0


def _tell_changes(changes: Sequence[Change]) -> int:
    """Print how figures changed, those that became worse at the end; 1 if there are such."""
    for change in sorted(changes, key=lambda change: -change.factor):
        output.say(
            _("%(name)s: %(factor).2f times as good")
            % {"name": change.name, "factor": change.factor}
        )
    worse = [change for change in changes if change.is_regression]
    for change in worse:
        output.say(_("REGRESSION: %s") % change.name)
    return 1 if worse else 0


def _announce(name: str) -> None:
    """Say on the terminal what is being measured."""
    sys.stderr.write(f"{name}\n")
