/**
 * The board of Number Match: an immutable value with its own judgement, play and Add.
 *
 * Independent of the server's code: it follows the rules as written (server/rules.md), so that a client can judge
 * a claim before it is made and notice, by the hash, when the two do not agree.
 * @module
 */

export const COLUMNS = 9;
export const MAX_SLOTS = 540;
export const ROW_BONUS = 10;

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
 * @property {'horizontal' | 'vertical' | 'diagonal' | 'wrap'} family
 * @property {number} gap        slots strictly between the two
 * @property {1 | 2 | 4} points  what the pair is worth if legal: touching, edge, far
 * @property {boolean} open      no active number lies between
 * @property {number[]} blockers ids of the active numbers between, in reading order
 * @property {Cell[]} cells      the slots strictly between, in reading order
 * @property {[Point, Point][]} segments  what to draw: one piece, or two for a wrap
 */

/**
 * Why a pair is not legal; null when it is.
 * @typedef {'no_such_number' | 'same_number' | 'inactive' | 'values' | 'not_connected' | 'blocked' | null} Fault
 */

/** @typedef {{code: Fault, blockers: number[], path: Path | null}} Verdict */

/** A text that is no board. */
export class NotationError extends Error {
  name = 'NotationError';
}

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
   * @param {readonly {digit: number, id: number | null}[]} slots  in reading order
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
    const rows = text === '' ? [] : text.split('/');
    rows.forEach((row, index) => {
      const fits = index < rows.length - 1 ? row.length === COLUMNS : row.length >= 1 && row.length <= COLUMNS;
      if (!fits || !/^[1-9.]*$/.test(row)) throw new NotationError(`row ${index} of a board: ${JSON.stringify(row)}`);
    });
    let active = 0;
    const slots = [...rows.join('')].map((sign) =>
      sign === '.' ? HOLE : { digit: Number(sign), id: ids ? (ids[active++] ?? NaN) : active++ });
    const board = new Board(slots, nextId ?? Math.max(-1, ...(ids ?? [active - 1])) + 1);
    if (ids && (ids.length !== active || new Set(ids).size !== active)) {
      throw new NotationError(`${ids.length} ids for ${active} numbers, or one of them twice`);
    }
    return board;
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
    this.#text ??= this.cells
      .map(({ digit, index }) => (index && index % COLUMNS === 0 ? '/' : '') + (digit || '.'))
      .join('');
    return this.#text;
  }

  /** CRC-32 (IEEE) of the text, as the server puts it on events. @returns {number} */
  hash() {
    return crc32(this.text());
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
    const [first, second] = [this.at(a), this.at(b)];
    const path = this.path(a, b);
    /** @type {(code: Fault) => Verdict} */
    const verdict = (code) => ({ code, blockers: code === 'blocked' && path ? path.blockers : [], path });
    if (![a, b].every((id) => Number.isInteger(id) && id >= 0 && id < this.nextId)) return verdict('no_such_number');
    if (a === b) return verdict('same_number');
    if (!first || !second) return verdict('inactive');
    if (!fits(first, second)) return verdict('values');
    if (!path) return verdict('not_connected');
    return verdict(path.open ? null : 'blocked');
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
    const line = straight(first, second) ?? wrap(first, second);
    return line && this.#pathAlong(line.family, line.step, first, second);
  }

  /**
   * @param {Path['family']} family
   * @param {number} step  between neighbours on this line, in slots
   * @param {Cell} first
   * @param {Cell} second
   * @returns {Path}
   */
  #pathAlong(family, step, first, second) {
    /** @type {Cell[]} */
    const cells = [];
    for (let index = first.index + step; index < second.index; index += step) cells.push(this.cells[index]);
    const blockers = /** @type {number[]} */ (cells.map((cell) => cell.id).filter((id) => id !== null));
    const points = cells.length ? 4 : family === 'wrap' ? 2 : 1;
    const segments = drawn(family, first, second);
    return { family, gap: cells.length, points, open: !blockers.length, blockers, cells, segments };
  }

  /** Every legal pair, as ids, in reading order of the earlier number. @returns {[number, number][]} */
  pairs() {
    return this.cells.flatMap((cell) => this.#partners(cell).map((id) => pair(cell.id, id)));
  }

  /** Is there a legal pair? @returns {boolean} */
  hasPair() {
    return this.cells.some((cell) => this.#partners(cell).length > 0);
  }

  /**
   * The later numbers that an active one pairs with: in each direction the first active one counts, no other.
   * @param {Cell} cell
   * @returns {number[]}
   */
  #partners(cell) {
    if (cell.id === null) return [];
    /** @type {Set<number>} */
    const found = new Set();
    for (const [rowStep, step] of DIRECTIONS) {
      const met = this.#firstActive(cell, rowStep, step);
      if (met && met.id !== null && fits(cell, met)) found.add(met.id);
    }
    return [...found].sort((a, b) => (this.at(a)?.index ?? 0) - (this.at(b)?.index ?? 0));
  }

  /**
   * @param {Cell} from
   * @param {number} rowStep  rows that each step goes down; 0: reading order, into the next row at most
   * @param {number} step     in slots
   * @returns {Cell | null}
   */
  #firstActive(from, rowStep, step) {
    for (let index = from.index + step, row = from.row + rowStep; index < this.cells.length; index += step, row += rowStep) {
      const cell = this.cells[index];
      if (rowStep ? cell.row !== row : cell.row > from.row + 1) return null; // over the edge
      if (cell.id !== null) return cell;
    }
    return null;
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
    const { code, path } = this.judge(a, b);
    if (code || !path) throw new RangeError(`no legal pair (${code}): ${a} and ${b} on ${this.text()}`);
    const slots = this.cells.map((cell) => (cell.id === a || cell.id === b ? HOLE : cell));
    const rows = [...Array(this.rows).keys()].filter((row) => rowOf(slots, row).every(({ id }) => id === null));
    const board = new Board(slots.filter((_, index) => !rows.includes(Math.floor(index / COLUMNS))), this.nextId);
    const whole = rows.filter((row) => rowOf(slots, row).length === COLUMNS);
    return { board, rows, points: path.points + ROW_BONUS * whole.length, cleared: board.left === 0 };
  }

  /** The digits that an Add would append, or null where none is possible on this board. @returns {string | null} */
  added() {
    const possible = this.left > 0 && this.cells.length + this.left <= MAX_SLOTS;
    return possible ? this.cells.map(({ digit }) => digit || '').join('') : null;
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
    const copies = [...digits].map((digit, offset) => ({ digit: Number(digit), id: first + offset }));
    return new Board([...this.cells, ...copies], first + copies.length);
  }
}

const HOLE = Object.freeze({ digit: 0, id: null });

/** Rows down and slots onward for each direction in which a number meets later ones. */
const DIRECTIONS = [[0, 1], [1, COLUMNS - 1], [1, COLUMNS], [1, COLUMNS + 1]];

/** @param {Cell} a @param {Cell} b */
const fits = (a, b) => a.digit === b.digit || a.digit + b.digit === 10;

/** @template T @param {readonly T[]} slots @param {number} row */
const rowOf = (slots, row) => slots.slice(row * COLUMNS, (row + 1) * COLUMNS);

/** @param {number | null} a @param {number} b @returns {[number, number]} */
const pair = (a, b) => [Number(a), b];

/**
 * @param {Cell} first  the earlier in reading order
 * @param {Cell} second
 * @returns {{family: Path['family'], step: number} | null}
 */
function straight(first, second) {
  const rows = second.row - first.row;
  const columns = second.column - first.column;
  if (rows === 0) return { family: 'horizontal', step: 1 };
  if (columns === 0) return { family: 'vertical', step: COLUMNS };
  // Columns decide, not the distance in slots: eight slots on may be the end of the same row.
  if (Math.abs(columns) === rows) return { family: 'diagonal', step: COLUMNS + columns / rows };
  return null;
}

/** @param {Cell} first @param {Cell} second @returns {{family: Path['family'], step: number} | null} */
function wrap(first, second) {
  return second.row - first.row === 1 ? { family: 'wrap', step: 1 } : null;
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

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? 0xedb88320 ^ (byte >>> 1) : byte >>> 1;
  return byte;
});

/** CRC-32 (IEEE) of an ASCII text. @param {string} text @returns {number} */
export function crc32(text) {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at++) crc = CRC_TABLE[(crc ^ text.charCodeAt(at)) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
