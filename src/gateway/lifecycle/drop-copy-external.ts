// External orders, entered by REST or on the exchange's page, as drop copy sessions see them (rule O11). They are kept
// and moved like orders of this gateway but belong to no session, which therefore cannot report, count, cancel or
// replace them. apply-exchange-event.ts moves them; drop-copy.ts reports.

import { Decimal } from '../../base/decimal.ts';
import type { ExchangeOrder, ExchangeTrade } from '../../exchange/mod.ts';
import { newOrder, type Order } from '../book/order.ts';
import type { OrderTerms } from '../book/order-terms.ts';
import { cancelForSafety } from '../requests/order-cancel.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import type { Turn } from '../state/state.ts';
import { NOBODY } from '../vocabulary/sender.ts';
import { applyFrame, applyTrade, createdAt } from './apply-exchange-event.ts';

/** Open external orders that are followed. Beyond the limit operators get an alarm, and copies are incomplete. */
const FOLLOWED_MAX = 50_000;
/** Below this number, the next excess is reported again. */
const FOLLOWED_AGAIN = 45_000;

const ORD_TYPES: ReadonlyMap<string, OrderTerms['ordType']> = new Map([
  ['LMT', '2'],
  ['LIMIT', '2'],
  ['MKT', '1'],
  ['MARKET', '1'],
  ['STOP_LIMIT', '4'],
  ['POST_ONLY', 'p'],
]);
const TIMES_IN_FORCE: ReadonlyMap<string, string> = new Map([
  ['GTC', '1'],
  ['IOC', '3'],
  ['FOK', '4'],
  ['GTX', '5'],
]);

/** The exchange reported an external order: follow it if a session receives copies of it. */
export function followElsewhere(turn: Turn, frame: ExchangeOrder): void {
  const { dropCopies, registry } = turn.state;
  const { tradingAccountId, symbol: exchangeSymbol, isLiquidation } = frame;
  if (!dropCopies.wantsElsewhere({ tradingAccountId, exchangeSymbol }, isLiquidation)) return;
  const followed = registry.openOrderCount(ELSEWHERE);
  if (followed < FOLLOWED_AGAIN) dropCopies.isIncomplete = false;
  if (followed >= FOLLOWED_MAX) {
    tellIncomplete(turn, frame);
    return;
  }
  const order = orderOf(turn, frame);
  if (order === null) {
    turn.note('warn', 'an order entered elsewhere cannot be read; it is not copied', { orderID: frame.orderId });
    return;
  }
  registry.add(order);
  turn.touch(order);
  for (const trade of dropCopies.takeTrades(frame.orderId)) applyTrade(turn, order, trade);
  applyFrame(turn, order, frame, cancelForSafety);
}

/** Once, not for each order: a snapshot may have thousands more, after each reconnect. */
function tellIncomplete(turn: Turn, { orderId }: ExchangeOrder): void {
  const { dropCopies } = turn.state;
  if (dropCopies.isIncomplete) return;
  dropCopies.isIncomplete = true;
  const text = `More than ${FOLLOWED_MAX} open orders were entered elsewhere: this one and others are not copied`;
  turn.alarm('drop-copy-incomplete', text, null, { orderID: orderId });
}

/** A trade of an unknown order: kept if a drop copy session will receive it. */
export function keepTradeElsewhere(turn: Turn, trade: ExchangeTrade): void {
  const { dropCopies } = turn.state;
  const { tradingAccountId, symbol: exchangeSymbol } = trade;
  // A trade does not say whether it is of a liquidation.
  if (dropCopies.wantsElsewhere({ tradingAccountId, exchangeSymbol }, true)) dropCopies.keepTrade(trade);
}

function orderOf(turn: Turn, frame: ExchangeOrder): Order | null {
  const { tradingAccountId, orderId } = frame;
  const account = turn.state.accounts.get(tradingAccountId);
  const terms = termsOf(frame);
  if (account === undefined || terms === null) return null;
  // A liquidation carries no ClOrdID (exchange reference §7.2).
  const clOrdID = frame.isLiquidation ? '' : (frame.clientOrderId ?? '');
  return newOrder({
    sessionId: ELSEWHERE,
    receivedAt: createdAt(turn, frame),
    tradingAccountId,
    credential: account.credential,
    echo: { ...NOBODY, account: tradingAccountId, fields: [] },
    terms,
    clOrdID,
    // Other people's references are free to repeat: only the exchange's id finds such an order.
    clOrdIDs: [],
    reference: null,
    references: [],
    exchangeOrderId: orderId,
    stage: 'live',
    auctionId: null,
  });
}

/** The terms of an order as the exchange states them; null if they cannot be read. */
export function termsOf(frame: ExchangeOrder): OrderTerms | null {
  const ordType = ORD_TYPES.get(frame.type);
  const orderQty = Decimal.parse(frame.quantity);
  if (ordType === undefined || orderQty === null) return null;
  const price = ordType === '1' ? null : positive(frame.price);
  const timeInForce = TIMES_IN_FORCE.get(frame.timeInForce) ?? null;
  return {
    symbol: frame.symbol,
    exchangeSymbol: frame.symbol,
    side: frame.side === 'BUY' ? '1' : '2',
    ordType,
    execInst: null,
    timeInForce,
    exchangeTimeInForce: timeInForce === null ? 'GTC' : (frame.timeInForce as OrderTerms['exchangeTimeInForce']),
    price,
    stopPx: ordType === '4' ? positive(frame.stopPrice) : null,
    orderQty,
    cashMargin: frame.isLiquidation ? '3' : null,
    mmp: null,
  };
}

function positive(text: string | null): Decimal | null {
  const amount = text === null ? null : Decimal.parse(text);
  return amount?.isPositive() === true ? amount : null;
}
