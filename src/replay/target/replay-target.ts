// Permitted targets of a replay (rule R1): this machine, or a session with CompIDs that the user named.

import { isLoopback } from '../../base/host-port.ts';

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
