/**
 * The two hashes of the game, and hex.
 *
 * SHA-256 is our own, because `crypto.subtle` exists only on secure pages and a game on the local network is
 * often plain http. It hashes some hundred bytes at a time; speed does not matter.
 * @module
 */

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

/** @param {string} hex  of whole bytes @returns {Uint8Array} */
export const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (two) => parseInt(two, 16));

/** @param {Uint8Array} bytes */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

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
