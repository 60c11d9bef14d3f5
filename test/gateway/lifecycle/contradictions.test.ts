// Contradictions to earlier events: a refused cancel without its requester, and an ended order that works.

import { expect, test } from 'vitest';
import { Desk, exchangeOrder, exchangeTrade, LIMIT, SESSION, summary, T0 } from '../desk.ts';

const CANCEL = '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=2|';

function live(): Desk {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  return desk;
}

const cancels = (desk: Desk): number => desk.submitted.filter(({ command }) => command.kind === 'cancelOrder').length;

test("C1 cancels an order at the session's end even if its own pending F fails", () => {
  const fates: ((desk: Desk) => unknown)[] = [
    (desk) => desk.refused(429, '96000', 'rate limit'),
    (desk) => desk.refused(null, null, 'waited too long'),
    (desk) => desk.refused(400, '1000', 'not now'),
    (desk) => desk.unknown(),
  ];
  for (const end of ['disconnect', 'shutdown'] as const) {
    for (const fate of fates) {
      const desk = live();
      desk.oms(CANCEL);
      desk.feed({ kind: 'sessionDown', sessionId: SESSION, end });
      expect(cancels(desk)).toBe(1);
      expect(desk.gateway.settled()).toBe(false);
      fate(desk);
      desk.advance(0);
      expect(cancels(desk)).toBe(2);
      expect(summary(desk.order({ status: 'CANCELLED', statusReasonCode: '6005' }))[0]).toBe('4/4');
      desk.advance(60_000);
      expect(cancels(desk)).toBe(2);
    }
  }
});

/** Every cancel is acknowledged, and the order found working long after. */
function ignoredFor(desk: Desk): void {
  for (let i = 0; i < 40 && !desk.alarmNames().includes('cancel-incomplete'); i++) {
    if (desk.last().command.kind === 'cancelOrder') desk.accepted();
    desk.advance(12_000);
    for (const { lookupId } of desk.lookups.splice(0)) {
      const order = exchangeOrder({ publishedAt: null }, desk.now);
      desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [], final: true } });
    }
  }
}

test('C1 an F under way that cancels leaves nothing to do, whether the session ended meanwhile or not', () => {
  const desk = live();
  desk.oms(CANCEL);
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.accepted();
  expect(summary(desk.order({ status: 'CANCELLED', statusReasonCode: '6005' }))).toEqual(['4/4']);
  desk.advance(60_000);
  expect(cancels(desk)).toBe(1);
});

test('C1 that an order is to be cancelled once its F has failed survives the death of the process', () => {
  const desk = live();
  desk.oms(CANCEL);
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.restart();
  desk.advance(0);
  desk.order({});
  desk.advance(0);
  expect(cancels(desk)).toBe(2);
});

test('O1 cancels an ended order seen working, with an alarm, until it has ended, and never revives it', () => {
  const desk = live();
  desk.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: T0 + 10 });
  desk.now += 1_000;
  expect(desk.order({ publishedAt: T0 + 20 })).toEqual([]);
  expect(desk.alarmNames()).toEqual(['ended-order-works']);
  expect(cancels(desk)).toBe(1);
  // Said once while the cancel is under way; a refusal that says nothing of the order has it sent again.
  desk.order({ publishedAt: T0 + 30 });
  expect(cancels(desk)).toBe(1);
  desk.refused(429, '96000', 'rate limit');
  desk.advance(500);
  expect(cancels(desk)).toBe(2);
  expect(summary(desk.trade({ quantity: '0.5' }))).toEqual(['F/4']);
  desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.5', publishedAt: T0 + 40 });
  desk.advance(60_000);
  expect(cancels(desk)).toBe(2);
  expect(desk.alarmNames()).toEqual(['ended-order-works', 'late-fill']);
});

test.each([
  ['refuses it', (desk: Desk) => desk.refused(400, '6043', 'no cancels now')],
  ['acknowledged it and did nothing', ignoredFor],
])('U2 alarms that an ended order works on, where the exchange %s', (_, fate) => {
  const desk = live();
  desk.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: T0 + 10 });
  desk.now += 1_000;
  desk.order({ publishedAt: T0 + 20 });
  fate(desk);
  expect(desk.alarmNames()).toContain('cancel-incomplete');
  const [alarm] = desk.alarms.filter(({ alarm: name }) => name === 'cancel-incomplete');
  expect(alarm?.text).toMatch(/^The order was reported as ended, could not be cancelled and works at the exchange: /);
  expect(summary(desk.sent)).toEqual(['0/0', '4/4']);
  // The next word of it has it cancelled again.
  const before = cancels(desk);
  desk.order({ publishedAt: desk.now + 30_000 });
  expect(cancels(desk)).toBe(before + 1);
  // And is reported as it is: no one heard that it was rejected as unknown.
  expect(desk.alarmNames().filter((name) => name !== 'cancel-incomplete')).toEqual(Array(2).fill('ended-order-works'));
  // Gone, it causes no more trouble, and a later refusal says nothing.
  desk.refused(429, '96000', 'rate limit');
  desk.order({ status: 'CANCELLED', statusReasonCode: '6005', publishedAt: desk.now + 40_000 });
  desk.advance(60_000);
  expect(cancels(desk)).toBe(before + 1);
  expect(desk.alarmNames().filter((name) => name === 'cancel-incomplete')).toHaveLength(1);
});

test('U2 a cancel under way of an order that the exchange turns out not to know raises no alarm', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.advance(500);
  desk.feed({ kind: 'lookedUp', lookupId: desk.lookups[0]!.lookupId, outcome: { kind: 'absent', final: true } });
  expect(summary(desk.sent)).toEqual(['8/8']);
  desk.refused(400, '3002', 'not found');
  expect(desk.alarmNames()).toEqual(['outcome-open']);
});

test('T4 repeats the cancel of an auction order that works after its reported end, by phase', () => {
  const desk = new Desk();
  desk.oms(LIMIT.replace('59=1', '59=5'));
  desk.accepted(undefined, '9001');
  desk.order({ timeInForce: 'GTX' });
  desk.order({ timeInForce: 'GTX', status: 'CANCELLED', statusReasonCode: '6024', publishedAt: T0 + 10 });
  desk.now += 1_000;
  desk.order({ timeInForce: 'GTX', publishedAt: T0 + 20 });
  desk.refused(400, '3085', 'not in this phase');
  desk.advance(500);
  expect(cancels(desk)).toBe(2);
});

test('O1 the same holds for an order that the exchange had refused, and after a restart', () => {
  const refused = new Desk();
  refused.oms(LIMIT);
  refused.refused(400, '2001', 'no');
  refused.order({});
  expect([refused.alarmNames(), cancels(refused)]).toEqual([['ended-order-works'], 1]);

  const restarted = live();
  restarted.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: T0 + 10 });
  restarted.restart();
  restarted.order({ publishedAt: T0 + 20 });
  expect([restarted.alarmNames(), cancels(restarted)]).toEqual([['ended-order-works'], 1]);
});

test('O1 takes an update not later than the end, without a time, or behind a full fill as no contradiction', () => {
  const desk = live();
  desk.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: T0 + 10 });
  for (const publishedAt of [T0 + 9, T0 + 10, null]) desk.order({ publishedAt });
  expect([desk.alarmNames(), cancels(desk)]).toEqual([[], 0]);

  // Frames may overtake each other: the end that came last was said before what came first.
  const overtaken = live();
  overtaken.order({ publishedAt: T0 + 20 });
  overtaken.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: T0 + 10 });
  overtaken.order({ publishedAt: T0 + 15 });
  expect([overtaken.gateway.findOrder(SESSION, 'o-1')?.ordStatus, cancels(overtaken)]).toEqual(['4', 0]);

  const filled = live();
  filled.trade({ quantity: '2' });
  filled.order({ quantityFilled: '1', publishedAt: T0 + 5 });
  expect([filled.alarmNames(), cancels(filled)]).toEqual([[], 0]);
});

test.for([
  ['left', () => {}],
  ['was refused for the rate, and waits to be sent again', (desk: Desk) => desk.refused(429, '96000', 'rate limit')],
] as const)(
  'U2 the cancel of an ended order that works on survives the death of the process after it %s',
  ([, fate]) => {
    const desk = live();
    desk.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: T0 + 10 });
    desk.now += 1_000;
    desk.order({ publishedAt: T0 + 20 });
    fate(desk);
    desk.restart();
    desk.order({ publishedAt: null });
    desk.advance(0);
    for (const { lookupId } of desk.lookups.splice(0)) {
      const order = exchangeOrder({ publishedAt: null }, desk.now);
      desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [] } });
    }
    desk.advance(500);
    expect(cancels(desk)).toBe(2);
    desk.accepted();
    desk.order({ status: 'CANCELLED', statusReasonCode: '6005', publishedAt: T0 + 40 });
    desk.advance(60_000);
    expect([cancels(desk), desk.gateway.deadline()]).toEqual([2, null]);
  },
);

test('O1 the fills that an ended order misses are asked for by the next process, too', () => {
  const desk = live();
  desk.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: T0 + 10, quantityFilled: '0.5' });
  desk.advance(5_000);
  expect(desk.alarmNames()).toEqual(['trades-missing']);
  desk.restart();
  desk.lookups.length = 0;
  desk.advance(0);
  const order = exchangeOrder({ status: 'CANCELLED', quantityFilled: '0.5', publishedAt: null }, desk.now);
  const trades = [exchangeTrade({ quantity: '0.5' }, desk.now)];
  const [lookup] = desk.lookups;
  const told = desk.answers(() =>
    desk.feed({ kind: 'lookedUp', lookupId: lookup!.lookupId, outcome: { kind: 'found', order, trades } }),
  );
  expect(summary(told)).toEqual(['F/4']);
  expect(desk.gateway.deadline()).toBeNull();
});

test("U2 takes a frame from before a looked-up end as old, even with the exchange's clock ahead", () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  desk.advance(500);
  const { lookupId } = desk.lookups.at(-1)!;
  const order = exchangeOrder({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: null }, desk.now);
  desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [] } });
  expect(desk.gateway.findOrder(SESSION, 'o-1')?.ordStatus).toBe('4');
  desk.order({ publishedAt: desk.now + 50 });
  expect([cancels(desk), desk.alarmNames()]).toEqual([0, ['outcome-open']]);
});
