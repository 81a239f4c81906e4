/** What the leaderboard and a player's page share: links to players, dates, times. */
import { el } from './elements.js';
import { hashOfPlayer } from './sharing.js';
import { language, t } from './texts.js';

/** The kinds of game, in the order in which they are shown. */
export const MODES = ['race', 'turns', 'mirror'];

/** A name that leads to what its player has played. */
export const playerLink = ({ id, name }) => el('a', { href: hashOfPlayer(id), class: 'who' }, name);

/** A moment, as the date and the time of day where one is. */
export const moment = (at) =>
  new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));

/** A day, as short as can be. */
export const day = (at) => new Intl.DateTimeFormat(language(), { dateStyle: 'medium' }).format(new Date(at));

/** The way to the pages before and after the one that is shown; *hashOf* gives the address of a page by its number. */
export function pager(hashOf, { page, pages }) {
  const link = (to, key) =>
    to >= 1 && to <= pages ? el('a', { class: 'btn', href: hashOf(to), test: `page-${key}` }, t(`page.${key}`)) : null;
  return el(
    'nav',
    { class: 'line', 'aria-label': t('pages') },
    link(page - 1, 'before'),
    el('span', { class: 'soft' }, t('pageOf', { n: page, all: pages })),
    link(page + 1, 'after'),
  );
}

/** A time of hours: "5 h 12 min". */
export function span(ms) {
  const all = Math.max(0, Math.ceil(ms / 60_000));
  const [hours, rest] = [Math.floor(all / 60), all % 60];
  return hours ? `${hours} h ${rest} min` : `${rest} min`;
}
