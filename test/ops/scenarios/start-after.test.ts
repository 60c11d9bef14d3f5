// A start's findings from the process before it: interrupted sessions, and orders of removed exchange logins.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type JournalEntry, readJournal } from '../../../src/store/mod.ts';
import { Tag } from '../../../src/wire/mod.ts';
import type { FixConnection } from '../../support/network/fix-connection.ts';
import {
  ACCOUNT,
  eventually,
  GATEWAY,
  type RunningGateway,
  runningGateway,
  sessionFile,
  startedFrom,
} from '../running-gateway.ts';

const RESTS = `1=${ACCOUNT}|55=BTCUSDC|54=1|38=1|40=2|44=49000|59=1|60=20260105-12:00:00.000`;
const STAYING = `${sessionFile('OMS')}cancelOnDisconnect: { on: "off" }\n`;

async function restingOrder(gateway: RunningGateway): Promise<FixConnection> {
  const oms = await gateway.logOn();
  oms.send(`35=D|11=o-1|${RESTS}`);
  await oms.expect('New', (view) => view.string(Tag.ExecType) === '0');
  return oms;
}

test("C1 records a crash's end of a session in one frame with the cancels", async () => {
  const first = await runningGateway();
  await restingOrder(first);
  const second = await startedFrom(first, {});
  await second.engine.close();
  const entries: JournalEntry[] = [];
  for await (const entry of readJournal(join(second.stateDirectory, 'journal'))) entries.push(entry);
  const ends = entries.filter(({ record }) => record.kind === 'state' && !record.loggedOn);
  const cancels = entries.filter(
    ({ record }) => record.kind === 'order' && record.record.includes('"kind":"disconnect"'),
  );
  expect([ends.length, cancels.length]).not.toContain(0);
  expect(cancels[0]!.frame).toBe(ends[0]!.frame);
  expect(ends[0]!.record).toMatchObject({ end: 'disconnect' });
});

describe('an order with a removed exchange login', () => {
  test('is cancelled by the login that reaches its account now', async () => {
    const first = await runningGateway({ 'OMS.yaml': STAYING });
    (await restingOrder(first)).destroy();
    await first.engine.close();
    const renamed = GATEWAY.replace('name: primary', 'name: secondary');
    const second = await startedFrom(first, { 'OMS.yaml': STAYING, 'gateway.yaml': renamed });
    const oms = await second.logOn();
    oms.send(`35=F|11=c-1|41=o-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=1|60=20260105-12:00:00.000`);
    const report = await oms.expect('its end', (view) => view.string(Tag.OrdStatus) === '4');
    expect(report.string(Tag.ClOrdID)).toBe('c-1');
  });

  test('O12 and an unreachable account: a kill switch cannot cancel it, and all others trade on', async () => {
    const first = await runningGateway({ 'OMS.yaml': STAYING });
    (await restingOrder(first)).destroy();
    await first.engine.close();
    const without = GATEWAY.replace('name: primary', 'name: secondary').replace(`"${ACCOUNT}", `, '');
    const other = sessionFile('OTHER').replace(ACCOUNT, '111000000000002');
    const second = await startedFrom(first, { 'OMS.yaml': other, 'gateway.yaml': without });
    const fix = await second.logOn('OTHER');
    const killed = await second.ask('/api/kill-switches/throw', { scope: 'all', name: '', why: 'left over' });
    expect(killed.body.text).toMatch(/^Thrown: 1 open order is/);
    fix.send('35=1|112=still-here');
    await fix.expect('the Heartbeat', (view) => view.string(Tag.TestReqID) === 'still-here');
  });
});

test('O12 throws a kill switch for removed sessions and accounts with open orders', async () => {
  const first = await runningGateway({ 'OMS.yaml': STAYING });
  (await restingOrder(first)).destroy();
  await first.engine.close();
  const second = await startedFrom(first, { 'OMS.yaml': sessionFile('OTHER') });
  const session = { scope: 'session', name: 'FIX.4.4:GATE->OMS', why: 'left over' };
  const thrown = await second.ask('/api/kill-switches/throw', session);
  expect(thrown).toMatchObject({ status: 200, body: { text: expect.stringMatching(/^Thrown: 1 open order is/) } });
  await eventually('the cancel', async () => {
    const { body } = await second.ask('/api/kill-switches');
    return (body.killSwitches as { openOrders: number }[])[0]!.openOrders === 0;
  });
  const none = { status: 404, body: { detail: expect.stringContaining('neither in the configuration nor with open') } };
  expect(await second.ask('/api/kill-switches/throw', { ...session, name: 'FIX.4.4:GATE->NOBODY' })).toMatchObject(
    none,
  );

  // A third start has neither the login nor the account of the order.
  const without = GATEWAY.replace('name: primary', 'name: secondary').replace(`"${ACCOUNT}", `, '');
  const other = sessionFile('OTHER').replace(ACCOUNT, '111000000000002');
  const third = await startedFrom(first, { 'OMS.yaml': other, 'gateway.yaml': without });
  const account = { scope: 'account', name: ACCOUNT, why: 'left over' };
  expect(await third.ask('/api/kill-switches/throw', account)).toMatchObject({ status: 200, body: { done: true } });
  expect(await third.ask('/api/kill-switches/throw', { ...account, name: '9' })).toMatchObject(none);
});

describe('a session that is configured again by a running gateway, after a start without it', () => {
  const OTHER = { 'OMS.yaml': sessionFile('OTHER') };

  async function configuredAgain(second: RunningGateway, file: string): Promise<string> {
    second.folder.write('sessions/BACK.yaml', file);
    const { body } = await second.ask('/api/configuration/apply', {});
    expect(body).toMatchObject({ ok: true, changes: { added: [{ name: 'BACK' }] } });
    return String(body.text);
  }

  test('J1 has the numbers that were asked for before its connection ended with the process', async () => {
    const first = await runningGateway();
    await first.logOn();
    const asked = { nextSenderMsgSeqNum: 70, nextTargetMsgSeqNum: 50, why: 'agreed' };
    expect((await first.ask('/api/sessions/OMS/numbers', asked)).body.text).toContain('is being logged out');
    const second = await startedFrom(first, OTHER);
    await configuredAgain(second, sessionFile('OMS'));
    const { numbers } = (await second.ask('/api/sessions/BACK')).body.status as { numbers: unknown };
    expect(numbers).toMatchObject({ nextSenderMsgSeqNum: 70, nextTargetMsgSeqNum: 50 });
    const third = await startedFrom(second, { 'OMS.yaml': sessionFile('OMS') });
    const status = (await third.ask('/api/sessions/OMS')).body.status as { numbers: unknown };
    expect(status.numbers).toMatchObject({ nextSenderMsgSeqNum: 70, nextTargetMsgSeqNum: 50 });
  });

  test('C1 has its end made up for: the orders that it left open are cancelled', async () => {
    const first = await runningGateway();
    await restingOrder(first);
    const second = await startedFrom(first, OTHER);
    await configuredAgain(second, sessionFile('OMS'));
    await eventually('the cancel', async () => {
      const { openOrders } = (await second.ask('/api/sessions/BACK')).body as { openOrders: number };
      return openOrders === 0;
    });
  });

  test('by a template that had made it is there at once, not only with its Logon', async () => {
    const template = `${sessionFile('"*"')}template: true\n`;
    const first = await runningGateway({ 'OMS.yaml': template });
    await first.logOn('ACME');
    const second = await startedFrom(first, OTHER);
    second.folder.write('sessions/CLIENTS.yaml', template);
    const { body } = await second.ask('/api/configuration/apply', {});
    expect(body.text).toContain('CLIENTS:ACME added: FIX.4.4:GATE->ACME.');
  });
});
