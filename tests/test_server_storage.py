"""The database of games: real SQLite files, several processes, foreign and damaged ones."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from formsgame.errors import StorageError
from formsgame.rules import BLACK
from formsgame.server.livegame import ABORTED, OPEN, PERSON, Ending, LiveGame, Seat
from formsgame.server.storage import APPLICATION_ID, SCHEMA, Storage, Stored

SOURCE = Path(__file__).parents[1] / "src"

GAME = LiveGame(
    rules="standard",
    size="2x4",
    black=PERSON,
    white=Seat(2),
    start="oooo/xxxx x standard",
    position="oooo/xxxx x standard",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.sqlite3"


@pytest.fixture
def storage(path: Path) -> Iterator[Storage]:
    with closing(Storage(path)) as storage:
        yield storage


def raw(path: Path, *statements: str) -> list[object]:
    """What SQLite itself answers to statements."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return [next(iter(connection.execute(statement)), None) for statement in statements]


def refusal(path: Path) -> StorageError:
    with pytest.raises(StorageError) as caught:
        Storage(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    return caught.value


def test_what_is_kept_comes_back(storage: Storage) -> None:
    first = storage.create(GAME, 1000)
    assert (first.version, first.created, first.updated, first.game) == (1, 1000, 1000, GAME)
    assert storage.load(first.id) == first
    moved = replace(GAME, moves=("a1-a2", "b2-a2"), position="1ooo/xxxx x standard")
    second = storage.save(first, moved, 2000)
    assert second == Stored(first.id, 2, 1000, 2000, moved)
    assert storage.load(first.id) == second
    assert second
    given_up = storage.save(second, replace(moved, ending=Ending("resigned", BLACK)), 3000)
    assert given_up == storage.load(first.id)
    assert storage.load("no such id") is None


def test_a_change_of_an_old_version_is_not_made(storage: Storage) -> None:
    first = storage.create(GAME, 1000)
    second = storage.save(first, replace(GAME, moves=("a1-a2",)), 2000)
    assert second
    assert storage.save(first, replace(GAME, moves=("b1-b2",)), 3000) is None
    assert storage.load(first.id) == second
    assert storage.save(replace(first, id="gone"), GAME, 3000) is None


def test_what_the_schema_has_no_place_for_is_not_kept(storage: Storage) -> None:
    first = storage.create(GAME, 1000)
    for ending in (Ending("time", BLACK), ABORTED):
        with pytest.raises(ValueError, match="keeps no such game"):
            storage.save(first, replace(GAME, ending=ending), 2000)
    with pytest.raises(ValueError, match="keeps no such game"):
        storage.create(replace(GAME, black=OPEN), 2000)
    assert storage.load(first.id) == first


def test_games_are_listed_newest_first(storage: Storage) -> None:
    games = [storage.create(GAME, time) for time in (1, 2, 2, 2, 3)]
    listed = storage.recent(10)
    assert sorted(listed, key=lambda one: one.id) == sorted(games, key=lambda one: one.id)
    assert [one.created for one in listed] == [3, 2, 2, 2, 1]
    pages = [storage.recent(2), storage.recent(2, listed[1]), storage.recent(2, listed[3])]
    assert [one for page in pages for one in page] == listed


def test_reopening_keeps_everything(path: Path) -> None:
    with closing(Storage(path)) as storage:
        stored = storage.create(GAME, 1000)
    with closing(Storage(path)) as storage:
        assert storage.load(stored.id) == stored


def test_commits_are_on_the_disk_before_they_return(storage: Storage, path: Path) -> None:
    """Write-ahead log, and every commit waits for the disk."""
    assert raw(path, "PRAGMA journal_mode", "PRAGMA application_id") == [
        ("wal",),
        (APPLICATION_ID,),
    ]
    with storage._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2
    # Seen by another connection as soon as it is acknowledged.
    stored = storage.create(GAME, 1)
    assert raw(path, f"SELECT version FROM games WHERE id = '{stored.id}'") == [(1,)]


def test_it_tells_that_others_have_written(storage: Storage, path: Path) -> None:
    storage.has_changed()
    assert not storage.has_changed()
    with closing(Storage(path)) as other:
        other.create(GAME, 1)
    assert storage.has_changed()
    assert not storage.has_changed()


def test_of_many_who_change_one_version_one_wins(path: Path) -> None:
    with closing(Storage(path)) as one, closing(Storage(path)) as two:
        stored = one.create(GAME, 1)
        for number in range(20):
            with ThreadPoolExecutor(8) as threads:
                news = [replace(stored.game, moves=(f"a1-a{n + 2}",)) for n in range(8)]
                work = [
                    threads.submit((one, two)[n % 2].save, stored, new, number)
                    for n, new in enumerate(news)
                ]
                won = [done for task in work if (done := task.result())]
            assert len(won) == 1
            assert one.load(stored.id) == two.load(stored.id) == won[0]
            stored = won[0]
        assert stored.version == 21


def test_processes_that_start_at_once_share_a_new_database(path: Path) -> None:
    code = f"""
import sys
from pathlib import Path
from test_server_storage import GAME, Storage
storage = Storage(Path({str(path)!r}))
print(*[storage.create(GAME, number).id for number in range(20)])
storage.close()
"""
    environment = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{Path(__file__).parent}"}
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment)
        for _ in range(3)
    ]
    written = [process.communicate(timeout=60)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    with closing(Storage(path)) as storage:
        assert {one.id.encode() for one in storage.recent(100)} == {
            i for ids in written for i in ids
        }
    assert sum(map(len, written)) == 60


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.touch()
    with closing(Storage(path)) as storage:
        assert storage.recent(10) == []


def test_a_foreign_database_is_left_alone(path: Path) -> None:
    raw(path, "CREATE TABLE games (id INTEGER)", "INSERT INTO games VALUES (7)")
    before = path.read_bytes()
    assert refusal(path).code == "storage.foreign"
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"hello\n", b"SQLite format 3\0" + bytes(4080), bytes(4096)])
def test_another_file_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert refusal(path).code in ("storage.foreign", "storage.damaged")
    assert path.read_bytes() == content


def test_a_database_of_a_newer_version_is_left_alone(path: Path) -> None:
    Storage(path).close()
    raw(path, "UPDATE alembic_version SET version_num = '0999'")
    before = path.read_bytes()
    error = refusal(path)
    assert error.code == "storage.newer"
    assert "0999" in str(error)
    assert SCHEMA in str(error)
    assert path.read_bytes() == before


def test_a_damaged_database_is_refused_and_left_alone(path: Path) -> None:
    with closing(Storage(path)) as storage:
        for number in range(200):
            storage.create(GAME, number)
    sound = path.read_bytes()
    pages = len(sound) // 4096
    assert pages > 10
    for page in range(pages):
        damaged = bytearray(sound)
        damaged[page * 4096 : (page + 1) * 4096] = b"\xa5" * 4096
        path.write_bytes(damaged)
        assert refusal(path).code in ("storage.damaged", "storage.foreign")
        assert path.read_bytes() == damaged
    path.write_bytes(sound[: len(sound) // 2])
    assert refusal(path).code == "storage.damaged"
    path.write_bytes(sound)
    with closing(Storage(path)) as storage:
        assert len(storage.recent(500)) == 200


def test_a_database_without_its_tables_is_refused(path: Path) -> None:
    Storage(path).close()
    raw(path, "DELETE FROM alembic_version")
    assert refusal(path).code == "storage.damaged"
    raw(path, "DROP TABLE alembic_version")
    assert refusal(path).code == "storage.damaged"


def test_places_where_no_database_can_be_are_named(tmp_path: Path) -> None:
    assert refusal(tmp_path).code == "storage.failed"
    assert refusal(tmp_path / "nowhere" / "games.sqlite3").code == "storage.failed"


def test_a_database_that_breaks_while_it_is_open_says_so(path: Path) -> None:
    with closing(Storage(path)) as storage:
        stored = storage.create(GAME, 1)
        raw(path, "DROP TABLE games")
        with pytest.raises(StorageError, match=r"games\.sqlite3"):
            storage.load(stored.id)
        with pytest.raises(StorageError):
            storage.create(GAME, 2)


def test_a_writer_that_blocks_all_others_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("formsgame.server.storage.BUSY_MILLISECONDS", 100)
    with closing(Storage(path)) as storage:
        stored = storage.create(GAME, 1)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StorageError) as caught:
                storage.save(stored, GAME, 2)
            assert caught.value.code == "storage.busy"
            assert storage.load(stored.id) == stored
        assert storage.save(stored, GAME, 2)


def test_a_copy_made_while_it_is_open_can_be_opened(path: Path, tmp_path: Path) -> None:
    with closing(Storage(path)) as storage:
        stored = storage.create(GAME, 1)
        copy = tmp_path / "copy"
        copy.mkdir()
        for file in tmp_path.glob("games.sqlite3*"):
            shutil.copy(file, copy)
    with closing(Storage(copy / path.name)) as storage:
        assert storage.load(stored.id) == stored


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("version", "'x'"),
        ("created", "99999999999999999"),
        ("updated", "-1"),
        ("rules", "'chess'"),
        ("rules", "'advanced'"),
        ("size", "'zz'"),
        ("black_level", "11"),
        ("white_level", "'2; drop'"),
        ("start", "''"),
        ("position", "'garbage'"),
        ("position", "x'ff00'"),
        ("moves", "'e4-e5 zz'"),
        ("resigned", "'q'"),
    ],
)
def test_a_damaged_game_is_named_and_hides_no_other(
    storage: Storage, path: Path, column: str, value: str
) -> None:
    kept = [storage.create(GAME, now) for now in (1, 2, 3, 4)]
    raw(path, f"update games set {column} = {value} where id = '{kept[1].id}'")
    with pytest.raises(StorageError, match=kept[1].id) as caught:
        storage.load(kept[1].id)
    assert caught.value.code == "storage.damaged"
    assert str(path) in str(caught.value)
    assert storage.recent(10) == [kept[3], kept[2], kept[0]]
    assert storage.recent(3) == [kept[3], kept[2], kept[0]]
    assert storage.recent(1, kept[2]) == [kept[0]]
