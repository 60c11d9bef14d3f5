// Callers of the bridge alone: possible tokens and their places in a request, the things a caller may open, and tokens
// that change at run time.

import { expect, test } from 'vitest';
import { Access, bridgeTokenFault, type Caller } from '../../src/bridge/access.ts';
import type { BridgeCaller, BridgeExchange, BridgeFunction } from '../../src/bridge/port.ts';
import { Problem } from '../../src/bridge/problem.ts';

const [DESK, SCREEN] = ['token-of-the-desk-number-1', 'token-of-the-screen-number-2'];
const EXCHANGE = {} as BridgeExchange;

/** Two callers with tokens behind these references. */
function access(tokens: Record<string, string> = { desk: DESK, screen: SCREEN }) {
  const logged: string[] = [];
  const callers = Object.keys(tokens).map(
    (name): BridgeCaller => ({
      name,
      token: { reference: `file:${name}`, read: () => tokens[name]! },
      credential: 'primary',
      tradingAccountIds: ['1'],
      functions: ['market-data'],
    }),
  );
  const made = new Access({
    callers,
    exchanges: new Map([['primary', EXCHANGE]]),
    limits: { newStreamsPerMinute: 2 } as never,
    origins: [],
    tls: null,
    log: (_level, text, fields) => logged.push(`${text} ${fields?.remote}`),
  });
  return { made, tokens, logged };
}

/** The caller of the request, or the code of the problem. */
function callerOf(made: Access, headers: Readonly<Record<string, string>>, isStream = false): string {
  return outcome(() => made.callerOf({ headers, ip: '10.0.0.9' }, isStream).name);
}

function outcome<T>(act: () => T): T | string {
  try {
    return act();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

test('a token has 24 to 1024 printable characters without a space, and is that of one caller', () => {
  const good = [24, 1024].map((length) => 'x'.repeat(length));
  const bad = [...[23, 1025].map((length) => 'x'.repeat(length)), `${DESK} `, `${DESK}\n`, `${DESK}ä`, `${DESK}\x7f`];
  expect(good.map((token) => bridgeTokenFault(token, [DESK]))).toEqual([null, null]);
  for (const token of bad) expect(bridgeTokenFault(token, [])).toContain('24 to 1024 printable characters');
  expect(bridgeTokenFault(DESK, [SCREEN, DESK])).toContain('the same as another one');
  expect(() => access({ desk: DESK, screen: DESK })).toThrow('file:screen: this token of the bridge is the same');
  const longest = access({ desk: good[1]! }).made;
  expect(callerOf(longest, { authorization: `Bearer ${good[1]}` })).toBe('desk');
  expect(callerOf(longest, { cookie: `JWT_COOKIE=${good[1]}` }, true)).toBe('desk');
});

test.each([
  [{ authorization: `Bearer ${SCREEN}` }, 'screen', 'screen'],
  [{ authorization: `bearer ${DESK}` }, 'desk', 'desk'],
  [{ authorization: `Bearer  ${DESK}` }, 'unauthorized', 'unauthorized'],
  [{ authorization: `Bearer ${DESK} x` }, 'unauthorized', 'unauthorized'],
  [{ authorization: DESK }, 'unauthorized', 'unauthorized'],
  [{ authorization: `Bearer ${DESK}x` }, 'unauthorized', 'unauthorized'],
  [{}, 'unauthorized', 'unauthorized'],
  [{ cookie: `JWT_COOKIE=${DESK}` }, 'unauthorized', 'desk'],
  [{ cookie: `a=b; JWT_COOKIE=${DESK};c=d` }, 'unauthorized', 'desk'],
  [{ cookie: `NO_JWT_COOKIE=${DESK}` }, 'unauthorized', 'unauthorized'],
  [{ cookie: `JWT_COOKIE=${DESK}`, authorization: `Bearer ${SCREEN}` }, 'screen', 'screen'],
] as const)('a request with %j is of %s, a stream with it of %s', (headers, ofRequest, ofStream) => {
  const { made } = access();
  expect([callerOf(made, headers), callerOf(made, headers, true)]).toEqual([ofRequest, ofStream]);
});

test('a wrong token is logged with the address that it came from; that there is none is not', () => {
  const { made, logged } = access();
  callerOf(made, {});
  callerOf(made, { authorization: 'Bearer wrong' });
  expect(logged).toEqual(['a wrong token was refused 10.0.0.9']);
});

test("limits a caller's streams at a time and per minute, and states the wait", () => {
  const [caller] = access().made.all as [Caller];
  const open = (at: number): number | string => {
    try {
      caller.takeStream(at, 2);
      return 'open';
    } catch (error) {
      return error instanceof Problem ? (error.retryAfterS ?? error.code) : 'no problem';
    }
  };
  expect([open(0), open(1_000), open(1_001), open(58_999), open(59_000), open(59_001)]).toEqual([
    'open',
    'open',
    59,
    2,
    1,
    1,
  ]);
  expect(open(60_000)).toBe('open');
  caller.streams = 2;
  // Refusals for open ones do not count as opened.
  expect(open(61_000)).toBe('too-many-streams');
  caller.streams = 1;
  expect(open(61_000)).toBe('open');
});

test('permits a caller its functions and accounts, and names a missing one', () => {
  const [caller] = access().made.all as [Caller];
  const may = (needed: BridgeFunction) => outcome(() => caller.requireFunction(needed));
  const on = (account: string) => outcome(() => caller.requireAccount(account));
  expect([may('market-data'), may('orders'), on('1'), on('2'), on('')]).toEqual([
    undefined,
    'function-forbidden',
    undefined,
    'account-forbidden',
    'account-forbidden',
  ]);
  expect(() => caller.requireAccount('7'.repeat(90))).toThrow(`trading account ${'7'.repeat(40)}:`);
});

test('a changed token holds from its take-over, for its caller only; one no longer named stays', () => {
  const { made, tokens } = access();
  const ended: string[] = [];
  const renewals = (named: readonly string[]) =>
    made.renewals(
      (reference) => named.includes(reference),
      ({ name }) => ended.push(name),
    );
  expect(renewals(['file:desk', 'file:screen'])).toEqual([]);
  Object.assign(tokens, { desk: 'another-token-of-the-desk', screen: 'another-token-of-the-screen' });
  expect(renewals([])).toEqual([]);
  const [renewal, ...more] = renewals(['file:desk']);
  expect([renewal!.text, more]).toEqual(['bridge caller desk has another token', []]);
  const held = (): string[] =>
    [DESK, tokens.desk!, SCREEN, tokens.screen!].map((token) => callerOf(made, { authorization: `Bearer ${token}` }));
  expect(held()).toEqual(['desk', 'unauthorized', 'screen', 'unauthorized']);
  renewal!.take();
  expect(held()).toEqual(['unauthorized', 'desk', 'screen', 'unauthorized']);
  expect(ended).toEqual(['desk']);
  expect(made.all.map(({ name }) => name)).toEqual(['desk', 'screen']);
  tokens.screen = tokens.desk!;
  expect(() => renewals(['file:desk', 'file:screen'])).toThrow('file:screen: this token of the bridge is the same');
});

test('a token moved from a removed caller to another belongs to the new one, in any order', () => {
  const { made, tokens } = access({ desk: DESK, screen: SCREEN, tool: 'token-of-the-tool-number-3' });
  const ended: string[] = [];
  const [{ desk, tool }, own] = [tokens, tokens.screen!] as [Record<'desk' | 'tool', string>, string];
  const renew = (token: string): void => {
    tokens.screen = token;
    const renewals = made.renewals(
      (reference) => reference === 'file:screen',
      ({ name }) => ended.push(name),
    );
    for (const renewal of renewals) renewal.take();
  };
  const held = (): string[] => [desk, own, tool].map((token) => callerOf(made, { authorization: `Bearer ${token}` }));
  renew(tool);
  expect([held(), ended]).toEqual([
    ['desk', 'unauthorized', 'screen'],
    ['screen', 'tool'],
  ]);
  renew(desk);
  expect([held(), ended.slice(2)]).toEqual([
    ['screen', 'unauthorized', 'unauthorized'],
    ['screen', 'desk'],
  ]);
  // Named again, with another token, it is a caller as before.
  tokens.tool = 'another-token-of-the-tool-4';
  for (const renewal of made.renewals(
    (reference) => reference !== 'file:desk',
    () => {},
  ))
    renewal.take();
  expect(callerOf(made, { authorization: `Bearer ${tokens.tool}` })).toBe('tool');
});

test('two callers may have each other’s tokens from one moment to the next', () => {
  const { made, tokens } = access();
  Object.assign(tokens, { desk: SCREEN, screen: DESK });
  for (const renewal of made.renewals(
    () => true,
    () => {},
  ))
    renewal.take();
  expect([DESK, SCREEN].map((token) => callerOf(made, { authorization: `Bearer ${token}` }))).toEqual([
    'screen',
    'desk',
  ]);
});
