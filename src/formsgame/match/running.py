"""Running a match on one or many processes, and what came out of it."""

from __future__ import annotations

import functools
import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from formsgame.errors import LimitError
from formsgame.jobs import Journal, Progress, stream
from formsgame.match.playing import BOARD, A, B, Played, Settings, play_pair
from formsgame.match.statistics import Pairs, Sprt, elo_of
from formsgame.rules import BLACK, shown

#: Number of the journal's results: another one where the games of the same settings change.
VERSION = 1
#: Most games of a match.
MOST_GAMES = 1_000_000


@dataclass(slots=True)
class Match:
    """The games of a match so far, in order, and what they say; A is the first player."""

    settings: Settings
    games: list[Played] = field(default_factory=list)
    pairs: Pairs = field(default_factory=Pairs)
    sprt: Sprt | None = None
    #: The hypothesis that the sequential test has accepted, 0 or 1, if it has.
    accepted: int | None = None

    def add(self, pair: list[Played]) -> None:
        """Take in a pair of games."""
        self.games += pair
        self.pairs = self.pairs.and_pair(sum(game.winner == A for game in pair))
        if self.sprt and self.accepted is None:
            self.accepted = self.sprt.verdict(self.pairs)

    def wins(self, player: str, color: int | None = None) -> int:
        """Return the number of games that a player has won, or has won with a color."""
        return sum(
            game.winner == player and (color is None or game.color == color) for game in self.games
        )

    def losses(self, player: str) -> Counter[str]:
        """Return how often a player has lost for which reason."""
        return Counter(game.reason for game in self.games if game.winner != player)

    def longest(self, player: str) -> float:
        """Return the longest that a player has thought about a move, in seconds."""
        index = (A, B).index(player)
        return max((game.longest[index] for game in self.games), default=0.0)

    @property
    def elo(self) -> tuple[float, float, float]:
        """How much A is better than B in Elo: the estimate, and the ends of the 95 % interval."""
        low, high = self.pairs.interval()
        return elo_of(self.pairs.score), elo_of(low), elo_of(high)

    def to_plain(self) -> dict[str, Any]:
        """Return everything but the moves as plain data; an infinite Elo is None."""
        elo, low, high = (value if math.isfinite(value) else None for value in self.elo)
        players = {
            name: {
                "player": self.settings.a if name == A else self.settings.b,
                "wins": self.wins(name),
                "wins_as_black": self.wins(name, BLACK),
                "wins_as_white": self.wins(name) - self.wins(name, BLACK),
                "lost": dict(sorted(self.losses(name).items())),
                "longest_move_seconds": self.longest(name),
            }
            for name in (A, B)
        }
        data: dict[str, Any] = {
            "settings": self.settings.to_plain(),
            "games": len(self.games),
            "players": players,
            "pairs": {**self.pairs._asdict()},
            "score": self.pairs.score,
            "score_interval": list(self.pairs.interval()),
            "elo": elo,
            "elo_interval": [low, high],
            "superiority": self.pairs.superiority,
            "broken_games": sum(game.reason != BOARD for game in self.games),
        }
        if self.sprt:
            data["sprt"] = {
                "elo0": self.sprt.elo0,
                "elo1": self.sprt.elo1,
                "alpha": self.sprt.alpha,
                "beta": self.sprt.beta,
                "ratio": self.sprt.ratio(self.pairs),
                "bounds": list(self.sprt.bounds),
                "accepted": self.accepted,
            }
        return data


def run_match(
    settings: Settings,
    games: int,
    *,
    sprt: Sprt | None = None,
    workers: int | None = 1,
    folder: str | None = None,
    report: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
) -> Iterator[Match]:
    """Play a match; yields it, the same object, after every pair of games.

    The pairs come in order, whoever plays them, and the sequential test looks at them in order, so
    that with a limit of nodes the number of `workers` changes nothing. Games finished are kept in
    `folder`, and a match that was cut off goes on there, also with more games. Closing the iterator
    ends the match. Raises `LimitError`, or `JobError` as `jobs.run` does.
    """
    if type(games) is not int or not 2 <= games <= MOST_GAMES or games % 2:
        raise LimitError(
            "limit.value",
            name="games",
            expected=f"an even number within 2 to {MOST_GAMES}",
            value=shown(games),
        )
    journal = None
    if folder is not None:
        journal = Journal(folder, "match", settings.to_plain(), VERSION)
    play = functools.partial(play_pair, settings.to_plain())
    pairs = stream(
        play, range(games // 2), journal=journal, workers=workers, report=report, cancel=cancel
    )
    match = Match(settings, sprt=sprt)
    with closing(pairs):
        for data in pairs:
            match.add([Played.from_plain(game) for game in data])
            yield match
            if match.accepted is not None:
                return
