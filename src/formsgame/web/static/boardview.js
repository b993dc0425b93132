// @ts-check
/** Draws the state of a board as SVG: elements are kept by key and changed only where needed. */

import { placeOf, preview } from "./boardstate.js";
import { cellLabel } from "./sentences.js";
import { EMPTY, formatCell } from "./rules.js";

/** @typedef {import("./boardstate.js").BoardState} BoardState */

const SVG = "http://www.w3.org/2000/svg";
const RADIUS = 0.41;
const MOVE_TIME = 180;
const FALL_TIME = 240;
const CROSS = "M-.17-.17 .17 .17M.17-.17-.17 .17";
const SMALL_CROSS = "M-.1-.1 .1 .1M.1-.1-.1 .1";
const SYMBOLS = ["", "x", "o"];
/** Height of the coordinates, in pixels, where the cells leave room for it. */
const LETTER = 13;

const still = matchMedia("(prefers-reduced-motion: reduce)");
let boards = 0;

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {Element} [parent]
 * @returns {SVGElement}
 */
function make(name, attributes, parent) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, String(value));
  }
  parent?.append(element);
  return element;
}

/**
 * Set an attribute unless it has that value.
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
function set(element, name, value) {
  if (element.getAttribute(name) !== value) {
    element.setAttribute(name, value);
  }
}

/**
 * Elements of one layer, each kept under a key.
 * @template Value
 */
class Keyed {
  /**
   * @param {Element} layer
   * @param {(value: Value) => SVGElement} create
   * @param {(element: SVGElement, value: Value, key: number) => void} update
   */
  constructor(layer, create, update) {
    this.layer = layer;
    this.create = create;
    this.update = update;
    /** @type {Map<number, SVGElement>} */
    this.elements = new Map();
  }

  /**
   * Make the layer hold exactly these.
   * @param {Map<number, Value>} wanted
   * @param {(element: SVGElement, key: number) => void} [remove]
   */
  draw(wanted, remove = (element) => element.remove()) {
    for (const [key, element] of this.elements) {
      if (!wanted.has(key)) {
        this.elements.delete(key);
        remove(element, key);
      }
    }
    for (const [key, value] of wanted) {
      let element = this.elements.get(key);
      if (!element) {
        element = this.create(value);
        this.elements.set(key, element);
        this.layer.append(element);
      }
      this.update(element, value, key);
    }
  }
}

/** The picture of one board. */
export class BoardView {
  constructor() {
    boards += 1;
    this.svg = /** @type {SVGSVGElement} */ (make("svg", { class: "board", role: "grid" }));
    this.hatches = { x: `hatch-${boards}-x`, o: `hatch-${boards}-o` };
    const defs = make("defs", {}, this.svg);
    for (const [symbol, id] of Object.entries(this.hatches)) {
      const pattern = make(
        "pattern",
        {
          id,
          class: symbol,
          width: 0.2,
          height: 0.2,
          patternUnits: "userSpaceOnUse",
          patternTransform: "rotate(45)",
        },
        defs,
      );
      make("rect", { width: 0.09, height: 0.2, class: "hatch" }, pattern);
    }
    this.ground = /** @type {SVGGraphicsElement} */ (
      make("rect", { class: "ground", rx: 0.08 }, this.svg)
    );
    this.last = this.layer();
    this.grid = make("path", { class: "grid" }, this.svg);
    this.coordinates = this.layer("coordinates");
    this.traces = new Keyed(
      this.layer(),
      () => make("path", { class: "trace", d: SMALL_CROSS }),
      (element, place) => set(element, "transform", translate(place)),
    );
    this.falling = this.layer();
    this.stones = new Keyed(
      this.layer("stones"),
      (/** @type {StoneLook} */ _) => this.makeStone(),
      (element, look, id) => this.updateStone(element, look, id),
    );
    this.marks = new Keyed(
      this.layer("marks"),
      (/** @type {MarkLook} */ look) => make("circle", { class: look.kind }),
      (element, look) => {
        set(element, "class", look.kind);
        set(element, "r", look.kind.startsWith("dot") ? (look.hot ? ".3" : ".14") : ".455");
        set(element, "transform", translate(look.place));
      },
    );
    this.cells = this.layer();
    /** @type {SVGElement[]} */
    this.cellElements = [];
    /** @type {Map<number, [number, number]>} */
    this.places = new Map();
    /** @type {BoardState | null} */
    this.drawn = null;
    this.shape = "";
    this.cellSize = 0;
  }

  /**
   * @param {string} [name]
   * @returns {SVGElement}
   */
  layer(name) {
    return make("g", { ...(name && { class: name }), "aria-hidden": "true" }, this.svg);
  }

  /**
   * Draw a state.
   * @param {BoardState} state
   * @param {boolean} animated whether stones that moved or went are seen doing so
   */
  draw(state, animated) {
    const turned = this.drawn !== null && this.drawn.flipped !== state.flipped;
    this.animated = animated && !turned && !still.matches;
    this.drawBoard(state);
    const look = preview(state);
    this.svg.classList.toggle("previewing", look !== null);
    const doomed = new Set(look?.removed);
    this.drawLast(state);
    this.drawStones(state, doomed, look?.move.target ?? -1);
    this.drawMarks(state, look?.move.target ?? -1);
    this.drawCells(state);
    this.drawn = state;
  }

  /**
   * The parts that stay as they are for a whole game, unless the board turns or changes size.
   * @param {BoardState} state
   */
  drawBoard(state) {
    const { rows, columns } = state.step.position;
    const letter = Math.min(0.58, LETTER / (this.cellSize || LETTER));
    const shape = [rows, columns, state.flipped, state.coordinates, letter.toFixed(2)].join();
    if (shape === this.shape) {
      return;
    }
    this.shape = shape;
    const margin = state.coordinates ? letter * 1.7 : 0.08;
    set(
      this.svg,
      "viewBox",
      [-margin, -0.08, columns + margin + 0.08, rows + margin + 0.08].map(short).join(" "),
    );
    set(this.ground, "width", String(columns));
    set(this.ground, "height", String(rows));
    let path = "";
    for (let column = 1; column < columns; column += 1) {
      path += `M${column} 0V${rows}`;
    }
    for (let row = 1; row < rows; row += 1) {
      path += `M0 ${row}H${columns}`;
    }
    set(this.grid, "d", path);
    this.drawCoordinates(state, letter);
    this.makeCells(state);
  }

  /**
   * @param {BoardState} state
   * @param {number} letter
   */
  drawCoordinates(state, letter) {
    const { rows, columns } = state.step.position;
    this.coordinates.replaceChildren();
    set(this.coordinates, "font-size", `${short(letter)}px`);
    if (!state.coordinates) {
      return;
    }
    for (let column = 0; column < columns; column += 1) {
      const [x] = placeOf(state, column);
      const text = make("text", { x: x + 0.5, y: short(rows + letter * 1.3) }, this.coordinates);
      text.textContent = String.fromCharCode(97 + column);
    }
    for (let row = 0; row < rows; row += 1) {
      const [, y] = placeOf(state, row * columns);
      const place = { x: short(-0.75 * letter), y: short(y + 0.5 + 0.35 * letter) };
      make("text", place, this.coordinates).textContent = String(rows - row);
    }
  }

  /**
   * The cells that hear pointers and hold the focus, in the order they are seen in.
   * @param {BoardState} state
   */
  makeCells(state) {
    const { rows, columns } = state.step.position;
    const focused = this.cellElements.findIndex((cell) => cell === document.activeElement);
    this.cells.replaceChildren();
    this.cells.removeAttribute("aria-hidden");
    this.cellElements = new Array(rows * columns);
    for (let y = 0; y < rows; y += 1) {
      const row = make("g", { role: "row" }, this.cells);
      for (let x = 0; x < columns; x += 1) {
        const index = y * columns + x;
        const cell = state.flipped ? rows * columns - 1 - index : index;
        this.cellElements[cell] = make(
          "rect",
          {
            class: "cell",
            role: "gridcell",
            "data-cell": cell,
            tabindex: -1,
            x: x + 0.04,
            y: y + 0.04,
            width: 0.92,
            height: 0.92,
            rx: 0.08,
          },
          row,
        );
      }
    }
    this.drawnCells = null;
    if (focused >= 0) {
      this.cellElements[focused]?.focus({ preventScroll: true });
    }
  }

  /** @param {BoardState} state */
  drawLast(state) {
    const { move, cleared } = state.step;
    if (this.drawn?.step !== state.step || this.drawn.flipped !== state.flipped) {
      this.last.replaceChildren();
      for (const cell of move ? [move.source, move.target] : []) {
        const [x, y] = placeOf(state, cell);
        make("rect", { class: "last", x, y, width: 1, height: 1 }, this.last);
      }
    }
    const traces = new Map();
    if (state.chosen === -1) {
      for (const cell of cleared) {
        if (cell !== move?.target) {
          traces.set(cell, placeOf(state, cell));
        }
      }
    }
    this.traces.draw(traces);
  }

  /**
   * @param {BoardState} state
   * @param {Set<number>} doomed
   * @param {number} target
   */
  drawStones(state, doomed, target) {
    const { position, ids, move } = state.step;
    /** @type {Map<number, StoneLook>} */
    const wanted = new Map();
    for (let cell = 0; cell < ids.length; cell += 1) {
      if (ids[cell] === -1) {
        continue;
      }
      const held = state.held && cell === state.chosen;
      wanted.set(ids[cell], {
        symbol: SYMBOLS[position.cells[cell]],
        place: held && state.held ? [state.held.x, state.held.y] : placeOf(state, cell),
        chosen: cell === state.chosen,
        doomed: doomed.has(cell),
        taken: cell === target && position.cells[cell] !== EMPTY,
        held: Boolean(held),
      });
    }
    const taken = move ? this.drawn?.step.ids[move.target] : -1;
    this.stones.draw(wanted, (element, id) => {
      this.places.delete(id);
      this.fall(element, id === taken);
    });
  }

  /** @returns {SVGElement} */
  makeStone() {
    const stone = make("g", {});
    make("circle", { class: "disc", r: RADIUS }, stone);
    if (this.animated) {
      stone.animate([{ opacity: 0 }, { opacity: 1 }], MOVE_TIME);
    }
    return stone;
  }

  /**
   * @param {SVGElement} element
   * @param {StoneLook} look
   * @param {number} id
   */
  updateStone(element, look, id) {
    const { symbol, chosen, doomed, taken, held, place } = look;
    const states = Object.entries({ chosen, doomed, taken, held }).filter(([, is]) => is);
    set(element, "class", ["stone", symbol, ...states.map(([name]) => name)].join(" "));
    this.markDoomed(element, doomed);
    const before = this.places.get(id);
    if (before && before[0] === place[0] && before[1] === place[1]) {
      return;
    }
    element.setAttribute("transform", translate(place));
    this.places.set(id, place);
    if (held || (before && this.animated)) {
      this.stones.layer.append(element);
    }
    if (before && this.animated && !held) {
      element.animate([{ transform: pixels(before) }, { transform: pixels(place) }], {
        duration: MOVE_TIME,
        easing: "ease-out",
      });
    }
  }

  /**
   * Put hatch and cross on a stone, or take them off.
   * @param {SVGElement} element
   * @param {boolean} doomed
   */
  markDoomed(element, doomed) {
    const has = element.childElementCount > 1;
    if (doomed && !has) {
      const hatch = element.classList.contains("x") ? this.hatches.x : this.hatches.o;
      make("circle", { r: RADIUS, fill: `url(#${hatch})` }, element);
      make("path", { class: "halo", d: CROSS }, element);
      make("path", { class: "cross", d: CROSS }, element);
    } else if (!doomed && has) {
      element.replaceChildren(/** @type {Element} */ (element.firstElementChild));
    }
  }

  /**
   * Take a stone away, in sight where things move.
   * @param {SVGElement} element
   * @param {boolean} taken whether the moved stone took it, which needs no cross
   */
  fall(element, taken) {
    if (!this.animated) {
      element.remove();
      return;
    }
    element.classList.remove("stone");
    element.classList.add("falling");
    this.markDoomed(element, !taken);
    this.falling.append(element);
    element.animate([{ opacity: 1 }, { opacity: 1, offset: 0.6 }, { opacity: 0 }], FALL_TIME);
    setTimeout(() => element.remove(), FALL_TIME - 10);
  }

  /**
   * @param {BoardState} state
   * @param {number} target
   */
  drawMarks(state, target) {
    /** @type {Map<number, MarkLook>} */
    const wanted = new Map();
    for (const cell of state.targets) {
      const kind = state.step.position.cells[cell] === EMPTY ? "dot" : "ring";
      const hot = cell === target;
      wanted.set(cell, { kind: hot ? `${kind} hot` : kind, hot, place: placeOf(state, cell) });
    }
    this.marks.draw(wanted);
  }

  /** @param {BoardState} state */
  drawCells(state) {
    const before = this.drawnCells;
    const { position } = state.step;
    const same = before?.step === state.step && before.targets === state.targets;
    if (!same || before.movable !== state.movable) {
      this.cellElements.forEach((element, cell) => {
        const target = state.targets.has(cell);
        const code = position.cells[cell];
        set(element, "aria-label", cellLabel(formatCell(position, cell), code, target));
        set(element, "aria-selected", String(cell === state.chosen));
        const mine = state.movable === position.side && code === position.side;
        set(element, "class", `cell${mine ? " mine" : ""}${target ? " target" : ""}`);
      });
    }
    if (before?.cursor !== state.cursor) {
      this.cellElements[before?.cursor ?? -1]?.setAttribute("tabindex", "-1");
      this.cellElements.forEach((element, cell) =>
        set(element, "tabindex", cell === state.cursor ? "0" : "-1"),
      );
    }
    this.drawnCells = state;
  }

  /** @type {BoardState | null} */
  drawnCells = null;
  /** @type {boolean} */
  animated = false;
}

/**
 * @typedef {{
 *   symbol: string, place: [number, number], chosen: boolean, doomed: boolean, taken: boolean,
 *   held: boolean,
 * }} StoneLook
 * @typedef {{kind: string, hot: boolean, place: [number, number]}} MarkLook
 */

/**
 * @param {number} value
 * @returns {number}
 */
function short(value) {
  return Number(value.toFixed(3));
}

/**
 * @param {[number, number]} place
 * @returns {string}
 */
function translate([x, y]) {
  return `translate(${short(x + 0.5)} ${short(y + 0.5)})`;
}

/**
 * @param {[number, number]} place
 * @returns {string}
 */
function pixels([x, y]) {
  return `translate(${short(x + 0.5)}px, ${short(y + 0.5)}px)`;
}
