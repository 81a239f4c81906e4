/**
 * Requests and their answers: each carries an `id`, exactly one message comes back with `re` = that id.
 * @module
 */

/** @typedef {import('./link.js').Message} Message */

const TIMEOUT_MS = 10_000;

/**
 * A request that was not carried out, or whose outcome is not known. `code` is the server's, or the library's own:
 * `timeout` `disconnected` `detached` `left` `closed` `new_player`.
 */
export class RequestError extends Error {
  name = 'RequestError';

  /** @param {{code: string, text?: string, field?: string, room?: string}} error */
  constructor({ code, text, field, room }) {
    super(text || code);
    /** @type {string} */
    this.code = code;
    /** In words, for people. @type {string} */
    this.text = text || code;
    /** The field at fault, if one is. @type {string | undefined} */
    this.field = field;
    /** @type {string | undefined} */
    this.room = room;
  }
}

/**
 * @typedef {object} Asking
 * @property {boolean} [again]         may be sent again after a break: asking twice does the same as once
 * @property {() => boolean} [ready]   when it may be sent
 */

/** @typedef {Asking & {message: Message, sent: boolean, resolve: (answer: any) => void, reject: (error: Error) => void,
 *                      timer: ReturnType<typeof setTimeout>}} Request */

/** The requests without an answer yet. */
export class Requests {
  /** @type {Map<number, Request>} */
  #open = new Map();
  #last;
  /** @type {(message: Message) => boolean} */
  #send;

  /**
   * @param {(message: Message) => boolean} send  false when there is no connection
   * @param {number} [last]                       the id before the first
   */
  constructor(send, last = 0) {
    this.#send = send;
    this.#last = last;
  }

  /**
   * Ask now, or as soon as possible.
   * @param {Message} message  without id
   * @param {Asking} [asking]
   * @returns {Promise<Message>} the answer; rejects with a RequestError
   */
  ask(message, asking = {}) {
    const id = this.#nextId();
    return new Promise((resolve, reject) => {
      const late = { code: 'timeout', text: `no answer to ${message.t} within ${TIMEOUT_MS / 1000} s` };
      const timer = setTimeout(() => this.#take(id)?.reject(new RequestError(late)), TIMEOUT_MS);
      this.#open.set(id, { ...asking, message: { ...message, id }, sent: false, resolve, reject, timer });
      this.flush();
    });
  }

  /** Send what has waited for a connection or for its room. */
  flush() {
    for (const request of this.#open.values()) {
      if (!request.sent && (request.ready?.() ?? true)) request.sent = this.#send(request.message);
    }
  }

  /**
   * Settle the request that a message answers.
   * @param {Message} message
   * @param {unknown} [result]  what its promise resolves to; default: the message
   * @returns {boolean} whether there was one
   */
  answer(message, result = message) {
    const request = Number.isInteger(message.re) ? this.#take(message.re) : undefined;
    if (message.t === 'error') request?.reject(new RequestError(/** @type {any} */ (message)));
    else request?.resolve(result);
    return request !== undefined;
  }

  /** The type of the request with this id, or undefined. @param {number} id */
  asked(id) {
    return this.#open.get(id)?.message.t;
  }

  /** Is there a request of this type without an answer? @param {string} type */
  asking(type) {
    return [...this.#open.values()].some(({ message }) => message.t === type);
  }

  /** The connection broke: what may be asked again waits, the rest has an unknown outcome. */
  lost() {
    for (const [id, request] of this.#open) {
      if (!request.sent) continue;
      request.sent = false;
      if (!request.again) this.#take(id)?.reject(new RequestError({ code: 'disconnected' }));
    }
  }

  /** Give all up. @param {string} code */
  stop(code) {
    for (const id of [...this.#open.keys()]) this.#take(id)?.reject(new RequestError({ code }));
  }

  /** @param {number} id */
  #take(id) {
    const request = this.#open.get(id);
    clearTimeout(request?.timer);
    this.#open.delete(id);
    return request;
  }

  #nextId() {
    do this.#last = (this.#last + 1) >>> 0; // 0 … 2³²−1
    while (this.#open.has(this.#last));
    return this.#last;
  }
}
