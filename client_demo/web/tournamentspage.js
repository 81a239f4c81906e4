/** Tournaments that can be entered or are played, and a new one of one's own. */
import { el, put } from './elements.js';
import { pills } from './lobby.js';
import { MODES, moment } from './ranks.js';
import { hashOfTournament } from './sharing.js';
import { dressed } from './looks.js';
import { t } from './texts.js';

const FORMATS = ['knockout', 'arena'];
const MINUTES = { least: 1, usual: 30, most: 240 };
const AHEAD_MS = 7 * 24 * 3_600_000; // in which it has to begin
const QUARTER_MS = 15 * 60_000;
const MOST_INVITED = 128;
const INVITEE = /\S*#player=([a-z0-9]{12})/; // in a line that may begin with a name
const NAME = 24; // characters

/** Make the screen of the list. */
export async function tournamentsPage(page) {
  const [{ tournaments }] = await Promise.all([page.client.tournaments(), dressed('ranks.css', 'tournament.css')]);
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

function line({ tournament, title, format, mode, rated, phase, players, most, starts_at, ends_at }) {
  const parts = [t(`cup.${format}`), t(mode), rated && t('rated'), t('cup.players', { n: players, most })];
  const when = phase === 'running' ? t('cup.running') : starts_at && t('cup.startsAt', { at: moment(starts_at) });
  const until = ends_at && t('cup.endsAt', { at: moment(ends_at) });
  return el(
    'a',
    { class: 'card', href: hashOfTournament(tournament) },
    el('b', {}, title),
    el('span', { class: 'soft small' }, [...parts, when, until].filter(Boolean).join(' · ')),
  );
}

function form(page) {
  const wish = { format: 'knockout', mode: 'race', rated: false, private: false, enter: true };
  const now = page.client.now();
  const timed = { begins: 'host', at: local(Math.ceil((now + QUARTER_MS) / QUARTER_MS) * QUARTER_MS), minutes: MINUTES.usual };
  const closed = { on: false, lines: '' };
  const more = { arena: el('div', { class: 'cupmore' }), begins: el('div', { class: 'cupmore' }), invitees: el('div', { class: 'cupmore' }) };
  const draw = () => {
    put(more.arena, wish.format === 'arena' && minutes(timed));
    put(more.begins, timed.begins === 'time' && start(timed, now));
    put(more.invitees, closed.on && invitees(closed));
  };
  const told = el('p', { class: 'bad', role: 'alert' });
  const choose = (key, values, prefix, label) =>
    pills(`cup-${key}`, values.map((one) => [one, t(`${prefix}${one}`)]), wish[key], (value) => ((wish[key] = value), draw()), label);
  const box = (checked, change, label, test) =>
    el('label', { class: 'check' }, el('input', { type: 'checkbox', checked, test, on: { change: ({ target }) => change(target.checked) } }), label);
  const check = (key, label) => box(wish[key], (checked) => (wish[key] = checked), label, `cup-${key}`);
  const title = el('input', { maxlength: 40, required: true, autocomplete: 'off', test: 'cup-title' });
  const submit = async (event) => {
    event.preventDefault();
    put(told);
    const { rated, ...rest } = wish;
    if (rest.format === 'arena') rest.minutes = timed.minutes;
    if (timed.begins === 'time') rest.starts_in_s = Math.round((new Date(timed.at) - page.client.now()) / 1000);
    if (closed.on) {
      const { players, wrong } = invited(closed.lines);
      if (!players.length || wrong) return put(told, t('cup.noPlayer', { text: wrong ?? '–' }));
      rest.players = players;
    }
    if (rest.starts_in_s < 1 || rest.starts_in_s * 1000 > AHEAD_MS) return put(told, t('cup.whenNot'));
    try {
      const { tournament } = await page.client.tournament({ t: 'tournament_create', title: title.value, options: rated ? { rated } : {}, ...rest });
      location.hash = hashOfTournament(tournament);
    } catch (error) {
      put(told, page.told(error));
    }
  };
  draw();
  return el(
    'form',
    { class: 'card cupform', on: { submit } },
    el('h2', {}, t('cup.new')),
    el('label', {}, t('cup.title'), title),
    choose('format', FORMATS, 'cup.', t('cup.format')),
    el('p', { class: 'soft small' }, t('cup.about')),
    more.arena,
    choose('mode', MODES, '', t('mode')),
    el('div', { class: 'stack tight' },
      el('span', {}, t('cup.begins')),
      pills('cup-begins', ['host', 'time'].map((one) => [one, t(`cup.begins.${one}`)]), 'host', (value) => ((timed.begins = value), draw()), t('cup.begins')),
      more.begins),
    el('div', {}, check('rated', t('forRating')), check('enter', t('cup.iPlay')), check('private', t('cup.private')),
      box(closed.on, (on) => ((closed.on = on), draw()), t('cup.invitees'), 'cup-invite'), more.invitees),
    told,
    el('div', { class: 'line end' }, el('button', { class: 'btn main', test: 'cup-create' }, t('create'))),
  );
}

function invitees(closed) {
  const change = ({ target }) => (closed.lines = target.value);
  const field = el('textarea', { rows: 4, required: true, autocomplete: 'off', spellcheck: 'false', test: 'cup-invitees', on: { input: change } });
  field.value = closed.lines;
  return el('label', {}, el('span', { class: 'soft small' }, t('cup.inviteesHow')), field);
}

/** Who is invited, each once, and the first line that names nobody: `{players, wrong}`. */
function invited(text) {
  const lines = text.split('\n').map((line) => line.trim()).filter(Boolean);
  const found = lines.map((line) => INVITEE.exec(line));
  const names = found.map((one) => one && [...one.input.slice(0, one.index).trim()].slice(0, NAME).join(''));
  const people = new Map(found.flatMap((one, n) => (one ? [[one[1], names[n] || one[1]]] : [])));
  const players = [...people].map(([id, name]) => ({ id, name })).slice(0, MOST_INVITED);
  return { players, wrong: lines[found.indexOf(null)] };
}

function minutes(timed) {
  const { least, most } = MINUTES;
  const change = ({ target }) => (timed.minutes = target.valueAsNumber);
  const field = el('input', { type: 'number', min: least, max: most, required: true, value: timed.minutes, test: 'cup-minutes', on: { change } });
  return el('label', {}, t('cup.minutes'), field);
}

function start(timed, now) {
  const change = ({ target }) => (timed.at = target.value);
  const range = { min: local(now), max: local(now + AHEAD_MS) };
  return el('label', {}, t('cup.startTime'), el('input', { type: 'datetime-local', ...range, required: true, value: timed.at, test: 'cup-at', on: { change } }));
}

// A moment as such fields have it: by the clock on the wall.
function local(at) {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
