/**
 * What the next event of a game had to be, given what players chose in it: who sits where, which pair they claim and when.
 * By the rules alone (server/rules.md; server/protocol.md, "Events"). When computer players move is theirs, too.
 * @module
 */

import { fromHex, sha256, toHex } from './hashes.js';
import * as rules from './rules.js';
import { believed, counted, inOrder, known, ratingOf, RULES, typed, usable } from './shapes.js';
import { Wrong } from './wrong.js';

const SILENCE_MS = 3_000; // race: from the event that left no pair to the server's Add
const OPEN_IDLE_MS = 600_000;
const JOIN_MS = 10_000;
const PLAY_IDLE_MS = 300_000;
const AFTER_CLEAR_MS = 60_000; // mirror: from the first clear to the end
const STALE_MS = 2_000;
const LOCKS_MS = [1_000, 2_000, 4_000];
const FULL_LOG = 4_900; // with so many events a game ends
const MOST_N = 2 ** 31 - 1;

/**
 * @typedef {import('./game.js').Game} Game
 * @typedef {import('./game.js').Event} Event
 * @typedef {import('./game.js').Seat} Seat
 * @typedef {import('./sheet.js').Sheet} Sheet
 */

/** What is compared of a side. @typedef {{out: number | null, score: number, mistakes: number, clearedBy: number}} Side */

/** What is due by itself: a kind, and for an end its reason. @typedef {{kind: string, at: number, reason?: string, seat?: number}} Due */

/**
 * What the next event had to be.
 * @param {Game} game
 * @param {any} event  as recorded: an object
 * @returns {Event}
 * @throws {Wrong} it cannot be here at all
 */
export function due(game, event) {
  const { kind, at } = event;
  if (game.phase === 'over') throw impossible(event, 'the game is over');
  if (!Number.isInteger(at)) throw new Wrong('at is no whole number', { what: 'at', said: at });
  if (game.seq && at < game.at) {
    throw new Wrong(`at is before the event before it, ${game.at}`, { what: 'at', said: at, due: game.at });
  }
  if (game.must) return BY_ITSELF[game.must.kind](game, { ...game.must, at: game.at });
  if (kind === 'shifted') return shifted(game, event);
  const first = firstDue(game);
  if (first && first.at <= at && !mayBeEarlier(game, event)) {
    return BY_ITSELF[first.kind](game, { ...first, at: Math.max(first.at, game.at) });
  }
  const chosen = Object.hasOwn(CHOSEN, kind) && CHOSEN[kind];
  if (!chosen) throw impossible(event, 'it was not due');
  return chosen(game, event);
}

/** @param {any} event @param {string} why */
const impossible = ({ kind }, why) => new Wrong(`'${kind}' cannot be here: ${why}`, { what: 'kind', said: kind });

/** @param {any} event @param {string} kind  what it should be */
const instead = ({ kind: said }, kind) =>
  new Wrong(`kind is ${JSON.stringify(said)}, should be ${JSON.stringify(kind)}`, { what: 'kind', said, due: kind });

/**
 * A computer player's move that came at once may have been due before all else. After the server was away much can be
 * due at the same moment, and is taken in the order in which it was due; when a computer's move was is not known.
 * @param {Game} game
 * @param {any} event
 */
const mayBeEarlier = (game, { kind, seat, at }) =>
  ['matched', 'mistaken', 'called', 'added'].includes(kind) && Boolean(game.seats[seat]?.bot) && at === game.at;

/** What is due first by itself, at whatever time. @param {Game} game @returns {Due | null} */
function firstDue(game) {
  const stuckAt = game.race ? (game.shared?.stuckAt ?? null) : null;
  const reason = game.mirror && game.cleared ? 'cleared' : 'time';
  /** In the order in which they happen at the same instant. @type {(Due | null)[]} */
  const dues = [
    game.phase === 'playing' && game.endsAt !== null ? { kind: 'ended', reason, at: game.endsAt } : null,
    abandonedAt(game) === null ? null : { kind: 'ended', reason: 'abandoned', at: Number(abandonedAt(game)) },
    game.turn === null ? null : { kind: 'flagged', at: game.clocksAt + Number(game.clocks[game.turn]) },
    game.phase === 'starting' ? { kind: 'started', at: Number(game.startsAt) } : null,
    stuckAt === null ? null : { kind: 'added', at: stuckAt + SILENCE_MS },
  ];
  return dues.reduce((first, other) => (other && (!first || other.at < first.at) ? other : first), null);
}

/** @param {Game} game @returns {number | null} */
function abandonedAt(game) {
  if (game.phase === 'open') return game.seq ? (game.joinBy ?? game.at + OPEN_IDLE_MS) : null;
  if (game.phase !== 'playing') return null;
  const moments = [...(game.seq >= FULL_LOG ? [game.at] : []), ...(game.turns ? [] : [game.heardAt + PLAY_IDLE_MS])];
  return moments.length ? Math.min(...moments) : null;
}

// What happens by itself

/** @type {Record<string, (game: Game, due: Due) => Event>} */
const BY_ITSELF = {
  starting: (game, { at }) => ({ kind: 'starting', at, starts_at: at + game.options.countdown_ms }),
  started(game, { at }) {
    const { seed, options: { size, deal, adds, seconds, base_s, teams } } = game.created;
    const board = rules.deal(seed ?? null, size, deal);
    const hash = rules.hash(rules.parse(board));
    const clocks = game.seats.map((seat) => (seat ? base_s * 1000 : null));
    const play = game.turns ? { turn: game.stillIn[0], clocks } : { ends_at: at + seconds * 1000 };
    return { kind: 'started', at, board, adds_left: adds, ...play, ...(teams === 'drawn' && { teams: drawn(game) }), hash };
  },
  unseated: (game, { at, seat }) => freed(game, at, Number(seat), 'left'),
  added(game, { at }) {
    const { slots, told } = game.sheets[0].added();
    const play = game.race ? {} : { open: rules.hasPair(slots), turn: game.turn, clocks: game.clocksThen(at) };
    return { kind: 'added', at, ...told, ...play, hash: rules.hash(slots) };
  },
  flagged(game, { at }) {
    const seat = Number(game.turn);
    return { kind: 'flagged', at, seat, ...goesOut(game, seat, at), ...shown(game) };
  },
  ended(game, { at, reason }) {
    const { seed, salt, daily } = game.created;
    const told = seed !== undefined && daily === undefined && { seed };
    return { kind: 'ended', at, reason, ranking: ranking(game), ...told, salt, ...shown(game) };
  },
};

/** On an event that changes no board: the hash of the one that all play on, if there is one. @param {Game} game */
const shown = ({ shared }) => (shared ? { hash: shared.hash } : {});

/** Turn and clocks after a player went out. @param {Game} game @param {number} seat @param {number} at */
function goesOut(game, seat, at) {
  if (!game.turns) return {};
  const clocks = game.clocksThen(at).map((left, number) => (number === seat ? null : left));
  return { turn: game.turn === seat ? game.after(seat) : game.turn, clocks };
}

/** A seat is free. @param {Game} game @param {number} at @param {number} seat @param {string} reason @returns {Event} */
function freed(game, at, seat, reason) {
  const host = game.seats.findIndex((other, number) => other && number !== seat && !other.bot);
  return { kind: 'unseated', at, seat, reason, ...(host >= 0 && { host }) };
}

/** The teams of those who sit there, drawn from the salt: in the order of these hashes, one into each in turn. @param {Game} game */
function drawn({ seats, created: { salt } }) {
  const draw = [...fromHex(salt), ...new TextEncoder().encode('teams')];
  const ticket = (/** @type {number} */ seat) => toHex(sha256(Uint8Array.of(...draw, seat)));
  const order = seats.flatMap((taken, seat) => (taken ? [{ seat, ticket: ticket(seat) }] : []));
  order.sort((one, other) => (one.ticket < other.ticket ? -1 : 1));
  return seats.map((taken, seat) => (taken ? order.findIndex((each) => each.seat === seat) % 2 : null));
}

/**
 * The ranking of sides, those who win together: those still in first, among those out in turns who went later, then
 * points, then fewer mistakes, and in mirror the earlier clear.
 * @param {Game} game
 */
function ranking(game) {
  if (!game.sheets.length) return [];
  const clearedBy = (/** @type {number} */ seat) => (game.mirror ? (game.sheets[seat].clearedBy ?? Infinity) : 0);
  /** @type {Map<number, Side>} */
  const sides = new Map();
  for (const [number, seat] of game.seats.entries()) {
    if (!seat) continue;
    const known = sides.get(game.side(number)) ?? { out: 0, score: 0, mistakes: 0, clearedBy: Infinity };
    sides.set(game.side(number), {
      out: known.out === null || seat.out === null ? null : Math.max(known.out, seat.out),
      score: known.score + seat.score,
      mistakes: known.mistakes + seat.mistakes,
      clearedBy: Math.min(known.clearedBy, clearedBy(number)),
    });
  }
  const better = (/** @type {Side} */ one, /** @type {Side} */ other) => {
    if ((one.out === null) !== (other.out === null)) return one.out === null;
    if (game.turns && one.out !== other.out) return Number(one.out) > Number(other.out);
    if (one.score !== other.score) return one.score > other.score;
    return one.mistakes !== other.mistakes ? one.mistakes < other.mistakes : one.clearedBy < other.clearedBy;
  };
  const placed = game.seats.flatMap((taken, seat) => {
    if (!taken) return [];
    const own = /** @type {Side} */ (sides.get(game.side(seat)));
    const place = 1 + [...sides.values()].filter((other) => better(other, own)).length;
    return [{ seat, place, score: taken.score, mistakes: taken.mistakes }];
  });
  return placed.sort((one, other) => one.place - other.place || one.seat - other.seat);
}

// What players choose

/** @type {Record<string, (game: Game, event: any) => Event>} */
const CHOSEN = {
  created(game, event) {
    if (game.seq) throw impossible(event, 'a room is created once');
    const { at, mode, options, private: hidden, code, daily, seed, salt } = event;
    usable(event);
    typed(event, { private: 'boolean', code: 'string' });
    const commit = options.deal === 'classic' ? {} : { commit: rules.commitment(seed) };
    const { tournament, join_by } = event; // a tournament has a deadline of its own
    if (tournament !== undefined) typed(event, { tournament: 'string', join_by: 'number' });
    const meeting = game.paired ? { join_by: at + JOIN_MS, ...(tournament !== undefined && { join_by, tournament }) } : {};
    const secret = options.deal === 'classic' ? {} : { seed: seed.toLowerCase() };
    return {
      kind: 'created', at, mode, options: inOrder(options), private: hidden, code, host: game.host, ...commit, ...meeting,
      ...(daily !== undefined && { daily }), ...secret, salt: salt.toLowerCase(), rules: RULES,
    };
  },

  seated(game, event) {
    const { at, player } = event;
    if (game.phase !== 'open') throw impossible(event, 'the game has begun to start');
    known(player);
    const seat = game.opening ? game.seats.indexOf(null) : event.seat;
    if (game.seats[seat] !== null) throw impossible(event, `there is no free seat ${seat}`);
    const { id, name, bot } = player;
    const noted = game.options.rated ? { skill: believed(event) } : {};
    const rating = noted.skill ? ratingOf(noted.skill) : player.rating;
    const told = { kind: 'seated', at, seat, player: { id, name, bot, rating } };
    if (game.opening) {
      if (!game.again && bot !== null && seat === 0) throw impossible(event, 'a person sits down first');
      return { ...told, at: game.created.at, ...(game.again && bot === null && { ready: true }), ...noted };
    }
    const meets = game.paired && game.seats.some((other) => other?.player.id === id);
    if ((meets || game.kicked.has(id)) && bot === null) throw impossible(event, 'this player sits here, or was kicked');
    if (bot !== null && game.options.rated) throw impossible(event, 'computer players play no rated games');
    return { ...told, ...noted };
  },

  unseated(game, event) {
    const { at, seat, reason } = event;
    if (game.phase !== 'open' && game.phase !== 'starting') throw impossible(event, 'in play a seat stays');
    const { bot } = sitting(game, event);
    /** The host is kicked by an operator only. @type {Record<string, boolean>} */
    const may = { left: !bot, absent: !bot && game.phase === 'open', kicked: seat === game.host || !game.paired };
    if (!Object.hasOwn(may, reason) || !may[reason]) throw impossible(event, `nobody can be ${reason} here`);
    return freed(game, at, seat, reason);
  },

  readied(game, event) {
    const { at, seat, ready } = event;
    if (game.phase !== 'open' && game.phase !== 'starting') throw impossible(event, 'the game has started');
    typed(event, { ready: 'boolean' });
    const { bot, ready: before } = sitting(game, event);
    const stops = game.phase === 'starting' && !ready; // also who never was ready may stop it
    if (bot || (before === ready && !stops)) throw impossible(event, 'it changes nothing');
    return { kind: 'readied', at, seat, ready };
  },

  starting(game, event) {
    if (game.paired) throw impossible(event, 'a quick match begins when all are ready');
    const taken = game.seats.flatMap((seat, number) => (seat ? [number] : []));
    if (game.phase !== 'open' || game.sides(taken) < Math.min(2, game.seats.length)) throw impossible(event, 'too few sit here');
    return BY_ITSELF.starting(game, event);
  },

  matched(game, event) {
    const { at, seat, n, a, b } = event;
    const { score } = moving(game, event);
    const sheet = game.sheet(seat);
    const verdict = rules.judge(sheet.slots, sheet.nextId, a, b);
    if (verdict.code) throw unmade(game, event, verdict.code);
    const { slots, rows, points: earned, cleared } = rules.play(sheet.slots, a, b);
    const points = earned + (cleared ? forClearing(game, sheet) : 0);
    const told = { kind: 'matched', at, seat, n, a, b, rows, points, score: score + points, left: rules.left(slots) };
    if (game.race) return { ...told, hash: rules.hash(slots) };
    if (game.mirror) {
      const ends_at = at + AFTER_CLEAR_MS;
      const sooner = cleared && !game.cleared && ends_at < Number(game.endsAt);
      return { ...told, open: rules.hasPair(slots), ...(sooner && { ends_at }), hash: rules.hash(slots) };
    }
    const gained = game.options.increment_s * 1000;
    const clocks = game.clocksThen(at).map((left, number) => (number === seat ? Number(left) + gained : left));
    const turn = game.options.row_again && rows.length ? seat : game.after(seat);
    return { ...told, open: rules.hasPair(slots), turn, clocks, hash: rules.hash(slots) };
  },

  mistaken(game, event) {
    const { at, seat, n, a, b, seen } = event;
    const { score, streak } = moving(game, event);
    counted(event, 'seen');
    const call = a === undefined || b === undefined;
    if (call && !game.race) throw impossible(event, 'there are calls in races only');
    const sheet = game.sheet(seat);
    const fault = call ? wrongCall(sheet) : wrongClaim(sheet, event);
    if (!fault) throw instead(event, call ? 'called' : 'matched');
    if (!game.options.penalty) throw impossible(event, 'penalties are off');
    if (excused(sheet, event, call)) throw impossible(event, 'it is refused, stale');
    const { code, blockers } = fault;
    const pair = { ...(!call && { a, b }), ...(blockers.length && { blockers }) };
    const lock = LOCKS_MS[Math.min(streak, LOCKS_MS.length - 1)];
    const cost = game.turns ? { clocks: game.clocksThen(at) } : { locked_until: at + lock };
    const points = rules.SCORES.mistake;
    return { kind: 'mistaken', at, seat, n, code, ...pair, points, score: score + points, ...cost, seen, hash: sheet.hash };
  },

  called(game, event) {
    const { at, seat, n, seen } = event;
    const { score } = moving(game, event);
    counted(event, 'seen');
    if (!game.race) throw impossible(event, 'there are calls in races only');
    if (game.sheets[0].open) throw unmade(game, event, 'pairs_left');
    const points = rules.SCORES.call;
    return { kind: 'called', at, seat, n, points, score: score + points, seen, ...shown(game) };
  },

  added(game, event) {
    const { at, seat, n } = event;
    if (!game.mirror) throw impossible(event, 'it was not due');
    moving(game, event);
    const sheet = game.sheet(seat);
    if (!sheet.mayAdd) throw impossible(event, 'it is refused, no_add');
    const { slots, told } = sheet.added();
    return { kind: 'added', at, ...told, open: rules.hasPair(slots), seat, n, hash: rules.hash(slots) };
  },

  passed(game, event) {
    const { at, seat, n } = event;
    const { bot } = moving(game, event);
    if (!game.turns || bot) throw impossible(event, 'there are passes in turns only, and of persons');
    return { kind: 'passed', at, seat, n, turn: game.after(seat), clocks: game.clocksThen(at), ...shown(game) };
  },

  resigned(game, event) {
    const { at, seat, n, kicked } = event;
    const { bot, numbers } = moving(game, event);
    if (bot) throw impossible(event, 'computer players do not resign');
    let free = 1; // of the moves of who is taken out by an operator: they chose no number
    while (numbers.has(free)) free += 1;
    const told = kicked === true ? { n: free, kicked } : { n };
    return { kind: 'resigned', at, seat, ...told, ...goesOut(game, seat, at), ...shown(game) };
  },

  ended,
};

/** The end that an operator puts to a room. @param {Game} game @param {any} event @returns {Event} */
function ended(game, event) {
  if (!game.seq || event.closed !== true) throw impossible(event, 'it was not due');
  const { kind, at, reason, ranking: places, ...rest } = BY_ITSELF.ended(game, { kind: 'ended', at: event.at, reason: 'abandoned' });
  return { kind, at, reason, ranking: places, closed: true, ...rest };
}

/** @param {Game} game @param {any} event @returns {Event} */
function shifted(game, event) {
  const { at, by_ms } = event;
  const runs = game.phase === 'starting' || game.phase === 'playing' || (game.phase === 'open' && game.paired);
  if (!runs) throw impossible(event, 'no clock runs');
  if (!Number.isInteger(by_ms) || by_ms <= 0) throw new Wrong('by_ms is no span of time', { what: 'by_ms', said: by_ms });
  return { kind: 'shifted', at, by_ms, ...shown(game) };
}

/** Who sits where something happens. @param {Game} game @param {any} event @returns {Seat} */
function sitting(game, event) {
  const seat = Number.isInteger(event.seat) ? game.seats[event.seat] : null;
  if (!seat) throw impossible(event, `nobody sits on seat ${event.seat}`);
  return seat;
}

/** Who moves, if they may. @param {Game} game @param {any} event @returns {Seat} */
function moving(game, event) {
  if (game.phase !== 'playing') throw impossible(event, 'it is refused, not_playing');
  const seat = sitting(game, event);
  const { n, kind, at } = event;
  if (!Number.isInteger(n) || n < 1 || n > MOST_N) throw impossible(event, `n is 1 to ${MOST_N}`);
  if (seat.numbers.has(n)) throw impossible(event, `move ${n} was made before`);
  if (seat.out !== null) throw impossible(event, 'it is refused, out');
  if (kind === 'resigned') return seat;
  if (game.mirror && game.sheet(event.seat).done) throw impossible(event, 'it is refused, done');
  if (game.turn !== null && game.turn !== event.seat) throw impossible(event, 'it is refused, not_your_turn');
  if (kind === 'added') return seat;
  if (seat.lockedUntil !== null && at < seat.lockedUntil) throw impossible(event, 'it is refused, locked');
  return seat;
}

/** What is wrong with a claim or a call; null: it is right. @typedef {{code: string, blockers: number[]} | null} Mistake */

/** @param {Sheet} sheet @param {any} event @returns {Mistake} */
function wrongClaim({ slots, nextId }, event) {
  counted(event, 'a');
  counted(event, 'b');
  const { code, blockers } = rules.judge(slots, nextId, event.a, event.b);
  return code && { code, blockers };
}

/** @param {Sheet} sheet @returns {Mistake} */
const wrongCall = ({ open }) => (open ? { code: 'pairs_left', blockers: [] } : null);

/** What clearing brings. @param {Game} game @param {Sheet} sheet  before it */
const forClearing = ({ mirror }, { addsLeft }) =>
  mirror ? rules.SCORES.clearOwn + rules.SCORES.unusedAdd * addsLeft : rules.SCORES.clearShared;

/** What a wrong claim or call had to be instead. @param {Game} game @param {any} event @param {string} code */
const unmade = (game, event, code) =>
  game.options.penalty ? instead(event, 'mistaken') : impossible(event, `it is refused, ${code}`);

/**
 * Was it right on the board its player had seen, and that the current one 2 s ago or later? What the player's connection
 * had been sent is in no log, so what only that could excuse counts as a mistake.
 * @param {Sheet} sheet
 * @param {any} event
 * @param {boolean} call
 */
function excused({ boards, nextId }, event, call) {
  const later = boards.findIndex(({ since }) => since > event.seen); // the board that replaced the one seen
  if (later < 1 || boards[later].at < event.at - STALE_MS) return false;
  const { slots } = boards[later - 1];
  return call ? !rules.hasPair(slots) : !rules.judge(slots, nextId, event.a, event.b).code;
}
