"""A slow and readable referee for games between two seats, for tests to compare with.

It was written from what is promised to players, on the rules of `naive.py`, and imports nothing
from the package. It keeps every board and every moment that a clock was started or stopped, and
adds up anew who has spent what whenever it is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import naive

#: How much of a move's way is forgiven, in milliseconds.
FORGIVEN = 500

PERSON, COMPUTER, OPEN = "person", "computer", "open"


@dataclass
class Turn:
    """Time that was charged to a side, and what its move added."""

    side: str
    spent: int
    added: int


@dataclass
class Referee:
    """A game with its clocks; `time` is None where there is no limit."""

    board: naive.Board
    seats: dict[str, str]
    time: int | None = None
    increment: int = 0
    is_each: bool = False
    is_rated: bool = False
    boards: list[naive.Board] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    #: When the clock of the side to move was started; None while it stands.
    started: int | None = None
    last: int = 0
    changes: int = 1
    resumed: int = 0
    both_moved: bool = False
    #: Kind, side and number of the offer that stands.
    offer: tuple[str, str, int] | None = None
    is_rematch_agreed: bool = False
    #: How it ended off the board, and who lost by it.
    ended: tuple[str, str | None] | None = None

    def __post_init__(self) -> None:
        self.boards.append(self.board)
        if self.status == "playing":
            self._start(self.last)

    # What is so

    @property
    def ply(self) -> int:
        return len(self.boards) - 1

    @property
    def side(self) -> str:
        return self.board.side

    @property
    def winner(self) -> str | None:
        if self.ended:
            loser = self.ended[1]
            return naive.opponent(loser) if loser else None
        return naive.winner(self.board)

    @property
    def is_over(self) -> bool:
        return self.ended is not None or self.winner is not None

    @property
    def status(self) -> str:
        if self.is_over:
            return "aborted" if self.ended == ("aborted", None) else "finished"
        return ["playing", "waiting", "created"][list(self.seats.values()).count(OPEN)]

    @property
    def result(self) -> str:
        if self.winner is None:
            return "*"
        letter = {"resigned": "R", "time": "T"}[self.ended[0]] if self.ended else ""
        return {"x": "B+", "o": "W+"}[self.winner] + letter

    @property
    def is_paused(self) -> bool:
        return self.time is not None and self.status == "playing" and self.started is None

    @property
    def is_alone(self) -> bool:
        return list(self.seats.values()) != [PERSON, PERSON]

    def left(self, side: str, now: int) -> int:
        """What a side has left of its time, the time since its clock was started included."""
        assert self.time is not None
        if self.ended == ("time", side):
            return 0
        left = self.time
        for turn in self.turns:
            if turn.side != side:
                continue
            left = self.time if self.is_each and turn.added else left - turn.spent + turn.added
        if self.started is not None and side == self.side:
            left -= now - self.started
        return left

    def deadline(self) -> int | None:
        if self.started is None:
            return None
        return self.started + self.left(self.side, self.started)

    # What time does

    def is_flag_due(self, now: int) -> bool:
        deadline = self.deadline()
        return deadline is not None and now >= deadline + FORGIVEN

    def tick(self, now: int) -> bool:
        now = max(now, self.last)
        return self.is_flag_due(now) and self._flag(now)

    def pause(self, now: int) -> bool:
        now = max(now, self.last)
        deadline = self.deadline()
        if deadline is None:
            return False
        if now >= deadline:
            return self._flag(now)
        self._stop(now)
        return self._change(now)

    def resume(self, heartbeat: int, now: int) -> bool:
        now = max(now, self.last)
        if self.is_paused:
            self._start(now)
        else:
            deadline = self.deadline()
            if deadline is None or heartbeat <= self.resumed:
                return False
            alive = min(now, max(heartbeat, self.last))
            if alive >= deadline:
                return self._flag(now)
            self._stop(alive)
            self._start(now)
        self.resumed = now
        return self._change(now)

    # What people do: True if it is done, False if it is refused

    def claim(self, side: str, now: int) -> bool:
        now = max(now, self.last)
        if self.is_flag_due(now):
            self._flag(now)
            return False
        if self.status not in ("created", "waiting") or self.seats[side] != OPEN:
            return False
        self.seats[side] = PERSON
        if self.status == "playing":
            self._start(now)
        return self._change(now)

    def move(self, side: str, text: str, ply: int, lag: int, now: int, who: str = PERSON) -> bool:
        if not self._may(side, ply, now, who) or self.status != "playing" or self.is_paused:
            return False
        # What was faster, but no move, is not held against a move that had arrived before.
        arrived, now = now, max(now, self.last)
        if side != self.side:
            return False
        spent = 0
        if self.started is not None:
            arrived = max(arrived, self.started)
            spent = max(0, arrived - self.started - min(lag, FORGIVEN))
            if self.left(side, self.started) - spent <= 0:
                self._flag(now)
                return False
        if text not in map(naive.format_move, naive.legal_moves(self.board)):
            return False
        if self.started is not None:
            assert self.time is not None
            self.turns.append(Turn(side, spent, self.time if self.is_each else self.increment))
            self.started = None
        self.board = naive.play(self.board, naive.parse_move(text))
        self.boards.append(self.board)
        self.both_moved |= self.ply >= 2
        self.offer = None
        if not self.is_over:
            self._start(arrived)
        return self._change(now)

    def take_back(self, side: str, ply: int, now: int) -> bool:
        if not self._may(side, ply, now):
            return False
        now = max(now, self.last)
        if self.is_alone:
            if self.is_rated or self.ended or self.is_paused or OPEN in self.seats.values():
                return False
            deadline = self.deadline()
            if deadline is not None and now >= deadline:
                self._flag(now)
                return False
            if self.is_rematch_agreed:
                return False
            return self._go_back(side, now)
        if self.status != "playing" or self.is_paused or self.offer:
            return False
        if self._own_last_turn(side) is None:
            return False
        self.offer = ("takeback", side, self.changes + 1)
        return self._change(now)

    def accept(self, side: str, number: int, ply: int, now: int) -> bool:
        if not self._may(side, ply, now) or not self.offer or self.is_paused:
            return False
        now = max(now, self.last)
        kind, by, found = self.offer
        if (kind, found) != ("takeback", number) or by == side:
            return False
        deadline = self.deadline()
        if deadline is not None and now >= deadline:
            self._flag(now)
            return False
        return self._go_back(by, now)

    def decline(self, side: str, number: int, ply: int, now: int) -> bool:
        if not self._may(side, ply, now) or not self.offer or self.offer[2] != number:
            return False
        self.offer = None
        return self._change(max(now, self.last))

    def resign(self, side: str, ply: int, now: int) -> bool:
        if not self._may(side, ply, now) or self.status != "playing" or self.is_paused:
            return False
        return self._end(("resigned", side), max(now, self.last))

    def abort(self, side: str, ply: int, now: int) -> bool:
        if not self._may(side, ply, now) or self.is_over or self.both_moved or self.is_paused:
            return False
        return self._end(("aborted", None), max(now, self.last))

    def rematch(self, side: str, ply: int, now: int) -> bool:
        if not self._may(side, ply, now) or not self.is_over or self.is_rematch_agreed:
            return False
        if OPEN in self.seats.values() or (self.offer and self.offer[1] == side):
            return False
        now = max(now, self.last)
        if self.is_alone or self.offer:
            self.offer, self.is_rematch_agreed = None, True
        else:
            self.offer = ("rematch", side, self.changes + 1)
        return self._change(now)

    # How it is done

    def _may(self, side: str, ply: int, now: int, who: str = PERSON) -> bool:
        """Whether that side is heard at all; its time may be found to be over instead."""
        now = max(now, self.last)
        if self.is_flag_due(now):
            self._flag(now)
            return False
        return self.seats[side] == who and ply == self.ply

    def _own_last_turn(self, side: str) -> int | None:
        for ply in range(self.ply - 1, -1, -1):
            if self.boards[ply].side == side:
                return ply
        return None

    def _go_back(self, side: str, now: int) -> bool:
        ply = self._own_last_turn(side)
        if ply is None:
            return False
        self._stop(now)
        self.boards = self.boards[: ply + 1]
        self.board = self.boards[-1]
        self.offer = None
        if self.is_each:
            self.turns = []
        self._start(now)
        return self._change(now)

    def _start(self, now: int) -> None:
        if self.time is not None:
            self.started = now

    def _stop(self, now: int) -> None:
        if self.started is not None:
            spent = min(now - self.started, self.left(self.side, self.started))
            self.turns.append(Turn(self.side, spent, 0))
            self.started = None

    def _flag(self, now: int) -> bool:
        return self._end(("time", self.side), now)

    def _end(self, how: tuple[str, str | None], now: int) -> bool:
        self._stop(now)
        self.ended = how
        self.offer = None
        return self._change(now)

    def _change(self, now: int) -> bool:
        self.last = now
        self.changes += 1
        return True
