"""Endgame tables: building, checking and listing them, and finding the user's own."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from formsgame.cli import output
from formsgame.cli.words import _
from formsgame.errors import FormsError, LimitError, TableError

if TYPE_CHECKING:
    from formsgame.solver.tables import Table

_MODULES = ("solver.shapes", "solver.endings", "solver.filling")


def use_own() -> None:
    """Have whatever solves positions use the tables in the user's data folder."""
    from formsgame.solver import tables

    with contextlib.suppress(output.FailureError):
        tables.look_in(_folder())


def _folder() -> Path:
    """Return the folder of the user's tables, which need not be there."""
    from formsgame.server import serve
    from formsgame.solver import tables

    try:
        return serve.find_data_folder() / tables.FOLDER
    except serve.StartError as error:
        raise output.FailureError(str(error)) from None


def build(rules_name: str, levels: int, out: Path | None, workers: int | None) -> None:
    """Build a table into a file, unless it is there already."""
    from formsgame.rules import parse_rules
    from formsgame.solver import building, tables

    rules = parse_rules(rules_name)
    try:
        tables.check_levels(rules, levels)
    except LimitError as error:
        raise typer.BadParameter(str(error), param_hint="--levels") from None
    path = out or _folder() / f"{rules.name}-{levels:02d}.table"
    if path.exists():
        try:
            found = tables.Table.open(path, rules)
        except TableError as error:
            if error.code != "table.damaged":
                raise  # whatever it is, it is not for us to overwrite
        else:
            if found.levels == levels:
                output.say(_("%s is there already") % path)
                return
    output.prepare_rules(*_MODULES)
    with output.progress(_("building")) as report:
        table = building.build_file(rules, levels, path, workers=workers, report=report)
    output.say(_describe(path, table))


def verify(path: Path, level: int | None, positions: int, seed: int, workers: int | None) -> None:
    """Check a table file and say so; raises `TableError` if it is wrong."""
    from formsgame.compiled import PLAY_MODULES
    from formsgame.solver import building, tables

    table = tables.Table.open(path)
    if level is not None:
        try:
            tables.check_levels(table.rules, level, table.levels)
        except LimitError as error:
            raise typer.BadParameter(str(error), param_hint="--level") from None
    output.prepare_rules(
        *(name.removeprefix("formsgame.") for name in PLAY_MODULES), "solver.filling"
    )
    with output.progress(_("checking")) as report:
        building.check_file(
            path, level=level, positions=positions, seed=seed, workers=workers, report=report
        )
    output.say(_describe(path, table))
    output.say(
        _("sound: level %(level)s derived anew, %(count)s positions solved")
        % {"level": level or table.levels, "count": positions}
    )


def info(files: Sequence[Path] | None) -> int:
    """List files, or all tables at hand; the exit status is 1 if a file named is none."""
    from formsgame.solver import tables

    use_own()
    status = 0
    used = [tables.best_table(rules).path for rules in tables.MOST_LEVELS]
    for path in files or tables.table_files():
        try:
            table = tables.Table.open(path)
        except FormsError as error:
            output.say(_("refused: %s") % output.printable(str(error)))
            status = 1 if files else 0
            continue
        line = _describe(path, table)
        output.say(f"{line}, {_('in use')}" if path in used else line)
    if not files:
        output.say(_("Looked into %s, too.") % _folder())
    return status


def _describe(path: Path, table: Table) -> str:
    """Return what a file holds."""
    return _(
        "%(file)s: %(rules)s rules, up to %(levels)s stones, %(shapes)s shapes, %(size)s MB"
    ) % {
        "file": output.printable(str(path)),
        "rules": table.rules.name,
        "levels": table.levels,
        "shapes": len(table.keys),
        "size": f"{(len(table.wins) + 8 * len(table.keys)) / 1e6:.1f}",
    }
