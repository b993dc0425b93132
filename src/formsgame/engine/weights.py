"""The fitted weights of the evaluation, one file for each rule set; see `scripts/weights.py`."""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np

from formsgame.engine.sight import CONSTANT, FEATURES
from formsgame.errors import TableError
from formsgame.kernels.board import Array
from formsgame.rules import Rules

#: The names of all features, in the order of `sight.describe`.
NAMES = (
    *(f"own: {name}" for name in FEATURES),
    *(f"enemy: {name}" for name in FEATURES),
    "odds by cuts",
    "constant",
)


@cache
def weights_for(rules: Rules) -> Array:
    """Return the weights of a rule set, float64[CONSTANT + 1].

    Raises `TableError` if the file is not as it was shipped.
    """
    name = f"weights-{rules.name}.tsv"
    text = resources.files("formsgame.engine").joinpath("data", name).read_text("utf-8")
    try:
        return parse_weights(text)
    except ValueError as error:
        raise TableError("table.damaged", path=name, reason=str(error)) from None


def parse_weights(text: str) -> Array:
    """Return the weights of a file's text; raises ValueError with the line that is wrong."""
    weights = np.zeros(CONSTANT + 1, np.float64)
    lines = text.splitlines()
    if len(lines) != len(NAMES):
        raise ValueError(f"{len(lines)} lines where {len(NAMES)} are expected")
    for number, (line, name) in enumerate(zip(lines, NAMES, strict=True), 1):
        found, _, value = line.partition("\t")
        if found != name:
            raise ValueError(f"line {number}: {name!r} expected")
        weights[number - 1] = float(value)
    if not np.isfinite(weights).all():
        raise ValueError("a weight is not finite")
    return weights


def format_weights(weights: Array) -> str:
    """Return weights as the text of a file."""
    return "".join(
        f"{name}\t{weight:.6f}\n" for name, weight in zip(NAMES, weights.tolist(), strict=True)
    )
