// Small games to start a test from.
import { fold, NOTHING } from '../../../client_demo/web/fold.js';

export const ANN = { id: 'ann000000000', name: 'Ann' };
export const BOB = { id: 'bob000000000', name: 'Bob' };

export const created = (mode) => ({
  kind: 'created', mode, private: false, code: 'CODE42', host: 0, commit: 'c0',
  options: { max_players: 2, size: 35, deal: 'random', adds: 5, spectator_delay_ms: 0 },
});

/** The events that lead to a game of Ann and Bob on a board. */
export const opening = (mode, board, started) => [
  created(mode), { kind: 'seated', seat: 0, player: ANN }, { kind: 'seated', seat: 1, player: BOB },
  { kind: 'started', board, adds_left: 5, ...started },
];

/** The state of such a game as a watcher sees it. */
export const playing = (mode, board, started) => opening(mode, board, started).reduce((state, event) => fold(state, event), NOTHING);

export const over = (state) => fold(state, { kind: 'ended', reason: 'time', ranking: [], seed: null, salt: null });
