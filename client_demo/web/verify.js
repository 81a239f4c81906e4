/**
 * Does a record prove its game? By the rules of `rules.js` alone, in a browser and in Node (server/protocol.md, "Records").
 * @module
 */

import { Game, happen } from './game.js';
import { fromHex } from './hashes.js';
import { due } from './referee.js';
import { chainAfter } from './stored.js';
import { differing, Wrong } from './wrong.js';

export const FORMAT = 'tenmatch-record/1';

const INEXACT = 'there is a number in it that is not whole, or not exact in every language';

/**
 * The first thing in a record that cannot be so; null: it proves its game.
 * @param {any} record  as parsed from JSON
 * @returns {Wrong | null}
 */
export function verify(record) {
  try {
    judge(record);
    return null;
  } catch (error) {
    if (error instanceof Wrong) return error;
    throw error;
  }
}

/** @param {any} record @throws {Wrong} */
function judge(record) {
  if (record?.format !== FORMAT) throw new Wrong(`a record is an object with the format '${FORMAT}'`);
  const { events, ...heading } = record;
  if (!Array.isArray(events)) throw new Wrong('a record has a list of events');
  if (events[0]?.kind !== 'created') throw located(new Wrong('a log begins with created'), 1);
  const game = new Game(events);
  let chain = 0;
  for (const [place, event] of events.entries()) {
    try {
      chain = follow(game, event, chain);
    } catch (error) {
      throw error instanceof Wrong ? located(error, place + 1) : error;
    }
  }
  if (game.phase !== 'over') throw located(new Wrong('it is missing: the game is not over'), events.length + 1);
  if (!exact(heading)) throw new Wrong(INEXACT);
  const wrong = differing(heading, headingOf(game, events[events.length - 1]));
  if (wrong) throw wrong;
}

/**
 * Let an event happen, if it is as it had to be.
 * @param {Game} game
 * @param {any} event
 * @param {number} chain  before it
 * @returns {number} the chain after it
 */
function follow(game, event, chain) {
  if (typeof event !== 'object' || event === null) throw new Wrong('it is no object');
  if (!exact(event)) throw new Wrong(INEXACT);
  const wanted = due(game, event);
  const { chain: told, ...fields } = event;
  const after = chainAfter(fromHex(game.created.salt), chain, wanted);
  const wrong = differing(fields, { seq: game.seq + 1, ...wanted }) ?? differing({ chain: told }, { chain: after });
  if (wrong) throw wrong;
  happen(game, wanted);
  return after;
}

/** @param {Wrong} wrong @param {number} event */
const located = (wrong, event) => Object.assign(wrong, { event });

/** Is every number whole, and exact in every language? @param {any} value @returns {boolean} */
function exact(value) {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(exact);
}

/** What a record says of the game as a whole. @param {Game} game @param {any} ended */
function headingOf(game, ended) {
  const { rules, mode, options, commit = null, seed = null, salt } = game.created;
  const players = game.seats.flatMap((taken, seat) => (taken ? [{ seat, player: taken.player }] : []));
  const { reason, ranking } = ended;
  return { format: FORMAT, rules, mode, options, commit, seed, salt, players, result: { reason, ranking } };
}
