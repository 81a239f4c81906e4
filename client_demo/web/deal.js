/**
 * The proof that a deal was fixed before the game (server/rules.md, "The deal").
 * @module
 */

import { commitment, deal } from './rules.js';

export { commitment, deal };

/**
 * @typedef {object} DealCheck
 * @property {boolean} ok        commitment and board both agree
 * @property {boolean} commitOk  the seed is the one that was committed to before the start
 * @property {boolean} boardOk   the board is the one that follows from the seed
 * @property {string} dealt      the board that follows from the seed
 * @property {string | null} commit  the commitment that follows from the seed; null for the classic deal
 */

/**
 * Check that a board was fixed before the game began.
 * @param {object} deal
 * @param {string | null} deal.seed    shown after the end; null for the classic deal
 * @param {string | null} deal.commit  shown before the start
 * @param {string} deal.board          as dealt, as text
 * @param {number} [deal.size]         default: as many as the board has
 * @param {'random' | 'even' | 'classic'} [deal.deal]
 * @returns {DealCheck}
 */
export function verifyDeal({ seed, commit, board, size = board.replaceAll('/', '').length, deal: kind = 'random' }) {
  const dealt = deal(seed, size, kind);
  const expected = kind === 'classic' || seed === null ? null : commitment(seed);
  const [commitOk, boardOk] = [expected === (commit ?? null), dealt === board];
  return { ok: commitOk && boardOk, commitOk, boardOk, dealt, commit: expected };
}
