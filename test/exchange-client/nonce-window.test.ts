// BX-NONCE-WINDOW-ENABLED has a meaning for orders and commands only (exchange reference §1.4); elsewhere a nonce must be the
// highest yet. A relay in front of the simulated exchange shows what was sent, and holds what another command is to overtake.

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type AccountCommand, accountCommand } from '../../src/exchange/mod.ts';
import type { ExchangeClientOptions } from '../../src/exchange-client/mod.ts';
import { ACCOUNT, limitBuy, type Observed, openVenue, type Venue } from './venue.ts';

const AMM = '/trading-api/v2/amm-instructions';

interface Passed {
  readonly path: string;
  readonly window: string | undefined;
  readonly status: number;
  readonly body: string;
}

let venue: Venue | null = null;
let relay: Server | null = null;
afterEach(async () => {
  await venue?.close();
  relay?.close();
  relay?.closeAllConnections();
});

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** A client whose requests pass the relay; `hold` keeps a POST until its promise resolves. */
async function relayed(
  hold: (path: string) => Promise<void> = async () => {},
  more: Partial<ExchangeClientOptions> = {},
) {
  const exchange = await openVenue();
  venue = exchange;
  const passed: Passed[] = [];
  const server = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const { method = 'GET', url = '', headers } = request;
      const body = await bodyOf(request);
      const path = url.split('?')[0]!;
      if (method === 'POST') await hold(path);
      const sent = Object.fromEntries(
        Object.entries(headers).filter(([name]) => /^(authorization|content-type|bx-)/.test(name)),
      ) as Record<string, string>;
      const answer = await fetch(exchange.simulator.url + url, {
        method,
        headers: sent,
        ...(body === '' ? {} : { body }),
      });
      const text = await answer.text();
      if (method === 'POST')
        passed.push({ path, window: sent['bx-nonce-window-enabled'], status: answer.status, body });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    };
    void pass();
  });
  relay = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const observed: Observed = exchange.connect({
    baseUrl,
    auctionSymbols: [],
    referenceSymbols: [],
    dialect: 'v3',
    ...more,
  });
  await observed.client.start();
  return { ...observed, passed };
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

/** Keeps the first AMM instruction on its way until it is released. */
function holdFirst() {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isFirst = true;
  const hold = async (path: string): Promise<void> => {
    if (path !== AMM || !isFirst) return;
    isFirst = false;
    arrived.resolve();
    await released.promise;
  };
  return { hold, isHeld: arrived.promise, release: released.resolve };
}
const instructions = (passed: readonly Passed[]): string[] =>
  passed
    .filter(({ path }) => path === AMM)
    .map(({ status, body }) => `${(JSON.parse(body) as { baseQuantity: string }).baseQuantity} ${status}`);

test('a command without a window that an order overtook is sent again: its refused nonce says that nothing was carried out', async () => {
  const { hold, isHeld, release } = holdFirst();
  const { client, passed } = await relayed(hold);
  const first = client.submit('amm', amm);
  await isHeld;
  expect((await client.submit('order', limitBuy('1'))).kind).toBe('accepted');
  release();
  expect(await first).toMatchObject({ kind: 'accepted' });
  expect(instructions(passed)).toEqual(['1 400', '1 200']);
});

test('one that is overtaken whenever it is sent is refused after six times: an exchange that never takes it is not asked for ever', async () => {
  let count = 0;
  const { client, passed } = await relayed(async (path) => {
    if (path === AMM) expect((await client.submit(`order-${++count}`, limitBuy(String(count)))).kind).toBe('accepted');
  });
  expect(await client.submit('amm', amm)).toMatchObject({ kind: 'refused', httpStatus: 400, errorCode: '2035' });
  expect(instructions(passed)).toEqual(Array(6).fill('1 400'));
});

test('X3 one that is sent again goes before those of its kind that were asked for after it', async () => {
  const { hold, isHeld, release } = holdFirst();
  const { client, passed } = await relayed(hold);
  const first = client.submit('amm', amm);
  await isHeld;
  const second = client.submit('later', instruction('2'));
  expect((await client.submit('order', limitBuy('1'))).kind).toBe('accepted');
  release();
  expect([(await first).kind, (await second).kind]).toEqual(['accepted', 'accepted']);
  expect(instructions(passed)).toEqual(['1 400', '1 200', '2 200']);
});

test('X3 one without an answer delays the next of its kind for the stated time only, and is not sent again behind it', async () => {
  const { hold, isHeld, release } = holdFirst();
  const { client, passed } = await relayed(hold, { timeouts: { overtakeMs: 20 } });
  const first = client.submit('amm', amm);
  await isHeld;
  expect((await client.submit('later', instruction('2'))).kind).toBe('accepted');
  release();
  // It came too late: what was meant to follow it has been carried out.
  expect(await first).toMatchObject({ kind: 'refused', httpStatus: 400 });
  expect(instructions(passed)).toEqual(['2 200', '1 400']);
});

test('two commands without a window never overtake each other', async () => {
  const { client, passed } = await relayed();
  const outcomes = await Promise.all(['1', '2', '3'].map((id) => client.submit(id, amm)));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
  expect(instructions(passed)).toEqual(['1 200', '1 200', '1 200']);
});

test('X3 one order without an answer holds up no later ones: it falls out of the window, and is refused if it arrives after all', async () => {
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
