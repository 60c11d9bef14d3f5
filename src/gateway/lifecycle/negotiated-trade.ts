// Negotiated (OTC) trades as drop copy sessions see them (rules S9, O11). No order of the book precedes such a trade.
// So each leg stands in the books as an external order that is filled at once: it is found again after a restart, and
// copied once. Rules and dictionary name no message for it. ExecutionReport(8) with ExecType(150)=F is **assumed**, as
// venues write block trades in drop copies: all versions have it. TradeCaptureReport(AE), which 4.2 lacks, is a setting
// (`dropCopy.negotiatedAs`). A copy by the last ExecID(17) includes either.

import { Decimal } from '../../base/decimal.ts';
import type { ExchangeTrade } from '../../exchange/mod.ts';
import { moveTo, newOrder } from '../book/order.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import type { Turn } from '../state/state.ts';
import { NOBODY } from '../vocabulary/sender.ts';
import { applyTrade, createdAt } from './apply-exchange-event.ts';

/** Copy one leg of a negotiated trade to the drop copy sessions of its account, once. */
export function copyNegotiatedTrade(turn: Turn, trade: ExchangeTrade, otcTradeId: string): void {
  const { dropCopies, registry, accounts } = turn.state;
  const { tradingAccountId, symbol: exchangeSymbol } = trade;
  if (!dropCopies.wantsElsewhere({ tradingAccountId, exchangeSymbol }, false)) return;
  const account = accounts.get(tradingAccountId);
  const orderId = legId(turn, trade, otcTradeId);
  if (account === undefined || registry.findByExchangeOrderId(orderId) !== null) return;
  const orderQty = Decimal.parse(trade.quantity);
  if (orderQty === null || !orderQty.isPositive() || Decimal.parse(trade.price) === null) {
    const text = `Negotiated trade ${otcTradeId} (trade ${trade.tradeId}) has no readable price and quantity; not copied`;
    turn.alarm('trade-unreadable', text, null, { account: tradingAccountId });
    return;
  }
  const order = newOrder({
    sessionId: ELSEWHERE,
    receivedAt: createdAt(turn, trade),
    tradingAccountId,
    credential: account.credential,
    echo: { ...NOBODY, account: tradingAccountId, fields: [] },
    terms: {
      symbol: exchangeSymbol,
      exchangeSymbol,
      side: trade.side === 'BUY' ? '1' : '2',
      ordType: '2',
      execInst: null,
      timeInForce: '3',
      exchangeTimeInForce: 'IOC',
      price: Decimal.parse(trade.price),
      stopPx: null,
      orderQty,
      cashMargin: null,
      mmp: null,
      negotiated: true,
    },
    clOrdID: '',
    clOrdIDs: [],
    reference: null,
    references: [],
    exchangeOrderId: orderId,
    stage: 'live',
    auctionId: null,
  });
  order.lastText = `Negotiated (OTC) trade ${otcTradeId}`;
  // There is no New to report: there was no order.
  moveTo(order, '0');
  registry.add(order);
  turn.touch(order);
  applyTrade(turn, order, trade);
}

/** OrderID(37) of a leg: no two fills share one, so that CumQty(14) by OrderID is right. Two accounts may share the trade. */
function legId(turn: Turn, { tradeId, tradingAccountId }: ExchangeTrade, otcTradeId: string): string {
  const id = `${otcTradeId}-${tradeId}`;
  const known = turn.state.registry.findByExchangeOrderId(id);
  return known === null || known.tradingAccountId === tradingAccountId ? id : `${id}-${tradingAccountId}`;
}
