"""The subcommands of `formsgame` and their options; what they do is in the modules beside."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from formsgame import __version__
from formsgame.cli import INTERRUPTED, output
from formsgame.cli.words import _
from formsgame.engine.levels import LEVELS
from formsgame.errors import FormsError

FAILED, MISUSED = 1, 2

#: The root of the errors that Typer raises for wrong use: they alone can format their message.
_UsageError: type[Exception] = next(
    kind for kind in reversed(typer.BadParameter.__mro__) if hasattr(kind, "format_message")
)


#: Said in the help of every command that takes a position.
_POSITION = "\n\n" + _(
    "POSITION is written as in 8/8/8/2xxo3/8/8/8/8 x advanced; - reads it from standard input. "
    "Without one it is the start position of --rules and --size."
)
#: Said in the help of every command that reads records.
_FILE = "\n\n" + _("FILE is a record file with any number of games; - is standard input.")
#: Said in the help of the commands that take puzzles.
_ID = "\n\n" + _("ID is that of a shipped puzzle; without one, all are listed.")
_PUZZLES = "\n\n" + _("FILE is one that puzzles make wrote; without one, the shipped are proved.")


class RulesName(StrEnum):
    """The rule sets."""

    STANDARD = "standard"
    ADVANCED = "advanced"


class Side(StrEnum):
    """Who a person at the terminal plays."""

    BLACK = "black"
    WHITE = "white"
    BOTH = "both"


class Policy(StrEnum):
    """How random playouts choose their moves."""

    FAST = "fast"
    UNIFORM = "uniform"


class Theme(StrEnum):
    """Colors of a picture."""

    LIGHT = "light"
    DARK = "dark"
    AUTO = "auto"


def _check_port(value: int | None) -> int | None:
    if value is not None and not 0 <= value <= 65535:
        raise typer.BadParameter(_("a port is a number from 0 to 65535"))
    return value


PortOption = Annotated[
    int | None,
    typer.Option(
        "--port",
        metavar="PORT",
        callback=_check_port,
        help=_("Port of the local server: 8713 unless another program holds it; 0 for any."),
    ),
]
NoBrowserOption = Annotated[
    bool, typer.Option("--no-browser", help=_("Print the address and open no browser."))
]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="FOLDER",
        help=_("Folder that keeps the games, instead of your own data folder."),
    ),
]
RulesOption = Annotated[
    RulesName | None, typer.Option("--rules", help=_("Rules of the start position: advanced."))
]
SizeOption = Annotated[
    str | None,
    typer.Option(
        "--size",
        metavar="SIZE",
        help=_("Board of the start position, a side or rows x columns, as 4x6: 8."),
    ),
]
PositionArgument = Annotated[list[str] | None, typer.Argument(metavar="POSITION", hidden=True)]
AsciiOption = Annotated[bool, typer.Option("--ascii", help=_("Draw boards with x and o."))]
FlipOption = Annotated[bool, typer.Option("--flip", help=_("Turn the board half around."))]
LevelOption = Annotated[
    int,
    typer.Option(
        "--level",
        min=min(LEVELS),
        max=max(LEVELS),
        metavar="LEVEL",
        help=_("Level of the computer, %(lowest)s (the easiest) to %(highest)s.")
        % {"lowest": min(LEVELS), "highest": max(LEVELS)},
    ),
]

WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, max=1024, metavar="N", help=_("Processes that work: all processors.")
    ),
]

app = typer.Typer(
    name="formsgame",
    help=_("Play and study Forms, the game of Steven W. Meyers: who runs out of stones wins."),
    epilog=_("Without a command, Forms opens in your browser."),
    add_completion=False,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
record_app = typer.Typer(
    name="record",
    help=_("Check or replay the games of record files."),
    rich_markup_mode=None,
)
app.add_typer(record_app)
puzzles_app = typer.Typer(
    name="puzzles",
    help=_("Show the puzzles, prove them, or make others."),
    rich_markup_mode=None,
)
app.add_typer(puzzles_app)
tables_app = typer.Typer(
    name="tables",
    help=_("Build, check or list endgame tables."),
    rich_markup_mode=None,
)
app.add_typer(tables_app)


def run(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit status, every expected failure told in one line."""
    output.prepare()
    status = 0
    try:
        try:
            status = _run(arguments)
        finally:
            output.flush()
    except output.OutputError as error:
        if not (error.reader_left or status):
            output.complain(_("standard output: %s") % error)
        output.give_up()
        return FAILED
    return status


def _run(arguments: list[str] | None) -> int:
    try:
        status: Any = app(arguments, prog_name="formsgame", standalone_mode=False)
    except _UsageError as error:
        output.complain(_usage_message(error))
        return MISUSED
    except typer.Abort:
        return INTERRUPTED
    except FormsError as error:
        output.complain(error.sentence(_))
        return FAILED
    except OSError as error:
        output.complain(output.describe(error))
        return FAILED
    except output.FailureError as error:
        output.complain(str(error))
        return FAILED
    return status if isinstance(status, int) else 0


def _usage_message(error: Any) -> str:
    """Return what was wrong with the arguments and where to read on."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "formsgame"
    return _("%(problem)s (%(command)s --help tells more)") % {
        "problem": error.format_message().rstrip("."),
        "command": path,
    }


def _print_version(wanted: bool) -> None:
    if wanted:
        output.say(f"formsgame {__version__}")
        raise typer.Exit


@app.callback()
def start(
    context: typer.Context,
    port: PortOption = None,
    no_browser: NoBrowserOption = False,
    data: DataOption = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help=_("Print the version.")
        ),
    ] = False,
) -> int:
    """Run the command that was given, or the server if there was none."""
    if context.invoked_subcommand is None:
        return serve(port, no_browser, data)
    if port is not None or no_browser or data is not None:
        raise typer.BadParameter(
            _("--port, --no-browser and --data are options of serve, not of %s")
            % context.invoked_subcommand
        )
    return 0


@app.command(help=_("Open Forms in your browser, served by this computer for itself."))
def serve(
    port: PortOption = None, no_browser: NoBrowserOption = False, data: DataOption = None
) -> int:
    """Serve the pages until Ctrl-C."""
    from formsgame import web
    from formsgame.server import serve as server

    return server.run(web, port, open_browser=not no_browser, data_folder=data)


@app.command(help=_("Play in the terminal, with the computer or someone beside you."))
def play(
    rules: RulesOption = None,
    size: SizeOption = None,
    color: Annotated[
        Side, typer.Option("--color", help=_("What you play; both: two people, one terminal."))
    ] = Side.BLACK,
    level: LevelOption = 2,
    position: Annotated[
        str | None,
        typer.Option("--position", metavar="POSITION", help=_("Start from a position.")),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save", "-o", metavar="FILE", help=_("Write the game's record when it ends.")
        ),
    ] = None,
    flip: FlipOption = False,
    ascii_only: AsciiOption = False,
) -> int:
    """Play a game."""
    from formsgame.cli import play as playing
    from formsgame.cli import tables
    from formsgame.cli.study import find_position
    from formsgame.rules import BLACK, WHITE

    begin = find_position([position] if position else None, rules, size, "--position")
    tables.use_own()
    computer = {Side.BLACK: WHITE, Side.WHITE: BLACK, Side.BOTH: None}[color]
    return playing.run(begin, computer, level, save=save, flip=flip, ascii_only=ascii_only)


@app.command(help=_("Show a position as a text board or an SVG picture.") + _POSITION)
def show(
    position: PositionArgument = None,
    rules: RulesOption = None,
    size: SizeOption = None,
    move: Annotated[
        str | None,
        typer.Option("--move", metavar="MOVE", help=_("Mark what a move, as e4-e2, would do.")),
    ] = None,
    last_move: Annotated[
        str | None,
        typer.Option("--last", metavar="MOVE", help=_("Mark the move that was made last.")),
    ] = None,
    chosen: Annotated[
        str | None,
        typer.Option("--targets", metavar="CELL", help=_("Mark where the stone on a cell can go.")),
    ] = None,
    svg: Annotated[bool, typer.Option("--svg", help=_("Write an SVG picture."))] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help=_("Write to a file; .svg makes it a picture.")
        ),
    ] = None,
    flip: FlipOption = False,
    ascii_only: AsciiOption = False,
    theme: Annotated[Theme, typer.Option("--theme", help=_("Colors of the picture."))] = Theme.AUTO,
    pixels: Annotated[
        int | None,
        typer.Option(
            "--pixels", min=1, max=100_000, metavar="N", help=_("Longer side of the picture.")
        ),
    ] = None,
    pattern: Annotated[
        bool, typer.Option("--pattern", help=_("Tell the stones in the picture apart by shape."))
    ] = False,
    no_coordinates: Annotated[
        bool, typer.Option("--no-coordinates", help=_("Leave them out of the picture."))
    ] = False,
) -> int:
    """Show a position."""
    from formsgame.cli import study

    shown = study.find_position(position, rules, size)
    if svg or (file is not None and file.suffix.lower() == ".svg"):
        from formsgame.svg import to_svg

        def draw() -> str:
            return to_svg(
                shown,
                size=pixels,
                coordinates=not no_coordinates,
                last_move=last_move,
                chosen=chosen,
                preview=move,
                theme=theme.value,
                flip=flip,
                pattern=pattern,
            )
    else:

        def draw() -> str:
            plain = ascii_only, file is not None
            return study.show(shown, move, last_move, chosen, flip, *plain)

    try:
        text = draw()
    except FormsError as error:
        raise typer.BadParameter(error.sentence(_)) from None
    if file is None:
        output.say(text, end="")
    else:
        output.write_file(file, text)
    return 0


@app.command(help=_("Count the sequences of legal moves to a depth.") + _POSITION)
def perft(
    position: PositionArgument = None,
    rules: RulesOption = None,
    size: SizeOption = None,
    depth: Annotated[
        int, typer.Option("--depth", "-d", min=1, max=675, metavar="N", help=_("Plies to look."))
    ] = 3,
    divide: Annotated[
        bool, typer.Option("--divide", help=_("Count for each move of the position."))
    ] = False,
) -> int:
    """Count."""
    from formsgame.cli import study

    study.count(study.find_position(position, rules, size), depth, divide)
    return 0


@app.command(help=_("Play many random games and say how they went.") + _POSITION)
def playout(
    position: PositionArgument = None,
    rules: RulesOption = None,
    size: SizeOption = None,
    count: Annotated[
        int,
        typer.Option(
            "--count", "-n", min=1, max=1_000_000_000, metavar="N", help=_("Number of playouts.")
        ),
    ] = 10_000,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            min=0,
            max=2**64 - 1,
            metavar="N",
            help=_("The same seed gives the same games."),
        ),
    ] = 0,
    policy: Annotated[
        Policy, typer.Option("--policy", help=_("How the moves are drawn; uniform is exactly so."))
    ] = Policy.FAST,
) -> int:
    """Play at random."""
    from formsgame.cli import study

    study.play_out(study.find_position(position, rules, size), count, seed, policy.value)
    return 0


@app.command(help=_("Measure how fast Forms runs on this computer."))
def bench(
    quick: Annotated[
        bool, typer.Option("--quick", help=_("Measure everything once, not five times."))
    ] = False,
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help=_("Write the measurements as JSON, too.")),
    ] = None,
    yardstick: Annotated[
        Path | None,
        typer.Option(
            "--yardstick",
            exists=True,
            file_okay=False,
            metavar="FOLDER",
            help=_("Folder of the programs perft and playouts, or their sources, to run beside."),
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(
            "--compare",
            exists=True,
            dir_okay=False,
            metavar="FILE",
            help=_("Say what is worse by a tenth than in what --json wrote; exit status 1 if so."),
        ),
    ] = None,
) -> int:
    """Measure."""
    from formsgame.cli import study

    return study.measure(quick, json, yardstick, compare)


@app.command(help=_("Have other programs use the computer: speak their interface, UGI."))
def ugi() -> int:
    """Serve another program over standard input and output."""
    from formsgame.cli import ugi as interface

    return interface.run()


@app.command(
    help=_("Say which moves are best, or mark the turning points of games.")
    + _POSITION
    + " "
    + _(
        "Instead, FILE is a record file; its games are written with scores, marks and better "
        "moves. After Ctrl-C, what is done is kept."
    )
)
def analyse(
    position: PositionArgument = None,
    rules: RulesOption = None,
    size: SizeOption = None,
    lines: Annotated[
        int,
        typer.Option("--lines", "-n", min=1, max=1000, metavar="N", help=_("Moves to compare.")),
    ] = 1,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", min=0, metavar="N", help=_("Time for each position.")),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", min=1, metavar="N", help=_("Nodes for each position.")),
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", "-d", min=1, metavar="N", help=_("Plies to look."))
    ] = None,
    level: Annotated[
        int | None,
        typer.Option("--level", metavar="LEVEL", help=_("Level of the computer: the highest.")),
    ] = None,
    threads: Annotated[
        int, typer.Option("--threads", min=1, metavar="N", help=_("Threads for each position."))
    ] = 1,
    hash_mb: Annotated[
        int | None,
        typer.Option("--hash", min=1, metavar="MB", help=_("Memory that a search may use.")),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help=_("File for the analysed games.")),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help=_("Write JSON, a line for the position or each game."))
    ] = False,
    journal: Annotated[
        Path | None,
        typer.Option("--journal", metavar="FOLDER", help=_("Go on there after an interruption.")),
    ] = None,
    workers: WorkersOption = None,
) -> int:
    """Analyse."""
    from formsgame.cli import analyse as analysing

    effort = analysing.Effort(lines, seconds, nodes, depth, level, threads, hash_mb)
    return analysing.run(
        position, rules, size, effort, file=file, json=json, journal=journal, workers=workers
    )


@app.command(
    help=_("Say who wins with best play, and how.")
    + _POSITION
    + " "
    + _(
        "Instead, --class PATTERN is a form as xxo/.x., of which it is said who wins whoever "
        "starts: N the next player, P the previous one, B Black, W White."
    )
)
def solve(
    position: PositionArgument = None,
    rules: RulesOption = None,
    size: Annotated[
        str | None,
        typer.Option(
            "--size",
            "--board",
            metavar="SIZE",
            help=_("Board of the start position, a side or rows x columns, as 4x6."),
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", min=0, metavar="N", help=_("Give up after so long.")),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", min=1, metavar="N", help=_("Give up after so many positions.")),
    ] = None,
    memory: Annotated[
        int,
        typer.Option(
            "--memory", min=1, max=2**20, metavar="MB", help=_("Memory that the search may use.")
        ),
    ] = 64,
    threads: Annotated[
        int,
        typer.Option("--threads", min=1, max=64, metavar="N", help=_("Threads to search with.")),
    ] = 1,
    moves: Annotated[
        bool, typer.Option("--moves", help=_("List every move that wins, too."))
    ] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            metavar="FILE",
            dir_okay=False,
            help=_("Keep what is found here now and then, and go on where a run was stopped."),
        ),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option(
            "--proof",
            metavar="FILE",
            dir_okay=False,
            help=_("Write the winner's strategy, which scripts/check_proof.py checks."),
        ),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option("--class", metavar="PATTERN", help=_("Say the outcome class of a form.")),
    ] = None,
) -> int:
    """Solve."""
    from formsgame.cli import solving, study

    budget = solving.Budget(seconds, nodes, memory, threads)
    if pattern is not None:
        if position or size is not None or moves or checkpoint or proof or threads > 1:
            raise typer.BadParameter(
                _("a pattern goes with --rules and limits only"), param_hint="--class"
            )
        solving.classify(pattern, rules or study.RULES, budget)
        return 0
    if not position and rules is None and size is None:
        raise typer.BadParameter(_("say what to solve: a POSITION, or --rules and --board"))
    found = study.find_position(position, rules, size)
    solving.solve(found, budget, moves, checkpoint, proof)
    return 0


@app.command(
    help=_("Play a match of two engines and say which is better.")
    + "\n\n"
    + _(
        "A is a level of the computer, as 5, or a command that starts a UGI engine. And "
        "B is the other. They play two games from each random opening, the colors changed."
    )
)
def match(
    first: Annotated[str, typer.Argument(metavar="A", hidden=True)],
    second: Annotated[str, typer.Argument(metavar="B", hidden=True)],
    rules: RulesOption = None,
    size: SizeOption = None,
    games: Annotated[
        int,
        typer.Option("--games", "-n", min=2, max=1_000_000, metavar="N", help=_("Games, even.")),
    ] = 100,
    opening_plies: Annotated[
        int,
        typer.Option(
            "--opening-plies", min=0, max=675, metavar="N", help=_("Random plies of an opening.")
        ),
    ] = 2,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="N", help=_("Time of a move."))
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", metavar="N", help=_("Positions looked at for a move.")),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option("--time", metavar="N", help=_("Seconds for all moves; late is lost.")),
    ] = None,
    increment: Annotated[
        float, typer.Option("--increment", metavar="N", help=_("Seconds gained with a move."))
    ] = 0.0,
    seed: Annotated[
        int, typer.Option("--seed", min=0, metavar="N", help=_("The same seed: same openings."))
    ] = 0,
    patience: Annotated[
        float,
        typer.Option("--patience", metavar="N", help=_("Seconds to wait for a silent engine.")),
    ] = 120.0,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--sprt", metavar="ELO0 ELO1", help=_("End when A is known to be that much better.")
        ),
    ] = None,
    alpha: Annotated[
        float, typer.Option("--alpha", metavar="N", help=_("Chance to accept ELO1 wrongly."))
    ] = 0.05,
    beta: Annotated[
        float, typer.Option("--beta", metavar="N", help=_("Chance to accept ELO0 wrongly."))
    ] = 0.05,
    workers: WorkersOption = None,
    journal: Annotated[
        Path | None,
        typer.Option("--journal", metavar="FOLDER", help=_("Go on there after an interruption.")),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option("--records", "-o", metavar="FILE", help=_("Write the games' records.")),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help=_("Write the result as JSON, too.")),
    ] = None,
) -> int:
    """Play a match."""
    from formsgame.cli import match as matches
    from formsgame.cli.study import RULES, SIZE

    settings = matches.make_settings(
        a=first,
        b=second,
        rules=rules.value if rules else RULES,
        size=size or SIZE,
        opening_plies=opening_plies,
        seconds=seconds,
        nodes=nodes,
        time=time,
        increment=increment,
        seed=seed,
        patience=patience,
    )
    if games % 2:
        raise typer.BadParameter(_("each opening takes two games"), param_hint="--games")
    matches.run(
        settings,
        games,
        sprt=matches.make_sprt(sprt, alpha, beta),
        workers=workers,
        folder=journal,
        records=records,
        json=json,
    )
    return 0


@tables_app.command(
    help=_(
        "Build the table of all forms of up to so many stones. A build that was cut off goes on "
        "where it was when the same command is given again."
    )
)
def build(
    rules: Annotated[RulesName, typer.Option("--rules", help=_("Rules of the table."))],
    levels: Annotated[
        int,
        typer.Option(
            "--levels", metavar="N", help=_("Most stones: up to 13 in standard, 9 in advanced.")
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help=_("Where to: a folder that is always looked into.")
        ),
    ] = None,
    workers: WorkersOption = None,
) -> int:
    """Build a table."""
    from formsgame.cli import tables

    tables.build(rules.value, levels, out, workers)
    return 0


@tables_app.command(
    help=_(
        "Check a table. Its checksum is looked at, one level is derived anew from those below it, "
        "and random positions are searched without tables."
    )
    + "\n\n"
    + _("FILE is a table.")
)
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", hidden=True)],
    level: Annotated[
        int | None, typer.Option("--level", metavar="N", help=_("Level to derive: the last."))
    ] = None,
    positions: Annotated[
        int,
        typer.Option("--positions", min=0, metavar="N", help=_("Number of random positions.")),
    ] = 1000,
    seed: Annotated[
        int,
        typer.Option("--seed", min=0, metavar="N", help=_("The same seed gives the same ones.")),
    ] = 0,
    workers: WorkersOption = None,
) -> int:
    """Check a table."""
    from formsgame.cli import tables

    tables.verify(file, level, positions, seed, workers)
    return 0


@tables_app.command(
    help=_("Say which tables are at hand and which of them are used.")
    + "\n\n"
    + _("FILE is a table to look at instead; there may be many.")
)
def info(
    files: Annotated[list[Path] | None, typer.Argument(metavar="FILE", hidden=True)] = None,
) -> int:
    """List tables."""
    from formsgame.cli import tables

    return tables.info(files)


@record_app.command(help=_("Read games and say which are not sound.") + _FILE)
def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE", hidden=True)],
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help=_("Say nothing of sound games."))
    ] = False,
) -> int:
    """Check records."""
    from formsgame.cli import records

    return records.check(files, quiet)


@record_app.command(help=_("Show games position by position.") + _FILE)
def replay(
    file: Annotated[str, typer.Argument(metavar="FILE", hidden=True)],
    game: Annotated[
        int | None, typer.Option("--game", min=1, metavar="N", help=_("Only game number N."))
    ] = None,
    step: Annotated[
        bool | None,
        typer.Option(
            "--step/--no-step",
            help=_("Wait for Enter between positions; so on a terminal."),
            show_default=False,
        ),
    ] = None,
    positions: Annotated[
        bool, typer.Option("--positions", help=_("Print positions in notation, one a line."))
    ] = False,
    flip: FlipOption = False,
    ascii_only: AsciiOption = False,
) -> int:
    """Replay records."""
    from formsgame.cli import records

    return records.replay(
        file, game, step=step, notation=positions, flip=flip, ascii_only=ascii_only
    )


@puzzles_app.command("show", help=_("Show a puzzle, or list them.") + _ID)
def show_puzzle(
    name: Annotated[str | None, typer.Argument(metavar="ID", hidden=True)] = None,
    rules: Annotated[RulesName | None, typer.Option("--rules", help=_("Only of these."))] = None,
    solution: Annotated[
        bool, typer.Option("--solution", help=_("Tell the moves that win, too."))
    ] = False,
    flip: FlipOption = False,
    ascii_only: AsciiOption = False,
) -> int:
    """Show puzzles."""
    from formsgame.cli import puzzles

    puzzles.show(name, rules, solution=solution, flip=flip, ascii_only=ascii_only)
    return 0


@puzzles_app.command("verify", help=_("Prove the solutions of puzzles.") + _PUZZLES)
def verify_puzzles(
    files: Annotated[list[Path] | None, typer.Argument(metavar="FILE", hidden=True)] = None,
) -> int:
    """Prove puzzles."""
    from formsgame.cli import puzzles

    return puzzles.verify(files or [])


@puzzles_app.command(
    "make", help=_("Make puzzles from games on boards of 6 to 12 rows and columns.")
)
def make_puzzles(
    rules: Annotated[RulesName, typer.Option("--rules", help=_("Rules of the games."))],
    file: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help=_("File to write them to."))
    ],
    games: Annotated[
        int,
        typer.Option(
            "--games",
            min=1,
            max=1_000_000,
            metavar="N",
            help=_("Games of the computer on each board; five times as many are random."),
        ),
    ] = 300,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            min=0,
            max=2**64 - 1,
            metavar="N",
            help=_("The same seed gives the same puzzles."),
        ),
    ] = 1,
    count: Annotated[
        int, typer.Option("--count", "-n", min=1, metavar="N", help=_("Puzzles for each board."))
    ] = 50,
    journal: Annotated[
        Path | None,
        typer.Option("--journal", metavar="FOLDER", help=_("Go on there after an interruption.")),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, metavar="N", help=_("Processes at work."))
    ] = None,
) -> int:
    """Make puzzles."""
    from formsgame.cli import puzzles

    puzzles.make(rules, file, games=games, seed=seed, count=count, journal=journal, workers=workers)
    return 0
