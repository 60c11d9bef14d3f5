// An OMS on jspurefix certifies itself in cases of every group. Where jspurefix breaks the session protocol, the suite says so.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { decidingStep } from '../../src/certification/mod.ts';
import type { CaseResult } from '../../src/certification/run/case-result.ts';
import { openDesk, PASSWORD, type TestDesk } from './support/desk.ts';
import { JspurefixLine } from './support/jspurefix-line.ts';
import { laterLine, OmsBrain } from './support/oms-brain.ts';

/** Shared out to desks that play beside each other, as a case mostly waits. */
const SHARES: readonly (readonly string[])[] = [
  ['session.test-request', 'session.gap', 'session.sequence-reset', 'orders.partial-fill', 'orders.fill-again'],
  ['orders.unsolicited-cancel', 'changes.cancel-replaced', 'changes.one-of-two', 'auctions.lockdown-cancel'],
  ['auctions.cross', 'recovery.fill-lost', 'recovery.crash-with-order'],
];
const CASES = SHARES.flat();
const COPIES = ['copies.order', 'copies.fill', 'copies.again', 'copies.gap'];
/** jspurefix answers a message with a wrong CheckSum(10) by a Reject(3), where FIX has it ignored. */
const BROKEN = 'session.garbled';
const ANSWER_S = 20;
const TIME_LIMIT_MS = 180_000;

async function certified(cases: readonly string[], session: string): Promise<{ desk: TestDesk; line: JspurefixLine }> {
  const features =
    session === '' ? (['orders', 'replace', 'auctions', 'resend'] as const) : (['drop-copy', 'resend'] as const);
  const desk = await openDesk({ session, profile: { features: new Set(features), answerS: ANSWER_S } });
  const brain = new OmsBrain(laterLine(() => line));
  const names = { senderCompID: 'CERT_OMS', targetCompID: 'EXCHANGE_TEST', password: PASSWORD };
  const line = JspurefixLine.open({ port: desk.port, ...names, heartBtIntS: 10 }, (view) => brain.take(view));
  for (const id of [...cases].reverse()) desk.desk.run(id);
  await desk.played(TIME_LIMIT_MS);
  return { desk, line };
}

let played: Awaited<ReturnType<typeof certified>>[] = [];

beforeAll(async () => {
  const ofOrders = SHARES.map((cases, at) => certified(at === 0 ? [...cases, BROKEN] : cases, ''));
  played = await Promise.all([...ofOrders, certified(COPIES, 'kind: dropCopy\n')]);
}, TIME_LIMIT_MS);

afterAll(async () => {
  for (const { desk, line } of played) {
    await line.close();
    await desk.close();
  }
});

function resultOf(kind: 'order' | 'dropCopy', id: string): CaseResult | null {
  const found = played
    .map(({ desk }) => desk.view())
    .filter((view) => view.kind === kind)
    .flatMap(({ cases }) => cases.filter((one) => one.id === id && one.result !== null));
  return found[0]?.result ?? null;
}

test.each(CASES)('an order session passes %s', (id) => {
  const result = resultOf('order', id);
  expect(result?.verdict, JSON.stringify(result?.steps, null, 1)).toBe('pass');
});

test.each(COPIES)('a drop copy passes %s', (id) => {
  const result = resultOf('dropCopy', id);
  expect(result?.verdict, JSON.stringify(result?.steps, null, 1)).toBe('pass');
});

test('fails an engine that answers a garbled message, with the reason', () => {
  const result = resultOf('order', BROKEN);
  expect(result?.verdict).toBe('fail');
  expect(decidingStep(result!)?.detail).toMatch(/refuses a message of ours \(35=1\).*checksum/);
});
