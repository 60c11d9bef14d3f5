// Markets that the exchange lists, switches off or changes while the gateway runs.

import { afterEach, expect, test } from 'vitest';
import type { ExchangeEvent } from '../../../src/exchange/mod.ts';
import { marketSpec } from '../../../src/simulator/world/default-world.ts';
import { isFeed, openVenue, type Venue } from '../venue.ts';

let venue: Venue;
afterEach(() => venue.close());

type Markets = Extract<ExchangeEvent, { kind: 'markets' }>;

const isListed =
  (symbol: string, createOrderEnabled: boolean) =>
  (event: ExchangeEvent): event is Markets =>
    event.kind === 'markets' &&
    event.markets.some((market) => market.symbol === symbol && market.createOrderEnabled === createOrderEnabled);

test('a market that is switched off and on again is known without a restart, each change once', async () => {
  venue = await openVenue();
  const { client, until, events } = venue.connect({ timeouts: { marketsMs: 10 } });
  await client.start();
  venue.simulator.control.setMarket('BTCUSDC', { createOrderEnabled: false });
  await until(isListed('BTCUSDC', false));
  expect(client.markets().find(({ symbol }) => symbol === 'BTCUSDC')?.createOrderEnabled).toBe(false);
  venue.simulator.control.setMarket('BTCUSDC', { createOrderEnabled: true });
  await until(isListed('BTCUSDC', true));
  expect(events.filter(({ kind }) => kind === 'markets')).toHaveLength(2);
});

test('a market that is new has its auctions and its last price followed', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect({ timeouts: { marketsMs: 10 } });
  await client.start();
  await until(isFeed('auction', true));
  const spec = marketSpec('BTCUSD', { marketId: '10099', quoteSymbol: 'USD', auctionEnabled: true });
  venue.simulator.control.extendWorld({ markets: [spec] });
  await until(isListed('BTCUSD', true));
  await until(
    (event): event is Extract<ExchangeEvent, { kind: 'referencePrice' }> =>
      event.kind === 'referencePrice' && event.symbol === 'BTCUSD',
  );
  venue.simulator.control.toPhase('BTCUSD', 'ACCUMULATION');
  await until(
    (event): event is Extract<ExchangeEvent, { kind: 'phase' }> =>
      event.kind === 'phase' && event.phase.symbol === 'BTCUSD',
  );
});

test("O12 stops confirming a switched-off market's price, and reads it anew when it is on", async () => {
  venue = await openVenue();
  const { client, until, events } = venue.connect({ timeouts: { marketsMs: 10, priceRefreshMs: 5 } });
  const isPrice =
    (symbol: string) =>
    (event: ExchangeEvent): event is Extract<ExchangeEvent, { kind: 'referencePrice' }> =>
      event.kind === 'referencePrice' && event.symbol === symbol;
  await client.start();
  await until(isPrice('BTCUSDC'));
  venue.simulator.control.setMarket('BTCUSDC', { marketEnabled: false });
  const off = events.indexOf(await until((event): event is Markets => event.kind === 'markets'));
  for (let from = off, rounds = 0; rounds < 3; rounds++) {
    from = events.indexOf(await until(isPrice('ETHUSDC'), from), from) + 1;
  }
  expect(events.slice(off + 1).filter(isPrice('BTCUSDC'))).toEqual([]);
  venue.simulator.control.setMarket('BTCUSDC', { marketEnabled: true });
  await until(isPrice('BTCUSDC'), off + 1);
});

test("O12 follows an option's price on request: mark price before any trade, then last trade", async () => {
  venue = await openVenue({ liquidity: 'still' });
  const { client, until, events } = venue.connect({ timeouts: { marketsMs: 10, priceRefreshMs: 5 } });
  await client.start();
  const option = client.markets().find(({ marketType }) => marketType === 'OPTION')!.symbol;
  const isPrice =
    (price: string | null) =>
    (event: ExchangeEvent): event is Extract<ExchangeEvent, { kind: 'referencePrice' }> =>
      event.kind === 'referencePrice' &&
      event.symbol === option &&
      (price === null || Number(event.price) === Number(price));
  client.followPrice(option);
  client.followPrice(option);
  const first = await until(isPrice(null));
  expect(Number(first.price)).toBeGreaterThan(0);
  venue.simulator.control.trade(option, 'BUY', '6000.0', '0.1');
  const tick = await client.get(`/trading-api/v1/markets/${option}/tick`);
  const { last } = JSON.parse(tick.kind === 'answer' ? tick.body : '{}') as { last: string };
  expect(Number(last)).toBeGreaterThan(0);
  await until(isPrice(last));
  // It stays followed when the markets are read anew.
  venue.simulator.control.setMarket('ETHUSDC', { createOrderEnabled: false });
  const changed = await until(isListed('ETHUSDC', false));
  await until(isPrice(last), events.indexOf(changed));
});

test('a delisted market with refused topics does not block the auctions of others', async () => {
  venue = await openVenue();
  const { client, until, events } = venue.connect({ timeouts: { marketsMs: 10 } });
  await client.start();
  await until(isFeed('auction', true));
  const spec = marketSpec('BTCUSD', { marketId: '10099', quoteSymbol: 'USD', auctionEnabled: true });
  venue.simulator.control.extendWorld({ markets: [spec] });
  await until(isListed('BTCUSD', true));
  venue.simulator.control.toPhase('BTCUSD', 'ACCUMULATION');
  await until(
    (event): event is Extract<ExchangeEvent, { kind: 'phase' }> =>
      event.kind === 'phase' && event.phase.symbol === 'BTCUSD',
  );
  const from = events.length;
  venue.simulator.control.restart(false);
  // In whichever order.
  await until(
    (event): event is Markets => event.kind === 'markets' && event.markets.every(({ symbol }) => symbol !== 'BTCUSD'),
    from,
  );
  await until(isFeed('auction', true), from);
});

test('an exchange with unreadable markets for a while keeps its earlier ones', async () => {
  venue = await openVenue();
  const warnings: string[] = [];
  const { client, events } = venue.connect({
    timeouts: { marketsMs: 10 },
    log: (level, text) => level === 'warn' && warnings.push(text),
  });
  await client.start();
  const before = client.markets();
  venue.simulator.control.armAnswer({ what: 'error', on: 'get', times: 50 });
  while (warnings.length < 3) await new Promise((resolve) => setImmediate(resolve));
  expect(client.markets()).toBe(before);
  expect(events.filter(({ kind }) => kind === 'markets')).toEqual([]);
});

test('T3 a refused auction topic costs only its market, and is requested again', async () => {
  venue = await openVenue();
  const { control } = venue.simulator;
  control.extendWorld({
    markets: [marketSpec('BTCUSD', { marketId: '10099', quoteSymbol: 'USD', auctionEnabled: true })],
  });
  control.toPhase('BTCUSD', 'ACCUMULATION');
  control.armSubscription({ topic: 'phase', subject: 'BTCUSD', times: 3 });
  const { client, until, events, alarms } = venue.connect({ timeouts: { askAgainMs: 20 } });
  await client.start();
  const live = await until(isFeed('auction', true));
  const isPhase =
    (symbol: string) =>
    (event: ExchangeEvent): event is Extract<ExchangeEvent, { kind: 'phase' }> =>
      event.kind === 'phase' && event.phase.symbol === symbol;
  control.toPhase('BTCUSDC', 'LOCKDOWN');
  await until(isPhase('BTCUSDC'));
  expect(events.filter(({ kind }) => kind === 'phaseUnknown')).toEqual([{ kind: 'phaseUnknown', symbol: 'BTCUSD' }]);
  await until(isPhase('BTCUSD'));
  expect(events.filter(({ kind }) => kind === 'phaseUnknown')).toHaveLength(1);
  expect(alarms.filter((alarm) => alarm === 'auction-topic-refused')).toHaveLength(1);
  // All on one connection.
  expect(events.slice(events.indexOf(live) + 1).filter(isFeed('auction', true))).toEqual([]);
});

test('reads a needed market that was delisted during an absence from the history', async () => {
  venue = await openVenue();
  venue.clock.now = Date.now();
  const at = new Date(venue.clock.now + 1_000).toISOString();
  const dated = { marketType: 'DATED_FUTURE', feeGroupId: 2, expiryDatetime: at } as const;
  venue.simulator.control.extendWorld({ markets: [marketSpec('BTC-USDC-20261231', { ...dated, marketId: '10098' })] });
  const neededSymbols = () => ['BTCUSDC', 'BTC-USDC-20261231', 'NOBODYSNAME'];
  const before = venue.connect({ neededSymbols }).client;
  await before.start();
  expect(before.pastMarkets()).toEqual([]);
  await before.close();
  venue.clock.now += 7_200_000;
  venue.simulator.control.advance();
  const { client } = venue.connect({ neededSymbols });
  await client.start();
  expect(client.markets().map(({ symbol }) => symbol)).not.toContain('BTC-USDC-20261231');
  expect(client.pastMarkets()).toMatchObject([{ symbol: 'BTC-USDC-20261231', baseSymbol: 'BTC', quoteSymbol: 'USDC' }]);
});

test('D4 a market that halts is known within two seconds by default: no stream says so', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect();
  await client.start();
  const began = performance.now();
  venue.simulator.control.setMarket('BTCUSDC', { createOrderEnabled: false });
  await until(isListed('BTCUSDC', false));
  expect(performance.now() - began).toBeLessThan(2_000);
});
