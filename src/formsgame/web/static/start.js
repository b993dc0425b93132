// @ts-check
/** The start page: a form that makes a game, and the games made before. */

import { ApiError, request, untilReady } from "./api.js";
import { ago, gettext, ngettext } from "./messages.js";
import { startProblem } from "./rules.js";
import { colorOf, isAgainstComputer, kindOf, playerOf, verdict } from "./sentences.js";
import { recall, remember } from "./settings.js";

/** @typedef {import("./api.js").Game} Game */
/**
 * @typedef {{
 *   rules: string, size: string, rows: string, columns: string, opponent: string, level: string,
 *   color: string,
 * }} Choice
 */

const SVG = "http://www.w3.org/2000/svg";
const MOST_RECENT = 12;
/** @type {Choice} */
const NEWCOMER = {
  rules: "advanced",
  size: "8x8",
  rows: "6",
  columns: "6",
  opponent: "computer",
  level: "2",
  color: "black",
};

const form = /** @type {HTMLFormElement} */ (document.getElementById("new-game"));
const problem = /** @type {HTMLElement} */ (document.getElementById("problem"));
const button = /** @type {HTMLButtonElement} */ (document.getElementById("play"));
const progress = /** @type {HTMLProgressElement} */ (document.getElementById("progress"));

/**
 * Return what is chosen in the form.
 * @returns {Choice}
 */
function choice() {
  return /** @type {Choice} */ (Object.fromEntries(new FormData(form)));
}

/** Put the choice of last time into the form. */
function restore() {
  const last = { ...NEWCOMER, ...recall("start", {}) };
  for (const [name, value] of Object.entries(last)) {
    const field = form.elements.namedItem(name);
    if (field instanceof RadioNodeList) {
      field.value = value;
      if (field.value !== value) {
        field.value = NEWCOMER[/** @type {keyof Choice} */ (name)];
      }
    } else if (field instanceof HTMLInputElement) {
      field.value = value;
    }
  }
}

/**
 * Return the size of the board chosen.
 * @returns {[number, number]}
 */
function chosenSize() {
  const { size, rows, columns } = choice();
  const [high, wide] = size === "other" ? [rows, columns] : size.split("x");
  return [Number(high), Number(wide)];
}

/** Show the fields that matter to what is chosen, and what is wrong with it. */
function refresh() {
  const chosen = choice();
  const other = /** @type {HTMLElement} */ (document.getElementById("other-size"));
  const against = /** @type {HTMLElement} */ (document.getElementById("against"));
  other.hidden = chosen.size !== "other";
  against.classList.toggle("idle", chosen.opponent !== "computer");
  for (const field of against.querySelectorAll("fieldset")) {
    field.disabled = chosen.opponent !== "computer";
  }
  problem.textContent = sizeProblem();
}

/**
 * Return why no game starts on the chosen board, or "".
 * @returns {string}
 */
function sizeProblem() {
  const { rules } = choice();
  const [rows, columns] = chosenSize();
  const code = startProblem(rules === "standard" ? "standard" : "advanced", rows, columns);
  if (code === "size.range" || (code && Math.min(rows, columns) < 2)) {
    return gettext("Rows and columns go from 2 to 26.");
  }
  if (code) {
    return rules === "standard"
      ? gettext("Standard rules need an even number of rows.")
      : gettext("Advanced rules need an even number of rows or of columns.");
  }
  return "";
}

/**
 * Make the chosen game, once the rules are ready, and go to it.
 * @returns {Promise<void>}
 */
async function play() {
  const chosen = choice();
  const [rows, columns] = chosenSize();
  const person = { kind: "person" };
  const computer = { kind: "computer", level: Number(chosen.level ?? recall("start", NEWCOMER).level) };
  const other = chosen.opponent === "computer" ? computer : person;
  const white = chosen.color === "white" || (chosen.color === "random" && Math.random() < 0.5);
  await untilReady((state) => {
    progress.hidden = !state;
    progress.max = Math.max(1, state?.total ?? 1);
    progress.value = state?.done ?? 0;
    problem.textContent = state
      ? gettext("Preparing the rules for this computer (first time only)… %(done)s of %(total)s", {
          done: state.done,
          total: state.total,
        })
      : gettext("The server does not answer. Trying again…");
  });
  const game = await request("POST", "/games", {
    rules: chosen.rules,
    size: `${rows}x${columns}`,
    black: white && other === computer ? computer : person,
    white: white && other === computer ? person : other,
    position: null,
  });
  location.assign(`/games/${encodeURIComponent(game.id)}`);
}

/** @param {SubmitEvent} event */
async function submit(event) {
  event.preventDefault();
  problem.textContent = sizeProblem();
  if (problem.textContent || button.disabled) {
    return;
  }
  remember("start", { ...recall("start", NEWCOMER), ...choice() });
  button.disabled = true;
  try {
    await play();
  } catch (error) {
    button.disabled = false;
    const offline = error instanceof ApiError && error.status === 0;
    problem.textContent = offline
      ? gettext("The server does not answer. Is it still running?")
      : String(error instanceof Error ? error.message : error);
  }
  progress.hidden = true;
}

/**
 * Draw a position small: one path for each color.
 * @param {Game} game
 * @returns {SVGElement}
 */
function thumbnail(game) {
  const svg = /** @type {SVGElement} */ (document.createElementNS(SVG, "svg"));
  const side = Math.max(game.rows, game.columns);
  svg.setAttribute(
    "viewBox",
    `${(game.columns - side) / 2} ${(game.rows - side) / 2} ${side} ${side}`,
  );
  svg.setAttribute("aria-hidden", "true");
  const ground = document.createElementNS(SVG, "rect");
  ground.setAttribute("class", "ground");
  ground.setAttribute("width", String(game.columns));
  ground.setAttribute("height", String(game.rows));
  svg.append(ground);
  const paths = { x: "", o: "" };
  game.position
    .split(" ")[0]
    .split("/")
    .forEach((row, y) => {
      let x = 0;
      for (const part of row.match(/[xo]|\d+/g) ?? []) {
        if (part === "x" || part === "o") {
          paths[part] += `M${x + 0.1} ${y + 0.5}a.4.4 0 1 0 .8 0a.4.4 0 1 0-.8 0`;
          x += 1;
        } else {
          x += Number(part);
        }
      }
    });
  for (const symbol of /** @type {const} */ (["x", "o"])) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", `tiny ${symbol}`);
    path.setAttribute("d", paths[symbol]);
    svg.append(path);
  }
  return svg;
}

/**
 * Return who plays a game, in words.
 * @param {Game} game
 * @returns {string}
 */
function opponents(game) {
  const computer = [game.black, game.white].find(({ kind }) => kind === "computer");
  return isAgainstComputer(game) && computer
    ? gettext("Computer, level %(level)s", { level: computer.level ?? 1 })
    : gettext("Same screen");
}

/**
 * Return how far a game has come, in words.
 * @param {Game} game
 * @returns {string}
 */
function progressOf(game) {
  if (game.status === "finished") {
    return verdict(game);
  }
  const played = ngettext("%(n)s move played", "%(n)s moves played", game.ply);
  const yours =
    isAgainstComputer(game) && playerOf(game, colorOf(game.side)).kind === "person";
  return yours ? `${played} · ${gettext("your move")}` : played;
}

/**
 * @param {Game} game
 * @returns {HTMLElement}
 */
function recentGame(game) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `/games/${encodeURIComponent(game.id)}`;
  link.className = game.status;
  const words = document.createElement("span");
  const title = document.createElement("strong");
  title.textContent = opponents(game);
  const kind = document.createElement("small");
  kind.textContent = `${kindOf(game)} · ${ago(game.updated)}`;
  const state = document.createElement("small");
  state.textContent = progressOf(game);
  words.append(title, state, kind);
  if (game.position) {
    link.append(thumbnail(game));
  }
  link.append(words);
  item.append(link);
  return item;
}

/** List the games made before. */
async function listGames() {
  try {
    const { games } = await request("GET", "/games");
    const list = /** @type {HTMLElement} */ (document.getElementById("recent"));
    list.replaceChildren(...games.slice(0, MOST_RECENT).map(recentGame));
    /** @type {HTMLElement} */ (document.getElementById("none")).hidden = games.length > 0;
  } catch {
    // The list is an extra: a server that does not answer is told of when a game is made.
  }
}

restore();
refresh();
form.addEventListener("input", refresh);
form.addEventListener("submit", submit);
addEventListener("pageshow", () => {
  button.disabled = false;
  listGames();
});
