"""The cache of compiled code: private, keyed by the sources, passed over when unusable."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import formsgame
from formsgame import compiled

PROBE = """
import sys
from formsgame import compiled
compiled.announce_with(lambda: print("compiling"))
compiled.MODULES = ("formsgame.kernels.board",)
import formsgame.kernels.board as board
import numpy as np
board.load(np.frombuffer(bytes(4), np.uint8), 2, 2, np.zeros(board.CELLS, np.int8))
print(compiled.cache_folder())
"""


WARM_UP = """
from formsgame import compiled
compiled.announce_with(lambda: print("compiling"))
compiled.MODULES = ("formsgame.kernels.board",)
compiled.warm_up(modules=compiled.MODULES)
"""


def run_probe(cache: Path, package: Path | None = None, code: str = PROBE) -> list[str]:
    """Run one compiled function in a process with a cache folder of its own."""
    environment = dict(os.environ, FORMSGAME_CACHE=str(cache), NUMBA_DISABLE_JIT="0")
    environment["PYTHONPATH"] = str(package or Path(formsgame.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """Return a cache that one process has filled."""
    assert run_probe(tmp_path)[0] == "compiling"
    return tmp_path


def test_second_process_loads_and_the_folder_is_private(filled: Path) -> None:
    lines = run_probe(filled)
    assert lines[0] != "compiling"
    folder = Path(lines[-1])
    assert folder.is_relative_to(filled)
    for part in (folder, folder.parent):
        assert part.stat().st_mode & 0o077 == 0


def test_who_calls_finds_what_a_warm_up_has_compiled(tmp_path: Path) -> None:
    """In another process, which has not warmed up itself: a worker, or a user of the library."""
    assert run_probe(tmp_path, code=WARM_UP) == ["compiling"]
    assert run_probe(tmp_path)[0] != "compiling"
    assert run_probe(tmp_path, code=WARM_UP) == []


def test_damaged_files_are_passed_over(filled: Path) -> None:
    for path in filled.rglob("*.nb?"):
        path.write_bytes(b"\x80garbage" + path.read_bytes()[20:60])
    assert run_probe(filled)[0] == "compiling"
    assert run_probe(filled)[0] != "compiling", "what was damaged has been replaced"
    for path in filled.rglob("*.nbc"):
        path.write_bytes(b"")
    assert run_probe(filled)[0] == "compiling"
    for path in filled.rglob("*.nbi"):
        path.write_bytes(b"")
    assert run_probe(filled)[0] == "compiling"
    assert run_probe(filled)[0] != "compiling"


def test_a_folder_that_others_can_read_is_passed_over(filled: Path) -> None:
    folder = Path(run_probe(filled)[-1])
    folder.chmod(0o755)
    assert run_probe(filled) == ["compiling", "None"]


def test_a_link_to_elsewhere_is_passed_over(filled: Path, tmp_path: Path) -> None:
    folder = Path(run_probe(filled)[-1])
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    assert run_probe(filled) == ["compiling", "None"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_place_where_everybody_may_rename_folders_is_passed_over(filled: Path) -> None:
    filled.chmod(0o777)
    assert run_probe(filled) == ["compiling", "None"]
    filled.chmod(0o1777)
    assert run_probe(filled)[0] != "compiling"


def test_who_waits_each_time_is_told_why(tmp_path: Path) -> None:
    for cache in (tmp_path / "file" / "below", Path("~nobody-of-this-name")):
        (tmp_path / "file").touch()
        code = "from formsgame.compiled import _about_to_compile\n_about_to_compile()"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=dict(os.environ, FORMSGAME_CACHE=str(cache)),
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr.endswith(
            "(some seconds each time: there is no private cache folder to keep them in)\n"
        )


def test_a_place_that_cannot_be_made_is_passed_over(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run_probe(blocked) == ["compiling", "None"]


def test_an_edited_source_gets_a_folder_of_its_own(tmp_path: Path) -> None:
    package = tmp_path / "src"
    shutil.copytree(
        Path(formsgame.__file__).parent,
        package / "formsgame",
        ignore=shutil.ignore_patterns("__pycache__", "web", "server", "cli"),
    )
    cache = tmp_path / "cache"
    first = run_probe(cache, package)[-1]
    source = package / "formsgame" / "kernels" / "board.py"
    source.write_text(source.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    second = run_probe(cache, package)
    assert second[0] == "compiling"
    assert second[-1] != first


def test_each_compiled_function_has_one_signature_and_it_is_the_declared_one() -> None:
    """A call with other types would compile a second time, in the middle of a game."""
    code = (
        "import formsgame as fg\n"
        "from formsgame import compiled\n"
        "from formsgame.simulate import perft_checked\n"
        "compiled.announce_with(None)\n"
        "compiled.warm_up()\n"
        "for rules in (fg.STANDARD, fg.ADVANCED):\n"
        "    for size in (4, 10):\n"
        "        p = fg.Position.initial(rules, size)\n"
        "        fg.perft(p, 2); fg.playouts(p, 3, 1); fg.playouts(p, 3, 1, policy='uniform')\n"
        "        g = fg.playout(p, 1); p.key; p.removed_by(g.moves[0]); len(p.legal_moves)\n"
        "        p.legal_moves_from(g.moves[0].source)\n"
        "        for move in g.moves[:-4]: p = p.play(move)\n"
        "        with fg.Engine(level=3) as engine: engine.think(p, fg.Limit(nodes=50))\n"
        "    perft_checked(fg.Position.initial(rules, 4), 2)\n"
        "many = [d.py_func.__qualname__ for d, _ in compiled._registry if len(d.signatures) != 1]\n"
        "print(many)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=280, check=True
    )
    assert done.stdout == "[]\n"


def test_the_computer_plays_while_what_proves_is_compiled_behind(tmp_path: Path) -> None:
    """All that a game needs is there then, and nothing waits for the compiler, which is held."""
    code = """
import threading
from numba.core.compiler_lock import global_compiler_lock
import formsgame as fg
from formsgame import compiled

compiled.announce_with(None)
compiled.warm_up(modules=compiled.GAME_MODULES)
with global_compiler_lock:
    behind = compiled.warm_up_behind(compiled.PROOF_MODULES)
    games = []

    def play():
        for rules in (fg.STANDARD, fg.ADVANCED):
            for level, threads in ((1, 1), (5, 1), (10, 1), (10, 2)):
                position = fg.Position.initial(rules, 4)
                with fg.Engine(level=level, threads=threads) as engine:
                    while not position.is_over:
                        thought = engine.think(position, fg.Limit(nodes=300), lines=2)
                        position = position.play(thought.move)
                games.append(str(position))

    player = threading.Thread(target=play, daemon=True)
    player.start()
    player.join(60)
    print(len(games), compiled.is_pending(compiled.PROOF_MODULES))
behind.join()
print(compiled.is_pending(compiled.PROOF_MODULES))
with fg.Engine() as engine:
    print(engine.think(fg.Position.initial("standard", 4)).verdict)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=280,
        check=True,
        env=dict(os.environ, NUMBA_DISABLE_JIT="0"),
    )
    assert done.stdout.split() == ["8", "True", "False", "2"]
    assert done.stderr == ""


def test_a_program_can_end_while_it_compiles_behind(tmp_path: Path) -> None:
    code = (
        "from formsgame import compiled\n"
        "compiled.announce_with(None)\n"
        "compiled.warm_up_behind(['formsgame.kernels.board'])\n"
        "print('end')"
    )
    assert run_probe(tmp_path, code=code) == ["end"]


def test_what_cannot_be_compiled_behind_stays_pending(caplog: pytest.LogCaptureFixture) -> None:
    compiled.warm_up_behind(["formsgame.nothing"]).join()
    assert compiled.is_pending(["formsgame.nothing"])
    assert "formsgame.nothing could not be compiled" in caplog.text


def test_a_constant_is_no_type_of_its_own(tmp_path: Path) -> None:
    """Else a function would be compiled once more for every constant that it is called with."""
    code = (
        "from formsgame.compiled import compiled, announce_with\n"
        "announce_with(None)\n"
        "@compiled('i8(i8)', inner=True)\n"
        "def double(number): return 2 * number\n"
        "@compiled('i8(i8)')\n"
        "def triple(number):\n"
        "    total = 0\n"
        "    for _ in range(number): total = double(total) + double(1)\n"
        "    return total + double(number)\n"
        "print(triple(2), len(double.signatures), len(triple.signatures))"
    )
    assert run_probe(tmp_path, code=code) == ["10 1 1"]
