import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExchangeCommand } from '../../../src/exchange/mod.ts';
import {
  AddressBudget,
  DEFAULT_RATES,
  RateBudget,
  type RateCategory,
  type RatePriority,
  type RateTicket,
} from '../../../src/exchange-client/rates/rate-budget.ts';
import { cancelsAmongOrders, categoryOf, categoryOfCommand } from '../../../src/exchange-client/rates/rate-category.ts';
import { type Counted, RateWindow } from '../../../src/exchange-client/rates/rate-window.ts';
import type { HttpAnswer } from '../../../src/exchange-client/reads/http.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

const START = 1_000_000;

/** A budget with a clock, and the tickets it gave. */
function rig(
  rates: Partial<typeof DEFAULT_RATES> = {},
  address = new AddressBudget({ ...DEFAULT_RATES, ...rates }),
  cancelsAmongOrders = false,
) {
  const clock = { now: START };
  const now = (): number => clock.now;
  const budget = new RateBudget({ ...DEFAULT_RATES, ...rates }, { now, elapsedMs: now }, address, cancelsAmongOrders);
  /** How many may leave at once. */
  const drain = (category: RateCategory, priority: RatePriority): RateTicket[] => {
    const tickets: RateTicket[] = [];
    while (budget.waitMs(category, priority) === 0) tickets.push(budget.take(category, priority));
    return tickets;
  };
  return { clock, budget, drain };
}

function answer(status: number, headers: Record<string, string>): HttpAnswer {
  return { kind: 'answer', status, headers, body: '' };
}
const OK = answer(200, {});

test('B4 reads requested in one moment take room one after another', async () => {
  const { budget } = rig();
  const rooms = await Promise.all(Array.from({ length: 200 }, () => budget.room('other', 'read', 0)));
  expect(rooms.filter((ticket) => ticket !== null)).toHaveLength(30);
});

test('C3 B4 less urgent requests leave the rest to more urgent ones: bridge, reads, orders, cancels', () => {
  const { budget, drain } = rig();
  expect(drain('other', 'bridge')).toHaveLength(20);
  expect(drain('other', 'read')).toHaveLength(10);
  expect(drain('other', 'order')).toHaveLength(10);
  expect(drain('other', 'cancel')).toHaveLength(10);
  // All are on their way: only an answer can say when there is room again.
  expect(budget.waitMs('other', 'cancel')).toBe(Number.POSITIVE_INFINITY);
});

test('C3 new orders have all of their limit unless cancels count against it, which keep a share', () => {
  expect(rig().drain('orders', 'order')).toHaveLength(50);
  const shared = rig({}, new AddressBudget(DEFAULT_RATES), true);
  expect(shared.drain('orders', 'order')).toHaveLength(40);
  expect(shared.drain('orders', 'cancel')).toHaveLength(10);
});

test("C3 orders leave cancels their share of the address's limit in any category", () => {
  const { drain } = rig({ addressPer10Seconds: 50 });
  expect(drain('orders', 'order')).toHaveLength(40);
  expect(drain('other', 'cancel')).toHaveLength(10);
});

test('B4 in any second the bridge sends no more than its share, whatever it did in the second before', () => {
  const { budget, clock } = rig();
  const sent: number[] = [];
  for (let i = 0; i < 5_000; i++, clock.now++) {
    if (budget.waitMs('other', 'bridge') > 0) continue;
    budget.take('other').settle(OK);
    sent.push(clock.now);
  }
  const most = Math.max(...sent.map((at) => sent.filter((other) => other >= at && other < at + 1_000).length));
  expect(most).toBe(20);
});

test('a request counts for one second from its answer on, and the next fits exactly then', () => {
  const { budget, clock, drain } = rig();
  const tickets = drain('orders', 'cancel');
  expect(tickets).toHaveLength(50);
  clock.now += 300;
  for (const ticket of tickets.slice(0, 2)) ticket.settle(OK);
  expect(budget.waitMs('orders', 'cancel')).toBe(1_000);
  clock.now += 999;
  expect(budget.waitMs('orders', 'cancel')).toBe(1);
  clock.now += 1;
  expect(drain('orders', 'cancel')).toHaveLength(2);
});

test('B4 no fixed or sliding window of the exchange exceeds the limit, for any transit time', () => {
  const limit = 10;
  const step = fc.record({ gapMs: fc.nat(400), travelMs: fc.nat(700), answerMs: fc.nat(700) });
  checkProperty(
    fc.property(fc.array(step, { minLength: 30, maxLength: 200 }), fc.nat(999), (steps, offset) => {
      const window = new RateWindow(limit, 1_000);
      const answers: number[] = [];
      const arrivals: number[] = [];
      let now = START;
      const settleUntil = (at: number): void => {
        answers.sort((a, b) => a - b);
        while (answers[0] !== undefined && answers[0] <= at) window.settle(answers.shift()!);
      };
      for (const { gapMs, travelMs, answerMs } of steps) {
        now += gapMs;
        settleUntil(now);
        while (window.waitMs(now, 0) > 0) {
          const wait = window.waitMs(now, 0);
          now = wait === Number.POSITIVE_INFINITY ? Math.max(now, answers[0]!) : now + wait;
          settleUntil(now);
        }
        window.take();
        arrivals.push(now + travelMs);
        answers.push(now + travelMs + answerMs);
      }
      arrivals.sort((a, b) => a - b);
      const fixed = new Map<number, number>();
      for (const at of arrivals) {
        const slot = Math.floor((at + offset) / 1_000);
        fixed.set(slot, (fixed.get(slot) ?? 0) + 1);
        // Sliding: every window that ends with this arrival.
        expect(arrivals.filter((other) => other > at - 1_000 && other <= at).length).toBeLessThanOrEqual(limit);
      }
      expect(Math.max(...fixed.values())).toBeLessThanOrEqual(limit);
    }),
    200,
  );
});

test('the limit of the address holds over all categories and all logins of the process', () => {
  const rates = { ...DEFAULT_RATES, addressPer10Seconds: 60 };
  const shared = new AddressBudget(rates);
  const [first, second] = [rig(rates, shared), rig(rates, shared)];
  const sent = [first, second].flatMap(({ drain }) => [
    ...drain('orders', 'cancel'),
    ...drain('other', 'cancel'),
    ...drain('public', 'cancel'),
  ]);
  expect(sent).toHaveLength(60);
});

test('B4 default limits: 50/s of each kind, 500 per address in 10 s, 40 of custody per minute', () => {
  expect(DEFAULT_RATES).toEqual({
    ordersPerSecond: 50,
    otherPerSecond: 50,
    publicPerSecond: 50,
    addressPer10Seconds: 500,
    custodyPerMinute: 40,
    cancelShare: 0.2,
    orderShare: 0.2,
  });
});

test('B4 counts an upgrade that is answered and then ends once', async () => {
  const address = new AddressBudget({ addressPer10Seconds: 2, custodyPerMinute: 1 });
  const elapsedMs = (): number => START;
  const answered = await address.room(elapsedMs, 0, 0);
  await address.room(elapsedMs, 0, 0);
  answered?.();
  answered?.();
  expect(address.limit.window.used(START)).toBe(2);
  expect(await address.room(elapsedMs, 0, 0)).toBeNull();
  expect(address.limit.window.used(START + 10_000)).toBe(1);
});

test('B4 returning streams take room for their upgrades one after another', async () => {
  const address = new AddressBudget({ addressPer10Seconds: 4, custodyPerMinute: 1 });
  const upgrades = await Promise.all(Array.from({ length: 6 }, () => address.room(() => START, 0.25, 0)));
  expect(upgrades.filter((answered) => answered !== null)).toHaveLength(3);
  expect(address.limit.window.used(START)).toBe(3);
});

test('custody has a limit of its own, per minute and address', () => {
  const shared = new AddressBudget(DEFAULT_RATES);
  const [first, second] = [rig({}, shared), rig({}, shared)];
  for (const ticket of first.drain('custody', 'cancel')) ticket.settle(OK);
  expect(second.drain('custody', 'cancel')).toEqual([]);
  expect(second.budget.waitMs('custody', 'cancel')).toBe(60_000);
  expect(second.budget.waitMs('other', 'order')).toBe(0);
});

test('leaves others their use of a limit by the headers, without counting our requests twice', () => {
  const { budget, clock, drain } = rig();
  const told = (remaining: string, limit = '50'): HttpAnswer =>
    answer(200, { 'x-ratelimit-remaining': remaining, 'x-ratelimit-limit': limit });
  budget.take('orders').settle(told('990', '1000'));
  budget.take('orders').settle(told('48'));
  // Of 50, three are left and two are ours: others took 45.
  budget.take('orders').settle(told('2'));
  expect(drain('orders', 'cancel')).toHaveLength(2);
  clock.now += 1_000;
  expect(budget.waitMs('orders', 'cancel')).toBe(0);
});

test('a limit that is lower than configured is kept once the exchange says so', () => {
  const { budget, drain } = rig();
  budget.take('orders').settle(answer(200, { 'x-ratelimit-remaining': '9', 'x-ratelimit-limit': '10' }));
  expect(drain('orders', 'cancel')).toHaveLength(9);
});

test('after a 429 its category waits as stated, or everything if it means the whole exchange', () => {
  const { budget, clock } = rig();
  budget.take('orders').settle(answer(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${START + 300}` }));
  expect(budget.waitMs('orders', 'cancel')).toBe(300);
  expect(budget.waitMs('other', 'order')).toBe(0);
  budget.take('other').settle(answer(429, { 'x-ratelimit-global-breach': 'true' }));
  expect(budget.waitMs('other', 'cancel')).toBe(1_000);
  expect(budget.waitMs('public', 'read')).toBe(1_000);
  clock.now += 1_000;
  expect(budget.waitMs('other', 'cancel')).toBe(0);
});

test('keeps the longest wait of several refusals in flight', () => {
  const { budget } = rig();
  const tickets = Array.from({ length: 4 }, () => budget.take('orders'));
  const refusal = (afterS: string | null): HttpAnswer =>
    answer(429, { 'x-ratelimit-remaining': '0', ...(afterS === null ? {} : { 'retry-after': afterS }) });
  const waits = ['2', '5', '1', null].map((afterS, i) => {
    tickets[i]!.settle(refusal(afterS));
    return budget.waitMs('orders', 'cancel');
  });
  expect(waits).toEqual([2_000, 5_000, 5_000, 5_000]);
});

test('a stated count makes room at once, unless it is stated twice', () => {
  const remaining = (value: string | string[]): HttpAnswer => {
    const headers = { 'x-ratelimit-limit': '50', 'x-ratelimit-remaining': value };
    return { kind: 'answer', status: 200, headers, body: '' };
  };
  for (const [said, room] of [
    ['49', 49],
    [['49', '49'], 0],
  ] as const) {
    const { budget, drain } = rig();
    for (const ticket of drain('orders', 'cancel')) ticket.settle(OK);
    // A window of the exchange is over: of 50 that were answered in ours, this one alone is in its next.
    budget.take('orders').settle(remaining(said as string | string[]));
    expect(drain('orders', 'cancel'), String(said)).toHaveLength(room);
  }
});

test('doubles the pauses of repeated 429s up to a minute; one good answer ends them', () => {
  const { budget, clock } = rig();
  const pauses: number[] = [];
  for (let i = 0; i < 9; i++) {
    budget.take('orders').settle(answer(429, { 'x-ratelimit-remaining': '0' }));
    const wait = budget.waitMs('orders', 'cancel');
    pauses.push(wait);
    clock.now += wait;
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  budget.take('orders').settle(OK);
  budget.take('orders').settle(answer(429, { 'x-ratelimit-remaining': '0' }));
  expect(budget.waitMs('orders', 'cancel')).toBe(1_000);
});

test('a good answer during a pause is one to a request from before it, and makes the next pause no shorter', () => {
  const { budget, clock } = rig();
  const refuse = (): void => budget.take('orders').settle(answer(429, { 'x-ratelimit-remaining': '0' }));
  const before = budget.take('orders');
  refuse();
  clock.now += 500;
  before.settle(OK);
  clock.now += 500;
  refuse();
  expect(budget.waitMs('orders', 'cancel')).toBe(2_000);
});

test('a wait for room that only an answer can make lasts no longer than permitted', async () => {
  const address = new AddressBudget({ addressPer10Seconds: 1, custodyPerMinute: 1 });
  let now = START;
  const elapsedMs = (): number => now;
  const answered = await address.room(elapsedMs, 0, 0);
  const waiting = address.room(elapsedMs, 0, 60_000);
  answered?.();
  now += 10_000;
  expect(await waiting).not.toBeNull();
  expect(await address.room(elapsedMs, 0, 5)).toBeNull();
});

test('answers of one burst lengthen no pause; Retry-After is kept, in seconds and as a date', () => {
  const { budget, clock, drain } = rig();
  for (const ticket of drain('orders', 'cancel')) ticket.settle(answer(429, { 'x-ratelimit-remaining': '0' }));
  expect(budget.waitMs('orders', 'cancel')).toBe(1_000);
  clock.now = Date.UTC(2026, 0, 1);
  budget.take('other').settle(answer(429, { 'x-ratelimit-remaining': '0', 'retry-after': '7' }));
  expect(budget.waitMs('other', 'cancel')).toBe(7_000);
  const date = new Date(clock.now + 9_000).toUTCString();
  budget.take('public').settle(answer(429, { 'x-ratelimit-remaining': '0', 'retry-after': date }));
  expect(budget.waitMs('public', 'cancel')).toBe(9_000);
  const other = rig().budget;
  const theirs = Date.UTC(2027, 0, 1);
  const headers = { date: new Date(theirs).toUTCString(), 'retry-after': new Date(theirs + 8_000).toUTCString() };
  other.take('public').settle(answer(429, { 'x-ratelimit-remaining': '0', ...headers }));
  expect(other.waitMs('public', 'cancel')).toBe(8_000);
  // No answer keeps cancels in for longer than five minutes, nor a reset of another clock for longer than the first pause.
  const [asked, far] = [rig().budget, rig().budget];
  asked.take('public').settle(answer(429, { 'x-ratelimit-remaining': '0', 'retry-after': '86400' }));
  expect(asked.waitMs('public', 'cancel')).toBe(300_000);
  const reset = `${START + 86_400_000}`;
  far.take('public').settle(answer(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }));
  expect(far.waitMs('public', 'cancel')).toBe(1_000);
});

test('takes a 429 without a category, and a blocking page, as of the address', () => {
  const { budget } = rig();
  budget.take('orders').settle(answer(429, {}));
  expect(budget.waitMs('other', 'cancel')).toBe(1_000);
  const blocked = rig().budget;
  const headers = { 'content-type': 'text/html', 'x-ratelimit-remaining': '40' };
  blocked.take('orders').settle({ kind: 'answer', status: 403, headers, body: '<html>' });
  expect(blocked.waitMs('other', 'cancel')).toBe(1_000);
});

test('B4 reads of single orders leave half as much again to those of whole accounts, and wait behind', async () => {
  const { drain } = rig();
  expect(drain('other', 'lookup')).toHaveLength(25);
  expect(drain('other', 'read')).toHaveLength(5);
  const address = new AddressBudget(DEFAULT_RATES);
  const second = rig({}, address);
  address.goingFirst++;
  expect(await second.budget.room('other', 'lookup', 0)).toBeNull();
  address.goingFirst--;
  expect(await second.budget.room('other', 'lookup', 0)).not.toBeNull();
});

test.each([
  [1, 49],
  [5, 45],
])(
  "U2 C3 cancels leave look-ups at most a tenth of the account's rate: %i wait, %i cancels leave",
  async (count, cancels) => {
    const { clock, budget, drain } = rig();
    for (const ticket of drain('other', 'cancel')) ticket.settle(OK);
    const waiting = Array.from({ length: count }, () => budget.room('other', 'lookup', 60_000));
    clock.now += 1_000;
    expect(drain('other', 'cancel')).toHaveLength(cancels);
    const rooms = await Promise.all(waiting);
    expect(rooms.filter((ticket) => ticket !== null)).toHaveLength(50 - cancels);
  },
);

test('C3 U2 a read in a 429 pause reserves one request of the address from cancels, not a tenth', async () => {
  const { clock, budget, drain } = rig({ addressPer10Seconds: 50 });
  budget.take('public', 'read').settle(answer(429, { 'x-ratelimit-remaining': '0', 'retry-after': '5' }));
  const waiting = budget.room('public', 'read', 60_000);
  expect(drain('other', 'cancel')).toHaveLength(48);
  clock.now += 5_000;
  expect(await waiting).not.toBeNull();
});

test('U2 C3 forty cancels a second starve no look-up and no stream upgrade', async () => {
  const address = new AddressBudget(DEFAULT_RATES);
  const { clock, budget, drain } = rig({}, address);
  for (let i = 0; i < 400; i++, clock.now += 25) {
    expect(budget.waitMs('other', 'cancel')).toBe(0);
    budget.take('other', 'cancel').settle(OK);
  }
  // 400 of 500 in ten seconds: to the bridge nothing is left, nor to reads but what is kept for them.
  expect(budget.waitMs('other', 'bridge')).toBeGreaterThan(0);
  expect(await address.room(() => clock.now, 0.4, 0)).not.toBeNull();
  const lookUps = [...drain('orders', 'lookup'), ...drain('other', 'lookup')];
  expect(lookUps.length).toBeGreaterThanOrEqual(40);
  expect(drain('other', 'lookup')).toHaveLength(0);
});

test('U2 gives room to the look-up that began first, for each query, over all clients of the address', async () => {
  const address = new AddressBudget(DEFAULT_RATES);
  const [one, other] = [rig({}, address), rig({}, address)];
  const spent = [...one.drain('other', 'cancel'), ...other.drain('other', 'cancel')];
  const turns = [address.lookups.next('1'), address.lookups.next('1'), address.lookups.next('1')] as const;
  const left: string[] = [];
  const ask = async (from: typeof one, category: RateCategory, name: string, turn: number): Promise<void> => {
    const ticket = await from.budget.room(category, 'lookup', 60_000, turn);
    if (ticket !== null) left.push(name);
  };
  const asked = [
    ask(one, 'other', 'third', turns[2]),
    ask(one, 'other', 'second', turns[1]),
    ask(other, 'other', 'of another client', turns[1]),
    ask(one, 'other', 'first, its second question', turns[0]),
    // A request with its own room waits for no other.
    ask(one, 'orders', 'elsewhere', turns[2]),
  ];
  await asked.at(-1);
  expect(left).toEqual(['elsewhere']);
  for (const ticket of spent) ticket.settle(OK);
  one.clock.now += 1_000;
  other.clock.now += 1_000;
  await Promise.all(asked);
  expect(left.slice(1)).toEqual(['first, its second question', 'second', 'of another client', 'third']);
});

test("U2 S7 a single look-up waits for one of another account's hundreds, not for all", async () => {
  const { clock, budget, drain } = rig();
  const { lookups } = new AddressBudget(DEFAULT_RATES);
  const spent = drain('other', 'cancel');
  const left: string[] = [];
  const room = (name: string, turn: number) =>
    lookups.room(turn, {
      limit: budget,
      owner: budget,
      waitMs: () => budget.waitMs('other', 'cancel'),
      take: () => left.push(name),
      withinMs: 60_000,
    });
  const of = (account: string, count: number) =>
    Array.from({ length: count }, (_, i) => room(`${account}-${i + 1}`, lookups.next(account)));
  const asked = [...of('a', 20)];
  asked.push(...of('b', 2), ...of('a', 1));
  for (const ticket of spent) ticket.settle(OK);
  clock.now += 1_000;
  await Promise.all(asked);
  expect(left.slice(0, 5)).toEqual(['a-1', 'b-1', 'a-2', 'b-2', 'a-3']);
  // Behind those that had their turn before it came.
  expect(lookups.next('c')).toBe(22);
});

test('U2 a look-up settled before its turn takes no room', async () => {
  const { clock, budget, drain } = rig();
  const spent = drain('other', 'cancel');
  const settled = new Set<number>();
  const asked: number[] = [];
  const waiting = Array.from({ length: 60 }, async (_, i) => {
    const ticket = await budget.room('other', 'lookup', 60_000, i + 1, () => {
      asked.push(i);
      return !settled.has(i);
    });
    return ticket === null ? null : i;
  });
  expect(asked).toEqual([]);
  // More than one client's limit has room for.
  for (let i = 0; i < 58; i++) settled.add(i);
  for (const ticket of spent) ticket.settle(OK);
  clock.now += 1_000;
  expect((await Promise.all(waiting)).filter((i) => i !== null)).toEqual([58, 59]);
});

test('a client that ends keeps no look-up waiting, and those of the others of its address wait on', async () => {
  const address = new AddressBudget(DEFAULT_RATES);
  const [one, other] = [rig({}, address), rig({}, address)];
  const spent = [...one.drain('other', 'cancel'), ...other.drain('other', 'cancel')];
  const waiting = [one, other].map(({ budget }) => budget.room('other', 'lookup', 60_000));
  one.budget.close();
  expect(await waiting[0]).toBeNull();
  for (const ticket of spent) ticket.settle(OK);
  other.clock.now += 1_000;
  expect(await waiting[1]).not.toBeNull();
});

test('a share that rounds to the whole of a small limit still lets one through', () => {
  const window = new RateWindow(1, 1_000);
  expect(window.waitMs(0, 1)).toBe(0);
  window.take();
  expect(window.waitMs(0, 0)).toBe(Number.POSITIVE_INFINITY);
});

test('a page that blocks the address stops everything for a while', () => {
  const { budget } = rig();
  const page: HttpAnswer = { kind: 'answer', status: 403, headers: { 'content-type': 'text/html' }, body: '<html>' };
  budget.take('public').settle(page);
  expect(budget.waitMs('orders', 'cancel')).toBe(1_000);
});

test('reads count where the exchange counts them', () => {
  expect(categoryOf('/trading-api/v2/orders?status=OPEN')).toBe('orders');
  expect(categoryOf('/trading-api/v2/orders/5')).toBe('orders');
  expect(categoryOf('/trading-api/v2/ordersets')).toBe('other');
  expect(categoryOf('/trading-api/v1/wallets/limits/BTC')).toBe('custody');
  expect(categoryOf('/trading-api/v1/trades')).toBe('other');
});

test('X2 C3 a cancel counts where its path counts: with the orders where V2CancelOrder goes to them', () => {
  const cancel: ExchangeCommand = {
    kind: 'cancelOrder',
    orderId: '1',
    clientOrderId: null,
    symbol: 'BTCUSDC',
    tradingAccountId: '111000000000001',
  };
  const categories = [
    { dialect: 'v2', v2CancelPath: '/trading-api/v2/command' },
    { dialect: 'v2', v2CancelPath: '/trading-api/v2/orders' },
    { dialect: 'v3', v2CancelPath: '/trading-api/v2/orders' },
  ] as const;
  const counted = categories.map(({ dialect, v2CancelPath }) => {
    return categoryOfCommand(cancel, cancelsAmongOrders({ dialect, settings: { v2CancelPath } }));
  });
  expect(counted).toEqual(['other', 'orders', 'other']);
});

/** A request on its way there, then its answer on its way back. */
interface UnderWay {
  at: number;
  readonly request: Counted;
  readonly answerMs: number;
  remaining: number | null;
}

/** An exchange that counts in fixed or in sliding windows and says what is left; requests and answers travel for any time. */
class CountingExchange {
  readonly window: RateWindow;
  readonly limit: number;
  now = START;
  /** Most that it ever had in a window. */
  most = 0;
  readonly #isFixed: boolean;
  readonly #arrived: number[] = [];
  #underWay: UnderWay[] = [];

  constructor(limit: number, isFixed: boolean) {
    this.limit = limit;
    this.window = new RateWindow(limit, 1_000);
    this.#isFixed = isFixed;
  }

  /** Let time come to `until`: whatever arrives by then does, here and there. */
  pass(until: number): void {
    for (;;) {
      const [next] = this.#underWay.toSorted((a, b) => a.at - b.at);
      if (next === undefined || next.at > until) break;
      this.now = Math.max(this.now, next.at);
      if (next.remaining === null) this.#count(next);
      else {
        this.#underWay = this.#underWay.filter((one) => one !== next);
        this.window.settle(this.now);
        this.window.correct(this.limit, next.remaining, next.request, this.now);
      }
    }
    this.now = Math.max(this.now, until);
  }

  #count(next: UnderWay): void {
    this.#arrived.push(next.at);
    const begin = this.#isFixed ? Math.floor(next.at / 1_000) * 1_000 : next.at - 999;
    const count = this.#arrived.filter((at) => at >= begin).length;
    this.most = Math.max(this.most, count);
    next.remaining = Math.max(0, this.limit - count);
    next.at += next.answerMs;
  }

  /** Send one as soon as there is room; how long it waited. */
  send(travelMs: number, answerMs: number): number {
    const since = this.now;
    while (this.window.waitMs(this.now, 0) > 0) this.pass(this.now + 1);
    this.#underWay.push({ at: this.now + travelMs, request: this.window.take(), answerMs, remaining: null });
    return this.now - since;
  }
}

test.each(['fixed', 'sliding'])(
  'B4 uses the stated count of an exchange with %s windows without overfilling one',
  (kind) => {
    const step = fc.record({ gapMs: fc.nat(150), travelMs: fc.nat(400), answerMs: fc.nat(400) });
    checkProperty(
      fc.property(fc.array(step, { minLength: 30, maxLength: 150 }), (steps) => {
        const exchange = new CountingExchange(10, kind === 'fixed');
        for (const { gapMs, travelMs, answerMs } of steps) {
          exchange.pass(exchange.now + gapMs);
          exchange.send(travelMs, answerMs);
        }
        expect(exchange.most).toBeLessThanOrEqual(10);
      }),
      200,
    );
  },
);

test('slow answers near the limit of fixed windows delay nothing', () => {
  const exchange = new CountingExchange(50, true);
  const waits: number[] = [];
  for (let k = 0; k < 49 * 20; k++) {
    exchange.pass(START + (k * 1_000) / 49);
    waits.push(exchange.send(50, 50));
  }
  expect(exchange.most).toBeLessThanOrEqual(50);
  // Counted by time alone, one in ten would have had to wait for ever longer.
  expect(Math.max(...waits)).toBeLessThanOrEqual(300);
  expect(exchange.now).toBeLessThan(START + 20_500);
});

test('ignores the stated count after rate refusals or with an unanswered request', () => {
  const window = new RateWindow(2, 1_000);
  const first = window.take();
  window.settle(START);
  window.correct(2, 2, first, START);
  expect(window.used(START), 'it has left the window of the exchange').toBe(0);
  window.take();
  window.settle(START, false);
  const later = window.take();
  window.settle(START + 500);
  window.correct(2, 2, later, START + 500);
  expect(window.used(START + 500), 'the one without an answer may still arrive').toBe(3);
  const believed = window.take();
  window.settle(START + 2_000);
  window.correct(2, 2, believed, START + 2_000);
  expect(window.used(START + 2_000)).toBe(0);
  window.distrust(START + 2_000);
  const last = window.take();
  window.settle(START + 2_100);
  window.correct(2, 2, last, START + 2_100);
  expect(window.used(START + 2_100)).toBe(2);
});

test("keeps others' use of the last window for the next, though the exchange states it empty", () => {
  const window = new RateWindow(50, 1_000);
  const first = window.take();
  window.settle(START);
  // One is ours: others took 30.
  window.correct(50, 19, first, START);
  expect(window.used(START)).toBe(31);
  const next = window.take();
  window.settle(START + 500);
  window.correct(50, 49, next, START + 500);
  expect(window.used(START + 500)).toBe(31);
});

test('C3 a clock set back delays no cancel: counts leave their window in due time', () => {
  let elapsed = 0;
  let now = Date.UTC(2026, 5, 1, 12);
  const budget = new RateBudget(
    DEFAULT_RATES,
    { now: () => now, elapsedMs: () => elapsed },
    new AddressBudget(DEFAULT_RATES),
  );
  const cancels = (): number => {
    let count = 0;
    for (; budget.waitMs('other', 'cancel') === 0; count++) budget.take('other').settle(OK);
    return count;
  };
  expect(cancels()).toBe(50);
  budget.take('orders').settle(answer(429, { 'x-ratelimit-remaining': '0' }));
  now -= 3_600_000;
  elapsed += 1_000;
  expect(cancels()).toBe(50);
  expect(budget.waitMs('orders', 'cancel')).toBe(0);
  // The other way round nothing becomes free before its time: the exchange has counted it.
  now += 7_200_000;
  elapsed += 500;
  expect(cancels()).toBe(0);
});

test('B4 C3 processes of one address have equal parts of its limit, in which cancels keep their share', () => {
  const rates = { ...DEFAULT_RATES, addressPer10Seconds: 100, custodyPerMinute: 3 };
  const address = new AddressBudget(rates);
  address.shareWith(4);
  const { clock, drain } = rig(rates, address);
  const orders = drain('other', 'order');
  expect(orders).toHaveLength(20);
  expect([...drain('other', 'cancel'), ...drain('orders', 'cancel')]).toHaveLength(5);
  // Fewer parts: what has been sent goes on counting.
  address.shareWith(2);
  expect(drain('other', 'order')).toHaveLength(15);
  for (const ticket of orders) ticket.settle(OK);
  clock.now += 10_000;
  expect(drain('other', 'order')).toHaveLength(20);
  address.shareWith(50);
  expect([address.limit.window.limit, address.custody.window.limit]).toEqual([2, 1]);
});
