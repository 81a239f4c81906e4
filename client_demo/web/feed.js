/** What happened, newest first, with what people say to each other. */
import { button, el, put } from './elements.js';
import { mark, nameOf } from './marks.js';
import { sentence } from './sentences.js';
import { t } from './texts.js';

const KEPT = 200; // lines shown

export class Feed {
  constructor(page, room, story, signal) {
    this.room = room;
    this.story = story;
    this.list = el('ol', { class: 'feed', test: 'feed', tabindex: 0, 'aria-label': t('feed') });
    this.news = el('span', { 'aria-hidden': 'true', hidden: true }, ' •');
    this.form = this.#form(page);
    this.panel = el('div', { class: 'panel', id: 'panel' }, this.form, this.list);
    this.tab = button([t('feed'), this.news], () => this.#toggle(), {
      class: 'btn quiet',
      'aria-expanded': 'false',
      'aria-controls': 'panel',
      test: 'feed-tab',
    });
    this.element = el('aside', { class: 'aside' }, el('div', { class: 'tabs' }, this.tab), this.panel);
    this.#mute();
    for (const kind of ['event', 'snapshot']) room.addEventListener(kind, () => this.#mute(), { signal });
    for (const entry of story.entries) this.#add(entry);
    story.addEventListener(
      'entry',
      ({ detail }) => {
        this.#add(detail);
        if (detail.chat) this.news.hidden = this.panel.classList.contains('open');
      },
      { signal },
    );
  }

  // Who watches a rated game cannot talk to its players.
  #mute() {
    const { state, seat } = this.room;
    this.form.hidden = seat === null && state.options.rated && state.phase !== 'over';
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

  #chatLine({ player, text }) {
    const seat = this.room.state.seats.findIndex((one) => one?.player.id === player.id);
    const name = el('b', {}, seat >= 0 && mark(seat), ` ${player.name} `);
    return el('li', { class: `chatline${seat >= 0 ? ` s${seat}` : ''}` }, name, el('span', {}, text));
  }

  #form(page) {
    const field = el('input', {
      maxlength: 200,
      placeholder: t('saySomething'),
      'aria-label': t('saySomething'),
      autocomplete: 'off',
      test: 'chat-input',
    });
    const told = el('p', { class: 'bad small', role: 'alert' });
    const submit = async (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (!text) return;
      try {
        await this.room.chat(text);
        field.value = '';
        put(told);
      } catch (error) {
        put(told, page.told(error));
      }
    };
    return el(
      'div',
      {},
      el(
        'form',
        { class: 'chatform', on: { submit } },
        field,
        el('button', { class: 'btn', test: 'chat-send' }, t('send')),
      ),
      told,
    );
  }
}

// Who left may be known only from the state before.
function who({ state, previous }, seat, mine) {
  const there = state.seats[seat] ? state : previous;
  return el('b', {}, mark(seat), ` ${nameOf(there, seat, mine)} `);
}
