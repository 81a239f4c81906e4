/** Who is strongest: a leaderboard for each kind of game, of all time or of this week, with one's own place in it. */
import { el } from './elements.js';
import { dressed } from './looks.js';
import { pills } from './lobby.js';
import { MODES, pager, playerLink } from './ranks.js';
import { hashOfLeaders } from './sharing.js';
import { t } from './texts.js';

/** Make the screen of a leaderboard, `{mode, week, number}`; one's own line comes along once one is known. */
export async function leadersPage(page, asked) {
  const me = page.client.player?.id;
  const wishes = { period: asked.week ? 'week' : 'all', page: asked.number, player: me };
  const [board] = await Promise.all([page.client.leaderboard(asked.mode, wishes), dressed('ranks.css')]);
  return drawn(page, asked, board);
}

function drawn(page, asked, board) {
  const stop = new AbortController();
  const { client } = page;
  if (!client.player) {
    client.addEventListener('welcome', () => page.leaders(asked), { once: true, signal: stop.signal });
  }
  return {
    element: el(
      'div',
      { class: 'ranks stack', test: 'leaders' },
      el('h1', {}, t('leaders')),
      choices(asked),
      board.players ? table(board, client.player?.id) : el('p', { class: 'soft' }, t('nobodyRated')),
      board.pages > 1 && pager((number) => hashOfLeaders({ ...asked, number }), board),
      el('a', { class: 'btn quiet', href: '#', test: 'leave' }, t('toLobby')),
    ),
    title: t('leaders'),
    again: () => drawn(page, asked, board),
    close: () => stop.abort(),
  };
}

// Another board is another address: "back" leads to the one before.
function choices(asked) {
  const go = (change) => (location.hash = hashOfLeaders({ ...asked, ...change, number: 1 }));
  const modes = MODES.map((mode) => [mode, t(mode)]);
  const periods = [['all', t('allTime')], ['week', t('thisWeek')]];
  return el(
    'div',
    { class: 'line' },
    pills('mode', modes, asked.mode, (mode) => go({ mode }), t('mode')),
    pills('period', periods, asked.week ? 'week' : 'all', (period) => go({ week: period === 'week' }), t('period')),
  );
}

function table({ lines, own }, me) {
  const below = own && !lines.some(({ player }) => player.id === own.player.id);
  const heading = ['place', 'player', 'rating', 'games'];
  return el(
    'table',
    { test: 'board' },
    el('thead', {}, el('tr', {}, heading.map((key) => el('th', { scope: 'col', class: `col-${key}` }, t(key))))),
    el('tbody', {}, lines.map((line) => row(line, me))),
    below && el('tfoot', {}, row(own, me)),
  );
}

function row({ place, player, rating, games }, me) {
  const mine = player.id === me;
  return el(
    'tr',
    { class: mine && 'own', test: mine && 'own-line', 'aria-current': mine },
    el('td', { class: 'col-place' }, `${place}.`),
    el('td', { class: 'col-player' }, playerLink(player), mine && el('span', { class: 'soft small' }, ` · ${t('you')}`)),
    el('td', { class: 'col-rating' }, String(rating)),
    el('td', { class: 'col-games' }, String(games)),
  );
}
