/** One room: its board as it is played, who is connected where, and its log. */
import { Board } from '../board.js';
import { button, el, put } from '../elements.js';
import { Client } from '../tenmatch.js';
import { ask } from './api.js';

const LOOK_MS = 2000;
const HEAD = ['seq', 'chain', 'at', 'hash', 'kind'];

/** @param {any} page @param {string} named  its id or code */
export function roomView(page, named) {
  const facts = el('div', { class: 'told' });
  const boards = el('div', { class: 'boards', test: 'board' });
  const log = el('tbody', {});
  const how = el('p', { class: 'soft small', test: 'live' });
  // A guest of its own: nobody who plays in this browser is put out of their seat.
  const client = new Client({ agent: 'tenmatch operator', storage: null });
  let [next, over, room, look, refused] = [null, false, null, null, ''];
  let wake = null;
  const welcome = new Promise((resolve, reject) => {
    client.addEventListener('welcome', resolve, { once: true });
    client.addEventListener('status', ({ detail }) => detail.status === 'closed' && reject(new Error('this server lets no guests in')));
  });

  async function lookAgain() {
    clearTimeout(next);
    try {
      look = await ask(`rooms/${named}`);
      if (!over) draw();
      if (!over && !room && !refused) await watch();
    } catch (error) {
      if (!over) page.failed(error);
    }
    if (!over && look?.state.phase !== 'over') next = setTimeout(lookAgain, LOOK_MS);
  }

  async function watch() {
    try {
      await welcome;
      room = await client.join({ room: look.room, watch: true });
    } catch (error) {
      refused = error.message;
      return draw();
    }
    for (const name of ['event', 'snapshot', 'presence', 'status', 'detached']) room.addEventListener(name, changed);
    draw();
  }

  function changed({ type, detail }) {
    drawBoards(type === 'event' ? detail : null);
    clearTimeout(wake);
    if (!over) wake = setTimeout(lookAgain, 150); // the log has gone on
  }

  function draw() {
    put(facts, details(page, look));
    put(log, [...look.events].reverse().map(line));
    drawBoards(null);
  }

  function drawBoards(happened) {
    const live = room?.status === 'live';
    const delay = look?.state.options.spectator_delay_ms;
    put(how, live ? `live${delay ? `, ${delay / 1000} s ago as watchers see it` : ''}` : refused ? `not live: ${refused}` : '');
    const state = live ? room.state : look.state;
    const shown = state.boards ?? [state.board && state];
    const acting = happened?.event.seat ?? 0;
    put(
      boards,
      shown.map((told, seat) => {
        if (!told) return null;
        const board = live ? (state.boards ? room.boardOf(seat) : room.board) : Board.parse(told.board, told.ids, told.next_id);
        const just = happened && (!state.boards || seat === acting) && happened.event.kind === 'added' ? happened.cells : [];
        return el('div', {}, state.boards && el('div', { class: `s${seat} small mark` }, state.seats[seat].player.name), grid(board ?? Board.parse(told.board, told.ids, told.next_id), just, acting));
      }),
      !shown.some(Boolean) && el('p', { class: 'soft' }, 'There is no board before the start.'),
    );
  }

  client.connect();
  lookAgain();
  return {
    element: el(
      'section',
      {},
      el('div', { class: 'line' }, el('a', { class: 'btn small', href: '#', test: 'back' }, '‹ All rooms'), how),
      el('div', { class: 'inspected' }, boards, el('div', { class: 'told' }, facts, el('div', { class: 'scroll log', test: 'log' }, el('table', {}, log)))),
    ),
    close() {
      over = true;
      clearTimeout(next);
      clearTimeout(wake);
      client.close();
    },
  };
}

function details(page, { room, seq, chain, state, here }) {
  const order = (question, what) => () => page.order(question, what);
  const kick = (seat, name) =>
    page.writes && state.phase !== 'over' && button('Kick', order(`Take ${name} out of the room?`, `kick/${room}:${seat}`), { class: 'btn small', test: `kick-${seat}` });
  const where = (seat, { bot }) => (bot ? `computer, ${bot}` : (here.seats[seat]?.node ?? 'away'));
  const watching = Object.entries(here.watching).map(([node, count]) => `${count} at ${node}`).join(', ');
  const rows = { code: state.code, mode: [state.mode, state.options.rated && 'rated', state.private && 'private'].filter(Boolean).join(', '), phase: state.phase, log: `${seq} events, chain ${hex(chain)}`, watching };
  return [
    el('h1', { style: { 'font-size': '26px' } }, room),
    el('dl', { class: 'known' }, Object.entries(rows).filter(([, value]) => value).map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])),
    el(
      'div',
      { class: 'scroll' },
      el('table', {}, el('tbody', {}, state.seats.map((seat, number) => seat && el(
        'tr',
        {},
        el('td', {}, el('b', { class: `mark s${number}` }, seat.player.name), el('div', { class: 'soft small' }, seat.player.id)),
        el('td', { class: 'n' }, `${seat.score} points`, seat.mistakes > 0 && el('div', { class: 'soft small' }, `${seat.mistakes} mistakes`)),
        el('td', {}, where(number, seat.player), seat.out && el('div', { class: 'soft small' }, 'out')),
        el('td', {}, kick(number, seat.player.name)),
      )))),
    ),
    page.writes && state.phase !== 'over' && button('Close this room', order('End this room as it stands?', `close/${room}`), { class: 'btn small', test: 'close' }),
  ];
}

function grid(board, just, seat) {
  return el(
    'div',
    { class: `card grid s${seat}` },
    [...board.text().replaceAll('/', '')].map((digit, cell) =>
      el('span', { class: [digit === '.' && 'hole', just.includes(cell) && 'just'].filter(Boolean).join(' ') }, digit === '.' ? '·' : digit),
    ),
  );
}

function line(event) {
  const details = Object.entries(event).filter(([name]) => !HEAD.includes(name)).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return el(
    'tr',
    {},
    el('td', { class: 'n' }, String(event.seq)),
    el('td', {}, el('code', {}, hex(event.chain))),
    el('td', {}, new Date(event.at).toLocaleTimeString()),
    el('td', {}, el('b', {}, event.kind)),
    el('td', { class: 'free' }, details.join(' ')),
  );
}

const hex = (chain) => chain.toString(16).padStart(8, '0');
