"""Games kept in a database: what was acknowledged is committed, what is foreign is refused.

One SQLite file in the user's data folder, in WAL mode with synchronous=FULL. Any number of
processes may use it at once: a change is one UPDATE on condition that the game still has the
version it was made from. The schema's version is kept where Alembic keeps it, so that migrations
can start from any released database.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Index,
    Integer,
    MetaData,
    Row,
    String,
    Table,
    Text,
    create_engine,
    event,
    insert,
    select,
    tuple_,
    update,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from formsgame.errors import StorageError
from formsgame.rules import Color
from formsgame.server.livegame import LEVELS, OPEN, Ending, LiveGame, Seat

#: The schema this program reads and writes; revisions are numbered so that they sort.
SCHEMA = "0001"

#: Marks a SQLite file as one of Forms ("Form" in ASCII).
APPLICATION_ID = 0x466F726D

#: How long a statement waits for another process to finish writing.
BUSY_MILLISECONDS = 5000

#: A database up to this many pages is checked from end to end when it is opened.
CHECKED_PAGES = 8192

_LEVEL = re.compile("|".join(["None", *map(str, LEVELS)]))
_POSITION = re.compile("[xo1-9][xo0-9/]* [xo] (standard|advanced)")
#: What the columns hold, as text.
_PATTERNS = {
    "version": re.compile("[0-9]+"),
    "created": re.compile("[0-9]{1,14}"),
    "updated": re.compile("[0-9]{1,14}"),
    "rules": re.compile("standard|advanced"),
    "size": re.compile("[0-9]{1,2}x[0-9]{1,2}"),
    "black_level": _LEVEL,
    "white_level": _LEVEL,
    "start": _POSITION,
    "position": _POSITION,
    "moves": re.compile("([a-z][0-9]{1,2}-[a-z][0-9]{1,2}( (?!$)|$))*"),
    "resigned": re.compile("None|[xo]"),
}

_log = logging.getLogger(__name__)

_ID_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
_ID_LENGTH = 12

_metadata = MetaData()

_revision = Table("alembic_version", _metadata, Column("version_num", String(32), primary_key=True))

_games = Table(
    "games",
    _metadata,
    Column("id", String(40), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("rules", String(16), nullable=False),
    Column("size", String(8), nullable=False),
    Column("black_level", Integer),
    Column("white_level", Integer),
    Column("start", Text, nullable=False),
    Column("position", Text, nullable=False),
    Column("moves", Text, nullable=False),
    Column("resigned", String(1)),
    Index("games_created", "created", "id"),
)


@dataclass(frozen=True, slots=True)
class Stored:
    """A game as it is kept: `version` grows by one with every change; times are in
    milliseconds since 1970 UTC.
    """

    id: str
    version: int
    created: int
    updated: int
    game: LiveGame


class Storage:
    """The games in one database. Methods block; they may be called from any thread.

    Every method raises `StorageError` when the database fails.
    """

    def __init__(self, path: Path) -> None:
        """Open the database at a path, made if there is none.

        Raises `StorageError`, and changes nothing, unless what is there is a sound database of
        Forms with a schema that this program knows.
        """
        self._path = path
        self._engine = create_engine(URL.create("sqlite", database=str(path)))
        event.listen(self._engine, "connect", _configure)
        try:
            with self._failures():
                _prepare(self._engine, path)
                self._watcher = self._engine.connect()
                self._seen = self._data_version()
        except BaseException:
            self._engine.dispose()
            raise

    def create(self, game: LiveGame, now: int) -> Stored:
        """Keep a new game."""
        stored = Stored(_new_id(), 1, now, now, game)
        with self._failures(), self._engine.begin() as connection:
            connection.execute(
                insert(_games).values(
                    id=stored.id,
                    created=now,
                    rules=game.rules,
                    size=game.size,
                    black_level=game.black.level,
                    white_level=game.white.level,
                    start=game.start,
                    **_changing(stored),
                )
            )
        return stored

    def load(self, game_id: str) -> Stored | None:
        """Return a game, or None if there is none of that id."""
        with self._failures(), self._engine.connect() as connection:
            row = connection.execute(select(_games).where(_games.c.id == game_id)).one_or_none()
        return None if row is None else self._stored(row)

    def save(self, old: Stored, game: LiveGame, now: int) -> Stored | None:
        """Put a new state in the place of an old one; None if somebody else was faster."""
        new = Stored(old.id, old.version + 1, old.created, now, game)
        with self._failures(), self._engine.begin() as connection:
            done = connection.execute(
                update(_games)
                .where(_games.c.id == old.id, _games.c.version == old.version)
                .values(**_changing(new))
            )
        return new if done.rowcount == 1 else None

    def recent(self, limit: int, before: Stored | None = None) -> list[Stored]:
        """Return games, newest first; those older than `before` where it is given.

        Damaged ones are left out, so that they hide no others.
        """
        key = tuple_(_games.c.created, _games.c.id)
        query = select(_games).order_by(_games.c.created.desc(), _games.c.id.desc())
        if before is not None:
            query = query.where(key < tuple_(before.created, before.id))
        found: list[Stored] = []
        with self._failures(), self._engine.connect() as connection:
            for row in connection.execute(query):
                if len(found) == limit:
                    break
                try:
                    found.append(self._stored(row))
                except StorageError as error:
                    _log.error("a game is left out: %s", error)
        return found

    def has_changed(self) -> bool:
        """Tell whether anybody may have written since the last call, other processes included."""
        with self._failures():
            before, self._seen = self._seen, self._data_version()
        return before != self._seen

    def close(self) -> None:
        """Close the database; nothing can be asked of it any more."""
        self._watcher.close()
        self._engine.dispose()

    def _stored(self, row: Row[Any]) -> Stored:
        """Return a row as a game; raises `StorageError` for one that was never written so."""
        fault = _fault(row)
        if fault:
            reason = f"the {fault} of game {row.id} cannot be"
            raise StorageError("storage.damaged", path=str(self._path), reason=reason)
        return _stored(row)

    def _data_version(self) -> int:
        version: int = self._watcher.exec_driver_sql("PRAGMA data_version").scalar_one()
        self._watcher.rollback()
        return version

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Turn what the database complains of into an error of the package."""
        try:
            yield
        except SQLAlchemyError as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            reason = str(cause)
            if "not a database" in reason:
                code = "storage.foreign"
            elif "malformed" in reason:
                code = "storage.damaged"
            elif "locked" in reason:
                code = "storage.busy"
            else:
                code = "storage.failed"
            raise StorageError(code, path=str(self._path), reason=reason) from error


def _configure(connection: Any, _record: object) -> None:
    """Have a new connection wait for others, and have a commit mean that it is on the disk."""
    connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
    connection.execute("PRAGMA synchronous=FULL")


def _prepare(engine: Engine, path: Path) -> None:
    """Make the tables in an empty database; raise `StorageError` if it is not one of ours."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        # Two programs may start at once: the one that gets the lock makes the tables.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            _check(connection, path)
        except BaseException:
            connection.exec_driver_sql("ROLLBACK")
            raise
        connection.exec_driver_sql("COMMIT")
        _use_write_ahead_log(connection)


def _check(connection: Connection, path: Path) -> None:
    def ask(pragma: str) -> Any:
        return connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one()

    mark = ask("application_id")
    if mark == 0 and ask("schema_version") == 0:
        connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")
        _metadata.create_all(connection, checkfirst=False)
        connection.execute(insert(_revision).values(version_num=SCHEMA))
        return
    if mark != APPLICATION_ID:
        raise StorageError("storage.foreign", path=str(path))
    verdict = ask("quick_check(1)") if ask("page_count") <= CHECKED_PAGES else "ok"
    revisions: list[str] = []
    if verdict == "ok":
        try:
            revisions = list(connection.execute(select(_revision.c.version_num)).scalars())
        except DBAPIError as error:
            verdict = str(error.orig)
    if verdict == "ok" and len(revisions) != 1:
        verdict = "it does not say which schema it has"
    if verdict != "ok":
        reason = verdict.strip().splitlines()[-1]
        raise StorageError("storage.damaged", path=str(path), reason=reason)
    if revisions[0] > SCHEMA:
        raise StorageError("storage.newer", path=str(path), found=revisions[0], known=SCHEMA)


def _use_write_ahead_log(connection: Connection) -> None:
    """Switch to WAL, which another process that opens the file may hold up for a moment."""
    deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        except DBAPIError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _changing(stored: Stored) -> dict[str, Any]:
    """Return the columns that a change of the game changes."""
    game = stored.game
    loser = game.ending.loser if game.ending else None
    if game.ending != (loser and Ending("resigned", loser)) or OPEN in (game.black, game.white):
        raise ValueError(f"schema {SCHEMA} keeps no such game: {game}")
    return {
        "version": stored.version,
        "updated": stored.updated,
        "position": game.position,
        "moves": " ".join(game.moves),
        "resigned": loser.symbol if loser else None,
    }


def _fault(row: Row[Any]) -> str | None:
    """Return the column that can't be, if there is one: what is stored is text that others wrote.

    Whether the moves lead to the position is not asked; that would take as long as playing them.
    """
    texts = {name: str(value) for name, value in row._mapping.items()}
    for name, pattern in _PATTERNS.items():
        if not pattern.fullmatch(texts[name]):
            return name
    for name in ("start", "position"):
        if not texts[name].endswith(f" {texts['rules']}"):
            return name
    return None


def _stored(row: Row[Any]) -> Stored:
    loser = next((color for color in Color if color.symbol == row.resigned), None)
    game = LiveGame(
        rules=row.rules,
        size=row.size,
        black=Seat(row.black_level),
        white=Seat(row.white_level),
        start=row.start,
        position=row.position,
        moves=tuple(row.moves.split()),
        ending=Ending("resigned", loser) if loser else None,
    )
    return Stored(row.id, row.version, row.created, row.updated, game)


def _new_id() -> str:
    return "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))
