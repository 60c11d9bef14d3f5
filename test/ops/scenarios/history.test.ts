// The past over HTTP and on the command line: what one process recorded, another one finds after a restart.

import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { Tag } from '../../../src/wire/mod.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { ACCOUNT, eventually, type RunningGateway, runningGateway, startedFrom } from '../running-gateway.ts';

const order = (clOrdID: string, price = '50000'): string =>
  `35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=${price}|59=1|60=20260105-12:00:00.000`;

/** A gateway that canceled one order, rejected another one, and raised an alarm. */
async function yesterday(): Promise<RunningGateway> {
  const gateway = await runningGateway();
  const fix = await gateway.logOn();
  fix.send(order('kept-1'));
  await fix.expect('New', (view) => view.string(Tag.ExecType) === '0');
  fix.send(`35=F|11=kept-2|41=kept-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|60=20260105-12:00:01.000`);
  await fix.expect('Canceled', (view) => view.string(Tag.ExecType) === '4');
  fix.send(order('wrong-1').replace('38=0.01', '38=99'));
  await fix.expect('Rejected', (view) => view.string(Tag.ExecType) === '8');
  gateway.engine.alarm('clock-offset', 'the clock is 2 s behind', { source: 'test' });
  await gateway.ask('/api/sessions/OMS/disable', { why: 'the weekend' });
  await gateway.engine.administration.recorded(2_000);
  return gateway;
}

async function found(gateway: RunningGateway, path: string): Promise<Record<string, unknown>[]> {
  const { status, body } = await gateway.ask(`/api/history/${path}`);
  expect([status, body.unread]).toEqual([200, []]);
  return body.found as Record<string, unknown>[];
}

test('after a restart the history has messages, orders, alarms and actions of the process before', async () => {
  const gateway = await startedFrom(await yesterday(), {});
  const messages = await found(gateway, 'messages?clOrdID=kept-1');
  expect(messages.map(({ direction, msgType }) => `${direction} ${msgType}`)).toEqual([
    'out 8',
    'out 8',
    'in F',
    'out 8',
    'in D',
  ]);
  const [rejected] = await found(gateway, 'orders?status=rejected');
  expect(rejected).toMatchObject({ clOrdID: 'wrong-1', ordStatus: '8' });
  expect(String(rejected?.text)).toContain('38');
  const [canceled] = await found(gateway, 'orders?clOrdID=kept-1');
  expect(canceled).toMatchObject({ clOrdID: 'kept-2', chain: ['kept-1', 'kept-2'], ordStatus: '4' });
  const alarms = await found(gateway, 'alarms?text=clock-offset');
  expect(alarms).toMatchObject([
    { alarm: 'clock-offset', text: 'the clock is 2 s behind', fields: { source: 'test' } },
  ]);
  const actions = await found(gateway, 'actions?text=weekend');
  expect(actions).toMatchObject([{ who: 'pat (shared token)', action: 'session disable' }]);
});

test('a search by type, session and tag comes in pages that lead to each other', async () => {
  const gateway = await yesterday();
  const page = await gateway.ask('/api/history/messages?session=OMS&type=8&tag=39&limit=2');
  const reports = page.body.found as { msgSeqNum: number }[];
  const rest = await gateway.ask(`/api/history/messages?session=OMS&type=8&tag=39&limit=2&before=${page.body.next}`);
  const numbers = [...reports, ...(rest.body.found as { msgSeqNum: number }[])].map(({ msgSeqNum }) => msgSeqNum);
  expect(numbers).toEqual([5, 4, 3, 2]);
  expect(rest.body.next).toBeNull();
});

test('passwords are neither shown in the history nor searched for', async () => {
  const gateway = await yesterday();
  const logons = await found(gateway, 'messages?type=A');
  expect(logons).toHaveLength(2);
  expect(String(logons[1]?.raw)).toMatch(/\|554=\*+\|/);
  for (const tag of ['554=secret', '925', '96=x']) {
    const { status, body } = await gateway.ask(`/api/history/messages?tag=${tag}`);
    expect([status, body.code]).toEqual([400, 'XG_USAGE']);
  }
  for (const path of [
    'messages?from=never',
    'messages?before=1',
    'orders?status=odd',
    'messages?tag=x',
    'messages?x=1',
  ])
    expect((await gateway.ask(`/api/history/${path}`)).status).toBe(400);
});

test('a storm of alarms is recorded up to its bound', async () => {
  const gateway = await runningGateway();
  for (let n = 0; n < 200; n++) gateway.engine.alarm('late-fill', `fill ${n}`, {});
  await gateway.engine.administration.recorded(2_000);
  await eventually('the alarms', async () => (await found(gateway, 'alarms?limit=200')).length >= 60);
  expect(await found(gateway, 'alarms?limit=200')).toHaveLength(60);
});

test('orders find and log find yesterday by session, status and ClOrdID', async () => {
  const gateway = await startedFrom(await yesterday(), {});
  const run = async (...words: string[]): Promise<string> => {
    const main = join(import.meta.dirname, '../../../src/cli/main.ts');
    const child = new LineProcess(process.execPath, [main, ...words, '--state', gateway.stateDirectory], {});
    expect(await child.ended()).toBe(0);
    return child.lines.join('\n');
  };
  const rejected = await run('orders', 'find', '--session', 'OMS', '--status', 'rejected');
  expect(rejected).toContain('wrong-1');
  expect(rejected).toContain('What happened');
  const canceled = await run('orders', 'find', '--from', '2020-01-01', '--json');
  expect(JSON.parse(canceled).orders.map(({ clOrdID }: { clOrdID: string }) => clOrdID)).toEqual(['wrong-1', 'kept-2']);
  const log = await run('log', '--cl-ord-id', 'kept-1');
  expect(log.split('\n').filter((line) => line.includes('=kept-1'))).toHaveLength(5);
});
