// The stages of new orders as histograms: each is the time between two points of an order's way (order-times.ts).

import type { Registry } from 'prom-client';
import type { OrderTimes } from '../../runtime/mod.ts';
import { METRICS, ORDER_STAGES, type OrderStage } from './declarations.ts';
import { Tally } from './histogram.ts';

/** Seconds, from the work of a stage to a slow exchange. */
const STAGE_SECONDS = [
  0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10,
];

/** Times between points, in milliseconds; null for an order that ended its way before the exchange. */
export function stagesOf(times: OrderTimes): Readonly<Record<OrderStage, number>> | null {
  const { readAt, takenAt, checkedAt, recordedAt, sentAt, answeredAt, reportedAt } = times;
  // Refused behind the journal, or without a connection to the exchange: it has no time there.
  if (recordedAt === 0 || sentAt === 0 || answeredAt === 0) return null;
  return {
    receive: takenAt - readAt,
    check: checkedAt - takenAt,
    journal: recordedAt - checkedAt,
    send: sentAt - recordedAt,
    exchange: answeredAt - sentAt,
    report: reportedAt - answeredAt,
  };
}

/** Add up the ways of new orders. */
export function observeOrders(registry: Registry): (times: OrderTimes) => void {
  const stages = new Tally(registry, { ...METRICS.orderStage, bounds: STAGE_SECONDS });
  const reports = new Tally(registry, { ...METRICS.orderReport, bounds: STAGE_SECONDS });
  // Their series are there before the first order.
  for (const stage of ORDER_STAGES) stages.begin(stage);
  for (const by of ['exchange', 'gateway']) reports.begin(by);
  return (times) => {
    reports.observe(times.sentAt === 0 ? 'gateway' : 'exchange', (times.reportedAt - times.readAt) / 1000);
    const spent = stagesOf(times);
    if (spent === null) return;
    for (const stage of ORDER_STAGES) stages.observe(stage, Math.max(0, spent[stage]) / 1000);
  };
}
