/** Values over the last minutes, as a picture. */
import { el, svg } from '../elements.js';

const [WIDTH, HEIGHT] = [320, 120];
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 6, 8, 18];

/**
 * Draw curves, one for each node.
 * @param {string} title
 * @param {{name: string, points: [number, number | null][]}[]} curves  `[[ms, value], …]`, null: nothing to tell
 * @param {{from: number, to: number, write: (value: number) => string, least: number}} how  `least`: the top at least
 */
export function plot(title, curves, { from, to, write, least }) {
  const known = (points) => points.filter(([at, value]) => value !== null && at >= from);
  const most = Math.max(least, ...curves.flatMap(({ points }) => known(points).map(([, value]) => value)));
  const x = (at) => round(LEFT + ((at - from) / (to - from)) * (WIDTH - LEFT - RIGHT));
  const y = (value) => round(HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM));
  const now = curves.map(({ points }) => points.at(-1)?.[1]).filter((value) => value !== null && value !== undefined);
  const last = now.length ? now.map(write).join(' · ') : '–';
  return el(
    'div',
    { class: 'card plot', test: 'plot' },
    el('h3', {}, el('span', {}, title), el('span', { class: 'soft' }, last)),
    svg(
      'svg',
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': `${title}: ${last}` },
      [0, most / 2, most].map((level) => [
        svg('path', { class: 'axis', d: `M${LEFT} ${y(level)}H${WIDTH - RIGHT}` }),
        svg('text', { x: LEFT - 6, y: y(level) + 4, 'text-anchor': 'end' }, write(level)),
      ]),
      svg('text', { x: LEFT, y: HEIGHT - 3 }, `${Math.round((to - from) / 60_000)} min ago`),
      svg('text', { x: WIDTH - RIGHT, y: HEIGHT - 3, 'text-anchor': 'end' }, 'now'),
      curves.map(({ points }, number) =>
        svg('path', { class: `line s${number % 10}`, d: path(known(points).map(([at, value]) => `${x(at)} ${y(value)}`)) }),
      ),
    ),
  );
}

const path = (places) => (places.length ? `M${places.join('L')}` : '');

const round = (value) => Math.round(value * 10) / 10;
