/** Who plays, with points and clocks: a card for each seat, and the time between them. */
import { el, put } from './elements.js';
import { mark, nameOf } from './marks.js';
import { minutes, plain, signed } from './sentences.js';
import { sidesOf, teamHead } from './teams.js';
import { t } from './texts.js';

const LOW = 10000; // ms from which a clock is shown as low

export class Players {
  constructor(room, story) {
    this.room = room;
    this.story = story;
    this.clock = el('div', { class: 'clock', test: 'clock', role: 'timer' });
    this.under = [el('span'), el('span')]; // what is left of the board, and of the Adds
    this.time = el('div', { class: 'time' }, this.clock, el('small', {}, this.under[0], el('span', { class: 'dot' }, ' · '), this.under[1]));
    this.clocks = new Map(); // seat -> the element of its clock (turns)
    this.element = el('section', { 'aria-label': t('players') });
    this.draw();
  }

  /** Draw everything anew from the room's state. */
  draw() {
    const { state } = this.room;
    const seats = state.seats.flatMap((seat, number) => (seat ? [number] : []));
    this.clocks.clear();
    const cards = seats.map((seat) => this.#card(seat, state));
    const count = seats.length > 2 ? ' many' : seats.length < 2 ? ' alone' : '';
    this.element.className = `players${count}`;
    put(this.element, seats.length > 2 ? [this.time, this.#together(seats, cards)] : [cards[0], this.time, cards[1]]);
    this.tick();
  }

  // Cards by team, where there are teams.
  #together(seats, cards) {
    const { state, seat: mine } = this.room;
    if (!state.teams) return cards;
    return sidesOf(state).map((side) =>
      el(
        'div',
        { class: 'team' },
        teamHead(state, side, mine),
        side.seats.map((seat) => cards[seats.indexOf(seat)]),
      ),
    );
  }

  /** Bring the clocks up to date. */
  tick() {
    const { room } = this;
    const { state } = room;
    const ms = state.phase !== 'playing' ? null : state.mode === 'turns' ? room.clock(state.turn) : room.timeLeft();
    write(
      this.clock,
      ms !== null
        ? minutes(ms, true)
        : state.phase === 'starting'
          ? minutes((state.options.seconds ?? state.options.base_s) * 1000)
          : '',
    );
    this.clock.classList.toggle('low', ms !== null && ms < LOW);
    const board = 'board' in state ? state : state.boards[room.seat]; // the one of all, or one's own
    write(this.under[0], board?.board ? t('nLeft', { n: board.left }) : '');
    write(this.under[1], board?.board ? t('nAdds', { n: board.adds_left }) : '');
    for (const [seat, element] of this.clocks) {
      const own = room.clock(seat);
      write(element, own === null ? '' : minutes(own, seat === state.turn));
    }
  }

  #card(seat, state) {
    const { player, score, out } = state.seats[seat];
    const playing = state.phase === 'playing';
    const turn = playing && state.turn === seat;
    const dim = playing && state.turn !== null && !turn;
    const kind = ['player', `s${seat}`, turn && 'turn', dim && 'dim', out && 'out'].filter(Boolean).join(' ');
    return el(
      'div',
      { class: kind, test: `seat-${seat}`, 'aria-current': turn },
      mark(seat),
      el('span', { class: 'name', title: player.name }, nameOf(state, seat, this.room.seat)),
      el('span', { class: 'score', test: `score-${seat}`, data: { score } }, plain(score)),
      (player.rating ?? null) !== null && // a record says null where there is none
        el('small', { class: 'kept', test: `rating-${seat}` }, `${t('rating')} ${player.rating}`),
      this.#strip(seat, state),
      this.#facts(seat, state, { turn, out }),
    );
  }

  // Mirror: how far a player has come on a board of their own; one's own is told under the clock.
  #strip(seat, { progress, options, phase }) {
    const known = progress?.[seat];
    if (!known) return null;
    const { left, rows_closed: rows } = known;
    const width = `${Math.max(0, 100 * (1 - left / options.size))}%`;
    const bar = el('span', { class: 'strip', 'aria-hidden': 'true' }, el('i', { style: { width } }));
    if (seat === this.room.seat && phase === 'playing') return bar;
    const told = left ? [t('leftNow', { n: left }), rows > 0 && t('nRows', { n: rows })] : [t('boardCleared')];
    return [bar, el('small', { class: 'kept', test: `progress-${seat}` }, told.filter(Boolean).join(' · '))];
  }

  #facts(seat, state, { turn, out }) {
    const { player, mistakes } = state.seats[seat];
    const last = this.story.lastPoints(seat);
    const playing = state.phase === 'playing';
    const away = playing && seat !== this.room.seat && !player.bot && this.room.online[seat] === false;
    const now = [out && t('out'), away && t('away')];
    const facts = [
      player.bot && t(`bot.${player.bot}`),
      mistakes > 0 && t('nMistakes', { n: mistakes }),
      last !== null && t('last', { points: signed(last) }),
    ];
    if (state.mode !== 'turns') return [line(now, 'kept'), line(facts)];
    if (out || !playing) return [line(now, 'kept'), line(facts)];
    const clock = el('span', { class: 'left' });
    this.clocks.set(seat, clock);
    return [
      el(
        'small',
        { class: 'kept' },
        clock,
        now.filter(Boolean).map((text) => ` · ${text}`),
        turn && el('span', { class: 'more' }, ` · ${t(seat === this.room.seat ? 'yourTurn' : 'toMove')}`),
      ),
      line(facts),
    ];
  }
}

function line(parts, kind = '') {
  const text = parts.filter(Boolean).join(' · ');
  return text ? el('small', { class: kind }, text) : null;
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
