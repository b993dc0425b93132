"""Collect the words of pages, errors and command line: `python scripts/catalogues.py [--check]`.

Writes `catalogues/formsgame.pot` and brings the catalogue of every language up to date with it.
A new language begins with `python scripts/catalogues.py es`. With --check nothing is written, and
the exit status is 1 if anything would be.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from formsgame.errors import MESSAGES
from formsgame.server.refusals import REFUSALS

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "formsgame"
WEB = PACKAGE / "web"
CATALOGUES = WEB / "catalogues"
TEMPLATE = CATALOGUES / "formsgame.pot"
NOISE = "Project-Id-Version|Report-.*|POT-.*|PO-.*|Last-Translator|Language-Team|Generated-By"
HEADER = "# The words of Forms. English is the source language."
METHODS = [("templates/**.html", "jinja2.ext:babel_extract"), ("static/**.js", "javascript")]
OPTIONS = {"templates/**.html": {"trimmed": "true", "silent": "false"}}


def collect() -> Catalog:
    """Return all strings: of the templates, the scripts, the errors and the command line."""
    catalogue = Catalog(header_comment=HEADER, fuzzy=False)
    for path, _, message, comments, context in sorted(
        extract_from_dir(str(WEB), METHODS, OPTIONS), key=lambda found: (found[0], found[1])
    ):
        catalogue.add(message, None, [(path, 0)], auto_comments=comments, context=context)
    for path, templates in (("errors.py", MESSAGES), ("server/refusals.py", REFUSALS)):
        for code, template in templates.items():
            catalogue.add(template, None, [(path, 0)], auto_comments=[code])
    for path, _, message, comments, context in sorted(
        extract_from_dir(str(PACKAGE / "cli"), [("**.py", "python")]),
        key=lambda found: (found[0], found[1]),
    ):
        catalogue.add(message, None, [(f"cli/{path}", 0)], auto_comments=comments, context=context)
    return catalogue


def as_text(catalogue: Catalog) -> str:
    """Return a catalogue as the text of its file, without the headers that only make noise."""
    buffer = io.BytesIO()
    write_po(buffer, catalogue, include_lineno=False, width=100)
    text = buffer.getvalue().decode()
    return re.sub(rf'^"({NOISE}): .*\n', "", text, flags=re.MULTILINE)


def wanted(new_languages: Sequence[str]) -> dict[Path, str]:
    """Return every file and what it should hold."""
    template = collect()
    texts = {TEMPLATE: as_text(template)}
    for language in {*new_languages, *(path.stem for path in CATALOGUES.glob("*.po"))}:
        path = CATALOGUES / f"{language}.po"
        if path.exists():
            with path.open("rb") as file:
                catalogue = read_po(file, locale=language)
        else:
            catalogue = Catalog(locale=language, header_comment=HEADER, fuzzy=False)
        catalogue.update(template, no_fuzzy_matching=True)
        texts[path] = as_text(catalogue)
    return texts


def main(arguments: Sequence[str]) -> int:
    """Write or check the files and return the exit status."""
    is_check = "--check" in arguments
    stale = {
        path: text
        for path, text in wanted([name for name in arguments if name != "--check"]).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    for path, text in stale.items():
        if not is_check:
            path.write_text(text, encoding="utf-8")
        print(f"{path.name}: {'out of date' if is_check else 'written'}")
    return int(is_check and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
