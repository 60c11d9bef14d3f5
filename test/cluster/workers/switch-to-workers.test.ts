// The steps of docs/operate/workers.md: a gateway in one process becomes one with workers, and its sessions keep their numbers.

import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Tag } from '../../../src/wire/mod.ts';
import { logOn, openFix, reconnect, report } from '../../support/network/fix-connection.ts';
import { ACME, limitOrder, PASSWORD } from '../../support/processes/exchange-house.ts';
import { partitionHouse, VENUE } from '../../support/processes/partition-house.ts';

test('sessions continue in their numbers after the journal of one process was copied to the partitions', async () => {
  const house = await partitionHouse({ 'gateway.yaml': { workers: 1 } });
  const { home } = house;
  try {
    let gateway = await house.start();
    const acme = await openFix(gateway.fixPort, ACME);
    await logOn(acme, { password: PASSWORD });
    acme.send(limitOrder('a-1', '0.01', '50000', '59=3'));
    await acme.expect('the end of the order', report('a-1', 'C'));
    const venue = await openFix(gateway.fixPort, VENUE);
    await logOn(venue, { password: PASSWORD });
    for (const one of [acme, venue]) {
      one.send('35=5');
      await one.expect('the Logout', ({ msgType }) => msgType === '5');
      one.destroy();
    }
    expect(await gateway.interrupt()).toBe(0);
    const files = ['journal', 'journal.witness'].map((name) => join(home.state, name));
    for (const partition of ['primary', 'second']) {
      const folder = join(home.state, 'partitions', partition);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const file of files) await cp(file, file.replace(home.state, folder), { recursive: true });
    }
    for (const file of files) await rm(file, { recursive: true });
    await home.configure('gateway.yaml', { workers: 'auto' });
    gateway = await house.start();
    for (const [before, identity] of [
      [acme, ACME],
      [venue, VENUE],
    ] as const) {
      const { nextSenderMsgSeqNum } = before;
      const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum };
      const { connection, answer } = await reconnect(gateway.fixPort, identity, again);
      expect(answer.int(Tag.MsgSeqNum)).toBe(before.received.length + 1);
      connection.send('35=1|112=here');
      await connection.expect('the Heartbeat', (view) => view.string(Tag.TestReqID) === 'here');
      connection.destroy();
    }
  } finally {
    await house.close();
  }
});
