// Makes the bytes of repeated messages again: reads the earlier ones that their records refer to (repeated-message.ts).

import { decodeOutboundBody, RecordKind } from '../record-codec.ts';
import { applyDifference, type RepeatedBytes, StoredMessage } from '../repeated-message.ts';
import { FrameReader } from './frame-reader.ts';
import { corrupt } from './segment-reader.ts';

export interface MadeAgain {
  readonly raw: Buffer;
  /** The earlier message, for a record that repeats it once more. */
  readonly stored: StoredMessage;
}

/** Use it for one request and close it. */
export class EarlierMessages {
  readonly #directory: string;
  readonly #journalId: string | null;
  #frames: FrameReader | null = null;

  /** @param journalId the journal that the segments must belong to; null if already checked */
  constructor(directory: string, journalId: string | null = null) {
    this.#directory = directory;
    this.#journalId = journalId;
  }

  /** The bytes of a repeated message; null if the segment of the earlier one was deleted after its years. @throws XG_JOURNAL_CORRUPT */
  madeAgain({ location, difference }: RepeatedBytes): MadeAgain | null {
    this.#frames ??= new FrameReader(this.#directory, this.#journalId);
    try {
      const { reader, path } = this.#frames.record(location);
      if (reader.u8() !== RecordKind.outbound) throw corrupt(path, location.group, 'a repeated message is not there');
      reader.u16();
      const { raw } = decodeOutboundBody(reader);
      return { raw: applyDifference(difference, raw), stored: new StoredMessage(location, raw) };
    } catch (error) {
      if (isGone(error)) return null;
      if (!(error instanceof RangeError)) throw error;
      const what = `a message that refers to record ${location.record} of this group cannot be made again`;
      const unmade = corrupt(`segment ${location.segment}`, location.group, what);
      unmade.cause = error;
      throw unmade;
    }
  }

  close(): void {
    this.#frames?.close();
    this.#frames = null;
  }
}

function isGone(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
