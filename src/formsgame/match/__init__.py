"""Matches of two players: pairs of games from random openings, and what they prove.

>>> settings = Settings("2", "1", "advanced", "4", nodes=50)
>>> for match in run_match(settings, 4):
...     pass
>>> len(match.games), match.pairs.total
(4, 2)
"""

from formsgame.match.players import Player, PlayerError, open_player
from formsgame.match.playing import A, B, Played, Settings, opening, play_pair, to_game
from formsgame.match.running import Match, run_match
from formsgame.match.statistics import Pairs, Sprt, elo_of, score_of

__all__ = [
    "A",
    "B",
    "Match",
    "Pairs",
    "Played",
    "Player",
    "PlayerError",
    "Settings",
    "Sprt",
    "elo_of",
    "open_player",
    "opening",
    "play_pair",
    "run_match",
    "score_of",
    "to_game",
]
