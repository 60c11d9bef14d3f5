// Messages of a log and of a run: bytes side by side in large pieces, read by a view made on demand. Separate views
// with indexes would take twenty times the bytes of a day.

import { assert } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import { type DataFields, type MessageView, viewOf } from '../wire/mod.ts';
import type { Direction } from './log-sessions.ts';
import type { LoggedMessage } from './logged-message.ts';

const PIECE_BYTES = 1_048_576;

/** A message that is kept. */
export class KeptMessage {
  readonly msgType: string;
  private readonly piece: Buffer;
  private readonly start: number;
  private readonly end: number;
  private readonly dataFields: DataFields;

  constructor(msgType: string, piece: Buffer, start: number, end: number, dataFields: DataFields) {
    this.msgType = msgType;
    this.piece = piece;
    this.start = start;
    this.end = end;
    this.dataFields = dataFields;
  }

  /** Not copied. */
  bytes(): Buffer {
    return this.piece.subarray(this.start, this.end);
  }

  /** An index over it, made anew each time: hold it only as long as you read it. */
  view(): MessageView {
    const view = viewOf(this.bytes(), this.dataFields);
    assert(view !== null, 'a kept message stays a message');
    return view;
  }
}

/** Where messages are kept. */
export class MessageKeeper {
  private readonly msgTypes = new Map<string, string>();
  private piece: Buffer = Buffer.alloc(0);
  private used = 0;

  keep(view: MessageView): KeptMessage {
    const bytes = view.bytes();
    if (this.used + bytes.length > this.piece.length) {
      this.piece = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, bytes.length));
      this.used = 0;
    }
    const start = this.used;
    this.piece.set(bytes, start);
    this.used += bytes.length;
    return new KeptMessage(sameText(this.msgTypes, view.msgType), this.piece, start, this.used, view.dataFields);
  }
}

/** One message of a log, as a plan is made from it. */
export interface LogEntry {
  readonly message: KeptMessage;
  readonly beginString: string;
  readonly sender: string;
  readonly target: string;
  readonly way: Direction;
  readonly at: EpochMs | null;
  readonly isCutShort: boolean;
}

/** The messages of a log that a plan is made from: what is no message, or counted by no MsgSeqNum(34), is passed over. */
export class ReplayLog {
  private readonly keeper = new MessageKeeper();
  private readonly texts = new Map<string, string>();
  private readonly kept: LogEntry[] = [];

  get entries(): readonly LogEntry[] {
    return this.kept;
  }

  add(message: LoggedMessage, way: Direction): void {
    const { view, counted, sender, target, at, isCutShort } = message;
    if (view === null || !counted) return;
    const [beginString, from, to] = [view.beginString, sender, target].map((text) => sameText(this.texts, text));
    this.kept.push({
      message: this.keeper.keep(view),
      beginString: beginString!,
      sender: from!,
      target: to!,
      way,
      at,
      isCutShort,
    });
  }
}

/** A text once for all messages that have it. */
export function sameText(texts: Map<string, string>, text: string): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  texts.set(text, text);
  return text;
}
