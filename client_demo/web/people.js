/** Who else is in a room, or has talked there: to hear them no longer, or to report them to the organiser. */
import { button, el, put } from './elements.js';
import { open } from './dialogs.js';
import { mark } from './marks.js';
import { isMuted, mute } from './settings.js';
import { storyOf } from './story.js';
import { t } from './texts.js';

const REASONS = ['abuse', 'cheating', 'stalling', 'other'];

/** Open the list; `redraw()` is called when somebody is muted, or heard again. */
export function openPeople(page, room, redraw) {
  return open(t('muteOrReport'), (close) => {
    const box = el('div', { class: 'stack' });
    const list = () => put(box, rows(page, room, { redraw, list, report }), done(close));
    const report = (person) => put(box, reportForm(page, room, person, { back: list, close }));
    list();
    return box;
  });
}

const done = (close) => el('div', { class: 'line end' }, button(t('done'), () => close(true), { class: 'btn' }));

// Everybody but oneself and the computer: who sits here first, then who has talked.
function others(page, room) {
  const seated = room.state.seats.flatMap((one, seat) => (one && !one.player.bot ? [{ ...one.player, seat }] : []));
  const talked = storyOf(room).entries.flatMap(({ chat }) => (chat ? [{ ...chat.player, seat: null }] : []));
  const known = new Map([...seated, ...talked].reverse().map((person) => [person.id, person])); // a seat counts more
  known.delete(page.client.player?.id);
  return [...known.values()].reverse();
}

function rows(page, room, { redraw, list, report }) {
  const people = others(page, room);
  if (!people.length) return el('p', { class: 'soft' }, t('nobodyElse'));
  const toggle = (id) => {
    mute(id, !isMuted(id));
    redraw();
    list();
  };
  return el(
    'ul',
    { class: 'seats' },
    people.map((person, place) =>
      el(
        'li',
        { class: `seatrow person${person.seat === null ? '' : ` s${person.seat}`}` },
        person.seat !== null && mark(person.seat),
        el('span', { class: 'grow' }, person.name),
        button(t(isMuted(person.id) ? 'unmute' : 'mute'), () => toggle(person.id), {
          'aria-pressed': isMuted(person.id),
          'aria-label': `${t('mute')}: ${person.name}`,
          test: `mute-${place}`,
        }),
        button(t('report'), () => report(person), {
          'aria-label': t('reportOn', { name: person.name }),
          test: `report-${place}`,
        }),
      ),
    ),
  );
}

function reportForm(page, room, person, { back, close }) {
  const told = el('p', { class: 'bad small', role: 'alert' });
  const words = el('textarea', { id: 'report-text', maxlength: 200, rows: 3, test: 'report-text' });
  let reason = null;
  const submit = async (event) => {
    event.preventDefault();
    try {
      await room.report(person.id, reason, words.value.trim());
      put(
        form,
        el('p', { test: 'reported', role: 'status' }, t('reported')),
        done(close),
      );
    } catch (error) {
      put(told, error.code === 'not_allowed' ? t('error', { text: error.text }) : page.told(error));
    }
  };
  const form = el(
    'form',
    { on: { submit } },
    el('p', {}, el('b', {}, t('reportOn', { name: person.name }))),
    REASONS.map((one) =>
      el(
        'label',
        { class: 'check' },
        el('input', {
          type: 'radio',
          name: 'reason',
          required: true,
          test: `reason-${one}`,
          on: { change: () => (reason = one) },
        }),
        t(`reason.${one}`),
      ),
    ),
    el('label', { for: 'report-text' }, t('reportWords')),
    words,
    el('p', { class: 'soft small' }, t('reportGoes')),
    told,
    el(
      'div',
      { class: 'line end' },
      button(t('cancel'), back, { class: 'btn' }),
      el('button', { class: 'btn main', test: 'report-send' }, t('sendReport')),
    ),
  );
  return form;
}
