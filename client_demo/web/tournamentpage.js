/** A tournament: signing up, the bracket or the table as it comes about, and the call to one's next game. */
import { ask } from './dialogs.js';
import { button, el, icon, put, renew } from './elements.js';
import { once } from './lobby.js';
import { moment, playerLink, span } from './ranks.js';
import { minutes } from './sentences.js';
import { hashOfRecord, hashOfTournament, linkToTournament, copier } from './sharing.js';
import * as sound from './sound.js';
import { dressed } from './looks.js';
import { NOBODY, Tournament } from './tournament.js';
import { t } from './texts.js';

/** Make the screen of a tournament; it goes on being followed on other screens while one plays in it. */
export async function tournamentPage(page, id) {
  page.tournaments ??= new Map();
  const known = page.tournaments.get(id);
  const cup = known ?? new Tournament(page.client, id);
  await Promise.all([known || cup.watch(), dressed('ranks.css', 'tournament.css')]);
  if (!known) {
    page.tournaments.set(id, cup);
    cup.addEventListener('changed', ({ detail }) => called(page, cup, detail));
  }
  return drawn(page, cup);
}

// One's next game: heard wherever one is on the page, and seen at once unless one plays or looks at it already.
function called(page, cup, event) {
  const me = page.client.player?.id;
  if (event?.kind !== 'opened' || cup.called(me)?.game !== event.game) return;
  sound.bell();
  page.announce(t('cup.called'));
  const playing = page.room()?.state.phase === 'playing' && page.room().me && !page.room().me.out;
  if (!playing) location.hash = hashOfTournament(cup.id);
}

function drawn(page, cup) {
  const stop = new AbortController();
  cup.shown = (cup.shown ?? 0) + 1; // screens: drawn again in another language there are two for a moment
  const told = el('p', { class: 'bad', role: 'alert' });
  const body = el('div', { class: 'stack' });
  const doing = (work) => once({ told: (error) => sentence(page, error) }, told, work);
  const draw = () => {
    const me = page.client.player?.id;
    const { state } = cup;
    renew(
      body,
      call(page, cup, me),
      when(page.client, state),
      acts(cup, me, doing),
      winner(state),
      rounds(state, me),
      standings(cup, me, doing),
      invited(state),
      downloads(cup),
    );
  };
  cup.addEventListener('changed', draw, { signal: stop.signal });
  page.client.addEventListener('welcome', draw, { signal: stop.signal });
  draw();
  return {
    element: el(
      'div',
      { class: 'ranks cup stack', test: 'tournament' },
      el('h1', {}, cup.state.title),
      el('p', { class: 'soft' }, about(cup.state)),
      told,
      body,
      el('div', { class: 'line' },
        el('a', { class: 'btn quiet', href: '#tournaments' }, t('cups')),
        el('a', { class: 'btn quiet', href: '#', test: 'leave' }, t('toLobby'))),
    ),
    title: cup.state.title,
    again: () => drawn(page, cup),
    close() {
      stop.abort();
      cup.shown -= 1;
      const mine = cup.state.players.some(({ id, out }) => id === page.client.player?.id && !out);
      if (cup.shown || (mine && cup.state.phase !== 'over')) return; // one is still to be called
      cup.close();
      page.tournaments.delete(cup.id);
    },
  };
}

// What of a tournament is another sentence than of a room.
function sentence(page, error) {
  const key = `cup.error.${error.code}`;
  return t(key) === key ? page.told(error) : t(key);
}

function about({ plan, host }) {
  const parts = [t(`cup.${plan.format}`), t(plan.mode), plan.options.rated && t('rated'), plan.minutes && t('cup.lasts', { n: plan.minutes }), !plan.open && t('cup.byInvitation')];
  return [parts.filter(Boolean).join(' · '), ' · ', t('cup.by', { name: host.name })];
}

function call(page, cup, me) {
  const game = cup.called(me);
  if (!game) return null;
  const rival = nameOf(cup.state, game.players.find((id) => id !== me));
  return el(
    'section',
    { class: 'card stack call', test: 'call', data: { key: game.room } },
    el('h2', {}, t('cup.called')),
    el('p', {}, t('cup.against', { name: rival })),
    button(t('cup.play'), () => page.visit({ room: game.room }), { class: 'btn main', test: 'to-game' }),
    el('p', { class: 'soft small' }, t('cup.deadline', { n: cup.state.plan.join_s })),
  );
}

const HOUR = 3_600_000;

// When it begins or ends, as the clock on the wall has it, and for how long it is until then.
function when(client, { phase, starts_at, ends_at }) {
  const at = { open: starts_at, running: ends_at }[phase];
  if (!at) return phase === 'open' && el('p', { class: 'soft' }, t('cup.startsByHost'));
  const words = () => {
    const left = at - client.now();
    if (left <= 0 && phase === 'running') return t('cup.timeUp');
    const time = left < HOUR ? minutes(left) : span(left);
    const [wall, until] = phase === 'open' ? ['cup.startsAt', 'cup.in'] : ['cup.endsAt', 'cup.left'];
    return [t(wall, { at: moment(at) }), left > 0 && left < 24 * HOUR && [' · ', el('b', {}, t(until, { time }))]];
  };
  const element = el('p', { class: 'soft when', role: 'timer', test: 'cup-when', data: { key: `${phase} ${at}` } }, words());
  const ticking = setInterval(() => (element.isConnected ? put(element, words()) : clearInterval(ticking)), 1000);
  return element;
}

function acts(cup, me, doing) {
  const { state } = cup;
  if (state.phase === 'over') return null;
  if (state.kicked.includes(me)) return el('p', { class: 'card', test: 'put-out' }, t('cup.youAreOut'));
  const mine = state.players.find(({ id }) => id === me);
  const welcome = state.plan.open || mine || state.invited.some(({ id }) => id === me);
  const enters = (state.phase === 'open' || state.plan.format === 'arena') && (!mine || mine.out) && welcome;
  const starts = state.phase === 'open' && state.host.id === me;
  const link = copier(() => linkToTournament(cup.id), [icon('copy'), t('copyLink')], { class: 'btn', test: 'copy-link' });
  return el(
    'div',
    { class: 'stack' },
    enters && !state.plan.open && el('p', {}, t('cup.youAreInvited')),
    el(
      'div',
      { class: 'line' },
      enters && button(t('cup.enter'), doing(cup.enter), { class: 'btn main', test: 'enter' }),
      starts && button(t('cup.start'), doing(cup.start), { class: enters ? 'btn' : 'btn main', disabled: state.players.length < 2, test: 'start' }),
      mine && !mine.out && button(t('cup.leave'), doing(cup.leave), { class: 'btn', test: 'withdraw' }),
      link,
    ),
  );
}

function winner(state) {
  const [first, second] = state.ranking;
  if (state.phase !== 'over') return null;
  const text = state.games.length && first && second?.place !== 1 ? t('cup.won', { name: nameOf(state, first.player) }) : t('cup.over');
  return el('p', { class: 'card champion', role: 'status', test: 'champion' }, text);
}

// The bracket: a column for each round, side by side where there is room, with lines from match to match.
function rounds(state, me) {
  if (!state.rounds.length) return null;
  const all = state.rounds.length;
  return el(
    'div',
    { class: 'bracket', tabindex: 0, role: 'group', 'aria-label': t('cup.bracket'), test: 'bracket' },
    state.rounds.map((matches, index) =>
      el(
        'section',
        { class: 'round' },
        el('h2', {}, nameOfRound(all - index)),
        el('ol', {}, matches.map((match, place) => el('li', {}, box(state, match, index + 1, place, me)))),
      ),
    ),
  );
}

const nameOfRound = (left) => (left <= 3 ? t(`cup.round.${left}`) : t('cup.round', { n: 2 ** left }));

function box(state, { sides, winner: best }, round, place, me) {
  const game = state.games.findLast((one) => one.round === round && one.place === place);
  const line = (side) => {
    const name = side === NOBODY ? t('cup.bye') : side === null ? '…' : nameOf(state, side);
    const kind = side && side === best ? 'best' : best !== null && side !== best ? 'lost' : '';
    return el('span', { class: `side ${kind}${side && side === me ? ' own' : ''}` }, el('span', {}, name), side && side === best && icon('tick'));
  };
  const plays = game && !game.how;
  const note = plays ? t('cup.plays') : game && game.how !== 'won' && game.how !== 'drawn' && t(`cup.how.${game.how}`);
  const inside = [sides.map(line), note && el('span', { class: 'soft small note' }, note)];
  const test = `match-${round}-${place}`;
  if (!game?.room || game.how === 'no_show') return el('div', { class: 'match', test }, inside);
  return el('a', { class: `match${plays ? ' live' : ''}`, href: plays ? `#${game.room}` : hashOfRecord(game.room), test }, inside);
}

function standings(cup, me, doing) {
  const { state } = cup;
  const arena = state.plan.format === 'arena' && state.phase !== 'open';
  const host = state.host.id === me && state.phase !== 'over';
  if (!state.players.length) return el('p', { class: 'soft' }, t('cup.nobody'));
  const bracket = state.plan.format === 'knockout' && state.phase === 'running';
  if (bracket && !host) return null; // which tells all
  const people = new Map(state.players.map((one) => [one.id, one]));
  const placed = state.phase !== 'open' && !bracket;
  const there = bracket ? state.players.filter(({ id, out }) => !out && !beaten(state, id)) : state.players;
  const listed = placed ? state.ranking : there.map(({ id }) => ({ player: id }));
  const heading = bracket ? t('cup.stillIn') : placed ? t('cup.standings') : t('cup.players', { n: there.length, most: state.plan.most });
  const playing = new Set(state.games.filter(({ how }) => !how).flatMap(({ players }) => players));
  return el(
    'section',
    { class: 'stack' },
    el('h2', {}, heading),
    el(
      'table',
      { test: 'standings' },
      el('tbody', {}, listed.map(({ player, place, points, wins, draws, losses }) =>
        el(
          'tr',
          { class: player === me && 'own', 'aria-current': player === me },
          place && el('td', { class: 'col-place' }, `${place}.`),
          el('td', {}, playerLink(people.get(player)), playing.has(player) && state.phase === 'running' && el('span', { class: 'soft small' }, ` · ${t('cup.plays')}`),
            people.get(player).out && el('span', { class: 'soft small' }, ` · ${t(state.kicked.includes(player) ? 'cup.putOut' : 'out')}`)),
          place && el('td', { class: 'col-games soft', title: t('cup.record') }, `${wins} – ${draws} – ${losses}`),
          arena && el('td', { class: 'col-rating' }, String(points)),
          host && el('td', { class: 'col-act' }, player !== me && !state.kicked.includes(player) && putOut(cup, people.get(player), doing)),
        ))),
    ),
  );
}

const beaten = ({ rounds }, id) => rounds.flat().some(({ sides, winner }) => sides.includes(id) && winner !== null && winner !== id);

function putOut(cup, { id, name }, doing) {
  const kick = doing(async () => {
    if (await ask(t('cup.kickAsk', { name }), t('cup.kick'), t('cancel'), 'confirm-kick')) await cup.kick(id);
  });
  return button(t('cup.kick'), kick, { class: 'btn chip', 'aria-label': t('cup.kickWho', { name }), test: `kick-${id}` });
}

// Who may still come; nobody plays before they said so themselves.
function invited({ invited: all, players, kicked, phase, plan }) {
  const known = new Set([...players.map(({ id }) => id), ...kicked]);
  const missing = all.filter(({ id }) => !known.has(id));
  if (!missing.length || phase === 'over' || (phase === 'running' && plan.format === 'knockout')) return null;
  return el(
    'section',
    { class: 'stack tight' },
    el('h2', {}, t('cup.invited')),
    el('p', { class: 'soft', test: 'invited' }, missing.map(({ name }) => name).join(' · ')),
  );
}

function downloads(cup) {
  if (cup.state.phase !== 'over') return null;
  const href = `/v1/tournaments/${cup.id}.csv`;
  return el('div', {}, el('a', { class: 'btn', href, download: true, test: 'csv' }, t('cup.csv')));
}

const nameOf = (state, id) => state.players.find((one) => one.id === id)?.name ?? '…';
