// Reads games from standard input, each `{seat, steps: [{event, state}, …]}` as a server tells them to who sits there,
// and folds the events: after each one the state must be the server's (null: whatever it is), and our board must have
// the server's hash. Says the first difference.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { NOTHING } from '../../../client_demo/web/fold.js';
import { next } from '../../../client_demo/web/steps.js';

const games = JSON.parse(readFileSync(0, 'utf8'));
let compared = 0;
for (const { seat, steps } of games) {
  let head = { seq: 0, state: NOTHING, seat };
  for (const { event, state } of steps) {
    const taken = next(head, event);
    assert.equal(typeof taken, 'object', `${taken}: ${JSON.stringify(event)}\non ${JSON.stringify(head.state)}`);
    if (state) assert.deepEqual(taken.state, state, `after ${JSON.stringify(event)}`);
    head = { ...head, seq: event.seq, state: taken.state };
    compared++;
  }
}
console.log(compared);
