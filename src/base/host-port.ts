// A host and a port in one text, as people read it and URLs have it. Leaves taking such a text apart to whoever is given one.

/** `host:port`, an IPv6 address in brackets. */
export function hostPort(host: string, port: number | string): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
