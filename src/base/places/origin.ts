// The network that a connection counts for. All addresses of one customer's prefix count as one.

/** Addresses of IPv4 peers look alike whether the socket is dual-stack or not. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** The address as sockets write it, IPv4-mapped IPv6 as IPv4; of IPv6 its /64, since one customer has a whole one. */
export function originOf(address: string): string {
  const plain = plainAddress(address);
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.replace(/%.*$/, '').split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    while (groups.length + after.length < 8) groups.push('0');
    groups.push(...after);
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}
