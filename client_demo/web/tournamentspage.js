/** Tournaments that can be entered or are played, and a new one of one's own. */
import { el, put } from './elements.js';
import { pills } from './lobby.js';
import { MODES, moment } from './ranks.js';
import { hashOfTournament } from './sharing.js';
import { dressed } from './tournamentlooks.js';
import { t } from './texts.js';

const FORMATS = ['knockout', 'arena'];

/** Make the screen of the list. */
export async function tournamentsPage(page) {
  const [{ tournaments }] = await Promise.all([page.client.tournaments(), dressed()]);
  return drawn(page, tournaments);
}

function drawn(page, found) {
  return {
    element: el(
      'div',
      { class: 'ranks cup stack', test: 'tournaments' },
      el('h1', {}, t('cups')),
      found.length ? el('ul', { class: 'cups' }, found.map((one) => el('li', {}, line(one)))) : el('p', { class: 'soft' }, t('cup.none')),
      form(page),
      el('a', { class: 'btn quiet', href: '#', test: 'leave' }, t('toLobby')),
    ),
    title: t('cups'),
    again: () => drawn(page, found),
    close() {},
  };
}

function line({ tournament, title, format, mode, rated, phase, players, most, starts_at }) {
  const parts = [t(`cup.${format}`), t(mode), rated && t('rated'), t('cup.players', { n: players, most })];
  const when = phase === 'running' ? t('cup.running') : starts_at && t('cup.startsAt', { at: moment(starts_at) });
  return el(
    'a',
    { class: 'card', href: hashOfTournament(tournament) },
    el('b', {}, title),
    el('span', { class: 'soft small' }, [...parts, when].filter(Boolean).join(' · ')),
  );
}

function form(page) {
  const wish = { format: 'knockout', mode: 'race', rated: false, private: false, enter: true };
  const told = el('p', { class: 'bad', role: 'alert' });
  const choose = (key, values, prefix, label) =>
    pills(`cup-${key}`, values.map((one) => [one, t(`${prefix}${one}`)]), wish[key], (value) => (wish[key] = value), label);
  const check = (key, label) =>
    el('label', { class: 'check' },
      el('input', { type: 'checkbox', checked: wish[key], test: `cup-${key}`, on: { change: ({ target }) => (wish[key] = target.checked) } }),
      label);
  const title = el('input', { maxlength: 40, required: true, autocomplete: 'off', test: 'cup-title' });
  const submit = async (event) => {
    event.preventDefault();
    put(told);
    const { rated, ...rest } = wish;
    try {
      const { tournament } = await page.client.tournament({ t: 'tournament_create', title: title.value, options: rated ? { rated } : {}, ...rest });
      location.hash = hashOfTournament(tournament);
    } catch (error) {
      put(told, page.told(error));
    }
  };
  return el(
    'form',
    { class: 'card cupform', on: { submit } },
    el('h2', {}, t('cup.new')),
    el('label', {}, t('cup.title'), title),
    choose('format', FORMATS, 'cup.', t('cup.format')),
    el('p', { class: 'soft small' }, t('cup.about')),
    choose('mode', MODES, '', t('mode')),
    el('div', {}, check('rated', t('forRating')), check('enter', t('cup.iPlay')), check('private', t('cup.private'))),
    told,
    el('div', { class: 'line end' }, el('button', { class: 'btn main', test: 'cup-create' }, t('create'))),
  );
}
