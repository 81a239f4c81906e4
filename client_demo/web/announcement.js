/** What those who run the server have to say to everyone; loaded when they do. It stays until it was read. */
import { button, el } from './elements.js';
import { t } from './texts.js';

const LOOK = {
  position: 'fixed', inset: 'auto 12px max(12px, env(safe-area-inset-bottom))', 'max-width': '560px', margin: '0 auto',
  padding: '14px 16px 14px 20px', display: 'flex', gap: '14px', 'align-items': 'center', 'justify-content': 'space-between',
  background: 'var(--ink)', color: 'var(--paper)', 'border-radius': '16px', 'box-shadow': 'var(--shadow)', 'z-index': '6',
  'overflow-wrap': 'anywhere',
};

let shown = null;

/** Show an announcement, in place of the one before. @param {{text: string}} said */
export function announce({ text }) {
  shown?.remove();
  const away = () => shown?.remove();
  const words = el('span', { dir: 'auto' }, text);
  shown = el('aside', { role: 'status', test: 'announcement', style: LOOK }, button(t('gotIt'), away, { test: 'got-it', style: { flex: 'none' } }));
  document.body.append(shown);
  shown.prepend(words); // into what is there already, so that it is read out
}
