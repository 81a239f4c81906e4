// Reads tournaments from standard input, each a list of `{event, state}` as the server tells them, and folds the events:
// after each one the state must be the server's. Of an arena that does not have the games of long ago, which a client
// that saw them may keep. Says the first difference.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fold } from '../../../client_demo/web/tournament.js';

const told = (state, { games }) => {
  const numbers = new Set(games.map(({ game }) => game));
  return { ...state, games: state.games.filter(({ game }) => numbers.has(game)) };
};
const byPlayer = ({ ranking, ...rest }) => ({ ...rest, ranking: new Map(ranking.map((line) => [line.player, line])) });
let compared = 0;
for (const [first, ...steps] of JSON.parse(readFileSync(0, 'utf8'))) {
  let { state } = first;
  for (const { event, state: wanted } of steps) {
    state = fold(state, event);
    assert.deepEqual(byPlayer(told(state, wanted)), byPlayer(wanted), `after ${JSON.stringify(event)}`);
    compared++;
  }
}
console.log(compared);
