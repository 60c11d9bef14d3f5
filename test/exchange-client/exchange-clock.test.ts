// A gateway with a clock beyond the exchange's tolerance (exchange reference §2.3): the alarm, and cancels that get
// through anyway.

import { afterEach, expect, test } from 'vitest';
import type { CommandOutcome } from '../../src/exchange/mod.ts';
import { ExchangeClock } from '../../src/exchange-client/exchange-clock.ts';
import { exchangeCheck } from '../../src/exchange-client/mod.ts';
import { resolveOptions } from '../../src/exchange-client/options.ts';
import { RateBudget } from '../../src/exchange-client/rates/rate-budget.ts';
import type { HttpOrigin, HttpRequest } from '../../src/exchange-client/reads/http.ts';
import { scriptedOptions } from '../support/exchange/scripted-exchange.ts';
import { ACCOUNT, limitBuy, type Observed, openVenue, type Venue } from './venue.ts';

const HOUR_MS = 3_600_000;

let venue: Venue | null = null;
afterEach(async () => {
  await venue?.close();
  venue = null;
});

/** A client with a clock off by `offMs.value`, beside the monotonic time. */
async function off(valueMs: number, key = 'demo-hmac') {
  venue = await openVenue();
  const offMs = { value: valueMs };
  const observed = venue.connect({
    now: () => Date.now() + offMs.value,
    elapsedMs: () => performance.now(),
    credential: venue.credential(key),
    // The first command of a process waits for what the exchange loads for it.
    timeouts: { requestMs: 10_000 },
  });
  await observed.client.start();
  return { offMs, ...observed };
}

function cancel(client: Observed['client'], commandId: string, clientOrderId: string): Promise<CommandOutcome> {
  return client.submit(commandId, {
    kind: 'cancelOrder',
    orderId: null,
    clientOrderId,
    symbol: 'BTCUSDC',
    tradingAccountId: ACCOUNT,
  });
}

test.each([
  ['ahead, HMAC', HOUR_MS, 'demo-hmac'],
  ['behind, ECDSA', -HOUR_MS, 'demo-ecdsa'],
  ['days ahead, HMAC', 72 * HOUR_MS, 'demo-hmac'],
])(
  'C3 a clock that is off from the start (%s) is alarmed once, and orders and their cancels get through',
  async (_, ms, key) => {
    const { client, alarms } = await off(ms, key);
    expect((await client.submit('c1', limitBuy('1'))).kind).toBe('accepted');
    expect((await cancel(client, 'c2', '1')).kind).toBe('accepted');
    await expect.poll(() => alarms).toEqual(['clock-offset']);
  },
);

test('C3 a clock set and corrected delays cancels by one query and loses none', async () => {
  const { client, alarms, offMs } = await off(0);
  for (const [i, ms] of [HOUR_MS, 0, -HOUR_MS, 0].entries()) {
    const reference = String(i + 1);
    expect((await client.submit(`new-${i}`, limitBuy(reference))).kind).toBe('accepted');
    offMs.value = ms;
    expect((await cancel(client, `cancel-${i}`, reference)).kind).toBe('accepted');
  }
  expect(alarms).toEqual(['clock-offset', 'clock-offset']);
});

test('X6 the check signs with the time of the exchange, as the gateway does', async () => {
  venue = await openVenue();
  const report = await exchangeCheck({
    baseUrl: venue.simulator.url,
    credential: venue.credential('demo-hmac'),
    tradingAccountId: ACCOUNT,
    now: () => Date.now() + HOUR_MS,
    retryAfterMs: 0,
  });
  expect(report.steps.filter(({ ok }) => !ok)).toEqual([]);
});

/** A clock that reads `answer`: the exchange's time, and its age by an intermediary. */
function asking() {
  const clock = { now: 1_000_000_000_000, elapsed: 0 };
  const alarms: string[] = [];
  const asked: HttpRequest[] = [];
  const answer = { timestamp: 0, age: null as string | null };
  const options = resolveOptions({
    ...scriptedOptions('http://127.0.0.1:1', [ACCOUNT]),
    log: () => {},
    onAlarm: (alarm) => alarms.push(alarm),
    onNonceCeiling: () => {},
    now: () => clock.now,
    elapsedMs: () => clock.elapsed,
  });
  const http = {
    send: (request: HttpRequest) => {
      asked.push(request);
      const headers = answer.age === null ? {} : { age: answer.age };
      const body = JSON.stringify({ timestamp: answer.timestamp });
      return Promise.resolve({ kind: 'answer', status: 200, headers, body });
    },
  } as unknown as HttpOrigin;
  const one = new ExchangeClock(options, http, new RateBudget(options.rates, options, options.addressBudget));
  /** The offset after one more comparison, `afterMs` later. */
  const compare = async (afterMs: number, timestamp: number, age: string | null = null): Promise<number> => {
    clock.now += afterMs;
    clock.elapsed += afterMs;
    Object.assign(answer, { timestamp, age });
    await one.compare();
    return one.offsetMs;
  };
  return { clock, alarms, asked, compare };
}

test('C3 an exchange time from a cache (Age) shifts signatures by no more than its error', async () => {
  const { clock, alarms, asked, compare } = asking();
  const { now } = clock;
  expect(await compare(0, now - 30_000, '30')).toBe(0);
  expect(await compare(0, now - 30_999, '30')).toBe(0);
  expect(await compare(0, now, '0')).toBe(0);
  expect(alarms).toEqual([]);
  // A clock that is off is seen through it all the same.
  expect(await compare(0, now - 30_000 - HOUR_MS, '30')).toBe(1_000 - HOUR_MS);
  expect(await compare(0, now - 30_000 + HOUR_MS, '30')).toBe(HOUR_MS);
  expect(alarms).toEqual(['clock-offset']);
  // It asks for no copy.
  expect(asked.map(({ headers }) => headers['cache-control'])).toEqual(asked.map(() => 'no-cache'));
});

test('C3 a repeated exchange time a minute later is a cached copy and measures nothing', async () => {
  const { clock, alarms, compare } = asking();
  const { now } = clock;
  expect(await compare(0, now)).toBe(0);
  expect(await compare(60_000, now)).toBe(0);
  expect(await compare(60_000, now)).toBe(0);
  expect(alarms).toEqual([]);
  expect(await compare(0, now + 120_000 + HOUR_MS)).toBe(HOUR_MS);
  expect(await compare(60_000, now + 120_000 + HOUR_MS)).toBe(HOUR_MS);
  expect(await compare(0, now + 180_000)).toBe(0);
});
