// Every status reason code of orders, made by the exchange on purpose and heard by the client: the error notice and the order
// carry the same code, whatever it is, and the registry has words for it (exchange catalogue, Appendix D).

import { expect, test } from 'vitest';
import { STATUS_REASONS, statusReasonText } from '../../src/exchange/mod.ts';
import { reasonOf } from '../../src/simulator/order.ts';
import { isFeed, isOrder, limitBuy, openVenue } from './venue.ts';

const CODES = [...Object.keys(STATUS_REASONS.order), ...Object.keys(STATUS_REASONS.mmp)];

test('an order that is refused after its acknowledgement says why, for each code there is', async () => {
  const venue = await openVenue();
  try {
    const rates = { ordersPerSecond: 1e6, otherPerSecond: 1e6, addressPer10Seconds: 1e7 };
    const { client, events, until } = venue.connect({ referenceSymbols: [], auctionSymbols: [], rates });
    await client.start();
    await until(isFeed('private', true));
    const heard: string[] = [];
    for (const [i, code] of CODES.entries()) {
      const clientOrderId = String(i + 1);
      venue.simulator.control.armRejection({ reason: reasonOf(Number(code))! });
      expect((await client.submit(code, limitBuy(clientOrderId))).kind).toBe('accepted');
      const { order } = await until(isOrder(clientOrderId, 'REJECTED'));
      const notice = events.find((event) => event.kind === 'errorNotice' && event.notice.orderId === order.orderId);
      const noticed = notice?.kind === 'errorNotice' ? notice.notice.errorCode : null;
      if (noticed === code && statusReasonText(code) !== null) heard.push(order.statusReasonCode ?? '');
    }
    expect(heard).toEqual(CODES);
    expect(CODES.length).toBeGreaterThan(80);
  } finally {
    await venue.close();
  }
});
