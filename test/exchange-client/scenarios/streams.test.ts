import { afterEach, expect, test } from 'vitest';
import type { ExchangeEvent } from '../../../src/exchange/mod.ts';
import { ACCOUNT, isFeed, isOrder, limitBuy, openVenue, type Venue } from '../venue.ts';

let venue: Venue;
afterEach(async () => await venue.close());

test('after a cut the streams come back, live only after their snapshots', async () => {
  venue = await openVenue();
  const { client, until, events } = venue.connect();
  await client.start();
  await Promise.all([until(isFeed('private', true)), until(isFeed('auction', true))]);
  await client.submit('c1', limitBuy('1'));
  await until(isOrder('1', 'OPEN'));
  const from = events.length;
  venue.simulator.control.cutStreams();
  await until(isFeed('private', false), from);
  await until(isFeed('private', true), from);
  const later = events.slice(from);
  const down = later.findIndex(isFeed('private', false));
  const up = later.findIndex(isFeed('private', true));
  const shown = later.findIndex((event) => event.kind === 'order' && event.source === 'snapshot');
  expect(down).toBeLessThan(shown);
  expect(shown).toBeLessThan(up);
});

test('replaces an expired login: reads go on, streams return, the command is refused once', async () => {
  venue = await openVenue();
  const { client, until, events, alarms } = venue.connect();
  await client.start();
  await until(isFeed('private', true));
  const from = events.length;
  venue.simulator.control.expireLogins();
  expect(await client.submit('c1', limitBuy('1'))).toMatchObject({ kind: 'refused', httpStatus: 401 });
  expect(await client.recent(ACCOUNT)).toEqual({ orders: [], trades: [] });
  expect((await client.submit('c2', limitBuy('2'))).kind).toBe('accepted');
  venue.simulator.control.cutStreams('private');
  await until(isFeed('private', true), from);
  await until(isOrder('2', 'OPEN'), from);
  expect(alarms).toEqual([]);
});

test('O3 reports a snapshot with only the last twenty fills before the first of them', async () => {
  venue = await openVenue();
  const { client, until, events } = venue.connect({ auctionSymbols: [], referenceSymbols: [] });
  const { control } = venue.simulator;
  await client.start();
  await until(isFeed('private', true));
  await client.submit('c1', limitBuy('1'));
  await until(isOrder('1', 'OPEN'));
  const afterGap = async (fills: number): Promise<(string | undefined)[]> => {
    const from = events.length;
    control.silenceStreams(true);
    for (let i = 0; i < fills; i++) control.trade('BTCUSDC', 'SELL', '50000.0', '0.0001');
    control.silenceStreams(false);
    control.cutStreams('private');
    await until(isFeed('private', false), from);
    await until(isFeed('private', true), from);
    return events.slice(from).flatMap(({ kind }) => (kind === 'trade' || kind === 'tradesMissed' ? [kind] : []));
  };
  expect(await afterGap(25)).toEqual(['tradesMissed', ...Array(20).fill('trade')]);
  expect(await afterGap(19)).toEqual(Array(19).fill('trade'));
});

test('auction phases are followed', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect();
  await client.start();
  await until(isFeed('auction', true));
  venue.simulator.control.toPhase('BTCUSDC', 'LOCKDOWN');
  const isLockdown = (event: ExchangeEvent): event is Extract<ExchangeEvent, { kind: 'phase' }> =>
    event.kind === 'phase' && event.phase.phase === 'LOCKDOWN';
  expect((await until(isLockdown)).phase).toMatchObject({ symbol: 'BTCUSDC', cancelAuctionOrderEnabled: false });
});

test('O12 the last trade price is followed, and confirmed while the market is quiet', async () => {
  venue = await openVenue();
  const { client, until, events } = venue.connect({
    referenceSymbols: ['BTCUSDC'],
    timeouts: { priceRefreshMs: 20 },
  });
  await client.start();
  await until(isFeed('private', true));
  await client.submit('c1', limitBuy('1', '50000.0'));
  venue.simulator.control.trade('BTCUSDC', 'SELL', '50000.0', '0.001');
  const isPrice = (event: ExchangeEvent): event is Extract<ExchangeEvent, { kind: 'referencePrice' }> =>
    event.kind === 'referencePrice' && Number(event.price) === 50_000;
  await until(isPrice);
  const from = events.length;
  await until(isPrice, from);
});

test('a duplicated, reordered or suppressed frame breaks nothing: orders read later are complete', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect();
  await client.start();
  await until(isFeed('private', true));
  venue.simulator.control.armStream({ what: 'suppress', dataType: 'V1TAOrder', times: 2 });
  venue.simulator.control.armStream({ what: 'duplicate', dataType: 'V1TAOrder', times: 2 });
  await client.submit('c1', limitBuy('1'));
  await client.submit('c2', limitBuy('2'));
  await until(isOrder('2', 'OPEN'));
  const recent = await client.recent(ACCOUNT);
  expect(recent?.orders.map(({ clientOrderId }) => clientOrderId).sort()).toEqual(['1', '2']);
});

test('closing logs out', async () => {
  venue = await openVenue();
  const { client } = venue.connect();
  await client.start();
  expect(venue.simulator.control.logins).toBe(1);
  await client.close();
  expect(venue.simulator.control.logins).toBe(0);
  expect((await client.submit('late', limitBuy('1'))).kind).toBe('refused');
});

test('a private stream that stays open but says nothing is dropped, alarmed and opened again', async () => {
  venue = await openVenue({ heartbeatMs: 20 });
  const { client, until, events, alarms } = venue.connect({ timeouts: { keepaliveMs: 20, heartbeatMs: 100 } });
  await client.start();
  await until(isFeed('private', true));
  const from = events.length;
  venue.simulator.control.silenceStreams(true);
  await until(isFeed('private', false), from);
  expect(alarms).toContain('private-stream-silent');
  venue.simulator.control.silenceStreams(false);
  await until(isFeed('private', true), from);
});

test('an AMM topic without a snapshot delays no order: the private stream is live', async () => {
  venue = await openVenue();
  venue.simulator.control.armStream({ what: 'suppress', dataType: 'V1TAAmmInstruction', times: 100 });
  venue.simulator.control.armStream({ what: 'suppress', dataType: 'V1TANoii', times: 100 });
  const log: string[] = [];
  const { client, until } = venue.connect({
    timeouts: { loginMs: 3_600_000 },
    log: (_level, text) => log.push(text),
  });
  for (const topic of ['assetAccounts', 'tradingAccounts', 'ammInstructions']) client.followTopic(topic, ACCOUNT);
  await client.start();
  await Promise.all([until(isFeed('private', true)), until(isFeed('auction', true))]);
  expect(log.filter((text) => text.includes('snapshot'))).toEqual([]);
});

test('a bridge topic without an answer or data delays no order, and is logged', async () => {
  venue = await openVenue();
  const { control } = venue.simulator;
  control.armSubscription({ what: 'unanswered', topic: 'tradingAccounts', subject: ACCOUNT });
  control.armStream({ what: 'suppress', dataType: 'V1TAAssetAccount', times: 100 });
  const untold: string[] = [];
  let told: () => void = () => {};
  const isTold = new Promise<void>((resolve) => {
    told = resolve;
  });
  const { client, until, events } = venue.connect({
    timeouts: { loginMs: 3_000 },
    log: (_level, text, { topic }) => {
      if (!text.includes('has not answered a subscription')) return;
      untold.push(String(topic));
      told();
    },
  });
  for (const topic of ['assetAccounts', 'tradingAccounts']) client.followTopic(topic, ACCOUNT);
  await client.start();
  await until(isFeed('private', true));
  expect(untold).toEqual([]);
  expect((await client.submit('c1', limitBuy('1'))).kind).toBe('accepted');
  await until(isOrder('1', 'OPEN'));
  await isTold;
  expect(untold).toEqual(['tradingAccounts']);
  expect(events.filter(isFeed('private', false))).toEqual([]);
});

test('a stream with a forgotten login returns with the next, after any outage', async () => {
  venue = await openVenue();
  const waits: (readonly [string, number])[] = [];
  const { client, until, events } = venue.connect({
    auctionSymbols: [],
    referenceSymbols: [],
    timeouts: { reconnectMs: 10, reconnectMaxMs: 60_000 },
    log: (_level, text, { waitMs }) => typeof waitMs === 'number' && waits.push([text, waitMs]),
  });
  await client.start();
  await until(isFeed('private', true));
  const from = events.length;
  const { control } = venue.simulator;
  control.armAnswer({ what: 'lost', on: 'stream', times: 5 });
  control.cutStreams('private');
  while (control.armedFaults > 0) await new Promise((resolve) => setImmediate(resolve));
  control.expireLogins();
  await until(isFeed('private', true), from);
  const [, refused] = waits.find(([text]) => text.includes('HTTP 401'))!;
  expect(refused).toBeLessThanOrEqual(10);
});

test("reports an unsent command without the exchange's address, because it reaches Text(58)", async () => {
  venue = await openVenue();
  const { client } = venue.connect({ auctionSymbols: [], referenceSymbols: [] });
  await client.start();
  await venue.simulator.close();
  const outcomes = [await client.submit('a', limitBuy('1')), await client.submit('b', limitBuy('2'))];
  const last = outcomes.at(-1)!;
  expect(last).toMatchObject({ kind: 'refused', httpStatus: null, message: 'connect failed (ECONNREFUSED)' });
});
