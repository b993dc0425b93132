// @ts-check
/**
 * The rules of Forms for the browser: instant targets, previews and replays.
 *
 * A cell is a number, `row * columns + column`, with row 0 at the top. Positions are values:
 * nothing here changes one. Lists of cells are in the order of the notation, column by column
 * from the left, each from the bottom up. Errors carry the codes of the Python package.
 *
 * @typedef {"standard" | "advanced"} Rules
 * @typedef {1 | 2} Color
 * @typedef {Readonly<{
 *   rules: Rules, rows: number, columns: number, side: Color, cells: Uint8Array,
 * }>} Position `cells` holds 0 empty, 1 Black, 2 White.
 * @typedef {Readonly<{source: number, target: number}>} Move
 * @typedef {Readonly<{
 *   position: Position, captured: Color | 0, removed: number[],
 * }>} Result what a move does; `removed` is without the captured cell.
 * @typedef {Readonly<{
 *   source: number, forms: number, labels: Int16Array, sizes: Array<[number, number, number]>,
 * }>} Lift what holds together while the stone of one cell is lifted off the board: `labels` has
 *   the number of the form that each cell belongs to (-1 for empty ones), and `sizes[form][color]`
 *   the form's stones by color.
 */

export const EMPTY = 0;
export const BLACK = /** @type {const} */ (1);
export const WHITE = /** @type {const} */ (2);
export const MAX_SIDE = 26;

const SYMBOLS = ".xo";
const POSITION_LIMIT = 4096;
const MOVE_LIMIT = 64;
const GAP = "[\\s\\u200b\\ufeff\\u2060]*";
const CELL = `([a-zA-Z])${GAP}([1-9][0-9]?)(?![0-9])`;
const DASHES = "[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d\u2043]";
// A capture's x is told from the column x by what follows: a column has its row's number there.
const MOVE = new RegExp(
  `^${GAP}${CELL}${GAP}(?:(?:${DASHES}|[xX\u00d7:](?!${GAP}[0-9]))${GAP})?${CELL}${GAP}$`,
);

/** What the rules refuse; `code` is stable and tells why. */
export class RulesError extends Error {
  /**
   * @param {string} code
   * @param {string} detail
   */
  constructor(code, detail) {
    super(`${code}: ${detail}`);
    this.name = "RulesError";
    this.code = code;
  }
}

/**
 * @param {Color} color
 * @returns {Color}
 */
export function opponent(color) {
  return color === BLACK ? WHITE : BLACK;
}

/**
 * Return the name of a cell, such as `e4`.
 * @param {Position} position
 * @param {number} cell
 * @returns {string}
 */
export function formatCell(position, cell) {
  const row = Math.floor(cell / position.columns);
  const column = cell - row * position.columns;
  return String.fromCharCode(97 + column) + (position.rows - row);
}

/**
 * Return the cell of a name; throws `cell.syntax` or `move.off_board`.
 * @param {Position} position
 * @param {string} name
 * @returns {number}
 */
export function parseCell(position, name) {
  const match = name.length <= MOVE_LIMIT && new RegExp(`^${GAP}${CELL}${GAP}$`).exec(name);
  if (!match || Number(match[2]) > MAX_SIDE) {
    throw new RulesError("cell.syntax", name.slice(0, 40));
  }
  return cellAt(position, match[1], match[2]);
}

/**
 * Return a move as text, such as `e4-e2`.
 * @param {Position} position
 * @param {Move} move
 * @returns {string}
 */
export function formatMove(position, move) {
  return `${formatCell(position, move.source)}-${formatCell(position, move.target)}`;
}

/**
 * Read a move on the board of a position; its legality is another matter.
 * Throws `move.syntax` or `move.off_board`.
 * @param {Position} position
 * @param {string} text
 * @returns {Move}
 */
export function parseMove(position, text) {
  const match = text.length <= MOVE_LIMIT && MOVE.exec(text);
  if (!match || Number(match[2]) > MAX_SIDE || Number(match[4]) > MAX_SIDE) {
    throw new RulesError("move.syntax", text.slice(0, 40));
  }
  return {
    source: cellAt(position, match[1], match[2]),
    target: cellAt(position, match[3], match[4]),
  };
}

/**
 * Return a position as text, `PLACEMENT SIDE RULES`.
 * @param {Position} position
 * @returns {string}
 */
export function formatPosition(position) {
  const { rows, columns, cells } = position;
  const lines = [];
  for (let row = 0; row < rows; row += 1) {
    let line = "";
    let run = 0;
    for (let column = 0; column < columns; column += 1) {
      const code = cells[row * columns + column];
      if (code === EMPTY) {
        run += 1;
      } else {
        line += (run ? run : "") + SYMBOLS[code];
        run = 0;
      }
    }
    lines.push(line + (run ? run : ""));
  }
  return `${lines.join("/")} ${SYMBOLS[position.side]} ${position.rules}`;
}

/**
 * Read a position; throws a `position.*`, `rules.name` or `setup.*` error.
 * @param {string} text
 * @returns {Position}
 */
export function parsePosition(text) {
  const fields = text.length <= POSITION_LIMIT ? text.split(/\s+/).filter(Boolean) : [];
  if (fields.length !== 3) {
    throw new RulesError("position.fields", text.slice(0, 40));
  }
  const [placement, side, rules] = fields;
  const rows = placement.split("/").map(parseRow);
  if (rows.length > MAX_SIDE) {
    throw new RulesError("position.rows", String(rows.length));
  }
  if (rows.some((row) => row.length !== rows[0].length)) {
    throw new RulesError("position.ragged", placement.slice(0, 40));
  }
  if (side !== "x" && side !== "o") {
    throw new RulesError("position.side", side.slice(0, 40));
  }
  if (rules !== "standard" && rules !== "advanced") {
    throw new RulesError("rules.name", rules.slice(0, 40));
  }
  const position = {
    rules: /** @type {Rules} */ (rules),
    rows: rows.length,
    columns: rows[0].length,
    side: side === "x" ? BLACK : WHITE,
    cells: Uint8Array.from(rows.flat()),
  };
  checkSetup(position);
  return position;
}

/**
 * Return the position a game starts from; throws `size.range` or `size.start`.
 * @param {Rules} rules
 * @param {number} rows
 * @param {number} columns
 * @returns {Position}
 */
export function initialPosition(rules, rows, columns) {
  const problem = startProblem(rules, rows, columns);
  if (problem) {
    throw new RulesError(problem, `${rows}x${columns}`);
  }
  const cells = new Uint8Array(rows * columns);
  for (let cell = 0; cell < cells.length; cell += 1) {
    const row = Math.floor(cell / columns);
    const black = rules === "standard" ? row >= rows / 2 : (row + cell - row * columns) % 2 === 0;
    cells[cell] = black ? BLACK : WHITE;
  }
  return { rules, rows, columns, side: BLACK, cells };
}

/**
 * Return why no game starts on a board of that size: an error code, or "" when one does.
 * @param {Rules} rules
 * @param {number} rows
 * @param {number} columns
 * @returns {"" | "size.range" | "size.start"}
 */
export function startProblem(rules, rows, columns) {
  const sides = [rows, columns];
  if (!sides.every((side) => Number.isInteger(side) && side >= 1 && side <= MAX_SIDE)) {
    return "size.range";
  }
  const even = rules === "standard" ? rows : rows * columns;
  return Math.min(...sides) < 2 || even % 2 ? "size.start" : "";
}

/**
 * Count the stones of each color; index with BLACK or WHITE.
 * @param {Position} position
 * @returns {[number, number, number]}
 */
export function countStones(position) {
  /** @type {[number, number, number]} */
  const counts = [0, 0, 0];
  for (const code of position.cells) {
    counts[code] += 1;
  }
  return counts;
}

/**
 * Return who has run out of stones and so has won, or 0 while the game goes on.
 * @param {Position} position
 * @returns {Color | 0}
 */
export function winner(position) {
  return position.cells.includes(position.side) ? 0 : position.side;
}

/**
 * Find the forms that remain while the stone on `source` is lifted.
 * @param {Position} position
 * @param {number} source
 * @returns {Lift}
 */
export function lift(position, source) {
  const { rows, columns, cells } = position;
  const labels = new Int16Array(cells.length).fill(-1);
  const stack = new Int16Array(cells.length);
  /** @type {Array<[number, number, number]>} */
  const sizes = [];
  for (let first = 0; first < cells.length; first += 1) {
    if (cells[first] === EMPTY || labels[first] !== -1 || first === source) {
      continue;
    }
    const form = sizes.length;
    /** @type {[number, number, number]} */
    const size = [0, 0, 0];
    labels[first] = form;
    stack[0] = first;
    let height = 1;
    while (height) {
      height -= 1;
      const cell = stack[height];
      size[cells[cell]] += 1;
      const row = Math.floor(cell / columns);
      const column = cell - row * columns;
      for (let side = 0; side < 4; side += 1) {
        const next = neighbor(row, column, rows, columns, side);
        if (next >= 0 && next !== source && cells[next] !== EMPTY && labels[next] === -1) {
          labels[next] = form;
          stack[height] = next;
          height += 1;
        }
      }
    }
    sizes.push(size);
  }
  return { source, forms: sizes.length, labels, sizes };
}

/**
 * Return the cells that the stone on `source` may move to, in order; none if it may not move.
 * @param {Position} position
 * @param {number} source
 * @param {Lift} [lifted] what `lift(position, source)` gave, if it is at hand
 * @returns {number[]}
 */
export function legalTargets(position, source, lifted) {
  const { cells, side } = position;
  if (cells[source] !== side) {
    return [];
  }
  const enemy = opponent(side);
  if (position.rules === "standard") {
    return inOrder(position, (cell) => cells[cell] === enemy);
  }
  const known = lifted ?? lift(position, source);
  const reached = reachable(position, source);
  const around = new Set(neighbors(position, source));
  return inOrder(position, (cell) =>
    cells[cell] === EMPTY
      ? reached[cell] === 1 && formsAt(position, known, cell).length < known.forms
      : cells[cell] === enemy && around.has(cell),
  );
}

/**
 * Return what a move would clear besides the captured cell, in order. The move must be legal.
 * @param {Position} position
 * @param {Move} move
 * @param {Lift} [lifted] what `lift(position, move.source)` gave, if it is at hand
 * @returns {number[]}
 */
export function removedBy(position, move, lifted) {
  const known = lifted ?? lift(position, move.source);
  if (known.forms <= 1 && position.cells[move.target] !== EMPTY) {
    return [];
  }
  const kept = formsAt(position, known, move.target);
  return inOrder(
    position,
    (cell) => known.labels[cell] !== -1 && !kept.includes(known.labels[cell]),
  );
}

/**
 * Return "" for a legal move, else the code of the reason why it is not.
 * @param {Position} position
 * @param {Move} move
 * @returns {string}
 */
export function moveProblem(position, move) {
  const { cells, side, rules } = position;
  const { source, target } = move;
  if (winner(position)) {
    return "move.over";
  }
  if (cells[source] !== side) {
    return cells[source] === EMPTY ? "move.empty_source" : "move.not_yours";
  }
  if (source === target) {
    return "move.same_cell";
  }
  if (cells[target] === side) {
    return "move.own_target";
  }
  if (cells[target] === EMPTY) {
    if (rules === "standard") {
      return "move.empty_target";
    }
    if (!reachable(position, source)[target]) {
      return "move.unreachable";
    }
    const known = lift(position, source);
    return formsAt(position, known, target).length < known.forms ? "" : "move.removes_nothing";
  }
  return rules === "standard" || neighbors(position, source).includes(target)
    ? ""
    : "move.not_adjacent";
}

/**
 * Play a legal move; throws a `move.*` error for any other.
 * @param {Position} position
 * @param {Move} move
 * @returns {Result}
 */
export function play(position, move) {
  const problem = moveProblem(position, move);
  if (problem) {
    throw new RulesError(problem, formatMove(position, move));
  }
  const removed = removedBy(position, move);
  const captured = /** @type {Color | 0} */ (position.cells[move.target]);
  const cells = position.cells.slice();
  for (const cell of removed) {
    cells[cell] = EMPTY;
  }
  cells[move.source] = EMPTY;
  cells[move.target] = position.side;
  return { position: { ...position, cells, side: opponent(position.side) }, captured, removed };
}

/**
 * Return every legal move, by source and then target.
 * @param {Position} position
 * @returns {Move[]}
 */
export function legalMoves(position) {
  return inOrder(position, (cell) => position.cells[cell] === position.side).flatMap((source) =>
    legalTargets(position, source).map((target) => ({ source, target })),
  );
}

/**
 * Return the cells that a test holds for, in the order of the notation.
 * @param {{rows: number, columns: number}} board
 * @param {(cell: number) => boolean} test
 * @returns {number[]}
 */
export function inOrder({ rows, columns }, test) {
  const found = [];
  for (let column = 0; column < columns; column += 1) {
    for (let cell = (rows - 1) * columns + column; cell >= 0; cell -= columns) {
      if (test(cell)) {
        found.push(cell);
      }
    }
  }
  return found;
}

/**
 * @param {Position} position
 * @param {string} letter
 * @param {string} number
 * @returns {number}
 */
function cellAt(position, letter, number) {
  const column = letter.toLowerCase().charCodeAt(0) - 97;
  const row = position.rows - Number(number);
  if (column >= position.columns || row < 0) {
    throw new RulesError("move.off_board", letter + number);
  }
  return row * position.columns + column;
}

/**
 * @param {string} line
 * @returns {number[]}
 */
function parseRow(line) {
  /** @type {number[]} */
  const row = [];
  for (const part of line.match(/[xo]|[1-9][0-9]*|[^]/g) ?? [""]) {
    const run = Number(part);
    if (part === "x" || part === "o") {
      row.push(part === "x" ? BLACK : WHITE);
    } else if (!(run > 0)) {
      throw new RulesError("position.placement", line.slice(0, 40));
    } else if (row.length + run <= MAX_SIDE) {
      row.push(...Array(run).fill(EMPTY));
    } else {
      throw new RulesError("position.columns", String(row.length + run));
    }
    if (row.length > MAX_SIDE) {
      throw new RulesError("position.columns", String(row.length));
    }
  }
  return row;
}

/**
 * Throw unless the stones are one form that both colors, or only the finished one, are part of.
 * @param {Position} position
 */
function checkSetup(position) {
  const [, black, white] = countStones(position);
  if (!black && !white) {
    throw new RulesError("setup.empty", "");
  }
  if (lift(position, -1).forms > 1) {
    throw new RulesError("setup.disconnected", "");
  }
  if (!(position.side === BLACK ? white : black)) {
    throw new RulesError("setup.one_color", "");
  }
}

/**
 * Return the forms (by their labels, each once) that a stone put on `target` belongs to.
 * @param {Position} position
 * @param {Lift} lifted
 * @param {number} target
 * @returns {number[]}
 */
function formsAt(position, lifted, target) {
  if (lifted.labels[target] !== -1) {
    return [lifted.labels[target]];
  }
  const touched = neighbors(position, target).map((cell) => lifted.labels[cell]);
  return [...new Set(touched)].filter((label) => label !== -1);
}

/**
 * Mark the empty cells that a stone can slide to from `source`, by steps over empty cells.
 * @param {Position} position
 * @param {number} source
 * @returns {Uint8Array}
 */
function reachable(position, source) {
  const { rows, columns, cells } = position;
  const reached = new Uint8Array(cells.length);
  const queue = [source];
  for (const cell of queue) {
    const row = Math.floor(cell / columns);
    const column = cell - row * columns;
    for (let side = 0; side < 4; side += 1) {
      const next = neighbor(row, column, rows, columns, side);
      if (next >= 0 && cells[next] === EMPTY && !reached[next]) {
        reached[next] = 1;
        queue.push(next);
      }
    }
  }
  return reached;
}

/**
 * @param {Position} position
 * @param {number} cell
 * @returns {number[]}
 */
function neighbors({ rows, columns }, cell) {
  const row = Math.floor(cell / columns);
  const column = cell - row * columns;
  return [0, 1, 2, 3]
    .map((side) => neighbor(row, column, rows, columns, side))
    .filter((next) => next >= 0);
}

/**
 * Return the cell next to (row, column) on one of its four sides, or -1 beyond the edge.
 * @param {number} row
 * @param {number} column
 * @param {number} rows
 * @param {number} columns
 * @param {number} side
 * @returns {number}
 */
function neighbor(row, column, rows, columns, side) {
  if (side === 0) {
    return row > 0 ? (row - 1) * columns + column : -1;
  }
  if (side === 1) {
    return row + 1 < rows ? (row + 1) * columns + column : -1;
  }
  if (side === 2) {
    return column > 0 ? row * columns + column - 1 : -1;
  }
  return column + 1 < columns ? row * columns + column + 1 : -1;
}
