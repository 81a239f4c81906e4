/**
 * The board as a client has it: an immutable value that can be drawn, and that judges, plays and adds by `rules.js`.
 * @module
 */

import * as rules from './rules.js';
import { COLUMNS, NotationError } from './rules.js';

export { COLUMNS, NotationError };

/**
 * A slot of the board. A hole has digit 0 and id null.
 * @typedef {{readonly index: number, readonly row: number, readonly column: number,
 *            readonly digit: number, readonly id: number | null}} Cell
 */

/**
 * A place to draw at, in units of cells; whole numbers are centres, −0.5 and 8.5 the outer edges.
 * @typedef {{row: number, column: number}} Point
 */

/**
 * The line between two numbers, open or not.
 * @typedef {object} Path
 * @property {import('./rules.js').Family} family
 * @property {number} gap        slots strictly between the two
 * @property {number} points     what the pair is worth if legal: touching 1, edge 2, far 4
 * @property {boolean} open      no active number lies between
 * @property {number[]} blockers ids of the active numbers between, in reading order
 * @property {Cell[]} cells      the slots strictly between, in reading order
 * @property {[Point, Point][]} segments  what to draw: one piece, or two for a wrap
 */

/** @typedef {import('./rules.js').Fault} Fault */

/** @typedef {{code: Fault, blockers: number[], path: Path | null}} Verdict */

/** An immutable board of nine columns. */
export class Board {
  /** Every slot in reading order. @type {readonly Cell[]} */
  cells;
  /** Ids of the active numbers in reading order. @type {readonly number[]} */
  ids;
  /** The id that the next number added will get. @type {number} */
  nextId;
  /** @type {Map<number, Cell>} */
  #byId = new Map();
  /** @type {string | undefined} */
  #text;

  /**
   * Most callers want `Board.parse`.
   * @param {readonly import('./rules.js').Slot[]} slots  in reading order
   * @param {number} nextId
   */
  constructor(slots, nextId) {
    this.cells = slots.map(({ digit, id }, index) =>
      Object.freeze({ index, row: Math.floor(index / COLUMNS), column: index % COLUMNS, digit, id }));
    for (const cell of this.cells) if (cell.id !== null) this.#byId.set(cell.id, cell);
    this.ids = [...this.#byId.keys()];
    this.nextId = nextId;
  }

  /**
   * Read a board: rows of nine joined by `/`, a digit or `.` a slot; only the last row may be shorter.
   * @param {string} text
   * @param {readonly number[]} [ids]  of the active numbers in reading order; default 0, 1, 2 …
   * @param {number} [nextId]          default: one more than the highest id
   * @returns {Board}
   * @throws {NotationError} text or ids that are no board
   */
  static parse(text, ids, nextId) {
    const slots = rules.parse(text, ids);
    return new Board(slots, nextId ?? Math.max(-1, ...slots.map(({ id }) => id ?? -1)) + 1);
  }

  /** How many numbers are active. */
  get left() {
    return this.ids.length;
  }

  /** How many rows there are. */
  get rows() {
    return Math.ceil(this.cells.length / COLUMNS);
  }

  /** The board as text. @returns {string} */
  text() {
    this.#text ??= rules.text(this.cells);
    return this.#text;
  }

  /** CRC-32 (IEEE) of the text, as the server puts it on events. @returns {number} */
  hash() {
    return rules.hash(this.cells);
  }

  /** The cell of an active number, or null. @param {number} id @returns {Cell | null} */
  at(id) {
    return this.#byId.get(id) ?? null;
  }

  /** The slot at a row and column, or null where there is none. @param {number} row @param {number} column */
  slot(row, column) {
    return column >= 0 && column < COLUMNS ? (this.cells[row * COLUMNS + column] ?? null) : null;
  }

  /**
   * Judge a pair; the first check that fails gives the code.
   * @param {number} a
   * @param {number} b
   * @returns {Verdict}
   */
  judge(a, b) {
    return { ...rules.judge(this.cells, this.nextId, a, b), path: this.path(a, b) };
  }

  /**
   * The line between two active numbers, whether open or not; null when none joins them.
   * Where two families apply at once (down to the next row, and on past the edge) it is the straight one.
   * @param {number} a
   * @param {number} b
   * @returns {Path | null}
   */
  path(a, b) {
    const ends = [this.at(a), this.at(b)];
    if (!ends[0] || !ends[1] || a === b) return null;
    const [first, second] = ends[0].index < ends[1].index ? [ends[0], ends[1]] : [ends[1], ends[0]];
    const line = rules.lines(first.index, second.index)[0];
    if (!line) return null;
    const cells = rules.between(first.index, second.index, line).map((index) => this.cells[index]);
    const blockers = rules.blockers(this.cells, first.index, second.index, line);
    const { family } = line;
    const [gap, points, segments] = [cells.length, rules.worth(line, cells.length), drawn(family, first, second)];
    return { family, gap, points, open: !blockers.length, blockers, cells, segments };
  }

  /** Every legal pair, as ids, in reading order of the earlier number. @returns {[number, number][]} */
  pairs() {
    return rules.pairs(this.cells);
  }

  /** Is there a legal pair? @returns {boolean} */
  hasPair() {
    return rules.hasPair(this.cells);
  }

  /**
   * Match a legal pair: both become holes, then wholly empty rows close.
   * @param {number} a
   * @param {number} b
   * @returns {{board: Board, rows: number[], points: number, cleared: boolean}}  `rows`: indexes before closing,
   *   ascending; `points`: pair and rows, without the bonus for clearing
   * @throws {RangeError} the pair is not legal
   */
  play(a, b) {
    const { slots, ...played } = rules.play(this.cells, a, b);
    return { board: new Board(slots, this.nextId), ...played };
  }

  /** The digits that an Add would append, or null where none is possible on this board. @returns {string | null} */
  added() {
    return rules.mayAdd(this.cells) ? rules.copies(this.cells) : null;
  }

  /**
   * Append numbers after the last slot (an Add).
   * @param {string | null} [digits]  default: the copies of all active numbers
   * @param {number} [first]          id of the first one
   * @returns {Board}
   * @throws {RangeError} no Add is possible
   */
  add(digits = this.added(), first = this.nextId) {
    if (digits === null) throw new RangeError(`no Add on ${JSON.stringify(this.text())}`);
    return new Board(rules.add(this.cells, digits, first), first + digits.length);
  }
}

/**
 * @param {Path['family']} family
 * @param {Cell} first
 * @param {Cell} second
 * @returns {[Point, Point][]}
 */
function drawn(family, first, second) {
  const [from, to] = [first, second].map(({ row, column }) => ({ row, column }));
  if (family !== 'wrap') return [[from, to]];
  return [
    [from, { row: from.row, column: COLUMNS - 0.5 }],
    [{ row: to.row, column: -0.5 }, to],
  ];
}
