// @ts-check
/** What the hint says in every situation: a main line and what goes with it. */

import { preview } from "./boardstate.js";
import { gettext } from "./messages.js";
import { BLACK, WHITE, countStones, formatCell, formatMove, opponent } from "./rules.js";
import {
  choices,
  isAgainstComputer,
  objective,
  personalVerdict,
  removed,
  removes,
  verdict,
} from "./sentences.js";

/**
 * @typedef {import("./boardstate.js").BoardState} BoardState
 * @typedef {import("./boardstate.js").Preview} Preview
 * @typedef {import("./boardstate.js").Step} Step
 * @typedef {import("./rules.js").Position} Position
 * @typedef {Readonly<{
 *   game: import("./api.js").Game, steps: readonly Step[], looking: number | null,
 *   movable: import("./rules.js").Color | 0, preparing: string, failure: string,
 *   resigning: boolean, board: BoardState,
 * }>} Situation `looking` is the ply looked back at, or null; `preparing` says how far the rules
 *   are, until they are ready; `failure` why they never will be
 */

/**
 * Return what there is to say.
 * @param {Situation} situation
 * @returns {[string, string]}
 */
export function hint(situation) {
  const { game, steps, looking, movable, board } = situation;
  if (looking !== null) {
    const values = { ply: looking, total: steps.length - 1 };
    const line = gettext("Looking back: after move %(ply)s of %(total)s.", values);
    return [line, lastMove(steps, looking)];
  }
  if (game.status === "finished") {
    return [[personalVerdict(game), verdict(game)].filter(Boolean).join(" "), objective()];
  }
  if (situation.failure) {
    return [situation.failure, gettext("The game can only be looked at.")];
  }
  if (situation.preparing) {
    return [situation.preparing, gettext("The game starts as soon as they are ready.")];
  }
  if (situation.resigning) {
    return [gettext("Resign this game?"), gettext("The other side wins at once.")];
  }
  const last = lastMove(steps, steps.length - 1) || objective();
  if (!movable) {
    const line = game.thinking
      ? gettext("The computer is thinking…")
      : gettext("Waiting for the other side.");
    return [line, last];
  }
  const look = preview(board);
  if (look) {
    return previewHint(board.step.position, look);
  }
  return board.chosen === -1 ? [turnHint(situation), last] : chosenHint(board);
}

/**
 * Return what the move before a ply did, in words, or "".
 * @param {readonly Step[]} steps
 * @param {number} ply
 * @returns {string}
 */
export function lastMove(steps, ply) {
  const { move, cleared } = steps[ply];
  if (!move) {
    return "";
  }
  const { position } = steps[ply - 1];
  const gone = countCells(position, cleared);
  return removed(position.side, formatMove(position, move), gone[BLACK], gone[WHITE]);
}

/**
 * @param {Situation} situation
 * @returns {string}
 */
function turnHint({ game, movable }) {
  if (isAgainstComputer(game)) {
    return movable === BLACK
      ? gettext("Your move: choose a black stone.")
      : gettext("Your move: choose a white stone.");
  }
  return movable === BLACK
    ? gettext("Black's move: choose a black stone.")
    : gettext("White's move: choose a white stone.");
}

/**
 * @param {BoardState} board
 * @returns {[string, string]}
 */
function chosenHint({ step: { position }, chosen, targets }) {
  const name = formatCell(position, chosen);
  const captures = [...targets].filter((cell) => position.cells[cell]).length;
  const slides = targets.size - captures;
  if (!targets.size) {
    return [
      gettext("%(cell)s has no move now.", { cell: name }),
      gettext("It touches no enemy stone, and no slide of it would cut anything off."),
    ];
  }
  return [choices(name, captures, slides), objective()];
}

/**
 * @param {Position} position
 * @param {Preview} look
 * @returns {[string, string]}
 */
function previewHint(position, look) {
  const gone = countCells(position, [...look.removed, look.move.target]);
  const line = removes(formatMove(position, look.move), gone[BLACK], gone[WHITE]);
  const counts = countStones(position);
  const left = { black: counts[BLACK] - gone[BLACK], white: counts[WHITE] - gone[WHITE] };
  const enemy = opponent(position.side);
  if ((enemy === BLACK ? left.black : left.white) === 0) {
    return [
      line,
      enemy === BLACK
        ? gettext("Black runs out of stones with it and wins.")
        : gettext("White runs out of stones with it and wins."),
    ];
  }
  const leaves = gettext("It leaves %(black)s black and %(white)s white.", left);
  return [line, `${leaves} ${objective()}`];
}

/**
 * Count the stones on some cells by color.
 * @param {Position} position
 * @param {readonly number[]} cells
 * @returns {[number, number, number]}
 */
function countCells(position, cells) {
  /** @type {[number, number, number]} */
  const counts = [0, 0, 0];
  for (const cell of cells) {
    counts[position.cells[cell]] += 1;
  }
  return counts;
}
