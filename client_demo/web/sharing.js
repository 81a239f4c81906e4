/**
 * Codes and links: `/#CODE` (six characters, or a room's id of ten) opens a room, `/#record=ID&at=SEQ` a replay,
 * `/#leaders=MODE&week&page=N` a leaderboard, `/#player=ID` what a player has played, `/#daily=DAY&page=N` the daily.
 */
import { button, el, icon, put } from './elements.js';
import { t } from './texts.js';

/** How a code is written for people, who may type it in any case: KX4·97P. */
export const shown = (code) => `${code.slice(0, 3)}·${code.slice(3)}`.toUpperCase();

/** The part of the address that opens a room. */
export const hashOf = (room) => `#${room.code.toUpperCase()}`;

/** The address that opens a room. */
export const linkTo = (room) => `${location.origin}${location.pathname}${hashOf(room)}`;

/** What a typed code, a pasted link or a hash names: `{code}`, `{room}`, or null. */
export function named(text) {
  const word = text
    .slice(text.lastIndexOf('#') + 1)
    .replace(/[^0-9A-Za-z]/g, '')
    .toLowerCase();
  if (word.length === 6) return { code: word };
  return word.length === 10 ? { room: word } : null;
}

/** The part of the address that opens the replay of a game that is over, at one of its events. */
export const hashOfRecord = (id, seq) => `#record=${id}${seq ? `&at=${seq}` : ''}`;

/** The replay that a hash names: `{id, at}` (0: from the start), or null. */
export function replayNamed(hash) {
  const found = /^#record=([a-z0-9]{10})(?:&at=(\d{1,5}))?$/.exec(hash);
  return found && { id: found[1], at: Number(found[2] ?? 0) };
}

const LEADERS = /^#leaders=(race|turns|mirror)(&week)?(?:&page=([1-9]\d{0,5}))?$/;

/** The part of the address that shows a leaderboard: of this week or of all time, from a page on. */
export const hashOfLeaders = ({ mode, week, number }) =>
  `#leaders=${mode}${week ? '&week' : ''}${number > 1 ? `&page=${number}` : ''}`;

/** The leaderboard that a hash names: `{mode, week, number}`, or null. */
export function leadersNamed(hash) {
  const found = LEADERS.exec(hash);
  return found && { mode: found[1], week: Boolean(found[2]), number: Number(found[3] ?? 1) };
}

/** The part of the address that shows a daily, today's without a `day`. */
export const hashOfDaily = ({ day, number = 1 }) =>
  `#daily${day ? `=${day}` : ''}${number > 1 ? `&page=${number}` : ''}`;

/** The daily that a hash names: `{day, number}`, or null; without a day it is that of today. */
export function dailyNamed(hash) {
  const found = /^#daily(?:=(\d{4}-\d\d-\d\d))?(?:&page=([1-9]\d{0,5}))?$/.exec(hash);
  return found && { day: found[1] ?? null, number: Number(found[2] ?? 1) };
}

/** The part of the address that shows a tournament. */
export const hashOfTournament = (id) => `#tournament=${id}`;

/** The address of a tournament. */
export const linkToTournament = (id) => `${location.origin}${location.pathname}${hashOfTournament(id)}`;

/** The tournament that a hash names, `{id}` (null: the list of all), or null. */
export function tournamentNamed(hash) {
  const found = /^#tournament(?:s|=([a-z0-9]{11}))$/.exec(hash);
  return found && { id: found[1] ?? null };
}

/** The part of the address that shows what a player has played. */
export const hashOfPlayer = (id) => `#player=${id}`;

/** The id of the player whom a hash names, or null. */
export const playerNamed = (hash) => /^#player=([a-z0-9]{12})$/.exec(hash)?.[1] ?? null;

/** A button that copies a room's link and says so for a moment. */
export const copyButton = (room, label, props) => copier(() => linkTo(room), label, props);

/** A button that copies an address and says so for a moment. */
export function copier(address, label, props) {
  const copy = async (event) => {
    const pressed = event.currentTarget;
    await copied(address());
    const before = [...pressed.childNodes];
    put(pressed, el('span', { role: 'status', class: 'ok' }, t('copied')));
    setTimeout(() => put(pressed, ...before), 1600);
  };
  return button(label, copy, props);
}

/** Whether there is a telephone's own way of sending things. */
export const sends = () => Boolean(navigator.share) && matchMedia('(pointer: coarse)').matches;

/** The button for it. */
export const sender = (what, props) =>
  button([icon('share'), t('share')], () => navigator.share(what()).catch(() => {}), props); // it may be dismissed

/** A button that hands a room's link to the telephone's own way of sending things; null where there is none. */
export const shareButton = (room, props) =>
  sends() ? sender(() => ({ title: 'tenmatch', text: t('invitation'), url: linkTo(room) }), props) : null;

// The clipboard interface exists on https and localhost only, and may be forbidden; the old command works everywhere.
async function copied(text) {
  const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  if (done) return;
  const field = el('textarea', { class: 'unseen' });
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
