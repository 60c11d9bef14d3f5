// Whatever comes to the admin API: an answer in words, never a failure inside the gateway. A failure prints its seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkAsyncProperty } from '../../support/random/seeded-property.ts';
import { ACCOUNT, GATEWAY, runningGateway, sessionFile } from '../running-gateway.ts';

const TOKENS = { ANN: 'ann-has-this-token-of-her-own', BEN: 'ben-has-this-token-of-his-own' };
const USERS = `admin:
  port: 0
  users:
    - { name: ann, token: "env:ANN" }
    - { name: ben, token: "env:BEN" }
`;

/** The parameters of each path, each field with a fitting value: one wrong field hides the others. */
const WHY = ['it must', 'a \u0001 b', '\n', '\uD800', 'é', 'x'.repeat(500), '__proto__'];
const SESSIONS = ['DESK', 'FIX.4.4:GATE->DESK', 'DESK', 'OMS', '__proto__', 'constructor'];
const NUMBERS = [1, 2, 3, 7, 1_000, 2 ** 31, 2 ** 53 - 1, '5'];
const SCOPED = { scope: ['session', 'account', 'all'], name: [...SESSIONS, ACCOUNT, '111000000000002', ''], why: WHY };
const CL_ORD_IDS = ['d-0', 'd-1', 'd-2', 'd-5', 'constructor'];
const FIELDS: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  'sessions/{}/logout': { why: WHY },
  'sessions/{}/disable': { why: WHY },
  'sessions/{}/enable': { why: WHY },
  'sessions/{}/open': { why: WHY },
  'sessions/{}/numbers': {
    reset: [true, false],
    within: [true, false],
    nextSenderMsgSeqNum: NUMBERS,
    nextTargetMsgSeqNum: NUMBERS,
    why: WHY,
  },
  'kill-switches/throw': SCOPED,
  'kill-switches/lift': SCOPED,
  'orders/resolve': { session: SESSIONS, clOrdID: CL_ORD_IDS, why: WHY },
  'orders/adopt': {
    session: SESSIONS,
    account: [ACCOUNT, '111000000000002', 'constructor'],
    symbol: ['BTCUSDC', 'ETHUSDC', 'constructor', '__proto__'],
    orderIDs: [[], ['1'], ['constructor'], ['1', '1']],
    why: WHY,
  },
  'logons/open': { why: WHY },
  reconcile: { account: [ACCOUNT, '111000000000002', '__proto__'] },
  'configuration/apply': {},
  nowhere: {},
};
const QUERIES: Readonly<Record<string, readonly unknown[]>> = {
  limit: [0, 1, 200, 1_000, '1e2'],
  open: [true, false, ''],
  status: ['New', 'Canceled', '0', 'constructor', '__proto__'],
  session: SESSIONS,
  clOrdID: CL_ORD_IDS,
  orderID: ['1', 'constructor'],
  symbol: ['BTCUSDC', 'constructor'],
  after: [0, 5, 2 ** 53],
};

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
const broken = fc.constantFrom(
  '{',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '\uFEFF{}',
  '[',
  'x',
  '\u0000',
  '['.repeat(8000),
  `{"why":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`,
  `{"why":"${'x'.repeat(20_000)}"}`,
);
const type = fc.constantFrom('application/json', 'application/json; charset=latin1', 'text/plain', '');
const fitting = (values: readonly unknown[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: odd });

const request = fc.constantFrom(...Object.keys(FIELDS)).chain((path) => {
  const fields = Object.entries(FIELDS[path]!).map(([name, values]) => [name, fitting(values)] as const);
  const some = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  const all = fc.record(Object.fromEntries(fields));
  const others = fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'toString', 'account'), odd, { maxKeys: 2 });
  const object = fc.oneof(
    { weight: 4, arbitrary: all },
    { weight: 3, arbitrary: some },
    { weight: 1, arbitrary: fc.tuple(some, others).map(([fit, other]) => ({ ...fit, ...other })) },
    { weight: 1, arbitrary: odd },
  );
  const sent = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.tuple(
        object.map((value) => JSON.stringify(value) ?? ''),
        fc.constant('application/json'),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        object.map((value) => JSON.stringify(value) ?? ''),
        type,
      ),
    },
    { weight: 1, arbitrary: fc.tuple(broken, type) },
  );
  const session = fc.constantFrom('OMS', 'OMS', 'FIX.4.4:GATE-%3EOMS', '__proto__', '%00');
  return fc.record({ path: session.map((name) => `/api/${path.replace('{}', name)}`), sent });
});
const queryOf = (names: readonly string[]) =>
  fc
    .record(Object.fromEntries(names.map((name) => [name, fitting(QUERIES[name]!)])), { requiredKeys: [] })
    .map((values) => Object.entries(values).map(([name, value]): [string, string] => [name, textOf(value)]))
    .map((pairs) => `${new URLSearchParams(pairs)}`);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : String(JSON.stringify(value)));
const looks = fc.record({
  orders: queryOf(['session', 'clOrdID', 'orderID', 'symbol', 'status', 'open', 'limit']),
  messages: queryOf(['after', 'limit']),
  order: fc
    .tuple(fitting(QUERIES.session!), fitting(QUERIES.clOrdID!))
    .map(([session, clOrdID]) => `${new URLSearchParams({ session: textOf(session), clOrdID: textOf(clOrdID) })}`),
});

test('bodies and queries of any kind are answered in words', { timeout: 3_000_000 }, async () => {
  const files = {
    'gateway.yaml': GATEWAY.replace('admin: { port: 0 }\n', USERS),
    'DESK.yaml': sessionFile('DESK'),
  };
  const { url, logged, ask, logOn } = await runningGateway(files, TOKENS);
  const desk = await logOn('DESK');
  let orders = 0;
  const property = fc.asyncProperty(
    request,
    looks,
    async ({ path, sent: [body, contentType] }, { order, ...lists }) => {
      const headers = { authorization: `Bearer ${TOKENS.ANN}` };
      const typed = contentType === '' ? headers : { ...headers, 'content-type': contentType };
      desk.send(
        `35=D|11=d-${orders++}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`,
      );
      const requests: readonly (readonly [string, RequestInit])[] = [
        [path, { method: 'POST', headers: typed, body }],
        [`/api/orders?${lists.orders}`, { headers }],
        [`/api/sessions/DESK/messages?${lists.messages}`, { headers }],
        [`/api/order?${order}`, { headers }],
      ];
      for (const [address, init] of requests) {
        const response = await fetch(new URL(address, url), init);
        const answer = await response.text();
        expect(response.status, `${address} ${answer}`).toBeLessThan(500);
        expect(answer).not.toMatch(/TypeError|Cannot read|is not a function|\[object|at file:|undefined/);
        if (response.status >= 400 && response.status !== 422) expect(JSON.parse(answer).detail).not.toBe('');
      }
      // Orders are taken again, as the next case needs them to be.
      const { body: standing } = await ask('/api/overview', undefined, TOKENS.ANN);
      for (const { scope, name } of standing.killSwitches as { scope: string; name: string }[]) {
        const lift = { scope, name, why: 'x' };
        await ask('/api/kill-switches/lift', lift, TOKENS.ANN);
        const { body: lifted } = await ask('/api/kill-switches/lift', lift, TOKENS.BEN);
        expect(lifted.text).toMatch(/^Lifted/);
      }
    },
  );
  await checkAsyncProperty(property, 60);
  expect(logged.filter((line) => line.includes('a request failed'))).toEqual([]);
});
