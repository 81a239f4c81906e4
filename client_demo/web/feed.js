/** What happened, newest first, with what people say to each other. */
import { button, el, put } from './elements.js';
import { mark, nameOf } from './marks.js';
import { sentence } from './sentences.js';
import { isMuted } from './settings.js';
import { t } from './texts.js';

const KEPT = 200; // lines shown

export class Feed {
  constructor(page, room, story, signal) {
    this.room = room;
    this.story = story;
    this.list = el('ol', { class: 'feed', test: 'feed', tabindex: 0, 'aria-label': t('feed') });
    this.news = el('span', { 'aria-hidden': 'true', hidden: true }, ' •');
    this.talk = el('div', {});
    this.panel = el('div', { class: 'panel', id: 'panel' }, this.talk, this.list);
    const talks = room.state.seats.some((one, seat) => one && !one.player.bot && seat !== room.seat);
    this.tab = button([t('feed'), talks && ` · ${t('option.chat')}`, this.news], () => this.#toggle(), {
      class: 'btn quiet',
      'aria-expanded': 'false',
      'aria-controls': 'panel',
      test: 'feed-tab',
    });
    this.element = el('aside', { class: 'aside' }, el('div', { class: 'tabs' }, this.tab), this.panel);
    this.#fetchTalk(page, signal);
    this.#redraw();
    story.addEventListener(
      'entry',
      ({ detail }) => {
        this.#add(detail);
        if (detail.chat && !isMuted(detail.chat.player.id)) this.news.hidden = this.panel.classList.contains('open');
      },
      { signal },
    );
  }

  // Its place, which it takes as soon as it is loaded.
  async #fetchTalk(page, signal) {
    const { chatBox } = await import('./chat.js');
    if (!signal.aborted) put(this.talk, chatBox(page, this.room, { signal, redraw: () => this.#redraw() }));
  }

  #redraw() {
    put(this.list);
    for (const entry of this.story.entries) this.#add(entry);
  }

  #toggle() {
    const open = this.panel.classList.toggle('open');
    this.tab.setAttribute('aria-expanded', open);
    this.news.hidden = true;
  }

  #add(entry) {
    const line = this.#line(entry);
    if (line) this.list.prepend(line);
    while (this.list.childElementCount > KEPT) this.list.lastElementChild.remove();
  }

  #line({ step, chat, gap }) {
    if (gap) return el('li', {}, '…');
    if (chat) return this.#chatLine(chat);
    const told = sentence(step, this.room, this.story);
    if (!told) return null;
    return el(
      'li',
      { class: told.seat === null ? '' : `s${told.seat}` },
      told.seat !== null && who(step, told.seat, this.room.seat),
      told.text,
    );
  }

  #chatLine({ player, text, phrase }) {
    if (isMuted(player.id)) return null;
    const known = t(`phrase.${phrase}`);
    const said = known === `phrase.${phrase}` ? text : known;
    const seat = this.room.state.seats.findIndex((one) => one?.player.id === player.id);
    const name = el('b', {}, seat >= 0 && mark(seat), ` ${player.name} `);
    return el('li', { class: `chatline${seat >= 0 ? ` s${seat}` : ''}` }, name, el('span', {}, said));
  }
}

// Who left may be known only from the state before.
function who({ state, previous }, seat, mine) {
  const there = state.seats[seat] ? state : previous;
  return el('b', {}, mark(seat), ` ${nameOf(there, seat, mine)} `);
}
