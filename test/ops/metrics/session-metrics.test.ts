// Metrics of sessions: the lines of Prometheus' own library, in steps that leave orders their turn.

import { Gauge, Registry } from 'prom-client';
import { expect, test, vi } from 'vitest';
import { sessionLines } from '../../../src/ops/metrics/session-metrics.ts';
import { runningGateway } from '../running-gateway.ts';

type Measured = Parameters<typeof sessionLines>[0][number];

const session = (name: string, messagesIn: number): Measured =>
  ({
    name,
    enabled: true,
    retired: false,
    openOrders: messagesIn * 2,
    messagesIn,
    messagesOut: 7,
    queuedBytes: 0,
    resendRequests: { in: 0, out: 0 },
    status: {
      state: 'loggedOn',
      numbers: { series: 1, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 },
      gap: null,
      opening: null,
      lastReceivedAt: null,
    },
  }) as never;

/** The text, and how often it gave way. */
function written(sessions: readonly Measured[]): { readonly text: string; readonly turns: number } {
  const steps = sessionLines(sessions);
  for (let turns = 0; ; turns++) {
    const step = steps.next();
    if (step.done === true) return { text: step.value, turns };
  }
}

test('the text is that of the library for any session name, and sessions of one name are one line', async () => {
  const registry = new Registry();
  const gauge = new Gauge({
    name: 'crossgate_session_open_orders',
    help: 'Open orders of the FIX session.',
    labelNames: ['session'],
    registers: [registry],
  });
  gauge.inc({ session: 'OMS' }, 5);
  gauge.inc({ session: 'A "B"\\\n' }, 2);
  const { text } = written([session('OMS', 1), session('OMS', 1.5), session('A "B"\\\n', 1)]);
  expect(text).toContain(await registry.metrics());
  expect(text).toContain('crossgate_session_messages_total{session="OMS",direction="in"} 2.5\n');
});

test('of thousands of sessions some lines are written at a time, and they are looked at once for a scrape', async () => {
  const many = Array.from({ length: 5_000 }, (_, n) => session(`CLIENTS:C${n}`, n));
  const { text, turns } = written(many);
  expect(text.split('\n').filter((line) => line.startsWith('crossgate_'))).toHaveLength(70_000);
  expect(turns).toBe(700);
  const gateway = await runningGateway();
  const looked = vi.spyOn(gateway.engine.administration, 'sessions');
  const headers = { authorization: `Bearer ${gateway.token}` };
  const scrape = await (await fetch(new URL('/metrics', gateway.url), { headers })).text();
  expect(scrape).toMatch(/\n\n# HELP crossgate_session_up /);
  expect(looked).toHaveBeenCalledTimes(1);
});
