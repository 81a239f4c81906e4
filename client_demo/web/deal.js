/**
 * From seed to board, and the proof that the deal was fixed before the game (server/rules.md, "The deal").
 *
 * SHA-256 is our own, because `crypto.subtle` exists only on secure pages and a game on the local network is
 * often plain http. It hashes some forty bytes at a time; speed does not matter.
 * @module
 */

import { Board, COLUMNS } from './board.js';

/**
 * @typedef {object} DealCheck
 * @property {boolean} ok        commitment and board both agree
 * @property {boolean} commitOk  the seed is the one that was committed to before the start
 * @property {boolean} boardOk   the board is the one that follows from the seed
 * @property {string} dealt      the board that follows from the seed
 * @property {string | null} commit  the commitment that follows from the seed; null for the classic deal
 */

const CLASSIC = '123456789/111213141/516171819';

/** Legal pairs that a deal of this size must have: [least, most]. @type {Record<number, [number, number]>} */
const PAIRS = { 27: [12, 20], 35: [18, 27], 36: [19, 28] };

/**
 * The board that follows from a seed.
 * @param {string | null} seed  64 hex digits; ignored for the classic deal
 * @param {number} [size]       9–180
 * @param {'random' | 'even' | 'classic'} [kind]
 * @returns {string} the board as text
 * @throws {RangeError} the seed is not 64 hex digits, or the size is out of range
 */
export function deal(seed, size = 35, kind = 'random') {
  if (kind === 'classic') return CLASSIC;
  if (!(size >= 9 && size <= 180)) throw new RangeError(`a deal has 9 to 180 numbers, not ${size}`);
  const bytes = fromHex(seed);
  for (let attempt = 0; ; attempt++) {
    const text = inRows(digits(bytes, attempt, size));
    if (taken(text, size, kind)) return text;
  }
}

/** SHA-256 of a seed, in hex: what the room shows before the start. @param {string} seed 64 hex digits */
export function commitment(seed) {
  return toHex(sha256(fromHex(seed)));
}

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

/** @param {string} text @param {number} size @param {string} kind */
function taken(text, size, kind) {
  const [least, most] = PAIRS[size] ?? [1, Infinity];
  const pairs = Board.parse(text).pairs().length;
  return pairs >= least && pairs <= most && (kind !== 'even' || even(text));
}

/** Is the count of each class {1,9} {2,8} {3,7} {4,6} {5} even? @param {string} text */
function even(text) {
  const counts = [0, 0, 0, 0, 0, 0];
  for (const sign of text) if (sign !== '/') counts[Math.min(Number(sign), 10 - Number(sign))]++;
  return counts.every((count) => count % 2 === 0);
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

/** @param {string} text */
const inRows = (text) => (text.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? []).join('/');

/** @param {string | null} hex @returns {Uint8Array} */
function fromHex(hex) {
  if (!hex || !/^[0-9a-f]{64}$/i.test(hex)) throw new RangeError(`a seed is 64 hex digits, not ${JSON.stringify(hex)}`);
  return Uint8Array.from(hex.match(/../g) ?? [], (two) => parseInt(two, 16));
}

/** @param {Uint8Array} bytes */
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The first 32 bits of the fractional part of a root of each of the first primes (FIPS 180-4). */
const primes = [2];
for (let n = 3; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
/** @param {number} x */
const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) >>> 0;
const ROUNDS = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const START = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** SHA-256 (FIPS 180-4). @param {Uint8Array} message @returns {Uint8Array} 32 bytes */
export function sha256(message) {
  const padded = new Uint8Array(((message.length + 8) >> 6 << 6) + 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length << 3);
  const hash = Uint32Array.from(START);
  for (let at = 0; at < padded.length; at += 64) compress(hash, view, at);
  const digest = new DataView(new ArrayBuffer(32));
  hash.forEach((word, index) => digest.setUint32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

/** @param {Uint32Array} hash  changed in place @param {DataView} view @param {number} at */
function compress(hash, view, at) {
  const words = new Uint32Array(64);
  for (let t = 0; t < 64; t++) words[t] = t < 16 ? view.getUint32(at + t * 4) : schedule(words, t);
  let [a, b, c, d, e, f, g, h] = hash;
  for (let t = 0; t < 64; t++) {
    const one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[t] + words[t];
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) >>> 0, c, b, a, (one + two) >>> 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => (hash[index] += word));
}

/** @param {Uint32Array} words @param {number} t */
function schedule(words, t) {
  const [early, late] = [words[t - 15], words[t - 2]];
  const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
  const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
  return words[t - 16] + small + words[t - 7] + large;
}

/** @param {number} word @param {number} by */
const turned = (word, by) => (word >>> by) | (word << (32 - by));
