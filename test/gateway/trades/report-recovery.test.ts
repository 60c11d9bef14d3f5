// S9 recovery of reports on an order session: by the last ExecID and by time, after any reset.

import { describe, expect, test } from 'vitest';
import type { DataAnswer, ExchangeTrade } from '../../../src/exchange/mod.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { ACCOUNT, Desk, exchangeTrade, field, gatewayConfig, LIMIT, SESSION, T0 } from '../desk.ts';

const page = (trades: readonly ExchangeTrade[], next: string | null = null): DataAnswer => ({
  kind: 'trades',
  trades,
  next,
});

/** A desk with an order of 2 that was filled by 0.5, 0.7 and 0.8, and the reports of its fills. */
function filledDesk(more: Partial<GatewaySessionConfig> = {}) {
  const desk = new Desk(gatewayConfig(more));
  desk.oms(LIMIT);
  desk.order({});
  const trades = [
    { tradeId: '71', quantity: '0.5', price: '100' },
    { tradeId: '72', quantity: '0.7', price: '99' },
    { tradeId: '73', quantity: '0.8', price: '98' },
  ].map((fields, i) => exchangeTrade(fields, T0 + i));
  const reports = trades.flatMap((fill) => desk.trade(fill));
  return { desk, trades, reports };
}

const WITHOUT_97 = (text: string): string => text.replace('97=Y|', '').replace(/\|60=[^|]*/, '');

describe('DropCopyRequest(UDC) on an order session', () => {
  test('S9 brings the fills behind an ExecID as they were, with 97=Y, then statuses and News', () => {
    const { desk, trades, reports } = filledDesk();
    const [first] = reports;
    expect(desk.oms(`35=UDC|17=${field(first, 17)}|50=me|60=20260105-11:00:00|`)).toEqual([]);
    expect(desk.asked.at(-1)!.question).toMatchObject({ kind: 'trades', tradingAccountId: ACCOUNT, since: T0 });
    const sent = desk.answered(page([...trades].reverse()));
    expect(sent.map((text) => [35, 97, 150, 17, 14, 151, 6, 39].map((tag) => field(text, tag)))).toEqual([
      ['8', 'Y', 'F', field(reports[1], 17), '1.2', '0.8', '99.41667', '1'],
      ['8', 'Y', 'F', field(reports[2], 17), '2', '0', '98.85', '2'],
      ['8', null, 'I', '0', '2', '0', '98.85', '2'],
      ['B', null, null, null, null, null, null, null],
    ]);
    expect(sent.slice(0, 2).map(WITHOUT_97)).toEqual(reports.slice(1).map(WITHOUT_97));
    expect(sent.at(-1)).toMatch(/148=Reports repeated\|33=1\|58=2 fills were sent again .* status of 1 orders\|/);
  });

  test('S9 brings everything since a time, page by page, and without a point the last day', () => {
    const { desk, trades } = filledDesk();
    desk.oms('35=UDC|60=20260105-11:00:00|');
    expect(desk.asked.at(-1)!.question).toMatchObject({ since: T0 - 3_600_000, until: T0, cursor: null });
    expect(desk.answered(page(trades.slice(1), 'more'))).toEqual([]);
    expect(desk.asked.at(-1)!.question).toMatchObject({ cursor: 'more' });
    const sent = desk.answered(page(trades.slice(0, 1)));
    expect(sent.filter((text) => text.includes('|150=F|'))).toHaveLength(3);
  });

  test('O7 leaves out fills of orders of others, and negotiated trades', () => {
    const { desk } = filledDesk();
    desk.oms('35=UDC|60=20260105-11:00:00|');
    const others = [{ orderId: '999', clientOrderId: null }, { otcTradeId: '7' }].map((one) => exchangeTrade(one, T0));
    const sent = desk.answered(page(others));
    expect(sent.map((text) => field(text, 150))).toEqual(['I', null]);
  });

  test.each([
    ['an ExecID of no order of the session', '17=404-1-F|60=20260105-11:00:00|', 'no order of this session'],
    ['a time in the future', '60=20270105-11:00:00|', 'in the future'],
    ['a time of a year ago', '60=20250105-11:00:00|', '90 days'],
  ])('refuses %s', (_, fields, words) => {
    const { desk } = filledDesk();
    expect(desk.oms(`35=UDC|${fields}`)).toEqual([expect.stringMatching(new RegExp(`^35=j\\|.*58=.*${words}`))]);
    expect(desk.asked).toEqual([]);
  });

  test('runs once at a time, and says so if the exchange cannot be asked', () => {
    const { desk } = filledDesk();
    desk.oms('35=UDC|60=20260105-11:00:00|');
    expect(desk.oms('35=UDC|60=20260105-11:00:00|')).toEqual([
      expect.stringMatching(/^35=j\|.*being recovered already/),
    ]);
    expect(desk.answered({ kind: 'failed', message: 'HTTP 503' })).toEqual([
      expect.stringMatching(/^35=B\|.*58=Reports were not recovered, .*HTTP 503\|/),
    ]);
    expect(desk.oms('35=UDC|60=20260105-11:00:00|')).toEqual([]);
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    expect(desk.oms('35=UDC|60=20260105-11:00:00|')).toEqual([]);
  });

  test('says that older fills are missing where the answer is cut', () => {
    const { desk, trades } = filledDesk({ accountData: { refreshMs: 30_000, subscriptionsMax: 5, tradesMax: 1 } });
    desk.oms('35=UDC|60=20260105-11:00:00|');
    expect(desk.answered(page(trades.slice(1), 'more')).at(-1)).toMatch(/58=2 fills .*older ones are missing/);
  });

  test('D2 brings fills as 150=1 and 2 in FIX.4.2', () => {
    const { desk, trades } = filledDesk({ beginString: 'FIX.4.2' });
    desk.oms('35=UDC|60=20260105-11:00:00|');
    const sent = desk.answered(page(trades));
    expect(sent.map((text) => [97, 20, 150].map((tag) => field(text, tag))).slice(0, 3)).toEqual([
      ['Y', '0', '1'],
      ['Y', '0', '1'],
      ['Y', '0', '2'],
    ]);
  });
});
