"""Plays the computer against a random mover on every usual size, in both rule sets.

    python bench/opponent.py --games 100 --level 10 --seconds 1

Prints, for each, the games won, the longest thought and the time of the whole.
"""

from __future__ import annotations

import argparse
import random
import time

import formsgame as fg
import formsgame.engine


def play(
    rules: str, size: int, level: int, seconds: float | None, number: int
) -> tuple[bool, float]:
    """Play game `number`; returns whether the computer won, and its longest thought in seconds."""
    chance = random.Random(number)
    color = fg.BLACK if number % 2 == 0 else fg.WHITE
    limit = None if seconds is None else fg.Limit(seconds=seconds)
    position = fg.Position.initial(rules, size)
    longest = 0.0
    with fg.Engine(level=level, seed=number) as engine:
        while not position.is_over:
            if position.side_to_move is color:
                start = time.perf_counter()
                move = engine.think(position, limit).move
                longest = max(longest, time.perf_counter() - start)
            else:
                moves = position.legal_moves
                move = moves[chance.randrange(len(moves))]
            position = position.play(move)
    return position.winner is color, longest


def main() -> None:
    """Run the matches that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--level", type=int, default=max(fg.engine.LEVELS))
    parser.add_argument("--seconds", type=float, default=None, help="budget of a move")
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 12, 18])
    options = parser.parse_args()
    warm = fg.Position.initial("advanced", 4)
    with fg.Engine() as engine:
        for rules in ("standard", "advanced"):
            engine.think(fg.Position.initial(rules, 18), fg.Limit(nodes=100))
            engine.think(warm, fg.Limit(nodes=100))
    print("rules     size  won      longest thought  seconds")
    for rules in ("standard", "advanced"):
        for size in options.sizes:
            start = time.perf_counter()
            results = [
                play(rules, size, options.level, options.seconds, number)
                for number in range(options.games)
            ]
            won = sum(result[0] for result in results)
            longest = max(result[1] for result in results)
            spent = time.perf_counter() - start
            print(f"{rules:9} {size:4}  {won}/{options.games}  {longest:13.2f} s  {spent:7.0f}")


if __name__ == "__main__":
    main()
