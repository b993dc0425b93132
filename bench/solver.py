"""Measure the solver: `python bench/solver.py {shares,threads,boards,probe}`, by processor time.

`shares` tells how many of random 8 x 8 positions are solved within some seconds, `threads` how
two threads compare with one, `boards` what the start positions of some boards take, `probe` what a
question to an endgame table takes. Positions come from random games, number i from seed i, where
one of exactly so many stones comes up. Each is solved by a solver that knows nothing yet.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Iterator

import formsgame as fg
from formsgame.compiled import warm_up
from formsgame.solver import Solver
from formsgame.solver.tables import best_table

#: Rules, stones, seconds and the share of positions that is to be solved.
SHARES = (
    (fg.ADVANCED, 20, 1.0, 0.95),
    (fg.STANDARD, 26, 1.0, 0.95),
    (fg.ADVANCED, 24, 5.0, 0.90),
    (fg.STANDARD, 30, 5.0, 0.90),
)
BOARDS = ((fg.STANDARD, (4, 4)), (fg.ADVANCED, (4, 6)))
#: Seconds that positions take by one thread on which two are tried.
WORTHWHILE = (0.2, 2.0)


def positions(rules: fg.Rules, stones: int, side: int = 8) -> Iterator[fg.Position]:
    """Yield positions of so many stones from random games, without end."""
    start = fg.Position.initial(rules, side)
    for seed in itertools.count():
        position = start
        for move in fg.playout(start, seed).moves:
            position = position.play_unchecked(move)
            left = sum(position.counts.values())
            if left == stones and not position.is_over:
                yield position
            if left <= stones:
                break


def solve(position: fg.Position, most: float, threads: int = 1) -> tuple[float, float, int] | None:
    """Return processor seconds, seconds and positions opened of a solve; None if it takes more."""
    start, began = time.process_time(), time.perf_counter()
    solver = Solver(position.rules, threads=threads)
    verdict = solver.solve(position, stopped=lambda: time.process_time() - start > most)
    spent = time.process_time() - start
    return verdict and (spent, time.perf_counter() - began, verdict.nodes)


def measure_shares(count: int) -> None:
    """Print which shares of random positions are solved in time."""
    for rules, stones, seconds, goal in SHARES:
        times = []
        for position in itertools.islice(positions(rules, stones), count):
            found = solve(position, seconds)
            times.append(found[0] if found else float("inf"))
        share = sum(spent <= seconds for spent in times) / count
        print(
            f"8x8 {rules}, {stones} stones: {share:.1%} of {count} within {seconds:g} s"
            f" (to be {goal:.0%}), median {statistics.median(times):.3f} s",
            flush=True,
        )


def measure_threads(count: int) -> None:
    """Print how two threads compare with one, on positions that are worth it."""
    for rules, stones in ((fg.STANDARD, 30), (fg.ADVANCED, 24)):
        ones, twos = [], []
        for position in positions(rules, stones):
            low, high = WORTHWHILE
            one = solve(position, high)
            if one is None or one[0] < low:
                continue
            two = solve(position, 10 * high, threads=2)
            assert two is not None
            ones.append(one)
            twos.append(two)
            if len(ones) == count:
                break
        clock, spent, nodes = (
            statistics.median(two[which] for two in twos)
            / statistics.median(one[which] for one in ones)
            for which in (1, 0, 2)
        )
        print(
            f"8x8 {rules}, {stones} stones, {count} positions, two threads beside one: by the clock"
            f" {clock:.2f}, half of the processor time {spent / 2:.2f}, positions {nodes:.2f}",
            flush=True,
        )


def measure_boards() -> None:
    """Print what the start positions of some boards take, the best of three."""
    for rules, size in BOARDS:
        found = [solve(fg.Position.initial(rules, size), 600.0) for _ in range(3)]
        spent, _, nodes = min(one for one in found if one)
        print(f"{size[0]}x{size[1]} {rules}: {spent:.2f} s, {nodes} positions", flush=True)


def measure_probe(count: int = 100_000) -> None:
    """Print what a question to the table that comes with the package takes."""
    for rules in (fg.STANDARD, fg.ADVANCED):
        table = best_table(rules)
        asked = list(itertools.islice(positions(rules, min(7, table.levels)), 20))
        start = time.process_time()
        for _ in range(count // len(asked)):
            for position in asked:
                table.wins_for_mover(position)
        spent = (time.process_time() - start) / count * 1e6
        print(f"{rules}, {table.levels} stones: {spent:.1f} microseconds a question", flush=True)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("shares", "threads", "boards", "probe"), nargs="+")
    parser.add_argument("--positions", type=int, help="200 for shares, 50 for threads")
    options = parser.parse_args()
    warm_up()
    for what in options.what:
        match what:
            case "shares":
                measure_shares(options.positions or 200)
            case "threads":
                measure_threads(options.positions or 50)
            case "boards":
                measure_boards()
            case _:
                measure_probe()


if __name__ == "__main__":
    main()
