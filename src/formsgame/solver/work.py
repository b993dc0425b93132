"""Searches on words by one thread or by several together; see `search.search_slice`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np

from formsgame.kernels.bits import MOST_MOVES
from formsgame.solver import search
from formsgame.solver.clock import Clock

#: Wall time in seconds that a thread of several aims to search before it looks at the others.
CHUNK_SECONDS = 0.002


class SearchWork:
    """The arrays of one thread's search; see `search.search_slice`.

    `noise` makes the way of the search another one, to the same result.
    """

    def __init__(self, own: int, enemy: int, noise: int) -> None:
        levels = (own | enemy).bit_count() + 2
        self.noise = noise
        self.owns = np.zeros((levels, MOST_MOVES), np.uint64)
        self.enemies = np.zeros((levels, MOST_MOVES), np.uint64)
        self.phis = np.zeros((levels, MOST_MOVES), np.int64)
        self.deltas = np.zeros((levels, MOST_MOVES), np.int64)
        self.frames = np.zeros((levels, 8), np.int64)
        self.level = np.zeros(2, np.int64)
        self.seen = np.zeros(1 + 2 * 2048, np.int64)
        self.scratch = np.zeros((6, 65), np.int64)
        self.pair = np.zeros(2, np.uint64)
        self.frames[0, :2] = search.INFINITE
        self.frames[0, 2] = -1
        self.frames[0, 4:6] = np.array([own, enemy], np.uint64).view(np.int64)

    def winning_child(self) -> tuple[int, int]:
        """Return the two words of a position that a winning move of the root leads to.

        For a search that has ended with a win; the first word is the side's that is then to move.
        """
        row = np.flatnonzero(self.deltas[0, : self.frames[0, 2]] == 0)
        return int(self.owns[0, row[0]]), int(self.enemies[0, row[0]])


#: Searches with a work for about so many positions; returns WIN, LOSS or UNKNOWN.
Run = Callable[[SearchWork, int], int]


def run_together(
    own: int, enemy: int, threads: int, run: Run, clock: Clock
) -> tuple[int, SearchWork]:
    """Search a position with several threads until one knows the result or the clock ends.

    Returns the result and the work that has it. All threads have ended when this returns or raises.
    """
    first = SearchWork(own, enemy, 0)
    if threads == 1:

        def go_on(budget: int) -> tuple[int, int]:
            before = int(first.level[1])
            return run(first, budget), int(first.level[1]) - before

        return clock.run_slices(go_on), first
    team = _Team([first] + [SearchWork(own, enemy, number) for number in range(1, threads)], run)
    try:
        result = clock.run_slices(team.go_on)
    finally:
        team.end()
    # What a thread found while the clock ended counts, too.
    return team.found or (result, first)


class _Team:
    """Threads that search one position, of which the caller's is the first.

    They take the positions that they may open from a purse, a few at a time.
    """

    def __init__(self, works: list[SearchWork], run: Run) -> None:
        self.found: tuple[int, SearchWork] | None = None
        self._works = works
        self._run = run
        self._threads: list[threading.Thread] = []
        self._change = threading.Condition()
        self._purse = 0
        self._spent = 0
        self._ended = False
        self._error: BaseException | None = None

    def go_on(self, budget: int) -> tuple[int, int]:
        """Search for `budget` positions together; returns the result and the positions opened.

        The other threads start with the second call: most searches need no more than the first.
        """
        with self._change:
            self._purse += budget
            self._change.notify_all()
        self._search(self._works[0], is_helping=False)
        if not self._threads and not self._is_over():
            for work in self._works[1:]:
                thread = threading.Thread(target=self._help, args=(work,), daemon=True)
                self._threads.append(thread)
                thread.start()
        with self._change:
            if self._error:
                raise self._error
            spent, self._spent = self._spent, 0
            return self.found[0] if self.found else search.UNKNOWN, spent

    def end(self) -> None:
        """End all threads."""
        with self._change:
            self._ended = True
            self._change.notify_all()
        for thread in self._threads:
            thread.join()

    def _is_over(self) -> bool:
        return self._ended or self.found is not None or self._error is not None

    def _help(self, work: SearchWork) -> None:
        try:
            self._search(work, is_helping=True)
        except BaseException as error:  # noqa: BLE001 - travels to the caller's thread
            with self._change:
                self._error = error

    def _search(self, work: SearchWork, is_helping: bool) -> None:
        """Search until there is a result or, in the caller's thread, no more may be opened."""
        chunk = 16
        while True:
            with self._change:
                while is_helping and not self._purse and not self._is_over():
                    self._change.wait()
                if self._is_over() or not self._purse:
                    return
                chunk = min(chunk, self._purse)
                self._purse -= chunk
                self._spent += chunk
            start, before = time.perf_counter(), int(work.level[1])
            result = self._run(work, chunk)
            opened = int(work.level[1]) - before
            with self._change:
                self._spent -= chunk - opened
                self._purse += chunk - opened
                if result != search.UNKNOWN and self.found is None:
                    self.found = result, work
            taken = max(time.perf_counter() - start, 1e-6)
            chunk = max(16, min(4 * chunk, int(chunk * CHUNK_SECONDS / taken)))
