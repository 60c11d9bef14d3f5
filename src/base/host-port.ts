// Joins host and port into one text, as URLs write it. Splitting such a text is left to the caller.

/** `host:port`, an IPv6 address in brackets. */
export function hostPort(host: string, port: number | string): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The address on this machine of a listener on all addresses; other hosts stay as they are. */
const CALLED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * The HTTP or HTTPS address to open from this machine. An address for all interfaces (`0.0.0.0`, `::`) is no address to call.
 */
export function httpUrl(host: string, port: number, isSecure = false): string {
  return `http${isSecure ? 's' : ''}://${hostPort(CALLED[host] ?? host, port)}`;
}

/** Whether an address such as `postgresql://user:password@one:5432,two:5432/database` names several hosts. */
export function namesSeveralHosts(address: string): boolean {
  return /^[a-z]+:\/\/(?:[^/]*@)?[^/?@]*,[^/?@]*(?:[/?]|$)/i.test(address);
}

/**
 * True if the database part of the URL is really the rest of a password. An unescaped `/`, `?` or `#` in a password
 * makes the URL parser read another host. An `@` is legal in a parameter after its `=`, and after a user in a database
 * name that the driver takes in this form only. A URL without a host has no place for a password before it.
 */
export function hasPasswordBehindHost({ host, username, password, pathname, search, hash }: URL): boolean {
  if (host === '') return false;
  const isName = username !== '' || password !== '' ? !/@.*\//.test(pathname) : !pathname.includes('@');
  return !isName || hash.includes('@') || /^\?[^=&]*@/.test(search);
}

/** Whether a host is this machine by its very name; other names are not looked up, for they may resolve to anything. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^::ffff:/, '');
  if (name === 'localhost' || /^(?:0*:)*0*1$/.test(name)) return name === 'localhost' || name.includes('::');
  const octets = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(name);
  return octets?.slice(1).every((octet) => Number(octet) <= 255) === true;
}
