// What each event makes of a room.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board } from '../../../client_demo/web/board.js';
import { boardOf, clockOf, fold, NOTHING } from '../../../client_demo/web/fold.js';
import { ANN, BOB, created, over, playing } from './games.mjs';

const hash = (state) => Board.parse(state.board).hash();

/** Every object and array in a value is frozen: folding must not write to what it was given. */
function frozen(value) {
  if (value && typeof value === 'object') Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
const folded = (state, ...events) => events.reduce((before, event) => fold(frozen(before), event), state);

test('a room from its creation to the countdown', () => {
  const open = folded(NOTHING, created('race'), { kind: 'seated', seat: 0, player: ANN });
  assert.deepEqual([open.phase, open.host, open.code, open.adds_left, open.board], ['open', 0, 'CODE42', 5, null]);
  assert.deepEqual(open.seats, [
    { player: ANN, ready: false, score: 0, mistakes: 0, locked_until: null, out: false, last_n: 0 }, null,
  ]);
  const waiting = folded(open, { kind: 'readied', seat: 0, ready: true }, { kind: 'seated', seat: 1, player: { ...BOB, bot: 'easy' } });
  assert.deepEqual(waiting.seats.map((seat) => seat.ready), [true, true], 'a computer player is always ready');
  const starting = folded(waiting, { kind: 'starting', starts_at: 5000 });
  assert.deepEqual([starting.phase, starting.starts_at], ['starting', 5000]);
  for (const stop of [{ kind: 'readied', seat: 0, ready: false }, { kind: 'unseated', seat: 1, reason: 'left', host: 0 }]) {
    const stopped = folded(starting, stop);
    assert.deepEqual([stopped.phase, stopped.starts_at], ['open', null], stop.kind);
  }
  const empty = folded(starting, { kind: 'unseated', seat: 0, reason: 'left', host: 1 });
  assert.deepEqual([empty.seats[0], empty.host], [null, 1]);
});

test('who comes back for a rematch is ready from the start', () => {
  const state = folded(NOTHING, created('race'), { kind: 'seated', seat: 0, player: ANN, ready: true });
  assert.equal(state.seats[0].ready, true);
});

test('a race: match, mistake, call, Add, end', () => {
  const start = playing('race', '19.......', { ends_at: 180_000 });
  assert.deepEqual([start.phase, start.ids, start.next_id, start.left, start.open, start.ends_at],
    ['playing', [0, 1], 2, 2, null, 180_000]);
  const wrong = folded(start, { kind: 'mistaken', seat: 1, n: 1, code: 'values', a: 0, b: 1, points: -2, score: -2, locked_until: 900 });
  assert.deepEqual([wrong.seats[1].score, wrong.seats[1].mistakes, wrong.seats[1].locked_until, wrong.seats[1].last_n], [-2, 1, 900, 1]);
  const added = folded(wrong, { kind: 'added', digits: '19', first: 2, adds_left: 4, left: 4 });
  assert.deepEqual([added.board, added.ids, added.next_id, added.adds_left, added.left, added.open],
    ['19......./19', [0, 1, 2, 3], 4, 4, 4, null]);
  const called = folded(added, { kind: 'called', seat: 0, n: 3, points: 3, score: 3 });
  assert.deepEqual([called.seats[0].score, called.seats[0].last_n], [3, 3]);
  const matched = folded(called, { kind: 'matched', seat: 0, n: 2, a: 1, b: 0, rows: [0], points: 11, score: 14, left: 2 });
  assert.deepEqual([matched.board, matched.ids, matched.left, matched.seats[0].score], ['19', [2, 3], 2, 14]);
  assert.equal(matched.seats[0].last_n, 3, 'numbers may come in any order');
  const end = folded(matched, { kind: 'ended', reason: 'time', ranking: [{ seat: 0, place: 1, score: 14, mistakes: 0 }], seed: 'ab', salt: 'cd' });
  assert.deepEqual([end.phase, end.seed, end.salt, end.open, end.ranking[0].seat], ['over', 'ab', 'cd', true, 0]);
  assert.equal(folded(end, { kind: 'rematch', seat: 0, want: true }), end);
});

test('turns: the turn and the clocks', () => {
  const start = playing('turns', '19.......', { turn: 0, clocks: [120_000, 120_000], at: 1000 });
  assert.deepEqual([start.turn, start.clocks, start.clocks_at, start.open], [0, [120_000, 120_000], 1000, true]);
  const passed = folded(start, { kind: 'passed', seat: 0, n: 1, turn: 1, clocks: [119_000, 120_000], at: 2000 });
  assert.deepEqual([passed.turn, passed.clocks_at, passed.seats[0].last_n], [1, 2000, 1]);
  const wrong = folded(passed, { kind: 'mistaken', seat: 1, n: 1, code: 'values', a: 0, b: 1, points: -2, score: -2, clocks: [119_000, 119_500], at: 2500 });
  assert.deepEqual([wrong.turn, wrong.clocks, wrong.clocks_at], [1, [119_000, 119_500], 2500]);
  const flagged = folded(wrong, { kind: 'flagged', seat: 1, turn: null, clocks: [119_000, null], at: 9000 });
  assert.deepEqual([flagged.turn, flagged.seats[1].out], [null, true]);
  const resigned = folded(wrong, { kind: 'resigned', seat: 1, n: 2, turn: 0, clocks: [119_000, null], at: 9000 });
  assert.deepEqual([resigned.turn, resigned.seats[1].out, resigned.seats[1].last_n], [0, true, 2]);
});

test('only the clock of whose turn it is runs, and only in play', () => {
  const state = playing('turns', '19.......', { turn: 0, clocks: [120_000, 90_000], at: 1000 });
  assert.deepEqual([clockOf(state, 0, 4000), clockOf(state, 1, 4000)], [117_000, 90_000]);
  assert.equal(clockOf(state, 0, 500), 120_000, 'an estimate that is behind gives nobody more time');
  assert.equal(clockOf(state, 0, 999_999), 0);
  assert.equal(clockOf(over(state), 0, 4000), 120_000);
});

test('time in which the server was away is nobody\'s', () => {
  let state = playing('race', '19.......', { ends_at: 180_000 });
  state = folded(state, { kind: 'mistaken', seat: 0, n: 1, code: 'values', a: 0, b: 1, points: -2, score: -2, locked_until: 900 });
  const later = folded(state, { kind: 'shifted', by_ms: 5000 });
  assert.deepEqual([later.ends_at, later.seats[0].locked_until, later.seats[1].locked_until], [185_000, 5900, null]);
  const turns = folded(playing('turns', '19', { turn: 0, clocks: [1, 1], at: 10 }), { kind: 'shifted', by_ms: 7 });
  assert.equal(turns.clocks_at, 17);
});

test('mirror: one sees one\'s own board, a watcher all, rivals\' progress everybody', () => {
  const game = [created('mirror'), { kind: 'seated', seat: 0, player: ANN }, { kind: 'seated', seat: 1, player: BOB },
    { kind: 'started', board: '19.......', adds_left: 5, ends_at: 9 }];
  const as = (viewer) => game.reduce((state, event) => fold(frozen(state), event, viewer), NOTHING);
  const mine = as(0);
  assert.ok(!('board' in mine || 'left' in mine));
  assert.deepEqual(mine.boards, [{ board: '19.......', ids: [0, 1], next_id: 2, adds_left: 5, left: 2, open: true }, null]);
  assert.deepEqual(mine.progress, [{ left: 2, rows_closed: 0 }, { left: 2, rows_closed: 0 }]);
  assert.deepEqual([boardOf(mine, 0).text(), boardOf(mine, 1), boardOf(mine, null)], ['19.......', null, null]);
  const all = as(null);
  assert.equal(boardOf(all, 1).text(), '19.......');

  const added = fold(frozen(mine), { kind: 'added', seat: 0, n: 1, digits: '19', first: 2, adds_left: 4, left: 4, open: true }, 0);
  assert.deepEqual([added.boards[0].board, added.boards[0].adds_left, added.seats[0].last_n], ['19......./19', 4, 1]);
  const matched = fold(frozen(added), { kind: 'matched', seat: 0, n: 2, a: 0, b: 1, rows: [0], points: 11, score: 11, left: 2, open: true, ends_at: 5 }, 0);
  assert.deepEqual([matched.boards[0].board, matched.progress[0], matched.ends_at], ['19', { left: 2, rows_closed: 1 }, 5]);
  const rival = fold(frozen(matched), { kind: 'progress', seat: 1, left: 7, rows_closed: 2, score: 9, mistakes: 1 }, 0);
  assert.deepEqual([rival.progress[1], rival.seats[1].score, rival.seats[1].mistakes], [{ left: 7, rows_closed: 2 }, 9, 1]);
  assert.equal(rival.boards[1], null);

  const out = { kind: 'resigned', seat: 1, n: 7 };
  assert.deepEqual([fold(frozen(rival), out, 0).seats[1].last_n, fold(frozen(all), out, null).seats[1].last_n], [0, 7]);
  assert.ok(!('open' in over(rival)));

  const watched = fold(frozen(all), { kind: 'matched', seat: 1, n: 1, a: 0, b: 1, rows: [0], points: 161, score: 161, left: 0, open: false }, null);
  assert.deepEqual([boardOf(watched, 1).text(), boardOf(watched, 0).text()], ['', '19.......']);
});

test('a kind from a newer server changes nothing, even under a strange name', () => {
  const state = frozen(playing('race', '19', {}));
  for (const kind of ['sparkled', '__proto__', 'constructor', 'toString']) assert.equal(fold(state, { kind, seat: 0 }), state);
});

test('a match that cannot have happened on this board is an error, not another board', () => {
  assert.throws(() => fold(playing('race', '12', {}), { kind: 'matched', seat: 0, n: 1, a: 0, b: 1, rows: [], score: 1, left: 0 }));
});

test('a board read once from a state is the same object again', () => {
  const state = playing('race', '19', {});
  assert.equal(boardOf(state, 0), boardOf(state, 1));
  assert.equal(boardOf(state, 0).hash(), hash(state));
});
