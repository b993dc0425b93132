"""Plays the computer against plain UCT (bench/uct.py) and says how often it wins, with intervals.

    python bench/gauntlet.py --rules standard --size 8 --games 100 --seconds 1 --out games.tsv

From each opening of two random plies two games are played, one with either color. Seconds are
processor time of the playing thread by default, so that a busy machine changes nothing; by the
wall with `--clock wall`. Each game is a line of the file: what was played, and how it ended.
With `--resume` the games that the file holds are not played again.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

from uct import C, Uct, random_opening

import formsgame as fg
from formsgame import compiled
from formsgame.engine import thinking

CLOCKS = {"cpu": time.thread_time, "wall": time.perf_counter}
COLUMNS = (
    "settings",
    "rules",
    "size",
    "opening",
    "engine_color",
    "winner",
    "plies",
    "engine_seconds",
    "uct_seconds",
)


def wilson(wins: int, games: int, z: float = 1.959964) -> tuple[float, float]:
    """Return Wilson's interval (95 %) of a share."""
    if games == 0:
        return 0.0, 1.0
    share = wins / games
    middle = share + z * z / (2 * games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    whole = 1 + z * z / games
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def exact(wins: int, games: int, miss: float = 0.05) -> tuple[float, float]:
    """Return the interval (95 %) of Clopper and Pearson of a share."""

    def at_least(share: float) -> float:
        return sum(
            math.comb(games, k) * share**k * (1 - share) ** (games - k)
            for k in range(wins, games + 1)
        )

    def more(share: float) -> float:
        return at_least(share) - math.comb(games, wins) * share**wins * (1 - share) ** (
            games - wins
        )

    low = 0.0 if wins == 0 else _root(lambda share: at_least(share) - miss / 2)
    high = 1.0 if wins == games else _root(lambda share: more(share) - (1 - miss / 2))
    return low, high


def _root(function) -> float:
    """Return where a rising function of 0 to 1 is 0."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2


def play(options: argparse.Namespace, opening: int, color: fg.Color) -> tuple:
    """Play one game; returns winner, plies, and the seconds of the engine and of UCT."""
    clock = CLOCKS[options.clock]
    position = random_opening(options.rules, options.size, options.opening_plies, opening)
    seed = 2 * opening + (color is fg.WHITE)
    uct = Uct(options.rules, c=options.c, seed=seed, clock=clock)
    spent = [0.0, 0.0]
    plies = 0
    with fg.Engine(level=options.level, seed=seed) as engine:
        limit = fg.Limit(seconds=options.seconds)
        while not position.is_over:
            start = clock()
            if position.side_to_move is color:
                move = engine.think(position, limit).move
                spent[0] += clock() - start
            else:
                move = uct.best_move(position, seconds=options.uct_seconds)
                spent[1] += clock() - start
            position = position.play(move)
            plies += 1
    return position.winner, plies, *spent


def _read(file: Path) -> dict[tuple[str, ...], list[str]]:
    """Return the games of a file, after taking off a line that was never finished."""
    text = file.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        file.write_text(whole, encoding="utf-8")
    games = [line.split("\t") for line in whole.splitlines()[1:]]
    return {tuple(fields[:5]): fields for fields in games}


def _warm_up(rules: str) -> None:
    """Have everything compiled before the first clock runs."""
    position = fg.Position.initial(rules, 8)
    compiled.warm_up(modules=compiled.PLAY_MODULES)
    Uct(rules).best_move(position, nodes=10)
    with fg.Engine() as engine:
        engine.think(position, fg.Limit(nodes=100))


def main() -> None:
    """Run the games that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rules", choices=["standard", "advanced"], required=True)
    parser.add_argument("--size", default="8")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--opening-plies", type=int, default=2)
    parser.add_argument("--first-opening", type=int, default=0, help="seed of the first opening")
    parser.add_argument("--seconds", type=float, default=1.0, help="of the computer, each move")
    parser.add_argument("--uct-seconds", type=float, default=None, help="of UCT, if others")
    parser.add_argument("--level", type=int, default=max(fg.engine.LEVELS))
    parser.add_argument("--c", type=float, default=C, help="exploration constant of UCT")
    parser.add_argument("--clock", choices=list(CLOCKS), default="cpu")
    parser.add_argument("--out", type=Path, default=Path("gauntlet.tsv"))
    parser.add_argument("--resume", action="store_true", help="go on where the file ends")
    options = parser.parse_args()
    options.uct_seconds = options.uct_seconds or options.seconds
    thinking.CLOCK = CLOCKS[options.clock]
    settings = (
        f"level={options.level},seconds={options.seconds},uct_seconds={options.uct_seconds},"
        f"c={options.c},clock={options.clock},opening_plies={options.opening_plies}"
    )
    header = "\t".join(COLUMNS) + "\n"
    known = {}
    if not options.out.exists():
        options.out.write_text(header, encoding="utf-8")
    elif options.resume:
        known = _read(options.out)
    else:
        parser.error(f"{options.out} exists; --resume goes on with it")
    _warm_up(options.rules)
    wins = 0
    for number in range(options.games):
        opening = options.first_opening + number // 2
        color = fg.WHITE if number % 2 else fg.BLACK
        key = (settings, options.rules, options.size, str(opening), color.title)
        if key not in known:
            winner, plies, *spent = play(options, opening, color)
            fields = [*key, winner.title, str(plies), *(f"{seconds:.3f}" for seconds in spent)]
            with options.out.open("a", encoding="utf-8") as file:
                file.write("\t".join(fields) + "\n")
            known[key] = fields
        games = number + 1
        wins += known[key][5] == known[key][4]
        if number % 2 or games == options.games:
            text = " ".join(
                f"{name} {100 * low:.1f}-{100 * high:.1f} %"
                for name, (low, high) in (
                    ("Wilson", wilson(wins, games)),
                    ("exact", exact(wins, games)),
                )
            )
            share = 100 * wins / games
            print(
                f"{options.rules} {options.size}: {wins}/{games} {share:.1f} % {text}", flush=True
            )


if __name__ == "__main__":
    main()
