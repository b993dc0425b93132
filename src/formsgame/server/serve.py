"""Starting and ending the server on this computer."""

from __future__ import annotations

import contextlib
import errno
import functools
import gc
import hashlib
import http.client
import json
import logging
import os
import socket
import sys
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

from formsgame import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from formsgame.server.app import Pages

HOST = "127.0.0.1"

#: Where Forms is found unless told otherwise, and the ports tried after it.
PORT = 8713
SPARE_PORTS = range(PORT + 1, PORT + 10)

#: How long another server may take to say who it is; it may have been started just now.
ASKING_SECONDS = 10.0

DATABASE = "games.sqlite3"

LOG = "server.log"
LOG_BYTES = 1_000_000

#: Seconds after which a thread that runs Python lets another one run.
SWITCH_SECONDS = 0.001

#: Threads that may still be busy when the server has ended; nothing waits for them.
_BUSY_THREADS = ("formsgame-prepare", "formsgame-thought")


class StartError(Exception):
    """Why the server can't start, in one line."""


def run(
    pages: Pages,
    port: int | None = None,
    *,
    open_browser: bool = True,
    data_folder: Path | str | None = None,
) -> int:
    """Serve Forms on this computer until a signal ends it; return the exit status.

    `pages` is where the pages come from: the module `formsgame.web`. Without a port the usual
    one is taken, or another if some other program holds it; 0 is any free one. If Forms runs
    there already with the same data folder, its page is opened instead. The data folder is the
    user's own unless it is given here or in FORMSGAME_DATA.
    """
    try:
        folder = _data_folder(data_folder)
        home = _home(folder)
        listener, address = _find_place(port, home)
        if listener is None:
            if open_browser and (opening := _open_browser(address)):
                opening.join(5)
            return 0
        with listener, _logging_to(folder / LOG):
            _serve(listener, folder, pages, home, address, open_browser)
    except StartError as error:
        sys.stderr.write(f"formsgame: {error}\n")
        return 1
    except KeyboardInterrupt:
        pass
    if any(thread.name.startswith(_BUSY_THREADS) for thread in threading.enumerate()):
        # A compilation can't be interrupted, and must not outlive the interpreter it needs.
        logging.shutdown()
        os._exit(0)
    return 0


def _serve(
    listener: socket.socket,
    folder: Path,
    pages: Pages,
    home: str,
    address: str,
    open_browser: bool,
) -> None:
    """Answer on a socket that listens already, until a signal ends it."""
    from formsgame.errors import StorageError

    # Looking for garbage among what is imported and stays is a tenth of the time to the first page.
    gc.disable()
    try:
        # Slow to import, so only now, when whoever asks at the port is kept waiting, not refused.
        from formsgame.server.app import create_app
        from formsgame.server.runner import serve_until_signal

        prepare = functools.partial(_prepare, folder)
        app = create_app(folder / DATABASE, pages, home=home, warm_up=prepare)
    except StorageError as error:
        raise StartError(str(error)) from None
    finally:
        gc.freeze()
        gc.enable()

    def started() -> None:
        _say(f"Forms is at {address}  (Ctrl-C stops it)")
        if open_browser:
            _open_browser(address)
        app.state.readiness.start()

    # Whoever asks for a page waits less for threads that think (see bench/latency.py).
    sys.setswitchinterval(SWITCH_SECONDS)
    serve_until_signal(app, listener, started)


def _prepare(folder: Path, report: Callable[[int, int], None]) -> None:
    """Compile the rules, and have the computer use the user's own endgame tables."""
    from formsgame.server.readiness import compile_rules
    from formsgame.solver import tables

    compile_rules(report)
    tables.look_in(folder / tables.FOLDER)


def _find_place(port: int | None, home: str) -> tuple[socket.socket | None, str]:
    """Return a listening socket and its address, or None and where Forms runs already."""
    if port is not None and not 0 <= port <= 65535:
        raise StartError(f"port {port} does not exist; ports go from 0 (any free one) to 65535")
    for candidate in (PORT, *SPARE_PORTS, 0) if port is None else (port,):
        listener = _listen(candidate)
        if listener is not None:
            found = listener.getsockname()[1]
            if port is None and found != PORT:
                _say(f"Port {PORT} is held by another program; taking port {found}")
            return listener, _address(found)
        version = _version_running(candidate, home)
        if version is not None:
            address = _address(candidate)
            if version == __version__:
                _say(f"Forms runs already at {address}")
            else:
                _say(f"Forms {version} runs already at {address}; end it to use {__version__}")
            return None, address
    raise StartError(f"port {port} is held by another program; choose another one")


def _listen(port: int) -> socket.socket | None:
    """Return a socket that listens on a port of this computer alone, None if it is taken."""
    # With the protocol named, asyncio switches Nagle's delay off; without, an answer takes 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        elif hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise StartError(f"port {port} can't be opened: {error.strerror}") from None
    return listener


def _version_running(port: int, home: str) -> str | None:
    """Return the version of Forms that holds a port; None if it is none with this data folder."""
    answers: list[object] = []

    def ask() -> None:
        connection = http.client.HTTPConnection(HOST, port, timeout=ASKING_SECONDS)
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            connection.request("GET", "/api/v1/about")
            answers.append(json.loads(connection.getresponse().read(4096)))
        connection.close()

    # A thread of its own: whatever holds the port may answer a byte at a time.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(1)
    if asking.is_alive():
        _say(f"Waiting for the program on port {port} to say who it is")
        asking.join(ASKING_SECONDS)
    about = answers[0] if answers else None
    if not isinstance(about, dict) or about.get("name") != "formsgame" or about.get("home") != home:
        return None
    return str(about.get("version"))


def _address(port: int) -> str:
    return f"http://{HOST}:{port}/"


def find_data_folder(given: Path | str | None = None) -> Path:
    """Return where the user's games and tables are kept; raises `StartError`."""
    chosen = given or os.environ.get("FORMSGAME_DATA")
    if chosen:
        try:
            return Path(chosen).expanduser()
        except RuntimeError:
            raise StartError(f"data folder {chosen} can't be used: no such user") from None
    from platformdirs import user_data_path

    return user_data_path("formsgame", appauthor=False)


def _data_folder(given: Path | str | None) -> Path:
    """Return the folder of the user's games, made if there is none."""
    folder = find_data_folder(given)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(f"data folder {folder} can't be used: {error.strerror}") from None
    return folder.resolve()


def _home(folder: Path) -> str:
    """Return what tells a user's data folder apart, without saying where it is."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    return hashlib.sha256(f"{user}:{folder}".encode(errors="surrogateescape")).hexdigest()[:16]


def _open_browser(address: str) -> threading.Thread | None:
    """Show a page in the user's browser without waiting for it; None where there is no display."""
    is_graphical = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if not is_graphical:
        return None

    def show() -> None:
        import webbrowser

        with contextlib.suppress(webbrowser.Error, OSError):
            webbrowser.open(address)

    opening = threading.Thread(target=show, daemon=True)
    opening.start()
    return opening


@contextlib.contextmanager
def _logging_to(path: Path) -> Generator[None, None, None]:
    """Send what is logged to a file: the user's terminal is for the user."""
    try:
        handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8")
    except OSError as error:
        raise StartError(f"log file {path} can't be written: {error.strerror}") from None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.WARNING)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()


def _say(line: str) -> None:
    """Write a line for the user, if anybody reads."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
