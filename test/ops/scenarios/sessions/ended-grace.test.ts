// A grace time of cancel on disconnect is for a session that may come back: of one that may not, it is over (rule C1).

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../../../src/base/time.ts';
import { type FixConnection, report } from '../../../support/network/fix-connection.ts';
import {
  ACCOUNT,
  eventually,
  type RunningGateway,
  runningGateway,
  sessionFile,
  startedFrom,
} from '../../running-gateway.ts';

const DESK = `${sessionFile('DESK')}cancelOnDisconnect: { graceMs: 3600000 }\n`;

const order = (clOrdID: string): string =>
  `35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=1|40=2|44=52000|59=1|60=${formatUtcTimestamp(Date.now())}`;

async function statusOf(gateway: RunningGateway): Promise<string[]> {
  const { body } = await gateway.ask(`/api/orders?session=${encodeURIComponent('FIX.4.4:GATE->DESK')}`);
  return (body.orders as { ordStatus: string }[]).map(({ ordStatus }) => ordStatus);
}

async function withAnOrder(gateway: RunningGateway): Promise<FixConnection> {
  const desk = await gateway.logOn('DESK');
  desk.send(order('first'));
  await desk.expect('the order works', report('first', '0'));
  return desk;
}

async function inItsGraceTime(gateway: RunningGateway): Promise<FixConnection> {
  const desk = await withAnOrder(gateway);
  desk.destroy();
  const isGone = async (): Promise<boolean> =>
    ((await gateway.ask('/api/sessions/DESK')).body.status as { state: string }).state !== 'loggedOn';
  await eventually('the connection to be gone', isGone);
  expect(await statusOf(gateway)).toEqual(['0']);
  return desk;
}

const apply = async (gateway: RunningGateway): Promise<unknown> =>
  (await gateway.ask('/api/configuration/apply', {})).body.text;

const WAYS: Readonly<Record<string, (gateway: RunningGateway) => Promise<unknown>>> = {
  'disabled by an operator': async (gateway) =>
    (await gateway.ask('/api/sessions/DESK/disable', { why: 'runs wild' })).body.text,
  'disabled in its file': (gateway) => {
    gateway.folder.write('sessions/DESK.yaml', `${DESK}enabled: false\n`);
    return apply(gateway);
  },
  'taken away with its file': (gateway) => {
    rmSync(join(gateway.folder.path, 'sessions', 'DESK.yaml'));
    return apply(gateway);
  },
};

test.each(
  Object.keys(WAYS).flatMap((way) => [
    [way, 'while it is connected'],
    [way, 'in its grace time'],
  ]),
)('C1 the orders of a session that is %s %s are cancelled at once, and the operator is informed', async (way, when) => {
  const gateway = await runningGateway({ 'DESK.yaml': DESK });
  const desk = when === 'in its grace time' ? await inItsGraceTime(gateway) : await withAnOrder(gateway);
  const text = await WAYS[way]!(gateway);
  if (when !== 'in its grace time') await desk.expect('our Logout', (view) => view.msgType === '5');
  desk.destroy();
  await eventually('the order to be cancelled', async () => (await statusOf(gateway)).join() === '4');
  expect(text).toContain('1 open order: cancelOnDisconnect decides');
});

test('C1 so are those of a session that is disabled in its file while the gateway is down', async () => {
  const gateway = await runningGateway({ 'DESK.yaml': DESK });
  await inItsGraceTime(gateway);
  const next = await startedFrom(gateway, { 'DESK.yaml': `${DESK}enabled: false\n` });
  await eventually('the order to be cancelled', async () => (await statusOf(next)).join() === '4');
});
