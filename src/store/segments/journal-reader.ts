// Reads a journal directory as a message log: its records one by one. Leaves segments and frames to block-reader.ts.

import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { JournalEntry, JournalRecord } from '../port.ts';
import { RecordReader } from '../record-bytes.ts';
import { decodeRecord } from '../record-codec.ts';
import { RepeatedBytes } from '../repeated-message.ts';
import { type Block, BlockReader, notUnderstood, placeOf } from './block-reader.ts';
import type { DamagedPlace } from './damage.ts';
import { EarlierMessages } from './earlier-messages.ts';
import type { Frame } from './segment.ts';

function* recordsOf(
  block: Block,
  frame: Frame,
  onDamage: ((place: DamagedPlace) => void) | undefined,
): Generator<JournalRecord> {
  const reader = new RecordReader(frame.payload);
  for (let k = 0; k < frame.recordCount; k++) {
    let record: JournalRecord;
    try {
      record = decodeRecord(reader, block.names);
    } catch (cause) {
      if (onDamage === undefined || !(cause instanceof RangeError)) throw notUnderstood(block, frame, cause);
      block.names.damaged();
      onDamage(placeOf(block, frame));
      return;
    }
    yield record;
  }
}

/**
 * Read a journal as a message log, from its first record to the newest one complete at this moment. Takes no lock: the
 * journal may be live in another process. `since` leaves out earlier records. With `onDamage`, damaged places are
 * reported and skipped; with `onMissing`, missing files too. @throws XG_JOURNAL_CORRUPT
 */
export function readJournal(
  directory: string,
  since: EpochMs = 0,
  onDamage?: (place: DamagedPlace) => void,
  onMissing: ((path: string) => void) | null = null,
): AsyncGenerator<JournalEntry> {
  const pass = onDamage === undefined ? 'stop' : 'pass';
  const reader = new BlockReader(directory, { since, onDamage: pass, onMissing });
  return entriesOf(reader, directory, since, onDamage);
}

/** The entries of a reader's blocks. */
export async function* entriesOf(
  reader: BlockReader,
  directory: string,
  since: EpochMs,
  onDamage: ((place: DamagedPlace) => void) | undefined,
): AsyncGenerator<JournalEntry> {
  const earlier = new EarlierMessages(directory);
  try {
    for await (const block of reader.blocks()) {
      if (block.damage !== null) onDamage?.(block.damage);
      for (const frame of block.frames) {
        for (const record of recordsOf(block, frame, onDamage)) {
          if (frame.number < block.firstWanted || frame.at < since) continue;
          const whole = wholeRecord(
            record,
            earlier,
            onDamage === undefined ? null : () => onDamage(placeOf(block, frame)),
          );
          if (whole !== null) yield { at: frame.at, frame: frame.number, record: whole };
        }
      }
    }
  } finally {
    earlier.close();
  }
}

/**
 * A record with its own bytes, so that keeping it does not keep the block it was read with. A repeated message has all of its
 * bytes, or none if the earlier one was deleted after its years. Null if they cannot be made: `onDamage` is called then.
 */
function wholeRecord(
  record: JournalRecord,
  earlier: EarlierMessages,
  onDamage: (() => void) | null,
): JournalRecord | null {
  if (record.kind !== 'outbound' || !(record.repeats instanceof RepeatedBytes)) return ownRaw(record);
  const { repeats, ...message } = record;
  try {
    return { ...message, raw: earlier.madeAgain(repeats)?.raw ?? message.raw };
  } catch (error) {
    if (onDamage === null || !(error instanceof CrossgateError)) throw error;
    onDamage();
    return null;
  }
}

function ownRaw(record: JournalRecord): JournalRecord {
  return 'raw' in record ? { ...record, raw: Buffer.from(record.raw) } : record;
}
