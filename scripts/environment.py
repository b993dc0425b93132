"""Make, mend or bring up to date the private environment of this checkout (.venv).

`./forms` calls it as `environment.py run|test LOWEST HIGHEST` (minor versions of Python 3) when the
environment is not ready. One process at a time works on it. It is marked as unfinished from its
first moment until its packages are all there, so one whose making was killed is made anew.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv"
PYTHON = FOLDER / "bin" / "python"
UNFINISHED = FOLDER / "unfinished"
#: What the environment was made from, one file for each use it is ready for.
STAMPS = {"run": FOLDER / "ready-run", "test": FOLDER / "ready-test"}

#: Asks an environment's Python for its minor version, its kind and whether its packages are there.
PROBE = """
import os, sys, sysconfig
print(sys.implementation.name, *sys.version_info[:2], os.path.isdir(sysconfig.get_path("purelib")))
"""


class SetUpError(Exception):
    """The environment can't be made; the message is one line for the person who asked for it."""


def main(arguments: Sequence[str]) -> int:
    """Make the environment ready and return the exit status."""
    need, lowest, highest = arguments
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        with _locked() as lock:
            if not is_ready(need):  # another process may have made it in the meantime
                _set_up(need, range(int(lowest), int(highest) + 1), lock)
    except SetUpError as error:
        print(f"forms: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"forms: can't set up {FOLDER}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nforms: stopped; run it again to go on", file=sys.stderr)
        return 130
    return 0


def is_ready(need: str) -> bool:
    """Tell whether the environment is complete for a use (`run` or `test`) and up to date."""
    try:
        return PYTHON.exists() and STAMPS[need].read_bytes() == _stamp()
    except OSError:
        return False


def _stamp() -> bytes:
    """What the environment is made from; `./forms` compares the same text."""
    return b"".join(
        (
            os.fsencode(PYTHON.resolve()) + b"\n",
            os.fsencode(ROOT) + b"\n",
            (ROOT / "pyproject.toml").read_bytes(),
            (ROOT / "constraints.txt").read_bytes(),
        )
    )


def _set_up(need: str, minors: range, lock: int | None) -> None:
    start = time.monotonic()
    with_tests = need == "test" or STAMPS["test"].exists()
    defect = _defect(minors)
    if not os.path.lexists(FOLDER):
        _create(lock)
    elif defect:
        _say(f"Making {FOLDER.name} anew: {defect}.")
        _remove()
        _create(lock)
    else:
        _say(f"Bringing {FOLDER.name} up to date.")
    _install(with_tests, lock)
    for use, stamp in STAMPS.items():
        if use == "run" or with_tests:
            fresh = stamp.with_suffix(".new")
            fresh.write_bytes(_stamp())
            fresh.replace(stamp)
    UNFINISHED.unlink()
    _say(f"Set up in {time.monotonic() - start:.0f} s.")


def _defect(minors: range) -> str | None:
    """Say why an existing environment can't be built upon, or None if it can."""
    if UNFINISHED.exists():
        return "an earlier set-up did not end"
    for stamp in STAMPS.values():
        if stamp.exists() and os.fsencode(ROOT) not in stamp.read_bytes().splitlines()[:2]:
            return "this folder was moved or copied"
    try:
        probe = subprocess.run([PYTHON, "-I", "-c", PROBE], capture_output=True, text=True)
    except OSError:
        return "its Python is gone"
    if probe.stdout.split() not in (["cpython", "3", str(minor), "True"] for minor in minors):
        return "its Python is not the one it was made with, or does not suit"
    if _pip() is None:
        return "it has no pip"
    return None


def _remove() -> None:
    if FOLDER.is_symlink() or not FOLDER.is_dir():
        FOLDER.unlink()
    else:
        shutil.rmtree(FOLDER)


def _create(lock: int | None) -> None:
    """Make the environment, with no packages yet, by the first way that this Python allows."""
    package = _debian_package()
    may_install = shutil.which("apt-get") and sys.base_prefix == "/usr" and os.geteuid() == 0
    if not (_has_ensurepip() or _outside_pip() or may_install):
        raise SetUpError(
            f"{sys.executable} has neither ensurepip nor pip; install {package} "
            f"(on Debian: apt-get install {package}) and run it again"
        )
    _say(f"Setting up Forms in {FOLDER} with Python {sys.version.split()[0]}.")
    FOLDER.mkdir()
    UNFINISHED.touch()
    make = [sys.executable, "-m", "venv", str(FOLDER)]
    status, output = 1, list[str]()
    if _has_ensurepip():
        status, output = _run(make, lock)
    if status != 0 and _outside_pip():
        status, output = _run([*make, "--without-pip"], lock)
    elif status != 0 and may_install:
        _say(f"This Python lacks ensurepip; installing {package} with apt-get.")
        status, output = _apt_get(package, lock)
        if status == 0:
            status, output = _run(make, lock)
    if status != 0:
        _remove()
        _show(output)
        raise SetUpError(f"can't make {FOLDER} (see above)")


def _has_ensurepip() -> bool:
    try:
        import venv  # noqa: F401
        from ensurepip import version  # noqa: F401 - an empty folder of that name has none
    except ImportError:
        return False
    return True


def _debian_package() -> str:
    """Name the Debian package that brings ensurepip for this Python."""
    usual = Path("/usr/bin/python3").resolve() == Path(sys.executable).resolve()
    if usual or sys.base_prefix != "/usr":
        return "python3-venv"
    return f"python3.{sys.version_info.minor}-venv"


def _apt_get(package: str, lock: int | None) -> tuple[int, list[str]]:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    apt_get = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=120"]
    _run([*apt_get, "update"], lock, environment)  # what it can't fetch, the next line tells
    return _run([*apt_get, "install", "-y", "--no-install-recommends", package], lock, environment)


def _pip() -> list[str] | None:
    """Return the command that installs into the environment, or None if there is none."""
    if _succeeds([str(PYTHON), "-I", "-c", "import pip"]):
        return [str(PYTHON), "-m", "pip"]
    return _outside_pip()


def _outside_pip() -> list[str] | None:
    """Return a pip from elsewhere that can install into the environment, or None."""
    for pip in ([sys.executable, "-m", "pip"], ["pip3"], ["pip"]):
        if _succeeds([*pip, "--python", sys.executable, "--version"]):
            return [*pip, "--python", str(PYTHON)]
    return None


def _succeeds(command: Sequence[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


def _install(with_tests: bool, lock: int | None) -> None:
    """Install the project, as editable, and the tested versions of what it needs."""
    pip = _pip()
    if pip is None:
        raise SetUpError(f"{PYTHON} has no pip; remove {FOLDER} and run it again")
    for stamp in STAMPS.values():
        stamp.unlink(missing_ok=True)
    UNFINISHED.touch()
    _say("Installing packages (once; about 100 MB where they are not on this computer yet).")
    options = ["install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    status, output = _run(
        # Nothing but wheels: nobody should need a compiler, or wait for one to fail.
        [*pip, *options, "--only-binary", ":all:", "--editable", ".[test]" if with_tests else "."],
        lock,
        _pip_environment(),
    )
    if status != 0:
        if not any(line.startswith("Installing collected packages") for line in output):
            UNFINISHED.unlink()  # nothing was changed, so the next run can go on from here
        _show(output)
        raise SetUpError("the packages could not be installed (see above); run it again to go on")


def _pip_environment() -> dict[str, str]:
    """What pip is told beside its options: the versions, and to stay inside the environment."""
    environment = os.environ | {
        "PIP_CONSTRAINT": "constraints.txt",
        "PIP_BUILD_CONSTRAINT": "constraints.txt",
        "PIP_USER": "0",
    }
    for name in ("PYTHONPATH", "PYTHONHOME"):
        environment.pop(name, None)
    return environment


def _run(
    command: Sequence[str], lock: int | None, environment: Mapping[str, str] | None = None
) -> tuple[int, list[str]]:
    """Run a command in the checkout and return its exit status and the lines it printed.

    It inherits the lock, so that the lock is held until it too has ended, whatever ends first.
    """
    output = []
    live = sys.stderr.isatty()
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        pass_fds=() if lock is None else (lock,),
    ) as process:
        assert process.stdout
        try:
            for line in process.stdout:
                output.append(line.rstrip())
                if live:
                    width = shutil.get_terminal_size().columns - 1
                    print(f"\r\033[K{line.rstrip()[:width]}", end="", file=sys.stderr, flush=True)
        except BaseException:
            process.terminate()
            raise
        finally:
            if live:
                print("\r\033[K", end="", file=sys.stderr, flush=True)
    return process.returncode, output


def _show(output: Sequence[str]) -> None:
    """Print the part of a failed command's output that says why it failed."""
    # Where pip can't reach its index, all that it says after that is misleading.
    unreached = [line for line in output if "Retrying (" in line or "Could not fetch URL" in line]
    dull = ("Collecting ", "Downloading ", "Using cached ", "Obtaining ", "Requirement already ")
    lines = [line for line in output if line.strip() and not line.strip().startswith(dull)]
    print(*(line.strip() for line in unreached[-1:] or lines[-15:]), sep="\n", file=sys.stderr)
    if unreached:
        print("The network did not answer.", file=sys.stderr)


def _say(text: str) -> None:
    """Tell on standard error what goes on; standard output is the program's own."""
    print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _locked() -> Iterator[int | None]:
    """Hold the checkout's set-up lock, if need be after waiting for another process.

    The lock is on the checkout's folder itself, which nobody replaces, and ends with its holder.
    It is None on a file system that has no locks.
    """
    lock = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("Another ./forms is setting up this folder; waiting for it.")
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError:
            yield None
            return
        yield lock
    finally:
        os.close(lock)


def _stop(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
