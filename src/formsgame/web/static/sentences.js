// @ts-check
/** What the pages say about a game, made from plain values. */

import { gettext, ngettext } from "./messages.js";
import { BLACK, WHITE } from "./rules.js";

/**
 * @typedef {import("./rules.js").Color} Color
 * @typedef {import("./api.js").Game} Game
 * @typedef {import("./api.js").Player} Player
 */

/**
 * @param {Color} color
 * @returns {string}
 */
export function colorName(color) {
  return color === BLACK ? gettext("Black") : gettext("White");
}

/**
 * @param {"x" | "o"} symbol
 * @returns {Color}
 */
export function colorOf(symbol) {
  return symbol === "x" ? BLACK : WHITE;
}

/**
 * Return the player of a color.
 * @param {Game} game
 * @param {Color} color
 * @returns {Player}
 */
export function playerOf(game, color) {
  return color === BLACK ? game.black : game.white;
}

/**
 * Tell whether exactly one of the players is a person, and so is "you".
 * @param {Game} game
 * @returns {boolean}
 */
export function isAgainstComputer(game) {
  return (game.black.kind === "person") !== (game.white.kind === "person");
}

/**
 * Return who plays a color: "You", "Computer, level 3", or the color itself.
 * @param {Game} game
 * @param {Color} color
 * @returns {string}
 */
export function playerName(game, color) {
  const player = playerOf(game, color);
  if (player.kind === "computer") {
    return gettext("Computer, level %(level)s", { level: player.level ?? 1 });
  }
  return isAgainstComputer(game) ? gettext("You") : colorName(color);
}

/**
 * Return the rules and the size of a game, in words.
 * @param {Game} game
 * @returns {string}
 */
export function kindOf(game) {
  const { rows, columns } = game;
  return game.rules === "standard"
    ? gettext("Standard %(rows)s × %(columns)s", { rows, columns })
    : gettext("Advanced %(rows)s × %(columns)s", { rows, columns });
}

/**
 * Return a stone count in words.
 * @param {number} n
 * @returns {string}
 */
export function stonesLeft(n) {
  return ngettext("stone left", "stones left", n);
}

/**
 * Return what a move removes, in words, with the captured stone among them.
 * @param {string} move
 * @param {number} black
 * @param {number} white
 * @returns {string}
 */
export function removes(move, black, white) {
  const n = black + white;
  if (black && white) {
    return ngettext(
      "%(move)s removes %(n)s stone: %(black)s black, %(white)s white",
      "%(move)s removes %(n)s stones: %(black)s black, %(white)s white",
      n,
      { move, black, white },
    );
  }
  return black
    ? ngettext("%(move)s removes %(n)s black stone", "%(move)s removes %(n)s black stones", n, {
        move,
      })
    : ngettext("%(move)s removes %(n)s white stone", "%(move)s removes %(n)s white stones", n, {
        move,
      });
}

/**
 * Return what a move that was made removed, in words.
 * @param {Color} color who made it
 * @param {string} move
 * @param {number} black
 * @param {number} white
 * @returns {string}
 */
export function removed(color, move, black, white) {
  const n = black + white;
  const values = { player: colorName(color), move, black, white };
  if (black && white) {
    return ngettext(
      "%(player)s played %(move)s: %(n)s stone removed, %(black)s black and %(white)s white.",
      "%(player)s played %(move)s: %(n)s stones removed, %(black)s black and %(white)s white.",
      n,
      values,
    );
  }
  return black
    ? ngettext(
        "%(player)s played %(move)s: %(n)s black stone removed.",
        "%(player)s played %(move)s: %(n)s black stones removed.",
        n,
        values,
      )
    : ngettext(
        "%(player)s played %(move)s: %(n)s white stone removed.",
        "%(player)s played %(move)s: %(n)s white stones removed.",
        n,
        values,
      );
}

/**
 * Return how many of each a chosen stone may do.
 * @param {string} cell
 * @param {number} captures
 * @param {number} slides
 * @returns {string}
 */
export function choices(cell, captures, slides) {
  const capturing = ngettext("%(n)s capture", "%(n)s captures", captures);
  const sliding = ngettext("%(n)s slide", "%(n)s slides", slides);
  if (captures && slides) {
    return gettext("%(cell)s: choose where it goes (%(captures)s, %(slides)s).", {
      cell,
      captures: capturing,
      slides: sliding,
    });
  }
  return gettext("%(cell)s: choose where it goes (%(moves)s).", {
    cell,
    moves: captures ? capturing : sliding,
  });
}

/**
 * Return what winning means.
 * @returns {string}
 */
export function objective() {
  return gettext("Fewer is better: whoever runs out of stones wins.");
}

/**
 * Return who won a finished game, and why.
 * @param {Game} game
 * @returns {string}
 */
export function verdict(game) {
  if (!game.winner) {
    return gettext("The game ended without a result.");
  }
  const color = colorOf(game.winner);
  if (game.result.endsWith("R")) {
    return color === BLACK
      ? gettext("White resigned. Black wins.")
      : gettext("Black resigned. White wins.");
  }
  return color === BLACK
    ? gettext("Black ran out of stones and wins.")
    : gettext("White ran out of stones and wins.");
}

/**
 * Return what the end means for the only person playing, or "".
 * @param {Game} game
 * @returns {string}
 */
export function personalVerdict(game) {
  if (!game.winner || !isAgainstComputer(game)) {
    return "";
  }
  return playerOf(game, colorOf(game.winner)).kind === "person"
    ? gettext("You won.")
    : gettext("The computer won.");
}

/**
 * Return a cell in words, for those who hear the board.
 * @param {string} name
 * @param {number} code what stands there
 * @param {boolean} target whether the chosen stone may go there
 * @returns {string}
 */
export function cellLabel(name, code, target) {
  const values = { cell: name };
  if (code === BLACK) {
    return target
      ? gettext("%(cell)s, black stone, can be captured", values)
      : gettext("%(cell)s, black stone", values);
  }
  if (code === WHITE) {
    return target
      ? gettext("%(cell)s, white stone, can be captured", values)
      : gettext("%(cell)s, white stone", values);
  }
  return target ? gettext("%(cell)s, empty, slide here", values) : gettext("%(cell)s, empty", values);
}
