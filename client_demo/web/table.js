/** The game itself: players and clock, the board, the sentence under it, the actions, what happened. */
import { button, el, put } from './elements.js';
import { BoardView } from './boardview.js';
import { Claims } from './claims.js';
import { endCard } from './end.js';
import { Feed } from './feed.js';
import { nameOf, sign } from './marks.js';
import { Players } from './players.js';
import { Say } from './say.js';
import { pairWords, reason, sentence, signed } from './sentences.js';
import { stillness } from './settings.js';
import * as sound from './sound.js';
import { t } from './texts.js';

const TICK = 100; // ms between two looks at the clocks
const LAST = 900; // ms for which the last pair is shown before the end

export class Table {
  constructor(page, room, story) {
    Object.assign(this, { page, room, story });
    this.stop = new AbortController();
    const seated = room.seat !== null;
    this.view = new BoardView({
      seat: room.seat ?? 0,
      onpair: seated ? (a, b) => this.claims.pair(a, b) : null,
      onpick: (id) => id !== null && sound.tap(),
    });
    this.view.element.dataset.testid = 'board';
    this.say = new Say({ idle: () => this.#idle(), lockedFor: () => room.lockedFor() });
    this.claims = new Claims({ page, room, story, view: this.view, say: this.say });
    this.players = new Players(room, story);
    this.feed = new Feed(page, room, story, this.stop.signal);
    this.lead = el('p', { class: 'watching soft', test: 'watching', hidden: seated });
    this.acts = el('div', { class: 'acts bar' });
    this.middle = el('section', { class: 'table' });
    this.element = el('div', { class: 'game' }, this.players.element, this.middle, this.feed.element);
    this.#listen();
    this.ticking = setInterval(() => this.#tick(), TICK);
    this.#fresh();
  }

  /** Show how it ended. */
  end() {
    if (this.stop.signal.aborted) return;
    this.#fresh();
    document.getElementById('end').focus();
  }

  /** Stop listening and ticking. */
  close() {
    this.stop.abort();
    clearInterval(this.ticking);
  }

  #listen() {
    const signal = { signal: this.stop.signal };
    this.room.addEventListener('event', ({ detail }) => this.#event(detail), signal);
    this.room.addEventListener('snapshot', () => this.#fresh(), signal);
    this.room.addEventListener('presence', () => this.players.draw(), signal);
    document.addEventListener(
      'keydown',
      (event) => {
        const nowhere = [document.body, document.getElementById('main')].includes(document.activeElement);
        if (nowhere && /^([1-9]|Arrow\w+)$/.test(event.key)) this.view.key(event);
      },
      signal,
    );
  }

  // Draw everything from the state: at first, and after a snapshot.
  #fresh() {
    const { board, state } = this.room;
    if (board) this.view.show(board);
    this.count = state.phase === 'starting' ? el('div', { class: 'board big-number', role: 'timer' }) : null;
    const told = el('p', { class: 'caption' });
    const { page, room, story, view } = this;
    const end = state.phase === 'over' && endCard({ page, room, story, view, told, signal: this.stop.signal });
    put(this.middle, this.lead, end, this.count ?? view.element, end ? told : [this.say.element, this.acts]);
    this.view.element.inert = state.phase === 'over';
    this.#round();
  }

  #event(step) {
    const { kind, seat } = step.event;
    if (kind === 'started') this.#fresh();
    else DRAW[kind]?.call(this, step);
    if (step.after && !this.view.shows(step.after)) this.view.show(step.after);
    if (seat !== this.room.seat) this.#announce(step);
    if (kind === 'started') sound.bell();
    else this.#turnCame(step);
    this.#round();
  }

  #turnCame({ state, previous }) {
    const { seat } = this.room;
    if (seat === null || state.turn !== seat || previous.turn === seat) return;
    this.say.say(t('yourTurn'));
    sound.bell();
  }

  // What may change with any event, around the board.
  #round() {
    this.players.draw();
    this.#actions();
    this.#leader();
    this.#turn();
    this.#tick();
  }

  #tick() {
    this.players.tick();
    this.say.tick();
    this.view.element.classList.toggle('locked', this.room.lockedFor() > 0);
    if (this.count) {
      const wait = String(Math.max(1, Math.ceil((this.room.state.starts_at - this.page.client.now()) / 1000)));
      if (this.count.textContent !== wait) this.count.textContent = wait;
    }
  }

  // Made anew only where others are on offer: a press must not lose its button to somebody's move.
  #actions() {
    const { state, seat, me } = this.room;
    const kind = seat === null || me?.out || state.phase === 'over' ? 'gone' : `${state.phase} ${state.turn === seat}`;
    if (kind === this.offered) return;
    this.offered = kind;
    if (kind === 'gone') {
      put(
        this.acts,
        button(t('toLobby'), () => this.page.leave(this.room), { class: 'btn quiet', test: 'leave' }),
      );
    } else if (state.phase === 'starting') {
      put(
        this.acts,
        button(t('notYet'), () => this.#unready(), { class: 'btn quiet', test: 'ready' }),
      );
    } else {
      const own =
        state.mode === 'turns'
          ? button(t('pass'), () => this.claims.pass(), { class: 'btn', test: 'pass', disabled: state.turn !== seat })
          : button(t('noPairLeft'), () => this.claims.call(), { class: 'btn', test: 'call' });
      put(
        this.acts,
        own,
        button(t('resign'), () => this.claims.resign(), { class: 'btn quiet', test: 'resign' }),
      );
    }
  }

  async #unready() {
    try {
      await this.room.ready(false);
    } catch (error) {
      this.say.say(this.page.told(error));
    }
  }

  #leader() {
    const { state, seat } = this.room;
    if (seat !== null) return;
    const scores = state.seats
      .flatMap((one, number) => (one ? [{ number, score: one.score }] : []))
      .sort((p, q) => q.score - p.score);
    const by = scores.length > 1 ? scores[0].score - scores[1].score : 0;
    const first = scores.filter(({ score }) => score === scores[0].score).length;
    const level = first === scores.length ? t('level_score') : t('leadTogether', { n: first });
    const lead = by ? t('leads', { name: nameOf(state, scores[0].number, null), n: by }) : level;
    put(this.lead, el('b', {}, t('youWatch')), state.phase === 'playing' ? ` · ${lead}` : '');
  }

  #turn() {
    const { state, seat } = this.room;
    const mine = state.phase === 'playing' && seat !== null && state.turn === seat;
    document.querySelector('link[rel=icon]').href = mine ? 'favicon_turn.svg' : 'favicon.svg';
    this.page.title(mine ? `${sign(seat)} ${t('yourTurn')}` : '');
  }

  #idle() {
    const { state, seat, me } = this.room;
    if (state.phase === 'starting') return t('getReady');
    if (seat === null || state.phase !== 'playing') return '';
    if (me?.out) return t('why.out');
    if (state.turn === null) return t('hint');
    return state.turn === seat ? t('yourTurn') : t('why.not_your_turn', { name: nameOf(state, state.turn, seat) });
  }

  #announce(step) {
    const told = sentence(step, this.room, this.story);
    if (!told) return;
    const who = told.seat === null ? '' : `${nameOf(this.room.state, told.seat, this.room.seat)}: `;
    const turn = this.room.state.turn === this.room.seat && this.room.seat !== null ? `. ${t('yourTurn')}` : '';
    this.page.announce(`${who}${told.text}${turn}`);
  }
}

// A line over the row's end is drawn only where it was the way that is blocked.
const over = ({ code }, path) => code === 'blocked' && path?.family === 'wrap';

/** How each kind of event is drawn on the board; called on the table. */
const DRAW = {
  matched(step) {
    const { event, path } = step;
    const mine = event.seat === this.room.seat;
    this.view.matched({ ...event, wrap: path?.family === 'wrap' });
    if (event.rows.length) sound.chord();
    else if (mine) sound.pair();
    else sound.tap();
    if (mine) this.say.say(pairWords(step), { tone: 'good', cost: signed(event.points) });
  },
  mistaken({ event, before, path }) {
    const mine = event.seat === this.room.seat;
    if ((mine || this.room.seat === null) && event.a !== undefined)
      this.view.refused({ ...event, wrap: over(event, path) });
    if (!mine) return;
    sound.knock();
    this.say.say(reason(event, before, this.room, this.story), {
      tone: 'bad',
      cost: event.points ? signed(event.points) : '',
    });
  },
  called({ event }) {
    if (event.seat === this.room.seat) this.say.say(t('did.called'), { tone: 'good', cost: signed(event.points) });
  },
  added({ event }) {
    this.view.added(event);
  },
  // The last pair is still to be seen.
  ended() {
    this.view.element.inert = true;
    setTimeout(() => this.end(), stillness() ? 0 : LAST);
  },
};
