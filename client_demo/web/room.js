/**
 * A room as a program uses it: what it is, moves, requests. How it is kept current stands in follower.js.
 * @module
 */

import { boardOf, clockOf } from './fold.js';
import { Follower } from './follower.js';
import { RequestError } from './requests.js';

/**
 * @typedef {import('./board.js').Board} Board
 * @typedef {import('./deal.js').DealCheck} DealCheck
 * @typedef {import('./fold.js').Event} Event
 * @typedef {import('./link.js').Message} Message
 * @typedef {import('./moves.js').Answer} Answer
 */

/**
 * A room. Made by `Client.create` and `Client.join`, never by hand. Its fields (`id` `code` `seat` `seq` `chain` `state`
 * `online` `watching` `dealt` `reason` `wants` `next` `status`) stand in `Follower`.
 * Events: `event` `snapshot` `presence` `chat` `refused` `detached` `status`.
 */
export class Room extends Follower {
  /** One's own entry in `state.seats`, or null. */
  get me() {
    return this.seat === null ? null : (this.state.seats[this.seat] ?? null);
  }

  get isHost() {
    return this.seat !== null && this.state.host === this.seat;
  }

  /** The shared board, or one's own. @returns {Board | null} */
  get board() {
    return this.boardOf(this.seat);
  }

  /** The board that a seat plays on, or null where it may not be seen. @param {number | null} seat @returns {Board | null} */
  boardOf(seat) {
    return boardOf(this.state, seat);
  }

  /** One's moves without an answer yet: `{t, n, a?, b?}`. */
  get pending() {
    return this.moves.pending;
  }

  /** The server's time in ms that belongs to what is seen: watchers may see a game with a delay. */
  now() {
    return this.wire.now() - (this.seat === null ? (this.state.options.spectator_delay_ms ?? 0) : 0);
  }

  /** Ms left on a seat's clock right now (turns), or null. @param {number} seat @returns {number | null} */
  clock(seat) {
    return clockOf(this.state, seat, this.now());
  }

  /** Ms to the end of the game, or null. @returns {number | null} */
  timeLeft() {
    const { ends_at, phase } = this.state;
    return ends_at === null || phase !== 'playing' ? null : Math.max(0, ends_at - this.now());
  }

  /** Ms for which one may not claim or call; 0 if one may. @returns {number} */
  lockedFor() {
    return Math.max(0, (this.me?.locked_until ?? 0) - this.now());
  }

  // Moves

  /** Claim two numbers, by id. @param {number} a @param {number} b @returns {Promise<Answer>} */
  match(a, b) {
    return this.#move('match', { a, b, seen: this.seq });
  }

  /** "No pair left" (race). @returns {Promise<Answer>} */
  call() {
    return this.#move('call', { seen: this.seq });
  }

  /** Add on one's own board (mirror). @returns {Promise<Answer>} */
  add() {
    return this.#move('add');
  }

  /** Let the turn go (turns). @returns {Promise<Answer>} */
  pass() {
    return this.#move('pass');
  }

  /** Give up. @returns {Promise<Answer>} */
  resign() {
    return this.#move('resign');
  }

  /** @param {import('./moves.js').MoveType} t @param {object} [fields] @returns {Promise<Answer>} */
  #move(t, fields = {}) {
    if (this.isGone()) return Promise.reject(new RequestError({ code: this.status, room: this.id }));
    if (this.seat === null) return Promise.resolve({ refused: { code: 'not_seated', local: true } });
    return this.moves.make({ t, room: this.id, ...fields }, this.lastN(), this.board);
  }

  // Requests

  /** @param {boolean} ready */
  ready(ready) {
    return this.#ask({ t: 'ready', ready });
  }

  /** Begin with those who sit here (host). */
  start() {
    return this.#ask({ t: 'start' });
  }

  /** Give a seat to a computer player (host), the lowest free one or *seat*. @param {'easy' | 'medium' | 'hard'} level @param {number} [seat] */
  bot(level, seat) {
    return this.#ask({ t: 'bot', level, ...(seat !== undefined && { seat }) });
  }

  /** Send somebody away before the start (host). @param {number} seat */
  kick(seat) {
    return this.#ask({ t: 'kick', seat });
  }

  /** After the end. @param {boolean} want */
  rematch(want) {
    return this.#ask({ t: 'rematch', want });
  }

  /** @param {string} text 1–200 characters */
  chat(text) {
    return this.#ask({ t: 'chat', text });
  }

  /** Say what everyone reads in their own language. @param {string} phrase  its key, as 'good_game' */
  say(phrase) {
    return this.#ask({ t: 'chat', phrase });
  }

  /**
   * Report another player in the room to the organiser.
   * @param {string} player  an id
   * @param {'abuse' | 'cheating' | 'stalling' | 'other'} reason
   * @param {string} [text]  in one's own words, up to 200 characters
   */
  report(player, reason, text = '') {
    return this.#ask({ t: 'report', player, reason, ...(text && { text }) });
  }

  /** Say that one's page is to be seen, or no longer: the organiser may want to know. @param {boolean} on */
  focus(on) {
    return this.#ask({ t: 'focus', on });
  }

  /** Leave: before the start it frees the seat, in play the seat stays one's own. @returns {Promise<void>} */
  async leave() {
    const told = this.wire.open() ? this.wire.ask({ t: 'leave', room: this.id }) : null;
    this.quit('left');
    await told;
  }

  /** Come back after `detached`: play here, no longer in the other tab. @param {{watch?: boolean}} [how] @returns {Promise<Room>} */
  rejoin({ watch = false } = {}) {
    this.wire.member(this, true);
    return this.catchUp({ watch });
  }

  /** Ask for a fresh snapshot; after a mirror game it shows all boards. @returns {Promise<Room>} */
  refresh() {
    return this.catchUp({ fresh: true });
  }

  /** Every event of the room so far, from the first, also those this client did not see. @returns {Promise<Event[]>} */
  async history() {
    const watch = this.seat === null;
    const told = await this.wire.ask({ t: 'join', room: this.id, after: 0, chain: 0, ...(watch && { watch }) });
    return told.events ?? (await this.record()).events; // a very long game comes back as a snapshot
  }

  /** The record of the finished game. @returns {Promise<any>} */
  record() {
    return this.wire.get(`/v1/records/${this.id}`);
  }

  /** Was the deal fixed before the game began? After the end. @returns {Promise<DealCheck>} */
  async checkDeal() {
    const { commit, seed, options } = this.state;
    const board = this.dealt ?? startedBoard(await this.history());
    const { verifyDeal } = await import('./deal.js');
    return verifyDeal({ seed, commit, board, size: options.size, deal: options.deal });
  }

  /** @param {Message} message @returns {Promise<void>} */
  async #ask(message) {
    if (this.isGone()) throw new RequestError({ code: this.status, room: this.id });
    await this.wire.ask({ ...message, room: this.id }, { ready: () => this.status === 'live' });
  }
}

/** @param {Event[]} events @returns {string} the board as dealt */
function startedBoard(events) {
  const started = events.find(({ kind }) => kind === 'started');
  if (!started) throw new RequestError({ code: 'not_playing', text: 'this game never started' });
  return started.board;
}
