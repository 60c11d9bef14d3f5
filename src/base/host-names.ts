// Host names that a request may give in Host, and a page in Origin. After DNS rebinding a stranger's page still names
// its own host. A numeric address cannot be rebound and is always accepted.

const LOCAL: ReadonlySet<string> = new Set(['localhost']);
const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;

/** The name in a Host header, in lower case and without port; null if there is none. */
function nameIn(host: string): string | null {
  const [, bracketed, plain] = /^(?:(\[[0-9a-f:.]+\])|([^\s:/@[\]]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  const name = (bracketed ?? plain)?.toLowerCase().replace(/\.$/, '');
  return name === undefined || name === '' ? null : name;
}

/** Whether a Host header is one of this server: an address in numbers, localhost, or one of the names; `*.` begins any below it. */
export function isOwnHost(host: string, names: readonly string[]): boolean {
  const name = nameIn(host);
  if (name === null) return false;
  if (name.startsWith('[') || IPV4.test(name) || LOCAL.has(name)) return true;
  return names.some((one) => {
    const own = one.toLowerCase();
    return own.startsWith('*.') ? name.endsWith(own.slice(1)) : name === own;
  });
}

/** Whether the headers of a request, name by name with its value, name the Host more than once (RFC 9112, section 3.2: refused). */
export function namesSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let k = 0; k < rawHeaders.length; k += 2) if (rawHeaders[k]!.toLowerCase() === 'host') hosts++;
  return hosts > 1;
}

/**
 * Whether a page of that Origin may use what its browser sends by itself: a page of this server, or of a listed origin. Over TLS a
 * page of its own came over TLS too: anybody on the way could have made another one.
 */
export function isOwnOrigin(origin: string, host: string, origins: readonly string[], isSecure: boolean): boolean {
  const [, secure, authority] = /^http(s?):\/\/([^/]+)$/i.exec(origin) ?? [];
  if (authority === undefined) return false;
  if (isSecure && secure === '') return origins.includes(origin.toLowerCase());
  return authority.toLowerCase() === host.toLowerCase() || origins.includes(origin.toLowerCase());
}
