// Whether a database takes as many connections as the partitions of a gateway may open. One that is full refuses the start of a
// partition, in the middle of a take-over as like as not.

import type { SharedRows } from '../../store/mod.ts';

/** Of a journal that is written: lease, commits, tables, reads, ended orders, shared rows, and its standby. */
const PER_PARTITION = 11;
interface Room {
  readonly room: number;
  /** False behind a pooler: it shares connections out. */
  readonly isDirect: boolean;
}

/** Settings of a connection reach the database where no pooler drops them: connectPatiently sets this one. */
const ROOM = `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as room,
  current_setting('statement_timeout') <> '0' as "isDirect"`;

/**
 * Say in words that the database takes too few connections.
 * @returns null if it takes enough, stands behind a pooler, or does not answer
 */
export async function connectionShortage(rows: Pick<SharedRows, 'query'>, partitions: number): Promise<string | null> {
  const found = await rows.query<Room>(ROOM).catch(() => []);
  const { room, isDirect } = found[0] ?? { room: Number.POSITIVE_INFINITY, isDirect: true };
  const needed = partitions * PER_PARTITION;
  if (!isDirect || room >= needed) return null;
  return `PostgreSQL takes ${room} connections, and ${partitions} partitions may need ${needed}: raise its max_connections, or put pgbouncer between`;
}
