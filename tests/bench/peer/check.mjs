// node check.mjs PORT < game.json
//
// Plays one game on server.mjs with Colyseus' own client, and looks whether the board of its state is right after each
// step. The load reads no more of a patch than how far the game is, so this shows once that patches say what they should.
// game.json: {"digits": [...], "steps": [[a, b] | null, ...], "boards": [[...], ...]}: the board after each step.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { Client } from '@colyseus/sdk';

const HOLE = 10; // what the state has in place of 0
const [port] = process.argv.slice(2);
const { digits, steps, boards } = JSON.parse(await text(process.stdin));
const client = new Client(`http://127.0.0.1:${port}`);
const players = [await client.create('race', { digits })];
players.push(await client.joinById(players[0].roomId));

let at = 0;
const watching = new Promise((resolve, reject) => {
  players[1].onStateChange((state) => {
    try {
      if (state.seq === at) return; // the board as it was
      assert.equal(state.seq, at + 1);
      assert.deepEqual([...state.cells].map((digit) => digit % HOLE), boards[at]);
      at += 1;
      if (at === steps.length) resolve();
      else make();
    } catch (error) {
      reject(error);
    }
  });
  players[1].onMessage('refused', reject);
});
players[0].onMessage('refused', (why) => assert.fail(`refused: ${why}`));

function make() {
  const step = steps[at];
  players[0].send(step === null ? 'add' : 'match', step === null ? [at] : [at, ...step]);
}

make();
await watching;
console.log(`${at} boards are right`);
process.exit(0);
