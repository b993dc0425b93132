"""What an analysis has to say in a record: scores, marks on turning points, and better moves."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from formsgame import __version__
from formsgame.cli.words import _
from formsgame.errors import FormsError
from formsgame.position import Move, Position
from formsgame.record import Game, Node
from formsgame.rules import BLACK, WHITE, Color

#: Glyphs by how much of the chance to win a move gives away, the worst first: ??, ? and ?!.
GLYPHS = ((0.3, 4), (0.2, 2), (0.1, 6))
_OURS = {glyph for _loss, glyph in GLYPHS}
#: Glyphs that judge a move: where a person has given one, that stands.
JUDGEMENTS = range(1, 7)
#: Most plies that are written of a better line.
LINE_PLIES = 12
#: The beginning of what an analysis says at the end of a comment: Black's chance to win, or who
#: wins for certain. What an earlier analysis said is replaced.
_EARLIER = re.compile(r"\s*\[%(win|proved) [^]]*\].*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is known of a position: Black's chance to win, the winner if proved, the best line."""

    chance: float
    verdict: Color | None
    line: tuple[Move, ...] = ()

    @classmethod
    def of(cls, position: Position, plain: Mapping[str, Any]) -> Evaluation:
        """Return what a line of an analysis, as plain data, says of a position."""
        names = {"black": BLACK, "white": WHITE, None: None}
        verdict = names[plain["verdict"]]
        score = plain["score"] if position.side_to_move is BLACK else 1 - plain["score"]
        if verdict is not None:
            score = float(verdict is BLACK)
        return cls(score, verdict, tuple(map(Move.parse, plain["line"])))

    def chance_of(self, color: Color) -> float:
        """Return a side's chance to win."""
        return self.chance if color is BLACK else 1 - self.chance


#: What is known, by the text of the position; more may be missing.
Evaluations = Mapping[str, Evaluation]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A move of a game: what was better, if it gave something away, and the glyph that says so."""

    node: Node
    evaluation: Evaluation
    better: Evaluation | None = None
    glyph: int | None = None
    sentence: str = ""


def positions(game: Game) -> Iterator[Position]:
    """Yield the positions of the main line that have something to be found out about them."""
    return (position for position in game.positions if not position.is_over)


def annotate(game: Game, evaluations: Evaluations) -> list[Judgement]:
    """Write what is known into the main line of a game; returns what was said of each place."""
    judgements = list(judge(game, evaluations))
    for judgement in judgements:
        node = judgement.node
        glyphs = list(node.glyphs)
        if _EARLIER.search(node.comment):
            glyphs = [glyph for glyph in glyphs if glyph not in _OURS]
        if judgement.glyph is not None and not set(glyphs) & set(JUDGEMENTS):
            glyphs.append(judgement.glyph)
        node.glyphs = glyphs
        _say(node, judgement.evaluation, judgement.sentence)
        if judgement.better is not None and node.parent is not None:
            _add_line(node.parent, judgement.better)
    if judgements:
        game.headers["Annotator"] = f"formsgame {__version__}"
    return judgements


def judge(game: Game, evaluations: Evaluations) -> Iterator[Judgement]:
    """Yield what there is to say of the start and of every move, as far as all is known."""
    places = list(_main_line(game))
    known = [_evaluation(node.position, evaluations) for node in places]
    for number in range(len(places) - 1, 0, -1):
        before, after = known[number - 1], known[number]
        mover, move = places[number - 1].position.side_to_move, places[number].move
        # A move to a proved win is one itself, also where the search has not found it.
        if before and after and move and after.verdict is mover and before.verdict is not mover:
            known[number - 1] = replace(after, line=(move, *after.line))
    for number, (node, evaluation) in enumerate(zip(places, known, strict=True)):
        if evaluation is not None:
            yield _judge_move(node, known[number - 1] if number else None, evaluation)


def _main_line(game: Game) -> Iterator[Node]:
    node: Node | None = game.root
    while node is not None:
        yield node
        node = node.next


def _evaluation(position: Position, evaluations: Evaluations) -> Evaluation | None:
    winner = position.winner
    if winner is not None:
        return Evaluation(float(winner is BLACK), winner)
    return evaluations.get(str(position))


def _judge_move(node: Node, before: Evaluation | None, after: Evaluation) -> Judgement:
    parent = node.parent
    if before is None or parent is None or before.line[:1] == (node.move,):
        return Judgement(node, after)
    mover = parent.position.side_to_move
    had, has = before.chance_of(mover), after.chance_of(mover)
    glyph = next((glyph for loss, glyph in GLYPHS if had - has >= loss), None)
    if glyph is None:
        return Judgement(node, after)
    values = {
        "move": before.line[0],
        "before": f"{100 * had:.0f}%",
        "after": f"{100 * has:.0f}%",
    }
    if after.verdict is not None and before.verdict is not None:
        sentence = _("Threw away a proved win: %(move)s wins.")
    elif after.verdict is not None:
        sentence = _("Loses for certain; %(move)s had a chance of %(before)s.")
    elif before.verdict is not None:
        sentence = _("%(move)s wins for certain; this has a chance of %(after)s.")
    else:
        sentence = _("From a chance of %(before)s to %(after)s; %(move)s was better.")
    return Judgement(node, after, before, glyph, sentence % values)


def _say(node: Node, evaluation: Evaluation, sentence: str = "") -> None:
    """Put an evaluation at the end of a node's comment."""
    if evaluation.verdict is None:
        score = f"[%win {evaluation.chance:.2f}]"
    else:
        score = f"[%proved {evaluation.verdict.title[0]}]"
    kept = _EARLIER.sub("", node.comment)
    node.comment = " ".join(filter(None, (kept, score, sentence)))


def _add_line(node: Node, better: Evaluation) -> None:
    """Add a better line as a variation, its chance after its first move."""
    with contextlib.suppress(FormsError):  # a game given up there takes no more moves
        for number, move in enumerate(better.line[:LINE_PLIES]):
            node = node.add(move)
            if number == 0:
                _say(node, better)
