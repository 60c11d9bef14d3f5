// `crossgate exchange check` against the simulated exchange: which ways of signing it accepts, and the second try where the
// nonces of a gateway that was just restarted are ahead of the clock (rule X6).

import { afterEach, expect, test } from 'vitest';
import { type ExchangeCheckOptions, exchangeCheck } from '../../src/exchange-client/mod.ts';
import { ACCOUNT, openVenue, type Venue } from './venue.ts';

let venue: Venue | null = null;
afterEach(async () => {
  await venue?.close();
  venue = null;
});

const START = Date.parse('2026-06-01T12:00:00.000Z');
const AHEAD_MS = 10_000;

/** An exchange with a stopped clock that has seen a nonce of this key from ten seconds ahead. */
async function withNoncesAhead(opened: Venue): Promise<void> {
  opened.clock.now = START;
  const ahead = opened.connect({
    auctionSymbols: [],
    referenceSymbols: [],
    nonceCeiling: String((START + AHEAD_MS) * 1000),
    timeouts: { clockCheckMs: 3_600_000 },
  });
  await ahead.client.start();
  const cancel = { kind: 'cancelOrder', orderId: '1', clientOrderId: null, symbol: 'BTCUSDC' } as const;
  await ahead.client.submit('ahead', { ...cancel, tradingAccountId: ACCOUNT });
}

const checkOf = (opened: Venue, more: Pick<ExchangeCheckOptions, 'retryAfterMs' | 'pause'>) =>
  exchangeCheck({
    baseUrl: opened.simulator.url,
    credential: opened.credential('demo-hmac'),
    tradingAccountId: ACCOUNT,
    now: () => opened.clock.now,
    ...more,
  });

test('X6 reports nonces ahead of the clock if the first try is refused everywhere', async () => {
  venue = await openVenue();
  await withNoncesAhead(venue);
  const report = await checkOf(venue, { retryAfterMs: 0 });
  expect(report.ok).toBe(false);
  expect(report.steps.map(({ step, ok }) => [step, ok])).toEqual([
    ['login', true],
    ['dialect v2', false],
    ['dialect v3', false],
  ]);
  expect(report.steps[1]!.text).toMatch(/nonce/i);
});

test('X6 nonces ahead of the clock: after the pause all is tried once more, and both dialects are accepted', async () => {
  venue = await openVenue();
  await withNoncesAhead(venue);
  const opened = venue;
  const pauses: number[] = [];
  const report = await checkOf(opened, {
    pause: async (ms) => {
      pauses.push(ms);
      opened.clock.now += ms;
    },
  });
  // Longer than a gateway's nonces are ahead of the clock.
  expect(pauses).toEqual([11_000]);
  expect(report.ok).toBe(true);
  expect(report.steps.map(({ step, ok }) => [step, ok])).toEqual([
    ['login', true],
    ['dialect v2', true],
    ['dialect v3', true],
  ]);
  // It proves, and changes nothing.
  expect(opened.simulator.control.openOrders(ACCOUNT)).toEqual([]);
});

test('X6 it asks as the gateway would: cancels go where the settings say', async () => {
  venue = await openVenue();
  const credential = venue.credential('demo-ecdsa');
  const check = { baseUrl: venue.simulator.url, credential, tradingAccountId: ACCOUNT, now: Date.now, retryAfterMs: 0 };
  const found = async (settings: ExchangeCheckOptions['settings']): Promise<unknown[]> =>
    (await exchangeCheck({ ...check, settings })).steps.map(({ step, ok }) => `${ok ? 'ok' : 'no'} ${step}`);
  const ways = ['ok login', 'ok dialect v2, prehash hexdigest', 'no dialect v2, prehash none'];
  expect((await found({})).slice(0, 3)).toEqual(ways);
  expect(await found({ v2CancelPath: '/trading-api/v2/elsewhere' })).toEqual([
    'ok login',
    'no dialect v2, prehash hexdigest',
    'no dialect v2, prehash none',
    'ok dialect v3, prehash hexdigest',
    'no dialect v3, prehash none',
  ]);
});

test('X6 a login that is refused is not tried again', async () => {
  venue = await openVenue();
  const credential = { ...venue.credential('demo-hmac'), secret: 'not-the-secret' } as const;
  const pauses: number[] = [];
  const report = await exchangeCheck({
    baseUrl: venue.simulator.url,
    credential: credential as ReturnType<Venue['credential']>,
    tradingAccountId: ACCOUNT,
    now: Date.now,
    pause: async (ms) => pauses.push(ms),
  });
  expect([report.ok, report.steps.length, report.steps[0]?.ok]).toEqual([false, 1, false]);
  expect(pauses).toEqual([]);
});
