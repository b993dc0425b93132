"""The rules of the browser agree with the shared facts, in the browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

VECTORS = Path(__file__).parents[1] / "vectors"

#: Checks lines of a file of vectors and returns what is wrong with each that is.
CHECK = """
async ([kind, lines]) => {
  const rules = await import("/static/rules.js");
  const name = (color) => (color ? " xo"[color] : null);
  const digest = async (text) => {
    const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const check = async (fact) => {
    const wrong = [];
    const same = (what, found, wanted) => {
      if (JSON.stringify(found) !== JSON.stringify(wanted)) {
        wrong.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
      }
    };
    if (kind === "games") {
      let position = rules.initialPosition(fact.rules, fact.size, fact.size);
      for (const move of fact.moves.split(" ")) {
        same("winner before the end", rules.winner(position), 0);
        position = rules.play(position, rules.parseMove(position, move)).position;
      }
      same("winner", name(rules.winner(position)), fact.winner);
      const board = rules.formatPosition(position).split(" ")[0];
      same("final", board.replace(/\\d+/g, (run) => ".".repeat(Number(run))), fact.final);
      return wrong;
    }
    const position = rules.parsePosition(fact.position);
    same("text", rules.formatPosition(position), fact.position);
    const text = (move) => rules.formatMove(position, move);
    const moves = rules.legalMoves(position).map(text);
    if (kind === "moves") {
      same("moves", moves.join(" "), fact.moves);
      return wrong;
    }
    same("winner", name(rules.winner(position)), fact.winner);
    same("count", moves.length, fact.count);
    same("digest", await digest(moves.join(" ")), fact.sha256);
    if (fact.moves !== undefined) {
      same("moves", moves.join(" "), fact.moves);
    }
    for (const [index, move] of Object.entries(fact.sample ?? {})) {
      same(`move ${index}`, moves[index], move);
    }
    for (const effect of fact.effects) {
      const move = rules.parseMove(position, effect.move);
      const result = rules.play(position, move);
      same(effect.move, text(move), effect.move);
      const captured = result.captured ? rules.formatCell(position, move.target) : null;
      same(`${effect.move} captured`, captured, effect.captured);
      const removed = result.removed.map((cell) => rules.formatCell(position, cell)).join(" ");
      same(`${effect.move} removed`, removed, effect.removed);
      same(`${effect.move} to`, rules.formatPosition(result.position), effect.position);
      same(`${effect.move} winner`, name(rules.winner(result.position)), effect.winner);
    }
    return wrong;
  };
  const wrong = [];
  for (const [index, line] of lines.entries()) {
    wrong.push(...(await check(JSON.parse(line))).map((text) => `line ${index + 1}: ${text}`));
  }
  return wrong;
}
"""


def check(page: Page, kind: str, file: str) -> None:
    lines = (VECTORS / file).read_text().splitlines()
    assert lines
    page.goto("/")
    assert page.evaluate(CHECK, [kind, lines]) == []


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_legal_moves(page: Page, rules: str) -> None:
    check(page, "moves", f"moves_{rules}.jsonl")


@pytest.mark.parametrize("rules", ["standard", "advanced"])
def test_whole_games(page: Page, rules: str) -> None:
    check(page, "games", f"games_{rules}.jsonl")


def test_conformance(page: Page) -> None:
    check(page, "conformance", "conformance.jsonl")


def errors_of(page: Page, expressions: list[str]) -> Any:
    """Return the code of the error that each expression throws, null where none does."""
    page.goto("/")
    return page.evaluate(
        """async (calls) => {
          const rules = await import("/static/rules.js");
          const board = rules.initialPosition("advanced", 4, 6);
          const known = { position: rules.parsePosition, cell: rules.parseCell,
                          move: rules.parseMove, start: rules.initialPosition };
          return calls.map((call) => {
            const [name, ...values] = JSON.parse(call);
            try {
              known[name](...(name === "cell" || name === "move" ? [board, ...values] : values));
              return null;
            } catch (error) {
              return error.code ?? String(error);
            }
          });
        }""",
        expressions,
    )


def test_refusals(page: Page) -> None:
    cases: dict[str, str | None] = {
        '["position", "xo x advanced"]': None,
        '["position", "x o advanced"]': None,
        '["position", "x x advanced"]': "setup.one_color",
        '["position", "4 x advanced"]': "setup.empty",
        '["position", "x1o x advanced"]': "setup.disconnected",
        '["position", "xo"]': "position.fields",
        '["position", "xo/x x advanced"]': "position.ragged",
        '["position", "x0o x advanced"]': "position.placement",
        '["position", "xo//xo x advanced"]': "position.placement",
        '["position", "xq x advanced"]': "position.placement",
        '["position", "27 x advanced"]': "position.columns",
        '["position", "99999999999999999999 x advanced"]': "position.columns",
        '["position", "xo z advanced"]': "position.side",
        '["position", "xo x chess"]': "rules.name",
        '["cell", " F4 "]': None,
        '["cell", "g1"]': "move.off_board",
        '["cell", "a0"]': "cell.syntax",
        '["cell", "a27"]': "cell.syntax",
        '["move", "A1 \\u2013 b 2"]': None,
        '["move", "a1b2"]': None,
        '["move", "a1xb2"]': None,
        '["move", "a1xx2"]': "move.off_board",
        '["move", "a1b"]': "move.syntax",
        '["move", "a111"]': "move.syntax",
        '["start", "standard", 3, 4]': "size.start",
        '["start", "advanced", 3, 3]': "size.start",
        '["start", "advanced", 1, 4]': "size.start",
        '["start", "standard", 28, 28]': "size.range",
    }
    found = errors_of(page, list(cases))
    assert dict(zip(cases, found, strict=True)) == cases


def test_notation_agrees_with_the_package(page: Page) -> None:
    """Every text of a move is read alike here and there."""
    from formsgame.errors import NotationError
    from formsgame.notation import parse_move

    pieces = ["a1", "z26", "x2", "A 1", "x", "X", "-", "\u2014", " ", "0", "27", "\u00d7", ":", ""]
    texts = sorted(
        {a + b + c + d for a in pieces for b in pieces for c in pieces for d in ("", "1")}
    )
    wanted: list[str | None] = []
    for text in texts:
        try:
            wanted.append("-".join(parse_move(text)))
        except NotationError:
            wanted.append(None)
    page.goto("/")
    found = page.evaluate(
        """async (texts) => {
          const rules = await import("/static/rules.js");
          const board = rules.initialPosition("advanced", 26, 26);
          return texts.map((text) => {
            try {
              return rules.formatMove(board, rules.parseMove(board, text));
            } catch (error) {
              return null;
            }
          });
        }""",
        texts,
    )
    differing = [
        (text, here, there)
        for text, here, there in zip(texts, found, wanted, strict=True)
        if here != there
    ]
    assert differing == []


def test_targets_and_previews_are_instant(page: Page) -> None:
    """All targets of a stone with all their previews, 18 x 18 standard, take under 8 ms."""
    page.goto("/")
    milliseconds = page.evaluate(
        """async () => {
          const rules = await import("/static/rules.js");
          const board = rules.initialPosition("standard", 18, 18);
          const times = [];
          for (let source = 162; source < 324; source += 1) {
            const start = performance.now();
            const lifted = rules.lift(board, source);
            for (const target of rules.legalTargets(board, source, lifted)) {
              rules.removedBy(board, { source, target }, lifted);
            }
            times.push(performance.now() - start);
          }
          return times.sort((a, b) => a - b)[81];
        }"""
    )
    assert json.loads(str(milliseconds)) < 8
