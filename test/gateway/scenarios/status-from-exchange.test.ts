// Status requests that the exchange is asked about first (rule D15).

import { expect, test } from 'vitest';
import type { LookupOutcome } from '../../../src/exchange/mod.ts';
import { Desk, exchangeOrder, exchangeTrade, field, gatewayConfig, LIMIT } from '../desk.ts';

function working(count: number, statusFromExchange = true): Desk {
  const desk = new Desk(gatewayConfig({ statusFromExchange }));
  for (let i = 1; i <= count; i++) {
    desk.oms(LIMIT.replace('o-1', `o-${i}`));
    desk.accepted(undefined, `${9000 + i}`);
    desk.order({ orderId: `${9000 + i}`, clientOrderId: `${i}` });
  }
  return desk;
}

const H = '35=H|11=o-1|790=s-1|1=ACC1|55=BTCUSDC|54=1|';
const AF = '35=AF|584=m-1|585=7|';

test('D15 H is answered once the exchange was asked: a fill that the stream lost is reported first', () => {
  const desk = working(1);
  expect(desk.oms(H)).toEqual([]);
  desk.advance(0);
  const { lookupId } = desk.lookups[0]!;
  const order = exchangeOrder({ quantityFilled: '0.5' }, desk.now);
  const outcome = { kind: 'found', order, trades: [exchangeTrade({}, desk.now)] } as const;
  const answers = desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome }));
  expect(answers.map((text) => field(text, 150))).toEqual(['F', 'I']);
  expect([field(answers[1], 790), field(answers[1], 39), field(answers[1], 14)]).toEqual(['s-1', '1', '0.5']);
});

test('D15 answers an H that arrived while the stream settled the order before its look-up', () => {
  const desk = new Desk(gatewayConfig({ statusFromExchange: true }));
  desk.oms(LIMIT);
  desk.unknown();
  desk.advance(500);
  const { lookupId } = desk.lookups[0]!;
  expect(desk.oms(H)).toEqual([]);
  desk.order({});
  expect(desk.gateway.isLookupWanted(lookupId)).toBe(true);
  const outcome = { kind: 'found', order: exchangeOrder({}, desk.now), trades: [] } as const;
  const [answer] = desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome }));
  expect([field(answer, 790), field(answer, 39)]).toEqual(['s-1', '0']);
});

test('D15 an exchange that cannot be asked: the answer comes from the book and says so', () => {
  const desk = working(1);
  desk.oms(H);
  desk.advance(0);
  const outcome = { kind: 'failed', message: 'no answer' } as const;
  const [answer] = desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId: desk.lookups[0]!.lookupId, outcome }));
  expect(field(answer, 58)).toBe("From the gateway's book: the exchange could not be asked");
  expect(field(answer, 39)).toBe('0');
});

test('D15 answers from the book, and says so, for an accepted order that the exchange does not find', () => {
  const desk = working(1);
  const asked = (outcome: LookupOutcome): string[] => {
    desk.oms(H);
    desk.advance(0);
    const { lookupId } = desk.lookups.at(-1)!;
    return desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome }));
  };
  const [lost] = asked({ kind: 'absent', final: true });
  expect([field(lost, 39), field(lost, 58)]).toEqual([
    '0',
    "From the gateway's book: the exchange was asked, and does not find the order",
  ]);
  const [found] = asked({ kind: 'found', order: exchangeOrder({}, desk.now), trades: [] });
  expect([field(found, 39), field(found, 58)]).toEqual(['0', null]);
});

test('D15 AF waits for all of its orders; one that ends meanwhile is answered as ended', () => {
  const desk = working(3);
  expect(desk.oms(AF)).toEqual([]);
  desk.advance(0);
  expect(desk.lookups).toHaveLength(3);
  const found = (i: number): string[] => {
    const lookup = desk.lookups.find(({ orderId }) => orderId === `${9000 + i}`)!;
    const order = exchangeOrder({ orderId: `${9000 + i}`, clientOrderId: `${i}` }, desk.now);
    const outcome = { kind: 'found', order, trades: [] } as const;
    return desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId: lookup.lookupId, outcome }));
  };
  expect(found(3)).toEqual([]);
  desk.order({ orderId: '9002', clientOrderId: '2', status: 'CANCELLED', statusReasonCode: '6005' });
  const answers = found(1);
  expect(answers.map((text) => [field(text, 11), field(text, 39), field(text, 912)])).toEqual([
    ['o-1', '0', 'N'],
    ['o-2', '4', 'N'],
    ['o-3', '0', 'Y'],
  ]);
});

test('D15 an ended order, and every order without the setting, is answered from the book at once', () => {
  const desk = working(1);
  desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
  expect(desk.oms(H).map((text) => field(text, 39))).toEqual(['4']);
  expect(
    working(1, false)
      .oms(H)
      .map((text) => field(text, 39)),
  ).toEqual(['0']);
});

test('D15 forgets each answered H, so that the thousand places are not used up', () => {
  const desk = working(1);
  const order = exchangeOrder({}, desk.now);
  for (let asked = 0; asked < 1_001; asked++) {
    expect(desk.oms(H)).toEqual([]);
    desk.advance(0);
    const { lookupId } = desk.lookups.at(-1)!;
    const outcome = { kind: 'found', order, trades: [] } as const;
    const answers = desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome }));
    expect(answers.map((text) => field(text, 150))).toEqual(['I']);
  }
});
