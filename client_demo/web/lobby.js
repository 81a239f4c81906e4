/** The first screen: play at once, with a friend, by code; games to watch, rooms to join; how the game goes. */
import { arrange, button, el, put, single } from './elements.js';
import { BoardView } from './boardview.js';
import { Board } from './board.js';
import { GameList } from './gamelist.js';
import { lessons } from './lessons.js';
import { remember, setting } from './settings.js';
import { hashOfDaily, hashOfLeaders, named } from './sharing.js';
import { t } from './texts.js';

export const LEVELS = ['easy', 'medium', 'hard'];

/** Make the lobby. `notice` is a sentence to show on top (why one is here), or ''. */
export function lobby(page, notice = '') {
  const told = el('p', { class: 'bad', role: 'alert' }, notice);
  const lists = new GameList(page, told);
  const doing = (work) => busy(page, told, work);
  const starts = el(
    'div',
    { class: 'starts' },
    doing(() => playComputer(page))(t('playComputer'), { class: 'btn main big', test: 'play-computer' }),
    doing(look)(t('playSomeone'), { class: 'btn big', test: 'play-someone' }),
    doing(() => withFriend(page))(t('withFriend'), { class: 'btn big', test: 'with-friend' }),
    el(
      'div',
      { class: 'line level' },
      el('span', { class: 'soft small' }, t('level')),
      pills(
        'level',
        LEVELS.map((level) => [level, t(level)]),
        setting('level'),
        (level) => remember('level', level),
        t('level'),
      ),
    ),
  );
  const first = el('div', { class: 'stack' });
  const draw = () => arrange(first, [page.seek?.panel ?? starts]);
  const listen = () => page.seek && (page.seek.changed = draw);
  async function look() {
    await page.lookForSomeone();
    listen();
    draw();
    page.drawBar();
  }
  draw();
  const element = el(
    'div',
    { class: 'lobby' },
    el(
      'section',
      { class: 'hero' },
      el(
        'div',
        { class: 'stack' },
        el('h1', {}, t('headline')),
        el('p', { class: 'soft' }, t('subline')),
        told,
        first,
        joinForm(page, told),
        el(
          'div',
          { class: 'line more' },
          button(t('createGame'), single(async () => (await page.part(import('./create.js'))).createForm(page)), { class: 'btn', test: 'create-open' }),
          el('a', { class: 'btn', href: hashOfDaily({}), test: 'daily-open' }, t('daily')),
          el('a', { class: 'btn', href: '#tournaments', test: 'tournaments-open' }, t('cups')),
          doing(() => practise(page))(t('practice'), { class: 'btn', test: 'practice' }),
          el('a', { class: 'btn quiet', href: hashOfLeaders({ mode: 'race' }), test: 'leaders' }, t('leaders')),
        ),
      ),
      picture(),
    ),
    lists.element,
    el('section', { class: 'stack' }, el('h2', {}, t('howTo')), lessons()),
  );
  return { element, title: '', opened: () => (listen(), lists.open()), close: () => lists.close() };
}

/** A row of choices of which one holds. `choices`: [value, text] pairs. */
export function pills(name, choices, chosen, onchange, label) {
  return el(
    'div',
    { class: 'pills', role: 'radiogroup', 'aria-label': label },
    choices.map(([value, text]) =>
      el(
        'label',
        {},
        el('input', {
          type: 'radio',
          name,
          value,
          checked: value === chosen,
          test: `${name}-${value}`,
          on: { change: () => onchange(value) },
        }),
        el('span', {}, text),
      ),
    ),
  );
}

async function playComputer(page) {
  const room = await page.client.create({
    mode: 'race',
    private: true,
    options: { max_players: 2, countdown_ms: 2000 },
  });
  await room.bot(setting('level'));
  await room.ready(true);
  await page.enter(room);
}

// A mirror game of one.
async function practise(page) {
  const room = await page.client.create({
    mode: 'mirror',
    private: true,
    options: { max_players: 1, countdown_ms: 0 },
  });
  await room.ready(true);
  await page.enter(room);
}

async function withFriend(page) {
  await page.enter(await page.client.create({ mode: 'race', private: true, options: { max_players: 2 } }));
}

function joinForm(page, told) {
  const field = el('input', {
    placeholder: t('codeOrLink'),
    'aria-label': t('codeOrLink'),
    autocomplete: 'off',
    autocapitalize: 'characters',
    spellcheck: 'false',
    test: 'join-code',
  });
  const submit = (event) => {
    event.preventDefault();
    const where = named(field.value);
    if (where) page.visit(where);
    else put(told, t('noCode'));
  };
  return el(
    'form',
    { class: 'join', on: { submit } },
    field,
    el('button', { class: 'btn', test: 'join-submit' }, t('join')),
  );
}

/** What a button does that cannot be pressed twice while its work is under way, and tells in *told* what went wrong. */
export const once = (page, told, work) => async ({ currentTarget }) => {
  currentTarget.disabled = true;
  put(told);
  try {
    await work();
  } catch (error) {
    put(told, page.told(error));
  } finally {
    currentTarget.disabled = false;
  }
};

const busy = (page, told, work) => (label, props) => button(label, once(page, told, work), props);

function picture() {
  const view = new BoardView({ label: t('example') });
  view.show(Board.parse('5.18..293/.73..4.16/46.1..8.5/5.9.3.72./28.1'));
  view.keep(3, 14, 0);
  view.keep(15, 16, 1, { wrap: true });
  view.element.inert = true;
  return view.element;
}
