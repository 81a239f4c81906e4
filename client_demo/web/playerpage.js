/** What a player has played: the rating in each kind of game with its curve, and the latest rated games. */
import { RequestError } from './tenmatch.js';
import { el } from './elements.js';
import { dressed } from './looks.js';
import { day, MODES, moment, playerLink } from './ranks.js';
import { ratingCurve } from './ratingcurve.js';
import { hashOfLeaders, hashOfRecord } from './sharing.js';
import { signed } from './sentences.js';
import { t } from './texts.js';

/** Make the screen of a player. */
export async function playerPage(page, id) {
  const [told] = await Promise.all([played(page.client, id), dressed('ranks.css')]);
  return drawn(page, told);
}

// Who has no rated game has no page on the server.
async function played(client, id) {
  try {
    return await client.played(id);
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'http_404') throw error;
    return { player: client.player?.id === id ? client.player : { id, name: '–' }, modes: {} };
  }
}

function drawn(page, told) {
  const modes = MODES.filter((mode) => told.modes[mode]);
  return {
    element: el(
      'div',
      { class: 'ranks stack', test: 'player' },
      el('h1', {}, told.player.name),
      modes.map((mode) => inMode(mode, told.modes[mode])),
      modes.length === 0 && el('p', { class: 'soft' }, t('noRated')),
      el(
        'div',
        { class: 'line' },
        el('a', { class: 'btn', href: hashOfLeaders({ mode: modes[0] ?? MODES[0] }), test: 'leaders' }, t('leaders')),
        el('a', { class: 'btn quiet', href: '#', test: 'leave' }, t('toLobby')),
      ),
    ),
    title: told.player.name,
    again: () => drawn(page, told),
    close() {},
  };
}

function inMode(mode, { rating, games, place, players, curve, results }) {
  return el(
    'section',
    { class: 'card stack', test: `in-${mode}`, 'aria-label': t(mode) },
    el(
      'div',
      { class: 'standing' },
      el('h2', {}, t(mode)),
      el('b', { class: 'big', test: `rating-${mode}` }, String(rating)),
      el(
        'span',
        { class: 'soft' },
        [t('nGames', { n: games }), place && t('placeOf', { place, all: players })].filter(Boolean).join(' · '),
      ),
    ),
    ratingCurve(curve, { whole: games === curve.length, day }),
    el('h3', {}, t('latestGames')),
    el('ol', { class: 'results', test: `results-${mode}` }, results.map(result)),
  );
}

function result({ room, at, place, rating, change, counted, rivals, mates = [] }) {
  const named = (players) =>
    players.flatMap((player, index) => [
      index > 0 && ', ',
      playerLink(player),
      el('span', { class: 'soft' }, ` ${player.rating}`),
    ]);
  const together = mates.length > 0 && [el('span', { class: 'soft' }, `${t('inTeamWith')} `), named(mates), ' – '];
  const against = [together, named(rivals)];
  const kind = change > 0 ? 'ok' : change < 0 ? 'bad' : 'soft';
  return el(
    'li',
    {},
    el('span', { class: 'place' }, t('cameOf', { place, all: mates.length ? 2 : rivals.length + 1 })),
    el('span', { class: 'rivals' }, against),
    el('b', { class: kind, title: t('rating') }, counted ? signed(change) : '–'),
    el('span', { class: 'soft' }, String(rating)),
    el(
      'span',
      { class: 'soft small when' },
      el('a', { href: hashOfRecord(room) }, moment(at)),
      !counted && ` · ${t('notCounted')}`,
    ),
  );
}
