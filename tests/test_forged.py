"""Values that no reader makes: what a program might put together by mistake, or on purpose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import formsgame as fg
from formsgame.notation import Setup
from formsgame.rules import Size

FORGED = [
    fg.Rules("chess", 0, captures_anywhere=True, slides=False, checkered_start=False),
    fg.Rules("standard", 10**9, captures_anywhere=True, slides=False, checkered_start=False),
    fg.Rules(None, 0, captures_anywhere=True, slides=False, checkered_start=False),  # type: ignore[arg-type]
]


def setup(
    cells: bytes = bytes([1, 2]),
    size: tuple[int, int] = (1, 2),
    side: int = 1,
    rules: fg.Rules = fg.STANDARD,
) -> Setup:
    return Setup(cells, Size(*size), side, rules)  # type: ignore[arg-type]


@pytest.mark.parametrize("rules", FORGED, ids=["name", "number", "no name"])
def test_rule_sets_are_the_two_there_are(rules: fg.Rules) -> None:
    """The compiled rules look things up by a rule set's number."""
    makes: list[Callable[[], object]] = [
        lambda: fg.Position.initial(rules, 8),
        lambda: fg.Position({"a1": 1, "a2": 2}, 2, 1, rules),
        lambda: fg.Position.from_array(np.array([[1, 2]]), 1, rules),
        lambda: fg.Position.from_setup(setup(rules=rules)),
    ]
    for make in makes:
        with pytest.raises(fg.NotationError) as refusal:
            make()
        assert refusal.value.code == "rules.name"


def test_a_copy_of_a_rule_set_is_that_rule_set() -> None:
    copy = fg.Rules("standard", 0, captures_anywhere=True, slides=False, checkered_start=False)
    assert fg.Position.initial(copy, 4).rules is fg.STANDARD


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: setup(size=(1, 1000), cells=bytes([1, 2] * 500)), "size.range"),
        (lambda: setup(size=(0, 0), cells=b""), "size.range"),
        (lambda: setup(size=(2, 2)), "setup.defects"),
        (lambda: setup(cells=bytes([1, 7])), "setup.defects"),
        (lambda: setup(side=3), "position.side"),
    ],
)
def test_set_ups_are_checked_whoever_made_them(make: Callable[[], Setup], code: str) -> None:
    with pytest.raises(fg.FormsError) as refusal:
        fg.Position.from_setup(make())
    assert refusal.value.code == code


def test_a_set_up_names_the_cells_that_hold_something_else() -> None:
    with pytest.raises(fg.SetupError) as refusal:
        fg.Position.from_setup(setup(bytes([1, 7, 2, 3]), (2, 2)))
    assert [defect.data["cell"] for defect in refusal.value.defects] == ["b1", "b2"]


def test_rows_of_different_lengths_are_no_array() -> None:
    with pytest.raises(fg.SetupError, match="an array of integers"):
        fg.Position.from_array([[1, 2], [1]], 1, "standard")
