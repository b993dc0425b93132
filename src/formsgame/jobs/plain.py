"""Plain data (numbers, text, lists and tables of these) and its text."""

from __future__ import annotations

import json
from typing import Any

from formsgame.errors import JobError, LimitError


def dump(value: Any) -> str:
    """Return the one JSON text of plain data."""
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))


def checked(name: str, value: Any) -> str:
    """Return the JSON text of what must be plain data."""
    try:
        return dump(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise LimitError(
            "limit.value", name=name, expected="plain data", value=shown(value)
        ) from error


def brief(value: Any) -> str:
    """Return plain data for a sentence."""
    return line(dump(value))


def shown(value: Any) -> str:
    """Return any value for a sentence."""
    return line(repr(value))


def described(error: BaseException) -> str:
    """Return an error for a sentence."""
    if isinstance(error, JobError):
        return error.message
    return line(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)


def line(text: str, limit: int = 200) -> str:
    """Return text as one line that a terminal can show."""
    text = " ".join(text.split())
    text = "".join(sign if sign.isprintable() else "?" for sign in text)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
