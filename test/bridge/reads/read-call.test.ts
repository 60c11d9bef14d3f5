// Which account a read concerns, and what of an answer a token may see, at an exchange that answers as a test says.

import { expect, test } from 'vitest';
import { Caller } from '../../../src/bridge/access.ts';
import type { BridgeExchange } from '../../../src/bridge/port.ts';
import { Problem } from '../../../src/bridge/problem.ts';
import { ENDPOINTS } from '../../../src/bridge/reads/endpoints.ts';
import { type ReadRequest, readCall } from '../../../src/bridge/reads/read-call.ts';

const V1 = '/trading-api/v1';

/** Calls of a token for account 1 at a login that has others too. */
function reading(body = '[]') {
  const asked: string[] = [];
  const answer = { kind: 'answer', status: 200, headers: {}, body } as const;
  const exchange = {
    get: async (target: string) => {
      asked.push(target);
      return answer;
    },
    post: async (target: string, text: string) => {
      asked.push(`${target} ${text}`);
      return answer;
    },
  } as unknown as BridgeExchange;
  const token = { reference: 'env:T', read: () => 'x' };
  const caller = new Caller(
    { name: 'desk', token, credential: 'primary', tradingAccountIds: ['1'], functions: [] },
    exchange,
    1,
  );
  const call = async (path: string, request: Partial<ReadRequest> = {}): Promise<string> => {
    const endpoint = ENDPOINTS.find((each) => each.path === path)!;
    try {
      return await readCall(endpoint, caller, { params: {}, query: {}, body: null, ...request });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return error.code;
    }
  };
  return { call, asked };
}

test('O7 an account is looked at wherever a call names it, before the exchange is asked', async () => {
  const one = { params: { tradingAccountId: '1' } };
  const own = { tradingAccountId: '1' };
  const foreign = { tradingAccountId: '2' };
  const { call, asked } = reading();
  expect(await call(`${V1}/accounts/asset`, { query: own })).toBe('[]');
  expect(await call(`${V1}/accounts/trading-accounts/{tradingAccountId}`, one)).toBe('[]');
  expect(await call(`${V1}/simulate-portfolio-margin`, { body: own })).toBe('[]');
  expect(await call(`${V1}/bulk-simulate-portfolio-margin`, { body: [own, own] })).toBe('[]');
  expect(asked).toEqual([
    `${V1}/accounts/asset?tradingAccountId=1`,
    `${V1}/accounts/trading-accounts/1`,
    `${V1}/simulate-portfolio-margin {"tradingAccountId":"1"}`,
    `${V1}/bulk-simulate-portfolio-margin [{"tradingAccountId":"1"},{"tradingAccountId":"1"}]`,
  ]);
  const refused: readonly (readonly [string, Partial<ReadRequest>])[] = [
    [`${V1}/accounts/asset`, { query: foreign }],
    [`${V1}/accounts/asset`, {}],
    [`${V1}/accounts/trading-accounts/{tradingAccountId}`, { params: foreign }],
    [`${V1}/accounts/trading-accounts/{tradingAccountId}`, {}],
    [`${V1}/simulate-portfolio-margin`, { body: foreign }],
    [`${V1}/simulate-portfolio-margin`, { body: null }],
    [`${V1}/bulk-simulate-portfolio-margin`, { body: [own, foreign] }],
    [`${V1}/bulk-simulate-portfolio-margin`, { body: own }],
  ];
  for (const [path, request] of refused) expect(await call(path, request), path).toBe('account-forbidden');
  expect(asked).toHaveLength(4);
});

test('O7 shows a token its own accounts of a list with every digit, and none of another answer', async () => {
  const accounts = `${V1}/accounts/trading-accounts`;
  const list =
    '[{"tradingAccountId":"1","totalBorrowedUSD":0.10},{"tradingAccountId":"2"},{"tradingAccountId":1},{"tradingAccountId":2},null]';
  // The exchange writes its ids as texts; one that is a number is the same account.
  const own = '[{"tradingAccountId":"1","totalBorrowedUSD":0.10},{"tradingAccountId":1}]';
  expect(await reading(list).call(accounts)).toBe(own);
  for (const other of ['{"data":[{"tradingAccountId":"2"}]}', '"2"', 'null', '7']) {
    expect(await reading(other).call(accounts), other).toBe('exchange-error');
  }
});

test('B4 shows no caller the rate limit token of an account', async () => {
  const account = (more: string) => `{"tradingAccountId":"1",${more}"totalBorrowedUSD":0.10}`;
  const told = account('"rateLimitToken":"97d98951b1",');
  const one = { params: { tradingAccountId: '1' } };
  const path = `${V1}/accounts/trading-accounts`;
  expect(await reading(`[${told}]`).call(path)).toBe(`[${account('')}]`);
  expect(await reading(told).call(`${path}/{tradingAccountId}`, one)).toBe(account(''));
  // An answer without accounts is passed on unchanged.
  for (const other of ['7.10', '"x"', 'null', '[]', '{}']) {
    expect(await reading(other).call(`${path}/{tradingAccountId}`, one)).toBe(other);
  }
});

test('a variable in a path cannot leave its place', async () => {
  const { call, asked } = reading();
  await call(`${V1}/markets/{symbol}/tick`, { params: { symbol: '../a?b=c/d' } });
  expect(asked).toEqual([`${V1}/markets/..%2Fa%3Fb%3Dc%2Fd/tick`]);
});
