"""Solve the start positions of all small boards: `python scripts/solve_boards.py [--cells 24]`.

Adds a row for each board to data/solved.tsv as soon as it is solved, and goes on where it stopped;
`--check` solves every row again instead, without endgame tables where that takes seconds, and says
where it disagrees. `--tables FOLDER` names a folder with larger tables, made by `formsgame tables
build`; for 4 x 6, 6 x 4 and 8 x 3 with standard rules one of the forms that fit the board is made.
`--board 4x6 --rules standard` solves one board, again if it is there, and puts its row in place.
"""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import formsgame as fg
from formsgame.compiled import warm_up
from formsgame.rules import (
    ADVANCED,
    STANDARD,
    Rules,
    Size,
    check_start_size,
    parse_rules,
    parse_size,
)
from formsgame.solver import Solver
from formsgame.solver.clock import Clock
from formsgame.solver.tables import Table, best_table, build_table, look_in

DATA = Path(__file__).resolve().parent.parent / "data" / "solved.tsv"
HEADER = (
    "# Start positions of Forms solved by scripts/solve_boards.py: the result with best play,\n"
    "# positions opened, processor seconds, stones up to which a table was asked, a line of it\n"
    "# rules\trows\tcolumns\tresult\tpositions\tseconds\ttable\tline\n"
)
RESULTS = {fg.BLACK: "first player wins", fg.WHITE: "first player loses"}
#: Positions up to which `--check` does without tables.
QUICK = 20_000


def boards(cells: int) -> Iterator[tuple[Rules, Size]]:
    """Return the boards on which games start, up to a number of cells, the smallest first."""
    sizes = [Size(rows, columns) for rows in range(2, 27) for columns in range(2, 27)]
    for size in sorted(sizes, key=lambda size: (size.rows * size.columns, size)):
        for rules in (STANDARD, ADVANCED):
            if size.rows * size.columns <= cells:
                try:
                    check_start_size(rules, size)
                except fg.SizeError:
                    continue
                yield rules, size


def read_rows() -> list[list[str]]:
    """Return the rows that are there."""
    lines = DATA.read_text(encoding="utf-8").splitlines() if DATA.exists() else []
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def solve(rules: Rules, size: Size, memory_mb: int) -> list[str]:
    """Solve a board and return its row."""
    start = time.process_time()
    table = table_for(rules, size)
    verdict = Solver(rules, memory_mb=memory_mb, table=table).solve(
        fg.Position.initial(rules, size)
    )
    assert verdict is not None
    seconds = time.process_time() - start
    return [
        rules.name,
        str(size.rows),
        str(size.columns),
        RESULTS[verdict.winner],
        str(verdict.nodes),
        f"{seconds:.1f}",
        str(table.levels),
        " ".join(map(str, verdict.line)),
    ]


def table_for(rules: Rules, size: Size) -> Table:
    """Return the table with which a board is solved."""
    is_hard = rules is STANDARD and size.rows * size.columns > 20 and min(size) > 2
    return box_table(min(size), max(size)) if is_hard else best_table(rules)


@functools.cache
def box_table(short: int, long: int) -> Table:
    """Return the table of all forms of up to 15 stones that fit a board; takes some seconds."""
    return build_table(STANDARD, 15, box=Size(short, long))


def check(row: list[str], memory_mb: int) -> bool:
    """Solve the board of a row again, and play its line; tells whether both agree with the row."""
    rules, size = parse_rules(row[0]), Size(int(row[1]), int(row[2]))
    table = Table.empty(rules) if int(row[4]) <= QUICK else table_for(rules, size)
    solver = Solver(rules, memory_mb=memory_mb, table=table)
    position = fg.Position.initial(rules, size)
    winner = solver.winner(position, Clock(None, None, None))
    for move in row[7].split():
        position = position.play(move)
    return winner is not None and RESULTS[winner] == row[3] and position.winner is winner


def solve_again(rows: list[list[str]], rules: Rules, size: Size, memory_mb: int) -> None:
    """Solve a board and put its row in the place of the one it has, or at the end."""
    row = solve(rules, size, memory_mb)
    print(f"{size} {rules}: {row[3]}: {row[4]} positions, {row[5]} s")
    places = [place for place, old in enumerate(rows) if old[:3] == row[:3]]
    if places:
        rows[places[0]] = row
    else:
        rows.append(row)
    text = "".join("\t".join(row) + "\n" for row in rows)
    DATA.write_text(HEADER + text, encoding="utf-8")


def as_tables(rows: list[list[str]]) -> str:
    """Return the results as two tables in Markdown, as docs/solved.md has them."""
    winners = {(row[0], int(row[1]), int(row[2])): row[3] for row in rows}
    starts = {(rules.name, *size) for rules, size in boards(144)}
    lines: list[str] = []
    for rules in (STANDARD, ADVANCED):
        lines += [f"{rules.name.title()} rules, rows down, columns across:", ""]
        lines += ["| |" + "".join(f" {column} |" for column in range(2, 13))]
        lines += ["| --- |" + " :-: |" * 11]
        for height in range(2, 13):
            cells = []
            for width in range(2, 13):
                result = winners.get((rules.name, height, width), "")
                mark = {"first player wins": "B", "first player loses": "W"}.get(result, "")
                cells.append(mark if (rules.name, height, width) in starts else "–")
            lines += [f"| **{height}** |" + "".join(f" {cell} |" for cell in cells)]
        lines += [""]
    return "\n".join(lines).strip()


def main() -> int:
    """Solve or check what the command line asks for; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cells", type=int, default=24, help="largest number of cells")
    parser.add_argument("--board", help="solve this board alone, as in 4x6, again if need be")
    parser.add_argument("--rules", help="the rules of that board")
    parser.add_argument("--memory", type=int, default=200, help="megabytes of the search")
    parser.add_argument("--tables", type=Path, help="folder of larger endgame tables")
    parser.add_argument("--check", action="store_true", help="solve the rows again and compare")
    parser.add_argument("--show", action="store_true", help="print the results as tables")
    options = parser.parse_args()
    if options.tables:
        look_in(options.tables)
    rows = read_rows()
    if options.show:
        print(as_tables(rows))
        return 0
    if options.check:
        wrong = [row[:3] for row in rows if not check(row, options.memory)]
        print(f"{len(rows) - len(wrong)} of {len(rows)} rows hold", *wrong, sep="\n")
        return int(bool(wrong))
    warm_up()  # seconds are those of a machine that has compiled before
    if options.board:
        solve_again(rows, parse_rules(options.rules), parse_size(options.board), options.memory)
        return 0
    known = {tuple(row[:3]) for row in rows}
    if not rows:
        DATA.write_text(HEADER, encoding="utf-8")
    for rules, size in boards(options.cells):
        if (rules.name, str(size.rows), str(size.columns)) in known:
            continue
        print(f"{size} {rules} ...", end=" ", flush=True)
        row = solve(rules, size, options.memory)
        with DATA.open("a", encoding="utf-8") as file:
            file.write("\t".join(row) + "\n")
        print(f"{row[3]}: {row[4]} positions, {row[5]} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
