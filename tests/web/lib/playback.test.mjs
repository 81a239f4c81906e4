// A recorded game that is played back: where it stands, at what pace, and what it tells of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Playback } from '../../../client_demo/web/playback.js';
import { replay } from '../../../client_demo/web/steps.js';
import { pass, stopTime } from './fakes.mjs';
import { opening } from './games.mjs';

const BOARD = '123456789/111213141/516171819';

/** A game of four events after its start, so many ms apart. */
function game(t, ...gaps) {
  stopTime(t);
  const before = opening('race', BOARD, { at: 1000 });
  let at = 1000;
  const after = gaps.map((gap) => ({ kind: 'shifted', by_ms: 1, at: (at += gap) }));
  const events = [...before, ...after].map((event, place) => ({ at: 0, ...event, seq: place + 1 }));
  const playback = new Playback([...replay(events)]);
  const told = [];
  playback.addEventListener('moved', ({ detail }) => told.push([detail.from, detail.to]));
  playback.addEventListener('playing', () => told.push(playback.playing));
  return { playback, told };
}

test('it begins with the game, whatever came before', (t) => {
  const { playback } = game(t, 500);
  assert.equal(playback.step.event.kind, 'started');
  assert.equal(playback.last, 1);
});

test('it plays at the pace of the game, but no gap is longer or shorter than one can watch', async (t) => {
  const { playback, told } = game(t, 500, 60_000, 0);
  playback.play();
  await pass(499);
  assert.equal(playback.at, 0);
  await pass(1);
  assert.equal(playback.at, 1);
  await pass(2999);
  assert.equal(playback.at, 1);
  await pass(1);
  await pass(249);
  assert.equal(playback.at, 2);
  await pass(1);
  assert.equal(playback.at, 3);
  assert.deepEqual(told, [true, [0, 1], [1, 2], false, [2, 3]]);
});

test('it plays as many times as fast as is wished, from that moment on', async (t) => {
  const { playback } = game(t, 1000, 1000);
  playback.play();
  playback.pace(4);
  await pass(250);
  assert.equal(playback.at, 1);
  playback.pace(0.5);
  await pass(1999);
  assert.equal(playback.at, 1);
  await pass(1);
  assert.equal(playback.at, 2);
});

test('paused it stays where it is, and goes on from there', async (t) => {
  const { playback } = game(t, 500, 500);
  playback.play();
  await pass(400);
  playback.pause();
  playback.pause();
  await pass(5000);
  assert.deepEqual([playback.at, playback.playing], [0, false]);
  playback.play();
  await pass(500);
  assert.equal(playback.at, 1);
});

test('at the end it begins anew', async (t) => {
  const { playback } = game(t, 500);
  playback.go(99);
  assert.equal(playback.at, 1);
  playback.play();
  assert.deepEqual([playback.at, playback.playing], [0, true]);
  await pass(500);
  assert.deepEqual([playback.at, playback.playing], [1, false]);
});

test('it goes anywhere there is, and tells it once', (t) => {
  const { playback, told } = game(t, 500, 500);
  for (const to of [2, 2, -5, 1]) playback.go(to);
  assert.deepEqual(told, [[0, 2], [2, 0], [0, 1]]);
});

test('an event is found by its seq, else the last before it', (t) => {
  const { playback } = game(t, 500, 500);
  const first = playback.step.event.seq;
  assert.deepEqual([0, first, first + 1, first + 9].map((seq) => playback.indexOf(seq)), [0, 0, 1, 2]);
  assert.equal(new Playback(playback.steps, first + 1).at, 1);
});

test('the moment runs on while it plays, never past the next event', async (t) => {
  const { playback } = game(t, 100);
  assert.equal(playback.now, 1000);
  playback.play();
  await pass(60);
  assert.equal(playback.now, 1060);
  await pass(100);
  assert.equal(playback.now, 1100, 'shown for longer than it took');
  playback.pause();
  assert.equal(playback.now, 1000);
});
