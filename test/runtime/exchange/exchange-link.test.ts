// One exchange login as the engine sees it: what is read after the private stream came back.

import { expect, test, vi } from 'vitest';
import type { ExchangePort, Market } from '../../../src/exchange/mod.ts';
import type { GatewayInput } from '../../../src/gateway/mod.ts';
import { ExchangeLink, type ExchangeLinkOptions } from '../../../src/runtime/exchange/exchange-link.ts';
import { exchangeOrder, exchangeTrade, market, T0 } from '../../gateway/desk.ts';

const ACCOUNT = '111000000000001';

type Recent = Awaited<ReturnType<ExchangePort['recent']>>;
const NOTHING: Recent = { orders: [], trades: [] };

/** A link to an exchange that answers reads on request. */
function linked(past: readonly Market[] = [], more: Partial<ExchangeLinkOptions> = {}) {
  const inputs: GatewayInput[] = [];
  const reads: ((recent: Recent) => void)[] = [];
  const port: ExchangePort = {
    onEvent: () => {},
    start: async () => {},
    markets: () => [market('BTCUSDC')],
    obstacle: () => null,
    pastMarkets: () => past,
    submit: () => new Promise(() => {}),
    lookup: () => new Promise(() => {}),
    recent: () => new Promise((resolve) => reads.push(resolve)),
    hold: () => {},
    close: async () => {},
  };
  const key = { reference: 'env:KEY', read: () => '' };
  const link = new ExchangeLink({
    credential: { name: 'demo', key, tradingAccountIds: [ACCOUNT] },
    port,
    input: (input) => inputs.push(input),
    alarm: () => {},
    log: () => {},
    ...more,
  });
  const cutAndBack = (): void => {
    port.onEvent({ kind: 'feed', feed: 'private', live: false });
    port.onEvent({ kind: 'feed', feed: 'private', live: true });
  };
  const reconciled = (): number => inputs.filter(({ kind }) => kind === 'reconciled').length;
  return { link, port, inputs, reads, cutAndBack, reconciled };
}

/** Whatever waits for an answer that is there has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('J3 a comparison with a cut private stream is repeated', async () => {
  const { link, reads, cutAndBack, reconciled } = linked();
  await link.start();
  cutAndBack();
  // Orders may end here, unheard and after the first reading has passed them.
  cutAndBack();
  cutAndBack();
  expect(reads).toHaveLength(1);
  reads[0]!(NOTHING);
  await settled();
  expect(reconciled()).toBe(0);
  expect(reads).toHaveLength(2);
  reads[1]!(NOTHING);
  await settled();
  expect(reconciled()).toBe(1);
  expect(reads).toHaveLength(2);
});

test('J3 a comparison requested continuously still ends, and is done once more', async () => {
  const { link, reads, cutAndBack, reconciled } = linked();
  await link.start();
  cutAndBack();
  for (let i = 0; i < 3; i++) expect(link.reconcileAccount(ACCOUNT)).toBeNull();
  expect(reads).toHaveLength(1);
  reads[0]!(NOTHING);
  await settled();
  expect(reconciled()).toBe(1);
  // The operator's knowledge may be newer than the data being read.
  expect(reads).toHaveLength(2);
  expect(link.reconcileAccount(ACCOUNT)).toBeNull();
  cutAndBack();
  reads[1]!(NOTHING);
  await settled();
  expect([reconciled(), reads.length]).toEqual([1, 3]);
  reads[2]!(NOTHING);
  await settled();
  expect([reconciled(), reads.length]).toEqual([2, 3]);
});

test('D6 reports read trades first, each order with its first one', async () => {
  const { link, inputs, reads, cutAndBack } = linked();
  await link.start();
  cutAndBack();
  const [one, other] = ['1', '2'].map((orderId) => exchangeOrder({ orderId }, T0));
  const trades = ['1', '1', '2', '3'].map((orderId, i) => exchangeTrade({ orderId, tradeId: `${i}` }, T0));
  reads[0]!({ orders: [one!, other!], trades });
  await settled();
  const told = inputs.flatMap((input) => (input.kind === 'trade' ? [[input.trade.tradeId, input.order?.orderId]] : []));
  expect(told).toEqual([
    ['0', '1'],
    ['1', undefined],
    ['2', '2'],
    ['3', undefined],
  ]);
});

test('C3 many cancels of one session alternate with its own requests, like those of two', async () => {
  const { link, port } = linked();
  const sharers: (string | undefined)[] = [];
  port.submit = (_commandId, _command, sharer) => {
    sharers.push(sharer);
    return new Promise(() => {});
  };
  await link.start();
  const command = { kind: 'cancelAll', tradingAccountId: ACCOUNT } as const;
  const effect = {
    kind: 'submit',
    commandId: 'c',
    sessionId: 'OMS',
    credential: 'demo',
    command,
    notAfter: null,
  } as const;
  link.submit(effect);
  link.submit({ ...effect, isOneOfMany: true });
  expect(sharers).toHaveLength(2);
  expect(sharers[0]).toBe('OMS');
  expect(sharers[1]).not.toBe('OMS');
});

test('U2 asks the owner of a look-up whether it is still wanted', async () => {
  const asked: (boolean | undefined)[] = [];
  let wanted = true;
  const { link, port } = linked([], { isLookupWanted: (lookupId) => lookupId === 'l' && wanted });
  port.lookup = async ({ isWanted }) => {
    asked.push(isWanted?.());
    wanted = false;
    asked.push(isWanted?.());
    return { kind: 'failed', message: '' };
  };
  await link.start();
  const order = { orderId: '1', clientOrderId: '2', commandId: null, ofRequest: false, enteredAt: T0 } as const;
  link.lookup({ kind: 'lookup', lookupId: 'l', credential: 'demo', tradingAccountId: ACCOUNT, ...order });
  await settled();
  expect(asked).toEqual([true, false]);
});

test('J2 without a working journal the exchange is not read; orders and cancels leave', async () => {
  const { link, port, reads, reconciled } = linked();
  const done: string[] = [];
  port.hold = (isHeld) => {
    done.push(isHeld ? 'held' : 'heard');
    port.onEvent({ kind: 'feed', feed: 'private', live: !isHeld });
  };
  port.lookup = async ({ orderId }) => {
    done.push(`look up ${orderId}`);
    return { kind: 'failed', message: '' };
  };
  port.submit = async () => {
    done.push('submit');
    return { kind: 'unknown', message: '' };
  };
  await link.start();
  const lookup = { kind: 'lookup', lookupId: 'l', credential: 'demo', tradingAccountId: ACCOUNT } as const;
  link.hold(true);
  link.hold(true);
  link.lookup({ ...lookup, orderId: '7', clientOrderId: '', commandId: null, ofRequest: false, enteredAt: 0 });
  link.reconcileAccount(ACCOUNT);
  const command = { kind: 'cancelAll', tradingAccountId: ACCOUNT } as const;
  const cancel = { kind: 'submit', commandId: 'c', sessionId: 'OMS', credential: 'demo', command } as const;
  link.submit({ ...cancel, notAfter: null });
  await settled();
  expect([done, reads.length]).toEqual([['held', 'submit'], 0]);
  link.hold(false);
  await settled();
  expect(done).toEqual(['held', 'submit', 'heard', 'look up 7']);
  reads[0]!(NOTHING);
  await settled();
  expect(reconciled()).toBe(1);
});

test('an unreachable exchange login alarms once per reason, and logs each time', async () => {
  vi.useFakeTimers();
  try {
    const said: string[] = [];
    const reasons = ['refused', 'refused', 'refused', 'no answer', 'no answer', 'refused'];
    let tries = 0;
    const { port } = linked();
    port.start = () => Promise.reject(new Error(reasons[tries++]));
    const link = new ExchangeLink({
      credential: { name: 'demo', key: { reference: 'env:KEY', read: () => '' }, tradingAccountIds: [ACCOUNT] },
      port,
      input: () => {},
      alarm: (alarm, text) => said.push(`${alarm}: ${text}`),
      log: (level, text) => said.push(`${level}: ${text}`),
    });
    await link.start();
    while (tries < reasons.length) await vi.advanceTimersByTimeAsync(15_000);
    await link.close();
    const ofAlarm = (reason: string): string => `exchange-login-failed: the exchange cannot be used: ${reason}`;
    const ofLog = (reason: string): string => `warn: the exchange cannot be used: ${reason}`;
    expect(said.slice(0, 6)).toEqual([
      ofAlarm('refused'),
      ofLog('refused'),
      ofLog('refused'),
      ofAlarm('no answer'),
      ofLog('no answer'),
      ofAlarm('refused'),
    ]);
  } finally {
    vi.useRealTimers();
  }
});

test('reports markets delisted during an absence with listed ones, before their events', async () => {
  const { link, inputs } = linked([market('ETHUSDC')]);
  await link.start();
  expect(inputs).toEqual([{ kind: 'markets', markets: [market('BTCUSDC')], past: [market('ETHUSDC')] }]);
});

test('O3 fills of a full snapshot wait at most a second for older ones being read', async () => {
  vi.useFakeTimers();
  try {
    const { link, port, inputs, reads, cutAndBack } = linked();
    await link.start();
    const fill = (tradeId: string) => exchangeTrade({ tradeId, tradingAccountId: ACCOUNT }, T0);
    const told = (): string[] => inputs.flatMap((input) => (input.kind === 'trade' ? [input.trade.tradeId] : []));
    const say = (tradeId: string, source: 'snapshot' | 'update'): void =>
      port.onEvent({ kind: 'trade', trade: fill(tradeId), source });

    port.onEvent({ kind: 'tradesMissed', tradingAccountId: ACCOUNT });
    say('3', 'snapshot');
    cutAndBack();
    say('4', 'update');
    expect(told()).toEqual([]);
    reads[0]!({ orders: [], trades: ['1', '2', '3'].map(fill) });
    await vi.advanceTimersByTimeAsync(0);
    expect(told()).toEqual(['1', '2', '3', '3', '4']);
    say('5', 'update');
    expect(told().at(-1)).toBe('5');

    // The exchange is silent: this is the longest wait. A failure is reported at once.
    port.onEvent({ kind: 'tradesMissed', tradingAccountId: ACCOUNT });
    say('8', 'snapshot');
    cutAndBack();
    await vi.advanceTimersByTimeAsync(999);
    expect(told().at(-1)).toBe('5');
    await vi.advanceTimersByTimeAsync(1);
    expect(told().at(-1)).toBe('8');
    port.onEvent({ kind: 'tradesMissed', tradingAccountId: ACCOUNT });
    say('9', 'snapshot');
    reads[1]!(null);
    await vi.advanceTimersByTimeAsync(0);
    expect(told().at(-1)).toBe('9');
    await link.close();
  } finally {
    vi.useRealTimers();
  }
});

test('O3 fills wait for a second reading as long as the first, after two cuts in a second', async () => {
  vi.useFakeTimers();
  try {
    const { link, port, inputs, reads, cutAndBack } = linked();
    await link.start();
    const fill = (tradeId: string) => exchangeTrade({ tradeId, tradingAccountId: ACCOUNT }, T0);
    const told = (): string[] => inputs.flatMap((input) => (input.kind === 'trade' ? [input.trade.tradeId] : []));
    const missed = (shown: string): void => {
      port.onEvent({ kind: 'tradesMissed', tradingAccountId: ACCOUNT });
      port.onEvent({ kind: 'trade', trade: fill(shown), source: 'snapshot' });
      cutAndBack();
    };
    missed('2');
    reads[0]!({ orders: [], trades: ['1', '2'].map(fill) });
    await vi.advanceTimersByTimeAsync(900);
    missed('4');
    await vi.advanceTimersByTimeAsync(200);
    reads[1]!({ orders: [], trades: ['3', '4'].map(fill) });
    await vi.advanceTimersByTimeAsync(0);
    expect(told()).toEqual(['1', '2', '2', '3', '4', '4']);
    await link.close();
  } finally {
    vi.useRealTimers();
  }
});

/** A day of an account with 1,000 orders, each with a fill, and the reported part. */
function busyDay(inputs: readonly GatewayInput[]) {
  const ids = Array.from({ length: 1_000 }, (_, i) => `${i}`);
  const day = {
    orders: ids.map((orderId) => exchangeOrder({ orderId, tradingAccountId: ACCOUNT }, T0)),
    trades: ids.map((tradeId) => exchangeTrade({ tradeId, tradingAccountId: ACCOUNT }, T0)),
  };
  const told = (kind: 'trade' | 'order'): number => inputs.filter((input) => input.kind === kind).length;
  return { day, told };
}

test('J3 a comparison of very many orders yields the event loop, and reports all in order', async () => {
  const { link, inputs, reads, cutAndBack, reconciled } = linked();
  await link.start();
  cutAndBack();
  const { day, told } = busyDay(inputs);
  reads[0]!(day);
  let turns = 0;
  for (let before = 0; reconciled() === 0; turns++, before = inputs.length) {
    await settled();
    expect(inputs.length - before).toBeLessThanOrEqual(25);
    // No order is reported before its fill.
    if (told('order') > 0) expect(told('trade')).toBe(1_000);
  }
  expect([told('trade'), told('order'), reconciled()]).toEqual([1_000, 1_000, 1]);
  expect(turns).toBeGreaterThan(30);
});

test('J3 J2 a comparison ends when the stream is cut or recording fails, and is repeated', async () => {
  const { link, port, inputs, reads, cutAndBack, reconciled } = linked();
  port.hold = (isHeld) => port.onEvent({ kind: 'feed', feed: 'private', live: !isHeld });
  await link.start();
  cutAndBack();
  const { day, told } = busyDay(inputs);
  reads[0]!(day);
  await settled();
  cutAndBack();
  await settled();
  expect([told('trade') < 100, told('order'), reconciled(), reads.length]).toEqual([true, 0, 0, 2]);
  reads[1]!(day);
  await settled();
  link.hold(true);
  const heldAt = inputs.length;
  for (let i = 0; i < 5; i++) await settled();
  expect([inputs.length, reconciled(), reads.length]).toEqual([heldAt, 0, 2]);
  link.hold(false);
  await settled();
  expect(reads).toHaveLength(3);
  reads[2]!(NOTHING);
  await settled();
  expect(reconciled()).toBe(1);
});
