/**
 * A recorded game as it is played back: where it stands, forwards and back, at a pace.
 * Pure but for its timer; what is seen of it is replaypage.js.
 */

const [LEAST, MOST] = [250, 3000]; // ms between two events at the pace of the game, whatever it was in it

/** Events: `moved` (`{from, to}`: indexes of steps) and `playing`. */
export class Playback extends EventTarget {
  /** Of the steps (steps.js) those from the start of the game on are played; at first it stands at the event `seq`, or the last before. */
  constructor(steps, seq = 0) {
    super();
    this.steps = steps.slice(steps.findIndex(({ event }) => event.kind === 'started'));
    this.at = this.indexOf(seq);
    this.speed = 1;
    this.since = null; // when it came here (Date.now()) while it plays
    this.timer = null;
  }

  get step() {
    return this.steps[this.at];
  }

  get last() {
    return this.steps.length - 1;
  }

  get playing() {
    return this.timer !== null;
  }

  /** The moment in the game, in server ms; it runs on to the next event while it plays. */
  get now() {
    const { at } = this.step.event;
    if (!this.playing) return at;
    return Math.min(at + (Date.now() - this.since) * this.speed, this.steps[this.at + 1].event.at);
  }

  /** The step of an event, else of the last one before it, else the first. */
  indexOf(seq) {
    return Math.max(
      0,
      this.steps.findLastIndex(({ event }) => event.seq <= seq),
    );
  }

  /** Go to a step by its index; playing goes on from there. */
  go(to) {
    const from = this.at;
    this.at = Math.min(Math.max(to, 0), this.last);
    if (this.playing) this.#wait();
    if (this.at !== from) this.#tell('moved', { from, to: this.at });
  }

  /** Play on, from the start where it stands at the end. */
  play() {
    if (this.playing) return;
    if (this.at === this.last) this.go(0);
    this.#wait();
    this.#tell('playing');
  }

  pause() {
    if (!this.playing) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.#tell('playing');
  }

  /** Play so many times as fast as the game was. */
  pace(speed) {
    this.speed = speed;
    if (this.playing) this.#wait();
  }

  #wait() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.at === this.last) return this.#tell('playing');
    const gap = this.steps[this.at + 1].event.at - this.step.event.at;
    this.since = Date.now();
    this.timer = setTimeout(() => this.go(this.at + 1), Math.min(Math.max(gap, LEAST), MOST) / this.speed);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
