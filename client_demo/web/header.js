/** The bar on top: home, who watches, the room's code, one's name, language, settings. */
import { button, el, icon, put } from './elements.js';
import { open } from './dialogs.js';
import { lessons } from './lessons.js';
import { remember, setting } from './settings.js';
import { LANGUAGES, choose, language, t } from './texts.js';
import { bell } from './sound.js';
import { copyButton, shown } from './sharing.js';

/** Draw the bar for a room, or without one (null). */
export function drawBar(page, room) {
  const bar = document.getElementById('bar');
  bar.classList.toggle('inroom', Boolean(room));
  put(
    bar,
    el('a', { class: 'brand', href: '#' }, 'tenmatch'),
    room &&
      el(
        'span',
        { class: 'eye', title: t('watchers'), hidden: !room.watching },
        icon('eye'),
        el('span', { class: 'unseen' }, t('watchers')),
        String(room.watching),
      ),
    page.seek?.panel?.isConnected === false &&
      el('a', { class: 'btn quiet seeking', href: '#', test: 'seeking' }, t('seeking')),
    el('span', { class: 'grow' }),
    room &&
      !room.state.daily && // nobody else may come in there
      copyButton(
        room,
        [
          el('span', { class: 'code', test: 'room-code' }, shown(room.code)),
          el('span', { class: 'unseen' }, t('copyLink')),
          icon('copy'),
        ],
        { class: 'btn quiet share-code', title: t('copyLink') },
      ),
    button(page.client.player?.name ?? '…', () => openSettings(page), {
      class: 'btn quiet who',
      test: 'name',
      title: t('changeName'),
    }),
    languages(page),
    button(icon('gear'), () => openSettings(page), {
      class: 'btn quiet round',
      'aria-label': t('settings'),
      title: t('settings'),
      test: 'settings',
    }),
  );
}

function languages(page) {
  const options = Object.entries(LANGUAGES).map(([tag, name]) =>
    el('option', { value: tag, selected: tag === language() }, `${tag.toUpperCase()} · ${name}`),
  );
  const change = async (event) => {
    await choose(event.target.value);
    page.again();
  };
  return el('select', { 'aria-label': t('language'), test: 'lang', on: { change } }, options);
}

function openSettings(page) {
  const name = el('input', {
    id: 'name',
    maxlength: 24,
    required: true,
    value: page.client.player?.name ?? '',
    autocomplete: 'off',
    test: 'name-input',
  });
  const told = el('p', { class: 'bad small', role: 'alert' });
  open(t('settings'), (close) => {
    const submit = async (event) => {
      event.preventDefault();
      try {
        const changed = name.value.trim();
        if (changed && changed !== page.client.player?.name) await page.client.rename(changed);
        close(true);
        page.again();
      } catch (error) {
        put(told, page.told(error));
      }
    };
    return el(
      'form',
      { on: { submit } },
      el('label', { for: 'name' }, t('yourName')),
      name,
      told,
      toggle('sound', t('sound'), bell),
      toggle('vibration', t('vibration'), bell),
      button(t('howTo'), () => open(t('howTo'), () => lessons(), 'wide')),
      el('div', { class: 'line end' }, el('button', { class: 'btn main', test: 'name-save' }, t('done'))),
    );
  });
}

function toggle(name, label, sample) {
  const change = (event) => {
    remember(name, event.target.checked);
    sample();
  };
  return el(
    'label',
    { class: 'check' },
    el('input', { type: 'checkbox', checked: setting(name), test: name, on: { change } }),
    label,
  );
}
