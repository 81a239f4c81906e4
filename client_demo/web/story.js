/** What this page has seen of a room: its events as steps, what was said, who took which number. Kept while the page lives. */

const stories = new WeakMap();

/** The story of a room; begun at the first call, so call it as soon as there is a room. */
export function storyOf(room) {
  if (!stories.has(room)) stories.set(room, new Story(room));
  return stories.get(room);
}

/** The seat that took one of these numbers last, as far as these steps go; or null. */
export function takerOf(steps, ids) {
  const taken = steps.findLast(
    ({ event }) => event.kind === 'matched' && (ids.includes(event.a) || ids.includes(event.b)),
  );
  return taken?.event.seat ?? null;
}

/** The points of a seat's last event that had any, as far as these steps go; or null. */
export const lastPoints = (steps, seat) =>
  steps.findLast(({ event }) => event.seat === seat && event.points)?.event.points ?? null;

class Story extends EventTarget {
  constructor(room) {
    super();
    this.entries = []; // in order: {step} or {chat} or {gap: true} where something was missed
    room.addEventListener('event', ({ detail }) => this.#add({ step: detail }));
    room.addEventListener('chat', ({ detail }) => this.#add({ chat: detail }));
    room.addEventListener('snapshot', () => this.#missed(room.seq) && this.#add({ gap: true }));
  }

  /** The events seen. */
  get steps() {
    return this.entries.flatMap(({ step }) => (step ? [step] : []));
  }

  /** Whether the whole game was seen, from its start on. */
  get whole() {
    const from = this.entries.findIndex(({ step }) => step?.event.kind === 'started');
    return from >= 0 && !this.entries.slice(from).some(({ gap }) => gap);
  }

  /** The seat that took one of these numbers last, or null. */
  takerOf(ids) {
    return takerOf(this.steps, ids);
  }

  /** The points of a seat's last event that had any, or null. */
  lastPoints(seat) {
    return lastPoints(this.steps, seat);
  }

  // Whether a snapshot goes beyond what was seen; one that was asked for may not.
  #missed(seq) {
    return this.entries.length > 0 && this.steps.at(-1)?.event.seq !== seq;
  }

  #add(entry) {
    this.entries.push(entry);
    this.dispatchEvent(new CustomEvent('entry', { detail: entry }));
  }
}
