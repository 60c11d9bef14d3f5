// A login is renewed before its JWT ends, without anybody asking, and orders go on as if nothing had happened.

import { expect, test } from 'vitest';
import { createExchangeClient } from '../../src/exchange-client/mod.ts';
import { ACCOUNT, openVenue } from './venue.ts';

const VALID_MS = 3_000;

test('the JWT is renewed well before its end: an order placed after the first one has expired is accepted', async () => {
  const venue = await openVenue({ jwtValidityMs: VALID_MS });
  const alarms: string[] = [];
  let renewals = 0;
  let threeTimes = (): void => {};
  const renewedThreeTimes = new Promise<void>((resolve) => {
    threeTimes = resolve;
  });
  const started = Date.now();
  const client = createExchangeClient({
    name: 'renewing',
    baseUrl: venue.simulator.url,
    credential: venue.credential('demo-ecdsa'),
    dialect: 'v2',
    prehash: 'hexdigest',
    tradingAccountIds: [ACCOUNT],
    auctionSymbols: [],
    nonceMode: 'window',
    nonceCeiling: null,
    onNonceCeiling: () => {},
    now: Date.now,
    onAlarm: (alarm) => alarms.push(alarm),
    log: (_level, text) => {
      if (text === 'exchange login renewed' && ++renewals === 3) threeTimes();
    },
  });
  try {
    await client.start();
    await renewedThreeTimes;
    // Each renewal comes at half of a life, never sooner than a second: by the third one the first token has ended.
    expect(Date.now() - started).toBeGreaterThanOrEqual(VALID_MS);
    const outcome = await client.submit('after', {
      kind: 'createOrder',
      clientOrderId: '77',
      symbol: 'BTCUSDC',
      type: 'LIMIT',
      side: 'BUY',
      price: '50000.0',
      stopPrice: null,
      quantity: '0.001',
      timeInForce: 'GTC',
      allowBorrow: false,
      isMMP: null,
      tradingAccountId: ACCOUNT,
    });
    expect(outcome.kind).toBe('accepted');
    expect(alarms).toEqual([]);
  } finally {
    await client.close();
    await venue.close();
  }
});
