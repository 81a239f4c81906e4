/** The bar on top: home, who watches, the room's code, one's name, language, settings. */
import { button, el, icon, renew, single } from './elements.js';
import { LANGUAGES, choose, language, t } from './texts.js';
import { copyButton, shown } from './sharing.js';

/** Draw the bar for a room, or without one (null); what is in it already stays. */
export function drawBar(page, room) {
  const bar = document.getElementById('bar');
  bar.classList.toggle('inroom', Boolean(room));
  renew(
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
        { class: 'btn quiet share-code', title: t('copyLink'), data: { key: room.code } },
      ),
    button(page.client.player?.name ?? '…', () => settings(page), {
      class: 'btn quiet who',
      test: 'name',
      title: t('changeName'),
    }),
    languages(page),
    button(icon('gear'), () => settings(page), {
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

// Loaded when they are asked for.
const settings = single(async (page) => (await import('./ownsettings.js')).openSettings(page));
