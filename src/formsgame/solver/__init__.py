"""Exact solving: endgame tables, proof-number search, outcome classes."""

from formsgame.solver.verdict import (
    OutcomeClass,
    Solver,
    Verdict,
    outcome_class,
    solve,
    winning_moves,
)

__all__ = ["OutcomeClass", "Solver", "Verdict", "outcome_class", "solve", "winning_moves"]
