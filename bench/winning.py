"""Counts how often the computer plays a winning move where there is one (8 x 8, random play).

    python bench/winning.py --rules advanced --stones 14 --positions 1000 --seconds 1

Positions are those of random games, of 5 stones up to the number given, in which the side to move
wins (by the solver, with no limit but patience). Prints each failure and the share of successes.
"""

from __future__ import annotations

import argparse
import random
import time

import formsgame as fg
from formsgame.solver.clock import Clock
from formsgame.solver.verdict import Solver


def main() -> None:
    """Count as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rules", choices=["standard", "advanced"], required=True)
    parser.add_argument("--stones", type=int, default=14, help="most stones of a position")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a move")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start = fg.Position.initial(options.rules, 8)
    solver = Solver(start.rules, memory_mb=256)
    chance = random.Random(options.seed)
    right = done = 0
    longest = 0.0
    while done < options.positions:
        stones = chance.randint(5, options.stones)
        position = start
        for move in fg.playout(start, chance.getrandbits(60), policy="uniform").moves:
            position = position.play_unchecked(move)
            if sum(position.counts.values()) <= stones:
                break
        if position.is_over or sum(position.counts.values()) < 5:
            continue
        if solver.winner(position, Clock(None, None, None)) is not position.side_to_move:
            continue
        with fg.Engine(threads=options.threads) as engine:
            begin = time.perf_counter()
            thought = engine.think(position, fg.Limit(seconds=options.seconds))
            longest = max(longest, time.perf_counter() - begin)
        done += 1
        after = position.play(thought.move)
        if solver.winner(after, Clock(None, None, None)) is position.side_to_move:
            right += 1
        else:
            print(f"{thought.move} does not win: {position}", flush=True)
    print(
        f"{options.rules}, up to {options.stones} stones: {right}/{done}, longest {longest:.2f} s"
    )


if __name__ == "__main__":
    main()
