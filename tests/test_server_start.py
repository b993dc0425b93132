"""Starting and ending: ports, several starts, data folders, and what the user is told."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from formsgame import __version__, web
from formsgame.server import serve
from formsgame.server.storage import Storage
from serving import PATIENCE, finish, served, start, wait_for


@contextmanager
def other_program(answer: bytes | None) -> Iterator[int]:
    """A program that holds a port, and says something to who asks or nothing at all."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def talk() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                if answer is None:
                    held.append(connection)
                    continue
                with connection:
                    connection.recv(1000)
                    connection.sendall(answer)

        held: list[socket.socket] = []
        threading.Thread(target=talk, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        for connection in held:
            connection.close()


@pytest.fixture
def usual_port(monkeypatch: pytest.MonkeyPatch) -> int:
    """A free port with free ones after it, to stand for the usual one in this process."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    monkeypatch.setattr(serve, "PORT", port)
    monkeypatch.setattr(serve, "SPARE_PORTS", range(port + 1, port + 4))
    return port


def browser(folder: Path) -> tuple[str, Callable[[], str]]:
    """A program that stands for the browser, and what it was asked to show."""
    script, seen = folder / "browser", folder / "seen"
    script.write_text(f'#!/bin/sh\necho "$1" >> {seen}\n')
    script.chmod(0o700)
    return str(script), lambda: seen.read_text() if seen.exists() else ""


def test_the_address_is_told_and_shown(tmp_path: Path) -> None:
    program, seen = browser(tmp_path)
    folder = tmp_path / "data" / "deeper"
    process = start(folder, browser=True, BROWSER=program)
    try:
        assert process.stdout
        line = process.stdout.readline()
        address = line.split()[3]
        assert line == f"Forms is at {address}  (Ctrl-C stops it)\n"
        wait_for(lambda: seen() == f"{address}\n")
    finally:
        process.send_signal(signal.SIGINT)
        assert finish(process) == (0, "", "")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_only_this_computer_is_served_and_without_delay(tmp_path: Path) -> None:
    with served(tmp_path, warm_up="endless") as server:
        listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
        places = [words[1] for words in listening if words[3] == "0A"]
        assert [place for place in places if place.endswith(f":{server.port:04X}")] == [
            f"0100007F:{server.port:04X}"
        ]
        times = []
        for _ in range(30):
            begun = time.perf_counter()
            server.get("about")
            times.append(time.perf_counter() - begun)
        # Were Nagle's algorithm on, every answer would take 40 ms.
        assert sorted(times)[5] < 0.03


def test_a_browser_that_hangs_holds_nothing_up(tmp_path: Path) -> None:
    script = tmp_path / "browser"
    script.write_text("#!/bin/sh\nexec sleep 20\n")
    script.chmod(0o700)
    process = start(tmp_path / "data", browser=True, BROWSER=str(script))
    assert process.stdout
    process.stdout.readline()
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    # Its output stays open as long as the browser runs, which is not waited for.
    assert process.wait(PATIENCE) == 0
    assert time.monotonic() - begun < 10
    process.stdout.close()
    assert process.stderr
    process.stderr.close()


def test_no_browser_is_opened_without_a_display() -> None:
    environment = dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"), "")
    code = "from formsgame.server import serve; print(serve._open_browser('http://x/'))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment, "PYTHONPATH": str(Path(serve.__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert done.stdout == ("None\n" if sys.platform == "linux" else done.stdout)


def test_forms_that_runs_already_is_shown(tmp_path: Path) -> None:
    program, seen = browser(tmp_path)
    with served(tmp_path / "data") as server:
        again = start(tmp_path / "data", port=server.port, browser=True, BROWSER=program)
        assert finish(again) == (0, f"Forms runs already at {server.address}/\n", "")
        assert seen() == f"{server.address}/\n"
        # With other games it is another program.
        other = start(tmp_path / "other", port=server.port)
        status, output, errors = finish(other)
        assert (status, output) == (1, "")
        assert errors == (
            f"formsgame: port {server.port} is held by another program; choose another one\n"
        )


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH\r\n",
        b"",
        b"HTTP/1.0 200 OK\r\n\r\n<html>",
        b"HTTP/1.0 200 OK\r\n\r\n[]",
        b'HTTP/1.0 200 OK\r\n\r\n{"name": "formsgame"}',
        b"HTTP/1.0 404 Not Found\r\n\r\n",
    ],
)
def test_another_program_is_not_taken_for_forms(
    answer: bytes, usual_port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with other_program(answer) as port:
        assert serve._version_running(port, "home") is None
        with pytest.raises(serve.StartError, match=f"port {port} is held by another program"):
            serve._find_place(port, "home")


def test_forms_of_another_version_is_shown_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    about = b'HTTP/1.0 200 OK\r\n\r\n{"name": "formsgame", "version": "0.0.9", "home": "home"}'
    with other_program(about) as port:
        assert serve._find_place(port, "home") == (None, f"http://127.0.0.1:{port}/")
    assert capsys.readouterr().out == (
        f"Forms 0.0.9 runs already at http://127.0.0.1:{port}/; end it to use {__version__}\n"
    )


def test_a_silent_program_is_waited_for_and_left(
    usual_port: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serve, "ASKING_SECONDS", 0.1)
    with other_program(None) as port:
        assert serve._version_running(port, "home") is None
    assert capsys.readouterr().out in (
        "",
        f"Waiting for the program on port {port} to say who it is\n",
    )


def test_another_port_is_taken_if_the_usual_one_is_held(
    usual_port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", usual_port)) as listener:
        threading.Thread(target=lambda: listener.accept()[0].close(), daemon=True).start()
        found, address = serve._find_place(None, "home")
        assert found
        with found:
            taken = found.getsockname()[1]
            assert taken in serve.SPARE_PORTS
            assert address == f"http://127.0.0.1:{taken}/"
    assert capsys.readouterr().out == (
        f"Port {usual_port} is held by another program; taking port {taken}\n"
    )


def test_ports_that_can_not_be(tmp_path: Path) -> None:
    for port in (-1, 65536, 10**9):
        with pytest.raises(serve.StartError, match="does not exist"):
            serve._find_place(port, "home")


def test_of_two_starts_at_once_one_serves(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    processes = [start(tmp_path, port=port) for _ in range(3)]
    wait_for(lambda: [process.poll() for process in processes].count(None) == 1)
    for process in processes:
        if process.poll() is not None:
            status, output, errors = finish(process)
            assert (status, errors) == (0, "")
            assert output.endswith(f"Forms runs already at http://127.0.0.1:{port}/\n")
    (serving,) = (process for process in processes if process.poll() is None)
    serving.send_signal(signal.SIGINT)
    assert finish(serving) == (
        0,
        f"Forms is at http://127.0.0.1:{port}/  (Ctrl-C stops it)\n",
        "",
    )


def failure(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that is said of a start that fails."""
    assert serve.run(web, 0, open_browser=False, data_folder=folder) == 1
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors.startswith("formsgame: ")
    assert errors.count("\n") == 1
    assert str(folder) in errors
    return str(errors)


def test_folders_that_can_not_be_used_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.touch()
    failure(file, capsys)
    assert "no such user" in failure(Path("~nobody-of-this-name/games"), capsys)
    failure(file / "below", capsys)
    (tmp_path / "server.log").mkdir()
    assert "server.log" in failure(tmp_path, capsys)


def test_foreign_and_newer_databases_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.sqlite3"
    path.write_bytes(b"not a database at all" * 100)
    assert "is not a database of Forms" in failure(tmp_path, capsys)
    path.unlink()
    Storage(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()
    assert "newer version" in failure(tmp_path, capsys)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux for times")
def test_the_first_page_costs_little(tmp_path: Path) -> None:
    """Imports aside there is nothing to wait for; the rules are prepared after the page."""
    with served(tmp_path, warm_up="endless") as server:
        assert server.client.get("/").status_code == 200
        times = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")")[1].split()
        seconds = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
    # 0.8 s of work on a machine of 2026; time on the clock would depend on what else runs.
    assert seconds < 2.5
