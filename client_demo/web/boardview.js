/**
 * The board as one sees and touches it: rows of nine cells, active numbers as buttons (`data-id` is the number's id),
 * holes as dots. It shows what it is told and reports pairs; it judges nothing.
 */
import { el, put } from './elements.js';
import { stillness } from './settings.js';
import { t } from './texts.js';
import { Strokes } from './strokes.js';
import { next } from './boardkeys.js';

const COLUMNS = 9;
const LINE = 1000; // ms for which a line is seen; style.css fades it within
const FOLD_AFTER = 320; // ms: the line is seen before its row closes
const FOLD = 200; // ms
const WRITE = 20; // ms between two numbers of an Add
const FLASH = 1400; // ms

export class BoardView {
  /**
   * `onpair(a, b)`: the second number was tapped; returning false keeps the first one picked. `onpick(id)`: a number was
   * picked (null: let go). Without `onpair` the board is to look at only. `seat` colours what is picked.
   */
  constructor({ onpair = null, onpick = () => {}, seat = 0, label = t('board') } = {}) {
    this.onpair = onpair;
    this.onpick = onpick;
    this.picked = null;
    this.rows = [];
    this.buttons = new Map();
    this.grid = el('div', { class: 'grid', role: 'grid', 'aria-label': label, 'aria-colcount': COLUMNS });
    this.strokes = new Strokes();
    const kind = `board s${seat}${onpair ? '' : ' still'}`;
    this.element = el('div', { class: kind }, el('div', { class: 'sheet' }, this.grid, this.strokes.element));
    this.grid.addEventListener('pointerdown', (event) => this.#pressed(event));
    this.grid.addEventListener('click', (event) => this.#clicked(event));
    this.grid.addEventListener('keydown', (event) => this.key(event));
  }

  /** Replace everything by a `Board`. */
  show(board) {
    const focused = this.grid.contains(document.activeElement) && Number(document.activeElement.dataset.id);
    this.buttons.clear();
    this.rows = [];
    put(this.grid);
    for (const cell of board.cells) this.#write(cell.id, cell.digit);
    this.strokes.clear();
    if (!this.buttons.has(this.picked)) this.letGo();
    this.#mark(this.picked, 'pick', true);
    this.#relabel();
    if (focused !== false) this.#focus(focused);
  }

  /** A pair was taken: its line and points in the seat's colour, the numbers fade, rows (by index) fold. */
  matched({ a, b, rows = [], seat, points = 0, wrap = false }) {
    const [first, second] = [this.#find(a), this.#find(b)];
    const places = [this.#place(first), this.#place(second)];
    this.strokes.line(...places, { wrap, kind: `taken s${seat}`, life: LINE });
    if (points) this.strokes.points(places[1], points, `s${seat}`);
    const focused = [a, b].find((id) => this.buttons.get(id) === document.activeElement);
    const heir = focused === undefined ? null : this.#heir(focused, [a, b]);
    for (const cell of [first, second]) this.#erase(cell, seat);
    this.#fold(rows);
    this.#relabel(Math.min(...rows, this.rows.length)); // only what has moved
    if (heir !== null) this.#focus(heir);
  }

  /** Numbers were added: digits as text, ids from `first` on; they write themselves in one by one. */
  added({ digits, first }) {
    const pace = stillness() ? 0 : Math.min(WRITE, 1600 / digits.length);
    const from = Math.max(0, this.rows.length - 1);
    for (const [i, digit] of [...digits].entries()) {
      const button = this.#write(first + i, Number(digit));
      button.classList.add('new');
      button.style.animationDelay = `${Math.round(i * pace)}ms`;
    }
    this.#relabel(from);
  }

  /** A claim was wrong: dashed line, what lies between is marked for a moment. */
  refused({ a, b, blockers = [], wrap = false }) {
    const [first, second] = [this.#find(a), this.#find(b)];
    if (first && second && first !== second) {
      this.strokes.line(this.#place(first), this.#place(second), { wrap, kind: 'refused', life: FLASH });
    }
    this.flash([a, b], 'wrong');
    this.flash(blockers, 'block');
  }

  /** A lasting line between two numbers, for pictures; `seat` null draws it as refused. */
  keep(a, b, seat, { wrap = false, blockers = [] } = {}) {
    const kind = seat === null ? 'kept refused' : `kept s${seat}`;
    this.strokes.line(this.#place(this.#find(a)), this.#place(this.#find(b)), { wrap, kind, life: null });
    for (const id of blockers) this.#mark(id, 'block', true);
  }

  /** Mark numbers for a moment; `name` is a class of style.css. */
  flash(ids, name) {
    for (const id of ids) this.#flash(id, name);
  }

  /** Show or end the wait for the answer to a claim. */
  waiting(ids, on) {
    for (const id of ids) this.#mark(id, 'wait', on);
  }

  /** Pick a number (null: let go of the one picked). */
  pick(id) {
    this.#mark(this.picked, 'pick', false);
    this.picked = id;
    this.#mark(id, 'pick', true);
  }

  /** Let go of the picked number, if any. */
  letGo() {
    this.pick(null);
  }

  /** Whether what is shown is this board, holes and all. */
  shows(board) {
    const slots = this.#slots;
    return slots.length === board.cells.length && board.cells.every(({ id }, at) => slots[at].id === id);
  }

  /** The ids shown, in reading order. */
  get ids() {
    return this.#slots.flatMap((slot) => (slot.id === null ? [] : [slot.id]));
  }

  get #slots() {
    return this.rows.flatMap((row) => row.cells);
  }

  // A mouse counts when it is pressed: in a race the hand is on its way to the next number before it is let go. A finger
  // counts when it is lifted, as it may be there to scroll.
  #pressed({ pointerType, button, target }) {
    this.mouse = pointerType === 'mouse' && button === 0;
    if (this.mouse) this.#tapped(target.closest('button'));
  }

  #clicked({ detail, target }) {
    const told = this.mouse && detail > 0; // by the press; one by key has no detail
    this.mouse = false;
    if (!told) this.#tapped(target.closest('button'));
  }

  #tapped(button) {
    if (!button || !this.onpair) return;
    const id = Number(button.dataset.id);
    this.#stop(button);
    if (this.picked === null || this.picked === id) {
      this.pick(this.picked === id ? null : id);
      this.onpick(this.picked);
    } else if (this.onpair(this.picked, id) !== false) this.letGo();
  }

  /** A key was pressed on the board, or is to lead onto it. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && this.picked !== null) {
      this.letGo();
      this.onpick(null);
      return;
    }
    const target = next(this.#slots, Number(document.activeElement.dataset.id), event.key);
    if (target === null) return;
    event.preventDefault();
    this.#focus(target);
  }

  #write(id, digit) {
    let row = this.rows.at(-1);
    if (!row || row.cells.length === COLUMNS) {
      row = { element: el('div', { class: 'row', role: 'row' }), cells: [] };
      this.rows.push(row);
      this.grid.append(row.element);
    }
    const element = el('span', { class: id === null ? 'cell hole' : 'cell', role: 'gridcell' });
    row.cells.push({ element, id, digit });
    row.element.append(element);
    if (id === null) return null;
    const button = el('button', { type: 'button', class: 'number', tabindex: -1, data: { id } }, String(digit));
    if (!this.onpair) button.setAttribute('aria-disabled', 'true');
    this.buttons.set(id, button);
    element.append(button);
    return button;
  }

  #erase(cell, seat) {
    if (this.picked === cell.id) {
      this.letGo();
      this.onpick(null);
    }
    this.buttons.delete(cell.id);
    cell.element.className = `cell hole s${seat}`;
    const ghost = el('span', { class: 'ghost', 'aria-hidden': 'true' }, String(cell.digit));
    setTimeout(() => ghost.remove(), LINE);
    put(cell.element, ghost);
    cell.id = null;
  }

  #fold(indexes) {
    const closing = indexes.map((index) => this.rows[index]);
    this.rows = this.rows.filter((row) => !closing.includes(row));
    for (const { element } of closing) {
      element.setAttribute('aria-hidden', 'true');
      if (stillness() || !this.element.isConnected) element.remove();
      else fold(element);
    }
  }

  // Say anew where the numbers are, in the rows from one on.
  #relabel(from = 0) {
    this.grid.setAttribute('aria-rowcount', this.rows.length);
    this.strokes.fit(this.grid.childElementCount);
    for (let row = from; row < this.rows.length; row++) {
      for (const [column, { id, digit }] of this.rows[row].cells.entries()) {
        const label = id !== null && t('cell', { value: digit, row: row + 1, column: column + 1 });
        if (label) this.buttons.get(id).setAttribute('aria-label', label);
      }
    }
    const first = this.ids[0];
    if (first !== undefined && !this.grid.querySelector('button[tabindex="0"]')) this.#stop(this.buttons.get(first));
  }

  // The one number that Tab comes to.
  #stop(button) {
    this.grid.querySelector('button[tabindex="0"]')?.setAttribute('tabindex', -1);
    button.setAttribute('tabindex', this.onpair || this.element.isConnected ? 0 : -1);
  }

  #focus(id) {
    const button = this.buttons.get(id);
    if (!button) return;
    this.#stop(button);
    button.focus();
  }

  #heir(id, gone) {
    const left = this.ids.filter((other) => other === id || !gone.includes(other));
    const at = left.indexOf(id);
    return left[at + 1] ?? left[at - 1] ?? null;
  }

  #find(id) {
    return this.#slots.find((cell) => cell.id === id);
  }

  // Where a cell stands in the drawing; rows that are still folding away take up room there.
  #place(cell) {
    const row = this.rows.find(({ cells }) => cells.includes(cell));
    return { row: [...this.grid.children].indexOf(row.element), column: row.cells.indexOf(cell) };
  }

  #mark(id, name, on) {
    const button = this.buttons.get(id);
    if (!button) return;
    button.classList.toggle(name, on);
    if (name === 'pick') button.setAttribute('aria-pressed', on);
  }

  #flash(id, name) {
    this.#mark(id, name, true);
    setTimeout(() => this.#mark(id, name, false), FLASH);
  }
}

function fold(element) {
  const height = `${element.offsetHeight}px`;
  const shape = [
    { height, opacity: 1 },
    { height: 0, opacity: 0, marginTop: '-2px' },
  ];
  const animation = element.animate(shape, { duration: FOLD, delay: FOLD_AFTER, easing: 'ease-in', fill: 'both' });
  animation.onfinish = () => element.remove();
}
