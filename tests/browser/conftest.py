"""A server and a real browser for the tests of the pages.

Where no Chromium is found the tests are skipped, and the end of the run says so; with
FORMSGAME_REQUIRE_BROWSER=1 they fail instead.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from browser.pages import GameBoard
from browser.servers import Server, run_server, serve_app

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

NewPage = Callable[..., Page]

expect.set_options(timeout=10_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


def find_chromium() -> str | None:
    """Return the Chromium to test with: FORMSGAME_CHROMIUM, or an installed one."""
    named = os.environ.get("FORMSGAME_CHROMIUM")
    return named or next(filter(None, map(shutil.which, CHROMIUMS)), None)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser; it is closed with the last test here, as its event loop bars any other."""
    path = find_chromium()
    if path is None:
        reason = "no Chromium found: the browser game is NOT tested (install chromium)"
        if os.environ.get("FORMSGAME_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    is_root = hasattr(os, "getuid") and os.getuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"] if is_root else []
        )
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server as the application makes it, with a computer that answers at once."""
    with serve_app(tmp_path_factory.mktemp("games")) as served:
        yield served


@pytest.fixture
def new_page(chromium: Browser, server: Server) -> Iterator[NewPage]:
    """Open pages, each in a browser of its own; whatever a script complains of fails the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(**options: object) -> Page:
        settings: dict[str, object] = {"viewport": {"width": 1200, "height": 800}, **options}
        base = str(settings.pop("base_url", server.address))
        context = chromium.new_context(base_url=base, **settings)  # type: ignore[arg-type]
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text)
                if message.type == "error" and "Failed to load resource" not in message.text
                else None
            ),
        )
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not [text for text in complaints if "WebSocket" not in text]


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page()


@pytest.fixture
def phone(new_page: NewPage) -> Page:
    """A page on a phone: narrow, and touched."""
    return new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)


@pytest.fixture
def board(page: Page) -> GameBoard:
    return GameBoard(page)


@pytest.fixture(scope="package")
def real_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server that a user starts, in a process of its own, with the computer as it is."""
    with run_server(tmp_path_factory.mktemp("real-games")) as served:
        yield served
