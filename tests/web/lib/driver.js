// What a test does in a page with the library: one client, one room, a player who plays at random.
// Everything is on `window`, for the test to reach.
const sockets = new Set();

class Cuttable extends WebSocket {
  constructor(...address) {
    super(...address);
    sockets.add(this);
    this.addEventListener('close', () => sockets.delete(this));
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

window.meet = async (name) => {
  const { Client } = await import('/tenmatch.js');
  window.client = new Client({ name, agent: 'test', WebSocket: Cuttable });
  const welcomed = new Promise((resolve) => client.addEventListener('welcome', resolve, { once: true }));
  client.connect();
  await welcomed;
};

window.make = async (mode, options) => {
  window.room = await client.create({ mode, options });
  return room.code;
};

window.enter = async (code) => {
  window.room = await client.join({ code }).catch(() => client.join({ code, watch: true }));
  return room.seat;
};

/** Cut the connection a few times: not more, as the library waits longer and longer between attempts. */
window.cutting = async (times) => {
  for (; times > 0; times--) {
    await pause(300 + Math.random() * 500);
    for (const socket of sockets) socket.close(3000);
  }
};

/** Play to the end; `playing` comes to what was answered, and what never was. */
window.begin = () => {
  window.playing = play();
};

async function play() {
  const [acks, lost] = [[], []];
  while (room.state.phase !== 'over') {
    await pause(Math.random() * 200);
    if (room.state.phase !== 'playing' || room.lockedFor()) continue;
    const pairs = room.board.pairs();
    const pair = Math.random() < 0.9 ? pairs[Math.floor(Math.random() * pairs.length)] : [room.board.ids[0], room.board.ids.at(-1)];
    try {
      const { event } = await (pair && pairs.length ? room.match(...pair) : room.call());
      if (event) acks.push([event.seat, event.n, event.seq]);
    } catch (error) {
      lost.push(error.code);
    }
  }
  return { acks, lost };
}

/** What the library folded, and what a fresh snapshot says. */
window.compare = async () => {
  const held = () => structuredClone({ seq: room.seq, chain: room.chain, state: room.state });
  const folded = held();
  await room.refresh();
  return [folded, held()];
};
