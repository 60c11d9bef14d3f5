// One message of a message log, whatever log it came from: its bytes with the secrets blotted out, an index over them, and
// what the log said beside it. Leaves reading files and journals to the caller.

import type { EpochMs } from '../base/time.ts';
import { DataFields, isSecretTag, type MessageView, maskSecrets, Tag, viewOf } from '../wire/mod.ts';

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
  /** What is remarkable, in words; empty if nothing is. */
  readonly note: string;
}

/** What a log says beside the bytes. */
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
  let raw = maskSecrets(bytes, dataFields);
  let view = viewOf(raw, dataFields);
  let { note } = context;
  if (view === null) {
    const mended = mend(raw);
    view = viewOf(mended, dataFields);
    if (view !== null) {
      raw = mended;
      const wrong = isMaskedByHand(bytes) ? MASKED : 'BodyLength(9) or CheckSum(10) is wrong';
      note = note === '' ? wrong : `${note}; ${wrong}`;
    }
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
  };
}

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

/** The same fields with BodyLength and CheckSum as they should be: logs are edited by hand, and cut. */
function mend(raw: Buffer): Buffer {
  const fields = raw.toString('latin1').split(SOH);
  const body = fields.filter((field) => field !== '' && !/^(?:8|9|10)=/.test(field)).map((field) => field + SOH);
  const text = body.join('');
  const head = `${fields[0]}${SOH}9=${text.length}${SOH}`;
  let sum = 0;
  for (const byte of Buffer.from(head + text, 'latin1')) sum += byte;
  return Buffer.from(`${head}${text}10=${String(sum & 0xff).padStart(3, '0')}${SOH}`, 'latin1');
}

/** `FIX.4.4:SENDER->TARGET`: one direction of a conversation. */
export function directionOf(message: LoggedMessage): string {
  return `${message.view?.beginString ?? '?'}:${message.sender}->${message.target}`;
}
