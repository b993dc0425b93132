"""Forms drawn by hand: where they are put, whose they are, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import formsgame as fg
from commanding import refused, run
from formsgame.solver.pattern import place_pattern

VECTORS = Path(__file__).parent / "vectors" / "outcomes.tsv"
PUBLISHED = [
    line.split("\t") for line in VECTORS.read_text("utf-8").splitlines() if not line.startswith("#")
]


@pytest.mark.parametrize(("drawing", "outcome"), PUBLISHED)
def test_published_outcome_classes(drawing: str, outcome: str) -> None:
    expected = fg.OutcomeClass(outcome)
    assert fg.outcome_class(drawing, rules="advanced") is expected
    assert fg.outcome_class(f"\n{drawing}\n".replace("/", "\r\n"), rules=fg.ADVANCED) is expected
    runs = drawing.replace("..", "2").replace(".", "1")
    assert fg.outcome_class(runs, rules="advanced") is expected


def test_where_patterns_lie() -> None:
    assert str(place_pattern("xxo", "standard")) == "xxo x standard"
    assert str(place_pattern("2xo/xxo", "standard")) == "2xo/xxo1 x standard"
    assert str(place_pattern("xo", "advanced")) == "xo x advanced"
    assert str(place_pattern("x.\nxo", "advanced")) == "4/1x2/1xo1/4 x advanced"
    assert str(place_pattern("xx", "standard")) == "xx o standard"
    assert fg.outcome_class("xx", rules="standard") is fg.OutcomeClass.W
    assert fg.outcome_class("o", rules="advanced") is fg.OutcomeClass.B


def test_a_larger_board_changes_nothing() -> None:
    for drawing, outcome in PUBLISHED:
        position = place_pattern(drawing, "advanced")
        small = position.array
        large = fg.Position.from_array(
            [
                [0] * 26
                if not 9 <= row < 9 + small.shape[0]
                else [0] * 8 + small[row - 9].tolist() + [0] * (18 - small.shape[1])
                for row in range(26)
            ],
            position.side_to_move,
            "advanced",
        )
        assert fg.outcome_class(large) is fg.OutcomeClass(outcome)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("xzo", "at character 2"),
        ("  x o", "at character 4"),
        ("x0o", "at character 2"),
        ("xo\rx", "at character 3"),
        ("99", "row 1 is longer than 26"),
        ("xo\n" + "x" * 27, "row 2 is longer than 26"),
        ("x\n" * 26 + "o", "27 rows"),
        ("x" * 5000, "5000 characters"),
        ("", "there are no stones"),
        ("./.", "there are no stones"),
        ("xo//ox", "2 forms"),
        ("x1o", "(separate ones at a1, c1)"),
        ("xxooxxooxxo", "19x29"),
        (5, "must be text"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    with pytest.raises(fg.FormsError) as caught:
        fg.outcome_class(text, rules="advanced")
    assert said in str(caught.value)


def test_rules_are_named_and_agree() -> None:
    with pytest.raises(fg.NotationError, match="rules are"):
        fg.outcome_class("xo")  # type: ignore[call-overload]
    with pytest.raises(fg.NotationError, match="rules are"):
        fg.outcome_class("xo", rules="other")
    position = fg.Position.parse("xo x standard")
    assert fg.outcome_class(position, rules="standard") is fg.OutcomeClass.P  # type: ignore[call-overload]
    with pytest.raises(fg.LimitError):
        fg.outcome_class(position, rules="advanced")  # type: ignore[call-overload]


@given(st.text(alphabet="xo.12/0 \n\r a", max_size=12), st.sampled_from(["standard", "advanced"]))
def test_any_text_gives_a_position_or_an_error(text: str, rules: str) -> None:
    try:
        position = place_pattern(text, rules)
    except fg.FormsError:
        return
    assert sum(position.counts.values()) == text.count("x") + text.count("o")


def test_patterns_on_the_command_line() -> None:
    assert run("solve", "--class", "xxo", "--rules", "advanced").out == "N\n"
    assert run("solve", "--class", "xxxooo").out == "P\n"
    assert run("solve", "--class", "xxxooo", "--rules", "standard").out == "N\n"
    assert "at character 2" in refused(2, "solve", "--class", "xzo")
    assert "rules" in refused(2, "solve", "--class", "xo", "--rules", "other")
    assert "goes with --rules" in refused(2, "solve", "--class", "xo", "--board", "4")
    assert "not solved" in refused(1, "solve", "--class", "xxoo/ooxx/xo", "--nodes", "1")
