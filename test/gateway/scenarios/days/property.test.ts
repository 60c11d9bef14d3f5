// Properties over random days: whatever the exchange does and in whatever order it says so, the OMS's view is legal at
// every step and right at the end. A failure prints fast-check's seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../../src/base/decimal.ts';
import { checkProperty } from '../../../support/random/seeded-property.ts';
import { ACCOUNT, Desk, field, gatewayConfig, SESSION } from '../../desk.ts';
import { ModelExchange } from '../../model-exchange.ts';
import { Day, day, type Step } from '../../random-day.ts';

/** Legal next OrdStatus of what an OMS sees; 6 and E lie over any open state (FIX 4.4 vol. 4 App. D). */
const LEGAL: Readonly<Record<string, string>> = {
  '': 'A086',
  A: 'A0816',
  '0': '0124C6E',
  '1': '124C6E',
  '6': '012468CEA',
  E: '01246CE',
  '2': '2',
  '4': '4',
  '8': '8',
  C: 'C',
};

/** An OMS's conclusions from the reports alone; throws on a contradiction. */
function omsView(sent: readonly string[]): Map<string, { status: string; cum: Decimal; fills: Decimal }> {
  const view = new Map<string, { status: string; cum: Decimal; fills: Decimal }>();
  const execIDs = new Set<string>();
  const chainOf = new Map<string, string>();
  for (const text of sent) {
    // A reject of a duplicate and a status of nothing are no reports of an order.
    if (field(text, 35) !== '8' || field(text, 103) === '6' || field(text, 103) === '5') continue;
    const clOrdID = field(text, 11)!;
    const orig = field(text, 41);
    if (!chainOf.has(clOrdID)) chainOf.set(clOrdID, orig === null ? clOrdID : (chainOf.get(orig) ?? orig));
    const chain = chainOf.get(clOrdID)!;
    const order = view.get(chain) ?? { status: '', cum: Decimal.ZERO, fills: Decimal.ZERO };
    const execID = field(text, 17)!;
    if (execID !== '0') {
      expect(execIDs.has(execID), `ExecID ${execID} twice`).toBe(false);
      execIDs.add(execID);
    }
    const status = field(text, 39)!;
    expect(LEGAL[order.status], `${chain}: ${order.status} to ${status} by ${text}`).toContain(status);
    order.status = status;
    const lastQty = field(text, 32);
    if (field(text, 150) === 'F') order.fills = order.fills.add(Decimal.of(lastQty!));
    const cum = Decimal.of(field(text, 14)!);
    expect(cum.compare(order.cum), `CumQty falls: ${text}`).toBeGreaterThanOrEqual(0);
    expect(cum.equals(order.fills), `CumQty is not the sum of fills: ${text}`).toBe(true);
    order.cum = cum;
    expect(Decimal.of(field(text, 151)!).isNegative(), `LeavesQty negative: ${text}`).toBe(false);
    view.set(chain, order);
  }
  return view;
}

test('random days create each ClOrdID once, with CumQty the sum of fills and legal transitions', () => {
  let fills = 0;
  checkProperty(
    fc.property(day, (steps) => {
      const run = new Day();
      for (const step of steps) run.step(step);
      run.settle();
      const { desk, exchange } = run;
      const creates = desk.submitted.filter(({ command }) => command.kind === 'createOrder');
      expect(new Set(creates.map(({ commandId }) => commandId)).size).toBe(creates.length);
      const view = omsView(desk.sent);
      for (const snapshot of desk.gateway.orders()) {
        const model = exchange.orders.find((order) => snapshot.references.includes(order.reference));
        const seen = view.get(snapshot.chain[0]!)!;
        if (model === undefined) {
          expect(snapshot.ordStatus).toBe('8');
          continue;
        }
        fills += model.trades.length;
        expect(snapshot.cumQty, 'CumQty is the exchange’s').toBe(model.filled.trimmed().toString());
        expect(seen.cum.equals(model.filled), 'the reports say so too').toBe(true);
        const expected = { OPEN: '01', CLOSED: model.code === '6002' ? '2' : 'C', CANCELLED: '4', REJECTED: '8' };
        if (snapshot.pending.length === 0) expect(expected[model.status]).toContain(snapshot.ordStatus);
        else expect(model.status, 'only an open order has a request without an outcome').toBe('OPEN');
      }
    }),
    150,
  );
  // The days must really trade, or the properties hold for nothing.
  expect(fills).toBeGreaterThan(100);
});

/** The day of one order in the exchange's events: a fixed list. */
const orderDay = fc.record({
  fills: fc.array(fc.nat(9), { maxLength: 4 }),
  end: fc.constantFrom('6004', '6005', '3020', null),
  seed: fc.array(fc.nat(1_000), { minLength: 12, maxLength: 12 }),
});

test('O2 recovery after any event gives the same reports as no restart, events shuffled and repeated', () => {
  checkProperty(
    fc.property(orderDay, ({ fills, end, seed }) => {
      const play = (restartAfter: number): string[] => {
        const desk = new Desk(gatewayConfig({ pendingNewAfterMs: 600_000 }));
        const exchange = new ModelExchange();
        desk.oms('35=D|11=o-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|');
        exchange.execute(desk.last().command);
        const order = exchange.orders[0]!;
        for (const fill of fills) exchange.fill(order, new Decimal(BigInt(1 + fill), 1));
        if (end !== null) exchange.end(order, end === '6004' ? 'CLOSED' : 'CANCELLED', end);
        const events = seed.map((n) => exchange.pool[n % exchange.pool.length]!);
        [...events, ...exchange.pool].forEach((event, i) => {
          if (i === restartAfter) desk.restart();
          desk.feed(event);
        });
        return desk.sent;
      };
      const straight = play(-1);
      omsView(straight);
      for (let i = 0; i < 12 + fills.length; i++) expect(play(i)).toEqual(straight);
    }),
    100,
  );
});

/** Possible events during a replacement. */
const around = fc.array(
  fc.tuple(
    fc.constantFrom('deliver', 'repeat', 'answer', 'lose', 'lookup', 'fill', 'time'),
    fc.nat(1_000),
    fc.nat(300),
  ) as fc.Arbitrary<Step>,
  { maxLength: 12 },
);

test("C1 O6 a session's end during cancel and new creates nothing and leaves nothing open", () => {
  let [created, ended] = [0, 0];
  checkProperty(
    fc.property(around, around, (before, after) => {
      const run = new Day({ replaceByCancelAndNew: true });
      const { desk, exchange } = run;
      const creates = (): number => desk.submitted.filter(({ command }) => command.kind === 'createOrder').length;
      run.step(['new', 0, 1]);
      run.answer(0, false);
      run.step(['fill', 0, 4]);
      while (exchange.pool.length > 0) run.deliver(0, true);
      run.step(['replace', 0, 11]);
      for (const step of before) run.step(step);
      const upTo = creates();
      created += upTo - 1;
      ended++;
      desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
      run.execute(false);
      for (const step of after) run.step(step);
      run.settle();
      expect(creates()).toBe(upTo);
      expect(exchange.orders.filter(({ status }) => status === 'OPEN')).toEqual([]);
      expect(desk.gateway.openOrderCount(SESSION)).toBe(0);
      omsView(desk.sent);
    }),
    200,
  );
  // Ends before the new order and behind it.
  expect(created).toBeGreaterThan(20);
  expect(ended - created).toBeGreaterThan(20);
});

test('the account of a day with sessions that end: every order is cancelled or stays visible', () => {
  checkProperty(
    fc.property(day, (steps) => {
      const run = new Day();
      for (const step of steps) run.step(step);
      run.desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
      run.execute(false);
      run.settle();
      omsView(run.desk.sent);
      for (const snapshot of run.desk.gateway.orders({ openOnly: true })) {
        expect(snapshot.pending.length, `${snapshot.key} is open and nothing was done`).toBeGreaterThan(0);
        expect(snapshot.tradingAccountId).toBe(ACCOUNT);
      }
    }),
    80,
  );
});
