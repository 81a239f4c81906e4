// Reads tournaments from standard input, each a list of `{event, state}` as the server tells them, and folds the events:
// after each one the state must be the server's, but for what only `finished` brings. Says the first difference.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fold } from '../../../client_demo/web/tournament.js';

const byPlayer = ({ ranking, ...rest }) => ({ ...rest, ranking: new Map(ranking.map((line) => [line.player, line])) });
let compared = 0;
for (const [first, ...steps] of JSON.parse(readFileSync(0, 'utf8'))) {
  let { state } = first;
  for (const { event, state: wanted } of steps) {
    state = fold(state, event);
    assert.deepEqual(byPlayer(state), byPlayer(wanted), `after ${JSON.stringify(event)}`);
    compared++;
  }
}
console.log(compared);
