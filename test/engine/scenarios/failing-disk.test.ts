// Rule J2 where every call to the disk fails: no counterparty waits for an answer that never comes.

import { afterEach, expect, test } from 'vitest';
import { type FixEngine, newMessage, startAcceptor } from '../../../src/mod.ts';
import { FailingDisk } from '../../store/failing-disk.ts';
import { openIn, temporaryDirectory } from '../../store/journal-place.ts';
import { openFix } from '../../support/network/fix-connection.ts';

const TEXT = 'the journal cannot record at present, and no answer can be given: log on again later';
const IN_TIME_MS = 5_000;
const ORDER = '35=D|11=a|21=1|55=EUR|54=1|60=20261129-10:00:00|38=1|40=1';

let engine: FixEngine | null = null;
afterEach(async () => {
  await engine?.close().catch(() => {});
  engine = null;
});

/** An acceptor that answers each order with that report, on a disk that can be made to fail. */
async function house(report: Readonly<Record<string, string>>, isShared = false) {
  const disk = new FailingDisk();
  const store = await openIn(temporaryDirectory(), { disk });
  if (isShared) Object.assign(store, { kept: { read: () => null, write: async () => {} } });
  engine = await startAcceptor({
    port: 0,
    sessions: ['OMS', 'QUIET'].map((targetCompID) => ({ senderCompID: 'GATE', targetCompID })),
    application: {
      onMessage: (message, session) => {
        if (message.msgType === 'D') session.send(newMessage('8', { OrderID: '1', ExecID: '1', ...report }));
      },
    },
    store,
    limits: { shutdownWaitMs: 20 },
  });
  const { port } = engine;
  const logOn = async (senderCompID: string) => {
    const fix = await openFix(port, { senderCompID, targetCompID: 'GATE' });
    fix.send('35=A|98=0|108=30');
    return fix;
  };
  return { disk, logOn };
}

const REST = { Symbol: 'EUR', Side: '1', LeavesQty: '0', CumQty: '0', AvgPx: '0' };
const REFUSED = { ...REST, ExecType: '8', OrdStatus: '8' };

test('J2 a refusal that cannot be recorded logs the session out with the reason within 5 s', async () => {
  const { disk, logOn } = await house(REFUSED);
  const fix = await logOn('OMS');
  await fix.next();
  const quiet = await logOn('QUIET');
  await quiet.next();
  disk.fail('EIO', 'open', 'write', 'truncate', 'sync', 'syncBlocking', 'syncDirectory');
  fix.send(ORDER);
  const begun = performance.now();
  const logout = await fix.next();
  expect([logout.msgType, logout.string(58)]).toEqual(['5', TEXT]);
  await fix.expectClosed();
  expect(performance.now() - begun).toBeLessThan(IN_TIME_MS);
  // So is one that comes meanwhile, and one that waits for nothing stays.
  const again = await logOn('OMS');
  expect((await again.next()).string(58)).toBe(TEXT);
  await again.expectClosed();
  disk.heal();
  quiet.send('35=1|112=x');
  expect((await quiet.next()).string(112)).toBe('x');
  quiet.destroy();
});

test('J2 a waiting execution report ends the connection without a Logout that could be counted for it', async () => {
  const { disk, logOn } = await house({ ...REST, ExecType: 'F', OrdStatus: '2', LastQty: '1', LastPx: '1' });
  const fix = await logOn('OMS');
  await fix.next();
  disk.fail('EIO', 'open', 'write', 'truncate', 'sync', 'syncBlocking', 'syncDirectory');
  fix.send(ORDER);
  const begun = performance.now();
  await fix.expectClosed();
  expect(performance.now() - begun).toBeLessThan(IN_TIME_MS);
  disk.heal();
});

test('J2 no Logout is sent where another node may give its number to a report', async () => {
  const { disk, logOn } = await house(REFUSED, true);
  const fix = await logOn('OMS');
  await fix.next();
  disk.fail('EIO', 'open', 'write', 'truncate', 'sync', 'syncBlocking', 'syncDirectory');
  fix.send(ORDER);
  await fix.expectClosed();
  expect(fix.received.map(({ msgType }) => msgType)).toEqual(['A']);
  disk.heal();
});
