/** The keyboard on the board: where an arrow or a digit leads, among active numbers only. */

const COLUMNS = 9;

/**
 * The id that a key leads to from the number `from`, or null where it leads nowhere. Left and right follow reading order,
 * up and down the column (across holes; where it ends, the nearest number of the nearest row), Home and End the ends of
 * the board, a digit the next such number in reading order, round the end.
 */
export function next(slots, from, key) {
  const active = slots.flatMap(({ id, digit }, at) => (id === null ? [] : [{ id, digit, at }]));
  const here = active.findIndex((slot) => slot.id === from);
  const found = here < 0 ? (active.find(({ digit }) => digit === Number(key)) ?? active[0]) : target(active, here, key);
  return found ? found.id : null;
}

function target(active, here, key) {
  if (key === 'ArrowRight') return active[here + 1];
  if (key === 'ArrowLeft') return active[here - 1];
  if (key === 'ArrowDown') return vertical(active, active[here].at, 1);
  if (key === 'ArrowUp') return vertical(active, active[here].at, -1);
  if (key === 'Home') return active[0];
  if (key === 'End') return active.at(-1);
  if (/^[1-9]$/.test(key)) {
    const round = [...active.slice(here + 1), ...active.slice(0, here)];
    return round.find((slot) => slot.digit === Number(key));
  }
  return undefined;
}

function vertical(active, at, way) {
  const [row, column] = [Math.floor(at / COLUMNS), at % COLUMNS];
  const beyond = active.filter((slot) => (Math.floor(slot.at / COLUMNS) - row) * way > 0);
  const far = (slot) => Math.abs(Math.floor(slot.at / COLUMNS) - row);
  const aside = (slot) => Math.abs((slot.at % COLUMNS) - column);
  const straight = beyond.filter((slot) => aside(slot) === 0);
  return (straight.length ? straight : beyond).toSorted((p, q) => far(p) - far(q) || aside(p) - aside(q))[0];
}
