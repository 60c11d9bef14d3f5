// Configured rather than known: headers of commands, where the login names its user, whether the nonce range needs a
// login, the tolerance of clocks.

import { afterEach, expect, test } from 'vitest';
import { type RawHttpServer, rawAnswer, startRawHttpServer } from '../../support/exchange/raw-http-server.ts';
import { readAnswer, scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT, isFeed, limitBuy, observe, openVenue, type Venue } from '../venue.ts';

let venue: Venue | null = null;
let server: RawHttpServer | null = null;
afterEach(async () => {
  await venue?.close();
  await server?.close();
  venue = null;
  server = null;
});

/** Connect to a server that keeps what it is asked. */
async function scripted(
  settings: NonNullable<Parameters<typeof observe>[0]['settings']>,
  rateLimitToken = 'tier-token',
) {
  server = await startRawHttpServer((request) => {
    if (request.includes('/trading-accounts')) {
      return rawAnswer(200, JSON.stringify([{ tradingAccountId: ACCOUNT, rateLimitToken, more: 1 }]));
    }
    if (request.startsWith('POST')) return rawAnswer(200, '{"orderId":"5","requestId":"6"}');
    return readAnswer(request);
  });
  const observed = observe({ ...scriptedOptions(server.url, [ACCOUNT]), settings });
  await observed.client.start();
  await observed.client.submit('c1', limitBuy('1'));
  await observed.client.close();
  const find = (text: string): string => server?.requests.find((request) => request.includes(text)) ?? '';
  return { post: find('POST /trading-api/v2/orders').toLowerCase(), nonce: find('/v1/nonce').toLowerCase() };
}

test('BX-RATELIMIT-TOKEN and BX-REFERRER go with orders where they are set, and nowhere else', async () => {
  const withBoth = await scripted({ rateLimitToken: true, referrer: '42' });
  expect(withBoth.post).toContain('bx-ratelimit-token: tier-token');
  expect(withBoth.post).toContain('bx-referrer: 42');
  expect(withBoth.nonce).not.toContain('bx-ratelimit-token');
  await server?.close();
  const without = await scripted({});
  expect(without.post).not.toMatch(/bx-ratelimit-token|bx-referrer/);
});

test.each(['tier token', 'tier-token\n', 'tier-tokén', '', 'a\r\nx-other: 1'])(
  'a rate limit token that no header can hold is not sent, and commands leave without it (%j)',
  async (token) => {
    const { post } = await scripted({ rateLimitToken: true }, token);
    expect(post).toContain('v2createorder');
    expect(post).not.toMatch(/bx-ratelimit-token|x-other/);
  },
);

test('X4 the nonce range is asked for with the login by default, without it by setting', async () => {
  expect((await scripted({})).nonce).toContain('authorization: bearer t');
  await server?.close();
  expect((await scripted({ nonceAuthenticated: false })).nonce).not.toContain('authorization');
});

test('the nonce range is found where trading-api.md has it, at /nonce, if the exchange has it nowhere else', async () => {
  server = await startRawHttpServer((request) =>
    request.includes('/v1/nonce') ? rawAnswer(404, '{"message":"no"}') : readAnswer(request),
  );
  const { client } = observe(scriptedOptions(server.url, [ACCOUNT]));
  await client.start();
  await client.close();
  const asked = server.requests.find((request) => request.startsWith('GET /nonce '));
  expect(asked?.toLowerCase()).toContain('authorization: bearer t');
});

test('X4 the exchange takes an ECDSA login that names its user at both places, and one that names it once', async () => {
  venue = await openVenue();
  for (const loginUserId of ['both', 'payload'] as const) {
    const { client } = venue.connect({ credential: venue.credential('demo-ecdsa'), settings: { loginUserId } });
    await client.start();
    await client.close();
  }
});

test('a clock that differs from the exchange is alarmed once, and one that agrees is not', async () => {
  venue = await openVenue();
  const ahead = venue.connect({ now: () => Date.now() + 5_000, timeouts: { clockCheckMs: 20 } });
  await ahead.client.start();
  await ahead.until(isFeed('private', true));
  while (!ahead.alarms.includes('clock-offset')) await new Promise((resolve) => setTimeout(resolve, 5));
  await ahead.client.recent(ACCOUNT);
  expect(ahead.alarms.filter((alarm) => alarm === 'clock-offset')).toHaveLength(1);
  const right = venue.connect({ timeouts: { clockCheckMs: 20 }, settings: { clockOffsetMaxMs: 2_000 } });
  await right.client.start();
  await right.until(isFeed('private', true));
  await right.client.recent(ACCOUNT);
  expect(right.alarms).toEqual([]);
});
