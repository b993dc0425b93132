"""The words of the command line in the user's language, from the catalogues of the pages."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gettext import NullTranslations


def _(text: str) -> str:
    """Return a text in the user's language."""
    known = translations()
    return known.gettext(text) if known else text


def ngettext(one: str, many: str, n: int) -> str:
    """Return the form of a text that fits a number, in the user's language."""
    known = translations()
    if known:
        return known.ngettext(one, many, n)
    return one if n == 1 else many


@functools.cache
def translations() -> NullTranslations | None:
    """Return the catalogue of the user's language; None for English, which needs none."""
    for language in wanted_languages(os.environ):
        if language == "en":
            return None
        from formsgame.web import i18n

        if language in i18n.LANGUAGES:
            return i18n.translations(language)
    return None


def wanted_languages(environment: Mapping[str, str]) -> list[str]:
    """Return the languages that the environment asks for, the dearest first.

    >>> wanted_languages({"LANGUAGE": "ru:es", "LANG": "en_US.UTF-8"})
    ['ru', 'es', 'en']
    >>> wanted_languages({"LC_ALL": "C.UTF-8", "LANG": "es_AR.UTF-8"})
    ['en']
    """
    locale = next(
        filter(None, (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "C"
    )
    if _language(locale) in ("c", "posix"):
        return ["en"]
    names = [*environment.get("LANGUAGE", "").split(":"), locale]
    return [_language(name) for name in names if name]


def _language(locale: str) -> str:
    """Return the language in a locale's name."""
    return locale.split(".")[0].split("@")[0].split("_")[0].lower()
