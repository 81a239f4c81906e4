// A server made of scripted sockets, and time that moves when told to.
import { mock } from 'node:test';
import { webcrypto } from 'node:crypto';
import { Client } from '../../../client_demo/web/tenmatch.js';

// Node 18 has these, but not as globals.
globalThis.crypto ??= webcrypto;
globalThis.CustomEvent ??= class CustomEvent extends Event {
  constructor(type, { detail } = {}) {
    super(type);
    this.detail = detail;
  }
};

export const URL = 'ws://tenmatch.test/v1';
export const LIMITS = { frame: 4096, messages_per_s: 20, matches_per_s: 5 };

/** A WebSocket class whose sockets are kept in `sockets`, in the order they were opened. */
export function socketClass() {
  return class FakeSocket {
    static sockets = [];
    static get last() {
      return this.sockets.at(-1);
    }
    readyState = 0;
    sent = [];

    constructor(url, protocols) {
      Object.assign(this, { url, protocols });
      FakeSocket.sockets.push(this);
    }

    send(text) {
      if (this.readyState !== 1) throw new Error('sent on a socket that is not open');
      this.sent.push(JSON.parse(text));
    }

    close(code) {
      Object.assign(this, { readyState: 3, closedWith: code });
    }

    // What the server does

    opens() {
      this.readyState = 1;
      this.onopen?.();
    }

    says(message) {
      this.onmessage?.({ data: typeof message === 'string' ? message : JSON.stringify(message) });
    }

    breaks(code = 1006, reason = '') {
      this.readyState = 3;
      this.onclose?.({ code, reason });
    }

    /** Open and welcome. */
    welcomes(fields = {}) {
      this.opens();
      this.says(welcome(fields));
    }

    /** The messages of a type that the client sent. */
    got(type) {
      return this.sent.filter(({ t }) => t === type);
    }

    /** Answer the last message of a type. */
    answers(type, message) {
      this.says({ ...message, re: this.got(type).at(-1).id });
    }
  };
}

export const welcome = (fields = {}) => ({
  t: 'welcome', re: null, player: { id: 'ann000000000', name: 'Ann' }, token: 'token-1', seated: [], node: 'a',
  version: '1', time: Date.now(), limits: LIMITS, ...fields,
});

/** Storage as a browser has it. */
export function memory(entries = {}) {
  const kept = new Map(Object.entries(entries));
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

/** Time in a test: timers by their number, due at a moment that comes only when told to. */
const time = { now: 1_000_000, timers: new Map(), last: 0 };

/** Let time stand still, and random parts be whole, for the rest of a test. */
export function stopTime(t, random = 1) {
  Object.assign(time, { now: 1_000_000, timers: new Map() });
  mock.method(Math, 'random', () => random);
  mock.method(Date, 'now', () => time.now);
  mock.method(globalThis, 'setTimeout', (run, ms = 0) => {
    time.timers.set(++time.last, { run, at: time.now + ms });
    return time.last;
  });
  mock.method(globalThis, 'clearTimeout', (timer) => time.timers.delete(timer));
  t.after(() => mock.restoreAll());
}

/** Run what is due up to a moment, in order. */
function run(until) {
  const due = [...time.timers].filter(([, { at }]) => at <= until).sort(([, one], [, other]) => one.at - other.at);
  if (!due.length) return;
  const [[timer, { run: next, at }]] = due;
  time.timers.delete(timer);
  time.now = Math.max(time.now, at);
  next();
  run(until);
}

/** Let whatever waits for a promise go on. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Move time, and let whatever that started go on. */
export async function pass(ms) {
  const until = time.now + ms;
  run(until);
  time.now = until;
  await settled();
}

/** Let time go by without running what is due, as a browser does with a hidden tab. */
export function late(ms) {
  time.now += ms;
}

/** A client with its sockets, and all that it dispatches as `[type, detail]`. */
export function fakeClient(options = {}) {
  const Socket = socketClass();
  const client = new Client({ url: URL, WebSocket: Socket, storage: memory(), ...options });
  const heard = listen(client, ['status', 'welcome', 'newplayer', 'rooms', 'paired', 'queued', 'closing', 'failed']);
  return { client, Socket, heard };
}

/** A connected client. */
export function openClient(options = {}) {
  const fake = fakeClient(options);
  fake.client.connect();
  fake.Socket.last.welcomes();
  return fake;
}

export function listen(target, types) {
  const heard = [];
  for (const type of types) target.addEventListener(type, ({ detail }) => heard.push([type, detail]));
  return heard;
}

/** What a promise came to, if it has: `{value}`, `{error}` or `{}`. */
export function outcome(promise) {
  const found = {};
  promise.then((value) => (found.value = value), (error) => (found.error = error));
  return found;
}
