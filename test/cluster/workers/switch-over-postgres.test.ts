// The steps of docs/operate/workers.md over PostgreSQL: `store copy` brings the journal of one process to the partitions, and their
// sessions go on with their numbers, messages and open orders.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { databaseOf, PostgresServer } from '../../store/postgres-server.ts';
import { type FixConnection, logOn, openFix, reconnect, report } from '../../support/network/fix-connection.ts';
import { ACME, limitOrder, PASSWORD } from '../../support/processes/exchange-house.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { type PartitionHouse, partitionHouse, SECOND_ACCOUNT, VENUE } from '../../support/processes/partition-house.ts';
import { containerEngine, describeWith } from '../../support/requirement.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SLOW = 180_000;
const OFF = { cancelOnDisconnect: { on: 'off' } };

describeWith(await containerEngine(), 'a gateway over PostgreSQL', () => {
  let server: PostgresServer;
  let house: PartitionHouse;
  let url: string;
  beforeAll(async () => {
    server = await PostgresServer.start();
    url = server.past(await server.createDatabase());
    // A node that gets no processor for three quarters of its lease gives up.
    const store = { kind: 'postgres', url: 'file:secrets/postgres.url', leaseMs: 60_000, requestTimeoutMs: 10_000 };
    const gateway = { workers: 1, store: { ...store, journal: 'desk' } };
    house = await partitionHouse({ 'gateway.yaml': gateway, 'ACME_OMS.yaml': OFF, 'VENUE_OMS.yaml': OFF });
    await writeFile(join(house.home.secrets, 'postgres.url'), `${url}\n`, { mode: 0o600 });
  }, SLOW);
  afterAll(async () => {
    await house?.close();
    await server?.stop();
  });

  const ofVenue = (order: string): string => order.replace(/1=\d{15}/, `1=${SECOND_ACCOUNT}`);
  const store = async (command: string, ...more: string[]): Promise<string> => {
    const state = `postgres:file:${join(house.home.secrets, 'postgres.url')},desk`;
    const args = ['src/cli/main.ts', 'store', command, '--state', state, ...more];
    const child = new LineProcess(process.execPath, args, { cwd: ROOT });
    expect([await child.ended(), child.lines.join('\n')]).toEqual([0, expect.anything()]);
    return child.lines.join('\n');
  };
  const logOut = async (fix: FixConnection): Promise<void> => {
    fix.send('35=5');
    await fix.expect('the Logout', ({ msgType }) => msgType === '5');
    fix.destroy();
  };
  const isRepeated = (clOrdID: string) => (view: MessageView) =>
    view.string(Tag.PossDupFlag) === 'Y' && view.string(Tag.ClOrdID) === clOrdID;

  test(
    'partitions that start from copies of one journal continue its numbers and open orders',
    async () => {
      let gateway = await house.start();
      const before: FixConnection[] = [];
      for (const identity of [ACME, VENUE]) {
        const fix = await openFix(gateway.fixPort, identity);
        await logOn(fix, { password: PASSWORD });
        before.push(fix);
      }
      const [acme, venue] = before as [FixConnection, FixConnection];
      acme.send(limitOrder('a-1', '0.03', '50000'));
      await acme.expect('New', report('a-1', '0', '0'));
      venue.send(ofVenue(limitOrder('v-1', '0.02', '49000')));
      await venue.expect('New', report('v-1', '0', '0'));
      for (const fix of before) await logOut(fix);
      expect(await gateway.interrupt()).toBe(0);

      const copied = await store('copy', '--to', 'desk-primary,desk-second');
      expect(copied.match(/records copied, all of it is whole/g)).toHaveLength(2);
      const commits = "select count(*)::int as commits from crossgate_commit where journal = 'desk'";
      const ofOne = await server.query(commits, databaseOf(url));
      await house.home.configure('gateway.yaml', { workers: 'auto' });
      gateway = await house.start();
      const after: FixConnection[] = [];
      for (const [k, identity] of [ACME, VENUE].entries()) {
        const { nextSenderMsgSeqNum, received } = before[k]!;
        const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum };
        const { connection, answer } = await reconnect(gateway.fixPort, identity, again);
        expect(answer.int(Tag.MsgSeqNum)).toBe(received.length + 1);
        connection.send('35=2|7=1|16=0');
        await connection.expect('the report of before', isRepeated(k === 0 ? 'a-1' : 'v-1'));
        after.push(connection);
      }
      const [acmeNow, venueNow] = after as [FixConnection, FixConnection];
      // Each partition has the order of its session: one is filled by the other's, one is cancelled, and neither ClOrdID is new.
      venueNow.send(ofVenue(limitOrder('v-2', '0.03', '50000')).replace('54=1', '54=2'));
      await venueNow.expect('the fill', report('v-2', 'F', '2'));
      await acmeNow.expect('the fill', report('a-1', 'F', '2'));
      const time = new Date().toISOString().replace(/-/g, '').replace('T', '-').replace('Z', '');
      venueNow.send(`35=F|11=v-3|41=v-1|55=BTCUSDC|54=1|60=${time}|38=0.02`);
      await venueNow.expect('the end of the order', (view) => view.string(Tag.OrdStatus) === '4');
      acmeNow.send(limitOrder('a-1', '0.01', '50000'));
      const refused = await acmeNow.expect('the refusal', report('a-1', '8'));
      expect(refused.string(Tag.Text)).toMatch(/was used before/);
      for (const fix of after) await logOut(fix);
      expect(await gateway.interrupt()).toBe(0);

      // The journal of one process is as it was.
      expect(await server.query(commits, databaseOf(url))).toEqual(ofOne);
      for (const partition of ['primary', 'second']) {
        expect(await store('verify', '--partition', partition)).toContain('All of it is whole.');
      }
    },
    SLOW,
  );
});
