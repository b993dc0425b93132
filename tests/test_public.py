"""The package's public face: its names, their words, their errors."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import formsgame as fg
from formsgame import errors
from formsgame.server.guard import describe

SOURCE = Path(fg.__file__).parent
#: Names that a module has without having been given them.
NOISE = {"annotations", "importlib", "TYPE_CHECKING", "Any"}
#: Constants carry no docstring of their own.
CONSTANTS = {"ADVANCED", "BLACK", "STANDARD", "WHITE"}


def in_order(name: str) -> tuple[bool, bool, str]:
    """Constants, classes, functions, each by name."""
    return not name.isupper(), name.islower(), name


def test_all_is_what_there_is() -> None:
    for name in fg.__all__:
        assert getattr(fg, name) is not None
    assert len(set(fg.__all__)) == len(fg.__all__)
    assert fg.__all__ == sorted(
        fg.__all__, key=lambda name: (not name.isupper(), name.islower(), name)
    )
    real = {
        name
        for name, value in vars(fg).items()
        if not name.startswith("_") and name not in NOISE and not isinstance(value, ModuleType)
    }
    assert real == set(fg.__all__)
    assert set(fg.__all__) <= set(dir(fg))


def test_about_thirty_names() -> None:
    assert 25 <= len(fg.__all__) <= 40


def test_type_checkers_see_the_same_names() -> None:
    """The imports that only type checkers follow name what the package gives at run time."""
    tree = ast.parse((SOURCE / "__init__.py").read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen: dict[str, str] = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            seen[alias.asname or alias.name] = (node.module or "").removeprefix("formsgame.")
    assert seen == fg._HOMES
    assert set(seen) == set(fg.__all__)


@pytest.mark.parametrize("name", sorted(set(fg.__all__) - CONSTANTS))
def test_public_names_say_what_they_are(name: str) -> None:
    value = getattr(fg, name)
    text = inspect.getdoc(value)
    assert text
    assert text[0].isupper()
    assert text.split("\n")[0].endswith((".", ":")), "one sentence first"
    assert value.__module__.startswith("formsgame.")
    if inspect.isclass(value):
        for method, member in vars(value).items():
            if method.startswith("_") or not (
                inspect.isfunction(member) or isinstance(member, property | classmethod)
            ):
                continue
            assert inspect.getdoc(getattr(value, method)), f"{name}.{method}"


def test_a_name_there_is_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'bord'"):
        fg.bord  # noqa: B018


def test_the_first_lines_a_user_types() -> None:
    position = fg.Position.initial(fg.ADVANCED, size=8)
    assert len(position.legal_moves) == 112
    assert str(position.legal_moves[0]) == "a2-a1"
    assert position.side_to_move is fg.BLACK
    assert fg.BLACK
    assert fg.WHITE
    position = position.play("c4-c3")
    assert position.side_to_move is fg.WHITE
    assert position.winner is None
    assert "e5-e6" in map(str, position.legal_moves)
    assert position.removed_by("e5-e6") == ()
    assert repr(fg.Position.parse("xo x standard")) == "Position.parse('xo x standard')"
    assert eval(repr(position), {"Position": fg.Position}) == position


# Errors


def error_classes() -> list[type[fg.FormsError]]:
    return [getattr(fg, name) for name in fg.__all__ if name.endswith("Error")]


def test_errors_are_one_tree() -> None:
    assert set(errors.__all__) == {kind.__name__ for kind in error_classes()}
    for kind in error_classes():
        assert issubclass(kind, fg.FormsError)
    for kind in (
        *(fg.NotationError, fg.SizeError, fg.SetupError),
        *(fg.IllegalMoveError, fg.RecordError, fg.LimitError),
    ):
        assert issubclass(kind, ValueError)


def test_every_code_has_a_sentence_and_every_sentence_a_use() -> None:
    """The codes in the sources are those of the table."""
    families = {code.split(".")[0] for code in errors.MESSAGES}
    code = re.compile(rf"({'|'.join(families)})\.[a-z_]+")
    used: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        if "server" in path.parts or "web" in path.parts or "cli" in path.parts:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        table = {
            id(key)
            for node in ast.walk(tree)
            if isinstance(node, ast.Dict) and path.name == "errors.py"
            for key in node.keys
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in table:
                used.add(str(node.value))
    used = set(filter(code.fullmatch, used))
    storage = {known for known in errors.MESSAGES if known.startswith("storage.")}
    assert used - set(errors.MESSAGES) == set(), "raised without a sentence"
    assert set(errors.MESSAGES) - used - storage == set(), "never raised"


def test_sentences_are_one_line() -> None:
    for code, template in errors.MESSAGES.items():
        assert re.fullmatch(r"[a-z]+\.[a-z_]+", code)
        assert template.isprintable()
        assert not template.endswith(".")


def test_errors_speak_any_language() -> None:
    """A sentence is its template, translated, filled with the data; defects within it, too."""
    words = {
        "not a position of Forms: {defects}": "keine Stellung: {defects}",
        "there are no stones": "kein Stein",
        "{text!r} is not a board size: expected 8 or 4x6, (rows, columns)": "{text} ist kein Brett",
    }
    with pytest.raises(fg.SetupError) as refused:
        fg.Position.parse("2/2 x standard")
    assert refused.value.sentence(words.__getitem__) == "keine Stellung: kein Stein"
    with pytest.raises(fg.SizeError) as size:
        fg.Position.initial("standard", "huge")
    assert size.value.sentence(words.__getitem__) == "huge ist kein Brett"
    assert size.value.message == str(size.value) == size.value.sentence(str)
    assert describe(refused.value, words.__getitem__)["message"] == "keine Stellung: kein Stein"
