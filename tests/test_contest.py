"""Games between two seats, held to a naive referee whatever anybody asks, and when."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import naive
import referee
from formsgame.errors import FormsError
from formsgame.rules import BLACK, WHITE
from formsgame.server.clock import DAY, LAG_LIMIT, UNLIMITED, Control, countdown, per_move
from formsgame.server.contest import (
    Abort,
    Accept,
    Act,
    Claim,
    Command,
    Contest,
    Decline,
    Event,
    Play,
    Rematch,
    Reply,
    Resign,
    Step,
    TakeBack,
    apply,
    begin,
    pause,
    resume,
    tick,
)
from formsgame.server.contest_json import from_json, to_json
from formsgame.server.livegame import OPEN, PERSON, Seat, moved, new_game
from formsgame.server.refusals import GameError
from referee import COMPUTER, Referee
from strategies import examples

SIDES = {BLACK: "x", WHITE: "o"}
COLORS = {"x": BLACK, "o": WHITE}
LEVEL = Seat(2)
BOARDS = [("standard", "2x3"), ("standard", "4x3"), ("advanced", "2x4"), ("advanced", "4x4")]
#: Milliseconds around a deadline.
AROUND = [-900, -3, -2, -1, 0, 1, 2, 3, LAG_LIMIT - 1, LAG_LIMIT, LAG_LIMIT + 1]
TINY = [("standard", "2x2"), ("advanced", "2x2"), ("standard", "2x3")]
CONTROLS = [UNLIMITED, countdown(2), countdown(5, 1), countdown(1, 2), per_move(1)]
SEATS = [(PERSON, PERSON)] * 4 + [(PERSON, OPEN), (OPEN, OPEN), (PERSON, LEVEL), (LEVEL, PERSON)]


def kind_of(seat: Seat) -> str:
    if seat.is_computer:
        return COMPUTER
    return referee.OPEN if seat.is_open else referee.PERSON


def pair(
    control: Control,
    rules: str = "advanced",
    size: str = "2x4",
    seats: tuple[Seat, Seat] = (PERSON, PERSON),
    is_rated: bool = False,
) -> tuple[Contest, Referee]:
    """The same game for the machine and for the referee, begun at 1000."""
    step = begin(new_game(rules, size, *seats), 1000, control, is_rated=is_rated)
    rows, columns = map(int, size.split("x"))
    other = Referee(
        naive.initial(rules, rows, columns),
        {"x": kind_of(seats[0]), "o": kind_of(seats[1])},
        None if control == UNLIMITED else control.time,
        control.increment,
        control.kind == "per_move",
        is_rated,
        last=1000,
    )
    return step.contest, other


def legal(other: Referee) -> list[str]:
    return [naive.format_move(move) for move in naive.legal_moves(other.board)]


def compare(contest: Contest, other: Referee, now: int) -> None:
    """Hold the machine to the referee in all that players see."""
    game = contest.game
    assert contest.status == other.status
    assert game.result == other.result
    assert game.position == naive.format_board(other.board)
    assert game.ply == other.ply
    assert contest.version == other.changes
    assert contest.at == other.last
    assert contest.is_paused is other.is_paused
    if other.time is not None:
        clock = contest.clock
        running = clock.since is not None
        for color, side in SIDES.items():
            spent = now - (clock.since or 0) if running and color is game.side_to_move else 0
            if not other.is_each or (running and color is game.side_to_move):
                assert clock.left(color) - spent == other.left(side, now)
        deadline = other.deadline()
        assert contest.due == (None if deadline is None else deadline + LAG_LIMIT)
    if contest.offer:
        offer = (contest.offer.kind, SIDES[contest.offer.by], contest.offer.number)
        assert offer == other.offer
    else:
        assert other.offer is None


def through_json(contest: Contest) -> Contest:
    return from_json(json.loads(json.dumps(to_json(contest))), replay=True)


class AgainstTheReferee(RuleBasedStateMachine):
    """Anything that anybody may ask, at any time, twice and out of order."""

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.contest, self.other = pair(
            data.draw(st.sampled_from(CONTROLS)),
            *data.draw(st.sampled_from(BOARDS)),
            data.draw(st.sampled_from(SEATS)),
            data.draw(st.booleans()),
        )
        self.now = 1000
        self.sent: list[tuple[Command, int | None]] = []
        self.events: list[Event] = []
        self.results: set[str] = set()

    @precondition(lambda self: self.other.is_over)
    @rule(data=st.data())
    def begin_another(self, data: st.DataObject) -> None:
        self.begin(data)

    @precondition(lambda self: referee.OPEN in self.other.seats.values())
    @rule()
    def sit_down(self) -> None:
        self.claim("x")
        self.claim("o")

    # Time

    @rule(wait=st.integers(-50, 300))
    def wait(self, wait: int) -> None:
        self.now += wait

    @precondition(lambda self: self.contest.due is not None)
    @rule(before=st.sampled_from([-1, 0, 1, LAG_LIMIT - 1, LAG_LIMIT, LAG_LIMIT + 1, DAY // 2]))
    def wait_until_just_before_a_flag(self, before: int) -> None:
        assert self.contest.due is not None
        self.now = max(self.now, self.contest.due - before)

    @rule()
    def tick(self) -> None:
        self.take(tick(self.contest, self.now), self.other.tick(self.now))

    @precondition(lambda self: self.contest.due is not None)
    @rule(after=st.integers(0, 200))
    def go_down_for_a_while(self, after: int) -> None:
        self.take(pause(self.contest, self.now), self.other.pause(self.now))
        self.try_a_move("x", "a1-a2")
        self.now += after
        self.crash(0, DAY)

    @rule(ago=st.integers(0, 1500), down=st.sampled_from([0, 900, DAY]))
    def crash(self, ago: int, down: int) -> None:
        beat = self.now - ago
        self.now += down
        self.take(resume(self.contest, beat, self.now), self.other.resume(beat, self.now))

    # Commands

    @rule(data=st.data(), wait=st.integers(0, 200))
    def move(self, data: st.DataObject, wait: int) -> None:
        self.now += wait
        self.make_a_move(data, 0)

    @rule(data=st.data())
    def move_at_once(self, data: st.DataObject) -> None:
        self.make_a_move(data, 0)
        self.make_a_move(data, 0)

    @rule(data=st.data(), lag=st.sampled_from([20, 499, 500, 501, 90_000]))
    def move_from_far(self, data: st.DataObject, lag: int) -> None:
        self.make_a_move(data, lag)

    @precondition(lambda self: self.contest.due is not None)
    @rule(data=st.data(), after=st.integers(-2, 2), lag=st.integers(0, 2))
    def move_in_the_last_moment(self, data: st.DataObject, after: int, lag: int) -> None:
        assert self.contest.due is not None
        self.now = max(self.now, self.contest.due - LAG_LIMIT + after)
        self.make_a_move(data, lag)

    def make_a_move(self, data: st.DataObject, lag: int) -> None:
        if self.other.is_over and data.draw(st.booleans()):
            self.begin(data)
        moves = legal(self.other)
        text = data.draw(st.sampled_from(moves)) if moves else "a1-a2"
        side, ply = self.other.side, self.other.ply
        if self.other.seats[side] == COMPUTER:
            self.ask(
                Reply(text), None, lambda: self.other.move(side, text, ply, 0, self.now, COMPUTER)
            )
        else:
            act = Play(text, lag)
            self.ask(act, side, lambda: self.other.move(side, text, ply, lag, self.now))

    @rule(side=st.sampled_from("xo"), text=st.sampled_from(["a1-a2", "a1-b1", "b2-a2", "a1-c1"]))
    def try_a_move(self, side: str, text: str) -> None:
        ply = self.other.ply
        self.ask(Play(text), side, lambda: self.other.move(side, text, ply, 0, self.now))

    @rule(side=st.sampled_from("xo"), by=st.sampled_from([-1, 1, 2]))
    def be_stale(self, side: str, by: int) -> None:
        ply = self.other.ply + by
        self.ask(Resign(), side, lambda: self.other.resign(side, ply, self.now), ply=ply)

    @rule(side=st.sampled_from("xo"))
    def claim(self, side: str) -> None:
        self.ask(Claim(COLORS[side]), None, lambda: self.other.claim(side, self.now))

    @precondition(lambda self: self.other.ply > 0 and not self.other.is_over)
    @rule(side=st.sampled_from("xo"), wait=st.integers(0, 99))
    def agree_to_take_back(self, side: str, wait: int) -> None:
        self.take_back(side)
        self.now += wait
        self.answer(naive.opponent(side), 0, True)

    @rule(side=st.sampled_from("xo"))
    def take_back(self, side: str) -> None:
        ply = self.other.ply
        self.ask(TakeBack(), side, lambda: self.other.take_back(side, ply, self.now))

    @rule(side=st.sampled_from("xo"), off=st.sampled_from([0, 0, 0, 1]), is_yes=st.booleans())
    def answer(self, side: str, off: int, is_yes: bool) -> None:
        number = (self.contest.offer.number if self.contest.offer else 1) + off
        ply = self.other.ply
        if is_yes:
            act: Act = Accept(number)
            self.ask(act, side, lambda: self.other.accept(side, number, ply, self.now))
        else:
            act = Decline(number)
            self.ask(act, side, lambda: self.other.decline(side, number, ply, self.now))

    @precondition(lambda self: self.other.ply > 3)
    @rule(side=st.sampled_from("xo"))
    def resign(self, side: str) -> None:
        ply = self.other.ply
        self.ask(Resign(), side, lambda: self.other.resign(side, ply, self.now))

    @precondition(lambda self: self.now % 5 == 0)
    @rule(side=st.sampled_from("xo"))
    def abort(self, side: str) -> None:
        ply = self.other.ply
        self.ask(Abort(), side, lambda: self.other.abort(side, ply, self.now))

    @precondition(lambda self: self.other.is_over or self.now % 9 == 0)
    @rule(side=st.sampled_from("xo"))
    def rematch(self, side: str) -> None:
        ply = self.other.ply
        self.ask(Rematch("next"), side, lambda: self.other.rematch(side, ply, self.now))

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        """What was applied gets the same answer; nothing changes by it."""
        command, number = data.draw(st.sampled_from(self.sent))
        if number is None:
            return
        step, refused = None, ""
        try:
            step = apply(self.contest, command, self.now)
        except GameError as refusal:
            refused = refusal.code
        # Only what is long ago is not known any more.
        assert refused in ("", "game.old")
        if step is not None and step.event is None:
            assert step.contest is self.contest
            assert step.answer is not None
            assert step.answer.number == number
        elif step is not None:
            # It was forgotten, and found a flag that had not been seen yet.
            assert step.event is not None
            assert step.event.kind == "flagged"
            assert self.other.tick(self.now)
            self.take(step, True)

    # How it is asked and judged

    def ask(self, act: Act, side: str | None, judge: Any, ply: int | None = None) -> None:
        command = Command(
            act,
            self.other.ply if ply is None else ply,
            None if side is None else COLORS[side],
            f"c{len(self.sent)}",
            self.contest.version,
        )
        changes = self.other.changes
        is_done = judge()
        is_changed = self.other.changes > changes
        try:
            step = apply(self.contest, command, self.now)
        except FormsError:
            assert not is_done
            assert not is_changed
            self.sent.append((command, None))
            return
        assert step.answer is not None
        assert step.event is not None
        assert step.answer.number == step.event.number
        assert (step.refusal is None) is is_done
        self.sent.append((command, step.event.number))
        self.take(step, is_changed)

    def take(self, step: Step, is_changed: bool) -> None:
        old, self.contest = self.contest, step.contest
        assert (step.event is not None) is is_changed
        if step.event is None:
            assert step.contest is old
            return
        event = step.event
        assert event.number == self.contest.version == old.version + 1
        assert event.at == self.contest.at >= old.at
        assert (event.ply, event.result) == (self.contest.game.ply, self.contest.game.result)
        assert event.status == self.contest.status
        if event.left is not None:
            assert min(event.left) >= 0
        self.events.append(event)
        self.now = max(self.now, self.contest.at)
        if not self.other.is_alone or self.other.is_rated:
            if event.result != "*":
                self.results.add(event.result)
            assert len(self.results) <= 1
        if step.rematch:
            begun = step.rematch.contest
            assert (begun.game.ply, begun.version, begun.status) == (0, 1, "playing")
            assert (begun.game.black, begun.game.white) == (old.game.white, old.game.black)
        for color in step.notify:
            assert self.contest.game.seat(color) == PERSON

    @invariant()
    def agree(self) -> None:
        if hasattr(self, "contest"):
            compare(self.contest, self.other, max(self.now, self.contest.at))
            assert through_json(self.contest) == self.contest
            assert [event.number for event in self.events] == list(
                range(2, self.contest.version + 1)
            )


TestAgainstTheReferee = AgainstTheReferee.TestCase
TestAgainstTheReferee.settings = settings(examples(80), stateful_step_count=40)


# Ten thousand games that are decided by milliseconds


def after_moves(board: naive.Board) -> dict[str, naive.Board]:
    return {
        naive.format_move(move): naive.apply(board, move).board for move in naive.legal_moves(board)
    }


def test_games_decided_by_milliseconds_have_one_result_and_the_right_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The judge here knows a table of all boards, and when each move was sent and arrived."""
    monkeypatch.setattr("formsgame.server.contest.moved", cache(moved))
    following = cache(lambda text: after_moves(naive.parse_board(text)))
    rng = random.Random(5)
    starts = [new_game(*kind, PERSON, PERSON) for kind in TINY]
    results = Counter[str]()
    for number in range(10_000):
        control = rng.choice([countdown(1), countdown(1, 1), countdown(2), per_move(1)])
        contest = begin(rng.choice(starts), 0, control).contest
        board = naive.parse_board(contest.game.start)
        left = {"x": control.time, "o": control.time}
        started, expected, ends, sent = 0, "", 0, 0
        while not expected:
            side = board.side
            deadline = started + left[side]
            arrives = max(started, deadline + rng.choice(AROUND))
            lag = rng.choice([0, 0, 1, 2, LAG_LIMIT, 10 * LAG_LIMIT])
            spent = max(0, arrives - started - min(lag, LAG_LIMIT))
            text = rng.choice(list(following(naive.format_board(board))))
            move = Command(Play(text, lag), contest.game.ply, COLORS[side], f"{sent}", sent)
            sent = contest.version
            # What else happens before: a look at the clock too early, and the other's commands.
            if rng.random() < 0.3:
                early = rng.randint(started, max(started, deadline + LAG_LIMIT - 1))
                assert tick(contest, early).event is None
            if rng.random() < 0.1:
                # The sweeper looks first, at the last or the first moment that matters.
                look = deadline + LAG_LIMIT + rng.choice([-1, 0, 1])
                step = tick(contest, look)
                is_fallen = look >= deadline + LAG_LIMIT
                if arrives > look and is_fallen:
                    contest, ends = step.contest, ends + 1
                    expected = {"x": "W+T", "o": "B+T"}[side]
            if not expected:
                step = apply(contest, move, arrives)
                contest = step.contest
                if spent < left[side]:
                    assert step.refusal is None
                    board = following(naive.format_board(board))[text]
                    left[side] -= spent
                    left[side] += control.increment
                    if control.kind == "per_move":
                        left[side] = control.time
                    started = arrives
                    won = naive.winner(board)
                    expected = {None: "", "x": "B+", "o": "W+"}[won]
                else:
                    assert step.refusal is not None
                    expected = {"x": "W+T", "o": "B+T"}[side]
                ends += contest.status == "finished"
                again = apply(contest, move, arrives + 1)
                assert (again.event, again.contest, again.answer) == (None, contest, step.answer)
            for late in (arrives, arrives + 10 * DAY):
                if expected:
                    assert tick(contest, late).event is None
                    with pytest.raises(GameError):
                        apply(contest, Command(Resign(), contest.game.ply, BLACK), late)
        assert (contest.status, contest.game.result, ends) == ("finished", expected, 1), number
        results[expected] += 1
    assert min(results[one] for one in ("B+", "W+", "B+T", "W+T")) > 200
