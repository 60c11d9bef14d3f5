// Each 403 and 404 of the bridge, by its code, says what its caller does instead, in words that are right for a caller of a bridge.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../src/bridge/problem.ts';
import {
  ACCOUNT,
  type BridgeAnswer,
  type Desk,
  FOREIGN_ACCOUNT,
  FULL_TOKEN,
  liquidity,
  READER_TOKEN,
  startDesk,
} from './desk.ts';

const AMM = '/trading-api/v2/amm-instructions';
const COMMAND = '/trading-api/v2/command';
const OTC = '/trading-api/v2/otc-trades';
const OTC_COMMAND = '/trading-api/v2/otc-command';

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk.close());
afterEach(() => {
  desk.simulator.control.clearFaults();
  desk.killSwitch = null;
  desk.limit = null;
});

const order = (commandType: string): Promise<BridgeAnswer> =>
  desk.post(COMMAND, { commandType, symbol: 'BTCUSDC', tradingAccountId: ACCOUNT });
const negotiated = (): Promise<BridgeAnswer> =>
  desk.post(OTC, {
    commandType: 'V1CreateOtcTrade',
    sharedMatchKey: 'abcdef123456',
    tradingAccountId: ACCOUNT,
    isTaker: true,
    trades: [{ symbol: 'BTCUSDC', side: 'BUY', price: '60000', quantity: '5' }],
  });

type Case = readonly [what: string, ask: () => Promise<BridgeAnswer>, instead: RegExp];

/** By code, every way to it that has words of its own. */
const CASES: Readonly<Partial<Record<ProblemCode, readonly Case[]>>> = {
  'function-forbidden': [
    [
      'a read',
      () => desk.get(`${AMM}?tradingAccountId=111000000000002`, READER_TOKEN),
      /an operator adds it to `bridge\.callers` in gateway\.yaml\.$/,
    ],
  ],
  'account-forbidden': [
    [
      'a read',
      () => desk.get(`/trading-api/v1/accounts/asset?tradingAccountId=${FOREIGN_ACCOUNT}`),
      /name one of its own, as GET \/trading-api\/v1\/accounts\/trading-accounts lists them\.$/,
    ],
  ],
  'order-command': [['an order', () => order('V3CreateOrder'), /^Send NewOrderSingle\(D\) .* on a FIX session/]],
  'key-forbidden': [
    [
      'custody with an HMAC key',
      async () => {
        const hmac = await startDesk({ key: 'demo-hmac' });
        const answer = await hmac.get('/trading-api/v1/wallets/limits/BTC');
        await hmac.close();
        return answer;
      },
      /Ask an operator for a caller with another credential\.$/,
    ],
  ],
  'account-not-exclusive': [
    [
      'a delayed cancel-all',
      () => {
        desk.notExclusive = 'account 1 is not declared exclusive';
        return desk.post('/trading-api/v2/command', {
          commandType: 'V1DelayedCancelAllOrders',
          delayBySeconds: '5',
          tradingAccountId: ACCOUNT,
        });
      },
      /An operator lists it in `exclusiveAccounts` of its credential, or send V1CancelAllOrders\.$/,
    ],
  ],
  'custody-off': [['a transfer', () => order('V2TransferAsset'), /transfer and withdraw on the pages of the exchange/]],
  'kill-switch': [
    [
      'what brings risk',
      () => {
        desk.killSwitch = 'The kill switch of this account is on (drill)';
        return desk.post(AMM, liquidity());
      },
      /Ask an operator to lift the switch\.$/,
    ],
  ],
  'self-signed': [
    [
      'a signature',
      () => desk.post(AMM, liquidity(), { headers: { 'bx-signature': 'abc' } }),
      /^Leave the BX- headers out/,
    ],
  ],
  'risk-limit': [
    [
      'a leg',
      () => {
        desk.limit = () => 'quantity=5 exceeds the limit of 2 per order';
        return negotiated();
      },
      /2 per order\. Enter a trade within the limit, or ask an operator to change `orders\.accountLimits` in gateway\.yaml\.$/,
    ],
  ],
  'origin-forbidden': [
    ['a page', () => pageOf('https://else.example'), /^An operator lists the origin of the page in `bridge\.origins`/],
  ],
  'not-found': [
    ['a login', () => desk.get('/trading-api/v2/users/login'), /send the bridge token as "Authorization: Bearer/],
    ['a nonce', () => desk.get('/trading-api/v1/nonce'), /send the command without BX- headers/],
    ['custody', () => desk.get('/trading-api/v1/wallets/limits'), /changed on the pages of the exchange/],
    ['a path without its prefix', () => desk.get('/v1/markets'), /^Put \/trading-api before the path/],
    ['anything else', () => desk.get('/trading-api/v1/nowhere'), /listed in \/openapi\.json\.$/],
  ],
  'exchange-refused': [
    [
      'a 404 of the exchange',
      () => desk.get(`${AMM}/1?tradingAccountId=${ACCOUNT}`),
      /Check the ids and the trading account in the call/,
    ],
    [
      'a 403 of the exchange',
      () => {
        const forbids = {
          on: 'get',
          what: 'error',
          httpStatus: 403,
          errorCode: 6105,
          message: 'Not entitled',
        } as const;
        desk.simulator.control.armAnswer(forbids);
        return desk.get('/trading-api/v1/markets');
      },
      /The bridge token is not the reason: an operator checks what the gateway's key may do/,
    ],
  ],
};

/** The answer to another origin's page with a token that a browser sends by itself. */
async function pageOf(origin: string): Promise<BridgeAnswer> {
  const response = await fetch(`${desk.bridge.url}/trading-api/v1/private-data?tradingAccountId=${ACCOUNT}`, {
    headers: { origin, cookie: `JWT_COOKIE=${FULL_TOKEN}` },
  });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text), headers: response.headers };
}

test('every code that is a 403 or a 404, or may be one, is among these', () => {
  const statuses: readonly number[] = [403, 404];
  const codes = Object.entries(PROBLEMS).flatMap(([code, { status }]) => (statuses.includes(status) ? [code] : []));
  expect(Object.keys(CASES).sort()).toEqual([...codes, 'exchange-refused'].sort());
});

describe.each(Object.entries(CASES))('%s', (code, cases) => {
  test.each(cases)('for %s names the alternative', async (_what, ask, instead) => {
    const answer = await ask();
    expect({ code: answer.json.code, isOne: [403, 404].includes(answer.status) }, answer.text).toEqual({
      code,
      isOne: true,
    });
    expect(answer.json.detail).toMatch(instead);
    expect(answer.json.message).toSatisfy((message: string) => message.length > 0);
    // Bridge callers write no tags, and do not sign.
    if (code !== 'order-command') expect(answer.json.detail).not.toMatch(/\(\d+\)/);
  });
});

test('B4 an id of another account is none of this one, and its caller reads where its own are', async () => {
  const approve = { commandType: 'V1ApproveOtcTrade', otcTradeId: '1', tradingAccountId: ACCOUNT };
  const answer = await desk.post(OTC_COMMAND, approve);
  expect([403, 404]).toContain(answer.status);
  expect(answer.json.detail).toMatch(/Check the ids|Read the ids/);
});
