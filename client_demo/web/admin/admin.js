/** The operator's page: nodes with their rates, rooms, and a room with its live board and its log. */
import { button, el, put } from '../elements.js';
import { ask, login, Stranger, tell } from './api.js';
import { overview } from './overview.js';
import { roomView } from './roomview.js';

const main = document.getElementById('main');
const tools = document.getElementById('tools');
const said = document.getElementById('said');
let view = null;
let quiet = null;

const page = {
  /** May we tell the server what to do? */
  writes: false,
  /** Let something be done, once its doer is sure; then say what came of it. */
  async order(question, what, rest) {
    if (question && !window.confirm(question)) return;
    try {
      const done = await tell(what, rest);
      page.say(done.nodes ? `Said on ${done.nodes} nodes.` : 'Done.');
    } catch (error) {
      page.failed(error);
    }
  },
  /** Say something in passing. */
  say(text) {
    put(said, text);
    said.hidden = false;
    clearTimeout(quiet);
    quiet = setTimeout(() => (said.hidden = true), 6000);
  },
  failed(error) {
    if (error instanceof Stranger) show(loginView());
    else page.say(error.message);
  },
};

function show(next) {
  view?.close?.();
  view = next;
  put(main, view.element);
}

function loginView(wrong = '') {
  put(tools);
  const field = el('input', { type: 'password', name: 'token', autocomplete: 'current-password', required: true, test: 'token' });
  const why = el('p', { class: 'bad', role: 'alert', test: 'wrong' }, wrong);
  const submit = async (event) => {
    event.preventDefault();
    try {
      await login(field.value);
      await begin();
    } catch (error) {
      field.value = '';
      put(why, error.message);
      field.focus();
    }
  };
  return {
    element: el(
      'section',
      { class: 'login' },
      el('h1', {}, 'Operators'),
      el('form', { on: { submit } }, el('label', {}, 'Token (TENMATCH_ADMIN_TOKEN)', field), why, el('button', { class: 'btn main', test: 'login' }, 'Log in')),
    ),
  };
}

async function begin() {
  try {
    const me = await ask('me');
    page.writes = me.writes;
    const away = () => tell('logout').catch(() => {}).finally(() => show(loginView()));
    put(
      tools,
      el('span', { class: 'soft small' }, me.writes ? '' : 'read-only'),
      me.writes && button('Announce', announce, { class: 'btn small', test: 'announce' }),
      button('Log out', away, { class: 'btn small quiet', test: 'logout' }),
    );
    follow();
  } catch (error) {
    if (error instanceof Stranger) show(loginView());
    else show({ element: el('p', { class: 'bad' }, error.message) });
  }
}

function announce() {
  const text = window.prompt('What is to be said to everyone who is connected?');
  if (text) page.order('', 'announce', `?text=${encodeURIComponent(text)}`);
}

function follow() {
  const room = /^#([a-z0-9]{6,10})$/.exec(location.hash)?.[1];
  show(room ? roomView(page, room) : overview(page));
}

addEventListener('hashchange', () => view && !main.querySelector('.login') && follow());
begin();
