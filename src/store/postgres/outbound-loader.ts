// Reads outbound messages of a journal in PostgreSQL back for a resend: from the rows that are not known to be there yet, else from
// the database. Leaves in which rows they are to index.ts.

import type { Pool } from 'pg';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { OutboundMessage, SessionID } from '../../session/mod.ts';
import type { JournalRecord } from '../port.ts';
import { type Block, decodeBlock } from './block.ts';
import { boundedRows, withPayloads } from './bytes.ts';
import type { Range } from './index.ts';

const BLOCKS_PER_READ = 64;
const READ_SOME = boundedRows('', 'block = any($2)', BLOCKS_PER_READ);

/** Resendable messages of a series with from ≤ number ≤ to. */
export interface WantedMessages {
  readonly sessionId: SessionID;
  readonly series: number;
  readonly from: number;
  readonly to: number;
}

/** Where the rows are. */
export interface Rows {
  readonly pool: Pool;
  readonly journal: string;
  /** For messages. */
  readonly where: string;
}

/**
 * Messages in the rows of these ranges, ascending: all of them, because a resend skips the others (rule S11).
 * @param kept rows that may not be in the database yet
 * @throws CrossgateError XG_JOURNAL_CORRUPT, and the database's error
 */
export async function loadFromRows(
  { pool, journal, where }: Rows,
  wanted: WantedMessages,
  ranges: readonly Range[],
  kept: readonly Block[],
): Promise<OutboundMessage[]> {
  // Those that wait are looked at before and after: one may reach the database between the two.
  const numbers = ranges.map(({ block }) => block);
  const waiting = kept.filter(({ number }) => numbers.includes(number));
  const isWaiting = new Set(waiting.map(({ number }) => number));
  const stored = numbers.filter((number) => !isWaiting.has(number));
  const found = new Map<number, OutboundMessage>();
  for (const block of waiting) for (const { records, at } of block.decode()) take(found, wanted, records, at);
  const read = new Set<number>();
  for (let i = 0; i < stored.length; ) {
    const values = [journal, stored.slice(i, i + BLOCKS_PER_READ)];
    const { rows } = await pool.query<{ block: string; bytes: number; payload: Buffer | null }>(READ_SOME, values);
    const whole = await withPayloads(pool, journal, rows);
    for (const { block, payload } of whole) {
      read.add(Number(block));
      for (const { records, at } of decodeBlock(payload, `${where}, block ${block}`)) take(found, wanted, records, at);
    }
    // Rows that the database has lost are not looked for for ever.
    i += whole.length === rows.length ? BLOCKS_PER_READ : Math.max(1, whole.length);
  }
  const missing = stored.find((number) => !read.has(number));
  if (missing !== undefined) throw rowMissing(where, missing, wanted);
  for (const { block, from, to } of ranges) {
    // It has them, unless it is another row than the one that was written.
    const absent = [from, to].find((number) => number >= wanted.from && number <= wanted.to && !found.has(number));
    if (absent !== undefined) throw notThere(where, block, absent, wanted);
  }
  return [...found.values()].sort((a, b) => a.msgSeqNum - b.msgSeqNum);
}

function rowMissing(where: string, row: number, { sessionId }: WantedMessages): CrossgateError {
  const what = `row ${row} is missing, which has messages of ${sessionId} that may be asked for again`;
  return new CrossgateError('XG_JOURNAL_CORRUPT', `${where}: ${what}; restore it from a backup of the database`);
}

function notThere(where: string, row: number, number: number, { sessionId }: WantedMessages): CrossgateError {
  const what = `row ${row} does not have message ${number} of ${sessionId}, which was recorded in it: it is another row`;
  return new CrossgateError('XG_JOURNAL_CORRUPT', `${where}: ${what}; restore it from a backup of the database`);
}

function take(
  found: Map<number, OutboundMessage>,
  { sessionId, series, from, to }: WantedMessages,
  records: readonly JournalRecord[],
  at: EpochMs,
): void {
  for (const record of records) {
    if (record.kind !== 'outbound' || !record.resendable) continue;
    const { msgSeqNum, msgType, resendable } = record;
    if (record.sessionId !== sessionId || record.series !== series || msgSeqNum < from || msgSeqNum > to) continue;
    found.set(msgSeqNum, { series, msgSeqNum, msgType, resendable, raw: Buffer.from(record.raw), at });
  }
}
