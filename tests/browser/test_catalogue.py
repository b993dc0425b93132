"""The words of the pages: all in the catalogue, and any language can follow."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.servers import Server
from formsgame import web
from formsgame.web import i18n

ROOT = Path(__file__).parents[2]

#: Some strings in a language with three plural forms, and one left untranslated.
RUSSIAN = """
msgid ""
msgstr ""
"Language: ru\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 &&"
" (n%100<12 || n%100>14) ? 1 : 2);\\n"

#: templates/start.html
msgid "Rules"
msgstr "Правила"

#: static/sentences.js
msgid "%(move)s removes %(n)s black stone"
msgid_plural "%(move)s removes %(n)s black stones"
msgstr[0] "%(move)s снимает %(n)s чёрный камень"
msgstr[1] "%(move)s снимает %(n)s чёрных камня"
msgstr[2] "%(move)s снимает %(n)s чёрных камней"

#: static/start.js templates/game.html
msgid "Standard"
msgstr "Обычные"

#: static/start.js
msgid "Advanced"
msgstr ""
"""


@pytest.fixture
def russian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "ru.po").write_text(RUSSIAN, encoding="utf-8")
    monkeypatch.setattr(i18n, "CATALOGUES", tmp_path)
    monkeypatch.setattr(web, "LANGUAGES", ("en", "ru"))
    cached = (i18n.translations, i18n.client_messages, web._environment)
    for function in cached:
        function.cache_clear()
    yield "ru"
    for function in cached:
        function.cache_clear()


def test_the_template_of_the_catalogues_is_up_to_date() -> None:
    check = [sys.executable, str(ROOT / "scripts" / "catalogues.py"), "--check"]
    done = subprocess.run(check, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}; run scripts/catalogues.py"


def test_english_loads_no_catalogue() -> None:
    code = (
        "import sys; from formsgame import web; page = web.render('start.html', 'en');"
        "assert 'Run out of stones first' in page; assert 'babel' not in sys.modules;"
        "assert web.client_messages('en') == {}"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_pages_and_plural_forms_in_another_language(russian: str) -> None:
    page = web.render("start.html", russian)
    assert '<html lang="ru">' in page
    assert "Правила" in page
    assert "Opponent" in page  # what is not translated stays English
    messages = web.client_messages(russian)
    assert messages["Standard"] == "Обычные"
    assert messages["Advanced"] == "Advanced"
    assert "Rules" not in messages
    source = "%(move)s removes %(n)s black stone"
    words = {key.split("|")[1]: text for key, text in messages.items() if source in key}
    assert words == {
        "one": "%(move)s снимает %(n)s чёрный камень",
        "few": "%(move)s снимает %(n)s чёрных камня",
        "many": "%(move)s снимает %(n)s чёрных камней",
    }


def test_unknown_languages_give_english() -> None:
    assert '<html lang="en">' in web.render("start.html", "tlh")


def test_what_a_page_is_given_is_escaped() -> None:
    page = web.render("game.html", "en", game_id='"><script>alert(1)</script>')
    assert "<script>alert" not in page


def test_plural_forms_in_the_browser(page: Page, server: Server, russian: str) -> None:
    html = web.render("start.html", russian)
    page.route(
        f"{server.address}/", lambda route: route.fulfill(body=html, content_type="text/html")
    )
    page.goto("/")
    expect(page.get_by_text("Правила")).to_be_visible()
    found = page.evaluate(
        """async () => {
          const { removes } = await import("/static/sentences.js");
          return [1, 2, 5, 21, 112].map((n) => removes("a1-a2", n, 0));
        }"""
    )
    assert found == [
        "a1-a2 снимает 1 чёрный камень",
        "a1-a2 снимает 2 чёрных камня",
        "a1-a2 снимает 5 чёрных камней",
        "a1-a2 снимает 21 чёрный камень",
        "a1-a2 снимает 112 чёрных камней",
    ]
