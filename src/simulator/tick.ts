// The tick of a market: best prices, last trade, and the figures of the trades still known.

import { Decimal } from '../base/decimal.ts';
import { type EpochMs, formatIso } from '../base/time.ts';
import type { Floor, MarketState } from './floor.ts';
import { ZERO } from './order.ts';
import { amount, type Json, quotePrecision } from './rendering.ts';

const DAY_MS = 86_400_000;

/** Tick of a market as REST answers it; figures cover the last 24 hours, as far as trades are kept. */
export function tickOf(floor: Floor, state: MarketState, now: EpochMs): Json {
  const { spec } = state;
  const trades = state.publicTrades.filter(({ createdAt }) => createdAt > now - DAY_MS);
  const last = state.lastPrice ?? Decimal.of(spec.referencePrice);
  const open = trades[0]?.price ?? last;
  let high = open;
  let low = open;
  let base = ZERO;
  let quote = ZERO;
  for (const { price, quantity } of trades) {
    if (price.compare(high) > 0) high = price;
    if (price.compare(low) < 0) low = price;
    base = base.add(quantity);
    quote = quote.add(price.multiply(quantity));
  }
  const price = (value: Decimal): string => amount(value, spec.pricePrecision);
  const change = last.subtract(open);
  const [bid] = state.book.levels('BUY', 1);
  const [ask] = state.book.levels('SELL', 1);
  const tradedAt = state.lastTradeAt ?? now;
  return {
    symbol: spec.symbol,
    createdAtDatetime: formatIso(now),
    createdAtTimestamp: String(now),
    high: price(high),
    low: price(low),
    open: price(open),
    close: price(last),
    last: price(last),
    bestBid: bid === undefined ? null : price(bid.price),
    bidVolume: bid === undefined ? null : amount(bid.quantity, spec.quantityPrecision),
    bestAsk: ask === undefined ? null : price(ask.price),
    askVolume: ask === undefined ? null : amount(ask.quantity, spec.quantityPrecision),
    vwap: price(base.isZero() ? last : quote.divide(base, spec.pricePrecision)),
    change: price(change),
    percentage: amount(change.multiply(Decimal.of('100')).divide(open, 2), 2),
    average: price(last.add(open).divide(Decimal.of('2'), spec.pricePrecision)),
    baseVolume: amount(base, spec.quantityPrecision),
    quoteVolume: amount(quote, quotePrecision(floor, spec)),
    bancorPrice: price(last),
    currentPrice: price(last),
    lastTradeDatetime: formatIso(tradedAt),
    lastTradeTimestamp: String(tradedAt),
    lastTradeQuantity: amount(state.publicTrades.at(-1)?.quantity ?? ZERO, spec.quantityPrecision),
    lastTradeSize: amount(state.publicTrades.at(-1)?.quantity ?? ZERO, spec.quantityPrecision),
    ammData: [{ feeTierId: '1', bidSpreadFee: '0.00040000', askSpreadFee: '0.00040000', currentPrice: price(last) }],
    ...(spec.marketType === 'SPOT'
      ? {}
      : { markPrice: price(last), fundingRate: '0.0000', openInterest: '0.00000000' }),
    ...(spec.marketType === 'OPTION'
      ? {
          bidIVPercentage: '60.0',
          askIVPercentage: '61.0',
          delta: '0.50',
          gamma: '0.0001',
          theta: '-10.00',
          vega: '15.00',
        }
      : {}),
  };
}
