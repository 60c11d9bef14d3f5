// Reads outbound messages back for a resend: from frames still kept in memory first, else from the segment files, where the
// CRC of each frame is checked again.

import { assert } from '../../base/assert.ts';
import type { OutboundMessage, SessionID } from '../../session/mod.ts';
import { RecordReader } from '../record-bytes.ts';
import { decodeOutboundBody, decodeRepeatedBody, RecordKind } from '../record-codec.ts';
import { type RepeatedBytes, StoredMessage } from '../repeated-message.ts';
import { EarlierMessages } from '../segments/earlier-messages.ts';
import type { FrameBatch } from '../segments/frame-batch.ts';
import { FrameReader } from '../segments/frame-reader.ts';
import { corrupt } from '../segments/segment-reader.ts';
import type { Location, OutboundIndex } from './outbound-index.ts';

/** An outbound record as it lies there: the bytes of a repeated message are yet to be made. */
interface OutboundRecord {
  /** Number of its session in that segment. */
  readonly session: number;
  readonly message: Omit<OutboundMessage, 'raw' | 'stored'> & {
    readonly raw?: Buffer;
    readonly repeats?: RepeatedBytes;
  };
}

/** The outbound record that a reader stands at; null if it is none. */
function decodeOutbound(reader: RecordReader): OutboundRecord | null {
  const kind = reader.u8();
  if (kind !== RecordKind.outbound && kind !== RecordKind.repeated) return null;
  const session = reader.u16();
  return { session, message: kind === RecordKind.outbound ? decodeOutboundBody(reader) : decodeRepeatedBody(reader) };
}

/** Such a record; undefined where a file holds something else than was noted of it. */
function recordAt(reader: RecordReader): OutboundRecord['message'] | undefined {
  try {
    return decodeOutbound(reader)?.message;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** The whole message; undefined if the one that it repeats is gone. `location`: its own, where later records may refer to it. */
function whole(
  { raw, repeats, ...message }: OutboundRecord['message'],
  earlier: EarlierMessages,
  location: Location | null,
): OutboundMessage | undefined {
  if (repeats !== undefined) {
    const made = earlier.madeAgain(repeats);
    return made === null ? undefined : { ...message, ...made };
  }
  assert(raw !== undefined, 'a message that repeats none has its bytes');
  return location === null ? { ...message, raw } : { ...message, raw, stored: new StoredMessage(location, raw) };
}

/** Frames that are kept in memory, and by which number they know the session; undefined if they do not. */
export interface KeptFrames {
  readonly batches: readonly FrameBatch[];
  readonly session: number | undefined;
}

/** Messages of one series of a session, both ends included. */
export interface OutboundRange {
  readonly sessionId: SessionID;
  readonly series: number;
  readonly from: number;
  readonly to: number;
}

function keptMessages(
  { batches, session }: KeptFrames,
  { series, from, to }: OutboundRange,
  earlier: EarlierMessages,
): Map<number, OutboundMessage> {
  const found = new Map<number, OutboundMessage>();
  for (const batch of batches) {
    for (let k = 0; k < batch.outboundMessages; k++) {
      const kept = decodeOutbound(new RecordReader(batch.bytes, batch.outboundAt(k)));
      if (kept === null || kept.session !== session) continue;
      const { message: record } = kept;
      if (record.series !== series || record.msgSeqNum < from || record.msgSeqNum > to) continue;
      // A record may come to lie elsewhere until it is on disk: none refers to it.
      const message = whole(record, earlier, null);
      if (message === undefined) continue;
      // The batch is emptied and used again once it is on disk: what is handed out needs its own bytes.
      found.set(message.msgSeqNum, { ...message, raw: Buffer.from(message.raw) });
    }
  }
  return found;
}

/** The files of a journal, each with its owner's mark: a file copied there may belong to another journal. */
export interface JournalFiles {
  readonly directory: string;
  readonly journalId: string;
}

/** Resendable messages of a range, ascending. @throws XG_JOURNAL_CORRUPT */
export function loadMessages(
  { directory, journalId }: JournalFiles,
  index: OutboundIndex,
  kept: KeptFrames,
  range: OutboundRange,
): OutboundMessage[] {
  const { sessionId, series, from, to } = range;
  const frames = new FrameReader(directory, journalId);
  const earlier = new EarlierMessages(directory, journalId);
  try {
    const messages = keptMessages(kept, range, earlier);
    for (const { msgSeqNum, location } of index.range(sessionId, series, from, to)) {
      if (messages.has(msgSeqNum)) continue;
      const { reader, path } = frames.record(location);
      const record = recordAt(reader);
      const message = record === undefined ? undefined : whole(record, earlier, location);
      if (message === undefined || message.msgSeqNum !== msgSeqNum || message.series !== series) {
        throw corrupt(path, location.group, `outbound message ${msgSeqNum} of ${sessionId} is not there`);
      }
      messages.set(msgSeqNum, message);
    }
    return [...messages.values()].sort((a, b) => a.msgSeqNum - b.msgSeqNum);
  } finally {
    frames.close();
    earlier.close();
  }
}
