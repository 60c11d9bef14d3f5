// Reads byte values of any size from PostgreSQL. A value arrives as text of twice its length, strings of this runtime
// end at 256 MiB, and a whole answer is kept until its end. So answers are bounded by bytes, not rows, and a larger
// value is read in pieces.

import type { ClientBase, Pool } from 'pg';

/** Whatever takes a query: a pool, or one connection. */
export type Database = Pick<Pool, 'query'> | Pick<ClientBase, 'query'>;

/** Bytes of one answer. */
export const ANSWER_BYTES_MAX = 8_388_608;

/** One value: a column of the one row that a condition leaves. */
export interface BytesAt {
  readonly table: 'crossgate_block' | 'crossgate_snapshot' | 'crossgate_ended';
  readonly column: 'payload' | 'state' | 'records';
  readonly journal: string;
  readonly block: number;
  readonly bytes: number;
}

/** Read one value in pieces. Null if its row is not there any more. */
export async function readBytes(database: Database, at: BytesAt): Promise<Buffer | null> {
  const { table, column, journal, block, bytes } = at;
  const value = Buffer.allocUnsafe(bytes);
  const text = `select substring(${column} from $3 for ${ANSWER_BYTES_MAX}) as piece from ${table}
    where journal = $1 and block = $2 and length(${column}) = $4`;
  for (let done = 0; done < bytes; ) {
    const { rows } = await database.query<{ piece: Buffer }>(text, [journal, block, done + 1, bytes]);
    const [row] = rows;
    if (row === undefined || row.piece.length === 0) return null;
    done += row.piece.copy(value, done);
  }
  return value;
}

interface SizedRow {
  readonly block: string;
  readonly bytes: number;
  /** Null where it would make the answer too large. */
  readonly payload: Buffer | null;
}

/**
 * A query for rows of the journal, with the bytes of the first ones, as many as an answer holds.
 * @param columns what is read beside the block and its bytes
 */
export function boundedRows(columns: string, condition: string, limit: number): string {
  return `select ${columns}block, length(payload) as bytes,
      case when sum(length(payload)) over (order by block) <= ${ANSWER_BYTES_MAX} then payload end as payload
    from (select * from crossgate_block where journal = $1 and ${condition} order by block limit ${limit}) as chosen
    order by block`;
}

/** The rows of such an answer that came with their bytes; the first is read in pieces where it is too large for any. */
export async function withPayloads<Row extends SizedRow>(
  database: Database,
  journal: string,
  rows: readonly Row[],
): Promise<(Row & { readonly payload: Buffer })[]> {
  const [first] = rows;
  if (first === undefined) return [];
  if (first.payload === null) {
    const { bytes } = first;
    const at = { table: 'crossgate_block', column: 'payload', journal, block: Number(first.block), bytes } as const;
    const payload = await readBytes(database, at);
    // Rows of a journal are never removed.
    return payload === null ? [] : [{ ...first, payload }];
  }
  return rows.filter((row): row is Row & { readonly payload: Buffer } => row.payload !== null);
}
