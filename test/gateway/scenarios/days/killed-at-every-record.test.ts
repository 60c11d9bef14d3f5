// A random day, again and again: the gateway is killed right before a record of it is durable, and right after, for
// every record there is. The next process ends the session's open orders (rule C1), knows every order of the exchange,
// and reports each as it is; no order reaches the exchange twice. A failure prints fast-check's seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GatewayInput } from '../../../../src/gateway/mod.ts';
import { checkProperty } from '../../../support/random/seeded-property.ts';
import { SESSION } from '../../desk.ts';
import { Day, day, type Step } from '../../random-day.ts';

class Killed extends Error {}

type Death = 'before the record' | 'behind the record';

/** Live the day until that record, and go on in another process; how many records there were. */
function live(
  steps: readonly Step[],
  dies: { readonly at: number; readonly when: Death },
): { run: Day; records: number } {
  const run = new Day();
  const { desk } = run;
  const { feed } = desk;
  let records = 0;
  desk.feed = (input: GatewayInput) => {
    const before = [new Map(desk.records), desk.submitted.length, desk.sent.length] as const;
    const effects = feed.call(desk, input);
    if (!effects.some(({ kind }) => kind === 'persistOrder') || records++ !== dies.at) return effects;
    // Messages are recorded in the same frame; commands leave after it.
    desk.submitted.length = before[1];
    if (dies.when === 'before the record') {
      desk.sent.length = before[2];
      desk.records.clear();
      for (const [key, record] of before[0]) desk.records.set(key, record);
    }
    throw new Killed();
  };
  try {
    for (const step of steps) run.step(step);
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
  desk.feed = feed;
  run.restart();
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'crash' });
  run.settle();
  return { run, records };
}

function check({ desk, exchange }: Day): void {
  const creates = desk.submitted.flatMap(({ command }) =>
    command.kind === 'createOrder' ? [command.clientOrderId] : [],
  );
  expect(new Set(creates).size, 'each reference is sent once').toBe(creates.length);
  for (const order of exchange.orders) {
    expect(order.status, `order ${order.orderId} does not work on`).not.toBe('OPEN');
    const known = desk.gateway.findByOrderID(order.orderId);
    expect(known, `order ${order.orderId} is known`).not.toBeNull();
    expect(known!.cumQty, 'CumQty is the exchange’s').toBe(order.filled.trimmed().toString());
  }
  for (const snapshot of desk.gateway.orders()) {
    expect([snapshot.pending, snapshot.ordStatus], `${snapshot.key} has ended`).toEqual([
      [],
      expect.stringMatching(/[248C]/),
    ]);
  }
  expect(desk.gateway.deadline(), 'nothing is waited for').toBeNull();
}

test('C1 U2 killed at any record of a day, the next process finds every order and leaves none out', {
  timeout: 600_000,
}, () => {
  let deaths = 0;
  checkProperty(
    fc.property(day, (steps) => {
      const { run, records } = live(steps, { at: -1, when: 'behind the record' });
      check(run);
      for (let at = 0; at < records; at++) {
        for (const when of ['before the record', 'behind the record'] as const) {
          check(live(steps, { at, when }).run);
          deaths++;
        }
      }
    }),
    12,
  );
  expect(deaths).toBeGreaterThan(100);
});
