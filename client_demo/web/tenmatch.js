/**
 * The tenmatch client library: one `Client` is one connection of one player, which comes back by itself.
 * README.md beside this file is the reference.
 * @module
 */

import { Link } from './link.js';
import { RequestError, Requests } from './requests.js';
import { Room } from './room.js';
import { TokenStore } from './token.js';

export { Board } from './board.js';
export { RequestError, Room };

/**
 * @typedef {import('./link.js').Message} Message
 * @typedef {import('./link.js').LinkStatus} LinkStatus
 * @typedef {import('./link.js').StatusChange} StatusChange
 */

/**
 * A line of the lobby.
 * @typedef {{room: string, code: string, mode: string, phase: string, host: {id: string, name: string} | null,
 *            seats: number, max_players: number, teams?: string, size: number, rated: boolean, watching: number, scores: number[],
 *            started_at: number | null, rating?: number}} RoomLine
 */

/**
 * @typedef {object} ClientOptions
 * @property {string} [url]    the server's WebSocket address; default: this page's host, `/v1`
 * @property {string} [name]   of a new guest, 1–24 characters
 * @property {string} [agent]  names your client to the server
 * @property {import('./token.js').Storage | null} [storage]  where the token is kept; null: only in memory
 * @property {new (url: string, protocols: string[]) => any} [WebSocket]  default: the global one
 */

/**
 * A player's connection to a server.
 * Events: `status` `welcome` `newplayer` `rooms` `paired` `queued` `tournament` `closing` `announcement` `failed`.
 */
export class Client extends EventTarget {
  /** The server's WebSocket address. @type {string} */
  url;
  /** @type {{id: string, name: string} | null} */
  player = null;
  /** Rooms in which one has a seat in a game not over, as of the last welcome. @type {string[]} */
  seated = [];
  /** @type {{frame: number, messages_per_s: number, matches_per_s: number} | null} */
  limits = null;
  /** Whether people talk to each other on this server. */
  chat = true;
  /** Of the server. @type {string | null} */
  version = null;
  /** The node of the server that one is connected to. @type {string | null} */
  node = null;
  /** Why `status` is `closed`. @type {{code: number, reason: string} | null} */
  closed = null;
  /** The lobby, while it is on: id → line. @type {Map<string, RoomLine>} */
  rooms = new Map();
  /** Of these the games most worth watching, the best first: ids. @type {string[]} */
  featured = [];
  /** The rooms that this client is in and resumes after a break. @type {Map<string, Room>} */
  joined = new Map();
  /** Players, by id, of whose chat rooms tell nothing. @type {Set<string>} */
  muted = new Set();

  #link;
  #requests;
  #token;
  /** @type {string | undefined} */
  #name;
  /** @type {string | undefined} */
  #agent;
  /** What to ask for again after a break, by type. @type {Map<'lobby' | 'queue', Message>} */
  #standing = new Map();
  /** @type {{id: string, name: string} | null} */
  #formerly = null;

  /** @param {ClientOptions} [options] */
  constructor({ url = pageUrl(), name, agent, storage, WebSocket = globalThis.WebSocket } = {}) {
    super();
    if (!WebSocket) throw new TypeError('no WebSocket here: give a class as the option WebSocket');
    this.url = url;
    this.#name = name;
    this.#agent = agent;
    this.#token = new TokenStore(storage, new URL(url).host);
    this.#link = new Link({
      url,
      WebSocket,
      hello: () => this.#hello(),
      status: (change) => this.#statusChanged(change),
      message: (message) => this.#received(message),
      refused: () => this.#tokenRefused(),
    });
    this.#requests = new Requests((message) => this.#link.send(message));
  }

  /** @returns {LinkStatus} */
  get status() {
    return this.#link.status;
  }

  /** When the next attempt to connect is due (local ms), or null. */
  get retryAt() {
    return this.#link.retryAt;
  }

  /** Round trip to the server in ms, or null before it is known. */
  get latency() {
    return this.#link.clock.latency;
  }

  /** The server's time in ms, estimated. */
  now() {
    return this.#link.clock.now();
  }

  /** Connect, and stay connected. */
  connect() {
    this.closed = null;
    this.#link.start();
  }

  /** Disconnect; `connect` resumes the rooms. */
  close() {
    this.#link.stop();
  }

  /** @param {string} name  1–24 characters @returns {Promise<{id: string, name: string}>} */
  async rename(name) {
    const { player } = await this.#requests.ask({ ...this.#hello(), name });
    return player;
  }

  /** Hear of public rooms, or no longer. @param {boolean} on @returns {Promise<void>} */
  async lobby(on) {
    if (!on) this.rooms.clear();
    await this.#stand('lobby', { t: 'lobby', on });
  }

  /**
   * Look for an opponent; later comes `paired`.
   * @param {'race' | 'turns' | 'mirror'} mode
   * @param {{rated?: boolean, on?: boolean, bot?: boolean}} [how]  bot: a computer player will do, at once
   * @returns {Promise<void>}
   */
  async queue(mode, { rated = false, on = true, bot = false } = {}) {
    const message = { t: 'queue', mode, rated, on, ...(bot && { bot }) };
    try {
      await this.#stand('queue', message);
    } catch (/** @type {any} */ error) {
      if (REFUSED.includes(error.code) && this.#standing.get('queue') === message) this.#standing.delete('queue');
      throw error;
    }
  }

  /**
   * Make a room and sit on its first seat.
   * @param {{mode: 'race' | 'turns' | 'mirror', options?: Record<string, any>, private?: boolean, key?: string}} room
   * @returns {Promise<Room>}
   */
  create({ mode, options = {}, private: hidden = false, key = randomKey() }) {
    return this.#enter({ t: 'create', mode, options, private: hidden, key });
  }

  /**
   * Enter a room: on one's seat, else on a free one (`seat`, or the lowest), else (`watch`) as a watcher. Before the start
   * who sits may move to another seat so.
   * @param {{room?: string, code?: string, watch?: boolean, seat?: number}} where  room or code
   * @returns {Promise<Room>}
   */
  join({ room, code, watch, seat }) {
    const wishes = { ...(watch && { watch }), ...(seat !== undefined && { seat }) };
    return this.#enter({ t: 'join', ...(room ? { room } : { code }), ...wishes });
  }

  /** Begin one's attempt at today's daily, or go on with it. @returns {Promise<Room>} */
  daily() {
    return this.#enter({ t: 'daily' });
  }

  /**
   * A day: its commitment or seed, and a page of its board.
   * @param {string} [day]  2026-12-01; without: today
   * @param {{page?: number, player?: string}} wishes  `player`: whose own line comes along
   * @returns {Promise<any>}
   */
  day(day = '', { page, player } = {}) {
    return this.#get(`/v1/daily${day && `/${day}`}${queryOf({ page, player })}`);
  }

  /** Ask for something of a tournament (tournament.js). @param {Message} message @returns {Promise<Message>} */
  tournament(message) {
    const key = message.t === 'tournament_create' ? { key: randomKey() } : {};
    return /** @type {any} */ (this.#requests.ask({ ...key, ...message }, { again: true }));
  }

  /** The tournaments that are public and not over. @returns {Promise<any>} */
  tournaments() {
    return this.#get('/v1/tournaments');
  }

  /** The record of a finished game. @param {string} room @returns {Promise<any>} */
  record(room) {
    return this.#get(`/v1/records/${room}`);
  }

  /**
   * A page of a leaderboard.
   * @param {'race' | 'turns' | 'mirror'} mode
   * @param {{period?: 'all' | 'week', page?: number, player?: string}} wishes  `player`: whose own line comes along
   * @returns {Promise<any>}
   */
  leaderboard(mode, { period, page, player } = {}) {
    return this.#get(`/v1/leaderboards/${mode}${queryOf({ period, page, player })}`);
  }

  /** A player's ratings and rated games. @param {string} player  an id @returns {Promise<any>} */
  played(player) {
    return this.#get(`/v1/players/${player}`);
  }

  /** What the server has at any other of its paths (`/v1/openapi.json`), as JSON. @param {string} path @returns {Promise<any>} */
  page(path) {
    return this.#get(path);
  }

  /** The server's http address for a path. @param {string} path @returns {string} */
  http(path) {
    return new URL(path, this.url.replace(/^ws/, 'http')).href;
  }

  /** @param {string} path */
  async #get(path) {
    const response = await fetch(this.http(path)).catch((error) => {
      throw new RequestError({ code: 'disconnected', text: `${path}: ${error.message}` });
    });
    if (!response.ok) {
      const why = response.headers.get('content-type')?.startsWith('text/plain') ? (await response.text()).trim() : response.statusText;
      throw new RequestError({ code: `http_${response.status}`, text: `${path}: ${why}` });
    }
    return response.json();
  }

  /** Ask for something that lasts, and again after each break. @param {'lobby' | 'queue'} kind @param {Message} message */
  async #stand(kind, message) {
    this.#standing.delete(kind);
    if (message.on) this.#standing.set(kind, message);
    await this.#requests.ask(message, { again: true });
  }

  /** @param {Message} message  whose answer is a room's snapshot @returns {Promise<Room>} */
  async #enter(message) {
    return /** @type {any} */ (await this.#requests.ask(message, { again: true }));
  }

  /** @returns {Message} */
  #hello() {
    const token = this.#token.get();
    const known = token ? { token } : this.#name ? { name: this.#name } : {};
    return { t: 'hello', ...known, ...(this.#agent && { agent: this.#agent }) };
  }

  /** The server will not have the token: be a new guest, unless it was none. */
  #tokenRefused() {
    if (!this.#token.drop()) return false;
    this.#formerly = this.player ?? { id: '', name: '' };
    return true;
  }

  /** @param {StatusChange} change */
  #statusChanged(change) {
    if (change.status === 'reconnecting' || change.status === 'closed') this.#disconnected();
    if (change.status === 'closed') this.#stopped(change);
    this.#tell('status', change);
  }

  #disconnected() {
    this.#requests.lost();
    for (const room of this.joined.values()) room.disconnected();
  }

  /** @param {StatusChange} change */
  #stopped({ code = 1000, reason = '' }) {
    this.closed = { code, reason };
    this.#requests.stop('closed');
    for (const room of this.joined.values()) room.abandon('closed');
  }

  /** @param {Message} message */
  #received(message) {
    switch (message.t) {
      case 'welcome': this.#welcomed(message); break;
      case 'snapshot': return this.#snapshot(message);
      case 'rooms': this.#lobbyChanged(message); break;
      case 'paired': this.#standing.delete('queue'); this.#tell('paired', message); break;
      case 'queued': this.#queued(message); break;
      case 'tournament': case 'tournament_resumed': case 'tournament_event': this.#tell('tournament', message); break;
      case 'closing': this.#link.expectClose(message.in_ms); this.#tell('closing', message); break;
      case 'announcement': this.#tell('announcement', message); break;
      case 'error': return this.#failed(message);
      default: this.#roomOf(message)?.receive(message);
    }
    this.#requests.answer(message);
  }

  /** @param {Message} welcome */
  #welcomed(welcome) {
    const fresh = welcome.re === undefined || welcome.re === null; // not the answer to `rename`
    ({ player: this.player, seated: this.seated, limits: this.limits, version: this.version, node: this.node } =
      /** @type {any} */ (welcome));
    this.chat = welcome.chat ?? true;
    this.#token.set(welcome.token);
    if (fresh) this.#becomeNewPlayer();
    this.#tell('welcome', welcome);
    if (!fresh) return;
    for (const [kind, message] of this.#standing) {
      if (!this.#requests.asking(kind)) this.#requests.ask(message, { again: true }).catch(UNHEARD);
    }
    for (const room of this.joined.values()) room.connected();
    this.#requests.flush();
  }

  #becomeNewPlayer() {
    const previous = this.#formerly;
    this.#formerly = null;
    if (!previous) return;
    for (const room of this.joined.values()) room.abandon('new_player');
    this.#tell('newplayer', { previous: previous.id ? previous : null });
  }

  /** The room that a message is about. @param {Message} message @returns {Room | undefined} */
  #roomOf({ room, from }) {
    return this.joined.get(from ?? room); // the event that names the rematch's room has that as its `room`
  }

  /** Of a room that we are in, or asked to enter. @param {Message} message */
  #snapshot(message) {
    const { room: id, re } = message;
    const entered = ['create', 'join', 'daily'].includes(this.#requests.asked(re) ?? '');
    if (entered && !this.joined.has(id)) this.joined.set(id, new Room(id, this.#wire));
    const room = this.joined.get(id);
    room?.receive(message);
    this.#requests.answer(message, room);
  }

  /** @param {Message} message */
  #lobbyChanged({ rooms, changed = [], gone = [], featured }) {
    if (!this.#standing.has('lobby')) return;
    if (rooms) this.rooms.clear();
    this.featured = featured ?? (rooms ? [] : this.featured);
    for (const line of rooms ?? changed) this.rooms.set(line.room, line);
    for (const id of gone) this.rooms.delete(id);
    const ids = (rooms ?? changed).map((/** @type {RoomLine} */ { room }) => room);
    this.#tell('rooms', { rooms: this.rooms, changed: ids, gone });
  }

  /** How one stands in the queue now, without having asked for it. @param {Message} message */
  #queued(message) {
    const { mode, rated, on } = message;
    if (on) this.#standing.set('queue', { t: 'queue', mode, rated, on });
    else this.#standing.delete('queue');
    this.#tell('queued', message);
  }

  /** @param {Message} error */
  #failed(error) {
    if (this.#requests.answer(error)) return;
    const room = this.joined.get(error.room);
    if (room && error.n) room.receive(error);
    else this.#tell('failed', error);
  }

  /** What a room may use of its client. @type {import('./follower.js').Wire} */
  #wire = {
    ask: (message, asking) => this.#requests.ask(message, asking),
    send: (message) => this.#link.send(message),
    flush: () => this.#requests.flush(),
    open: () => this.status === 'open',
    now: () => this.now(),
    muted: (player) => this.muted.has(player),
    get: (path) => this.#get(path),
    member: (room, member) => {
      if (!member) return void this.joined.delete(room.id);
      this.joined.set(room.id, room);
      this.connect();
    },
  };

  /** @param {string} type @param {object} detail */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** With these the server says that there is no such queue, or not for this player. */
const REFUSED = ['bad_options', 'bad_message', 'not_allowed'];

/** Nobody waits for what is asked again after a break. */
const UNHEARD = () => {};

function pageUrl() {
  if (!globalThis.location?.host) throw new TypeError('not on a page of the server: give its address as the option url');
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1`;
}

/** `crypto.randomUUID` exists on secure pages only. */
function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What is wished for, as the end of an address. @param {Record<string, string | number | undefined>} wishes */
function queryOf(wishes) {
  const known = Object.entries(wishes).filter(([, value]) => value !== undefined);
  return known.length ? `?${new URLSearchParams(known.map(([name, value]) => [name, String(value)]))}` : '';
}
