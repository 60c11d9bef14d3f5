// Orders for an auction (TimeInForce(59)=5) of a log that were sent while no auction was running: what came of them says nothing
// about the acceptor. A kill switch and a shutdown are 103=2 too: those are what a replay has to tell.

import { type MessageView, MsgType, OrdStatus, Tag } from '../../wire/mod.ts';
import type { KeptMessage } from '../kept-message.ts';
import type { ReplayPlan } from '../target/replay-plan.ts';

/** Values that may stand for 59=5 at an acceptor, by its setting (rule T2); elsewhere they have other meanings. */
const ALIASES: readonly string[] = ['7', '9', 'B'];
/** OrdRejReason(103) of an acceptor that is closed for such an order. */
const EXCHANGE_CLOSED = 2;
/**
 * How Text(58) mentions an auction; only the text shows why an acceptor is closed (**assumed** of other engines than
 * ours).
 */
const OF_AUCTIONS = /auction|crossing|\bGTX\b|TimeInForce|\b59=5/i;
/** The exchange's own FIX has no 2 and uses 99, as for much else: only its Text(58) shows the reason. */
const OTHER = 99;
const WANT_OF_AUCTION =
  /\bno (?:active )?auction\b|\btakes no new auction orders\b|\bauction orders? (?:cannot be created|creation is disabled)\b/i;
/** The same as the exchange numbers it: no active auction, and none that takes orders in its phase. */
const CODES: readonly number[] = [3082, 3083];
const CODE_IN_TEXT = /\(exchange (?:code|reason) 308[23]\)$/;

/** TradingSessionID(336) as the exchange numbers an auction (rule T3); the values that FIX enumerates have one digit or two. */
const AUCTION_ID = /^\d{5,}$/;

/** Whether a TradingSessionID(336) names an auction. */
export function isAuctionID(tradingSessionID: string): boolean {
  return AUCTION_ID.test(tradingSessionID);
}

/**
 * Requests that cannot be compared, and why: orders with 59=5, or its substitute, refused here for want of an auction
 * but not in the log, and the requests that change or cancel them. `liveOf`: answers to a cause.
 */
export function withoutAuction(
  plan: ReplayPlan,
  liveOf: (key: string) => readonly { readonly message: KeptMessage }[],
): Map<number, string> {
  const reasons = new Map<number, string>();
  const recordedOf = Map.groupBy(plan.answers, ({ key }) => key);
  const refused = new Map<string, string>();
  for (const { index, msgType, message, keys } of plan.requests) {
    const view = message.view();
    const clOrdID = view.string(Tag.ClOrdID);
    const timeInForce = view.string(Tag.TimeInForce);
    const order = refused.get(view.string(Tag.OrigClOrdID) ?? clOrdID ?? '');
    if (order !== undefined) reasons.set(index, `its order ${order} was refused, as no auction was running`);
    else if (msgType === MsgType.NewOrderSingle && mayBeForAuction(timeInForce)) {
      const live = liveOf(keys[0]!).map((answer) => answer.message.view());
      const refusal = live.find((answer) => isForWantOfAuction(answer, timeInForce !== '5'));
      const wasRefused = (recordedOf.get(keys[0]!) ?? []).some((recorded) => isRefusal(recorded.message.view()));
      if (refusal === undefined || wasRefused) continue;
      const [reason, text] = [Tag.OrdRejReason, Tag.Text].map((tag) => refusal.string(tag));
      reasons.set(
        index,
        `no auction was running (59=${timeInForce} refused with 103=${reason}${text === null ? '' : `: ${text}`})`,
      );
    } else continue;
    if (clOrdID !== null) refused.set(clOrdID, order ?? clOrdID);
  }
  return reasons;
}

/** Whether a TimeInForce(59) stands for the call auction, at this acceptor or another. */
export function mayBeForAuction(timeInForce: string | null): boolean {
  return timeInForce === '5' || (timeInForce !== null && ALIASES.includes(timeInForce));
}

/** `mustSaySo`: true if only the text shows that the order was for an auction. */
function isForWantOfAuction(view: MessageView, mustSaySo: boolean): boolean {
  const reason = view.int(Tag.OrdRejReason);
  if (!isRefusal(view) || reason === null) return false;
  if (CODES.includes(reason)) return true;
  const text = view.string(Tag.Text) ?? '';
  // An operator's text stands in parentheses, and may mention anything.
  const ownWords = text.replace(/ \(.*\)/, '');
  if (reason === EXCHANGE_CLOSED && !mustSaySo) return text === '' || OF_AUCTIONS.test(ownWords);
  return (
    (reason === OTHER || reason === EXCHANGE_CLOSED) && (WANT_OF_AUCTION.test(ownWords) || CODE_IN_TEXT.test(text))
  );
}

function isRefusal(view: MessageView): boolean {
  return view.msgType === MsgType.ExecutionReport && view.equals(Tag.OrdStatus, OrdStatus.Rejected);
}
