// One trade of an account in the fields of TradeCaptureReport(AE): a fill of an order, or a leg of a negotiated trade. A
// trade of an order has the ExecID(17) of its ExecutionReport(8).

import { Decimal } from '../../base/decimal.ts';
import { formatUtcTimestamp } from '../../base/time.ts';
import type { ExchangeTrade, OtcTrade, OtcTradeLeg } from '../../exchange/mod.ts';
import { MessageDraft, MsgType, Tag } from '../../wire/mod.ts';
import type { Order } from '../book/order.ts';
import { addInstrument, sessionSymbolOf } from '../reference-data/instrument.ts';
import { execID } from '../reports/execution-report.ts';
import { addText } from '../reports/text.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { addressTo, NOBODY } from '../vocabulary/sender.ts';

/** A trade with everything that AE has of it, whatever it came from. */
export interface ReportedTrade {
  readonly execID: string;
  /** The exchange's id of the trade; null while a negotiated trade is not matched. */
  readonly tradeId: string | null;
  readonly tradingAccountId: string;
  readonly symbol: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly quantity: string;
  readonly baseFee: string | null;
  readonly quoteFee: string | null;
  readonly isTaker: boolean | null;
  readonly isAuction: boolean;
  readonly at: number;
  /** Null for a negotiated trade. */
  readonly orderId: string | null;
  /** Null for a fill of an order. */
  readonly otc: Negotiated | null;
}

interface Negotiated {
  readonly otcTradeId: string;
  readonly otcMatchId: string | null;
  /** Agreed by the parties: it links their trades until these match. */
  readonly sharedMatchKey: string | null;
  readonly clientOtcTradeId: string | null;
  readonly brokeredBy: string | null;
  /** As the exchange says it; `MATCHED` for one that is traded. */
  readonly status: string;
  readonly words: string;
}

/** Not in the exchange's report of a fill. */
const UNNAMED = { clientOtcTradeId: null, sharedMatchKey: null, brokeredBy: null } as const;

/** A fill as the exchange reports it. */
export function ofFill(trade: ExchangeTrade): ReportedTrade {
  const { tradeId, orderId, otcTradeId, otcMatchId = null } = trade;
  const otc = otcTradeId === null ? null : { ...UNNAMED, otcTradeId, otcMatchId, status: 'MATCHED', words: '' };
  const named = otc === null ? orderId : `${otc.otcTradeId}-${tradeId}`;
  return {
    ...trade,
    execID: `${named}-${tradeId}-F`,
    orderId: otc === null ? orderId : null,
    isAuction: trade.auctionId !== null,
    at: trade.createdAt,
    otc,
  };
}

/** One leg of a negotiated trade, in whatever status it is. */
export function ofLeg(trade: OtcTrade, leg: OtcTradeLeg, i: number): ReportedTrade {
  const {
    otcTradeId,
    otcMatchId,
    sharedMatchKey,
    clientOtcTradeId,
    brokeredBy,
    status,
    statusReason,
    tradingAccountId,
  } = trade;
  const { remarks, expiresAt, createdAt } = trade;
  const words = [
    `status ${status}${statusReason === null ? '' : ` (${statusReason})`}`,
    ...(expiresAt === null ? [] : [`expires ${formatUtcTimestamp(expiresAt)}`]),
    ...(remarks === null ? [] : [remarks]),
  ].join('; ');
  const otc = { otcTradeId, otcMatchId, sharedMatchKey, clientOtcTradeId, brokeredBy, status, words };
  const id = leg.tradeId === null ? `${otcTradeId}-${i}` : `${otcTradeId}-${leg.tradeId}-${leg.tradeId}-F`;
  return { ...leg, execID: id, tradingAccountId, orderId: null, isAuction: false, at: createdAt, otc };
}

/** PartyRole(452) of an inter-dealer broker, and PartyIDSource(447) for names of our own. */
const BROKER_ROLE = '30';
const PROPRIETARY = 'D';

/** The copy of a negotiated trade for a drop copy session, which asked for none. `id`: its ExecID(17). */
export function tradeCopy(turn: Turn, session: SessionState, trade: ExchangeTrade, id: string): MessageDraft {
  const reported = { ...ofFill(trade), execID: id };
  const draft = addressTo(new MessageDraft(MsgType.TradeCaptureReport), { ...NOBODY, senderSubID: 'ADMIN' })
    .add(Tag.TradeReportID, reported.execID)
    .add(Tag.TradeReportTransType, '0')
    .add(Tag.UnsolicitedIndicator, 'Y');
  addTrade(turn, session, reported, draft);
  return draft.add(Tag.CopyMsgIndicator, 'Y');
}

/** Statuses of a negotiated trade that is agreed and booked. */
const isMatched = ({ status }: Negotiated): boolean => status === 'MATCHED';

/** Add the trade to an AE. */
export function addTrade(turn: Turn, session: SessionState, trade: ReportedTrade, draft: MessageDraft): void {
  const { version } = session;
  const rules = turn.state.board.rules(trade.symbol);
  const order = trade.orderId === null ? null : turn.state.registry.findByExchangeOrderId(trade.orderId);
  const { otc } = trade;
  // An agreed trade that is not matched is no execution yet.
  const isExecuted = otc === null || isMatched(otc);
  if (isExecuted) draft.add(Tag.ExecType, 'F');
  draft.add(Tag.TrdType, otc === null ? '0' : '1');
  if (otc !== null)
    draft.add(Tag.SecondaryTradeReportID, otc.otcTradeId).addIf(Tag.TradeLinkID, otc.otcMatchId ?? otc.sharedMatchKey);
  draft
    .addIf(Tag.TrdMatchID, trade.tradeId)
    .addIf(Tag.ExecID, isExecuted ? execIDOf(order, trade) : null)
    .add(Tag.PreviouslyReported, order !== null && order.sessionId === session.config.sessionId ? 'Y' : 'N');
  if (rules === null) draft.add(Tag.Symbol, sessionSymbolOf(session, trade.symbol));
  else addInstrument(session, rules, draft);
  const [date = ''] = formatUtcTimestamp(trade.at).split('-');
  draft.add(Tag.LastQty, plain(trade.quantity)).add(Tag.LastPx, plain(trade.price)).add(Tag.TradeDate, date);
  draft.addTime(Tag.TransactTime, trade.at).add(Tag.MatchStatus, isExecuted ? '0' : '1');
  if (version.saysHowMatched && isExecuted) {
    draft.addIf(Tag.MatchType, otc !== null ? '2' : trade.isAuction ? '7' : null);
  }
  addSide(turn, session, trade, order, draft);
  // FIX.4.4 has it in the side.
  if (version.saysTick) addGross(trade, draft);
}

/** The ExecID(17) of the fill's ExecutionReport(8); a replaced order keeps its first OrderID(37). */
function execIDOf(order: Order | null, trade: ReportedTrade): string {
  return order === null || trade.tradeId === null ? trade.execID : execID(order, `${trade.tradeId}-F`);
}

function addSide(
  turn: Turn,
  session: SessionState,
  trade: ReportedTrade,
  order: Order | null,
  draft: MessageDraft,
): void {
  const { version, names } = session;
  const own = order !== null && order.sessionId === session.config.sessionId ? order : null;
  const orderID = trade.orderId ?? 'NONE';
  const clOrdID = own === null || own.clOrdID === '' ? (trade.otc?.clientOtcTradeId ?? null) : own.clOrdID;
  draft.add(Tag.NoSides, '1').add(Tag.Side, trade.side === 'BUY' ? '1' : '2');
  if (!version.hasLateFields) draft.add(Tag.OrderID, orderID).addIf(Tag.ClOrdID, clOrdID);
  const broker = trade.otc?.brokeredBy ?? null;
  if (broker !== null) {
    draft.add(Tag.NoPartyIDs, '1').add(Tag.PartyID, broker).add(Tag.PartyIDSource, PROPRIETARY);
    draft.add(Tag.PartyRole, BROKER_ROLE);
  }
  draft.add(Tag.Account, names.accounts.get(trade.tradingAccountId) ?? trade.tradingAccountId);
  if (!version.saysTick) addGross(trade, draft);
  addText(draft, session, trade.otc?.words ?? null);
  addFees(turn, trade, draft);
  if (version.saysTick && trade.otc === null && !trade.isAuction && trade.isTaker !== null) {
    draft.add(Tag.AggressorIndicator, trade.isTaker ? 'Y' : 'N');
  }
  if (version.hasLateFields) draft.add(Tag.OrderID, orderID).addIf(Tag.ClOrdID, clOrdID);
}

function addGross({ price, quantity }: ReportedTrade, draft: MessageDraft): void {
  const [px, qty] = [Decimal.parse(price), Decimal.parse(quantity)];
  if (px !== null && qty !== null) draft.addDecimal(Tag.GrossTradeAmt, px.multiply(qty).trimmed());
}

function addFees(turn: Turn, { symbol, baseFee, quoteFee }: ReportedTrade, draft: MessageDraft): void {
  const market = turn.state.board.rules(symbol)?.market;
  if (market === undefined) return;
  const fees = [
    { amount: Decimal.parse(baseFee ?? ''), currency: market.baseSymbol },
    { amount: Decimal.parse(quoteFee ?? ''), currency: market.quoteSymbol },
  ].filter(({ amount }) => amount?.isZero() === false);
  if (fees.length === 0) return;
  draft.add(Tag.NoMiscFees, `${fees.length}`);
  for (const { amount, currency } of fees) {
    draft.addDecimal(Tag.MiscFeeAmt, amount!.trimmed()).add(Tag.MiscFeeCurr, currency).add(Tag.MiscFeeType, '4');
  }
}

const plain = (text: string): string => Decimal.parse(text)?.trimmed().toString() ?? text;
