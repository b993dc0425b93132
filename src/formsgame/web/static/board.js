// @ts-check
/**
 * The element `<forms-board>`: a board to look at and to play on, by mouse, finger or keyboard.
 *
 * It knows the rules but not the game: it shows the step it is given and says, by the event
 * "move", which move was made. "change" tells that what it shows has changed, with
 * `detail.keyboard` true when a key did it.
 *
 * @typedef {import("./boardstate.js").BoardState} BoardState
 * @typedef {import("./boardstate.js").Step} Step
 * @typedef {import("./rules.js").Move} Move
 * @typedef {import("./rules.js").Color} Color
 * @typedef {"mouse" | "touch" | "keyboard"} Means
 * @typedef {{pointer: number, cell: number, x: number, y: number}} Grip
 */

import {
  canChoose,
  cancel,
  choose,
  initialState,
  moveCursor,
  point,
  press,
  preview,
  withMovable,
  withStep,
} from "./boardstate.js";
import { BoardView } from "./boardview.js";
import { gettext } from "./messages.js";

/** Cells smaller than this, in pixels, get zoom, and moves by finger are confirmed. */
const SMALL_CELL = 32;
/** With a mouse, which shows what it points at, only cells smaller than this need it. */
const SMALL_CELL_FOR_MOUSE = 22;
/** How far a stone is pulled, in pixels, before it is dragged; a finger is less steady. */
const DRAG_DISTANCE = { mouse: 5, touch: 10, keyboard: 5 };
const MOST_ZOOM = 4;
const ZOOM_STEP = 1.5;

export class FormsBoard extends HTMLElement {
  #view = new BoardView();
  /** @type {BoardState | null} */
  #state = null;
  #animated = false;
  #scheduled = false;
  #frame = document.createElement("div");
  #zoomBar = document.createElement("div");
  #zoom = 1;
  /** @type {Means} */
  #means = matchMedia("(pointer: coarse)").matches ? "touch" : "mouse";
  /** @type {Grip | null} */
  #grip = null;
  /** @type {{distance: number, zoom: number} | null} */
  #pinch = null;
  #lastPressed = -1;
  /** Whether a pointer was pressed just now, so that it is what moves the focus. */
  #pressing = false;

  /** Whether moves are confirmed: always, never, or only on small cells. */
  confirmation = /** @type {"auto" | "on" | "off"} */ ("auto");
  /** While true nothing can be chosen or moved, and what is shown as chosen stays. */
  busy = false;

  connectedCallback() {
    if (this.firstElementChild) {
      return;
    }
    const { svg } = this.#view;
    this.#frame.className = "board-frame";
    this.#frame.append(svg);
    this.append(this.#frame, this.#makeZoomBar());
    svg.addEventListener("click", (event) => this.#onClick(event));
    svg.addEventListener("keydown", (event) => this.#onKey(event));
    svg.addEventListener("focusin", (event) => this.#onFocus(event));
    svg.addEventListener("pointerdown", (event) => this.#onPointerDown(event));
    svg.addEventListener("pointermove", (event) => this.#onPointerMove(event));
    svg.addEventListener("pointerup", (event) => this.#onPointerUp(event));
    svg.addEventListener("pointercancel", () => this.#onPointerGone());
    svg.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "touch" && !this.#state?.held) {
        this.#point(-1);
      }
    });
    svg.addEventListener("dragstart", (event) => event.preventDefault());
    this.#frame.addEventListener("touchstart", (event) => this.#onTouch(event), { passive: false });
    this.#frame.addEventListener("touchmove", (event) => this.#onTouch(event), { passive: false });
    this.#frame.addEventListener("touchend", () => (this.#pinch = null));
    this.#frame.addEventListener("wheel", (event) => this.#onWheel(event), { passive: false });
    new ResizeObserver(() => this.#measure()).observe(this.#frame);
  }

  /** What is shown; null before the first step. */
  get state() {
    return this.#state;
  }

  /** The move that waits to be confirmed, or null. */
  get proposal() {
    const state = this.#state;
    return state && state.proposed !== -1 && !this.busy
      ? { source: state.chosen, target: state.proposed }
      : null;
  }

  /** Whether moves are confirmed, by what was used last to make them. */
  get isConfirming() {
    return this.#confirms(this.#means);
  }

  /** Whose stones may be moved here, or 0. */
  set movable(/** @type {Color | 0} */ color) {
    if (this.#state) {
      this.#update(withMovable(this.#state, color));
    }
  }

  /** Whether the board is seen from White's side. */
  set flipped(/** @type {boolean} */ flipped) {
    if (this.#state && this.#state.flipped !== flipped) {
      this.#update({ ...this.#state, flipped });
    }
  }

  /** Whether the names of columns and rows are shown. */
  set coordinates(/** @type {boolean} */ coordinates) {
    if (this.#state && this.#state.coordinates !== coordinates) {
      this.#update({ ...this.#state, coordinates });
    }
  }

  /**
   * Show a step of a game.
   * @param {Step} step
   * @param {boolean} [animated] whether it is the step after or before the one shown
   */
  show(step, animated = false) {
    if (!this.#state) {
      const { rows, columns } = step.position;
      this.style.setProperty("--board-ratio", String((columns + 0.6) / (rows + 0.6)));
      this.style.setProperty("--board-columns", String(columns));
      const label = gettext("Board, %(rows)s rows, %(columns)s columns", { rows, columns });
      this.#view.svg.setAttribute("aria-label", label);
      this.#state = initialState(step);
      this.#measure();
      this.#update(this.#state, false, true);
      return;
    }
    if (step !== this.#state.step) {
      this.#animated = animated;
      this.#update(withStep(this.#state, step));
    }
  }

  /** Put down the held stone, drop the proposal or give up the choice. */
  cancel() {
    if (this.#state && !this.busy) {
      this.#update(cancel(this.#state));
    }
  }

  /** Give up whatever is chosen or proposed. */
  clear() {
    if (this.#state) {
      this.#update(choose(this.#state, -1));
    }
  }

  /**
   * @param {BoardState} state
   * @param {boolean} [keyboard]
   * @param {boolean} [first]
   */
  #update(state, keyboard = false, first = false) {
    if (state === this.#state && !first) {
      return;
    }
    this.#state = state;
    this.#schedule();
    this.dispatchEvent(new CustomEvent("change", { detail: { keyboard } }));
  }

  #schedule() {
    if (this.#scheduled) {
      return;
    }
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      if (this.#state) {
        this.#view.draw(this.#state, this.#animated);
      }
      this.#animated = false;
    });
  }

  /**
   * @param {number} cell
   * @param {Means} means
   */
  #press(cell, means) {
    if (!this.#state || this.busy) {
      return;
    }
    // The keys show what they point at: on the proposed cell they confirm.
    const again = means === "keyboard" && cell === this.#state.proposed;
    const outcome = press(this.#state, cell, this.#confirms(means) && !again);
    this.#update(outcome.state, means === "keyboard");
    if (outcome.move) {
      this.dispatchEvent(new CustomEvent("move", { detail: outcome.move }));
    }
  }

  /**
   * @param {Means} means
   * @returns {boolean}
   */
  #confirms(means) {
    if (this.confirmation !== "auto") {
      return this.confirmation === "on";
    }
    const least = { mouse: SMALL_CELL_FOR_MOUSE, touch: SMALL_CELL, keyboard: 0 }[means];
    return this.#view.cellSize < least;
  }

  /** @param {number} cell */
  #point(cell) {
    if (this.#state && !this.busy) {
      this.#update(point(this.#state, cell));
    }
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const cell = cellOf(event.target);
    if (cell === -1) {
      return;
    }
    // The second click of a double click on one cell is the same wish, not another one.
    const again = event.detail > 1 && cell === this.#lastPressed;
    this.#lastPressed = cell;
    if (!again) {
      this.#press(cell, event.detail === 0 ? "keyboard" : this.#means);
    }
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const state = this.#state;
    if (!state || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    // Where a pointer has put the focus and nothing is chosen, these keys step through the game.
    const steers = this.#means === "keyboard" || state.chosen !== -1 || /(Up|Down)$/.test(event.key);
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#means = "keyboard";
      if (!event.repeat) {
        this.#press(state.cursor, "keyboard");
      }
    } else if (event.key === "Escape") {
      this.cancel();
    } else if (steers && /^(Arrow|Home$|End$)/.test(event.key)) {
      event.preventDefault();
      event.stopPropagation();
      this.#means = "keyboard";
      const moved = moveCursor(state, event.key);
      this.#update(this.busy ? { ...state, cursor: moved.cursor } : moved, true);
      this.#view.cellElements[moved.cursor]?.focus();
    }
  }

  /** @param {FocusEvent} event */
  #onFocus(event) {
    const cell = cellOf(event.target);
    if (!this.#pressing) {
      this.#means = "keyboard";
    }
    if (this.#state && cell !== -1 && cell !== this.#state.cursor) {
      this.#update({ ...this.#state, cursor: cell });
    }
  }

  /** @param {PointerEvent} event */
  #onPointerDown(event) {
    const touch = event.pointerType === "touch";
    this.#means = touch ? "touch" : "mouse";
    this.#pressing = true;
    // A tap's focus comes after its pointer has gone up.
    setTimeout(() => (this.#pressing = false), 700);
    const cell = cellOf(event.target);
    if (!this.#state || cell === -1 || event.button !== 0 || !event.isPrimary || this.busy) {
      return;
    }
    // A finger that starts on a stone may be scrolling: it drags only the stone chosen before.
    if (canChoose(this.#state, cell) && (!touch || cell === this.#state.chosen)) {
      this.#grip = { pointer: event.pointerId, cell, x: event.clientX, y: event.clientY };
    }
    this.#point(cell);
  }

  /** @param {PointerEvent} event */
  #onPointerMove(event) {
    if (!this.#state || !event.isPrimary || this.busy) {
      return;
    }
    const grip = this.#grip;
    if (grip && grip.pointer === event.pointerId && !this.#state.held) {
      const distance = Math.hypot(event.clientX - grip.x, event.clientY - grip.y);
      if (distance < DRAG_DISTANCE[this.#means]) {
        return;
      }
      if (this.#state.chosen !== grip.cell || this.#state.proposed !== -1) {
        this.#update(choose(this.#state, grip.cell));
      }
      this.#view.svg.setPointerCapture(event.pointerId);
    }
    const [x, y] = this.#locate(event);
    const cell = this.#cellAt(x, y);
    if (grip && grip.pointer === event.pointerId) {
      this.#update({ ...point(this.#state, cell), held: { x: x - 0.5, y: y - 0.5 } });
    } else {
      this.#point(cell);
    }
  }

  /** @param {PointerEvent} event */
  #onPointerUp(event) {
    this.#grip = null;
    if (this.#state?.held) {
      const [x, y] = this.#locate(event);
      const cell = this.#cellAt(x, y);
      if (this.#state.targets.has(cell)) {
        this.#press(cell, this.#means);
      } else {
        this.cancel();
      }
    } else if (event.pointerType === "touch") {
      // A click follows if this was a tap; if not, nothing is pointed at any more.
      setTimeout(() => this.#point(-1), 0);
    }
  }

  /** The pointer was taken away, by a scroll for example. */
  #onPointerGone() {
    this.#grip = null;
    if (this.#state?.held) {
      this.cancel();
    }
    this.#point(-1);
  }

  /**
   * Return where on the board a pointer is, in cells from the left and the top.
   * @param {MouseEvent} event
   * @returns {[number, number]}
   */
  #locate(event) {
    const matrix = this.#view.ground.getScreenCTM();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix?.inverse());
    return [x, y];
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {number}
   */
  #cellAt(x, y) {
    const { rows, columns } = /** @type {BoardState} */ (this.#state).step.position;
    if (x < 0 || y < 0 || x >= columns || y >= rows) {
      return -1;
    }
    const index = Math.floor(y) * columns + Math.floor(x);
    return this.#state?.flipped ? rows * columns - 1 - index : index;
  }

  /** Whether cells are so small that the board can be zoomed. */
  get #isSmall() {
    return this.#view.cellSize > 0 && this.#view.cellSize < SMALL_CELL;
  }

  #measure() {
    const { columns } = this.#state?.step.position ?? { columns: 0 };
    if (!columns || !this.#frame.clientWidth) {
      return;
    }
    this.#view.cellSize = this.#frame.clientWidth / (columns + 0.6);
    const small = this.#isSmall;
    if (this.classList.contains("small") !== small) {
      this.classList.toggle("small", small);
      if (!small) {
        this.#setZoom(1, 0, 0);
      }
      this.dispatchEvent(new CustomEvent("change", { detail: { keyboard: false } }));
    }
    this.#schedule();
  }

  /** @returns {HTMLElement} */
  #makeZoomBar() {
    this.#zoomBar.className = "zoom-bar";
    /** @type {Array<[string, string, () => number]>} */
    const buttons = [
      ["\u2212", gettext("Zoom out"), () => this.#zoom / ZOOM_STEP],
      ["+", gettext("Zoom in"), () => this.#zoom * ZOOM_STEP],
    ];
    for (const [sign, label, zoom] of buttons) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = sign;
      button.setAttribute("aria-label", label);
      button.addEventListener("click", () => {
        const [x, y] = this.#zoomCenter();
        this.#setZoom(zoom(), x, y);
      });
      this.#zoomBar.append(button);
    }
    this.#setZoom(1, 0, 0);
    return this.#zoomBar;
  }

  /**
   * Return what the buttons zoom about, in the frame: the chosen stone, or else the middle.
   * @returns {[number, number]}
   */
  #zoomCenter() {
    const frame = this.#frame.getBoundingClientRect();
    const cell = this.#view.cellElements[this.#state?.chosen ?? -1]?.getBoundingClientRect();
    const middle = /** @type {[number, number]} */ ([frame.width / 2, frame.height / 2]);
    if (!cell) {
      return middle;
    }
    const x = (cell.left + cell.right) / 2 - frame.left;
    const y = (cell.top + cell.bottom) / 2 - frame.top;
    return x >= 0 && y >= 0 && x <= frame.width && y <= frame.height ? [x, y] : middle;
  }

  /**
   * Zoom, keeping the point (x, y) of the frame where it is.
   * @param {number} zoom
   * @param {number} x
   * @param {number} y
   */
  #setZoom(zoom, x, y) {
    const next = Math.min(MOST_ZOOM, Math.max(1, zoom));
    const factor = next / this.#zoom;
    const { scrollLeft, scrollTop } = this.#frame;
    this.#zoom = next;
    const { style } = this.#view.svg;
    style.width = style.height = `${100 * next}%`;
    this.#frame.scrollLeft = (scrollLeft + x) * factor - x;
    this.#frame.scrollTop = (scrollTop + y) * factor - y;
    const [out, into] = this.#zoomBar.querySelectorAll("button");
    out.disabled = next === 1;
    into.disabled = next === MOST_ZOOM;
  }

  /** @param {TouchEvent} event */
  #onTouch(event) {
    if (this.#grip && event.type === "touchmove" && event.cancelable) {
      // The finger drags a stone, not the page.
      event.preventDefault();
    }
    if (event.touches.length !== 2 || !this.#isSmall) {
      this.#pinch = null;
      return;
    }
    event.preventDefault();
    const [one, two] = event.touches;
    const distance = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
    if (!this.#pinch) {
      this.#pinch = { distance, zoom: this.#zoom };
      this.#onPointerGone();
      return;
    }
    const { left, top } = this.#frame.getBoundingClientRect();
    this.#setZoom(
      (this.#pinch.zoom * distance) / this.#pinch.distance,
      (one.clientX + two.clientX) / 2 - left,
      (one.clientY + two.clientY) / 2 - top,
    );
  }

  /** @param {WheelEvent} event */
  #onWheel(event) {
    if (!event.ctrlKey || !this.#isSmall) {
      return;
    }
    event.preventDefault();
    const { left, top } = this.#frame.getBoundingClientRect();
    const factor = Math.exp(-event.deltaY / 100);
    this.#setZoom(this.#zoom * factor, event.clientX - left, event.clientY - top);
  }

  /** The move looked at and what it would remove, or null. */
  get preview() {
    return this.#state && preview(this.#state);
  }
}

/**
 * Return the cell of an element of the board, or -1.
 * @param {EventTarget | null} target
 * @returns {number}
 */
function cellOf(target) {
  const cell = target instanceof Element ? target.getAttribute("data-cell") : null;
  return cell === null ? -1 : Number(cell);
}

customElements.define("forms-board", FormsBoard);
