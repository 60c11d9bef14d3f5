// Reads outbound messages back for a resend: from frames still kept in memory first, else from the segment files, where the
// CRC of each frame is checked again.

import type { OutboundMessage, SessionID } from '../../session/mod.ts';
import { RecordReader } from '../record-bytes.ts';
import { decodeOutboundBody, RecordKind } from '../record-codec.ts';
import type { FrameBatch } from '../segments/frame-batch.ts';
import { FrameReader } from '../segments/frame-reader.ts';
import { corrupt } from '../segments/segment-reader.ts';
import type { OutboundIndex } from './outbound-index.ts';

/** The outbound record that a reader stands at, and the number of its session in that segment. Null if it is none. */
function decodeOutbound(reader: RecordReader): { readonly session: number; readonly message: OutboundMessage } | null {
  if (reader.u8() !== RecordKind.outbound) return null;
  const session = reader.u16();
  return { session, message: decodeOutboundBody(reader) };
}

/** The message of such a record; undefined where a file holds something else than was noted of it. */
function messageAt(reader: RecordReader): OutboundMessage | undefined {
  try {
    return decodeOutbound(reader)?.message;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
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
): Map<number, OutboundMessage> {
  const found = new Map<number, OutboundMessage>();
  for (const batch of batches) {
    for (let k = 0; k < batch.outboundMessages; k++) {
      const kept = decodeOutbound(new RecordReader(batch.bytes, batch.outboundAt(k)));
      if (kept === null || kept.session !== session) continue;
      const { message } = kept;
      if (message.series !== series || message.msgSeqNum < from || message.msgSeqNum > to) continue;
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
  const messages = keptMessages(kept, range);
  const frames = new FrameReader(directory, journalId);
  try {
    for (const { msgSeqNum, location } of index.range(sessionId, series, from, to)) {
      if (messages.has(msgSeqNum)) continue;
      const { reader, path } = frames.record(location);
      const message = messageAt(reader);
      if (message === undefined || message.msgSeqNum !== msgSeqNum || message.series !== series) {
        throw corrupt(path, location.group, `outbound message ${msgSeqNum} of ${sessionId} is not there`);
      }
      messages.set(msgSeqNum, message);
    }
  } finally {
    frames.close();
  }
  return [...messages.values()].sort((a, b) => a.msgSeqNum - b.msgSeqNum);
}
