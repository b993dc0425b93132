"""The Universal Game Interface: the protocol alone, in a session, over pipes; its other side."""

from __future__ import annotations

import contextlib
import queue
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import formsgame as fg
from commanding import start
from formsgame.cli.ugi import Session
from formsgame.engine import LEVELS, MOST_HASH_MB, MOST_THREADS, Info
from formsgame.engine.client import EngineError, UgiEngine
from formsgame.engine.streams import LINE_LIMIT, read_lines
from formsgame.engine.ugi import MOST_LINES, Order, Protocol, Task
from strategies import examples

POSITION = "8/8/8/2xxo3/8/8/8/8 x advanced"
OVER = "8/8/8/4x3/8/8/8/8 o advanced"
INFO = re.compile(
    r"info depth \d+ nodes \d+ time \d+ nps \d+ "
    r"score (win wdl 1000 0 0|loss wdl 0 0 1000|cp -?\d+ wdl (\d+) 0 (\d+)) "
    r"multipv [1-9]\d* pv( [a-z]\d+-[a-z]\d+)+"
)


# The protocol alone


def said(protocol: Protocol, *lines: str | None) -> list[str]:
    """What a protocol writes in answer to lines, nothing else being asked of anyone."""
    actions = [action for line in lines for action in protocol.receive(line)]
    assert all(isinstance(action, str) for action in actions), actions
    return [str(action) for action in actions]


def refused(protocol: Protocol, line: str | None) -> str:
    """The complaint about a line that must do nothing else."""
    (answer,) = said(protocol, line)
    assert answer.startswith("info string error: ")
    return answer.removeprefix("info string error: ")


def asked(protocol: Protocol, line: str = "go") -> Task:
    """The task that a line starts."""
    (task,) = protocol.receive(line)
    assert isinstance(task, Task)
    return task


def thought(position: fg.Position, *scores: float, verdict: fg.Color | None = None) -> fg.Thought:
    """What an engine might find: the first moves with these scores."""
    moves = position.legal_moves
    return fg.Thought(
        tuple(
            Info(rank, (moves[rank - 1],), score, verdict, 3, 1000, 0.5)
            for rank, score in enumerate(scores or (0.5,), 1)
        )
    )


def test_greets() -> None:
    lines = said(Protocol(), "ugi")
    assert lines[0] == f"id name formsgame {fg.__version__}"
    assert lines[1].startswith("id author ")
    assert lines[2:] == [
        "option name Rules type combo default advanced var standard var advanced",
        "option name Size type string default 8",
        f"option name Hash type spin default 64 min 1 max {MOST_HASH_MB}",
        f"option name Threads type spin default 1 min 1 max {MOST_THREADS}",
        f"option name Level type spin default {max(LEVELS)} min {min(LEVELS)} max {max(LEVELS)}",
        f"option name MultiPV type spin default 1 min 1 max {MOST_LINES}",
        "option name Seed type string default <empty>",
        "ugiok",
    ]


def test_ready_when_prepared_and_while_thinking() -> None:
    protocol = Protocol()
    assert protocol.receive("isready") == [Order.PREPARE]
    assert protocol.receive("isready") == []
    assert protocol.prepared() == ["readyok", "readyok"]
    assert said(protocol, "isready") == ["readyok"]
    asked(protocol, "go infinite")
    assert said(protocol, "isready") == ["readyok"]
    other = Protocol()
    assert other.receive("isready") == [Order.PREPARE]
    assert other.prepared("no room") == ["info string error: no room", "readyok"]


def test_positions() -> None:
    protocol = Protocol()
    assert asked(protocol).position == fg.Position.initial("advanced", 8)
    protocol = Protocol()
    said(protocol, "setoption name rules value standard", "setoption name SIZE value 4x6")
    said(protocol, "position startpos moves a1-a4 b4a2")
    expected = fg.Position.initial("standard", (4, 6)).play("a1-a4").play("b4-a2")
    assert asked(protocol).position == expected
    protocol = Protocol()
    said(protocol, f"position fen {POSITION} moves d5-e5")
    assert said(protocol, "query gameover") == ["response true"]
    said(protocol, f"  position\tfen {POSITION}  ")
    assert asked(protocol).position == fg.Position.parse(POSITION)


def test_a_new_game_starts_from_the_options() -> None:
    protocol = Protocol()
    said(protocol, f"position fen {POSITION}", "uginewgame", "setoption name Size value 6")
    task = asked(protocol)
    assert task.position == fg.Position.initial("advanced", 6)
    assert task.game == 1


@pytest.mark.parametrize(
    ("position", "answers"),
    [
        (POSITION, ("false", "true", "none")),
        (POSITION.replace(" x ", " o "), ("false", "false", "none")),
        (OVER, ("true", "false", "p2win")),
        (OVER.replace("4x3", "4o3").replace(" o ", " x "), ("true", "true", "p1win")),
    ],
)
def test_queries(position: str, answers: tuple[str, str, str]) -> None:
    protocol = Protocol()
    said(protocol, f"position fen {position}")
    questions = ("query gameover", "query p1turn", "query result")
    assert said(protocol, *questions) == [f"response {answer}" for answer in answers]


@pytest.mark.parametrize(
    ("line", "limit"),
    [
        ("go", None),
        ("go infinite", fg.Limit()),
        ("go movetime 250", fg.Limit(seconds=0.25)),
        ("go movetime 0", fg.Limit(seconds=0)),
        ("go depth 3 nodes 500", fg.Limit(depth=3, nodes=500)),
        ("go depth 1000000", fg.Limit(depth=675)),
        ("go p1time 60000 p2time 50000 p1inc 1000 p2inc 2000", fg.Limit(clock=(60, 1))),
        ("go p2time 50000 p1time 60000", fg.Limit(clock=(60, 0))),
        ("go p1time -20 p2time 7", fg.Limit(clock=(0, 0))),
        ("go p1inc 5", fg.Limit()),
    ],
)
def test_limits(line: str, limit: fg.Limit | None) -> None:
    assert asked(Protocol(), line).limit == limit


def test_the_clock_is_that_of_the_side_to_move() -> None:
    protocol = Protocol()
    said(protocol, "position startpos moves a2-a1")
    line = "go p1time 60000 p2time 50000 p1inc 1000 p2inc 2000"
    assert asked(protocol, line).limit == fg.Limit(clock=(50, 2))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (None, f"more than {LINE_LIMIT} bytes"),
        ("hello", "no command 'hello'"),
        ("UGI", "no command 'UGI'"),
        ("\0", "no command '\\x00'"),
        ("x" * 9999, "no command 'xxx"),
        ("setoption", "setoption: expected"),
        ("setoption Level 3", "setoption: expected"),
        ("setoption name", "no option ''"),
        ("setoption name Ponder value true", "no option 'Ponder'"),
        ("setoption name Level", "not ''"),
        ("setoption name Level value 0", f"Level is a whole number from 1 to {max(LEVELS)}"),
        (f"setoption name Level value {max(LEVELS) + 1}", "Level is a whole number"),
        ("setoption name Hash value 1e3", "not '1e3'"),
        ("setoption name Threads value ٣", "Threads is a whole number"),
        (f"setoption name Hash value {'9' * 5000}", "Hash is a whole number"),
        ("setoption name Rules value chess", "rules are 'chess'"),
        ("setoption name Size value 27", "rows and columns go from 1 to 26"),
        ("setoption name Seed value -1", "Seed is a whole number from 0"),
        ("setoption name Seed value x", "Seed is a whole number"),
        ("position", "position: expected"),
        ("position moves a2-a1", "position: expected"),
        ("position startpos a2-a1", "position: expected"),
        ("position fen", "three fields"),
        ("position fen 8/8 x advanced", "there are no stones"),
        (f"position fen {'x' * 5000} x advanced", "at most 4096 are read"),
        ("position startpos moves a2-a1 a2-a1", "move number 2: a2-a1: there is no stone on a2"),
        ("position startpos moves e9", "move number 1: 'e9' is not a move"),
        (f"position fen {OVER} moves e5-e6", "the game is over"),
        ("go fast", "no limit 'fast'"),
        ("go depth", "depth is a whole number"),
        ("go depth 0", "depth is a whole number from 1"),
        ("go nodes -3", "nodes is a whole number from 1"),
        ("go movetime -1", "movetime is a whole number from 0"),
        (f"go movetime {'9' * 5000}", "movetime is a whole number"),
        ("go depth 3 depth 4", "depth is given twice"),
        ("go infinite depth 3", "infinite"),
        ("go depth 3 infinite", "infinite"),
        ("go p2time 1000", "p1time is missing"),
        ("query", "query: expected"),
        ("query winner", "not 'winner'"),
    ],
)
def test_refuses_and_goes_on_as_before(line: str | None, words: str) -> None:
    protocol, twin = Protocol(), Protocol()
    for each in (protocol, twin):
        said(each, f"position fen {POSITION}", "setoption name Level value 2")
    complaint = refused(protocol, line)
    assert words in complaint
    assert complaint.isprintable()
    assert asked(protocol) == asked(twin)


def test_a_board_that_no_game_starts_on() -> None:
    protocol = Protocol()
    said(protocol, "setoption name Size value 3x5")
    assert "no game starts on 3x5" in refused(protocol, "position startpos")
    assert "no game starts on 3x5" in refused(protocol, "go")
    assert "no game starts on 3x5" in refused(protocol, "query p1turn")
    said(protocol, "setoption name Size value 4x5")
    asked(protocol)


def test_settings_reach_the_engine() -> None:
    protocol = Protocol()
    for name, value in (("Hash", 7), ("Threads", 2), ("Level", 2), ("MultiPV", 3), ("Seed", 9)):
        said(protocol, f"setoption name {name} value {value}")
    settings = asked(protocol).settings
    assert (settings.hash_mb, settings.threads, settings.level) == (7, 2, 2)
    assert (settings.lines, settings.seed) == (3, 9)
    for empty in ("setoption name Seed value <empty>", "setoption name Seed value"):
        protocol = Protocol()
        said(protocol, "setoption name Seed value 9", empty)
        assert asked(protocol).settings.seed is None


def test_a_thought_is_told() -> None:
    protocol = Protocol()
    task = asked(protocol)
    found = thought(task.position, 0.75, 0.25)
    (line,) = protocol.report(task.number, found.lines[0])
    assert line == (
        "info depth 3 nodes 1000 time 500 nps 2000 score cp 191 wdl 750 0 250 multipv 1 pv a2-a1"
    )
    # What was told is not told again.
    second, best = protocol.finish(task.number, found)
    assert second == (
        "info depth 3 nodes 1000 time 500 nps 2000 score cp -191 wdl 250 0 750 multipv 2 pv a2-a3"
    )
    assert best == "bestmove a2-a1"


@pytest.mark.parametrize(
    ("score", "verdict", "words"),
    [
        (0.5, None, "cp 0 wdl 500 0 500"),
        (1.0, None, "cp 1391 wdl 1000 0 0"),
        (0.0, None, "cp -1391 wdl 0 0 1000"),
        (1.0, fg.BLACK, "win wdl 1000 0 0"),
        (0.0, fg.WHITE, "loss wdl 0 0 1000"),
    ],
)
def test_scores(score: float, verdict: fg.Color | None, words: str) -> None:
    protocol = Protocol()
    task = asked(protocol)
    line, _best = protocol.finish(task.number, thought(task.position, score, verdict=verdict))
    assert f" score {words} multipv " in str(line)
    assert INFO.fullmatch(str(line))


def test_an_infinite_thought_waits_for_stop() -> None:
    protocol = Protocol()
    task = asked(protocol, "go infinite")
    (line,) = protocol.finish(task.number, thought(task.position))
    assert INFO.fullmatch(str(line))
    assert said(protocol, "isready") == ["readyok"]
    assert said(protocol, "stop") == ["bestmove a2-a1"]
    assert said(protocol, "stop") == []


def test_what_changes_the_matter_ends_a_thought_first() -> None:
    for line in (
        f"position fen {POSITION}",
        "go",
        "uginewgame",
        "setoption name Level value 1",
    ):
        protocol = Protocol()
        task = asked(protocol, "go infinite")
        assert protocol.receive(line) == [Order.STOP]
        held = [protocol.is_holding]
        assert protocol.receive("query p1turn") == []
        actions = protocol.finish(task.number, thought(task.position))
        assert [*held, protocol.is_holding] == [True, False]
        assert actions[1] == "bestmove a2-a1"
        assert actions[-1] == "response true"
        if line == "go":
            assert isinstance(actions[2], Task)
            assert actions[2].number == task.number + 1
        else:
            assert asked(protocol).number == task.number + 1


def test_a_bad_line_ends_no_thought() -> None:
    protocol = Protocol()
    task = asked(protocol, "go infinite")
    for line in ("position fen x", "go depth x", "setoption name Level value x", "rubbish"):
        refused(protocol, line)
    assert protocol.finish(task.number, thought(task.position))[1:] == []
    assert said(protocol, "stop") == ["bestmove a2-a1"]


def test_late_news_reach_nobody() -> None:
    protocol = Protocol()
    first = asked(protocol)
    protocol.finish(first.number, thought(first.position))
    second = asked(protocol)
    assert protocol.report(first.number, thought(first.position).lines[0]) == []
    assert protocol.finish(first.number, thought(first.position)) == []
    assert protocol.finish(second.number, thought(second.position))[-1] == "bestmove a2-a1"
    assert protocol.finish(second.number, thought(second.position)) == []


def test_a_finished_game_has_no_move() -> None:
    protocol = Protocol()
    said(protocol, f"position fen {OVER}")
    for line in ("go", "go infinite", "go movetime 5"):
        assert said(protocol, line) == [
            "info string the game is over, there is no move",
            "bestmove none",
        ]
    assert said(protocol, "stop") == []


def test_an_engine_that_fails_still_moves() -> None:
    protocol = Protocol()
    task = asked(protocol)
    assert protocol.finish(task.number, "no\nroom") == [
        "info string error: the engine failed: no\N{REPLACEMENT CHARACTER}room",
        "bestmove a2-a1",
    ]


def test_the_end() -> None:
    assert Protocol().receive("quit") == [Order.QUIT]
    assert Protocol().end() == [Order.QUIT]
    for ending in (lambda protocol: protocol.receive("quit"), Protocol.end):
        protocol = Protocol()
        task = asked(protocol, "go infinite")
        assert ending(protocol) == [Order.STOP]
        assert protocol.receive("isready") == []
        actions = protocol.finish(task.number, thought(task.position))
        assert actions[1:] == ["bestmove a2-a1", Order.QUIT]
        # What was found before waits no longer.
        protocol = Protocol()
        task = asked(protocol, "go infinite")
        protocol.finish(task.number, thought(task.position))
        assert ending(protocol) == ["bestmove a2-a1", Order.QUIT]


def test_the_end_of_the_input_lets_preparations_be_answered() -> None:
    protocol = Protocol()
    protocol.receive("isready")
    assert protocol.end() == []
    assert protocol.prepared() == ["readyok", Order.QUIT]
    protocol = Protocol()
    protocol.receive("isready")
    assert protocol.receive("quit") == [Order.QUIT]
    assert protocol.prepared() == []


WORDS = st.sampled_from(
    "ugi isready setoption name value Rules Size Hash Threads Level MultiPV Seed standard advanced "
    "4 4x6 0 1 2 99 -1 <empty> uginewgame position startpos fen moves a2-a1 b1a1 a1-a2 go p1time "
    "p2time p1inc p2inc movetime depth nodes infinite 100 stop query gameover p1turn result "
    f"xo/ox x o {OVER} {POSITION}".split(" ")
)
LINES = st.one_of(
    st.none(),
    st.text(max_size=30),
    st.lists(WORDS, max_size=9).map(" ".join),
    st.sampled_from(
        [
            *("go", "go infinite", "go depth 2", "stop", "isready", "uginewgame", "quit"),
            *("position startpos", f"position fen {POSITION}", f"position fen {OVER}"),
            *("setoption name Rules value standard", "setoption name Size value 4", "query result"),
        ]
    ),
)
#: What happens: a line, or news of the engine.
EVENTS = st.one_of(LINES, LINES, st.sampled_from([1, 2, 3, 4]))


@examples(300)
@given(st.lists(EVENTS, max_size=25))
def test_whatever_is_said(events: list[str | int | None]) -> None:
    """Every `go` that is taken gets one bestmove, of its own position; each line is answered."""
    protocol = Protocol()
    task: Task | None = None
    stopped = is_preparing = False
    started = answered = over = 0

    def take(actions: Sequence[object]) -> None:
        nonlocal task, stopped, is_preparing, started, answered, over
        for action in actions:
            if isinstance(action, Task):
                assert task is None, "two tasks at a time"
                assert not action.position.is_over
                task, stopped = action, False
                started += 1
            elif action is Order.STOP:
                assert task is not None
                assert not stopped
                stopped = True
            elif action is Order.PREPARE:
                assert not is_preparing
                is_preparing = True
            elif action is Order.QUIT:
                assert task is None
            else:
                assert isinstance(action, str)
                assert action.isprintable()
                if action == "bestmove none":
                    over += 1
                elif action.startswith("bestmove "):
                    assert task is not None
                    assert task.position.is_legal(action.split()[1])
                    task = None
                    answered += 1

    def happen(event: int) -> None:
        nonlocal is_preparing
        if event == 1 and is_preparing:
            is_preparing = False
            take(protocol.prepared())
        elif event == 2 and task:
            take(protocol.report(task.number, thought(task.position).lines[0]))
        elif event == 3 and task:
            take(protocol.finish(task.number, thought(task.position, 0.9, 0.1)))
        elif event == 4 and task:
            take(protocol.report(task.number - 1, thought(task.position).lines[0]))
            take(protocol.finish(task.number - 1, thought(task.position)))

    for event in events:
        if isinstance(event, int):
            happen(event)
        else:
            holding = protocol.is_holding
            actions = protocol.receive(event)
            assert not (holding and actions)
            take(actions)
    if is_preparing:
        happen(1)
    final = protocol.end()
    take(final)
    while task:
        happen(3)
    assert started == answered
    assert protocol.receive("isready") == []
    assert not protocol.is_holding


# Lines of bounded length


def test_lines_are_split_and_bounded() -> None:
    text = b"ugi\r\n\n" + b"x" * 30 + b"\ngo \xff\x00\nlast"
    for size in (1, 2, 3, 7, 1000):
        parts = [text[place : place + size] for place in range(0, len(text), size)] + [b""]
        lines = list(read_lines(lambda _size, parts=parts: parts.pop(0), limit=20))  # type: ignore[misc]
        assert lines == ["ugi", "", None, "go \N{REPLACEMENT CHARACTER}\0", "last"]


def test_a_line_without_an_end_is_not_kept() -> None:
    left = [1 << 12]

    def read(size: int) -> bytes:
        left[0] -= 1
        return b"x" * size if left[0] >= 0 else b""

    assert list(read_lines(read)) == [None]  # of a quarter of a gigabyte


# A session, in this process


class Talk:
    """A session on pipes of this process, its engine real."""

    def __init__(self) -> None:
        self.input: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.output: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.session = Session(lambda size: self.input.get(), self.output.put, lambda: None)
        self.thread = threading.Thread(target=self.session.run, daemon=True)
        self.thread.start()

    def say(self, *lines: str) -> None:
        self.input.put("".join(f"{line}\n" for line in lines).encode())

    def hear(self, start: str) -> list[str]:
        """Everything up to the next line that starts so."""
        heard: list[str] = []
        while not heard or not heard[-1].startswith(start):
            heard.append(self.output.get(timeout=60))
        return heard

    def close(self) -> None:
        self.input.put(b"")
        self.thread.join(timeout=60)
        assert not self.thread.is_alive()
        assert self.session.end()


@pytest.fixture
def talk(warm: None) -> Iterator[Talk]:
    talk = Talk()
    yield talk
    talk.close()


def test_a_thousand_stops_at_random_moments(talk: Talk) -> None:
    """Each ends its thought, which has one bestmove: none is lost, also just before the start."""
    chance = random.Random(1)
    talk.say("setoption name Size value 6", "position startpos", "isready")
    talk.hear("readyok")
    start = fg.Position.initial("advanced", 6)
    for number in range(1000):
        if number % 4 == 0:  # in one gulp
            talk.say("go infinite", "stop", f"isready {number}")
        else:
            talk.say("go infinite")
            time.sleep(chance.choice((0, 0, 0.0001, 0.001, 0.005)) * chance.random())
            talk.say("stop", "isready")
        best = talk.hear("bestmove")
        assert start.is_legal(best[-1].split()[1])
        # Nothing that comes until the next answer is a second one.
        rest = best if "readyok" in best else talk.hear("readyok")
        assert sum(line.startswith("bestmove") for line in {*best, *rest}) == 1


def test_go_position_go(talk: Talk) -> None:
    talk.say("position startpos", "go infinite", f"position fen {POSITION}", "go infinite", "go")
    talk.say("isready", "quit")
    moves = [talk.hear("bestmove")[-1].split()[1] for _ in range(3)]
    assert fg.Position.initial("advanced", 8).is_legal(moves[0])
    assert fg.Position.parse(POSITION).is_legal(moves[1])
    assert fg.Position.parse(POSITION).is_legal(moves[2])
    talk.thread.join(timeout=60)
    assert not talk.thread.is_alive()


def test_lines_of_play(talk: Talk) -> None:
    talk.say("setoption name MultiPV value 2", f"position fen {POSITION}", "go nodes 200")
    *infos, best = talk.hear("bestmove")
    assert all(INFO.fullmatch(line) for line in infos)
    top = next(line for line in reversed(infos) if " multipv 1 " in line)
    assert top.split(" pv ")[1].split()[0] == best.split()[1]
    assert " score win " in top


def test_too_much_memory_is_no_end(talk: Talk) -> None:
    talk.say(f"setoption name Hash value {MOST_HASH_MB}", "position startpos", "go nodes 10")
    talk.hear("bestmove")
    talk.say("setoption name Hash value 1", "go nodes 10")
    heard = talk.hear("bestmove")
    assert not any("error" in line for line in heard)


def test_a_failing_engine_and_a_failing_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(fg.Engine, "think", fail)
    talk = Talk()
    monkeypatch.setattr(talk.session, "_prepare", fail)
    talk.say("isready")
    assert talk.hear("readyok")[0] == "info string error: there is no such memory"
    monkeypatch.setattr(talk.session, "_prepare", lambda: None)
    talk.say("go")
    assert talk.hear("bestmove")[0].startswith("info string error: the engine failed")
    talk.close()


# A process of its own


class Spoken:
    """The command `formsgame ugi` on real pipes."""

    def __init__(self) -> None:
        self.process = start("ugi", stderr=subprocess.DEVNULL)
        assert self.process.stdin
        assert self.process.stdout
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def say(self, *lines: str | bytes) -> None:
        for line in lines:
            self.stdin.write((line.encode() if isinstance(line, str) else line) + b"\n")
        self.stdin.flush()

    def hear(self, start: str) -> list[str]:
        heard: list[str] = []
        while not heard or not heard[-1].startswith(start):
            line = self.stdout.readline()
            assert line, heard
            heard.append(line.decode().rstrip("\n"))
        return heard

    def end(self) -> tuple[list[str], int]:
        """Close the input; returns what is still said, and the exit status."""
        self.stdin.close()
        rest = self.stdout.read().decode().splitlines()
        self.stdout.close()
        return rest, self.process.wait(timeout=60)


@pytest.fixture
def spoken(warm: None) -> Iterator[Spoken]:
    spoken = Spoken()
    with spoken.process:
        yield spoken
        spoken.process.kill()


def test_a_game_over_a_pipe_with_all_that_can_go_wrong(spoken: Spoken) -> None:
    spoken.say("ugi")
    assert spoken.hear("ugiok")[0].startswith("id name formsgame")
    spoken.say("isready")
    assert spoken.hear("readyok") == ["readyok"]
    # Bytes of all kinds, in lines of all lengths.
    rubbish = random.Random(3)
    for _ in range(50):
        spoken.say(rubbish.randbytes(rubbish.choice((1, 10, 1000))).replace(b"\n", b" "))
    spoken.say(b"\0\0\0", b"\xff\xfe", b"go " + b"9" * (3 * LINE_LIMIT), "isready")
    heard = spoken.hear("readyok")
    assert all(line.startswith("info string error: ") for line in heard[:-1])
    assert f"a line of more than {LINE_LIMIT} bytes" in heard[-2]
    # A game, every state asked for.
    spoken.say("uginewgame", "setoption name Size value 4", "setoption name Level value 1")
    position = fg.Position.initial("advanced", 4)
    moves: list[str] = []
    while True:
        spoken.say(f"position startpos moves {' '.join(moves)}" if moves else "position startpos")
        spoken.say("query gameover", "query p1turn", "query result")
        answers = [spoken.hear("response")[-1].split()[1] for _ in range(3)]
        assert answers[0] == ("true" if position.is_over else "false")
        assert answers[1] == ("true" if position.side_to_move is fg.BLACK else "false")
        winners = {None: "none", fg.BLACK: "p1win", fg.WHITE: "p2win"}
        assert answers[2] == winners[position.winner]
        spoken.say("go nodes 50")
        moves.append(spoken.hear("bestmove")[-1].split()[1])
        if position.is_over:
            break
        position = position.play(moves[-1])
    assert moves[-1] == "none"
    # Stops.
    spoken.say("position startpos")
    for pause in (0, 0, 0.001, 0.01, 0.05) * 5:
        spoken.say("go infinite")
        time.sleep(pause)
        spoken.say("stop", "isready")
        heard = spoken.hear("bestmove")
        heard += [] if "readyok" in heard else spoken.hear("readyok")
        assert sum(line.startswith("bestmove") for line in heard) == 1
    # The end of the input in the middle of a thought.
    spoken.say("go infinite")
    rest, status = spoken.end()
    assert status == 0
    assert [line.split()[0] for line in rest if not line.startswith("info")] == ["bestmove"]


def test_a_reader_that_leaves(spoken: Spoken) -> None:
    spoken.say("isready")
    spoken.hear("readyok")
    spoken.stdout.close()
    spoken.say("isready")
    assert spoken.process.wait(timeout=60) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_ctrl_c(spoken: Spoken) -> None:
    spoken.say("isready")
    spoken.hear("readyok")
    spoken.say("go infinite")
    time.sleep(0.1)
    spoken.process.send_signal(signal.SIGINT)
    assert spoken.process.wait(timeout=60) == 130


def test_no_input_at_all() -> None:
    with start("ugi") as process:
        out, err = process.communicate(b"", timeout=60)
    assert (process.returncode, out, err) == (0, b"", b"")


# The other side


def an_engine(folder: Path, body: str) -> list[str]:
    """The command of an engine in which `answer(line)` is written by the test."""
    file = folder / "engine.py"
    file.write_text(
        "import os, sys, time\n"
        "def say(*lines):\n"
        "    print(*lines, sep='\\n', flush=True)\n"
        f"def answer(line):\n{body}\n"
        "for line in sys.stdin:\n"
        "    line = line.strip()\n"
        "    if answer(line): continue\n"
        "    if line == 'ugi': say('id name toy', 'id author us', 'ugiok')\n"
        "    elif line == 'isready': say('readyok')\n"
        "    elif line == 'quit': break\n"
    )
    return [sys.executable, str(file)]


START = fg.Position.initial("advanced", 8)


def test_plays_with_our_own_engine(warm: None) -> None:
    command = [sys.executable, "-m", "formsgame", "ugi"]
    with UgiEngine(command, {"level": 1, "Seed": 5}) as engine:
        assert engine.name.startswith("formsgame ")
        assert engine.author
        assert set(engine.options) >= {"Rules", "Level", "Seed"}
        for clock in (None, (1.0, 0.1)):
            engine.new_game()
            position = fg.Position.initial("standard", 4)
            while not position.is_over:
                limit = fg.Limit(nodes=40) if clock is None else fg.Limit(clock=clock, nodes=40)
                position = position.play(engine.best_move(position, limit))
                assert 0 < engine.seconds < 60
        with pytest.raises(fg.EngineBusyError, match="over"):
            engine.best_move(position)
    with pytest.raises(fg.EngineBusyError, match="closed"):
        engine.best_move(START)


@pytest.mark.parametrize(
    ("limit", "black", "white"),
    [
        (None, "go", "go"),
        (fg.Limit(), "go", "go"),
        (fg.Limit(seconds=1.5, depth=3), "go movetime 1500 depth 3", None),
        (fg.Limit(nodes=7), "go nodes 7", None),
        (
            fg.Limit(clock=(60, 2)),
            "go p1time 60000 p2time 30000 p1inc 2000 p2inc 1000",
            "go p1time 30000 p2time 60000 p1inc 1000 p2inc 2000",
        ),
    ],
)
def test_what_an_engine_hears(
    tmp_path: Path, limit: fg.Limit | None, black: str, white: str | None
) -> None:
    log = tmp_path / "heard"
    command = an_engine(
        tmp_path,
        f"    print(line, file=open({str(log)!r}, 'a'))\n"
        "    if line.startswith('go'): say('info string hm', 'bestmove a2-a1')",
    )
    for expected, position in ((black, START), (white, START.play("a2-a1"))):
        with UgiEngine(command) as engine:
            if position is START:
                assert str(engine.best_move(position, limit, opponent_clock=(30, 1))) == "a2-a1"
            elif expected:
                with pytest.raises(EngineError):
                    engine.best_move(position, limit, opponent_clock=(30, 1))
        if expected:
            heard = log.read_text().splitlines()
            assert heard == [
                "ugi",
                "isready",
                f"position fen {position}",
                "isready",
                expected,
                "quit",
            ]
        log.unlink()


def failure(code: str, act: Callable[[], object]) -> str:
    with pytest.raises(EngineError) as caught:
        act()
    assert caught.value.code == code
    assert caught.value.message.isprintable()
    return caught.value.message


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (["/no/such/program"], "engine.start", "cannot be started"),
        ([], "engine.start", "cannot be started"),
        ("'", "engine.start", "cannot be started"),
        ([sys.executable, "-c", "import sys; sys.exit('out of luck')"], "engine.ended", "of luck"),
        ([sys.executable, "-c", "import sys; sys.exit(7)"], "engine.ended", "status 7"),
        ([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], "engine.ended", "signal 9"),
        ([sys.executable, "-c", "input(); print(1); input(); input()"], "engine.silent", "'ugi'"),
    ],
)
def test_engines_that_do_not_start(command: str | list[str], code: str, words: str) -> None:
    patience = 0.5 if code == "engine.silent" else 30
    assert words in failure(code, lambda: UgiEngine(command, patience=patience))


def test_options_an_engine_does_not_have(tmp_path: Path) -> None:
    command = an_engine(tmp_path, "    if line == 'ugi': say('option name Two Words type check')")
    with UgiEngine(command, {"two words": True}) as engine:
        assert "Two Words" in failure("engine.option", lambda: engine.set_option("Speed", 3))
        engine.new_game()
    failure("engine.option", lambda: UgiEngine(command, {"Level": 3}))


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        ("say('bestmove a1-a9')", "engine.illegal", "a1-a9: a9 is not on this 8x8 board"),
        ("say('bestmove a1-a1')", "engine.illegal", "there is no stone"),
        ("say('bestmove none')", "engine.answer", "'none' is not a move"),
        ("say('bestmove')", "engine.answer", "'' is not a move"),
        ("say('bestmove ' + 9999 * 'x')", "engine.answer", "at most 64 are read"),
        ("os.write(1, b'bestmove \\xff\\0\\n')", "engine.answer", "is not a move"),
        ("sys.exit(5)", "engine.ended", "status 5"),
        ("os.close(1); os.close(2); time.sleep(60)", "engine.ended", "closed its output"),
        ("time.sleep(60)", "engine.silent", "within 0.3 seconds"),
        ("[say('info string') for _ in iter(int, 1)]", "engine.silent", "within 0.3 seconds"),
        ("[os.write(1, b'x' * 4096) for _ in iter(int, 1)]", "engine.silent", "within 0.3"),
    ],
)
def test_engines_that_answer_wrongly(tmp_path: Path, answer: str, code: str, words: str) -> None:
    command = an_engine(tmp_path, f"    if line.startswith('go'): {answer}; return True")
    position = fg.Position.parse("8/8/8/2xxo3/8/8/8/8 x advanced")
    with UgiEngine(command, grace=0.2) as engine:
        limit = fg.Limit(seconds=0.1)
        assert words in failure(code, lambda: engine.best_move(position, limit))
        if code in ("engine.illegal", "engine.answer"):
            engine.new_game()  # it can go on
        else:
            with pytest.raises(fg.EngineBusyError, match="closed"):
                engine.best_move(position, limit)
    assert engine._child.process.returncode is not None


def test_an_engine_that_reads_nothing_holds_nobody_up(tmp_path: Path) -> None:
    command = an_engine(tmp_path, "    if line == 'uginewgame': time.sleep(60)")
    with UgiEngine(command) as engine:
        engine.patience = 0.3
        for _ in range(100_000):  # more than a pipe holds
            engine.stop()
        failure("engine.silent", engine.new_game)


def test_late_answers_go_to_no_other_question(tmp_path: Path) -> None:
    command = an_engine(
        tmp_path, "    if line.startswith('go'): say('bestmove a2-a1', 'bestmove a4-a3')"
    )
    with UgiEngine(command) as engine:
        for _ in range(20):
            assert str(engine.best_move(START)) == "a2-a1"


def test_stop_from_another_thread(tmp_path: Path) -> None:
    command = an_engine(tmp_path, "    if line == 'stop': say('bestmove a2-a1')")
    with UgiEngine(command) as engine:
        timer = threading.Timer(0.1, engine.stop)
        timer.start()
        assert str(engine.best_move(START, fg.Limit(nodes=10))) == "a2-a1"
        timer.join()


def test_one_question_at_a_time(tmp_path: Path) -> None:
    command = an_engine(tmp_path, "    if line == 'stop': say('bestmove a2-a1')")
    with UgiEngine(command) as engine:
        thread = threading.Thread(target=engine.best_move, args=(START,))
        thread.start()
        while not engine._in_use.locked():
            time.sleep(0.001)
        with pytest.raises(fg.EngineBusyError, match="one thought at a time"):
            engine.new_game()
        engine.stop()
        thread.join(timeout=60)
        assert not thread.is_alive()
        engine.new_game()


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_an_engine_that_won_t_leave_is_killed(tmp_path: Path) -> None:
    """With what it has started itself, too."""
    child = tmp_path / "pid"
    command = an_engine(
        tmp_path,
        "    import signal, subprocess\n"
        "    if line == 'quit': time.sleep(60)\n"
        "    if line == 'uginewgame':\n"
        "        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "        grandchild = subprocess.Popen(['sleep', '60'])\n"
        f"        open({str(child)!r}, 'w').write(str(grandchild.pid))",
    )
    engine = UgiEngine(command)
    engine.new_game()
    engine.close()
    assert engine._child.process.returncode == -signal.SIGKILL
    status = Path(f"/proc/{child.read_text()}/stat")
    for _ in range(1000):  # the system takes its time
        with contextlib.suppress(OSError):
            if status.read_text().split()[2] not in "ZX":
                time.sleep(0.01)
                continue
        break
    else:
        pytest.fail("the engine's child lives on")


def test_a_forgotten_engine_ends(tmp_path: Path) -> None:
    engine = UgiEngine(an_engine(tmp_path, "    pass"))
    process = engine._child.process
    del engine
    assert process.wait(timeout=60) == 0
