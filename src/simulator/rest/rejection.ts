// Which refusal a status reason code is when the fault knob `rejections` asks for it: what it hits, by the code's area.
// The knob itself is faults.ts, the codes are the exchange room's registry.

import { STATUS_REASONS, statusReasonName, statusReasonText } from '../../exchange/mod.ts';
import { OtcReason } from '../products/otc-book.ts';
import { reasonOf } from '../venue/order.ts';
import { Refusal } from './refusal.ts';

/**
 * `order`: the next order is acknowledged and then REJECTED. `custody`: the next custody request is answered 400.
 * `transfer`: the next transfer is acknowledged and stands REJECTED in the history. `otc`: the next OTC command is
 * answered 400. `otcTrade`: the next OTC trade entered is acknowledged and then REJECTED.
 */
export type RejectionArea = 'order' | 'custody' | 'transfer' | 'otc' | 'otcTrade';

/** Codes from here on are those of transfers between accounts (exchange catalogue, Appendix D: on transfer history). */
const FIRST_OF_TRANSFERS = 8400;
/** 9032 names a trade too, though the venue gives it to the command that comes too late. */
const OTC_TRADE_CODES: ReadonlySet<number> = new Set([...Object.values(OtcReason), 9032]);

/** The refusal that belongs to a code; null if the registry lacks it. */
export function rejectionArea(code: unknown): RejectionArea | null {
  if (reasonOf(code) !== null) return 'order';
  if (!Number.isInteger(code)) return null;
  if (String(code) in STATUS_REASONS.custody) return Number(code) >= FIRST_OF_TRANSFERS ? 'transfer' : 'custody';
  if (String(code) in STATUS_REASONS.otc) return OTC_TRADE_CODES.has(Number(code)) ? 'otcTrade' : 'otc';
  return null;
}

/** The 400 that carries a status reason code. */
export function codedRefusal(code: number): Refusal {
  const text = String(code);
  return new Refusal(400, code, statusReasonName(text) ?? 'UNKNOWN_ERROR', statusReasonText(text) ?? 'Unknown error');
}
