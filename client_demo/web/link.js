/**
 * One connection to the server, kept alive: hello, keep-alive, close codes, back-off (server/protocol.md,
 * "Connecting" and "Close codes"). It knows nothing of rooms.
 * @module
 */

export const SUBPROTOCOL = 'tenmatch.v1.json';
const WELCOME_MS = 10_000; // from the first attempt to open a socket to its welcome
const SILENCE_MS = 5_000; // nothing received: ask whether the server is there
const PATIENCE_MS = 5_000; // and no answer to that: gone
const PROBE_MS = 3_000; // the same when something suggests that the network has changed
const SAMPLE_MS = 30_000; // measure the round trip this often even when the server talks all the time
const STEADY_MS = 10_000; // a connection that lived this long ends a series of failures
const BACKOFF_MS = { first: 500, most: 10_000 };
const ERROR_MS = 100; // from an error to the close that belongs to it
const GRACE_MS = 1_000; // past the announced end of a connection

/** @typedef {'idle' | 'connecting' | 'open' | 'reconnecting' | 'closed'} LinkStatus */
/** @typedef {{status: LinkStatus, code?: number, reason?: string, in_ms?: number}} StatusChange */
/** @typedef {{t: string, [field: string]: any}} Message */

/** What to do after a close: stop, come back at once, with back-off, after a minute, or with another token. */
/** @typedef {'stop' | 'now' | 'wait' | 'minute' | 'token'} Plan */

/** @type {Map<number, Plan>} */
const PLANS = new Map([
  [1000, 'stop'], [1001, 'wait'], [1002, 'stop'], [1003, 'stop'], [1007, 'stop'], [1008, 'minute'], [1009, 'stop'],
  [1011, 'wait'], [1012, 'now'], [1013, 'wait'], [4000, 'wait'], [4500, 'token'], [4501, 'stop'],
]);

/** What a close code asks of a client. @param {number} code @returns {Plan} */
export function planFor(code) {
  return PLANS.get(code) ?? (code >= 4500 && code <= 4999 ? 'stop' : 'wait');
}

/** How long to wait after so many failures in a row: a random part of 0.5 s, doubling to 10 s. @param {number} failures */
export function backoff(failures) {
  return Math.random() * Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** failures);
}

/** The server's clock, estimated from answers that carry its time. */
export class ServerClock {
  #offset = 0;
  #error = Infinity;
  /** Round trip of the last sample in ms, or null. @type {number | null} */
  latency = null;

  /** Server time in ms. */
  now() {
    return Math.round(Date.now() + this.#offset);
  }

  /**
   * Take a sample: the server's time lies somewhere between sending and receiving. The tightest sample counts, until
   * one contradicts it (a clock was set, or the computer slept).
   * @param {number} sentAt  local ms
   * @param {number} time    server ms
   */
  sample(sentAt, time) {
    const error = (Date.now() - sentAt) / 2;
    const offset = time - (sentAt + error);
    this.latency = error * 2;
    if (error <= this.#error || Math.abs(offset - this.#offset) > error + this.#error) {
      [this.#offset, this.#error] = [offset, error];
    }
  }
}

/**
 * @typedef {object} LinkOptions
 * @property {string} url
 * @property {new (url: string, protocols: string[]) => any} WebSocket
 * @property {() => Message} hello             made anew for each socket
 * @property {(change: StatusChange) => void} status
 * @property {(message: Message) => void} message  all but pongs; the first of each socket is a welcome
 * @property {() => boolean} refused           the token is not good: true to try again without it
 */

/** A connection that comes back by itself. */
export class Link {
  /** @type {LinkStatus} */
  status = 'idle';
  /** When the next attempt is due (local ms), or null. @type {number | null} */
  retryAt = null;
  clock = new ServerClock();
  /** @type {LinkOptions} */
  #options;
  /** @type {any} */
  #socket = null;
  #failures = 0;
  #hastened = true; // may the coming attempt be made earlier?
  #atOnce = false; // was this one made without waiting?
  #helloAt = 0;
  /** When this socket was welcomed (local ms), or null. @type {number | null} */
  #upAt = null;
  #pings = 0;
  #pingAt = 0;
  /** @type {Record<'alive' | 'retry' | 'leave', ReturnType<typeof setTimeout> | undefined>} */
  #timers = { alive: undefined, retry: undefined, leave: undefined };

  /** @param {LinkOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** Connect, if not connected or under way. */
  start() {
    if (this.status !== 'idle' && this.status !== 'closed') return;
    this.#failures = 0;
    this.#listen('addEventListener');
    this.#change({ status: 'connecting' });
    this.#open();
  }

  /** Close for good. @param {number} [code] @param {string} [reason] */
  stop(code = 1000, reason = 'closed by the client') {
    if (this.status === 'idle' || this.status === 'closed') return;
    this.#listen('removeEventListener');
    this.#drop();
    this.#change({ status: 'closed', code, reason });
  }

  /** Send a message; false when there is no welcomed socket to send it on. @param {Message} message */
  send(message) {
    if (this.#upAt === null || this.#socket?.readyState !== 1) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** The server will close this connection: leave by ourselves if it does not. @param {number} in_ms */
  expectClose(in_ms) {
    this.#timer('leave', in_ms + GRACE_MS, () => this.#lost(1012, 'the server is going away'));
  }

  #open() {
    this.retryAt = null;
    const socket = new this.#options.WebSocket(this.#options.url, [SUBPROTOCOL]);
    this.#socket = socket;
    this.#timer('alive', WELCOME_MS, () => this.#lost(1006, 'no welcome'));
    socket.onopen = () => {
      this.#helloAt = Date.now();
      socket.send(JSON.stringify(this.#options.hello()));
    };
    socket.onmessage = (/** @type {{data: unknown}} */ { data }) => this.#received(data);
    // A close follows an error, with its code; not in every version of Node.
    socket.onerror = () => this.#timer('alive', ERROR_MS, () => this.#lost(1006, 'no connection'));
    socket.onclose = (/** @type {{code: number, reason: string}} */ { code, reason }) => this.#lost(code, reason);
  }

  /** @param {unknown} data */
  #received(data) {
    const message = parsed(data);
    if (!message) return;
    if (this.#upAt === null) return this.#answeredHello(message);
    this.#heard();
    if (message.t !== 'pong') return this.#options.message(message);
    if (message.re === this.#pings) this.clock.sample(this.#pingAt, message.time); // a late answer to an older one tells nothing
  }

  /** @param {Message} message */
  #answeredHello(message) {
    if (message.t === 'welcome') return this.#welcomed(message);
    if (message.t !== 'error') return;
    this.#options.message(message);
    this.#lost(1006, message.text ?? message.code);
  }

  /** @param {Message} welcome */
  #welcomed(welcome) {
    this.#upAt = Date.now();
    this.clock.sample(this.#helloAt, welcome.time);
    this.#ping(); // a hello may have waited for the store; this measures the way alone
    this.#heard();
    this.status = 'open';
    this.#options.message(welcome); // before the news of the status, so that whoever hears that finds a player
    this.#change({ status: 'open' });
  }

  #heard() {
    if (Date.now() - this.#pingAt > SAMPLE_MS) this.#ping();
    this.#timer('alive', SILENCE_MS, () => this.#probe(PATIENCE_MS));
  }

  #ping() {
    this.#pingAt = Date.now();
    this.#pings = (this.#pings + 1) >>> 0;
    this.send({ t: 'ping', id: this.#pings });
  }

  // Two timers, not one on the age of the last message: in a hidden tab timers run late, and that is no silence.
  /** @param {number} patience  ms */
  #probe(patience) {
    this.#ping();
    this.#timer('alive', patience, () => this.#lost(1006, 'the server is silent'));
  }

  /** @param {number} code @param {string} reason */
  #lost(code, reason) {
    const upFor = this.#upAt === null ? 0 : Date.now() - this.#upAt;
    this.#drop();
    let plan = planFor(code);
    if (plan === 'token') plan = this.#options.refused() ? 'now' : 'stop';
    else if (plan === 'now' && this.#atOnce && upFor < GRACE_MS) plan = 'wait'; // never in a tight circle
    this.#atOnce = plan === 'now';
    if (plan === 'stop') return this.#ended(code, reason);
    if (upFor >= STEADY_MS) this.#failures = 0;
    const in_ms = plan === 'now' ? 0 : plan === 'minute' ? 60_000 : Math.round(backoff(this.#failures++));
    this.#hastened = plan !== 'minute';
    this.retryAt = Date.now() + in_ms;
    this.#timer('retry', in_ms, () => this.#open());
    this.#change({ status: 'reconnecting', code, reason, in_ms });
  }

  /** @param {number} code @param {string} reason */
  #ended(code, reason) {
    this.#listen('removeEventListener');
    this.#change({ status: 'closed', code, reason });
  }

  /** Forget the socket: whatever it still says is not heard. */
  #drop() {
    const socket = this.#socket;
    this.#socket = this.#upAt = this.retryAt = null;
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.onerror = () => {}; // a socket closed before it was open reports that as an error
    socket.close();
  }

  /** @param {'alive' | 'retry' | 'leave'} name @param {number} ms @param {() => void} run */
  #timer(name, ms, run) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(run, ms);
  }

  /** @param {StatusChange} change */
  #change(change) {
    this.status = change.status;
    this.#options.status(change);
  }

  /** The network may be back, or another one: try now, or look whether the server is still there. */
  #hasten = (/** @type {{type: string}} */ { type }) => {
    if (type === 'visibilitychange' && document.visibilityState === 'hidden') return;
    if (this.#upAt !== null) return this.#probe(PROBE_MS);
    if (this.retryAt === null || !this.#hastened || type === 'offline') return;
    clearTimeout(this.#timers.retry);
    this.#open();
  };

  /** @param {'addEventListener' | 'removeEventListener'} change */
  #listen(change) {
    for (const name of ['online', 'offline', 'pageshow']) globalThis[change]?.(name, this.#hasten);
    globalThis.document?.[change]('visibilitychange', this.#hasten);
  }
}

/** @param {unknown} data @returns {Message | null} a message, or null for what is none */
function parsed(data) {
  try {
    const message = JSON.parse(String(data));
    return typeof message?.t === 'string' ? message : null;
  } catch {
    return null;
  }
}
