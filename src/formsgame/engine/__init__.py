"""The computer opponent: search, levels and the facade `Engine`.

Names resolve when they are used, so that who asks for the levels alone imports no compiled code.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formsgame.engine.engine import HASH_MB, MOST_HASH_MB, MOST_THREADS, Engine
    from formsgame.engine.levels import LEVELS
    from formsgame.engine.values import Info, Thought

_HOMES = {
    "HASH_MB": "engine",
    "MOST_HASH_MB": "engine",
    "MOST_THREADS": "engine",
    "Engine": "engine",
    "LEVELS": "levels",
    "Info": "values",
    "Thought": "values",
}

__all__ = ["HASH_MB", "LEVELS", "MOST_HASH_MB", "MOST_THREADS", "Engine", "Info", "Thought"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f"formsgame.engine.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'formsgame.engine' has no attribute {name!r}")
