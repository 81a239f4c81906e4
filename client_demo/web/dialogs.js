/** Questions over the page: a confirmation, and a window with content of its own. */
import { button, el } from './elements.js';
import { t } from './texts.js';

/** Ask a yes-or-no question; the careful answer has the focus. Returns a Promise of the answer. */
export function ask(text, yes, no = t('cancel'), test = 'confirm') {
  const answers = (close) =>
    el(
      'div',
      { class: 'line end' },
      button(no, () => close(false), { class: 'btn', autofocus: true }),
      button(yes, () => close(true), { class: 'btn main', test }),
    );
  return show(text, (close) => [el('h2', {}, text), answers(close)], '');
}

/**
 * Open a window with a title; `content(close)` makes what is in it. Returns a Promise of what `close` was called with
 * (false when it was dismissed).
 */
export function open(title, content, kind = '') {
  const away = (close) =>
    button('✕', () => close(false), { class: 'btn quiet round', 'aria-label': t('close'), title: t('close'), test: 'close' });
  return show(title, (close) => [el('div', { class: 'head' }, el('h2', {}, title), away(close)), content(close)], kind);
}

function show(title, content, kind) {
  return new Promise((resolve) => {
    let answer = false;
    const close = (value) => {
      answer = value;
      box.close();
    };
    const box = el('dialog', { class: kind, 'aria-label': title }, el('div', { class: 'stack' }, content(close)));
    box.addEventListener('close', () => {
      box.remove();
      resolve(answer);
    });
    // A press on what lies behind dismisses it; one that began within, as when text is marked, does not.
    let beside = false;
    box.addEventListener('pointerdown', (event) => (beside = event.target === box && outside(box, event)));
    box.addEventListener('click', (event) => beside && event.target === box && box.close());
    document.body.append(box);
    box.showModal();
  });
}

function outside(box, { clientX: x, clientY: y }) {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
}
