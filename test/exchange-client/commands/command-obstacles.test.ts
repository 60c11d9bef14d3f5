// Obstacles of a command, and its wait for them, by a clock that a test sets.

import { beforeEach, expect, test } from 'vitest';
import { NonceAllocator } from '../../../src/exchange/mod.ts';
import {
  CommandObstacles,
  RATE_USED_UP,
  type WaitingCommand,
} from '../../../src/exchange-client/commands/command-obstacles.ts';
import type { Obstacle } from '../../../src/exchange-client/commands/fair-queue.ts';
import type { ExchangeClock } from '../../../src/exchange-client/exchange-clock.ts';
import type { ExchangeLogin } from '../../../src/exchange-client/login/login.ts';
import { resolveOptions } from '../../../src/exchange-client/options.ts';
import type { RateBudget } from '../../../src/exchange-client/rates/rate-budget.ts';
import { scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT, cancelOf, limitBuy } from '../venue.ts';

let elapsed: number;
let login: { current: object | null };
let rateWaitMs: number;
/** Readings of the range of nonces, each ended by a call. */
let readings: (() => void)[];
let rangesRead: number;
let nonces: NonceAllocator;
let obstacles: CommandObstacles;

beforeEach(() => {
  delete signer.placesMax;
  [elapsed, login, rateWaitMs, readings, rangesRead] = [0, { current: {} }, 0, [], 0];
  const options = resolveOptions({
    ...scriptedOptions('http://127.0.0.1:1', [ACCOUNT]),
    log: () => {},
    onAlarm: () => {},
    onNonceCeiling: () => {},
    now: () => elapsed,
    elapsedMs: () => elapsed,
  });
  nonces = new NonceAllocator('window', null);
  nonces.setRange({ lowerBound: 0n, upperBound: 1_000_000_000n });
  obstacles = new CommandObstacles(
    {
      options,
      login: login as unknown as ExchangeLogin,
      budget: { waitMs: () => rateWaitMs } as unknown as RateBudget,
      clock: { isInDoubt: () => false } as unknown as ExchangeClock,
      signer,
      readRange: () => new Promise<void>((resolve) => readings.push(resolve)),
    },
    nonces,
    () => rangesRead++,
  );
});

const signer: { placesMax?: number } = {};

const ORDER: WaitingCommand = {
  command: limitBuy('1'),
  sharer: '',
  priority: 'order',
  category: 'orders',
  reference: null,
  since: 0,
  above: null,
  atOnce: false,
};
const CANCEL: WaitingCommand = {
  ...ORDER,
  command: { kind: 'cancelAll', tradingAccountId: ACCOUNT },
  priority: 'cancel',
  category: 'other',
};
const reasonOf = (waiting: WaitingCommand): string | null => obstacles.of(waiting)?.reason ?? null;

test('O4 keeps an order back after its time limit, though nothing obstructs it; cancels leave', () => {
  elapsed = 1_499;
  expect(reasonOf(ORDER)).toBeNull();
  elapsed = 1_500;
  expect(reasonOf(ORDER)).toBe('this process was held up');
  expect(reasonOf(CANCEL)).toBeNull();
});

test('D6 without room in the rate an immediate order is given up, another waits; a login is awaited', () => {
  rateWaitMs = 100;
  const ofRate = obstacles.of(ORDER)!;
  expect(ofRate.reason).toBe(RATE_USED_UP);
  expect(obstacles.giveUpAt(ORDER, ofRate)).toBe(1_500);
  expect(obstacles.giveUpAt({ ...ORDER, atOnce: true }, ofRate)).toBe(0);
  expect(obstacles.giveUpAt({ ...ORDER, atOnce: true }, { ...ofRate, reason: 'the exchange login is not up' })).toBe(
    1_500,
  );
  expect(obstacles.giveUpAt({ ...CANCEL, atOnce: true }, ofRate)).toBeGreaterThan(1_500);
});

test('U2 X3 a fence waits at most a second for unanswered commands, and no other waits with it', () => {
  const fence = { ...CANCEL, above: 5n };
  expect(reasonOf(fence)).toBeNull();
  nonces.allocate(elapsed);
  expect(obstacles.of(fence)).toMatchObject({ reason: 'earlier commands are unanswered', ownOrderOnly: true });
  expect(reasonOf(CANCEL)).toBeNull();
  elapsed = 999;
  expect(reasonOf(fence)).toBe('earlier commands are unanswered');
  elapsed = 1_000;
  expect(reasonOf(fence)).toBeNull();
});

test('C3 a cancel waits for the rate without limit, and for a login five seconds from its loss', () => {
  const { current } = login;
  const inTheWay = (waiting: WaitingCommand): Obstacle => {
    const obstacle = obstacles.of(waiting)!;
    obstacles.tried(obstacle);
    return obstacle;
  };
  [login.current, elapsed] = [null, 1_000];
  inTheWay(CANCEL);
  [login.current, elapsed, rateWaitMs] = [current, 2_000, 10];
  const ofRate = inTheWay(CANCEL);
  expect(ofRate.reason).toBe(RATE_USED_UP);
  expect(obstacles.giveUpAt(CANCEL, ofRate)).toBe(1_800_000);
  expect(obstacles.giveUpAt(ORDER, ofRate)).toBe(1_500);
  elapsed = 3_000;
  login.current = null;
  const ofLogin = inTheWay(CANCEL);
  expect(ofLogin.reason).toBe('the exchange login is not up');
  elapsed = 4_000;
  inTheWay(CANCEL);
  expect(obstacles.giveUpAt(CANCEL, ofLogin)).toBe(8_000);
  expect(obstacles.giveUpAt({ ...CANCEL, since: 4_000 }, ofLogin)).toBe(9_000);
  expect(obstacles.giveUpAt(ORDER, ofLogin)).toBe(1_500);
  // It was up again: what is down now is so from now on.
  [login.current, elapsed, rateWaitMs] = [current, 5_000, 0];
  inTheWay(CANCEL);
  [login.current, elapsed] = [null, 6_000];
  inTheWay(CANCEL);
  expect(obstacles.giveUpAt(CANCEL, ofLogin)).toBe(11_000);
});

test("X3 C3 an order's obstacle blocks no other; a cancel waits for it as for the rate", () => {
  const ofOrder = { ...CANCEL, reference: 'one' };
  obstacles.left(ofOrder);
  const obstacle = obstacles.of(ofOrder)!;
  expect(obstacle).toMatchObject({ ms: 1_000, ownOrderOnly: true });
  obstacles.tried(obstacle);
  expect(obstacles.giveUpAt(ofOrder, obstacle)).toBe(1_800_000);
  expect(reasonOf({ ...CANCEL, reference: 'other' })).toBeNull();
  obstacles.settled(ofOrder);
  expect(reasonOf(ofOrder)).toBeNull();
});

test('X3 only a cancel passes an unanswered command of its order after a second', () => {
  const [create, cancel] = [ORDER, CANCEL].map((waiting) => ({ ...waiting, reference: 'one' }));
  obstacles.left(create!);
  elapsed = 999;
  expect(obstacles.of(cancel!)).toMatchObject({ ms: 1, ownOrderOnly: true });
  elapsed = 1_000;
  expect(obstacles.of(cancel!)).toBeNull();
  elapsed = 1_499;
  expect(obstacles.of(create!)).toMatchObject({ reason: 'an earlier command of the same order has no answer yet' });
});

/** The range of nonces that is being read is there. */
async function rangeIsRead(): Promise<void> {
  readings.at(-1)!();
  await new Promise((resolve) => setImmediate(resolve));
}
const BEING_READ = { reason: 'the nonce range of the day is being read', ownOrderOnly: false };

test("waits at the day's change for the new nonce range, which is read once and used for a second", async () => {
  elapsed = 1_000_001;
  const [order, cancel] = [ORDER, CANCEL].map((one) => ({ ...one, since: elapsed }));
  for (const one of [order!, cancel!, order!]) expect(obstacles.of(one)).toMatchObject(BEING_READ);
  expect(readings).toHaveLength(1);
  await rangeIsRead();
  expect(rangesRead).toBe(1);
  elapsed += 999;
  for (const one of [order!, cancel!]) expect(reasonOf(one)).toBeNull();
  elapsed += 1;
  expect(obstacles.of(cancel!)).toMatchObject(BEING_READ);
  expect(readings).toHaveLength(2);
});

test('U3 orders wait for the range after a refused nonce, because theirs would be refused; cancels try', async () => {
  obstacles.doubtRange();
  expect(obstacles.of(ORDER)).toMatchObject(BEING_READ);
  elapsed = 50;
  expect(obstacles.of(ORDER)).toMatchObject(BEING_READ);
  expect(reasonOf(CANCEL)).toBeNull();
  expect(readings).toHaveLength(1);
  await rangeIsRead();
  elapsed = 1_100;
  expect([reasonOf(ORDER), reasonOf(CANCEL)]).toEqual([null, null]);
  expect(readings).toHaveLength(1);
});

test('where the nonces of the day are used up everybody waits', () => {
  nonces.setRange({ lowerBound: 0n, upperBound: 1n });
  for (const nonce of [0n, 1n]) {
    expect(obstacles.nonceOf(ORDER)).toBe(nonce);
    nonces.settle(nonce, true);
  }
  expect(obstacles.nonceOf(CANCEL)).toMatchObject({ reason: 'the nonces of the day are used up', ownOrderOnly: false });
});

test('C3 cancels have places of a signer outside the process that orders never take', () => {
  signer.placesMax = 8;
  const cancel: WaitingCommand = { ...ORDER, command: cancelOf('1'), priority: 'cancel', reference: null };
  const busy = { reason: 'the signer of the exchange key is busy' };
  for (let signing = 0; signing < 6; signing++) {
    expect(obstacles.of(ORDER)).toBeNull();
    obstacles.signingBegins();
  }
  expect(obstacles.of(ORDER)).toMatchObject(busy);
  for (let signing = 6; signing < 8; signing++) {
    expect(obstacles.of(cancel)).toBeNull();
    obstacles.signingBegins();
  }
  expect(obstacles.of(cancel)).toMatchObject(busy);
  obstacles.signingEnded();
  expect(obstacles.of(cancel)).toBeNull();
  expect(obstacles.of(ORDER)).toMatchObject(busy);
});
