/** The game once more, on its own board: its events in order, no pause longer than a breath. */
import { el, put } from './elements.js';
import { mark, nameOf } from './marks.js';
import { sentence } from './sentences.js';

const [LEAST, MOST] = [350, 1600]; // ms between two events, whatever it was in the game

/**
 * Play `steps` on `view`, saying each in `told`, until they are over or `signal` aborts; then the last board is shown.
 * Returns a Promise that resolves when it is done.
 */
export async function playAgain({ steps, view, told, room, story, signal }) {
  let at = null;
  for (const step of steps.slice(steps.findIndex(({ event }) => event.kind === 'started'))) {
    if (at !== null) await pause(Math.min(Math.max(step.event.at - at, LEAST), MOST), signal);
    if (signal.aborted) break;
    at = step.event.at;
    draw(step, view);
    tell(step, told, room, story);
  }
  view.show(room.board);
  put(told);
}

/** Draw a step on a board that shows what was before it. */
export function draw({ event, after, path }, view) {
  const wrap = path?.family === 'wrap';
  if (event.kind === 'started') view.show(after);
  else if (event.kind === 'matched') view.matched({ ...event, wrap });
  else if (event.kind === 'added') view.added(event);
  else if (event.kind === 'mistaken' && event.a !== undefined)
    view.refused({ ...event, wrap: wrap && event.code === 'blocked' });
}

function tell(step, told, room, story) {
  const said = sentence(step, room, story);
  if (!said) return;
  const who = said.seat === null ? '' : [mark(said.seat), ` ${nameOf(room.state, said.seat, room.seat)}: `];
  put(told, el('span', {}, who, said.text));
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
