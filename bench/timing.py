"""Holds the computer to its time on a busy machine: budgets, clocks, and stops at random moments.

    python bench/timing.py --moves 2000 --stops 1000

Starts busy processes of its own first. A move is in time if it comes within 50 ms of its budget; a
flag is lost if a clock runs out. With --processor-time budgets are of the thread's own time, which
leaves out what else the machine does. A stop counts from the call to the answer. Exits with 1 if a
flag was lost, fewer than 99.9 % of the moves were in time, or an answer was illegal.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import formsgame as fg
from formsgame import compiled
from formsgame.engine import thinking

#: Budgets of moves in seconds; what a move may take longer, and how many have to keep to it.
BUDGETS = (0.02, 0.05, 0.1)
TOLERANCE = 0.05
SHARE = 0.999
#: Clocks of games: seconds for the whole, and those gained with every move.
CLOCKS = ((2.0, 0.0), (1.0, 0.05), (0.5, 0.1))
SIZES = (8, 18)
#: Longest wait before a stop, in seconds.
LONGEST_WAIT = 0.2


class Measured(NamedTuple):
    """A move: what it was allowed, what it took, and the board it was on."""

    budget: float
    seconds: float
    what: str

    @property
    def excess(self) -> float:
        """Seconds more than allowed."""
        return self.seconds - self.budget


def spin() -> None:
    """Keep a processor busy."""
    while True:
        pass


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep processors busy with so many processes."""
    processes = [multiprocessing.Process(target=spin, daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def positions(seed: int) -> Iterator[fg.Position]:
    """Yield positions of random games, boards and rule sets in turn."""
    chance = random.Random(seed)
    while True:
        for rules in ("standard", "advanced"):
            for size in SIZES:
                position = fg.Position.initial(rules, size)
                moves = fg.playout(position, chance.getrandbits(60)).moves
                for move in moves[: chance.randrange(len(moves))]:
                    position = position.play_unchecked(move)
                yield position


def name(position: fg.Position, threads: int) -> str:
    """Return what a measurement is of."""
    return f"{position.rules.name} {position.rows} x {position.columns}, {threads} threads"


def measure_budgets(count: int, is_own_time: bool) -> list[Measured]:
    """Think so many times, each within a budget."""
    clock = time.thread_time if is_own_time else time.perf_counter
    thinking.CLOCK = clock
    found = []
    chance = random.Random(1)
    engines = {threads: fg.Engine(threads=threads) for threads in (1, 2)}
    for number, position in zip(range(count), positions(1), strict=False):
        threads = 1 if is_own_time else 1 + number % 5 // 4
        seconds = chance.choice(BUDGETS)
        start = clock()
        thought = engines[threads].think(position, fg.Limit(seconds=seconds))
        took = clock() - start
        assert position.is_legal(thought.move)
        found.append(Measured(seconds, took, name(position, threads)))
    thinking.CLOCK = time.perf_counter
    return found


def measure_clocks(count: int) -> tuple[int, int, list[float]]:
    """Play games on the clock; returns moves made, flags lost and what was left at the least."""
    made, lost, least = 0, 0, []
    chance = random.Random(2)
    while made < count:
        for rules in ("standard", "advanced"):
            for size in SIZES:
                seconds, increment = chance.choice(CLOCKS)
                position = fg.Position.initial(rules, size)
                left = [seconds, seconds]
                lows = [seconds]
                with fg.Engine() as one, fg.Engine() as two:
                    while not position.is_over and made < count:
                        side = made % 2
                        start = time.perf_counter()
                        limit = fg.Limit(clock=(max(0.0, left[side]), increment))
                        thought = (one, two)[side].think(position, limit)
                        left[side] -= time.perf_counter() - start
                        lows.append(left[side])
                        position = position.play(thought.move)
                        made += 1
                        if left[side] < 0:
                            lost += 1
                            break
                        left[side] += increment
                least.append(min(lows))
    return made, lost, least


def measure_stops(count: int) -> list[Measured]:
    """Stop so many thoughts without a limit at random moments."""
    found = []
    chance = random.Random(3)
    engines = {threads: fg.Engine(threads=threads) for threads in (1, 2)}
    for number, position in zip(range(count), positions(3), strict=False):
        threads = 1 + number % 2
        engine = engines[threads]
        begun, thoughts = threading.Event(), list[fg.Thought]()

        def think(
            engine: fg.Engine = engine,
            position: fg.Position = position,
            begun: threading.Event = begun,
            thoughts: list[fg.Thought] = thoughts,
        ) -> None:
            begun.set()
            thoughts.append(engine.think(position))

        worker = threading.Thread(target=think)
        worker.start()
        begun.wait()
        time.sleep(chance.random() * LONGEST_WAIT)
        start = time.perf_counter()
        while worker.is_alive():  # a stop before the thought has begun is none
            engine.stop()
            worker.join(0.02)
        found.append(Measured(0.0, time.perf_counter() - start, name(position, threads)))
        assert position.is_legal(thoughts[0].move)
    return found


def tell(title: str, found: list[Measured], bound: float) -> float:
    """Print how late moves were; returns the share of those within the bound."""
    late = sorted(found, key=lambda each: each.excess)
    share = sum(each.excess <= bound for each in late) / len(late)

    def at(part: float) -> str:
        return f"{1000 * late[min(len(late) - 1, int(part * len(late)))].excess:.1f}"

    print(
        f"{title}: {len(late)}, within {1000 * bound:.0f} ms {100 * share:.2f} %; late by (ms)"
        f" median {at(0.5)}, 99 % {at(0.99)}, 99.9 % {at(0.999)}"
    )
    for each in late[-3:]:
        print(f"    {1000 * each.excess:8.1f} ms  {each.what}, of {1000 * each.budget:.0f} ms")
    return share


def main() -> int:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--moves", type=int, default=2000, help="moves with a budget")
    parser.add_argument("--clock-moves", type=int, default=1000, help="moves on the clock")
    parser.add_argument("--stops", type=int, default=1000)
    parser.add_argument("--processor-time", action="store_true")
    parser.add_argument("--busy", type=int, default=os.cpu_count() or 2, help="busy processes")
    options = parser.parse_args()
    compiled.warm_up(modules=compiled.PLAY_MODULES)
    for rules in ("standard", "advanced"):  # tables are loaded once
        with fg.Engine() as engine:
            engine.think(fg.Position.initial(rules, 4), fg.Limit(nodes=100))
    is_good = True
    with busy(options.busy):
        load: Callable[[], tuple[float, float, float]] = os.getloadavg
        print(f"{options.busy} busy processes, load {load()[0]:.1f}", flush=True)
        if options.moves:
            share = tell("moves", measure_budgets(options.moves, options.processor_time), TOLERANCE)
            is_good &= share >= SHARE
        if options.clock_moves:
            made, lost, least = measure_clocks(options.clock_moves)
            print(f"clocks: {made} moves, {lost} flags lost, least left {min(least):.3f} s")
            is_good &= lost == 0
        if options.stops:
            tell("stops", measure_stops(options.stops), TOLERANCE)
        print(f"load {load()[0]:.1f}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
