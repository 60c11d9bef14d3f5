// Writes the frames of one session: its CompIDs, SubIDs and LocationIDs, SendingTime(52) as precise as the setting, or else the version, has it.
// Which number a message gets, and whether it leaves, is core.ts's matter.

import { type EpochMs, formatTimestampAs, isFinerThanMs, type TimePrecision } from '../../base/time.ts';
import { type DataFields, type FrameHeader, FrameWriter, type MessageDraft } from '../../wire/mod.ts';
import type { SessionConfig } from '../config.ts';
import type { SessionVersion } from '../versions.ts';

export class OutboundFrames {
  /** SubIDs or LocationIDs are part of the identity. */
  readonly hasSubIDs: boolean;
  readonly #writer: FrameWriter;
  readonly #precision: TimePrecision;
  readonly #isFine: boolean;
  readonly #nanosWithin: (now: EpochMs) => number;
  #sendingTime = '';
  #sendingTimeAt: EpochMs = Number.NaN;
  /** One for all messages; the writer keeps nothing of it. */
  readonly #header: { -readonly [K in keyof FrameHeader]: FrameHeader[K] };

  constructor(config: SessionConfig, version: SessionVersion, dataFields: DataFields) {
    const { beginString, senderCompID, targetCompID } = config;
    const senderSubID = config.senderSubID ?? undefined;
    const senderLocationID = (version.locationIDs ? config.senderLocationID : null) ?? undefined;
    const targetSubID = config.targetSubID ?? undefined;
    const targetLocationID = (version.locationIDs ? config.targetLocationID : null) ?? undefined;
    this.hasSubIDs = [senderSubID, senderLocationID, targetSubID, targetLocationID].some((id) => id !== undefined);
    this.#precision = config.timestampPrecision ?? (version.milliseconds ? 'milliseconds' : 'seconds');
    this.#isFine = isFinerThanMs(this.#precision);
    this.#nanosWithin = config.nanosWithin ?? (() => 0);
    this.#writer = new FrameWriter(dataFields);
    this.#header = {
      beginString,
      senderCompID,
      targetCompID,
      senderSubID,
      senderLocationID,
      targetSubID,
      targetLocationID,
      msgSeqNum: 0,
      sendingTime: '',
      possDup: false,
      origSendingTime: undefined,
      lastMsgSeqNumProcessed: undefined,
    };
  }

  /** The next messages have a time of their own, where it is finer than a millisecond. */
  beginTurn(): void {
    if (this.#isFine) this.#sendingTimeAt = Number.NaN;
  }

  /** SendingTime(52) of `now`. */
  sendingTime(now: EpochMs): string {
    // All messages of one chunk have one time.
    if (this.#sendingTimeAt === now) return this.#sendingTime;
    this.#sendingTime = formatTimestampAs(now, this.#precision, this.#isFine ? this.#nanosWithin(now) : 0);
    this.#sendingTimeAt = now;
    return this.#sendingTime;
  }

  /** @param lastMsgSeqNumProcessed LastMsgSeqNumProcessed(369), where it is sent */
  encode(
    draft: MessageDraft,
    msgSeqNum: number,
    now: EpochMs,
    possDup: boolean,
    lastMsgSeqNumProcessed: number | undefined,
  ): Buffer {
    const header = this.#header;
    header.msgSeqNum = msgSeqNum;
    header.sendingTime = this.#precision === 'milliseconds' ? now : this.sendingTime(now);
    header.possDup = possDup;
    header.origSendingTime = possDup ? this.sendingTime(now) : undefined;
    header.lastMsgSeqNumProcessed = lastMsgSeqNumProcessed;
    return this.#writer.encode(header, draft);
  }
}
