"""What is promised about games between two seats, one promise at a time, and their JSON."""

from __future__ import annotations

import copy
import json
import random
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formsgame.errors import FormsError, IllegalMoveError
from formsgame.position import Position
from formsgame.rules import BLACK, WHITE, Color
from formsgame.server.clock import (
    DAY,
    LAG_LIMIT,
    LONGEST,
    UNLIMITED,
    Control,
    countdown,
    per_move,
)
from formsgame.server.contest import (
    ID_LENGTH,
    KEPT,
    Abort,
    Accept,
    Act,
    Claim,
    Command,
    Contest,
    Decline,
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
from formsgame.server.livegame import OPEN, PERSON, Seat, new_game
from formsgame.server.refusals import GameError

COMPUTER = Seat(2)


def started(
    control: Control = UNLIMITED,
    black: Seat = PERSON,
    white: Seat = PERSON,
    size: str = "4x4",
    **options: bool,
) -> Contest:
    return begin(new_game("advanced", size, black, white), 0, control, **options).contest


def first_move(contest: Contest) -> str:
    return str(Position.parse(contest.game.position).legal_moves[0])


def ask(contest: Contest, act: Act, by: Color | None, now: int = 0, id: str | None = None) -> Step:
    seen = None if id is None else contest.version
    return apply(contest, Command(act, contest.game.ply, by, id, seen), now)


def moved(contest: Contest, now: int = 0, lag: int = 0) -> Contest:
    return ask(contest, Play(first_move(contest), lag), contest.game.side_to_move, now).contest


def code_of(contest: Contest, act: Act, by: Color | None, now: int = 0) -> str:
    with pytest.raises(FormsError) as caught:
        ask(contest, act, by, now)
    return caught.value.code


def test_it_begins_when_both_are_there() -> None:
    contest = started(countdown(60), OPEN, OPEN)
    assert (contest.status, contest.version, contest.due) == ("created", 1, None)
    assert code_of(contest, Play("a4-a3"), BLACK) == "game.no_seat"
    first = ask(contest, Claim(WHITE), None, 10)
    assert (first.contest.status, first.contest.due, first.notify) == ("waiting", None, ())
    assert code_of(first.contest, Resign(), WHITE) == "game.waiting"
    second = ask(first.contest, Claim(), None, 5000)
    assert (second.contest.status, second.contest.due) == ("playing", 65_000 + LAG_LIMIT)
    assert second.notify == (WHITE,)
    assert second.event
    assert (second.event.kind, second.event.by, second.event.number) == ("claimed", BLACK, 3)
    assert code_of(second.contest, Claim(), None) == "game.taken"
    assert code_of(second.contest, Claim(WHITE), None) == "game.taken"


def test_a_claim_is_known_again_by_an_id_that_was_a_claims() -> None:
    contest = started(UNLIMITED, PERSON, OPEN)
    claim = Command(Claim(), 0, None, "secret", 1)
    step = apply(contest, claim, 0)
    assert step.answer
    assert step.answer.claimed is WHITE
    again = apply(step.contest, claim, 9)
    assert (again.answer, again.event, again.contest) == (step.answer, None, step.contest)
    # The id of somebody's move is no secret: whoever sends it as a claim gets no seat.
    after = ask(step.contest, Play(first_move(contest)), BLACK, 10, "known").contest
    with pytest.raises(GameError, match=r"taken|gone on"):
        apply(after, Command(Claim(), 0, None, "known", 1), 0)
    local = started(is_local=True)
    local = ask(local, Play(first_move(local)), None, 10, "known").contest
    with pytest.raises(GameError, match=r"taken|gone on"):
        apply(local, Command(Claim(), 0, None, "known", 1), 0)


def test_a_claim_that_found_the_time_over_is_known_again() -> None:
    contest = started(countdown(1))
    claim = Command(Claim(), 0, None, "secret", 1)
    step = apply(contest, claim, 10_000)
    assert step.refusal
    assert step.answer
    assert step.answer.claimed is None
    assert apply(step.contest, claim, 10_001) == Step(step.contest, answer=step.answer)


def test_of_many_commands_for_one_ply_one_is_done() -> None:
    contest = started()
    command = Play(first_move(contest))
    contest = ask(contest, command, BLACK, 0, "0").contest
    for number in range(1, 50):
        with pytest.raises(GameError) as caught:
            apply(contest, Command(command, 0, BLACK, str(number), 1), 0)
        assert caught.value.code == "game.stale"
        assert caught.value.data == {"known": 0, "found": 1}


def test_what_is_long_ago_is_refused_and_not_done_again() -> None:
    """A takeback makes the ply of an old move fit again; its id alone would be forgotten."""
    contest = started()
    sent: list[Command] = []

    def send(act: Act, by: Color) -> Step:
        nonlocal contest
        command = Command(act, contest.game.ply, by, str(len(sent)), contest.version)
        sent.append(command)
        step = apply(contest, command, 0)
        contest = step.contest
        return step

    send(Play(first_move(contest)), BLACK)
    send(TakeBack(), BLACK)
    send(Accept(contest.version), WHITE)
    assert contest.game.ply == 0
    while len(sent) < 3 * KEPT:
        send(Play(first_move(contest)), BLACK)
        send(TakeBack(), BLACK)
        send(Accept(contest.version), WHITE)
    assert len(contest.answers) == KEPT
    for number, command in enumerate(sent):
        if number >= len(sent) - KEPT:
            step = apply(contest, command, 0)
            assert step.contest is contest
            assert step.answer
            assert step.answer.number == number + 2
        else:
            with pytest.raises(GameError) as caught:
                apply(contest, command, 0)
            assert caught.value.code == "game.old"
    # Whoever has seen what is so now is heard.
    send(Play(first_move(contest)), BLACK)


def test_a_move_that_arrives_with_time_left_counts() -> None:
    contest = started(countdown(1))
    assert moved(contest, 999).clock.black == 1
    late = ask(contest, Play(first_move(contest)), BLACK, 1000)
    assert late.refusal
    assert late.refusal.code == "game.flagged"
    assert (late.contest.game.result, late.contest.clock.black) == ("W+T", 0)
    assert late.contest.game.ply == 0
    # What the way took is forgiven, within the bound.
    assert moved(contest, 1000 + LAG_LIMIT - 1, LAG_LIMIT).clock.black == 1
    for lag in (LAG_LIMIT, 10 * LAG_LIMIT):
        assert ask(contest, Play("a4-a3", lag), BLACK, 1000 + LAG_LIMIT).refusal
    assert moved(contest, 1000 + LAG_LIMIT - 1, 10 * LAG_LIMIT).clock.black == 1
    # And never more than the turn took.
    assert moved(contest, 100, LAG_LIMIT).clock.black == 1000


def test_a_flag_falls_with_nobody_there_and_not_before_a_move_may_come() -> None:
    contest = started(countdown(2, 1))
    assert contest.due == 2000 + LAG_LIMIT
    assert tick(contest, contest.due - 1) == Step(contest)
    step = tick(contest, contest.due)
    assert (step.contest.game.result, step.notify) == ("W+T", (BLACK, WHITE))
    assert step.contest.due is None
    assert tick(step.contest, 10**12) == Step(step.contest)
    # Whose command finds it first is told so.
    found = ask(contest, Resign(), WHITE, contest.due)
    assert found.refusal
    assert found.contest.game.result == "W+T"


def test_increments_and_days_are_given() -> None:
    contest = moved(started(countdown(10, 3)), 4000)
    assert (contest.clock.black, contest.clock.white, contest.clock.since) == (9000, 10_000, 4000)
    contest = moved(started(per_move(2)), DAY)
    assert contest.due == 3 * DAY + LAG_LIMIT
    contest = moved(contest, 3 * DAY - 1)
    assert contest.due == 5 * DAY - 1 + LAG_LIMIT


def test_no_clock_runs_after_the_end() -> None:
    contest = started(countdown(100), size="2x2")
    now = 0
    while contest.status == "playing":
        now += 1000
        contest = moved(contest, now)
    assert contest.due is None
    assert contest.clock.black + contest.clock.white == 200_000 - now
    over = begin(new_game(None, None, PERSON, PERSON, "xx o standard"), 0, countdown(1)).contest
    assert (over.status, over.due, over.game.result) == ("finished", None, "W+")


def test_time_never_runs_backwards() -> None:
    contest = moved(started(countdown(10)), 4000)
    contest = moved(contest, 1000)
    assert (contest.at, contest.clock.white) == (4000, 10_000)


def test_what_was_faster_does_not_make_a_move_late() -> None:
    contest = moved(started(countdown(2)), 1000)
    # White's move arrives with 10 ms left; Black's offer, a moment later, is dealt with first.
    contest = ask(contest, TakeBack(), BLACK, 3020).contest
    contest = moved(contest, 2990)
    assert (contest.status, contest.at, contest.clock.white) == ("playing", 3020, 10)
    assert contest.due == 2990 + 1000 + LAG_LIMIT
    assert from_json(to_json(contest)) == contest


@pytest.mark.parametrize(("control", "most"), [(countdown(10), 10_000), (per_move(1), DAY)])
def test_downtime_is_not_charged(control: Control, most: int) -> None:
    contest = resume(started(control), 3000, 900_000).contest
    assert contest.clock.black == most - 3000
    assert contest.due == 900_000 + most - 3000 + LAG_LIMIT
    # The same once more changes nothing.
    assert resume(contest, 3000, 950_000) == Step(contest)
    # What has happened after the heartbeat proves that the server was there.
    contest = moved(started(control), 5000)
    contest = ask(contest, TakeBack(), BLACK, 6000).contest
    assert resume(contest, 4000, 900_000).contest.clock.white == most - 1000
    # Time that was over before the server went down stays over.
    late = started(countdown(1))
    assert resume(late, 999, 10**6).contest.status == "playing"
    assert resume(late, 1000, 10**6).contest.game.result == "W+T"
    # Games without a limit, or over, need nothing.
    for still in (started(), ask(started(countdown(1)), Resign(), BLACK).contest):
        assert resume(still, 0, 10**6) == Step(still)
        assert pause(still, 10**6) == Step(still)


def test_pausing_never_gives_time_back() -> None:
    contest = started(countdown(10))
    now = 0
    for number in range(1, 10):
        stopped = pause(contest, now + 1000).contest
        assert (stopped.is_paused, stopped.due) == (True, None)
        assert stopped.clock.black == 10_000 - 1000 * number
        assert code_of(stopped, Play(first_move(stopped)), BLACK, now + 1001) == "game.paused"
        assert pause(stopped, now + 1500) == Step(stopped)
        assert tick(stopped, 10**9) == Step(stopped)
        now += 50_000
        contest = resume(stopped, 0, now).contest
    assert pause(contest, now + 1000).contest.game.result == "W+T"


def test_a_takeback_needs_consent_and_gives_no_time_back() -> None:
    contest = moved(moved(started(countdown(100, 5)), 10_000), 30_000)
    assert (contest.clock.black, contest.clock.white) == (95_000, 85_000)
    step = ask(contest, TakeBack(), WHITE, 40_000)
    assert step.event
    assert (step.event.kind, step.notify, step.event.left) == (
        "takeback_offered",
        (BLACK,),
        (85_000, 85_000),
    )
    number = step.event.number
    assert code_of(step.contest, TakeBack(), BLACK) == "game.offer_open"
    assert code_of(step.contest, Accept(number), WHITE) == "game.no_offer"
    assert code_of(step.contest, Accept(number - 1), BLACK) == "game.no_offer"
    back = ask(step.contest, Accept(number), BLACK, 45_000)
    assert back.contest.game == moved(started(countdown(100, 5)), 10_000).game
    clock = back.contest.clock
    assert (clock.black, clock.white, clock.since) == (80_000, 85_000, 45_000)
    assert back.notify == (WHITE,)
    # Asked by the side to move, two plies go; a move, a no and a change of mind end the offer.
    twice = ask(contest, TakeBack(), BLACK, 40_000).contest
    assert ask(twice, Accept(twice.version), WHITE, 40_000).contest.game.ply == 0
    for step in (
        ask(twice, Decline(twice.version), BLACK),
        ask(twice, Decline(twice.version), WHITE),
        ask(twice, Play(first_move(twice)), BLACK, 41_000),
    ):
        assert step.contest.offer is None
        assert code_of(step.contest, Accept(twice.version), WHITE) == "game.no_offer"
    assert code_of(started(), TakeBack(), WHITE) == "game.nothing_to_undo"


def test_who_agrees_too_late_finds_the_time_over() -> None:
    contest = moved(started(countdown(2)), 1000)
    contest = ask(contest, TakeBack(), BLACK, 1500).contest
    step = ask(contest, Accept(contest.version), WHITE, 3000)
    assert step.refusal
    assert step.contest.game.result == "B+T"


def test_against_the_computer_nobody_is_asked_unless_it_is_rated() -> None:
    contest = moved(started(black=PERSON, white=COMPUTER))
    back = ask(contest, TakeBack(), BLACK)
    assert (back.contest.game.ply, back.contest.offer) == (0, None)
    contest = moved(started(black=PERSON, white=COMPUTER, is_rated=True))
    assert code_of(contest, TakeBack(), BLACK) == "game.rated"
    assert code_of(contest, Play("a1-a2"), BLACK) == "game.not_your_turn"
    replied = ask(contest, Reply(first_move(contest)), None)
    assert (replied.contest.game.ply, replied.notify) == (2, (BLACK,))
    assert code_of(replied.contest, Reply("a1-a2"), None) == "game.other_turn"
    # An end on the board is taken back like a move, unless the next game has begun.
    over = started(size="2x2", is_local=True)
    while over.status == "playing":
        step = ask(over, Play(first_move(over)), None)
        assert step.notify == ()  # whoever plays here is looking
        over = step.contest
    assert ask(over, TakeBack(), None).contest.status == "playing"
    begun = ask(over, Rematch("next"), None).contest
    assert code_of(begun, TakeBack(), None) == "game.finished"
    with pytest.raises(GameError, match="rated"):
        started(is_local=True, is_rated=True)


def test_a_game_is_aborted_only_before_both_have_moved() -> None:
    for contest in (started(), moved(started()), started(UNLIMITED, PERSON, OPEN)):
        for color in Color:
            if contest.game.seat(color) != PERSON:
                continue
            step = ask(contest, Abort(), color)
            assert (step.contest.status, step.contest.game.result) == ("aborted", "*")
            assert code_of(step.contest, Resign(), BLACK) == "game.finished"
    contest = moved(moved(started()))
    assert code_of(contest, Abort(), BLACK) == "game.too_late"
    assert code_of(contest, Abort(), WHITE) == "game.too_late"
    # Nor by taking moves back first.
    contest = ask(contest, TakeBack(), BLACK).contest
    contest = ask(contest, Accept(contest.version), WHITE).contest
    assert contest.game.ply == 0
    assert code_of(contest, Abort(), BLACK) == "game.too_late"
    assert code_of(moved(contest), Abort(), WHITE) == "game.too_late"


def test_a_rematch_is_agreed_by_both_and_begins_at_once() -> None:
    contest = ask(started(countdown(60), is_rated=True), Resign(), WHITE, 5000).contest
    assert contest.game.result == "B+R"
    assert code_of(started(), Rematch("new"), BLACK) == "game.unfinished"
    offered = ask(contest, Rematch("one"), BLACK, 6000)
    assert (offered.notify, offered.rematch) == ((WHITE,), None)
    assert code_of(offered.contest, Rematch("two"), BLACK) == "game.offer_open"
    assert code_of(offered.contest, Accept(offered.contest.version), WHITE) == "game.no_offer"
    agreed = ask(offered.contest, Rematch("three"), WHITE, 7000)
    assert agreed.contest.next_id == "three"
    assert agreed.rematch
    new = agreed.rematch.contest
    assert (new.due, new.is_rated, new.version) == (67_000 + LAG_LIMIT, True, 1)
    assert code_of(agreed.contest, Rematch("four"), BLACK) == "game.rematch"
    declined = ask(offered.contest, Decline(offered.contest.version), WHITE).contest
    assert declined.offer is None
    alone = ask(started(black=PERSON, white=COMPUTER), Resign(), BLACK).contest
    begun = ask(alone, Rematch("next"), BLACK).rematch
    assert begun
    assert (begun.contest.game.black, begun.contest.game.white) == (COMPUTER, PERSON)


def test_only_who_holds_a_seat_is_heard() -> None:
    contest = started(white=COMPUTER)
    for act in (Play("a4-a3"), Resign(), TakeBack(), Abort(), Rematch("x"), Accept(1), Decline(1)):
        assert code_of(contest, act, None) == "game.no_seat"
        assert code_of(contest, act, WHITE) == "game.no_seat"
    assert code_of(contest, Reply("a4-a3"), BLACK) == "game.no_seat"
    assert code_of(contest, Claim(), BLACK) == "game.no_seat"
    two = started()
    assert code_of(two, Play("a4-a3"), WHITE) == "game.other_turn"
    with pytest.raises(IllegalMoveError):
        ask(two, Play("a1-a2"), BLACK)


def test_ids_are_plain_and_say_what_was_seen() -> None:
    for bad in ("", "x" * (ID_LENGTH + 1), "é", "a\nb"):
        with pytest.raises(GameError, match="needs an id"):
            Command(Resign(), 0, BLACK, bad, 1)
        over = ask(started(), Resign(), BLACK).contest
        assert code_of(over, Rematch(bad), WHITE) == "game.command"
    with pytest.raises(GameError, match="needs an id"):
        Command(Resign(), 0, BLACK, "id")


@given(st.sampled_from(["countdown", "per_move"]), st.integers(1, LONGEST // 1000), st.data())
def test_controls_are_read_as_they_are_written(kind: Any, seconds: int, data: Any) -> None:
    most = LONGEST // 1000 if kind == "countdown" else 0
    control = Control(kind, seconds * 1000, data.draw(st.integers(0, min(most, 10**6))) * 1000)
    assert Control.parse(control.text) == control


def test_controls_that_can_not_be_are_refused() -> None:
    assert [one.text for one in (UNLIMITED, countdown(300), countdown(300, 3), per_move(3))] == [
        *["-", "300", "300+3", "1/259200"]
    ]
    for text in ("", "0", "0+1", "1/0", "300+", "300+0", "1/60+1", "5:00", "31622401", "-1", "３"):
        with pytest.raises(GameError, match="is not a time control"):
            Control.parse(text)
    bad: list[tuple[Any, int, int]] = [
        ("countdown", 0, 0),
        ("countdown", 1500, 0),
        ("unlimited", 1000, 0),
    ]
    for wrong in bad:
        with pytest.raises(GameError, match="is not a time control"):
            Control(*wrong)


# JSON


def some_states() -> list[Contest]:
    """States that among them use every entry."""
    open_game = started(countdown(5), PERSON, OPEN)
    claimed = ask(open_game, Claim(), None, 5, "claim").contest
    played = ask(claimed, Play(first_move(claimed)), BLACK, 700, "one").contest
    offered = ask(played, TakeBack(), BLACK, 800, "two").contest
    late = ask(offered, Play(first_move(offered)), WHITE, 10_000, "late").contest
    given_up = ask(offered, Resign(), WHITE, 900).contest
    again = ask(given_up, Rematch("next"), WHITE, 950).contest
    return [
        *[open_game, claimed, played, offered, late, given_up, again],
        ask(again, Rematch("next"), BLACK, 960).contest,
        ask(open_game, Abort(), BLACK, 9).contest,
        resume(pause(played, 900).contest, 0, 10_000).contest,
        started(per_move(3), white=COMPUTER, is_rated=True),
        started(is_local=True),
    ]


def test_states_come_back_from_json() -> None:
    for contest in some_states():
        assert from_json(json.loads(json.dumps(to_json(contest))), replay=True) == contest


WRONG: list[Any] = [None, True, -1, 10**20, 0.5, "", "x", "a1-a2", "\x00", [], [0], {}, {"x": 1}]


def spoilt(value: Any, rng: random.Random) -> Any:
    """The value with one part of it replaced, taken out or added."""
    value = copy.deepcopy(value)
    inside = value
    while True:
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        if not keys:
            inside.update({"new": 1}) if isinstance(inside, dict) else inside.append(1)
            return value
        key = rng.choice(keys)
        if isinstance(inside[key], dict | list) and rng.random() < 0.7:
            inside = inside[key]
            continue
        if rng.random() < 0.2:
            del inside[key]
        else:
            inside[key] = rng.choice(WRONG)
        return value


def test_any_json_is_a_state_or_a_clear_error() -> None:
    rng = random.Random(1)
    states = [to_json(contest) for contest in some_states()]
    refused = 0
    found, sentences = set[str](), list[str]()
    for _ in range(4000):
        data = spoilt(rng.choice(states), rng)
        try:
            contest = from_json(data)
        except GameError as error:
            refused += 1
            found.add(error.code)
            sentences.append(str(error))
            continue
        assert to_json(contest) == data
        # What is read can be driven.
        number = contest.offer.number if contest.offer else 1
        for act in (Resign(), TakeBack(), Abort(), Play("a1-a2"), Accept(number), Rematch("x")):
            for color in Color:
                with suppress(FormsError):
                    ask(contest, act, color, contest.at + 1)
    assert refused > 3000
    assert found == {"game.json"}
    assert all(one.isprintable() for one in sentences)
    for value in WRONG:
        with pytest.raises(GameError):
            from_json(value)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"format": 2}, "game.format"),
        ({"moves": ["a4-a3"]}, "game.position"),
        ({"version": 0}, "game.version"),
        ({"black": 99}, "game.black"),
        ({"rules": "standard"}, "game.start"),
        ({"since": 5, "control": "-"}, "game.control"),
        ({"left": [1, 2, 3]}, "game.left"),
        ({"left": [1, "2"]}, "game.left"),
        ({"offer": {"kind": "takeback", "by": "x", "number": 9}}, "game.offer"),
        ({"offer": {"kind": "takeback", "by": "z", "number": 1}}, "game.offer.by"),
        ({"answers": [{}]}, r"game.answers\[0\].by"),
        ({"ending": {"reason": "aborted", "loser": "x"}}, "game.ending.loser"),
        ({"ending": {"reason": "time", "loser": "x"}}, "game.since"),
        ({"next_id": "soon"}, "game.next_id"),
        ({"more": 1}, "game.more"),
    ],
)
def test_errors_say_where(change: dict[str, Any], place: str) -> None:
    data = {**to_json(started(countdown(9), size="4x4")), **change}
    with pytest.raises(GameError, match=f"^stored game: {place}: "):
        from_json(data)


def test_moves_are_replayed_on_demand() -> None:
    contest = moved(moved(started()))
    other = replace(contest.game, position=started().game.position)
    data = to_json(replace(contest, game=other))
    assert from_json(data).game == other
    with pytest.raises(GameError, match="moves: they lead to"):
        from_json(data, replay=True)
    with pytest.raises(GameError, match="size: the start position is of 4x4"):
        from_json({**to_json(contest), "size": "8x8"}, replay=True)
    illegal = to_json(replace(contest, game=replace(contest.game, moves=("a1-a2", "a1-a3"))))
    with pytest.raises(GameError, match="moves: "):
        from_json(illegal, replay=True)
