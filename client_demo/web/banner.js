/** The line under the bar while the server cannot be reached, with what one can do about it. */
import { button, put } from './elements.js';
import { t } from './texts.js';

let ticking = null;

/** Show how the connection is; nothing while it is fine. */
export function drawBanner(page) {
  const banner = document.getElementById('banner');
  const { client } = page;
  clearInterval(ticking);
  // A room that is open elsewhere says so itself.
  const told = client.status === 'closed' && page.room()?.status === 'detached';
  banner.hidden = told || !['reconnecting', 'closed'].includes(client.status);
  if (client.status === 'reconnecting') {
    const draw = () => put(banner, waiting(client));
    draw();
    ticking = setInterval(draw, 500);
  } else if (client.status === 'closed') {
    const text = client.closed?.code === 4501 ? t('elsewhere') : t('closed');
    put(
      banner,
      `${text} `,
      button(t('useHere'), () => client.connect(), { class: 'btn', test: 'connect' }),
    );
  } else put(banner);
}

function waiting(client) {
  const seconds = Math.ceil((client.retryAt - Date.now()) / 1000);
  return client.retryAt && seconds > 0 ? t('reconnectingIn', { s: seconds }) : t('reconnecting');
}
