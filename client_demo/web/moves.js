/**
 * A player's moves in one room, each made exactly once (server/protocol.md: the same `n` is the same move).
 * A move keeps its number until it is answered, and is sent again after a break or when the server asks for patience.
 * @module
 */

import { RequestError } from './requests.js';

/**
 * @typedef {import('./board.js').Board} Board
 * @typedef {import('./fold.js').Event} Event
 * @typedef {import('./link.js').Message} Message
 */

/** @typedef {'match' | 'call' | 'add' | 'pass' | 'resign'} MoveType */
/** @typedef {{code: string, blockers?: number[], locked_until?: number, seq?: number, n?: number, local?: boolean}} Refusal */
/** @typedef {{event: Event, refused?: undefined} | {event?: undefined, refused: Refusal}} Answer */

/**
 * @typedef {object} Move
 * @property {Message} message       with `n`, and `seen` as it was when the move was made
 * @property {boolean} right         it was right on the board that the player saw
 * @property {boolean} onItsWay      sent on the connection that there is
 * @property {number} sends          without an answer, on connections that held
 * @property {number} waits          how often the server asked for patience
 * @property {ReturnType<typeof setTimeout> | undefined} timer
 * @property {(answer: Answer) => void} resolve
 * @property {(error: Error) => void} reject
 */

const ANSWER_MS = 10_000;
const MOST_SENDS = 3;
const PATIENCE = new Set(['unavailable', 'too_fast', 'rate_limited']);
const MOST_WAITS = 8;
const WAIT_MS = { first: 250, most: 4_000 };

/** What kind of event answers which type of move, apart from `mistaken`. @type {Map<string, MoveType>} */
const TYPES = new Map([['matched', 'match'], ['called', 'call'], ['added', 'add'], ['passed', 'pass'], ['resigned', 'resign']]);

/** The unanswered moves of one player in one room. */
export class Moves {
  /** @type {Map<number, Move>} */
  #unanswered = new Map();
  #lastN = 0;
  /** @type {(message: Message) => boolean} */
  #send;

  /** @param {(message: Message) => boolean} send  false when the room is not live */
  constructor(send) {
    this.#send = send;
  }

  /** Those without an answer, as sent. @returns {Message[]} */
  get pending() {
    return [...this.#unanswered.values()].map(({ message }) => message);
  }

  /**
   * Make a move.
   * @param {Message} message     without `n`
   * @param {number} lastN        the highest number of this seat known to be in the log
   * @param {Board | null} board  what the player sees
   * @returns {Promise<Answer>}
   */
  make(message, lastN, board) {
    return new Promise((resolve, reject) => {
      const right = rightOn(board, message);
      const move = { message, right, onItsWay: false, sends: 0, waits: 0, timer: undefined, resolve, reject };
      this.#number(move, lastN);
      this.#transmit(move);
    });
  }

  /** Take an event of one's own seat as the answer to its move. @param {Event} event */
  heard(event) {
    const move = this.#take(event.n);
    if (!move) return;
    if (answers(event, move.message)) return move.resolve({ event });
    // Another tab of this player used the number: what it moved is there, our move is not.
    this.#number(move, event.n);
    this.#transmit(move);
  }

  /** @param {Message} message  a `refused` */
  refused(message) {
    this.#take(message.n)?.resolve({ refused: /** @type {any} */ (message) });
  }

  /** An `error` is no answer: the same number again after a pause, within bounds. @param {Message} error */
  failed(error) {
    const move = this.#unanswered.get(error.n);
    if (!move) return;
    if (!PATIENCE.has(error.code) || move.waits >= MOST_WAITS) {
      return this.#take(error.n)?.reject(new RequestError(/** @type {any} */ (error)));
    }
    const pause = Math.min(WAIT_MS.most, WAIT_MS.first * 2 ** move.waits++) * (0.5 + Math.random() / 2);
    move.sends = 0;
    this.#timer(move, pause, () => this.#transmit(move));
  }

  /**
   * The room is live again: send what has no answer.
   * @param {number} lastN        the highest number of this seat known to be in the log
   * @param {Board | null} board  as it is now
   */
  resume(lastN, board) {
    for (const move of [...this.#unanswered.values()].sort((one, other) => one.message.n - other.message.n)) {
      // Somebody else was faster while we were away. Judged now it would be a mistake, for which the break is to blame.
      const overtaken = !move.onItsWay && move.message.n > lastN && move.right && !rightOn(board, move.message);
      if (overtaken) this.refused({ t: 'refused', n: move.message.n, code: 'stale', local: true });
      else this.#transmit(move);
    }
  }

  /** The connection broke: nothing is sent, and no time counts, until `resume`. */
  pause() {
    for (const move of this.#unanswered.values()) {
      clearTimeout(move.timer);
      move.onItsWay = false;
      move.sends = 0;
    }
  }

  /** Give all up: it is not known whether they were made. @param {string} code */
  stop(code) {
    for (const n of [...this.#unanswered.keys()]) this.#take(n)?.reject(new RequestError({ code }));
  }

  /** @param {Move} move @param {number} lastN */
  #number(move, lastN) {
    this.#lastN = Math.max(this.#lastN, lastN) + 1;
    move.message = { ...move.message, n: this.#lastN };
    this.#unanswered.set(this.#lastN, move);
  }

  /** @param {Move} move */
  #transmit(move) {
    if (!this.#send(move.message)) return; // `resume` will
    move.onItsWay = true;
    move.sends++;
    this.#timer(move, ANSWER_MS, () => (move.sends < MOST_SENDS ? this.#transmit(move) : this.#giveUp(move)));
  }

  /** @param {Move} move */
  #giveUp(move) {
    const text = `no answer to ${move.message.t} ${move.message.n} within ${(MOST_SENDS * ANSWER_MS) / 1000} s`;
    this.#take(move.message.n)?.reject(new RequestError({ code: 'timeout', text, room: move.message.room }));
  }

  /** @param {Move} move @param {number} ms @param {() => void} run */
  #timer(move, ms, run) {
    clearTimeout(move.timer);
    move.timer = setTimeout(run, ms);
  }

  /** @param {number} n */
  #take(n) {
    const move = this.#unanswered.get(n);
    clearTimeout(move?.timer);
    this.#unanswered.delete(n);
    return move;
  }
}

/** Is this claim or call right on that board? @param {Board | null} board @param {Message} message */
function rightOn(board, { t, a, b }) {
  if (!board) return false;
  return t === 'match' ? board.judge(a, b).code === null : t === 'call' ? !board.hasPair() : true;
}

/** Is the event what became of this move, and not of another with the same number? @param {Event} event @param {Message} message */
function answers(event, { t, a, b }) {
  const type = event.kind !== 'mistaken' ? TYPES.get(event.kind) : event.code === 'pairs_left' ? 'call' : 'match';
  if (type !== t) return false;
  return t !== 'match' || [event.a, event.b].sort().join() === [a, b].sort().join();
}
