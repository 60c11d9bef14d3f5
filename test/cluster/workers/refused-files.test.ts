// A partition that ends while files that were refused lie in the configuration folder: it cannot start with them, is tried again, and
// serves as soon as they are mended. The other partition does not notice.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addStatusCommand } from '../../../src/cli/admin/status.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { type FixConnection, logOn, openFix, reconnect, report } from '../../support/network/fix-connection.ts';
import { expectNoGap } from '../../support/oms/fills.ts';
import { ACME, limitOrder, PASSWORD } from '../../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../../support/processes/gateway-process.ts';
import {
  kill,
  type PartitionHouse,
  partitionHouse,
  pidOf,
  SECOND_ACCOUNT,
  VENUE,
} from '../../support/processes/partition-house.ts';
import { runCommand } from '../../support/processes/run-command.ts';

const SLOW = 300_000;
const password = { password: PASSWORD };
const TRIED_AGAIN = /its reason stands above, `crossgate check` shows faults of files/;
let house: PartitionHouse;
let gateway: GatewayProcess;
let acme: FixConnection;
let venue: FixConnection;
/** Messages of the connections before. */
const heard: MessageView[] = [];

beforeAll(async () => {
  house = await partitionHouse({
    'ACME_OMS.yaml': { cancelOnDisconnect: { on: 'off' } },
    'VENUE_OMS.yaml': { cancelOnDisconnect: { on: 'off' } },
  });
  gateway = await house.start();
  acme = await openFix(gateway.fixPort, ACME);
  await logOn(acme, password);
  venue = await openFix(gateway.fixPort, VENUE);
  await logOn(venue, password);
}, SLOW);
afterAll(async () => {
  acme?.destroy();
  venue?.destroy();
  await house?.close();
});

const ofVenue = (clOrdID: string): string =>
  limitOrder(clOrdID, '0.02', '50000').replace(/1=\d{15}/, `1=${SECOND_ACCOUNT}`);
const heartbeat = (id: string) => (view: MessageView) => view.string(Tag.TestReqID) === id;

async function lives(one: FixConnection, id: string): Promise<void> {
  one.send(`35=1|112=${id}`);
  await one.expect('the Heartbeat', heartbeat(id));
}

/** Lines of `crossgate status` that name the partition, and its exit code. */
async function statusOf(partition: string): Promise<{ code: number; line: string }> {
  const { code, out } = await runCommand(addStatusCommand, ['status', '--state', house.home.state]);
  return { code, line: out.split('\n').find((line) => line.startsWith(`${partition} `)) ?? out };
}

/** End the process of the partition `second`, and wait until a start of it was refused. */
async function endSecond(): Promise<void> {
  const from = gateway.process.lines.length;
  kill(pidOf(gateway, 'second'));
  await venue.expectClosed();
  await gateway.process.line(TRIED_AGAIN, SLOW, from);
}

/** Wait until it serves again; the OMS logs on, and misses nothing. */
async function backAgain(from: number): Promise<void> {
  await gateway.process.line(/"partition serves"/, SLOW, from);
  const { nextSenderMsgSeqNum, received } = venue;
  heard.push(...received);
  const { connection } = await reconnect(gateway.fixPort, VENUE, { ...password, reset: false, nextSenderMsgSeqNum });
  venue = connection;
  await lives(venue, `back-${from}`);
  expectNoGap([...heard, ...venue.received]);
  expect((await statusOf('second')).line).toMatch(/ running /);
}

test(
  'a partition that ends beside a refused session file is tried again until the file is mended',
  async () => {
    venue.send(ofVenue('v-1'));
    await venue.expect('New', report('v-1', '0', '0'));
    const from = gateway.process.lines.length;
    await house.home.configure('VENUE_OMS.yaml', { nonsense: true });
    await gateway.process.line(/"alarm":"configuration-invalid"/, SLOW, from);
    await lives(venue, 'refused');

    await endSecond();
    const said = gateway.process.lines.slice(from).join('\n');
    expect(said).toMatch(/VENUE_OMS\.yaml.*\n?.*nonsense/);
    expect(await statusOf('second')).toEqual({
      code: 1,
      line: expect.stringContaining('not starting, and tried again: its log has the reason'),
    });
    expect((await statusOf('primary')).line).toMatch(/ running /);
    const dropped = await openFix(gateway.fixPort, VENUE);
    dropped.send(`35=A|98=0|108=30|141=N|554=${PASSWORD}`);
    await dropped.expectClosed();
    expect(dropped.received).toEqual([]);
    acme.send(limitOrder('a-1', '0.01', '50000'));
    await acme.expect('New', report('a-1', '0', '0'));

    const mended = gateway.process.lines.length;
    await house.home.configure('VENUE_OMS.yaml', { nonsense: undefined });
    await backAgain(mended);
    venue.send('35=F|11=v-2|41=v-1|55=BTCUSDC|54=1|60=20260105-12:00:00');
    await venue.expect('the cancel', report('v-2', '4', '4'));
    await lives(acme, 'mended');
    expect(acme.closed).toBe(false);
    expectNoGap(acme.received);
  },
  SLOW,
);

test(
  'a rollback lets a partition start again that ended beside a file that cannot be read',
  async () => {
    const file = join(house.home.sessions, 'VENUE_OMS.yaml');
    const before = await readFile(file, 'utf8');
    const from = gateway.process.lines.length;
    await writeFile(file, 'targetCompID: [\n');
    await gateway.process.line(/"alarm":"configuration-invalid"/, SLOW, from);
    await endSecond();

    const rolledBack = gateway.process.lines.length;
    const admin = /console +(http\S+)/.exec(gateway.process.lines.join('\n'))![1]!;
    const token = (await readFile(join(house.home.secrets, 'admin.token'), 'utf8')).trim();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { versions } = (await (await fetch(`${admin}/api/configuration/versions`, { headers })).json()) as {
      versions: { version: number }[];
    };
    const body = JSON.stringify({ version: versions[0]!.version, why: 'the file was cut' });
    const answer = await fetch(`${admin}/api/configuration/rollback`, { method: 'POST', headers, body });
    const { text } = (await answer.json()) as { text: string };
    expect(text).toContain('second: The partition is not starting, and tried again');
    expect(text.match(/^primary: /gm)).toHaveLength(1);
    expect(await readFile(file, 'utf8')).toBe(before);
    await backAgain(rolledBack);
    await lives(acme, 'rolled-back');
    const shown = await fetch(`${admin}/api/configuration?session=VENUE_OMS`, { headers });
    expect(await shown.json()).toMatchObject({ partition: 'second' });
  },
  SLOW,
);
