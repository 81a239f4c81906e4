/** The game itself: players and clock, the board, the sentence under it, the actions, what happened. */
import { arrange, button, el, put, renew } from './elements.js';
import { BoardView } from './boardview.js';
import { Claims } from './claims.js';
import { Feed } from './feed.js';
import { Gallery } from './gallery.js';
import { nameOf, sign } from './marks.js';
import { Players } from './players.js';
import { Say } from './say.js';
import { aboutRoom, pairWords, reason, sentence, signed } from './sentences.js';
import { stillness } from './settings.js';
import * as sound from './sound.js';
import { nameOfSide, sidesOf } from './teams.js';
import { t } from './texts.js';

const TICK = 100; // ms between two looks at the clocks
const LAST = 900; // ms for which the last pair is shown before the end
const [WARNED, TICKED] = [10, 5]; // seconds to the end at which one is told, and from which each can be heard

export class Table {
  constructor(page, room, story) {
    Object.assign(this, { page, room, story });
    this.stop = new AbortController();
    this.left = Infinity; // seconds, as of the last look at the clock
    this.ending = import('./end.js'); // while the game runs: nobody needs it before
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
    this.heading = el('h1', { class: 'unseen' });
    this.told = el('p', { class: 'caption' });
    this.middle = el('section', { class: 'table' });
    this.element = el('div', { class: 'game' }, this.players.element, this.middle, this.feed.element);
    this.#listen();
    if (document.hidden) this.#look();
    this.ticking = setInterval(() => this.#tick(), TICK);
    this.#fresh();
  }

  /** Show how it ended. */
  async end() {
    if (this.stop.signal.aborted) return;
    this.#fresh();
    await this.ending;
    document.getElementById('end')?.focus();
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
    document.addEventListener('visibilitychange', () => this.#look(), signal);
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
    if (board && !this.view.shows(board)) this.view.show(board);
    this.count = state.phase === 'starting' ? el('div', { class: 'board big-number', role: 'timer' }) : null;
    const { room, view } = this;
    const over = state.phase === 'over';
    this.element.classList.toggle('over', over);
    if (over) this.ended ??= this.#endCard();
    this.gallery = state.boards && (room.seat === null || over) ? new Gallery(room) : null;
    const shown = this.count ?? this.gallery?.element ?? view.element;
    put(this.heading, aboutRoom(state));
    arrange(this.middle, [this.heading, this.lead, ...(over ? [this.ended, shown, this.told] : [shown, this.say.element, this.acts])]);
    this.view.element.inert = over;
    if (over) this.#reveal();
    this.#round();
  }

  // Its place, which it takes as soon as it is loaded.
  #endCard() {
    const { page, room, story, view, told } = this;
    const place = el('div', { class: 'end' });
    const signal = this.stop.signal;
    this.ending.then(({ endCard }) => put(place, endCard({ page, room, story, view, told, signal })));
    return place;
  }

  // Mirror: after the end the others' boards are there to be seen.
  async #reveal() {
    const { boards, progress } = this.room.state;
    if (this.asked || !boards || progress.every((known, seat) => !known || boards[seat])) return;
    this.asked = true;
    try {
      await this.room.refresh();
    } catch (error) {
      this.page.announce(this.page.told(error));
    }
  }

  // The board on which a seat plays; null where it is not to be seen here.
  #viewOf(seat) {
    if (this.gallery) return this.gallery.viewOf(seat);
    return this.room.state.boards && seat !== this.room.seat ? null : this.view;
  }

  #event(step) {
    const { kind, seat } = step.event;
    const view = this.#viewOf(seat);
    if (kind === 'started') this.#fresh();
    else DRAW[kind]?.call(this, step, view);
    if (view && step.after && !view.shows(step.after)) view.show(step.after);
    this.gallery?.tell(seat);
    if (seat !== this.room.seat) this.#announce(step);
    if (kind === 'started') sound.bell();
    else this.#turnCame(step);
    this.#round();
  }

  // For the organiser to know; where it does not get through, that is no news for the player.
  #look() {
    const { seat, state } = this.room;
    const plays = seat !== null && ['starting', 'playing'].includes(state.phase);
    if (plays) this.room.focus(document.visibilityState === 'visible').catch(this.page.told);
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
    this.#hurry();
    if (this.count) {
      const wait = String(Math.max(1, Math.ceil((this.room.state.starts_at - this.page.client.now()) / 1000)));
      if (this.count.textContent !== wait) this.count.textContent = wait;
    }
  }

  // The last seconds of the game, or of one's own clock: also for who does not look at it.
  #hurry() {
    const { state, seat } = this.room;
    const ms = state.mode !== 'turns' ? this.room.timeLeft() : state.turn === seat ? this.room.clock(seat) : null;
    const left = ms === null || seat === null || state.phase !== 'playing' ? Infinity : Math.ceil(ms / 1000);
    if (left <= WARNED && this.left > WARNED) this.say.say(t('secondsLeft', { n: left }));
    if (left <= TICKED && left < this.left) sound.tap();
    this.left = left;
  }

  #actions() {
    const { state, seat, me } = this.room;
    const quiet = (text, act, test) => button(t(text), act, { class: 'btn quiet', test });
    if (seat === null || me?.out || state.phase === 'over') {
      renew(this.acts, quiet('toLobby', () => this.page.leave(this.room), 'leave'));
    } else if (state.phase === 'starting') {
      renew(this.acts, !state.daily && quiet('notYet', () => this.#unready(), 'ready'));
    } else {
      renew(this.acts, OWN[state.mode].call(this, state.boards?.[seat]), quiet('resign', () => this.claims.resign(), 'resign'));
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
    const scores = sidesOf(state).sort((p, q) => q.score - p.score);
    const by = scores.length > 1 ? scores[0].score - scores[1].score : 0;
    const first = scores.filter(({ score }) => score === scores[0].score).length;
    const level = first === scores.length ? t('level_score') : t('leadTogether', { n: first });
    const lead = by ? t('leads', { name: nameOfSide(state, scores[0], null), n: by }) : level;
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
    const mine = state.boards?.[seat];
    if (done(mine)) return t('doneWait');
    if (mine && !mine.open) return t('noneLeft');
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

/** Is a board of one's own cleared or stuck? */
const done = (board) => Boolean(board) && !board.open && (!board.left || !board.adds_left);

/** What a player may do in each mode beside claiming and giving up; called on the table. */
const OWN = {
  race() {
    return button(t('noPairLeft'), () => this.claims.call(), { class: 'btn', test: 'call' });
  },
  turns() {
    const { state, seat } = this.room;
    return button(t('pass'), () => this.claims.pass(), { class: 'btn', test: 'pass', disabled: state.turn !== seat });
  },
  mirror(mine) {
    const alone = this.room.state.seats.filter(Boolean).length === 1;
    const over = done(mine);
    return [
      button(t('addNumbers'), () => this.claims.add(), { class: 'btn', test: 'add', disabled: over || !mine?.adds_left }),
      alone && !this.room.state.daily && button(t('giveHint'), () => this.claims.hint(), { class: 'btn', test: 'hint', disabled: over }),
    ];
  },
};

/** How each kind of event is drawn on the board it is about; called on the table. */
const DRAW = {
  matched(step, view) {
    const { event, path } = step;
    const mine = event.seat === this.room.seat;
    view.matched({ ...event, wrap: path?.family === 'wrap' });
    if (event.rows.length) sound.chord();
    else if (mine) sound.pair();
    else sound.tap();
    if (mine) this.say.say(pairWords(step), { tone: 'good', cost: signed(event.points) });
  },
  mistaken({ event, before, path }, view) {
    const mine = event.seat === this.room.seat;
    if ((mine || this.room.seat === null) && event.a !== undefined)
      view.refused({ ...event, wrap: over(event, path) });
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
  added({ event }, view) {
    view.added(event);
  },
  // The last pair is still to be seen.
  ended() {
    this.view.element.inert = true;
    setTimeout(() => this.end(), stillness() ? 0 : LAST);
  },
};
