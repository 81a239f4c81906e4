// Requests and their answers, the lobby, the queue, entering rooms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestError } from '../../../client_demo/web/tenmatch.js';
import { Requests } from '../../../client_demo/web/requests.js';
import { fakeClient, openClient, outcome, pass, settled, stopTime } from './fakes.mjs';
import { playing } from './games.mjs';

const SNAPSHOT = {
  t: 'snapshot', room: 'room000001', code: 'CODE42', seq: 4, chain: 44, seat: 0, state: playing('race', '19.......', {}),
};

test('create carries a key of its own, and resolves to the room', async (t) => {
  stopTime(t);
  const { client, Socket } = openClient();
  const made = client.create({ mode: 'race', options: { max_players: 2 }, private: true });
  const [sent] = Socket.last.got('create');
  assert.deepEqual([sent.mode, sent.options, sent.private, /^[0-9a-f]{32}$/.test(sent.key)], ['race', { max_players: 2 }, true, true]);
  Socket.last.answers('create', SNAPSHOT);
  const room = await made;
  assert.deepEqual([room.id, room.code, room.seat, room.seq, room.chain, room.status], ['room000001', 'CODE42', 0, 4, 44, 'live']);
  assert.equal(room.board.text(), '19.......');
  assert.equal(client.joined.get('room000001'), room);
});

test('the same create goes out again when the connection broke before its answer', async (t) => {
  stopTime(t);
  const { client, Socket } = openClient();
  const made = client.create({ mode: 'race' });
  const [first] = Socket.last.got('create');
  Socket.last.breaks(1006);
  await pass(500);
  Socket.last.welcomes();
  assert.deepEqual(Socket.last.got('create'), [first]);
  Socket.last.answers('create', SNAPSHOT);
  assert.equal((await made).id, 'room000001');
});

test('join by room or by code; joining where one is gives the same object', async (t) => {
  stopTime(t);
  const { client, Socket } = openClient();
  const joined = client.join({ code: 'CODE42', watch: true });
  assert.deepEqual(Socket.last.got('join').map(({ id, ...rest }) => rest), [{ t: 'join', code: 'CODE42', watch: true }]);
  Socket.last.answers('join', { ...SNAPSHOT, seat: null });
  const room = await joined;
  assert.deepEqual([room.seat, room.me, room.isHost], [null, null, false]);
  const again = client.join({ room: 'room000001' });
  assert.deepEqual(Socket.last.got('join')[1].room, 'room000001');
  Socket.last.answers('join', SNAPSHOT);
  assert.equal(await again, room);
  assert.deepEqual([room.seat, room.me.player.name, room.isHost], [0, 'Ann', true]);
});

test('an error answers its request; one that answers none is told as failed', async (t) => {
  stopTime(t);
  const { client, Socket, heard } = openClient();
  const made = outcome(client.create({ mode: 'race', options: { size: 3 } }));
  Socket.last.answers('create', { t: 'error', code: 'bad_options', text: 'size is 9 to 180', field: 'size' });
  await settled();
  assert.ok(made.error instanceof RequestError);
  assert.deepEqual([made.error.code, made.error.text, made.error.field], ['bad_options', 'size is 9 to 180', 'size']);
  Socket.last.says({ t: 'error', code: 'rate_limited', text: 'slower' });
  assert.equal(heard.at(-1)[1].code, 'rate_limited');
});

test('no answer within 10 s is a timeout that names the request', async (t) => {
  stopTime(t);
  const { client } = openClient();
  const made = outcome(client.create({ mode: 'race' }));
  await pass(9_999);
  assert.deepEqual(made, {});
  await pass(1);
  assert.equal(made.error.code, 'timeout');
  assert.match(made.error.text, /create/);
});

test('what is asked before there is a connection waits for it', async (t) => {
  stopTime(t);
  const { client, Socket } = fakeClient();
  const made = client.create({ mode: 'race' });
  client.connect();
  Socket.last.opens();
  assert.deepEqual(Socket.last.got('create'), []);
  Socket.last.welcomes();
  assert.equal(Socket.last.got('create').length, 1);
  Socket.last.answers('create', SNAPSHOT);
  assert.equal((await made).id, 'room000001');
});

test('close() rejects what has no answer', async (t) => {
  stopTime(t);
  const { client } = openClient();
  const made = outcome(client.create({ mode: 'race' }));
  client.close();
  await settled();
  assert.equal(made.error.code, 'closed');
});

test('rename says hello again with the token, and is no new connection', async (t) => {
  stopTime(t);
  const { client, Socket, heard } = openClient();
  outcome(client.lobby(true));
  Socket.last.answers('lobby', { t: 'rooms', rooms: [] });
  const renamed = client.rename('Anna');
  const hello = Socket.last.got('hello').at(-1);
  assert.deepEqual([hello.token, hello.name], ['token-1', 'Anna']);
  Socket.last.welcomes({ re: hello.id, player: { id: 'ann000000000', name: 'Anna' }, token: 'token-2' });
  assert.deepEqual(await renamed, { id: 'ann000000000', name: 'Anna' });
  assert.equal(client.player.name, 'Anna');
  assert.equal(heard.filter(([type]) => type === 'status').length, 2);
  assert.equal(Socket.last.got('lobby').length, 1);
});

test('the lobby: the list, its changes, and again after a break', async (t) => {
  stopTime(t);
  const { client, Socket, heard } = openClient();
  const on = client.lobby(true);
  Socket.last.answers('lobby', { t: 'rooms', rooms: [{ room: 'r1' }, { room: 'r2' }] });
  await on;
  assert.deepEqual([...client.rooms.keys()], ['r1', 'r2']);
  Socket.last.says({ t: 'rooms', changed: [{ room: 'r2', seats: 2 }, { room: 'r3' }], gone: ['r1'] });
  assert.deepEqual([...client.rooms.values()], [{ room: 'r2', seats: 2 }, { room: 'r3' }]);
  assert.deepEqual(heard.at(-1)[1].changed, ['r2', 'r3']);
  Socket.last.breaks(1006);
  await pass(500);
  Socket.last.welcomes();
  assert.deepEqual(Socket.last.got('lobby').map(({ on }) => on), [true]);
  Socket.last.answers('lobby', { t: 'rooms', rooms: [{ room: 'r9' }] });
  assert.deepEqual([...client.rooms.keys()], ['r9']);
  const off = client.lobby(false);
  Socket.last.says({ t: 'rooms', changed: [{ room: 'late' }] });
  Socket.last.answers('lobby', { t: 'ok' });
  await off;
  assert.equal(client.rooms.size, 0);
  Socket.last.breaks(1006);
  await pass(1000);
  Socket.last.welcomes();
  assert.deepEqual(Socket.last.got('lobby'), []);
});

test('the lobby asked for before the first welcome is asked for once', (t) => {
  stopTime(t);
  const { client, Socket } = fakeClient();
  client.connect();
  client.lobby(true).catch(() => {});
  Socket.last.welcomes();
  assert.equal(Socket.last.got('lobby').length, 1);
});

test('the queue: again after a break, until paired', async (t) => {
  stopTime(t);
  const { client, Socket, heard } = openClient();
  const queued = client.queue('race', { rated: true });
  Socket.last.answers('queue', { t: 'ok' });
  await queued;
  Socket.last.breaks(1006);
  await pass(500);
  Socket.last.welcomes();
  const [{ id, ...sent }] = Socket.last.got('queue');
  assert.deepEqual(sent, { t: 'queue', mode: 'race', rated: true, on: true });
  Socket.last.answers('queue', { t: 'ok' });
  Socket.last.says({ t: 'paired', room: 'room000001', code: 'CODE42' });
  assert.equal(heard.at(-1)[0], 'paired');
  Socket.last.breaks(1006);
  await pass(1000);
  Socket.last.welcomes();
  assert.deepEqual(Socket.last.got('queue'), []);
});

test('the queue: once more where the server puts one back, and not where it takes one out', async (t) => {
  stopTime(t);
  const { client, Socket, heard } = openClient();
  const again = async () => {
    Socket.last.breaks(1006);
    await pass(10_000); // the longest that it waits
    Socket.last.welcomes();
    return Socket.last.got('queue').map(({ id, ...sent }) => sent);
  };
  const queued = client.queue('turns', { bot: true });
  Socket.last.answers('queue', { t: 'ok' });
  await queued;
  assert.deepEqual(await again(), [{ t: 'queue', mode: 'turns', rated: false, on: true, bot: true }]);
  Socket.last.answers('queue', { t: 'ok' });
  Socket.last.says({ t: 'paired', room: 'room000001', code: 'CODE42' });
  const news = { t: 'queued', mode: 'turns', rated: false, on: true };
  Socket.last.says(news);
  assert.deepEqual(heard.at(-1), ['queued', news]);
  assert.deepEqual(await again(), [{ t: 'queue', mode: 'turns', rated: false, on: true }]);
  Socket.last.answers('queue', { t: 'ok' });
  Socket.last.says({ ...news, on: false });
  assert.deepEqual(await again(), []);
});

test('the queue: what the server refuses is not asked again', async (t) => {
  stopTime(t);
  const { client, Socket } = openClient();
  const queued = outcome(client.queue('chess'));
  Socket.last.answers('queue', { t: 'error', code: 'bad_options', field: 'mode', text: 'no such mode' });
  await settled();
  assert.equal(queued.error.code, 'bad_options');
  Socket.last.breaks(1006);
  await pass(1000);
  Socket.last.welcomes();
  assert.deepEqual(Socket.last.got('queue'), []);
});

test('records and leaderboards come by http from the same server', async (t) => {
  const { client } = fakeClient({ url: 'wss://play.test:8443/v1' });
  const asked = [];
  t.mock.method(globalThis, 'fetch', async (url) => {
    asked.push(url);
    return !url.includes('/records/') ? Response.json([1]) : new Response('', { status: 404, statusText: 'Not Found' });
  });
  assert.deepEqual(await client.leaderboard('race'), [1]);
  assert.deepEqual(await client.leaderboard('turns', { period: 'week', page: 2, player: 'ann456789012' }), [1]);
  assert.deepEqual(await client.played('ann456789012'), [1]);
  await assert.rejects(client.record('room000001'), { code: 'http_404' });
  const paths = ['leaderboards/race', 'leaderboards/turns?period=week&page=2&player=ann456789012', 'players/ann456789012'];
  assert.deepEqual(asked, [...paths, 'records/room000001'].map((path) => `https://play.test:8443/v1/${path}`));
});

test('without an address and without a page there is no client, nor without a WebSocket', () => {
  assert.throws(() => fakeClient({ url: undefined }), TypeError);
  assert.throws(() => fakeClient({ WebSocket: null }), TypeError);
});

test('ids stay within 32 bits', async (t) => {
  stopTime(t);
  const sent = [];
  const requests = new Requests((message) => sent.push(message) > 0, 2 ** 32 - 3);
  for (const name of 'abc') outcome(requests.ask({ t: name }));
  assert.deepEqual(sent.map(({ id }) => id), [2 ** 32 - 2, 2 ** 32 - 1, 0]);
  const first = requests.ask({ t: 'd' });
  requests.answer({ t: 'ok', re: 1 });
  assert.equal((await first).re, 1);
  assert.equal(requests.answer({ t: 'ok', re: 1 }), false, 'one answer each');
});
