/** Under the first screen: games of one's own that still run, rooms to join, games to watch. Kept current by the lobby. */
import { button, el, icon, put } from './elements.js';
import { mark } from './marks.js';
import { sizes } from './sentences.js';
import { t } from './texts.js';

const SHOWN = ['race', 'turns', 'mirror']; // the kinds of game this page can show

export class GameList {
  constructor(page, told) {
    this.page = page;
    this.told = told;
    this.tiles = new Map(); // room id -> [the line as text, its tile]
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
    const rest = live.filter((line) => !featured.includes(line));
    const groups = [
      this.#group(
        'yourGames',
        own.map((room) => this.#tile(room, { room, own: true, line: lines.find((line) => line.room === room) })),
      ),
      this.#group(
        'featuredGames',
        featured.map((line) => this.#tile(line.room, line)),
        'featured',
      ),
      this.#group(
        'openRooms',
        open.map((line) => this.#tile(line.room, line)),
      ),
      this.#group(
        'liveGames',
        rest.map((line) => this.#tile(line.room, line)),
      ),
    ].filter(Boolean);
    put(this.element, groups.length ? groups : nobody());
  }

  #group(title, tiles, test) {
    return (
      tiles.length > 0 &&
      el('div', { class: 'stack', test }, el('h2', {}, t(title)), el('ul', { class: 'tiles' }, tiles))
    );
  }

  // A tile is made anew only when its line changed, so that focus and pointer stay on the others.
  #tile(id, line) {
    const text = JSON.stringify(line);
    if (this.tiles.get(id)?.[0] !== text) this.tiles.set(id, [text, this.#drawn(line)]);
    return this.tiles.get(id)[1];
  }

  #drawn(line) {
    if (line.own) {
      const facts = line.line ? aboutLine(line.line) : t('stillRunning');
      return tile(
        facts,
        line.line && scores(line.line),
        button(t('goBack'), () => this.page.visit({ room: line.room }), { class: 'btn main', test: 'back-to-game' }),
      );
    }
    if (line.phase === 'open') {
      return tile(
        aboutLine(line),
        el('p', { class: 'soft small' }, t('seatsTaken', { taken: line.seats, all: line.max_players })),
        button(t('join'), () => this.page.visit({ room: line.room }), { class: 'btn', test: 'open-room' }),
      );
    }
    const watching =
      line.watching > 0 &&
      el(
        'span',
        { class: 'eye soft line small', title: t('watchers') },
        icon('eye'),
        el('span', { class: 'unseen' }, t('watchers')),
        String(line.watching),
      );
    return tile(
      aboutLine(line),
      scores(line),
      el(
        'div',
        { class: 'line' },
        button(t('watch'), () => this.page.visit({ room: line.room, watch: true }), {
          class: 'btn',
          test: 'watch-room',
        }),
        watching,
      ),
    );
  }
}

function tile(title, ...content) {
  return el('li', { class: 'card tile' }, el('p', {}, title), content);
}

function aboutLine(line) {
  return [
    el('b', {}, line.host?.name ?? '–'),
    el('span', { class: 'soft' }, ` · ${t(line.mode)} · ${t('nNumbers', { n: line.size })}`),
    line.teams && el('span', { class: 'soft' }, ` · ${sizes(line.teams, line.max_players)}`),
    line.rated && el('span', { class: 'soft' }, ` · ${t('rated')}${line.rating ? ` ${line.rating}` : ''}`),
  ];
}

// Points by seat with their marks, and a bar that shows who is ahead.
function scores(line) {
  const points = line.scores.map((score, seat) => [score, seat]).filter(([score]) => score !== null);
  return [
    el(
      'p',
      { class: 'scores' },
      points.map(([score, seat]) => el('span', {}, mark(seat), ` ${score}`)),
    ),
    el(
      'div',
      { class: 'share', 'aria-hidden': 'true' },
      points.map(([score, seat]) => el('i', { class: `s${seat}`, style: { 'flex-grow': Math.max(score, 0) + 1 } })),
    ),
  ];
}

function nobody() {
  return el('div', { class: 'card stack' }, el('p', {}, t('nobody')));
}
