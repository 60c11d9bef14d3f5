// A disk on which every call fails, under a real gateway process: strace answers EIO to whatever changes a file. No session stays
// mute (rule J2): a refusal or a cancel goes out, or the session is logged out with the reason, within 5 s.

import { expect, onTestFinished, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { attachable, Injection } from '../support/campaigns/injection.ts';
import { type FixConnection, reconnect, report } from '../support/network/fix-connection.ts';
import { ACCOUNT, ACME, exchangeHouse, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';
import { describeWith } from '../support/requirement.ts';

const CALLS =
  'pwrite64,pwritev,pwritev2,fdatasync,fsync,ftruncate,fallocate,rename,renameat,renameat2,mkdir,link,unlink';
const IN_TIME_MS = 5_000;
const BEFORE_THE_END_MS = 2_500;
const VENUE = { senderCompID: 'VENUE_OMS', targetCompID: 'EXCHANGE_TEST' };
const MIDDLE = { senderCompID: 'MIDDLE_OFFICE', targetCompID: 'EXCHANGE_TEST' };

/** How a session was answered, and after how long: by the message that it waits for, or by the end of the connection. */
async function answered(fix: FixConnection, matches: Parameters<FixConnection['expect']>[1]) {
  const begun = performance.now();
  const isAnswer: typeof matches = (view) => matches(view) || view.msgType === '5';
  const end = await Promise.race([
    fix.expect('an answer or a Logout', isAnswer, IN_TIME_MS).catch(() => null),
    fix.expectClosed(IN_TIME_MS).then(() => fix.received.find(isAnswer) ?? null),
  ]);
  return { msgType: end?.msgType ?? 'none', text: end?.string(Tag.Text) ?? '', ms: performance.now() - begun };
}

describeWith(await attachable(), 'with strace', () => {
  test('J2 beside a disk that answers EIO to every call no session is mute, and cancels reach the exchange', async () => {
    const house = await exchangeHouse();
    onTestFinished(() => house.close());
    const gateway = await house.start();
    const { fixPort, process: child } = gateway;
    const [acme, venue, middle] = await Promise.all(
      [ACME, VENUE, MIDDLE].map(async (identity) => {
        return (await reconnect(fixPort, identity, { password: PASSWORD })).connection;
      }),
    );
    acme!.send(limitOrder('rests', '0.01', '55000'));
    await acme!.expect('the order to rest', report('rests', '0'));
    const open = (): number => house.simulator.control.openOrders(ACCOUNT).length;
    expect(open()).toBe(1);

    const disk = await Injection.begin(child.pid, CALLS, 'error=EIO');
    onTestFinished(() => disk.drop());
    const waits = [
      // The gateway knows that the disk fails once something was written.
      answered(venue!, (view) => view.string(Tag.ClOrdID) === 'new'),
      answered(middle!, (view) => view.string(Tag.TestReqID) === 'are you there'),
      answered(acme!, (view) => view.string(Tag.ClOrdID) === 'cancel'),
    ];
    venue!.send(limitOrder('new', '0.01', '55001'));
    middle!.send('35=1|112=are you there');
    acme!.send(`35=F|41=rests|11=cancel|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|60=20261129-10:00:00`);
    // Unrecorded, and before the session ends: its end cancels as well (rule C1).
    await expect.poll(open, { timeout: BEFORE_THE_END_MS }).toBe(0);
    const ends = await Promise.all(waits);
    const [refused, asked, cancelled] = ends;
    console.log(`  dead disk: ${ends.map(({ msgType, ms }) => `35=${msgType} after ${ms.toFixed(0)} ms`).join(', ')}`);
    for (const { ms } of ends) expect(ms).toBeLessThan(IN_TIME_MS);
    for (const { msgType, text } of [refused!, asked!]) {
      expect(msgType).toBe('5');
      expect(text).toContain('the journal cannot record');
    }
    // A Logout could be counted in place of the report that waits: the connection ends alone, and the report comes later.
    expect(cancelled!.msgType).toBe('none');
    expect(disk.struck).toBeGreaterThan(0);

    await disk.end();
    const { connection } = await reconnect(fixPort, ACME, { password: PASSWORD });
    await connection.expect('the report of the cancel', report('cancel', '4', '4'));
    connection.send(limitOrder('after', '0.01', '55000'));
    await connection.expect('an order after the disk is well', report('after', '0'));
    connection.destroy();
  });
});
