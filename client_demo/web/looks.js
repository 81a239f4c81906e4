/** The looks of screens that not everyone comes to, loaded with them. */
import { el } from './elements.js';

const loading = new Map(); // address -> Promise

/** Load stylesheets, each once; those to come later stand above those before. Without them a screen is plain, and can be read all the same. */
export const dressed = (...sheets) => Promise.all(sheets.map((href) => loading.get(href) ?? load(href)));

function load(href) {
  const loaded = new Promise((resolve) => {
    document.head.append(el('link', { rel: 'stylesheet', href, on: { load: resolve, error: resolve } }));
  });
  loading.set(href, loaded);
  return loaded;
}
