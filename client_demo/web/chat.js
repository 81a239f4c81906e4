/** What one says: a line, or a phrase that everyone reads in their own language; and who else is here, to mute or report. */
import { button, el, put, single } from './elements.js';
import { t } from './texts.js';

/** What is on offer in each phase of a room, by the keys of the server. */
const PHRASES = {
  open: ['hello', 'good_luck'],
  starting: ['hello', 'good_luck'],
  playing: ['well_seen', 'so_close', 'oops'],
  over: ['good_game', 'thanks', 'again'],
};

/** Make the place above the feed. `redraw()` is called when somebody is muted, or heard again. */
export function chatBox(page, room, { signal, redraw }) {
  const told = el('p', { class: 'bad small', role: 'alert' });
  const say = async (work) => {
    try {
      await work();
      put(told);
      return true;
    } catch (error) {
      put(told, error.code === 'not_allowed' ? t('error', { text: error.text }) : page.told(error));
      return false;
    }
  };
  const chips = el('div', { class: 'chips', role: 'group', 'aria-label': t('phrases') });
  const talk = el('div', { class: 'stack tight' }, form(room, say), chips);
  const people = single(async () => (await page.part(import('./people.js'))).openPeople(page, room, redraw));
  const element = el(
    'div',
    { class: 'stack tight' },
    talk,
    told,
    button(t('muteOrReport'), people, { class: 'btn quiet slim', test: 'people' }),
  );
  let phase = null;
  let met = false;
  const draw = () => {
    met ||= company(room);
    element.hidden = !met;
    talk.hidden = !mayTalk(page, room);
    if (phase === room.state.phase) return; // a press must not lose its button to somebody's move
    phase = room.state.phase;
    put(
      chips,
      PHRASES[phase].map((key) =>
        button(t(`phrase.${key}`), () => say(() => room.say(key)), { class: 'btn chip', test: `phrase-${key}` }),
      ),
    );
  };
  for (const kind of ['event', 'snapshot', 'presence']) room.addEventListener(kind, draw, { signal });
  draw();
  return element;
}

// Is anybody else here? To the computer one need not talk.
function company({ state, seat, watching }) {
  const rival = state.seats.some((one, number) => one && !one.player.bot && number !== seat);
  return rival || watching > (seat === null ? 1 : 0);
}

// Who watches a rated game cannot talk to its players; in some rooms, and on some servers, nobody talks.
function mayTalk(page, { state, seat }) {
  const watches = seat === null && state.options.rated && state.phase !== 'over';
  return page.client.chat && state.options.chat !== false && !watches;
}

function form(room, say) {
  const field = el('input', {
    maxlength: 200,
    placeholder: t('saySomething'),
    'aria-label': t('saySomething'),
    autocomplete: 'off',
    test: 'chat-input',
  });
  const submit = async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text && (await say(() => room.chat(text)))) field.value = '';
  };
  return el(
    'form',
    { class: 'chatform', on: { submit } },
    field,
    el('button', { class: 'btn', test: 'chat-send' }, t('send')),
  );
}
