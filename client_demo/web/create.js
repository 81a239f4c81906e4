/** The window in which one makes a game of one's own wishes. */
import { button, el, put, renew } from './elements.js';
import { open } from './dialogs.js';
import { pills } from './lobby.js';
import { remember, setting } from './settings.js';
import { sizes } from './sentences.js';
import { t } from './texts.js';

const SIZES = { even: 36, classic: 27 }; // deals that exist in one size only
const DEFAULTS = {
  mode: 'race',
  deal: 'random',
  size: 35,
  seconds: 180,
  base_s: 120,
  increment_s: 3,
  max_players: 2,
  penalty: true,
  row_again: false,
  spectators: true,
  chat: true,
  private: false,
  rated: false,
  teams: 'none',
};
/** What another mode begins with. */
const BEGINS = {
  race: { seconds: 180, max_players: 2 },
  turns: { max_players: 2 },
  mirror: { seconds: 360, max_players: 4 },
};
// Each number field: the least and the most, and the modes that have it (null: all).
const NUMBERS = {
  size: [9, 180, null],
  seconds: [10, 3600, ['race', 'mirror']],
  base_s: [5, 3600, ['turns']],
  increment_s: [0, 60, ['turns']],
};
const SWITCHES = { rated: null, penalty: null, row_again: ['turns'], spectators: null, chat: null, private: null };
const CHOICES = { teams: ['race'] };
const RATED = ['mode', 'rated', 'teams', 'max_players', 'spectators', 'chat', 'private']; // what one may choose in a rated room
const PLAYERS = { race: [2, 8], turns: [2, 4], mirror: [1, 10] }; // the least and the most

/** Open the window; a game that is made is entered. */
export function createForm(page) {
  const wish = { ...DEFAULTS, ...setting('create') };
  const told = el('p', { class: 'bad small', role: 'alert' });
  const fields = el('div', { class: 'fields' });
  const draw = () => renew(fields, rows(wish, draw));
  draw();
  return open(t('createGame'), (close) => {
    const submit = async (event) => {
      event.preventDefault();
      try {
        const room = await page.client.create(request(wish));
        remember('create', wish);
        close(true);
        if (wish.max_players === 1) await room.ready(true); // there is nobody to wait for
        await page.enter(room);
      } catch (error) {
        put(told, page.told(error));
      }
    };
    return el(
      'form',
      { on: { submit } },
      pills(
        'mode',
        Object.keys(BEGINS).map((mode) => [mode, t(mode)]),
        wish.mode,
        (mode) => (Object.assign(wish, { mode }, BEGINS[mode]), draw()),
        t('mode'),
      ),
      fields,
      told,
      el(
        'div',
        { class: 'line end' },
        button(t('cancel'), () => close(false)),
        el('button', { class: 'btn main', test: 'create-submit' }, t('create')),
      ),
    );
  });
}

/** What is asked of the server: only what differs from its own defaults, and only what the mode knows. */
function request(wish) {
  const usual = { ...DEFAULTS, ...BEGINS[wish.mode] };
  const known = Object.keys(DEFAULTS).filter((key) => fits(key, wish) && wish[key] !== usual[key]);
  const options = Object.fromEntries(
    known.filter((key) => !['mode', 'private'].includes(key)).map((key) => [key, wish[key]]),
  );
  if (wish.deal in SIZES && !wish.rated) options.size = SIZES[wish.deal];
  return { mode: wish.mode, private: wish.private, options: { max_players: wish.max_players, ...options } };
}

function fits(key, { mode, rated }) {
  if (rated && !RATED.includes(key)) return false;
  return (key in NUMBERS ? NUMBERS[key][2] : { ...SWITCHES, ...CHOICES }[key])?.includes(mode) ?? true;
}

function rows(wish, draw) {
  const [alone, most] = PLAYERS[wish.mode];
  const least = wish.rated ? 2 : alone;
  wish.max_players = Math.min(Math.max(wish.max_players, least), most);
  const together = fits('teams', wish) && wish.teams !== 'none';
  if (together) wish.max_players = Math.max(4, wish.max_players - (wish.max_players % 2));
  const players = together
    ? [4, 6, 8].map((n) => [n, `${n} · ${sizes(true, n)}`])
    : Array.from({ length: most - least + 1 }, (_, i) => [i + least, i + least]);
  if (least === 1) players[0][1] = `1 · ${t('practice')}`;
  return [
    el('p', { class: 'soft small whole' }, t(`about.${wish.mode}`), wish.rated && ` ${t('about.rated')}`),
    fits('teams', wish) &&
      choice(
        'teams',
        ['none', 'chosen', 'drawn'].map((teams) => [teams, t(`teams.${teams}`)]),
        wish,
        draw,
      ),
    choice('max_players', players, wish, draw),
    fits('deal', wish) &&
      choice(
        'deal',
        ['random', 'even', 'classic'].map((deal) => [deal, t(`deal.${deal}`)]),
        wish,
        draw,
      ),
    Object.keys(NUMBERS)
      .filter((key) => fits(key, wish))
      .map((key) => number(key, wish)),
    Object.keys(SWITCHES)
      .filter((key) => fits(key, wish))
      .map((key) => check(key, wish, draw)),
  ];
}

function choice(key, values, wish, draw) {
  const change = (event) => {
    wish[key] = values[event.target.selectedIndex][0];
    draw();
  };
  return [
    el('label', { for: `o-${key}`, data: { key } }, t(`option.${key}`)),
    el(
      'select',
      { id: `o-${key}`, test: `option-${key}`, data: { key: values.map(([value]) => value).join() }, on: { change } },
      values.map(([value, text]) => el('option', { value, selected: value === wish[key] }, String(text))),
    ),
  ];
}

function number(key, wish) {
  const [min, max] = NUMBERS[key];
  const fixed = key === 'size' ? SIZES[wish.deal] : undefined;
  const input = (event) => (wish[key] = Number(event.target.value));
  return [
    el('label', { for: `o-${key}`, data: { key } }, t(`option.${key}`)),
    el('input', {
      type: 'number',
      id: `o-${key}`,
      min,
      max,
      required: true,
      value: fixed ?? wish[key],
      disabled: fixed !== undefined,
      test: `option-${key}`,
      on: { input },
    }),
  ];
}

function check(key, wish, draw) {
  const change = (event) => {
    wish[key] = event.target.checked;
    if (key === 'rated') draw();
  };
  return el(
    'label',
    { class: 'check whole', data: { key } },
    el('input', { type: 'checkbox', checked: wish[key], test: `option-${key}`, on: { change } }),
    t(`option.${key}`),
  );
}
