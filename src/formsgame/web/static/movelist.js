// @ts-check
/** The list of moves: a row for each pair, a button for each move, the one shown marked. */

import { formatMove } from "./rules.js";

/** @typedef {import("./boardstate.js").Step} Step */

export class MoveList {
  /**
   * @param {HTMLElement} list
   * @param {(ply: number) => void} onChoose
   */
  constructor(list, onChoose) {
    this.list = list;
    /** @type {Array<{step: Step, button: HTMLButtonElement}>} */
    this.entries = [];
    this.now = -1;
    list.addEventListener("click", (event) => {
      const target = /** @type {Element} */ (event.target);
      const index = this.entries.findIndex(({ button }) => button.contains(target));
      if (index >= 0) {
        onChoose(index + 1);
      }
    });
  }

  /**
   * @param {readonly Step[]} steps the first is the start of the game
   * @param {number} now the ply shown
   */
  draw(steps, now) {
    const same = this.entries.findIndex(({ step }, index) => step !== steps[index + 1]);
    const kept = same === -1 ? Math.min(this.entries.length, steps.length - 1) : same;
    for (const { button } of this.entries.splice(kept)) {
      const row = button.parentElement;
      button.remove();
      if (!row?.querySelector("button")) {
        row?.remove();
      }
    }
    const skipped = steps[0].position.side === 1 ? 0 : 1;
    for (let ply = kept + 1; ply < steps.length; ply += 1) {
      this.append(steps[ply - 1], steps[ply], ply - 1 + skipped, ply === 1);
    }
    this.mark(now, steps.length - 1);
  }

  /**
   * @param {Step} before
   * @param {Step} step
   * @param {number} place counted from Black's place in the first row
   * @param {boolean} first
   */
  append(before, step, place, first) {
    if (place % 2 === 0 || first) {
      const row = document.createElement("li");
      const number = document.createElement("b");
      number.textContent = String(Math.floor(place / 2) + 1);
      row.append(number);
      if (place % 2) {
        row.append(document.createElement("span"));
      }
      this.list.append(row);
    }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = step.move ? formatMove(before.position, step.move) : "";
    if (step.cleared.length > 1) {
      const count = document.createElement("i");
      count.textContent = `\u2212${step.cleared.length}`;
      button.append(" ", count);
    }
    this.list.lastElementChild?.append(button);
    this.entries.push({ step, button });
  }

  /**
   * Mark the move shown and bring it into sight, without moving the page.
   * @param {number} now
   * @param {number} end
   */
  mark(now, end) {
    this.entries.forEach(({ button }, index) => {
      const current = index + 1 === now;
      // One stop for the Tab key in the whole list: the arrow keys step through the game.
      button.tabIndex = current ? 0 : -1;
      if (current) {
        button.setAttribute("aria-current", "true");
      } else {
        button.removeAttribute("aria-current");
      }
    });
    const shown = this.entries[now - 1]?.button;
    const { list } = this;
    if (!shown || now === end) {
      list.scrollTop = now ? list.scrollHeight : 0;
    } else {
      const top = shown.offsetTop;
      const bottom = top + shown.offsetHeight - list.clientHeight;
      list.scrollTop = Math.max(bottom, Math.min(list.scrollTop, top));
    }
  }
}
