// A desk with an order that only a cancel and a new order can replace (rule O6), for the tests of that.

import type { GatewayConfig } from '../../src/gateway/mod.ts';
import { Desk, gatewayConfig, LIMIT } from './desk.ts';

export const REPLACE = '35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|38=5|44=101|';

/** A desk with order o-1 (2 at 100) working as 9001 with 0.5 filled, so that it cannot be amended. */
export function partlyFilled(session = {}, more: Partial<GatewayConfig> = {}): Desk {
  const desk = new Desk(gatewayConfig({ replaceByCancelAndNew: true, ...session }, more));
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.trade({});
  desk.order({ quantityFilled: '0.5', publishedAt: desk.now + 1 });
  return desk;
}

/** Word of the exchange that the order was cancelled on request, with so much filled. */
export const cancelled = (filled: string, more = {}) =>
  ({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: filled, publishedAt: 9e12, ...more }) as const;
