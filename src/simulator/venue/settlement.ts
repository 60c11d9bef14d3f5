// Effect of a fill on balances: assets change owner, fees go to the fee account, locks shrink with the open quantity.
// Spot moves both assets; positions.ts handles derivatives.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { OrderSide } from '../../exchange/mod.ts';
import { countMmpFill } from '../products/mmp.ts';
import { assetPrecision, type MarketSpec } from '../world/world.ts';
import type { Floor, MarketState } from './floor.ts';
import { type Order, ZERO } from './order.ts';
import { changePosition, payHouse } from './positions.ts';
import type { TradeView } from './venue-view.ts';

export interface Fill {
  readonly tradeId: string;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly auctionId: string | null;
  /** Null in an auction, which has no taker. */
  readonly takerSide: OrderSide | null;
  readonly at: EpochMs;
}

/**
 * Asset and amount that each unit of an order keeps locked: quote for a spot buy, base for a spot sell, else margin.
 */
export function lockOf(market: MarketSpec, side: OrderSide, price: Decimal): { asset: string; perUnit: Decimal } {
  if (market.marketType === 'SPOT') {
    return side === 'BUY'
      ? { asset: market.quoteSymbol, perUnit: price }
      : { asset: market.baseSymbol, perUnit: Decimal.of('1') };
  }
  return { asset: market.quoteSymbol, perUnit: price.multiply(Decimal.of(market.initialMarginRate)) };
}

/** Move everything that one fill of two orders moves, and record both of its sides. */
export function settle(floor: Floor, market: MarketState, buy: Order, sell: Order, fill: Fill): void {
  const amount = fill.price.multiply(fill.quantity);
  for (const order of [buy, sell]) {
    floor.ledger.lock(order.tradingAccountId, order.lockAsset, order.lockPerUnit.multiply(fill.quantity).negate());
    order.quantityFilled = order.quantityFilled.add(fill.quantity);
    order.quoteAmount = order.quoteAmount.add(amount);
  }
  exchangeAssets(floor, market.spec, buy.tradingAccountId, sell.tradingAccountId, fill);
  for (const order of [buy, sell]) {
    const isTaker = fill.takerSide === order.side;
    const account = floor.ledger.account(order.tradingAccountId);
    const rate = fill.auctionId !== null ? account?.auctionFee : isTaker ? account?.takerFee : account?.makerFee;
    const trade = recordSide(floor, market.spec, { ...ORDER_SIDE, ...named(order), isTaker, rate: rate ?? '0' }, fill);
    if (order.isMMP) countMmpFill(floor, order, trade);
  }
}

const ORDER_SIDE = { otcMatchId: null, otcTradeId: null, clientOtcTradeId: null } as const;

function named({ orderId, clientOrderId, tradingAccountId, side }: Order) {
  return { orderId, clientOrderId, tradingAccountId, side };
}

/** Assets or positions change hands at a price. */
export function exchangeAssets(
  floor: Floor,
  spec: MarketSpec,
  buyer: string,
  seller: string,
  fill: Pick<Fill, 'price' | 'quantity' | 'at'>,
): void {
  const amount = fill.price.multiply(fill.quantity);
  if (spec.marketType === 'SPOT') {
    floor.ledger.move(seller, buyer, spec.baseSymbol, fill.quantity);
    floor.ledger.move(buyer, seller, spec.quoteSymbol, amount);
    return;
  }
  const { quantity, at: now } = fill;
  changePosition(floor, spec, buyer, { quantity, amount, now });
  changePosition(floor, spec, seller, { quantity: quantity.negate(), amount: amount.negate(), now });
}

/** One party of a fill, with the fee rate that it pays (negative: receives). */
export interface FillSide {
  readonly orderId: string;
  readonly clientOrderId: string | null;
  readonly tradingAccountId: string;
  readonly side: OrderSide;
  readonly isTaker: boolean;
  readonly rate: string;
  readonly otcMatchId: string | null;
  readonly otcTradeId: string | null;
  readonly clientOtcTradeId: string | null;
}

/** Charge the fee of one party and record its trade. */
export function recordSide(floor: Floor, spec: MarketSpec, party: FillSide, fill: Fill): TradeView {
  const amount = fill.price.multiply(fill.quantity);
  // A spot buyer pays in what it receives, the base; everybody else in quote (exchange reference §7.2, tags 137 and 138).
  const inBase = spec.marketType === 'SPOT' && party.side === 'BUY';
  const asset = inBase ? spec.baseSymbol : spec.quoteSymbol;
  const charge = feeAmount(floor, asset, inBase ? fill.quantity : amount, Decimal.of(party.rate));
  payHouse(floor, party.tradingAccountId, asset, charge);
  const rebated = charge.isNegative();
  const fee = rebated ? ZERO : charge;
  const { rate: _rate, ...who } = party;
  const trade: TradeView = {
    ...who,
    tradeId: fill.tradeId,
    symbol: spec.symbol,
    price: fill.price,
    quantity: fill.quantity,
    quoteAmount: amount,
    baseFee: inBase ? fee : ZERO,
    quoteFee: inBase ? ZERO : fee,
    auctionId: fill.auctionId,
    tradeRebateAmount: rebated ? charge.negate() : null,
    tradeRebateAssetSymbol: rebated ? asset : null,
    createdAt: fill.at,
  };
  floor.recordTrade(trade);
  return trade;
}

/** Fee (negative: rebate) at the asset's precision, half-even. */
function feeAmount(floor: Floor, asset: string, amount: Decimal, rate: Decimal): Decimal {
  return amount.multiply(rate).round(assetPrecision(floor.world.assets, asset));
}
