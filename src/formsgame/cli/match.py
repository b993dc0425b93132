"""Matches of two engines: running one in sight of the user, and the table at its end."""

from __future__ import annotations

import contextlib
import json as json_module
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

from formsgame.cli import output
from formsgame.cli.words import _, ngettext
from formsgame.errors import FormsError, LimitError

if TYPE_CHECKING:
    from formsgame.match import Match, Settings, Sprt


def run(
    settings: Settings,
    games: int,
    *,
    sprt: Sprt | None,
    workers: int | None,
    folder: Path | None,
    records: Path | None,
    json: Path | None,
) -> None:
    """Play a match, write its records, and print what came out, also after Ctrl-C."""
    from formsgame.match import run_match

    for file in (records, json):
        if file is not None:
            output.write_file(file, "", append=True)  # a wrong name is better found out now
    names = _try_players(settings)
    match = None
    try:
        with output.progress(_("playing")) as report, _writing(records) as stream:
            for match in run_match(
                settings,
                games,
                sprt=sprt,
                workers=workers,
                folder=str(folder) if folder else None,
                report=lambda progress: report(progress.done, progress.total),
            ):
                _write_records(stream, match, names)
    except KeyboardInterrupt:
        if match:
            output.say(to_text(match, names), end="")
        raise
    assert match is not None
    output.say(to_text(match, names), end="")
    if json is not None:
        output.write_file(json, json_module.dumps(match.to_plain(), indent=2) + "\n")


def make_settings(**values: object) -> Settings:
    """Return the settings of a match, or exit with a usage error."""
    from formsgame.match import Settings

    try:
        return Settings(**values)  # type: ignore[arg-type]
    except LimitError as error:
        raise typer.BadParameter(error.sentence(_)) from None
    except FormsError as error:
        raise typer.BadParameter(error.sentence(_), param_hint="--size") from None


def make_sprt(elos: tuple[float, float] | None, alpha: float, beta: float) -> Sprt | None:
    """Return the sequential test that was asked for, or exit with a usage error."""
    if elos is None:
        return None
    from formsgame.match import Sprt

    if not (all(map(math.isfinite, elos)) and elos[0] < elos[1]):
        raise typer.BadParameter(_("the first Elo must be below the second"), param_hint="--sprt")
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise typer.BadParameter(
            _("--alpha and --beta are shares between 0 and a half"), param_hint="--sprt"
        )
    return Sprt(*elos, alpha, beta)


def to_text(match: Match, names: dict[str, str]) -> str:
    """Return the table of a match."""
    from formsgame.match import A, B
    from formsgame.rules import BLACK

    total = len(match.games)
    lines = [
        _("%(rules)s %(size)s, %(games)s games from %(pairs)s openings, %(limit)s")
        % {
            "rules": match.settings.rules,
            "size": match.settings.size,
            "games": total,
            "pairs": match.pairs.total,
            "limit": _limit_text(match.settings),
        }
    ]
    width = max(len(names[A]), len(names[B]))
    for name in (A, B):
        wins, black = match.wins(name), match.wins(name, BLACK)
        lines.append(
            _(
                "%(name)s  %(wins)5d won, %(share)5.1f%%: %(black)s as Black, %(white)s as White; "
                "longest move %(seconds).2f s"
            )
            % {
                "name": f"{name} {output.printable(names[name]):{width}}",
                "wins": wins,
                "share": 100 * wins / total,
                "black": black,
                "white": wins - black,
                "seconds": match.longest(name),
            }
        )
    for name in (A, B):
        lines += [
            _("%(name)s lost %(count)s: %(reason)s")
            % {"name": name, "count": count, "reason": _reason_text(reason)}
            for reason, count in sorted(match.losses(name).items())
            if reason != "board"
        ]
    lost, split, won = match.pairs
    lines.append(
        _("pairs of games: A won %(won)s, split %(split)s, lost %(lost)s")
        % {"won": won, "split": split, "lost": lost}
    )
    elo, low, high = match.elo
    lines.append(
        _("A is better by %(elo)s Elo, 95%% interval %(low)s to %(high)s; likelihood %(los).1f%%")
        % {
            "elo": _signed(elo),
            "low": _signed(low),
            "high": _signed(high),
            "los": 100 * match.pairs.superiority,
        }
    )
    if match.sprt:
        lines.append(_sprt_text(match))
    return "\n".join(lines) + "\n"


def _sprt_text(match: Match) -> str:
    """Return how the sequential test stands."""
    assert match.sprt is not None
    sprt = match.sprt
    values = {
        "ratio": sprt.ratio(match.pairs),
        "low": sprt.bounds[0],
        "high": sprt.bounds[1],
        "elo0": sprt.elo0,
        "elo1": sprt.elo1,
        "elo": (sprt.elo0, sprt.elo1)[match.accepted or 0],
    }
    if match.accepted is None:
        text = _("SPRT of %(elo0)g and %(elo1)g: open at %(ratio).2f of %(low).2f to %(high).2f")
    else:
        text = _(
            "SPRT of %(elo0)g and %(elo1)g: %(elo)g accepted at %(ratio).2f"
            " of %(low).2f to %(high).2f"
        )
    return text % values


def _limit_text(settings: Settings) -> str:
    """Return what a move may take."""
    if settings.time is not None:
        return _("%(time)g s and %(increment)g s for each move") % {
            "time": settings.time,
            "increment": settings.increment,
        }
    parts = []
    if settings.seconds is not None:
        parts.append(_("%g s a move") % settings.seconds)
    if settings.nodes is not None:
        parts.append(ngettext("%s node a move", "%s nodes a move", settings.nodes) % settings.nodes)
    return ", ".join(parts) or _("the levels' own limits")


def _reason_text(reason: str) -> str:
    """Return why a game was lost otherwise than on the board."""
    return {
        "time": _("on time"),
        "illegal": _("by an illegal move or answer"),
        "silent": _("by not answering"),
        "died": _("by ending, or not starting"),
    }[reason]


def _signed(elo: float) -> str:
    """Return an Elo difference with its sign."""
    if math.isinf(elo):
        return "+\N{INFINITY}" if elo > 0 else "-\N{INFINITY}"
    return f"{elo:+.0f}"


def _try_players(settings: Settings) -> dict[str, str]:
    """Return the players' names after starting each once; raises `FailureError`."""
    from formsgame.match import A, B, PlayerError, open_player
    from formsgame.match.players import parse_level

    if (parse_level(settings.a), parse_level(settings.b)) != (None, None):
        output.prepare_rules()
    names = {}
    for name, text in ((A, settings.a), (B, settings.b)):
        try:
            player = open_player(text, settings.patience)
        except PlayerError as error:
            raise output.FailureError(str(error)) from None
        names[name] = player.name
        player.close()
    return names


@contextlib.contextmanager
def _writing(file: Path | None) -> Iterator[TextIO | None]:
    """Open a file for records, if there is to be one."""
    if file is None:
        yield None
        return
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        yield stream


def _write_records(stream: TextIO | None, match: Match, names: dict[str, str]) -> None:
    """Write the records of the last pair of games."""
    if stream is None:
        return
    from formsgame.match import to_game

    for number in (len(match.games) - 1, len(match.games)):
        game = to_game(match.settings, names, match.games[number - 1], number)
        stream.write(("\n" if number > 1 else "") + game.to_text())
    stream.flush()
