"""Pictures of positions: sound XML, the same every time, each sign where it belongs."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import formsgame as fg
import naive
import strategies

SVG = "{http://www.w3.org/2000/svg}"

positions = strategies.boards().map(lambda board: fg.Position.parse(naive.format_board(board)))
open_positions = strategies.going_on().map(
    lambda board: fg.Position.parse(naive.format_board(board))
)
CROSSING = fg.Position.parse("2x3/ooxoxo/2x3/2o3 x advanced")


def read(text: str) -> ElementTree.Element:
    """The tree of a picture, after checking what holds for all of them."""
    tree = ElementTree.fromstring(text)
    assert tree.tag == f"{SVG}svg"
    assert tree.get("role") == "img"
    assert tree[0].tag == f"{SVG}title"
    assert tree[0].text
    assert text.endswith("</svg>\n")
    # Nothing is fetched, nothing runs, no name is shared with another picture on the same page.
    assert not re.search(r"href|url\(|<script|<image|@import", text)
    (id_,) = {element.get("id") for element in tree.iter()} - {None}
    sheet = tree.findtext(f"{SVG}style")
    assert sheet
    for selector in re.findall(r"([^{}]*)\{(?!#)", sheet):
        assert selector.startswith(f"#{id_} .")
    return tree


def cells(tree: ElementTree.Element, name: str, flipped: fg.Position | None = None) -> set[str]:
    """The cells in whose middle the circles of a class are."""
    height = board_height(tree)
    found = set()
    for group in tree.iter(f"{SVG}g"):
        if group.get("class") == name:
            for circle in group.findall(f"{SVG}circle"):
                column = (int(circle.get("cx", "")) - 10) // 20
                row = (height - int(circle.get("cy", "")) - 10) // 20
                if flipped:
                    column, row = flipped.columns - 1 - column, flipped.rows - 1 - row
                found.add(f"{chr(97 + column)}{row + 1}")
    return found


def paths(tree: ElementTree.Element, name: str) -> int:
    """How many times the path of a class starts again from a fixed place."""
    return sum(
        path.get("d", "").count("M")
        for path in tree.iter(f"{SVG}path")
        if path.get("class") == name
    )


def board_height(tree: ElementTree.Element) -> int:
    (ground,) = [r for r in tree.iter(f"{SVG}rect") if r.get("class") == "e"]
    return int(ground.get("height", ""))


@given(positions, st.booleans())
def test_every_stone_is_drawn_on_its_cell(position: fg.Position, flip: bool) -> None:
    tree = read(fg.to_svg(position, flip=flip))
    turned = position if flip else None
    assert cells(tree, "x", turned) == set(position.stones(fg.BLACK))
    assert cells(tree, "o", turned) == set(position.stones(fg.WHITE))
    texts = [text.text for text in tree.iter(f"{SVG}text")]
    assert texts == [
        *(chr(97 + column) for column in range(position.columns)),
        *(str(row + 1) for row in range(position.rows)),
    ]
    assert tree.findtext(f"{SVG}desc") == str(position)


@given(open_positions, st.data())
def test_a_preview_shows_what_would_fall(position: fg.Position, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(position.legal_moves) - 1))
    move = position.legal_moves[number]
    removed = position.removed_by(move)
    tree = read(fg.to_svg(position, preview=move, pattern=True))
    assert cells(tree, "n") == {move.source}
    assert cells(tree, "t" if position[move.target] is None else "s") == {move.target}
    assert paths(tree, "h") == paths(tree, "k") == len(removed)
    assert cells(tree, "x") == set(position.stones(fg.BLACK)), "all stones can still be seen"
    assert cells(tree, "o") == set(position.stones(fg.WHITE))
    pale = [group for group in tree.iter(f"{SVG}g") if group.get("class") == "f"]
    assert len(pale) == bool(removed)
    title = tree.findtext(f"{SVG}title") or ""
    lost = sum(position.counts.values()) - sum(position.play(move).counts.values())
    assert f"{move} would remove {lost} stone" in title


@given(open_positions, st.data())
def test_a_chosen_stone_shows_its_targets(position: fg.Position, data: st.DataObject) -> None:
    cell = data.draw(st.sampled_from(position.stones(position.side_to_move)))
    targets = {move.target for move in position.legal_moves_from(cell)}
    tree = read(fg.to_svg(position, chosen=cell))
    assert cells(tree, "n") == {cell}
    assert cells(tree, "r") == {target for target in targets if position[target] is not None}
    assert cells(tree, "d") == {target for target in targets if position[target] is None}


def test_the_same_arguments_give_the_same_text() -> None:
    texts = [fg.to_svg(CROSSING, preview="c3-d3", last_move="f3-e3") for _ in range(2)]
    assert texts[0] == texts[1]
    assert fg.to_svg(CROSSING) == CROSSING._repr_svg_()


def test_pictures_on_one_page_do_not_share_styles() -> None:
    different: list[dict[str, Any]] = [
        *({"theme": theme} for theme in ("light", "dark", "auto")),
        {"flip": True},
        {"pattern": True},
        {"coordinates": False},
        {"last_move": "c2-c3"},
    ]
    ids = {read(fg.to_svg(CROSSING, **options)).get("id") for options in different}
    assert len(ids) == 7


def test_only_the_automatic_theme_asks_the_viewer() -> None:
    assert "prefers-color-scheme:dark" in fg.to_svg(CROSSING, theme="auto")
    light, dark = fg.to_svg(CROSSING, theme="light"), fg.to_svg(CROSSING, theme="dark")
    assert "@media" not in light + dark
    assert light != dark


def test_marks_and_the_last_move() -> None:
    tree = read(
        fg.to_svg(
            CROSSING,
            last_move="A1 - b1",
            marks={"C3": "falls", "d3": "capture", "a1": "slide", "e3": "chosen", "f3": "target"},
        )
    )
    assert paths(tree, "l") == 2
    assert paths(tree, "h") == 1
    assert cells(tree, "r") == {"d3"}
    assert cells(tree, "d") == {"a1"}
    assert cells(tree, "n") == {"e3"}
    assert cells(tree, "s") == {"f3"}


@pytest.mark.parametrize("size", [(1, 1), (1, 26), (26, 1), (26, 26), (2, 3)])
def test_any_board_and_small_files(size: tuple[int, int]) -> None:
    rows, columns = size
    stones = {
        f"{chr(97 + column)}{row + 1}": fg.WHITE if column + row else fg.BLACK
        for column in range(columns)
        for row in range(rows)
    }
    side = fg.WHITE if rows * columns == 1 else fg.BLACK
    position = fg.Position(stones, size, side, fg.ADVANCED)
    text = fg.to_svg(position)
    tree = read(text)
    assert len(text) < 1200 + 60 * (rows + columns) + 40 * rows * columns
    box = [float(number) for number in tree.get("viewBox", "").split()]
    assert box[2:] == [20 * columns + 20, 20 * rows + 20]
    assert max(float(tree.get("width", "")), float(tree.get("height", ""))) <= 640


def test_the_size_is_the_longer_side() -> None:
    wide = read(fg.to_svg(CROSSING, size=300))
    assert wide.get("width") == "300"
    assert float(wide.get("height", "")) < 300
    assert read(fg.to_svg(CROSSING, size=300, coordinates=False)).get("width") == "300"


def test_words_for_those_who_do_not_see_it() -> None:
    assert read(fg.to_svg(CROSSING)).findtext(f"{SVG}title") == (
        "Forms, advanced rules, 4 by 6 board. Black to move. Stones left: Black 4, White 5."
    )
    won = fg.Position.parse("oo x standard")
    assert "Black ran out of stones and wins." in fg.to_svg(won)
    title = 'Ходят <чёрные> & "x"\x00\ud800'
    assert read(fg.to_svg(CROSSING, title=title)).findtext(f"{SVG}title") == title[:-2]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"theme": "blue"}, fg.LimitError, "theme must be light, dark or auto, not 'blue'"),
        ({"marks": {"a1": "star"}}, fg.LimitError, "mark must be one of chosen, capture"),
        ({"marks": {"g1": "last"}}, fg.NotationError, "g1 is not on this 4x6 board"),
        ({"marks": {"?": "last"}}, fg.NotationError, "'?' is not a cell"),
        ({"last_move": "a1-a5"}, fg.NotationError, "a5 is not on this 4x6 board"),
        ({"last_move": "up"}, fg.NotationError, "'up' is not a move"),
        ({"chosen": "z9"}, fg.NotationError, "z9 is not on this 4x6 board"),
        ({"preview": "a1-a2"}, fg.IllegalMoveError, "there is no stone on a1"),
        ({"preview": 7}, fg.NotationError, "move must be text, not int"),
        *(
            ({"size": size}, fg.LimitError, "size must be a number of pixels")
            for size in (0, -5, 10**9, 10**5000, float("nan"), float("inf"), True, "300")
        ),
    ],
)
def test_what_can_not_be_drawn(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=re.escape(words)):
        fg.to_svg(CROSSING, **options)
