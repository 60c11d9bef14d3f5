// Every way in which the bridge says no: a problem with a permanent code and a sentence that helps, and nothing reaches the
// exchange that should not.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/bridge/commands/commands.ts';
import { Feeds, PublicFeeds, startBridge } from '../../src/bridge/mod.ts';
import { PROBLEM_TYPE, PROBLEMS } from '../../src/bridge/problem.ts';
import type { createExchangeClient } from '../../src/exchange-client/mod.ts';
import {
  ACCOUNT,
  type BridgeAnswer,
  type Desk,
  FOREIGN_ACCOUNT,
  FULL_TOKEN,
  liquidity,
  READER_TOKEN,
  SECOND_ACCOUNT,
  startDesk,
} from './desk.ts';

const AMM = '/trading-api/v2/amm-instructions';
const COMMAND = '/trading-api/v2/command';
const MARKETS = '/trading-api/v1/markets';
const ofAccount = `tradingAccountId=${ACCOUNT}`;

function expectProblem(
  answer: BridgeAnswer,
  code: keyof typeof PROBLEMS,
  status: number = PROBLEMS[code].status,
): void {
  expect({ status: answer.status, code: answer.json.code }, answer.text).toEqual({ status, code });
  expect(answer.headers.get('content-type')).toContain(PROBLEM_TYPE);
  expect(answer.json).toMatchObject({ type: `urn:crossgate:problem:${code}`, title: PROBLEMS[code].title, status });
  expect(answer.json.detail).toMatch(/^[A-Z].{10,}\.$/);
  // A client of the exchange reads these.
  expect(answer.json.message).toMatch(/.{10,}/);
  expect(answer.json.errorCode).toSatisfy(Number.isInteger);
  expect(answer.json.errorCodeName).toMatch(/^[A-Z_]+$/);
  for (const secret of [FULL_TOKEN, READER_TOKEN]) expect(answer.text).not.toContain(secret);
}

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk({ requestMs: 500 });
});
afterAll(() => desk.close());
afterEach(() => {
  desk.simulator.control.clearFaults();
  desk.auditWorks = true;
  desk.killSwitch = null;
  desk.limit = null;
});

/** Nothing was audited, so nothing was sent. */
async function expectNotSent(answer: Promise<BridgeAnswer>): Promise<BridgeAnswer> {
  const before = desk.audited.length;
  const answered = await answer;
  expect(desk.audited.length).toBe(before);
  return answered;
}

describe('a caller', () => {
  test.each([
    ['without a token', null],
    ['with a wrong token', 'a-token-that-nobody-gave-out'],
    ['with the first half of a token', FULL_TOKEN.slice(0, 13)],
    ['with a token and more', `${FULL_TOKEN}x`],
  ])('%s is unauthorized', async (_, token) => {
    const answer = await desk.get(MARKETS, token);
    expectProblem(answer, 'unauthorized');
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  });

  test('logs token guesses by address, without the tokens and at a bounded rate', async () => {
    const lines: { level: string; text: string; fields: Readonly<Record<string, unknown>> }[] = [];
    const guessed = await startDesk({ log: (level, text, fields) => lines.push({ level, text, fields }) });
    const guess = (i: number) => guessed.get(MARKETS, `a-token-that-nobody-gave-out-${i}`);
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => guess(i)));
    for (const answer of answers) expectProblem(answer, 'unauthorized');
    // Forgetting a token is no guess.
    await guessed.get(MARKETS, null);
    await guessed.close();
    const told = lines.filter(({ text }) => text === 'a wrong token was refused');
    expect(told[0]).toEqual({ level: 'warn', text: told[0]?.text, fields: { remote: '127.0.0.1' } });
    expect(told.length).toBeLessThan(20);
    expect(JSON.stringify(lines)).not.toContain('nobody-gave-out');
  });

  test('with its token in the cookie is unauthorized outside the streams: another site could send it', async () => {
    const response = await fetch(desk.bridge.url + MARKETS, { headers: { cookie: `JWT_COOKIE=${FULL_TOKEN}` } });
    expect(response.status).toBe(401);
  });

  test.each([
    ['/trading-api/v2/users/login', 'needs no login'],
    ['/trading-api/v1/users/hmac/login', 'needs no login'],
    ['/trading-api/v1/nonce', 'adds the nonce itself'],
    ['/trading-api/v1/wallets/withdrawals', 'pages of the exchange'],
    ['/trading-api/v1/nowhere', '/openapi.json'],
  ])('that calls %s, which the bridge lacks, reads the alternative', async (path, hint) => {
    const answer = await desk.get(path);
    expectProblem(answer, 'not-found');
    expect(answer.json.message).toContain(hint);
  });

  test('may use only its permitted functions', async () => {
    expect((await desk.get(MARKETS, READER_TOKEN)).status).toBe(200);
    const reading = await desk.get(`${AMM}?tradingAccountId=${SECOND_ACCOUNT}`, READER_TOKEN);
    expectProblem(reading, 'function-forbidden');
    expect(reading.json.detail).toBe(
      'The token "screen" lacks the function "amm": an operator adds it to `bridge.callers` in gateway.yaml.',
    );
    const order = liquidity({ tradingAccountId: SECOND_ACCOUNT });
    expectProblem(await expectNotSent(desk.post(AMM, order, { token: READER_TOKEN })), 'function-forbidden');
  });

  test.each([
    ['in the query', `/trading-api/v1/accounts/asset?tradingAccountId=${FOREIGN_ACCOUNT}`],
    ['in the path', `/trading-api/v1/accounts/trading-accounts/${FOREIGN_ACCOUNT}`],
  ])('that names a foreign account %s is refused', async (_, path) => {
    expectProblem(await desk.get(path), 'account-forbidden');
  });

  test('that names an account of the same login which is not its token’s is refused', async () => {
    const path = `/trading-api/v1/accounts/asset?${ofAccount}`;
    expect((await desk.get(path)).status).toBe(200);
    expectProblem(await desk.get(path, READER_TOKEN), 'account-forbidden');
  });

  test('that names a foreign account in a command, or in one of several portfolios, is refused', async () => {
    const command = liquidity({ tradingAccountId: FOREIGN_ACCOUNT });
    expectProblem(await expectNotSent(desk.post(AMM, command)), 'account-forbidden');
    const portfolios = [{ tradingAccountId: ACCOUNT }, { tradingAccountId: FOREIGN_ACCOUNT }];
    expectProblem(await desk.post('/trading-api/v1/bulk-simulate-portfolio-margin', portfolios), 'account-forbidden');
  });

  test('that names two accounts is refused, wherever it names them', async () => {
    const twice = await desk.get(`/trading-api/v1/accounts/asset?${ofAccount}&tradingAccountId=${FOREIGN_ACCOUNT}`);
    expectProblem(twice, 'malformed');
    // Of a key that stands twice the exchange may read the first: it gets the one that was checked, and only that.
    const portfolio = `{"tradingAccountId":"${FOREIGN_ACCOUNT}","tradingAccountId":"${ACCOUNT}"}`;
    const own = await desk.post('/trading-api/v1/simulate-portfolio-margin', portfolio);
    expect(own.status, own.text).toBe(200);
  });
});

describe('a request', () => {
  test.each([
    ['a body that is not JSON', '{"commandType":'],
    ['a list', '[]'],
    ['a bare text', '"V3CreateAMMInstruction"'],
    ['no body', ''],
    ['a prototype', '{"__proto__":{"commandType":"V3CreateAMMInstruction"}}'],
    ['an amount as a number', JSON.stringify(liquidity({ baseQuantity: 1.1 }))],
    ['an account as a number', JSON.stringify(liquidity({ tradingAccountId: 111000000000001 }))],
    ['a field too many', JSON.stringify(liquidity({ nonce: '1' }))],
    ['a field too few', JSON.stringify(liquidity({ upperBound: undefined }))],
    ['a symbol that leaves its place', JSON.stringify(liquidity({ symbol: '../orders' }))],
    ['an envelope of its own', JSON.stringify({ command: liquidity(), nonce: '1', authorizer: 'me' })],
    ['a command that is no object', JSON.stringify({ command: 'V3CreateAMMInstruction' })],
  ])('with %s is malformed', async (_, body) => {
    expectProblem(await expectNotSent(desk.post(AMM, body)), 'malformed');
  });

  test('says which field is wrong and how', async () => {
    const missing = await desk.post(AMM, liquidity({ upperBound: undefined }));
    expect(missing.json.detail).toBe('V3CreateAMMInstruction: upperBound is missing.');
    const number = await desk.post(AMM, liquidity({ baseQuantity: 1.1 }));
    expect(number.json.detail).toBe(
      'V3CreateAMMInstruction: baseQuantity must be text (in quotes, amounts and ids too).',
    );
    const unknown = await desk.get(`${MARKETS}/BTCUSDC/orderbook/hybrid?deep=5`);
    expect(unknown.json.detail).toBe('The query: deep is not known here.');
    const twice = await desk.get(`${AMM}?${ofAccount}&${ofAccount}`);
    expect(twice.json.detail).toBe('The query: tradingAccountId stands more than once.');
    const types = await desk.get('/trading-api/v1/history/markets?marketType=SPOT&marketType=A,B');
    expect(types.json.detail).toBe('The query: marketType.1 must match pattern "^[A-Za-z0-9_+.-]{1,64}$".');
  });

  test.each([
    `${MARKETS}/..%2Fusers%2Flogout`,
    `${MARKETS}/BTCUSDC%3Fx=1/tick`,
    `${MARKETS}/BTCUSDC/orderbook/hybrid?depth=ten`,
    `${AMM}?${ofAccount}&_pageSize=5&_pageSize=25`,
    `${AMM}`,
    `${AMM}/abc?${ofAccount}`,
  ])('GET %s is malformed', async (path) => {
    expectProblem(await desk.get(path), 'malformed');
  });

  test('for a path that is not offered is not found, logout and nonce among them', async () => {
    for (const path of ['/', '/trading-api/v1/users/logout', '/trading-api/v1/nonce', `${MARKETS}/BTCUSDC/x`]) {
      expectProblem(await desk.get(path), 'not-found');
    }
  });

  test('with a wrong method for its path gets the right ones', async () => {
    const asked = async (method: string, path: string): Promise<unknown[]> => {
      const answer = await fetch(desk.bridge.url + path, { method });
      return [answer.status, answer.headers.get('allow'), ((await answer.json()) as { code: string }).code];
    };
    const refused = 'method-not-allowed';
    expect(await asked('DELETE', `${MARKETS}/BTCUSDC/tick`)).toEqual([405, 'GET, HEAD', refused]);
    expect(await asked('OPTIONS', '/trading-api/v1/private-data')).toEqual([405, 'GET, HEAD', refused]);
    expect(await asked('PUT', AMM)).toEqual([405, 'GET, HEAD, POST', refused]);
    expect(await asked('GET', `${COMMAND}/?x=1`)).toEqual([405, 'POST', refused]);
    expect(await asked('POST', '/openapi.json')).toEqual([405, 'GET, HEAD', refused]);
    expect((await asked('DELETE', '/trading-api/v1/nonce'))[0]).toBe(404);
  });

  test('with too large a body is refused, whatever it says of its length', async () => {
    expectProblem(await expectNotSent(desk.post(AMM, 'x'.repeat(70_000))), 'too-large');
  });

  test('with a body that is not said to be JSON is refused', async () => {
    const answer = desk.post(AMM, liquidity(), { headers: { 'content-type': 'text/plain' } });
    expectProblem(await expectNotSent(answer), 'media-type');
  });

  test('with a compressed body gets the reason, for any content', async () => {
    for (const coding of ['gzip', 'br', 'identity, gzip']) {
      const answer = await expectNotSent(desk.post(AMM, liquidity(), { headers: { 'content-encoding': coding } }));
      expectProblem(answer, 'media-type');
      expect(answer.json.detail).toBe('Send the body without Content-Encoding.');
    }
  });

  test('beyond the requests that a token may have under way is refused with a time to wait', async () => {
    const slow = await startDesk({ requestMs: 3_000 });
    // None of those that are let in is answered before the last one came, however busy the machine is.
    slow.simulator.control.armAnswer({ what: 'hang', on: 'get', times: 100 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => slow.get(`${MARKETS}/BTCUSDC`)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    for (const answer of refused) {
      expectProblem(answer, 'too-many-requests');
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    slow.simulator.control.clearFaults();
    expect((await slow.get(`${MARKETS}/BTCUSDC`)).status).toBe(200);
    await slow.close();
  });
});

describe('a command', () => {
  test.each(['V1CreateOrder', 'V2CreateOrder', 'V3CreateOrder', 'V1AmendOrder'])(
    'B3 %s is refused: orders go over FIX',
    async (commandType) => {
      for (const path of [COMMAND, '/trading-api/v2/orders', AMM]) {
        const body = { commandType, symbol: 'BTCUSDC', tradingAccountId: ACCOUNT };
        expectProblem(await expectNotSent(desk.post(path, body)), 'order-command');
        expectProblem(await expectNotSent(desk.post(path, { command: body })), 'order-command');
      }
      expect(desk.simulator.control.openOrders(ACCOUNT)).toEqual([]);
    },
  );

  test.each(['V1TransferAsset', 'V2TransferAsset', 'V1Withdrawal'])(
    'B1 %s is refused: it is switched off',
    async (commandType) => {
      const body = {
        commandType,
        assetSymbol: 'BTC',
        quantity: '1',
        fromTradingAccountId: ACCOUNT,
        toTradingAccountId: SECOND_ACCOUNT,
      };
      expectProblem(await expectNotSent(desk.post(COMMAND, body)), 'custody-off');
      expectProblem(await expectNotSent(desk.post('/trading-api/v1/wallets/withdrawal', body)), 'custody-off');
    },
  );

  test('B2 that its caller signed is refused', async () => {
    const headers = { 'bx-signature': 'abc', 'bx-nonce': '1', 'bx-timestamp': '1' };
    expectProblem(await expectNotSent(desk.post(AMM, liquidity(), { headers })), 'self-signed');
  });

  test('that is unknown, or at the wrong path, is refused with the right one', async () => {
    expectProblem(await expectNotSent(desk.post(COMMAND, { commandType: 'V1Dance' })), 'command-unknown');
    const misplaced = await expectNotSent(desk.post(COMMAND, liquidity()));
    expectProblem(misplaced, 'command-unknown');
    expect(misplaced.json.detail).toContain(`Send it to ${AMM}.`);
  });

  test('O12 that adds risk is refused while a kill switch is on; one that ends it is sent', async () => {
    desk.killSwitch = 'The kill switch of this account is on (drill)';
    const refused = await expectNotSent(desk.post(AMM, liquidity()));
    expectProblem(refused, 'kill-switch');
    expect(refused.json.detail).toContain('(drill): V3CreateAMMInstruction is not sent');
    const otc = { commandType: 'V1ApproveOtcTrade', otcTradeId: '1', tradingAccountId: ACCOUNT };
    expectProblem(await expectNotSent(desk.post('/trading-api/v2/otc-command', otc)), 'kill-switch');
    const all = { commandType: 'V1CancelAllOtcTrades', tradingAccountId: ACCOUNT };
    expect((await desk.post('/trading-api/v2/otc-command', all)).status).toBe(200);
  });

  test('O12 a negotiated trade is not entered if a leg breaks a limit of its account', async () => {
    desk.limit = (symbol) => (symbol === 'ETHUSDC' ? 'quantity=5 exceeds the limit of 2 per order' : null);
    const leg = { symbol: 'BTCUSDC', side: 'BUY', price: '60000', quantity: '1' };
    const enter = (...trades: unknown[]) =>
      desk.post('/trading-api/v2/otc-trades', {
        commandType: 'V1CreateOtcTrade',
        sharedMatchKey: 'abcdef123456',
        tradingAccountId: ACCOUNT,
        isTaker: true,
        trades,
      });
    const refused = await expectNotSent(enter(leg, { ...leg, symbol: 'ETHUSDC' }));
    expectProblem(refused, 'risk-limit');
    expect(refused.json.detail).toBe(
      'V1CreateOtcTrade is not sent, for its leg 2 (ETHUSDC): quantity=5 exceeds the limit of 2 per order. ' +
        'Enter a trade within the limit, or ask an operator to change `orders.accountLimits` in gateway.yaml.',
    );
    // It is for the exchange to say.
    expectProblem(await enter(leg), 'exchange-refused', 400);
  });

  test('that cannot be recorded is not sent', async () => {
    desk.auditWorks = false;
    expectProblem(await expectNotSent(desk.post(AMM, liquidity())), 'audit-impossible');
    const list = await desk.get(`${AMM}?${ofAccount}&status=OPEN`);
    expect(list.text).toBe('[]');
  });

  test('that the exchange refuses is answered with its code, its words and its status', async () => {
    const answer = await desk.post(AMM, liquidity({ feeTierId: '99' }));
    expectProblem(answer, 'exchange-refused', 400);
    expect(answer.json.exchange).toMatchObject({ message: 'feeTierId is not one of the market' });
    expect(desk.audited.at(-1)?.action).toBe('bridge: outcome refused');
  });
});

describe('U1 a command with an unknown outcome', () => {
  test.each([
    ['a time-out', { what: 'hang' }],
    ['a connection that breaks', { what: 'lost' }],
    ['an error of the exchange', { what: 'error', httpStatus: 500, executed: true }],
    ['an answer cut in two', { what: 'truncated' }],
    ['an answer that is not JSON', { what: 'malformed' }],
    ['an answer without an acknowledgement', { what: 'empty' }],
  ] as const)('for %s is answered 202 with where to ask, and is not sent again', async (_, fault) => {
    desk.simulator.control.armAnswer({ on: 'command', ...fault });
    const before = await openInstructions();
    const answer = await desk.post(AMM, liquidity());
    expect(answer.status, answer.text).toBe(202);
    const { askAt, commandId } = answer.json;
    expect(answer.headers.get('location')).toBe(askAt);
    expect(answer.json).toMatchObject({ outcome: 'unknown', commandId: expect.stringMatching(/^bridge-/) });
    expect(desk.audited.at(-1)?.action).toBe('bridge: outcome unknown');
    expect(desk.audited.at(-1)?.detail).toContain(String(commandId));
    // Where it says to ask, there it is: once.
    const asked = await desk.get(String(askAt));
    expect(asked.status, asked.text).toBe(200);
    expect(await openInstructions()).toBe(before + 1);
  });

  test('names the very instruction where one was to be terminated', async () => {
    const { instructionId } = (await desk.post(AMM, liquidity())).json;
    desk.simulator.control.armAnswer({ on: 'command', what: 'lost' });
    const terminate = {
      commandType: 'V3TerminateAMMInstruction',
      instructionId,
      symbol: 'BTCUSDC',
      tradingAccountId: ACCOUNT,
    };
    const answer = await desk.post(COMMAND, terminate);
    expect(answer.status).toBe(202);
    const asked = await desk.get(String(answer.json.askAt));
    expect(asked.json).toMatchObject({ instructionId, status: 'CLOSED' });
  });

  async function openInstructions(): Promise<number> {
    const { text } = await desk.get(`${AMM}?${ofAccount}&status=OPEN&_pageSize=100`);
    return JSON.parse(text).length;
  }
});

describe('the exchange', () => {
  test('that answers an error makes the bridge answer 502, with its words', async () => {
    desk.simulator.control.armAnswer({ on: 'get', what: 'error', httpStatus: 500, message: 'out of order' });
    const answer = await desk.get(MARKETS);
    expectProblem(answer, 'exchange-error');
    expect(answer.json.exchange).toMatchObject({ message: 'out of order' });
  });

  test('that refuses a read is passed on with its status', async () => {
    const answer = await desk.get(`${AMM}/1?${ofAccount}`);
    expectProblem(answer, 'exchange-refused', 404);
    const market = await desk.get(`${MARKETS}/NOSUCH`);
    expectProblem(market, 'exchange-refused', 400);
    expect(market.json.exchange).toMatchObject({ errorCode: '21000' });
  });

  test.each([403, 200, 503])(
    'that answers a web page with %i makes the bridge answer 502, without the page',
    async (httpStatus) => {
      desk.simulator.control.armAnswer({ on: 'get', what: 'html', httpStatus });
      const answer = await desk.get(MARKETS);
      expectProblem(answer, 'exchange-page');
      expect(answer.text).not.toContain('<');
    },
  );

  test('that answers a command with a web page 403 has refused it', async () => {
    desk.simulator.control.armAnswer({ on: 'command', what: 'html', httpStatus: 403 });
    const answer = await desk.post(AMM, liquidity());
    expectProblem(answer, 'exchange-page');
    expect(answer.text).not.toContain('<');
    expect(desk.audited.at(-1)?.action).toBe('bridge: outcome refused');
  });

  test.each(['malformed', 'lost', 'truncated', 'hang'] as const)(
    'with %s as the answer to a read is reported as failed',
    async (what) => {
      desk.simulator.control.armAnswer({ on: 'get', what });
      const answer = await desk.get(MARKETS);
      expectProblem(answer, what === 'malformed' ? 'exchange-error' : 'exchange-gone');
    },
  );

  test('that is gone makes reads 503, and a command 503 that says that nothing was sent', async () => {
    const own = await startDesk();
    await own.simulator.close();
    expectProblem(await own.get(MARKETS), 'exchange-gone');
    const answer = await own.post(AMM, liquidity());
    expectProblem(answer, 'exchange-gone');
    expect(answer.json.detail).toMatch(/^The command was not sent: .* It is safe to send it again\.$/);
    expect(own.audited.map(({ action }) => action)).toEqual([
      'bridge: V3CreateAMMInstruction',
      'bridge: outcome refused',
    ]);
    await own.close();
  });
});

describe('the bridge itself', () => {
  test('describes every call in a public OpenAPI document', async () => {
    const answer = await desk.get('/openapi.json', null);
    expect(answer.status).toBe(200);
    const paths = answer.json.paths as Record<string, Record<string, { responses: Record<string, unknown> }>>;
    expect(Object.keys(paths)).toContain('/trading-api/v1/markets/{symbol}/orderbook/hybrid');
    expect(Object.keys(paths[AMM]!)).toEqual(['get', 'post']);
    expect(Object.keys(paths[AMM]!.post!.responses)).toEqual(['200', '202', '429', 'default']);
    expect(answer.json.openapi).toBe('3.1.0');
  });

  test('describes there the retry time of any call, and the query of a command', async () => {
    const { json } = await desk.get('/openapi.json', null);
    const { paths, components } = json as Record<string, Record<string, Record<string, Record<string, unknown>>>>;
    const tooMany = { $ref: '#/components/responses/TooMany' };
    for (const [path, calls] of Object.entries(paths!)) {
      for (const [method, call] of Object.entries(calls))
        expect(call.responses, path + method).toMatchObject({ 429: tooMany });
    }
    expect(components!.responses!.TooMany).toMatchObject({
      headers: { 'Retry-After': { required: true, schema: { type: 'integer', minimum: 1 } } },
    });
    for (const path of new Set(COMMANDS.map((command) => command.path))) {
      expect(paths![path]!.post!.parameters, path).toMatchObject([
        { name: 'commandType', in: 'query', required: false },
      ]);
      expectProblem(await desk.post(`${path}?commandType=V3CreateAMMInstruction`, {}), 'command-unknown');
    }
  });

  test('describes its streams beside it: listeners, tokens, topics and duties of a listener', async () => {
    const { json } = await desk.get('/asyncapi.json', null);
    const channels = json.channels as Record<string, { address: string; title: string; description: string }>;
    const streams = { 'private-data': ['stream', 'ammInstructions'], 'market-data/auction': ['auctions', 'noii'] };
    for (const [path, [needs, topic]] of Object.entries(streams)) {
      const channel = Object.values(channels).find(({ address }) => address === `/trading-api/v1/${path}`);
      expect(channel?.title).toContain(topic);
      expect(channel?.description).toContain(`\`${needs}\``);
    }
    const { description } = json.info as { description: string };
    expect(description).toContain('keepalivePing at least every 90 seconds');
    expect(json.servers).toMatchObject({ bridge: { host: new URL(desk.bridge.url).host, protocol: 'ws' } });
    const { securitySchemes } = json.components as Record<string, Record<string, unknown>>;
    expect(securitySchemes!.cookie).toMatchObject({ type: 'httpApiKey', in: 'cookie', name: 'JWT_COOKIE' });
  });

  test('does not open with a guessable, too long or repeated token, or a missing credential', async () => {
    const client = desk.client as ReturnType<typeof createExchangeClient>;
    const caller = (value: string, credential = 'primary') => ({
      name: 'one',
      token: { reference: 'env:ONE', read: () => value },
      credential,
      tradingAccountIds: [ACCOUNT],
      functions: ['accounts'] as const,
    });
    const open = (...callers: ReturnType<typeof caller>[]) =>
      startBridge({
        host: '127.0.0.1',
        port: 0,
        hosts: [],
        origins: [],
        tls: null,
        limits: {
          bodyBytesMax: 1024,
          requestArrivalMs: 1000,
          connectionsMax: 1,
          requestsPerTokenMax: 1,
          streamsPerTokenMax: 1,
          newStreamsPerMinute: 1,
          negotiatedPerMinute: 1,
          streamBytesMax: 1024,
          closeWaitMs: 0,
        },
        callers,
        exchanges: new Map([['primary', client]]),
        feeds: new Feeds(),
        publicFeeds: new PublicFeeds({ follow: () => false, unfollow: () => {} }),
        killSwitchOf: () => null,
        legRefusalOf: () => null,
        tradeRefusalOf: () => null,
        cancel: async () => ({ kind: 'unknown', message: 'not asked' }),
        delayedCancelRefusalOf: () => null,
        now: Date.now,
        observer: { bridgeAnswered: () => {}, listenerDropped: () => {} },
        log: () => {},
        audit: async () => true,
      });
    await expect(open(caller('short'))).rejects.toMatchObject({ code: 'XG_CONFIG_INVALID' });
    // No caller could send it.
    await expect(open(caller('x'.repeat(1_025)))).rejects.toMatchObject({ code: 'XG_CONFIG_INVALID' });
    await expect(open(caller(FULL_TOKEN), caller(FULL_TOKEN))).rejects.toMatchObject({ code: 'XG_CONFIG_INVALID' });
    await expect(open(caller(FULL_TOKEN, 'other'))).rejects.toMatchObject({ code: 'XG_CONFIG_INVALID' });
  });

  test('U5 waits at its end for a command under way, and takes nothing new', async () => {
    const own = await startDesk();
    own.simulator.control.setLatency({ minMs: 300, maxMs: 300 });
    const before = own.audited.length;
    const underWay = own.post(AMM, liquidity());
    while (own.audited.length === before) await new Promise((resolve) => setImmediate(resolve));
    const closed = own.bridge.close();
    const late = await own.post(AMM, liquidity());
    expectProblem(late, 'closing');
    expect((await underWay).status).toBe(200);
    await closed;
    await expect(fetch(own.bridge.url)).rejects.toThrow();
    await own.close();
  });
});

test('answers its own failure as one without details; the log has them', async () => {
  const logged: string[] = [];
  const own = await startDesk({ log: (level, text, fields) => logged.push(`${level} ${text} ${fields?.error}`) });
  own.client.get = () => Promise.reject(new Error('at line 5 of secrets.ts'));
  const answer = await own.get('/trading-api/v1/markets');
  expect(answer.status).toBe(500);
  expect(answer.json).toMatchObject({ code: 'internal' });
  expect(answer.text).not.toContain('line 5');
  expect(logged).toEqual(['error the bridge failed at a request Error: at line 5 of secrets.ts']);
  // An address that cannot be read is the caller's.
  expect((await own.get('/trading-api/v1/markets/%zz')).json).toMatchObject({ code: 'malformed', status: 400 });
  expect(logged).toHaveLength(1);
  await own.close();
});

test('every registered problem is answered in these tests, except failures of the bridge itself', async () => {
  const { readFileSync } = await import('node:fs');
  const tests = [
    'arrival',
    'foreign-pages',
    'refusals',
    'what-to-do',
    'reads/custody',
    '../runtime/rest-orders',
    'streams/streams',
  ]
    .map((name) => readFileSync(new URL(`./${name}.test.ts`, import.meta.url), 'utf8'))
    .join('\n');
  for (const code of Object.keys(PROBLEMS)) {
    if (code !== 'internal') expect(tests, code).toContain(`'${code}'`);
  }
});

describe('ids and rate', () => {
  const otc = (fields: Record<string, unknown>) => ({
    commandType: 'V1CreateOtcTrade',
    sharedMatchKey: 'agreedByPhone0002',
    tradingAccountId: ACCOUNT,
    isTaker: false,
    trades: [{ symbol: 'BTC-USDC-PERP', side: 'SELL', price: '60000', quantity: '0.1' }],
    ...fields,
  });

  test.each([
    ['V3TerminateAMMInstruction', COMMAND],
    ['V1ApproveOtcTrade', '/trading-api/v2/otc-command'],
    ['V1CancelOtcTrade', '/trading-api/v2/otc-command'],
  ])('%s with an id of another account of the login is not sent', async (commandType, path) => {
    const isAmm = commandType.includes('AMM');
    const made = isAmm
      ? await desk.post(AMM, liquidity({ tradingAccountId: SECOND_ACCOUNT }))
      : await desk.post(
          '/trading-api/v2/otc-trades',
          otc({ tradingAccountId: SECOND_ACCOUNT, sharedMatchKey: `agreed${commandType}` }),
        );
    expect(made.status, made.text).toBe(200);
    const { instructionId, otcTradeId } = made.json;
    const named = isAmm ? { instructionId, symbol: 'BTCUSDC' } : { otcTradeId };
    const of = (tradingAccountId: string) => ({ commandType, ...named, tradingAccountId });
    const refused = await expectNotSent(desk.post(path, of(ACCOUNT)));
    expect([403, 404, 400]).toContain(refused.status);
    const own = await desk.post(path, of(SECOND_ACCOUNT));
    expect(own.json.code ?? own.status, own.text).not.toBe('account-forbidden');
    if (commandType !== 'V1ApproveOtcTrade') expect(own.status, own.text).toBe(200);
  });

  test('negotiated trades of an account have a rate of their own', async () => {
    const slow = await startDesk({ limits: { negotiatedPerMinute: 2 } });
    const path = '/trading-api/v2/otc-trades';
    const statuses: number[] = [];
    for (let k = 0; k < 3; k++)
      statuses.push((await slow.post(path, otc({ sharedMatchKey: `agreedByPhone100${k}` }))).status);
    expect(statuses).toEqual([200, 200, 429]);
    const other = otc({ sharedMatchKey: 'agreedByPhone2000', tradingAccountId: SECOND_ACCOUNT });
    expect((await slow.post(path, other)).status).toBe(200);
    await slow.close();
  });
});
