// An OMS on QuickFIX C++ certifies itself in both dialects: cases of every group, over the real line, gateway and exchange of a desk.
// Desks play beside each other, as a case mostly waits. The whole suite runs in test/nightly.

import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchangeDictionary } from '../interop/exchange-dictionary.ts';
import { compileQuickfixOms, quickfix } from '../support/oms/quickfix.ts';
import { describeWith } from '../support/requirement.ts';
import { type QuickfixDesk, type QuickfixDeskOptions, quickfixDesk } from './support/quickfix-desk.ts';

interface Setup extends Pick<QuickfixDeskOptions, 'dialect' | 'kind'> {
  readonly title: string;
  readonly cases: readonly string[];
}

/** Of each group some that differ most; shared out so that each desk takes about as long. */
const STANDARD: readonly Setup[] = [
  {
    title: 'an order session',
    kind: 'order',
    cases: [
      'session.logon',
      'session.reset',
      'session.gap',
      'session.duplicate',
      'orders.partial-fill',
      'orders.fill-again',
      'changes.cancel-replaced',
      'auctions.lockdown-cancel',
      'copies.market-data',
    ],
  },
  {
    title: 'an order session',
    kind: 'order',
    cases: [
      'session.resend',
      'session.sequence-reset',
      'orders.fill-duplicate',
      'orders.status-is-no-fill',
      'orders.unsolicited-cancel',
      'changes.too-late',
      'recovery.crash-with-order',
    ],
  },
  {
    title: 'an order session',
    kind: 'order',
    cases: ['changes.late-fill', 'auctions.cross-part', 'recovery.fill-lost', 'recovery.cut-behind-order'],
  },
  {
    title: 'a drop copy',
    kind: 'dropCopy',
    cases: ['session.gap', 'copies.order', 'copies.fill', 'copies.again', 'copies.gap', 'copies.away', 'copies.cancel'],
  },
];
const VENUE: readonly Setup[] = [
  {
    title: 'an order session in venue',
    dialect: 'venue',
    kind: 'order',
    cases: [
      'session.reset',
      'session.gap-at-logon',
      'session.resend-request',
      'orders.partial-fill',
      'orders.fill-again',
      'orders.unsolicited-cancel',
      'orders.rejected',
      'changes.cancel-replaced',
      'changes.replace-refused',
    ],
  },
  {
    title: 'an order session in venue',
    dialect: 'venue',
    kind: 'order',
    cases: [
      'changes.too-late',
      'auctions.lockdown-cancel',
      'auctions.cross-part',
      'recovery.fill-lost',
      'recovery.reset',
    ],
  },
  { title: 'a drop copy in venue', dialect: 'venue', kind: 'dropCopy', cases: ['copies.fill', 'copies.gap'] },
];
const ANSWER_S = 15;
const TIME_LIMIT_MS = 180_000;

const engine = await quickfix();

function certify(setups: readonly Setup[]): void {
  const desks: QuickfixDesk[] = [];
  beforeAll(async () => {
    const program = await compileQuickfixOms(tmpdir());
    const opened = setups.map((setup) => quickfixDesk({ ...setup, program, version: 'FIX.4.4', answerS: ANSWER_S }));
    desks.push(...(await Promise.all(opened)));
    await Promise.all(desks.map((desk, at) => desk.play(setups[at]!.cases, TIME_LIMIT_MS)));
  }, TIME_LIMIT_MS);
  afterAll(async () => {
    await Promise.all(desks.map((desk) => desk.close()));
  });

  const rows = setups.flatMap(({ title, cases }, at) => cases.map((id) => ({ title, id, at })));
  test.each(rows)('$title of FIX.4.4 passes $id', ({ id, at }) => {
    const { result } = desks[at]!.view().cases.find((one) => one.id === id)!;
    expect(result?.verdict, JSON.stringify(result?.steps, null, 1)).toBe('pass');
  });
}

describeWith(engine, 'an OMS on QuickFIX C++', () => certify(STANDARD));
describeWith(
  engine.missing === null ? exchangeDictionary() : engine,
  'an OMS on QuickFIX C++ with the data dictionary of the exchange',
  () => certify(VENUE),
);
