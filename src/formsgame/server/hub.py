"""The live part of the server: who watches which game, and the computer's thoughts.

The database is the truth: an event is applied to what is stored there and saved on condition
that nobody changed it meanwhile, so that a thought that comes too late can do no harm. All that
blocks (database, rules, thinking) runs in worker threads.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ParamSpec, Protocol, TypeVar

from formsgame.limit import Limit
from formsgame.server.contest import Act, Command, Reply, Resign, apply, on_this_device
from formsgame.server.livegame import LiveGame, Seat, again, new_game
from formsgame.server.readiness import Readiness
from formsgame.server.refusals import GameError
from formsgame.server.storage import Storage, Stored

#: How long the computer thinks about a move.
THINKING_SECONDS = 1.0

#: How often a watched database is asked whether another process has written to it.
GLANCE_SECONDS = 1.0

_log = logging.getLogger(__name__)

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Mind(Protocol):
    """What the hub needs of an engine: a blocking thought that another thread can stop."""

    def think(self, position: Any, limit: Limit) -> Any:
        """Return a thought, whose `move` is legal."""

    def stop(self) -> None:
        """End the thought that is going on."""


MakeMind = Callable[[int], AbstractContextManager[Mind]]


def make_engine(level: int) -> AbstractContextManager[Mind]:
    """Return the package's engine at a level."""
    from formsgame.engine import Engine

    return Engine(level=level)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A game as its watchers see it."""

    stored: Stored
    thinking: bool


class ConflictError(Exception):
    """A request that the game as it stands refuses: the reason, and the game."""

    def __init__(self, reason: GameError, snapshot: Snapshot) -> None:
        super().__init__(reason.code)
        self.reason = reason
        self.snapshot = snapshot


class _RefusedError(Exception):
    """A conflict on its way from the thread that found it to the event loop."""

    def __init__(self, reason: GameError, stored: Stored) -> None:
        super().__init__(reason.code)
        self.reason = reason
        self.stored = stored


class Watcher:
    """One who watches a game: gets its newest state, skipping what came between if slow."""

    def __init__(self) -> None:
        self._newest: Snapshot | None = None
        self._news = asyncio.Event()

    def show(self, snapshot: Snapshot) -> None:
        """Offer a state; one that is old or known is passed over."""
        newest = self._newest
        if newest is not None and (
            snapshot == newest or snapshot.stored.version < newest.stored.version
        ):
            return
        self._newest = snapshot
        self._news.set()

    async def next(self) -> Snapshot:
        """Wait for a state that was not returned yet."""
        await self._news.wait()
        self._news.clear()
        assert self._newest is not None
        return self._newest


class _Thought:
    """The computer's thinking about one version of one game."""

    def __init__(self, stored: Stored, level: int) -> None:
        self.stored = stored
        self._cancelled = threading.Event()
        self._level = level
        self._mind: Mind | None = None
        self._lock = threading.Lock()

    def is_cancelled(self) -> bool:
        """Tell whether nobody waits for it any more."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """End it soon; what it returns is not to be used."""
        with self._lock:
            self._cancelled.set()
            if self._mind is not None:
                self._mind.stop()

    def run(self, make_mind: MakeMind) -> str | None:
        """Return the move, None if cancelled; blocks."""
        from formsgame.position import Position

        position = Position.parse(self.stored.game.position)
        try:
            with make_mind(self._level) as mind:
                with self._lock:
                    if self.is_cancelled():
                        return None
                    self._mind = mind
                try:
                    move = mind.think(position, Limit(seconds=THINKING_SECONDS)).move
                finally:
                    with self._lock:
                        self._mind = None
            if self.is_cancelled():
                return None
            return str(position.result(move).move)
        except Exception:  # noqa: BLE001 - a fault of the engine must not leave a person waiting
            _log.exception("the computer failed in %s", self.stored.game.position)
            return str(position.legal_moves[0])


class Hub:
    """Everything that happens to games while the server runs.

    Made, used and closed in one event loop.
    """

    def __init__(
        self,
        storage: Storage,
        readiness: Readiness,
        make_mind: MakeMind = make_engine,
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._storage = storage
        self._readiness = readiness
        self._make_mind = make_mind
        self._now = now
        self._clerk = ThreadPoolExecutor(1, thread_name_prefix="formsgame-storage")
        self._minds = ThreadPoolExecutor(
            max(2, min(8, (os.cpu_count() or 2) - 1)), thread_name_prefix="formsgame-thought"
        )
        self._thoughts: dict[str, _Thought] = {}
        self._watchers: dict[str, set[Watcher]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._glancing: asyncio.Task[None] | None = None
        self._is_closed = False

    async def create(
        self,
        rules: str | None,
        size: str | int | None,
        black: Seat,
        white: Seat,
        position: str | None = None,
    ) -> Snapshot:
        """Keep a new game; raises what `livegame.new_game` raises."""
        await self._readiness.demand()
        game = await self._run(new_game, rules, size, black, white, position)
        return self._settle(await self._run(self._storage.create, game, self._now()))

    async def open(self, game_id: str) -> Snapshot:
        """Return a game; the computer goes on with it if it is to move.

        Raises `GameError` if there is no such game.
        """
        return self._settle(await self._run(self._load, game_id))

    async def recent(self, limit: int, before: str | None = None) -> list[Snapshot]:
        """Return games, newest first; those older than the game `before` where it is given."""

        def query() -> list[Stored]:
            last = None if before is None else self._load(before)
            return self._storage.recent(limit, last)

        return [self._snapshot(stored) for stored in await self._run(query)]

    async def apply(self, game_id: str, act: Act, ply: int) -> Snapshot:
        """Do what a person asks who has seen `ply` plies; return when the change is on the disk.

        Raises `ConflictError` if the game refuses it, `GameError` if there is no such game, and
        what the rules say of a move.
        """
        if not isinstance(act, Resign):
            await self._readiness.demand()
        try:
            return self._settle(await self._run(self._apply, game_id, Command(act, ply)))
        except _RefusedError as refused:
            raise ConflictError(refused.reason, self._settle(refused.stored)) from None

    async def restart(self, game_id: str) -> Snapshot:
        """Keep a new game with the settings of another, of which the computer lets go."""
        old = await self._run(self._load, game_id)
        self._cancel(game_id)
        self._show(old)
        return self._settle(await self._run(self._storage.create, again(old.game), self._now()))

    async def record(self, game_id: str) -> str:
        """Return a game's record.

        Raises `GameError` if there is no such game.
        """
        await self._readiness.demand()
        return await self._run(lambda: _format_record(self._load(game_id)))

    @asynccontextmanager
    async def watch(self, game_id: str) -> AsyncIterator[Watcher]:
        """Watch a game: its state now, then every change, whichever process made it.

        Raises `GameError` if there is no such game.
        """
        stored = await self._run(self._load, game_id)
        watcher = Watcher()
        self._watchers.setdefault(game_id, set()).add(watcher)
        if self._glancing is None or self._glancing.done():
            self._glancing = self._start(self._glance())
        try:
            watcher.show(self._settle(stored))
            yield watcher
        finally:
            watchers = self._watchers[game_id]
            watchers.discard(watcher)
            if not watchers:
                del self._watchers[game_id]

    async def close(self) -> None:
        """Stop the thoughts, finish what is being written and close the database."""
        self._is_closed = True
        for game_id in list(self._thoughts):
            self._cancel(game_id)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._minds.shutdown(wait=False, cancel_futures=True)
        await self._run(self._storage.close)
        self._clerk.shutdown()

    def _load(self, game_id: str) -> Stored:
        stored = self._storage.load(game_id)
        if stored is None:
            raise GameError("game.missing")
        return stored

    def _apply(self, game_id: str, command: Command) -> Stored:
        """Apply a command in the storage's thread; begin again if another process was faster."""
        while True:
            stored = self._load(game_id)
            try:
                game = _after(stored, command, self._now())
            except GameError as reason:
                raise _RefusedError(reason, stored) from None
            saved = self._storage.save(stored, game, self._now())
            if saved is not None:
                return saved

    def _settle(self, stored: Stored) -> Snapshot:
        """Take note of a game's state: the computer thinks if it is to, watchers are told."""
        thought = self._thoughts.get(stored.id)
        if thought is not None and thought.stored.version < stored.version:
            self._cancel(stored.id)
        level = self._level_to_think(stored.id, stored.game)
        if level is not None and stored.id not in self._thoughts and not self._is_closed:
            thought = self._thoughts[stored.id] = _Thought(stored, level)
            self._start(self._think(thought))
        return self._show(stored)

    def _level_to_think(self, game_id: str, game: LiveGame) -> int | None:
        """Return the level at which the computer is to think now; None if it is not.

        Where it plays both sides, it waits for somebody to watch.
        """
        if game.black.is_computer and game.white.is_computer and game_id not in self._watchers:
            return None
        return game.level_to_move

    async def _think(self, thought: _Thought) -> None:
        stored = thought.stored
        try:
            await self._readiness.wait()
            loop = asyncio.get_running_loop()
            move = await loop.run_in_executor(self._minds, thought.run, self._make_mind)
            if move is None or thought.is_cancelled():
                return
            saved = await self._run(self._apply_reply, stored, move)
        except Exception as error:  # noqa: BLE001 - whoever opens the game next tries again
            _log.error("no reply in game %s", stored.id, exc_info=error)
            self._forget(thought)
            self._show(stored)
            return
        self._forget(thought)
        self._settle(saved)

    def _apply_reply(self, stored: Stored, move: str) -> Stored:
        """Apply the computer's move if the game is still as it was; return the game as it is."""
        game = _after(stored, Command(Reply(move), stored.game.ply), self._now())
        return self._storage.save(stored, game, self._now()) or self._load(stored.id)

    def _cancel(self, game_id: str) -> None:
        thought = self._thoughts.pop(game_id, None)
        if thought is not None:
            thought.cancel()

    def _forget(self, thought: _Thought) -> None:
        if self._thoughts.get(thought.stored.id) is thought:
            del self._thoughts[thought.stored.id]

    def _snapshot(self, stored: Stored) -> Snapshot:
        return Snapshot(stored, thinking=stored.id in self._thoughts)

    def _show(self, stored: Stored) -> Snapshot:
        snapshot = self._snapshot(stored)
        for watcher in self._watchers.get(stored.id, ()):
            watcher.show(snapshot)
        return snapshot

    async def _glance(self) -> None:
        """See what other processes do to the watched games, as long as there are any."""
        while self._watchers:
            await asyncio.sleep(GLANCE_SECONDS)
            try:
                if not await self._run(self._storage.has_changed):
                    continue
                for game_id in list(self._watchers):
                    self._settle(await self._run(self._load, game_id))
            except Exception:  # noqa: BLE001 - may pass, and the next glance tells
                _log.exception("the games could not be looked at")

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run a function in the storage's thread."""
        return await asyncio.get_running_loop().run_in_executor(
            self._clerk, lambda: function(*args, **kwargs)
        )


def _after(stored: Stored, command: Command, now: int) -> LiveGame:
    """Return a game after a command; raises what `contest.apply` raises."""
    contest = on_this_device(stored.game, stored.version, stored.updated)
    return apply(contest, command, now).contest.game


def _format_record(stored: Stored) -> str:
    from formsgame.record import Game

    game = stored.game
    record = Game(
        game.start,
        {
            "Site": "Forms on this computer",
            "Date": datetime.fromtimestamp(stored.created / 1000, UTC).strftime("%Y.%m.%d"),
            "Black": _player(game.black),
            "White": _player(game.white),
        },
        game.moves,
    )
    if game.ending and game.ending.loser:
        record.resign(game.ending.loser)
    return record.to_text()


def _player(seat: Seat) -> str:
    return f"Computer, level {seat.level}" if seat.is_computer else "Person"
