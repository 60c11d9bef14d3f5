// Cancel on disconnect (rule C1), and GTX orders through an auction (rules T4, T5, D5).

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../../src/base/time.ts';
import { loadDictionary, Validator } from '../../../src/dictionary/mod.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import {
  ACCOUNT,
  Desk,
  exchangeOrder,
  field,
  gatewayConfig,
  LIMIT,
  market,
  SESSION,
  sessionConfig,
  summary,
  workingDesk,
} from '../desk.ts';

const load = (path: string) => loadDictionary(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'), path);

const GTX = LIMIT.replace('59=1', '59=5');

function kinds(desk: Desk, from: number): unknown[] {
  return desk.submitted.slice(from).map(({ command }) => [command.kind, 'orderId' in command ? command.orderId : null]);
}

test('C1 cancels every open order singly on logout, disconnect, shutdown and a crash found at start-up', () => {
  for (const end of ['logout', 'disconnect', 'shutdown', 'crash'] as const) {
    const desk = new Desk();
    desk.oms(LIMIT);
    desk.order({});
    desk.oms(LIMIT.replace('o-1', 'o-2'));
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end });
    expect(kinds(desk, 2)).toEqual([
      ['cancelOrder', '9001'],
      ['cancelOrder', null],
    ]);
    const [report] = desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
    expect([field(report, 150), field(report, 11), field(report, 378)]).toEqual(['4', 'o-1', '99']);
    expect(field(report, 58)).toContain('cancel on disconnect');
  }
});

test.each([
  ['logout', '13'],
  ['disconnect', '12'],
] as const)(
  'D3 reports in 378 of FIX.5.0SP2 how the session ended, though it returns before the cancels: %s',
  (end, reason) => {
    for (const isBack of [false, true]) {
      const desk = workingDesk(gatewayConfig({ beginString: 'FIXT.1.1', defaultApplVerID: '9' }));
      desk.feed({ kind: 'sessionDown', sessionId: SESSION, end });
      if (isBack) desk.feed({ kind: 'sessionUp', sessionId: SESSION });
      const [report] = desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
      expect([field(report, 150), field(report, 378)]).toEqual(['4', reason]);
    }
  },
);

test('C1 the setting says which ends count', () => {
  const submitted = (
    on: 'off' | 'logout' | 'disconnect' | 'both',
    end: 'logout' | 'disconnect' | 'shutdown',
  ): number => {
    const desk = new Desk(gatewayConfig({ cancelOnDisconnect: { on, graceMs: 0 } }));
    desk.oms(LIMIT);
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end });
    return desk.submitted.length - 1;
  };
  expect(submitted('off', 'disconnect')).toBe(0);
  expect(submitted('logout', 'disconnect')).toBe(0);
  expect(submitted('logout', 'logout')).toBe(1);
  expect(submitted('disconnect', 'logout')).toBe(0);
  expect(submitted('disconnect', 'disconnect')).toBe(1);
  expect(submitted('logout', 'shutdown')).toBe(1);
});

test('U5 C1 a shutdown cancels at once, despite a grace time', () => {
  const desk = new Desk(gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 3_000 } }));
  desk.oms(LIMIT);
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'shutdown' });
  expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
});

test('C1 a reconnect within the grace time keeps the orders; after it they are cancelled', () => {
  const config = gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 3_000 } });
  const desk = new Desk(config);
  desk.oms(LIMIT);
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.advance(2_999);
  desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  desk.advance(10_000);
  expect(desk.submitted).toHaveLength(1);
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.advance(3_000);
  expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
});

test.each([
  ['ends with a shorter one that is configured meanwhile', 60_000, { on: 'both', graceMs: 500 }, 500],
  ['ends at once where none is configured any more', 60_000, { on: 'both', graceMs: 0 }, 0],
  ['is not made longer by a longer one', 3_000, { on: 'both', graceMs: 60_000 }, 2_000],
] as const)('C1 a grace time that runs %s, also behind a restart', (_, graceMs, changed, leftMs) => {
  for (const restarts of [false, true]) {
    const config = gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs } });
    const desk = new Desk(config);
    desk.oms(LIMIT);
    desk.order({});
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    desk.advance(1_000);
    Object.assign(desk, { config: { ...config, sessions: [sessionConfig({ cancelOnDisconnect: changed })] } });
    if (restarts) desk.restart();
    else desk.gateway.applyConfig(desk.config.sessions[0]!);
    if (leftMs > 0) desk.advance(leftMs - 1);
    expect(kinds(desk, 1)).toEqual([]);
    desk.advance(1);
    expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
  }
});

test('C1 a session that may not log on again has no grace time, until it does', () => {
  for (const end of ['logout', 'disconnect', 'crash'] as const) {
    const desk = new Desk(gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 60_000 } }));
    desk.oms(LIMIT);
    desk.order({});
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    desk.feed({ kind: 'sessionLeaving', sessionId: SESSION, by: 'us', forGood: true });
    expect(kinds(desk, 1)).toEqual([]);
    // New settings do not say that it may.
    desk.gateway.applyConfig(desk.config.sessions[0]!);
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end });
    expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
  }
  const desk = new Desk(gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 60_000 } }));
  desk.oms(LIMIT);
  desk.order({});
  desk.feed({ kind: 'sessionLeaving', sessionId: SESSION, by: 'us', forGood: true });
  desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.advance(59_999);
  expect(kinds(desk, 1)).toEqual([]);
});

test('C1 accepts a Logon right behind another grace time, and one with orders to be kept, as in time', () => {
  const desk = new Desk(gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 60_000 } }));
  desk.oms(LIMIT);
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.gateway.applyConfig(sessionConfig({ cancelOnDisconnect: { on: 'both', graceMs: 0 } }));
  desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  desk.gateway.applyConfig(sessionConfig({ cancelOnDisconnect: { on: 'both', graceMs: 60_000 } }));
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.gateway.applyConfig(sessionConfig({ cancelOnDisconnect: { on: 'off', graceMs: 0 } }));
  desk.advance(60_000);
  expect(kinds(desk, 1)).toEqual([]);
});

test('C1 alarms for orders that cannot be cancelled: lockdown here, a refusal by the exchange', () => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  desk.phase({ eventType: 'AUCTION_LOCKDOWN', phase: 'LOCKDOWN', cancelAuctionOrderEnabled: false });
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  expect(desk.submitted).toHaveLength(1);
  expect(desk.alarms.at(-1)).toMatchObject({ alarm: 'cancel-on-disconnect-incomplete', fields: { clOrdIDs: 'o-1' } });
  const other = new Desk();
  other.oms(LIMIT);
  other.order({});
  other.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  expect(other.refused(400, '3085', 'not now')).toEqual([]);
  expect(other.alarms.at(-1)).toMatchObject({ alarm: 'cancel-on-disconnect-incomplete' });
  expect(other.alarms.at(-1)!.text).toMatch(/^The order could not be cancelled and stays open: /);
  expect(other.gateway.findOrder(SESSION, 'o-1')!.ordStatus).toBe('0');
});

test('C1 raises no alarm for a cancel refused on an ended order while its end is looked up', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.refused(400, '3032', 'Order is either closed or rejected');
  desk.advance(0);
  expect(desk.alarmNames()).toEqual([]);
  const { lookupId } = desk.lookups.at(-1)!;
  const order = exchangeOrder({ status: 'CANCELLED', statusReasonCode: '6005' }, desk.now);
  const told = desk.answers(() =>
    desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [] } }),
  );
  expect(summary(told)).toEqual(['4/4']);
  desk.advance(60_000);
  expect(desk.submitted).toHaveLength(2);
});

test('C1 a cancel on disconnect that could not be sent is tried again, bounded', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.refused(null, null, 'connection refused');
  desk.advance(500);
  expect(kinds(desk, 1)).toEqual([
    ['cancelOrder', '9001'],
    ['cancelOrder', '9001'],
  ]);
  for (let i = 0; i < 20; i++) {
    desk.refused(429, '96000', 'rate limit');
    desk.advance(10_000);
  }
  expect(desk.submitted.length).toBeLessThan(10);
  expect(desk.alarmNames()).toContain('cancel-on-disconnect-incomplete');
});

test('D12 a mass cancel in lockdown leaves the auction orders and names them, in FIX.5.0SP2 as a group', () => {
  for (const beginString of ['FIX.4.4', 'FIXT.1.1'] as const) {
    const desk = new Desk(gatewayConfig({ beginString }));
    desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    desk.phase({});
    desk.oms(GTX);
    desk.order({ timeInForce: 'GTX' });
    desk.oms(LIMIT.replace('o-1', 'o-2'));
    desk.order({ orderId: '9002', clientOrderId: '2' });
    desk.phase({ eventType: 'AUCTION_LOCKDOWN', phase: 'LOCKDOWN', cancelAuctionOrderEnabled: false });
    const [mass] = desk.oms('35=q|11=q-1|530=7|60=20260105-09:00:00|');
    expect([field(mass, 531), field(mass, 533)]).toEqual(['7', '1']);
    expect(field(mass, 58)).toBe("1 order stays open, the auction's phase forbids cancelling: o-1");
    const isGroup = beginString === 'FIXT.1.1';
    expect(mass!.includes('|1370=1|1372=o-1|1371=9001|')).toBe(isGroup);
    const applications = [load('dictionaries/FIX50SP2.xml')] as const;
    const validator = new Validator(
      isGroup ? { transport: load('dictionaries/FIXT11.xml'), applications } : load('dictionaries/FIX44.xml'),
    );
    const header = ['49=XG', '56=OMS', '34=2', '52=20260105-09:00:00'];
    const [type, ...body] = mass!.split('|').filter((text) => text !== '');
    const message = [type, ...header, ...body.filter((text) => !text.startsWith('57='))].join('|');
    expect(validator.validate(viewOf(fromPrintable(`${message}|`, beginString))!)).toBeNull();
    expect(desk.submitted.at(-1)?.command).toMatchObject({ kind: 'cancelOrder', orderId: '9002' });
  }
});

test('T4 refuses F and G in lockdown: 9 with 102=99 (0 by setting), present status, phase in words', () => {
  for (const [config, reason] of [
    [gatewayConfig(), '99'],
    [gatewayConfig({ lockdownCxlRejReason: '0' }), '0'],
    [gatewayConfig({ dialect: 'venue' }), '99'],
  ] as const) {
    const desk = new Desk(config);
    desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    desk.phase({});
    desk.oms(GTX);
    desk.order({ timeInForce: 'GTX' });
    desk.phase({
      eventType: 'AUCTION_LOCKDOWN',
      phase: 'LOCKDOWN',
      cancelAuctionOrderEnabled: false,
      amendAuctionOrderEnabled: false,
    });
    for (const [request, responseTo] of [
      ['35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|', '1'],
      ['35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|44=101|', '2'],
    ] as const) {
      const [reject] = desk.oms(request);
      expect([field(reject, 434), field(reject, 102), field(reject, 39)]).toEqual([responseTo, reason, '0']);
      const isVenue = config.sessions[0]!.dialect === 'venue';
      expect(field(reject, isVenue ? 1328 : 58)).toContain('LOCKDOWN');
      expect(field(reject, isVenue ? 58 : 1328)).toBeNull();
    }
    const [mass] = desk.oms('35=q|11=q-1|530=7|');
    expect(field(mass, 533)).toBe(config.sessions[0]!.dialect === 'venue' ? null : '0');
    expect(field(mass, 58)).toContain('o-1');
    expect(desk.submitted).toHaveLength(1);
    desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: false });
    expect(summary(desk.oms('35=F|11=c-2|41=o-1|1=ACC1|55=BTCUSDC|'))).toEqual(['6/6']);
  }
});

test('T4 permits F and G separately by phase; an auction that is over forbids neither', () => {
  const F = '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|';
  const G = '35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|44=101|';
  const answered = (request: string, phase: Parameters<Desk['phase']>[0]): [string[], string | null] => {
    const desk = new Desk();
    desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    desk.phase({});
    desk.oms(GTX);
    desk.order({ timeInForce: 'GTX' });
    desk.phase(phase);
    const answers = desk.oms(request);
    return [summary(answers), field(answers[0], 58)];
  };
  const noAmend = { amendAuctionOrderEnabled: false } as const;
  const noCancel = { cancelAuctionOrderEnabled: false } as const;
  expect(answered(F, noAmend)).toEqual([['6/6'], null]);
  expect(answered(F, noCancel)).toEqual([
    ['9/1'],
    'Auction A-1 of BTCUSDC is in phase ACCUMULATION: orders cannot be cancelled now',
  ]);
  expect(answered(G, noAmend)).toEqual([
    ['9/2'],
    'Auction A-1 of BTCUSDC is in phase ACCUMULATION: orders cannot be amended now',
  ]);
  expect(answered(G, noCancel)).toEqual([['E/E'], null]);
  const over = { eventType: 'AUCTION_CROSS_COMPLETED', phase: 'CROSS', ...noAmend, ...noCancel } as const;
  expect(answered(F, over)[0]).toEqual(['6/6']);
  expect(answered(G, over)[0]).toEqual(['E/E']);
});

test('T5 ends unfilled orders at the cross by 150=C, excluded ones by 150=4 with 378, in any frame order', () => {
  for (const [code, expected] of [
    ['6021', ['0/0', 'F/1', 'C/C']],
    ['6022', ['0/0', 'F/1', '4/4']],
    ['6023', ['0/0', 'F/1', '4/4']],
    ['6024', ['0/0', 'F/1', '4/4']],
  ] as const) {
    for (const tradeFirst of [true, false]) {
      const desk = new Desk();
      desk.oms(GTX);
      const trade = (): void => void desk.trade({ auctionId: 'A-1' });
      const end = (): void =>
        void desk.order({ status: 'CANCELLED', statusReasonCode: code, quantityFilled: '0.5', timeInForce: 'GTX' });
      if (tradeFirst) trade();
      end();
      if (!tradeFirst) trade();
      expect(summary(desk.sent)).toEqual(expected);
      expect(field(desk.sent.at(-1), 378)).toBe(code === '6021' ? null : '8');
    }
  }
});

test('T5 MatchType(574)=7 marks an auction fill in FIX.5.0 and later, and it has no aggressor', () => {
  for (const beginString of ['FIX.4.4', 'FIXT.1.1']) {
    const desk = new Desk(gatewayConfig({ dialect: 'venue', beginString }));
    desk.oms(GTX);
    desk.order({ timeInForce: 'GTX' });
    const [fill] = desk.trade({ auctionId: 'A-1', isTaker: true });
    expect([field(fill, 574), field(fill, 1057)]).toEqual([beginString === 'FIXT.1.1' ? '7' : null, null]);
  }
});

test.each([
  ['standard', '5', '1'],
  ['venue', '5', '1'],
] as const)(
  'T2 reports a market order waiting for the auction with 59=5 in %s, an immediate one with 59=%s, %s',
  (dialect, ofAuction, atOnce) => {
    const desk = new Desk(gatewayConfig({ dialect }));
    desk.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
    const market = GTX.replace('40=2|44=100|', '40=1|');
    desk.oms(market);
    const [waiting] = desk.order({ type: 'MKT', timeInForce: 'GTX' });
    desk.oms(market.replace('11=o-1', '11=o-2').replace('59=5', '59=1'));
    const [taken] = desk.order({ orderId: '9002', clientOrderId: '2', type: 'MKT' });
    expect([waiting, taken].map((text) => [field(text, 40), field(text, 59)])).toEqual([
      ['1', ofAuction],
      ['1', atOnce],
    ]);
  },
);

test('T3 no GTX order carries over into another auction: it is cancelled with an alarm', () => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  desk.oms(GTX);
  const [report] = desk.order({ timeInForce: 'GTX' });
  expect(field(report, 336)).toBe('A-1');
  desk.phase({ eventType: 'AUCTION_CROSS_COMPLETED', phase: 'CROSS' });
  expect(desk.submitted).toHaveLength(1);
  desk.phase({ auctionId: 'A-2' });
  desk.phase({ auctionId: 'A-2' });
  expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
  expect(desk.alarmNames()).toEqual(['auction-carry-over']);
});

test('T3 cancels an auction order that the exchange shows as open in a later auction', () => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  desk.oms(LIMIT.replace('o-1', 'o-2'));
  desk.order({ orderId: '9002', clientOrderId: '2' });
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false });
  const startTime = desk.now + 5_000;
  desk.now = startTime + 10;
  desk.phase({ auctionId: 'A-2', startTime });
  for (const more of [{ publishedAt: startTime }, { publishedAt: startTime + 1 }, { publishedAt: startTime + 2 }]) {
    desk.order({ timeInForce: 'GTX', ...more });
    desk.order({ orderId: '9002', clientOrderId: '2', ...more });
    expect(kinds(desk, 2)).toEqual(more.publishedAt === startTime ? [] : [['cancelOrder', '9001']]);
  }
  expect(desk.alarmNames()).toEqual(['auction-carry-over']);
});

test('T3 over a restart an auction order is heard of before its auction is, and works on', () => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  desk.restart();
  expect(summary(desk.order({ timeInForce: 'GTX', publishedAt: desk.now + 1 }))).toEqual([]);
  expect(summary(desk.trade({ auctionId: 'A-1' }))).toEqual(['F/1']);
  expect([desk.alarmNames(), desk.submitted.length]).toEqual([[], 1]);
});

test('C1 forgets the wanted cancel of an auction order that ends before a phase allows it', () => {
  const desk = new Desk(gatewayConfig(), { ended: true });
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  desk.phase({ eventType: 'AUCTION_LOCKDOWN', phase: 'LOCKDOWN', cancelAuctionOrderEnabled: false });
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  expect(summary(desk.order({ timeInForce: 'GTX', status: 'CANCELLED', statusReasonCode: '6021' }))).toEqual(['C/C']);
  expect([...desk.records.keys()].filter((key) => key.endsWith('o-1'))).toEqual([]);
  desk.phase({ eventType: 'AUCTION_CROSS_POSTPONED' });
  desk.advance(60_000);
  expect(desk.submitted).toHaveLength(1);
});

test('T3 the auction of another market ends no order, be it at the exchange or one that waits here', () => {
  const desk = new Desk(gatewayConfig(), { ready: false });
  const auctionEnabled = true;
  const markets = [market('BTCUSDC', { auctionEnabled }), market('ETHUSDC', { auctionEnabled })];
  desk.feed({ kind: 'markets', markets });
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  desk.phase({});
  desk.phase({ symbol: 'ETHUSDC', auctionId: 'E-1' });
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  const at = formatUtcTimestamp(desk.now);
  const held = GTX.replace('o-1', 'o-2').slice('35=D|'.length);
  const view = viewOf(fromPrintable(`35=D|34=9|49=OMS|56=XG|52=${at}|60=${at}|${held}`, 'FIX.4.4'))!;
  desk.feed({ kind: 'throttled', sessionId: SESSION, view, possDup: false, excess: 'hold', waitMs: 40 });
  const of = { symbol: 'ETHUSDC', startTime: desk.now + 1 } as const;
  expect(desk.phase({ ...of, auctionId: 'E-1', eventType: 'AUCTION_CROSS_COMPLETED', phase: 'CROSS' })).toEqual([]);
  expect(desk.phase({ ...of, auctionId: 'E-2' })).toEqual([]);
  desk.advance(40);
  expect(desk.alarmNames()).toEqual([]);
  expect(desk.submitted.slice(1).map(({ command }) => command.kind)).toEqual(['createOrder']);
});

test("T3 knows an order's auction after a restart, also if the auction was named after the order", () => {
  const desk = new Desk();
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  desk.phase({});
  desk.restart();
  desk.phase({ auctionId: 'A-2' });
  // Nothing was heard of the order since: it may have ended with its auction.
  desk.advance(0);
  expect([desk.alarms, desk.submitted.length]).toEqual([[], 1]);
  const order = exchangeOrder({ timeInForce: 'GTX', publishedAt: null }, desk.now);
  const { lookupId } = desk.lookups[0]!;
  desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [] } });
  expect(desk.alarmNames()).toEqual(['auction-carry-over']);
  expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
});

test.each([
  ['while the private stream is away', false],
  ['while it is back and the account not yet compared', true],
])('T3 looks up an order that ended at its cross unheard, %s, when the next auction begins', (_, isBack) => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false });
  desk.phase({ eventType: 'AUCTION_CROSS_COMPLETED', phase: 'CROSS' });
  if (isBack) desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
  const startTime = desk.now + 5_000;
  desk.now = startTime + 10;
  desk.phase({ auctionId: 'A-2', startTime });
  // A word of before the cross is no sign either.
  desk.order({ timeInForce: 'GTX', publishedAt: startTime - 5_000 });
  expect([desk.alarms, desk.submitted.length]).toEqual([[], 1]);
  desk.advance(0);
  expect(desk.lookups).toHaveLength(1);
  const ended = {
    timeInForce: 'GTX',
    status: 'CANCELLED',
    statusReasonCode: '6021',
    statusReason: 'Unfilled',
  } as const;
  expect(summary(desk.order({ ...ended, publishedAt: startTime - 4_000 }))).toEqual(['C/C']);
  expect([desk.alarms, desk.submitted.length]).toEqual([[], 1]);
});

test('of an auction order only the price can be replaced', () => {
  const desk = new Desk();
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  expect(field(desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|38=3|')[0], 58)).toContain('only Price(44)');
  expect(summary(desk.oms('35=G|11=g-2|41=o-1|1=ACC1|55=BTCUSDC|44=101|59=5|'))).toEqual(['E/E']);
});

test('C1 a grace time and a cancel to be sent again survive the death of the process', () => {
  const config = gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 3_000 } });
  const desk = new Desk(config);
  desk.oms(LIMIT);
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.advance(1_000);
  desk.restart();
  desk.order({});
  desk.advance(1_999);
  expect(desk.submitted).toHaveLength(1);
  desk.advance(1);
  expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
  desk.refused(null, null, 'connection refused');
  desk.restart();
  desk.advance(0);
  expect(kinds(desk, 2)).toEqual([['cancelOrder', '9001']]);
  desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
  desk.restart();
  desk.advance(60_000);
  expect(desk.submitted).toHaveLength(3);
});

test('C1 keeps a grace time over a kill with ended records kept apart; an expired one ended there', () => {
  const config = gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 3_000 } });
  const desk = new Desk(config, { ended: true });
  desk.oms(LIMIT);
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.restart();
  desk.order({});
  desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  expect([...desk.records.keys()].filter((key) => key.startsWith('grace'))).toEqual([]);
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.restart();
  desk.order({});
  desk.advance(3_000);
  expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
  expect([...desk.records.keys()].filter((key) => key.startsWith('grace'))).toEqual([]);
});

test('C1 continues a grace time after a restart beside one of a session no longer configured', () => {
  const setting = { cancelOnDisconnect: { on: 'both', graceMs: 3_000 } } as const;
  const gone = sessionConfig({ sessionId: 'FIX.4.4:XG->GONE', ...setting });
  const config = gatewayConfig(setting);
  const desk = new Desk({ ...config, sessions: [gone, ...config.sessions] });
  desk.oms(LIMIT);
  desk.order({});
  for (const sessionId of [gone.sessionId, SESSION]) desk.feed({ kind: 'sessionDown', sessionId, end: 'disconnect' });
  Object.assign(desk, { config });
  desk.restart();
  desk.order({});
  desk.advance(3_000);
  expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
});

test.each(['at a start', 'while the gateway runs'])(
  'C1 continues the grace time of a session with a missing file at the start once it is back, %s',
  (when) => {
    const config = gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 60_000 } });
    const desk = new Desk(config);
    desk.oms(LIMIT);
    desk.order({});
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' });
    const others = { ...config, sessions: [sessionConfig({ sessionId: 'FIX.4.4:XG->OTHER' })] };
    Object.assign(desk, { config: others });
    for (let starts = 0; starts < 2; starts++) {
      desk.restart();
      desk.order({});
      desk.advance(10_000);
    }
    expect(desk.submitted).toHaveLength(1);
    if (when === 'at a start') {
      Object.assign(desk, { config });
      desk.restart();
    } else desk.gateway.applyConfig(config.sessions[0]!);
    desk.order({});
    desk.advance(39_999);
    expect(desk.submitted).toHaveLength(1);
    desk.advance(1);
    expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
    const [report] = desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
    expect(field(report, 58)).toContain('cancel on disconnect');
  },
);

test('C1 a grace time that ended while the file of its session lay aside cancels as soon as it is back', () => {
  const config = gatewayConfig({ cancelOnDisconnect: { on: 'both', graceMs: 3_000 } });
  const desk = new Desk(config);
  desk.oms(LIMIT);
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  Object.assign(desk, { config: { ...config, sessions: [sessionConfig({ sessionId: 'FIX.4.4:XG->OTHER' })] } });
  desk.restart();
  desk.order({});
  desk.advance(60_000);
  desk.gateway.applyConfig(config.sessions[0]!);
  desk.advance(0);
  expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
});

test('C1 a cancel on disconnect that got no answer is sent again once a look-up finds the order open', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.unknown();
  desk.advance(500);
  const { lookupId, ofRequest } = desk.lookups.at(-1)!;
  expect(ofRequest).toBe(true);
  desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order: exchangeOrder({}, desk.now), trades: [] } });
  desk.advance(500);
  expect(kinds(desk, 1)).toEqual([
    ['cancelOrder', '9001'],
    ['cancelOrder', '9001'],
  ]);
});

test('C1 a cancel on disconnect refused with 401 or a page of 403 is tried again', () => {
  for (const httpStatus of [401, 403]) {
    const desk = new Desk();
    desk.oms(LIMIT);
    desk.order({});
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    desk.refused(httpStatus, null, 'not now');
    desk.advance(500);
    expect(kinds(desk, 1)).toHaveLength(2);
  }
});

test('C1 an order that the exchange did not know when it was to be cancelled is cancelled when it turns up', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.refused(404, '3002', 'Order is not found');
  desk.advance(100);
  expect(kinds(desk, 1)).toEqual([['cancelOrder', null]]);
  desk.order({});
  desk.advance(0);
  expect(kinds(desk, 2)).toEqual([['cancelOrder', '9001']]);
});

test('C1 every end of the session has its own retries of the cancels', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  for (let end = 1; end <= 3; end++) {
    const before = desk.submitted.length;
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    for (let i = 0; i < 10; i++) {
      desk.refused(429, '96000', 'rate limit');
      desk.advance(10_000);
    }
    expect(desk.submitted.length - before).toBe(5);
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  }
});

test('C1 a cancel on disconnect that was acknowledged, but did nothing, is sent again', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.accepted();
  for (let i = 0; i < 6; i++) {
    desk.advance(5_000);
    const { lookupId } = desk.lookups.at(-1)!;
    const outcome = { kind: 'found', order: exchangeOrder({}, desk.now), trades: [] } as const;
    desk.feed({ kind: 'lookedUp', lookupId, outcome });
  }
  expect(kinds(desk, 1)).toEqual([
    ['cancelOrder', '9001'],
    ['cancelOrder', '9001'],
  ]);
});

test('C1 cancels an auction order of an ended session once a phase allows it', () => {
  for (const restarts of [false, true]) {
    const desk = new Desk();
    desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    desk.phase({});
    desk.oms(GTX);
    desk.order({ timeInForce: 'GTX' });
    desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN', cancelAuctionOrderEnabled: false });
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    expect(kinds(desk, 1)).toEqual([]);
    desk.advance(60_000);
    expect(kinds(desk, 1)).toEqual([]);
    if (restarts) desk.restart();
    desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_CROSS_POSTPONED', cancelAuctionOrderEnabled: true });
    desk.advance(0);
    expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
  }
});

test.each(['phaseUnknown', 'markets', 'feed'] as const)(
  'C1 cancels an auction order of an ended session when its phase becomes unknown (%s)',
  (kind) => {
    const desk = new Desk();
    desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    desk.phase({});
    desk.oms(GTX);
    desk.order({ timeInForce: 'GTX' });
    desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN', cancelAuctionOrderEnabled: false });
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    desk.advance(60_000);
    expect(kinds(desk, 1)).toEqual([]);
    if (kind === 'markets') desk.feed({ kind, markets: [market('BTCUSDC', { auctionEnabled: false })] });
    else if (kind === 'feed') desk.feed({ kind, credential: 'main', feed: 'auction', live: false });
    else desk.feed({ kind, symbol: 'BTCUSDC' });
    desk.advance(0);
    expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
  },
);

test('C1 of two logins that tell the phases one that is lost sends no cancel that the phase forbids', () => {
  const desk = new Desk();
  for (const credential of ['main', 'other']) desk.feed({ kind: 'feed', credential, feed: 'auction', live: true });
  desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN', cancelAuctionOrderEnabled: false });
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.feed({ kind: 'feed', credential: 'other', feed: 'auction', live: false });
  desk.advance(60_000);
  expect(kinds(desk, 1)).toEqual([]);
});

test('C1 a fill or a frame of an auction order in lockdown sends no cancel that waits for another phase', () => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  desk.phase({ eventType: 'AUCTION_LOCKDOWN', phase: 'LOCKDOWN', cancelAuctionOrderEnabled: false });
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.trade({ auctionId: 'A-1' });
  desk.order({ timeInForce: 'GTX', quantityFilled: '0.5', publishedAt: desk.now + 1 });
  desk.advance(60_000);
  expect(desk.submitted).toHaveLength(1);
  desk.phase({ eventType: 'AUCTION_CROSS_POSTPONED' });
  desk.advance(0);
  expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
});

test('C1 repeats a cancel that the exchange refused in lockdown once a phase allows it', () => {
  const desk = new Desk();
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  desk.refused(400, '3085', 'Auction order cancellation is disabled in this phase');
  expect(desk.alarmNames()).toContain('cancel-on-disconnect-incomplete');
  desk.phase({ phase: 'LOCKDOWN', cancelAuctionOrderEnabled: false });
  desk.advance(60_000);
  expect(kinds(desk, 1)).toHaveLength(1);
  desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_CROSS_POSTPONED', cancelAuctionOrderEnabled: true });
  desk.advance(0);
  expect(kinds(desk, 1)).toHaveLength(2);
});

test('C1 a grace time that a Logout began ends as one of a Logout, also when the process dies in it', () => {
  const config = gatewayConfig({ cancelOnDisconnect: { on: 'logout', graceMs: 3_000 } });
  const desk = workingDesk(config);
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' });
  desk.advance(1_000);
  desk.restart();
  desk.order({});
  desk.advance(2_000);
  expect(kinds(desk, 1)).toEqual([['cancelOrder', '9001']]);
});

test('T3 binds no new order to a phase heard before the auction feed was lost', () => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: false });
  desk.advance(3_600_000);
  desk.oms(GTX);
  const [report] = desk.order({ timeInForce: 'GTX' });
  expect(field(report, 336)).toBe(null);
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({ auctionId: 'A-2' });
  expect([desk.alarmNames(), desk.submitted.length]).toEqual([[], 1]);
  expect(field(desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|')[0], 336)).toBe('A-2');
});

test('T5 reports every auction fill with 574=7 and no aggressor, also from REST', () => {
  const desk = new Desk(gatewayConfig({ dialect: 'venue', beginString: 'FIXT.1.1' }));
  desk.oms(GTX);
  desk.order({ timeInForce: 'GTX' });
  const [fill] = desk.trade({ auctionId: null, isTaker: true });
  expect([field(fill, 574), field(fill, 1057)]).toEqual(['7', null]);
});
