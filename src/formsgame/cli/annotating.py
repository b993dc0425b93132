"""What an analysis has to say in a record: scores, marks on turning points, and better moves."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from formsgame import __version__
from formsgame.cli.words import _
from formsgame.errors import FormsError
from formsgame.position import Move, Position
from formsgame.record import Game, Node
from formsgame.rules import BLACK, WHITE, Color

#: Glyphs by how much of the chance to win a move gives away, the worst first: ??, ? and ?!.
GLYPHS = ((0.3, 4), (0.2, 2), (0.1, 6))
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
        was_analysed = _EARLIER.search(node.comment) is not None
        _say(node, judgement.evaluation, judgement.sentence)
        if judgement.glyph is None or judgement.better is None:
            glyphs = [glyph for glyph in node.glyphs if not was_analysed or not _is_ours(glyph)]
            if node.move is not None:
                node.glyphs = glyphs
            continue
        theirs = [glyph for glyph in node.glyphs if not was_analysed or not _is_ours(glyph)]
        if not set(theirs) & set(JUDGEMENTS):
            theirs.append(judgement.glyph)
        node.glyphs = theirs
        if node.parent is not None:
            _add_line(node.parent, judgement.better)
    if judgements:
        game.headers["Annotator"] = f"formsgame {__version__}"
    return judgements


def judge(game: Game, evaluations: Evaluations) -> Iterator[Judgement]:
    """Yield what there is to say of the start and of every move, as far as all is known."""
    node: Node | None = game.root
    before: Evaluation | None = None
    while node is not None:
        position = node.position
        after = evaluations.get(str(position))
        winner = position.winner
        if winner is not None:
            after = Evaluation(float(winner is BLACK), winner)
        if after is not None:
            yield _judge_move(node, before, after)
        before, node = after, node.next


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


def _is_ours(glyph: int) -> bool:
    return glyph in {ours for _loss, ours in GLYPHS}
