// Orders for an auction (TimeInForce(59)=5) of a log that were sent while no auction was running: what came of them says nothing
// about the acceptor. A kill switch and a shutdown are 103=2 too: those are what a replay has to tell.

import { type MessageView, MsgType, OrdStatus, Tag } from '../wire/mod.ts';
import type { ReplayPlan } from './replay-plan.ts';

/** OrdRejReason(103) of an acceptor that is closed for such an order. */
const EXCHANGE_CLOSED = 2;
/** How Text(58) speaks of an auction; nothing but it tells why an acceptor is closed (**assumed** of other engines than ours). */
const OF_AUCTIONS = /auction|crossing|\bGTX\b|TimeInForce|\b59=5/i;

/** TradingSessionID(336) as the exchange numbers an auction (rule T3); the values that FIX enumerates have one digit or two. */
const AUCTION_ID = /^\d{5,}$/;

/** Whether a TradingSessionID(336) names an auction. */
export function isAuctionID(tradingSessionID: string): boolean {
  return AUCTION_ID.test(tradingSessionID);
}

/**
 * Requests that cannot be compared, and why: orders with 59=5 that were refused as 103=2 for want of an auction and are not refused in
 * the log, and the requests that change or cancel them. `liveOf`: what answered a cause.
 */
export function withoutAuction(
  plan: ReplayPlan,
  liveOf: (key: string) => readonly { readonly view: MessageView }[],
): Map<number, string> {
  const reasons = new Map<number, string>();
  const recordedOf = Map.groupBy(plan.answers, ({ key }) => key);
  const refused = new Map<string, string>();
  for (const { index, msgType, view, keys } of plan.requests) {
    const clOrdID = view.string(Tag.ClOrdID);
    const order = refused.get(view.string(Tag.OrigClOrdID) ?? clOrdID ?? '');
    if (order !== undefined) reasons.set(index, `its order ${order} was refused, as no auction was running`);
    else if (msgType === MsgType.NewOrderSingle && view.equals(Tag.TimeInForce, '5')) {
      const refusal = liveOf(keys[0]!).find((live) => isForWantOfAuction(live.view));
      const wasRefused = (recordedOf.get(keys[0]!) ?? []).some((recorded) => isRefusal(recorded.view));
      if (refusal === undefined || wasRefused) continue;
      const text = refusal.view.string(Tag.Text);
      reasons.set(index, `no auction was running (59=5 refused with 103=2${text === null ? '' : `: ${text}`})`);
    } else continue;
    if (clOrdID !== null) refused.set(clOrdID, order ?? clOrdID);
  }
  return reasons;
}

function isForWantOfAuction(view: MessageView): boolean {
  if (!isRefusal(view) || view.int(Tag.OrdRejReason) !== EXCHANGE_CLOSED) return false;
  const text = view.string(Tag.Text);
  // What an operator typed stands in parentheses, and may speak of anything.
  return text === null || OF_AUCTIONS.test(text.replace(/ \(.*\)/, ''));
}

function isRefusal(view: MessageView): boolean {
  return view.msgType === MsgType.ExecutionReport && view.equals(Tag.OrdStatus, OrdStatus.Rejected);
}
