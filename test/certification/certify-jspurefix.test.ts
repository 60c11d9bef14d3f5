// An OMS on jspurefix certifies itself in cases of every group. Where jspurefix breaks the session protocol, the suite says so.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { decidingStep } from '../../src/certification/mod.ts';
import { openDesk, PASSWORD, type TestDesk } from './support/desk.ts';
import { JspurefixLine } from './support/jspurefix-line.ts';
import { OmsBrain } from './support/oms-brain.ts';

const CASES = [
  'session.test-request',
  'session.gap',
  'session.sequence-reset',
  'orders.partial-fill',
  'orders.fill-again',
  'orders.unsolicited-cancel',
  'changes.cancel-replaced',
  'changes.one-of-two',
  'auctions.lockdown-cancel',
  'auctions.cross',
  'recovery.fill-lost',
  'recovery.crash-with-order',
];
const COPIES = ['copies.order', 'copies.fill', 'copies.again', 'copies.gap'];
/** jspurefix answers a message with a wrong CheckSum(10) by a Reject(3), where FIX has it ignored. */
const BROKEN = 'session.garbled';
const ANSWER_S = 8;
const TIME_LIMIT_MS = 120_000;

async function certified(cases: readonly string[], session: string): Promise<{ desk: TestDesk; line: JspurefixLine }> {
  const features =
    session === '' ? (['orders', 'replace', 'auctions', 'resend'] as const) : (['drop-copy', 'resend'] as const);
  const desk = await openDesk({ session, profile: { features: new Set(features), answerS: ANSWER_S } });
  const brain = new OmsBrain({
    send: (text) => line.send(text),
    logout: () => line.logout(),
    logon: () => line.logon(),
    disconnect: () => line.disconnect(),
    reset: () => line.reset(),
  });
  const names = { senderCompID: 'CERT_OMS', targetCompID: 'EXCHANGE_TEST', password: PASSWORD };
  const line = JspurefixLine.open({ port: desk.port, ...names, heartBtIntS: 10 }, (view) => brain.take(view));
  for (const id of [...cases].reverse()) desk.desk.run(id);
  await desk.played(TIME_LIMIT_MS);
  return { desk, line };
}

let orders: Awaited<ReturnType<typeof certified>>;
let copies: Awaited<ReturnType<typeof certified>>;

beforeAll(async () => {
  orders = await certified([...CASES, BROKEN], '');
  copies = await certified(COPIES, 'kind: dropCopy\n');
}, 2 * TIME_LIMIT_MS);

afterAll(async () => {
  for (const { desk, line } of [orders, copies]) {
    await line.close();
    await desk.close();
  }
});

const resultOf = ({ desk }: { desk: TestDesk }, id: string) => desk.view().cases.find((one) => one.id === id)!.result;

test.each(CASES)('an order session passes %s', (id) => {
  const result = resultOf(orders, id);
  expect(result?.verdict, JSON.stringify(result?.steps, null, 1)).toBe('pass');
});

test.each(COPIES)('a drop copy passes %s', (id) => {
  const result = resultOf(copies, id);
  expect(result?.verdict, JSON.stringify(result?.steps, null, 1)).toBe('pass');
});

test('fails an engine that answers a garbled message, with the reason', () => {
  const result = resultOf(orders, BROKEN);
  expect(result?.verdict).toBe('fail');
  expect(decidingStep(result!)?.detail).toMatch(/refuses a message of ours \(35=1\).*checksum/);
});
