/**
 * Following a log, event by event, each with what there is to draw of it.
 * @module
 */

import { boardOf, fold, NOTHING } from './fold.js';

/**
 * @typedef {import('./board.js').Board} Board
 * @typedef {import('./board.js').Cell} Cell
 * @typedef {import('./board.js').Path} Path
 * @typedef {import('./fold.js').Event} Event
 * @typedef {import('./fold.js').State} State
 */

/**
 * One event with what a page needs to draw it.
 * @typedef {object} Step
 * @property {Event} event
 * @property {Board | null} before  the acting board; the same object as `after` if it was not touched
 * @property {Board | null} after
 * @property {State} state
 * @property {State} previous
 * @property {Path | null} path     `matched`, `mistaken`: the line between the two numbers, on `before`
 * @property {Cell[]} cells         `matched`: the two, on `before`; `added`: the new ones, on `after`; `mistaken`: the blockers
 */

/**
 * An event together with what there is to draw of it.
 * @param {State} previous
 * @param {Event} event
 * @param {State} state  after the event
 * @returns {Step}
 */
export function step(previous, event, state) {
  const [before, found] = [boardOf(previous, event.seat), boardOf(state, event.seat)];
  const after = before && before.text() === found?.text() ? before : found;
  const named = before !== null && Number.isInteger(event.a) && Number.isInteger(event.b);
  const path = named && TWO.has(event.kind) ? before.path(event.a, event.b) : null;
  return { event, before, after, state, previous, path, cells: cellsOf(event, before, after) };
}

const TWO = new Set(['matched', 'mistaken']);

/** @param {Event} event @param {Board | null} before @param {Board | null} after @returns {Cell[]} */
function cellsOf(event, before, after) {
  if (event.kind === 'added') return after ? after.cells.slice(-event.digits.length) : [];
  const ids = event.kind === 'matched' ? [event.a, event.b] : event.kind === 'mistaken' ? (event.blockers ?? []) : [];
  return ids.flatMap((/** @type {number} */ id) => before?.at(id) ?? []);
}

/**
 * Go through a record's events from the first.
 * @param {Iterable<Event>} events
 * @param {number | null} [viewer]
 * @returns {Generator<Step, State, void>}
 */
export function* replay(events, viewer = null) {
  /** @type {State} */
  let state = NOTHING;
  for (const event of events) {
    const previous = state;
    state = fold(previous, event, viewer);
    yield step(previous, event, state);
  }
  return state;
}

/**
 * Where an event stands to what is known of a room: a step onward, or why it is none.
 * `old`: known already. `gap`: something is missing before it. `differs`: it does not fit, or our board is not the server's.
 * @param {{seq: number, state: State, seat: number | null}} head
 * @param {Event} event
 * @returns {Step | 'old' | 'gap' | 'differs'}
 */
export function next({ seq, state, seat }, event) {
  const ahead = (event.seq ?? 0) - seq;
  if (ahead < 1) return 'old';
  if (ahead > 1) return 'gap';
  try {
    const taken = step(state, event, fold(state, event, seat));
    return agrees(taken) ? taken : 'differs';
  } catch {
    return 'differs'; // whatever the reason, a fresh snapshot is the cure
  }
}

/** Is our board after the event the server's? @param {Step} step */
function agrees({ event, state, after }) {
  if (typeof event.hash !== 'number') return true;
  // `started` in mirror names no seat: all boards are the deal.
  const board = after ?? state.seats.map((_, seat) => boardOf(state, seat)).find((seen) => seen !== null);
  return !board || board.hash() === event.hash;
}
