"""What the README says is so."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from commanding import run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_library_does_what_the_readme_shows() -> None:
    done = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert done.attempted >= 9
    assert done.failed == 0


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)]+)\)", README))
def test_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).is_file()


def test_the_picture_is_made_as_the_readme_says(tmp_path: Path) -> None:
    (command,) = re.findall(r"^formsgame (show .*)$", README, re.MULTILINE)
    words = shlex.split(command)
    assert words[-2:] == ["-o", "docs/game.svg"]
    file = tmp_path / "game.svg"
    assert run(*words[:-1], str(file)).status == 0
    assert file.read_text("utf-8") == (ROOT / "docs" / "game.svg").read_text("utf-8")


def test_commands_exist() -> None:
    commands = re.findall(r"`(?:formsgame|\./forms) ([a-z]+)", README)
    assert {"play", "show", "record"} <= set(commands)
    for command in set(commands) - {"test"}:
        assert run(command, "--help").status == 0
