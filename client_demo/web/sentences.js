/** Events and refusals in words. */
import { nameOf } from './marks.js';
import { language, t } from './texts.js';

const MANY = 4; // numbers in the way that are all named: the board shows them anyway

/** A number of points with its sign: +4, −2. */
export const signed = (points) => (points < 0 ? `−${-points}` : `+${points}`);

/** A score, with a real minus sign. */
export const plain = (score) => (score < 0 ? `−${-score}` : String(score));

/** A number with one decimal, as the language writes it: 1.1, 1,1. */
export const tenths = (n) => new Intl.NumberFormat(language(), { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(n);

/** A time in ms as 1:42, rounded up; with tenths below ten seconds if asked for. */
export function minutes(ms, exact = false) {
  if (exact && ms < 10000) return tenths(Math.ceil(Math.max(ms, 0) / 100) / 10);
  const seconds = Math.ceil(Math.max(ms, 0) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** What a step of the log says: `{seat, text}` (seat null: nobody's doing), or null where there is nothing to tell. */
export function sentence(step, room, story) {
  const say = SENTENCES[step.event.kind];
  const text = say?.(step, room, story);
  return text ? { seat: step.event.seat ?? null, text } : null;
}

const SENTENCES = {
  seated: () => t('did.seated'),
  unseated: () => t('did.unseated'),
  started: () => t('did.started'),
  matched: (step) => `${pairWords(step)}, ${signed(step.event.points)}`,
  mistaken: (step, room, story) =>
    `${reason(step.event, step.before, room, story)}${step.event.points ? `, ${signed(step.event.points)}` : ''}`,
  progress: ({ event }) => (event.left ? '' : t('boardCleared')),
  called: ({ event }) => `${t('did.called')}, ${signed(event.points)}`,
  added: ({ event }) => t('did.added', { n: event.digits.length }),
  passed: () => t('did.passed'),
  flagged: () => t('did.flagged'),
  resigned: ({ event }) => t(event.kicked ? 'did.kicked' : 'did.resigned'),
  shifted: ({ event }) => t('did.shifted', { s: Math.round(event.by_ms / 1000) }),
  ended: ({ event }) => t(`ended.${event.closed ? 'closed' : event.reason}`),
};

/** A taken pair: "4 + 6 over the row end, row closed". */
export function pairWords({ event, before, after, path }) {
  const [a, b] = [before.at(event.a).digit, before.at(event.b).digit];
  return [
    a === b ? `${a} = ${b}` : `${a} + ${b}`,
    path?.family === 'wrap' && ` ${t('overRowEnd')}`,
    event.rows.length > 0 && `, ${t('rowsClosed', { n: event.rows.length })}`,
    after.left === 0 && `, ${t('boardCleared')}`,
  ]
    .filter(Boolean)
    .join('');
}

/** Why a claim or call was wrong, as one sentence. `wrong`: an event `mistaken`, or a refusal with the claim's `a` and `b`. */
export function reason({ code, a, b, blockers = [], seat }, board, room, story) {
  const [p, q] = [board?.at(a)?.digit, board?.at(b)?.digit];
  if (code === 'blocked') {
    const between = blockers.map((id) => board?.at(id)?.digit).filter(Boolean);
    const list = between.length > MANY ? `${between.slice(0, MANY - 1).join(', ')} …` : between.join(', ');
    return t('why.blocked', { list, n: between.length, a: p, b: q });
  }
  if (code === 'inactive' || code === 'stale') {
    const taker = a === undefined ? null : story.takerOf([a, b]);
    if (taker !== null && taker === room.seat && (seat ?? taker) === taker) return t('why.youTook');
    const name = room.state.seats[taker]?.player.name ?? t('somebody');
    return t(code === 'inactive' ? 'why.inactive' : a === undefined ? 'why.staleCall' : 'why.stale', { name });
  }
  const turn = room.state.turn;
  return t(`why.${code}`, { a: p, b: q, name: turn === null ? '' : nameOf(room.state, turn, room.seat) });
}

/** How many play with how many: "2 × 3"; nothing where each plays alone. */
export const sizes = (teams, players) => teams && `2 × ${players / 2}`;

/** What kind of game it is: "Race · 35 numbers · 3:00". */
export function aboutRoom({ mode, options }) {
  const time =
    mode === 'turns' ? `${minutes(options.base_s * 1000)} + ${options.increment_s} s` : minutes(options.seconds * 1000);
  const wishes = [
    options.rated && t('rated'),
    !options.penalty && t('noPenalty'),
    options.row_again && t('option.row_again'),
    options.chat === false && t('noChat'),
    options.deal !== 'random' && t(`deal.${options.deal}`),
  ];
  const together = sizes(options.teams, options.max_players);
  return [t(mode), together, t('nNumbers', { n: options.size }), time, ...wishes].filter(Boolean).join(' · ');
}
