/** Codes and links: `/#CODE` (six characters, or a room's id of ten) opens a room. */
import { button, el, put } from './elements.js';
import { t } from './texts.js';

/** How a code is written for people, who may type it in any case: KX4·97P. */
export const shown = (code) => `${code.slice(0, 3)}·${code.slice(3)}`.toUpperCase();

/** The part of the address that opens a room. */
export const hashOf = (room) => `#${room.code.toUpperCase()}`;

/** The address that opens a room. */
export const linkTo = (room) => `${location.origin}${location.pathname}${hashOf(room)}`;

/** What a typed code, a pasted link or a hash names: `{code}`, `{room}`, or null. */
export function named(text) {
  const word = text
    .slice(text.lastIndexOf('#') + 1)
    .replace(/[^0-9A-Za-z]/g, '')
    .toLowerCase();
  if (word.length === 6) return { code: word };
  return word.length === 10 ? { room: word } : null;
}

/** A button that copies a room's link and says so for a moment. */
export function copyButton(room, label, props) {
  const copy = async (event) => {
    const pressed = event.currentTarget;
    await copied(linkTo(room));
    const before = [...pressed.childNodes];
    put(pressed, el('span', { role: 'status', class: 'ok' }, t('copied')));
    setTimeout(() => put(pressed, ...before), 1600);
  };
  return button(label, copy, props);
}

// The clipboard interface exists on https and localhost only; the old command works everywhere.
async function copied(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = el('textarea', { class: 'unseen' });
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
