// @ts-check
/** The page of one game: follows it live, sends what the player does, says what is going on. */

import "./board.js";
import { ApiError, Live, recordAddress, request, untilReady } from "./api.js";
import { firstStep, nextStep } from "./boardstate.js";
import { hint, lastMove } from "./hints.js";
import { gettext } from "./messages.js";
import { MoveList } from "./movelist.js";
import { BLACK, WHITE, countStones, formatMove, parseMove, parsePosition } from "./rules.js";
import {
  colorName,
  colorOf,
  isAgainstComputer,
  kindOf,
  personalVerdict,
  playerName,
  playerOf,
  stonesLeft,
  verdict,
} from "./sentences.js";
import { recall, remember } from "./settings.js";

/**
 * @typedef {import("./api.js").Game} Game
 * @typedef {import("./boardstate.js").Step} Step
 * @typedef {import("./rules.js").Color} Color
 * @typedef {import("./rules.js").Move} Move
 * @typedef {"play" | "proposal" | "past" | "resign" | "finished"} Mode
 */

const NOTICE_TIME = 6000;
/** Between a player's move and the computer's reply, so that one sees what each has removed. */
const REPLY_PAUSE = 500;

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function part(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Set a text unless it is that already, so that nothing is read out twice.
 * @param {Element} element
 * @param {string} text
 */
function say(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/**
 * Tell whether a state of a game is newer than another. That the computer has begun or stopped to
 * think is no new version of the game.
 * @param {Game} before
 * @param {Game} game
 * @returns {boolean}
 */
function isNews(before, game) {
  return (
    game.version > before.version ||
    (game.version === before.version && game.thinking !== before.thinking)
  );
}

/**
 * Tell whether the computer has moved between two states of a game.
 * @param {Game} before
 * @param {Game} game
 * @returns {boolean}
 */
function isReply(before, game) {
  const mover = colorOf(game.side) === BLACK ? WHITE : BLACK;
  return game.ply > before.ply && playerOf(game, mover).kind === "computer";
}

class GamePage {
  board = /** @type {import("./board.js").FormsBoard} */ (part("board"));
  id = part("game").dataset.game ?? "";
  /** @type {Game | null} */
  game = null;
  /** @type {Step[]} */
  steps = [];
  /** The ply looked at; null follows the game. @type {number | null} */
  looking = null;
  /** The command on its way, until the game is seen to have changed. @type {object | null} */
  pending = null;
  /** Whether resigning has been asked for and not yet confirmed. */
  resigning = false;
  ready = false;
  flipped = false;
  noticeTimer = 0;
  /** Until when a reply of the computer waits to be shown. */
  pausedUntil = 0;
  list = new MoveList(part("moves"), (ply) => this.look(ply));

  start() {
    this.board.addEventListener("move", (event) => {
      this.send(/** @type {CustomEvent<Move>} */ (event).detail);
    });
    this.board.addEventListener("change", (event) => {
      this.drawHint();
      const { keyboard } = /** @type {CustomEvent<{keyboard: boolean}>} */ (event).detail;
      if (keyboard && this.board.state?.chosen !== -1) {
        this.announce(part("hint-line").textContent ?? "");
      }
    });
    document.addEventListener("click", (event) => {
      const target = /** @type {Element} */ (event.target);
      const name = target.closest("[data-do]")?.getAttribute("data-do");
      if (name) {
        this.do(name);
      }
    });
    document.addEventListener("keydown", (event) => this.onKey(event));
    addEventListener("pageshow", () => (this.next = ""));
    this.board.confirmation = recall("confirm", "auto");
    part("record").setAttribute("href", recordAddress(this.id));
    new Live(
      this.id,
      (game) => this.receive(game),
      (connected) => this.onConnection(connected),
    );
    this.load();
    this.prepare();
  }

  /** Fetch the game once, beside following it, to learn whether it exists. */
  async load() {
    try {
      this.receive(await request("GET", `/games/${encodeURIComponent(this.id)}`));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        part("game").hidden = true;
        part("missing").hidden = false;
      }
    }
  }

  /** Wait for the rules to be ready, in sight. */
  async prepare() {
    const bar = /** @type {HTMLProgressElement} */ (part("progress"));
    try {
      await untilReady((state) => {
        if (state) {
          bar.hidden = false;
          bar.max = Math.max(1, state.total);
          bar.value = state.done;
          this.preparing = gettext(
            "Preparing the rules for this computer (first time only)… %(done)s of %(total)s",
            { done: state.done, total: state.total },
          );
          this.draw();
        }
      });
      this.ready = true;
      this.preparing = "";
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
    }
    bar.hidden = true;
    this.draw();
  }

  /** What to say while the rules are not ready. */
  preparing = "";
  /** Why they never will be. */
  failure = "";

  /** @param {boolean} connected */
  onConnection(connected) {
    document.documentElement.classList.toggle("offline", !connected);
    say(part("connection"), connected ? "" : gettext("Offline. Connecting again…"));
  }

  /**
   * Take in the game as the server has it.
   * @param {Game} game
   */
  receive(game) {
    const before = this.game;
    if (before && !isNews(before, game)) {
      return;
    }
    const pause = this.pausedUntil - performance.now();
    if (before && isReply(before, game) && pause > 0) {
      setTimeout(() => this.receive(game), pause);
      return;
    }
    this.game = game;
    if (before && game.version > before.version) {
      // What follows the game may bring the change before the command's own answer comes.
      this.release();
    }
    const shown = this.steps.length - 1;
    this.replay(game);
    if (!before) {
      this.flipped = recall(`flipped.${game.id}`, this.startsFlipped(game));
      this.board.show(this.steps[this.steps.length - 1]);
      this.board.coordinates = recall("coordinates", true);
      say(part("kind"), kindOf(game));
      part("game").classList.remove("loading");
    } else {
      if (this.looking !== null && this.looking >= this.steps.length) {
        this.looking = null;
      }
      this.announceChange(before, game);
    }
    this.resigning = this.resigning && game.status === "playing";
    const step = Math.abs(this.steps.length - 1 - shown);
    this.draw(before !== null && this.looking === null && step === 1);
  }

  /**
   * Play the moves again from where the game begins, keeping the steps known already.
   * @param {Game} game
   */
  replay(game) {
    if (!this.steps.length) {
      this.steps = [firstStep(parsePosition(game.start))];
    }
    let ply = 0;
    for (; ply < game.moves.length; ply += 1) {
      const { position } = this.steps[ply];
      const known = this.steps[ply + 1]?.move;
      if (!known || formatMove(position, known) !== game.moves[ply]) {
        break;
      }
    }
    this.steps.length = ply + 1;
    for (; ply < game.moves.length; ply += 1) {
      const step = this.steps[ply];
      this.steps.push(nextStep(step, parseMove(step.position, game.moves[ply])));
    }
  }

  /**
   * A person who plays White against the computer sits on White's side.
   * @param {Game} game
   * @returns {boolean}
   */
  startsFlipped(game) {
    return isAgainstComputer(game) && game.white.kind === "person";
  }

  /** The step that is shown. */
  get shown() {
    return this.looking ?? this.steps.length - 1;
  }

  /** Whose stones can be moved on this page now, or 0. */
  get movable() {
    const { game } = this;
    if (!game || !this.ready || this.looking !== null || game.status !== "playing") {
      return 0;
    }
    const side = colorOf(game.side);
    return playerOf(game, side).kind === "person" ? side : 0;
  }

  /** Whether a move of a person can be taken back. */
  get canUndo() {
    const { game } = this;
    return (
      game !== null &&
      !game.result.endsWith("R") &&
      this.steps
        .slice(0, -1)
        .some(({ position }) => playerOf(game, position.side).kind === "person")
    );
  }

  /**
   * @param {boolean} [animated]
   */
  draw(animated = false) {
    const { game } = this;
    if (!game) {
      say(part("hint-line"), this.failure || this.preparing);
      return;
    }
    this.board.show(this.steps[this.shown], animated);
    this.board.flipped = this.flipped;
    this.board.movable = this.movable;
    this.drawPlayers(game);
    this.list.draw(this.steps, this.shown);
    this.drawHint();
    this.drawTools(game);
    const yours = this.movable && isAgainstComputer(game);
    document.title = yours ? gettext("Your move · Forms") : gettext("Game · Forms");
  }

  /** @param {Game} game */
  drawPlayers(game) {
    const counts = countStones(this.steps[this.shown].position);
    for (const [id, color] of /** @type {Array<[string, Color]>} */ ([
      ["player-top", this.flipped ? BLACK : WHITE],
      ["player-bottom", this.flipped ? WHITE : BLACK],
    ])) {
      const card = part(id);
      const status = this.statusOf(game, color);
      card.classList.toggle("turn", status.turn);
      card.classList.toggle("thinking", status.thinking);
      card.classList.toggle("won", status.won);
      /** @param {string} name */
      const within = (name) => /** @type {HTMLElement} */ (card.querySelector(name));
      within(".disc").className = `disc ${color === BLACK ? "x" : "o"}`;
      say(within(".name"), playerName(game, color));
      say(within(".status"), status.words);
      say(within(".count"), String(counts[color]));
      say(within(".unit"), stonesLeft(counts[color]));
    }
  }

  /**
   * @param {Game} game
   * @param {Color} color
   */
  statusOf(game, color) {
    const named = playerName(game, color) === colorName(color) ? "" : colorName(color);
    const { position } = this.steps[this.shown];
    const finished = game.status === "finished" && this.looking === null;
    const won = finished && game.winner !== null && colorOf(game.winner) === color;
    const turn = !finished && position.side === color;
    const thinking = turn && game.thinking && this.looking === null;
    let words = "";
    if (won) {
      words = gettext("won");
    } else if (thinking) {
      words = gettext("thinking…");
    } else if (turn) {
      words = playerName(game, color) === gettext("You") ? gettext("your move") : gettext("to move");
    }
    return { words: [named, words].filter(Boolean).join(" · "), turn, thinking, won };
  }

  /** Say what is going on, and offer what can be done about it. */
  drawHint() {
    const { game } = this;
    const { state } = this.board;
    if (!game || !state) {
      return;
    }
    const [line, more] = hint({
      game,
      steps: this.steps,
      looking: this.looking,
      movable: this.movable,
      preparing: this.preparing,
      failure: this.failure,
      resigning: this.resigning,
      board: state,
    });
    say(part("hint-line"), line);
    say(part("hint-more"), more);
    part("hint").classList.toggle("falls", this.board.preview !== null);
    const mode = this.mode(game);
    for (const group of document.querySelectorAll("[data-mode]")) {
      /** @type {HTMLElement} */ (group).hidden = group.getAttribute("data-mode") !== mode;
    }
    for (const button of document.querySelectorAll('[data-do="undo"]')) {
      /** @type {HTMLButtonElement} */ (button).disabled = !this.canUndo || !this.ready;
    }
    part("resign").toggleAttribute("disabled", !this.ready);
    part("confirm").setAttribute("aria-pressed", String(this.board.isConfirming));
  }

  /**
   * @param {Game} game
   * @returns {Mode}
   */
  mode(game) {
    if (this.looking !== null) {
      return "past";
    }
    if (game.status === "finished") {
      return "finished";
    }
    if (this.resigning) {
      return "resign";
    }
    return this.board.proposal ? "proposal" : "play";
  }

  /** @param {Game} game */
  drawTools(game) {
    const { shown } = this;
    for (const [name, end] of /** @type {Array<[string, boolean]>} */ ([
      ["first", shown === 0],
      ["back", shown === 0],
      ["forward", shown === this.steps.length - 1],
      ["last", shown === this.steps.length - 1],
    ])) {
      for (const button of document.querySelectorAll(`[data-step="${name}"]`)) {
        button.toggleAttribute("disabled", end);
      }
    }
    part("coordinates").setAttribute("aria-pressed", String(recall("coordinates", true)));
    part("game").classList.toggle("over", game.status === "finished");
  }

  /**
   * Do what a button says.
   * @param {string} name
   */
  do(name) {
    switch (name) {
      case "undo":
        return void this.undo();
      case "flip":
        this.flipped = !this.flipped;
        remember(`flipped.${this.id}`, this.flipped);
        return this.draw();
      case "resign":
      case "keep-playing":
        this.resigning = name === "resign";
        this.board.clear();
        this.draw();
        return part(name === "resign" ? "keep-playing" : "resign").focus();
      case "resign-now":
        this.resigning = false;
        return void this.command("resign", { ply: this.game?.ply });
      case "commit":
        return this.board.proposal ? this.send(this.board.proposal) : undefined;
      case "choose-again":
        return this.board.cancel();
      case "restart":
        return void this.restart();
      case "coordinates":
        remember("coordinates", !recall("coordinates", true));
        this.board.coordinates = recall("coordinates", true);
        return this.draw();
      case "confirm":
        this.board.confirmation =
          part("confirm").getAttribute("aria-pressed") === "true" ? "off" : "on";
        remember("confirm", this.board.confirmation);
        this.board.clear();
        return this.draw();
      case "first":
        return this.look(0);
      case "back":
        return this.look(this.shown - 1);
      case "forward":
        return this.look(this.shown + 1);
      case "last":
        return this.look(this.steps.length - 1);
    }
  }

  /**
   * Look at the game as it was after some plies.
   * @param {number} ply
   */
  look(ply) {
    const end = this.steps.length - 1;
    if (!this.game || ply < 0 || ply > end || this.pending) {
      return;
    }
    const animated = Math.abs(ply - this.shown) === 1;
    this.looking = ply === end ? null : ply;
    this.resigning = false;
    this.draw(animated);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const target = /** @type {Element} */ (event.target);
    const busy = event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented;
    if (busy || target.closest("input, select, textarea")) {
      return;
    }
    const name = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" }[event.key];
    if (name) {
      event.preventDefault();
      this.do(name);
    } else if (event.key === "Escape") {
      if (this.resigning) {
        this.do("keep-playing");
      } else {
        this.board.cancel();
      }
    }
  }

  /** @param {Move} move */
  send(move) {
    const text = formatMove(this.steps[this.steps.length - 1].position, move);
    this.pausedUntil = performance.now() + REPLY_PAUSE;
    this.command("moves", { move: text, ply: this.game?.ply });
  }

  async undo() {
    const refused = await this.command("undo", { ply: this.game?.ply }, true);
    // The computer may have moved just before; the wish to take the move back is the same.
    if (refused && this.canUndo) {
      await this.command("undo", { ply: this.game?.ply });
    }
  }

  async restart() {
    // Until the browser has left this page, one more click is not one more game.
    const refusal = this.next ? null : await this.command("restart", {});
    if (!refusal && this.next) {
      location.assign(`/games/${encodeURIComponent(this.next)}`);
    }
  }

  /** The game that a restart has made. */
  next = "";

  /**
   * Send one command, unless another one is on its way.
   * @param {"moves" | "undo" | "resign" | "restart"} name
   * @param {object} body
   * @param {boolean} [quiet] whether a game that had moved on is no news to the player
   * @returns {Promise<ApiError | null>} why it was refused
   */
  async command(name, body, quiet = false) {
    if (this.pending || !this.game) {
      return null;
    }
    const pending = (this.pending = {});
    this.board.busy = true;
    /** @type {ApiError | null} */
    let refusal = null;
    this.looking = null;
    try {
      const path = `/games/${encodeURIComponent(this.id)}/${name}`;
      const answer = await request("POST", path, body);
      if (answer?.id === this.id) {
        this.receive(answer);
      } else if (name === "restart") {
        this.next = answer.id;
      }
    } catch (error) {
      refusal = error instanceof ApiError ? error : new ApiError(0, "", String(error), null);
    }
    if (this.pending === pending) {
      this.release();
    }
    if (refusal) {
      this.board.clear();
      if (refusal.game) {
        this.receive(refusal.game);
      }
      if (!quiet || refusal.status !== 409) {
        this.notice(this.reason(refusal));
      }
    }
    this.draw();
    return refusal;
  }

  /** Let the player go on. */
  release() {
    this.pending = null;
    this.board.busy = false;
  }

  /**
   * @param {ApiError} refusal
   * @returns {string}
   */
  reason(refusal) {
    if (refusal.status === 0) {
      return gettext("The server does not answer. Nothing was sent.");
    }
    if (refusal.status === 409) {
      return gettext("The game had moved on. This is how it stands now.");
    }
    return refusal.message;
  }

  /**
   * Show a short message for a while.
   * @param {string} text
   */
  notice(text) {
    const box = part("notice");
    clearTimeout(this.noticeTimer);
    box.textContent = text;
    box.hidden = false;
    this.noticeTimer = setTimeout(() => (box.hidden = true), NOTICE_TIME);
  }

  /**
   * Have something read out.
   * @param {string} text
   */
  announce(text) {
    say(part("announcer"), text);
  }

  /**
   * @param {Game} before
   * @param {Game} game
   */
  announceChange(before, game) {
    const words = [];
    if (game.ply > before.ply) {
      words.push(lastMove(this.steps, this.steps.length - 1));
    } else if (game.ply < before.ply) {
      words.push(gettext("Taken back."));
    }
    if (game.status === "finished" && before.status !== "finished") {
      words.push(personalVerdict(game), verdict(game));
    }
    this.announce(words.filter(Boolean).join(" "));
  }
}

new GamePage().start();
