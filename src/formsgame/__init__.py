"""The game Forms by Steven W. Meyers: exact rules at machine speed.

>>> import formsgame as fg
>>> position = fg.Position.initial(fg.ADVANCED, size=8)
>>> len(position.legal_moves), str(position.legal_moves[0])
(112, 'a2-a1')
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from formsgame.engine import Engine, Thought
    from formsgame.errors import (
        EngineBusyError,
        FormsError,
        IllegalMoveError,
        JobError,
        LimitError,
        NotationError,
        RecordError,
        SetupError,
        SizeError,
        StorageError,
        TableError,
    )
    from formsgame.limit import Limit
    from formsgame.position import Move, MoveResult, Outcome, Position
    from formsgame.record import Game, Node, read_games, write_games
    from formsgame.rules import ADVANCED, BLACK, STANDARD, WHITE, Color, Rules, Size, Symmetry
    from formsgame.simulate import Playout, perft, playout, playouts
    from formsgame.solver import OutcomeClass, Verdict, outcome_class, solve, winning_moves
    from formsgame.svg import to_svg

#: Public name -> the module that holds it; a module is imported when one of its names is used.
_HOMES = {
    "ADVANCED": "rules",
    "BLACK": "rules",
    "STANDARD": "rules",
    "WHITE": "rules",
    "Color": "rules",
    "Rules": "rules",
    "Size": "rules",
    "Symmetry": "rules",
    "EngineBusyError": "errors",
    "FormsError": "errors",
    "IllegalMoveError": "errors",
    "JobError": "errors",
    "LimitError": "errors",
    "NotationError": "errors",
    "RecordError": "errors",
    "SetupError": "errors",
    "SizeError": "errors",
    "StorageError": "errors",
    "TableError": "errors",
    "Limit": "limit",
    "Move": "position",
    "MoveResult": "position",
    "Outcome": "position",
    "Position": "position",
    "Game": "record",
    "Node": "record",
    "read_games": "record",
    "write_games": "record",
    "Playout": "simulate",
    "perft": "simulate",
    "playout": "simulate",
    "playouts": "simulate",
    "to_svg": "svg",
    "Engine": "engine",
    "Thought": "engine",
    "OutcomeClass": "solver",
    "Verdict": "solver",
    "outcome_class": "solver",
    "solve": "solver",
    "winning_moves": "solver",
}

__all__ = [
    "ADVANCED",
    "BLACK",
    "STANDARD",
    "WHITE",
    "Color",
    "Engine",
    "EngineBusyError",
    "FormsError",
    "Game",
    "IllegalMoveError",
    "JobError",
    "Limit",
    "LimitError",
    "Move",
    "MoveResult",
    "Node",
    "NotationError",
    "Outcome",
    "OutcomeClass",
    "Playout",
    "Position",
    "RecordError",
    "Rules",
    "SetupError",
    "Size",
    "SizeError",
    "StorageError",
    "Symmetry",
    "TableError",
    "Thought",
    "Verdict",
    "outcome_class",
    "perft",
    "playout",
    "playouts",
    "read_games",
    "solve",
    "to_svg",
    "winning_moves",
    "write_games",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f"formsgame.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'formsgame' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
