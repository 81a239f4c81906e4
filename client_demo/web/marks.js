/** Who is who: each seat has a mark and a colour (`--seat` in style.css), so that colour is never the only sign. */
import { el } from './elements.js';
import { t } from './texts.js';

const MARKS = ['●', '▲', '■', '◆', '✚', '★', '⬢', '✖', '◇', '▼'];

/** The mark of a seat as an element in the seat's colour, hidden from screen readers: the name says it. */
export function mark(seat) {
  return el('span', { class: `mark s${seat}`, 'aria-hidden': 'true' }, MARKS[seat]);
}

/** The sign alone, for the title of the window. */
export const sign = (seat) => MARKS[seat];

/** The rating with which a player sat down to a rated game, to stand beside the name; nothing where there is none. */
export function ratingBeside(state, seat) {
  const rating = state.seats[seat]?.player.rating ?? null; // a record says null where there is none
  return (
    rating !== null &&
    el('span', { class: 'soft small rating', title: t('rating'), test: `rating-${seat}` }, ` ${rating}`)
  );
}

/** "You" for one's own seat, else the name of who sits there. */
export function nameOf(state, seat, mine) {
  if (seat === mine) return t('you');
  return state.seats[seat]?.player.name ?? t('seat', { n: seat + 1 });
}
