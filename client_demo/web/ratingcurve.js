/** A rating, game by game, as a picture. */
import { svg } from './elements.js';
import { t } from './texts.js';

const [WIDTH, HEIGHT] = [480, 170];
const [LEFT, RIGHT, TOP, BOTTOM] = [58, 12, 10, 26];
const BEGINNING = 1000; // everybody's rating before the first game
const FEW = 40; // games up to which each has a dot of its own
const LEAST = 100; // points that the picture is high at least: small changes are to look small

/**
 * Draw a curve, `[[at, rating], …]`.
 * @param {[number, number][]} curve  of at least one game
 * @param {{whole: boolean, day: (at: number) => string}} how  `whole`: it begins with the player's first game
 */
export function ratingCurve(curve, { whole, day }) {
  const points = [...(whole ? [BEGINNING] : []), ...curve.map(([, rating]) => rating)];
  const [bottom, top] = bounds(points);
  const x = (index) => LEFT + (points.length < 2 ? 0.5 : index / (points.length - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (rating) => HEIGHT - BOTTOM - ((rating - bottom) / (top - bottom)) * (HEIGHT - TOP - BOTTOM);
  const place = (rating, index) => `${round(x(index))} ${round(y(rating))}`;
  const [first, last] = [curve[0][0], curve.at(-1)[0]];
  const told = { n: curve.length, from: points[0], to: points.at(-1) };
  return svg(
    'svg',
    { class: 'ratingcurve', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': t('ratingCurve', told) },
    levels(bottom, top).map((level) => [
      svg('path', { class: 'axis', d: `M${LEFT} ${round(y(level))}H${WIDTH - RIGHT}` }),
      text(LEFT - 8, y(level) + 5, level, 'end'),
    ]),
    text(LEFT, HEIGHT - 6, day(first), 'start'),
    day(last) !== day(first) && text(WIDTH - RIGHT, HEIGHT - 6, day(last), 'end'),
    svg('path', { class: 'line', d: `M${points.map(place).join('L')}` }),
    points.map((rating, index) => {
      const dot = points.length <= FEW || index === points.length - 1;
      return dot && svg('circle', { cx: round(x(index)), cy: round(y(rating)), r: 3 });
    }),
  );
}

// The least and the most that the picture shows, on round numbers.
function bounds(points) {
  const [least, most] = [Math.min(...points), Math.max(...points)];
  const spare = Math.max(0, LEAST - (most - least)) / 2;
  const step = stepFor(most - least + 2 * spare);
  return [Math.floor((least - spare) / step) * step, Math.ceil((most + spare) / step) * step];
}

function levels(bottom, top) {
  const step = stepFor(top - bottom);
  return Array.from({ length: Math.floor((top - bottom) / step) + 1 }, (_, i) => bottom + i * step);
}

// Three to six lines.
const stepFor = (range) => [25, 50, 100, 200, 250, 500, 1000].find((step) => range / step <= 5) ?? 2000;

const round = (value) => Math.round(value * 10) / 10;

function text(x, y, words, anchor) {
  return svg('text', { x, y: round(y), 'text-anchor': anchor }, String(words));
}
