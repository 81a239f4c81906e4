/**
 * Where a player's token is kept between visits. Tabs that share the storage are one player.
 * @module
 */

/** @typedef {{getItem(key: string): string | null, setItem(key: string, value: string): void, removeItem(key: string): void}} Storage */

/** The token for one server. */
export class TokenStore {
  /** @type {Storage | null} */
  #storage;
  #key;
  /** The last one given out: what the server has refused, if it refuses. @type {string | null} */
  #given = null;

  /**
   * @param {Storage | null | undefined} storage  undefined: `localStorage`; null: memory
   * @param {string} server  host and port
   */
  constructor(storage, server) {
    this.#storage = storage === undefined ? pageStorage() : storage;
    this.#key = `tenmatch.token@${server}`;
  }

  /** The token to use next: always read anew, another tab may have a newer one. @returns {string | null} */
  get() {
    const kept = this.#try((storage) => storage.getItem(this.#key));
    if (this.#storage) this.#given = kept ?? null;
    return this.#given;
  }

  /** @param {string} token */
  set(token) {
    this.#given = token;
    this.#try((storage) => storage.setItem(this.#key, token));
  }

  /** The server refused the token given out last: forget it. @returns {boolean} false if none was given out */
  drop() {
    const refused = this.#given;
    if (refused === null) return false;
    this.#given = null;
    // Another tab may have got a good one meanwhile.
    this.#try((storage) => storage.getItem(this.#key) === refused && storage.removeItem(this.#key));
    return true;
  }

  /**
   * Storage may be full or forbidden; then the token lives in memory.
   * @template T
   * @param {(storage: Storage) => T} use
   * @returns {T | undefined}
   */
  #try(use) {
    try {
      return this.#storage ? use(this.#storage) : undefined;
    } catch {
      this.#storage = null;
      return undefined;
    }
  }
}

/** @returns {Storage | null} */
function pageStorage() {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null; // cookies are forbidden
  }
}
