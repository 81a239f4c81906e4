/** The looks of the pages about tournaments, loaded with them, upon those of the leaderboards. */
import { el } from './elements.js';
import { dressed as ranksDressed } from './ranks.js';

let looks = null;

/** Load the stylesheets, once. */
export function dressed() {
  looks ??= new Promise((resolve) => {
    const loaded = { load: resolve, error: resolve };
    document.head.append(el('link', { rel: 'stylesheet', href: 'tournament.css', on: loaded }));
  });
  return Promise.all([looks, ranksDressed()]);
}
