/** Boards side by side, small and to look at only: one for each seat whose board may be seen (mirror). */
import { el, put } from './elements.js';
import { BoardView } from './boardview.js';
import { mark, nameOf } from './marks.js';
import { t } from './texts.js';

export class Gallery {
  constructor(room) {
    this.room = room;
    this.shown = new Map(); // seat -> {view, about}
    const seats = room.state.seats.flatMap((_, seat) => (room.boardOf(seat) ? [seat] : []));
    this.element = el('div', { class: 'boards' }, seats.map((seat) => this.#figure(seat)));
  }

  /** The view of a seat's board; null where there is none. */
  viewOf(seat) {
    return this.shown.get(seat)?.view ?? null;
  }

  /** Say anew how far a seat has come. */
  tell(seat) {
    const shown = this.shown.get(seat);
    if (!shown) return;
    const { left, adds_left } = this.room.state.boards[seat];
    put(shown.about, left ? `${t('leftNow', { n: left })} · ${t('nAdds', { n: adds_left })}` : t('boardCleared'));
  }

  #figure(seat) {
    const view = new BoardView({ seat });
    view.show(this.room.boardOf(seat));
    view.element.inert = true;
    const about = el('small', { class: 'soft' });
    this.shown.set(seat, { view, about });
    this.tell(seat);
    const name = el('b', {}, nameOf(this.room.state, seat, this.room.seat));
    const caption = el('figcaption', { class: 'small' }, mark(seat), ' ', name, ' ', about);
    return el('figure', { test: `board-${seat}` }, caption, view.element);
  }
}
