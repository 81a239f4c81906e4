/** The daily: one deal for everybody on a day, one attempt each; today's board and yesterday's, with the seed that was kept secret. */
import { RequestError } from './tenmatch.js';
import { button, el, icon, put } from './elements.js';
import { dressed } from './looks.js';
import { commitment } from './deal.js';
import { pills } from './lobby.js';
import { day as dated, moment, pager, playerLink, span } from './ranks.js';
import { minutes, plain } from './sentences.js';
import { hashOfDaily, hashOfRecord } from './sharing.js';
import { t } from './texts.js';

const DAY_MS = 86_400_000;
const SOON_MS = 1_000;

/** Make the screen of a day, `{day, number}` (day null: today); one's own line comes along once one is known. */
export async function dailyPage(page, asked) {
  const wishes = { page: asked.number, player: page.client.player?.id };
  const [told] = await Promise.all([known(page.client.day(asked.day ?? undefined, wishes)), dressed('ranks.css')]);
  return told ? drawn(page, asked, told) : unknown(asked);
}

// A day of which the server knows; null where it does not.
async function known(asking) {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'http_404') throw error;
    return null;
  }
}

function unknown(asked) {
  return {
    element: el(
      'div',
      { class: 'ranks stack', test: 'daily' },
      el('h1', {}, t('daily')),
      days(asked.day, false),
      el('p', { class: 'soft' }, t('noDay')),
      el('a', { class: 'btn quiet', href: '#', test: 'leave' }, t('toLobby')),
    ),
    title: t('daily'),
    again: () => unknown(asked),
    close() {},
  };
}

function drawn(page, asked, told) {
  const stop = new AbortController();
  const { client } = page;
  if (!client.player) {
    client.addEventListener('welcome', () => page.daily(asked), { once: true, signal: stop.signal });
  }
  const today = told.ends_at > client.now();
  const entering = !told.own && page.attempted === told.day; // it takes the server a moment
  return {
    element: el(
      'div',
      { class: 'ranks stack', test: 'daily' },
      el('h1', {}, t('daily')),
      el('p', { class: 'soft' }, t('aboutDaily')),
      days(today ? dayBefore(told) : told.day, today),
      today && attempt(page, told, entering),
      told.players ? table(told, client.player?.id) : el('p', { class: 'soft' }, t('nobodyPlayed')),
      told.pages > 1 && pager((number) => hashOfDaily({ ...asked, number }), told),
      proof(told),
      el('a', { class: 'btn quiet', href: '#', test: 'leave' }, t('toLobby')),
    ),
    title: t('daily'),
    again: () => drawn(page, asked, told),
    opened() {
      const again = entering && setTimeout(() => page.daily(asked), SOON_MS);
      stop.signal.addEventListener('abort', () => clearTimeout(again));
    },
    close: () => stop.abort(),
  };
}

const dayBefore = ({ begins_at }) => new Date(begins_at - DAY_MS).toISOString().slice(0, 10);

// Another day is another address: "back" leads to the one before.
function days(before, today) {
  const choices = [
    ['today', t('today')],
    ['before', today ? t('yesterday') : named(before)],
  ];
  const go = (which) => (location.hash = hashOfDaily(which === 'today' ? {} : { day: before }));
  return el('div', { class: 'line' }, pills('day', choices, today ? 'today' : 'before', go, t('daily')));
}

/** A day, whatever time it is where one is. */
const named = (name) => dated(Date.parse(`${name}T00:00`));

// One's own attempt: still to be made, or what it came to.
function attempt({ client, told: words, enter }, told, entering) {
  const trouble = el('p', { class: 'bad', role: 'alert' });
  const play = async ({ currentTarget }) => {
    currentTarget.disabled = true;
    put(trouble);
    try {
      enter(await client.daily());
    } catch (error) {
      currentTarget.disabled = false;
      put(trouble, words(error));
    }
  };
  const { own, players, ends_at } = told;
  const left = el('p', { class: 'soft' }, t('nextDaily', { time: span(ends_at - client.now()) }));
  return el(
    'section',
    { class: 'card stack', test: 'attempt' },
    own
      ? el(
          'div',
          { class: 'standing' },
          el('b', { class: 'big' }, t('nPoints', { n: own.points })),
          el('span', { class: 'soft' }, `${t('placeOf', { place: own.place, all: players })} · ${outcome(own)}`),
        )
      : entering
        ? el('p', { role: 'status' }, t('entering'))
        : [el('p', {}, t('oneAttempt')), el('div', {}, button(t('playDaily'), play, { class: 'btn main', test: 'play-daily' }))],
    left,
    trouble,
  );
}

const outcome = ({ cleared, time_ms }) => `${cleared ? `${t('cleared')} · ` : ''}${minutes(time_ms)}`;

function table({ lines, own }, me) {
  const below = own && !lines.some(({ player }) => player.id === own.player.id);
  const heading = [['place', t('place')], ['player', t('player')], ['rating', t('points')], ['games', t('time')]];
  return el(
    'table',
    { test: 'board' },
    el('thead', {}, el('tr', {}, heading.map(([key, text]) => el('th', { scope: 'col', class: `col-${key}` }, text)))),
    el('tbody', {}, lines.map((line) => row(line, me))),
    below && el('tfoot', {}, row(own, me)),
  );
}

function row(line, me) {
  const { place, player, points, cleared, time_ms, room } = line;
  const mine = player.id === me;
  const time = minutes(time_ms);
  return el(
    'tr',
    { class: mine && 'own', test: mine && 'own-line', 'aria-current': mine },
    el('td', { class: 'col-place' }, `${place}.`),
    el(
      'td',
      { class: 'col-player' },
      playerLink(player),
      mine && el('span', { class: 'soft small' }, ` · ${t('you')}`),
      cleared && el('span', { class: 'ok small' }, ` · ${t('cleared')}`),
    ),
    el('td', { class: 'col-rating' }, plain(points)),
    el('td', { class: 'col-games' }, room ? el('a', { href: hashOfRecord(room), title: t('replay') }, time) : time),
  );
}

function proof({ seed, commit, drawn_at, revealed_at }) {
  const told = el('p', { role: 'status', test: 'deal-check' });
  const check = () => {
    const ok = commitment(seed) === commit;
    told.className = ok ? 'ok line' : 'bad';
    put(told, ok && icon('tick'), el('span', { class: 'grow' }, t(ok ? 'dealGood' : 'dealBad')));
  };
  return el(
    'details',
    {},
    el('summary', {}, t('fairDeal')),
    el(
      'div',
      { class: 'stack' },
      el('p', { class: 'small soft' }, t('dailyExplained', { drawn: moment(drawn_at), told: moment(revealed_at) })),
      el('p', { class: 'hex' }, `${t('commitment')}: ${commit}`),
      el('p', { class: 'hex', test: 'seed' }, `${t('seed')}: ${seed ?? t('toldAt', { at: moment(revealed_at) })}`),
      seed && el('div', {}, button(t('checkDeal'), check, { class: 'btn', test: 'check-deal' })),
      told,
    ),
  );
}
