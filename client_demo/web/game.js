/**
 * A game under way as the rules have it, and what each event makes of it (server/rules.md, "Modes").
 * @module
 */

import * as rules from './rules.js';
import { Sheet } from './sheet.js';

/** The fields of its kind, in the order in which they are stored. @typedef {{kind: string, at: number, [field: string]: any}} Event */

/**
 * @typedef {object} Seat
 * @property {any} player
 * @property {boolean} bot
 * @property {boolean} ready
 * @property {number} score
 * @property {number} mistakes
 * @property {number} streak            mistakes in a row
 * @property {number | null} lockedUntil
 * @property {number | null} out        the event by which the player went out
 * @property {Set<number>} numbers      of the moves made
 */

/** A game of which `seq` events have happened. */
export class Game {
  seq = 0;
  at = 0;
  phase = 'open';
  /** @type {(Seat | null)[]} */
  seats = [];
  /** @type {Event} */
  created;
  /** The room of a rematch: all sit there, ready, from its first moment on. */
  again = false;
  /** That of a quick match: all sit there from its first moment on, and have so long to be ready. @type {number | null} */
  joinBy = null;
  /** How many sit from the first moment on, else only who made the room. */
  sitters = 1;
  host = 0;
  /** The team of each seat, null for an empty one; null where there are none, or they are still to be drawn. @type {(number | null)[] | null} */
  teams = null;
  kicked = new Set();
  /** What has to follow in the same breath. @type {{kind: string, reason?: string, seat?: number} | null} */
  must = null;
  /** @type {number | null} */
  startsAt = null;
  /** @type {number | null} */
  endsAt = null;
  /** The last command of a person, or the start. */
  heardAt = 0;
  /** By seat where each has a board of their own, else one for all; none before the start. @type {Sheet[]} */
  sheets = [];
  /** @type {number | null} */
  turn = null;
  /** @type {(number | null)[]} */
  clocks = [];
  clocksAt = 0;
  /** Who passed since the last match or Add. @type {Set<number>} */
  passed = new Set();

  /** @param {readonly any[]} events  of the record, the first of which says what game it is */
  constructor(events) {
    this.created = events[0];
    const later = events.findIndex((event, place) => place > 0 && (event?.kind !== 'seated' || event.at !== events[0].at));
    const first = events.slice(1, later < 0 ? events.length : later);
    this.again = first.some(({ ready }) => ready);
    this.joinBy = events[0]?.join_by ?? null;
    this.sitters = this.again || this.paired ? Math.min(first.length, events[0].options?.max_players ?? 0) : 1;
    this.host = this.again ? Math.max(0, first.findIndex(({ player }) => player?.bot === null)) : 0;
  }

  get options() {
    return this.created.options;
  }

  get paired() {
    return this.joinBy !== null;
  }

  /** Still in the moment in which the room was made. */
  get opening() {
    return this.seq <= this.sitters; // its first event is no one's
  }

  get race() {
    return this.created.mode === 'race';
  }

  get turns() {
    return this.created.mode === 'turns';
  }

  get mirror() {
    return this.created.mode === 'mirror';
  }

  /** The board that all play on; null where there is none. @returns {Sheet | null} */
  get shared() {
    return this.mirror ? null : (this.sheets[0] ?? null);
  }

  /** The board that a seat plays on. @param {number | undefined} seat */
  sheet(seat) {
    return this.sheets[this.mirror ? Number(seat) : 0];
  }

  /** Has anybody cleared a board? */
  get cleared() {
    return this.sheets.some(({ clearedBy }) => clearedBy !== null);
  }

  /** Those who are not out. @returns {number[]} */
  get stillIn() {
    return this.seats.flatMap((seat, number) => (seat && seat.out === null ? [number] : []));
  }

  /** Whom a seat wins with: its team, or else nobody. @param {number} seat @returns {number} */
  side(seat) {
    return Number(this.teams?.[seat] ?? seat);
  }

  /** How many sides they are. @param {readonly number[]} seats */
  sides(seats) {
    return new Set(seats.map((seat) => this.side(seat))).size;
  }

  /** @param {number} number @returns {Seat} */
  seat(number) {
    return /** @type {Seat} */ (this.seats[number]);
  }

  /** The clocks as they stand at a moment. @param {number} at */
  clocksThen(at) {
    const ran = Math.max(0, at - this.clocksAt);
    return this.clocks.map((left, seat) => (left === null || seat !== this.turn ? left : Math.max(0, left - ran)));
  }

  /** Who is next of those still in. @param {number} seat */
  after(seat) {
    return this.stillIn.find((other) => other > seat) ?? this.stillIn[0];
  }
}

/** @param {Game} game  changed in place @param {Event} event  as it had to be */
export function happen(game, event) {
  game.seq++;
  game.at = event.at;
  HAPPEN[event.kind](game, event);
  game.must = mustFollow(game, event);
}

/** @type {Record<string, (game: Game, event: Event) => void>} */
const HAPPEN = {
  created(game, { options, host }) {
    game.seats = Array(options.max_players).fill(null);
    game.host = host;
    game.teams = options.teams === 'chosen' ? game.seats.map((_, seat) => seat % 2) : null;
  },
  seated(game, { seat, player, ready }) {
    const bot = player.bot !== null;
    game.seats[seat] = {
      player, bot, ready: bot || Boolean(ready), score: 0, mistakes: 0, streak: 0, lockedUntil: null, out: null, numbers: new Set(),
    };
  },
  unseated(game, { seat, reason, host }) {
    if (reason === 'kicked') game.kicked.add(game.seat(seat).player.id);
    game.seats[seat] = null;
    game.host = host ?? game.host;
    reopen(game);
  },
  readied(game, { seat, ready }) {
    game.seat(seat).ready = ready;
    if (!ready) reopen(game);
  },
  starting(game, { starts_at }) {
    game.phase = 'starting';
    game.startsAt = starts_at;
  },
  started(game, { at, board, adds_left, ends_at = null, turn = null, clocks = [], teams = game.teams }) {
    game.phase = 'playing';
    game.startsAt = null;
    game.heardAt = game.clocksAt = at;
    [game.endsAt, game.turn, game.clocks, game.teams] = [ends_at, turn, clocks, teams];
    const boards = game.mirror ? game.seats.length : 1;
    game.sheets = Array.from({ length: boards }, () => new Sheet(board, adds_left, game.seq, at));
  },
  matched(game, event) {
    const { a, b, seat } = event;
    const sheet = game.sheet(seat);
    made(game, event);
    game.seat(seat).streak = 0;
    game.passed.clear();
    sheet.renew(rules.play(sheet.slots, a, b).slots, game.seq, game.at);
    game.endsAt = event.ends_at ?? game.endsAt;
  },
  mistaken(game, event) {
    const seat = game.seat(event.seat);
    made(game, event);
    seat.mistakes++;
    seat.streak++;
    seat.lockedUntil = event.locked_until ?? seat.lockedUntil;
  },
  called(game, event) {
    made(game, event);
    game.seat(event.seat).streak = 0;
  },
  added(game, event) {
    if (game.mirror) made(game, event);
    else timed(game, event);
    game.passed.clear();
    game.sheet(event.seat).add(event.digits, game.seq, game.at);
  },
  passed(game, event) {
    made(game, event);
    game.passed.add(event.seat);
  },
  flagged(game, event) {
    game.seat(event.seat).out = game.seq;
    timed(game, event);
  },
  resigned(game, event) {
    made(game, event);
    game.seat(event.seat).out = game.seq;
  },
  shifted(game, { by_ms }) {
    const later = (/** @type {number | null} */ moment) => (moment === null ? null : moment + by_ms);
    [game.startsAt, game.joinBy, game.endsAt] = [game.startsAt, game.joinBy, game.endsAt].map(later);
    for (const sheet of game.sheets) sheet.stuckAt = later(sheet.stuckAt);
    game.heardAt += by_ms;
    game.clocksAt += by_ms;
    for (const seat of game.seats) if (seat) seat.lockedUntil = later(seat.lockedUntil);
  },
  ended(game) {
    game.phase = 'over';
    game.turn = null;
  },
};

/** Whoever leaves or is unready stops the countdown. @param {Game} game */
function reopen(game) {
  game.phase = 'open';
  game.startsAt = null;
}

/** A move: its number, its score, and that a person was heard. @param {Game} game @param {Event} event */
function made(game, event) {
  const seat = game.seat(event.seat);
  seat.numbers.add(event.n);
  seat.score = event.score ?? seat.score;
  if (!seat.bot) game.heardAt = event.at;
  timed(game, event);
}

/** @param {Game} game @param {Event} event */
function timed(game, { at, turn, clocks }) {
  if (!clocks) return;
  [game.clocks, game.clocksAt] = [clocks, at];
  if (turn !== undefined) game.turn = turn;
}

/**
 * What has to follow in the same breath, before anybody else may act.
 * @param {Game} game  after the event
 * @param {Event} event
 * @returns {{kind: string, reason?: string, seat?: number} | null}
 */
function mustFollow(game, event) {
  const { kind } = event;
  if (game.phase === 'open' || game.phase === 'starting') return beforeStart(game, event);
  if (game.phase === 'over' || !['matched', 'called', 'added', 'passed', 'flagged', 'resigned'].includes(kind)) return null;
  const { stillIn } = game;
  if (kind === 'flagged' || kind === 'resigned') {
    if (game.sides(stillIn) === 1) return { kind: 'ended', reason: 'last_one_in' };
    if (stillIn.every((seat) => game.seat(seat).bot)) return { kind: 'ended', reason: 'abandoned' };
  }
  const [add, end] = [{ kind: 'added' }, { kind: 'ended', reason: game.cleared ? 'cleared' : 'stuck' }];
  if (game.mirror) return stillIn.every((seat) => game.sheet(seat).done) ? end : null;
  const { open, mayAdd, clearedBy } = game.sheets[0];
  if (clearedBy !== null) return end;
  if (game.race) return kind === 'called' ? add : open || mayAdd ? null : end;
  const allPassed = stillIn.every((seat) => game.passed.has(seat));
  return !open || allPassed ? (mayAdd ? add : end) : null;
}

/** @param {Game} game @param {Event} event @returns {{kind: string, reason?: string, seat?: number} | null} */
function beforeStart(game, { kind, seat, player }) {
  if (kind === 'seated' && player.bot === null) {
    const before = game.seats.findIndex((other, number) => number !== seat && other?.player.id === player.id);
    if (before >= 0 && game.seq > game.sitters + 1) return { kind: 'unseated', seat: before }; // who moves frees the other seat
  }
  const empty = game.seats.every((seat) => !seat || seat.bot);
  if (kind === 'unseated' && (empty || game.paired)) return { kind: 'ended', reason: 'abandoned' };
  if (kind === 'starting') return game.options.countdown_ms === 0 ? { kind: 'started' } : null;
  const ready = game.phase === 'open' && !game.opening && game.seats.every((seat) => seat?.ready);
  return ready && (kind === 'readied' || kind === 'seated') ? { kind: 'starting' } : null;
}
