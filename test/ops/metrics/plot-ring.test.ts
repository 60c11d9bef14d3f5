import { expect, onTestFinished, test } from 'vitest';
import type { Administration } from '../../../src/administration/mod.ts';
import { OrderHops } from '../../../src/ops/metrics/order-hops.ts';
import { PlotRing } from '../../../src/ops/metrics/plot-ring.ts';
import type { OrderTimes } from '../../../src/runtime/mod.ts';

const TIMES: OrderTimes = {
  sessionId: 'S',
  clOrdID: 'c-1',
  symbol: 'BTCUSDC',
  commandId: 'x',
  readAt: 100,
  takenAt: 101,
  checkedAt: 103,
  recordedAt: 106,
  sentAt: 110,
  answeredAt: 120,
  reportedAt: 121,
};

function ring(): { ring: PlotRing; world: { now: number; in: number } } {
  const world = { now: 1_000, in: 0 };
  const administration = {
    now: () => world.now,
    messageCounts: () => [{ name: 'OMS', in: new Map([['D', world.in]]), out: new Map() }],
    orders: { counts: () => ({ pendingNew: 1, new: 2, partiallyFilled: 3, ended: 4, commandsInFlight: 0 }) },
  } as unknown as Administration;
  const made = new PlotRing(administration);
  onTestFinished(() => made.close());
  return { ring: made, world };
}

test('a sample has rates, states and percentiles of what happened since the one before', () => {
  const { ring: plots, world } = ring();
  world.in = 10;
  plots.observer.orderReported(TIMES);
  for (let ms = 1; ms <= 100; ms++) plots.observer.outcome('accepted', ms);
  plots.sample();
  world.now = 3_000;
  plots.sample();
  const { at, series } = plots.plots(0);
  expect(at).toEqual([1_000, 3_000]);
  expect(series['messages.in']).toEqual([5, 0]);
  expect(series['orders.new']).toEqual([2, 2]);
  expect(series['order.p50']).toEqual([21, null]);
  expect(series['stage.exchange.p99']).toEqual([10, null]);
  expect([series['exchange.p50'], series['exchange.p99']]).toEqual([
    [50, null],
    [99, null],
  ]);
  expect(plots.plots(1_000).at).toEqual([3_000]);
});

test('the ring keeps an hour and no more', () => {
  const { ring: plots, world } = ring();
  for (let n = 0; n < 2_000; n++) {
    world.now += 2_000;
    plots.sample();
  }
  const { at } = plots.plots(0);
  expect([at.length, at.at(-1)! - at[0]!]).toEqual([1_800, 3_598_000]);
});

test('the hops of the latest 5,000 orders are kept, those of others are not', () => {
  const hops = new OrderHops();
  hops.note(TIMES);
  expect(hops.of('S', 'c-1')).toEqual({ taken: 1, checked: 3, recorded: 6, sent: 10, answered: 20, reported: 21 });
  hops.note({ ...TIMES, clOrdID: 'refused', recordedAt: 0, sentAt: 0, answeredAt: 0 });
  expect(hops.of('S', 'refused')).toMatchObject({ recorded: null, sent: null, answered: null, reported: 21 });
  for (let n = 0; n < 5_000; n++) hops.note({ ...TIMES, clOrdID: `n-${n}` });
  expect([hops.of('S', 'c-1'), hops.of('S', 'n-0')]).toEqual([null, expect.anything()]);
});
