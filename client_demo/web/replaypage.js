/** A game that is over, from its record: played, stepped and scrubbed through at any pace, proven, with a link to any moment. */
import { draw } from './again.js';
import { BoardView } from './boardview.js';
import { arrange, button, el, icon, put, svg } from './elements.js';
import { boardOf, clockOf } from './fold.js';
import { dressed } from './looks.js';
import { mark, nameOf } from './marks.js';
import { Playback } from './playback.js';
import { Players } from './players.js';
import { minutes, sentence } from './sentences.js';
import { copier, hashOfRecord } from './sharing.js';
import { replay } from './steps.js';
import { lastPoints, takerOf } from './story.js';
import { t } from './texts.js';
import { verify } from './verify.js';

const SPEEDS = [0.5, 1, 2, 4, 8];
const TICK = 100; // ms between two looks at the clocks
const ICONS = { play: 'M8 5v14l11-7Z', pause: 'M8 5v14M16 5v14', back: 'M6 5v14M18 5v14l-9-7Z', on: 'M18 5v14M6 5v14l9-7Z' };

await dressed('replay.css');
// To the icons in index.html.
const shapes = Object.entries(ICONS).map(([name, d]) => svg('symbol', { id: `i-${name}`, viewBox: '0 0 24 24' }, svg('path', { d })));
document.querySelector('body > svg').append(...shapes);

/** Make the screen that replays a record, at the event `at`. */
export function replayPage(page, id, record, at = 0) {
  const steps = [...replay(record.events)];
  return new ReplayPage(page, id, record, new Playback(steps, at));
}

class ReplayPage {
  constructor(page, id, record, playback) {
    Object.assign(this, { page, id, record, playback });
    this.title = t('replay');
    this.stop = new AbortController();
    const { boards, seats } = playback.step.state;
    this.seat = boards ? seats.findIndex(Boolean) : null; // whose board is shown, where each has their own
    this.view = new BoardView();
    this.view.element.dataset.testid = 'board';
    this.players = new Players(new Seen(playback, () => this.seat), new Past(playback));
    this.lines = playback.steps.map((step, index) => this.#line(step, index));
    this.told = el('p', { class: 'caption', role: 'status', test: 'told' });
    this.list = el('ol', { class: 'feed', test: 'feed', tabindex: 0, 'aria-label': t('feed') });
    this.proof = el('p', { class: 'small', role: 'status', test: 'proof' });
    this.element = el('div', { class: 'game replay' }, this.players.element, this.#middle(), this.#aside());
    this.#listen();
    this.#show({ from: -1, to: playback.at });
    this.#prove();
  }

  /** The same anew, where it stands: the language has changed. */
  again() {
    return replayPage(this.page, this.id, this.record, this.playback.step.event.seq);
  }

  close() {
    this.playback.pause();
    this.stop.abort();
    clearInterval(this.ticking);
  }

  #middle() {
    const { playback } = this;
    const act = (name, label, act) =>
      button(icon(name), act, { class: 'btn round', 'aria-label': label, title: label, test: name });
    const slide = ({ currentTarget }) => playback.go(Number(currentTarget.value));
    this.range = el('input', {
      type: 'range', min: 0, max: playback.last, 'aria-label': t('position'), test: 'position', on: { input: slide },
    });
    this.toggle = act('play', t('play'), () => this.#toggle());
    this.where = el('span', { class: 'soft small where' });
    const pace = ({ currentTarget }) => playback.pace(Number(currentTarget.value));
    const speed = el(
      'select',
      { 'aria-label': t('speed'), test: 'speed', on: { change: pace } },
      SPEEDS.map((value) => el('option', { value, selected: value === 1 }, `${value}×`)),
    );
    const back = act('back', t('stepBack'), () => this.#step(-1));
    const on = act('on', t('stepOn'), () => this.#step(1));
    const acts = el('div', { class: 'acts' }, back, this.toggle, on, speed, this.where);
    const heading = el('p', { class: 'watching soft' }, el('b', {}, t('replay')), this.seat !== null && this.#whose());
    const bar = el('div', { class: 'bar controls' }, this.range, acts);
    return el('section', { class: 'table' }, heading, this.view.element, this.told, bar);
  }

  // Mirror: the choice of whose board is shown.
  #whose() {
    const { state } = this.playback.step;
    const choose = ({ currentTarget }) => {
      this.seat = Number(currentTarget.value);
      this.#show({ from: this.playback.at, to: this.playback.at });
    };
    const options = state.seats.map(
      (taken, seat) => taken && el('option', { value: seat, selected: seat === this.seat }, nameOf(state, seat, null)),
    );
    return [' ', el('select', { 'aria-label': t('board'), test: 'board-of', on: { change: choose } }, options)];
  }

  #aside() {
    const file = this.page.client.http(`/v1/records/${this.id}`);
    return el(
      'aside',
      { class: 'aside' },
      el(
        'div',
        { class: 'panel open' },
        this.proof,
        el(
          'div',
          { class: 'line' },
          copier(() => this.#address(), [icon('copy'), t('copyPosition')], { class: 'btn', test: 'copy-position' }),
          el('a', { class: 'btn quiet', href: file, download: `${this.id}.json`, test: 'download' }, t('download')),
          button(t('toLobby'), () => this.page.home(), { class: 'btn quiet', test: 'leave' }),
        ),
        this.list,
      ),
    );
  }

  #listen() {
    const signal = { signal: this.stop.signal };
    this.playback.addEventListener('moved', ({ detail }) => this.#show(detail), signal);
    this.playback.addEventListener('playing', () => this.#playing(), signal);
    document.addEventListener('keydown', (event) => this.#key(event), signal);
    this.ticking = setInterval(() => this.playback.playing && this.players.tick(), TICK);
  }

  #key(event) {
    const nowhere = [document.body, document.getElementById('main')].includes(document.activeElement);
    const acts = { ' ': () => this.#toggle(), ArrowLeft: () => this.#step(-1), ArrowRight: () => this.#step(1) };
    const act = acts[event.key];
    if (!nowhere || !act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  #toggle() {
    if (this.playback.playing) this.playback.pause();
    else this.playback.play();
  }

  #step(by) {
    this.playback.pause();
    this.playback.go(this.playback.at + by);
  }

  #playing() {
    const { playing } = this.playback;
    const label = t(playing ? 'pause' : 'play');
    for (const name of ['aria-label', 'title']) this.toggle.setAttribute(name, label);
    put(this.toggle, icon(playing ? 'pause' : 'play'));
    this.#mark();
  }

  // Draw where it stands; a step onward is drawn as it was in the game.
  #show({ from, to }) {
    const { step, last } = this.playback;
    const board = boardOf(step.state, this.seat);
    const seen = this.seat === null || this.seat === step.event.seat;
    if (to === from + 1 && from >= 0 && seen) draw(step, this.view);
    if (board && !this.view.shows(board)) this.view.show(board);
    this.players.draw();
    this.range.value = to;
    const time = minutes(step.event.at - this.playback.steps[0].event.at);
    const where = t('eventOf', { n: to + 1, all: last + 1 });
    this.range.setAttribute('aria-valuetext', `${where}, ${time}`);
    put(this.where, `${where} · ${time}`);
    const said = this.#said(step, to);
    put(this.told, said && el('span', { class: said.kind }, said.words));
    arrange(this.list, this.lines.slice(0, to + 1).filter(Boolean).reverse());
    this.#mark();
  }

  // The address says where one is, so that it can be shared; not while it plays.
  #mark() {
    if (!this.playback.playing && this.element.isConnected) this.page.mark(this.#hash());
  }

  #hash() {
    return hashOfRecord(this.id, this.playback.at && this.playback.step.event.seq);
  }

  #address() {
    return `${location.origin}${location.pathname}${this.#hash()}`;
  }

  // What happened, in words: {kind: class, words}; null where there is nothing to tell.
  #said(step, index) {
    const { steps } = this.playback;
    const told = sentence(step, { state: step.state, seat: null }, new Past({ steps, at: index }));
    if (!told) return null;
    const { seat, text } = told;
    const who = seat !== null && el('b', {}, mark(seat), ` ${nameOf(step.state, seat, null)} `);
    return { kind: seat === null ? '' : `s${seat}`, words: [who, text] };
  }

  #line(step, index) {
    const said = this.#said(step, index);
    if (!said) return null;
    const go = () => this.#step(index - this.playback.at);
    return el('li', { class: said.kind }, button(said.words, go, { class: 'line-to' }));
  }

  #prove() {
    const wrong = verify(this.record);
    this.proof.classList.add(wrong ? 'bad' : 'ok', 'line');
    const text = wrong ? t('notProven', { n: wrong.event ?? 0, text: wrong.message }) : t('proven');
    put(this.proof, !wrong && icon('tick'), el('span', { class: 'grow' }, text));
  }
}

/** What a card of a player needs of a room, as it is where the playback stands. */
class Seen {
  seat = null;
  online = [];

  constructor(playback, seat) {
    this.playback = playback;
    this.shown = seat;
  }

  // Of boards of their own, the one that is shown stands for the board.
  get state() {
    const { state } = this.playback.step;
    return state.boards ? { ...state, ...state.boards[this.shown()] } : state;
  }

  clock(seat) {
    return clockOf(this.state, seat, this.playback.now);
  }

  timeLeft() {
    const { ends_at, phase } = this.state;
    return ends_at === null || phase !== 'playing' ? null : Math.max(0, ends_at - this.playback.now);
  }
}

/** What happened before, for sentences and cards; as story.js has it for a game that was seen. */
class Past {
  constructor(playback) {
    this.playback = playback;
  }

  get steps() {
    return this.playback.steps.slice(0, this.playback.at + 1);
  }

  takerOf(ids) {
    return takerOf(this.steps, ids);
  }

  lastPoints(seat) {
    return lastPoints(this.steps, seat);
  }
}
