// The network that a connection counts for. All addresses of one customer's prefix count as one.

import { isIPv6 } from 'node:net';

/** The address as sockets write it; of IPv6 its /64, since one customer has a whole one. */
export function originOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    while (groups.length + after.length < 8) groups.push('0');
    groups.push(...after);
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}
