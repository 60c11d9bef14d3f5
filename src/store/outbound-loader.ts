// Reads outbound messages back for a resend: from frames still kept in memory first, else from the segment files, where the
// checksum of each group is checked again.

import type { OutboundMessage, SessionID } from '../session/mod.ts';
import type { FrameBatch } from './frame-batch.ts';
import { FrameReader } from './frame-reader.ts';
import type { OutboundIndex } from './outbound-index.ts';
import { RecordReader } from './record-bytes.ts';
import { decodeOutboundBody, RecordKind } from './record-codec.ts';
import { corrupt } from './segment-reader.ts';

/** The outbound record that a reader stands at. Null if it is none. */
function decodeOutbound(reader: RecordReader): OutboundMessage | null {
  if (reader.u8() !== RecordKind.outbound) return null;
  reader.u16();
  return decodeOutboundBody(reader);
}

function keptMessages(
  kept: readonly FrameBatch[],
  sessionId: SessionID,
  series: number,
  from: number,
  to: number,
): Map<number, OutboundMessage> {
  const found = new Map<number, OutboundMessage>();
  for (const batch of kept) {
    const { outbound } = batch;
    for (let k = 0; k < outbound.length; k++) {
      const msgSeqNum = outbound.msgSeqNums[k]!;
      if (msgSeqNum < from || msgSeqNum > to) continue;
      if (outbound.series[k] !== series || outbound.sessionIds[k] !== sessionId) continue;
      const message = decodeOutbound(new RecordReader(batch.bytes, outbound.groups[k]! + outbound.records[k]!));
      // The batch is emptied and used again once it is on disk: what is handed out needs its own bytes.
      if (message !== null) found.set(msgSeqNum, { ...message, raw: Buffer.from(message.raw) });
    }
  }
  return found;
}

/** Resendable messages of a series with from ≤ number ≤ to, ascending. @throws XG_JOURNAL_CORRUPT */
export function loadMessages(
  directory: string,
  index: OutboundIndex,
  kept: readonly FrameBatch[],
  sessionId: SessionID,
  series: number,
  from: number,
  to: number,
): OutboundMessage[] {
  const messages = keptMessages(kept, sessionId, series, from, to);
  const frames = new FrameReader(directory);
  try {
    for (const { msgSeqNum, location } of index.range(sessionId, series, from, to)) {
      if (messages.has(msgSeqNum)) continue;
      const { reader, path } = frames.record(location);
      const message = decodeOutbound(reader);
      if (message === null || message.msgSeqNum !== msgSeqNum || message.series !== series) {
        throw corrupt(path, location.group, `outbound message ${msgSeqNum} of ${sessionId} is not there`);
      }
      messages.set(msgSeqNum, message);
    }
  } finally {
    frames.close();
  }
  return [...messages.values()].sort((a, b) => a.msgSeqNum - b.msgSeqNum);
}
