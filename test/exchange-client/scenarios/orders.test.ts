import { afterEach, expect, test } from 'vitest';
import type { CommandOutcome, ExchangeEvent } from '../../../src/exchange/mod.ts';
import { exchangeCheck } from '../../../src/exchange-client/mod.ts';
import { ACCOUNT, isFeed, isOrder, limitBuy, openVenue, type Venue } from '../venue.ts';

let venue: Venue;
afterEach(async () => await venue.close());

test.each([
  ['demo-hmac', 'v2', 'hexdigest'],
  ['demo-hmac', 'v3', 'hexdigest'],
  ['demo-ecdsa', 'v2', 'hexdigest'],
  ['demo-ecdsa', 'v3', 'none'],
] as const)(
  'X1 X2 the key %s logs in, creates and cancels in dialect %s with prehash %s',
  async (key, dialect, prehash) => {
    venue = await openVenue({ prehashes: [prehash] });
    const { client, until } = venue.connect({ credential: venue.credential(key), dialect, prehash });
    await client.start();
    expect(client.markets().map(({ symbol }) => symbol)).toContain('BTCUSDC');
    await until(isFeed('private', true));
    const created = await client.submit('c1', limitBuy('1001'));
    expect(created).toMatchObject({ kind: 'accepted', clientOrderId: '1001', orderId: expect.stringMatching(/^\d+$/) });
    const { order } = await until(isOrder('1001', 'OPEN'));
    const cancelled = await client.submit('c2', {
      kind: 'cancelOrder',
      orderId: order.orderId,
      clientOrderId: null,
      symbol: 'BTCUSDC',
      tradingAccountId: ACCOUNT,
    });
    expect(cancelled.kind).toBe('accepted');
    expect((await until(isOrder('1001', 'CANCELLED'))).order.statusReasonCode).toBe('6005');
  },
);

test('fills arrive as trades, and a look-up by our own reference finds the order with them', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect();
  await client.start();
  await until(isFeed('private', true));
  await client.submit('c1', limitBuy('7', '50000.0', '0.02'));
  await until(isOrder('7', 'OPEN'));
  venue.simulator.control.trade('BTCUSDC', 'SELL', '50000.0', '0.005');
  const isTrade = (event: ExchangeEvent): event is Extract<ExchangeEvent, { kind: 'trade' }> => event.kind === 'trade';
  expect((await until(isTrade)).trade).toMatchObject({ symbol: 'BTCUSDC', side: 'BUY', isTaker: false });
  const found = await client.lookup({
    tradingAccountId: ACCOUNT,
    orderId: null,
    clientOrderId: '7',
    commandId: 'c1',
  });
  expect(found).toMatchObject({ kind: 'found', order: { status: 'OPEN' }, trades: [{ side: 'BUY' }] });
  const recent = await client.recent(ACCOUNT);
  expect(recent?.orders.map(({ clientOrderId }) => clientOrderId)).toEqual(['7']);
  expect(recent?.trades).toHaveLength(1);
});

test.each(['lost', 'malformed', 'truncated', 'empty'] as const)(
  'U1 U2 a create executed without a usable answer (%s) is unknown, and found by reference',
  async (what) => {
    venue = await openVenue();
    const { client } = venue.connect();
    await client.start();
    venue.simulator.control.armAnswer({ what, on: 'create' });
    expect((await client.submit('c1', limitBuy('9'))).kind).toBe('unknown');
    const lookup = { tradingAccountId: ACCOUNT, orderId: null, clientOrderId: '9', commandId: 'c1' };
    expect(await client.lookup(lookup)).toMatchObject({ kind: 'found', order: { clientOrderId: '9' }, trades: [] });
  },
);

test('U2 a create that never took effect is absent for good once its nonce is fenced off, and not before', async () => {
  venue = await openVenue();
  const { client, until, events, alarms } = venue.connect();
  await client.start();
  await until(isFeed('private', true));
  venue.simulator.control.armAnswer({ what: 'lost', on: 'create', executed: false });
  expect((await client.submit('c1', limitBuy('9'))).kind).toBe('unknown');
  const lookup = { tradingAccountId: ACCOUNT, orderId: null, clientOrderId: '9', commandId: 'c1' };
  // The fence fails first: nothing is final then.
  venue.simulator.control.armAnswer({ what: 'error', on: 'cancel', httpStatus: 500 });
  expect(await client.lookup(lookup)).toEqual({ kind: 'absent', final: false });
  // Answered by something that is no acknowledgement, it did not fence anything off either.
  venue.simulator.control.armAnswer({ what: 'empty', on: 'cancel', executed: false });
  expect(await client.lookup(lookup)).toEqual({ kind: 'absent', final: false });
  expect(await client.lookup(lookup)).toEqual({ kind: 'absent', final: true });
  // An order's owner reports its unknowns, and a failed fence concerns no one.
  expect(alarms).not.toContain('outcome-open');
  expect(venue.simulator.control.openOrders(ACCOUNT)).toEqual([]);
  expect(events.some(({ kind }) => kind === 'order')).toBe(false);
});

test("U2 an earlier process's order is absent for good only beyond its possible nonces", async () => {
  venue = await openVenue();
  const first = venue.connect();
  await first.client.start();
  await first.client.submit('c1', limitBuy('9'));
  await first.client.close();
  const ceiling = first.ceilings.at(-1);
  if (ceiling === undefined) throw new Error('the first nonce sets a ceiling');
  const second = venue.connect({ nonceCeiling: ceiling });
  await second.client.start();
  await second.until(isFeed('private', true));
  const lookup = { tradingAccountId: ACCOUNT, orderId: null, commandId: null };
  expect(await second.client.lookup({ ...lookup, clientOrderId: '9' })).toMatchObject({ kind: 'found' });
  expect(await second.client.lookup({ ...lookup, clientOrderId: '10' })).toEqual({ kind: 'absent', final: true });
  expect(BigInt(second.ceilings.at(-1) ?? '0')).toBeGreaterThan(BigInt(ceiling) + 100n);
});

test('U2 while the private stream is away nothing is absent for good', async () => {
  venue = await openVenue();
  const { client, until, events } = venue.connect({ timeouts: { reconnectMs: 60_000, reconnectMaxMs: 60_000 } });
  await client.start();
  await until(isFeed('private', true));
  const from = events.length;
  venue.simulator.control.cutStreams('private');
  await until(isFeed('private', false), from);
  const lookup = { tradingAccountId: ACCOUNT, orderId: null, clientOrderId: '10', commandId: null };
  expect(await client.lookup(lookup)).toEqual({ kind: 'absent', final: false });
});

test('X3 many commands at once are all taken, in both nonce modes', async () => {
  venue = await openVenue();
  for (const [nonceMode, base] of [
    ['window', 1000],
    ['serial', 2000],
  ] as const) {
    const { client } = venue.connect({
      nonceMode,
      credential: venue.credential(base === 1000 ? 'demo-hmac' : 'demo-ecdsa'),
    });
    await client.start();
    const many = Array.from({ length: 30 }, (_, i) =>
      client.submit(`m${i}`, limitBuy(String(base + i), '40000.0', '0.001')),
    );
    const kinds = (await Promise.all(many)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'accepted')).toHaveLength(30);
  }
});

test('the nonce range is read again when the day changes', async () => {
  venue = await openVenue();
  venue.clock.now = Date.UTC(2026, 8, 23, 23, 59, 59, 900);
  const { client } = venue.connect();
  await client.start();
  expect((await client.submit('c1', limitBuy('1'))).kind).toBe('accepted');
  venue.clock.now += 200;
  expect((await client.submit('c2', limitBuy('2'))).kind).toBe('accepted');
});

test('X3 where the nonce range of the new day cannot be read, the documents say which it is: orders go on', async () => {
  venue = await openVenue();
  venue.clock.now = Date.UTC(2026, 8, 23, 23, 59, 59, 900);
  const log: string[] = [];
  const { client } = venue.connect({
    auctionSymbols: [],
    referenceSymbols: [],
    log: (_level, text) => log.push(text),
  });
  await client.start();
  venue.clock.now += 200;
  venue.simulator.control.armAnswer({ what: 'error', on: 'get', httpStatus: 500, times: 100 });
  expect((await client.submit('c1', limitBuy('1'))).kind).toBe('accepted');
  expect(log).toContain('the nonce range could not be read; the UTC day is used');
});

test("X3 the first refused nonce reveals the exchange's new day if its clock is ahead", async () => {
  venue = await openVenue();
  venue.clock.now = Date.UTC(2026, 8, 23, 23, 59, 59, 900);
  const { client } = venue.connect({ now: () => Date.UTC(2026, 8, 23, 23, 59, 59, 800) });
  await client.start();
  expect((await client.submit('c1', limitBuy('1'))).kind).toBe('accepted');
  venue.clock.now += 5_000;
  expect(await client.submit('c2', limitBuy('2'))).toMatchObject({ kind: 'refused', errorCode: '2035' });
  expect((await client.submit('c3', limitBuy('3'))).kind).toBe('accepted');
});

const CANCEL = {
  kind: 'cancelOrder',
  orderId: null,
  clientOrderId: '2',
  symbol: 'BTCUSDC',
  tradingAccountId: ACCOUNT,
} as const;
const OF_FIRST = { ...CANCEL, clientOrderId: '1' } as const;

test('C3 a cancel that is the first to find a new day at the exchange is carried out', async () => {
  venue = await openVenue();
  venue.clock.now = Date.UTC(2026, 8, 23, 23, 59, 59, 900);
  const ours = venue.clock.now;
  const { client } = venue.connect({ now: () => ours });
  await client.start();
  expect((await client.submit('c1', limitBuy('1'))).kind).toBe('accepted');
  venue.clock.now += 5_000;
  expect((await client.submit('x1', OF_FIRST)).kind).toBe('accepted');
  expect(venue.simulator.control.openOrders(ACCOUNT)).toEqual([]);
});

test.each([
  // Each time further ahead: another process of the key may have been minutes ahead.
  ['its nonce', 'five times', 6, 400, 2035],
  ['its time', 'once', 2, 400, 8175],
  ['its login', 'once', 2, 401, 401],
])('C3 a cancel that is refused for %s goes %s more, and not again', async (_, _more, times, httpStatus, errorCode) => {
  venue = await openVenue();
  const { client } = venue.connect();
  await client.start();
  expect((await client.submit('c1', limitBuy('1'))).kind).toBe('accepted');
  const { control } = venue.simulator;
  control.arm({ answers: [{ what: 'error', on: 'cancel', httpStatus, errorCode, times }] });
  expect(await client.submit('x1', OF_FIRST)).toMatchObject({ kind: 'refused', httpStatus });
  control.arm({ answers: [{ what: 'error', on: 'cancel', httpStatus, errorCode }] });
  expect((await client.submit('x2', OF_FIRST)).kind).toBe('accepted');
  expect(control.openOrders(ACCOUNT)).toEqual([]);
});

test("X6 the check proves the venue's answers and leaves no trace", async () => {
  venue = await openVenue({ prehashes: ['none'], dialects: ['v3'] });
  const report = await exchangeCheck({
    baseUrl: venue.simulator.url,
    credential: venue.credential('demo-ecdsa'),
    tradingAccountId: ACCOUNT,
    now: Date.now,
  });
  expect(report.ok).toBe(true);
  expect(report.steps.filter(({ ok }) => ok).map(({ step }) => step)).toEqual(['login', 'dialect v3, prehash none']);
  expect(venue.simulator.control.openOrders(ACCOUNT)).toEqual([]);
  expect(venue.simulator.control.logins).toBe(0);
});

test('custody is refused for an HMAC key before the exchange hears of it', async () => {
  venue = await openVenue();
  const { client } = venue.connect();
  await client.start();
  const { outcome, result } = await client.send('w1', {
    kind: 'raw',
    path: '/trading-api/v1/wallets/withdrawal',
    fields: { commandType: 'V1Withdrawal', destinationId: 'd', network: 'ETH', symbol: 'ETH', quantity: '1' },
  });
  expect(outcome).toMatchObject({ kind: 'refused', httpStatus: null, message: expect.stringContaining('ECDSA') });
  expect(result).toBeNull();
});

test('X3 one unanswered command delays no cancel for longer than the stated time, in serial mode too', async () => {
  venue = await openVenue();
  const { client } = venue.connect({ nonceMode: 'serial', timeouts: { requestMs: 10_000, overtakeMs: 50 } });
  await client.start();
  expect((await client.submit('c2', limitBuy('2'))).kind).toBe('accepted');
  venue.simulator.control.armAnswer({ what: 'hang', on: 'create' });
  let answered = false;
  const hanging = client.submit('c1', limitBuy('1')).finally(() => {
    answered = true;
  });
  expect((await client.submit('x2', CANCEL)).kind).toBe('accepted');
  expect(answered).toBe(false);
  await client.close();
  expect((await hanging).kind).toBe('unknown');
});

test('X3 U3 a cancel does not overtake its own order, but goes out by reference when that stays unanswered', async () => {
  venue = await openVenue();
  const { client } = venue.connect({ timeouts: { requestMs: 10_000, overtakeMs: 50 } });
  await client.start();
  venue.simulator.control.setLatency({ minMs: 20, maxMs: 20 });
  const both = [client.submit('c2', limitBuy('2')), client.submit('x2', CANCEL)];
  expect((await Promise.all(both)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
  venue.simulator.control.setLatency(null);
  venue.simulator.control.armAnswer({ what: 'hang', on: 'create' });
  const hanging = client.submit('c3', limitBuy('3'));
  expect((await client.submit('x3', { ...CANCEL, clientOrderId: '3' })).kind).toBe('accepted');
  expect(venue.simulator.control.openOrders(ACCOUNT)).toEqual([]);
  await client.close();
  expect((await hanging).kind).toBe('unknown');
});

test('C3 orders that find no room are refused here, with the wait; cancels still find theirs', async () => {
  venue = await openVenue();
  const { client } = venue.connect({
    rates: { otherPerSecond: 10, ordersPerSecond: 10 },
    timeouts: { orderWaitMs: 50 },
  });
  await client.start();
  const many = await Promise.all(
    Array.from({ length: 20 }, (_, i) => client.submit(`m${i}`, limitBuy(String(i + 1), '40000.0', '0.001'))),
  );
  const refused = many.filter((outcome) => outcome.kind === 'refused');
  expect(refused.length).toBeGreaterThanOrEqual(10);
  expect(refused[0]).toMatchObject({
    httpStatus: null,
    overRate: true,
    message: expect.stringMatching(/^waited \d+ ms.*rate/),
  });
  expect((await client.submit('x', CANCEL)).kind).toBe('accepted');
});

test('O4 after a standstill a waiting order stays, and a cancel leaves', async () => {
  venue = await openVenue();
  let stoodStillMs = 0;
  const { client } = venue.connect({
    elapsedMs: () => performance.now() + stoodStillMs,
    rates: { ordersPerSecond: 1, otherPerSecond: 10, cancelShare: 0 },
    timeouts: { orderWaitMs: 900 },
  });
  await client.start();
  expect((await client.submit('c1', limitBuy('1'))).kind).toBe('accepted');
  const late = client.submit('c2', limitBuy('2'));
  stoodStillMs = 60_000;
  expect(await late).toMatchObject({ kind: 'refused', httpStatus: null, message: expect.stringMatching(/held up/) });
  expect((await client.submit('x', { ...CANCEL, clientOrderId: '1' })).kind).toBe('accepted');
  expect(venue.simulator.control.openOrders(ACCOUNT)).toEqual([]);
});

test('X3 S7 a cancel that overtook its waiting create withdraws it', async () => {
  venue = await openVenue();
  const { client } = venue.connect({
    rates: { otherPerSecond: 10, ordersPerSecond: 10 },
    timeouts: { orderWaitMs: 5_000 },
  });
  await client.start();
  let next = 1;
  /** So many creates that the last ones have to wait. */
  const enter = (): Promise<CommandOutcome>[] =>
    Array.from({ length: 12 }, () => client.submit(`m${next}`, limitBuy(String(next++), '40000.0', '0.001')));
  const withdrawn = { kind: 'refused', httpStatus: null, withdrawn: true };

  const first = enter();
  const answers: CommandOutcome[] = [];
  void first[11]!.then((outcome) => answers.push(outcome));
  const cancel = client.submit('x', { ...CANCEL, clientOrderId: '12' }).then((outcome) => answers.push(outcome));
  await cancel;
  // Of the order first: its cancel is answered by that.
  expect(answers).toEqual([
    expect.objectContaining(withdrawn),
    expect.objectContaining({ kind: 'refused', message: expect.stringMatching(/never sent/) }),
  ]);
  const known = async (): Promise<string[]> => {
    await Promise.all(first);
    return venue.simulator.control.openOrders(ACCOUNT).map(({ clientOrderId }) => String(clientOrderId));
  };
  expect(await known()).not.toContain('12');

  const ofOtherMarket = enter();
  const working = await first[0]!;
  const orderId = working.kind === 'accepted' ? working.orderId! : '';
  const terms = { clientOrderId: null, type: null, quantity: null, symbol: 'BTCUSDC', tradingAccountId: ACCOUNT };
  const amend = client.submit('a', { kind: 'amendOrder', orderId, price: '40000.1', ...terms });
  expect((await client.submit('b', { ...CANCEL, orderId, clientOrderId: null })).kind).toBe('accepted');
  expect(await amend).toMatchObject(withdrawn);
  await client.submit('y', { kind: 'cancelAllByMarket', symbol: 'ETHUSDC', tradingAccountId: ACCOUNT });
  const waiting = enter();
  // Its withdrawals are not all of its cancels: it goes out anyway.
  expect((await client.submit('z', { kind: 'cancelAll', tradingAccountId: ACCOUNT })).kind).toBe('accepted');
  expect((await Promise.all(ofOtherMarket.concat(waiting))).filter((one) => 'withdrawn' in one).length).toBeGreaterThan(
    9,
  );
  expect(venue.simulator.control.openOrders(ACCOUNT)).toEqual([]);
});
