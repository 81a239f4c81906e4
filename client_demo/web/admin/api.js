/** What the operator's page asks of the server. The token is sent once, in a header; from then on a cookie speaks. */

/** The server does not know us: log in. */
export class Stranger extends Error {}

/** Ask for something. Throws Stranger, or an Error that says what is wrong. */
export const ask = (what) => call(what, {});

/** Tell the server to do something; `rest` stands behind it in its address. */
export const tell = (what, rest = '') => call(`${what}${rest}`, { method: 'POST' });

/** Show the token, for a cookie. */
export const login = (token) => call('login', { method: 'POST', headers: { Authorization: `Bearer ${token}` } });

async function call(what, how) {
  const answer = await fetch(`/admin/api/${what}`, { ...how, cache: 'no-store', credentials: 'same-origin' });
  if (answer.status === 401) throw new Stranger((await answer.text()).trim());
  if (!(answer.headers.get('Content-Type') ?? '').startsWith('application/json')) throw new Error((await answer.text()).trim());
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error);
  return told;
}
