// Whatever comes to the admin API: an answer in words, never a failure inside the gateway. A failure prints its seed.

import process from 'node:process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runningGateway } from './running-gateway.ts';

const PATHS = [
  '/api/sessions/OMS/logout',
  '/api/sessions/OMS/numbers',
  '/api/sessions/OMS/open',
  '/api/sessions/__proto__/enable',
  '/api/sessions/%00/disable',
  '/api/kill-switches/throw',
  '/api/kill-switches/lift',
  '/api/orders/resolve',
  '/api/orders/adopt',
  '/api/logons/open',
  '/api/reconcile',
  '/api/configuration/apply',
  '/api/nowhere',
] as const;
const NAMES = [
  'why',
  'reset',
  'within',
  'nextSenderMsgSeqNum',
  'scope',
  'name',
  'session',
  'clOrdID',
  'orderIDs',
  'account',
];
const QUERIES = ['limit', 'open', 'status', 'session', 'clOrdID', 'after', '__proto__', 'constructor'] as const;

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    'OMS',
    'constructor',
    '__proto__',
    '\u0000',
    '\uD800',
    'é',
    'account',
    'all',
    'session',
    ' ',
  ),
  fc.constantFrom<unknown>(null, true, 0, -1, 1, 1.5, 1e300, 2 ** 53, [], {}, [[]], [null], ['1'], { toString: null }),
  fc.jsonValue({ maxDepth: 2 }),
);
const object = fc.dictionary(fc.constantFrom(...NAMES, '__proto__', 'constructor', 'toString'), odd, { maxKeys: 5 });
const body = fc.oneof(
  { weight: 6, arbitrary: object.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: odd.map((value) => JSON.stringify(value) ?? '') },
  fc.constantFrom(
    '{',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '\uFEFF{}',
    '[',
    'x',
    '\u0000',
  ),
  fc.constantFrom(
    '['.repeat(8000),
    `{"why":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`,
    `{"why":"${'x'.repeat(20_000)}"}`,
  ),
);
const type = fc.constantFrom(
  'application/json',
  'application/json',
  'application/json; charset=latin1',
  'text/plain',
  '',
);
const query = fc.array(fc.tuple(fc.constantFrom(...QUERIES), odd), { maxLength: 3 });

test('bodies and queries of any kind are answered in words', { timeout: 3_000_000 }, async () => {
  const { url, token, logged } = await runningGateway();
  const authorization = `Bearer ${token}`;
  const seed = Number(process.env.CROSSGATE_SEED ?? Date.now() % 1_000_000_000);
  const property = fc.asyncProperty(
    fc.constantFrom(...PATHS),
    body,
    type,
    query,
    async (path, text, contentType, asked) => {
      const headers = { authorization, ...(contentType === '' ? {} : { 'content-type': contentType }) };
      const search = new URLSearchParams(
        asked.map(([name, value]): [string, string] => [name, String(JSON.stringify(value))]),
      );
      const requests: readonly (readonly [string, RequestInit])[] = [
        [path, { method: 'POST', headers, body: text }],
        [`/api/orders?${search}`, { headers }],
        [`/api/sessions/OMS/messages?${search}`, { headers }],
        [`/api/order?${search}`, { headers }],
      ];
      for (const [address, init] of requests) {
        const response = await fetch(new URL(address, url), init);
        const answer = await response.text();
        expect(response.status, `${address} ${answer}`).toBeLessThan(500);
        expect(answer).not.toMatch(/TypeError|Cannot read|is not a function|\[object|at file:/);
        if (response.status >= 400 && response.status !== 422) expect(JSON.parse(answer).detail).not.toBe('');
      }
    },
  );
  await fc.assert(property, { numRuns: Number(process.env.CROSSGATE_RUNS ?? 60), seed });
  expect(logged.filter((line) => line.includes('a request failed'))).toEqual([]);
});
