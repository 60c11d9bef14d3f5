// A postponed auction: its orders keep working, and the OMS hears it of each of them, once. And phases that come out of order.

import { expect, test } from 'vitest';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { Desk, field, gatewayConfig, LIMIT, T0 } from '../desk.ts';

const GTX = LIMIT.replace('59=1', '59=5');

/** One GTX order, one still without an answer, one that is not in the auction. */
function inAuction(session: Partial<GatewaySessionConfig> = {}): Desk {
  const desk = new Desk(gatewayConfig(session));
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  desk.oms(GTX.replace('o-1', 'o-2'));
  desk.oms(LIMIT.replace('o-1', 'o-3'));
  desk.order({ orderId: '9003', clientOrderId: '3' });
  return desk;
}

const postponed = (desk: Desk, minutes: number): string[] =>
  desk.phase({
    eventType: 'AUCTION_CROSS_POSTPONED',
    phase: 'LOCKDOWN',
    scheduledCrossTime: T0 + minutes * 60_000,
    cancelAuctionOrderEnabled: false,
  });

test.each<[string, Partial<GatewaySessionConfig>, string | null]>([
  ['FIX.4.2', { beginString: 'FIX.4.2' }, '4'],
  ['FIX.4.4', {}, '8'],
  ['FIX.4.4 venue', { dialect: 'venue' }, null],
  ['FIX.5.0SP2', { beginString: 'FIXT.1.1' }, '8'],
])('reports a postponed auction once per working order, as Restated with its status: %s', (_, session, reason) => {
  const desk = inAuction(session);
  const [restated, ...more] = postponed(desk, 10);
  expect(more).toEqual([]);
  expect([11, 150, 39, 378, 151, 17].map((tag) => field(restated, tag))).toEqual([
    'o-1',
    'D',
    '0',
    reason,
    '2',
    `9001-D-A-1-${T0 + 600_000}`,
  ]);
  expect(field(restated, 58)).toBe(
    'Auction A-1 is postponed, its cross is to come at 20260105-12:10:00.000; the order keeps working',
  );
  // Said again, also to the process after this one, it is no news; another time is.
  expect(postponed(desk, 10)).toEqual([]);
  desk.restart();
  expect(desk.answers(() => postponed(desk, 10))).toEqual([]);
  expect(postponed(desk, 20).map((text) => field(text, 150))).toEqual(['D']);
  expect(postponed(desk, 10)).toEqual([]);
});

test('reports a postponed auction in a status of its orders too', () => {
  const desk = inAuction();
  postponed(desk, 10);
  expect(field(desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|')[0], 58)).toContain('postponed');
});

test("T3 ignores an earlier auction's phase, out of order or from a stale snapshot", () => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({ auctionId: 'A-2', startTime: T0 });
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  const before = { auctionId: 'A-1', startTime: T0 - 86_400_000 } as const;
  desk.phase({ ...before, phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN', cancelAuctionOrderEnabled: false });
  desk.phase({ ...before, phase: 'CROSS', eventType: 'AUCTION_CROSS_COMPLETED' });
  expect(desk.alarmNames()).toEqual([]);
  expect(desk.submitted).toHaveLength(1);
  // Nor does it forbid what the present one allows.
  expect(field(desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|')[0], 39)).toBe('6');
});
