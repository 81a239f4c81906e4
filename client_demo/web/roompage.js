/** One room from first to last: the waiting room, the table, and the word when it is open elsewhere or one was sent away. */
import { button, el, put } from './elements.js';
import { ask } from './dialogs.js';
import { storyOf } from './story.js';
import { Table } from './table.js';
import { t } from './texts.js';
import { Waiting } from './waiting.js';

/** Make the screen of a room. */
export function roomPage(page, room) {
  const stop = new AbortController();
  const signal = { signal: stop.signal };
  const story = storyOf(room);
  const element = el('div');
  let view = null;
  let why = 'taken_over';

  const wanted = () => (room.status === 'detached' ? Detached : room.state.phase === 'open' ? Waiting : Table);
  const draw = () => {
    view?.close();
    view = new (wanted())(page, room, story, why);
    put(element, view.element);
    page.drawBar();
  };
  // The seat is a part of what a view is: who sits down, or is sent away, gets a new one.
  let seat = room.seat;
  const check = () => {
    if (!(view instanceof wanted()) || seat !== room.seat) {
      seat = room.seat;
      draw();
    }
  };
  room.addEventListener('event', check, signal);
  room.addEventListener('snapshot', check, signal);
  room.addEventListener('status', check, signal);
  room.addEventListener(
    'detached',
    ({ detail }) => {
      why = detail.reason;
      draw();
    },
    signal,
  );
  room.addEventListener('presence', page.drawBar, signal);

  const holds = () => room.status !== 'detached' && room.me !== null && !room.me.out && room.state.phase === 'playing';
  return {
    element,
    room,
    title: '',
    opened: draw,
    again: () => roomPage(page, room),
    holds,
    mayLeave: () => ask(t('askLeave'), t('leave'), t('stay'), 'confirm-leave'),
    close() {
      stop.abort();
      view?.close();
      document.querySelector('link[rel=icon]').href = 'favicon.svg';
    },
  };
}

/** Said when this page holds the room no longer; `reason` is the one of the event `detached`. */
class Detached {
  constructor(page, room, story, reason) {
    const key = `detached.${reason}`;
    const told = el('p', {}, t(key) === key ? t('detached') : t(key));
    const watch = reason === 'kicked';
    const back = async () => {
      try {
        if (page.client.status === 'closed') page.client.connect();
        await room.rejoin({ watch });
      } catch (error) {
        put(told, page.told(error));
      }
    };
    this.element = el(
      'div',
      { class: 'room card stack', test: 'detached' },
      told,
      el(
        'div',
        { class: 'line' },
        reason !== 'closed' && button(t(watch ? 'watch' : 'playHere'), back, { class: 'btn main', test: 'play-here' }),
        button(t('toLobby'), () => page.home(), { class: 'btn quiet' }),
      ),
    );
  }

  close() {}
}
