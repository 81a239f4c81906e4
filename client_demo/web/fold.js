/**
 * What an event makes of a room: pure functions over values, no socket, no clock (server/protocol.md, "event").
 *
 * A state has the shape of the protocol's `state`. It is replaced, never changed in place; parts that an event
 * does not touch are shared with the state before.
 * @module
 */

import { Board } from './board.js';

/** @typedef {{id: string, name: string, bot?: string | null, rating?: number | null}} Player */

/**
 * @typedef {object} Seat
 * @property {Player} player
 * @property {boolean} ready
 * @property {number} score
 * @property {number} mistakes
 * @property {number | null} locked_until  server ms; may lie in the past
 * @property {boolean} out                 resigned or flagged
 * @property {number} last_n               highest move number of this seat in the log
 */

/**
 * A board as it travels: text, ids of the active numbers in reading order, and what belongs to it.
 * @typedef {{board: string | null, ids: number[], next_id: number, adds_left: number, left: number,
 *            open: boolean | null}} BoardState
 */

/**
 * @typedef {object} RoomFields
 * @property {string} mode
 * @property {Record<string, any>} options
 * @property {boolean} private
 * @property {'open' | 'starting' | 'playing' | 'over'} phase
 * @property {number | null} host
 * @property {string} code
 * @property {string | null} commit
 * @property {string | null} seed
 * @property {string | null} salt
 * @property {(Seat | null)[]} seats
 * @property {(number | null)[]} [teams]   by seat; not before they are drawn, null for an empty seat
 * @property {number | null} turn
 * @property {(number | null)[] | null} clocks
 * @property {number | null} clocks_at
 * @property {number} [join_by]   quick match: by when all have to be ready
 * @property {string} [daily]     the day whose deal is played here, 2026-12-01
 * @property {string} [tournament]  in which this is a game
 * @property {number | null} starts_at
 * @property {number | null} ends_at
 * @property {{seat: number, place: number, score: number, mistakes: number}[] | null} ranking
 * @property {(BoardState | null)[]} [boards]   mirror: by seat, null where it may not be seen
 * @property {({left: number, rows_closed: number} | null)[]} [progress]  mirror: by seat
 */

/** The wire's `state`; in mirror games without the fields of `BoardState`. @typedef {RoomFields & BoardState} State */

/**
 * An event as it travels: these, and the fields of its kind.
 * @typedef {{kind: string, seq?: number, chain?: number, at?: number, hash?: number | null, [field: string]: any}} Event
 */

/** @type {RoomFields} */
const ROOM = {
  mode: 'race', options: {}, private: false, phase: 'open', host: null, code: '', commit: null, seed: null, salt: null,
  seats: [], turn: null, clocks: null, clocks_at: null, starts_at: null, ends_at: null, ranking: null,
};
/** The board of all before the start. @type {BoardState} */
const NO_BOARD = { board: null, ids: [], next_id: 0, adds_left: 0, left: 0, open: null };

/** A room before its first event. @type {Readonly<State>} */
export const NOTHING = Object.freeze({ ...ROOM, ...NO_BOARD });

/**
 * The state after an event. Kinds that this version does not know change nothing.
 * @param {State} state
 * @param {Event} event
 * @param {number | null} [viewer]  whose eyes these are: a seat sees only its own board in a mirror game, null sees all
 * @returns {State}
 * @throws {RangeError | TypeError} the event does not fit the state: ask for a snapshot
 */
export function fold(state, event, viewer = null) {
  const folded = KINDS.get(event.kind);
  return folded ? folded(state, event, viewer) : state;
}

/**
 * The board that a seat plays on, or null where there is none or it may not be seen.
 * @param {State} state
 * @param {number | null | undefined} seat
 * @returns {Board | null}
 */
export function boardOf(state, seat) {
  const shown = state.boards ? state.boards[seat ?? -1] : state;
  if (!shown || typeof shown.board !== 'string') return null;
  const known = PARSED.get(shown);
  if (known) return known;
  const board = Board.parse(shown.board, shown.ids, shown.next_id);
  PARSED.set(shown, board);
  return board;
}

/** Boards by the state they were read from, which never changes. @type {WeakMap<object, Board>} */
const PARSED = new WeakMap();

/**
 * Milliseconds left on a seat's clock in a game of turns, or null.
 * @param {State} state
 * @param {number} seat
 * @param {number} now  server ms
 * @returns {number | null}
 */
export function clockOf(state, seat, now) {
  const left = state.clocks?.[seat] ?? null;
  if (left === null || state.turn !== seat || state.phase !== 'playing') return left;
  return Math.max(0, left - Math.max(0, now - (state.clocks_at ?? now)));
}

/** @typedef {(state: State, event: Event, viewer: number | null) => State} Fold */

/** @param {State} state @param {number} seat @param {Partial<Seat>} changes @returns {State} */
function withSeat(state, seat, changes) {
  const seats = state.seats.map((taken, index) => (index === seat && taken ? { ...taken, ...changes } : taken));
  return { ...state, seats };
}

/** A move of a seat: its number, which rivals in mirror are not told of, and its score where the event has one. @type {Fold} */
function counted(state, { seat, n, score }, viewer) {
  const taken = state.seats[seat];
  if (!taken) return state;
  const told = !state.boards || viewer === null || viewer === seat;
  return withSeat(state, seat, { last_n: told ? Math.max(taken.last_n, n ?? 0) : 0, score: score ?? taken.score });
}

/** Turn, clocks and end of the game, where the event has them. @type {Fold} */
function timed(state, { at, turn, clocks, ends_at }) {
  if (clocks) state = { ...state, clocks, clocks_at: at ?? null, turn: turn === undefined ? state.turn : turn };
  return ends_at ? { ...state, ends_at } : state;
}

/**
 * Change the board that a seat plays on; nothing where it cannot be seen.
 * @param {State} state
 * @param {number | null | undefined} seat
 * @param {(board: Board) => Board} change
 * @param {Event} event  with `left`, and `open` and `adds_left` where they are told
 * @returns {State}
 */
function withBoard(state, seat, change, event) {
  const board = boardOf(state, seat);
  if (!board) return state;
  const shown = state.boards ? state.boards[seat ?? -1] : state;
  const after = change(board);
  const changes = {
    board: after.text(), ids: [...after.ids], next_id: after.nextId, left: event.left,
    open: event.open ?? null, adds_left: event.adds_left ?? shown?.adds_left ?? 0,
  };
  if (!state.boards) return { ...state, ...changes };
  return { ...state, boards: state.boards.map((other, index) => (index === seat && other ? { ...other, ...changes } : other)) };
}

/** Mirror: what everybody may know of a seat's board. @type {Fold} */
function progressed(state, { seat, left, rows, rows_closed }) {
  if (!state.progress) return state;
  const progress = state.progress.map((known, index) =>
    index === seat ? { left, rows_closed: rows_closed ?? (known?.rows_closed ?? 0) + (rows?.length ?? 0) } : known);
  return { ...state, progress };
}

/** Whoever leaves or is unready stops the countdown. @param {State} state @returns {State} */
const stopped = (state) => (state.phase === 'starting' ? { ...state, phase: 'open', starts_at: null } : state);

/** @type {Fold} */
function created(_, event) {
  const { mode, options, code, host, commit = null, join_by, daily } = event;
  const seats = Array(options.max_players).fill(null);
  const shared = { ...NO_BOARD, adds_left: options.adds ?? 0 };
  const boards = mode === 'mirror' ? { boards: [...seats], progress: [...seats] } : shared;
  const { tournament } = event;
  const meeting = {
    ...(join_by !== undefined && { join_by }), ...(daily && { daily }), ...(tournament && { tournament }),
  };
  const teams = options.teams === 'chosen' ? { teams: seats.map((_, seat) => seat % 2) } : {};
  const told = { mode, options, private: event.private, code, host, commit, ...meeting, seats, ...teams };
  return /** @type {State} */ ({ ...ROOM, ...told, ...boards });
}

/** @type {Fold} */
function seated(state, { seat, player, ready }) {
  const taken = { player, ready: Boolean(ready || player.bot), score: 0, mistakes: 0, locked_until: null, out: false, last_n: 0 };
  return { ...state, seats: state.seats.map((other, index) => (index === seat ? taken : other)) };
}

/** @type {Fold} */
function unseated(state, { seat, host }) {
  return stopped({ ...state, host: host ?? state.host, seats: state.seats.map((taken, index) => (index === seat ? null : taken)) });
}

/** @type {Fold} */
function readied(state, { seat, ready }) {
  const after = withSeat(state, seat, { ready });
  return ready ? after : stopped(after);
}

/** @type {Fold} */
function started(state, event, viewer) {
  const board = Board.parse(event.board);
  /** @type {BoardState} */
  const dealt = {
    board: event.board, ids: [...board.ids], next_id: board.nextId, left: board.left, adds_left: event.adds_left,
    open: state.mode === 'race' ? null : board.hasPair(),
  };
  const teams = event.teams && { teams: event.teams };
  const playing = timed({ ...state, phase: 'playing', ...teams }, event, viewer);
  if (!state.boards) return { ...playing, ...dealt };
  const sees = (/** @type {number} */ seat) => state.seats[seat] && (viewer === null || viewer === seat);
  return {
    ...playing,
    boards: state.seats.map((_, seat) => (sees(seat) ? { ...dealt } : null)),
    progress: state.seats.map((taken) => taken && { left: board.left, rows_closed: 0 }),
  };
}

/** @type {Fold} */
function matched(state, event, viewer) {
  const after = withBoard(state, event.seat, (board) => board.play(event.a, event.b).board, event);
  return timed(progressed(counted(after, event, viewer), event, viewer), event, viewer);
}

/** @type {Fold} */
function mistaken(state, event, viewer) {
  const { mistakes = 0, locked_until = null } = state.seats[event.seat] ?? {};
  const changes = { mistakes: mistakes + 1, locked_until: event.locked_until ?? locked_until };
  const after = withSeat(state, event.seat, changes);
  return timed(counted(after, event, viewer), event, viewer);
}

/** @type {Fold} */
function added(state, event, viewer) {
  const after = withBoard(state, event.seat, (board) => board.add(event.digits, event.first), event);
  return timed(progressed(counted(after, event, viewer), event, viewer), event, viewer);
}

/** @type {Fold} */
function progress(state, event, viewer) {
  const after = withSeat(state, event.seat, { score: event.score, mistakes: event.mistakes });
  return timed(progressed(after, event, viewer), event, viewer);
}

/** @type {Fold} */
function passed(state, event, viewer) {
  return timed(counted(state, event, viewer), event, viewer);
}

/** @type {Fold} */
function wentOut(state, event, viewer) {
  return timed(counted(withSeat(state, event.seat, { out: true }), event, viewer), event, viewer);
}

/** @type {Fold} */
function shifted(state, { by_ms }) {
  const later = (/** @type {number | null} */ time) => (time === null ? null : time + by_ms);
  const seats = state.seats.map((taken) => taken && { ...taken, locked_until: later(taken.locked_until) });
  const { starts_at, join_by, ends_at, clocks_at } = state;
  const changes = { ends_at: later(ends_at), clocks_at: later(clocks_at) };
  const meeting = join_by === undefined ? {} : { join_by: join_by + by_ms };
  const waiting = state.phase === 'playing' ? {} : { starts_at: later(starts_at), ...meeting };
  return { ...state, seats, ...changes, ...waiting };
}

/** @type {Fold} */
function ended(state, { ranking, seed = null, salt = null }) {
  // In a race nobody is told before the end whether a legal pair is left.
  const open = state.boards ? {} : { open: state.open ?? boardOf(state, null)?.hasPair() ?? null };
  return { ...state, phase: 'over', turn: null, ...open, ranking, seed, salt };
}

/** @type {Map<string, Fold>} */
const KINDS = new Map(Object.entries({
  created, seated, unseated, readied, started, matched, mistaken, added, progress, passed, shifted, ended,
  called: counted,
  starting: (state, { starts_at }) => ({ ...state, phase: 'starting', starts_at }),
  flagged: wentOut,
  resigned: wentOut,
}));
