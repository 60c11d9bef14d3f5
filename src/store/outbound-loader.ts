// Reads outbound messages back for a resend: from frames still kept in memory first, else from the segment files.

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutboundMessage, SessionID } from '../session/mod.ts';
import type { OutboundIndex } from './outbound-index.ts';
import { decodeOutboundBody, RecordKind, RecordReader } from './record-codec.ts';
import { FRAME_BYTES_MAX, type FrameBatch, segmentFileName } from './segment.ts';
import { corrupt } from './segment-reader.ts';

/** Bytes read at a time: neighbours in a series lie near each other. */
const READ_BYTES = 131_072;

/** Decode the outbound record at `offset`. Null if it is none, or not whole in these bytes. */
function decodeAt(bytes: Buffer, offset: number): OutboundMessage | null {
  try {
    const reader = new RecordReader(bytes, offset);
    if (reader.u8() !== RecordKind.outbound) return null;
    reader.u16();
    return decodeOutboundBody(reader);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A window on one open segment file. */
class Window {
  readonly #handle: FileHandle;
  readonly path: string;
  #bytes = Buffer.alloc(0);
  #start = 0;

  constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.path = path;
  }

  async message(offset: number): Promise<OutboundMessage | null> {
    if (offset >= this.#start && offset < this.#start + this.#bytes.length) {
      const found = decodeAt(this.#bytes, offset - this.#start);
      if (found !== null) return found;
    }
    for (let wanted = READ_BYTES; wanted <= FRAME_BYTES_MAX * 2; wanted *= 8) {
      const block = Buffer.allocUnsafe(wanted);
      const { bytesRead } = await this.#handle.read(block, 0, wanted, offset);
      this.#bytes = block.subarray(0, bytesRead);
      this.#start = offset;
      const found = decodeAt(this.#bytes, 0);
      if (found !== null) return found;
      if (bytesRead < wanted) return null;
    }
    return null;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
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
    for (const position of batch.outbound) {
      const { msgSeqNum } = position;
      if (msgSeqNum < from || msgSeqNum > to) continue;
      if (position.series !== series || position.sessionId !== sessionId) continue;
      const message = decodeAt(batch.bytes, position.offset);
      // The batch is emptied and used again once it is on disk: what is handed out needs its own bytes.
      if (message !== null) found.set(msgSeqNum, { ...message, raw: Buffer.from(message.raw) });
    }
  }
  return found;
}

/** Resendable messages of a series with from ≤ number ≤ to, ascending. @throws XG_JOURNAL_CORRUPT */
export async function loadMessages(
  directory: string,
  index: OutboundIndex,
  kept: readonly FrameBatch[],
  sessionId: SessionID,
  series: number,
  from: number,
  to: number,
): Promise<OutboundMessage[]> {
  const messages = keptMessages(kept, sessionId, series, from, to);
  const onDisk = index.range(sessionId, series, from, to).filter(({ msgSeqNum }) => !messages.has(msgSeqNum));
  let window = null as Window | null;
  try {
    for (const { msgSeqNum, location } of onDisk) {
      const path = join(directory, segmentFileName(location.segment));
      if (window?.path !== path) {
        await window?.close();
        window = new Window(await open(path, 'r'), path);
      }
      const message = await window.message(location.offset);
      if (message === null || message.msgSeqNum !== msgSeqNum || message.series !== series) {
        throw corrupt(path, location.offset, `outbound message ${msgSeqNum} of ${sessionId} is damaged`);
      }
      messages.set(msgSeqNum, message);
    }
  } finally {
    await window?.close();
  }
  return [...messages.values()].sort((a, b) => a.msgSeqNum - b.msgSeqNum);
}
