// A room over a connection that breaks: resuming, gaps, differences, moves made exactly once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board } from '../../../client_demo/web/board.js';
import { fold } from '../../../client_demo/web/fold.js';
import { listen, openClient, outcome, pass, settled, stopTime } from './fakes.mjs';
import { opening, playing } from './games.mjs';

const ID = 'room000001';
const BOARD = '191919191/5';
const TYPES = ['event', 'snapshot', 'presence', 'chat', 'refused', 'detached', 'status'];
const snapshot = (fields = {}) => ({
  t: 'snapshot', re: null, room: ID, code: 'CODE42', seq: 4, chain: 44, seat: 0, state: playing('race', BOARD, {}), ...fields,
});

/** A match of two numbers that stand side by side, as an event. */
const match = (seq, a, b, { seat = 1, n = 1, board, ...fields } = {}) => ({
  t: 'event', room: ID, kind: 'matched', seq, chain: seq * 11, at: 0, hash: board === undefined ? null : Board.parse(board).hash(),
  seat, n, a, b, rows: [], points: 1, score: 1, left: 8, ...fields,
});

/** The state after somebody took the first pair. */
const taken = () => fold(playing('race', BOARD, {}), match(5, 0, 1));

/** A client in a room. */
async function seated(fields = {}) {
  const fake = openClient();
  const joined = fake.client.join({ room: ID });
  fake.Socket.last.answers('join', snapshot(fields));
  const room = await joined;
  return { ...fake, room, heard: listen(room, TYPES) };
}

/** Break the connection, come back, and be welcomed. */
async function reconnect({ Socket }, fields) {
  Socket.last.breaks(1006);
  await pass(10_000);
  Socket.last.welcomes(fields);
}

const events = (heard) => heard.filter(([type]) => type === 'event').map(([, { event }]) => event.seq);
const joins = ({ Socket }) => Socket.last.got('join').map(({ id, t, room, ...rest }) => rest);

test('events are taken in order and told with what there is to draw', async (t) => {
  stopTime(t);
  const { room, Socket, heard } = await seated();
  Socket.last.says(match(5, 0, 1, { board: '..1919191/5' }));
  assert.deepEqual([room.seq, room.chain, room.board.text(), room.state.seats[1].score], [5, 55, '..1919191/5', 1]);
  const [[type, detail]] = heard;
  assert.deepEqual([type, detail.before.text(), detail.after.text(), detail.path.family], ['event', BOARD, '..1919191/5', 'horizontal']);
  assert.equal(detail.after, room.board);
});

test('events at or below the head are dropped', async (t) => {
  stopTime(t);
  const { room, Socket, heard } = await seated();
  for (const seq of [1, 4]) Socket.last.says(match(seq, 0, 1));
  assert.deepEqual([room.seq, heard], [4, []]);
});

test('an unknown kind moves the head and nothing else', async (t) => {
  stopTime(t);
  const { room, Socket, heard } = await seated();
  const { state } = room;
  Socket.last.says({ t: 'event', room: ID, kind: 'sparkled', seq: 5, chain: 99 });
  assert.deepEqual([room.seq, room.chain, room.state === state, events(heard)], [5, 99, true, [5]]);
});

test('a gap: asks for what is missing, and takes nothing beyond it', async (t) => {
  stopTime(t);
  const fake = await seated();
  const { room, Socket, heard } = fake;
  Socket.last.says(match(6, 2, 3));
  assert.deepEqual(joins(fake).slice(1), [{ after: 4, chain: 44 }]);
  assert.equal(room.status, 'resuming');
  Socket.last.says(match(7, 4, 5));
  assert.equal(joins(fake).length, 2, 'asked once');
  Socket.last.answers('join', { t: 'resumed', room: ID, seq: 7, seat: 0, events: [match(5, 0, 1), match(6, 2, 3), match(7, 4, 5, { board: '......191/5' })] });
  assert.deepEqual([room.seq, room.status, events(heard)], [7, 'live', [5, 6, 7]]);
  Socket.last.says(match(8, 6, 7));
  assert.equal(room.seq, 8);
});

test('a board that differs from the server\'s: asks for everything, and shows nothing wrong', async (t) => {
  stopTime(t);
  const fake = await seated();
  const { room, Socket, heard } = fake;
  Socket.last.says(match(5, 0, 1, { board: '1' }));
  assert.deepEqual([joins(fake).slice(1), events(heard)], [[{}], []]);
  Socket.last.answers('join', snapshot({ seq: 5, chain: 55, state: playing('race', '..1919191/5', {}) }));
  assert.deepEqual([room.seq, room.board.text(), room.status], [5, '..1919191/5', 'live']);
  Socket.last.says(match(6, 0, 1, { board: '....19191/5' }));
  assert.equal(room.seq, 6);
});

test('a resume that does not fit asks for everything', async (t) => {
  stopTime(t);
  const fake = await seated();
  await reconnect(fake);
  fake.Socket.last.answers('join', { t: 'resumed', room: ID, seq: 5, seat: 0, events: [match(5, 0, 1, { board: '1' })] });
  assert.equal(fake.room.status, 'resuming');
  await settled();
  assert.deepEqual(joins(fake), [{ after: 4, chain: 44 }, {}]);
});

test('after a break each room is resumed from its head', async (t) => {
  stopTime(t);
  const fake = await seated();
  const { room, heard } = fake;
  await reconnect(fake);
  assert.deepEqual(joins(fake), [{ after: 4, chain: 44 }]);
  fake.Socket.last.answers('join', { t: 'resumed', room: ID, seq: 5, seat: 0, events: [match(5, 0, 1)] });
  assert.deepEqual(heard.map(([type, { status }]) => status ?? type), ['resuming', 'event', 'live']);
  assert.equal(room.seq, 5);
});

test('a watcher comes back as a watcher', async (t) => {
  stopTime(t);
  const fake = await seated({ seat: null });
  await reconnect(fake);
  assert.deepEqual(joins(fake), [{ watch: true, after: 4, chain: 44 }]);
});

test('a reset replaces everything', async (t) => {
  stopTime(t);
  const fake = await seated();
  await reconnect(fake);
  fake.Socket.last.answers('join', snapshot({ seq: 3, chain: 7, reset: true }));
  assert.deepEqual([fake.room.seq, fake.room.chain, fake.room.status], [3, 7, 'live']);
  assert.deepEqual(fake.heard.filter(([type]) => type === 'snapshot').map(([, { reset }]) => reset), [true]);
});

test('a seat that is lost leaves one watching; a room that is gone is told', async (t) => {
  stopTime(t);
  for (const code of ['game_started', 'room_full', 'not_allowed']) {
    const fake = await seated();
    await reconnect(fake);
    fake.Socket.last.answers('join', { t: 'error', room: ID, code, text: '' });
    await settled();
    assert.deepEqual(joins(fake)[1], { watch: true, after: 4, chain: 44 }, code);
    fake.Socket.last.answers('join', { t: 'error', room: ID, code: 'no_such_room', text: '' });
    await settled();
    assert.deepEqual([fake.room.status, fake.heard.at(-1)], ['detached', ['detached', { reason: 'no_such_room' }]]);
    assert.equal(fake.client.joined.size, 0);
  }
});

test('a resume that the server cannot serve now is asked for again', async (t) => {
  stopTime(t);
  const fake = await seated();
  await reconnect(fake);
  fake.Socket.last.answers('join', { t: 'error', room: ID, code: 'unavailable', text: '' });
  await settled();
  await pass(999);
  assert.equal(joins(fake).length, 1);
  await pass(1);
  assert.equal(joins(fake).length, 2);
});

test('one resume per connection, even when breaks follow each other', async (t) => {
  stopTime(t);
  const fake = await seated();
  await reconnect(fake);
  fake.Socket.last.answers('join', { t: 'error', room: ID, code: 'unavailable', text: '' });
  await settled();
  await reconnect(fake);
  await pass(4000);
  assert.equal(joins(fake).length, 1);
});

test('a move is answered by its event', async (t) => {
  stopTime(t);
  const { room, Socket } = await seated();
  const answer = room.match(1, 0);
  const [{ n, a, b, seen }] = Socket.last.got('match');
  assert.deepEqual([n, a, b, seen], [1, 1, 0, 4]);
  assert.deepEqual(room.pending.map((move) => move.n), [1]);
  Socket.last.says(match(5, 0, 1, { seat: 0 }));
  assert.equal((await answer).event.points, 1);
  assert.deepEqual(room.pending, []);
});

test('a move is answered by a refusal', async (t) => {
  stopTime(t);
  const { room, Socket, heard } = await seated();
  const answer = room.match(0, 1);
  Socket.last.says({ t: 'refused', room: ID, n: 1, seq: 4, code: 'locked', locked_until: 9 });
  assert.equal((await answer).refused.code, 'locked');
  assert.deepEqual(heard.map(([type]) => type), ['refused']);
});

test('an event of another seat with the same n is no answer', async (t) => {
  stopTime(t);
  const { room, Socket } = await seated();
  const answer = outcome(room.match(0, 1));
  Socket.last.says(match(5, 2, 3, { seat: 1, n: 1 }));
  await settled();
  assert.deepEqual(answer, {});
});

test('an old event, sent as it was, answers; so does one beyond a gap', async (t) => {
  stopTime(t);
  const { room, Socket } = await seated();
  const [first, second] = [room.match(0, 1), room.match(2, 3)];
  Socket.last.says(match(3, 0, 1, { seat: 0, n: 1 }));
  assert.equal((await first).event.seq, 3);
  Socket.last.says(match(9, 2, 3, { seat: 0, n: 2 }));
  assert.equal((await second).event.seq, 9);
});

test('numbers go on from the highest that the log knows', async (t) => {
  stopTime(t);
  const state = playing('race', BOARD, {});
  state.seats[0].last_n = 7;
  const { room, Socket } = await seated({ state });
  outcome(room.match(0, 1));
  outcome(room.call());
  outcome(room.resign());
  assert.deepEqual(['match', 'call', 'resign'].map((type) => Socket.last.got(type)[0].n), [8, 9, 10]);
  assert.deepEqual(Object.keys(Socket.last.got('resign')[0]).sort(), ['n', 'room', 't']);
});

test('what has no answer is sent again after the resume, the same', async (t) => {
  stopTime(t);
  const fake = await seated();
  const answers = [outcome(fake.room.match(0, 1)), outcome(fake.room.match(2, 3))];
  const sent = fake.Socket.last.got('match');
  await reconnect(fake);
  assert.deepEqual(fake.Socket.last.got('match'), [], 'not before the room is resumed');
  fake.Socket.last.answers('join', { t: 'resumed', room: ID, seq: 5, seat: 0, events: [match(5, 0, 1, { seat: 0, n: 1 })] });
  await settled();
  assert.equal(answers[0].value.event.seq, 5);
  assert.deepEqual(fake.Socket.last.got('match'), [sent[1]]);
});

test('a move made while there is no connection goes out after the resume', async (t) => {
  stopTime(t);
  const fake = await seated();
  fake.Socket.last.breaks(1006);
  outcome(fake.room.match(0, 1));
  await pass(500);
  fake.Socket.last.welcomes();
  fake.Socket.last.answers('join', { t: 'resumed', room: ID, seq: 4, seat: 0, events: [] });
  assert.deepEqual(fake.Socket.last.got('match').map(({ n, seen }) => [n, seen]), [[1, 4]]);
});

test('a pair that somebody took while one was away is stale, and costs nothing', async (t) => {
  stopTime(t);
  const fake = await seated();
  const [taken, wrong] = [outcome(fake.room.match(0, 1)), outcome(fake.room.match(0, 9))];
  await reconnect(fake);
  fake.Socket.last.answers('join', { t: 'resumed', room: ID, seq: 5, seat: 0, events: [match(5, 0, 1)] });
  await settled();
  assert.deepEqual([taken.value.refused.code, taken.value.refused.local], ['stale', true]);
  assert.deepEqual(wrong, {}, 'what was wrong when it was made is judged by the server');
  assert.deepEqual(fake.Socket.last.got('match').map(({ b }) => b), [9]);
});

test('a snapshot that knows the move: the server is asked what became of it', async (t) => {
  stopTime(t);
  const fake = await seated();
  const answer = fake.room.match(0, 1);
  await reconnect(fake);
  const state = taken();
  state.seats[0].last_n = 1;
  fake.Socket.last.answers('join', snapshot({ seq: 600, chain: 6, state }));
  assert.deepEqual(fake.Socket.last.got('match').map(({ n }) => n), [1]);
  fake.Socket.last.says(match(5, 0, 1, { seat: 0 }));
  assert.equal((await answer).event.seq, 5);
});

test('a snapshot unasked: replaces, and unanswered moves are sent again', async (t) => {
  stopTime(t);
  const fake = await seated();
  outcome(fake.room.match(0, 1));
  fake.Socket.last.says(snapshot({ seq: 9, chain: 99 }));
  assert.deepEqual([fake.room.seq, fake.Socket.last.got('match').map(({ n }) => n)], [9, [1, 1]]);
});

test('a move on its way over a connection that held is left to the server, whatever a snapshot says', async (t) => {
  stopTime(t);
  const fake = await seated();
  const answer = outcome(fake.room.match(0, 1));
  fake.Socket.last.says(snapshot({ seq: 9, chain: 99, state: taken() }));
  await settled();
  assert.deepEqual([answer, fake.Socket.last.got('match').length], [{}, 2]);
});

test('the log has another move under our number: ours is made under a new one', async (t) => {
  stopTime(t);
  const { room, Socket } = await seated();
  const answer = room.match(2, 3);
  Socket.last.says(match(5, 0, 1, { seat: 0, n: 1 }));
  const [, again] = Socket.last.got('match');
  assert.deepEqual([again.n, again.a, again.b, again.seen], [2, 2, 3, 4]);
  Socket.last.says(match(6, 2, 3, { seat: 0, n: 2 }));
  assert.equal((await answer).event.seq, 6);
});

for (const code of ['unavailable', 'too_fast', 'rate_limited']) {
  test(`${code}: the same move again after a pause that doubles, and not for ever`, async (t) => {
    stopTime(t);
    const { room, Socket } = await seated();
    const answer = outcome(room.match(0, 1));
    const refuse = () => Socket.last.says({ t: 'error', room: ID, n: 1, code, text: 'wait' });
    for (const pause of [250, 500, 1000, 2000, 4000, 4000, 4000, 4000]) {
      refuse();
      const before = Socket.last.got('match').length;
      await pass(pause - 1);
      assert.equal(Socket.last.got('match').length, before);
      await pass(1);
      assert.deepEqual(Socket.last.got('match').slice(before).map(({ n, seen }) => [n, seen]), [[1, 4]]);
      Socket.last.says({ t: 'x' });
    }
    assert.deepEqual(answer, {});
    refuse();
    await settled();
    assert.equal(answer.error.code, code);
  });
}

test('an error that no patience cures rejects at once', async (t) => {
  stopTime(t);
  const { room, Socket } = await seated();
  const answer = outcome(room.match(0, 1));
  Socket.last.says({ t: 'error', room: ID, n: 1, code: 'bad_message', text: 'b is a number', field: 'b' });
  await settled();
  assert.deepEqual([answer.error.code, answer.error.field], ['bad_message', 'b']);
});

test('silence about a move: sent again after 10 s, given up after 30 s', async (t) => {
  stopTime(t);
  const { room, Socket } = await seated();
  const answer = outcome(room.match(0, 1));
  for (let second = 0; second < 30; second++) {
    assert.equal(Socket.last.got('match').length, 1 + Math.floor(second / 10));
    Socket.last.says({ t: 'x' });
    await pass(1000);
  }
  assert.equal(answer.error.code, 'timeout');
});

test('taken over: detached, not resumed, and played on here when asked to', async (t) => {
  stopTime(t);
  const fake = await seated();
  const { client, room, Socket, heard } = fake;
  const answer = outcome(room.match(0, 1));
  Socket.last.says({ t: 'detached', room: ID, reason: 'taken_over' });
  await settled();
  assert.deepEqual([answer.error.code, room.status, heard.at(-1)], ['detached', 'detached', ['detached', { reason: 'taken_over' }]]);
  await assert.rejects(room.match(2, 3), { code: 'detached' });
  await assert.rejects(room.ready(true), { code: 'detached' });
  Socket.last.breaks(4501, 'elsewhere');
  assert.equal(client.status, 'closed');
  const back = room.rejoin();
  assert.equal(client.status, 'connecting');
  Socket.last.welcomes();
  await settled();
  assert.deepEqual(joins(fake), [{ after: 4, chain: 44 }]);
  Socket.last.answers('join', { t: 'resumed', room: ID, seq: 4, seat: 0, events: [] });
  assert.equal(await back, room);
  assert.deepEqual([room.status, client.joined.get(ID)], ['live', room]);
});

test('leave: the room is not resumed, and not heard any more', async (t) => {
  stopTime(t);
  const fake = await seated();
  const left = fake.room.leave();
  fake.Socket.last.answers('leave', { t: 'ok' });
  await left;
  fake.Socket.last.says(match(5, 0, 1));
  assert.deepEqual([fake.room.status, fake.room.seq], ['left', 4]);
  await reconnect(fake);
  assert.deepEqual(joins(fake), []);
});

test('leaving while a resume is under way is told all the same', async (t) => {
  stopTime(t);
  const fake = await seated();
  await reconnect(fake);
  outcome(fake.room.leave());
  assert.equal(fake.Socket.last.got('leave').length, 1);
  fake.Socket.last.answers('join', { t: 'resumed', room: ID, seq: 4, seat: 0, events: [] });
  assert.equal(fake.room.status, 'left');
});

test('requests of a room wait until it is resumed; a break leaves their outcome open', async (t) => {
  stopTime(t);
  const fake = await seated();
  const broken = outcome(fake.room.ready(true));
  fake.Socket.last.breaks(1006);
  const waiting = fake.room.chat('hello');
  await pass(500);
  assert.equal(broken.error.code, 'disconnected');
  fake.Socket.last.welcomes();
  assert.deepEqual(fake.Socket.last.got('chat'), []);
  fake.Socket.last.answers('join', { t: 'resumed', room: ID, seq: 4, seat: 0, events: [] });
  assert.deepEqual([fake.Socket.last.got('chat').length, fake.Socket.last.got('ready').length], [1, 0]);
  fake.Socket.last.answers('chat', { t: 'ok' });
  assert.equal(await waiting, undefined);
});

test('each request is sent as the protocol has it', async (t) => {
  stopTime(t);
  const { room, Socket } = await seated();
  [room.ready(false), room.start(), room.bot('hard'), room.kick(1), room.rematch(true), room.chat('hi')].forEach(outcome);
  const sent = Socket.last.sent.slice(-6).map(({ id, room: of, ...rest }) => rest);
  assert.deepEqual(sent, [{ t: 'ready', ready: false }, { t: 'start' }, { t: 'bot', level: 'hard' }, { t: 'kick', seat: 1 },
    { t: 'rematch', want: true }, { t: 'chat', text: 'hi' }]);
});

test('a watcher has no moves', async (t) => {
  stopTime(t);
  const { room, Socket } = await seated({ seat: null });
  assert.deepEqual(await room.match(0, 1), { refused: { code: 'not_seated', local: true } });
  assert.deepEqual(Socket.last.got('match'), []);
});

test('presence and chat', async (t) => {
  stopTime(t);
  const { room, Socket, heard } = await seated();
  Socket.last.says({ t: 'presence', room: ID, online: [true, false], watching: 3 });
  Socket.last.says({ t: 'chat', room: ID, player: { id: 'bob', name: 'Bob' }, text: 'gg', at: 5 });
  assert.deepEqual([room.online, room.watching, heard.map(([type]) => type)], [[true, false], 3, ['presence', 'chat']]);
});

test('who is muted is not heard', async (t) => {
  stopTime(t);
  const { client, Socket, heard } = await seated();
  const say = (text) => Socket.last.says({ t: 'chat', room: ID, player: { id: 'bob', name: 'Bob' }, text, at: 5 });
  client.muted.add('bob');
  say('not heard');
  client.muted.delete('bob');
  say('heard');
  assert.deepEqual(heard.map(([type, { text }]) => [type, text]), [['chat', 'heard']]);
});

test('a new player keeps no seat and no move, and watches what was played', async (t) => {
  stopTime(t);
  const fake = await seated();
  const answer = outcome(fake.room.match(0, 1));
  fake.Socket.last.breaks(4500);
  await pass(500);
  fake.Socket.last.welcomes({ player: { id: 'new', name: 'Otter 3' } });
  await settled();
  assert.equal(answer.error.code, 'new_player');
  assert.deepEqual(joins(fake), [{ watch: true, after: 4, chain: 44 }]);
});

test('close(), then connect(): moves are given up, the room is resumed', async (t) => {
  stopTime(t);
  const fake = await seated();
  const answer = outcome(fake.room.match(0, 1));
  fake.client.close();
  await settled();
  assert.deepEqual([answer.error.code, fake.room.status], ['closed', 'resuming']);
  fake.client.connect();
  fake.Socket.last.welcomes();
  assert.deepEqual(joins(fake), [{ after: 4, chain: 44 }]);
});

test('a room remembers the deal, the reason of the end and who wants a rematch', async (t) => {
  stopTime(t);
  const { room, Socket } = await seated({ seq: 3, chain: 33, state: playing('race', BOARD, {}) });
  const say = (seq, fields) => Socket.last.says({ t: 'event', room: ID, seq, chain: seq * 11, ...fields });
  say(4, { ...opening('race', BOARD, {})[3] });
  assert.equal(room.dealt, BOARD);
  say(5, { kind: 'ended', reason: 'stuck', ranking: [], seed: null, salt: 'ab' });
  assert.equal(room.reason, 'stuck');
  say(6, { kind: 'rematch', seat: 0, want: true });
  say(7, { kind: 'rematch', seat: 1, want: true });
  say(8, { kind: 'rematch', seat: 0, want: false });
  assert.deepEqual([[...room.wants], room.next], [[1], null]);
  say(9, { kind: 'rematch', room: 'room000002', from: ID });
  assert.deepEqual([room.next, room.seq], ['room000002', 9]);
});

test('clocks tell the time that belongs to what is seen', async (t) => {
  stopTime(t);
  const state = { ...playing('race', BOARD, { ends_at: Date.now() + 60_000 }) };
  state.seats[0].locked_until = Date.now() + 1800;
  const { room } = await seated({ state });
  assert.deepEqual([room.timeLeft(), room.lockedFor()], [60_000, 1800]);
  const delayed = { ...state, options: { ...state.options, spectator_delay_ms: 5000 } };
  const { room: watched } = await seated({ state: delayed, seat: null });
  assert.equal(watched.timeLeft(), 65_000);
  await pass(1000);
  assert.deepEqual([room.timeLeft(), room.lockedFor()], [59_000, 800]);
  await pass(1000);
  assert.equal(room.lockedFor(), 0);
});

test('refresh asks for everything, also while a resume is under way', async (t) => {
  stopTime(t);
  const fake = await seated();
  await reconnect(fake);
  const fresh = fake.room.refresh();
  fake.Socket.last.answers('join', { t: 'resumed', room: ID, seq: 4, seat: 0, events: [] });
  await settled();
  assert.deepEqual(joins(fake), [{ after: 4, chain: 44 }, {}]);
  fake.Socket.last.answers('join', snapshot({ seq: 8 }));
  assert.equal((await fresh).seq, 8);
});

test('the deal can be checked after the end, from the history if need be, from the record of a long game', async (t) => {
  stopTime(t);
  const state = playing('race', '123456789/111213141/516171819', {});
  Object.assign(state, { phase: 'over', commit: null, options: { ...state.options, size: 27, deal: 'classic' } });
  const { room, Socket } = await seated({ state });
  const events = opening('race', '123456789/111213141/516171819', {});
  const check = (answer) => {
    const checked = room.checkDeal();
    Socket.last.answers('join', answer);
    return checked;
  };
  const resumed = () => ({ t: 'resumed', room: ID, seq: room.seq, seat: 0, events });
  assert.equal((await check(resumed())).ok, true);
  assert.deepEqual([room.status, room.seq], ['live', 4]);
  events[3] = { ...events[3], board: '9' };
  assert.equal((await check(resumed())).boardOk, false);
  t.mock.method(globalThis, 'fetch', async () => Response.json({ events: events.slice(0, 3) }));
  await assert.rejects(check(snapshot({ state })), { code: 'not_playing' });
});
