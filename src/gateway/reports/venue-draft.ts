// A message as the exchange's own FIX has it (rule D1). Everything sent to a `venue` session of FIX.4.4 passes here, so
// that no field leaves which an OMS certified there would refuse. Other files decide the content.

import { type EpochMs, formatUtcTimestamp } from '../../base/time.ts';
import { EXCHANGE_MESSAGES, EXCHANGE_VALUES, type ExchangeMessage } from '../../dictionary/mod.ts';
import { ExecType, MessageDraft, MsgType, OrdStatus, Tag } from '../../wire/mod.ts';

const SOH = 0x01;
const ZERO = 0x30;
const EQUALS = 0x3d;

/** Fields of the application's part of the header that the exchange's own FIX does not have. */
const NOT_IN_HEADER: ReadonlySet<number> = new Set([Tag.DeliverToCompID, Tag.DeliverToSubID]);

/** Fields of 8 that answer H and AF, which that FIX does not have: who sends them knows more than its dictionary. */
const OF_STATUS: ReadonlySet<number> = new Set([
  Tag.OrdStatusReqID,
  Tag.MassStatusReqID,
  Tag.TotNumReports,
  Tag.LastRptRequested,
]);

/** Where a value is none of the exchange's: another that says as much, or null to leave the field out. */
const INSTEAD: ReadonlyMap<number, string | null> = new Map([
  // Of an order without an answer yet: it may work.
  [Tag.OrdStatus, OrdStatus.New],
  [Tag.TimeInForce, '1'],
  [Tag.CxlRejReason, '99'],
  [Tag.OrdRejReason, '99'],
  [Tag.MassCancelRequestType, '7'],
  [Tag.MassCancelResponse, '7'],
  [Tag.MassCancelRejectReason, '99'],
]);

/** Of a tag in a message: it may stand there, always does, lists its values. */
const KNOWN = 1;
const REQUIRED = 2;
const LISTED = 4;

/** By MsgType(35), the marks of its tags. */
const MARKS: ReadonlyMap<string, Uint8Array> = new Map(
  Array.from(EXCHANGE_MESSAGES, ([msgType, { tags, required }]) => {
    const marks = new Uint8Array(Math.max(...tags) + 1);
    for (const tag of tags) marks[tag] = KNOWN | (EXCHANGE_VALUES.has(tag) ? LISTED : 0);
    for (const tag of required) marks[tag]! |= REQUIRED;
    return [msgType, marks];
  }),
);

/** The draft itself where it fits, else one that does. */
export function toVenueDraft(draft: MessageDraft, now: EpochMs): MessageDraft {
  const message = EXCHANGE_MESSAGES.get(draft.msgType);
  const isHeaderFit = draft.hasFurtherHeaderFields
    ? !draft.headerTags.some((tag) => NOT_IN_HEADER.has(tag))
    : !NOT_IN_HEADER.has(draft.headerTag);
  // One that answers a request which that FIX does not have: who asks knows more than its dictionary.
  const isBeyond =
    message === undefined || (draft.msgType === MsgType.TradingSessionStatus && draft.get(Tag.TradSesReqID) !== null);
  if (isHeaderFit && (isBeyond || fits(draft, message))) return draft;
  const fitting = new MessageDraft(draft.msgType);
  for (const [tag, value] of draft.headerFields) if (!NOT_IN_HEADER.has(tag)) fitting.header(tag, value);
  const { tags, values } = draft;
  if (isBeyond) for (const [i, tag] of tags.entries()) fitting.add(tag, values[i]!);
  else if (draft.msgType === MsgType.News) fitting.add(Tag.Headline, newsIn(draft));
  else addFields(fitting, message, draft, now);
  return fitting;
}

/** Whether every field and value is the exchange's, and no required field is missing. Asked of every message: it makes no objects. */
function fits({ msgType, slab, start, end }: MessageDraft, { required }: ExchangeMessage): boolean {
  const marks = MARKS.get(msgType)!;
  let missing = required.length;
  for (let at = start; at < end; at++) {
    let tag = 0;
    for (; slab[at] !== EQUALS; at++) tag = tag * 10 + slab[at]! - ZERO;
    const mark = marks[tag] ?? 0;
    if (mark === 0) return false;
    const from = at + 1;
    while (slab[at] !== SOH) at++;
    if ((mark & LISTED) !== 0) {
      const value = at - from === 1 ? String.fromCharCode(slab[from]!) : slab.toString('latin1', from, at);
      if (!EXCHANGE_VALUES.get(tag)!.has(value)) return false;
    }
    if ((mark & REQUIRED) !== 0) missing--;
  }
  return missing === 0;
}

function addFields(fitting: MessageDraft, message: ExchangeMessage, draft: MessageDraft, now: EpochMs): void {
  const { tags, values } = draft;
  const isStatus = draft.get(Tag.ExecType) === ExecType.OrderStatus;
  for (const [i, tag] of tags.entries()) {
    if (!message.tags.has(tag) && !(isStatus && OF_STATUS.has(tag))) continue;
    const value = values[i]!;
    const isOfStatus = isStatus && (tag === Tag.ExecType || (tag === Tag.OrdStatus && value === OrdStatus.PendingNew));
    fitting.addIf(tag, isOfStatus ? value : valueIn(draft, tag, value));
  }
  const has = new Set(tags);
  for (const tag of message.required) if (!has.has(tag)) fitting.add(tag, missing(draft, tag, now));
}

/** The exchange's own FIX value for a value. */
function valueIn(draft: MessageDraft, tag: number, value: string): string | null {
  if (EXCHANGE_VALUES.get(tag)?.has(value) !== false) return value;
  if (tag === Tag.OrdType) return ordTypeOf(draft);
  // Buy minus is a buy; every other side sells, or says nothing of it.
  if (tag === Tag.Side) return value === '3' ? '1' : '2';
  return INSTEAD.get(tag) ?? null;
}

/** Of an order that was refused for its type: the one that has its prices. */
function ordTypeOf(draft: MessageDraft): string {
  if (draft.get(Tag.StopPx) !== null) return '4';
  return draft.get(Tag.Price) === null ? '1' : '2';
}

/** A required field that the message lacks: of an order that was refused for a missing field, or is not known. */
function missing(draft: MessageDraft, tag: number, now: EpochMs): string {
  switch (tag) {
    case Tag.OrdType:
      return ordTypeOf(draft);
    case Tag.TimeInForce:
      return '1';
    case Tag.Account:
    case Tag.OrderID:
    case Tag.MassActionReportID:
      return 'NONE';
    case Tag.TransactTime:
      return formatUtcTimestamp(now);
    default:
      return '0';
  }
}

/** News(B) has a Headline(148) and no lines there. */
function newsIn(draft: MessageDraft): string {
  const { tags, values } = draft;
  return values.filter((_, i) => tags[i] === Tag.Headline || tags[i] === Tag.Text).join(': ');
}
