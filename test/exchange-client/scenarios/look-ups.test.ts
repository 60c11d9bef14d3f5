// A look-up's requests to the simulated exchange, and their number: each counts in the rate of cancels.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { Caller } from '../../simulator/exchange-caller.ts';
import { ACCOUNT, isFeed, limitBuy, type Observed, openVenue, type Venue } from '../venue.ts';

const SETTLE_MS = 1_000;
const ARRIVED = 'http.server.request.start';

let venue: Venue;
const asked: string[] = [];
const onRequest = (message: unknown): void => {
  const { request } = message as { readonly request: IncomingMessage };
  const path = request.url!.split('?')[0]!;
  if (request.method === 'GET' && /orders/.test(path)) asked.push(path.replace('/trading-api/v2/', ''));
  if (request.method === 'POST' && path.endsWith('/v2/command')) asked.push('fence');
};
afterEach(async () => {
  unsubscribe(ARRIVED, onRequest);
  await venue.close();
  asked.length = 0;
});

/** A client with an unanswered and unexecuted order 9; the clock stands still. */
async function unanswered(settleMs = SETTLE_MS, key = 'demo-hmac'): Promise<Observed> {
  venue = await openVenue();
  venue.clock.now = Date.now();
  const observed = venue.connect({ timeouts: { settleMs }, credential: venue.credential(key) });
  await observed.client.start();
  await observed.until(isFeed('private', true));
  venue.simulator.control.armAnswer({ what: 'lost', on: 'create', executed: false });
  expect((await observed.client.submit('c1', limitBuy('9'))).kind).toBe('unknown');
  subscribe(ARRIVED, onRequest);
  return observed;
}

const lookup = (enteredAt: number) =>
  ({ tradingAccountId: ACCOUNT, orderId: null, clientOrderId: '9', commandId: 'c1', enteredAt }) as const;

test('U2 an order fenced off longer ago than reads lag is absent for good at the first look', async () => {
  const { client } = await unanswered();
  venue.clock.now += 1;
  expect((await client.submit('c2', limitBuy('10'))).kind).toBe('accepted');
  venue.clock.now += SETTLE_MS;
  expect(await client.lookup(lookup(venue.clock.now))).toEqual({ kind: 'absent', final: true });
  expect(asked).toEqual(['orders/client-order-id/9', 'history/orders']);
});

test('U2 an order fenced off just now is not absent at once, and no other fence is sent', async () => {
  const { client } = await unanswered(20);
  venue.clock.now += 1;
  expect((await client.submit('c2', limitBuy('10'))).kind).toBe('accepted');
  expect(await client.lookup(lookup(venue.clock.now))).toEqual({ kind: 'absent', final: true });
  expect(asked).toEqual(['orders/client-order-id/9', 'orders/client-order-id/9', 'history/orders']);
});

test('U2 a withdrawal with its UUID nonce fences off no order', async () => {
  const { client } = await unanswered(SETTLE_MS, 'demo-ecdsa');
  const caller = await Caller.loggedIn(venue.simulator, 'demo-ecdsa', () => venue.clock.now);
  const { json } = await caller.get('/trading-api/v1/wallets/withdrawal-instructions/crypto/USDC');
  const [{ destinationId, network }] = json as unknown as [{ destinationId: string; network: string }];
  venue.clock.now += 1;
  const fields = { commandType: 'V1Withdrawal', destinationId, network, symbol: 'USDC', quantity: '50' };
  const path = '/trading-api/v1/wallets/withdrawal';
  expect((await client.send('w', { kind: 'raw', path, fields })).outcome.kind).toBe('accepted');
  venue.clock.now += SETTLE_MS;
  await client.lookup(lookup(venue.clock.now));
  expect(asked).toContain('fence');
});

test('U2 only the deciding look-up reads the history', async () => {
  const { client } = await unanswered(1);
  expect(await client.lookup(lookup(venue.clock.now))).toEqual({ kind: 'absent', final: true });
  expect(asked).toEqual(['orders/client-order-id/9', 'fence', 'orders/client-order-id/9', 'history/orders']);
  asked.length = 0;
  // It may be of the day before.
  expect(await client.lookup(lookup(venue.clock.now - 20 * 3_600_000))).toEqual({ kind: 'absent', final: true });
  expect(asked.slice(0, 2)).toEqual(['orders/client-order-id/9', 'history/orders']);
});

test('U2 skips the look-up of an order no longer wanted at its turn', async () => {
  const { client } = await unanswered();
  const outcome = await client.lookup({ ...lookup(venue.clock.now), isWanted: () => false });
  expect([outcome.kind, asked]).toEqual(['failed', []]);
});
