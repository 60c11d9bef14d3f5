// The start of a client while a part of the exchange fails: what still works, and at what cost.

import { afterEach, expect, test } from 'vitest';
import type { ExchangeEvent } from '../../../src/exchange/mod.ts';
import { rawAnswer, startRawHttpServer } from '../../support/exchange/raw-http-server.ts';
import { scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT, isFeed, observe, openVenue, type Venue } from '../venue.ts';

let venue: Venue | null = null;
afterEach(async () => {
  await venue?.close();
  venue = null;
});

const isPrice = (event: ExchangeEvent): event is Extract<ExchangeEvent, { kind: 'referencePrice' }> =>
  event.kind === 'referencePrice';

test('a start that is tried again behind its login logs in once: sessions at the exchange are few', async () => {
  venue = await openVenue();
  const { control } = venue.simulator;
  const { client, until } = venue.connect();
  control.armAnswer({ what: 'error', on: 'get', httpStatus: 503, times: 1_000 });
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(client.start()).rejects.toMatchObject({ code: 'XG_EXCHANGE_ANSWER_INVALID' });
  }
  expect(control.logins).toBe(1);
  control.clearFaults();
  await client.start();
  await until(isFeed('private', true));
  expect(control.logins).toBe(1);
});

test('a login that cannot be had keeps neither auctions nor prices from the orders of other logins', async () => {
  venue = await openVenue({ liquidity: 'still' });
  const { control } = venue.simulator;
  const { client, until, events } = venue.connect();
  control.armAnswer({ what: 'error', on: 'login', httpStatus: 401, times: 1_000 });
  await expect(client.start()).rejects.toMatchObject({ code: 'XG_EXCHANGE_LOGIN_FAILED' });
  await until(isFeed('auction', true));
  expect((await until(isPrice)).price).not.toBe('');
  await expect(client.start()).rejects.toMatchObject({ code: 'XG_EXCHANGE_LOGIN_FAILED' });
  const streams = control.streamCount;
  control.clearFaults();
  await client.start();
  await until(isFeed('private', true));
  // The private stream alone came beside them.
  expect(control.streamCount).toBe(streams + 1);
  expect(events.filter(isFeed('auction', true))).toHaveLength(1);
});

test("returns a killed process's login before the next one, however often", async () => {
  venue = await openVenue({ limits: { loginsPerUser: 2 } });
  const { control } = venue.simulator;
  let kept: readonly string[] = [];
  const openLogins = {
    read: async () => kept,
    write: async (tokens: readonly string[]) => {
      kept = tokens;
    },
  };
  for (let start = 0; start < 5; start++) {
    // The one before is not closed: it knows nothing of its end.
    const { client, until } = venue.connect({ openLogins, timeouts: { reconnectMs: 60_000, reconnectMaxMs: 60_000 } });
    await client.start();
    await until(isFeed('private', true));
    expect(kept).toHaveLength(1);
    expect(control.logins).toBe(1);
  }
});

test('logs in though the exchange does not take a login back, and asks again later', async () => {
  venue = await openVenue();
  const { control } = venue.simulator;
  const written: (readonly string[])[] = [];
  const openLogins = {
    read: async () => ['left-by-another-process'],
    write: async (tokens: readonly string[]) => void written.push(tokens),
  };
  control.armAnswer({ what: 'lost', on: 'get', times: 1 });
  const { client } = venue.connect({ openLogins });
  await client.start();
  expect(written).toEqual([[expect.any(String), 'left-by-another-process']]);
});

test('an exchange that is elsewhere, as behind https instead of http, is named with where it is', async () => {
  const location = 'location: https://exchange.example/trading-api/v1/users/hmac/login?key=1\r\n';
  const server = await startRawHttpServer(() => rawAnswer(301, '<html>Moved</html>', 'text/html', location));
  const { client } = observe(scriptedOptions(server.url, [ACCOUNT]));
  const message = 'exchange login scripted: HTTP 301: it is at https://exchange.example';
  await expect(client.start()).rejects.toMatchObject({ code: 'XG_EXCHANGE_LOGIN_FAILED', message });
  await client.close();
  await server.close();
});
