"""Games that Hypothesis draws: trees of legal moves with everything that a record can say."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from hypothesis import strategies as st

import naive
from formsgame import STANDARD, Game, Move, Position, Size
from formsgame.record import Node
from strategies import set_up_boards, start_sizes

#: Any text that a file can hold: no lone surrogates.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.text(
    " \t\n\r\v\f{}[]();%$\\\"'*1.ab-+BWR\u00a0\u2028\u0085\ufeff\u200b", max_size=60
)
values = texts.map(lambda text: text.replace("\n", " ").replace("\r", " "))
names = st.one_of(
    st.sampled_from(
        ["Event", "Site", "Date", "Round", "Black", "White", "TimeControl", "BlackElo", "WhiteElo"]
    ),
    st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,12}", fullmatch=True),
).filter(lambda name: name not in ("Result", "Rules", "Size", "Position"))
headers = st.dictionaries(names, values, max_size=6).filter(
    lambda tags: tags.get("Termination") != "aborted"
)
glyphs = st.lists(st.integers(0, 255), max_size=3)


#: What data may hold in the wrong place.
any_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)


def start_of(board: naive.Board) -> Position:
    """A position of the package out of a second implementation's."""
    return Position.parse(naive.format_board(board))


@st.composite
def starts(draw: st.DrawFn) -> Position:
    """A start position, or one set up by hand."""
    if draw(st.booleans()):
        return start_of(draw(set_up_boards(max_side=5)))
    rules, rows, columns = draw(start_sizes)
    return Position.initial(rules, (rows, columns))


def any_move(position: Position, chance: random.Random) -> Move:
    """A legal move."""
    moves = position.legal_moves
    return moves[chance.randrange(len(moves))]


@st.composite
def games(draw: st.DrawFn) -> Game:
    """A game, its tree grown at random places, changed and annotated."""
    game = Game(draw(starts()), draw(headers))
    chance = random.Random(draw(st.integers(0, 1 << 32)))
    nodes = [game.root]
    for _ in range(draw(st.integers(0, 25))):
        node = chance.choice(nodes) if chance.random() < 0.4 else nodes[-1]
        if not node.position.is_over:
            nodes.append(node.add(any_move(node.position, chance)))
    nodes = list(game.nodes())
    chosen = st.sampled_from(nodes)
    for node, comment in draw(st.lists(st.tuples(chosen, texts), max_size=5)):
        node.comment = comment
    if len(nodes) > 1:
        for node, numbers in draw(st.lists(st.tuples(chosen, glyphs), max_size=3)):
            if node.move:
                node.glyphs = numbers
    starting = [node for node in nodes if node.parent and node.parent.next != node]
    if starting:
        pairs = st.tuples(st.sampled_from(starting), texts)
        for node, comment in draw(st.lists(pairs, max_size=3)):
            node.starting_comment = comment
    for _ in range(draw(st.integers(0, 2))):
        node = chance.choice(list(game.nodes()))
        if node.move:
            getattr(node, chance.choice(["promote", "demote", "promote_to_main", "delete"]))()
    if not game.is_over:
        end = draw(st.sampled_from(["", "resign", "lose_on_time", "abort"]))
        if end:
            getattr(game, end)()
    game.current = chance.choice(list(game.nodes()))
    return game


@cache
def big_game() -> Game:
    """A game of 600 plies on 26 x 26 cells, not over, with a few words."""
    chance = random.Random(1)
    game = Game(Position.initial(STANDARD, 26), {"Black": "Жанна", "White": "李"})
    for _ in range(600):
        # The move out of some that takes least besides, so that the game lasts.
        kept: list[tuple[int, Move]] = []
        while len(kept) < 200 and (not kept or kept[-1][0]):
            move = any_move(game.position, chance)
            kept.append((len(game.position.removed_by(move)), move))
        game.play(min(kept)[1])
    game.current.comment = "still playing"
    return game


@cache
def wide_game(variations: int, size: int | Size = 8) -> Game:
    """A game with a number of variations, nested and side by side."""
    chance = random.Random(2)
    game = Game(Position.initial("advanced", size))
    nodes: list[Node] = [game.root]
    while variations > 0:
        node = chance.choice(nodes)
        for _ in range(3):
            if node.position.is_over:
                break
            before = len(node.variations)
            child = node.add(any_move(node.position, chance))
            if len(node.variations) > before:
                nodes.append(child)
                variations -= before > 0
            node = child
    return game


def everything(game: Game) -> Any:
    """All that a game says and computes, to compare copies by."""
    return (
        game.to_json(),
        dict(game.headers),
        game.moves,
        game.positions,
        game.outcome,
        game.position,
        game.current.moves,
        game.to_text(),
    )
