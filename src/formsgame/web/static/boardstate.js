// @ts-check
/**
 * The state of a board on the screen, as a value, and everything that may happen to it.
 *
 * No drawing, no events and no words here. A cell of -1 means none.
 *
 * @typedef {import("./rules.js").Position} Position
 * @typedef {import("./rules.js").Move} Move
 * @typedef {import("./rules.js").Color} Color
 * @typedef {Readonly<{
 *   position: Position, ids: Int16Array, move: Move | null, cleared: readonly number[],
 * }>} Step a position with how it came about: `ids` numbers the stones for the whole game (-1 for
 *   an empty cell), `cleared` are the cells that `move` emptied besides its source
 * @typedef {Readonly<{
 *   step: Step, movable: Color | 0, chosen: number, lifted: import("./rules.js").Lift | null,
 *   targets: ReadonlySet<number>, pointed: number, proposed: number, cursor: number,
 *   held: Readonly<{x: number, y: number}> | null, flipped: boolean, coordinates: boolean,
 * }>} BoardState `held` is where on the board the dragged stone is, in cells from the left and top
 * @typedef {Readonly<{move: Move, captured: Color | 0, removed: number[]}>} Preview
 * @typedef {{state: BoardState, move: Move | null}} Outcome
 */

import { EMPTY, legalTargets, lift, play, removedBy } from "./rules.js";

/** @type {ReadonlySet<number>} */
const NOWHERE = new Set();
const NOTHING_CHOSEN = {
  chosen: -1,
  lifted: null,
  targets: NOWHERE,
  pointed: -1,
  proposed: -1,
  held: null,
};

/**
 * Return the first step of a game.
 * @param {Position} position
 * @returns {Step}
 */
export function firstStep(position) {
  const ids = Int16Array.from(position.cells, (code, cell) => (code === EMPTY ? -1 : cell));
  return { position, ids, move: null, cleared: [] };
}

/**
 * Return the step after a legal move.
 * @param {Step} step
 * @param {Move} move
 * @returns {Step}
 */
export function nextStep(step, move) {
  const { position, removed, captured } = play(step.position, move);
  const ids = step.ids.slice();
  for (const cell of removed) {
    ids[cell] = -1;
  }
  ids[move.target] = ids[move.source];
  ids[move.source] = -1;
  return { position, ids, move, cleared: captured ? [move.target, ...removed] : removed };
}

/**
 * @param {Step} step
 * @returns {BoardState}
 */
export function initialState(step) {
  return {
    step,
    movable: 0,
    cursor: (step.position.rows - 1) * step.position.columns,
    flipped: false,
    coordinates: true,
    ...NOTHING_CHOSEN,
  };
}

/**
 * Show another step, with nothing chosen.
 * @param {BoardState} state
 * @param {Step} step
 * @returns {BoardState}
 */
export function withStep(state, step) {
  const cursor = Math.min(state.cursor, step.position.cells.length - 1);
  return { ...state, step, cursor, ...NOTHING_CHOSEN };
}

/**
 * Say whose stones may be moved here, or 0 for nobody's.
 * @param {BoardState} state
 * @param {Color | 0} movable
 * @returns {BoardState}
 */
export function withMovable(state, movable) {
  return movable === state.movable ? state : { ...state, movable, ...NOTHING_CHOSEN };
}

/**
 * @param {BoardState} state
 * @param {number} cell
 * @returns {boolean}
 */
export function canChoose(state, cell) {
  const { position } = state.step;
  return state.movable === position.side && position.cells[cell] === position.side;
}

/**
 * Choose a stone, or none when it may not be moved by whoever plays here.
 * @param {BoardState} state
 * @param {number} cell
 * @returns {BoardState}
 */
export function choose(state, cell) {
  if (!canChoose(state, cell)) {
    return { ...state, ...NOTHING_CHOSEN };
  }
  const { position } = state.step;
  const lifted = lift(position, cell);
  const targets = new Set(legalTargets(position, cell, lifted));
  return { ...state, ...NOTHING_CHOSEN, chosen: cell, lifted, targets };
}

/**
 * Press a cell: choose the stone there, give the choice up, or move the chosen stone there.
 * @param {BoardState} state
 * @param {number} cell
 * @param {boolean} confirm whether the move is only proposed, to be confirmed
 * @returns {Outcome}
 */
export function press(state, cell, confirm) {
  if (state.chosen === -1 || !state.targets.has(cell)) {
    return { state: choose(state, cell === state.chosen ? -1 : cell), move: null };
  }
  if (confirm) {
    return { state: { ...state, proposed: cell, held: null }, move: null };
  }
  const move = { source: state.chosen, target: cell };
  return { state: { ...state, proposed: cell, held: null }, move };
}

/**
 * Point at a cell, or at none.
 * @param {BoardState} state
 * @param {number} cell
 * @returns {BoardState}
 */
export function point(state, cell) {
  const pointed = state.targets.has(cell) ? cell : -1;
  return pointed === state.pointed ? state : { ...state, pointed };
}

/**
 * Take one step back: put down the held stone, drop the proposal, or give up the choice.
 * @param {BoardState} state
 * @returns {BoardState}
 */
export function cancel(state) {
  if (state.held) {
    return { ...state, held: null, pointed: -1 };
  }
  if (state.proposed !== -1) {
    return { ...state, proposed: -1, pointed: -1 };
  }
  return { ...state, ...NOTHING_CHOSEN };
}

/**
 * Move the cursor by a key; returns the state as it is for any other key.
 * @param {BoardState} state
 * @param {string} key
 * @returns {BoardState}
 */
export function moveCursor(state, key) {
  const { rows, columns } = state.step.position;
  const turn = state.flipped ? -1 : 1;
  let row = Math.floor(state.cursor / columns);
  let column = state.cursor - row * columns;
  const ends = state.flipped ? [columns - 1, 0] : [0, columns - 1];
  switch (key) {
    case "ArrowUp":
      row -= turn;
      break;
    case "ArrowDown":
      row += turn;
      break;
    case "ArrowLeft":
      column -= turn;
      break;
    case "ArrowRight":
      column += turn;
      break;
    case "Home":
      column = ends[0];
      break;
    case "End":
      column = ends[1];
      break;
    default:
      return state;
  }
  if (row < 0 || row >= rows || column < 0 || column >= columns) {
    return state;
  }
  const cursor = row * columns + column;
  return point({ ...state, cursor }, cursor);
}

/**
 * Return the move that is being looked at and what it would remove, or null.
 * @param {BoardState} state
 * @returns {Preview | null}
 */
export function preview(state) {
  const target = state.proposed === -1 ? state.pointed : state.proposed;
  if (state.chosen === -1 || target === -1 || !state.lifted) {
    return null;
  }
  const move = { source: state.chosen, target };
  const { position } = state.step;
  const captured = /** @type {Color | 0} */ (position.cells[target]);
  return { move, captured, removed: removedBy(position, move, state.lifted) };
}

/**
 * Return where a cell is on the screen, as its column from the left and its row from the top.
 * @param {BoardState} state
 * @param {number} cell
 * @returns {[number, number]}
 */
export function placeOf(state, cell) {
  const { rows, columns } = state.step.position;
  const row = Math.floor(cell / columns);
  const column = cell - row * columns;
  return state.flipped ? [columns - 1 - column, rows - 1 - row] : [column, row];
}
