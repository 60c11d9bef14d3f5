// Puts a message that waits (throttle-queue.ts) on record and takes it off again. Leaves the reason to wait to its callers.

import type { EpochMs } from '../../base/time.ts';
import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { encodeRecord } from '../book/order-record.ts';
import type { HeldRecord } from '../book/record-kinds.ts';
import type { Turn } from '../state/state.ts';
import { clOrdIDOf, depthsOf, type HeldMessage, ownView, type PriceWait, toText } from '../state/throttle-queue.ts';

/** Types that are recorded while they wait: their requests must not be forgotten. */
const RECORDED: ReadonlySet<string> = new Set([
  MsgType.NewOrderSingle,
  MsgType.OrderCancelReplaceRequest,
  MsgType.NewOrderList,
]);

/** Characters of a ClOrdID in the key of a record; it need not be one that an order can have. */
const NAMED_CHARS_MAX = 64;

/** Whether a message brings or changes orders, so that none may overtake another. */
export const bringsRisk = ({ msgType }: MessageView): boolean => RECORDED.has(msgType);

interface Waiting {
  readonly possDup: boolean;
  readonly releaseAt: EpochMs;
  readonly price?: PriceWait;
  /** It waited before, and goes before the others. */
  readonly isFirst?: boolean;
}

/** Keep a message until its turn, on record if it brings or changes orders. */
export function keepWaiting(turn: Turn, sessionId: string, view: MessageView, waiting: Waiting): void {
  const own = ownView(view);
  if (own === null) return;
  const { possDup, releaseAt, price = null, isFirst = false } = waiting;
  const number = view.int(Tag.MsgSeqNum) ?? 0;
  const name = clOrdIDOf(view).slice(0, NAMED_CHARS_MAX);
  const recordKey = bringsRisk(view) ? `held|${sessionId}|${number}|${name}` : null;
  turn.state.held.add({ ...heldMessage(sessionId, own, recordKey, releaseAt), possDup, price }, isFirst);
  if (recordKey === null) return;
  const { pairs } = view.dataFields;
  const dataPairs = pairs.length === 0 ? {} : { dataPairs: pairs };
  const outline = depthsOf(view);
  const depths = outline === null ? {} : { depths: outline };
  recordHeld(turn, { kind: 'held', key: recordKey, sessionId, frame: toText(view), ...dataPairs, ...depths });
}

export function heldMessage(
  sessionId: string,
  view: MessageView,
  recordKey: string | null,
  releaseAt: EpochMs,
): HeldMessage {
  const clOrdID = clOrdIDOf(view);
  return { sessionId, view, possDup: false, releaseAt, clOrdID, recordKey, orders: null, price: null };
}

export function recordHeld(turn: Turn, held: HeldRecord): void {
  turn.record(held.sessionId, held.key, encodeRecord(held), held.frame === null ? [] : undefined);
}

/** Its record is of no use any more. */
export function forget(turn: Turn, { sessionId, recordKey }: HeldMessage): void {
  if (recordKey !== null) recordHeld(turn, { kind: 'held', key: recordKey, sessionId, frame: null });
}
