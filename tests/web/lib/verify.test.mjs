// The verifier of records on its own: the bytes of a log, and what is no record at all.
// What is changed in whole records, and given to the server's verifier too, is in tests/web/test_verifiers.py.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fromHex, toHex } from '../../../client_demo/web/hashes.js';
import { chainAfter, pack } from '../../../client_demo/web/stored.js';
import { FORMAT, verify } from '../../../client_demo/web/verify.js';

const { about, ...LOGS } = JSON.parse(readFileSync(new URL('../../vectors/stored.json', import.meta.url), 'utf8'));
assert.ok(about);
const chainOf = ({ raw }) => parseInt(raw.slice(2, 10), 16);

/** The record of a log, by hand. */
function record({ entries }) {
  const whole = entries.map((entry, place) => ({ seq: place + 1, chain: chainOf(entry), ...entry.event }));
  const events = whole.slice(0, whole.findIndex(({ kind }) => kind === 'ended') + 1);
  const { rules, mode, options, commit = null, seed = null, salt } = events[0];
  const players = [];
  for (const { kind, seat, player } of events) {
    if (kind === 'seated') players[seat] = { seat, player };
    if (kind === 'unseated') delete players[seat];
  }
  const { reason, ranking } = events.at(-1);
  const heading = { format: FORMAT, rules, mode, options, commit, seed, salt, players: players.filter(Boolean) };
  return { ...heading, result: { reason, ranking }, events };
}

for (const [name, log] of Object.entries(LOGS)) {
  test(`${name}: every event has the bytes of its entry, and its chain`, () => {
    let chain = 0;
    for (const { raw, event } of log.entries) {
      assert.equal(toHex(Uint8Array.from(pack(event))), raw.slice(10));
      chain = chainAfter(fromHex(log.salt), chain, event);
      assert.equal(chain, parseInt(raw.slice(2, 10), 16));
    }
  });

  test(`${name}: the record proves its game, in whatever order its fields are`, () => {
    const genuine = record(log);
    assert.equal(verify(genuine), null);
    const turned = (value) =>
      Array.isArray(value) ? value.map(turned)
      : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).reverse().map(([key, inner]) => [key, turned(inner)]))
      : value;
    assert.equal(verify(turned(genuine)), null);
  });
}

for (const [value, hex] of [
  [0, '00'], [127, '7f'], [128, 'cc80'], [255, 'ccff'], [256, 'cd0100'], [65535, 'cdffff'], [65536, 'ce00010000'],
  [2 ** 32 - 1, 'ceffffffff'], [2 ** 32, 'cf0000000100000000'], [2 ** 53 - 1, 'cf001fffffffffffff'],
  [-1, 'ff'], [-32, 'e0'], [-33, 'd0df'], [-128, 'd080'], [-129, 'd1ff7f'], [-32768, 'd18000'], [-32769, 'd2ffff7fff'],
  [-(2 ** 31), 'd280000000'], [-(2 ** 31) - 1, 'd3ffffffff7fffffff'],
  [null, 'c0'], [true, 'c3'], [false, 'c2'], ['', 'a0'], ['é', 'a2c3a9'], [[], '90'], [{}, '80'], [{ a: [1] }, '81a1619101'],
  ['x'.repeat(31), `bf${'78'.repeat(31)}`], ['x'.repeat(32), `d920${'78'.repeat(32)}`],
  ['x'.repeat(256), `da0100${'78'.repeat(256)}`], [Array(15).fill(0), `9f${'00'.repeat(15)}`], [Array(16).fill(0), `dc0010${'00'.repeat(16)}`],
]) {
  test(`MessagePack has one form of ${JSON.stringify(value).slice(0, 30)}`, () =>
    assert.equal(toHex(Uint8Array.from(pack(value))), hex));
}

test('a map of sixteen fields is longer at its head', () => {
  const fields = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [String.fromCharCode(97 + n), 0]));
  assert.equal(toHex(Uint8Array.from(pack(fields).slice(0, 6))), 'de0010a16100');
});

test('what is no record is said, and nothing is thrown', () => {
  const genuine = record(LOGS.race);
  for (const [odd, reason] of [
    [null, /the format/], [undefined, /the format/], ['text', /the format/], [[], /the format/], [{}, /the format/],
    [{ ...genuine, format: 'tenmatch-record/2' }, /the format/],
    [{ ...genuine, events: {} }, /list of events/], [{ ...genuine, events: [] }, /begins with created/],
    [{ ...genuine, events: [null] }, /begins with created/],
    [{ ...genuine, events: [genuine.events[0], null] }, /no object/],
    [{ ...genuine, events: [genuine.events[0], { kind: '__proto__', at: genuine.events[0].at }] }, /was not due/],
    [{ ...genuine, events: genuine.events.slice(0, -1) }, /missing: the game is not over/],
    [{ ...genuine, more: 1.5 }, /not whole/], [{ ...genuine, more: 1 }, /^more is 1, should be nothing$/],
  ]) {
    const wrong = verify(odd);
    assert.match(wrong.message, reason);
  }
});

test('what is wrong is named: the event, the field, what it says and what it should say', () => {
  const forged = structuredClone(record(LOGS.race));
  const event = forged.events.find(({ kind }) => kind === 'matched');
  event.points += 1;
  const { event: seq, what, said, due, message } = verify(forged);
  assert.deepEqual([seq, what, said, due], [event.seq, 'points', event.points, event.points - 1]);
  assert.equal(message, `points is ${said}, should be ${due}`);
});
