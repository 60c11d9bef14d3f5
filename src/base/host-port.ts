// A host and a port in one text, as people read it and URLs have it. Leaves taking such a text apart to whoever is given one.

/** `host:port`, an IPv6 address in brackets. */
export function hostPort(host: string, port: number | string): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether an address such as `postgresql://user:password@one:5432,two:5432/database` names several hosts. */
export function namesSeveralHosts(address: string): boolean {
  return /^[a-z]+:\/\/(?:[^/]*@)?[^/?@]*,[^/?@]*(?:[/?]|$)/i.test(address);
}
