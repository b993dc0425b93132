"""Plays many quick games in one process and prints how much memory it takes on the way.

    python bench/memory.py --games 500 --rules standard --size 12 --nodes 300

Two engines play each other, with a table each, new ones for every game as the server has them, or
the same all along with `--keep`. The last line says how much was added after the first tenth of the
games, by when everything is compiled and every cache has its size. Linux only.
"""

from __future__ import annotations

import argparse
import gc
import random
from pathlib import Path

import formsgame as fg
from formsgame.engine import HASH_MB, LEVELS


def resident() -> float:
    """Return the memory of this process, in MB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise OSError("there is no VmRSS in /proc/self/status")


def play(
    rules: str, size: int, limit: fg.Limit, seed: int, engines: tuple[fg.Engine, fg.Engine]
) -> None:
    """Play a game from two random plies."""
    chance = random.Random(seed)
    position = fg.Position.initial(rules, size)
    for _ in range(2):
        moves = position.legal_moves
        position = position.play(moves[chance.randrange(len(moves))])
    while not position.is_over:
        engine = engines[position.side_to_move is fg.WHITE]
        position = position.play(engine.think(position, limit).move)


def main() -> None:
    """Play the games that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--rules", choices=["standard", "advanced"], default="standard")
    parser.add_argument("--size", type=int, default=8)
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--level", type=int, default=max(LEVELS))
    parser.add_argument("--hash-mb", type=int, default=HASH_MB)
    parser.add_argument("--keep", action="store_true", help="the same engines for all games")
    options = parser.parse_args()

    def make(seed: int) -> tuple[fg.Engine, fg.Engine]:
        first, second = (
            fg.Engine(level=options.level, seed=2 * seed + i, hash_mb=options.hash_mb)
            for i in range(2)
        )
        return first, second

    limit = fg.Limit(nodes=options.nodes)
    engines = make(0)
    tenth = max(1, options.games // 10)
    early = 0.0
    print(f"before the first game: {resident():.1f} MB")
    for number in range(options.games):
        if not options.keep:
            for engine in engines:
                engine.close()
            engines = make(number)
        play(options.rules, options.size, limit, number, engines)
        if (number + 1) % tenth == 0:
            gc.collect()
            early = early or resident()
            print(f"after {number + 1} games: {resident():.1f} MB", flush=True)
    print(f"growth from game {tenth} to {options.games}: {resident() - early:+.1f} MB")


if __name__ == "__main__":
    main()
