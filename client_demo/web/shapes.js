/**
 * Can what players chose be so at all? Shapes of a record's events, where nothing else says what they had to be.
 * @module
 */

import { Wrong } from './wrong.js';

/** The version of the rules that is known here. */
export const RULES = 1;

/** @param {any} event @param {string} name */
export function counted(event, name) {
  const said = event[name];
  if (!Number.isInteger(said) || said < 0) throw new Wrong(`${name} is no whole number from 0`, { what: name, said });
}

/** @param {any} value @param {Record<string, string>} types */
export function typed(value, types) {
  for (const [name, type] of Object.entries(types)) {
    if (typeof value[name] !== type) throw new Wrong(`${name} is no ${type}`, { what: name, said: value[name] });
  }
}

/** @param {any} player */
export function known(player) {
  if (typeof player !== 'object' || player === null) throw new Wrong('player is nobody', { what: 'player', said: player });
  typed(player, { id: 'string', name: 'string' });
  const { bot, rating } = player;
  if (![null, 'easy', 'medium', 'hard'].includes(bot)) throw new Wrong('there is no such level', { what: 'player.bot', said: bot });
  if (rating !== null && !Number.isInteger(rating)) throw new Wrong('rating is no number', { what: 'player.rating', said: rating });
}

/** What is believed of a player in a rated room, in order (server/protocol.md, "Ratings"). @param {any} event */
export function believed({ skill }) {
  if (typeof skill !== 'object' || skill === null) throw new Wrong('there is no skill', { what: 'skill', said: skill });
  const { mu, sigma } = skill;
  const fits = within(-1_000_000, 1_000_000)(mu) && within(0, 1_000_000)(sigma);
  if (!fits) throw new Wrong('nobody is that strong, or that little known', { what: 'skill', said: skill });
  return { mu, sigma };
}

/** What people see of it. @param {{mu: number, sigma: number}} skill */
export const ratingOf = ({ mu, sigma }) => 1000 + Math.floor(((mu - 3 * sigma) * 4 + 50) / 100);

// The options, in the order in which they are stored (server/protocol.md, "Options of `create`")

/** @type {Record<string, (value: any, mode: string) => boolean>} */
const OPTIONS = {
  size: within(9, 180),
  deal: (value) => ['random', 'even', 'classic'].includes(value),
  adds: within(0, 20),
  seconds: within(10, 3600),
  base_s: within(5, 3600),
  increment_s: within(0, 60),
  max_players: (value, mode) => PLAYERS[mode](value),
  countdown_ms: within(0, 10_000),
  penalty: flag,
  row_again: flag,
  spectators: flag,
  spectator_delay_ms: within(0, 120_000),
  rated: flag,
  chat: (value) => value === undefined || value === false, // not written down where people may talk
  teams: (value, mode) => value === undefined || (mode === 'race' && ['chosen', 'drawn'].includes(value)),
};
/** @type {Record<string, number>} */
const SIZES = { even: 36, classic: 27 };
/** @type {Record<string, (value: any) => boolean>} */
const PLAYERS = { race: within(2, 8), turns: within(2, 4), mirror: within(1, 10) };
const NO_CLOCKS = { base_s: 120, increment_s: 3, row_again: false };
/** What another mode's options stay at. @type {Record<string, Record<string, any>>} */
const UNUSED = { race: NO_CLOCKS, turns: { seconds: 180 }, mirror: NO_CLOCKS };

/** What is nobody's to choose in a rated room. */
const RATED = { size: 35, deal: 'random', adds: 5, base_s: 120, increment_s: 3, penalty: true, row_again: false };
/** @type {Record<string, number>} */
const RATED_S = { race: 180, turns: 180, mirror: 360 };

/** What every attempt at a daily is made with. */
const DAILY = {
  mode: 'mirror', private: true, ...RATED, seconds: 360, max_players: 1, countdown_ms: 3000, spectators: false,
  spectator_delay_ms: 0, rated: false, chat: undefined, teams: undefined,
};

/** The day (UTC) of a moment. @param {any} at */
const dayOf = (at) => (Number.isSafeInteger(at) && Math.abs(at) < 8e15 ? new Date(at).toISOString().slice(0, 10) : '');

/** @param {number} least @param {number} most */
function within(least, most) {
  return (/** @type {any} */ value) => Number.isInteger(value) && value >= least && value <= most;
}

/** @param {any} value */
function flag(value) {
  return typeof value === 'boolean';
}

/** @param {any} options */
export const inOrder = (options) =>
  Object.fromEntries(Object.keys(OPTIONS).flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));

/** Is this a room in which a game can be judged? @param {any} created @throws {Wrong} */
export function usable({ rules, mode, options, seed, salt, daily, at, private: hidden, join_by }) {
  no(rules !== RULES, `only version ${RULES} of the rules is known here`, { what: 'rules', said: rules, due: RULES });
  no(typeof mode !== 'string' || !Object.hasOwn(UNUSED, mode), 'there is no such mode', { what: 'mode', said: mode });
  no(typeof options !== 'object' || options === null, 'there are no options', { what: 'options', said: options });
  for (const [name, fits] of Object.entries(OPTIONS)) {
    no(!fits(options[name], mode), `${name} cannot be so`, { what: `options.${name}`, said: options[name] });
  }
  for (const [name, due] of Object.entries(UNUSED[mode])) {
    const said = options[name];
    no(said !== due, `${name} is no option of this mode`, { what: `options.${name}`, said, due });
  }
  for (const [name, due] of Object.entries(options.rated ? { ...RATED, seconds: RATED_S[mode] } : {})) {
    no(options[name] !== due, `${name} stays as it is in rated rooms`, { what: `options.${name}`, said: options[name], due });
  }
  const alone = options.rated && options.max_players < 2;
  no(alone, 'a rated room is for two or more', { what: 'options.max_players', said: options.max_players });
  const { deal, size, teams, max_players } = options;
  const uneven = teams !== undefined && ![4, 6, 8].includes(max_players);
  no(uneven, 'in teams there are 4, 6 or 8 players', { what: 'options.max_players', said: max_players });
  no(size !== (SIZES[deal] ?? size), 'that deal has another size', { what: 'options.size', said: size, due: SIZES[deal] });
  if (daily !== undefined) {
    const told = 'the day after, not before';
    no(seed === undefined, `the seed of the daily of ${daily} is not in it: it is told ${told}`, { what: 'seed', said: seed });
    const made = { mode, private: hidden, ...options, daily };
    for (const [name, due] of Object.entries({ ...DAILY, daily: dayOf(at) })) {
      const said = /** @type {any} */ (made)[name];
      no(said !== due, `${name} cannot be so in a daily`, { what: name, said, due });
    }
    no(join_by === undefined, 'a daily has to be begun at once', { what: 'join_by', said: join_by });
  }
  const seeded = typeof seed === 'string' && /^[0-9a-f]{64}$/i.test(seed);
  no(deal === 'classic' ? seed !== undefined : !seeded, 'that is no seed for this deal', { what: 'seed', said: seed });
  no(typeof salt !== 'string' || !/^[0-9a-f]{32}$/i.test(salt), 'that is no salt', { what: 'salt', said: salt });
}

/** @param {boolean} wrong @param {string} message @param {{what: string, said: any, due?: any}} where */
function no(wrong, message, where) {
  if (wrong) throw new Wrong(message, where);
}
