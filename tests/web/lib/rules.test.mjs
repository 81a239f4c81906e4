// The rules as the browser library has them, on the shared positions.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as rules from '../../../client_demo/web/rules.js';

const VECTORS = JSON.parse(readFileSync(new URL('../../vectors/positions.json', import.meta.url), 'utf8'));
const KINDS = { touching: rules.SCORES.touching, edge: rules.SCORES.edge, far: rules.SCORES.far };
const indexOf = ([row, column]) => row * rules.COLUMNS + column;

/** The slots of a board whose numbers are named by their indexes. */
function named(text) {
  const ids = [...text.replaceAll('/', '')].flatMap((sign, index) => (sign === '.' ? [] : [index]));
  const slots = rules.parse(text, ids);
  assert.equal(rules.text(slots), text);
  return slots;
}

for (const { id, board, a, b, why, ...expected } of VECTORS.match) {
  if (expected.verdict === 'no_such_cell') continue; // ids name numbers, never coordinates
  test(`${id}: ${why}`, () => {
    const [slots, one, other] = [named(board), indexOf(a), indexOf(b)];
    const verdict = rules.judge(slots, slots.length, one, other);
    assert.deepEqual(rules.judge(slots, slots.length, other, one), verdict);
    assert.equal(verdict.code ?? 'legal', expected.verdict === 'same_cell' ? 'same_number' : expected.verdict);
    assert.deepEqual(verdict.blockers, (expected.blockers ?? []).map(indexOf));
    if (verdict.code) return;
    const [first, second] = [one, other].sort((x, y) => x - y);
    const open = rules.lines(first, second).filter((line) => !rules.blockers(slots, first, second, line).length);
    assert.deepEqual(open.map(({ family }) => family), expected.families);
    assert.equal(rules.worth(open[0], rules.between(first, second, open[0]).length), KINDS[expected.kind]);
    const played = rules.play(slots, one, other);
    assert.equal(rules.text(played.slots), expected.after);
    assert.deepEqual(played.rows, expected.rows);
    assert.equal(played.points, expected.pair_points + expected.row_points);
    assert.equal(played.cleared, expected.cleared);
  });
}

for (const { id, board, add, why } of VECTORS.add) {
  test(`${id}: ${why}`, () => {
    const slots = rules.parse(board);
    assert.ok(rules.mayAdd(slots));
    assert.equal(rules.text(rules.add(slots, rules.copies(slots), slots.length)), add);
  });
}

for (const { id, board, why } of VECTORS.refused) {
  test(`${id}: ${why}`, () => assert.ok(!rules.mayAdd(rules.parse(board))));
}

for (const { id, board, pairs, why } of VECTORS.pairs) {
  test(`${id}: ${why}`, () => assert.equal(rules.pairs(rules.parse(board)).length, pairs));
}

test('what is no legal pair is not played', () => {
  assert.throws(() => rules.play(rules.parse('1.2.9'), 0, 2), RangeError);
  assert.throws(() => rules.play(rules.parse('12'), 0, 5), RangeError);
});
