// Meaning of the exchange's status and reason codes for an order (exchange reference §3.2): how it ends, if it ends.
// The exchange room's registry words the codes; order-end.ts reports.

import { Decimal } from '../../base/decimal.ts';
import { type ExchangeOrder, statusReasonText } from '../../exchange/mod.ts';
import type { Order, OrderEnd } from './order.ts';

/** Codes that say: executed in full. */
const EXECUTED: ReadonlySet<string> = new Set(['6002', '6015']);
/** Codes after which the rest expired: 150=C (rules D5, T5). */
const EXPIRED: ReadonlySet<string> = new Set(['6003', '6004', '6021', '3067']);
/** Codes after which the rest is cancelled: 150=4. */
const CANCELLED: ReadonlySet<string> = new Set(['3020', '3021', '6005', '6007', '6019', '6022', '6023', '6024']);
const USER_CANCELLED = '6005';
/** Codes of cancels that the exchange forces, in danger from leverage for example (exchange reference §7.2). */
const FORCED: ReadonlySet<string> = new Set(['3020', '3021']);

/** Codes of states in which an order works, whatever else changes. */
export const STOP_TRIGGERED = '6012';

/** How the frame says the order ended, or null while it works. */
export function orderEnd(order: Order, frame: ExchangeOrder): OrderEnd | null {
  if (frame.status === 'OPEN') return null;
  const { publishedAt, statusReasonCode: code } = frame;
  const text = reasonText(frame);
  if (frame.status === 'REJECTED') {
    return { execType: order.state === 'A' ? '8' : '4', reasonCode: code, text, unsolicited: true, publishedAt };
  }
  const execType = endType(order, frame, code);
  return { execType, reasonCode: code, text, unsolicited: code !== USER_CANCELLED, publishedAt };
}

/** The code of a cancel that the exchange forced, or null. */
export function forcedCode({ execType, reasonCode }: OrderEnd): string | null {
  return execType === '4' && reasonCode !== null && FORCED.has(reasonCode) ? reasonCode : null;
}

function endType(order: Order, frame: ExchangeOrder, code: string | null): '4' | 'C' | 'F' {
  if (code !== null) {
    if (EXPIRED.has(code)) return 'C';
    if (CANCELLED.has(code)) return '4';
    if (EXECUTED.has(code)) return 'F';
  }
  if (frame.status === 'CLOSED') {
    // The frame counts the fills of the present leg (rule O6).
    const filled = Decimal.parse(frame.quantityFilled)?.add(order.filledBefore) ?? null;
    return filled !== null && filled.compare(order.terms.orderQty) >= 0 ? 'F' : 'C';
  }
  const dies = order.terms.exchangeTimeInForce === 'IOC' || order.terms.exchangeTimeInForce === 'FOK';
  return (dies || order.terms.ordType === '1') && order.requests.length === 0 ? 'C' : '4';
}

/** The exchange's reason in words with its code, for Text(58). */
export function reasonText(frame: { statusReasonCode: string | null; statusReason: string | null }): string {
  const code = frame.statusReasonCode;
  const words = frame.statusReason ?? (code === null ? null : statusReasonText(code)) ?? 'no reason given';
  return code === null ? words : `${words} (exchange reason ${code})`;
}
