/** Under the first screen: games of one's own that still run, rooms to join, games to watch. Kept current by the lobby. */
import { arrange, button, el, icon, put } from './elements.js';
import { mark, nameOf } from './marks.js';
import { plain, sizes } from './sentences.js';
import { t } from './texts.js';

const SHOWN = ['race', 'turns', 'mirror']; // the kinds of game this page can show

/** What one can do with each kind of tile. */
const ACTS = {
  own: { text: 'goBack', how: {}, props: { class: 'btn main', test: 'back-to-game' } },
  open: { text: 'join', how: {}, props: { class: 'btn', test: 'open-room' } },
  live: { text: 'watch', how: { watch: true }, props: { class: 'btn', test: 'watch-room' } },
};

export class GameList {
  constructor(page, told) {
    this.page = page;
    this.told = told;
    this.tiles = new Map(); // kind and room id -> Tile
    this.groups = {
      own: group('yourGames'),
      featured: group('featuredGames', 'featured'),
      open: group('openRooms'),
      live: group('liveGames'),
    };
    this.nobody = el('div', { class: 'card stack' }, el('p', {}, t('nobody')));
    this.element = el('section', { class: 'stack', test: 'games' });
    this.stop = new AbortController();
  }

  /** Begin to listen to the lobby. */
  async open() {
    const { client } = this.page;
    const redraw = () => this.#draw();
    client.addEventListener('rooms', redraw, { signal: this.stop.signal });
    client.addEventListener('welcome', redraw, { signal: this.stop.signal });
    this.#draw();
    try {
      await client.lobby(true);
    } catch (error) {
      put(this.told, this.page.told(error));
    }
  }

  /** Stop listening. */
  close() {
    this.stop.abort();
    this.page.client.lobby(false).catch(() => {}); // the connection may be gone: then there is nothing to stop
  }

  #draw() {
    const { client } = this.page;
    const lines = [...client.rooms.values()].filter(({ mode }) => SHOWN.includes(mode));
    const own = this.page.running();
    const others = lines.filter((line) => !own.includes(line.room));
    const open = others.filter(({ phase }) => phase === 'open');
    const live = others
      .filter(({ phase }) => phase === 'playing' || phase === 'starting')
      .sort((p, q) => q.watching - p.watching);
    const featured = client.featured.flatMap((id) => live.find(({ room }) => room === id) ?? []);
    const before = this.tiles;
    this.tiles = new Map();
    const tile = (kind, id, line) => {
      const key = `${kind} ${id}`;
      const shown = before.get(key) ?? new Tile(this.page, kind, id);
      this.tiles.set(key, shown);
      shown.draw(line);
      return shown.element;
    };
    const shown = {
      own: own.map((id) => tile('own', id, lines.find(({ room }) => room === id))),
      featured: featured.map((line) => tile('live', line.room, line)),
      open: open.map((line) => tile('open', line.room, line)),
      live: live.filter((line) => !featured.includes(line)).map((line) => tile('live', line.room, line)),
    };
    for (const [name, { list }] of Object.entries(this.groups)) arrange(list, shown[name]);
    const groups = Object.keys(shown).filter((name) => shown[name].length).map((name) => this.groups[name].element);
    arrange(this.element, groups.length ? groups : [this.nobody]);
  }
}

function group(title, test) {
  const list = el('ul', { class: 'tiles' });
  return { list, element: el('div', { class: 'stack', test }, el('h2', {}, t(title)), list) };
}

/** One game or room. Its button stays while all else changes: a press must not lose it to somebody's move. */
class Tile {
  constructor(page, kind, id) {
    const { text, how, props } = ACTS[kind];
    Object.assign(this, { page, kind, id });
    this.label = t(text);
    this.title = el('p');
    this.body = el('div');
    this.watching = el('span', { class: 'eye soft line small', title: t('watchers'), hidden: true });
    this.act = button(this.label, () => page.visit({ room: id, ...how }), props);
    this.element = el('li', { class: 'card tile' }, this.title, this.body, el('div', { class: 'line' }, this.act, this.watching));
  }

  /** Show what its line in the lobby says now; one's own game may have none. */
  draw(line) {
    if (this.line === line && this.drawn) return;
    [this.line, this.drawn] = [line, true];
    const room = this.page.known(this.id);
    put(this.title, line ? aboutLine(line) : room ? aboutOwn(room.state, this.page.client.player?.id) : t('stillRunning'));
    put(this.body, line && (this.kind === 'open' ? taken(line) : scores(line)));
    if (line?.host) this.act.setAttribute('aria-label', `${this.label}: ${line.host.name}`);
    this.watching.hidden = this.kind !== 'live' || !line.watching;
    put(this.watching, icon('eye'), el('span', { class: 'unseen' }, t('watchers')), String(line?.watching ?? 0));
  }
}

const taken = (line) => el('p', { class: 'soft small' }, t('seatsTaken', { taken: line.seats, all: line.max_players }));

function aboutLine(line) {
  return [
    el('b', {}, line.host?.name ?? '–'),
    el('span', { class: 'soft' }, ` · ${t(line.mode)} · ${t('nNumbers', { n: line.size })}`),
    line.teams && el('span', { class: 'soft' }, ` · ${sizes(line.teams, line.max_players)}`),
    line.rated && el('span', { class: 'soft' }, ` · ${t('rated')}${line.rating ? ` ${line.rating}` : ''}`),
  ];
}

// Of a private game the lobby tells nothing: what kind it is, and against whom.
function aboutOwn(state, me) {
  const rivals = state.seats.flatMap((one, seat) => (one && one.player.id !== me ? [nameOf(state, seat, null)] : []));
  return [el('b', {}, rivals.join(', ') || t('practice')), el('span', { class: 'soft' }, ` · ${t(state.mode)}`)];
}

// Points by seat with their marks, and a bar that shows who is ahead.
function scores(line) {
  const points = line.scores.map((score, seat) => [score, seat]).filter(([score]) => score !== null);
  return [
    el(
      'p',
      { class: 'scores' },
      points.map(([score, seat]) => el('span', {}, mark(seat), ` ${plain(score)}`)),
    ),
    el(
      'div',
      { class: 'share', 'aria-hidden': 'true' },
      points.map(([score, seat]) => el('i', { class: `s${seat}`, style: { 'flex-grow': Math.max(score, 0) + 1 } })),
    ),
  ];
}
