"""The computer opponent: search, levels and the facade `Engine`."""

from formsgame.engine.engine import LEVELS, Engine, Thought

__all__ = ["LEVELS", "Engine", "Thought"]
