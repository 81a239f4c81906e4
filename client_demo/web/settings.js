/** What this browser remembers for its player: language, sound, vibration, the computer's level, the last wishes. */

const KEY = 'tenmatch.settings';
const DEFAULTS = { lang: null, sound: false, vibration: false, level: 'medium', create: {}, seek: { mode: 'race', rated: false }, joined: false, muted: [] };
const MOST_MUTED = 200;

const values = { ...DEFAULTS, ...read() };

/** A remembered value; see DEFAULTS for the names. */
export const setting = (name) => values[name];

/** Remember a value. Where the browser keeps nothing (private windows), it lasts as long as the page. */
export function remember(name, value) {
  values[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(values));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

/** Whether a player, by id, is not to be heard in this browser. */
export const isMuted = (player) => values.muted.includes(player);

/** Hear a player no longer, or again. @param {string} player @param {boolean} on */
export function mute(player, on) {
  const others = values.muted.filter((one) => one !== player);
  remember('muted', on ? [...others, player].slice(-MOST_MUTED) : others);
}

/** Whether the player asked their system for less motion. */
export const stillness = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DOMException) return {};
    throw error;
  }
}
