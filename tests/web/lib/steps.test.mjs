// Following a log: what is a step onward, what is none, and what there is to draw.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board } from '../../../client_demo/web/board.js';
import { boardOf } from '../../../client_demo/web/fold.js';
import { next, replay } from '../../../client_demo/web/steps.js';
import { opening, playing } from './games.mjs';

const state = playing('race', '3......../.46....../7.......1', {});
const head = { seq: 4, state, seat: 0 };
const MATCH = { kind: 'matched', seq: 5, chain: 55, seat: 1, n: 1, a: 1, b: 2, rows: [1], points: 11, score: 11, left: 3 };
const after = Board.parse('3......../7.......1').hash();

test('the next event is a step, with both boards, the line and the cells', () => {
  const step = next(head, { ...MATCH, hash: after });
  assert.equal(step.before.text(), '3......../.46....../7.......1');
  assert.equal(step.after.text(), '3......../7.......1');
  assert.deepEqual([step.path.family, step.path.gap], ['horizontal', 0]);
  assert.deepEqual(step.cells.map(({ row, column }) => [row, column]), [[1, 1], [1, 2]]);
  assert.equal(step.previous, state);
  assert.equal(boardOf(step.state, 0), step.after);
});

test('what is at or below the head is old, beyond the next a gap', () => {
  assert.equal(next(head, { ...MATCH, seq: 4 }), 'old');
  assert.equal(next(head, { ...MATCH, seq: 1 }), 'old');
  assert.equal(next(head, { ...MATCH, seq: 6 }), 'gap');
});

test('a board that differs from the server\'s is noticed', () => {
  assert.equal(next(head, { ...MATCH, hash: after ^ 1 }), 'differs');
  assert.equal(next(head, { ...MATCH, hash: null }).after.hash(), after, 'where there is no hash nothing is compared');
  assert.equal(next(head, { kind: 'called', seq: 5, seat: 0, n: 1, score: 3, hash: after }), 'differs');
});

test('an event that does not fit our board differs, and does not throw', () => {
  for (const odd of [{ b: 0 }, { b: 77 }, { seat: 5, a: 0, b: 4 }, { a: undefined }]) {
    assert.equal(next(head, { ...MATCH, ...odd }), 'differs', JSON.stringify(odd));
  }
});

test('an unknown kind is a step that touches nothing', () => {
  const step = next(head, { kind: 'sparkled', seq: 5, hash: boardOf(state, 0).hash() });
  assert.equal(step.state, state);
  assert.equal(step.before, step.after);
});

test('a mistake has its line and its blockers; an Add its new cells', () => {
  const wrong = next(head, { kind: 'mistaken', seq: 5, seat: 0, n: 1, code: 'blocked', a: 0, b: 4, blockers: [1], points: -2, score: -2 });
  assert.equal(wrong.before, wrong.after);
  assert.deepEqual(wrong.cells.map(({ id }) => id), [1]);
  const added = next(head, { kind: 'added', seq: 5, digits: '34671', first: 5, adds_left: 4, left: 10 });
  assert.deepEqual(added.cells.map(({ id, row, column }) => [id, row, column]), [[5, 3, 0], [6, 3, 1], [7, 3, 2], [8, 3, 3], [9, 3, 4]]);
  assert.equal(added.path, null);
});

test('at the start of a mirror game the hash is the deal\'s, and a rival\'s board is never compared', () => {
  const log = opening('mirror', '19', {});
  let room = { seq: 0, state: undefined, seat: 0 };
  const deal = Board.parse('19').hash();
  const steps = [...replay(log.slice(0, 3), 0)];
  room = { seq: 3, state: steps.at(-1).state, seat: 0 };
  assert.equal(next(room, { ...log[3], seq: 4, hash: deal ^ 1 }), 'differs');
  const started = next(room, { ...log[3], seq: 4, hash: deal });
  const rival = next({ seq: 4, state: started.state, seat: 0 }, { kind: 'progress', seq: 5, seat: 1, left: 0, rows_closed: 1, score: 9, mistakes: 0, hash: null });
  assert.deepEqual([rival.before, rival.after, rival.state.seats[1].score], [null, null, 9]);
});

test('a record replays to the same steps', () => {
  const events = [...opening('race', '3......../.46....../7.......1', {}), MATCH];
  const steps = [...replay(events)];
  assert.equal(steps.length, 5);
  assert.deepEqual(steps.map(({ event }) => event.kind), ['created', 'seated', 'seated', 'started', 'matched']);
  assert.deepEqual(steps[4].state, next(head, MATCH).state);
  assert.equal(steps[3].before, null);
  assert.equal(steps[3].after.text(), '3......../.46....../7.......1');
});
