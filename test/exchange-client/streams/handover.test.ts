// The private stream at the renewal of its login: the next connection is live before the last one ends, without loss or
// repetition. A gap after a real loss is closed by REST, page by page.

import { afterEach, expect, test } from 'vitest';
import { Decimal } from '../../../src/base/decimal.ts';
import type { ExchangeOrder, ExchangeTrade } from '../../../src/exchange/mod.ts';
import { Delivered } from '../../../src/exchange-client/streams/delivered.ts';
import { ACCOUNT, isFeed, isOrder, limitBuy, openVenue, type Venue } from '../venue.ts';

let venue: Venue | null = null;
afterEach(async () => {
  await venue?.close();
  venue = null;
});

test('orders and fills go through renewals once, with the feed always up', async () => {
  venue = await openVenue({ jwtValidityMs: 2_500 });
  let renewals = 0;
  let renewed = (): void => {};
  const twice = new Promise<void>((resolve) => {
    renewed = resolve;
  });
  const { client, events, until } = venue.connect({
    credential: venue.credential('demo-ecdsa'),
    auctionSymbols: [],
    referenceSymbols: [],
    timeouts: { requestMs: 300 },
    log: (_level, text) => {
      if (text === 'exchange login renewed' && ++renewals === 2) renewed();
    },
  });
  try {
    await client.start();
    await until(isFeed('private', true));
    await client.submit('c', limitBuy('1', '50000.0', '1'));
    const { control } = venue.simulator;
    let filled = 0;
    // A fill every few milliseconds, through two renewals and the end of the logins they replace.
    const filling = setInterval(() => {
      control.trade('BTCUSDC', 'SELL', '50000.0', '0.001');
      filled++;
    }, 10);
    await twice;
    while (control.logins > 1) await new Promise((resolve) => setTimeout(resolve, 20));
    clearInterval(filling);
    const trades = (): string[] => events.flatMap((e) => (e.kind === 'trade' ? [e.trade.tradeId] : []));
    while (trades().length < filled) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(new Set(trades()).size).toBe(trades().length);
    expect(trades()).toHaveLength(filled);
    expect(events.filter(isFeed('private', false))).toEqual([]);
    const states = events.flatMap((e) => (e.kind === 'order' ? [e.order.quantityFilled] : []));
    expect(new Set(states).size, 'no state of the order is repeated').toBeGreaterThanOrEqual(states.length - 1);
    expect(
      [...states].sort((a, b) => Number(a) - Number(b)),
      'filled quantity never goes back',
    ).toEqual(states);
  } finally {
    await client.close();
  }
});

test('reads missed trades over REST in all pages, the oldest first', async () => {
  venue = await openVenue();
  const { client, until, events } = venue.connect({ timeouts: { reconnectMs: 20_000, reconnectMaxMs: 20_000 } });
  await client.start();
  await until(isFeed('private', true));
  await client.submit('c', limitBuy('1', '50000.0', '1'));
  await until(isOrder('1', 'OPEN'));
  const from = events.length;
  const { control } = venue.simulator;
  control.cutStreams('private');
  await until(isFeed('private', false), from);
  const quantities = Array.from({ length: 230 }, (_, i) => `${new Decimal(BigInt(100 + i), 5)}`);
  for (const quantity of quantities) control.trade('BTCUSDC', 'SELL', '50000.0', quantity);
  const inOrder = quantities.map((quantity) => `${Decimal.of(quantity).trimmed()}`);
  const recent = await client.recent(ACCOUNT);
  expect(recent?.trades.map(({ quantity }) => `${Decimal.of(quantity).trimmed()}`)).toEqual(inOrder);
  const lookup = { tradingAccountId: ACCOUNT, orderId: null, clientOrderId: '1', commandId: 'c' };
  const found = await client.lookup(lookup);
  if (found.kind !== 'found') throw new Error('the order was not found');
  expect(found.trades.map(({ quantity }) => `${Decimal.of(quantity).trimmed()}`)).toEqual(inOrder);
});

test('reports missed fills in order, though the snapshot has the latest first', async () => {
  venue = await openVenue();
  const { client, until, events } = venue.connect();
  await client.start();
  await until(isFeed('private', true));
  await client.submit('c', limitBuy('1', '50000.0', '1'));
  await until(isOrder('1', 'OPEN'));
  const from = events.length;
  const { control } = venue.simulator;
  control.cutStreams('private');
  for (const quantity of ['0.1', '0.2', '0.3']) control.trade('BTCUSDC', 'SELL', '50000.0', quantity);
  await until(isFeed('private', true), from);
  const quantities = events.flatMap((e) => (e.kind === 'trade' ? [`${Decimal.of(e.trade.quantity).trimmed()}`] : []));
  expect(quantities).toEqual(['0.1', '0.2', '0.3']);
});

test('a gap that cannot be closed raises an alarm, once until it is', async () => {
  venue = await openVenue();
  const { client, until, alarms } = venue.connect();
  await client.start();
  await until(isFeed('private', true));
  venue.simulator.control.armAnswer({ what: 'error', on: 'get', httpStatus: 500, times: 50 });
  expect(await client.recent(ACCOUNT)).toBeNull();
  expect(await client.recent(ACCOUNT)).toBeNull();
  const gaps = (): number => alarms.filter((alarm) => alarm === 'gap-not-closed').length;
  expect(gaps()).toBe(1);
  venue.simulator.control.clearFaults();
  expect(await client.recent(ACCOUNT)).not.toBeNull();
  venue.simulator.control.armAnswer({ what: 'error', on: 'get', httpStatus: 500, times: 50 });
  expect(await client.recent(ACCOUNT)).toBeNull();
  expect(gaps()).toBe(2);
});

const ORDER = {
  orderId: '1',
  clientOrderId: '77',
  type: 'LMT',
  price: '50000.0',
  quantity: '3',
  quantityFilled: '0',
  status: 'OPEN',
  statusReasonCode: '6001',
  publishedAt: 5,
};
const order = (more: Partial<ExchangeOrder>): ExchangeOrder => ({ ...ORDER, ...more }) as ExchangeOrder;

test('an update is a duplicate by time; after another connection, by state', () => {
  const delivered = new Delivered();
  expect(delivered.takeOrder(order({}), false)).toBe(true);
  expect(delivered.takeOrder(order({}), false)).toBe(false);
  expect(delivered.takeOrder(order({ publishedAt: 6 }), false)).toBe(true);
  expect(delivered.takeOrder(order({ publishedAt: 7 }), true)).toBe(false);
  expect(delivered.takeOrder(order({ publishedAt: 7, quantityFilled: '1' }), true)).toBe(true);
  expect(delivered.takeOrder(order({ publishedAt: 8, orderId: '2' }), true)).toBe(true);
  expect(delivered.takeOrder(order({ publishedAt: null, quantityFilled: '2' }), false)).toBe(true);
  expect(delivered.takeOrder(order({ publishedAt: null, quantityFilled: '2' }), false)).toBe(true);
});

test('separates states by every field, and remembers thousands of states later', () => {
  const delivered = new Delivered();
  const others: readonly Partial<ExchangeOrder>[] = [
    { status: 'CLOSED' },
    { statusReasonCode: null },
    { quantityFilled: '1' },
    { quantity: '4' },
    { price: null },
    { type: 'MKT' },
    { clientOrderId: null },
  ];
  for (const more of [{}, ...others]) expect(delivered.takeOrder(order(more), true)).toBe(true);
  for (let i = 0; i < 20_000; i++) expect(delivered.takeOrder(order({ orderId: `o${i}` }), false)).toBe(true);
  for (const more of [{}, ...others]) expect(delivered.takeOrder(order({ ...more, publishedAt: 9 }), true)).toBe(false);
});

test('O2 both sides of a self-match are fills of their own; the same fill is one', () => {
  const delivered = new Delivered();
  const trade = (orderId: string): ExchangeTrade => ({ tradeId: '9', orderId }) as ExchangeTrade;
  expect([trade('1'), trade('2'), trade('1')].map((one) => delivered.takeTrade(one))).toEqual([true, true, false]);
});
