// @ts-check
/**
 * The server as the pages see it: requests with one kind of error, and the live game.
 *
 * @typedef {{kind: "person" | "computer", level?: number | null}} Player
 * @typedef {{
 *   id: string, version: number, rules: import("./rules.js").Rules, size: string,
 *   rows: number, columns: number, start: string, moves: string[], position: string,
 *   side: "x" | "o", ply: number, stones: {x: number, o: number},
 *   status: "playing" | "finished", result: string, winner: "x" | "o" | null,
 *   black: Player, white: Player, thinking: boolean, created: string, updated: string,
 * }} Game
 * @typedef {{ready: boolean, done: number, total: number, error: string | null}} Ready
 */

import { gettext } from "./messages.js";

const ROOT = "/api/v1";
const LONGEST_WAIT = 8000;
/** How the server closes the connection to a game that does not exist. */
const CLOSE_MISSING = 4404;

/** A request that failed; status 0 means that no server answered. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   * @param {Game | null} game the game as it is now, where the server sent it along
   */
  constructor(status, code, message, game) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.game = game;
  }
}

/**
 * Send a request and return what the server answers; throws `ApiError`.
 * @param {"GET" | "POST"} method
 * @param {string} path below the root of the API
 * @param {object} [body]
 * @returns {Promise<any>}
 */
export async function request(method, path, body) {
  /** @type {Response} */
  let response;
  let answer;
  try {
    response = await fetch(ROOT + path, {
      method,
      cache: "no-store",
      headers: body ? { "Content-Type": "application/json" } : {},
      body: body ? JSON.stringify(body) : undefined,
    });
    answer = await response.json().catch(() => null);
  } catch (error) {
    throw new ApiError(0, "offline", String(error), null);
  }
  if (!response.ok) {
    const { code = "", message = response.statusText } = answer?.error ?? {};
    throw new ApiError(response.status, code, message, answer?.game ?? null);
  }
  return answer;
}

/**
 * Return the address of a game's record.
 * @param {string} id
 * @returns {string}
 */
export function recordAddress(id) {
  return `${ROOT}/games/${encodeURIComponent(id)}/record`;
}

/** A game followed live: connects again by itself, a little later after each failure. */
export class Live {
  /**
   * @param {string} id
   * @param {(game: Game) => void} onGame
   * @param {(connected: boolean) => void} onConnection
   */
  constructor(id, onGame, onConnection) {
    this.address = `${location.origin.replace(/^http/, "ws")}${ROOT}/games/${encodeURIComponent(id)}/live`;
    this.onGame = onGame;
    this.onConnection = onConnection;
    this.failures = 0;
    this.timer = 0;
    /** @type {WebSocket | null} */
    this.socket = null;
    addEventListener("online", () => this.connect());
    addEventListener("pageshow", () => this.connect());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) {
        this.connect();
      }
    });
    this.connect();
  }

  /** Connect now unless connected. */
  connect() {
    clearTimeout(this.timer);
    if (this.socket) {
      return;
    }
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.onmessage = (event) => {
      this.failures = 0;
      this.onConnection(true);
      this.onGame(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      this.socket = null;
      if (event.code === CLOSE_MISSING) {
        return;
      }
      this.failures += 1;
      this.onConnection(false);
      const wait = Math.min(LONGEST_WAIT, 250 * 2 ** this.failures);
      this.timer = setTimeout(() => this.connect(), wait);
    };
  }
}

/**
 * Wait until the server can play, looking twice a second; throws `ApiError` when it never will.
 * @param {(state: Ready | null) => void} onProgress told of every look at a server that is not
 *   ready yet; null while none answers
 * @returns {Promise<void>}
 */
export async function untilReady(onProgress) {
  for (;;) {
    /** @type {Ready | null} */
    let state = null;
    try {
      state = await request("GET", "/ready");
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
        throw error;
      }
    }
    if (state?.error) {
      const message = gettext("The rules could not be prepared: %(reason)s", {
        reason: state.error,
      });
      throw new ApiError(500, "not-prepared", message, null);
    }
    if (state?.ready) {
      return;
    }
    onProgress(state);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
