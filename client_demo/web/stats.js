/** What a game comes to: the score of each seat over time, and a few facts, from its steps in order. */

/**
 * Facts of a game: `curves` by seat, `[[ms since the start, score] …]`; `length` in ms; `longest` `{seat, gap}` and
 * `fastest` `{seat, ms}`, each null where no pair was taken; `pairs` by seat. A pair's time runs from the same player's pair before.
 */
export function facts(steps) {
  const from = steps.find(({ event }) => event.kind === 'started').event.at;
  const seats = steps.at(-1).state.seats;
  const found = {
    curves: seats.map((seat) => (seat ? [[0, 0]] : null)),
    pairs: seats.map(() => 0),
    longest: null,
    fastest: null,
    length: 0,
  };
  const before = seats.map(() => from); // when each seat took its last pair
  for (const { event, path } of steps) {
    if (event.score !== undefined) found.curves[event.seat].push([event.at - from, event.score]);
    if (event.kind === 'matched') {
      count(found, event, path, event.at - before[event.seat]);
      before[event.seat] = event.at;
    }
    if (event.at >= from) found.length = event.at - from;
  }
  return found;
}

function count(found, { seat }, path, ms) {
  found.pairs[seat] += 1;
  const gap = path?.gap ?? 0;
  if (!found.longest || gap > found.longest.gap) found.longest = { seat, gap };
  if (!found.fastest || ms < found.fastest.ms) found.fastest = { seat, ms };
}
