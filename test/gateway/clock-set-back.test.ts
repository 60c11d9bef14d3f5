// A clock that is set back under the gateway: whatever is measured in seconds takes as many.

import { expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../src/base/time.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import {
  ACCOUNT,
  Desk,
  exchangeOrder,
  field,
  gatewayConfig,
  LIMIT,
  SESSION,
  sessionConfig,
  summary,
  workingDesk,
} from './desk.ts';

const HOUR_MS = 3_600_000;

function setBack(desk: Desk): void {
  desk.now -= HOUR_MS;
  desk.feed({ kind: 'tick' });
}

test('U2 an unknown order is looked up in time', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  setBack(desk);
  expect(desk.alarmNames()).toContain('clock-set-back');
  desk.advance(60_000);
  expect(desk.lookups).toHaveLength(1);
});

test('S7 an order that waits for its turn goes out in time', () => {
  const desk = new Desk();
  const at = formatUtcTimestamp(desk.now);
  const view = viewOf(fromPrintable(`35=D|34=1|49=OMS|56=XG|52=${at}|60=${at}|${LIMIT.slice(5)}`, 'FIX.4.4'))!;
  desk.feed({ kind: 'throttled', sessionId: SESSION, view, possDup: false, excess: 'hold', waitMs: 40 });
  // Set back by more than a minute or two, its age is not known any more, and it is refused (rule O4).
  desk.now -= 60_000;
  desk.feed({ kind: 'tick' });
  desk.advance(39);
  expect(desk.submitted).toEqual([]);
  desk.advance(1);
  expect(desk.submitted.map(({ command }) => command.kind)).toEqual(['createOrder']);
});

/** Whatever the exchange is asked, it says that the order works. */
function asked(desk: Desk, ms: number): string[] {
  return desk.answers(() => {
    for (let passed = 0; passed < ms; passed += 500) {
      desk.advance(500);
      for (const { lookupId } of desk.lookups.splice(0)) {
        const order = exchangeOrder({ publishedAt: null }, desk.now);
        desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [] } });
      }
    }
  });
}

test.each([
  ['set back', setBack],
  [
    'set back before a restart',
    (desk: Desk) => {
      desk.now -= HOUR_MS;
      desk.restart();
    },
  ],
])('D8 an F that the exchange took and did not carry out is refused in time: %s', (_, setClockBack) => {
  const desk = workingDesk();
  desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
  desk.accepted();
  setClockBack(desk);
  expect(summary(asked(desk, 9_000))).toEqual([]);
  expect(summary(asked(desk, 30_000))).toEqual(['9/1']);
});

test('D8 an F that is refused though the order works is answered once the exchange says so', () => {
  const desk = workingDesk();
  desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
  desk.refused(400, '3032', 'closed');
  setBack(desk);
  expect(summary(asked(desk, 1_000))).toEqual(['9/1']);
});

test('C1 a grace ends in time', () => {
  const desk = new Desk(gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 3_000 } }));
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  setBack(desk);
  desk.advance(2_999);
  expect(desk.last().command.kind).toBe('createOrder');
  desk.advance(1);
  expect(desk.last().command.kind).toBe('cancelOrder');
});

test('C1 a grace ends in time though the clock was set back before a restart', () => {
  const desk = new Desk(gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 3_000 } }));
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.now -= HOUR_MS;
  desk.restart();
  desk.advance(3_000);
  expect(desk.last().command.kind).toBe('cancelOrder');
});

test("C2 a dead man's switch is armed again before it fires", () => {
  const cancelOnDisconnect = { on: 'both', graceMs: 0, scope: 'account', deadMansSwitchS: 15 } as const;
  const desk = new Desk(gatewayConfig({ cancelOnDisconnect }, { exclusiveAccounts: [ACCOUNT] }));
  desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  desk.accepted();
  setBack(desk);
  desk.advance(5_000);
  expect(desk.submitted.map(({ command }) => command.kind)).toEqual(['delayedCancelAll', 'delayedCancelAll']);
});

test('O12 a price that was stale stays so, and a rate limit has room again after its second', () => {
  const limits = { ...sessionConfig().limits, priceBandPercent: '5', ordersPerSecond: 1 };
  const desk = new Desk(gatewayConfig({ limits }));
  desk.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
  desk.oms(LIMIT);
  expect(desk.submitted).toHaveLength(1);
  setBack(desk);
  desk.advance(1_000);
  desk.oms(LIMIT.replace('o-1', 'o-2'));
  expect(desk.submitted).toHaveLength(2);
  desk.advance(59_001);
  expect(field(desk.oms(LIMIT.replace('o-1', 'o-3'))[0], 58)).toContain('reference price');
});

test('D4 reports a halting platform in time', () => {
  const desk = new Desk(gatewayConfig({ dialect: 'venue' }));
  desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false });
  setBack(desk);
  expect(desk.advance(4_999)).toEqual([]);
  expect(desk.advance(1).map((text) => field(text, 340))).toEqual(['1']);
});

test('O1 a fill that is more than its order waits no longer for an increase', () => {
  const desk = workingDesk();
  expect(desk.trade({ quantity: '5' })).toEqual([]);
  setBack(desk);
  const reported = summary(desk.advance(5_000));
  expect(reported).toHaveLength(1);
  expect(reported[0]).toMatch(/^F/);
});
