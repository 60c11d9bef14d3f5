// S9 O11 Negotiated (OTC) trades: drop copies of their account receive each leg once, order sessions nothing.

import { describe, expect, test } from 'vitest';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import {
  ACCOUNT,
  Desk,
  dropCopyConfig,
  exchangeTrade,
  field,
  gatewayConfig,
  SESSION,
  sessionConfig,
  textOf,
} from '../desk.ts';

const COPY = 'FIX.4.4:XG->COPY';
const VENUE = 'FIX.4.4:XG->VENUE';
const OTHER = '111000000000002';

const account = (tradingAccountId: string, name = 'ACC1') =>
  ({ account: name, tradingAccountId, credential: 'main' }) as const;

/** Two order sessions of the account, one of them in dialect `venue`, and a drop copy. */
function copyDesk(copy: Partial<GatewaySessionConfig> = {}, ended = false): Desk {
  const config = {
    ...gatewayConfig(),
    sessions: [
      sessionConfig({ accounts: [account(ACCOUNT), account(OTHER, 'ACC2')], reach: 'accounts' }),
      sessionConfig({ sessionId: VENUE, dialect: 'venue' }),
      dropCopyConfig({ sessionId: COPY, accounts: [account(ACCOUNT, 'HOUSE')], ...copy }),
    ],
  };
  return new Desk(config, { ended });
}

const OTC = {
  ...{ orderId: '200000000000000098', otcTradeId: '200000000000000098', clientOrderId: null, tradeId: '7' },
  ...{ price: '60000.0', quantity: '0.50000000', isTaker: true },
};

/** Messages to each session during an event. */
function told(desk: Desk, act: () => unknown): { copies: string[]; orders: string[] } {
  const from = desk.effects.length;
  act();
  const all = desk.effects
    .slice(from)
    .flatMap((effect) => (effect.kind === 'send' ? [[effect.sessionId, textOf(effect.draft)] as const] : []));
  const of = (isCopy: boolean) => all.flatMap(([id, text]) => ((id === COPY) === isCopy ? [text] : []));
  return { copies: of(true), orders: of(false) };
}

describe('S9 O11 a negotiated trade', () => {
  test('S9 O11 is one fill in the drop copy of its account, and nothing to the order sessions of it', () => {
    const desk = copyDesk();
    const after = told(desk, () => desk.trade(OTC));
    expect(after.orders).toEqual([]);
    expect(after.copies).toEqual([
      '35=8|37=200000000000000098-7|17=200000000000000098-7-7-F|797=Y|150=F|39=2|1=HOUSE|55=BTCUSDC|54=1|38=0.5|' +
        '32=0.5|31=60000|151=0|14=0.5|6=60000|60=20260105-12:00:00.000|381=30000|' +
        '58=Negotiated (OTC) trade 200000000000000098|',
    ]);
    desk.advance(60_000);
    expect(desk.lookups).toEqual([]);
    expect(desk.alarmNames()).toEqual([]);
  });

  test('S9 O11 is an AE, unasked, where the session file says so', () => {
    const dropCopy = { sessionIds: null, elsewhere: true, negotiatedAs: 'TradeCaptureReport' } as const;
    const desk = copyDesk({ dropCopy });
    const after = told(desk, () => desk.trade({ ...OTC, otcMatchId: '5' }));
    expect(after.orders).toEqual([]);
    expect(after.copies).toEqual([
      '35=AE|57=ADMIN|571=200000000000000098-7-7-F|487=0|325=Y|150=F|828=1|818=200000000000000098|820=5|880=7|' +
        '17=200000000000000098-7-7-F|570=N|55=BTCUSDC|167=FOR|32=0.5|31=60000|75=20260105|60=20260105-12:00:00.000|' +
        '573=0|552=1|54=1|37=NONE|1=HOUSE|381=30000|797=Y|',
    ]);
    expect(told(desk, () => desk.trade({ ...OTC, otcMatchId: '5' })).copies).toEqual([]);
  });

  test.each([
    ['FIX.4.2', 'standard', ['20=0', '150=2', '39=2', '54=1', '32=0.5', '31=60000'], [40, 44, 59, 574, 797]],
    ['FIX.4.4', 'venue', ['150=F', '39=2', '40=2', '44=60000', '59=3', '797=Y'], [574, 1057, 851, 11]],
    ['FIXT.1.1', 'standard', ['150=F', '39=2', '574=2', '797=Y'], [40, 44, 59, 1057, 851]],
  ] as const)("D1 S9 in %s %s it has the version's fields", (beginString, dialect, has, lacks) => {
    const applVerID = beginString === 'FIXT.1.1' ? ({ defaultApplVerID: '9' } as const) : {};
    const desk = copyDesk({ beginString, dialect, ...applVerID });
    const [copy = ''] = told(desk, () => desk.trade(OTC)).copies;
    for (const part of has) expect(copy).toContain(`|${part}|`);
    for (const tag of lacks) expect(field(copy, tag)).toBeNull();
    expect(copy).toContain('58=Negotiated (OTC) trade 200000000000000098|');
  });

  test('S9 each leg has an OrderID(37) and an ExecID(17) of its own; two accounts may share a trade', () => {
    const desk = copyDesk({ accounts: [account(ACCOUNT, 'HOUSE'), account(OTHER, 'HOUSE2')] });
    const { copies } = told(desk, () => {
      desk.trade(OTC);
      desk.trade({ ...OTC, tradeId: '8', symbol: 'ETHUSDC', side: 'SELL', price: '3000.0' });
      desk.trade({ ...OTC, tradingAccountId: OTHER, side: 'SELL' });
    });
    expect(copies.map((text) => [field(text, 1), field(text, 54), field(text, 55)])).toEqual([
      ['HOUSE', '1', 'BTCUSDC'],
      ['HOUSE', '2', 'ETHUSDC'],
      ['HOUSE2', '2', 'BTCUSDC'],
    ]);
    for (const tag of [37, 17]) expect(new Set(copies.map((text) => field(text, tag))).size).toBe(3);
  });

  test.each([false, true])(
    'O2 S9 it is copied once: again from stream, reconciliation and restart (archive %s)',
    (ended) => {
      const desk = copyDesk({}, ended);
      expect(told(desk, () => desk.trade(OTC)).copies).toHaveLength(1);
      const again = (): string[] =>
        told(desk, () => {
          desk.trade(OTC);
          desk.feed({ kind: 'trade', trade: exchangeTrade(OTC, desk.now), source: 'reconciliation' });
        }).copies;
      expect(again()).toEqual([]);
      desk.restart();
      expect(again()).toEqual([]);
      expect(told(desk, () => desk.trade({ ...OTC, tradeId: '9' })).copies).toHaveLength(1);
    },
  );

  test('S9 it is on record in the turn in which it is copied', () => {
    const desk = copyDesk();
    const from = desk.effects.length;
    desk.trade(OTC);
    expect(desk.effects.slice(from).map(({ kind }) => kind)).toEqual(['persistOrder', 'send']);
  });

  test('O11 one that bears the reference of an order of a session is no fill of it', () => {
    const desk = copyDesk();
    desk.oms('35=D|11=o-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|', { sessionId: SESSION });
    const { command } = desk.last();
    const reference = command.kind === 'createOrder' ? command.clientOrderId : '';
    desk.accepted(undefined, '9001');
    desk.order({ clientOrderId: reference });
    const { copies, orders } = told(desk, () => desk.trade({ ...OTC, orderId: '9001', clientOrderId: reference }));
    expect(orders).toEqual([]);
    expect(copies.map((text) => field(text, 11))).toEqual([null]);
    const status = desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|', { sessionId: SESSION });
    expect(field(status[0], 14)).toBe('0');
    expect(field(desk.oms('35=H|11=h|37=200000000000000098-7|55=BTCUSDC|54=1|', { sessionId: SESSION })[0], 39)).toBe(
      '8',
    );
  });

  test.each([
    ['with elsewhere off', { dropCopy: { sessionIds: null, elsewhere: false } }],
    ['of other accounts', { accounts: [account(OTHER, 'HOUSE')] }],
    ['of other symbols', { symbols: ['ETHUSDC'] }],
  ] as const)('S9 a drop copy %s does not receive it, and nothing is recorded', (_what, copy) => {
    const desk = copyDesk(copy);
    const records = desk.records.size;
    expect(told(desk, () => desk.trade(OTC))).toEqual({ copies: [], orders: [] });
    expect(desk.records.size).toBe(records);
  });

  test('alarms for one with an unreadable quantity', () => {
    const desk = copyDesk();
    expect(told(desk, () => desk.trade({ ...OTC, quantity: '0' })).copies).toEqual([]);
    expect(desk.alarmNames()).toEqual(['trade-unreadable']);
  });
});
