"""A small engine that speaks the Universal Game Interface, for matches; sound, or broken.

    python tests/ugi_player.py WAY

It knows the rules from `naive.py` alone and starts fast. `WAY` is what it does when it is asked for
the third move of a game: `random` plays on, the others are ways to be broken.
"""

from __future__ import annotations

import random
import sys
import time

import naive

#: Moves of a game before a broken one breaks.
SOUND_MOVES = 2


def main(way: str) -> None:
    chance = random.Random(0)
    board = None
    asked = 0
    for line in sys.stdin:
        words = line.split()
        match words:
            case ["ugi"]:
                print(f"id name {way}\nugiok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["uginewgame"]:
                chance, asked = random.Random(0), 0
            case ["position", "fen", *fields]:
                board = naive.parse_board(" ".join(fields))
            case ["go", *_]:
                assert board is not None
                move = chance.choice(naive.legal_moves(board))
                text = naive.format_move(move)
                asked += 1
                print("bestmove", broken(way, text) if asked > SOUND_MOVES else text, flush=True)
            case ["quit"]:
                return


def broken(way: str, move: str) -> str:
    """The answer of a broken engine, where it gives one."""
    match way:
        case "random":
            return move
        case "die":
            print("I am unwell", file=sys.stderr)
            sys.exit(3)
        case "hang":
            time.sleep(600)
        case "late":
            time.sleep(1)
            return move
        case "illegal":
            return "a1-a1"
        case "nonsense":
            return "I resign"
    raise ValueError(way)


if __name__ == "__main__":
    main(sys.argv[1])
