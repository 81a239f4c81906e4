/** All nodes with what they do, and the rooms that are not over. */
import { button, el, put } from '../elements.js';
import { ask } from './api.js';
import { plot } from './plot.js';
import { Rates } from './rates.js';

const NODES_MS = 2000;
const ROOMS_MS = 5000;
const SPAN_MS = 600_000;
const LEAST_MS = 60_000; // of time that is shown
const rates = new Rates(); // kept while the page is open, also where a room is looked at

/** @param {any} page */
export function overview(page) {
  const nodes = el('section', { test: 'nodes' });
  const plots = el('section', {});
  const rooms = el('section', { test: 'rooms' });
  let [nextNodes, nextRooms, over] = [null, null, false];

  async function lookAtNodes() {
    if (!document.hidden) await looked('nodes', (look) => {
      rates.add(look);
      put(nodes, el('h2', {}, `Nodes · ${look.nodes.length}`), nodeTable(page, look));
      put(plots, el('h2', {}, 'What they do'), el('div', { class: 'plots' }, pictures(look.time)));
    });
    if (!over) nextNodes = setTimeout(lookAtNodes, NODES_MS);
  }

  async function lookAtRooms() {
    if (!document.hidden) await looked('rooms', (look) => put(rooms, ...roomList(look)));
    if (!over) nextRooms = setTimeout(lookAtRooms, ROOMS_MS);
  }

  async function looked(what, draw) {
    try {
      const look = await ask(what);
      if (!over) draw(look);
    } catch (error) {
      if (!over) page.failed(error);
    }
  }

  lookAtNodes();
  lookAtRooms();
  return {
    element: el('div', { class: 'line', style: { display: 'grid', gap: '28px' } }, nodes, plots, rooms),
    close() {
      over = true;
      clearTimeout(nextNodes);
      clearTimeout(nextRooms);
    },
  };
}

function nodeTable(page, { nodes, time }) {
  const heads = ['node', 'at', 'version', 'up', 'sockets', 'rooms', 'moves', 'loop late', ''];
  const row = (node, number) =>
    el(
      'tr',
      {},
      el('td', {}, el('b', { class: `mark s${number % 10}` }, node.node)),
      el('td', {}, node.address),
      el('td', {}, node.version),
      el('td', { class: 'n' }, span(time - node.since)),
      [node.sockets, node.rooms, node.moves, `${node.lag_ms} ms`].map((value) => el('td', { class: 'n' }, String(value))),
      el('td', {}, node.draining ? 'draining' : !node.ready ? el('span', { class: 'bad' }, 'not ready') : page.writes && drain(page, node.node)),
    );
  const head = heads.map((name, place) => el('th', { class: place > 2 && place < 8 ? 'n' : '' }, name));
  return el('div', { class: 'scroll' }, el('table', {}, el('thead', {}, el('tr', {}, head)), el('tbody', {}, nodes.map(row))));
}

const drain = (page, node) =>
  button('Drain', () => page.order(`Send the clients of ${node} elsewhere, and end it?`, `drain/${node}`), { class: 'btn small' });

function pictures(to) {
  const from = Math.max(to - SPAN_MS, Math.min(rates.since, to - LEAST_MS));
  const now = (field) => (look) => look[field];
  const count = (value) => (value >= 10_000 ? `${Math.round(value / 1000)}k` : String(Math.round(value * 10) / 10));
  const ms = (value) => `${Math.round(value)} ms`;
  return [
    ['Moves a second', rates.curves(rates.rate('moves')), { write: count, least: 1 }],
    ['Events told a second', rates.curves(rates.rate('told')), { write: count, least: 1 }],
    ['Move to delivery, 99 % below', rates.curves(rates.slowest('delivery', 0.99)), { write: ms, least: 8 }],
    ['Append, 99 % below', rates.curves(rates.slowest('append', 0.99)), { write: ms, least: 8 }],
    ['Sockets', rates.curves(now('sockets')), { write: count, least: 4 }],
    ['Event loop late', rates.curves(now('lag_ms')), { write: ms, least: 20 }],
  ].map(([title, curves, how]) => plot(title, curves, { from, to, ...how }));
}

function roomList({ rooms, more }) {
  const title = el('h2', {}, `Rooms · ${rooms.length}${more ? ' of more: tenmatch rooms lists all' : ''}`);
  if (!rooms.length) return [title, el('p', { class: 'soft' }, 'No game is open or played.')];
  const heads = ['room', 'mode', 'phase', 'players', 'watching', 'events'];
  const newest = [...rooms].sort((one, other) => other.created_at - one.created_at);
  const row = (room) =>
    el(
      'tr',
      { class: 'pick', on: { click: () => (location.hash = room.room) } },
      el('td', {}, el('a', { href: `#${room.room}` }, room.room), el('div', { class: 'soft small' }, room.code)),
      el('td', {}, [room.mode, room.rated && 'rated', room.private && 'private'].filter(Boolean).join(', ')),
      el('td', {}, room.phase),
      el('td', {}, room.players.map((player, seat) => player && el('div', { class: `s${seat}` }, `${player.name} · ${room.scores[seat]}${room.online[seat] ? '' : ' · away'}`))),
      el('td', { class: 'n' }, String(room.watching)),
      el('td', { class: 'n' }, String(room.seq)),
    );
  const head = heads.map((name, place) => el('th', { class: place > 3 ? 'n' : '' }, name));
  return [title, el('div', { class: 'scroll' }, el('table', {}, el('thead', {}, el('tr', {}, head)), el('tbody', {}, newest.map(row))))];
}

function span(ms) {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${Math.floor(minutes / 1440)} d`;
}
