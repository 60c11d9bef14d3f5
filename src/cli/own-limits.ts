// How many files and sockets this process may have open, against what its configuration lets connect.

import { readFileSync } from 'node:fs';
import { RAISE_OPEN_FILES } from '../base/process-limits.ts';
import type { EngineConfig } from '../engine/mod.ts';

/** What a gateway has open beside connections to it: journal, archive, exchange, database, admin API. */
const OWN_FILES = 200;

/** A warning if connections that the configuration takes would find no file descriptor; null if all do. */
export function tooFewOpenFiles(
  config: Pick<EngineConfig, 'listeners' | 'limits' | 'bridge'>,
  openFilesMax: number,
): string | null {
  const { listeners, limits, bridge } = config;
  const connections = listeners.length * limits.connectionsMax + (bridge?.limits.connectionsMax ?? 0);
  if (connections + OWN_FILES <= openFilesMax) return null;
  return `this process may have ${openFilesMax} files and sockets open, and its configuration takes ${connections} connections: beyond that many none is accepted, and the journal may fail; ${RAISE_OPEN_FILES}, or lower \`connectionsMax\``;
}

/** As the system has it for this process, which Node raised as far as it may; infinite where that is not told. */
export function openFilesMax(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // No Linux.
    return Number.POSITIVE_INFINITY;
  }
}
