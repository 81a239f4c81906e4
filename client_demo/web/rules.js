/**
 * The rules of Number Match, as the rules page has them (server/rules.md, whose rules are cited by number): the board,
 * who sees whom, verdicts, points, closing rows, Add, the deal. Pure functions over slots in reading order.
 *
 * They were written from that page and share nothing with the server's code. So where the two agree, neither has
 * misread it; `verify.js` holds finished games against them.
 * @module
 */

import { crc32, fromHex, sha256, toHex } from './hashes.js';

/**
 * A slot of the board: an active number with its id, or a hole with digit 0 and id null.
 * @typedef {{readonly digit: number, readonly id: number | null}} Slot
 */

/** @typedef {readonly Slot[]} Slots  in reading order */

/** @typedef {'horizontal' | 'vertical' | 'diagonal' | 'wrap'} Family */

/** A line from an earlier slot to a later one; `step`: slots from one cell on it to the next. @typedef {{family: Family, step: number}} Line */

/**
 * Why a pair is not legal; null when it is.
 * @typedef {'no_such_number' | 'same_number' | 'inactive' | 'values' | 'not_connected' | 'blocked' | null} Fault
 */

export const COLUMNS = 9;
export const MAX_SLOTS = 540;
export const SCORES = Object.freeze({
  touching: 1, edge: 2, far: 4, row: 10, clearShared: 20, clearOwn: 150, unusedAdd: 10, call: 3, mistake: -2,
});

/** @type {Slot} */
export const HOLE = Object.freeze({ digit: 0, id: null });

/** A text that is no board. */
export class NotationError extends Error {
  name = 'NotationError';
}

// The board as text

/**
 * Read a board: rows of nine joined by `/`, a digit or `.` a slot; only the last row may be shorter (2).
 * @param {string} text
 * @param {readonly number[]} [ids]  of the active numbers in reading order; default 0, 1, 2 …
 * @returns {Slot[]}
 * @throws {NotationError} text or ids that are no board
 */
export function parse(text, ids) {
  const rows = text === '' ? [] : text.split('/');
  rows.forEach((row, index) => {
    const whole = index < rows.length - 1 ? row.length === COLUMNS : row.length >= 1 && row.length <= COLUMNS;
    if (!whole || !/^[1-9.]*$/.test(row)) throw new NotationError(`row ${index} of a board: ${JSON.stringify(row)}`);
  });
  let active = 0;
  const slots = [...rows.join('')].map((sign) =>
    sign === '.' ? HOLE : { digit: Number(sign), id: ids ? (ids[active++] ?? NaN) : active++ });
  if (ids && (ids.length !== active || new Set(ids).size !== active)) {
    throw new NotationError(`${ids.length} ids for ${active} numbers, or one of them twice`);
  }
  return slots;
}

/** @param {Slots} slots @returns {string} */
export const text = (slots) =>
  slots.map(({ digit }, index) => (index && index % COLUMNS === 0 ? '/' : '') + (digit || '.')).join('');

/** CRC-32 (IEEE) of the text, as every event of a game has it. @param {Slots} slots @returns {number} */
export const hash = (slots) => crc32(text(slots));

/** How many numbers are active. @param {Slots} slots */
export const left = (slots) => slots.filter(({ id }) => id !== null).length;

// Who sees whom

/** @param {Slot} a @param {Slot} b  both active */
export const fits = (a, b) => a.digit === b.digit || a.digit + b.digit === 10;

/** @param {number} index */
const rowOf = (index) => Math.floor(index / COLUMNS);

/**
 * The lines that join two slots, by their indexes: a straight one first, then a wrap. There may be both, in
 * neighbouring rows.
 * @param {number} first  the earlier in reading order
 * @param {number} second
 * @returns {Line[]}
 */
export function lines(first, second) {
  const down = rowOf(second) - rowOf(first);
  const across = (second % COLUMNS) - (first % COLUMNS);
  /** @type {Line[]} */
  const found = [];
  // Columns decide, not the distance in slots: eight slots on may be the end of the same row.
  if (down === 0) found.push({ family: 'horizontal', step: 1 });
  else if (across === 0) found.push({ family: 'vertical', step: COLUMNS });
  else if (Math.abs(across) === down) found.push({ family: 'diagonal', step: COLUMNS + across / down });
  if (down === 1) found.push({ family: 'wrap', step: 1 });
  return found;
}

/** The indexes strictly between two slots on a line that joins them. @param {number} first @param {number} second @param {Line} line */
export function between(first, second, { step }) {
  const found = [];
  for (let index = first + step; index < second; index += step) found.push(index);
  return found;
}

/** The ids of the active numbers between two slots on a line, in reading order. @param {Slots} slots @param {number} first @param {number} second @param {Line} line */
export const blockers = (slots, first, second, line) =>
  /** @type {number[]} */ (between(first, second, line).map((index) => slots[index].id).filter((id) => id !== null));

/**
 * Judge a pair; the first check that fails gives the code.
 * @param {Slots} slots
 * @param {number} nextId  the id that the next number added will get
 * @param {number} a
 * @param {number} b
 * @returns {{code: Fault, blockers: number[]}}  blockers: ids, when that is the code
 */
export function judge(slots, nextId, a, b) {
  /** @type {(code: Fault, blockers?: number[]) => {code: Fault, blockers: number[]}} */
  const verdict = (code, blockers = []) => ({ code, blockers });
  if (![a, b].every((id) => Number.isInteger(id) && id >= 0 && id < nextId)) return verdict('no_such_number');
  if (a === b) return verdict('same_number');
  const [first, second] = ends(slots, a, b);
  if (first < 0) return verdict('inactive');
  if (!fits(slots[first], slots[second])) return verdict('values');
  const joining = lines(first, second);
  if (!joining.length) return verdict('not_connected');
  const closed = joining.map((line) => blockers(slots, first, second, line));
  return closed.every((active) => active.length) ? verdict('blocked', closed[0]) : verdict(null);
}

/** The indexes of two numbers, the earlier first; −1 first where one is not active. @param {Slots} slots @param {number} a @param {number} b */
const ends = (slots, a, b) =>
  [a, b].map((id) => slots.findIndex((slot) => slot.id === id)).sort((one, other) => one - other);

/**
 * Every legal pair, as ids, in reading order of the earlier number: its later numbers are among the first active ones
 * that it meets going on in reading order, straight down, and down to either side.
 * @param {Slots} slots
 * @returns {[number, number][]}
 */
export const pairs = (slots) =>
  slots.flatMap(({ id }, index) => partners(slots, index).map((other) => /** @type {[number, number]} */ ([id, slots[other].id])));

/** Is there a legal pair? @param {Slots} slots @returns {boolean} */
export const hasPair = (slots) => slots.some((_, index) => partners(slots, index).length > 0);

/** Rows down and slots onward for each direction in which a number meets later ones. */
const DIRECTIONS = [[0, 1], [1, COLUMNS - 1], [1, COLUMNS], [1, COLUMNS + 1]];

/** The later slots that an active one pairs with, ascending. @param {Slots} slots @param {number} index @returns {number[]} */
function partners(slots, index) {
  if (slots[index].id === null) return [];
  const met = DIRECTIONS.map(([down, step]) => firstActive(slots, index, down, step));
  return [...new Set(met)].filter((other) => other >= 0 && fits(slots[index], slots[other])).sort((a, b) => a - b);
}

/**
 * @param {Slots} slots
 * @param {number} from
 * @param {number} down  rows that each step goes down; 0: reading order, into the next row at most
 * @param {number} step  in slots
 * @returns {number}  an index, or −1
 */
function firstActive(slots, from, down, step) {
  for (let index = from + step, row = rowOf(from) + down; index < slots.length; index += step, row += down) {
    if (down ? rowOf(index) !== row : rowOf(index) > row + 1) return -1; // over the edge
    if (slots[index].id !== null) return index;
  }
  return -1;
}

// What a match and an Add do

/** What a pair is worth on a line with so many slots between. @param {Line} line @param {number} gap @returns {number} */
export const worth = ({ family }, gap) => (gap ? SCORES.far : family === 'wrap' ? SCORES.edge : SCORES.touching);

/**
 * Match a legal pair: both become holes, then every row that is wholly empty closes, a short last one too (5–8).
 * @param {Slots} slots
 * @param {number} a
 * @param {number} b
 * @returns {{slots: Slot[], rows: number[], points: number, cleared: boolean}}  `rows`: indexes before closing,
 *   ascending; `points`: pair and rows, without those for clearing
 * @throws {RangeError} the pair is not legal
 */
export function play(slots, a, b) {
  const { code } = judge(slots, Infinity, a, b);
  const [first, second] = ends(slots, a, b);
  const open = lines(first, second).find((line) => !blockers(slots, first, second, line).length);
  if (code || !open) throw new RangeError(`no legal pair (${code}): ${a} and ${b} on ${text(slots)}`);
  const after = slots.map((slot, index) => (index === first || index === second ? HOLE : slot));
  const rows = [...new Set([first, second].map(rowOf))].filter((row) => inRow(after, row).every(({ id }) => id === null));
  const whole = rows.filter((row) => inRow(after, row).length === COLUMNS);
  const kept = after.filter((_, index) => !rows.includes(rowOf(index)));
  const points = worth(open, between(first, second, open).length) + SCORES.row * whole.length;
  return { slots: kept, rows, points, cleared: kept.length === 0 };
}

/** @template T @param {readonly T[]} slots @param {number} row */
const inRow = (slots, row) => slots.slice(row * COLUMNS, (row + 1) * COLUMNS);

/** The digits that an Add appends: of all active numbers in reading order (9). @param {Slots} slots @returns {string} */
export const copies = (slots) => slots.map(({ digit }) => digit || '').join('');

/** Does the board allow an Add (10)? Whether one remains is the game's to know. @param {Slots} slots */
export const mayAdd = (slots) => left(slots) > 0 && slots.length + left(slots) <= MAX_SLOTS;

/** Append numbers after the last slot. @param {Slots} slots @param {string} digits @param {number} first  id of the first @returns {Slot[]} */
export const add = (slots, digits, first) =>
  [...slots, ...[...digits].map((digit, offset) => ({ digit: Number(digit), id: first + offset }))];

// The deal

const CLASSIC = '123456789/111213141/516171819';

/** Legal pairs that a deal of this size must have: [least, most]. @type {Record<number, [number, number]>} */
const PAIRS = { 27: [12, 20], 35: [18, 27], 36: [19, 28] };

/**
 * The board that follows from a seed (12).
 * @param {string | null} seed  64 hex digits; ignored for the classic deal
 * @param {number} [size]       9–180
 * @param {'random' | 'even' | 'classic'} [kind]
 * @returns {string} the board as text
 * @throws {RangeError} the seed is not 64 hex digits, or the size is out of range
 */
export function deal(seed, size = 35, kind = 'random') {
  if (kind === 'classic') return CLASSIC;
  if (!(size >= 9 && size <= 180)) throw new RangeError(`a deal has 9 to 180 numbers, not ${size}`);
  const bytes = seedBytes(seed);
  for (let attempt = 0; ; attempt++) {
    const board = digits(bytes, attempt, size).match(/.{1,9}/g)?.join('/') ?? '';
    if (taken(board, size, kind)) return board;
  }
}

/** SHA-256 of a seed, in hex: what the room shows before the start (13). @param {string | null} seed 64 hex digits */
export const commitment = (seed) => toHex(sha256(seedBytes(seed)));

/** @param {string | null} hex @returns {Uint8Array} */
function seedBytes(hex) {
  if (!hex || !/^[0-9a-f]{64}$/i.test(hex)) throw new RangeError(`a seed is 64 hex digits, not ${JSON.stringify(hex)}`);
  return fromHex(hex);
}

/** The digit stream of one attempt. @param {Uint8Array} seed @param {number} attempt @param {number} size */
function digits(seed, attempt, size) {
  let found = '';
  const block = new Uint8Array(seed.length + 8);
  block.set(seed);
  const numbers = new DataView(block.buffer, seed.length);
  numbers.setUint32(0, attempt);
  for (let index = 0; found.length < size; index++) {
    numbers.setUint32(4, index);
    for (const byte of sha256(block)) if (byte < 252) found += 1 + (byte % 9);
  }
  return found.slice(0, size);
}

/** @param {string} board @param {number} size @param {string} kind */
function taken(board, size, kind) {
  const [least, most] = PAIRS[size] ?? [1, Infinity];
  const count = pairs(parse(board)).length;
  return count >= least && count <= most && (kind !== 'even' || isEven(board));
}

/** Is the count of each class {1,9} {2,8} {3,7} {4,6} {5} even? @param {string} board */
function isEven(board) {
  const counts = [0, 0, 0, 0, 0, 0];
  for (const sign of board) if (sign !== '/') counts[Math.min(Number(sign), 10 - Number(sign))]++;
  return counts.every((count) => count % 2 === 0);
}
