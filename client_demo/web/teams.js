/** Who wins together: the sides of a game. A side is a team, or where there are none a player. */
import { el } from './elements.js';
import { nameOf } from './marks.js';
import { plain } from './sentences.js';
import { t } from './texts.js';

/** The sides, `{team, seats, score}` each, the lowest seat first; `team` is null where each plays alone. Free seats count with `free`. */
export function sidesOf({ seats, teams }, { free = false } = {}) {
  const sides = new Map();
  for (const [seat, taken] of seats.entries()) {
    if (!taken && !free) continue;
    const team = teams?.[seat] ?? null;
    const key = team ?? `alone ${seat}`;
    if (!sides.has(key)) sides.set(key, { team, seats: [], score: 0 });
    sides.get(key).seats.push(seat);
    sides.get(key).score += taken?.score ?? 0;
  }
  return [...sides.values()].sort((one, other) => (one.team ?? 0) - (other.team ?? 0));
}

/** What a side is called by who sits on seat `mine`. */
export function nameOfSide(state, { team, seats }, mine) {
  if (team === null) return nameOf(state, seats[0], mine);
  return seats.includes(mine) ? t('yourTeam') : t('team', { name: 'AB'[team] });
}

/** The line over a team: its name and, where there are points, their sum. */
export function teamHead(state, side, mine, points = true) {
  return el(
    'p',
    { class: 'teamhead', test: `team-${side.team}`, data: { score: side.score } },
    el('b', {}, nameOfSide(state, side, mine)),
    points && el('b', {}, plain(side.score)),
  );
}
