// Risk limits, checked before the exchange hears of an order or of its new terms: those of the session and those of its
// trading account (rule O12). Every path that creates or changes an order comes through here.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { OrderLimits } from '../state/order-limits.ts';
import type { SessionState } from '../state/session-state.ts';
import type { GatewayState, Turn } from '../state/state.ts';
import { marketName } from '../vocabulary/market-board.ts';
import { exceedsLimit, outsidePriceBand, type Refusal, rateExceeded } from '../vocabulary/refusal.ts';

const HUNDRED = new Decimal(100n, 0);
const ONE = new Decimal(1, 0);

/** An order about to work on the exchange. */
export interface Exposure {
  readonly exchangeSymbol: string;
  /** The order's name for it (rule O8); default the exchange's name. */
  readonly symbol?: string;
  readonly side: '1' | '2';
  readonly price: Decimal | null;
  /** Of a stop that was not triggered. */
  readonly stopPx: Decimal | null;
  readonly orderQty: Decimal;
  /** The sender's names for these; default as over FIX. */
  readonly words?: typeof FIX_WORDS;
}

/** Inputs of the limits. */
export type Weighing = Pick<Turn, 'state' | 'steady' | 'followPrice'>;

function* limitsOf(state: GatewayState, session: SessionState, tradingAccountId: string): Generator<OrderLimits> {
  yield session.limits;
  const limits = state.accountLimits.get(tradingAccountId);
  if (limits !== undefined) yield limits;
}

/** The limit that the terms break, or null. */
export function limitRefusal(
  turn: Turn,
  session: SessionState,
  tradingAccountId: string,
  exposure: Exposure,
): Refusal | null {
  for (const limits of limitsOf(turn.state, session, tradingAccountId)) {
    const refusal = brokenLimit(limits, turn, exposure);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** A leg of a trade that is negotiated beside the order book. */
export interface NegotiatedLeg {
  /** The exchange's name of the market. */
  readonly symbol: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly quantity: string;
}

/** The limit of its trading account that a negotiated leg breaks, in words, or null. It is of no session. */
export function legRefusal(weighing: Weighing, tradingAccountId: string, leg: NegotiatedLeg): string | null {
  const limits = weighing.state.accountLimits.get(tradingAccountId);
  if (limits === undefined) return null;
  return brokenLimit(limits, weighing, exposureOf(leg))?.text ?? null;
}

/** The limit of its trading account that the legs of a negotiated trade break together, in words, or null. */
export function tradeRefusal(
  { state, steady }: Pick<Weighing, 'state' | 'steady'>,
  tradingAccountId: string,
  legs: readonly NegotiatedLeg[],
): string | null {
  const limits = state.accountLimits.get(tradingAccountId);
  if (limits === undefined || limits.notionalMax === null || legs.length < 2) return null;
  const { notionalMax, whose, referencePriceAgeMaxMs } = limits;
  let sum = new Decimal(0n, 0);
  for (const leg of legs) {
    const rules = state.board.rules(leg.symbol);
    // The leg alone is refused then.
    if (rules === null) continue;
    const exposure = exposureOf(leg);
    const reference = leg.side === 'SELL' ? state.board.freshPrice(leg.symbol, steady, referencePriceAgeMaxMs) : null;
    const { price } = worthOf(exposure, reference?.price ?? null);
    sum = sum.add(exposure.orderQty.multiply(price).multiply(rules.contractMultiplier).abs());
  }
  if (sum.compare(notionalMax) <= 0) return null;
  return `its ${legs.length} legs come to ${sum.trimmed()} together, over ${whose}'s limit of ${notionalMax} per order`;
}

/** The words of a message over FIX, and those of a leg over the bridge. */
const FIX_WORDS = { quantity: 'OrderQty(38)', price: 'Price(44)', multiplier: 'ContractMultiplier(231)' };
const LEG_WORDS: typeof FIX_WORDS = { quantity: 'quantity', price: 'price', multiplier: 'contractMultiplier' };

const exposureOf = (leg: NegotiatedLeg) =>
  ({
    words: LEG_WORDS,
    exchangeSymbol: leg.symbol,
    side: leg.side === 'BUY' ? '1' : '2',
    price: Decimal.of(leg.price),
    stopPx: null,
    orderQty: Decimal.of(leg.quantity).abs(),
  }) as const;

function brokenLimit(limits: OrderLimits, turn: Weighing, exposure: Exposure): Refusal | null {
  const { board } = turn.state;
  const { orderQtyMax, notionalMax, priceBandPercent, referencePriceAgeMaxMs } = limits;
  const { orderQty, price, side, stopPx, words = FIX_WORDS } = exposure;
  if (orderQtyMax !== null && orderQty.compare(orderQtyMax) > 0) {
    return exceedsLimit(`${words.quantity}=${orderQty} exceeds ${limits.whose}'s limit of ${orderQtyMax} per order`);
  }
  const needsReference = priceBandPercent !== null || (notionalMax !== null && price === null);
  const helps = needsReference || (notionalMax !== null && side === '2' && stopPx === null);
  const reference = helps ? board.freshPrice(exposure.exchangeSymbol, turn.steady, referencePriceAgeMaxMs) : null;
  // Options, and markets beyond the first ones, are followed from their first order on.
  const isWanting = helps && reference === null;
  if (isWanting && board.listed(exposure.exchangeSymbol) !== null) turn.followPrice(exposure.exchangeSymbol);
  if (needsReference && reference === null) {
    const age = `younger than ${referencePriceAgeMaxMs} ms`;
    const { exchangeSymbol, symbol = exchangeSymbol } = exposure;
    const name = marketName(symbol, exchangeSymbol);
    const again = words === FIX_WORDS ? '' : ', the exchange is asked for it; enter the trade again shortly';
    const refusal = exceedsLimit(`No reference price of ${name} ${age}: the limits cannot be checked now${again}`);
    const isFirst = board.listed(exchangeSymbol) !== null && !board.hasPrice(exchangeSymbol);
    return isFirst ? { ...refusal, lacksPriceOf: exchangeSymbol } : refusal;
  }
  if (notionalMax !== null) {
    const rules = board.rules(exposure.exchangeSymbol);
    // An order names a market that is listed; a leg of a negotiated trade any.
    if (rules === null) {
      return exceedsLimit(`${exposure.exchangeSymbol} is not listed, so the value of its contracts is unknown`);
    }
    const worth = worthOf(exposure, reference?.price ?? null);
    const multiplier = rules.contractMultiplier;
    // A leg that is negotiated may have a price below zero.
    const notional = orderQty.multiply(worth.price).multiply(multiplier).abs();
    if (notional.compare(notionalMax) > 0) {
      const units = multiplier.equals(ONE) ? '' : ` times ${words.multiplier}=${multiplier.trimmed()}`;
      const sum = `${words.quantity}=${orderQty}${units} at ${worth.name}${worth.price} is ${notional.trimmed()}`;
      return exceedsLimit(`${sum}, over ${limits.whose}'s limit of ${notionalMax} per order`);
    }
  }
  if (price === null || priceBandPercent === null) return null;
  const distance = price.subtract(reference!.price).abs().multiply(HUNDRED);
  if (distance.compare(reference!.price.multiply(priceBandPercent)) <= 0) return null;
  return outsidePriceBand(
    `${words.price}=${price} is more than ${priceBandPercent} % away from the reference price ${reference!.price}`,
  );
}

/**
 * Possible value of one unit: a sell trades at its price or above, so below the market it may bring the market's price.
 */
function worthOf(
  { side, price, stopPx, words = FIX_WORDS }: Exposure,
  reference: Decimal | null,
): { name: string; price: Decimal } {
  const limit = price === null ? null : { name: `${words.price}=`, price };
  if (limit !== null && side === '1') return limit;
  const stop = stopPx === null ? null : { name: 'StopPx(99)=', price: stopPx };
  const market = stop ?? (reference === null ? null : { name: 'reference price ', price: reference });
  if (limit === null) return market!;
  // Far below zero, as a negotiated price may be, the seller pays more than the market does.
  return market !== null && market.price.compare(limit.price.abs()) > 0 ? market : limit;
}

/** True if one more order may be open on the session and on the account, counting orders of all sessions there. */
export function openOrdersRefusal(
  state: GatewayState,
  session: SessionState,
  tradingAccountId: string,
): Refusal | null {
  for (const limits of limitsOf(state, session, tradingAccountId)) {
    const { openOrdersMax, whose } = limits;
    const isSession = limits === session.limits;
    const { registry } = state;
    const open = isSession
      ? registry.openOrderCount(session.config.sessionId)
      : registry.openOrderCountOf(tradingAccountId);
    if (openOrdersMax === null || open < openOrdersMax) continue;
    const name = `${whose[0]!.toUpperCase()}${whose.slice(1)}`;
    return exceedsLimit(`${name} has ${open} open orders; its limit is ${openOrdersMax}`);
  }
  return null;
}

/**
 * Whether one more order or replacement may go out now by the rates of session and account; if so it is counted. The last
 * check of all, so that nothing is counted that was refused. Cancels are never asked (rule C3).
 */
export function rateRefusal(
  state: GatewayState,
  session: SessionState,
  tradingAccountId: string,
  now: EpochMs,
): Refusal | null {
  for (const { rate, whose } of limitsOf(state, session, tradingAccountId)) {
    const wait = rate?.waitMs(now) ?? 0;
    if (wait === 0) continue;
    return rateExceeded(`More than ${rate!.max} orders per second on ${whose}: send it again in ${wait} ms`);
  }
  for (const { rate } of limitsOf(state, session, tradingAccountId)) rate?.take(now);
  return null;
}
