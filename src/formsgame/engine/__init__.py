"""The computer opponent: search, levels and the facade `Engine`."""

from formsgame.engine.engine import HASH_MB, MOST_HASH_MB, MOST_THREADS, Engine
from formsgame.engine.levels import LEVELS
from formsgame.engine.values import Info, Thought

__all__ = ["HASH_MB", "LEVELS", "MOST_HASH_MB", "MOST_THREADS", "Engine", "Info", "Thought"]
