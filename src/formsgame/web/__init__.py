"""The pages of the browser game: templates, scripts, styles and the catalogues of their words.

Nothing here knows a web framework: a server mounts `STATIC` and sends what `render` returns.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from formsgame.engine.levels import LEVELS
from formsgame.web.i18n import LANGUAGES, client_messages, translations

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["LANGUAGES", "STATIC", "client_messages", "render", "translations"]

#: Folder of scripts, styles and pictures, to be served below `/static/`.
STATIC = Path(__file__).parent / "static"

_TEMPLATES = Path(__file__).parent / "templates"


def render(template_name: str, language: str, **context: object) -> str:
    """Return a page as HTML in one of `LANGUAGES`; an unknown language gives English.

    `start.html` and `not_found.html` need no context, `game.html` needs `game_id`.
    """
    known = language if language in LANGUAGES else LANGUAGES[0]
    template = _environment(known).get_template(template_name)
    return template.render(language=known, messages=client_messages(known), **context)


@lru_cache
def _environment(language: str) -> Environment:
    """Return the template engine that speaks a language."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    environment.globals["levels"] = list(LEVELS)
    catalogue = translations(language)
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        catalogue.gettext, catalogue.ngettext, newstyle=True
    )
    return environment
