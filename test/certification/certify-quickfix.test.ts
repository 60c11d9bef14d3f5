// An OMS on QuickFIX C++ certifies itself: cases of every group, over the real line, gateway and exchange of a desk. The whole suite
// runs in test/nightly.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fullProfile } from '../../src/certification/suite/profile.ts';
import { compileQuickfixOms, type QuickfixVersion, quickfix } from '../support/oms/quickfix.ts';
import { describeWith } from '../support/requirement.ts';
import { openDesk, PASSWORD, type TestDesk } from './support/desk.ts';
import { OmsBrain } from './support/oms-brain.ts';
import { QuickfixLine } from './support/quickfix-line.ts';

/** Of each group some that differ most. */
const CASES = [
  'session.logon',
  'session.reset',
  'session.gap',
  'session.duplicate',
  'session.resend',
  'session.sequence-reset',
  'orders.partial-fill',
  'orders.fill-again',
  'orders.fill-duplicate',
  'orders.status-is-no-fill',
  'orders.unsolicited-cancel',
  'changes.cancel-replaced',
  'changes.too-late',
  'changes.late-fill',
  'auctions.lockdown-cancel',
  'auctions.cross-part',
  'recovery.fill-lost',
  'recovery.crash-with-order',
  'recovery.cut-behind-order',
  'copies.market-data',
];
const COPIES = [
  'session.gap',
  'copies.order',
  'copies.fill',
  'copies.again',
  'copies.gap',
  'copies.away',
  'copies.cancel',
];
const ANSWER_S = 15;
const TIME_LIMIT_MS = 150_000;

interface Setup {
  readonly title: string;
  readonly version: QuickfixVersion;
  readonly session: string;
  readonly kind: 'order' | 'dropCopy';
  readonly cases: readonly string[];
}

const SETUPS: readonly Setup[] = [
  { title: 'an order session of FIX.4.4', version: 'FIX.4.4', session: '', kind: 'order', cases: CASES },
  {
    title: 'a drop copy of FIX.4.4',
    version: 'FIX.4.4',
    session: 'kind: dropCopy\n',
    kind: 'dropCopy',
    cases: COPIES,
  },
];

describeWith(await quickfix(), 'an OMS on QuickFIX C++', () => {
  for (const { title, version, session, kind, cases } of SETUPS) {
    let desk: TestDesk;
    let line: QuickfixLine;
    let folder = '';
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'crossgate-quickfix-'));
      const program = await compileQuickfixOms(folder);
      desk = await openDesk({ session: `beginString: ${version}\n${session}`, profile: fullProfile(kind, ANSWER_S) });
      const brain = new OmsBrain({
        send: (text) => line.send(text),
        logout: () => line.logout(),
        logon: () => line.logon(),
        disconnect: () => line.disconnect(),
        reset: () => line.reset(),
      });
      const numbers = { storeFolder: folder, resetOnLogon: false };
      const names = { senderCompID: 'CERT_OMS', targetCompID: 'EXCHANGE_TEST', password: PASSWORD };
      const options = { program, port: desk.port, ...names, ...numbers, beginString: version };
      line = new QuickfixLine(options, (view) => brain.take(view));
      for (const id of [...cases].reverse()) desk.desk.run(id);
      await desk.played(TIME_LIMIT_MS);
    }, TIME_LIMIT_MS);
    afterAll(async () => {
      await line.close();
      await desk.close();
      await rm(folder, { recursive: true, force: true });
    });

    test.each(cases)(`${title} passes %s`, (id) => {
      const { result } = desk.view().cases.find((one) => one.id === id)!;
      expect(result?.verdict, JSON.stringify(result?.steps, null, 1)).toBe('pass');
    });
  }
});
