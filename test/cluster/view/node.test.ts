// The whole: `workers: auto` starts a process for each partition, and commands of this node see and steer all of them.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../ops/running-gateway.ts';
import { logOn, openFix, reconnect, report } from '../../support/network/fix-connection.ts';
import { ACME, limitOrder, PASSWORD } from '../../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../../support/processes/gateway-process.ts';
import { kill, type PartitionHouse, partitionHouse, pidOf, VENUE } from '../../support/processes/partition-house.ts';

const SLOW = 180_000;
let house: PartitionHouse;
let gateway: GatewayProcess;
let url: string;
let token: string;

beforeAll(async () => {
  house = await partitionHouse();
  gateway = await house.start();
  const note = await readFile(join(house.home.state, 'admin.json'), 'utf8');
  ({ url } = JSON.parse(note));
  token = (await readFile(join(house.home.secrets, 'admin.token'), 'utf8')).trim();
}, SLOW);
afterAll(async () => {
  await house.close();
});

// biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of it
async function ask(path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const response = await fetch(new URL(path, url), {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

type Row = Readonly<Record<string, string>>;

test(
  'a node shows sessions and orders of all its processes, and stops trading in all of them',
  async () => {
    const acme = await openFix(gateway.fixPort, ACME);
    await logOn(acme, { password: PASSWORD });
    const venue = await openFix(gateway.fixPort, VENUE);
    await logOn(venue, { password: PASSWORD });
    acme.send(limitOrder('a-1', '0.01', '50000'));
    await acme.expect('New', report('a-1', '0', '0'));
    const { body: sessions } = await ask('/api/sessions');
    const on = sessions.sessions.filter(({ status }: { status: Row }) => status.state === 'loggedOn');
    expect(on.map(({ partition, name }: Row) => `${partition} ${name}`)).toEqual([
      'primary ACME_OMS',
      'second VENUE_OMS',
    ]);
    expect((await ask('/api/orders')).body.orders).toMatchObject([{ clOrdID: 'a-1', partition: 'primary' }]);
    await eventually('readiness', async () => (await ask('/readyz')).status === 200);

    const thrown = await ask('/api/kill-switches/throw', { scope: 'all', name: '', why: 'a test' });
    expect([thrown.status, thrown.body.done]).toEqual([200, true]);
    await acme.expect('the order is canceled', report('a-1', '4', '4'));
    const { body: actions } = await ask('/api/history/actions?text=kill');
    const thrownIn = actions.found.filter(({ action }: Row) => action === 'kill switch thrown');
    expect(thrownIn.map(({ partition }: Row) => partition).toSorted()).toEqual(['primary', 'second']);
  },
  SLOW,
);

test(
  'a changed file and a roll-back reach every process, and a killed process is named',
  async () => {
    const file = { 'limits.orderQtyMax': '7' };
    await house.home.configure('VENUE_OMS.yaml', file);
    const applied = await ask('/api/configuration/apply', { why: 'a test' });
    expect([applied.status, applied.body.ok]).toEqual([200, true]);
    const { body: versions } = await ask('/api/configuration/versions');
    expect(versions.versions.length).toBeGreaterThan(1);
    const back = await ask('/api/configuration/rollback', { version: 1, why: 'a test' });
    expect([back.status, back.body.ok]).toEqual([200, true]);
    expect(await readFile(join(house.home.sessions, 'VENUE_OMS.yaml'), 'utf8')).not.toContain('orderQtyMax: "7"');
    expect((await ask('/api/configuration/diff')).body.changes).toEqual([]);

    const { body: made } = await ask('/api/configuration/password', { name: 'VENUE_OMS', why: 'a test' });
    expect(made).toMatchObject({ done: true, partition: 'second' });
    await ask('/api/sessions/VENUE_OMS/logout', { why: 'a test' });
    const venue = await reconnect(gateway.fixPort, VENUE, { password: made.password });
    venue.connection.destroy();

    kill(pidOf(gateway, 'second'));
    await eventually('the partition to be named', async () => {
      const { partitions } = (await ask('/api/sessions')).body;
      return partitions.some(
        ({ name, answered }: { name: string; answered: boolean }) => name === 'second' && !answered,
      );
    });
    expect((await ask('/readyz')).status).toBe(503);
    const isBack = async (): Promise<boolean> => {
      const { partitions } = (await ask('/api/sessions')).body;
      return partitions.every(({ answered }: { answered: boolean }) => answered);
    };
    await eventually('the partition to be back', isBack, SLOW / 2);
    // Alarms lead to the console of the node, and not to the process that raised them.
    const { body: raised } = await ask('/api/alarms');
    expect(raised.alarms.length).toBeGreaterThan(0);
    for (const { runbook } of raised.alarms) expect(runbook).toMatch(new RegExp(`^${url}/docs/`));
    // A kill switch lasts over the end of a process.
    expect((await ask('/api/kill-switches')).body.killSwitches).toMatchObject([{ partition: 'primary, second' }]);
  },
  SLOW,
);
