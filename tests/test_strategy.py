"""What docs/strategy.md says is so."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import formsgame as fg
import naive

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "strategy.md").read_text("utf-8")
FACTS: dict[str, str] = json.loads((ROOT / "docs" / "strategy" / "facts.json").read_text("utf-8"))


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("strategy", ROOT / "scripts" / "strategy.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


strategy = _load()
RULES = [fg.STANDARD, fg.ADVANCED]


def agree(found: dict[str, str]) -> None:
    assert found == {name: FACTS[name] for name in found}


def test_the_text_is_the_template_with_its_figures_and_proofs() -> None:
    assert strategy.render(FACTS) == TEXT
    assert not re.search(r"\{[a-z_]+[:}0-9]", TEXT)


def test_diagrams_are_current_and_all_are_shown() -> None:
    wanted = {f"{name}.svg": diagram.svg() for name, diagram in strategy.diagrams().items()}
    folder = ROOT / "docs" / "strategy"
    assert {path.name: path.read_text("utf-8") for path in folder.glob("*.svg")} == wanted
    assert {f"strategy/{name}" for name in wanted} == set(re.findall(r"\]\((.*?)\)", TEXT))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_counts_hold(rules: fg.Rules) -> None:
    facts = strategy.count_facts(rules, strategy.TOP[rules])
    agree({f"{rules}_{name}": value for name, value in facts.items()})


def test_laws_edges_lines_and_published_classes_hold() -> None:
    agree(strategy.law_facts(strategy.TOP[fg.STANDARD]))
    agree(strategy.edge_facts(strategy.TOP[fg.ADVANCED]))
    agree(strategy.line_facts())
    agree(strategy.published_facts())
    agree(strategy.rule_facts({3: 1, 4: 1, 5: 1, 6: 1, 7: 1}))
    for stones in range(3, 9):
        good, whole = FACTS[f"rule_{stones}"].split(" of ")
        assert good == whole


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_what_is_told_of_moves_holds(rules: fg.Rules) -> None:
    numbers = (5, 6) if rules is fg.STANDARD else (4, 5)
    facts = strategy.move_facts(rules, numbers)
    agree({f"{rules}_{name}": value for name, value in facts.items()})


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_frequent_endings_hold(rules: fg.Rules) -> None:
    facts = strategy.ending_facts(rules, strategy.GAMES)
    agree({f"{rules}_{name}": value for name, value in facts.items()})


def percent(name: str) -> float:
    return float(FACTS[name].removesuffix(" %").replace("< 1", "0.5").replace("> 99", "99.5"))


def test_the_words_about_figures_hold() -> None:
    share = {}
    for stones in range(2, 11):
        forms, mover = strategy.level(stones), strategy.central(fg.STANDARD, stones)
        own = np.bitwise_count(forms.masks)
        for number in range(1, stones):
            share[number, stones - number] = mover[forms.distinct & (own == number)].mean()
    assert all(share[a, b] >= share[a + 1, b] for a, b in share if (a + 1, b) in share)
    assert all(share[a, b] <= share[a, b + 1] for a, b in share if (a, b + 1) in share)
    assert share[1, 1] < share[2, 2] < share[3, 3] < share[4, 4] < share[5, 5]
    for rules in RULES:
        numbers = strategy.MOVES_OF[rules]
        for stones in numbers:
            assert percent(f"{rules}_move_10_{stones}") > percent(f"{rules}_move_9_{stones}")
            assert percent(f"{rules}_move_5_{stones}") > percent(f"{rules}_move_6_{stones}")
    assert percent("standard_move_2_5") < percent("standard_move_2_6")
    assert percent("standard_move_2_6") < percent("standard_move_2_7")
    for rules, first in ((fg.STANDARD, 3), (fg.ADVANCED, 4)):
        grows = [percent(f"{rules}_n_{n}") for n in range(first, strategy.TOP[rules] + 1)]
        assert grows == sorted(set(grows))
    for row in FACTS["edges"].splitlines()[2:]:
        edge, _, near, corner, _ = (cell.strip(" %") for cell in row.split("|")[2:-1])
        assert near in ("0", "< 1")
        assert float(corner) > 2 * float(edge)


@pytest.mark.parametrize("name", ["trap", "trap-advanced"])
def test_traps_tempt_with_fewer_own_stones(name: str) -> None:
    diagram = strategy.DIAGRAMS[name]
    moves = strategy.tries(fg.Position.parse(diagram.position))
    (winning,) = (one for one in moves if one.wins)
    assert str(winning.move) == diagram.move
    assert min(one.own for one in moves) < winning.own


def test_recapture_keeps_no_two_stones_adjacent() -> None:
    """The step of the proof, move by move and with every stone that can recapture."""
    for stones in range(2, 6):
        forms = strategy.level(stones)
        for shape, mask in np.argwhere(forms.distinct & strategy.no_pairs(forms)).tolist():
            form = strategy.diagram_of(forms.shapes[shape], mask)
            position = strategy.place(form, fg.STANDARD)
            for move in position.legal_moves:
                after = position.play(move)
                for source in after.stones(fg.WHITE):
                    answer = after.play(f"{source}-{move.target}")
                    assert answer.counts[fg.BLACK]
                    assert not strategy._has_pair(answer, fg.WHITE)


@pytest.mark.parametrize(("rules", "most"), [(fg.STANDARD, 5), (fg.ADVANCED, 4)])
def test_classes_agree_with_the_slow_rules(rules: fg.Rules, most: int) -> None:
    known: dict[str, bool] = {}
    for stones in range(2, most + 1):
        forms, mover = strategy.level(stones), strategy.central(rules, stones)
        for shape, mask in np.argwhere(forms.distinct).tolist():
            position = strategy.place(strategy.diagram_of(forms.shapes[shape], mask), rules)
            board = naive.parse_board(str(position))
            assert naive.mover_wins(board, known) == mover[shape, mask]


def test_every_position_quoted_agrees_with_the_solver() -> None:
    """Read the captions as a reader does, and play their lines."""
    quoted = re.findall(r"`([^`]+ [xo] (?:standard|advanced))` ([^*]+)\*", TEXT)
    assert len(quoted) == len(strategy.DIAGRAMS)
    for text, words in quoted:
        position = fg.Position.parse(text)
        shown = re.match(r"(\S+) (wins|loses);", words)
        if shown:
            winning = fg.winning_moves(position)
            assert winning is not None
            assert (fg.Move.parse(shown[1]) in winning) == (shown[2] == "wins")
            position = position.play(shown[1])
        else:
            found = fg.outcome_class(position)
            assert found is not None
            assert words.startswith(f"Class {found.value}.")
        lines = re.findall(r"(Black|White) to move: (Black|White) wins \((.*?)\)", words)
        assert len(lines) == (1 if shown else 2)
        for side, winner, line in lines:
            at = position.with_side_to_move(fg.BLACK if side == "Black" else fg.WHITE)
            verdict = fg.solve(at)
            assert verdict is not None
            assert verdict.winner.title == winner
            for move in line.split():
                at = at.play(move)
            assert at.winner is verdict.winner
