// Risk limits, checked before the exchange hears of an order or of its new terms (rule O12). Every path that creates or
// changes an order comes through here.

import { Decimal } from '../base/decimal.ts';
import type { EpochMs } from '../base/time.ts';
import type { MarketBoard } from './market-board.ts';
import { exceedsLimit, outsidePriceBand, type Refusal } from './refusal.ts';
import type { SessionState } from './state.ts';

const HUNDRED = new Decimal(100n, 0);

/** What is about to work on the exchange. */
export interface Exposure {
  readonly exchangeSymbol: string;
  readonly price: Decimal | null;
  readonly orderQty: Decimal;
}

/** The limit that the terms break, or null. */
export function limitRefusal(
  session: SessionState,
  board: MarketBoard,
  now: EpochMs,
  exposure: Exposure,
): Refusal | null {
  const { limits } = session;
  const { orderQty, price } = exposure;
  if (orderQty.compare(limits.orderQtyMax) > 0) {
    return exceedsLimit(`OrderQty(38)=${orderQty} exceeds this session's limit of ${limits.orderQtyMax} per order`);
  }
  const needsReference = price === null || limits.priceBandPercent !== null;
  const reference = needsReference
    ? board.freshPrice(exposure.exchangeSymbol, now, limits.referencePriceAgeMaxMs)
    : null;
  if (needsReference && reference === null) {
    const age = `younger than ${limits.referencePriceAgeMaxMs} ms`;
    return exceedsLimit(`No reference price of ${exposure.exchangeSymbol} ${age}: the limits cannot be checked now`);
  }
  const notional = orderQty.multiply(price ?? reference!.price);
  if (notional.compare(limits.notionalMax) > 0) {
    const at = price === null ? `reference price ${reference!.price}` : `Price(44)=${price}`;
    const sum = `OrderQty(38)=${orderQty} at ${at} is ${notional.trimmed()}`;
    return exceedsLimit(`${sum}, over this session's limit of ${limits.notionalMax} per order`);
  }
  if (price === null || limits.priceBandPercent === null) return null;
  const distance = price.subtract(reference!.price).abs().multiply(HUNDRED);
  if (distance.compare(reference!.price.multiply(limits.priceBandPercent)) <= 0) return null;
  return outsidePriceBand(
    `Price(44)=${price} is more than ${limits.priceBandPercent} % away from the reference price ${reference!.price}`,
  );
}

/** Whether one more order may be open on the session. */
export function openOrdersRefusal(session: SessionState, openOrders: number): Refusal | null {
  const { openOrdersMax } = session.limits;
  if (openOrders < openOrdersMax) return null;
  return exceedsLimit(`This session has ${openOrders} open orders; its limit is ${openOrdersMax}`);
}
