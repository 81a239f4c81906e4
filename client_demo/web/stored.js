/**
 * The bytes of a log entry, and the chain through a log (server/protocol.md, "What is stored").
 * @module
 */

import { sha256 } from './hashes.js';

/**
 * The chain after an event.
 * @param {Uint8Array} salt      16 bytes
 * @param {number} previous      the chain before it, 0 at the start
 * @param {object} event         the stored fields in their order
 * @returns {number} uint32
 */
export function chainAfter(salt, previous, event) {
  const body = pack(event);
  const message = new Uint8Array(salt.length + 4 + body.length);
  message.set(salt);
  new DataView(message.buffer).setUint32(salt.length, previous);
  message.set(body, salt.length + 4);
  return new DataView(sha256(message).buffer).getUint32(0);
}

/** MessagePack, every number in its shortest form. @param {any} value  no fractions @returns {number[]} */
export function pack(value) {
  if (value === null) return [0xc0];
  if (typeof value === 'boolean') return [value ? 0xc3 : 0xc2];
  if (typeof value === 'number') return whole(value);
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return [...size(value.length, 0x90, 15, [null, 0xdc, 0xdd]), ...value.flatMap(pack)];
  const fields = Object.entries(value);
  return [...size(fields.length, 0x80, 15, [null, 0xde, 0xdf]), ...fields.flat().flatMap(pack)];
}

/** @param {string} value */
function text(value) {
  const bytes = new TextEncoder().encode(value);
  return [...size(bytes.length, 0xa0, 31, [0xd9, 0xda, 0xdb]), ...bytes];
}

/**
 * How long what follows is: within the first byte where it fits, else after one for 1, 2 or 4 bytes of length.
 * @param {number} length
 * @param {number} short  the first byte of something empty
 * @param {number} most   that fits there
 * @param {(number | null)[]} marks
 */
function size(length, short, most, [one, two, four]) {
  if (length <= most) return [short | length];
  if (one && length <= 0xff) return [one, length];
  return length <= 0xffff ? [Number(two), ...bytes(length, 2)] : [Number(four), ...bytes(length, 4)];
}

/** @param {number} value */
function whole(value) {
  if (value >= 0) {
    if (value <= 0x7f) return [value];
    const place = [0xff, 0xffff, 0xffffffff, Infinity].findIndex((most) => value <= most);
    return [0xcc + place, ...bytes(value, 2 ** place)];
  }
  if (value >= -32) return [value + 0x100];
  const place = [-0x80, -0x8000, -0x80000000, -Infinity].findIndex((least) => value >= least);
  return [0xd0 + place, ...bytes(value, 2 ** place)];
}

/** Big-endian, two's complement. @param {number} value @param {number} length */
function bytes(value, length) {
  const found = [];
  for (; length > 0; length--, value = Math.floor(value / 256)) found.unshift(((value % 256) + 256) % 256);
  return found;
}
