// Whatever a caller of the bridge sends, it is answered in words; nothing brings it down. A failure prints its seed.

import process from 'node:process';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT, type Desk, startDesk } from './desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk.close());

const BODIES: readonly (readonly [path: string, body: Readonly<Record<string, unknown>>])[] = [
  [
    '/trading-api/v2/amm-instructions',
    {
      commandType: 'V3CreateAMMInstruction',
      symbol: 'BTCUSDC',
      baseQuantity: '1',
      quoteQuantity: '60000',
      lowerBound: '54000',
      upperBound: '66000',
      feeTierId: '1',
      tradingAccountId: ACCOUNT,
    },
  ],
  [
    '/trading-api/v2/command',
    { commandType: 'V3TerminateAMMInstruction', instructionId: '1', symbol: 'BTCUSDC', tradingAccountId: ACCOUNT },
  ],
  ['/trading-api/v1/simulate-portfolio-margin', { tradingAccountId: ACCOUNT, orders: [], positions: [] }],
  ['/trading-api/v2/otc-command', { commandType: 'V1Enter', otcTradeId: '1', tradingAccountId: ACCOUNT }],
];
const READS = [
  '/trading-api/v1/markets/{}',
  '/trading-api/v1/markets/{}/orderbook/hybrid?depth={}',
  '/trading-api/v1/markets/BTCUSDC/candle?timeBucket={}',
  '/trading-api/v2/orders?tradingAccountId={}&symbol={}',
  '/trading-api/v1/orders/{}?tradingAccountId=111000000000001',
  '/trading-api/v1/accounts/trading-accounts/{}',
  '/{}',
] as const;

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

test('a body or an address with anything in it is answered or refused in words, never a failure of the bridge', {
  timeout: 3_000_000,
}, async () => {
  const seed = Number(process.env.CROSSGATE_SEED ?? Date.now() % 1_000_000_000);
  const fields = fc.array(fc.tuple(fc.nat(20), odd), { maxLength: 3 });
  const property = fc.asyncProperty(
    fc.constantFrom(...BODIES),
    fields,
    fc.option(raw),
    fc.constantFrom(...READS),
    odd,
    async ([path, body], changes, text, read, value) => {
      const changed: Record<string, unknown> = { ...body };
      const names = [...Object.keys(body), 'constructor', 'unknown'];
      for (const [at, other] of changes) changed[names[at % names.length]!] = other;
      const word = encodeURIComponent((typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed());
      for (const answer of [await desk.post(path, text ?? changed), await desk.get(read.replaceAll('{}', word))]) {
        expect(answer.status, `${path} ${read} ${answer.text}`).not.toBe(500);
        expect(answer.text).not.toMatch(/TypeError|Cannot read|is not a function|\[object|at file:/);
        if (answer.status >= 400 && answer.headers.get('content-type')?.includes('problem') === true)
          expect(answer.json).toMatchObject({ code: expect.any(String), detail: expect.stringMatching(/./) });
      }
    },
  );
  await fc.assert(property, { numRuns: Number(process.env.CROSSGATE_RUNS ?? 60), seed });
});
