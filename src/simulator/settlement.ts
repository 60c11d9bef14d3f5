// What a fill does to balances: assets change hands, fees go to the fee account, locks shrink with the open quantity.
// Spot moves both assets; a derivative moves position and cost, and cash when the position is back at zero.

import { Decimal } from '../base/decimal.ts';
import type { EpochMs } from '../base/time.ts';
import type { OrderSide } from '../exchange/mod.ts';
import type { Floor, MarketState } from './floor.ts';
import { type Order, ZERO } from './order.ts';
import type { TradeView } from './venue-event.ts';
import { type AssetSpec, FEE_ACCOUNT, type MarketSpec } from './world.ts';

export interface Fill {
  readonly tradeId: string;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly auctionId: string | null;
  /** Null in an auction, where nobody takes. */
  readonly takerSide: OrderSide | null;
  readonly at: EpochMs;
}

/** What each unit of an order keeps locked, and of which asset: quote for a spot buy, base for a spot sell, else margin. */
export function lockOf(market: MarketSpec, side: OrderSide, price: Decimal): { asset: string; perUnit: Decimal } {
  if (market.marketType === 'SPOT') {
    return side === 'BUY'
      ? { asset: market.quoteSymbol, perUnit: price }
      : { asset: market.baseSymbol, perUnit: Decimal.of('1') };
  }
  return { asset: market.quoteSymbol, perUnit: price.multiply(Decimal.of(market.initialMarginRate)) };
}

/** Move everything that one fill moves, and record both of its sides. */
export function settle(floor: Floor, market: MarketState, buy: Order, sell: Order, fill: Fill): void {
  const { spec } = market;
  const amount = fill.price.multiply(fill.quantity);
  for (const order of [buy, sell]) {
    floor.ledger.lock(order.tradingAccountId, order.lockAsset, order.lockPerUnit.multiply(fill.quantity).negate());
    order.quantityFilled = order.quantityFilled.add(fill.quantity);
    order.quoteAmount = order.quoteAmount.add(amount);
  }
  if (spec.marketType === 'SPOT') {
    floor.ledger.move(sell.tradingAccountId, buy.tradingAccountId, spec.baseSymbol, fill.quantity);
    floor.ledger.move(buy.tradingAccountId, sell.tradingAccountId, spec.quoteSymbol, amount);
  } else {
    changePosition(floor, spec, buy.tradingAccountId, fill.quantity, amount);
    changePosition(floor, spec, sell.tradingAccountId, fill.quantity.negate(), amount.negate());
  }
  for (const order of [buy, sell]) recordSide(floor, spec, order, fill, amount);
}

function recordSide(floor: Floor, spec: MarketSpec, order: Order, fill: Fill, amount: Decimal): void {
  const isTaker = fill.takerSide === order.side;
  const account = floor.ledger.account(order.tradingAccountId);
  const rate = Decimal.of(
    (fill.auctionId !== null ? account?.auctionFee : isTaker ? account?.takerFee : account?.makerFee) ?? '0',
  );
  // A spot buyer pays in what it receives, the base; everybody else in quote (exchange reference §7.2, tags 137 and 138).
  const inBase = spec.marketType === 'SPOT' && order.side === 'BUY';
  const charge = feeAmount(floor, inBase ? spec.baseSymbol : spec.quoteSymbol, inBase ? fill.quantity : amount, rate);
  const asset = inBase ? spec.baseSymbol : spec.quoteSymbol;
  const rebated = charge.isNegative();
  if (rebated) floor.ledger.move(FEE_ACCOUNT, order.tradingAccountId, asset, charge.negate());
  else floor.ledger.move(order.tradingAccountId, FEE_ACCOUNT, asset, charge);
  const fee = rebated ? ZERO : charge;
  const trade: TradeView = {
    tradeId: fill.tradeId,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    tradingAccountId: order.tradingAccountId,
    symbol: spec.symbol,
    side: order.side,
    price: fill.price,
    quantity: fill.quantity,
    quoteAmount: amount,
    baseFee: inBase ? fee : ZERO,
    quoteFee: inBase ? ZERO : fee,
    isTaker,
    auctionId: fill.auctionId,
    tradeRebateAmount: rebated ? charge.negate() : null,
    tradeRebateAssetSymbol: rebated ? asset : null,
    createdAt: fill.at,
  };
  floor.recordTrade(trade);
}

/** Fee (negative: rebate) at the asset's precision, half-even. */
function feeAmount(floor: Floor, asset: string, amount: Decimal, rate: Decimal): Decimal {
  return amount.multiply(rate).round(assetPrecision(floor.world.assets, asset));
}

/** Decimals of an asset's amounts. */
export function assetPrecision(assets: readonly AssetSpec[], symbol: string): number {
  return assets.find((asset) => asset.symbol === symbol)?.precision ?? 8;
}

/** Derivatives: the cost of a position stands against the fee account until the position is closed, then it is paid. */
function changePosition(floor: Floor, spec: MarketSpec, account: string, quantity: Decimal, amount: Decimal): void {
  const position = floor.position(account, spec.symbol);
  position.quantity = position.quantity.add(quantity);
  position.cost = position.cost.add(amount);
  if (!position.quantity.isZero() || position.cost.isZero()) return;
  if (position.cost.isPositive()) floor.ledger.move(account, FEE_ACCOUNT, spec.quoteSymbol, position.cost);
  else floor.ledger.move(FEE_ACCOUNT, account, spec.quoteSymbol, position.cost.negate());
  position.cost = ZERO;
}
