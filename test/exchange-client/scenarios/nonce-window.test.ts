// BX-NONCE-WINDOW-ENABLED has a meaning for orders and commands only (exchange reference §1.4); elsewhere a nonce must be the
// highest yet. A relay in front of the simulated exchange shows what was sent, and holds what another command is to overtake.

import { afterEach, expect, test } from 'vitest';
import { type AccountCommand, accountCommand, type RawCommand } from '../../../src/exchange/mod.ts';
import type { ExchangeClientOptions } from '../../../src/exchange-client/mod.ts';
import { type CommandRelay, type Passed, startCommandRelay } from '../../support/exchange/command-relay.ts';
import { ACCOUNT, limitBuy, type Observed, openVenue, type Venue } from '../venue.ts';

const AMM = '/trading-api/v2/amm-instructions';
const OTC_COMMAND = '/trading-api/v2/otc-command';
/** As many may leave while a command without a window is on its way, and not overtake it. */
const HEADROOM = 50;

let venue: Venue | null = null;
let relay: CommandRelay | null = null;
afterEach(async () => {
  await venue?.close();
  relay?.close();
});

/** A client with requests through the relay; `hold` keeps a POST until its promise resolves. */
async function relayed(
  hold: (path: string) => Promise<void> = async () => {},
  more: Partial<ExchangeClientOptions> = {},
) {
  venue = await openVenue();
  relay = await startCommandRelay(venue.simulator.url);
  relay.hold = hold;
  const observed: Observed = venue.connect({
    baseUrl: relay.url,
    auctionSymbols: [],
    referenceSymbols: [],
    dialect: 'v3',
    rates: { ordersPerSecond: 10_000, otherPerSecond: 10_000, addressPer10Seconds: 1_000_000 },
    ...more,
    // Nothing goes out, or is given up, because the machine is slow.
    timeouts: { requestMs: 60_000, overtakeMs: 60_000, orderWaitMs: 60_000, ...more.timeouts },
  });
  await observed.client.start();
  return { ...observed, relay, passed: relay.passed };
}

const instruction = (baseQuantity: string) =>
  accountCommand(
    {
      kind: 'createAMMInstruction',
      tradingAccountId: ACCOUNT,
      symbol: 'BTCUSDC',
      baseQuantity,
      quoteQuantity: '60000',
      upperBound: '70000',
      lowerBound: '50000',
      feeTierId: '1',
    },
    'v3',
  );
const amm = instruction('1');
const protection: AccountCommand = {
  kind: 'setMMP',
  tradingAccountId: ACCOUNT,
  underlyingAssetSymbol: 'BTC',
  windowTimeInSeconds: '5',
  frozenTimeInSeconds: '10',
  quantityLimit: '100',
  deltaLimit: null,
};

test('the header goes with orders and commands, and with nothing else', async () => {
  const { client, passed } = await relayed();
  await client.submit('a', limitBuy('1'));
  await client.submit('b', { kind: 'cancelAll', tradingAccountId: ACCOUNT });
  await client.submit('c', amm);
  await client.submit('d', accountCommand(protection, 'v3'));
  expect(passed.filter(({ path }) => !path.includes('login')).map(({ path, window }) => [path, window])).toEqual([
    ['/trading-api/v2/orders', 'true'],
    ['/trading-api/v2/command', 'true'],
    [AMM, undefined],
    ['/trading-api/v2/mmp-configuration', undefined],
  ]);
});

test('it goes with a cancel of the v2 dialect wherever that is configured to go', async () => {
  const v2CancelPath = '/trading-api/v1/command';
  const { client, passed } = await relayed(undefined, { dialect: 'v2', settings: { v2CancelPath } });
  const order = { orderId: '1', clientOrderId: null, symbol: 'BTCUSDC', tradingAccountId: ACCOUNT } as const;
  await client.submit('a', { kind: 'cancelOrder', ...order });
  expect(passed).toMatchObject([{ path: v2CancelPath, window: 'true' }]);
});

/** Keeps the first command of a path on its way until it is released. */
function holdFirst(of = AMM) {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isFirst = true;
  const hold = async (path: string): Promise<void> => {
    if (path !== of || !isFirst) return;
    isFirst = false;
    arrived.resolve();
    await released.promise;
  };
  return { hold, isHeld: arrived.promise, release: released.resolve };
}
/** Commands besides orders, each with its answer. */
const instructions = (passed: readonly Passed[]): string[] =>
  passed
    .filter(({ path }) => path === AMM || path === OTC_COMMAND)
    .map(({ statuses, body }) => {
      const { baseQuantity = 'cancel' } = JSON.parse(body) as { baseQuantity?: string };
      return `${baseQuantity} ${statuses.join('+')}`;
    });

let references = 0;
/** So many orders, all of them accepted. */
async function enter(client: Observed['client'], count: number): Promise<void> {
  const orders = Array.from({ length: count }, () => limitBuy(String(++references)));
  const outcomes = await Promise.all(orders.map((order) => client.submit(`order-${order.clientOrderId}`, order)));
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
}

const cancelTrades = accountCommand({ kind: 'cancelAllOtcTrades', tradingAccountId: ACCOUNT }, 'v3');

test.each([1, HEADROOM])(
  'X3 %i orders pass a command without a window under way, and none overtakes it',
  async (count) => {
    const { hold, isHeld, release } = holdFirst();
    const { client, passed } = await relayed(hold);
    const first = client.submit('amm', amm);
    await isHeld;
    for (let i = 0; i < count; i++) await enter(client, 1);
    release();
    expect(await first).toMatchObject({ kind: 'accepted' });
    expect(instructions(passed)).toEqual(['1 200']);
  },
);

test('U3 an instruction overtaken once more is not sent again: its outcome is unknown', async () => {
  const { hold, isHeld, release } = holdFirst();
  const { client, passed, alarms } = await relayed(hold);
  const first = client.submit('amm', amm);
  await isHeld;
  await enter(client, HEADROOM + 1);
  release();
  expect(await first).toEqual({
    kind: 'unknown',
    message: expect.stringMatching(/^its nonce was refused, as that of /),
  });
  expect(alarms).toEqual(['outcome-open']);
  expect(instructions(passed)).toEqual(['1 400']);
});

test('sends an overtaken command that ends trades again', async () => {
  const { hold, isHeld, release } = holdFirst(OTC_COMMAND);
  const { client, passed } = await relayed(hold);
  const first = client.submit('cancel', cancelTrades);
  await isHeld;
  await enter(client, HEADROOM + 1);
  release();
  expect(await first).toMatchObject({ kind: 'accepted' });
  expect(instructions(passed)).toEqual(['cancel 400', 'cancel 200']);
});

test('refuses a command overtaken six times: a stubborn exchange is not asked forever', async () => {
  const { client, passed, relay: way } = await relayed();
  way.hold = async (path) => {
    if (path === OTC_COMMAND) await enter(client, HEADROOM + 1);
  };
  expect(await client.submit('cancel', cancelTrades)).toMatchObject({
    kind: 'refused',
    httpStatus: 400,
    errorCode: '9015',
  });
  expect(instructions(passed)).toEqual(Array(6).fill('cancel 400'));
});

test('X3 one that is sent again goes before those of its kind that were asked for after it', async () => {
  const { hold, isHeld, release } = holdFirst(OTC_COMMAND);
  const { client, passed } = await relayed(hold);
  const first = client.submit('cancel', cancelTrades);
  await isHeld;
  const second = client.submit('later', instruction('2'));
  await enter(client, HEADROOM + 1);
  release();
  expect([(await first).kind, (await second).kind]).toEqual(['accepted', 'accepted']);
  expect(instructions(passed)).toEqual(['cancel 400', 'cancel 200', '2 200']);
});

test.each([
  [AMM, amm, '1 400', { kind: 'unknown' }],
  [OTC_COMMAND, cancelTrades, 'cancel 400', { kind: 'refused', httpStatus: 400 }],
] as const)(
  'X3 an unanswered one delays the next of its kind for the stated time, without repeat: %s',
  async (path, command, answer, outcome) => {
    const { hold, isHeld, release } = holdFirst(path);
    const { client, passed } = await relayed(hold, { timeouts: { overtakeMs: 20 } });
    const first = client.submit('first', command);
    await isHeld;
    expect((await client.submit('later', instruction('2'))).kind).toBe('accepted');
    release();
    // It came too late: what was meant to follow it has been carried out.
    expect(await first).toMatchObject(outcome);
    expect(instructions(passed)).toEqual(['2 200', answer]);
  },
);

test('two commands without a window never overtake each other', async () => {
  const { client, passed } = await relayed();
  const outcomes = await Promise.all(['1', '2', '3'].map((id) => client.submit(id, amm)));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
  expect(instructions(passed)).toEqual(['1 200', '1 200', '1 200']);
});

test('X3 an unanswered order delays no later ones: it leaves the window and is refused', async () => {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isFirst = true;
  const { client, passed } = await relayed(
    async (path) => {
      if (!path.endsWith('/orders') || !isFirst) return;
      isFirst = false;
      arrived.resolve();
      await released.promise;
    },
    { timeouts: { requestMs: 60_000, overtakeMs: 20 } },
  );
  const first = client.submit('first', limitBuy('1'));
  await arrived.promise;
  const kinds = new Map<string, number>();
  for (let i = 2; i <= 150; i++) {
    const { kind } = await client.submit(`${i}`, limitBuy(`${i}`));
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kind === 'refused') break;
  }
  expect([...kinds]).toEqual([['accepted', 149]]);
  released.resolve();
  expect(await first).toMatchObject({ kind: 'refused', httpStatus: 400, errorCode: '2035' });
  expect(passed.filter(({ body }) => body.includes('"clientOrderId":"1"'))).toHaveLength(1);
});

const transfer = accountCommand(
  {
    kind: 'transferAsset',
    assetSymbol: 'USDC',
    quantity: '1',
    fromTradingAccountId: ACCOUNT,
    toTradingAccountId: '111000000000002',
  },
  'v3',
);
const trade = accountCommand(
  {
    kind: 'createOtcTrade',
    sharedMatchKey: 'ABCDEFGHIJKL0001',
    clientOtcTradeId: null,
    tradingAccountId: ACCOUNT,
    isTaker: true,
    remarks: null,
    trades: [{ symbol: 'BTC-USDC-PERP', side: 'BUY', price: '60000.0', quantity: '0.5' }],
  },
  'v3',
);
const once: readonly (readonly [string, RawCommand])[] = [amm, trade, transfer, accountCommand(protection, 'v3')].map(
  (command) => [String(command.fields.commandType), command],
);

test.each(once)(
  'U3 a command delivered twice runs once, and its outcome is unknown: %s',
  async (commandType, command) => {
    const { client, passed, relay: way, alarms } = await relayed();
    way.isTwice = (path) => path === command.path;
    // A command that would seem to have overtaken it.
    way.between = () => enter(client, 1);
    expect(await client.submit('twice', command)).toMatchObject({ kind: 'unknown' });
    expect(alarms).toEqual(['outcome-open']);
    const ours = passed.filter(({ body }) => body.includes(commandType));
    expect(ours.map(({ statuses }) => statuses)).toEqual([[200, 400]]);
  },
);
