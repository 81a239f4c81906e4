// Number Match on one board: who sees whom, what a match removes, what an Add copies. server/rules.md says it in full.
//
// Slots in reading order, a digit each, 0 for a hole; `ids[slot]` names the number there for the whole game.

export const COLUMNS = 9;
const MAX_SLOTS = 540;

export class Board {
  constructor(digits) {
    this.digits = [...digits];
    this.ids = this.digits.map((_, slot) => slot);
    this.nextId = digits.length;
    this.slots = new Map(this.ids.map((id) => [id, id]));
  }

  // Why a and b are no match, or null where they are one.
  judge(a, b) {
    let first = this.slots.get(a);
    let second = this.slots.get(b);
    if (first === undefined || second === undefined) return 'inactive';
    if (first === second) return 'same_number';
    if (!fit(this.digits[first], this.digits[second])) return 'values';
    if (second < first) [first, second] = [second, first];
    if (this.#open(first, second, 1)) return null;
    const rows = Math.floor(second / COLUMNS) - Math.floor(first / COLUMNS);
    const columns = (second % COLUMNS) - (first % COLUMNS);
    if (rows === 0 || (columns !== 0 && Math.abs(columns) !== rows)) return 'not_connected';
    return this.#open(first, second, COLUMNS + columns / rows) ? null : 'blocked';
  }

  #open(first, second, step) {
    let slot = first + step;
    while (slot < second && this.digits[slot] === 0) slot += step;
    return slot === second;
  }

  // Takes a legal pair off; returns the rows that closed, last one first.
  play(a, b) {
    const slots = [this.slots.get(a), this.slots.get(b)];
    for (const slot of slots) this.digits[slot] = 0;
    this.slots.delete(a);
    this.slots.delete(b);
    const rows = [...new Set(slots.map((slot) => Math.floor(slot / COLUMNS)))]
      .sort((one, other) => other - one)
      .filter((row) => !this.digits.slice(row * COLUMNS, (row + 1) * COLUMNS).some(Boolean));
    for (const row of rows) {
      this.digits.splice(row * COLUMNS, COLUMNS);
      this.ids.splice(row * COLUMNS, COLUMNS);
    }
    if (rows.length > 0) this.#index();
    return rows;
  }

  // Whether some pair is legal.
  get alive() {
    return this.digits.some((digit, slot) => digit !== 0 && this.#meets(slot).some((met) => fit(digit, this.digits[met])));
  }

  // The first active numbers that a slot meets going on: along the row, down, and on both diagonals.
  #meets(slot) {
    const column = slot % COLUMNS;
    const ways = [[1, Infinity], [COLUMNS, Infinity], [COLUMNS + 1, COLUMNS - 1 - column], [COLUMNS - 1, column]];
    return ways.flatMap(([step, most]) => {
      let met = slot + step;
      let steps = 1;
      while (steps <= most && met < this.digits.length && this.digits[met] === 0) {
        met += step;
        steps += 1;
      }
      return steps <= most && met < this.digits.length ? [met] : [];
    });
  }

  // Copies what is active to the end; returns the copies, or null where there is nothing to copy or no room for it.
  add() {
    const copies = this.digits.filter(Boolean);
    if (copies.length === 0 || this.digits.length + copies.length > MAX_SLOTS) return null;
    for (const digit of copies) {
      this.slots.set(this.nextId, this.digits.length);
      this.ids.push(this.nextId);
      this.digits.push(digit);
      this.nextId += 1;
    }
    return copies;
  }

  #index() {
    this.slots.clear();
    this.ids.forEach((id, slot) => this.digits[slot] !== 0 && this.slots.set(id, slot));
  }
}

function fit(one, other) {
  return one === other || one + other === 10;
}
