/** The score over time as a picture: a stepped line for each seat, with its mark at the end. */
import { svg } from './elements.js';
import { sign } from './marks.js';
import { minutes } from './sentences.js';
import { t } from './texts.js';

const [WIDTH, HEIGHT] = [420, 180];
const [LEFT, RIGHT, TOP, BOTTOM] = [34, 24, 10, 24];

/** Draw the curves of `facts` (stats.js). */
export function curve({ curves, length }) {
  const scores = curves.flatMap((line) => line ?? []).map(([, score]) => score);
  const [least, most] = [Math.min(0, ...scores), Math.max(10, ...scores)];
  const x = (ms) => LEFT + (ms / Math.max(length, 1)) * (WIDTH - LEFT - RIGHT);
  const y = (score) => HEIGHT - BOTTOM - ((score - least) / (most - least)) * (HEIGHT - TOP - BOTTOM);
  const levels = [...new Set([least, 0, most])];
  return svg(
    'svg',
    { class: 'curve', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': t('curve') },
    levels.map((score) => [
      svg('path', { class: 'axis', d: `M${LEFT} ${y(score)}H${WIDTH - RIGHT}` }),
      text(LEFT - 6, y(score) + 4, score, 'end'),
    ]),
    text(LEFT, HEIGHT - 5, '0:00', 'start'),
    text(WIDTH - RIGHT, HEIGHT - 5, minutes(length), 'end'),
    curves.map((line, seat) => line && drawn(line, seat, { x, y, length })),
  );
}

function drawn(line, seat, { x, y, length }) {
  const last = line.at(-1)[1];
  const d = line
    .slice(1)
    .map(([ms, score]) => `H${x(ms)}V${y(score)}`)
    .join('');
  const end = svg('text', { class: 'mark', x: x(length) + 6, y: y(last) + 5 }, sign(seat));
  return svg('g', { class: `s${seat}` }, svg('path', { d: `M${x(0)} ${y(0)}${d}H${x(length)}` }), end);
}

function text(x, y, words, anchor) {
  return svg('text', { x, y, 'text-anchor': anchor }, String(words));
}
