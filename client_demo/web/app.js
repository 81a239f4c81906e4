/**
 * The page: starts the client, draws the bar, and shows one screen at a time, the lobby or a room.
 * A screen is `{element, title, room?, opened?(), close(), holds?()}`; `holds()` says that leaving needs a question.
 */
import { Client, RequestError } from './tenmatch.js';
import { el, put } from './elements.js';
import { drawBanner } from './banner.js';
import { drawBar } from './header.js';
import { lobby } from './lobby.js';
import { dailyNamed, hashOf, leadersNamed, named, playerNamed, replayNamed, tournamentNamed } from './sharing.js';
import { storyOf } from './story.js';
import { preferred, speak, speakAll, t } from './texts.js';

const main = document.getElementById('main');
const client = new Client({ agent: 'tenmatch web' });
const left = new Map(); // games still running that were left on this page: id -> room, as it was then
let screen = null;
let current = '';

/** What every screen may use. */
const page = {
  client,
  /** The search for an opponent, once there was one. */
  seek: null,
  /** The day of the daily that was played to its end on this page, if one was. */
  attempted: null,
  /** Look for an opponent. */
  async lookForSomeone() {
    page.seek ??= new (await late(import('./seek.js'))).Seek(page);
    await page.seek.start();
  },
  /** Ids of one's own games that still run. */
  running: () =>
    [...new Set([...client.seated, ...left.keys()])].filter((id) => client.joined.get(id)?.state.phase !== 'over'),
  /** What is known here of a game, by its id: its room, or nothing. */
  known: (id) => client.joined.get(id) ?? left.get(id),
  /** Show a room that was joined or made; its code becomes the page's address. */
  async enter(room) {
    left.delete(room.id);
    storyOf(room); // what happens until its screen is loaded is not to be missed
    page.seek?.entered(room).catch(expected);
    const asked = goTo(hashOf(room));
    const { roomPage } = await tables();
    if (location.hash === asked) {
      show(roomPage(page, room));
      page.seek?.entered(room).catch(expected); // a search may have begun while its screen was on its way
    } else await room.leave().catch(expected);
  },
  /** A part of the page that is loaded when it is asked for, with all words. */
  part: (part) => worded(part),
  /** Join a room (`{code}` or `{room}`): at a free seat before the start, else watching. */
  async visit(where) {
    try {
      await page.enter(await seatOrWatch(where));
    } catch (error) {
      page.home(page.told(error));
    }
  },
  /** Replay a game that is over, from its event `at` on. */
  replay: ({ id, at }) =>
    fetched(async () => {
      const [record, { replayPage }] = await Promise.all([client.record(id), worded(import('./replaypage.js'))]);
      return replayPage(page, id, record, at);
    }),
  /** Show a leaderboard. */
  leaders: (asked) => fetched(async () => (await worded(import('./leaderspage.js'))).leadersPage(page, asked)),
  /** Show a daily. */
  daily: (asked) => fetched(async () => (await worded(import('./dailypage.js'))).dailyPage(page, asked)),
  /** Show a tournament, or the list of them. */
  cup: ({ id }) =>
    fetched(async () =>
      id
        ? (await worded(import('./tournamentpage.js'))).tournamentPage(page, id)
        : (await worded(import('./tournamentspage.js'))).tournamentsPage(page),
    ),
  /** Show what a player has played. */
  player: (id) => fetched(async () => (await worded(import('./playerpage.js'))).playerPage(page, id)),
  /** Let the address say where one is on this screen. */
  mark(hash) {
    history.replaceState(null, '', hash);
    current = location.hash;
  },
  /** Back to the first screen, perhaps with a sentence that says why. */
  home(notice = '') {
    goTo('#');
    show(lobby(page, notice));
  },
  /** Leave a room for good or for now; its running game stays among one's own. */
  async leave(room) {
    if (room.seat !== null && room.state.phase === 'playing' && !room.me.out) left.set(room.id, room);
    page.home();
    await room.leave().catch(expected);
  },
  /** Draw the bar and the screen again, after a change of language or name. */
  again() {
    show(screen.again?.() ?? lobby(page));
  },
  /** The room on the screen, or null. */
  room: () => screen?.room ?? null,
  drawBar: () => drawBar(page, page.room()),
  /** Tell screen readers, politely. */
  announce: (text) => put(document.getElementById('live'), text),
  title: (text) => (document.title = text ? `${text} · tenmatch` : 'tenmatch'),
  /** The sentence for a request that failed. Anything but a RequestError is a bug and goes on. */
  told(error) {
    expected(error);
    const key = `error.${error.code}`;
    return t(key) === key ? t('error', { text: error.text || error.code }) : t(key, error);
  },
};

function expected(error) {
  if (!(error instanceof RequestError)) throw error;
}

// All that a room needs, from its waiting room to its end; nobody needs it on the first screen.
const tables = () => late(import('./roompage.js'));

// A part of the page that is loaded late may not come: that is the connection's doing, as with a request.
const late = (part) =>
  part.catch((error) => {
    throw error instanceof TypeError ? new RequestError({ code: 'disconnected', text: error.message }) : error;
  });

// The same of a part that needs all the words there are.
const worded = async (part) => (await late(Promise.all([part, speakAll()])))[0];

// Show a screen that is loaded only when it is asked for, unless the address has changed until it is there.
async function fetched(load) {
  const asked = location.hash;
  try {
    const next = await load();
    if (location.hash === asked) show(next);
  } catch (error) {
    if (location.hash === asked) page.home(page.told(error));
  }
}

async function seatOrWatch(where) {
  try {
    return await client.join(where);
  } catch (error) {
    expected(error);
    if (!['game_started', 'room_full', 'not_allowed'].includes(error.code)) throw error;
    return client.join({ ...where, watch: true });
  }
}

function show(next) {
  screen?.close();
  closeWindows(next);
  screen = next;
  put(main, next.element);
  page.title(next.title);
  page.drawBar();
  next.opened?.();
  scrollTo(0, 0);
  if (document.activeElement === document.body) main.focus({ preventScroll: true });
}

// They belonged to the former screen; the settings to none, but must not hide a game to which one is called.
function closeWindows(next) {
  const all = next.room && screen?.room !== next.room && !screen?.passing;
  for (const box of document.querySelectorAll(`dialog[open]${all ? '' : ':not(.lasting)'}`)) box.close();
}

function goTo(hash) {
  if ((location.hash || '#') !== hash) history.pushState(null, '', hash === '#' ? location.pathname : hash);
  current = location.hash;
  return current;
}

// The address was changed by hand, by a link or by "back".
async function follow() {
  if (location.hash === current) return;
  if (screen?.holds?.()) {
    const wanted = location.hash;
    history.pushState(null, '', current);
    if (!(await screen.mayLeave())) return;
    history.pushState(null, '', wanted || location.pathname);
  }
  current = location.hash;
  const where = named(location.hash);
  const room = screen?.room;
  if (room && room.status !== 'left') {
    if (where?.code === room.code || where?.room === room.id) return;
    if (room.seat !== null && room.state.phase === 'playing') left.set(room.id, room);
    room.leave().catch(expected);
  }
  if (!openNamed()) show(lobby(page));
}

// While that which the address names is on its way: whoever follows a link wants no lobby.
function underWay() {
  return {
    element: el('p', { class: 'caption', role: 'status' }, `${t('why.locked')} …`),
    title: '',
    again: underWay,
    passing: true,
    close() {},
  };
}

// Open what the address names; returns false where it names nothing.
function openNamed() {
  const { hash } = location;
  const opens = [
    [replayNamed, page.replay],
    [leadersNamed, page.leaders],
    [playerNamed, page.player],
    [tournamentNamed, page.cup],
    [dailyNamed, page.daily],
    [named, page.visit],
  ];
  const found = opens.find(([naming]) => naming(hash));
  found?.[1](found[0](hash));
  return Boolean(found);
}

await speak(preferred()); // the index has mostly named the words already
addEventListener('hashchange', follow);
addEventListener('popstate', follow);
addEventListener('beforeunload', (event) => screen?.holds?.() && event.preventDefault());
client.addEventListener('welcome', page.drawBar);
client.addEventListener('status', () => drawBanner(page));
client.addEventListener('announcement', async ({ detail }) => (await import('./announcement.js')).announce(detail));
client.connect();
if (openNamed()) show(underWay());
else show(lobby(page));
tables().catch(expected);
