// The board against the shared positions, and against a slow obvious oracle on random boards.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crc32 as zlibCrc } from './oracle.mjs';
import { Board, COLUMNS, NotationError } from '../../../client_demo/web/board.js';
import { crc32 } from '../../../client_demo/web/hashes.js';

const VECTORS = JSON.parse(readFileSync(new URL('../../vectors/positions.json', import.meta.url), 'utf8'));

/** Ids for every slot, holes too, so that a hole can be named: the position as if the holes had been numbers. */
function withHoles(text) {
  const signs = [...text.replaceAll('/', '')];
  const ids = signs.flatMap((sign, index) => (sign === '.' ? [] : [index]));
  return Board.parse(text, ids, signs.length);
}

const idAt = ([row, column]) => row * COLUMNS + column;
const exists = (board, [row, column]) => board.slot(row, column) !== null;

for (const { id, board: text, a, b, why, ...expected } of VECTORS.match) {
  test(`${id}: ${why}`, () => {
    const board = withHoles(text);
    if (expected.verdict === 'no_such_cell') return assert.ok(!exists(board, a) || !exists(board, b));
    const { code, blockers, path } = board.judge(idAt(a), idAt(b));
    assert.deepEqual(board.judge(idAt(b), idAt(a)), { code, blockers, path });
    assert.equal(code ?? 'legal', expected.verdict === 'same_cell' ? 'same_number' : expected.verdict);
    assert.deepEqual(blockers, (expected.blockers ?? []).map(idAt));
    if (code) return assert.throws(() => board.play(idAt(a), idAt(b)), RangeError);
    assert.ok(path.open && expected.families.includes(path.family));
    assert.equal(path.points, expected.pair_points);
    const played = board.play(idAt(a), idAt(b));
    assert.equal(played.board.text(), expected.after);
    assert.deepEqual(played.rows, expected.rows);
    assert.equal(played.points, expected.pair_points + expected.row_points);
    assert.equal(played.cleared, expected.cleared);
    assert.equal(board.text(), text, 'the board before is untouched');
  });
}

for (const { id, board, add, why } of VECTORS.add) {
  test(`${id}: ${why}`, () => assert.equal(Board.parse(board).add().text(), add));
}

for (const { id, board, pairs, why } of VECTORS.pairs) {
  test(`${id}: ${why}`, () => {
    assert.equal(Board.parse(board).pairs().length, pairs);
    assert.equal(Board.parse(board).hasPair(), pairs > 0);
  });
}

for (const { id, board, why } of VECTORS.refused) {
  test(`${id}: ${why}`, () => {
    assert.equal(Board.parse(board).added(), null);
    assert.throws(() => Board.parse(board).add(), RangeError);
  });
}

test('numbers keep their ids when rows close, and an Add goes on from the last one given', () => {
  const { board } = Board.parse('....5..../123456789', [4, 9, 10, 11, 12, 13, 14, 15, 16, 17]).play(4, 13);
  assert.deepEqual(board.ids, [9, 10, 11, 12, 14, 15, 16, 17]);
  assert.equal(board.at(9)?.row, 0);
  assert.equal(board.at(4), null);
  const after = board.add();
  assert.deepEqual(after.ids.slice(-8), [18, 19, 20, 21, 22, 23, 24, 25]);
  assert.equal(after.nextId, 26);
  assert.deepEqual(after.at(18), { index: 9, row: 1, column: 0, digit: 1, id: 18 });
});

test('ids that were dealt and are gone are inactive; others never existed', () => {
  const board = Board.parse('1.9', [0, 2], 3);
  assert.equal(board.judge(0, 1).code, 'inactive');
  for (const odd of [3, -1, 0.5, NaN]) assert.equal(board.judge(0, odd).code, 'no_such_number');
});

test('the line over an edge leaves at the right and comes in at the left', () => {
  const path = withHoles('12345.7../..3456789').path(6, 11);
  assert.equal(path.family, 'wrap');
  assert.equal(path.gap, 4);
  assert.deepEqual(path.segments, [
    [{ row: 0, column: 6 }, { row: 0, column: 8.5 }],
    [{ row: 1, column: -0.5 }, { row: 1, column: 2 }],
  ]);
});

test('a blocked line is still a line, with what blocks it; no line is null', () => {
  const board = Board.parse('123426789/123556789/128456789');
  const blocked = board.path(4, 20);
  assert.deepEqual([blocked.family, blocked.open, blocked.blockers, blocked.gap], ['diagonal', false, [12], 1]);
  assert.deepEqual(blocked.segments, [[{ row: 0, column: 4 }, { row: 2, column: 2 }]]);
  assert.equal(board.path(0, 23), null);
  assert.equal(board.path(0, 0), null);
});

test('a text that is no board is refused', () => {
  for (const text of ['1234567890', '12/123456789', '/', '123456789/', '12a', '0', ' ', '123456789\n']) {
    assert.throws(() => Board.parse(text), NotationError, JSON.stringify(text));
  }
  assert.throws(() => Board.parse('12', [0]), NotationError);
  assert.throws(() => Board.parse('12', [0, 1, 2]), NotationError);
  assert.throws(() => Board.parse('12', [1, 1]), NotationError);
});

test('the hash is CRC-32 of the text', () => {
  assert.equal(crc32('123456789'), 0xcbf43926);
  assert.equal(Board.parse('').hash(), 0);
  assert.equal(Board.parse('12.456789/9871').hash(), zlibCrc('12.456789/9871'));
});

test('pairs() is what judge() says of every two numbers, through whole games', () => {
  for (let seed = 1; seed <= 12; seed++) {
    let board = randomBoard(seed, 20 + seed * 3);
    for (let turn = 0; turn < 40; turn++) {
      const expected = board.ids.flatMap((a, i) => board.ids.slice(i + 1).filter((b) => !board.judge(a, b).code).map((b) => [a, b]));
      assert.deepEqual(board.pairs(), expected, board.text());
      if (expected.length) board = board.play(...expected[(turn * 7) % expected.length]).board;
      else if (board.added() && board.left < 60) board = board.add();
      else break;
      assert.equal(Board.parse(board.text(), board.ids, board.nextId).text(), board.text());
    }
  }
});

/** A board of digits from a small generator, the same in every run. */
function randomBoard(seed, size) {
  let state = seed * 2654435761;
  const digits = Array.from({ length: size }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 1 + (state % 9);
  });
  return Board.parse(digits.join('').match(/.{1,9}/g).join('/'));
}
