// Compares the system's limits of this process with its configuration: open files and sockets, and the size of one
// file.

import { readFileSync } from 'node:fs';
import { RAISE_FILE_SIZE, RAISE_OPEN_FILES } from '../../base/process-limits.ts';
import type { EngineConfig } from '../../runtime/mod.ts';

/** Open files of a gateway besides connections to it: journal, archive, exchange, database, admin API. */
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

/** A warning if a file of the journal would be larger than one may be; null if none is. A database has none. */
export function tooSmallFiles(
  { postgres, journalSegmentBytes }: Pick<EngineConfig, 'postgres' | 'journalSegmentBytes'>,
  fileBytesMax: number,
): string | null {
  if (postgres !== null || journalSegmentBytes <= fileBytesMax) return null;
  return `this process may write ${fileBytesMax} bytes to one file, and a file of the journal has ${journalSegmentBytes}: each time that one is full, new orders are refused for a moment; ${RAISE_FILE_SIZE}, or lower \`journal.segmentBytes\``;
}

/** The system's limit for this process, which Node raised as far as possible; infinite if unknown. */
export function openFilesMax(): number {
  return limitOf('open files');
}

/** Infinite if there is none, or it is unknown. */
export function fileBytesMax(): number {
  return limitOf('file size');
}

function limitOf(what: string): number {
  try {
    const [, soft] = new RegExp(`^Max ${what}\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // No Linux.
    return Number.POSITIVE_INFINITY;
  }
}
