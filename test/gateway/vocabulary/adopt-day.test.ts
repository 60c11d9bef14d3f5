// Random days with a session, with orders of its own, that adopts external orders (rule O11). Reads may lag, frames and
// fills come in any order and repeat, a drop copy follows or not, and the gateway is killed. A failure prints
// fast-check's seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../src/base/decimal.ts';
import type { Adoption } from '../../../src/gateway/vocabulary/input.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { dropCopyConfig, field, gatewayConfig, SESSION, textOf } from '../desk.ts';
import { ModelExchange, type ModelOrder } from '../model-exchange.ts';
import { NEXT_STATUS } from '../next-status.ts';
import { Day, type Step } from '../random-day.ts';

const COPY = 'FIX.4.4:XG->COPY';
const KINDS = [
  ...['new', 'enter', 'enter', 'read', 'read', 'take', 'take', 'F', 'G', 'amend', 'withdraw', 'restate'],
  ...['fill', 'fill', 'fill', 'expire', 'unsolicited', 'deliver', 'deliver', 'deliver', 'deliver', 'repeat'],
  ...['answer', 'answer', 'lose', 'lookup', 'time', 'restart', 'unheard'],
] as const;
type AdoptStep = readonly [kind: (typeof KINDS)[number], which: number, amount: number];

const day = fc.array(fc.tuple(fc.constantFrom(...KINDS), fc.nat(1_000), fc.nat(1_000)) as fc.Arbitrary<AdoptStep>, {
  minLength: 20,
  maxLength: 120,
  size: 'max',
});

/** An exchange where others enter orders, with references that are free to repeat. */
class SharedExchange extends ModelExchange {
  enter(amount: number): void {
    this.create({ clientOrderId: `${5_000_000 + (amount % 3)}`, price: '100.0', quantity: `${1 + (amount % 5)}` });
  }
}

interface Settings {
  readonly swaps: boolean;
  readonly copied: boolean;
}

class AdoptDay extends Day {
  override readonly exchange = new SharedExchange();
  readonly reads: Adoption[] = [];
  /** By the key of what was taken over, its OrderID(37). */
  readonly taken = new Map<string, string>();
  #ids = 0;

  constructor({ swaps, copied }: Settings) {
    super();
    const base = gatewayConfig({ replaceByCancelAndNew: swaps, cancelOnDisconnect: { on: 'off', graceMs: 0 } });
    const sessions = copied ? [...base.sessions, dropCopyConfig()] : base.sessions;
    Object.assign(this.desk, { config: { ...base, sessions }, ended: new Map() });
    this.desk.restart();
  }

  act(step: AdoptStep): void {
    const [kind, which, amount] = step;
    const { desk, exchange } = this;
    const order = exchange.orders[which % Math.max(1, exchange.orders.length)];
    const open = [...desk.gateway.orders({ sessionId: SESSION, openOnly: true })];
    const named = open[which % Math.max(1, open.length)]?.clOrdID;
    const request = `11=r-${this.#ids++}|41=${named ?? 'none'}|1=ACC1|55=BTCUSDC|54=1|`;
    if (kind === 'enter') exchange.enter(amount);
    else if (kind === 'read') this.#read(order);
    else if (kind === 'take') this.#take(which);
    else if (kind === 'F') desk.oms(`35=F|${request}`);
    else if (kind === 'G') desk.oms(`35=G|${request}40=2|38=${1 + (amount % 5)}|44=${95 + (which % 10)}|`);
    else if (kind === 'withdraw' && order !== undefined) exchange.end(order, 'CANCELLED', '6005');
    else if ((kind === 'restate' || kind === 'amend') && order?.status === 'OPEN' && order.filled.isZero())
      exchange.restate(order, new Decimal(BigInt(1 + (amount % 50)), 1));
    else if (kind === 'unheard') this.#unheard();
    else this.step([kind, which, amount] as unknown as Step);
    this.execute(amount % 9 === 0);
  }

  /** The administration's requests to the exchange. */
  #read(order: ModelOrder | undefined): void {
    if (order?.status !== 'OPEN') return;
    const frame = this.exchange.frame(order, true);
    this.reads.push({ sessionId: SESSION, order: frame, trades: [...order.trades], clOrdID: null });
  }

  #take(which: number): void {
    const [adoption] = this.reads.splice(which % Math.max(1, this.reads.length), 1);
    if (adoption === undefined || this.desk.gateway.adoptProblem(adoption) !== null) return;
    this.desk.feed({ kind: 'adoptOrder', adoption, who: 'ann', why: 'moved' });
    const { orderId } = adoption.order;
    this.taken.set(this.desk.gateway.findByOrderID(orderId)!.key, orderId);
  }

  #unheard(): void {
    const { desk, exchange } = this;
    desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false });
    exchange.snapshot();
    desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
    desk.feed({ kind: 'reconciled', tradingAccountId: '111000000000001', ok: true });
  }

  told(to: string): string[] {
    const sent = this.desk.effects.filter((effect) => effect.kind === 'send');
    return sent.filter(({ sessionId }) => sessionId === to).map(({ draft }) => textOf(draft));
  }
}

/** By OrderID(37) the reports: filled in all, by fills, and the last status; throws on a contradiction. */
function checked(told: readonly string[]): Map<string, { cum: Decimal; fills: Decimal; status: string }> {
  const orders = new Map<string, { cum: Decimal; fills: Decimal; status: string }>();
  const execIDs = new Set<string>();
  for (const text of told) {
    const [type, orderID, execType, status] = [35, 37, 150, 39].map((tag) => field(text, tag)!) as [
      string,
      string,
      string,
      string,
    ];
    if (type !== '8' || orderID === 'NONE' || execType === 'I') continue;
    expect(execIDs.has(field(text, 17)!), `ExecID twice: ${text}`).toBe(false);
    execIDs.add(field(text, 17)!);
    const cum = Decimal.of(field(text, 14)!);
    const before = orders.get(orderID);
    const filled = execType === 'F' ? Decimal.of(field(text, 32)!) : Decimal.ZERO;
    if (before !== undefined) {
      expect(NEXT_STATUS[before.status], `from ${before.status}: ${text}`).toContain(status);
      expect(`${before.cum.add(filled).trimmed()}`, text).toBe(`${cum.trimmed()}`);
    }
    orders.set(orderID, { cum, fills: (before?.fills ?? Decimal.ZERO).add(filled), status });
  }
  return orders;
}

test.each([
  [false, false],
  [true, false],
  [false, true],
  [true, true],
])('O11 O1 O2 reports an adopted order truly, each fill once (cancel and new %s, drop copy %s)', (swaps, copied) => {
  let [taken, open] = [0, 0];
  checkProperty(
    fc.property(day, (steps) => {
      const run = new AdoptDay({ swaps, copied });
      for (const step of steps) run.act(step);
      run.settle();
      const { desk, exchange } = run;
      const told = checked(run.told(SESSION));
      const copies = checked(run.told(COPY));
      for (const snapshot of desk.gateway.orders({ sessionId: SESSION })) {
        const { key, references, cumQty, ordStatus, clOrdID } = snapshot;
        const taken = run.taken.get(key);
        const legs = exchange.orders.filter((one) => one.orderId === taken || references.includes(one.reference));
        const orderID = taken ?? legs[0]?.orderId ?? 'never there';
        const filled = `${legs.reduce((sum, leg) => sum.add(leg.filled), Decimal.ZERO).trimmed()}`;
        const isOpen = legs.some(({ status }) => status === 'OPEN');
        if (isOpen) open++;
        const inWords = `${clOrdID} ${orderID} ${ordStatus} ${snapshot.pending}`;
        expect(cumQty, inWords).toBe(filled);
        expect('01A6E'.includes(ordStatus), inWords).toBe(isOpen);
        if (legs.length === 0) continue;
        expect(`${told.get(orderID)?.cum.trimmed()}`, inWords).toBe(filled);
        if (copied) expect(`${copies.get(orderID)?.fills.trimmed()}`, `copies of ${inWords}`).toBe(filled);
      }
      taken += run.taken.size;
    }),
    300,
  );
  expect(taken).toBeGreaterThan(30);
  expect(open).toBeGreaterThan(3);
});
