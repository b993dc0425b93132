"""Laws of the rules and of the values, on positions that Hypothesis draws."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import tracemalloc
from collections.abc import Callable, Container

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import formsgame as fg
import naive
import strategies

RULES = (naive.STANDARD, naive.ADVANCED)
SYMMETRIES = st.sampled_from(list(fg.Symmetry))

#: Positions on which something once went wrong, or could: drawn first by the laws below.
CORPUS = (
    "x x standard",
    "x o standard",
    "xo x advanced",
    "1x/1o o advanced",
    "1x1/xox/1x1 o advanced",
    "xox/o1o/xox x advanced",
    "2x2/2o2/xoxox/2o2/2x2 x advanced",
    "8/8/8/2xxo3/8/8/8/8 x advanced",
)
SOUND = tuple(text for text in CORPUS if text != "x x standard")


def package(board: naive.Board) -> fg.Position:
    """The package's value of a position of `naive`."""
    return fg.Position.parse(naive.format_board(board))


positions = strategies.boards().map(package)
open_positions = strategies.going_on().map(package)
small_positions = st.one_of(
    strategies.set_up_boards(max_side=5), strategies.played_boards(max_side=5)
).map(package)


def among(value: object, moves: Container[object]) -> bool:
    """Membership, also of text and of what is no move at all."""
    return value in moves


def draw_move(data: st.DataObject, position: fg.Position) -> fg.Move:
    """A legal move of a position in which the game goes on."""
    return position.legal_moves[data.draw(st.integers(0, len(position.legal_moves) - 1))]


def cells(position: fg.Position) -> list[str]:
    return [
        naive.format_cell((column, row))
        for column in range(position.columns)
        for row in range(position.rows)
    ]


def stones(position: fg.Position) -> dict[str, fg.Color]:
    return {cell: color for cell in cells(position) if (color := position[cell]) is not None}


# Legal moves


def reason(board: naive.Board, source: naive.Cell, target: naive.Cell) -> str | None:
    """Why a move is not legal, from the rule text; None if it is."""
    there = board.stones.get(target)
    if naive.winner(board) is not None:
        return "move.over"
    if source not in board.stones:
        return "move.empty_source"
    if board.stones[source] != board.side:
        return "move.not_yours"
    if source == target:
        return "move.same_cell"
    if there == board.side:
        return "move.own_target"
    if there is not None:
        if board.rules == naive.STANDARD or target in naive.neighbours(source):
            return None
        return "move.not_adjacent"
    if board.rules == naive.STANDARD:
        return "move.empty_target"
    if target not in naive.connected_to(naive.neighbours(source), naive.empty_cells(board)):
        return "move.unreachable"
    if not naive.apply(board, (source, target)).removed:
        return "move.removes_nothing"
    return None


@given(position=small_positions)
@strategies.examples(40)
@example(position=fg.Position.parse(CORPUS[4]))
@example(position=fg.Position.parse(CORPUS[5]))
@example(position=fg.Position.parse(CORPUS[6]))
def test_the_list_agrees_with_every_question_about_one_move(position: fg.Position) -> None:
    """Over all from-to pairs: list, membership, `is_legal`, `play` and its reason."""
    board = naive.parse_board(str(position))
    before = pickle.dumps(position)
    listed = set(position.legal_moves)
    assert len(listed) == len(position.legal_moves)
    for source, target in itertools.product(cells(position), repeat=2):
        move = fg.Move(source, target)
        why = reason(board, naive.parse_cell(source), naive.parse_cell(target))
        assert position.is_legal(move) == (move in listed) == (why is None)
        assert (move in position.legal_moves) == (move in listed)
        if why is not None:
            with pytest.raises(fg.IllegalMoveError) as refused:
                position.play(move)
            assert refused.value.code == why
            assert refused.value.move == str(move)
    assert pickle.dumps(position) == before


@given(position=positions, move=st.tuples(st.integers(0, 25), st.integers(0, 25)))
def test_moves_off_the_board_are_illegal(position: fg.Position, move: tuple[int, int]) -> None:
    off = naive.format_cell(move)
    assume(move[0] >= position.columns or move[1] >= position.rows)
    for text in (f"{off}-a1", f"a1-{off}"):
        assert not position.is_legal(text)
        assert not among(text, position.legal_moves)
        with pytest.raises(fg.IllegalMoveError) as refused:
            position.play(text)
        assert refused.value.code == "move.off_board"
    with pytest.raises(fg.NotationError):
        position[off]
    with pytest.raises(fg.NotationError):
        position.legal_moves_from(off)


@given(position=positions)
def test_the_list_is_in_order_and_splits_by_source(position: fg.Position) -> None:
    moves = list(position.legal_moves)
    assert moves == sorted(moves)
    own = position.stones(position.side_to_move)
    split = [move for cell in own for move in position.legal_moves_from(cell)]
    assert split == moves
    for cell in set(cells(position)) - set(own):
        assert position.legal_moves_from(cell) == ()


@given(position=open_positions, data=st.data())
def test_the_list_is_a_sequence(position: fg.Position, data: st.DataObject) -> None:
    moves = position.legal_moves
    listed = list(moves)
    size = len(listed)
    assert len(moves) == size
    assert bool(moves) == bool(listed)
    assert [moves[place] for place in range(size)] == listed
    assert [moves[place] for place in range(-size, 0)] == listed
    assert list(reversed(moves)) == listed[::-1]
    part = slice(*(data.draw(st.none() | st.integers(-size - 2, size + 2)) for _ in range(2)))
    assert list(moves[part]) == listed[part]
    assert list(moves[::-3]) == listed[::-3]
    for place in {0, size // 2, size - 1}:
        assert moves.index(listed[place]) == place
        assert moves.count(listed[place]) == 1
        assert listed[place] in moves
        assert among(str(listed[place]), moves)
    for place in (size, -size - 1):
        with pytest.raises(IndexError):
            moves[place]
    assert moves == position.legal_moves
    with pytest.raises(ValueError, match="a1-a1"):
        moves.index("a1-a1")
    assert not among("no move", moves)
    assert not among(None, moves)


def test_the_largest_list_is_lazy() -> None:
    """26,244 moves on 18 x 18 cost nothing to hold, and agree however they are asked for."""
    position = fg.Position.initial("standard")
    tracemalloc.start()
    moves = position.legal_moves
    size, middle, last = len(moves), moves[13_000], moves[-1]
    assert last in moves
    assert moves.index(last) == size - 1
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size == 26_244
    assert peak < 300_000
    listed = list(moves)
    assert len(set(listed)) == size
    assert listed == sorted(listed)
    assert (listed[13_000], listed[-1]) == (middle, last)
    assert list(moves[5:26_000:1_999]) == listed[5:26_000:1_999]
    assert moves[-size] == listed[0]


# What a move does


@given(position=open_positions, data=st.data())
def test_a_move_and_its_result_tell_one_story(position: fg.Position, data: st.DataObject) -> None:
    move = draw_move(data, position)
    before = stones(position)
    result = position.result(move)
    removed = position.removed_by(move)
    after = result.position
    assert after == position.play(move) == position.play(str(move))
    assert (result.move, result.source, result.target) == (move, move.source, move.target)
    assert result.color is position.side_to_move is before[move.source]
    assert result.captured == (move.target if move.target in before else None)
    assert sorted(removed) == sorted(itertools.chain(*result.removed.values()))
    for color, gone in result.removed.items():
        assert all(before[cell] is color for cell in gone)
    expected = {cell: color for cell, color in before.items() if cell not in removed}
    del expected[move.source]
    expected[move.target] = result.color
    assert stones(after) == expected
    assert after.side_to_move is position.side_to_move.opponent
    assert (after.rules, after.size) == (position.rules, position.size)


@given(position=open_positions)
def test_laws_of_every_move(position: fg.Position) -> None:
    """Nobody is stuck, each move takes stones, one form remains, the mover never wins."""
    moves = position.legal_moves
    assert any(position[move.target] for move in moves), "a capture, wherever both colors are"
    total = sum(position.counts.values())
    for move in moves[:: max(1, len(moves) // 40)]:
        after = position.play(move)
        assert sum(after.counts.values()) < total
        assert after.counts[position.side_to_move] > 0
        assert after.winner in (None, position.side_to_move.opponent)
        assert fg.Position.parse(str(after)) == after, "still one form"


@given(board=strategies.set_up_boards(finished=True))
def test_nothing_moves_when_the_game_is_over(board: naive.Board) -> None:
    position = package(board)
    assert position.is_over
    assert position.winner is position.side_to_move
    assert len(position.legal_moves) == 0
    assert list(position.legal_moves) == []
    assert not position.legal_moves
    for cell in cells(position):
        assert position.legal_moves_from(cell) == ()
        assert not position.is_legal(fg.Move(cell, "a1"))
        with pytest.raises(fg.IllegalMoveError) as refused:
            position.play(fg.Move(cell, "a1"))
        assert refused.value.code == "move.over"


@given(drawn=strategies.start_sizes, seed=st.integers(0, 2**32))
def test_games_end_in_time(drawn: tuple[str, int, int], seed: int) -> None:
    rules, rows, columns = drawn
    position = fg.Position.initial(rules, (rows, columns))
    plies = 0
    while not position.is_over:
        moves = position.legal_moves
        position = position.play(moves[(seed + plies * 7919) % len(moves)])
        plies += 1
    assert plies <= rows * columns - 1
    last_mover = fg.BLACK if plies % 2 else fg.WHITE
    assert position.winner is last_mover.opponent is position.side_to_move


@given(board=strategies.set_up_boards("standard", finished=False), data=st.data())
def test_one_stone_left_wins_in_standard(board: naive.Board, data: st.DataObject) -> None:
    lone = data.draw(st.sampled_from(sorted(board.stones)))
    side = board.side
    colors = {cell: naive.opponent(side) if cell == lone else side for cell in board.stones}
    position = package(naive.Board(naive.STANDARD, board.rows, board.columns, colors, side))
    for move in position.legal_moves:
        assert move.target == naive.format_cell(lone)
        assert position.play(move).winner is position.side_to_move.opponent


def test_one_stone_left_need_not_win_in_advanced() -> None:
    position = fg.Position.parse("8/8/8/2xxo3/8/8/8/8 x advanced")
    after = position.play("d5-e4")
    assert str(after) == "8/8/8/4o3/4x3/8/8/8 o advanced"
    assert after.winner is None


def test_a_slide_away_from_everything_is_legal_and_loses() -> None:
    """The cell beside the one it left counts too, when only that was its neighbour."""
    position = fg.Position.parse("4/xo2/4/4 x advanced")
    for target in ("a4", "a2", "d1"):
        result = position.result(f"a3-{target}")
        assert result.removed == {fg.BLACK: (), fg.WHITE: ("b3",)}
        assert result.position.winner is fg.WHITE
    assert not position.is_legal("a3-b4"), "touches the other stone and removes nothing"


def test_a_slide_stays_in_the_empty_regions_beside_the_stone() -> None:
    """A stone between two regions may enter both; one beside the first can't reach the other."""
    position = fg.Position.parse("xox/1x1/1o1 x advanced")
    assert list(map(str, position.legal_moves_from("b2"))) == [
        *["b2-a1", "b2-a2", "b2-b1", "b2-b3", "b2-c1", "b2-c2"]
    ]
    assert position.removed_by("b2-a2") == ("b1",)
    assert position.removed_by("b2-a1") == ("a3", "b3", "c3")
    with pytest.raises(fg.IllegalMoveError) as refused:
        position.play("a3-c1")
    assert refused.value.code == "move.unreachable"


# Symmetry


@given(position=positions, symmetry=SYMMETRIES)
def test_symmetries_keep_legal_moves(position: fg.Position, symmetry: fg.Symmetry) -> None:
    turned = position.transform(symmetry)
    assert turned.counts == position.counts
    assert turned.winner is position.winner
    moved = sorted(move.transform(symmetry, position.size) for move in position.legal_moves)
    assert moved == list(turned.legal_moves)
    for move in position.legal_moves[:: max(1, len(position.legal_moves) // 10)]:
        image = move.transform(symmetry, position.size)
        assert turned.play(image) == position.play(move).transform(symmetry)


@given(position=positions)
def test_symmetries_are_a_group(position: fg.Position) -> None:
    """Each has an inverse among them, the eight images of a position are closed under all."""
    images = {position.transform(symmetry) for symmetry in fg.Symmetry}
    assert position.transform(fg.Symmetry.IDENTITY) == position
    for symmetry in fg.Symmetry:
        image = position.transform(symmetry)
        assert any(image.transform(back) == position for back in fg.Symmetry)
        assert {image.transform(again) for again in fg.Symmetry} == images
        assert fg.Position.parse(str(image)) == image
        assert fg.Position.parse(str(image)).key == image.key


def test_the_eight_symmetries_differ() -> None:
    position = fg.Position.parse("xo1/1ox x standard")
    assert len({position.transform(symmetry) for symmetry in fg.Symmetry}) == 8 // 2
    lopsided = fg.Position.parse("xoo/1ox x standard")
    assert len({lopsided.transform(symmetry) for symmetry in fg.Symmetry}) == 8


@given(
    board=strategies.set_up_boards("standard", max_side=6),
    by=st.tuples(st.integers(0, 5), st.integers(0, 5)),
)
def test_translation_changes_nothing_in_standard(board: naive.Board, by: tuple[int, int]) -> None:
    """Nor do the board's size and its edge."""

    def moved(cell: str) -> str:
        column, row = naive.parse_cell(cell)
        return naive.format_cell((column + by[0], row + by[1]))

    position = package(board)
    shifted = fg.Position(
        {moved(cell): color for cell, color in stones(position).items()},
        (board.rows + by[1] + 1, board.columns + by[0] + 2),
        position.side_to_move,
        position.rules,
    )
    images = [fg.Move(moved(move.source), moved(move.target)) for move in position.legal_moves]
    assert images == list(shifted.legal_moves)
    for move, image in list(zip(position.legal_moves, images, strict=True))[:20]:
        assert tuple(map(moved, position.removed_by(move))) == shifted.removed_by(image)


def test_the_edge_matters_in_advanced() -> None:
    """The same form in two places of a board: the edge keeps a stone from getting away."""
    held = fg.Position.parse("xox1/1o2 x advanced")
    free = fg.Position.parse("1xox/2o1 x advanced")
    assert list(map(str, held.legal_moves_from("a2"))) == ["a2-b2"]
    assert list(map(str, free.legal_moves_from("b2"))) == ["b2-a1", "b2-a2", "b2-c2"]


# Values


@given(position=positions)
@example(position=fg.Position.parse(SOUND[0]))
def test_every_form_of_a_position_gives_it_back(position: fg.Position) -> None:
    again = [
        fg.Position.parse(str(position)),
        fg.Position.from_json(json.loads(json.dumps(position.to_json()))),
        fg.Position.from_array(position.array, position.side_to_move, position.rules),
        fg.Position(stones(position), position.size, position.side_to_move, position.rules),
        eval(repr(position), {"Position": fg.Position}),
        copy.copy(position),
        copy.deepcopy(position),
        *(
            pickle.loads(pickle.dumps(position, protocol))
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
    ]
    for other in again:
        assert other == position
        assert hash(other) == hash(position)
        assert other.key == position.key
        assert str(other) == str(position)
        assert other.rules is position.rules
        assert other.side_to_move is position.side_to_move
        assert other.winner is position.winner
        assert list(other.legal_moves[:50]) == list(position.legal_moves[:50])


@given(game=strategies.played_games())
def test_positions_travel_at_every_stage_of_a_game(
    game: tuple[naive.Board, list[naive.Move]],
) -> None:
    start, moves = game
    position = package(start)
    assert position == fg.Position.initial(start.rules, (start.rows, start.columns))
    for move in moves:
        result = position.result(naive.format_move(move))
        for value in (position, result, result.move, position.legal_moves):
            assert pickle.loads(pickle.dumps(value)) == value
            assert copy.deepcopy(value) == value
        position = result.position
    assert fg.Position.from_json(json.loads(json.dumps(position.to_json()))) == position


@given(position=positions)
def test_positions_never_change(position: fg.Position) -> None:
    text, key = str(position), position.key
    with pytest.raises((AttributeError, TypeError)):
        position.rules = fg.STANDARD  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        position.extra = 1  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="read-only"):
        position.array[0, 0] = 1
    with pytest.raises(TypeError):
        position.counts[fg.BLACK] = 0  # type: ignore[index]
    for move in position.legal_moves[:20]:
        position.result(move)
    assert (str(position), position.key) == (text, key)
    assert fg.Position.parse(text) == position


@given(position=positions)
def test_the_array_shows_the_board(position: fg.Position) -> None:
    array = position.array
    assert array.shape == (position.rows, position.columns) == tuple(position.size)
    assert str(array.dtype) == "uint8"
    for cell in cells(position):
        column, row = naive.parse_cell(cell)
        assert array[position.rows - 1 - row, column] == (position[cell] or 0)
    for color in fg.Color:
        own = position.stones(color)
        assert list(own) == [cell for cell in cells(position) if position[cell] is color]
        assert len(own) == position.counts[color]


@given(one=positions, other=positions)
def test_equality_is_that_of_the_text(one: fg.Position, other: fg.Position) -> None:
    assert (one == other) == (str(one) == str(other))
    assert (one != other) == (str(one) != str(other))
    assert (one.key == other.key) == (str(one) == str(other))
    assert one != str(one)


@given(board=strategies.going_on())
def test_every_fact_of_a_position_is_in_its_key(board: naive.Board) -> None:
    """Another side, rule set, board size, color or stone: another key, 64 bits long."""
    position = package(board)
    other_rules = RULES[1 - RULES.index(board.rules)]
    others = [
        naive.Board(
            board.rules, board.rows, board.columns, board.stones, naive.opponent(board.side)
        ),
        naive.Board(other_rules, board.rows, board.columns, board.stones, board.side),
        naive.Board(board.rules, board.rows + 1, board.columns, board.stones, board.side),
        naive.Board(board.rules, board.rows, board.columns + 1, board.stones, board.side),
    ]
    swapped = {cell: naive.opponent(stone) for cell, stone in board.stones.items()}
    others.append(naive.Board(board.rules, board.rows, board.columns, swapped, board.side))
    keys = [position.key, *(package(other).key for other in others)]
    assert len(set(keys)) == len(keys)
    assert all(isinstance(key, int) and 0 <= key < 2**64 for key in keys)


def test_move_order_does_not_show() -> None:
    start = fg.Position.initial("standard", 8)
    one = start.play("a1-a8").play("h8-h1").play("b1-b8")
    other = start.play("b1-b8").play("h8-h1").play("a1-a8")
    assert one == other
    assert one.key == other.key
    assert hash(one) == hash(other)
    assert len({one, other, fg.Position.parse(str(one))}) == 1


@given(position=open_positions, data=st.data())
def test_transpositions_are_equal(position: fg.Position, data: st.DataObject) -> None:
    """Own moves before and after a reply, swapped where the rules let them be."""
    first = draw_move(data, position)
    once = position.play(first)
    if once.is_over:
        return
    reply = draw_move(data, once)
    twice = once.play(reply)
    for last in position.legal_moves[:: max(1, len(position.legal_moves) // 40)]:
        other = position.play(last)
        if not (twice.is_legal(last) and other.is_legal(reply)):
            continue
        other = other.play(reply)
        if other.is_legal(first):
            one, other = twice.play(last), other.play(first)
            assert (one == other) == (str(one) == str(other)) == (one.key == other.key)
            assert one != other or hash(one) == hash(other)


def test_equality_never_rests_on_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["xo x standard", "xo o standard", "ox x standard", "xo x advanced", "x/o x standard"]
    monkeypatch.setattr(fg.Position, "key", property(lambda self: 7))
    monkeypatch.setattr(fg.Position, "__hash__", lambda self: 7)
    values = [fg.Position.parse(text) for text in texts]
    assert {value.key for value in values} == {hash(value) for value in values} == {7}
    for one, other in itertools.product(values, repeat=2):
        assert (one == other) == (str(one) == str(other))
    assert len(set(values)) == len(texts)


def test_keys_stay_what_they_are() -> None:
    """A key may be stored: it is the same on every machine and in every version."""
    keys = {
        "xo x standard": 15872322423964821592,
        "xo o standard": 3564869132640620932,
        "xo x advanced": 5095164587670887679,
        "x/o x standard": 1625722029395920161,
        str(fg.Position.initial("standard")): 14581674596369764510,
        str(fg.Position.initial("advanced", 26)): 10859336060557090798,
    }
    assert {text: fg.Position.parse(text).key for text in keys} == keys


# Moves as values


cell_pairs = st.tuples(st.integers(0, 25), st.integers(0, 25))


@given(pairs=st.lists(st.tuples(cell_pairs, cell_pairs), min_size=1, max_size=20))
def test_moves_sort_and_travel(pairs: list[naive.Move]) -> None:
    moves = [fg.Move(*map(naive.format_cell, pair)) for pair in pairs]
    assert list(map(str, sorted(moves))) == list(map(naive.format_move, sorted(pairs)))
    for move, pair in zip(moves, pairs, strict=True):
        assert str(move) == naive.format_move(pair) == f"{move.source}-{move.target}"
        again = [
            fg.Move.parse(str(move)),
            fg.Move.parse(move),
            eval(repr(move), {"Move": fg.Move}),
            pickle.loads(pickle.dumps(move)),
            copy.copy(move),
            copy.deepcopy(move),
        ]
        assert set(again) == {move}


# Setting up


@st.composite
def unsound(draw: st.DrawFn) -> naive.Board:
    """Any stones at all, hardly ever a position."""
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    marks = draw(st.text("xo..", min_size=rows * columns, max_size=rows * columns))
    found = {
        (place % columns, place // columns): mark for place, mark in enumerate(marks) if mark != "."
    }
    side = draw(st.sampled_from(strategies.SIDES))
    return naive.Board(draw(st.sampled_from(RULES)), rows, columns, found, side)


CODES = {"empty": "setup.empty", "disconnected": "setup.disconnected", "side": "setup.one_color"}


@given(board=unsound())
@strategies.examples(200)
@example(board=naive.Board("standard", 1, 3, {(0, 0): "x", (2, 0): "x"}, "x"))
def test_every_defect_is_named_at_once(board: naive.Board) -> None:
    wrong = {CODES[defect] for defect in naive.defects(board)}
    text = naive.format_board(board)
    named = {
        naive.format_cell(cell): fg.Color(".xo".index(stone))
        for cell, stone in board.stones.items()
    }
    side = fg.Color(".xo".index(board.side))
    array = [
        [".xo".index(board.stones.get((column, row), ".")) for column in range(board.columns)]
        for row in reversed(range(board.rows))
    ]
    size = (board.rows, board.columns)
    makers: list[Callable[[], fg.Position]] = [
        lambda: fg.Position.parse(text),
        lambda: fg.Position(named, size, side, board.rules),
        lambda: fg.Position.from_array(array, side, board.rules),
        lambda: fg.Position.from_json({"position": text}),
    ]
    for make in makers:
        if not wrong:
            assert str(make()) == text
            continue
        with pytest.raises(fg.SetupError) as refused:
            make()
        assert {defect.code for defect in refused.value.defects} == wrong
        assert len(refused.value.defects) == len(wrong)
        for defect in refused.value.defects:
            assert str(defect) in str(refused.value)


def test_defects_of_different_kinds_come_together() -> None:
    with pytest.raises(fg.SetupError) as refused:
        fg.Position.parse("x1x x standard")
    assert [defect.code for defect in refused.value.defects] == [
        "setup.one_color",
        "setup.disconnected",
    ]
    stones = {"a1": 1, "c1": 1, "z9": 2, "b2": 3, "A1": 2}
    with pytest.raises(fg.SetupError) as refused:
        fg.Position(stones, (3, 3), fg.BLACK, "standard")
    assert sorted(defect.code for defect in refused.value.defects) == [
        "cell.off_board",
        "setup.code",
        "setup.disconnected",
        "setup.one_color",
        "setup.twice",
    ]


@given(rules=st.sampled_from(RULES), rows=st.integers(-1, 30), columns=st.integers(-1, 30))
@strategies.examples(150)
def test_games_start_on_legal_sizes_alone(rules: str, rows: int, columns: int) -> None:
    if naive.is_start_size(rules, rows, columns):
        position = fg.Position.initial(rules, (rows, columns))
        assert str(position) == naive.format_board(naive.initial(rules, rows, columns))
        if rows == columns:
            assert fg.Position.initial(rules, rows) == position
        assert fg.Position.initial(rules, f"{rows}x{columns}") == position
        return
    with pytest.raises(fg.SizeError):
        fg.Position.initial(rules, (rows, columns))


@pytest.mark.parametrize("side", range(1, 27))
def test_set_up_boards_of_every_side(side: int) -> None:
    for rows, columns in [(1, side), (side, 1), (side, side), (26, side)]:
        mover = "o" if rows * columns == 1 else "x"
        rest = f"/{columns}" * (rows - 1)
        if columns == 1:
            form = f"x/{'o' * (rows > 1)}{'/1' * (rows - 2)}".rstrip("/")
        else:
            form = f"xo{columns - 2 or ''}{rest}"
        position = fg.Position.parse(f"{form} {mover} advanced")
        assert tuple(position.size) == (rows, columns)
        assert fg.Position.parse(str(position)) == position
