// An OMS with twelve misunderstandings: each is found by its case, at its step, with its tag and a hint, and no other case fails.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseView } from '../../src/certification/mod.ts';
import { decidingStep } from '../../src/certification/mod.ts';
import { openDesk, PASSWORD, type TestDesk } from './support/desk.ts';
import { FaultyLine, type LineFault, type LineHabit } from './support/faulty-line.ts';
import { type BookFault, laterLine, OmsBrain } from './support/oms-brain.ts';

interface Fault {
  readonly case: string;
  readonly line?: LineFault;
  readonly book?: BookFault;
  readonly verdict: 'fail' | 'missing';
  readonly tag: number;
  readonly step: RegExp;
  readonly hint: RegExp;
}

const FAULTS: readonly Fault[] = [
  {
    case: 'orders.fill-duplicate',
    line: 'ignores PossDupFlag',
    book: 'counts duplicates',
    verdict: 'fail',
    tag: 38,
    step: /OrderCancelReplaceRequest/,
    hint: /PossDupFlag\(43\)=Y with an old MsgSeqNum/,
  },
  {
    case: 'orders.new-names',
    book: 'reuses ClOrdID',
    verdict: 'fail',
    tag: 11,
    step: /NewOrderSingle/,
    hint: /never used before/,
  },
  {
    case: 'orders.fill-again',
    book: 'counts possible resends twice',
    verdict: 'fail',
    tag: 38,
    step: /OrderCancelReplaceRequest/,
    hint: /recognise it by its ExecID\(17\), and count it once/,
  },
  {
    case: 'orders.limit',
    line: 'wrong CheckSum',
    verdict: 'fail',
    tag: 10,
    step: /NewOrderSingle/,
    hint: /modulo 256, always written with three digits/,
  },
  {
    case: 'session.test-request',
    line: 'answers no TestRequest',
    verdict: 'missing',
    tag: 35,
    step: /Heartbeat/,
    hint: /Answer each TestRequest\(1\)/,
  },
  {
    case: 'orders.status-is-no-fill',
    book: 'counts status reports',
    verdict: 'fail',
    tag: 38,
    step: /OrderCancelReplaceRequest/,
    hint: /no fill comes on top/,
  },
  {
    case: 'session.sequence-reset',
    line: 'keeps its number in a SequenceReset',
    verdict: 'fail',
    tag: 35,
    step: /Heartbeat/,
    hint: /expect NewSeqNo\(36\) next/,
  },
  {
    case: 'changes.cancel-replaced',
    book: 'keeps the old name after a replace',
    verdict: 'fail',
    tag: 41,
    step: /OrderCancelRequest/,
    hint: /that of the replace/,
  },
  {
    case: 'session.resend',
    line: 'answers no ResendRequest',
    verdict: 'missing',
    tag: 35,
    step: /SequenceReset/,
    hint: /Answer ResendRequest\(2\)/,
  },
  {
    case: 'auctions.lockdown-cancel',
    book: 'presses on in lockdown',
    verdict: 'fail',
    tag: 35,
    step: /Nothing of that comes/,
    hint: /keep the order as it is until the cross/,
  },
  {
    case: 'session.connection-lost',
    line: 'wrong MsgSeqNum after a reconnect',
    verdict: 'fail',
    tag: 34,
    step: /Logon/,
    hint: /Keep your numbers on disk/,
  },
  {
    case: 'orders.unsolicited-cancel',
    book: 'keeps cancelled orders open',
    verdict: 'fail',
    tag: 35,
    step: /TestRequest/,
    hint: /The order has ended, as its last report says/,
  },
];

/** Sound cases between the others. */
const SOUND = [
  'session.two-test-requests',
  'orders.sell',
  'orders.partial-fill',
  'changes.cancel',
  'auctions.limit-on-close',
  'session.reset',
  'recovery.reset',
];
const HABITS: ReadonlyMap<string, LineHabit> = new Map([
  ['session.reset', 'resets in session'],
  ['recovery.reset', 'resets in session'],
]);
const HEART_BT_INT_S = 5;
const TIME_LIMIT_MS = 180_000;

/** Desks that play beside each other, as a case mostly waits. */
const DESKS = 4;
const played: { readonly desk: TestDesk; readonly line: FaultyLine }[] = [];

/** A desk with an OMS of its own that plays these cases. */
async function play(cases: readonly string[]): Promise<void> {
  const features = ['orders', 'replace', 'status', 'auctions', 'resend', 'reset'] as const;
  const desk = await openDesk({ profile: { features: new Set(features), answerS: 4 } });
  const lineFaults = new Map(FAULTS.flatMap((one) => (one.line === undefined ? [] : [[one.case, one.line] as const])));
  const bookFaults = new Map(FAULTS.flatMap((one) => (one.book === undefined ? [] : [[one.case, one.book] as const])));
  const brain = new OmsBrain(
    laterLine(() => line),
    'FIX.4.4',
    bookFaults,
  );
  const names = { senderCompID: 'CERT_OMS', targetCompID: 'EXCHANGE_TEST', password: PASSWORD };
  const habits = { heartBtIntS: HEART_BT_INT_S, faults: lineFaults, habits: HABITS };
  const line: FaultyLine = new FaultyLine({ port: desk.port, ...names, ...habits }, (view) => brain.take(view));
  played.push({ desk, line });
  for (const id of cases.toReversed()) desk.desk.run(id);
  await desk.played(TIME_LIMIT_MS);
}

beforeAll(async () => {
  const all = [...FAULTS.map((one) => one.case), ...SOUND];
  const shares = Array.from({ length: DESKS }, (_, desk) => all.filter((_, at) => at % DESKS === desk));
  await Promise.all(shares.map(play));
}, TIME_LIMIT_MS);

afterAll(async () => {
  for (const { desk, line } of played) {
    await line.close();
    await desk.close();
  }
});

const caseOf = (id: string): CaseView =>
  played.flatMap(({ desk }) => desk.view().cases).find((one) => one.id === id && one.result !== null)!;

test.each(FAULTS)('$case finds its fault at the right step, with tag $tag and the right hint', (fault) => {
  const { result } = caseOf(fault.case);
  const step = result === null ? null : decidingStep(result);
  const evidence = JSON.stringify(result?.steps, null, 1);
  expect(result?.verdict, evidence).toBe(fault.verdict);
  expect(step?.tag, evidence).toBe(fault.tag);
  expect(step?.text, evidence).toMatch(fault.step);
  expect(step?.hint, evidence).toMatch(fault.hint);
});

test.each(SOUND)('%s passes beside the faults', (id) => {
  const { result } = caseOf(id);
  expect(result?.verdict, JSON.stringify(result?.steps, null, 1)).toBe('pass');
});

test('takes a reset by a Logon on the live connection, and asks for nothing before its answer', () => {
  const { result } = caseOf('session.reset');
  const evidence = result?.steps.flatMap((step) => step.evidence) ?? [];
  expect(evidence.filter((line) => /\b35=A\|/.test(line))).toHaveLength(2);
  expect(evidence.some((line) => /\b35=5\|/.test(line))).toBe(false);
});
