/** The waiting room: who sits where, who is ready, how to call others in, computer players, the start. */
import { button, el, icon, put, renew } from './elements.js';
import { Feed } from './feed.js';
import { LEVELS, pills } from './lobby.js';
import { mark, nameOf, ratingBeside } from './marks.js';
import { aboutRoom } from './sentences.js';
import { remember, setting } from './settings.js';
import { copyButton, linkTo, shareButton, shown } from './sharing.js';
import * as sound from './sound.js';
import { sidesOf, teamHead } from './teams.js';
import { t } from './texts.js';

export class Waiting {
  constructor(page, room, story) {
    Object.assign(this, { page, room });
    this.stop = new AbortController();
    const signal = { signal: this.stop.signal };
    const { teams } = room.state.options;
    this.meets = 'join_by' in room.state; // a quick match: it begins when both are here, and nobody is host
    this.told = el('p', { class: 'bad', role: 'alert' });
    this.seats = el('ol', { class: 'seats', 'aria-label': t('players') });
    this.acts = el('div', { class: 'acts' });
    this.bots = el('div', { class: 'line' });
    this.feed = new Feed(page, room, story, this.stop.signal);
    this.feed.panel.classList.add('open');
    this.element = el(
      'div',
      { class: 'room' },
      el(
        'div',
        {},
        el('h1', { class: 'plain' }, t(this.meets ? 'opponentFound' : 'waitingRoom')),
        el('p', { class: 'soft' }, aboutRoom(room.state)),
        teams && el('p', { class: 'soft' }, `${t('option.teams')}: ${t(`teams.${teams}`)}`),
      ),
      this.meets ? el('p', { class: 'card', test: 'meeting' }, t('meeting')) : this.#invitation(),
      this.seats,
      this.bots,
      this.told,
      this.acts,
      this.feed.panel,
    );
    room.addEventListener('event', ({ detail }) => this.#event(detail), signal);
    room.addEventListener('snapshot', () => this.#draw(), signal);
    room.addEventListener('presence', () => this.#draw(), signal);
    this.#draw();
  }

  /** Stop listening. */
  close() {
    this.stop.abort();
  }

  #invitation() {
    const link = el('input', {
      readonly: true,
      value: linkTo(this.room),
      'aria-label': t('link'),
      class: 'grow',
      test: 'link',
      on: { focus: ({ target }) => target.select() },
    });
    return el(
      'div',
      { class: 'card invite' },
      el('p', {}, t('invite')),
      el('p', { class: 'code' }, shown(this.room.code)),
      el(
        'div',
        { class: 'line linked' },
        link,
        copyButton(this.room, [icon('copy'), t('copy')], { class: 'btn main', test: 'copy-link' }),
      ),
      shareButton(this.room, { class: 'btn', test: 'share-link' }),
    );
  }

  #event({ event, state }) {
    this.#draw();
    const moved = state.seats.filter((one) => one && one.player.id === event.player?.id).length > 1;
    if (event.kind !== 'seated' || event.seat === this.room.seat || moved) return;
    const here = t('isHere', { name: nameOf(state, event.seat, null) });
    this.page.title(here);
    this.page.announce(here);
    sound.bell();
  }

  #draw() {
    const { state, seat, isHost } = this.room;
    const row = (number) => this.#seat(state.seats[number], number);
    const sides = sidesOf(state, { free: true });
    renew(
      this.seats,
      state.teams
        ? sides.map((side) => el('li', { class: 'team' }, teamHead(state, side, seat, false), el('ol', { class: 'seats' }, side.seats.map(row))))
        : state.seats.map((_, number) => row(number)),
    );
    const free = state.seats.includes(null);
    renew(this.acts, this.#actions(free));
    renew(this.bots, isHost && free && !state.options.rated && this.#computers());
  }

  #actions(free) {
    const { state, seat, isHost, me } = this.room;
    const few = state.seats.filter(Boolean).length < Math.min(2, state.options.max_players);
    const ready = () => this.room.ready(!this.room.me.ready);
    const label = me?.ready ? [icon('tick'), t('readyYes')] : t('ready');
    const kind = me?.ready ? 'btn' : 'btn main';
    const leave = button(t('leave'), () => this.page.leave(this.room), { class: 'btn quiet', test: 'leave' });
    if (this.meets) return leave;
    return [
      seat === null && free && button(t('sitDown'), () => this.#sit(), { class: 'btn main', test: 'sit' }),
      me && button(label, this.#doing(ready), { class: kind, 'aria-pressed': me.ready, test: 'ready' }),
      isHost && button(t('start'), this.#doing(() => this.room.start()), { test: 'start', disabled: few }),
      leave,
    ];
  }

  #computers() {
    const levels = LEVELS.map((level) => [level, t(level)]);
    const choose = (level) => remember('level', level);
    const add = this.#doing(() => this.room.bot(setting('level')));
    return [
      pills('level', levels, setting('level'), choose, t('level')),
      button(t('addComputer'), add, { test: 'add-bot' }),
    ];
  }

  #seat(one, number) {
    if (!one) {
      const take = this.room.state.teams && button(t('sitHere'), () => this.#sit(number), { test: `take-${number}` });
      return el(
        'li',
        { class: `seatrow free s${number}`, test: `seat-${number}` },
        mark(number),
        el('span', { class: 'grow' }, t('freeSeat')),
        take,
      );
    }
    const mine = number === this.room.seat;
    const facts = [
      one.player.bot && t(`bot.${one.player.bot}`),
      number === this.room.state.host && !this.meets && t('host'),
      !mine && this.room.online[number] === false && !one.player.bot && t('away'),
    ];
    return el(
      'li',
      { class: `seatrow s${number}`, test: `seat-${number}`, data: { key: one.player.id } },
      mark(number),
      el(
        'span',
        { class: 'grow' },
        nameOf(this.room.state, number, this.room.seat),
        ratingBeside(this.room.state, number),
        ' ',
        el('small', { class: 'soft' }, facts.filter(Boolean).join(' · ')),
      ),
      one.ready
        ? el('span', { class: 'ok line' }, icon('tick'), t('readyYes'))
        : el('span', { class: 'soft' }, t('notReady')),
      this.room.isHost &&
        !this.meets &&
        !mine &&
        button(
          '✕',
          this.#doing(() => this.room.kick(number)),
          {
            class: 'btn quiet round',
            'aria-label': t('sendAway', { name: one.player.name }),
            title: t('sendAway', { name: one.player.name }),
            test: `kick-${number}`,
          },
        ),
    );
  }

  async #sit(seat) {
    await this.#doing(() => this.page.client.join({ room: this.room.id, seat }))();
  }

  #doing(work) {
    return async () => {
      try {
        put(this.told);
        await work();
      } catch (error) {
        put(this.told, this.page.told(error));
      }
    };
  }
}
