// node server.mjs MODE
//
// Races on Colyseus, as lean as it can be done there: no clocks, no points but a count, no seats, nothing kept.
//   broadcast  a message for each move, and no state: the least that Colyseus can do
//   patchnow   the board is state; its changes are sent after each move
//   patch      the board is state; its changes are sent as Colyseus does by itself, every 50 ms
// Prints the port it listens on.
import http from 'node:http';
import { Room, Server } from '@colyseus/core';
import { ArraySchema, MapSchema, Schema, defineTypes } from '@colyseus/schema';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { Board, COLUMNS } from './board.mjs';

const MODES = ['broadcast', 'patchnow', 'patch'];
const [mode] = process.argv.slice(2);
if (!MODES.includes(mode)) throw new Error(`the mode is one of ${MODES.join(', ')}, not ${mode}`);

// In the state: a 0 that is set in the same patch in which rows are taken out reaches clients as what stood elsewhere.
const HOLE = 10;

class State extends Schema {
  constructor() { // fields of the class would hide the accessors that defineTypes makes
    super();
    this.seq = 0;
    this.cells = new ArraySchema();
    this.matches = new MapSchema();
  }
}
// `seq` is the first field and changes first: whoever only wants to know how far the game is finds it in front.
defineTypes(State, { seq: 'uint32', cells: ['uint8'], matches: { map: 'uint16' } });

class Race extends Room {
  maxClients = 20_000;
  maxMessagesPerSecond = Infinity;

  onCreate({ digits }) {
    this.board = new Board(digits);
    this.seq = 0;
    if (mode !== 'patch') this.patchRate = null;
    if (mode === 'broadcast') {
      this.onMessage('match', (client, [n, a, b]) => this.#tellMatch(client, n, a, b));
      this.onMessage('add', (client, [n]) => this.#tellAdd(client, n));
    } else {
      this.state = new State();
      this.state.cells.push(...digits);
      this.onMessage('match', (client, [n, a, b]) => this.#changeMatch(client, n, a, b));
      this.onMessage('add', (client, [n]) => this.#changeAdd(client, n));
    }
  }

  #tellMatch(client, n, a, b) {
    const why = this.board.judge(a, b);
    if (why !== null) return client.send('refused', [n, why]);
    return this.broadcast('matched', [++this.seq, a, b, this.board.play(a, b), n]);
  }

  #tellAdd(client, n) {
    const copies = this.#copies();
    if (copies === null) return client.send('refused', [n, 'pairs_left']);
    return this.broadcast('added', [++this.seq, copies, n]);
  }

  #changeMatch(client, n, a, b) {
    const { board, state } = this;
    const why = board.judge(a, b);
    if (why !== null) return client.send('refused', [n, why]);
    state.seq += 1;
    state.cells[board.slots.get(a)] = HOLE;
    state.cells[board.slots.get(b)] = HOLE;
    for (const row of board.play(a, b)) {
      const first = row * COLUMNS; // more than there is must not be taken out: that is an error in an ArraySchema
      state.cells.splice(first, Math.min(COLUMNS, state.cells.length - first));
    }
    state.matches.set(client.sessionId, (state.matches.get(client.sessionId) ?? 0) + 1);
    if (mode === 'patchnow') this.broadcastPatch();
  }

  #changeAdd(client, n) {
    const copies = this.#copies();
    if (copies === null) return client.send('refused', [n, 'pairs_left']);
    this.state.seq += 1;
    this.state.cells.push(...copies);
    if (mode === 'patchnow') this.broadcastPatch();
  }

  #copies() {
    return this.board.alive ? null : this.board.add();
  }
}

const listener = http.createServer();
const server = new Server({
  greet: false,
  transport: new WebSocketTransport({ server: listener, pingInterval: 0, perMessageDeflate: false }),
});
server.define('race', Race);
await server.listen(0, '127.0.0.1');
console.log(listener.address().port);
