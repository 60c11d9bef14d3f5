// Where a replay may go (rule R1): to this machine, or to a session whose CompIDs somebody named on purpose.

export interface ReplayTarget {
  readonly host: string;
  readonly port: number;
}

/** Read `HOST:PORT` or `[IPv6]:PORT`; null if it is neither. */
export function parseTarget(text: string): ReplayTarget | null {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(text);
  if (match === null) return null;
  const port = Number(match[3]);
  return port >= 1 && port <= 65_535 ? { host: match[1] ?? match[2]!, port } : null;
}

/** Whether a host is this machine by its very name; other names are not looked up, for they may resolve to anything. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^::ffff:/, '');
  if (name === 'localhost' || /^(?:0*:)*0*1$/.test(name)) return name === 'localhost' || name.includes('::');
  const octets = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(name);
  return octets?.slice(1).every((octet) => Number(octet) <= 255) === true;
}

/** Why messages with these CompIDs must not be sent there, or null if they may (rule R1). */
export function targetRefusal(
  target: ReplayTarget,
  compIDs: { readonly senderCompID: string; readonly targetCompID: string },
  allowed: readonly string[],
): string | null {
  if (isLoopback(target.host)) return null;
  const missing = [compIDs.senderCompID, compIDs.targetCompID].filter((compID) => !allowed.includes(compID));
  if (missing.length === 0) return null;
  const flags = missing.map((compID) => `--allow-comp-id ${compID}`).join(' ');
  return `${target.host} is not this machine: orders would be sent to it; if that is meant, add ${flags}`;
}
