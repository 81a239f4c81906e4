// The deal against the shared vectors and Node's own SHA-256.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { commitment, deal, verifyDeal } from '../../../client_demo/web/deal.js';
import { sha256 } from '../../../client_demo/web/hashes.js';

const VECTORS = JSON.parse(readFileSync(new URL('../../vectors/positions.json', import.meta.url), 'utf8'));
const GOOD = VECTORS.deal.find(({ size, deal: kind }) => size === 35 && kind === 'random');

test('SHA-256 is SHA-256, at every length around its blocks', () => {
  for (let length = 0; length < 200; length++) {
    const message = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255);
    assert.equal(Buffer.from(sha256(message)).toString('hex'), createHash('sha256').update(message).digest('hex'));
  }
});

for (const { seed, size, deal: kind, board, commit, attempt } of VECTORS.deal) {
  test(`${kind} deal of ${size}, taken at attempt ${attempt}`, () => {
    assert.equal(deal(seed, size, kind), board);
    if (seed) assert.equal(commitment(seed), commit);
    assert.deepEqual(verifyDeal({ seed, commit, board, size, deal: kind }), {
      ok: true, commitOk: true, boardOk: true, dealt: board, commit,
    });
  });
}

test('another seed than the one committed to is found out', () => {
  const check = verifyDeal({ ...GOOD, commit: commitment('ab'.repeat(32)) });
  assert.deepEqual([check.ok, check.commitOk, check.boardOk], [false, false, true]);
});

test('another board than the seed gives is found out', () => {
  const board = GOOD.board.replace(/^./, (digit) => String((Number(digit) % 9) + 1));
  const check = verifyDeal({ ...GOOD, board });
  assert.deepEqual([check.ok, check.commitOk, check.boardOk, check.dealt], [false, true, false, GOOD.board]);
});

test('a classic deal that comes with a commitment is not believed', () => {
  const { board } = VECTORS.deal.find(({ deal: kind }) => kind === 'classic');
  assert.equal(verifyDeal({ seed: null, commit: GOOD.commit, board, deal: 'classic' }).ok, false);
});

test('what is no seed or no size is said at once', () => {
  for (const seed of [null, '', 'ab', 'g'.repeat(64), `${GOOD.seed}00`]) assert.throws(() => deal(seed, 35), RangeError);
  for (const size of [0, 8, 181, NaN]) assert.throws(() => deal(GOOD.seed, size), RangeError);
});
