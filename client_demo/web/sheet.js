/**
 * One board as it is played: all players' in a race and in turns, a player's own in mirror (server/rules.md, "Modes").
 * @module
 */

import * as rules from './rules.js';

/** @typedef {import('./rules.js').Slot} Slot */

/** A board, and from which event on. @typedef {{slots: Slot[], since: number, at: number}} Shown */

/** A board under way. */
export class Sheet {
  /** Every board there was, the current one last. @type {Shown[]} */
  boards = [];
  /** Since when there has been no pair. @type {number | null} */
  stuckAt = null;

  /** @param {string} dealt @param {number} adds  that are left @param {number} since  the event @param {number} at */
  constructor(dealt, adds, since, at) {
    this.addsLeft = adds;
    this.renew(rules.parse(dealt), since, at);
    this.nextId = this.slots.length;
  }

  get slots() {
    return this.boards[this.boards.length - 1].slots;
  }

  get hash() {
    return rules.hash(this.slots);
  }

  get open() {
    return this.stuckAt === null;
  }

  get mayAdd() {
    return this.addsLeft > 0 && rules.mayAdd(this.slots);
  }

  /** The event that cleared it, or null. @returns {number | null} */
  get clearedBy() {
    return this.slots.length ? null : this.boards[this.boards.length - 1].since;
  }

  /** Cleared or stuck. */
  get done() {
    return !this.open && !this.mayAdd;
  }

  /** @param {Slot[]} slots @param {number} since @param {number} at */
  renew(slots, since, at) {
    this.boards.push({ slots, since, at });
    this.stuckAt = rules.hasPair(slots) ? null : at;
  }

  /** What an Add would bring: its fields, and the board after it. */
  added() {
    const [digits, first] = [rules.copies(this.slots), this.nextId];
    const slots = rules.add(this.slots, digits, first);
    return { slots, told: { digits, first, adds_left: this.addsLeft - 1, left: rules.left(slots) } };
  }

  /** Take an Add. @param {string} digits @param {number} since @param {number} at */
  add(digits, since, at) {
    const { slots } = this.added();
    this.addsLeft--;
    this.nextId += digits.length;
    this.renew(slots, since, at);
  }
}
