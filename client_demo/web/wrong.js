/**
 * What is wrong with a record: one thing, the first.
 * @module
 */

/** Thrown where a record cannot be so. */
export class Wrong extends Error {
  name = 'Wrong';
  /** The event by its seq; null: the heading, or the record as a whole. @type {number | null} */
  event = null;
  /** What the field is. @type {any} */
  said;
  /** What it should be. @type {any} */
  due;

  /**
   * @param {string} message  for people
   * @param {{what?: string, said?: any, due?: any}} [where]  the field, what it is and what it should be
   */
  constructor(message, { what, said = null, due = null } = {}) {
    super(message);
    this.what = what ?? null;
    [this.said, this.due] = [said, due];
  }
}

/** What is not there: shown as such, and equal to nothing that a record can hold. */
const NOTHING = Symbol('nothing');

/**
 * The first place where two values differ; null: none.
 * @param {any} said
 * @param {any} due
 * @param {string} [path]
 * @returns {Wrong | null}
 */
export function differing(said, due, path = '') {
  if (isObject(said) && isObject(due)) {
    if (Array.isArray(said) !== Array.isArray(due)) return unlike(said, due, path);
    for (const name of new Set([...Object.keys(due), ...Object.keys(said)])) {
      const inner = Array.isArray(due) ? `${path}[${name}]` : path ? `${path}.${name}` : name;
      const found = differing(own(said, name), own(due, name), inner);
      if (found) return found;
    }
    return null;
  }
  return said === due ? null : unlike(said, due, path);
}

/** @param {any} value */
const isObject = (value) => typeof value === 'object' && value !== null;

/** @param {any} value @param {string} name */
const own = (value, name) => (Object.hasOwn(value, name) ? value[name] : NOTHING);

/** @param {any} said @param {any} due @param {string} path */
function unlike(said, due, path) {
  const [is, should] = [said, due].map((value) => (value === NOTHING ? 'nothing' : JSON.stringify(value)));
  const known = (/** @type {any} */ value) => (value === NOTHING ? null : value);
  return new Wrong(`${path} is ${is}, should be ${should}`, { what: path, said: known(said), due: known(due) });
}
