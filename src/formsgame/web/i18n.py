"""The words of the pages in every language: gettext catalogues, read as they are when needed.

The source strings are English, so English needs no catalogue and loads nothing. Any other
language is one file `catalogues/<language>.po`; `formsgame.pot` beside them lists all strings.
"""

from __future__ import annotations

import gettext
import io
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

CATALOGUES = Path(__file__).parent / "catalogues"

#: Languages that pages can be had in, the source language first.
LANGUAGES: tuple[str, ...] = ("en", *sorted(path.stem for path in CATALOGUES.glob("*.po")))


@lru_cache
def translations(language: str) -> gettext.NullTranslations:
    """Return the translations into one of `LANGUAGES`."""
    if language == LANGUAGES[0]:
        return gettext.NullTranslations()
    from babel.messages.mofile import write_mo

    compiled = io.BytesIO()
    write_mo(compiled, _catalogue(language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


@lru_cache
def client_messages(language: str) -> dict[str, str]:
    """Return the translations of the strings in scripts, by their English source.

    A string with plural forms has one entry for each plural category of the language that whole
    numbers fall into, as `Intl.PluralRules` in the browser names it: its singular, `|` and the
    category.
    """
    if language == LANGUAGES[0]:
        return {}
    known = translations(language)
    samples = _plural_samples(language)
    messages: dict[str, str] = {}
    for message in _catalogue(language):
        if not any(place.endswith(".js") for place, _ in message.locations):
            continue
        if isinstance(message.id, str):
            messages[message.id] = known.gettext(message.id)
        else:
            one, many = message.id
            for category, count in samples.items():
                messages[f"{one}|{category}"] = known.ngettext(one, many, count)
    return messages


def _catalogue(language: str) -> Catalog:
    """Read the catalogue of a language other than English."""
    from babel.messages.pofile import read_po

    with (CATALOGUES / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


def _plural_samples(language: str) -> dict[str, int]:
    """Return a number for each plural category of a language, the smallest one."""
    from babel import Locale

    rule = Locale.parse(language).plural_form
    return {rule(count): count for count in range(200, -1, -1)}
