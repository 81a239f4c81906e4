/** Questions over the page: a confirmation, and a window with content of its own. */
import { button, el } from './elements.js';
import { t } from './texts.js';

/** Ask a yes-or-no question; the careful answer has the focus. Returns a Promise of the answer. */
export function ask(text, yes, no = t('cancel'), test = 'confirm') {
  return open(text, (close) =>
    el(
      'div',
      { class: 'line end' },
      button(no, () => close(false), { class: 'btn', autofocus: true }),
      button(yes, () => close(true), { class: 'btn main', test }),
    ),
  );
}

/**
 * Open a window with a title; `content(close)` makes what is in it. Returns a Promise of what `close` was called with
 * (false when it was dismissed).
 */
export function open(title, content, kind = '') {
  return new Promise((resolve) => {
    let answer = false;
    const close = (value) => {
      answer = value;
      box.close();
    };
    const box = el(
      'dialog',
      { class: kind, 'aria-label': title },
      el('div', { class: 'stack' }, el('h2', {}, title), content(close)),
    );
    box.addEventListener('close', () => {
      box.remove();
      resolve(answer);
    });
    box.addEventListener('click', (event) => event.target === box && box.close());
    document.body.append(box);
    box.showModal();
  });
}
