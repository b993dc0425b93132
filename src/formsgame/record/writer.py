"""Writing records: a game's tags and tree as text, in one form only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto

from formsgame.record.tree import Tree
from formsgame.rules import BLACK

#: Longest line, but for a tag or a word that is longer.
WIDTH = 80

#: Where a comment may be broken. No line of it starts with `%` or `[`: readers that know no
#: comments over several lines would take it for an escaped line or a tag.
_BREAK = re.compile(r" (?![%\[])")


class _Step(Enum):
    """What is to be written of a node."""

    #: The move, at the start of a variation or elsewhere.
    OPEN = auto()
    MOVE = auto()
    #: What follows the move.
    ON = auto()
    #: The end of the variation that the node starts.
    CLOSE = auto()


def format_game(headers: Mapping[str, str], tree: Tree, result: str) -> str:
    """Return the record of a game: tags, an empty line, moves wrapped at 80 columns."""
    lines = [f'[{name} "{_escape(value)}"]' for name, value in headers.items()]
    lines.append("")
    line = ""
    for word in [*_words(tree), result]:
        if not line:
            line = word
        elif len(line) + 1 + len(word) <= WIDTH:
            line += f" {word}"
        else:
            lines.append(line)
            line = word
    lines.append(line)
    return "\n".join(lines) + "\n"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _words(tree: Tree) -> list[str]:
    """Return the move text without the result as words that lines can be broken between."""
    words = _comment(tree.comments.get(0, ""))
    offset = 0 if tree.start.side_to_move is BLACK else 1
    #: Steps still to be taken, the next one last; a flag says whether a move needs its number.
    steps = [(_Step.ON, 0, True)]
    while steps:
        step, node, is_numbered = steps.pop()
        if step is _Step.CLOSE:
            words[-1] += ")"
            continue
        if step is _Step.ON:
            children = list(tree.children[node].values())
            if len(children) > 1:
                steps.append((_Step.ON, children[0], True))
                for child in reversed(children[1:]):
                    steps.append((_Step.CLOSE, child, False))
                    steps.append((_Step.OPEN, child, True))
            if children:
                steps.append((_Step.MOVE, children[0], is_numbered))
            continue
        first = len(words)
        if opening := tree.openings.get(node):
            words += _comment(opening)
        number, second = divmod(tree.plies[node] - 1 + offset, 2)
        mark = f"{number + 1}. " if second == 0 else f"{number + 1}... " if is_numbered else ""
        words.append(f"{mark}{tree.moves[node]}")
        words += [f"${glyph}" for glyph in tree.glyphs.get(node, ())]
        comment = tree.comments.get(node, "")
        words += _comment(comment)
        if step is _Step.OPEN:
            words[first] = f"({words[first]}"
        if step is _Step.OPEN or len(tree.children[tree.parents[node]]) == 1:
            steps.append((_Step.ON, node, bool(comment)))
    return words


def _comment(comment: str) -> list[str]:
    """Return a comment in its braces as words that lines can be broken between."""
    return _BREAK.split(f"{{{comment}}}") if comment else []
