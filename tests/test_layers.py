"""The house of `formsgame`: imports run one way, and importing costs next to nothing."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "formsgame"

#: The floors from the ground up. A name stands for a module or for a whole subpackage.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("errors", "rules", "compiled", "kernels", "limit"),
    ("notation", "position"),
    ("record", "simulate", "svg", "jobs"),
    ("solver", "engine", "match"),
    ("server",),
    ("web", "cli", "adapters", "bench", "__main__"),
)
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}
SERVER = FLOOR["server"]

#: Steps within a floor: the first may not import the second.
STEPS = (
    ("errors", "rules"),
    ("errors", "compiled"),
    ("rules", "kernels"),
    ("kernels", "errors"),
    ("kernels", "rules"),
    ("notation", "position"),
    ("solver", "engine"),
    ("engine", "match"),
    ("server.livegame", "server.clock"),
    ("server.clock", "server.contest"),
    ("server.contest", "server.contest_json"),
)

#: The part of the server that no network, no database and no clock is needed for.
PURE = [
    f"server.{name}"
    for name in ("clock", "contest", "contest_json", "livegame", "rating", "refusals")
]

#: Modules that ask the public face for a name when they need it, and so may reach above their
#: floor unseen: a position asks for its picture when a notebook wants one, and only then.
THROUGH_THE_FACE = {"position": {"to_svg"}}

#: What only the house's upper floors may know.
OUTWARD = {
    "alembic",
    "asyncio",
    "babel",
    "fastapi",
    "httpx",
    "jinja2",
    "pydantic",
    "socket",
    "sqlalchemy",
    "sqlite3",
    "starlette",
    "uvicorn",
    "websockets",
}
#: Optional packages and the one place that may import each.
OPTIONAL = {
    "distributed": ("jobs",),
    "dask": ("jobs",),
    "gymnasium": ("adapters",),
    "pettingzoo": ("adapters",),
    "pyspiel": ("adapters",),
}


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax tree of every module, by its name below the package ("" is the package)."""
    trees = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        trees[name] = ast.parse(path.read_text("utf-8"), str(path))
    return trees


@cache
def imports(module: str) -> tuple[str, ...]:
    """Every module that a module imports anywhere in it, by its full name."""
    is_package = (PACKAGE / Path(*module.split("."))).is_dir()
    here = ["formsgame", *filter(None, module.split("."))]
    found = []
    for node in ast.walk(modules()[module]):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            up = node.level - is_package
            base = here[: len(here) - up] if node.level else []
            origin = ".".join([*base, *filter(None, [node.module])])
            for alias in node.names:
                inner = f"{origin}.{alias.name}".removeprefix("formsgame.")
                found.append(f"formsgame.{inner}" if inner in modules() else origin)
                if origin == "formsgame" and inner not in modules():
                    assert alias.name == "__version__", f"{module}: {alias.name} of the package"
    return tuple(found)


def within(module: str) -> Iterator[str]:
    """Names below the package of those of its modules that a module imports."""
    for name in imports(module):
        if name.startswith("formsgame."):
            yield name.removeprefix("formsgame.")


def top(name: str) -> str:
    return name.split(".")[0]


def test_every_module_has_a_floor() -> None:
    assert {top(name) for name in modules()} - {""} <= set(FLOOR)


@pytest.mark.parametrize("module", [name for name in modules() if name])
def test_imports_run_down(module: str) -> None:
    for name in within(module):
        assert FLOOR[top(name)] <= FLOOR[top(module)], f"{module} imports {name}, above it"


@pytest.mark.parametrize("module", [name for name in modules() if name])
def test_steps_within_a_floor(module: str) -> None:
    for lower, upper in STEPS:
        if module == lower or module.startswith(lower + "."):
            for name in within(module):
                assert name != upper, f"{module} imports {name}, a step above it"
                assert not name.startswith(upper + "."), f"{module} imports {name}"


def test_nobody_reaches_up_through_the_public_face() -> None:
    """But for the names listed above, each for a reason."""
    asked: dict[str, set[str]] = {}
    for module, tree in modules().items():
        if module and FLOOR[top(module)] < SERVER and "formsgame" in imports(module):
            asked[module] = {
                node.attr
                for node in ast.walk(tree)
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "formsgame"
            }
    asked = {module: names - {"__version__"} for module, names in asked.items()}
    assert {module: names for module, names in asked.items() if names} == THROUGH_THE_FACE


def test_no_circles() -> None:
    """No chain of imports, wherever they stand in a module, leads back to its start.

    A module may import from the package it is in, which Python loads before it anyway.
    """
    done: set[str] = set()

    def walk(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join([*path, module])
        if module in done:
            return
        for name in within(module):
            if name in modules() and not f"{module}.".startswith(f"{name}."):
                walk(name, (*path, module))
        done.add(module)

    for module in modules():
        if module:
            walk(module, ())


def test_the_package_itself_imports_nothing() -> None:
    """Public names resolve lazily: only type checkers see the imports of `formsgame`."""
    tree = modules()[""]
    eager = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name for node in eager for name in _origins(node)}
    assert names <= {"__future__", "importlib", "typing"}


def _origins(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""]


@pytest.mark.parametrize("module", [name for name in modules() if name])
def test_outside_packages_stay_on_their_floors(module: str) -> None:
    for name in map(top, imports(module)):
        if FLOOR[top(module)] < SERVER:
            assert name not in OUTWARD, f"{module} imports {name}"
        if name in OPTIONAL:
            assert top(module) in OPTIONAL[name], f"{module} imports {name}"
        if name in ("typer", "rich", "click"):
            assert top(module) in ("cli", "bench", "__main__"), f"{module} imports {name}"
        if name == "platformdirs":
            assert top(module) in ("compiled", "server", "cli"), f"{module} imports {name}"
        if name in ("numba", "llvmlite"):
            assert top(module) in ("compiled", "kernels", "engine", "solver", "bench"), (
                f"{module} imports {name}"
            )
    if top(module) in ("errors", "rules", "notation", "limit"):
        assert not {"numba", "numpy"} & set(map(top, imports(module)))
    if top(module) == "kernels":
        ours = {top(name) for name in within(module)}
        assert ours <= {"compiled", "kernels"}, f"{module} imports {ours}"


@pytest.mark.parametrize("module", [name for name in modules() if name])
def test_only_compiled_asks_the_environment_below_the_server(module: str) -> None:
    if FLOOR[top(module)] >= SERVER or module == "compiled":
        return
    for node in ast.walk(modules()[module]):
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("environ", "getenv"), f"{module}, line {node.lineno}"


@pytest.mark.parametrize("module", [name for name in modules() if name])
def test_the_rules_know_no_clock_and_no_global_chance(module: str) -> None:
    """Nothing up to records looks at a clock, draws lots, logs or asks for a language."""
    if FLOOR[top(module)] > FLOOR["record"] or top(module) in ("compiled", "jobs", "simulate"):
        return  # compiled minds the age of its folders, the others how long a slice of work takes
    names = set(map(top, imports(module)))
    assert not names & {"time", "random", "logging", "locale", "gettext"}


@pytest.mark.parametrize("module", PURE)
def test_what_happens_in_a_game_is_pure(module: str) -> None:
    names = set(map(top, imports(module)))
    assert not names & (OUTWARD | {"datetime", "logging", "os", "random", "threading", "time"})
    assert {name for name in within(module) if top(name) == "server"} <= set(PURE)


# Importing, in a fresh process


def run(code: str, **environment: str) -> str:
    """Run a program in a new process of Python and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


HEAVY = ("numba", "numpy", "fastapi", "sqlalchemy", "jinja2", "uvicorn", "starlette")


@pytest.mark.parametrize(
    "module",
    [
        *["formsgame", "formsgame.errors", "formsgame.rules", "formsgame.notation"],
        *["formsgame.cli", "formsgame.cli.app", "formsgame.engine.levels"],
        *["formsgame.server.contest_json", "formsgame.server.rating"],
    ],
)
def test_light_modules_import_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(*[name for name in {HEAVY} if name in sys.modules])"
    assert run(code).split() == []


def test_light_names_load_nothing_heavy() -> None:
    code = (
        "import sys, formsgame as fg;"
        "fg.STANDARD, fg.BLACK, fg.Size, fg.SetupError, fg.Limit, fg.__version__, dir(fg);"
        f"print(*[name for name in {HEAVY} if name in sys.modules])"
    )
    assert run(code).split() == []


def test_nothing_compiles_at_import() -> None:
    """Every module imported and every public name looked up, Numba has compiled nothing."""
    below = [name for name in modules() if name and FLOOR[top(name)] < SERVER]
    code = f"""
import importlib
from numba.core import event

recorder = event.RecordingListener()
event.register("numba:compile", recorder)
import formsgame
for name in formsgame.__all__:
    getattr(formsgame, name)
for name in {below}:
    importlib.import_module("formsgame." + name)
print(len(recorder.buffer))
from numba.core.registry import CPUDispatcher
import sys
kernels = [
    value
    for name, module in sorted(sys.modules.items())
    if name.startswith("formsgame")
    for value in vars(module).values()
    if isinstance(value, CPUDispatcher)
]
print(sum(len(kernel.signatures) for kernel in kernels), len(kernels) > 5)
"""
    assert run(code, NUMBA_DISABLE_JIT="0").split() == ["0", "0", "True"]
