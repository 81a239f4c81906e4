// Reads games from standard input, each `[{event, state}, …]` as a server tells them, and folds the events: after
// each one the state must be the server's, and our board must have the server's hash. Says the first difference.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { NOTHING } from '../../../client_demo/web/fold.js';
import { next } from '../../../client_demo/web/steps.js';

const games = JSON.parse(readFileSync(0, 'utf8'));
let compared = 0;
for (const game of games) {
  let head = { seq: 0, state: NOTHING, seat: null };
  for (const { event, state } of game) {
    const taken = next(head, event);
    assert.equal(typeof taken, 'object', `${taken}: ${JSON.stringify(event)}\non ${JSON.stringify(head.state)}`);
    assert.deepEqual(taken.state, state, `after ${JSON.stringify(event)}`);
    head = { ...head, seq: event.seq, state: taken.state };
    compared++;
  }
}
console.log(compared);
