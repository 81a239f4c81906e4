/**
 * Following one room's log over a connection that may break: taking events in, noticing gaps and differences, catching
 * up, and answering the player's moves (server/protocol.md).
 * @module
 */

import { boardOf, NOTHING } from './fold.js';
import { backoff } from './link.js';
import { Moves } from './moves.js';
import { RequestError } from './requests.js';
import { next } from './steps.js';

/**
 * @typedef {import('./fold.js').Event} Event
 * @typedef {import('./fold.js').State} State
 * @typedef {import('./link.js').Message} Message
 * @typedef {import('./requests.js').Asking} Asking
 */

/** @typedef {'live' | 'resuming' | 'detached' | 'left'} RoomStatus */

/**
 * What a room needs of its client.
 * @typedef {object} Wire
 * @property {(message: Message, asking?: Asking) => Promise<Message>} ask
 * @property {(message: Message) => boolean} send  false when there is no connection
 * @property {() => void} flush                    the room is live: send the requests that waited for it
 * @property {() => boolean} open                  is there a connection?
 * @property {(room: any, member: boolean) => void} member  resume this room after a break, or no longer
 * @property {() => number} now                    server ms
 * @property {(player: string) => boolean} muted    is nothing to be heard of this player, by id?
 * @property {(path: string) => Promise<any>} get  JSON over http
 */

const PAUSE_MS = 500; // the least before joining again
/** Errors by which a seat is lost, while one may still watch. */
const SEATLESS = new Set(['room_full', 'game_started', 'not_allowed']);
const PATIENCE = new Set(['unavailable', 'too_fast', 'rate_limited', 'timeout']);

/** The part of a `Room` that keeps it current. */
export class Follower extends EventTarget {
  /** @type {string} */
  id;
  /** The short code to tell a friend. */
  code = '';
  /** @type {RoomStatus} */
  status = 'resuming';
  /** One's own seat, or null for a watcher. @type {number | null} */
  seat = null;
  /** The last event known here, and its chain. */
  seq = 0;
  chain = 0;
  /** Replaced, never changed in place. @type {State} */
  state = NOTHING;
  /** Who is there, by seat; null: empty seat. @type {(boolean | null)[]} */
  online = [];
  /** How many watch. */
  watching = 0;
  /** The board as dealt, if this client saw the start. @type {string | null} */
  dealt = null;
  /** Why the game ended, if this client saw the end. @type {string | null} */
  reason = null;
  /** Seats that want a rematch. @type {Set<number>} */
  wants = new Set();
  /** The rematch's room, once it exists. @type {string | null} */
  next = null;

  /** @protected @type {Wire} */
  wire;
  /** @protected @type {Moves} */
  moves;
  /** A join under way, by which this room catches up. @type {Promise<this> | null} */
  #catchingUp = null;
  #attempt = 0;

  /** @param {string} id @param {Wire} wire */
  constructor(id, wire) {
    super();
    this.id = id;
    this.wire = wire;
    this.moves = new Moves((message) => this.status === 'live' && wire.send(message));
  }

  /** No part of this room any more. @protected */
  isGone() {
    return this.status === 'detached' || this.status === 'left';
  }

  /** The highest move number of one's seat in the log, as far as known. @protected */
  lastN() {
    return this.seat === null ? 0 : (this.state.seats[this.seat]?.last_n ?? 0);
  }

  /** The connection is there (again): catch up. */
  connected() {
    this.catchUp({}).catch(UNHEARD);
  }

  /** The connection broke. */
  disconnected() {
    this.#attempt++;
    this.#catchingUp = null;
    this.moves.pause();
    if (!this.isGone()) this.#become('resuming');
  }

  /** The client stopped, or is another player now: what was under way has no known outcome. @param {string} code */
  abandon(code) {
    this.moves.stop(code);
    if (code === 'new_player') this.seat = null;
  }

  /** A message that names this room. Unknown types are ignored. @param {Message} message */
  receive(message) {
    switch (message.t) {
      case 'event': return this.#event(/** @type {any} */ (message));
      case 'snapshot': return this.#snapshot(message);
      case 'resumed': return this.#resumed(message);
      case 'refused': return this.#refused(message);
      case 'error': return this.moves.failed(message);
      case 'presence': return this.#presence(message);
      case 'chat': return this.#chat(message);
      case 'detached': return this.#detached(message.reason);
    }
  }

  /** @param {Event} event */
  #event(event) {
    this.#take(event);
    this.#answered(event);
  }

  /** @param {Message} snapshot */
  #snapshot({ seq, chain, code, seat, state, reset = false }) {
    if (reset || state.phase === 'open') this.dealt = this.reason = null;
    this.code = code ?? this.code;
    [this.seq, this.chain, this.seat, this.state] = [seq, chain, seat ?? null, state];
    this.#catchingUp = null;
    this.#tell('snapshot', { state, reset });
    this.#live();
  }

  /** @param {Message} resumed */
  #resumed({ seat, events }) {
    this.seat = seat ?? null;
    this.#catchingUp = null;
    for (const event of events) {
      const fits = this.#take(event);
      this.#answered(event);
      if (!fits) return;
    }
    this.#live();
  }

  /** @param {Message} refusal */
  #refused(refusal) {
    this.#tell('refused', refusal);
    this.moves.refused(refusal);
  }

  /** @param {Message} presence */
  #presence({ online, watching }) {
    [this.online, this.watching] = [online, watching];
    this.#tell('presence', { online, watching });
  }

  /** @param {Message} line */
  #chat(line) {
    if (!this.wire.muted(line.player.id)) this.#tell('chat', line);
  }

  /** @param {string} reason */
  #detached(reason) {
    this.quit('detached');
    this.#tell('detached', { reason });
  }

  /** Take an event in, or see to it that it comes again. @param {Event} event @returns {boolean} whether the state is in order */
  #take(event) {
    const taken = next(this, event);
    if (taken === 'old') return true;
    if (taken === 'gap' || taken === 'differs') {
      this.catchUp({ fresh: taken === 'differs' }).catch(UNHEARD);
      return false;
    }
    [this.seq, this.chain, this.state] = [this.seq + 1, event.chain ?? this.chain, taken.state];
    this.#note(event);
    this.#tell('event', taken);
    return true;
  }

  /** What an event tells beside the state. @param {Event} event */
  #note({ kind, seat, board, reason, want, room }) {
    if (kind === 'started') this.dealt = board;
    if (kind === 'ended') this.reason = reason;
    if (kind === 'unseated' && seat === this.seat) this.seat = null;
    if (kind !== 'rematch') return;
    if (room && room !== this.id) this.next = room;
    if (Number.isInteger(seat)) this.wants[want ? 'add' : 'delete'](seat);
  }

  /** Any event of one's own seat answers its move, known already or not. @param {Event} event */
  #answered(event) {
    if (this.seat !== null && event.seat === this.seat && event.n) this.moves.heard(event);
  }

  #live() {
    this.#become('live');
    this.wire.flush();
    this.moves.resume(this.lastN(), boardOf(this.state, this.seat));
  }

  /**
   * @param {{fresh?: boolean, watch?: boolean}} how  fresh: a snapshot, whatever is known here
   * @returns {Promise<this>} settled when the room is live, or cannot be
   */
  catchUp({ fresh = false, watch = false }) {
    if (this.#catchingUp && fresh) return this.#catchingUp.then(() => this.catchUp({ fresh }));
    if (this.#catchingUp) return this.#catchingUp;
    this.#become('resuming');
    const joining = this.#join({ fresh, watch: watch || this.seat === null, attempt: ++this.#attempt });
    this.#catchingUp = joining;
    return joining;
  }

  /** @param {{fresh: boolean, watch: boolean, attempt: number, tries?: number}} how @returns {Promise<this>} */
  async #join({ fresh, watch, attempt, tries = 0 }) {
    const known = fresh ? {} : { after: this.seq, chain: this.chain };
    const message = { t: 'join', room: this.id, ...(watch && { watch }), ...known };
    try {
      await this.wire.ask(message, { ready: this.wire.open });
      return this;
    } catch (error) {
      const code = error instanceof RequestError ? error.code : '';
      if (attempt !== this.#attempt) throw error; // overtaken: by a break, or by leaving
      if (SEATLESS.has(code) && !watch) return this.#join({ fresh, watch: true, attempt, tries });
      if (!PATIENCE.has(code)) {
        this.#detached(code);
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS + backoff(tries)));
      if (attempt !== this.#attempt) throw error;
      return this.#join({ fresh, watch, attempt, tries: tries + 1 });
    }
  }

  /** @param {'detached' | 'left'} status */
  quit(status) {
    this.#attempt++;
    this.#catchingUp = null;
    this.moves.stop(status);
    this.wire.member(this, false);
    this.#become(status);
  }

  /** @param {RoomStatus} status */
  #become(status) {
    if (status === this.status) return;
    this.status = status;
    this.#tell('status', { status });
  }

  /** @param {string} type @param {object} detail */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** Nobody waits for this attempt: a failure shows as `detached`, or the next connection tries again. */
const UNHEARD = () => {};
