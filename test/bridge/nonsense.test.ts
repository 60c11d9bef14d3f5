// Whatever a caller of the bridge sends, it is answered in words; nothing brings it down. A failure prints its seed.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../src/bridge/commands/commands.ts';
import { ENDPOINTS } from '../../src/bridge/reads/endpoints.ts';
import { changed, oneChange } from '../support/random/changed-value.ts';
import { checkAsyncProperty } from '../support/random/seeded-property.ts';
import { ACCOUNT, type Desk, liquidity, startDesk } from './desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk.close());

const named = { symbol: 'BTCUSDC', tradingAccountId: ACCOUNT };
const otcTrade = { otcTradeId: '1', tradingAccountId: ACCOUNT };
const protection = { tradingAccountId: ACCOUNT, underlyingAssetSymbol: 'BTC' };
const leg = { symbol: 'BTC-USDC-PERP', side: 'BUY', price: '60000.0', quantity: '0.5' };
/** Parameters of each command. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  V3CreateAMMInstruction: liquidity(),
  V2AddLiquidity: liquidity(),
  V3TerminateAMMInstruction: { instructionId: '1', ...named },
  V2RemoveLiquidity: { liquidityId: '1', ...named },
  V1CreateOtcTrade: {
    clientOtcTradeId: '7',
    sharedMatchKey: 'sharedMatchKey1',
    tradingAccountId: ACCOUNT,
    isTaker: true,
    remarks: 'two words',
    trades: [leg, leg],
  },
  V1ApproveOtcTrade: otcTrade,
  V1CancelOtcTrade: otcTrade,
  V1CancelAllOtcTrades: { tradingAccountId: ACCOUNT },
  V1SetMMP: {
    ...protection,
    windowTimeInSeconds: '60',
    frozenTimeInSeconds: '30',
    quantityLimit: '5',
    deltaLimit: '9',
  },
  V1ResetMMP: protection,
  V3CancelOrder: { orderId: '1', ...named },
  V2CancelOrder: { handle: '1', ...named },
  V1CancelAllOrdersByMarket: named,
  V1CancelAllOrders: { tradingAccountId: ACCOUNT },
  V1DelayedCancelAllOrders: { delayBySeconds: '60', tradingAccountId: ACCOUNT },
  V1UnsetDelayedCancelAllOrders: { tradingAccountId: ACCOUNT },
};
const portfolio = {
  tradingAccountId: ACCOUNT,
  positions: [{ symbol: 'BTC-USDC-PERP', quantity: '1' }],
  orders: [{ symbol: 'BTC-USDC-PERP', quantity: '1', limitPrice: '60000.0', timeInForce: 'GTC' }],
};
const ASKED: Readonly<Record<string, unknown>> = {
  '/trading-api/v1/simulate-portfolio-margin': portfolio,
  '/trading-api/v1/bulk-simulate-portfolio-margin': [portfolio, portfolio],
};
const BODIES: readonly (readonly [path: string, body: unknown])[] = [
  ...COMMANDS.map(({ path, commandType }) => [path, { ...FIELDS[commandType], commandType }] as const),
  ...ENDPOINTS.filter(({ method }) => method === 'POST').map(({ path }) => [path, ASKED[path]] as const),
];

/** Values that fit a name in path or query. */
function fitting(name: string): string {
  if (/Datetime\[lte?\]/.test(name)) return new Date(Date.now() + 60_000).toISOString();
  if (/Datetime\[gte?\]/.test(name)) return new Date(Date.now() - 3_600_000).toISOString();
  if (/Timestamp/.test(name)) return String(Date.now());
  const words = new Map(
    Object.entries({
      symbol: 'BTCUSDC',
      assetSymbol: 'BTC',
      tradingAccountId: ACCOUNT,
      timeBucket: '1m',
      depth: '5',
      _pageSize: '5',
      _metaData: 'true',
    }),
  );
  return words.get(name) ?? '1';
}
const READS = ENDPOINTS.filter(({ method }) => method === 'GET');

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    'constructor',
    '__proto__',
    '\u0000',
    '\uD800',
    'é',
    '..',
    '../v1',
    ACCOUNT,
    'BTCUSDC',
    ' ',
    // A value that fits a schema, perhaps without content.
    '0',
    '-1',
    '007',
    '-0.000000000000000001',
    '9'.repeat(20),
    `${'9'.repeat(30)}.5`,
    'a.-_',
    ':::',
  ),
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    2 ** 53,
    [],
    {},
    [[]],
    [null],
    { a: { b: 1 } },
    { toString: null },
    '9'.repeat(400),
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const raw = fc.constantFrom(
  '',
  '{',
  'x',
  '\uFEFF{}',
  '['.repeat(8000),
  '{"__proto__":{"a":1}}',
  `"${'x'.repeat(10_000)}"`,
);

/** Path and query with these values, texts or not. */
function addressOf(path: string, values: unknown): string {
  const texts = new Map(
    Object.entries(values as Readonly<Record<string, unknown>>).map(([name, value]) => [
      name,
      (typeof value === 'string' ? value : String(JSON.stringify(value))).toWellFormed(),
    ]),
  );
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = texts.get(name) ?? '';
    texts.delete(name);
    return encodeURIComponent(text);
  });
  return `${filled}?${new URLSearchParams([...texts])}`;
}

test('answers or refuses any body or address in words, without a failure of the bridge', {
  timeout: 3_000_000,
}, async () => {
  const change = fc.option(oneChange(odd), { freq: 2 });
  const read = fc.constantFrom(...READS).chain(({ path, query }) => {
    const optional = Object.keys(query).filter((name) => '~optional' in query[name]!);
    const needed = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    for (const name of Object.keys(query)) if (!optional.includes(name)) needed.push(name);
    const some = fc.subarray([...optional, 'constructor'], { maxLength: Math.min(2, optional.length) });
    return fc.record({ path: fc.constant(path), names: some.map((more) => [...needed, ...more]) });
  });
  const property = fc.asyncProperty(
    fc.constantFrom(...BODIES),
    change,
    fc.option(raw, { freq: 9 }),
    read,
    change,
    async ([path, body], by, text, { path: asked, names }, other) => {
      const sent = text === null ? JSON.stringify(changed(body, by)) : text;
      const target = addressOf(asked, changed(Object.fromEntries(names.map((name) => [name, fitting(name)])), other));
      for (const answer of [await desk.post(path, sent), await desk.get(target)]) {
        expect(answer.status, `${path} ${target} ${answer.text}`).not.toBe(500);
        expect(answer.text).not.toMatch(/TypeError|Cannot read|is not a function|\[object|at file:/);
        if (answer.status >= 400 && answer.headers.get('content-type')?.includes('problem') === true)
          expect(answer.json).toMatchObject({ code: expect.any(String), detail: expect.stringMatching(/./) });
      }
    },
  );
  await checkAsyncProperty(property, 60);
});
