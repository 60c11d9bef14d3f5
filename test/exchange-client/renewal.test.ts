// A login is renewed before its JWT ends, without anybody asking, and orders go on as if nothing had happened.

import { expect, test } from 'vitest';
import { limitBuy, openVenue } from './venue.ts';

const VALID_MS = 3_000;

test('the JWT is renewed well before its end: an order placed after the first one has expired is accepted', async () => {
  const venue = await openVenue({ jwtValidityMs: VALID_MS });
  let renewals = 0;
  let threeTimes = (): void => {};
  const renewedThreeTimes = new Promise<void>((resolve) => {
    threeTimes = resolve;
  });
  const started = Date.now();
  const { client, alarms } = venue.connect({
    credential: venue.credential('demo-ecdsa'),
    auctionSymbols: [],
    log: (_level, text) => {
      if (text === 'exchange login renewed' && ++renewals === 3) threeTimes();
    },
  });
  try {
    await client.start();
    await renewedThreeTimes;
    // Each renewal comes at half of a life, never sooner than a second: by the third one the first token has ended.
    expect(Date.now() - started).toBeGreaterThanOrEqual(VALID_MS);
    const outcome = await client.submit('after', limitBuy('77', '50000.0', '0.001'));
    expect(outcome.kind).toBe('accepted');
    expect(alarms).toEqual([]);
  } finally {
    await venue.close();
  }
});
