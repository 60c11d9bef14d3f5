// @ts-check
// The address of what is shown: a view and its parameters behind `#`, so that it can be kept and sent to a colleague. What stands there
// reaches no server, and no log of one.

/** The views, by their path. */
export const VIEWS = /** @type {const} */ (['desk', 'history', 'plots', 'configuration', 'cluster']);

/** @typedef {typeof VIEWS[number]} ViewName */
/** @typedef {{ view: ViewName, params: URLSearchParams }} View */

/** The view of an address; the desk if it names none. @param {string} hash @returns {View} */
export function viewOf(hash) {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const view = VIEWS.find((one) => one === path) ?? 'desk';
  return { view, params: new URLSearchParams(query) };
}

/**
 * The address of a view; empty parameters are left out.
 * @param {ViewName} view
 * @param {Readonly<Record<string, string | readonly string[] | boolean | null>>} [params]
 */
export function addressOf(view, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === 'object' && value !== null) for (const one of value) query.append(name, one);
    else if (value !== null && value !== '' && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return `#/${view}${text === '' ? '' : `?${text}`}`;
}

/** Go there, so that the browser's back button leads here. @param {string} address */
export function go(address) {
  if (location.hash !== address) location.hash = address;
}

/** Have the address tell what is shown, as it changes by and by. @param {string} address */
export function tell(address) {
  if (location.hash !== address && !(location.hash === '' && address === '#/desk'))
    history.replaceState(null, '', address);
}
