// When a login is renewed, replaced and given back, by a clock that a test moves: against an exchange that is a function.
// Renewals of a whole client are renewal.test.ts.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ExchangeClock } from '../../../src/exchange-client/exchange-clock.ts';
import { createSigner } from '../../../src/exchange-client/login/credential.ts';
import { ExchangeLogin } from '../../../src/exchange-client/login/login.ts';
import { type ExchangeClientOptions, resolveOptions } from '../../../src/exchange-client/options.ts';
import { RateBudget } from '../../../src/exchange-client/rates/rate-budget.ts';
import type { HttpOrigin, HttpRequest, HttpResult } from '../../../src/exchange-client/reads/http.ts';
import { scriptedOptions } from '../../support/exchange/scripted-exchange.ts';

const START = Date.parse('2026-06-01T12:00:00.000Z');
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const answer = (status: number, body: string): HttpResult => ({ kind: 'answer', status, headers: {}, body });

/** A JWT that ends at `exp`, in epoch seconds; without a word of its end for null. */
function jwt(exp: number | null, id: number): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(exp === null ? { id } : { exp, id })}.x`;
}

/** A login at an exchange that gives JWTs of so long a life and does what `exchange` says. */
function rig({
  validMs = (24 * HOUR) as number | null,
  ...more
}: Partial<ExchangeClientOptions> & { validMs?: number | null } = {}) {
  const exchange = { isUp: true, isSame: false, time: (): string | null => null };
  const logins: number[] = [];
  const ended: string[] = [];
  const alarms: string[] = [];
  const options = resolveOptions({
    ...scriptedOptions('http://exchange.invalid', []),
    now: Date.now,
    elapsedMs: Date.now,
    onNonceCeiling: () => {},
    log: () => {},
    onAlarm: (alarm) => alarms.push(alarm),
    ...more,
  });
  const send = async ({ target, headers }: HttpRequest): Promise<HttpResult> => {
    if (target.endsWith('/time')) {
      const time = exchange.time();
      return time === null ? answer(404, '') : answer(200, JSON.stringify({ timestamp: time }));
    }
    if (target.endsWith('/logout')) {
      ended.push(headers.authorization!);
      return answer(200, '{}');
    }
    logins.push(Date.now() - START);
    if (!exchange.isUp) return answer(500, '');
    const exp = validMs === null ? null : Math.floor((Date.now() + validMs) / 1000);
    const token = exchange.isSame ? jwt(Math.floor((START + 24 * HOUR) / 1000), 1) : jwt(exp, logins.length);
    return answer(200, JSON.stringify({ authorizer: 'a', token }));
  };
  const http = { send } as HttpOrigin;
  const budget = new RateBudget(options.rates, options, options.addressBudget);
  const clock = new ExchangeClock(options, http, budget);
  const signer = createSigner(options.credential, { prehash: 'hexdigest', loginUserId: 'both' });
  const login = new ExchangeLogin({ options, signer, http, budget, clock });
  return { login, exchange, logins, ended, alarms, budget };
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test.each([
  ['two hours before the end of its JWT', 24 * HOUR, 22 * HOUR],
  ['at half of its life where that is later', 3 * HOUR, 1.5 * HOUR],
  ['as if it were valid for 24 hours where it does not say', null, 22 * HOUR],
  ['never sooner than in a second', SECOND, SECOND],
  ['after a day at the latest', 1_000 * HOUR, 24 * HOUR],
  ['as if it were valid for 24 hours where it says that it has ended', -HOUR, 22 * HOUR],
  ['as if it were valid for 24 hours where it ends at once', 0, 22 * HOUR],
])('a login is renewed %s, and not before', async (_when, validMs, renewedAfter) => {
  const { login, logins, alarms } = rig({ validMs });
  await login.logIn();
  await pass(renewedAfter - 1);
  expect(logins).toEqual([0]);
  await pass(1);
  expect(logins).toEqual([0, renewedAfter]);
  await pass(renewedAfter - 1);
  expect(logins).toHaveLength(2);
  expect(alarms).toEqual([]);
});

test('retries a failed renewal after 1, 2, 4 seconds, up to a minute, with alarms, on the old JWT', async () => {
  const { login, exchange, logins, alarms } = rig();
  const { token } = await login.logIn();
  exchange.isUp = false;
  await pass(22 * HOUR);
  await pass(3 * 60 * SECOND);
  const since = logins.slice(1).map((at) => (at - 22 * HOUR) / SECOND);
  expect(since).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
  expect(alarms).toEqual(since.map(() => 'login-renewal-failed'));
  expect(login.current?.token).toBe(token);
  exchange.isUp = true;
  await pass(60 * SECOND);
  expect(login.current?.token).not.toBe(token);
  // The next failure begins with the first wait again.
  const due = logins.at(-1)! + 22 * HOUR;
  const count = logins.length;
  exchange.isUp = false;
  await pass(START + due - 1 - Date.now());
  expect(logins).toHaveLength(count);
  await pass(1 + SECOND);
  expect(logins.slice(count)).toEqual([due, due + SECOND]);
});

test('does not end a login that the exchange returns again while it is valid', async () => {
  const { login, exchange, logins, ended } = rig();
  exchange.isSame = true;
  const { token } = await login.logIn();
  await pass(22 * HOUR + 60 * SECOND);
  expect(logins).toHaveLength(2);
  expect([login.current?.token, ended]).toEqual([token, []]);
  await login.logOut();
  expect(ended).toEqual([`Bearer ${token}`]);
});

test('returns a replaced login once its last command is answered and its streams have moved', async () => {
  const { login, ended, budget } = rig({ timeouts: { requestMs: 5 * SECOND } });
  const { token } = await login.logIn();
  let moved = (): void => {};
  login.onRenewed = () =>
    new Promise((resolve) => {
      moved = resolve;
    });
  expect((await login.replace(token))?.token).not.toBe(token);
  await pass(5 * SECOND);
  expect(ended).toEqual([]);
  moved();
  await pass(0);
  expect(ended).toEqual([`Bearer ${token}`]);
  // Its part of the rate returns.
  await pass(SECOND);
  let room = 0;
  for (; budget.waitMs('other', 'cancel') === 0; room++) budget.take('other');
  expect(room).toBe(50);
});

test('logging out returns every login, also one replaced just now: logins are few', async () => {
  const { login, logins, ended } = rig();
  const first = await login.logIn();
  const second = await login.replace(first.token);
  await login.logOut();
  expect(ended.toSorted()).toEqual([`Bearer ${first.token}`, `Bearer ${second?.token}`].toSorted());
  expect(login.current).toBeNull();
  // Nothing comes after it: no renewal, and nothing is given back twice.
  await pass(24 * HOUR);
  expect(logins).toHaveLength(2);
  expect(ended).toHaveLength(2);
});

test('logging out during a renewal waits for that, and gives both logins back', async () => {
  const { login, logins, ended } = rig();
  const first = await login.logIn();
  const renewal = login.logIn();
  await login.logOut();
  const second = await renewal;
  expect(ended.toSorted()).toEqual([`Bearer ${first.token}`, `Bearer ${second.token}`].toSorted());
  await pass(24 * HOUR);
  expect(logins).toHaveLength(2);
  expect(ended).toHaveLength(2);
});

test('gives a caller with an already replaced login the new one, without another login', async () => {
  const { login, logins } = rig();
  const first = await login.logIn();
  const [one, other] = await Promise.all([login.replace(first.token), login.replace(first.token)]);
  expect(one).toBe(other);
  expect(await login.replace(first.token)).toBe(one);
  expect(logins).toHaveLength(2);
});

test("repeats once, with the exchange's time, a login refused for our clock", async () => {
  const { login, exchange, logins } = rig();
  exchange.isUp = false;
  await expect(login.logIn()).rejects.toMatchObject({ code: 'XG_EXCHANGE_LOGIN_FAILED' });
  expect(logins).toHaveLength(1);
  exchange.time = () => String(Date.now() + 10 * SECOND);
  await expect(login.logIn()).rejects.toMatchObject({ code: 'XG_EXCHANGE_LOGIN_FAILED' });
  expect(logins).toHaveLength(3);
  // The offset is known now: a refusal has another reason.
  await expect(login.logIn()).rejects.toMatchObject({ code: 'XG_EXCHANGE_LOGIN_FAILED' });
  expect(logins).toHaveLength(4);
});
