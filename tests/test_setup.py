"""The launcher, its checks and the packages it leads to, run for real in small checkouts.

A small checkout has the project's own launcher and scripts around a tiny package with a build
backend of its own, so that environments are made and filled by the real tools without a network.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOWEST, HIGHEST = 11, 15

BACKEND = '''\
"""A build backend that needs nothing: an editable wheel is a path to src."""
import pathlib, zipfile

def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    info = "formsgame-1.dist-info"
    files = {
        "formsgame.pth": f"{pathlib.Path('src').resolve()}\\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\\nName: formsgame\\nVersion: 1\\n"
        "Provides-Extra: test\\n" + "".join(REQUIRES),
        f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\n"
        "Tag: py3-none-any\\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\\n" for name in [*files, f"{info}/RECORD"])
    name = "formsgame-1-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, name), "w") as wheel:
        for file, text in files.items():
            wheel.writestr(file, text)
    return name

REQUIRES = []
'''
PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "formsgame"
version = "1"
[tool.ruff]
line-length = 100
lint.select = ["F"]
[tool.mypy]
files = ["src"]
strict = true
[tool.pytest.ini_options]
markers = ["browser: needs a Chromium"]
"""
PROGRAM = '''\
"""Say what was given."""

import os
import sys

print("program", sys.argv[1:], os.getcwd(), sys.prefix)
'''


class Checkout:
    """A small checkout in a folder, and the ways to run its launcher."""

    def __init__(self, folder: Path, tools: Path) -> None:
        self.folder = folder
        self.tools = tools
        self.environment = folder / ".venv"
        for name, text in {
            "pyproject.toml": PYPROJECT,
            "constraints.txt": "# nothing\n",
            "backend.py": BACKEND,
            "src/formsgame/__init__.py": '"""A tiny package."""\n',
            "src/formsgame/__main__.py": PROGRAM,
        }.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (folder / "scripts").mkdir()
        for name in ("forms", "scripts/environment.py", "scripts/check.py"):
            shutil.copy2(ROOT / name, folder / name)

    def variables(self, path: Path) -> dict[str, str]:
        """Return the environment variables for a launcher that finds its programs in `path`."""
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        return {**kept, "PATH": str(path), "PIP_NO_INDEX": "1"}

    def start(self, *arguments: str, path: Path | None = None) -> subprocess.Popen[str]:
        """Start the launcher in a process group of its own."""
        return subprocess.Popen(
            [self.folder / "forms", *arguments],
            env=self.variables(path or self.tools),
            cwd=self.folder.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run the launcher to its end."""
        process = self.start(*arguments, path=path)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def says(self, *arguments: str) -> str:
        """Return what the tiny program prints from inside this checkout's environment."""
        return f"program {list(arguments)} {self.folder.parent} {self.environment}\n"


def write_script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def make_tools(folder: Path, **pythons: str) -> Path:
    """Make a folder for PATH with what the launcher calls and the given Python scripts."""
    folder.mkdir(parents=True)
    for name in ("readlink", "cat"):
        program = shutil.which(name)
        assert program
        (folder / name).symlink_to(program)
    for name, text in pythons.items():
        write_script(folder / name.replace("_", "."), text)
    return folder


@pytest.fixture(scope="module")
def plain_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a Python as on a plain Debian: with pip but no ensurepip."""
    folder = tmp_path_factory.mktemp("plain")
    subprocess.run([BASE, "-m", "venv", folder], check=True)
    hide_ensurepip(folder)
    return folder / "bin" / "python"


def hide_ensurepip(environment: Path) -> Path:
    packages = next(environment.glob("lib/python3.*/site-packages"))
    hiding = packages / "hiding.pth"
    hiding.write_text("import sys; sys.modules['ensurepip'] = None\n")
    return hiding


BASE: str = getattr(sys, "_base_executable", sys.executable)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory, plain_python: Path) -> Path:
    """Make a PATH whose python3 is too old and whose second Python suits."""
    suitable = f"python3_{sys.version_info.minor}"
    return make_tools(
        tmp_path_factory.mktemp("tools") / "bin",
        python3="echo CPython 3.9.18",
        **{suitable: f'exec "{plain_python}" "$@"'},
    )


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory, tools: Path) -> Checkout:
    """Make a checkout that was set up by its first run."""
    checkout = Checkout(tmp_path_factory.mktemp("first run") / "Forms é", tools)
    first = checkout.run("one", "two  words", "*")
    assert first.returncode == 0, first.stderr
    assert first.stdout == checkout.says("one", "two  words", "*")
    assert first.stderr.splitlines()[0].startswith(f"Setting up Forms in {checkout.environment}")
    assert len(first.stderr.splitlines()) == 3
    return checkout


@pytest.fixture
def copy(ready: Checkout, tmp_path: Path) -> Iterator[Checkout]:
    """Lend the ready checkout to a test that changes it, and put it back as it was."""
    kept = tmp_path / "kept"
    shutil.copytree(ready.folder, kept, symlinks=True)
    yield ready
    shutil.rmtree(ready.folder)
    shutil.copytree(kept, ready.folder, symlinks=True)


@pytest.mark.parametrize(
    ("pythons", "found"),
    [
        ({}, "no Python at all"),
        ({"python3": "echo CPython 3.9.18"}, "CPython 3.9.18 (TOOLS/python3)"),
        ({"python3": "echo CPython 3.16.0a1"}, "CPython 3.16.0a1 (TOOLS/python3)"),
        ({"python3": "echo PyPy 3.11.11"}, "PyPy 3.11.11 (TOOLS/python3)"),
        (
            {"python3_12": "exit 127", "python": "echo CPython 2.7.18"},
            "CPython 2.7.18 (TOOLS/python)",
        ),
        (
            {"python3": "echo CPython 3.10.13", "python": "echo CPython 3.10.13"},
            "CPython 3.10.13 (TOOLS/python3)",
        ),
    ],
)
def test_unsuitable_pythons_get_one_line(
    tmp_path: Path, pythons: dict[str, str], found: str
) -> None:
    tools = make_tools(tmp_path / "bin", **pythons)
    checkout = Checkout(tmp_path / "forms", tools)
    result = checkout.run("play")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        f"forms: needs CPython 3.{LOWEST} to 3.{HIGHEST}, found "
        f"{found.replace('TOOLS', str(tools))}; install one of these versions and run it again\n"
    )
    assert not checkout.environment.exists()


def test_second_run_needs_no_other_python(ready: Checkout, tmp_path: Path) -> None:
    result = ready.run("-x", "test", path=make_tools(tmp_path / "bin"))
    assert (result.returncode, result.stdout) == (0, ready.says("-x", "test"))
    assert result.stderr == ""


def test_runs_from_anywhere_and_through_links(ready: Checkout, tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text("raise SystemExit('the wrong module')")
    (tmp_path / "formsgame").mkdir()
    (tmp_path / "near").symlink_to(ready.folder / "forms")
    (tmp_path / "far").symlink_to("near")
    for command in (["./far"], ["sh", "far"], [str(ready.folder / "forms")]):
        result = subprocess.run(
            command,
            env=ready.variables(Path(f"{ready.tools}:/bin:/usr/bin")),
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert result.stdout == f"program [] {tmp_path} {ready.environment}\n", result.stderr


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_changed_requirements_are_installed(copy: Checkout, name: str) -> None:
    with (copy.folder / name).open("a") as file:
        file.write("# changed\n")
    changed = copy.run()
    assert (changed.returncode, changed.stdout) == (0, copy.says())
    assert changed.stderr.startswith("Bringing .venv up to date.\n")
    assert copy.run().stderr == ""


def test_moved_checkout_gets_a_new_environment(copy: Checkout, tmp_path: Path) -> None:
    moved = Checkout.__new__(Checkout)
    moved.folder, moved.tools = tmp_path / "moved", copy.tools
    moved.environment = moved.folder / ".venv"
    shutil.copytree(copy.folder, moved.folder, symlinks=True)
    result = moved.run()
    assert (result.returncode, result.stdout) == (0, moved.says())
    assert "anew: this folder was moved or copied" in result.stderr
    paths = next(moved.environment.glob("lib/python3.*/site-packages/formsgame.pth"))
    assert paths.read_text().strip() == str(moved.folder / "src")


def test_removed_python_is_replaced(copy: Checkout) -> None:
    python = copy.environment / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")
    result = copy.run()
    assert (result.returncode, result.stdout) == (0, copy.says())
    assert "anew: its Python is gone" in result.stderr


def test_upgraded_python_gets_a_new_environment(copy: Checkout) -> None:
    """A system's python3 is another version after an upgrade; its packages are not there."""
    packages = next(copy.environment.glob("lib/python3.*"))
    packages.rename(packages.with_name("python3.10"))
    (copy.environment / "ready-run").write_text(f"/usr/bin/python3.10\n{copy.folder}\n")
    result = copy.run()
    assert (result.returncode, result.stdout) == (0, copy.says())
    assert "anew: its Python is not the one it was made with" in result.stderr


def test_own_environment_without_a_stamp_is_kept(copy: Checkout) -> None:
    (copy.environment / "ready-run").unlink()
    (copy.environment / "mine").touch()
    result = copy.run()
    assert (result.returncode, result.stdout) == (0, copy.says())
    assert (copy.environment / "mine").exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_interrupted_set_up_starts_again(
    tmp_path: Path, tools: Path, number: signal.Signals
) -> None:
    checkout = Checkout(tmp_path / "forms", tools)
    process = checkout.start()
    wait_for(checkout.environment / "unfinished")
    os.killpg(process.pid, number)
    _, err = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "Traceback" not in err
    assert ("forms: stopped; run it again to go on" in err) == (number != signal.SIGKILL)
    again = checkout.run()
    assert (again.returncode, again.stdout) == (0, checkout.says())
    assert "anew: an earlier set-up did not end" in again.stderr


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_two_at_once_set_up_once(tmp_path: Path, tools: Path) -> None:
    checkout = Checkout(tmp_path / "forms", tools)
    first = checkout.start("first")
    wait_for(checkout.environment)
    second = checkout.start("second")
    out, err = first.communicate(timeout=120)
    assert out == checkout.says("first"), err
    out, err = second.communicate(timeout=120)
    assert out == checkout.says("second"), err
    assert err == "Another ./forms is setting up this folder; waiting for it.\n"


def test_failed_installation_says_why(copy: Checkout) -> None:
    backend = copy.folder / "backend.py"
    good = backend.read_text()
    backend.write_text(good.replace("REQUIRES = []", "REQUIRES = ['Requires-Dist: absent-1\\n']"))
    with (copy.folder / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    failed = copy.run()
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "No matching distribution found for absent-1" in failed.stderr
    assert failed.stderr.splitlines()[-1].startswith("forms: the packages could not be installed")
    assert "Traceback" not in failed.stderr
    backend.write_text(good)
    mended = copy.run()
    assert (mended.returncode, mended.stdout) == (0, copy.says())
    assert mended.stderr.startswith("Bringing .venv up to date.\n")


def test_python_with_ensurepip(tmp_path: Path) -> None:
    tools = make_tools(tmp_path / "bin", python3=f'exec "{BASE}" "$@"')
    checkout = Checkout(tmp_path / "forms", tools)
    result = checkout.run()
    assert (result.returncode, result.stdout) == (0, checkout.says())
    assert (checkout.environment / "bin" / "pip").exists()


def test_python_without_ensurepip_uses_its_pip(ready: Checkout) -> None:
    assert not (ready.environment / "bin" / "pip").exists()


def test_python_without_ensurepip_and_pip_names_the_package(tmp_path: Path) -> None:
    subprocess.run([BASE, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    hide_ensurepip(tmp_path / "bare")
    python = tmp_path / "bare" / "bin" / "python"
    checkout = Checkout(
        tmp_path / "forms", make_tools(tmp_path / "bin", python3=f'exec "{python}" "$@"')
    )
    result = checkout.run()
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"forms: {python} has neither ensurepip nor pip; install python3")
    assert "-venv (on Debian: apt-get install " in line
    assert not checkout.environment.exists()


@pytest.mark.skipif(
    os.geteuid() != 0 or not os.access("/usr/bin/python3", os.X_OK),
    reason="needs root and a system's Python, as on Debian",
)
def test_root_on_debian_gets_the_package(tmp_path: Path) -> None:
    """A stand-in for apt-get brings ensurepip back."""
    bare = tmp_path / "bare"
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", bare], check=True)
    hiding = hide_ensurepip(bare)
    log = tmp_path / "log"
    tools = make_tools(
        tmp_path / "bin",
        python3=f'exec "{bare}/bin/python" "$@"',
        apt_get=f'echo "$DEBIAN_FRONTEND $*" >>"{log}"\n'
        f'case "$*" in *install*) /bin/rm "{hiding}" ;; esac',
    )
    (tools / "apt.get").rename(tools / "apt-get")
    checkout = Checkout(tmp_path / "forms", tools)
    result = checkout.run()
    assert result.stdout == checkout.says(), result.stderr
    update, install = log.read_text().splitlines()
    assert update.startswith("noninteractive ")
    assert update.endswith(" update")
    assert re.search(r" install -y .*python3(\.\d+)?-venv$", install)


@pytest.fixture
def checks(tmp_path: Path) -> Checkout:
    """Make a checkout whose checks pass, with one test that passes and two that want a browser."""
    checkout = Checkout(tmp_path / "forms", tmp_path)
    (checkout.folder / "src/formsgame/__main__.py").unlink()
    (checkout.folder / "backend.py").unlink()
    (checkout.folder / "test_it.py").write_text(
        "import pytest\n\n\n"
        "def test_one() -> None:\n    assert True\n\n\n"
        "@pytest.mark.browser\n"
        '@pytest.mark.parametrize("way", ["mouse", "touch"])\n'
        'def test_browser(way: str) -> None:\n    pytest.skip("no Chromium found")\n'
    )
    return checkout


def run_checks(
    checkout: Checkout, *arguments: str, required: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, checkout.folder / "scripts" / "check.py", *arguments],
        env={**os.environ, "FORMSGAME_REQUIRE_BROWSER": required, "PYTEST_ADDOPTS": ""},
        cwd=checkout.folder.parent,
        capture_output=True,
        text=True,
    )


def test_checks_pass_and_say_what_was_skipped(checks: Checkout) -> None:
    result = run_checks(checks)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "2 browser tests did NOT run: no Chromium found" in result.stdout
    assert "1 passed, 2 skipped" in result.stdout.splitlines()[-1]


def test_required_browser_tests_must_not_be_skipped(checks: Checkout) -> None:
    result = run_checks(checks, required="1")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "FAILED: FORMSGAME_REQUIRE_BROWSER=1" in result.stdout
    assert "1 passed, 2 skipped" in result.stdout.splitlines()[-1]


def test_failed_checks_do_not_hide_the_tests(checks: Checkout) -> None:
    (checks.folder / "src/formsgame/__init__.py").write_text("import os\nx: int = 'text'\n")
    result = run_checks(checks, "-k", "one")
    assert result.returncode == 1
    for check in ("ruff format --check .", "ruff check .", "mypy"):
        assert f"FAILED: {check}\n" in result.stdout
    assert "1 passed, 2 deselected" in result.stdout.splitlines()[-1]


def test_failed_tests_fail(checks: Checkout) -> None:
    (checks.folder / "test_it.py").write_text("def test_it() -> None:\n    raise ValueError\n")
    result = run_checks(checks)
    assert result.returncode == 1
    assert "1 failed" in result.stdout.splitlines()[-1]


def test_python_versions_agree() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    assert project["requires-python"] == f">=3.{LOWEST},<3.{HIGHEST + 1}"
    assert f"\nlowest={LOWEST} highest={HIGHEST} " in (ROOT / "forms").read_text()
    names = " ".join(f"python3.{minor}" for minor in range(HIGHEST, LOWEST - 1, -1))
    assert f"python3 {names} python" in (ROOT / "forms").read_text()


def test_constraints_pin_every_requirement_by_name_and_version() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    pinned = set()
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        pin = re.fullmatch(r"([\w.-]+)==[\w.]+(; python_version [<>=]+ \"3\.\d+\")?", line)
        assert pin, line
        pinned.add(pin[1].lower().replace("_", "-"))
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    assert {re.split(r"[<>=]", line)[0] for line in wanted} <= pinned


def test_wheel_holds_every_file_and_the_sdist_makes_the_same(tmp_path: Path) -> None:
    build(ROOT, "wheel", tmp_path)
    build(ROOT, "sdist", tmp_path)
    (sdist,) = tmp_path.glob("*.tar.gz")
    (tmp_path / "unpacked").mkdir()
    subprocess.run(["tar", "xzf", sdist, "-C", tmp_path / "unpacked"], check=True)
    (source,) = (tmp_path / "unpacked").iterdir()
    build(source, "wheel", tmp_path / "again")
    (wheel,) = tmp_path.glob("*.whl")
    (again,) = (tmp_path / "again").glob("*.whl")
    assert again.read_bytes() == wheel.read_bytes()

    files = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "src" / "formsgame"
    for path in package.rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            assert path.relative_to(ROOT / "src").as_posix() in files
    entries = zipfile.ZipFile(wheel).read(
        next(name for name in files if name.endswith("entry_points.txt"))
    )
    assert b"formsgame = formsgame.cli:main" in entries


def build(source: Path, target: str, folder: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
