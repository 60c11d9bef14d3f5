// One message of a message log, whatever log it came from: its bytes with the secrets blotted out, an index over them, and
// what the log said beside it. Leaves reading files and journals to the caller.

import type { EpochMs } from '../base/time.ts';
import { DataFields, isSecretTag, type MessageView, maskShown, Tag, viewOf } from '../wire/mod.ts';
import { cutMessage, isShorthand, loggedFields } from './cut-message.ts';

const SOH = '\u0001';

/** A message as a log has it. */
export interface LoggedMessage {
  /** When it was written or received, as the log says, else its SendingTime(52); null if neither can be read. */
  readonly at: EpochMs | null;
  /** The journal's SessionID (`FIX.4.4:OURS->THEIRS`); null in a text log, which knows no side of its own. */
  readonly session: string | null;
  /** SenderCompID(49) and TargetCompID(56); `-` where the message has none. */
  readonly sender: string;
  readonly target: string;
  /** Secrets masked. */
  readonly raw: Buffer;
  /** Over bytes of its own: valid for good. Null if the bytes are no FIX message. */
  readonly view: MessageView | null;
  /** Whether a MsgSeqNum(34) of the session counts it; false for what the journal keeps for the record only. */
  readonly counted: boolean;
  /** Remarkable facts, in words; empty if none. */
  readonly note: string;
  /** Whether only a part of it is there: the log ends in it, or its lines were cut. A field that may be half is left out. */
  readonly isCutShort: boolean;
  /** Of one that was cut, the bytes as the log has them, secrets masked: `raw` and `view` have the whole fields alone. */
  readonly asLogged?: Buffer;
}

/** A log's data besides the bytes. */
export interface LogContext {
  readonly at: EpochMs | null;
  readonly session: string | null;
  readonly counted: boolean;
  readonly note: string;
}

/**
 * Bring a message's bytes into the one form. Bytes that do not frame are mended where possible, and the note says so.
 * `dataFields`: of the sessions that wrote them.
 */
export function loggedMessage(
  bytes: Uint8Array,
  context: LogContext,
  dataFields: DataFields = DataFields.STANDARD,
): LoggedMessage {
  let raw = maskShown(bytes, dataFields);
  let view = viewOf(raw, dataFields);
  let { note } = context;
  let asLogged: Buffer | null = null;
  if (view === null) {
    const cut = cutMessage(raw, dataFields);
    const mended = cut === null ? mend(raw, dataFields) : framed(cut.fields);
    view = viewOf(mended, dataFields);
    const wrong = cut?.note ?? (view === null || isShorthand(raw, dataFields) ? '' : wrongIn(bytes, mended));
    if (wrong !== '') note = note === '' ? wrong : `${note}; ${wrong}`;
    if (cut !== null) asLogged = raw;
    if (view !== null) raw = mended;
  }
  return {
    at: context.at ?? view?.utcTimestamp(Tag.SendingTime) ?? null,
    session: context.session,
    sender: view?.string(Tag.SenderCompID) ?? '-',
    target: view?.string(Tag.TargetCompID) ?? '-',
    raw,
    view,
    counted: context.counted,
    note,
    isCutShort: asLogged !== null,
    ...(asLogged === null ? {} : { asLogged }),
  };
}

const wrongIn = (bytes: Uint8Array, mended: Buffer): string =>
  isMaskedByHand(bytes) ? MASKED : mendedIn(bytes, mended);

const MASKED = 'a secret was masked by hand, so that BodyLength(9) and CheckSum(10) no longer fit';

/** Whether a secret's value is what people write over one: stars, crosses, or a word in brackets. */
function isMaskedByHand(bytes: Uint8Array): boolean {
  const fields = Buffer.from(bytes).toString('latin1').split(SOH);
  return fields.some((field) => {
    const [, tag, value] = /^(\d{1,6})=(.*)$/s.exec(field) ?? [];
    return (
      tag !== undefined &&
      isSecretTag(Number(tag)) &&
      /^([*xX#.?-]+|[[(<{]?(redacted|masked|hidden|removed|secret)[\])>}]?)$/i.test(value!)
    );
  });
}

/** Fault of a mended message: its stated value, and the one of its bytes. */
function mendedIn(bytes: Uint8Array, mended: Buffer): string {
  const written = Buffer.from(bytes).toString('latin1');
  const trailerAt = written.lastIndexOf(`${SOH}10=`) + 1;
  const bodyLengths = written.split(SOH).filter((field) => field.startsWith('9='));
  const [, counted] = mended.toString('latin1').split(SOH);
  const checkSum = written.slice(trailerAt).split(SOH)[0]!;
  const given = `10=${checkSumOf(bytes.subarray(0, trailerAt))}`;
  const wrong: string[] = [];
  if (bodyLengths.length === 1 && bodyLengths[0] !== counted) {
    wrong.push(`BodyLength(9) is written as ${bodyLengths[0]!.slice(2, 22)} and has to be ${counted!.slice(2)}`);
  }
  if (trailerAt > 0 && checkSum !== given) {
    wrong.push(
      `CheckSum(10) is written as ${checkSum.slice(3, 23)} and is ${given.slice(3)} of the bytes as they stand`,
    );
  }
  const what = wrong.length === 0 ? 'BodyLength(9) or CheckSum(10) is missing, or not in its place' : wrong.join(', ');
  return `${what}; here both are corrected`;
}

/** CheckSum(10) over bytes up to its field. */
function checkSumOf(bytes: Uint8Array): string {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return String(sum & 0xff).padStart(3, '0');
}

/** The same fields with BodyLength and CheckSum as they should be: logs are edited by hand. */
function mend(raw: Buffer, dataFields: DataFields): Buffer {
  const fields = loggedFields(raw.toString('latin1'), dataFields);
  const own = fields.filter(({ tag, text }, i) => i === 0 || (text !== '' && tag !== 8 && tag !== 9 && tag !== 10));
  return framed(own.map(({ text }) => text));
}

/** A message of fields, the first of them BeginString(8). */
function framed([beginString = '', ...fields]: readonly string[]): Buffer {
  const text = fields.map((field) => field + SOH).join('');
  const head = `${beginString}${SOH}9=${text.length}${SOH}`;
  const checkSum = checkSumOf(Buffer.from(head + text, 'latin1'));
  return Buffer.from(`${head}${text}10=${checkSum}${SOH}`, 'latin1');
}

/** `FIX.4.4:SENDER->TARGET`: one direction of a conversation. */
export function directionOf(message: LoggedMessage): string {
  return directionName(message.view?.beginString ?? '?', message.sender, message.target);
}

export function directionName(beginString: string, sender: string, target: string): string {
  return `${beginString}:${sender}->${target}`;
}
