// Plays as it is told, with the JavaScript client: a JSON request a line in, an answer a line out.
// What can be asked, and what comes back, stands in tests/client/README.md; drivers in all languages do the same.
import { createInterface } from 'node:readline';
import { boardOf } from '../../client_demo/web/fold.js';
import { Client } from '../../client_demo/web/tenmatch.js';
import { Tournament } from '../../client_demo/web/tournament.js';

/** Node before 22 has none; then it comes from the module that is named on the command line. */
const WebSocket = globalThis.WebSocket ?? (await import(process.argv[2])).default;

class Person {
  kinds = {}; // by room: seq and kind of what was told
  gone = {}; // by room: why one is in it no more
  paired = null;
  #waiting = new Set();

  constructor({ url, name, token }) {
    const kept = new Map(token ? [[`tenmatch.token@${new URL(url).host}`, token]] : []);
    this.storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
    this.kept = kept;
    this.client = new Client({ url: `${url.replace(/^http/, 'ws')}/v1`, name, storage: this.storage, WebSocket });
    this.client.addEventListener('status', ({ detail }) => {
      if (detail.code) this.code = detail.code;
      this.look();
    });
    this.client.addEventListener('paired', ({ detail }) => {
      this.paired = detail;
      this.look();
    });
    this.client.addEventListener('rooms', () => this.look());
  }

  look() {
    for (const check of this.#waiting) check();
  }

  until(true_) {
    return new Promise((resolve) => {
      const check = () => {
        if (!true_()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  follow(room) {
    this.rooms ??= new Map();
    if (!this.rooms.has(room.id)) {
      this.rooms.set(room.id, room);
      this.kinds[room.id] = [];
      room.addEventListener('event', ({ detail: { event } }) => this.kinds[room.id].push([event.seq, event.kind]));
      room.addEventListener('detached', ({ detail }) => (this.gone[room.id] = detail.reason));
      for (const type of ['event', 'snapshot', 'detached', 'status']) room.addEventListener(type, () => this.look());
    }
    return this.view(room.id);
  }

  view(id) {
    const room = this.rooms.get(id);
    const { state } = room;
    const seats = state.boards ? state.boards.keys() : [null];
    return {
      room: id, code: room.code, status: room.status, seq: room.seq, chain: room.chain, seat: room.seat, phase: state.phase, turn: state.turn,
      boards: [...seats].map((seat) => boardOf(state, seat)?.text() ?? null),
      progress: (state.progress ?? []).map((far) => far && [far.left, far.rows_closed]),
      scores: state.seats.map((seat) => seat && seat.score),
      mistakes: state.seats.map((seat) => seat && seat.mistakes),
      ranking: state.ranking && state.ranking.map(({ seat, place }) => [seat, place]),
    };
  }

  who() {
    const { client } = this;
    const wait_s = client.retryAt === null ? null : Math.max(0, client.retryAt - Date.now()) / 1000; // it may be due already
    return { player: client.player?.id, token: [...this.kept.values()][0] ?? null, status: client.status, code: this.code ?? null, wait_s };
  }
}

const people = new Map();
const room = (who, request) => who.rooms.get(request.room);

const DO = {
  async connect(who) {
    who.client.connect();
    await who.until(() => who.client.status === 'open' || who.client.status === 'closed');
    if (who.client.status === 'closed') throw Object.assign(new Error('closed'), { code: 'closed' });
    return who.who();
  },
  who: async (who) => who.who(),
  async until_status(who, { status }) {
    await who.until(() => who.client.status === status);
    return who.who();
  },
  create: async (who, { mode, options }) => who.follow(await who.client.create({ mode, options })),
  join: async (who, request) => who.follow(await who.client.join(named(request.room))),
  watch: async (who, request) => who.follow(await who.client.join({ ...named(request.room), watch: true })),
  async queue(who, { mode }) {
    await who.client.queue(mode);
    await who.until(() => who.paired);
    return who.follow(await who.client.join({ room: who.paired.room }));
  },
  async enter_tournament(who, { tournament }) {
    who.tournament = new Tournament(who.client, tournament);
    await who.tournament.watch();
    await who.tournament.enter();
    return {};
  },
  async play_tournament(who, { gives_up }) {
    for (let game = await who.tournament.nextGame(); game; game = await who.tournament.nextGame()) {
      who.follow(game);
      await who.until(() => game.state.phase === 'playing' || game.state.phase === 'over');
      if (gives_up) await game.resign();
      await who.until(() => game.state.phase === 'over');
    }
    return { ranking: who.tournament.state.ranking.map(({ player, place }) => [player, place]) };
  },
  async lobby(who, request) {
    await who.client.lobby(true);
    await who.until(() => who.client.rooms.has(request.room));
    return { phase: who.client.rooms.get(request.room).phase };
  },
  ready: async (who, request) => void (await room(who, request).ready(true)) ?? {},
  bot: async (who, request) => void (await room(who, request).bot(request.level)) ?? {},
  chat: async (who, request) => void (await room(who, request).chat(request.text)) ?? {},
  rematch: async (who, request) => void (await room(who, request).rematch(true)) ?? {},
  leave: async (who, request) => void (await room(who, request).leave()) ?? {},
  async move(who, request) {
    const { event, refused } = await room(who, request)[request.t](request.a, request.b);
    return refused ? { refused: refused.code } : { kind: event.kind, n: event.n, seat: event.seat };
  },
  pairs: async (who, request) => ({ pairs: room(who, request).board.pairs() }),
  view: async (who, request) => who.view(request.room),
  async until(who, { room: id, seq = 0, phase, status }) {
    await who.until(() => {
      const view = who.view(id);
      return view.seq >= seq && (phase ?? view.phase) === view.phase && (status ?? view.status) === view.status;
    });
    return who.view(id);
  },
  async until_gone(who, { room: id }) {
    await who.until(() => id in who.gone);
    return { reason: who.gone[id] };
  },
  kinds: async (who, request) => ({ kinds: who.kinds[request.room] }),
  async close(who) {
    who.client.close();
    return {};
  },
};

const named = (room) => (room.length === 10 ? { room } : { code: room });

async function answer(request) {
  try {
    if (request.do === 'connect') people.set(request.who, new Person(request));
    return { ok: await DO[request.do](people.get(request.who), request) };
  } catch (error) {
    if (!error.code) console.error(error);
    return { error: error.code ?? 'bug', field: error.field, text: String(error.stack) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  answer(request).then((said) => console.log(JSON.stringify({ id: request.id, ...said })));
}
process.exit(0);
