/** What the player does at the table: a pair, a call, an Add, a pass, giving up; and what is said when it is refused. */
import { RequestError } from './tenmatch.js';
import { ask } from './dialogs.js';
import { nameOf } from './marks.js';
import { reason } from './sentences.js';
import * as sound from './sound.js';
import { t } from './texts.js';

export class Claims {
  constructor({ page, room, view, say, story }) {
    Object.assign(this, { page, room, view, say, story });
  }

  /** The second number was tapped: claim the pair. False where it cannot be claimed now, and the first stays picked. */
  pair(a, b) {
    const hindered = this.#hindered();
    if (hindered) {
      this.say.say(hindered);
      return false;
    }
    sound.tap();
    this.#claim(a, b);
    return true;
  }

  /** "No pair left." */
  call() {
    return this.#made(() => this.room.call(), {});
  }

  /** Add on one's own board (mirror). */
  add() {
    return this.#made(() => this.room.add(), {});
  }

  /** Practice: show a pair, where there is one. */
  hint() {
    const { board } = this.room;
    const [pair] = board.pairs();
    if (pair) this.view.flash(pair, 'hint');
    const [a, b] = (pair ?? []).map((id) => board.at(id).digit);
    this.say.say(pair ? t('hinted', { a, b }) : t('noneLeft'));
  }

  /** Let the turn go. */
  pass() {
    return this.#made(() => this.room.pass(), {});
  }

  /** Give up, after a question. */
  async resign() {
    if (await ask(t('askResign'), t('resign'), t('cancel'), 'confirm-resign'))
      await this.#made(() => this.room.resign(), {});
  }

  async #claim(a, b) {
    this.view.waiting([a, b], true);
    await this.#made(() => this.room.match(a, b), { a, b });
    this.view.waiting([a, b], false);
  }

  // Events are drawn as they come (table.js); what is left to tell here is a refusal.
  async #made(move, claim) {
    try {
      const { refused } = await move();
      if (refused) this.#refused({ ...claim, ...refused });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.say.say(this.page.told(error), { tone: 'bad' });
    }
  }

  #refused(wrong) {
    const stale = wrong.code === 'stale';
    if (!stale) sound.knock();
    if (wrong.a !== undefined && !stale) this.view.refused(wrong);
    this.say.say(reason(wrong, this.room.board, this.room, this.story), { tone: stale ? '' : 'bad' });
  }

  // What keeps one from claiming; the server would only say the same.
  #hindered() {
    const { state, me, seat } = this.room;
    if (!me || me.out) return t(me ? 'why.out' : 'why.not_seated');
    if (this.room.lockedFor() > 0) return t('why.locked');
    if (state.turn !== null && state.turn !== seat)
      return t('why.not_your_turn', { name: nameOf(state, state.turn, seat) });
    return '';
  }
}
