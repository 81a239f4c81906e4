/** After the game: who won and by what, the score over time, a few facts, the proof of the deal, the rematch. */
import { RequestError } from './tenmatch.js';
import './deal.js'; // which `checkDeal` needs, and which may not come then
import { replay } from './steps.js';
import { playAgain } from './again.js';
import { button, el, icon, put, renew } from './elements.js';
import { curve } from './curve.js';
import { mark, nameOf, ratingBeside } from './marks.js';
import { stillness } from './settings.js';
import { copier, copyButton, hashOfDaily, hashOfPlayer, hashOfRecord, hashOfTournament, sender, sends } from './sharing.js';
import { plain, tenths } from './sentences.js';
import { facts } from './stats.js';
import { nameOfSide, sidesOf, teamHead } from './teams.js';
import { t } from './texts.js';

/** Make the card that stands above the last board. On its `view` the game can be watched again, told in `told`, until `signal` aborts. */
export function endCard({ page, room, story, view, told, signal }) {
  const ranking = room.state.ranking ?? [];
  const more = el('div', { class: 'stack' });
  fillIn(more, { room, story, view, told, signal });
  return el(
    'section',
    { class: 'card stack end', test: 'end', 'aria-labelledby': 'end' },
    el(
      'div',
      {},
      el('h2', { id: 'end', tabindex: -1 }, headline(room, ranking)),
      room.reason && el('p', { class: 'soft' }, t(`ended.${room.reason}`)),
    ),
    el(
      'ol',
      { class: 'ranking' },
      byPlace(room.state, ranking).flatMap((side) => [
        room.state.teams && el('li', { class: 'team' }, teamHead(room.state, side, room.seat)),
        ranking.filter(({ seat }) => side.seats.includes(seat)).map((line) => lineOf(room, line)),
      ]),
    ),
    room.state.options.rated && counts(room),
    room.state.daily ? toDaily(page, room) : room.state.tournament ? toTournament(page, room) : rematch(page, room),
    more, // comes a moment later, and must not push away what is about to be pressed
    proof(page, room),
  );
}

function lineOf({ state, seat: mine }, { seat, place, score, mistakes }) {
  const facts = [mistakes > 0 && t('nMistakes', { n: mistakes }), state.seats[seat]?.out && t('out')];
  return el(
    'li',
    { class: `s${seat}` },
    el('span', { class: 'soft' }, `${place}.`),
    mark(seat),
    el(
      'span',
      {},
      nameOf(state, seat, mine),
      ratingBeside(state, seat),
      el(
        'span',
        { class: 'soft small' },
        facts.filter(Boolean).map((fact) => ` · ${fact}`),
      ),
    ),
    el('b', {}, plain(score)),
  );
}

/** The sides as they came in, each with its `place`. */
function byPlace(state, ranking) {
  const places = new Map(ranking.map(({ seat, place }) => [seat, place]));
  const placed = sidesOf(state).map((side) => ({ ...side, place: places.get(side.seats[0]) }));
  return placed.sort((one, other) => one.place - other.place);
}

function counts({ me }) {
  const mine = me && el('a', { href: hashOfPlayer(me.player.id), test: 'your-rating' }, t('yourRating'));
  return el('p', { class: 'soft small' }, t('countsFor'), mine && [' ', mine]);
}

function headline({ state, seat }, ranking) {
  const [first, second] = ranking.length < 2 ? [] : byPlace(state, ranking);
  if (!second || second.place === 1) return t(second ? 'draw' : 'over');
  const by = first.score - second.score;
  const alone = first.seats.length === 1 && first.seats[0] === seat && first.team === null;
  const won = alone ? t('youWon') : t('won', { name: nameOfSide(state, first, seat) });
  return by > 0 ? `${won} ${t('by', { n: by })}` : won;
}

async function fillIn(place, { room, story, view, told, signal }) {
  const steps = await stepsOf(room, story);
  if (!steps?.some(({ event }) => event.kind === 'started')) return;
  const known = facts(steps);
  const who = (seat) => [mark(seat), ` ${nameOf(room.state, seat, room.seat)}`];
  const fact = (name, ...value) => el('div', {}, el('dt', {}, name), el('dd', {}, value));
  put(
    place,
    curve(known),
    el(
      'dl',
      { class: 'facts' },
      known.longest?.gap > 0 &&
        fact(t('longest'), t('nSlots', { n: known.longest.gap }), ' · ', who(known.longest.seat)),
      known.fastest && fact(t('fastest'), `${tenths(known.fastest.ms / 1000)} s · `, who(known.fastest.seat)),
      fact(
        t('pairs'),
        known.pairs.map((n, seat) => room.state.seats[seat] && el('span', {}, mark(seat), ` ${n} `)),
      ),
    ),
    el(
      'div',
      { class: 'line' },
      !room.state.boards && again({ steps, view, told, room, story, signal }),
      !room.state.daily && el('a', { class: 'btn quiet', href: hashOfRecord(room.id), test: 'replay' }, t('stepByStep')),
    ),
  );
}

function again(game) {
  const watch = async ({ currentTarget }) => {
    currentTarget.disabled = true;
    const playing = playAgain(game);
    game.view.element.scrollIntoView({ block: 'center', behavior: stillness() ? 'auto' : 'smooth' });
    await playing;
    currentTarget.disabled = false;
  };
  return button(t('watchAgain'), watch, { class: 'btn again', test: 'watch-again' });
}

// The whole game, as this page saw it or as it is told now: of boards of their own the record alone tells a player all.
async function stepsOf(room, story) {
  const { state, seat } = room;
  const hidden = state.boards && seat !== null && state.seats.filter(Boolean).length > 1;
  if (story.whole && !hidden) return story.steps;
  try {
    return [...replay(hidden ? (await room.record()).events : await room.history())];
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return null;
  }
}

function rematch(page, room) {
  const wants = el('p', { class: 'soft', role: 'status' });
  const acts = el('div', { class: 'line fill' });
  const follow = () => page.visit({ room: room.next });
  const want = async () => {
    try {
      await room.rematch(!room.wants.has(room.seat));
    } catch (error) {
      put(wants, page.told(error));
    }
  };
  const draw = () => {
    const mine = room.wants.has(room.seat);
    if (room.next && mine) return follow();
    put(
      wants,
      [...room.wants]
        .filter((seat) => seat !== room.seat)
        .map((seat) => t('wantsRematch', { name: nameOf(room.state, seat, null) }))
        .join(' '),
    );
    renew(
      acts,
      room.next
        ? button(t('followRematch'), follow, { class: 'btn main', test: 'follow' })
        : room.seat !== null &&
            button(mine ? [icon('tick'), t('rematchWanted')] : t('rematch'), want, {
              class: 'btn main',
              'aria-pressed': mine,
              test: 'rematch',
            }),
      button(t('toLobby'), () => page.leave(room), { class: 'btn', test: 'leave' }),
      copyButton(room, [icon('copy'), t('copyLink')], { class: 'btn' }),
    );
  };
  draw();
  const box = el('div', { class: 'stack' }, acts, wants);
  room.addEventListener('event', ({ detail }) => detail.event.kind === 'rematch' && box.isConnected && draw());
  return box;
}

function toTournament(page, room) {
  const leave = button(t('toLobby'), () => page.leave(room), { class: 'btn quiet', test: 'leave' });
  const back = { class: 'btn main', href: hashOfTournament(room.state.tournament), test: 'to-tournament' };
  return el('div', { class: 'line' }, el('a', back, t('cup.back')), leave);
}

// What one tells others of one's attempt: nothing that would help them.
function boast({ state, seat, reason }) {
  const own = state.ranking?.find((line) => line.seat === seat);
  if (!own) return null;
  const { score, mistakes } = own;
  const facts = [reason === 'cleared' && t('cleared'), t('nPoints', { n: score }), mistakes > 0 && t('nMistakes', { n: mistakes })];
  const words = [`tenmatch · ${t('daily')} ${state.daily}`, facts.filter(Boolean).join(' · ')].join('\n');
  return resultButton(words, hashOfDaily({ day: state.daily }), { class: 'btn', test: 'share-result' });
}

function toDaily(page, room) {
  page.attempted = room.state.daily;
  const leave = button(t('toLobby'), () => page.leave(room), { class: 'btn quiet', test: 'leave' });
  const board = el('a', { class: 'btn main', href: hashOfDaily({ day: room.state.daily }), test: 'to-daily' }, t('dailyBoard'));
  return el('div', { class: 'line' }, board, boast(room), leave);
}

function proof(page, room) {
  const { seed, commit, daily } = room.state;
  if (daily) return el('p', { class: 'soft small' }, t('seedLater'));
  if (!commit) return null;
  const told = el('p', { role: 'status', test: 'deal-check' });
  const check = async () => {
    try {
      const { ok } = await room.checkDeal();
      told.className = ok ? 'ok line' : 'bad';
      put(told, ok && icon('tick'), el('span', { class: 'grow' }, t(ok ? 'dealGood' : 'dealBad')));
    } catch (error) {
      put(told, page.told(error));
    }
  };
  return el(
    'details',
    {},
    el('summary', {}, t('fairDeal')),
    el(
      'div',
      { class: 'stack' },
      el('p', { class: 'small soft' }, t('dealExplained')),
      el('p', { class: 'hex' }, `${t('seed')}: ${seed ?? '–'}`),
      el('p', { class: 'hex' }, `${t('commitment')}: ${commit}`),
      el('div', {}, button(t('checkDeal'), check, { class: 'btn', test: 'check-deal' })),
      told,
    ),
  );
}

// It hands on a result, with the address at which others may try; where one cannot send, it copies.
function resultButton(words, hash, props) {
  const url = `${location.origin}${location.pathname}${hash}`;
  return sends()
    ? sender(() => ({ text: words, url }), props)
    : copier(() => `${words}\n${url}`, [icon('copy'), t('copyResult')], props);
}
