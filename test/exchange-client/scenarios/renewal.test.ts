// A login is renewed before its JWT ends, without anybody asking, and orders go on as if nothing had happened.

import { expect, test } from 'vitest';
import { ACCOUNT, isFeed, limitBuy, openVenue } from '../venue.ts';

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

test('replaces an ended login ten times at once, then every six seconds', async () => {
  const venue = await openVenue();
  let later = 0;
  const { client } = venue.connect({ auctionSymbols: [], elapsedMs: () => performance.now() + later });
  const statusAfterLoss = async (): Promise<number | string> => {
    venue.simulator.control.expireLogins();
    const answer = await client.get('/trading-api/v1/accounts/asset');
    return answer.kind === 'answer' ? answer.status : answer.message;
  };
  try {
    await client.start();
    for (let i = 0; i < 10; i++) expect(await statusAfterLoss()).not.toBe(401);
    expect(await statusAfterLoss()).toBe(401);
    later = 6_500;
    expect(await statusAfterLoss()).not.toBe(401);
    expect(await statusAfterLoss()).toBe(401);
  } finally {
    await venue.close();
  }
});

test.each([
  ['that is itself the first command to be told of the end of the login goes again', true],
  ['behind the first command that is told of the end of the login waits', false],
])('C3 a cancel %s with the next one, and is carried out', async (_, isFirst) => {
  const venue = await openVenue();
  const { client } = venue.connect({ auctionSymbols: [] });
  try {
    await client.start();
    expect((await client.submit('c1', limitBuy('1'))).kind).toBe('accepted');
    venue.simulator.control.expireLogins();
    if (!isFirst) {
      expect(await client.submit('c2', limitBuy('2'))).toMatchObject({ kind: 'refused', httpStatus: 401 });
    }
    const cancel = { kind: 'cancelOrder', orderId: null, clientOrderId: '1', symbol: 'BTCUSDC' } as const;
    expect((await client.submit('x1', { ...cancel, tradingAccountId: ACCOUNT })).kind).toBe('accepted');
    expect(venue.simulator.control.openOrders(ACCOUNT)).toEqual([]);
  } finally {
    await venue.close();
  }
});

test('alarms at once for a login that the exchange ends and refuses, and recovers by itself', async () => {
  const venue = await openVenue();
  const { client, alarms, events, until } = venue.connect({ auctionSymbols: [] });
  const { control } = venue.simulator;
  try {
    await client.start();
    control.arm({ answers: [{ what: 'error', on: 'login', times: 1000 }] });
    control.expireLogins();
    for (let i = 0; i < 5; i++) await client.get('/trading-api/v1/accounts/asset');
    // At once, and with each attempt of its own: not with each that is refused.
    expect(new Set(alarms)).toEqual(new Set(['login-renewal-failed']));
    expect(alarms.length).toBeLessThan(5);
    const from = events.length;
    control.clearFaults();
    await until(isFeed('private', true), from);
  } finally {
    await venue.close();
  }
});
