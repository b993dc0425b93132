"""Fits the weights of the engine's evaluation to positions that the solver has solved.

    python scripts/weights.py gather --rules advanced --out positions.tsv
    python scripts/weights.py fit --rules advanced positions.tsv

`gather` lets the computer play itself on 8 x 8 with few nodes from random openings, then moves at
random, and writes a line for every position of the last part that the solver can solve: the
position, and whether its side to move wins. `fit` finds the weights that make these results most
likely (logistic regression), takes out the advantage that the side to move has on average, since
values of positions one ply apart are compared, and writes them where the engine reads them.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

import numpy as np

import formsgame as fg
from formsgame.engine import Engine, weights
from formsgame.engine.sight import CONSTANT, see
from formsgame.engine.tree import sight_arrays
from formsgame.kernels.board import Array
from formsgame.kernels.stones import load_game
from formsgame.solver.clock import Clock
from formsgame.solver.verdict import Solver

DATA = Path(__file__).parent.parent / "src/formsgame/engine/data"
#: Weight of the penalty on large weights, of features scaled to deviation 1.
PENALTY = 3e-3
#: Stones of the positions gathered: above what the tables know, up to what is solved in a moment.
FEWEST_STONES = 12
MOST_STONES = {"standard": 28, "advanced": 21}


def gather(options: argparse.Namespace) -> None:
    """Play games and write the solved positions of their last parts."""
    rules = fg.Position.initial(options.rules, 4).rules
    most = options.stones or MOST_STONES[rules.name]
    solver = Solver(rules, memory_mb=64)
    chance = random.Random(options.seed)
    written = 0
    with options.out.open("w", encoding="utf-8") as out:
        while written < options.positions:
            position = fg.Position.initial(rules, 8)
            for _ in range(4):
                if not position.is_over:
                    position = position.play(chance.choice(position.legal_moves))
            with Engine(level=10, seed=chance.getrandbits(60), hash_mb=2) as engine:
                while not position.is_over and sum(position.counts.values()) > most:
                    position = position.play(engine.think(position, fg.Limit(nodes=80)).move)
            while not position.is_over and sum(position.counts.values()) >= FEWEST_STONES:
                winner = solver.winner(position, Clock(fg.Limit(nodes=500_000), None, None))
                if winner is not None:
                    out.write(f"{position}\t{int(winner is position.side_to_move)}\n")
                    written += 1
                position = position.play(chance.choice(position.legal_moves))
            print(f"\r{written}/{options.positions}", end="", file=sys.stderr)


def describe(positions: list[fg.Position]) -> Array:
    """Return the features of positions, float64[n, CONSTANT + 1]."""
    seen, order, parts, clock, features = sight_arrays()
    rows = np.zeros((len(positions), CONSTANT + 1), np.float64)
    for number, position in enumerate(positions):
        board, stones, _, counts, _ = load_game(position.cells, position.rows, position.columns)
        side = int(position.side_to_move)
        see(board, stones, counts, side, seen, order, parts, clock, features)
        rows[number] = features
    return rows


def regress(rows: Array, won: Array) -> Array:
    """Return the weights of features, the last of which is constant (Newton's method)."""
    mean, deviation = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    mean[-1], deviation[-1] = 0.0, 1.0
    scaled = (rows - mean) / deviation
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (won - likely) / len(won) - PENALTY * weights
        bend = (scaled.T * (likely * (1 - likely))) @ scaled / len(won)
        weights += np.linalg.solve(bend + PENALTY * np.eye(len(weights)), slope)
    found: Array = weights / deviation
    found[-1] = weights[-1] - (weights[:-1] * mean[:-1] / deviation[:-1]).sum()
    return found


def loss(rows: Array, won: Array, found: Array) -> float:
    """Return the mean negative log-likelihood of results."""
    odds = rows @ found
    return float(np.mean(np.log1p(np.exp(np.where(won == 1, -odds, odds)))))


def fit(options: argparse.Namespace) -> None:
    """Fit weights to the positions of files, and write them."""
    positions, results = [], []
    for file in options.files:
        for line in file.read_text(encoding="utf-8").splitlines():
            text, _, result = line.partition("\t")
            position = fg.Position.parse(text)
            if position.rules.name == options.rules and not position.is_over:
                positions.append(position)
                results.append(int(result))
    rows, won = describe(positions), np.array(results)
    chance = np.random.default_rng(1)
    # Positions of one game are alike: whole runs of lines are held out.
    held = (np.arange(len(won)) // 200) % 4 == chance.integers(4)
    found = regress(rows[~held], won[~held])
    print(f"{len(won)} positions, {won.mean():.3f} won by the side to move")
    print(f"loss on positions held out: {loss(rows[held], won[held], found):.4f}")
    found = regress(rows, won)
    found[-1] -= (rows @ found).mean()
    path = options.out or DATA / f"weights-{options.rules}.tsv"
    path.write_text(weights.format_weights(found), encoding="utf-8")
    print(f"written to {path}")


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    commands = parser.add_subparsers(required=True)
    gathering = commands.add_parser("gather", help="play games and write solved positions")
    gathering.add_argument("--rules", choices=["standard", "advanced"], required=True)
    gathering.add_argument("--positions", type=int, default=2000)
    gathering.add_argument("--stones", type=int, help="most stones of a position")
    gathering.add_argument("--seed", type=int, default=1)
    gathering.add_argument("--out", type=Path, required=True)
    gathering.set_defaults(do=gather)
    fitting = commands.add_parser("fit", help="fit weights to positions")
    fitting.add_argument("--rules", choices=["standard", "advanced"], required=True)
    fitting.add_argument("--out", type=Path, help="instead of the engine's own file")
    fitting.add_argument("files", type=Path, nargs="+")
    fitting.set_defaults(do=fit)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
