// The connection: hello, keep-alive, close codes, back-off, the token, the clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoff, planFor, ServerClock } from '../../../client_demo/web/link.js';
import { fakeClient, late, memory, openClient, pass, stopTime, URL, welcome } from './fakes.mjs';

const TOKEN = 'tenmatch.token@tenmatch.test';
const statuses = (heard) => heard.filter(([type]) => type === 'status').map(([, { status }]) => status);
const last = (heard) => heard.filter(([type]) => type === 'status').at(-1)[1];

test('hello is the first message, by the JSON subprotocol; the welcome opens', (t) => {
  stopTime(t);
  const storage = memory();
  const { client, Socket, heard } = fakeClient({ name: 'Ann', agent: 'test/1', storage });
  assert.equal(client.status, 'idle');
  client.connect();
  assert.deepEqual([Socket.last.url, Socket.last.protocols], [URL, ['tenmatch.v1.json']]);
  Socket.last.opens();
  assert.deepEqual(Socket.last.sent, [{ t: 'hello', name: 'Ann', agent: 'test/1' }]);
  Socket.last.says(welcome({ seated: ['room000001'] }));
  assert.deepEqual(statuses(heard), ['connecting', 'open']);
  assert.deepEqual([client.player.name, client.seated, client.limits.frame, client.node], ['Ann', ['room000001'], 4096, 'a']);
  assert.equal(storage.kept.get(TOKEN), 'token-1');
});

test('a returning player says the token, and no name', (t) => {
  stopTime(t);
  const { client, Socket } = fakeClient({ name: 'Ann', storage: memory({ [TOKEN]: 'old' }) });
  client.connect();
  Socket.last.opens();
  assert.deepEqual(Socket.last.sent, [{ t: 'hello', token: 'old' }]);
});

test('a storage that is forbidden, or none, means: in memory', async (t) => {
  stopTime(t);
  const forbidden = () => { throw new Error('forbidden'); };
  for (const storage of [null, { getItem: forbidden, setItem: forbidden, removeItem: forbidden }]) {
    const { Socket } = openClient({ storage });
    Socket.last.breaks(1001);
    await pass(500);
    Socket.last.opens();
    assert.deepEqual(Socket.last.sent, [{ t: 'hello', token: 'token-1' }]);
  }
});

test('after 5 s of silence it pings, and after 5 s more it reconnects', async (t) => {
  stopTime(t);
  const { Socket, heard } = openClient();
  const [socket] = Socket.sockets;
  socket.answers('ping', { t: 'pong', time: Date.now() });
  await pass(4999);
  assert.equal(socket.got('ping').length, 1, 'the one that measures the way, at the start');
  await pass(1);
  assert.equal(socket.got('ping').length, 2);
  await pass(4999);
  assert.equal(last(heard).status, 'open');
  await pass(1);
  assert.equal(last(heard).status, 'reconnecting');
  assert.equal(socket.readyState, 3);
  await pass(500);
  assert.equal(Socket.sockets.length, 2);
});

test('anything received is a sign of life', async (t) => {
  stopTime(t);
  const { client, Socket } = openClient();
  for (let i = 0; i < 10; i++) {
    await pass(4000);
    Socket.last.says({ t: 'something_new' });
  }
  assert.equal(client.status, 'open');
  assert.equal(Socket.sockets.length, 1);
});

test('a timer that runs late, as in a hidden tab, is no silence', async (t) => {
  stopTime(t);
  const { client, Socket } = openClient();
  late(60_000);
  await pass(0);
  assert.equal(Socket.last.got('ping').length, 2, 'late, the server is asked');
  await pass(4999);
  assert.equal(client.status, 'open');
  Socket.last.answers('ping', { t: 'pong', time: Date.now() });
  await pass(1);
  assert.equal(client.status, 'open');
});

test('no welcome within 10 s is a failure', async (t) => {
  stopTime(t);
  const { client, Socket, heard } = fakeClient();
  client.connect();
  Socket.last.opens();
  await pass(10_000);
  assert.deepEqual(last(heard), { status: 'reconnecting', code: 1006, reason: 'no welcome', in_ms: 500 });
});

test('an error instead of a welcome is told, and tried again', async (t) => {
  stopTime(t);
  const { client, Socket, heard } = fakeClient();
  client.connect();
  Socket.last.opens();
  Socket.last.says({ t: 'error', code: 'unavailable', text: 'the store is away' });
  assert.equal(heard.find(([type]) => type === 'failed')[1].code, 'unavailable');
  assert.equal(last(heard).status, 'reconnecting');
  await pass(500);
  assert.equal(Socket.sockets.length, 2);
});

for (const code of [1000, 1002, 1003, 1007, 1009, 4501, 4999]) {
  test(`close ${code}: does not come back`, async (t) => {
    stopTime(t);
    const { client, Socket, heard } = openClient();
    await pass(2000);
    Socket.last.breaks(code, 'why');
    await pass(600_000);
    assert.equal(Socket.sockets.length, 1);
    assert.deepEqual(last(heard), { status: 'closed', code, reason: 'why' });
    assert.deepEqual(client.closed, { code, reason: 'why' });
    client.connect();
    assert.equal(Socket.sockets.length, 2, 'unless the program says so');
    assert.equal(client.closed, null);
  });
}

for (const code of [1001, 1005, 1006, 1011, 1013, 4000, 4321]) {
  test(`close ${code}: comes back with back-off`, async (t) => {
    stopTime(t, 0.5);
    const { Socket, heard } = openClient();
    await pass(2000);
    Socket.last.breaks(code);
    assert.equal(last(heard).in_ms, 250);
    await pass(249);
    assert.equal(Socket.sockets.length, 1);
    await pass(1);
    assert.equal(Socket.sockets.length, 2);
  });
}

test('close 1012: comes back at once', async (t) => {
  stopTime(t);
  const { Socket, heard } = openClient();
  Socket.last.breaks(1012);
  assert.equal(last(heard).in_ms, 0);
  await pass(0);
  assert.equal(Socket.sockets.length, 2);
  Socket.last.welcomes();
  Socket.last.breaks(1012);
  assert.equal(last(heard).in_ms, 500, 'but never in a tight circle');
});

test('close 1008: comes back after a minute, and nothing hastens that', async (t) => {
  stopTime(t);
  const page = browser(t);
  const { Socket } = openClient();
  Socket.last.breaks(1008);
  page.fire('online');
  await pass(59_999);
  assert.equal(Socket.sockets.length, 1);
  await pass(1);
  assert.equal(Socket.sockets.length, 2);
});

test('close 4500: forgets the token and comes back as a new guest', async (t) => {
  stopTime(t);
  const storage = memory({ [TOKEN]: 'forged' });
  const { client, Socket, heard } = fakeClient({ storage });
  client.connect();
  Socket.last.opens();
  Socket.last.breaks(4500, 'expired');
  assert.equal(storage.kept.has(TOKEN), false);
  await pass(500);
  Socket.last.opens();
  assert.deepEqual(Socket.last.sent, [{ t: 'hello' }]);
  Socket.last.says(welcome({ player: { id: 'new', name: 'Otter 3' } }));
  assert.deepEqual(heard.find(([type]) => type === 'newplayer'), ['newplayer', { previous: null }]);
  assert.equal(client.player.id, 'new');
});

test('close 4500 after play: the event says who one was', async (t) => {
  stopTime(t);
  const { Socket, heard } = openClient();
  await pass(2000);
  Socket.last.breaks(4500);
  await pass(500);
  Socket.last.welcomes({ player: { id: 'new', name: 'Otter 3' } });
  assert.equal(heard.find(([type]) => type === 'newplayer')[1].previous.name, 'Ann');
});

test('close 4500 without a token is the end', async (t) => {
  stopTime(t);
  const { client, Socket } = fakeClient();
  client.connect();
  Socket.last.opens();
  Socket.last.breaks(4500, 'no');
  await pass(60_000);
  assert.deepEqual([Socket.sockets.length, client.closed], [1, { code: 4500, reason: 'no' }]);
});

test('a refused token does not take away the better one that another tab has got meanwhile', (t) => {
  stopTime(t);
  const storage = memory({ [TOKEN]: 'expired' });
  const { client, Socket } = fakeClient({ storage });
  client.connect();
  Socket.last.opens();
  storage.setItem(TOKEN, 'better');
  Socket.last.breaks(4500);
  assert.equal(storage.kept.get(TOKEN), 'better');
});

test('back-off is a random part of 0.5 s, doubling to 10 s, and starts anew after 10 s of connection', async (t) => {
  stopTime(t);
  assert.deepEqual([0, 1, 2, 3, 4, 5, 50].map(backoff), [500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  const { Socket, heard } = openClient();
  await pass(2000);
  for (const expected of [500, 1000, 2000, 4000]) {
    Socket.last.breaks(1006);
    assert.equal(last(heard).in_ms, expected);
    await pass(expected);
  }
  Socket.last.welcomes();
  await pass(100);
  Socket.last.breaks(1006);
  assert.equal(last(heard).in_ms, 8000, 'a connection that breaks at once counts as another failure');
  await pass(8000);
  Socket.last.welcomes();
  for (let i = 0; i < 3; i++) {
    await pass(4000);
    Socket.last.says({ t: 'x' });
  }
  Socket.last.breaks(1006);
  assert.equal(last(heard).in_ms, 500);
});

test('closing: leaves by itself if the server does not, and at once', async (t) => {
  stopTime(t);
  const { Socket, heard } = openClient();
  await pass(2000);
  Socket.last.says({ t: 'closing', in_ms: 3000, reason: 'drain' });
  assert.deepEqual(heard.at(-1), ['closing', { t: 'closing', in_ms: 3000, reason: 'drain' }]);
  await pass(2000);
  Socket.last.says({ t: 'x' });
  await pass(2000);
  assert.equal(last(heard).code, 1012);
  await pass(0);
  assert.equal(Socket.sockets.length, 2);
});

test('a socket that was given up is not heard any more', async (t) => {
  stopTime(t);
  const { client, Socket } = openClient();
  const [socket] = Socket.sockets;
  socket.breaks(1012);
  await pass(500);
  socket.says(welcome({ player: { id: 'ghost', name: 'Ghost' } }));
  socket.breaks(1002);
  assert.deepEqual([client.status, client.player.id], ['reconnecting', 'ann000000000']);
});

test('an error without a close, as in some versions of Node, is a failure; one with a close has its code', async (t) => {
  stopTime(t);
  const { client, Socket, heard } = fakeClient();
  client.connect();
  Socket.last.onerror();
  await pass(100);
  assert.equal(last(heard).reason, 'no connection');
  await pass(500);
  Socket.last.onerror();
  Socket.last.breaks(1008);
  assert.equal(last(heard).code, 1008);
  await pass(59_000);
  assert.equal(Socket.sockets.length, 2);
});

test('close() is for good, connect() starts again', async (t) => {
  stopTime(t);
  const { client, Socket, heard } = openClient();
  client.close();
  assert.equal(Socket.last.readyState, 3);
  assert.deepEqual(last(heard), { status: 'closed', code: 1000, reason: 'closed by the client' });
  await pass(100_000);
  assert.equal(Socket.sockets.length, 1);
  client.connect();
  client.connect();
  assert.equal(Socket.sockets.length, 2);
});

test('close() while waiting to reconnect ends the waiting', async (t) => {
  stopTime(t);
  const { client, Socket } = openClient();
  Socket.last.breaks(1006);
  assert.equal(client.retryAt, Date.now() + 500);
  client.close();
  await pass(60_000);
  assert.deepEqual([Socket.sockets.length, client.retryAt], [1, null]);
});

/** The events of a browser around the library. */
function browser(t) {
  const page = new EventTarget();
  const names = ['addEventListener', 'removeEventListener'];
  const listening = new Set();
  for (const [name, change] of [[names[0], 'add'], [names[1], 'delete']]) {
    globalThis[name] = (type, listener) => {
      listening[change](type);
      page[name](type, listener);
    };
  }
  globalThis.document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  t.after(() => {
    for (const name of [...names, 'document']) delete globalThis[name];
  });
  return {
    listening,
    fire: (type) => page.dispatchEvent(new Event(type)),
    show: (visibilityState) => {
      document.visibilityState = visibilityState;
      document.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

test('in a browser: back online, or looked at again, it does not wait', async (t) => {
  stopTime(t);
  const page = browser(t);
  const { client, Socket } = openClient();
  await pass(2000);
  Socket.last.breaks(1006);
  page.fire('offline');
  page.show('hidden');
  assert.equal(Socket.sockets.length, 1);
  page.fire('online');
  assert.equal(Socket.sockets.length, 2);
  page.fire('online');
  assert.equal(Socket.sockets.length, 2, 'one attempt at a time');
  Socket.last.breaks(1006);
  page.show('visible');
  assert.equal(Socket.sockets.length, 3);
  assert.deepEqual([...page.listening], ['online', 'offline', 'pageshow']);
  client.close();
  assert.deepEqual([...page.listening], []);
  page.show('visible');
  await pass(60_000);
  assert.equal(Socket.sockets.length, 3);
});

test('in a browser: when the network changes, a dead connection is found within 3 s', async (t) => {
  stopTime(t);
  const page = browser(t);
  const { Socket, heard } = openClient();
  await pass(1000);
  page.fire('offline');
  assert.equal(Socket.last.got('ping').length, 2);
  await pass(3000);
  assert.equal(last(heard).reason, 'the server is silent');
});

test('the server\'s clock: the tightest sample counts, until one contradicts it', (t) => {
  stopTime(t);
  const clock = new ServerClock();
  const sample = (sentAt, time) => clock.sample(Date.now() + sentAt, Date.now() + time);
  sample(-400, 10_000);
  assert.deepEqual([clock.now() - Date.now(), clock.latency], [10_200, 400]);
  sample(-40, 10_100);
  assert.deepEqual([clock.now() - Date.now(), clock.latency], [10_120, 40]);
  sample(-400, 9_900);
  assert.equal(clock.now() - Date.now(), 10_120, 'a looser one that agrees teaches nothing');
  sample(-400, 50_000);
  assert.equal(clock.now() - Date.now(), 50_200, 'a clock was set');
});

test('the round trip is measured with pings; a late answer to an older one is no measure', async (t) => {
  stopTime(t);
  const { client, Socket } = openClient();
  await pass(30);
  const [first] = Socket.last.got('ping');
  Socket.last.says({ t: 'pong', re: first.id, time: Date.now() + 1985 });
  assert.deepEqual([client.latency, client.now() - Date.now()], [30, 2000]);
  await pass(5000);
  Socket.last.says({ t: 'pong', re: first.id, time: 0 });
  assert.equal(client.latency, 30);
});

test('what is no message is not heard', (t) => {
  stopTime(t);
  const { client, Socket } = openClient();
  for (const odd of ['', 'x', 'null', '[]', '{}', '{"t":1}', '"t"', '{"t":"__proto__"}', '{"t":"event"}']) Socket.last.says(odd);
  assert.equal(client.status, 'open');
});

test('every close code of the protocol has its plan', () => {
  const plans = Object.fromEntries([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 4000, 4500, 4501].map((code) => [code, planFor(code)]));
  assert.deepEqual(plans, {
    1000: 'stop', 1001: 'wait', 1002: 'stop', 1003: 'stop', 1007: 'stop', 1008: 'minute', 1009: 'stop', 1011: 'wait',
    1012: 'now', 1013: 'wait', 4000: 'wait', 4500: 'token', 4501: 'stop',
  });
  assert.deepEqual([planFor(4001), planFor(4502), planFor(1006)], ['wait', 'stop', 'wait']);
});
