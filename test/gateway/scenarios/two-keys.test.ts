// Two sessions that reach one trading account by an exchange login of their own each: an order goes by that of its session,
// however it came to it, and over a restart.

import { expect, test } from 'vitest';
import { ACCOUNT, Desk, dropCopyConfig, exchangeOrder, gatewayConfig, LIMIT, SESSION, sessionConfig } from '../desk.ts';

const OTHER = 'FIX.4.4:XG->OTHER';
const reachedBy = (credential: string) => [{ account: 'ACC1', tradingAccountId: ACCOUNT, credential }];

/** The first session reaches the account by `main`, the other one by `second`. */
function open(first = 'main', second = 'second'): Desk {
  const sessions = [
    sessionConfig({ accounts: reachedBy(first) }),
    sessionConfig({ sessionId: OTHER, accounts: reachedBy(second) }),
  ];
  return new Desk(gatewayConfig({}, { sessions }));
}

/** By which login what was sent last goes. */
function latest(desk: Desk, kind: 'submit' | 'lookup'): string {
  const effect = desk.effects.findLast((one) => one.kind === kind);
  if (effect?.kind !== 'submit' && effect?.kind !== 'lookup') throw new Error(`no ${kind}`);
  return effect.credential;
}

const cancelled = (desk: Desk, sessionId: string, clOrdID: string): string => {
  desk.oms(`35=F|11=f-1|41=${clOrdID}|1=ACC1|55=BTCUSDC|54=1|`, { sessionId });
  expect(desk.last().command).toMatchObject({ kind: 'cancelOrder' });
  return latest(desk, 'submit');
};

test.each([
  [SESSION, 'main'],
  [OTHER, 'second'],
])('O11 an order taken over for %s goes by its login, %s, also where drop copies followed it', (sessionId, login) => {
  for (const isFollowed of [false, true]) {
    const config = open().config;
    const sessions = isFollowed ? [...config.sessions, dropCopyConfig()] : config.sessions;
    const desk = new Desk({ ...config, sessions });
    const order = exchangeOrder({ orderId: '501', clientOrderId: '77', publishedAt: 5, createdAt: 4 }, 0);
    if (isFollowed) desk.order({ orderId: '501', clientOrderId: '77', publishedAt: 5, createdAt: 4 });
    const adoption = { sessionId, order, trades: [], clOrdID: 'old-1' };
    desk.feed({ kind: 'adoptOrder', adoption, who: 'ann', why: 'moved here' });
    desk.now += 1;
    desk.feed({ kind: 'tick' });
    expect(latest(desk, 'lookup')).toBe(login);
    expect(cancelled(desk, sessionId, 'old-1')).toBe(login);
  }
});

test.each([
  [SESSION, 'main'],
  [OTHER, 'second'],
])('U2 after a restart an order of %s is looked up and cancelled by %s, by its nonces', (sessionId, login) => {
  const desk = open();
  desk.oms(LIMIT, { sessionId });
  expect(latest(desk, 'submit')).toBe(login);
  desk.restart();
  desk.feed({ kind: 'tick' });
  expect(latest(desk, 'lookup')).toBe(login);
  desk.order({ orderId: '900', clientOrderId: '1' });
  expect(cancelled(desk, sessionId, 'o-1')).toBe(login);
});

test("an order uses its session's login if its own no longer reaches the account", () => {
  const before = open();
  before.oms(LIMIT, { sessionId: OTHER });
  before.accepted();
  before.order({ orderId: '900' });
  const desk = open('main', 'third');
  for (const [key, record] of before.records) desk.records.set(key, record);
  desk.restart();
  expect(cancelled(desk, OTHER, 'o-1')).toBe('third');
});
