// A host and a port in one text, as people read it and URLs have it. Leaves taking such a text apart to whoever is given one.

/** `host:port`, an IPv6 address in brackets. */
export function hostPort(host: string, port: number | string): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Where on this machine what listens on all its addresses is called; other hosts are called as they are. */
const CALLED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** What listens there over HTTP, as a person or a program of this machine opens it: an address for all interfaces is none to call. */
export function httpUrl(host: string, port: number): string {
  return `http://${hostPort(CALLED[host] ?? host, port)}`;
}

/** Whether an address such as `postgresql://user:password@one:5432,two:5432/database` names several hosts. */
export function namesSeveralHosts(address: string): boolean {
  return /^[a-z]+:\/\/(?:[^/]*@)?[^/?@]*,[^/?@]*(?:[/?]|$)/i.test(address);
}

/**
 * Whether what is taken as the database, or stands behind it, is the rest of a password: with a `/`, `?` or `#` in it as it is, an
 * address is read as another host's. In a parameter, behind its `=`, an `@` is right, and behind a user in the database's name,
 * where the driver takes no other form of it; an address that names no host has no place for a password before it.
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
