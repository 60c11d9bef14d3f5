// Writes ExecutionReport(8) in every version and dialect (rules O2, O3, O9, D1, D2, D10, D11). apply-exchange-event.ts
// decides the reports; this file decides their form.

import { assert } from '../../base/assert.ts';
import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { ExchangeTrade } from '../../exchange/mod.ts';
import { LastLiquidityInd, MessageDraft, MsgType, Tag } from '../../wire/mod.ts';
import {
  isForcedOut,
  isGtx,
  leavesQty,
  type Order,
  openRequest,
  orderIdOf,
  secondaryOrderIdOf,
} from '../book/order.ts';
import type { SessionState } from '../state/session-state.ts';
import { EXEC_TRANS_TYPE, type RestatementReason } from '../vocabulary/fix-version.ts';
import type { MarketBoard } from '../vocabulary/market-board.ts';
import { firstOf } from '../vocabulary/one-or-many.ts';
import type { OrdRejReasons } from '../vocabulary/refusal.ts';
import { addressTo, type Sender } from '../vocabulary/sender.ts';
import { addText } from './text.ts';
import { addTransactTime } from './transact-time.ts';

/** Decimals of AvgPx(6) beyond the market's price precision, and where no market is known (rule D10). */
const AVG_PX_EXTRA_DECIMALS = 4;
const AVG_PX_DECIMALS_UNKNOWN = 12;

/** ExecType(150) in the words of 4.4 and later; `T` is a triggered stop, written as the version and dialect say (D5). */
export type ReportType = 'A' | '0' | '4' | '5' | '6' | '8' | 'C' | 'D' | 'E' | 'F' | 'I' | 'T';

/** Content of one report beyond the state of its order. */
export interface ReportFacts {
  readonly type: ReportType;
  /** ExecID(17): `execID()`, or `0` for a status. */
  readonly execID: string;
  readonly transactTime: EpochMs;
  /** When they are not the order's own: the request that this report answers. */
  readonly clOrdID?: string;
  readonly origClOrdID?: string | null;
  readonly sender?: Sender;
  readonly ordStatus?: string;
  /** Reason of the rejection: each session has its own number for it. */
  readonly rejectedFor?: OrdRejReasons;
  /** Of the order's own session and of each copy in its own number; a triggered stop needs none here (rule D5). */
  readonly restatementReason?: RestatementReason;
  readonly text?: string | null;
  readonly trade?: ExchangeTrade;
  readonly massActionReportID?: string | null;
  readonly ordStatusReqID?: string | null;
  /** It comes again: PossResend(97)=Y (rule D14). */
  readonly isRepeated?: boolean;
  /** A drop copy: 797=Y where the version has it. */
  readonly isCopy?: boolean;
  readonly massStatus?: { readonly massStatusReqID: string; readonly total: number; readonly last: boolean };
}

/** ExecID(17) of a report of an order: the same after every replay and restart (rule O2). */
export function execID(order: Order, kind: string): string {
  const orderId = orderIdOf(order);
  if (orderId !== null) return `${orderId}-${kind}`;
  const reference = firstOf(order.references);
  assert(reference !== undefined, 'an order that was never sent has ids of its answers only');
  return `${order.tradingAccountId}.${reference}-${kind}`;
}

/** True if the session sees a cancel that the exchange forced as its own FIX shows it: 39=C with the code in 103. */
export function showsForcedOut(session: SessionState | null, order: Order): boolean {
  return session?.isVenue === true && isForcedOut(order);
}

/** Whether a forced cancel answers no F of the session: nor where it is not configured now, and may speak `venue` once it is. */
export function forcedOutAnswersNone(session: SessionState | null, order: Order): boolean {
  return isForcedOut(order) && session?.isVenue !== false;
}

/** OrdStatus(39) as an OMS sees it: an open F or G lies over the state (FIX 4.4 vol. 4 App. D, rule D9). */
export function ordStatusShown(session: SessionState, order: Order): string {
  if (showsForcedOut(session, order)) return 'C';
  if (order.state === '4' || order.state === '8' || order.state === 'C') return order.state;
  if (openRequest(order, 'cancel') !== null) return '6';
  // The exchange's own FIX has no pending replace: `venue` shows the state itself.
  if (!session.isVenue && openRequest(order, 'replace') !== null) return 'E';
  if (order.state === '0' && order.origClOrdID !== null && session.version.hasReplacedStatus) return '5';
  return order.state;
}

/** AvgPx(6): price precision + 4 decimals, half-even, zeros trimmed (rule D10). */
export function avgPx(board: MarketBoard, order: Order): Decimal {
  if (order.cumQty.isZero()) return Decimal.ZERO;
  const precision = board.rules(order.terms.exchangeSymbol)?.market.pricePrecision;
  const decimals = precision === undefined ? AVG_PX_DECIMALS_UNKNOWN : precision + AVG_PX_EXTRA_DECIMALS;
  return order.grossAmt.divide(order.cumQty, decimals).trimmed();
}

/** Write one report of an order. */
export function executionReport(
  session: SessionState,
  board: MarketBoard,
  order: Order,
  facts: ReportFacts,
): MessageDraft {
  const { version } = session;
  const draft = new MessageDraft(MsgType.ExecutionReport);
  addressTo(draft, facts.sender ?? order.echo);
  if (facts.isRepeated === true) draft.header(Tag.PossResend, 'Y');
  const shown = facts.ordStatus ?? ordStatusShown(session, order);
  const orig = facts.origClOrdID === undefined ? order.origClOrdID : facts.origClOrdID;
  draft
    .add(Tag.OrderID, orderIdOf(order) ?? 'NONE')
    .addIf(Tag.SecondaryOrderID, secondaryOrderIdOf(order))
    // Orders entered elsewhere may have none.
    .addIf(Tag.ClOrdID, facts.clOrdID ?? (order.clOrdID === '' ? null : order.clOrdID))
    .addIf(Tag.OrigClOrdID, orig);
  for (const [tag, value] of order.echo.fields) draft.add(tag, value);
  if (version.hasMassMessages) {
    draft.addIf(Tag.OrdStatusReqID, facts.ordStatusReqID ?? null);
    if (facts.massStatus !== undefined) {
      draft
        .add(Tag.MassStatusReqID, facts.massStatus.massStatusReqID)
        .add(Tag.TotNumReports, `${facts.massStatus.total}`)
        .add(Tag.LastRptRequested, facts.massStatus.last ? 'Y' : 'N');
    }
  }
  draft.add(Tag.ExecID, facts.execID);
  if (facts.isCopy === true && version.hasMassMessages) draft.add(Tag.CopyMsgIndicator, 'Y');
  if (version.hasExecTransType) draft.add(EXEC_TRANS_TYPE, facts.type === 'I' ? '3' : '0');
  const execType = execTypeOf(session, order, facts, shown);
  draft.add(Tag.ExecType, execType).add(Tag.OrdStatus, shown);
  draft.addIf(Tag.OrdRejReason, ordRejReasonOf(session, order, facts));
  // Versions that say a triggered stop as a restatement need a reason for it.
  const reason = facts.restatementReason ?? (facts.type === 'T' && execType === 'D' ? 'unsolicited' : null);
  draft.addIf(Tag.ExecRestatementReason, reason === null ? null : version.restatementReasons[reason]);
  addTerms(session, order, draft);
  if (facts.trade !== undefined) {
    draft.add(Tag.LastQty, plain(facts.trade.quantity)).add(Tag.LastPx, plain(facts.trade.price));
  }
  if (version.namesAuction && order.auctionId !== null) draft.add(Tag.TradingSessionID, order.auctionId);
  draft
    .addDecimal(Tag.LeavesQty, leavesQty(order).trimmed())
    .addDecimal(Tag.CumQty, order.cumQty.trimmed())
    .addDecimal(Tag.AvgPx, avgPx(board, order));
  addTransactTime(draft, session, facts.transactTime);
  if (facts.trade !== undefined) addTradeFields(session, board, order, facts.trade, draft);
  addBorrowed(session, board, order, draft);
  // Stock dictionaries have it in r, not in 8 (rule D1), and FIX.4.2 has no r.
  if (facts.massActionReportID != null && session.isVenue && version.hasMassMessages) {
    draft.add(Tag.MassActionReportID, facts.massActionReportID);
  }
  const text = facts.text ?? (order.terms.negotiated === true ? order.lastText : null);
  return addText(draft, session, text);
}

/** A decimal text of the exchange without trailing zeros; as it is if it cannot be read. */
function plain(text: string): string {
  return Decimal.parse(text)?.trimmed().toString() ?? text;
}

/**
 * OrdRejReason(103) of an ended order, or null if the session's dialect has none. It was kept in the words of its own
 * session, which may have changed since; other sessions can ask for it too (rule O7).
 */
export function ordRejReasonShown(session: SessionState, order: Order): string | null {
  const { ordRejReason } = order;
  if (ordRejReason === null || (order.state !== '8' && !showsForcedOut(session, order))) return null;
  return ordRejReasonFor(session, { ordRejReason, venueReason: ordRejReason });
}

function ordRejReasonOf(session: SessionState, order: Order, { type, rejectedFor }: ReportFacts): string | null {
  if (rejectedFor !== undefined) return ordRejReasonFor(session, rejectedFor);
  return type === '4' || type === 'I' ? ordRejReasonShown(session, order) : null;
}

function execTypeOf(session: SessionState, order: Order, facts: ReportFacts, shown: string): string {
  const { version } = session;
  switch (facts.type) {
    case 'F':
      if (version.hasTradeExecType) return 'F';
      return order.cumQty.compare(order.terms.orderQty) >= 0 ? '2' : '1';
    case 'I':
      return version.hasTradeExecType ? 'I' : shown;
    default:
      return execTypeShown(session, order, facts.type);
  }
}

/** ExecType(150) of an event as a session sees it, before the version's general differences (D2). */
export function execTypeShown(session: SessionState | null, order: Order, type: string): string {
  if (type === 'T') return session?.isVenue === true ? '7' : session?.version.hasTriggeredExecType === true ? 'L' : 'D';
  return type === '4' && showsForcedOut(session, order) ? 'C' : type;
}

function addTerms(session: SessionState, order: Order, draft: MessageDraft): void {
  const { terms } = order;
  const { version, isVenue } = session;
  // A refused order keeps its original fields: it may name no account and no readable quantity.
  draft.addIf(Tag.Account, order.echo.account === '' ? null : order.echo.account);
  if (version.hasFees) draft.addIf(Tag.CashMargin, terms.cashMargin);
  draft.add(Tag.Symbol, terms.symbol).add(Tag.Side, terms.side);
  if (!terms.orderQty.isZero()) draft.addDecimal(Tag.OrderQty, terms.orderQty.trimmed());
  // No order precedes a negotiated trade. The exchange's own FIX requires these fields: there it is a limit order, filled at once.
  if (terms.negotiated === true && !session.isExchangeFix) return;
  // 40=p exists in no stock dictionary: `standard` says it as a limit order that does not initiate.
  const postOnlyInWords = terms.ordType === 'p' && !isVenue;
  draft.add(Tag.OrdType, postOnlyInWords ? '2' : terms.ordType);
  if (terms.price !== null) draft.addDecimal(Tag.Price, terms.price.trimmed());
  if (terms.stopPx !== null) draft.addDecimal(Tag.StopPx, terms.stopPx.trimmed());
  draft.addIf(Tag.TimeInForce, terms.timeInForce ?? '1');
  const execInst = postOnlyInWords ? '6' : terms.execInst;
  const instructions =
    terms.cancelOnLoss === true ? [...(execInst === null ? [] : [execInst]), 'o'].join(' ') : execInst;
  draft.addIf(Tag.ExecInst, instructions);
}

function addTradeFields(
  session: SessionState,
  board: MarketBoard,
  order: Order,
  trade: ExchangeTrade,
  draft: MessageDraft,
): void {
  const { version, isVenue } = session;
  const [price, quantity] = [Decimal.parse(trade.price), Decimal.parse(trade.quantity)];
  if (price !== null && quantity !== null) draft.addDecimal(Tag.GrossTradeAmt, price.multiply(quantity).trimmed());
  if (version.hasFees) addFees(session, board, trade, draft);
  if (order.terms.negotiated === true) {
    // Privately negotiated, of two parties. It neither took nor made liquidity.
    if (version.saysHowMatched) draft.add(Tag.MatchType, '2');
    return;
  }
  // REST does not say of a trade that it is an auction's (exchange reference §7.3); an auction order has no others.
  const isAuction = trade.auctionId !== null || isGtx(order);
  if (!isVenue && !version.saysHowMatched) {
    if (version.saysLiquidity && !isAuction && trade.isTaker !== null) {
      draft.add(
        Tag.LastLiquidityInd,
        trade.isTaker ? LastLiquidityInd.RemovedLiquidity : LastLiquidityInd.AddedLiquidity,
      );
    }
    return;
  }
  if (isAuction) draft.add(Tag.MatchType, '7');
  else if (trade.isTaker !== null) draft.add(Tag.AggressorIndicator, trade.isTaker ? 'Y' : 'N');
  if (isVenue && trade.tradeRebateAmount !== null && trade.tradeRebateAssetSymbol !== null) {
    draft.add(Tag.RebateAmt, plain(trade.tradeRebateAmount));
    draft.add(Tag.RebateCurrency, trade.tradeRebateAssetSymbol);
  }
}

/** 8004 and 8006, as the exchange's own FIX has them: buys borrow the quote currency, sells the base (**assumed**). */
function addBorrowed(session: SessionState, board: MarketBoard, order: Order, draft: MessageDraft): void {
  const borrowed = order.borrowedQty === null ? null : Decimal.parse(order.borrowedQty);
  const market = board.rules(order.terms.exchangeSymbol)?.market;
  if (!session.isVenue || borrowed === null || borrowed.isZero() || market === undefined) return;
  draft.addDecimal(Tag.BorrowedQty, borrowed.trimmed());
  draft.add(Tag.BorrowedQtyCurrency, order.terms.side === '1' ? market.quoteSymbol : market.baseSymbol);
}

/**
 * 136–139: quote currency for sells, base for buys (exchange reference §7.2). A fee of zero is no fee in `standard`; the
 * exchange's own FIX has one entry always, which is of zero only where nothing was taken.
 */
function addFees(session: SessionState, board: MarketBoard, trade: ExchangeTrade, draft: MessageDraft): void {
  const market = board.rules(trade.symbol)?.market;
  if (market === undefined) return;
  const ofBase = { amount: Decimal.parse(trade.baseFee ?? ''), currency: market.baseSymbol };
  const ofQuote = { amount: Decimal.parse(trade.quoteFee ?? ''), currency: market.quoteSymbol };
  const [own, other] = trade.side === 'BUY' ? [ofBase, ofQuote] : [ofQuote, ofBase];
  const taken = [own, other].filter(({ amount }) => amount?.isZero() === false);
  const fees = taken.length === 0 && session.isVenue && own.amount !== null ? [own] : taken;
  if (fees.length === 0) return;
  draft.add(Tag.NoMiscFees, `${fees.length}`);
  for (const { amount, currency } of fees) {
    draft.addDecimal(Tag.MiscFeeAmt, amount!.trimmed()).add(Tag.MiscFeeCurr, currency).add(Tag.MiscFeeType, '4');
  }
}

/** OrdRejReason(103) as the session's version and dialect have it. */
export function ordRejReasonFor(
  { isVenue, version }: Pick<SessionState, 'isVenue' | 'version'>,
  reasons: OrdRejReasons,
): string {
  const { ordRejReason, venueReason } = reasons;
  if (isVenue) return venueReason;
  return version.ordRejReasons.has(ordRejReason) ? ordRejReason : version.ordRejOther;
}
