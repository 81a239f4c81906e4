/** The one sentence under the board: what became of the last tap, what is asked for now, how long a lock still lasts. */
import { el, put } from './elements.js';
import { t } from './texts.js';

const SLACK = 200; // ms by which the server's clock may seem to be ahead
const SHOWN = 5000; // ms before the idle sentence comes back

export class Say {
  /** `idle()` is the sentence for when nothing happened lately; `lockedFor()` the ms for which one is locked. */
  constructor({ idle, lockedFor }) {
    this.idle = idle;
    this.lockedFor = lockedFor;
    this.text = el('b');
    this.rest = el('span');
    this.lock = el('span', { 'aria-hidden': 'true' });
    this.until = 0;
    const rest = el('span', { class: 'rest' }, this.rest, this.lock); // on one line
    this.element = el('p', { class: 'say', test: 'say', role: 'status' }, this.text, rest);
  }

  /** Say something: `tone` is 'bad' (it cost something), 'good' or '' (neither); `cost` stands behind it in grey. */
  say(text, { tone = '', cost = '' } = {}) {
    put(this.text, text);
    this.text.className = tone === 'bad' ? 'bad' : tone === 'good' ? 'ok' : '';
    put(this.rest, cost);
    this.until = Date.now() + SHOWN;
    this.tick();
  }

  /** Count the lock down; fall back to the idle sentence in time. */
  tick() {
    const locked = this.lockedFor();
    const again = locked > 0 ? t('againIn', { s: Math.max(1, Math.ceil((locked - SLACK) / 1000)) }) : '';
    const wait = again && this.rest.textContent ? `· ${again}` : again;
    if (this.lock.textContent !== wait) put(this.lock, wait);
    if (locked > 0 || Date.now() < this.until) return;
    const idle = this.idle();
    if (this.text.textContent !== idle || this.rest.textContent) {
      put(this.text, el('span', { 'aria-hidden': 'true' }, idle)); // seen, but not read out again and again
      put(this.rest);
    }
  }
}
