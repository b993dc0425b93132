"""The one decorator for compiled functions, and where their compiled code is kept.

Numba's own disk cache looks only at the file that holds a function, so a cached caller in
another file would keep stale code after a kernel is edited. The cache folder here is therefore
named by a hash of all compiled sources with the versions of Python, Numba, NumPy and the package.
What it holds is code, so the folder must belong to the user alone; one that does not, or can't be
written, is passed over, and functions are compiled in memory. A damaged file is replaced.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib
import logging
import os
import shutil
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import caching, sigutils
from numba.core.types.misc import unliteral
from platformdirs import user_cache_path

Function = TypeVar("Function", bound=Callable[..., Any])

#: Modules with the compiled functions that a game needs, in the order to warm them up.
GAME_MODULES = (
    "formsgame.kernels.board",
    "formsgame.kernels.stones",
    "formsgame.solver.shapes",
    "formsgame.solver.endings",
    "formsgame.engine.sight",
    "formsgame.engine.mcts",
)
#: Those that prove who wins. The computer plays without them, but less well.
PROOF_MODULES = (
    "formsgame.kernels.bits",
    "formsgame.solver.search",
    "formsgame.solver.wide",
)
#: Those of a computer at its full strength.
PLAY_MODULES = (*GAME_MODULES, *PROOF_MODULES)
#: All modules of the package that hold compiled functions.
MODULES = (
    *PLAY_MODULES,
    "formsgame.kernels.playout",
    "formsgame.kernels.perft",
    "formsgame.solver.filling",
)

#: A folder of compiled code that no process has used for so long is removed.
KEEP_SECONDS = 30 * 24 * 3600

_log = logging.getLogger(__name__)

_registry: list[tuple[Any, str]] = []
_pending: set[str] = set()
_announce: Callable[[], None] | None = None
_announced = False


def compiled(
    signature: str, *, inner: bool = False, inline: bool = False
) -> Callable[[Function], Function]:
    """Compile a function with the package's options when it is first called.

    `signature` is the one set of argument types, in Numba's words, that the function is called
    with; `warm_up` compiles for it. A function that is `inner` can be called by compiled functions
    only, which saves the time to compile a door from Python; one that is `inline` is merged into
    its callers besides. With NUMBA_DISABLE_JIT=1 all stay plain Python.
    """

    def decorate(function: Function) -> Function:
        closed = inner or inline
        dispatcher: Any = numba.njit(
            nogil=True,
            error_model="numpy",
            forceinline=inline,
            no_cpython_wrapper=closed,
            no_cfunc_wrapper=closed,
        )(function)
        if hasattr(dispatcher, "py_func"):
            dispatcher._cache = _Cache(function) if cache_folder() else _Memory()
            dispatcher.get_call_template = _without_literals(dispatcher.get_call_template)
            if not closed:
                _registry.append((dispatcher, signature))
        return cast(Function, dispatcher)

    return decorate


def _without_literals(get_template: Callable[..., Any]) -> Callable[..., Any]:
    """Have calls with a constant take the function as it is for any number of the type.

    Numba would compile it once more for each constant, even for those that a variable begins with.
    """

    def get(args: Iterable[Any], kws: Any) -> Any:
        return get_template([unliteral(arg) for arg in args], kws)

    return get


def warm_up(
    report: Callable[[int, int], None] | None = None, modules: Iterable[str] = MODULES
) -> None:
    """Compile every compiled function of the modules, or load it from the cache.

    `report(done, total)` is called before the first and after each function.
    """
    wanted = tuple(modules)
    for module in wanted:
        importlib.import_module(module)
    jobs = [job for job in _registry if job[0].py_func.__module__ in wanted]
    for done, (dispatcher, signature) in enumerate(jobs):
        if report:
            report(done, len(jobs))
        # As types, the way calls ask for it: the cache does not know that a text means the same.
        dispatcher.compile(sigutils.normalize_signature(signature)[0])
    if report:
        report(len(jobs), len(jobs))


def warm_up_behind(modules: Iterable[str]) -> threading.Thread:
    """Warm up modules in a thread of its own, which `is_pending` asks about; returns the thread.

    Only one function is compiled at a time, so whoever calls one of these modules meanwhile waits.
    Those that can't be compiled stay pending. The program may end at any time: it waits for no more
    than the function under way.
    """
    wanted = tuple(modules)
    ending = threading.Event()

    def report(done: int, total: int) -> None:
        if ending.is_set():
            raise _EndingError

    def work() -> None:
        try:
            warm_up(report, wanted)
        except _EndingError:
            return
        except Exception:  # noqa: BLE001 - what can do without must be able to go on
            _log.exception("%s could not be compiled", ", ".join(wanted))
        else:
            _pending.difference_update(wanted)

    def end() -> None:
        ending.set()
        thread.join()

    thread = threading.Thread(target=work, name="formsgame-prepare-behind", daemon=True)
    _pending.update(wanted)
    thread.start()
    # A compilation must not outlive the interpreter that it needs.
    atexit.register(end)
    return thread


def is_pending(modules: Iterable[str]) -> bool:
    """Tell whether any of some modules is still being warmed up behind."""
    return not _pending.isdisjoint(modules)


class _EndingError(Exception):
    """The program ends."""


def announce_with(announce: Callable[[], None] | None) -> None:
    """Set what is called once before the first real compilation; None for silence.

    By default one line goes to standard error, so that nobody waits without knowing why.
    """
    global _announce, _announced
    _announce = announce
    _announced = announce is None


def cache_folder() -> Path | None:
    """Return the folder of compiled code, made if need be, or None if there is no safe one."""
    global _folder
    if _folder is _UNKNOWN:
        _folder = _find_folder()
    return cast("Path | None", _folder)


_UNKNOWN = object()
_folder: object = _UNKNOWN


def _find_folder() -> Path | None:
    try:
        root = _root()
        folder = root / "compiled" / _source_hash()
        for part in (root, root / "compiled", folder):
            part.mkdir(mode=0o700, parents=part is root, exist_ok=True)
        if not _is_guarded(root):
            return None
        if not all(_is_private(part) for part in (root / "compiled", folder)):
            return None
        if not os.access(folder, os.W_OK | os.X_OK):
            return None
        os.utime(folder)
        _remove_old(folder)
    except (OSError, RuntimeError):  # RuntimeError: ~ of a user that does not exist
        return None
    return folder


def _root() -> Path:
    """Return the folder in which the package keeps what can be made again."""
    base = os.environ.get("FORMSGAME_CACHE")
    return Path(base).expanduser() if base else user_cache_path("formsgame", appauthor=False)


def _is_guarded(folder: Path) -> bool:
    """Tell whether nobody but this user and the system's can put others in the place of folders."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    is_open = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
    return status.st_uid in (0, os.getuid()) and not is_open


def _is_private(folder: Path) -> bool:
    """Tell whether a folder, no symbolic link, belongs to this user and to nobody else."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.lstat()
    return (
        folder.is_dir()
        and not folder.is_symlink()
        and status.st_uid == os.getuid()
        and (status.st_mode & 0o077 == 0)
    )


def _remove_old(current: Path) -> None:
    """Remove sibling folders that nobody has used for a long time."""
    horizon = time.time() - KEEP_SECONDS
    for folder in current.parent.iterdir():
        if folder != current and folder.lstat().st_mtime < horizon:
            shutil.rmtree(folder, ignore_errors=True)


def _source_hash() -> str:
    """Hash the sources of all compiled functions and the versions that compiled them."""
    from formsgame import __version__

    digest = hashlib.sha256(
        repr((sys.version_info, numba.__version__, np.__version__, __version__)).encode()
    )
    root = Path(__file__).parent
    for module in ("formsgame.compiled", *MODULES):
        path = root.joinpath(*module.split(".")[1:]).with_suffix(".py")
        digest.update(path.read_bytes())
    return digest.hexdigest()[:24]


class _Memory:
    """Stands for a cache where there is no folder: remembers nothing, but announces."""

    cache_path = None

    def load_overload(self, sig: Any, target_context: Any) -> None:
        target_context.refresh()
        _about_to_compile()

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep nothing."""

    def flush(self) -> None:
        """Forget nothing."""

    enable = disable = flush


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Puts every compiled function into the package's own folder."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file = py_file
        self._place = f"{py_func.__module__}.{py_func.__code__.co_firstlineno}"

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> int:
        return 0  # the folder's name holds the hash of the sources

    def get_disambiguator(self) -> str:
        return self._place

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _Results(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """Numba's form of a compiled function on disk, in the package's folder.

    Numba asks its setting CACHE_LOCATOR_CLASSES first; the package's place is not for it to move.
    """

    def __init__(self, py_func: Any) -> None:
        self._lineno = py_func.__code__.co_firstlineno
        self._locator = _Locator.from_function(py_func, py_func.__code__.co_filename)
        name = f"{py_func.__module__}.{py_func.__qualname__}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))


class _Cache(caching.Cache):  # type: ignore[misc]
    """A function's cache that never fails: what can't be read or written is passed over."""

    _impl_class = _Results

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            data = super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - whatever a damaged file makes of its reader
            data = None
            with contextlib.suppress(Exception):
                self.flush()  # so that what is compiled now can be kept
        if data is None:
            _about_to_compile()
        return data

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:  # noqa: BLE001 - a full disk must not stop a game
            self.disable()


def _about_to_compile() -> None:
    """Say once, before the first compilation, what the wait is for."""
    global _announced
    if _announced:
        return
    _announced = True
    if _announce is not None:
        _announce()
    else:
        wait = "first use only, some seconds"
        if cache_folder() is None:
            wait = "some seconds each time: there is no private cache folder to keep them in"
        print(  # noqa: T201 - a library's only word, on the wait of the first use ever
            f"formsgame: preparing the rules for this computer ({wait})", file=sys.stderr
        )
