/**
 * A tournament as a client follows it: its state, folded from the server's events as the server folds it.
 * @module
 */

/** @typedef {import('./link.js').Message} Message */

/** Stands where no player ever comes. */
export const NOBODY = '';

/** A tournament that one watches, resumed after each break. Events: `changed` (`detail`: the event, or null). */
export class Tournament extends EventTarget {
  /** As in the protocol, "Tournaments". @type {any} */
  state = null;
  #seq = 0;
  #chain = 0;
  #client;
  #stop = new AbortController();
  /** Games to which one was called and went. @type {Set<number>} */
  #entered = new Set();

  /** @param {import('./tenmatch.js').Client} client @param {string} id */
  constructor(client, id) {
    super();
    this.id = id;
    this.#client = client;
    const { signal } = this.#stop;
    client.addEventListener('tournament', (/** @type {any} */ { detail }) => detail.tournament === id && this.#heard(detail), { signal });
    client.addEventListener('welcome', () => this.state && this.watch().catch(() => {}), { signal });
  }

  /** Hear of it from now on; resolves when its state is known. */
  async watch() {
    const held = this.state && { after: this.#seq, chain: this.#chain };
    await this.#ask('watch', { on: true, ...held });
  }

  /** Hear of it no longer. */
  close() {
    this.#stop.abort();
    this.#ask('watch', { on: false }).catch(() => {});
  }

  /** Take part. */
  enter = () => this.#ask('enter');

  /** Play no further games. */
  leave = () => this.#ask('leave');

  /** Put a player out for good (host). @param {string} player */
  kick = (player) => this.#ask('kick', { player });

  /** Let the games begin (host). */
  start = () => this.#ask('start');

  /** The game to which a player is called, if one waits or runs. @param {string} [player] */
  called(player) {
    return this.state.games.find((/** @type {any} */ game) => game.room && !game.how && game.players.includes(player));
  }

  /**
   * Wait until one is called to a game, and enter its room, in which one is ready; each comes once.
   * @returns {Promise<import('./tenmatch.js').Room | null>} null: the tournament is over, or not followed any more
   */
  nextGame() {
    const { signal } = this.#stop;
    return new Promise((resolve, reject) => {
      const look = () => {
        const game = this.state && this.called(this.#client.player?.id);
        const over = signal.aborted || this.state?.phase === 'over';
        if (!over && (!game || this.#entered.has(game.game))) return;
        this.removeEventListener('changed', look);
        signal.removeEventListener('abort', look);
        if (over) return resolve(null);
        this.#entered.add(game.game);
        this.#client.join({ room: game.room }).then(resolve, reject);
      };
      this.addEventListener('changed', look);
      signal.addEventListener('abort', look);
      look();
    });
  }

  /** @param {string} what @param {object} [fields] */
  #ask(what, fields) {
    return this.#client.tournament({ t: `tournament_${what}`, tournament: this.id, ...fields });
  }

  /** @param {any} message */
  #heard(message) {
    if (message.t === 'tournament') {
      ({ seq: this.#seq, chain: this.#chain, state: this.state } = message);
      this.#tell(null);
    } else if (message.t === 'tournament_resumed') for (const event of message.events) this.#take(event);
    else this.#take(message);
  }

  /** @param {any} event */
  #take(event) {
    if (!this.state || event.seq <= this.#seq) return;
    if (event.seq > this.#seq + 1) return void this.watch().catch(() => {});
    ({ seq: this.#seq, chain: this.#chain } = event);
    this.state = fold(this.state, event);
    this.#tell(event);
  }

  /** @param {any} event */
  #tell(event) {
    this.dispatchEvent(new CustomEvent('changed', { detail: event }));
  }
}

/** The state after an event. @param {any} state @param {any} event @returns {any} */
export function fold(state, event) {
  const next = { ...state, ...FOLDS[event.kind]?.(state, event) };
  if (event.kind === 'finished') return next;
  const rounds = next.plan.format === 'knockout' ? bracket(next) : [];
  const decided = event.kind === 'decided' && next.games.find((/** @type {any} */ { game }) => game === event.game);
  return { ...next, rounds, ranking: ranking({ ...next, rounds }, decided || null) };
}

/** @type {Record<string, (state: any, event: any) => any>} */
const FOLDS = {
  entered: ({ players }, { player }) => {
    const one = { ...player, out: false };
    const known = players.some((/** @type {any} */ { id }) => id === player.id);
    return { players: known ? players.map((/** @type {any} */ old) => (old.id === player.id ? one : old)) : [...players, one] };
  },
  withdrew: ({ players, phase, kicked }, { player, kicked: forGood = false }) => ({
    kicked: forGood ? [...kicked, player].sort() : kicked,
    players: phase === 'open'
      ? players.filter((/** @type {any} */ { id }) => id !== player)
      : players.map((/** @type {any} */ one) => (one.id === player ? { ...one, out: true } : one)),
  }),
  begun: (_, { order, ends_at = null }) => ({ phase: 'running', order, ends_at }),
  paired: ({ games }, { game, players, round = null, place = null }) => ({
    games: [...games, { game, players, round, place, room: null, join_by: null, how: null, winner: null }],
  }),
  opened: ({ games }, { game, room, join_by }) => ({ games: changed(games, game, { room, join_by }) }),
  decided: ({ games }, { game, how, winner = null }) => ({ games: changed(games, game, { how, winner }) }),
  shifted: ({ ends_at }, { by_ms }) => ({ ends_at: ends_at + by_ms }),
  finished: (_, { seed, ranking: last }) => ({ phase: 'over', seed, ranking: last }),
};

/** @param {any[]} games @param {number} number @param {object} change */
const changed = (games, number, change) => games.map((one) => (one.game === number ? { ...one, ...change } : one));

/** @param {any} state */
function bracket({ order, games, players }) {
  if (!order.length) return [];
  const size = 2 ** Math.ceil(Math.log2(order.length));
  const out = new Set(players.filter((/** @type {any} */ one) => one.out).map((/** @type {any} */ { id }) => id));
  const gone = (/** @type {string} */ side) => side === NOBODY || out.has(side);
  let seeds = [0];
  while (seeds.length < size) seeds = seeds.flatMap((seed) => [seed, 2 * seeds.length - 1 - seed]);
  let sides = seeds.map((seed) => order[seed] ?? NOBODY);
  const rounds = [];
  while (sides.length > 1) {
    const matches = [];
    for (let place = 0; place * 2 < sides.length; place += 1) {
      const [one, other] = sides.slice(2 * place, 2 * place + 2);
      const last = games.findLast((/** @type {any} */ game) => game.round === rounds.length + 1 && game.place === place);
      let winner = null;
      if (last && last.how !== 'drawn') winner = last.how && (last.winner ?? NOBODY);
      else if (one !== null && other !== null && gone(one)) winner = gone(other) ? NOBODY : other;
      else if (one !== null && other !== null && gone(other)) winner = one;
      matches.push({ sides: [one, other], winner });
    }
    rounds.push(matches);
    sides = matches.map(({ winner }) => winner);
  }
  return rounds;
}

/**
 * The ranking after the one before: of an arena not all games are told, so each is counted when it is decided.
 * @param {any} state with the ranking before
 * @param {any} decided  the game that is decided now, or null
 */
function ranking({ plan, players, ranking: before, rounds }, decided) {
  const lines = players.map((/** @type {any} */ { id }) => {
    let { wins, draws, losses } = before.find((/** @type {any} */ { player }) => player === id) ?? { wins: 0, draws: 0, losses: 0 };
    if (decided?.players.includes(id)) {
      if (decided.winner === id) wins += 1;
      else if (decided.how === 'drawn') draws += 1;
      else losses += 1;
    }
    return { player: id, points: 2 * wins + draws, wins, draws, losses };
  });
  const reached = (/** @type {string} */ id) =>
    rounds.findLastIndex((/** @type {any} */ matches) => matches.some((/** @type {any} */ { sides }) => sides.includes(id))) +
    (rounds.at(-1)?.[0].winner === id ? 1 : 0);
  const worth = (/** @type {any} */ line) =>
    plan.format === 'knockout' ? [reached(line.player)] : [line.points, line.wins, -(line.wins + line.draws + line.losses)];
  const better = (/** @type {any} */ one, /** @type {any} */ other) => {
    const [mine, theirs] = [worth(one), worth(other)];
    const at = mine.findIndex((value, index) => value !== theirs[index]);
    return at < 0 ? 0 : mine[at] - theirs[at];
  };
  return lines
    .map((/** @type {any} */ line) => {
      const ahead = lines.filter((/** @type {any} */ other) => better(other, line) > 0);
      return { player: line.player, place: 1 + ahead.length, ...line };
    })
    .sort((/** @type {any} */ one, /** @type {any} */ other) => one.place - other.place);
}
