// Many cancels as one command on exclusive accounts (rule C3), and singly everywhere else.

import { describe, expect, test } from 'vitest';
import { ACCOUNT, Desk, field, gatewayConfig, LIMIT, SESSION, sessionConfig, summary, textOf } from '../desk.ts';

const RISK = 'FIX.4.4:XG->RISK';

function working(count: number, exclusive = true): Desk {
  const limits = { ...sessionConfig().limits, openOrdersMax: 1_000 };
  const sessions = [sessionConfig({ limits }), sessionConfig({ sessionId: RISK, reach: 'accounts' })];
  const desk = new Desk(gatewayConfig({}, { sessions, ...(exclusive ? { exclusiveAccounts: [ACCOUNT] } : {}) }));
  for (let i = 1; i <= count; i++) enter(desk, i, 'BTCUSDC');
  return desk;
}

function enter(desk: Desk, i: number, symbol: string): void {
  desk.oms(LIMIT.replace('o-1', `o-${i}`).replace('BTCUSDC', symbol));
  desk.accepted(undefined, `${9000 + i}`);
  desk.order({ orderId: `${9000 + i}`, clientOrderId: `${i}`, symbol });
}

const end = (desk: Desk, i: number): string[] =>
  desk.order({ orderId: `${9000 + i}`, clientOrderId: `${i}`, status: 'CANCELLED', statusReasonCode: '6005' });
const down = (desk: Desk): void => void desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });

describe('many cancels', () => {
  test('C3 on an exclusive account go as one cancel-all; each order is reported by itself', () => {
    const desk = working(12);
    down(desk);
    expect(desk.submitted.slice(12).map(({ command }) => command)).toEqual([
      { kind: 'cancelAll', tradingAccountId: ACCOUNT },
    ]);
    desk.accepted();
    for (let i = 1; i <= 12; i++) expect(summary(end(desk, i))).toEqual(['4/4']);
    expect(desk.gateway.settled()).toBe(true);
  });

  test('C1 X3 cancels an order with an unanswered create singly: a cancel-all may overtake it', () => {
    for (const isUnknown of [false, true]) {
      const desk = working(12);
      desk.oms(LIMIT.replace('o-1', 'o-13'));
      if (isUnknown) desk.unknown();
      down(desk);
      expect(desk.submitted.slice(13).map(({ command }) => command)).toMatchObject([
        { kind: 'cancelAll' },
        { kind: 'cancelOrder', clientOrderId: '13', orderId: null },
      ]);
    }
  });

  test('C3 of one market go as a cancel of that market when other markets stay', () => {
    const desk = working(10);
    enter(desk, 11, 'ETHUSDC');
    const answers = desk.oms('35=q|11=q-1|530=1|55=BTCUSDC|');
    expect(field(answers[0], 533)).toBe('10');
    const command = { kind: 'cancelAllByMarket', symbol: 'BTCUSDC', tradingAccountId: ACCOUNT };
    expect(desk.submitted.slice(11).map((submitted) => submitted.command)).toEqual([command]);
    desk.accepted();
    expect(summary(end(desk, 1))).toEqual(['4/4']);
  });

  test.each([
    ['few', working(9)],
    ['on an account that others trade', working(12, false)],
  ])('C3 %s go one by one', (_, desk) => {
    const open = desk.submitted.length;
    down(desk);
    expect(desk.submitted.slice(open).every(({ command }) => command.kind === 'cancelOrder')).toBe(true);
    expect(desk.submitted).toHaveLength(2 * open);
  });

  test("C3 single cancels of many alternate with the session's own requests", () => {
    const desk = working(12, false);
    desk.oms('35=F|11=f-1|41=o-1|55=BTCUSDC|54=1|');
    desk.oms('35=q|11=q-1|530=7|');
    const sent = desk.submitted.slice(12).map(({ isOneOfMany = false }) => isOneOfMany);
    expect(sent[0]).toBe(false);
    expect(sent.slice(1).length).toBeGreaterThanOrEqual(11);
    expect(sent.slice(1).every((isOneOfMany) => isOneOfMany)).toBe(true);
  });

  test('alarms singly for five of many long-pending cancels, and once for the others', () => {
    const desk = working(12, false);
    down(desk);
    desk.advance(70_000);
    const told = desk.alarms.filter(({ alarm }) => alarm === 'order-pending');
    expect(told).toHaveLength(6);
    expect(new Set(told.slice(0, 5).map(({ fields }) => fields.clOrdID)).size).toBe(5);
    expect(told[5]!.text).toBe(`7 more orders of account ${ACCOUNT}, with the same alarm as the ones before`);
    expect(told[5]!.fields.clOrdIDs!.split(',')).toHaveLength(7);
  });

  test('C3 never touches an order without a cancel request: then they go singly', () => {
    const desk = working(12);
    const answers = desk.oms('35=q|11=q-1|530=7|54=1|');
    desk.oms('35=D|11=s-1|1=ACC1|55=BTCUSDC|54=2|38=2|40=2|44=100|59=1|');
    expect(field(answers[0], 533)).toBe('12');
    expect(desk.submitted[12]!.command.kind).toBe('cancelAll');
    const mixed = working(12);
    mixed.oms('35=D|11=s-1|1=ACC1|55=BTCUSDC|54=2|38=2|40=2|44=100|59=1|');
    mixed.oms('35=q|11=q-1|530=7|54=1|');
    expect(mixed.submitted.slice(13).every(({ command }) => command.kind === 'cancelOrder')).toBe(true);
  });

  test('C3 a refused cancel-all is followed by a cancel of each order; one without an answer by look-ups', () => {
    const desk = working(12);
    down(desk);
    desk.refused(400, '1000', 'not today');
    desk.advance(500);
    expect(desk.submitted.slice(13).map(({ command }) => command.kind)).toEqual(Array(12).fill('cancelOrder'));
    const other = working(12);
    down(other);
    other.unknown();
    other.advance(500);
    expect(other.lookups).toHaveLength(12);
  });

  test('C3 D12 follows a refused cancel-all of a q at once with single cancels for that q', () => {
    const desk = working(12);
    const answers = desk.oms('35=q|11=q-1|530=7|');
    const massActionReportID = field(answers[0], 1369);
    desk.refused(400, '1000', 'not today');
    const single = desk.submitted.slice(13);
    expect(single.map(({ command }) => command.kind)).toEqual(Array(12).fill('cancelOrder'));
    expect(new Set(single.map(({ command }) => 'orderId' in command && command.orderId)).size).toBe(12);
    for (const { commandId } of single.slice(1)) desk.accepted(commandId);
    const [report] = end(desk, 2);
    expect(summary([report!])).toEqual(['4/4']);
    expect(field(report, 1369)).toBe(massActionReportID);
    expect(field(report, 58)).toContain('ClOrdID(11)=q-1');
    // A singly refused one stays open, and operators are alerted.
    desk.refused(400, '1000', 'not this one', single[0]!.commandId);
    expect(desk.alarmNames()).toEqual(['cancel-incomplete']);
    expect(desk.gateway.settled()).toBe(false);
    for (let i = 3; i <= 12; i++) end(desk, i);
    expect(desk.gateway.settled()).toBe(true);
    expect(desk.gateway.openOrderCount(SESSION)).toBe(1);
  });

  test('C3 D12 behind a cancel-all that the exchange took for a q no order is cancelled by itself as well', () => {
    const desk = working(12);
    desk.oms('35=q|11=q-1|530=7|');
    desk.accepted(undefined, null, 'r-1');
    expect(desk.submitted.slice(13)).toEqual([]);
    for (let i = 1; i <= 12; i++) expect(summary(end(desk, i))).toEqual(['4/4']);
    expect(desk.gateway.settled()).toBe(true);
  });

  test("C3 O7 follows a refused cancel-all of another session's q with single cancels for that session", () => {
    const desk = working(12);
    desk.oms('35=q|11=q-1|530=7|', { sessionId: RISK });
    expect(desk.last().command.kind).toBe('cancelAll');
    desk.refused(400, '1000', 'not today');
    const single = desk.submitted.slice(13);
    expect(single.map(({ command }) => command.kind)).toEqual(Array(12).fill('cancelOrder'));
    const from = desk.effects.length;
    desk.refused(400, '1000', 'not this one', single[0]!.commandId);
    desk.accepted(single[1]!.commandId);
    end(desk, 2);
    const sent = desk.effects.slice(from).filter((effect) => effect.kind === 'send');
    const told = sent.filter(({ sessionId }) => sessionId === RISK).map(({ draft }) => textOf(draft));
    expect(told.map((text) => [35, 150, 11, 37].map((tag) => field(text, tag)))).toEqual([
      ['9', null, 'q-1', '9001'],
      ['8', '4', 'q-1', '9002'],
    ]);
  });
});
