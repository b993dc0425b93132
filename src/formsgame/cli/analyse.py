"""Analysing: the best lines of a position, and records with scores and turning points marked."""

from __future__ import annotations

import contextlib
import json as json_module
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from formsgame.cli import output, sentences, study, tables
from formsgame.cli.status import StatusLine
from formsgame.cli.words import _, ngettext
from formsgame.errors import LimitError, RecordError
from formsgame.notation import POSITION_LIMIT

if TYPE_CHECKING:
    from formsgame.cli.annotating import Evaluation, Judgement
    from formsgame.engine import Engine, Info, Thought
    from formsgame.limit import Limit
    from formsgame.position import Position
    from formsgame.record import Game

#: Raised when the same chunks would give other results.
VERSION = 1
#: The engine's seed: with a limit of nodes the same analysis comes out every time.
SEED = 0

#: A position to analyse, with everything that the result depends on.
Chunk = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is spent on a position; what is None is left to the engine."""

    lines: int
    seconds: float | None
    nodes: int | None
    depth: int | None
    level: int | None
    threads: int
    hash_mb: int | None

    def limit(self) -> Limit | None:
        """Return the limit, None for the level's own; raises `LimitError`."""
        from formsgame.limit import Limit

        if self.seconds is None and self.nodes is None and self.depth is None:
            return None
        return Limit(seconds=self.seconds, nodes=self.nodes, depth=self.depth)

    def engine(self) -> Engine:
        """Return an engine; raises `LimitError`, and `FailureError` if its memory isn't there."""
        from formsgame.engine import HASH_MB, LEVELS, Engine

        try:
            return Engine(
                level=max(LEVELS) if self.level is None else self.level,
                threads=self.threads,
                hash_mb=HASH_MB if self.hash_mb is None else self.hash_mb,
                seed=SEED,
            )
        except MemoryError:
            raise output.FailureError(_("there is no such memory on this computer")) from None

    def check(self) -> None:
        """Exit with a usage error if it makes no sense."""
        try:
            self.limit()
            self.engine().close()
        except LimitError as error:
            raise typer.BadParameter(error.sentence(_)) from None

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


def run(
    words: Sequence[str] | None,
    rules: str | None,
    size: str | None,
    effort: Effort,
    *,
    file: Path | None,
    json: bool,
    journal: Path | None,
    workers: int | None,
) -> int:
    """Analyse what the arguments name, a record or a position; returns the exit status."""
    from formsgame.position import Position

    source = _find(words, rules, size)
    if isinstance(source, Position):
        for name, value in (("--output", file), ("--journal", journal), ("--workers", workers)):
            if value is not None:
                raise typer.BadParameter(_("this is for records"), param_hint=name)
        effort.check()
        return _analyse_position(source, effort, json)
    if rules is not None or size is not None:
        raise typer.BadParameter(_("a record has its own rules and size"), param_hint="FILE")
    if file is not None and isinstance(source, Path) and file.exists() and source.samefile(file):
        raise typer.BadParameter(_("a record is not written over itself"), param_hint="--output")
    effort.check()
    return _analyse_record(source, effort, file, json, journal, workers)


# A position


def _analyse_position(position: Position, effort: Effort, json: bool) -> int:
    if position.is_over:
        output.say(_json_text(position, ()) if json else sentences.status(position))
        return 0
    tables.use_own()
    output.prepare_rules()
    with effort.engine() as engine, StatusLine() as line:

        def report(info: Info) -> None:
            if info.rank == 1:
                line.show(_status(position, info))

        thought, is_cut_off = _think(engine, position, effort, report)
    if json:
        output.say(_json_text(position, thought.lines))
    else:
        _print(position, thought)
    if is_cut_off:
        output.flush()
        raise KeyboardInterrupt
    return 0


def _think(
    engine: Engine, position: Position, effort: Effort, report: Callable[[Info], None]
) -> tuple[Thought, bool]:
    """Return what the engine finds, and whether Ctrl-C ended it; a second Ctrl-C ends all."""
    is_cut_off = False

    def stop(number: int, frame: object) -> None:
        nonlocal is_cut_off
        if is_cut_off:
            raise KeyboardInterrupt
        is_cut_off = True
        engine.stop()

    before = signal.signal(signal.SIGINT, stop)
    try:
        thought = engine.think(position, effort.limit(), lines=effort.lines, report=report)
    finally:
        signal.signal(signal.SIGINT, before)
    return thought, is_cut_off


def _print(position: Position, thought: Thought) -> None:
    """Print the lines of a thought, and what they cost."""
    output.say(sentences.status(position))
    for info in thought.lines:
        output.say(f"{info.rank:>2}. {_score(position, info):>6}  {' '.join(map(str, info.line))}")
    if thought.verdict is not None:
        output.say(sentences.proved(thought.verdict))
    output.say(
        _("depth %(depth)s, %(nodes)s nodes, %(seconds).2f seconds, %(speed)s nodes per second")
        % {
            "depth": thought.depth,
            "nodes": thought.nodes,
            "seconds": thought.seconds,
            "speed": thought.lines[0].speed,
        }
    )


def _score(position: Position, info: Info) -> str:
    """Return what a line is worth to the side to move: a proof in a word, else its chance."""
    if info.verdict is None:
        return f"{100 * info.score:.1f}%"
    return _("wins") if info.verdict is position.side_to_move else _("loses")


def _status(position: Position, info: Info) -> str:
    return _("depth %(depth)s, %(nodes)s nodes: %(score)s %(move)s") % {
        "depth": info.depth,
        "nodes": info.nodes,
        "score": _score(position, info),
        "move": info.move,
    }


def _json_text(position: Position, lines: Sequence[Info]) -> str:
    winner = position.winner
    return json_module.dumps(
        {
            "position": str(position),
            "winner": winner.title.lower() if winner else None,
            "lines": [_plain(info) for info in lines],
        }
    )


def _plain(info: Info) -> dict[str, Any]:
    """Return a line as plain data."""
    return {
        "rank": info.rank,
        "line": [str(move) for move in info.line],
        "score": info.score,
        "verdict": info.verdict.title.lower() if info.verdict else None,
        "depth": info.depth,
        "nodes": info.nodes,
        "seconds": info.seconds,
    }


# Records


def _analyse_record(
    source: Any,
    effort: Effort,
    file: Path | None,
    json: bool,
    journal: Path | None,
    workers: int | None,
) -> int:
    """Write the games of a record with what is found; those done before Ctrl-C are kept."""
    from formsgame import jobs
    from formsgame.cli.annotating import Evaluation, annotate, positions
    from formsgame.jobs.processes import processors

    if isinstance(source, Path):  # wrong names are better found out now
        source.open("rb").close()
    if file is not None:
        output.write_file(file, "")
    tables.use_own()
    output.prepare_rules()
    games, status = _read(source)
    plain = effort.to_plain()
    wanted = {str(position): position for game in games for position in positions(game)}
    chunks: list[Chunk] = [(text, plain) for text in wanted]
    evaluations: dict[str, Evaluation] = {}
    marked = 0
    with (
        _writing(file) as write,
        output.progress(_("positions")) as report,
        contextlib.closing(
            jobs.stream(
                analyse_chunk,
                chunks,
                journal=jobs.Journal(journal, "analysis", version=VERSION) if journal else None,
                workers=workers or max(1, processors() // effort.threads),
                report=lambda progress: report(progress.done, progress.total),
            )
        ) as results,
    ):
        news = zip(wanted.items(), results, strict=True)
        for number, game in enumerate(games, 1):
            is_begun = False
            try:
                for position in positions(game):
                    while str(position) not in evaluations:
                        (text, found), (best, *_others) = next(news)
                        evaluations[text] = Evaluation.of(found, best)
                    is_begun = True
                is_begun = True
            finally:  # after Ctrl-C, too: what is known of this game
                if is_begun:
                    judgements = annotate(game, evaluations)
                    text = _game_json(number, game, judgements) if json else game.to_text()
                    write(text, json)
                    marked += sum(judgement.glyph is not None for judgement in judgements)
    if file is not None:
        text = ngettext("%(file)s: %(n)s game", "%(file)s: %(n)s games", len(games))
        text += ", " + ngettext("%(marked)s move marked", "%(marked)s moves marked", marked)
        values = {"file": output.printable(str(file)), "n": len(games), "marked": marked}
        output.say(text % values)
    return status


def analyse_chunk(chunk: Chunk) -> list[dict[str, Any]]:
    """Return the best lines of a position as plain data; a task for workers."""
    from formsgame.position import Position

    text, plain = chunk
    effort = Effort(**plain)
    with effort.engine() as engine:
        thought = engine.think(Position.parse(text), effort.limit(), lines=effort.lines)
    return [_plain(info) for info in thought.lines]


def _game_json(number: int, game: Game, judgements: Sequence[Judgement]) -> str:
    """Return what was found about a game as one line of JSON."""
    return json_module.dumps(
        {
            "game": number,
            "headers": dict(game.headers),
            "plies": [
                {
                    "ply": judgement.node.ply,
                    "position": str(judgement.node.position),
                    "move": str(judgement.node.move) if judgement.node.move else None,
                    "black": judgement.evaluation.chance,
                    "verdict": verdict.title.lower()
                    if (verdict := judgement.evaluation.verdict)
                    else None,
                    "best": [str(move) for move in judgement.evaluation.line],
                    "glyph": judgement.glyph,
                }
                for judgement in judgements
            ],
        }
    )


@contextlib.contextmanager
def _writing(file: Path | None) -> Iterator[Any]:
    """Give what writes games one after the other; on a terminal when the progress is gone."""
    held: list[str] = []
    count = 0

    def write(text: str, is_line: bool) -> None:
        nonlocal count
        text = f"{text}\n" if is_line else ("\n" if count else "") + text
        count += 1
        if file is not None:
            with file.open("a", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        elif output.is_terminal(sys.stdout):
            held.append(text)
        else:
            output.say(text, end="")
            output.flush()

    try:
        yield write
    finally:
        output.say("".join(held), end="")
        output.flush()


def _read(source: Any) -> tuple[list[Game], int]:
    """Return the sound games of a source; the status is 1 if there are others, or none at all."""
    from formsgame.record import read_games

    name = _("standard input") if not isinstance(source, Path) else output.printable(str(source))
    faults: list[RecordError] = []
    games = list(read_games(source, on_error=faults.append))
    for fault in faults:
        output.complain(f"{name}: {fault.sentence(_)}")
    if not games and not faults:
        output.complain(_("%s: there is no game") % name)
    return games, 1 if faults or not games else 0


def _find(words: Sequence[str] | None, rules: str | None, size: str | None) -> Any:
    """Return the position that the arguments name, or where to read games from."""
    if not words or len(words) > 1:
        return study.find_position(words, rules, size)
    (word,) = words
    if word == "-" and sys.stdin is not None:
        stream = sys.stdin.buffer
        first = stream.readline(POSITION_LIMIT + 2)
        if not first.strip() or first.lstrip(b"\xef\xbb\xbf \t").startswith((b"[", b"%", b";")):
            return _Rest(first, stream)
        word = first.decode("utf-8", "replace")
    else:
        with contextlib.suppress(OSError, ValueError):
            path = output.file_named(word)
            if path.is_file() or path.suffix.lower() == ".pgn":
                return path
    return study.find_position([word], rules, size)


class _Rest:
    """A stream of which the first line was looked at, from its start again."""

    def __init__(self, first: bytes, stream: Any) -> None:
        self._first = first
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        """Return at most about so many bytes."""
        first, self._first = self._first, b""
        found: bytes = first or self._stream.read(size)
        return found
