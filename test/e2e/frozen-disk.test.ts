// The disk of a gateway stands still (fsfreeze, as a snapshot of a virtual machine does it) with everything it keeps there:
// the gateway does not. Orders are cancelled at the exchange meanwhile, and what waited for the disk is answered after it.

import { cp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { LoopDisk, loopDiskRequirement } from '../store/loop-disk.ts';
import { logOn, openFix, reconnect, report } from '../support/network/fix-connection.ts';
import { expectNoGap } from '../support/oms/fills.ts';
import {
  ACCOUNT,
  ACME,
  type ExchangeHouse,
  exchangeHouse,
  limitOrder,
  PASSWORD,
} from '../support/processes/exchange-house.ts';
import { describeWith } from '../support/requirement.ts';

/** A gateway with its state on that disk, and a logged-on OMS with a working first order. */
async function startOn(loop: LoopDisk, house: ExchangeHouse, clOrdID: string) {
  const { state } = house.home;
  await cp(state, join(loop.mount, 'state'), { recursive: true });
  await rm(state, { recursive: true });
  await symlink(join(loop.mount, 'state'), state);
  const gateway = await house.start();
  const fix = await openFix(gateway.fixPort, ACME);
  await logOn(fix, { password: PASSWORD });
  fix.send(limitOrder(clOrdID, '0.02', '60000'));
  await fix.expect('New', report(clOrdID, '0', '0'));
  return { gateway, fix };
}

describeWith(loopDiskRequirement(), 'a gateway whose disk stands still', () => {
  test('J2 an OrderCancelRequest leaves on a frozen disk, health is red, and all is answered later', async () => {
    const house = await exchangeHouse({ 'ACME_OMS.yaml': { cancelOnDisconnect: { on: 'off' } } });
    const loop = new LoopDisk();
    try {
      const { gateway, fix } = await startOn(loop, house, 'works');
      const admin = /http\S+/.exec(await gateway.process.line(/^ {2}(console|admin) {2,}http/))![0];
      const ready = async (): Promise<number> => (await fetch(new URL('/readyz', admin))).status;
      expect(await ready()).toBe(200);

      loop.freeze();
      fix.send('35=F|11=cancel|41=works|55=BTCUSDC|54=1|60=20260101-00:00:00');
      fix.send(limitOrder('late', '0.02', '60000'));
      // Answers come, red ones in the end; one that stands still gives none.
      while ((await ready()) === 200) await new Promise((resolve) => setTimeout(resolve, 100));
      while (house.simulator.control.openOrders(ACCOUNT).length > 0) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await loop.thaw();

      await fix.expect('Canceled', report('cancel', '4', '4'));
      const late = await fix.expect('the order that could not be recorded', report('late', '8', '8'));
      expect(late.string(Tag.Text)).toContain('Not sent to the exchange: the gateway cannot record it');
      expectNoGap(fix.received);
      while ((await ready()) !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
      fix.send(limitOrder('after', '0.02', '60000'));
      await fix.expect('New', report('after', '0', '0'));
    } finally {
      await loop.thaw();
      await house.close();
      await loop.remove();
    }
  });

  test('U5 a gateway stopped meanwhile reports its unclosed journal, and ends when the kernel allows', async () => {
    const house = await exchangeHouse({ 'gateway.yaml': { shutdownWaitMs: 200 } });
    const loop = new LoopDisk();
    try {
      const { gateway, fix } = await startOn(loop, house, 'before');

      loop.freeze();
      fix.send(limitOrder('late', '0.02', '60000'));
      gateway.process.signal('SIGTERM');
      await gateway.process.line(/could not be closed in order: its disk does not answer/);
      await loop.thaw();
      expect(await gateway.process.ended()).toBe('SIGKILL');

      // Confirmed records are there; others are requested, or were written as the kernel allowed, and have their
      // answer.
      const next = await house.start();
      const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum: fix.nextSenderMsgSeqNum };
      const { connection } = await reconnect(next.fixPort, ACME, again);
      const isAnswer = report('late', '8');
      const told = await connection.expect('the ResendRequest, or the end of the order', (view) => {
        return view.msgType === '2' || isAnswer(view);
      });
      const seqNum = told.int(Tag.BeginSeqNo);
      if (seqNum !== null)
        connection.send(`35=4|123=Y|36=${connection.nextSenderMsgSeqNum}`, { seqNum, possDup: true });
      connection.send('35=H|11=before|55=BTCUSDC|54=1');
      await connection.expect('status', report('before', 'I'));
    } finally {
      await loop.thaw();
      await house.close();
      await loop.remove();
    }
  });

  test('U5 a gateway with a permanently failed disk names the sessions with lost records, and exits 1', async () => {
    const house = await exchangeHouse({ 'gateway.yaml': { shutdownWaitMs: 200 } });
    const loop = new LoopDisk();
    try {
      const { gateway, fix } = await startOn(loop, house, 'before');
      loop.cutPower();
      fix.send(limitOrder('late', '0.02', '60000'));
      await gateway.process.line(/the journal .* cannot be written|journal-unhealthy/);
      gateway.process.signal('SIGTERM');
      const lost =
        /closed in order: .* records are not known to be recorded, of .*ACME_OMS.*: counterparties are asked to resend/;
      await gateway.process.line(lost);
      expect(await gateway.process.ended()).toBe(1);
    } finally {
      await house.close();
      await loop.remove();
    }
  });
});
