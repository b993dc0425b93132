"""Every reader is total: any text gives a value or one error that says what and where."""

from __future__ import annotations

import pickle
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import formsgame as fg
import naive
import strategies
from formsgame import errors, notation, rules

#: Seconds that reading may take, many times what it should: machines are shared.
BOUND = 0.5

START = fg.Position.initial("advanced", 8)

#: Readers of text, by what they read.
TEXT_READERS: dict[str, Callable[[Any], object]] = {
    "cell": notation.parse_cell,
    "move": notation.parse_move,
    "set-up": notation.parse_position,
    "position": fg.Position.parse,
    "move value": fg.Move.parse,
    "size": rules.parse_size,
    "rules": rules.parse_rules,
    "position data": fg.Position.from_json,
    "position data's text": lambda text: fg.Position.from_json({"position": text}),
    "cell of a position": lambda text: START[text],
    "moves from a cell": lambda text: START.legal_moves_from(text),
    "question": lambda text: START.is_legal(text),
    "move played": lambda text: START.play(text),
    "preview": lambda text: START.removed_by(text),
    "move's source": lambda text: fg.Move(text, "a1"),
    "start": lambda text: fg.Position.initial("advanced", text),
    "start's rules": lambda text: fg.Position.initial(text, 8),
    "array": lambda text: fg.Position.from_array(text, 1, "standard"),
}
pytestmark = pytest.mark.usefixtures("warm")


def check_error(error: Exception) -> None:
    """Hold an error to what every error of the package is."""
    assert isinstance(error, fg.FormsError)
    assert issubclass(type(error), ValueError)
    assert error.code in errors.MESSAGES
    message = str(error)
    assert message == error.message
    assert 0 < len(message) < 600
    assert message.isprintable(), "one line, and nothing in it that a terminal would obey"
    assert message.encode("utf-8")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.code, str(again)) == (type(error), error.code, message)
    if isinstance(error, fg.SetupError):
        assert error.defects
        assert all(str(defect) in message for defect in error.defects)
    if isinstance(error, fg.NotationError) and error.place is not None:
        assert error.place >= 1


def read(reader: Callable[[Any], object], value: object, bound: float = BOUND) -> object:
    """Read a value; return what came, or None where it was refused as it should be."""
    before = time.process_time()
    try:
        found = reader(value)
    except Exception as error:  # noqa: BLE001 - that nothing else comes is what is tested
        check_error(error)
        found = None
    assert time.process_time() - before < bound
    return found


positions_text = strategies.boards().map(naive.format_board)
moves_text = st.tuples(*[st.tuples(st.integers(0, 25), st.integers(0, 25))] * 2).map(
    naive.format_move
)
sizes_text = st.tuples(st.integers(0, 30), st.integers(0, 30)).map("{0[0]}x{0[1]}".format)
near = strategies.damaged(st.one_of(positions_text, moves_text, sizes_text))


@pytest.mark.parametrize("name", TEXT_READERS)
def test_any_text(name: str) -> None:
    reader = TEXT_READERS[name]

    @strategies.examples(80)
    @given(text=strategies.noise | near)
    @example(text="")
    @example(text="\ud800")
    @example(text="e4\n")
    @example(text="z26\n")
    @example(text="e\u0664")
    @example(text="e4-e2\x1b[2J")
    @example(text="²/2 x advanced")
    @example(text="x\u0130 x standard")
    def check(text: str) -> None:
        read(reader, text)

    check()


@pytest.mark.parametrize("name", TEXT_READERS)
def test_what_is_no_text(name: str) -> None:
    @strategies.examples(60)
    @given(value=strategies.things)
    @example(value={"position": None})
    @example(value=float("nan"))
    def check(value: object) -> None:
        read(TEXT_READERS[name], value)

    check()


@pytest.mark.parametrize("name", TEXT_READERS)
def test_numbers_too_long_to_write(name: str) -> None:
    """Python refuses to write a number of more than 4,300 digits; errors get by without."""
    for value in (10**5000, [10**5000, 1, 2], (-(10**5000), 10**5000), {"position": 10**5000}):
        read(TEXT_READERS[name], value)


def test_numbers_far_out_of_range() -> None:
    read(lambda huge: fg.Limit(nodes=-huge), 10**5000)
    read(lambda huge: fg.Limit(seconds=-huge), 10**5000)
    read(lambda huge: fg.Position({"a1": huge}, 4, 1, "standard"), 10**5000)
    read(lambda huge: fg.Position({"a1": 1}, 4, huge, "standard"), 10**5000)
    read(lambda huge: fg.perft(START, -huge), 10**5000)
    read(lambda huge: fg.playout(START, huge), 10**5000)
    read(lambda huge: fg.playouts(START, 1, -huge), 10**5000)


MEGABYTES = {
    "one letter": "x" * 5_000_000,
    "one digit": "1" * 5_000_000,
    "nines in rows": "9/" * 2_500_000,
    "slashes": "/" * 5_000_000,
    "white space": " \t\n" * 1_500_000,
    "unusual white space": "\u2003\ufeff" * 1_000_000,
    "moves": "e4-e2 " * 800_000,
    "dashes": "e4" + "-–—" * 1_000_000 + "e2",
    "a position and much after it": "xo x standard" + " " * 4_000_000,
    "a long row": "xo" * 2_000_000 + " x advanced",
    "zero bytes": "\0" * 5_000_000,
    "emoji": "\U0001f600" * 1_000_000,
    "surrogates": "\udc80" * 1_000_000,
    "a number": "1" + "0" * 3_000_000 + "x4",
    "brackets": "[" * 1_000_000,
}


@pytest.mark.parametrize("name", TEXT_READERS)
@pytest.mark.parametrize("text", MEGABYTES.values(), ids=MEGABYTES)
def test_megabytes_are_refused_at_once(name: str, text: str) -> None:
    assert read(TEXT_READERS[name], text) in (None, False)


# What is read, and as what


@st.composite
def placements(draw: st.DrawFn) -> str:
    """Texts of the position notation's own parts, often of rows that fit together."""
    columns = draw(st.integers(1, 27))

    def row(width: int) -> str:
        marks = draw(st.text("xxoo.", min_size=width, max_size=width))
        return re.sub(r"\.+", lambda run: str(len(run[0])), marks)

    rows = [row(columns) for _ in range(draw(st.integers(1, 5)))]
    if draw(st.booleans()):
        rows += draw(
            st.lists(st.sampled_from([f"{columns}", "x", "0", "01x", "27", "260", "", "1x1"]))
        )
    side = draw(st.sampled_from(["x", "o", "x", "o", "X", "w", ""]))
    name = draw(st.sampled_from(["standard", "advanced", "standard", "advanced", "Standard", ""]))
    return f"{'/'.join(rows)} {side} {name}"


@given(text=placements())
@strategies.examples(400)
@example(text=f"{'/'.join(['x' + 'o' * 25] * 26)} x standard")
@example(text=f"{'/'.join(['x' + 'o' * 25] * 27)} x standard")
@example(text="xo1/0 x standard")
@example(text="xo10 x standard")
@example(text="xo1/01x x standard")
@example(text="xo/ x standard")
@example(text="/xo x standard")
@example(text="xo24 x standard")
@example(text="xo25 x standard")
def test_positions_are_read_as_the_notation_says(text: str) -> None:
    """The package accepts what `naive` accepts, as the same position."""
    try:
        board = naive.parse_board(text)
    except ValueError:
        assert read(fg.Position.parse, text) is None
    else:
        assert str(fg.Position.parse(text)) == naive.format_board(board) == text


BLANK = st.sampled_from(["", " ", "\t", "\n", "\u00a0", "  ", "\u2009", "\r\n"])
MARK = st.sampled_from(["", "-", "x", "X", "×", *"‐‑‒–—−"])


@given(
    move=st.tuples(*[st.tuples(st.integers(0, 25), st.integers(0, 25))] * 2),
    mark=MARK,
    blanks=st.tuples(BLANK, BLANK, BLANK, BLANK),
    upper=st.booleans(),
)
@strategies.examples(300)
@example(move=((4, 3), (23, 1)), mark="", blanks=("", "", "", ""), upper=False)
@example(move=((4, 3), (23, 1)), mark="x", blanks=("", "", "", ""), upper=False)
@example(move=((23, 3), (23, 1)), mark="x", blanks=("", " ", " ", ""), upper=True)
def test_moves_are_read_as_people_write_them(
    move: naive.Move, mark: str, blanks: tuple[str, str, str, str], upper: bool
) -> None:
    source, target = map(naive.format_cell, move)
    if upper:
        source, target = source.upper(), target.upper()
    before, inner, after, end = blanks
    text = f"{before}{source}{inner}{mark}{after}{target}{end}"
    assert fg.Move.parse(text) == fg.Move.parse(naive.format_move(move))
    assert str(fg.Move.parse(text)) == naive.format_move(move)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", 1),
        ("4e-e2", 1),
        ("e", 2),
        ("e0-e2", 2),
        ("e27-e2", 2),
        ("e4-", 4),
        ("e4-i", 5),
        ("e4--e2", 4),
        ("e4-e2+", 6),
        ("e4-e2 e2-e1", 7),
    ],
)
def test_errors_name_the_place(text: str, place: int) -> None:
    with pytest.raises(fg.NotationError) as refused:
        fg.Move.parse(text)
    assert refused.value.place == place
    assert f"character {place}" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "three fields"),
        ("xo x", "three fields"),
        ("xo x standard x", "three fields"),
        ("xo z standard", "'z'"),
        ("xo x Standard", "'Standard'"),
        ("xo/x x standard", "row 2 is 1 long"),
        ("xo/xp x standard", "character 5"),
        ("x0o x standard", "character 2"),
        ("xo/ x standard", "row 2"),
        ("/".join(["xo"] * 27) + " x standard", "27 rows"),
        ("xo25 x standard", "row 1 is longer than 26"),
        ("x" * 40 + " x standard", "row 1 is longer than 26"),
    ],
)
def test_errors_in_positions_say_what_and_where(text: str, says: str) -> None:
    with pytest.raises(fg.NotationError, match=re.escape(says)):
        fg.Position.parse(text)


@given(text=sizes_text, upper=st.booleans())
def test_sizes(text: str, upper: bool) -> None:
    rows, columns = map(int, text.split("x"))
    written = text.upper() if upper else text
    if 1 <= rows <= 26 and 1 <= columns <= 26:
        assert rules.parse_size(written) == (rows, columns)
        assert str(rules.parse_size(written)) == text
    else:
        with pytest.raises(fg.SizeError):
            rules.parse_size(written)


# Values that are no text


@given(
    seconds=strategies.things | st.floats(-1, 10),
    nodes=strategies.things,
    depth=strategies.things,
)
def test_limits(seconds: Any, nodes: Any, depth: Any) -> None:
    read(lambda _: fg.Limit(seconds, nodes, depth), None)


@given(depth=strategies.things, count=strategies.things, seed=strategies.things)
@strategies.examples(30)
def test_depths_counts_and_seeds(depth: Any, count: Any, seed: Any) -> None:
    over = fg.Position.parse("x o standard")
    read(lambda _: fg.perft(over, depth), None)
    read(lambda _: fg.playout(over, seed), None)
    if not (isinstance(count, int) and count > 1000):
        read(lambda _: fg.playouts(over, count, seed), None)


@given(
    stones=st.dictionaries(
        strategies.things.filter(lambda v: v.__hash__ is not None) | st.just("a1"),
        strategies.things,
        max_size=4,
    ),
    size=strategies.things | st.just(4),
    side=strategies.things | st.just(1),
    name=strategies.things | st.just("standard"),
)
def test_set_ups_of_anything(stones: dict[Any, Any], size: Any, side: Any, name: Any) -> None:
    read(lambda _: fg.Position(stones, size, side, name), None)
    read(lambda _: fg.Position.from_array(size, side, name), None)
