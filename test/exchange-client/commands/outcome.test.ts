import { afterEach, expect, test } from 'vitest';
import { type CommandOutcome, type ExchangeCommand, refusedHere } from '../../../src/exchange/mod.ts';
import { mayRefuseTime, refusedNonce, tookNonce } from '../../../src/exchange-client/commands/outcome.ts';
import { createExchangeClient } from '../../../src/exchange-client/mod.ts';
import {
  type RawAnswer,
  type RawHttpServer,
  rawAnswer,
  startRawHttpServer,
} from '../../support/exchange/raw-http-server.ts';
import { readAnswer, scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT, limitBuy, observe } from '../venue.ts';

let server: RawHttpServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

/** Submit one command to a server that answers commands so; returns the outcome and how many commands arrived. */
async function submit(answer: RawAnswer, command: ExchangeCommand = limitBuy('1'), requestMs = 400) {
  server = await startRawHttpServer((request) => (request.startsWith('POST') ? answer : readAnswer(request)));
  const { client, alarms } = observe({ ...scriptedOptions(server.url, [ACCOUNT]), timeouts: { requestMs } });
  await client.start();
  const outcome = await client.submit('c1', command);
  const arrived = server.requests.filter((request) => request.startsWith('POST')).length;
  await client.close();
  return { outcome, arrived, alarms };
}

test.each([
  ['a page', rawAnswer(200, '<html>maintenance</html>', 'text/html'), 'HTTP 200 with an HTML page'],
  [
    'what something in between has compressed',
    rawAnswer(200, 'zipped', 'application/json', 'content-encoding: gzip\r\n'),
    'HTTP 200 with an answer coded as gzip, which was not asked for',
  ],
  ['an error', rawAnswer(200, '{"errorCode":"8175","message":"Not now"}'), 'HTTP 200: Not now'],
  ['nothing', rawAnswer(200, ''), 'HTTP 200 with an answer that is not understood'],
])('U1 a 200 that is %s leaves the outcome open, and the alarm has the answer', async (_what, answer, message) => {
  const cancelAll: ExchangeCommand = { kind: 'cancelAll', tradingAccountId: ACCOUNT };
  const { outcome, arrived, alarms } = await submit(answer, cancelAll);
  expect(outcome).toEqual({ kind: 'unknown', message });
  expect([arrived, alarms]).toEqual([1, ['outcome-open']]);
});

/** Asks for a pause of a moment. */
const soon = (): string => `x-ratelimit-reset: ${Date.now() + 50}\r\n`;
const ERROR =
  '{"message":"Order size outside valid range","errorCode":6023,"errorCodeName":"ORDER_SIZE_OUTSIDE_VALID_RANGE"}';

test.each([400, 401, 403, 404, 429])('U1 a JSON %i is refused, with the code of the exchange', async (status) => {
  const { outcome, arrived } = await submit(rawAnswer(status, ERROR));
  expect(outcome).toEqual({
    kind: 'refused',
    httpStatus: status,
    errorCode: '6023',
    errorCodeName: 'ORDER_SIZE_OUTSIDE_VALID_RANGE',
    message: 'Order size outside valid range',
  });
  expect(arrived).toBe(1);
});

test('hides a login that a refusal repeats, because its words reach Text(58) and the bridge', async () => {
  const login = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxMjMifQ.c2lnbmF0dXJl';
  const { outcome } = await submit(rawAnswer(401, JSON.stringify({ message: `The JWT ${login} has ended` })));
  expect(outcome).toMatchObject({ kind: 'refused', message: 'The JWT [redacted] has ended' });
});

test('U1 an HTML 403 is refused and alarmed as a blocked address', async () => {
  const { outcome, alarms } = await submit(rawAnswer(403, '<html>blocked</html>', 'text/html'));
  expect(outcome).toMatchObject({ kind: 'refused', httpStatus: 403, message: 'the exchange blocks this address' });
  expect(alarms).toContain('address-blocked');
});

test('U1 a 429 is refused, alarmed, and not sent again', async () => {
  const { outcome, alarms, arrived } = await submit(
    rawAnswer(429, '{"errorCode":96000,"message":"Rate limit exceeded"}'),
  );
  expect(outcome).toMatchObject({ kind: 'refused', httpStatus: 429, errorCode: '96000' });
  expect(alarms).toContain('rate-limited');
  expect(arrived).toBe(1);
});

const CANCEL = {
  kind: 'cancelOrder',
  orderId: '1',
  clientOrderId: null,
  symbol: 'BTCUSDC',
  tradingAccountId: ACCOUNT,
} as const;

test.each([
  ['429', () => rawAnswer(429, '{"errorCode":96000,"message":"Rate limit exceeded"}', 'application/json', soon())],
  ['a page that blocks the address', () => rawAnswer(403, '<html>blocked</html>', 'text/html', soon())],
])('C3 repeats a cancel answered by %s once after the pause', async (_, answer) => {
  let refusals = 1;
  server = await startRawHttpServer((request) => {
    if (!request.startsWith('POST')) return readAnswer(request);
    return refusals-- > 0 ? answer() : rawAnswer(200, '{"message":"ok","requestId":"9"}');
  });
  const { client } = observe(scriptedOptions(server.url, [ACCOUNT]));
  await client.start();
  expect(await client.submit('x1', CANCEL)).toMatchObject({ kind: 'accepted' });
  // A command without an order would cancel orders entered during the pause.
  refusals = 1;
  const all = { kind: 'cancelAll', tradingAccountId: ACCOUNT } as const;
  expect(await client.submit('a1', all)).toMatchObject({ kind: 'refused' });
  refusals = 2;
  expect(await client.submit('x2', CANCEL)).toMatchObject({ kind: 'refused' });
  expect(refusals).toBe(0);
  await client.close();
});

test('X3 a new order does not overtake a cancel of its account or market that waits for the rate', async () => {
  const arrived: string[] = [];
  let refusals = 1;
  let requests = 0;
  server = await startRawHttpServer((request) => {
    if (!request.startsWith('POST')) return readAnswer(request);
    arrived.push(/"commandType":"(\w+)"/.exec(request)![1]!);
    // Of cancels and the like only: new orders have a rate of their own.
    const headers = `x-ratelimit-remaining: 0\r\n${soon()}`;
    if (refusals-- > 0) return rawAnswer(429, '{"errorCode":96000}', 'application/json', headers);
    return rawAnswer(200, `{"message":"ok","requestId":"${++requests}","orderId":"5"}`);
  });
  const { client } = observe(scriptedOptions(server.url, [ACCOUNT, '111000000000002']));
  await client.start();
  const other = { ...limitBuy('2'), tradingAccountId: '111000000000002' };
  for (const command of [
    { kind: 'cancelAll', tradingAccountId: ACCOUNT },
    { kind: 'cancelAllByMarket', symbol: 'BTCUSDC', tradingAccountId: ACCOUNT },
  ] as const) {
    refusals = 1;
    await client.submit('first', { kind: 'cancelAll', tradingAccountId: ACCOUNT });
    arrived.length = 0;
    const sent = [client.submit('all', command), client.submit('new', limitBuy('1')), client.submit('o', other)];
    expect((await Promise.all(sent)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(arrived).toEqual(['V2CreateOrder', expect.stringContaining('V1CancelAll'), 'V2CreateOrder']);
  }
  await client.close();
});

test.each([
  ['rate-limited', rawAnswer(429, '{"errorCode":96000,"message":"Rate limit exceeded"}', 'application/json')],
  ['address-blocked', rawAnswer(403, '<html>blocked</html>', 'text/html')],
] as const)(
  'of many commands that hear the same, %s is an alarm once a minute, with how many there were',
  async (alarm, answer) => {
    let elapsedMs = 0;
    server = await startRawHttpServer((request) => (request.startsWith('POST') ? answer : readAnswer(request)));
    const told: string[] = [];
    const client = createExchangeClient({
      ...scriptedOptions(server.url, [ACCOUNT]),
      elapsedMs: () => elapsedMs,
      log: () => {},
      onAlarm: (name, text) => told.push(`${name}: ${text}`),
      onNonceCeiling: () => {},
    });
    await client.start();
    const ids = ['1', '2', '3', '4', '5'];
    await Promise.all(ids.map((id) => client.submit(id, limitBuy(id))));
    expect(told).toHaveLength(1);
    // Nothing leaves for a while behind a 429.
    elapsedMs += 120_000;
    await client.submit('6', limitBuy('6'));
    elapsedMs += 120_000;
    await client.close();
    expect(told).toHaveLength(2);
    expect(told.every((one) => one.startsWith(alarm))).toBe(true);
    expect(told[1]).toMatch(/4 times since it was last said$/);
  },
);

const UNKNOWN: readonly (readonly [string, RawAnswer])[] = [
  ['a JSON 500', rawAnswer(500, ERROR)],
  ['a 502 page', rawAnswer(502, '<html>bad gateway</html>', 'text/html')],
  ['a 503', rawAnswer(503, '')],
  ['a JSON 409', rawAnswer(409, ERROR)],
  ['a 302', rawAnswer(302, '', 'text/plain', 'location: /elsewhere\r\n')],
  ['an HTML 400', rawAnswer(400, '<html>no</html>', 'text/html')],
  ['an empty 404', rawAnswer(404, '')],
  ['a truncated 400', (socket) => socket.end('HTTP/1.1 400 X\r\ncontent-length: 99\r\n\r\n{"errorCode":')],
  ['a 200 without orderId', rawAnswer(200, '{"message":"Command acknowledged - CreateOrder","requestId":"1"}')],
  ['a 200 with an errorCode', rawAnswer(200, '{"orderId":"5","errorCode":6105}')],
  ['a 200 of broken JSON', rawAnswer(200, '{"orderId":"5')],
  ['an HTML 200', rawAnswer(200, '<html>maintenance</html>', 'text/html')],
  ['a truncated 200', (socket) => socket.end('HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\n{"orderId":"5"}')],
  ['a connection closed without an answer', (socket) => socket.end()],
  ['a reset', (socket) => socket.resetAndDestroy()],
  ['no answer in time', () => {}],
  ['an answer of two lengths', 'HTTP/1.1 400 X\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}'],
  ['an answer with a header that is none', 'HTTP/1.1 400 X\r\nno header\r\ncontent-length: 2\r\n\r\n{}'],
  ['something that is no HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n')],
];

test.each(UNKNOWN)('U1 %s is unknown, and the command left once', async (_case, answer) => {
  const { outcome, arrived } = await submit(answer);
  expect(outcome.kind).toBe('unknown');
  expect(arrived).toBe(1);
});

test("U1 accepts the documented acknowledgement: a create's with orderId, a cancel's with requestId", async () => {
  const created = await submit(
    rawAnswer(200, '{"message":"ok","requestId":"8","orderId":"832910066626069505","handle":"1"}'),
  );
  expect(created.outcome).toEqual({
    kind: 'accepted',
    orderId: '832910066626069505',
    clientOrderId: '1',
    requestId: '8',
  });
  await server?.close();
  const all = await submit(rawAnswer(200, '{"message":"ok","requestId":"9"}'), {
    kind: 'cancelAll',
    tradingAccountId: ACCOUNT,
  });
  expect(all.outcome).toMatchObject({ kind: 'accepted', orderId: null, requestId: '9' });
});

test('U1 U2 a cancel answered 200 without a requestId is unknown: nothing says that the exchange took it', async () => {
  const { outcome } = await submit(rawAnswer(200, '{}'), { kind: 'cancelAll', tradingAccountId: ACCOUNT });
  expect(outcome).toEqual({ kind: 'unknown', message: 'HTTP 200 without requestId' });
});

test('U1 refuses after a failure before any byte left: the server is gone', async () => {
  server = await startRawHttpServer(readAnswer);
  const { client } = observe(scriptedOptions(server.url, []));
  await client.start();
  await server.close();
  server = null;
  expect(await client.submit('c1', limitBuy('1'))).toMatchObject({ kind: 'refused', httpStatus: null });
  await client.close();
});

test("cuts the exchange's text to one printable line, without secrets", async () => {
  const body = JSON.stringify({ message: `line\u0001one\n${'x'.repeat(500)}`, errorCode: 2001 });
  const { outcome } = await submit(rawAnswer(400, body));
  if (outcome.kind !== 'refused') throw new Error(outcome.kind);
  expect(outcome.message).toMatch(/^[ -~]{1,200}$/);
});

test.each([
  ['its own words', { errorCode: '6023', errorCodeName: 'X', message: 'too large' }, 'too large'],
  ['what its code means', { errorCode: '96000', errorCodeName: 'X' }, 'the rate limit of this category is exhausted'],
  ['its name for it', { errorCode: '1', errorCodeName: 'SOME_NAME' }, 'SOME_NAME'],
  ['the bare code', { errorCode: '1' }, 'error code 1'],
])('U1 words a refusal if there are words: %s', async (_what, body, message) => {
  expect((await submit(rawAnswer(400, JSON.stringify(body)))).outcome).toMatchObject({ kind: 'refused', message });
});

const refusal = (errorCode: string | null): CommandOutcome => ({ ...refusedHere('no'), httpStatus: 400, errorCode });

test('U2 only accepted commands, and those refused for their order, use a nonce', () => {
  const accepted: CommandOutcome = { kind: 'accepted', orderId: null, clientOrderId: null, requestId: '1' };
  const taken = [accepted, ...['3002', '2017', '3032'].map(refusal)];
  const notTaken = [
    { kind: 'unknown', message: 'x' } as const,
    refusedHere('x'),
    ...['2035', '6023', null].map(refusal),
  ];
  expect(taken.map(tookNonce)).toEqual([true, true, true, true]);
  expect(notTaken.map(tookNonce)).toEqual([false, false, false, false, false]);
});

test('X3 a refused nonce and a refused time are known by their codes, of orders and of negotiated trades', () => {
  const codes = ['2035', '9015', '9014', '8175', '3002', null];
  expect(codes.filter((code) => refusedNonce(refusal(code)))).toEqual(['2035', '9015']);
  expect(codes.filter((code) => mayRefuseTime(refusal(code)))).toEqual(['9014', '8175']);
  expect(refusedNonce({ kind: 'unknown', message: '2035' })).toBe(false);
});

test('a login that is refused ends the start with its code, the secret unnamed', async () => {
  server = await startRawHttpServer(() => rawAnswer(401, '{"message":"Invalid signature","errorCode":8008}'));
  const { client } = observe(scriptedOptions(server.url, []));
  const error = await client.start().catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    code: 'XG_EXCHANGE_LOGIN_FAILED',
    message: expect.stringContaining('Invalid signature'),
  });
  expect(String(error)).not.toContain('very-secret');
  await client.close();
});
