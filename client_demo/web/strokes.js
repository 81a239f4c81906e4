/**
 * What is drawn over the board: the line of an accepted pair, the dashed line of a refused one, points that rise.
 * Everything is in units of cells (the top left corner of the first cell is 0, 0), so it follows any width.
 */
import { el, svg } from './elements.js';

const COLUMNS = 9;
const RING = 0.41; // radius of the ring round a number
const OUT = 0.25; // how far a line over a row's end leaves the board

export class Strokes {
  constructor() {
    this.lines = svg('svg', { class: 'lines', preserveAspectRatio: 'xMinYMin' });
    this.element = el('div', { class: 'strokes', 'aria-hidden': 'true' }, this.lines);
  }

  /** Fit the drawing to a number of rows. */
  fit(rows) {
    this.lines.setAttribute('viewBox', `0 0 ${COLUMNS} ${Math.max(rows, 1)}`);
  }

  /**
   * A line between two cells (`{row, column}`), over a row's end if `wrap`: it leaves at the right and comes in left.
   * `kind` is a class of style.css; it goes after `life` ms (null: it stays).
   */
  line(first, second, { wrap = false, kind, life }) {
    const [p, q] = [first, second].sort((one, other) => one.row - other.row || one.column - other.column).map(centre);
    const d = wrap ? `M${p.x + RING} ${p.y}H${COLUMNS + OUT}M${-OUT} ${q.y}H${q.x - RING}` : straight(p, q);
    const rings = [p, q].map(({ x, y }) => svg('circle', { cx: x, cy: y, r: RING }));
    const group = svg('g', { class: kind }, svg('path', { d, pathLength: kind.startsWith('taken') ? 1 : null }), rings);
    this.lines.append(group);
    if (life) setTimeout(() => group.remove(), life);
  }

  /** `+4`, rising once from a cell. */
  points(cell, points, seat) {
    const { x, y } = centre(cell);
    const pitch = this.lines.clientWidth / COLUMNS;
    const rising = el(
      'span',
      { class: `rising ${seat}`, style: { left: `${x * pitch}px`, top: `${y * pitch}px` } },
      `+${points}`,
    );
    this.element.append(rising);
    setTimeout(() => rising.remove(), 1000);
  }

  /** Wipe everything. */
  clear() {
    this.lines.replaceChildren();
    this.element.replaceChildren(this.lines);
  }
}

const centre = ({ row, column }) => ({ x: column + 0.5, y: row + 0.5 });

// From ring to ring, so that the digits stay free; nothing where the rings touch.
function straight(p, q) {
  const far = Math.hypot(q.x - p.x, q.y - p.y);
  const [dx, dy] = [((q.x - p.x) / far) * RING, ((q.y - p.y) / far) * RING];
  return `M${p.x + dx} ${p.y + dy}L${q.x - dx} ${q.y - dy}`;
}
