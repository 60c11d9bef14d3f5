// The exchange's answer for the caller of the bridge: passed on, a refusal with its own status, or a failure without a
// culprit.

import { expect, test } from 'vitest';
import type { UpstreamAnswer, UpstreamRead } from '../../../src/bridge/port.ts';
import { Problem } from '../../../src/bridge/problem.ts';
import { bodyOf, problemOf, refused } from '../../../src/bridge/reads/upstream.ts';

const answer = (status: number, body: string, type = 'application/json') =>
  ({ kind: 'answer', status, headers: { 'content-type': type }, body }) as const;

/** The problem that a read is, in short. */
async function problem(read: UpstreamRead): Promise<string> {
  try {
    return await bodyOf(read);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return `${error.status} ${error.code}`;
  }
}

test('a good answer is passed on as it is', async () => {
  expect(await bodyOf(answer(200, '{"price":0.10}'))).toBe('{"price":0.10}');
});

/** Thousands of markets, as the exchange lists options. */
const markets = JSON.stringify(
  Array.from({ length: 3_000 }, (_, i) => ({ symbol: `BTC-USDC-20291228-${i}-C`, tick: 0.1 })),
);

test('B4 passes a list of thousands on unchanged, and yields between its entries', async () => {
  let turns = 0;
  let isPassedOn = false;
  const turn = (): void => {
    turns++;
    if (!isPassedOn) setImmediate(turn);
  };
  setImmediate(turn);
  expect(await bodyOf(answer(200, markets))).toBe(markets);
  isPassedOn = true;
  expect(turns).toBeGreaterThanOrEqual(3_000 / 40);
});

test('a long answer that is no JSON is trouble of the exchange, whatever comes first in it', async () => {
  const whole = `{"options":${markets}}`;
  expect(await bodyOf(answer(200, whole))).toBe(whole);
  for (const body of [
    markets.slice(0, -1),
    `${markets.slice(0, -1)},]`,
    markets.replace('-2900-C"', '-2900-C'),
    whole.slice(1),
  ])
    expect(await problem(answer(200, body))).toBe('502 exchange-error');
});

test.each([
  ['an error of the exchange with code 400', answer(400, '{"errorCode":6023}'), '400 exchange-refused'],
  ['one with code 403', answer(403, '{"message":"no"}'), '403 exchange-refused'],
  ['one with code 404', answer(404, '{"message":"no"}'), '404 exchange-refused'],
  ['one with code 429', answer(429, '{"errorCode":96000}'), '429 exchange-refused'],
  ['a refused login, which is the gateway’s own', answer(401, '{"errorCode":8008}'), '502 exchange-error'],
  ['an error within the exchange', answer(500, '{"errorCode":1}'), '502 exchange-error'],
  ['a refusal without words', answer(400, ''), '502 exchange-error'],
  ['a good answer that is no JSON', answer(200, '{"price":'), '502 exchange-error'],
  ['a page, whatever its status', answer(200, '<html></html>'), '502 exchange-page'],
  ['a page that says so', answer(403, 'no', 'text/html'), '502 exchange-page'],
  ['no answer', { kind: 'failed', message: 'reset' } as const, '503 exchange-gone'],
])('%s', async (_what, read, expected) => {
  expect(await problem(read)).toBe(expected);
});

test('names the fault of an unusable answer: only a page with 403 is a blocked address', () => {
  const told = (read: UpstreamAnswer): string => problemOf(read).message;
  const page = 'The exchange sent a web page with HTTP';
  expect(told(answer(403, '<html>'))).toBe(`${page} 403: it, or something before it, blocks the gateway's address.`);
  for (const status of [200, 302, 502, 503]) {
    expect(told(answer(status, '<!DOCTYPE html>'))).toBe(
      `${page} ${status}: something before it does not reach it, or it is being maintained; try again later.`,
    );
  }
  const rest = 'Nothing is wrong with the request; try again later.';
  expect(told(answer(200, '{"price":'))).toBe(
    `The exchange answered HTTP 200 with text that is no JSON, or is cut off. ${rest}`,
  );
  const coded = { ...answer(200, 'zipped'), headers: { 'content-encoding': 'gzip' } };
  expect(told(coded)).toBe(
    `The exchange answered HTTP 200 with an answer coded as gzip, which was not asked for. ${rest}`,
  );
  expect(told(answer(503, ''))).toBe(`The exchange answered HTTP 503. ${rest}`);
});

test('words a refusal as the exchange does, else by its code, else by its name', () => {
  const words = { errorCode: null, errorCodeName: null, message: null };
  const told = (more: Partial<typeof words> | Record<string, string>): string =>
    refused(400, { ...words, ...more }, null).message;
  expect(told({ errorCode: '96000', message: 'slower' })).toBe('The exchange refused: slower (code 96000).');
  expect(told({ errorCode: '96000', errorCodeName: 'X' })).toBe(
    'The exchange refused: the rate limit of this category is exhausted (code 96000).',
  );
  expect(told({ errorCode: '1', errorCodeName: 'SOME_NAME' })).toBe('The exchange refused: SOME_NAME (code 1).');
  expect(told({})).toBe('The exchange refused: no reason given.');
  expect(problemOf(answer(500, '{"message":"be\\u0007fore"}')).message).toContain('and said: be fore.');
  // No more of them than a line.
  const long = problemOf(answer(400, JSON.stringify({ message: 'x'.repeat(100_000) })));
  expect(long.exchange?.message).toBe('x'.repeat(200));
});

test("states a caller's wait by the exchange's clock", () => {
  const date = 'Sat, 28 Nov 2026 12:00:00 GMT';
  const asked = (headers: Record<string, string>): number | null => {
    const refusal = answer(429, '{"errorCode":96000,"errorCodeName":"RATE_LIMIT_EXCEEDED","message":"slower"}');
    return problemOf({ ...refusal, headers }).retryAfterS;
  };
  expect(asked({ date, 'x-ratelimit-reset': String(Date.UTC(2026, 10, 28, 12, 0, 12, 300)) })).toBe(13);
  expect(asked({ date, 'retry-after': '45' })).toBe(45);
  expect(asked({ 'retry-after': '45' })).toBe(45);
  expect(asked({ date, 'x-ratelimit-reset': String(Date.UTC(2026, 10, 28, 11, 59, 59)) })).toBeNull();
  expect(asked({ 'x-ratelimit-reset': String(Date.UTC(2026, 10, 28, 12, 0, 12)) })).toBeNull();
});

test('a refusal that repeats the login of the gateway does not tell it to the caller', () => {
  const login = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxMjMifQ.c2lnbmF0dXJl';
  for (const status of [401, 403]) {
    const told = JSON.stringify(problemOf(answer(status, JSON.stringify({ message: `Bearer ${login}: no` }))));
    expect(told).toContain('Bearer [redacted]: no');
    expect(told).not.toContain('c2lnbm');
  }
});
