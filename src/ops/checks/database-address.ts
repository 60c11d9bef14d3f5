// Checks the address of a database before connecting: whether it is valid, and whether traffic could be read on the
// way. Says nothing of the address itself, which holds a password. Leaves connecting to the store.

import { hasPasswordBehindHost, isLoopback, namesSeveralHosts } from '../../base/host-port.ts';

const ADDRESS = 'postgresql://user:password@host:port/database';
const VERIFIED =
  'add `?sslmode=verify-full` to the address, and `&sslrootcert=FILE` where its authority is none that Node.js has';

/** Why a text is no address of a database; null if it is one. */
export function addressFault(text: string): string | null {
  if (namesSeveralHosts(text))
    return 'it names several hosts; write the one that always leads to the server that takes writes';
  const url = urlOf(text);
  if (url !== null && !hasPasswordBehindHost(url)) return null;
  return `it is no address such as ${ADDRESS}; write special characters of a password as %xx`;
}

/**
 * Attacks possible on the way to the database, and the remedy, by the driver's reading of `sslmode`; null for none.
 * @param mode PGSSLMODE, for an address without its own
 */
export function addressLack(text: string, mode = ''): { readonly problem: string; readonly remedy: string } | null {
  const url = urlOf(text);
  const host = url?.searchParams.get('host') ?? url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (url === null || host === '' || host.startsWith('/') || isLoopback(host)) return null;
  const { searchParams } = url;
  const named = ['sslrootcert', 'sslcert', 'sslkey'].some((key) => searchParams.has(key));
  const isOn = named || ['true', '1'].includes(searchParams.get('ssl') ?? '');
  switch (searchParams.get('sslmode') ?? (isOn ? 'verify-full' : mode)) {
    case 'no-verify':
      return {
        problem: 'any server is taken for the database (`no-verify`), and gets its password',
        remedy: VERIFIED,
      };
    case '':
    case 'disable':
    case 'allow':
      return { problem: 'the database is on another machine, and no TLS is spoken with it', remedy: VERIFIED };
    default:
      return null;
  }
}

/** A user and no host is no URL, but an address to the driver: ?host= names the folder of a socket. */
function urlOf(text: string): URL | null {
  return /^postgres(ql)?:\/\//.test(text) ? URL.parse(text.replace('@/', '@localhost/')) : null;
}
