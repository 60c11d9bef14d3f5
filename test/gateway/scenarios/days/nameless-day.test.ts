// An exchange that omits our reference now and then, as it may (exchange reference §4.2). Its event before the
// acknowledgement has no owner then, or counts as external for a drop copy. Random days of it too; a failure prints
// fast-check's seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../../src/base/decimal.ts';
import type { ExchangeOrder } from '../../../../src/exchange/mod.ts';
import { checkProperty } from '../../../support/random/seeded-property.ts';
import {
  Desk,
  dropCopyConfig,
  exchangeOrder,
  field,
  gatewayConfig,
  LIMIT,
  SESSION,
  summary,
  textOf,
} from '../../desk.ts';
import { ModelExchange, type ModelOrder } from '../../model-exchange.ts';
import { Day, day } from '../../random-day.ts';

const COPY = 'FIX.4.4:XG->COPY';

test('U2 looks up at once an order that ended before its acknowledgement without our reference', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const end = {
    clientOrderId: null,
    status: 'CANCELLED',
    statusReasonCode: '6019',
    publishedAt: desk.now + 1,
  } as const;
  desk.order({ clientOrderId: null });
  desk.order(end);
  desk.accepted(undefined, '9001');
  desk.order({ clientOrderId: null });
  desk.advance(0);
  expect(desk.lookups).toHaveLength(1);
  const { lookupId } = desk.lookups[0]!;
  const order = exchangeOrder({ ...end, publishedAt: null }, desk.now);
  desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [] } });
  expect(summary(desk.sent)).toEqual(['0/0', '4/4']);
});

test('U2 so is one without an acknowledgement that an older event of the stream names', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  desk.order({ clientOrderId: null, status: 'CANCELLED', statusReasonCode: '6019', publishedAt: desk.now + 1 });
  desk.order({});
  desk.advance(0);
  expect(desk.lookups).toHaveLength(1);
});

test('U2 a foreign order reported while a command is under way is not looked up', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({ orderId: '9002', clientOrderId: null });
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.advance(60_000);
  expect(desk.lookups).toEqual([]);
});

class NamelessExchange extends ModelExchange {
  /** One word of so many is without the reference. */
  every = 2;
  #said = 0;

  #leavesOut(): boolean {
    return this.#said++ % this.every === 0;
  }

  override frame(order: ModelOrder, isRest: boolean): ExchangeOrder {
    const frame = super.frame(order, isRest);
    return !isRest && this.#leavesOut() ? { ...frame, clientOrderId: null } : frame;
  }

  override fill(order: ModelOrder, quantity: Decimal): void {
    super.fill(order, quantity, this.#leavesOut() ? { clientOrderId: null } : {});
  }
}

class NamelessDay extends Day {
  override readonly exchange = new NamelessExchange();

  constructor(every: number, copied: boolean) {
    super();
    this.exchange.every = every;
    const base = gatewayConfig({ cancelOnDisconnect: { on: 'off', graceMs: 0 } });
    const sessions = copied ? [...base.sessions, dropCopyConfig()] : base.sessions;
    Object.assign(this.desk, { config: { ...base, sessions }, ended: new Map() });
    this.desk.restart();
  }

  /** A session's reports. */
  told(to: string): string[] {
    const sent = this.desk.effects.filter((effect) => effect.kind === 'send');
    return sent.filter(({ sessionId }) => sessionId === to).map(({ draft }) => textOf(draft));
  }
}

/** Reported fills of an order, each ExecID(17) once. */
function fillsOf(told: readonly string[], orderID: string): Decimal {
  const fills = new Map<string, Decimal>();
  for (const text of told) {
    if (field(text, 150) !== 'F' || field(text, 37) !== orderID) continue;
    fills.set(field(text, 17)!, Decimal.of(field(text, 32)!));
  }
  return [...fills.values()].reduce((sum, one) => sum.add(one), Decimal.ZERO);
}

test.each([true, false])(
  'O1 O2 O11 reports every order truly, each fill once, on random days of it (a drop copy: %s)',
  (copied) => {
    checkProperty(
      fc.property(day, fc.integer({ min: 1, max: 4 }), (steps, every) => {
        const run = new NamelessDay(every, copied);
        for (const step of steps) run.step(step);
        run.settle();
        const { desk, exchange } = run;
        const [told, copies] = [run.told(SESSION), run.told(COPY)];
        const reports = told.filter((text) => field(text, 35) === '8' && field(text, 17) !== '0');
        expect(new Set(reports.map((text) => field(text, 17))).size, 'no ExecID twice').toBe(reports.length);
        for (const { orderId, filled, status } of exchange.orders) {
          const sum = `${filled.trimmed()}`;
          expect(`${fillsOf(told, orderId).trimmed()}`, orderId).toBe(sum);
          if (copied) expect(`${fillsOf(copies, orderId).trimmed()}`, `copies of ${orderId}`).toBe(sum);
          const known = desk.gateway.findByOrderID(orderId)!;
          expect([known.cumQty, '01A6E'.includes(known.ordStatus)], orderId).toEqual([sum, status === 'OPEN']);
        }
      }),
      100,
    );
  },
);
