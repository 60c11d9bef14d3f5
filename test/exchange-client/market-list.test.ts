// Markets that the exchange lists, switches off or changes while the gateway runs.

import { afterEach, expect, test } from 'vitest';
import type { ExchangeEvent } from '../../src/exchange/mod.ts';
import { marketSpec } from '../../src/simulator/default-world.ts';
import { isFeed, openVenue, type Venue } from './venue.ts';

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

test('an exchange whose markets cannot be read for a while keeps those that it had', async () => {
  venue = await openVenue();
  const warnings: string[] = [];
  const { client, events } = venue.connect({
    timeouts: { marketsMs: 10 },
    log: (level, text) => level === 'warn' && warnings.push(text),
  });
  await client.start();
  const before = client.markets();
  venue.simulator.control.armAnswer({ what: 'error', on: 'get', times: 3 });
  while (warnings.length < 3) await new Promise((resolve) => setImmediate(resolve));
  expect(client.markets()).toBe(before);
  expect(events.filter(({ kind }) => kind === 'markets')).toEqual([]);
});
