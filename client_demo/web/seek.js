/** Quick match: looking for an opponent, on whatever screen one is, and what the first screen shows of it. */
import { button, el, put, renew } from './elements.js';
import { pills } from './lobby.js';
import { remember, setting } from './settings.js';
import * as sound from './sound.js';
import { t } from './texts.js';

const MODES = ['race', 'turns', 'mirror'];

export class Seek {
  constructor(page) {
    this.page = page;
    this.since = null; // when one began to look, local ms; null: one does not
    this.panel = null; // what to show meanwhile
    this.told = el('p', { class: 'bad', role: 'alert' });
    this.changed = () => {}; // the first screen, while it is there, shows the panel or not
    const { client } = page;
    client.addEventListener('paired', ({ detail }) => this.#meet(detail.room));
    client.addEventListener('queued', ({ detail }) => this.#told(detail));
  }

  /** Look for an opponent, or for another kind of game than before. */
  async start(wish = {}) {
    remember('seek', { ...setting('seek'), ...wish });
    const { mode, rated } = setting('seek');
    try {
      await this.page.client.queue(mode, { rated });
    } catch (error) {
      if (error.code === 'not_allowed') error.code = 'still_playing';
      throw error;
    }
    this.#look();
    const room = this.page.room(); // one may have sat down there meanwhile
    if (room) await this.entered(room);
  }

  /** Look no longer. */
  async stop() {
    if (this.since === null) return;
    this.#draw(null);
    await this.page.client.queue(setting('seek').mode, { on: false });
  }

  /** One has sat down somewhere: that is to be played. */
  async entered(room) {
    if (room.seat !== null && !('join_by' in room.state)) await this.stop();
  }

  #look(offer = null) {
    this.#draw(this.since ?? Date.now(), offer);
  }

  #draw(since, offer) {
    clearInterval(this.timer);
    Object.assign(this, { since, offer });
    if (since === null) {
      this.panel = null;
      put(this.told);
    } else {
      this.panel ??= el('div', { class: 'card stack', test: 'seek' });
      this.#show();
      this.timer = setInterval(() => this.#show(), 1000);
    }
    this.changed();
    this.page.drawBar();
  }

  #show() {
    const { mode, rated } = setting('seek');
    const { told, offer } = this;
    const doing = (work) => () => work().catch((error) => put(told, this.page.told(error)));
    const wish = (changed) => doing(() => this.start(changed))();
    const seconds = Math.floor((Date.now() - this.since) / 1000);
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    renew(
      this.panel,
      el('p', { class: 'line' }, el('b', { class: 'grow', role: 'status' }, t('looking')), el('span', { class: 'soft', role: 'timer' }, clock)),
      pills(
        'seek',
        MODES.map((one) => [one, t(one)]),
        mode,
        (chosen) => wish({ mode: chosen }),
        t('mode'),
      ),
      el(
        'label',
        { class: 'check' },
        el('input', {
          type: 'checkbox',
          checked: rated,
          test: 'seek-rated',
          on: { change: ({ target }) => wish({ rated: target.checked }) },
        }),
        t('forRating'),
      ),
      told,
      offer && el('p', { role: 'status' }, t('nobodyYet')),
      el(
        'div',
        { class: 'line', data: { key: 'acts' } },
        offer &&
          button(
            `${t('playComputer')} · ${t(offer)}`,
            doing(() => this.page.client.queue(setting('seek').mode, { bot: true })),
            { class: 'btn main', test: 'seek-computer' },
          ),
        button(
          t('cancel'),
          doing(() => this.stop()),
          { test: 'seek-cancel' },
        ),
      ),
    );
  }

  // How one stands in the queue, unasked.
  #told({ mode, rated, on, bot }) {
    if (on) {
      remember('seek', { mode, rated });
      this.#look(bot);
    } else if (this.since !== null) {
      const here = this.panel.isConnected;
      this.#draw(null);
      if (here) this.page.home(t('seekElsewhere'));
    }
  }

  async #meet(id) {
    this.#draw(null);
    try {
      const room = await this.page.client.join({ room: id });
      const gone = () => room.state.phase === 'over' && !room.board && this.#missed(room);
      if (gone()) return;
      room.addEventListener('event', gone);
      room.addEventListener('snapshot', gone);
      await this.page.enter(room);
      this.page.title(t('opponentFound'));
      sound.bell();
    } catch (error) {
      this.page.home(this.page.told(error));
    }
  }

  // It has ended before it began: whoever came looks on, at the head of the queue; who left wants no word of it.
  #missed(room) {
    if (room.isGone() || !room.me) return true;
    const came = room.me.ready;
    room.leave().catch(() => {}); // there is nothing to leave any more
    if (came) this.#look();
    this.page.home(t(came ? 'cameInVain' : 'missed'));
    return true;
  }
}
