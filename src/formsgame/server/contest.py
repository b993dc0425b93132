"""A game between two seats as a pure state machine: command and time in, new state and event out.

Nothing here stores, waits or looks at a clock. Whoever drives the machine keeps its states, tells
it what is asked, by whom (after having checked that they hold the seat) and when in the server's
time, and does what a `Step` says: store the new state on condition that the stored one still has
the version before it, add its event to those of the game, then tell players and watchers, and
come back with `tick` when it is `due`.

**Versions.** Each change makes one event and raises the version by one; the event's number is the
version, so events have no gaps, and who knows the state of version n misses the events from
n + 1 on.

**Commands** are applied once or refused. One that was applied is known again by its id and gets
the same answer. Only the last `KEPT` are known; an older one is told by what its sender had
`seen` and refused. What is refused leaves no trace.

**Time.** A move counts if it arrives before the deadline, its measured lag forgiven up to
`clock.LAG_LIMIT`. So that a move on its way is not cut off, a flag falls that much after the
deadline, at the first command or `tick` from then on. Time never runs backwards: a `now` before
the last change counts as the time of that change, but a move as having arrived when it did, if
what was faster was no move.

**After a crash** call `resume` with the last heartbeat before anything else is asked of a game.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from formsgame.rules import Color
from formsgame.server.clock import UNLIMITED, Clock, Control
from formsgame.server.livegame import (
    ABORTED,
    OPEN,
    PERSON,
    Ending,
    LiveGame,
    again,
    moved,
    taken_back,
)
from formsgame.server.refusals import GameError

#: How many commands are known again.
KEPT = 32

#: The longest id of a command or of a game.
ID_LENGTH = 64

Status = Literal["created", "waiting", "playing", "finished", "aborted"]

Kind = Literal[
    "created",
    "claimed",
    "moved",
    "taken_back",
    "takeback_offered",
    "rematch_offered",
    "rematch_agreed",
    "declined",
    "withdrawn",
    "resigned",
    "flagged",
    "aborted",
    "paused",
    "resumed",
]


# What can be asked


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody without a seat takes an open one: that of a color, or the first.

    Who sends the id of a claim again is told that the seat is theirs, so it must be hard to guess.
    """

    color: Color | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """A person moves; `lag` is the time that the server measured for the way, in milliseconds."""

    move: str
    lag: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """The computer moves."""

    move: str


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take back one's own last move and what followed.

    Against the computer, and where both play on one device, that is done at once, also where the
    game has ended on the board; to another person it is an offer.
    """


@dataclass(frozen=True, slots=True)
class Accept:
    """Agree to the takeback that the event of this number offered."""

    offer: int


@dataclass(frozen=True, slots=True)
class Decline:
    """Turn down the offer of this number, or withdraw one's own."""

    offer: int


@dataclass(frozen=True, slots=True)
class Resign:
    """Give up: one's own color; on one device that of the person, or the side to move."""


@dataclass(frozen=True, slots=True)
class Abort:
    """End the game without a result, which either side may before both have moved."""


@dataclass(frozen=True, slots=True)
class Rematch:
    """Offer another game with the colors changed, or agree to it; it would have this id."""

    next_id: str


Act = Claim | Play | Reply | TakeBack | Accept | Decline | Resign | Abort | Rematch


@dataclass(frozen=True, slots=True)
class Command:
    """An act, from whom, and what they knew of the game.

    `ply` is the number of plies they had seen, `seen` the version. `by` is the color whose seat
    they hold: None for claims, for the computer, and where both colors play on one device. `id`
    tells the command from all others of that seat; one without an id is never sent again.
    """

    act: Act
    ply: int
    by: Color | None = None
    id: str | None = None
    seen: int | None = None

    def __post_init__(self) -> None:
        if self.id is not None and (not is_id(self.id) or self.seen is None):
            raise GameError("game.command")


def is_id(text: str) -> bool:
    """Tell whether a text can be the id of a command or a game."""
    return 0 < len(text) <= ID_LENGTH and text.isascii() and text.isprintable()


# What comes of it


@dataclass(frozen=True, slots=True)
class Offer:
    """What one side has offered to the other, in the event of that number."""

    kind: Literal["takeback", "rematch"]
    by: Color
    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a command: it made the event of that number.

    `claimed` is the seat that a claim took. Where `code` is set, the command itself was refused:
    it found the time over.
    """

    by: Color | None
    id: str | None
    number: int
    code: str | None = None
    claimed: Color | None = None

    def is_of(self, command: Command) -> bool:
        """Tell whether it was this command that is answered."""
        if isinstance(command.act, Claim) and self.claimed is None and self.code is None:
            return False  # somebody's move had that id; nobody gets a seat by it
        return (self.id, self.by) == (command.id, command.by)


@dataclass(frozen=True, slots=True)
class Contest:
    """A game with everything around it; see the module.

    `at` is the time of the last change, `resumed` that of the last `resume`. `is_local` says that
    both colors play on one device, or one person plays the computer there. `next_id` is the
    rematch's game, once agreed.
    """

    game: LiveGame
    clock: Clock
    version: int
    at: int
    is_local: bool = False
    is_rated: bool = False
    have_both_moved: bool = False
    offer: Offer | None = None
    next_id: str | None = None
    resumed: int = 0
    answers: tuple[Answer, ...] = ()
    forgotten: int = 0

    @property
    def status(self) -> Status:
        """How far the game is."""
        if self.game.ending == ABORTED:
            return "aborted"
        if self.game.is_over:
            return "finished"
        empty = sum(seat.is_open for seat in (self.game.black, self.game.white))
        return ("playing", "waiting", "created")[empty]

    @property
    def is_paused(self) -> bool:
        """Whether the clocks stand still although the game goes on."""
        is_timed = self.clock.control.kind != "unlimited"
        return is_timed and self.clock.since is None and self.status == "playing"

    @property
    def is_alone(self) -> bool:
        """Whether nobody has to be asked: on one device, and against the computer."""
        return self.is_local or not (self.game.black.is_person and self.game.white.is_person)

    @property
    def due(self) -> int | None:
        """When the flag of the side to move falls; None if no clock runs."""
        return self.clock.due(self.game.side_to_move)


@dataclass(frozen=True, slots=True)
class Event:
    """What has changed, for whoever follows the game: the numbers have no gaps.

    `left` is what Black and White had left at `at`, None in a game without a limit; `by` is whose
    doing it was, for a flag whose it was.
    """

    number: int
    at: int
    kind: Kind
    by: Color | None
    ply: int
    status: Status
    result: str
    left: tuple[int, int] | None
    move: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """The state after a command, and what is to be done about it.

    With an event: store the state in the place of the version before, and the event. Without one
    nothing has changed. `answer` is for the sender; `notify` are the people who are to be told
    even if they are not looking; `rematch` is to be stored as a game of the id `next_id`, together
    with the state.
    """

    contest: Contest
    event: Event | None = None
    answer: Answer | None = None
    notify: tuple[Color, ...] = ()
    rematch: Step | None = None

    @property
    def refusal(self) -> GameError | None:
        """Why the command was refused although the game has changed."""
        code = self.answer.code if self.answer else None
        return GameError(code) if code else None


# Beginning


def begin(
    game: LiveGame,
    now: int,
    control: Control = UNLIMITED,
    *,
    is_local: bool = False,
    is_rated: bool = False,
) -> Step:
    """Return a game at its start; a clock runs as soon as no seat is open."""
    if is_local and is_rated:
        raise GameError("game.rated")
    contest = Contest(game, Clock.new(control), 0, now, is_local=is_local, is_rated=is_rated)
    return _step(contest, _starting(contest, now), "created", None, now)


def on_this_device(game: LiveGame, version: int, at: int) -> Contest:
    """Return the state of a game on one device, without a limit of time."""
    has_moved = game.ply > 1
    return Contest(
        game, Clock.new(UNLIMITED), version, at, is_local=True, have_both_moved=has_moved
    )


# Going on


def apply(contest: Contest, command: Command, now: int) -> Step:
    """Return what comes of a command.

    Raises `GameError`, or what the rules say of a move: then nothing has changed.
    """
    arrived, now = now, max(now, contest.at)
    for known in contest.answers:
        if known.is_of(command):
            return Step(contest, answer=known)
    if contest.due is not None and now >= contest.due:
        return _flag(contest, now, command)
    if command.seen is not None and command.seen < contest.forgotten:
        raise GameError("game.old")
    _check_sender(contest, command)
    if command.ply != contest.game.ply:
        raise GameError("game.stale", known=command.ply, found=contest.game.ply)
    match command.act:
        case Claim(color):
            return _claim(contest, command, color, now)
        case Play(move, lag):
            return _play(contest, command, move, arrived, lag, now)
        case Reply(move):
            return _play(contest, command, move, arrived, 0, now)
        case TakeBack():
            return _take_back(contest, command, now)
        case Accept(offer):
            return _accept(contest, command, offer, now)
        case Decline(offer):
            return _decline(contest, command, offer, now)
        case Resign():
            return _resign(contest, command, now)
        case Abort():
            return _abort(contest, command, now)
        case Rematch(next_id):
            return _rematch(contest, command, next_id, now)


def tick(contest: Contest, now: int) -> Step:
    """Return what time alone has done: the flag has fallen, or nothing has changed."""
    if contest.due is not None and now >= contest.due:
        return _flag(contest, max(now, contest.at))
    return Step(contest)


def pause(contest: Contest, now: int) -> Step:
    """Stop a running clock, before the server goes down; what was spent is charged."""
    now = max(now, contest.at)
    if contest.clock.since is None:
        return Step(contest)
    if _is_late(contest, now):
        return _flag(contest, now)
    clock = contest.clock.stopped(contest.game.side_to_move, now)
    return _step(contest, replace(contest, clock=clock), "paused", None, now)


def resume(contest: Contest, heartbeat: int, now: int) -> Step:
    """Let the clock run on after the server was down since `heartbeat`, which is not charged.

    Nothing changes where no clock was running, or for a heartbeat from before the last `resume`.
    """
    now = max(now, contest.at)
    if contest.is_paused:
        clock = contest.clock
    elif contest.clock.since is None or heartbeat <= contest.resumed:
        return Step(contest)
    else:
        # Whatever has changed since proves that the server was up.
        stopped = min(max(heartbeat, contest.at), now)
        if _is_late(contest, stopped):
            return _flag(contest, now)
        clock = contest.clock.stopped(contest.game.side_to_move, stopped)
    running = replace(contest, clock=clock.started(now), resumed=now)
    return _step(contest, running, "resumed", None, now)


# The single acts


def _claim(contest: Contest, command: Command, color: Color | None, now: int) -> Step:
    _demand(contest, "created", "waiting", "playing")
    open_seats = [one for one in Color if contest.game.seat(one) == OPEN]
    if color is None and open_seats:
        color = open_seats[0]
    if color is None or color not in open_seats:
        raise GameError("game.taken")
    if color is Color.BLACK:
        game = replace(contest.game, black=PERSON)
    else:
        game = replace(contest.game, white=PERSON)
    new = _starting(replace(contest, game=game), now)
    return _step(contest, new, "claimed", color, now, command)


def _play(contest: Contest, command: Command, text: str, arrived: int, lag: int, now: int) -> Step:
    _demand(contest, "playing")
    side = contest.game.side_to_move
    is_reply = isinstance(command.act, Reply)
    if contest.game.seat(side).is_computer is not is_reply:
        raise GameError("game.other_turn" if is_reply else "game.not_your_turn")
    if command.by is not None and command.by is not side:
        raise GameError("game.other_turn")
    clock = contest.clock.moved(side, arrived, lag)
    if clock is None:
        return _flag(contest, now, command)
    game = moved(contest.game, text)
    if game.is_over:
        # The time of the move is charged; that of the opponent has not begun.
        clock = replace(clock, since=None)
    new = replace(
        contest,
        game=game,
        clock=clock,
        offer=None,
        have_both_moved=contest.have_both_moved or game.ply > 1,
    )
    return _step(contest, new, "moved", side, now, command)


def _take_back(contest: Contest, command: Command, now: int) -> Step:
    game = contest.game
    if not contest.is_alone:
        return _offer_takeback(contest, command, now)
    if contest.is_rated:
        raise GameError("game.rated")
    if game.ending is not None or contest.next_id is not None:
        raise GameError("game.finished")
    _demand(contest, "playing", "finished")
    if _is_late(contest, now):
        return _flag(contest, now, command)
    if game.black.is_computer and game.white.is_computer:
        raise GameError("game.no_person")
    ply = game.last_turn_of_a_person
    if ply is None:
        raise GameError("game.nothing_to_undo")
    return _step(contest, _back(contest, ply, now), "taken_back", command.by, now, command)


def _offer_takeback(contest: Contest, command: Command, now: int) -> Step:
    assert command.by is not None
    _demand(contest, "playing")
    if contest.offer is not None:
        raise GameError("game.offer_open")
    if contest.game.last_turn(command.by) is None:
        raise GameError("game.nothing_to_undo")
    offer = Offer("takeback", command.by, contest.version + 1)
    new = replace(contest, offer=offer)
    return _step(contest, new, "takeback_offered", command.by, now, command)


def _accept(contest: Contest, command: Command, number: int, now: int) -> Step:
    offer = _open_offer(contest, number)
    if offer.kind != "takeback" or offer.by is command.by:
        raise GameError("game.no_offer")
    _demand(contest, "playing")
    if _is_late(contest, now):
        return _flag(contest, now, command)
    ply = contest.game.last_turn(offer.by)
    assert ply is not None
    return _step(contest, _back(contest, ply, now), "taken_back", command.by, now, command)


def _decline(contest: Contest, command: Command, number: int, now: int) -> Step:
    offer = _open_offer(contest, number)
    kind: Kind = "withdrawn" if offer.by is command.by else "declined"
    return _step(contest, replace(contest, offer=None), kind, command.by, now, command)


def _resign(contest: Contest, command: Command, now: int) -> Step:
    _demand(contest, "playing")
    color = command.by or _resigning(contest.game)
    return _step(
        contest, _ended(contest, Ending("resigned", color), now), "resigned", color, now, command
    )


def _abort(contest: Contest, command: Command, now: int) -> Step:
    _demand(contest, "created", "waiting", "playing")
    if contest.have_both_moved:
        raise GameError("game.too_late")
    new = _ended(contest, ABORTED, now)
    return _step(contest, new, "aborted", command.by, now, command)


def _rematch(contest: Contest, command: Command, next_id: str, now: int) -> Step:
    _demand(contest, "finished", "aborted")
    if not is_id(next_id):
        raise GameError("game.command")
    if contest.next_id is not None:
        raise GameError("game.rematch")
    if OPEN in (contest.game.black, contest.game.white):
        raise GameError("game.waiting")
    offer, by = contest.offer, command.by
    if offer is None and by is not None and not contest.is_alone:
        new = replace(contest, offer=Offer("rematch", by, contest.version + 1))
        return _step(contest, new, "rematch_offered", by, now, command)
    if offer is not None and offer.by is by:
        raise GameError("game.offer_open")
    new = replace(contest, offer=None, next_id=next_id)
    step = _step(contest, new, "rematch_agreed", by, now, command)
    return replace(step, rematch=_second_game(contest, now))


# What they have in common


def _check_sender(contest: Contest, command: Command) -> None:
    """Raise `GameError` unless the seat that a command comes from may send it."""
    if command.by is not None:
        is_seated = contest.game.seat(command.by).is_person
        is_fit = is_seated and not isinstance(command.act, Claim | Reply)
    else:
        is_fit = contest.is_local or isinstance(command.act, Claim | Reply)
    if not is_fit:
        raise GameError("game.no_seat")


def _demand(contest: Contest, *wanted: Status) -> None:
    """Raise `GameError` if a game is not so far, further or paused."""
    status = contest.status
    if contest.is_paused:
        raise GameError("game.paused")
    if status in wanted:
        return
    over = status in ("finished", "aborted")
    if not over and "playing" not in wanted:
        raise GameError("game.unfinished")
    raise GameError("game.finished" if over else "game.waiting")


def _open_offer(contest: Contest, number: int) -> Offer:
    if contest.offer is None or contest.offer.number != number:
        raise GameError("game.no_offer")
    return contest.offer


def _resigning(game: LiveGame) -> Color:
    """Return the color that gives up on one device: the person's, or the side to move."""
    people = [color for color in Color if game.seat(color).is_person]
    if not people:
        raise GameError("game.no_person")
    return people[0] if len(people) == 1 else game.side_to_move


def _is_late(contest: Contest, now: int) -> bool:
    """Tell whether the side to move is out of time, unless a move of it is on its way."""
    deadline = contest.clock.deadline(contest.game.side_to_move)
    return deadline is not None and now >= deadline


def _starting(contest: Contest, now: int) -> Contest:
    """Return a game whose clock runs if both sides are there."""
    if contest.status != "playing":
        return contest
    return replace(contest, clock=contest.clock.started(now))


def _back(contest: Contest, ply: int, now: int) -> Contest:
    clock = contest.clock.taken_back(contest.game.side_to_move, now)
    return replace(contest, game=taken_back(contest.game, ply), clock=clock, offer=None)


def _ended(contest: Contest, ending: Ending, now: int) -> Contest:
    clock = contest.clock.stopped(contest.game.side_to_move, now)
    return replace(contest, game=replace(contest.game, ending=ending), clock=clock, offer=None)


def _flag(contest: Contest, now: int, command: Command | None = None) -> Step:
    """Return the end of a game on time; the command that found it is refused."""
    loser = contest.game.side_to_move
    new = replace(
        contest,
        game=replace(contest.game, ending=Ending("time", loser)),
        clock=contest.clock.fallen(loser),
        offer=None,
    )
    return _step(contest, new, "flagged", loser, now, command, "game.flagged")


def _second_game(contest: Contest, now: int) -> Step:
    """Return the rematch: the same settings, the colors changed."""
    game = again(contest.game)
    return begin(
        replace(game, black=game.white, white=game.black),
        now,
        contest.clock.control,
        is_local=contest.is_local,
        is_rated=contest.is_rated,
    )


def _step(
    old: Contest,
    new: Contest,
    kind: Kind,
    by: Color | None,
    now: int,
    command: Command | None = None,
    code: str | None = None,
) -> Step:
    """Number a change, and say what it was, what to answer and whom to tell."""
    number = old.version + 1
    new = replace(new, version=number, at=now)
    answer = None
    if command is not None:
        claimed = by if kind == "claimed" else None
        answer = Answer(command.by, command.id, number, code, claimed)
        new = _remembering(new, answer)
    game, clock = new.game, new.clock.stopped(new.game.side_to_move, now)
    event = Event(
        number=number,
        at=now,
        kind=kind,
        by=by,
        ply=game.ply,
        status=new.status,
        result=game.result,
        left=None if clock.control.kind == "unlimited" else (clock.black, clock.white),
        move=game.moves[-1] if kind == "moved" else None,
    )
    return Step(new, event, answer, _concerned(new, kind, by))


def _remembering(contest: Contest, answer: Answer) -> Contest:
    if answer.id is None:
        return contest
    answers = (*contest.answers, answer)
    for old in answers[:-KEPT]:
        contest = replace(contest, forgotten=old.number)
    return replace(contest, answers=answers[-KEPT:])


def _concerned(contest: Contest, kind: Kind, by: Color | None) -> tuple[Color, ...]:
    """Return the people to be told of a change: whose turn it is, who is asked, who has an end."""
    if contest.is_local or kind in ("created", "paused", "resumed"):
        return ()
    game = contest.game
    people = [color for color in Color if game.seat(color).is_person]
    if kind == "flagged":
        return tuple(people)
    if kind in ("moved", "taken_back") and contest.status == "playing":
        return tuple(color for color in people if color is game.side_to_move and color is not by)
    return tuple(color for color in people if color is not by)
