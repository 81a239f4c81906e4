/** The page's words in four languages; each language has two modules with the same keys, of which the second comes with screens that not everyone sees. */
import { remember, setting } from './settings.js';

export const LANGUAGES = { en: 'English', es: 'Español', fr: 'Français', pt: 'Português' };

let words = {};
let current = 'en';
let all = false; // are the second modules wanted, too?

/** The language in use, as in `LANGUAGES`. */
export const language = () => current;

/** The remembered language, else the first of the browser's that there is, else English. */
export function preferred() {
  const wanted = [setting('lang'), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wanted.find((tag) => tag in LANGUAGES) ?? 'en';
}

/** Load a language and use it from now on. */
export async function speak(tag) {
  const parts = [import(`./texts_${tag}.js`), all && import(`./more_${tag}.js`)];
  words = Object.assign({}, ...(await Promise.all(parts)).map((part) => part.default));
  current = tag;
  document.documentElement.lang = tag;
}

/** Load all words, from now on. */
export async function speakAll() {
  if (all) return;
  all = true;
  await speak(current).catch((error) => {
    all = false;
    throw error;
  });
}

/** Choose a language and remember the choice. */
export async function choose(tag) {
  remember('lang', tag);
  await speak(tag);
}

/**
 * The text of a key, with values put in: `{name}` stands for a value, `{n|one|many}` for the word that fits the number n.
 * An unknown key comes back as it is.
 */
export function t(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name, one, many) => {
    const value = values[name];
    return one === undefined ? value : single(value) ? one : many;
  });
}

// French and Portuguese count zero as one.
const single = (n) => Math.abs(n) === 1 || (n === 0 && (current === 'fr' || current === 'pt'));
