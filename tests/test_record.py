"""Games as documents: the tree, what is said of it, how it ended, and copies of every kind."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import formsgame as fg
from formsgame.record import Game
from recorded import any_values, big_game, everything, games, texts, values, wide_game

VECTORS = Path(__file__).parent / "vectors"

COPIES: dict[str, Callable[[Game], Game]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
    "JSON": lambda game: Game.from_json(json.loads(json.dumps(game.to_json()))),
}


def small(rules: str = "advanced") -> Game:
    return Game(fg.Position.initial(rules, 4))


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(fg.FormsError) as refused:
        call()
    assert str(refused.value)
    return refused.value.code


# Playing


def test_a_game_by_hand() -> None:
    game = small()
    game.play("a2-a1")
    game.play("a3-a4")
    assert [str(move) for move in game.moves] == ["a2-a1", "a3-a4"]
    assert [position.side_to_move for position in game.positions] == [fg.BLACK, fg.WHITE, fg.BLACK]
    assert game.position == game.positions[-1] == game.end.position
    assert (game.outcome, game.winner, game.result, game.is_over) == (None, None, "*", False)
    assert game.start == fg.Position.initial("advanced", 4)


def test_a_game_starts_as_the_standard_one() -> None:
    assert Game().position == fg.Position.initial(fg.STANDARD, 18)


def test_a_game_out_of_texts() -> None:
    game = Game("xo/ox x advanced", {"Event": "E"}, ["a2-a1", "b2-b1", "a1-b1"])
    assert game.winner is fg.WHITE
    assert game.headers["Event"] == "E"
    assert game.current == game.end


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_games_of_the_vectors(rules: str) -> None:
    for line in (VECTORS / f"games_{rules}.jsonl").read_text("utf-8").splitlines():
        vector = json.loads(line)
        game = Game(fg.Position.initial(rules, vector["size"]), moves=vector["moves"].split())
        color = {"x": fg.BLACK, "o": fg.WHITE}[vector["winner"]]
        assert game.outcome == (color, "board")
        assert Game.parse(str(game)) == game


def test_a_move_that_is_there_is_entered() -> None:
    game = small()
    first = game.play("a2-a1")
    game.back()
    assert game.play("a2-a1") == first
    assert len(list(game.nodes())) == 2


def test_a_refused_move_changes_nothing() -> None:
    game = small()
    before = everything(game)
    assert code_of(lambda: game.play("a1-a2")) == "move.not_yours"
    assert code_of(lambda: game.play("a2")) == "move.syntax"
    assert code_of(lambda: game.play(None)) == "text.type"  # type: ignore[arg-type]
    assert everything(game) == before


def test_undo_deletes_and_back_does_not() -> None:
    game = small()
    game.play("a2-a1")
    game.play("a3-a4")
    assert game.undo() == fg.Move("a3", "a4")
    assert game.moves == (fg.Move("a2", "a1"),)
    assert game.back() == game.root
    assert game.forward() == game.end
    game.undo()
    assert code_of(game.undo) == "record.first"
    assert code_of(game.back) == "record.first"
    assert code_of(game.forward) == "record.last"


# The tree


def test_variations() -> None:
    game = small()
    main = game.play("a2-a1")
    game.play("a3-a4")
    other = main.add("c3-c2")
    third = main.add("c3-c4")
    assert game.current.move == fg.Move("a3", "a4"), "adding does not go there"
    assert [str(node.move) for node in main.variations] == ["a3-a4", "c3-c2", "c3-c4"]
    assert (main.is_main_line, other.is_main_line, other.ply) == (True, False, 2)
    assert (other.parent, main.next, third.next) == (main, game.end, None)
    assert third.moves == (fg.Move("a2", "a1"), fg.Move("c3", "c4"))
    third.promote()
    assert main.variations[1] == third
    third.promote()
    third.promote()
    assert game.end == third
    third.demote()
    assert main.variations[1] == third
    game.current = other
    assert game.position == other.position
    other.delete()
    assert game.current == main
    assert len(main.variations) == 2


def test_promoting_to_the_main_line_goes_all_the_way() -> None:
    game = small()
    game.play("a2-a1")
    deep = game.root.add("a4-b4").add("d4-c4").add("b4-c4")
    game.root.variations[1].variations[0].add("d1-c1")
    deep.promote_to_main()
    assert deep.is_main_line
    assert game.end == deep
    assert [str(node.move) for node in game.root.variations] == ["a4-b4", "a2-a1"]


def test_a_deleted_node_says_so() -> None:
    game = small()
    gone = game.play("a2-a1")
    below = game.play("a3-a4")
    gone.delete()
    assert game.current == game.root
    for node in (gone, below):
        assert repr(node) == "<Node deleted>"
        for use in ("move", "moves", "ply", "position", "parent", "variations", "comment"):
            assert code_of(partial(getattr, node, use)) == "record.node"
        assert code_of(node.delete) == "record.node"
        assert code_of(partial(setattr, game, "current", node)) == "record.node"
    again = game.play("a2-a1")
    assert again != gone
    assert repr(gone) == "<Node deleted>"


def test_a_node_of_another_game_is_refused() -> None:
    game, other = small(), small()
    assert code_of(partial(setattr, game, "current", other.root)) == "record.node"


def test_the_start_is_no_move() -> None:
    root = small().root
    for change in (root.delete, root.promote, root.demote, root.promote_to_main):
        assert code_of(change) == "record.root"
    assert code_of(partial(setattr, root, "glyphs", [1])) == "record.root"


def test_nodes_are_shown_by_number_and_move() -> None:
    game = Game("xo/ox o advanced", moves=["b2-b1"])
    assert repr(game.root) == "<Node at the start>"
    assert repr(game.end) == "<Node 1... b2-b1>"
    assert repr(game) == "<Game ? - ?, advanced 2x2, 1 plies, *>"


def test_nodes_survive_copying() -> None:
    game = small()
    game.play("a2-a1").delete()
    game.play("a4-b4")
    node = game.play("d4-c4")
    for twin in (pickle.loads(pickle.dumps(node)), copy.deepcopy(node)):
        assert twin.moves == node.moves
        assert twin.game == game
        assert twin.game is not game
    assert copy.copy(node).moves == node.moves


def test_positions_anywhere_in_any_order() -> None:
    game = wide_game(60)
    known = {}
    for node in game.nodes():
        position = game.start
        for move in node.moves:
            position = position.play(move)
        known[node] = position
    for node in sorted(known, key=lambda node: hash(node.moves)):
        assert node.position == known[node]


# Words


def test_comments_are_kept_as_a_record_can_hold_them() -> None:
    node = small().root
    node.comment = "  two\n\n lines {and} a\ttab\u00a0\u3000 "
    assert node.comment == "two lines (and) a tab\u00a0\u3000"
    node.comment = ""
    assert node.comment == ""
    for wrong in (None, 1, b"x", "\udc80"):
        assert code_of(partial(setattr, node, "comment", wrong)) == "record.note"


def test_glyphs() -> None:
    node = small().play("a2-a1")
    node.glyphs = [14, 1, 14]
    assert node.glyphs == (14, 1)
    wrongs: list[Any] = [[256], [-1], ["1"], [True], 1, None, [[]]]
    for wrong in wrongs:
        assert code_of(partial(setattr, node, "glyphs", wrong)) == "record.note"
    assert node.glyphs == (14, 1)
    node.glyphs = ()
    assert node.glyphs == ()


def test_starting_comments_move_where_no_variation_starts_any_more() -> None:
    game = small()
    first = game.play("a2-a1")
    other = game.root.add("a4-b4")
    other.comment = "after"
    other.starting_comment = "before"
    assert code_of(partial(setattr, first, "starting_comment", "x")) == "record.note"
    assert code_of(partial(setattr, game.root, "starting_comment", "x")) == "record.note"
    first.starting_comment = ""
    other.promote()
    assert (other.comment, other.starting_comment) == ("before after", "")
    first.starting_comment = "other"
    other.delete()
    assert (first.comment, first.starting_comment) == ("other", "")


# Headers


def test_headers_are_tags_in_their_order() -> None:
    game = Game(fg.Position.initial("advanced", (4, 6)), {"Zeta": "z", "BlackElo": "1"})
    game.headers["White"] = "Bo"
    game.headers["Alpha"] = "a"
    assert list(game.headers.items()) == [
        ("Event", "?"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "?"),
        ("Black", "?"),
        ("White", "Bo"),
        ("Result", "*"),
        ("Rules", "advanced"),
        ("Size", "4x6"),
        ("BlackElo", "1"),
        ("Zeta", "z"),
        ("Alpha", "a"),
    ]
    assert len(game.headers) == 12
    assert "Position" not in game.headers
    del game.headers["White"], game.headers["Zeta"]
    assert game.headers["White"] == "?"
    assert "Zeta" not in game.headers
    with pytest.raises(KeyError):
        del game.headers["Zeta"]


def test_the_position_is_a_header_where_it_is_not_the_usual_start() -> None:
    assert Game("xo/ox o advanced").headers["Position"] == "xo/ox o advanced"
    assert "Position" not in Game("xo/ox x advanced").headers
    assert Game("1x o standard").headers["Position"] == "1x o standard"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Result", "B+"),
        ("Rules", "standard"),
        ("Size", "8x8"),
        ("Position", "xo/ox x advanced"),
        ("Termination", "aborted"),
        ("two words", "x"),
        ("", "x"),
        ("1st", "x"),
        ("Größe", "x"),
        (5, "x"),
        ("Event", 5),
        ("Event", None),
        ("Event", "two\nlines"),
        ("Event", "two\rlines"),
        ("Event", "\ud800"),
    ],
)
def test_headers_that_no_record_can_hold(name: Any, value: Any) -> None:
    game = small()
    before = dict(game.headers)
    assert code_of(lambda: game.headers.update({name: value})) == "record.header"
    assert dict(game.headers) == before
    assert code_of(lambda: Game(game.start, {name: value})) == "record.header"


def test_headers_that_follow_from_the_game_may_be_repeated() -> None:
    game = small()
    assert Game(game.start, dict(game.headers)) == game
    for name in ("Result", "Rules", "Size"):
        assert code_of(partial(game.headers.pop, name)) == "record.header"


# How it ends


def test_resigning_and_time() -> None:
    for end, letter, reason in (("resign", "R", "resigned"), ("lose_on_time", "T", "time")):
        game = small()
        game.play("a2-a1")
        getattr(game, end)()
        assert game.outcome == (fg.BLACK, reason)
        assert game.headers["Result"] == f"B+{letter}"
        game.reopen()
        getattr(game, end)(fg.BLACK)
        assert game.result == f"W+{letter}"
        assert Game.parse(str(game)).outcome == (fg.WHITE, reason)


def test_aborting() -> None:
    game = small()
    game.headers["Termination"] = "normal"
    game.abort()
    assert game.outcome == (None, "aborted")
    assert (game.winner, game.result, game.is_over) == (None, "*", True)
    assert game.headers["Termination"] == "aborted"
    assert code_of(lambda: game.headers.update(Termination="normal")) == "record.header"
    assert Game.parse(str(game)) == game
    game.reopen()
    assert "Termination" not in game.headers


def test_a_game_ends_once() -> None:
    game = small()
    game.resign()
    for again in (game.resign, game.lose_on_time, game.abort):
        assert code_of(again) == "record.over"
    finished = Game("xo/ox x advanced", moves=["a2-a1", "b2-b1", "a1-b1"])
    assert code_of(finished.resign) == "record.over"
    assert code_of(lambda: small().resign(3)) == "record.note"


def test_nothing_follows_the_move_with_which_it_ended() -> None:
    game = small()
    game.play("a2-a1")
    game.resign()
    assert code_of(lambda: game.play("a3-a4")) == "move.over"
    game.back()
    game.play("a4-b4")
    assert game.result == "B+R", "a variation changes nothing"
    game.play("d4-c4")


def test_an_end_belongs_to_its_move() -> None:
    game = small()
    game.play("a2-a1")
    game.resign()
    other = game.root.add("a4-b4")
    other.promote()
    assert game.outcome is None
    other.demote()
    assert game.result == "B+R"
    game.undo()
    assert game.outcome is None
    game.abort()
    assert game.outcome == (None, "aborted")


# Copies


@pytest.mark.parametrize("name", COPIES)
def test_copies_keep_everything(name: str) -> None:
    @given(games())
    def check(game: Game) -> None:
        twin = COPIES[name](game)
        assert twin == game
        assert everything(twin) == everything(game)
        twin.root.comment = "changed"
        twin.headers["Event"] = "changed"
        if not twin.current.position.is_over and not twin.is_over:
            twin.play(twin.position.legal_moves[0])
        assert twin != game
        assert game.headers["Event"] != "changed"
        assert game.root.comment != "changed"

    check()


@pytest.mark.parametrize("name", COPIES)
def test_copies_of_large_games(name: str) -> None:
    for game in (big_game(), wide_game(10_000)):
        twin = COPIES[name](game)
        assert everything(twin) == everything(game)


@given(games())
def test_games_are_equal_by_what_they_record(game: Game) -> None:
    twin = game.copy()
    twin.current = twin.root
    assert twin == game
    assert game != game.to_text()
    with pytest.raises(TypeError):
        hash(game)


@given(games(), st.data())
def test_data_changed_anywhere_is_a_game_or_one_error(game: Game, data: st.DataObject) -> None:
    whole = game.to_json()
    key = data.draw(st.sampled_from([*whole, "other"]))
    if key == "nodes" and whole["nodes"] and data.draw(st.booleans()):
        row = data.draw(st.sampled_from(whole["nodes"]))
        row[data.draw(st.integers(0, len(row) - 1))] = data.draw(any_values)
    else:
        whole[key] = data.draw(any_values)
    try:
        found = Game.from_json(whole)
    except fg.FormsError:
        return
    assert Game.from_json(found.to_json()) == found
    text = found.to_text()
    assert Game.parse(text).to_text() == text


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("start", 1),
        ("start", "xo"),
        ("headers", []),
        ("headers", {"Result": "B+R"}),
        ("comment", None),
        ("nodes", {}),
        ("nodes", [[0]]),
        ("nodes", [["0", "a2-a1"]]),
        ("nodes", [[True, "a2-a1"]]),
        ("nodes", [[1, "a2-a1"]]),
        ("nodes", [[-1, "a2-a1"]]),
        ("nodes", [[0, "a1-a2"]]),
        ("nodes", [[0, "a2-a1"], [0, "a2-a1"]]),
        ("nodes", [[0, "a2-a1"], [0, "a2-a3"], [1, "a3-a4"]]),
        ("nodes", [[0, "a2-a1", {"glyphs": 1}]]),
        ("nodes", [[0, "a2-a1", {"words": ""}]]),
        ("nodes", [[0, "a2-a1", {"starting_comment": "x"}]]),
        ("nodes", [[0, "a2-a1", None]]),
        ("current", 1),
        ("current", None),
        ("ended", {"node": 0}),
        ("ended", {"node": 1, "result": "*"}),
        ("ended", {"node": 0, "result": "B+"}),
        ("ended", {"node": 0, "result": []}),
    ],
)
def test_data_that_is_no_game(key: str, value: Any) -> None:
    data = {**small().to_json(), key: value}
    with pytest.raises(fg.FormsError):
        Game.from_json(data)


@given(texts, values)
def test_words_are_stable(text: str, value: str) -> None:
    game = small()
    game.root.comment = text
    comment = game.root.comment
    game.root.comment = comment
    assert game.root.comment == comment
    game.headers["Event"] = value
    assert game.headers["Event"] == value


def test_a_long_game_of_a_large_board() -> None:
    game = big_game()
    assert len(game.moves) == 600
    assert not game.is_over
    assert Game.parse(str(game)) == game
    finished = game.copy()
    while not finished.is_over:
        finished.play(finished.position.legal_moves[-1])
    for make in COPIES.values():
        assert everything(make(finished)) == everything(finished)
    assert Game.parse(str(finished)) == finished


def test_a_tree_of_ten_thousand_variations() -> None:
    game = wide_game(10_000)
    assert sum(max(0, len(node.variations) - 1) for node in game.nodes()) >= 10_000
    text = str(game)
    again = Game.parse(text)
    assert again == game
    assert str(again) == text
