/** The window of settings: one's name, what is heard and felt, the line by which one is invited. */
import { button, el, icon, put } from './elements.js';
import { open } from './dialogs.js';
import { lessons } from './lessons.js';
import { remember, setting } from './settings.js';
import { copier, hashOfPlayer } from './sharing.js';
import { bell } from './sound.js';
import { t } from './texts.js';

/** Open the window, which stays when another screen comes; returns a Promise that resolves when it is closed. */
export function openSettings(page) {
  const name = el('input', {
    id: 'name',
    maxlength: 24,
    required: true,
    value: page.client.player?.name ?? '',
    autocomplete: 'off',
    test: 'name-input',
  });
  const told = el('p', { class: 'bad small', role: 'alert' });
  return open(t('settings'), (close) => {
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
      copier(() => invitee(page.client.player), [icon('copy'), t('ownLink')], { class: 'btn', test: 'own-link', disabled: !page.client.player }),
      button(t('howTo'), () => open(t('howTo'), () => lessons(), 'wide lasting')),
      el('div', { class: 'line end' }, el('button', { class: 'btn main', test: 'name-save' }, t('done'))),
    );
  }, 'lasting');
}

// As the host of a tournament by invitation wants to have it.
const invitee = ({ id, name }) => `${name} ${location.origin}${location.pathname}${hashOfPlayer(id)}`;

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
