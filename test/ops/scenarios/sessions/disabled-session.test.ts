// A session that may not log on now, beside one of the same CompIDs, or a template, that would take its Logon.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { formatUtcTimestamp } from '../../../../src/base/time.ts';
import { OutboundLoads } from '../../../../src/engine/sessions/outbound-loads.ts';
import { type FixConnection, openFix, report } from '../../../support/network/fix-connection.ts';
import {
  ACCOUNT,
  eventually,
  GATEWAY,
  type RunningGateway,
  runningGateway,
  sessionFile,
  startedFrom,
} from '../../running-gateway.ts';

async function logOn(gateway: RunningGateway, fields: string): Promise<FixConnection> {
  const fix = await openFix(gateway.engine.addresses[0]!.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(() => fix.destroy());
  const password = readFileSync(join(gateway.stateDirectory, 'secrets', 'oms.password'), 'utf8').trim();
  fix.send(`35=A${fields}|98=0|108=30|141=Y|554=${password}`);
  return fix;
}

const DESK = `${sessionFile('OMS', '1')}targetSubID: DESK\n`;
const TEMPLATE = `${sessionFile('"*"')}template: true\ntemplateSessionsMax: 5\n`;

test.each([
  ['the session of the same CompIDs', { 'OMS.yaml': sessionFile('OMS') }],
  ['a template', { 'OMS.yaml': sessionFile('ELSEWHERE'), 'CLIENTS.yaml': TEMPLATE }],
] as const)('a session that is disabled does not trade as %s', async (_, others) => {
  const gateway = await runningGateway({ ...others, 'DESK.yaml': DESK });
  expect((await gateway.ask('/api/sessions/DESK/disable', { why: 'drill' })).status).toBe(200);
  const kept = await logOn(gateway, '|50=DESK');
  await kept.expectClosed();
  expect(kept.received).toEqual([]);
  expect(gateway.logged.join('\n')).toContain('no session FIX.4.4:GATE->OMS/DESK is open on listener plain');
  expect((await gateway.ask('/api/sessions/DESK/enable', { why: 'over' })).status).toBe(200);
  const again = await logOn(gateway, '|50=DESK');
  expect((await again.next()).string(57)).toBe('DESK');
});

test('nor does one on a listener that is not its own', async () => {
  const listeners = '[{ name: plain, port: 0 }, { name: inner, port: 0 }]';
  const gateway = await runningGateway({
    'gateway.yaml': GATEWAY.replace('[{ name: plain, port: 0 }]', listeners),
    'DESK.yaml': `${DESK}listeners: [inner]\n`,
  });
  const kept = await logOn(gateway, '|50=DESK');
  await kept.expectClosed();
  expect(kept.received).toEqual([]);
});

test.each([
  ['the session of the same CompIDs', { 'OMS.yaml': sessionFile('OMS') }, 'OMS', 'OMS'],
  ['a template', { 'OMS.yaml': sessionFile('ELSEWHERE'), 'CLIENTS.yaml': TEMPLATE }, 'CLIENTS', 'CLIENTS:OMS'],
] as const)(
  'a session with a removed file gives its Logons to %s, before and after a restart',
  async (_, others, heir, taker) => {
    const gateway = await runningGateway({ ...others, 'DESK.yaml': DESK });
    const desk = await logOn(gateway, '|50=DESK');
    expect((await desk.next()).string(57)).toBe('DESK');
    rmSync(join(gateway.folder.path, 'sessions', 'DESK.yaml'));
    const { body } = await gateway.ask('/api/configuration/apply', {});
    expect(body.text).toContain(`DESK retired: FIX.4.4:GATE->OMS/DESK; its Logons are taken by ${heir} now.`);
    desk.send('35=5');
    await desk.expectClosed();
    const takenBy = async (one: RunningGateway): Promise<unknown[]> => {
      const again = await logOn(one, '|50=DESK');
      expect((await again.next()).msgType).toBe('A');
      const { sessions } = (await one.ask('/api/sessions')).body as {
        sessions: { name: string; status: { state: string } }[];
      };
      again.destroy();
      return sessions.filter(({ status }) => status.state === 'loggedOn').map(({ name }) => name);
    };
    expect(await takenBy(gateway)).toEqual([taker]);
    const second = await startedFrom(gateway, others);
    expect(await takenBy(second)).toEqual([taker]);
  },
);

test('a session with a removed file keeps no neighbour out, before and after a restart', async () => {
  const few = GATEWAY.replace('fix: {', 'fix: { limits: { failedLogonsPerMinute: 1 },');
  const files = { 'gateway.yaml': few, 'OMS.yaml': sessionFile('ELSEWHERE') };
  const gateway = await runningGateway({ ...files, 'DESK.yaml': DESK });
  const desk = await logOn(gateway, '|50=DESK');
  expect((await desk.next()).msgType).toBe('A');
  rmSync(join(gateway.folder.path, 'sessions', 'DESK.yaml'));
  const { body } = await gateway.ask('/api/configuration/apply', {});
  expect(body.text).toContain('DESK retired: FIX.4.4:GATE->OMS/DESK; its Logons are refused.');
  desk.destroy();
  for (const one of [gateway, await startedFrom(gateway, files)]) {
    for (let i = 0; i < 2; i++) {
      const kept = await logOn(one, '|50=DESK');
      await kept.expectClosed();
      expect(kept.received).toEqual([]);
    }
    await one.logOn('ELSEWHERE');
  }
});

test("an operator's disable lasts while its file is away, until enabled or changed", async () => {
  const gateway = await runningGateway({ 'DESK.yaml': DESK });
  const isEnabled = async (): Promise<unknown> => (await gateway.ask('/api/sessions/DESK')).body.enabled;
  const applied = async (): Promise<unknown> => (await gateway.ask('/api/configuration/apply', {})).body.text;
  const removed = async (): Promise<void> => {
    rmSync(join(gateway.folder.path, 'sessions', 'DESK.yaml'));
    expect(await applied()).toContain('DESK retired');
  };
  expect((await gateway.ask('/api/sessions/DESK/disable', { why: 'runs wild' })).status).toBe(200);
  await removed();
  gateway.folder.write('sessions/DESK.yaml', DESK);
  expect(await applied()).toContain('DESK changed: is back, disabled by an operator as before.');
  expect(await isEnabled()).toBe(false);
  expect((await gateway.ask('/api/sessions/DESK/enable', { why: 'mended' })).status).toBe(200);
  await removed();
  gateway.folder.write('sessions/DESK.yaml', DESK);
  expect(await applied()).toContain('DESK changed: is back.');
  expect(await isEnabled()).toBe(true);

  expect((await gateway.ask('/api/sessions/DESK/disable', { why: 'again' })).status).toBe(200);
  for (const isWanted of [false, true]) {
    gateway.folder.write('sessions/DESK.yaml', `${DESK}enabled: ${isWanted}\n`);
    await applied();
    expect(await isEnabled()).toBe(isWanted);
  }
});

test('C1 S7 a disabled, logged-out or removed session sends no waiting or later order', async () => {
  const rest = 'cancelOnDisconnect: { on: "off" }\n';
  const slow = `${rest}messageRate: { max: 1, burst: 1, perMs: 60000, excess: queue, queueAgeMaxMs: 60000 }\n`;
  const files = Object.fromEntries(
    ['disable', 'logout', 'removed'].flatMap((name) => [
      [`SLOW_${name}.yaml`, `${sessionFile(`SLOW_${name}`)}${slow}`],
      [`FAST_${name}.yaml`, `${sessionFile(`FAST_${name}`)}${rest}`],
    ]),
  );
  const gateway = await runningGateway({ ...files, 'GONE.yaml': sessionFile('GONE') });
  const end = async (how: string, name: string): Promise<void> => {
    if (how === 'removed') {
      rmSync(join(gateway.folder.path, 'sessions', `${name}.yaml`));
      expect((await gateway.ask('/api/configuration/apply', {})).status).toBe(200);
    } else expect((await gateway.ask(`/api/sessions/${name}/${how}`, { why: 'runs wild' })).status).toBe(200);
  };
  for (const how of ['disable', 'logout', 'removed']) {
    const hasty = await gateway.logOn(`SLOW_${how}`);
    for (const clOrdID of ['first', 'waits']) hasty.send(order(clOrdID));
    await hasty.expect('the first order works', report('first', '0'));
    await end(how, `SLOW_${how}`);
    expect(await ordersOf(gateway, `SLOW_${how}`), how).toEqual(['first 39=0', 'waits 39=8']);

    const fast = await gateway.logOn(`FAST_${how}`);
    fast.send(order('first'));
    await fast.expect('the first order works', report('first', '0'));
    await end(how, `FAST_${how}`);
    await fast.expect('our Logout', (view) => view.msgType === '5');
    fast.send(order('behind'));
    fast.send('35=5');
    await fast.expectClosed();
    expect(await ordersOf(gateway, `FAST_${how}`), how).toEqual(['behind 39=8', 'first 39=0']);
  }
  // A returning session gets the reason.
  const back = await openFix(gateway.engine.addresses[0]!.port, { senderCompID: 'FAST_logout', targetCompID: 'GATE' });
  onTestFinished(() => back.destroy());
  back.nextSenderMsgSeqNum = 5;
  const password = readFileSync(join(gateway.stateDirectory, 'secrets', 'oms.password'), 'utf8').trim();
  back.send(`35=A|98=0|108=30|554=${password}`);
  await back.expect('the Logon', (view) => view.msgType === 'A');
  back.send('35=2|7=1|16=0');
  const refused = await back.expect('the refusal', report('behind', '8', '8'));
  expect(refused.string(58)).toBe('The session is being logged out and takes no orders');
});

const order = (clOrdID: string): string =>
  `35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=1|40=2|44=52000|59=1|60=${formatUtcTimestamp(Date.now())}`;

async function ordersOf(gateway: RunningGateway, name: string): Promise<string[]> {
  const { body } = await gateway.ask(`/api/orders?session=${encodeURIComponent(`FIX.4.4:GATE->${name}`)}`);
  const found = body.orders as { clOrdID: string; ordStatus: string }[];
  return found.map(({ clOrdID, ordStatus }) => `${clOrdID} 39=${ordStatus}`).sort();
}

const QUEUES = `${sessionFile('SLOW')}cancelOnDisconnect: { on: "off" }
messageRate: { max: 1, burst: 1, perMs: 25000, excess: queue, queueAgeMaxMs: 60000 }
`;

test('C1 S7 nor while our Logout waits for a resend: no order is taken from the disable on', async () => {
  // The journal gives what is to be sent again when the test says so.
  const asked: (() => void)[] = [];
  const { ask } = OutboundLoads.prototype;
  const held = vi.spyOn(OutboundLoads.prototype, 'ask').mockImplementation(function (this: OutboundLoads, ...request) {
    asked.push(() => ask.apply(this, request));
  });
  onTestFinished(() => held.mockRestore());
  const rest = 'cancelOnDisconnect: { on: "off" }\n';
  const gateway = await runningGateway({ 'SLOW.yaml': QUEUES, 'FAST.yaml': `${sessionFile('FAST')}${rest}` });
  for (const name of ['SLOW', 'FAST']) {
    const fix = await gateway.logOn(name);
    fix.send(order('first'));
    await fix.expect('the first order works', report('first', '0'));
    if (name === 'SLOW') fix.send(order('waits'));
    const seqNum = fix.send('35=2|7=2|16=0');
    await eventually('the request for a resend', () => asked.length > 0);
    expect((await gateway.ask(`/api/sessions/${name}/disable`, { why: 'runs wild' })).status).toBe(200);
    if (name === 'FAST') {
      fix.send(order('behind'));
      // Its answer is held behind the resend: the order was taken or refused once this has been.
      fix.send('35=1|112=seen');
      const counted = async (): Promise<boolean> => {
        const { body } = await gateway.ask(`/api/sessions/${name}`);
        const { numbers } = body.status as { numbers: { nextTargetMsgSeqNum: number } };
        return numbers.nextTargetMsgSeqNum === seqNum + 3;
      };
      await eventually('the order to be read', counted);
    }
    const refused = name === 'SLOW' ? 'waits 39=8' : 'behind 39=8';
    expect(await ordersOf(gateway, name)).toEqual([refused, 'first 39=0'].sort());
    for (const read of asked.splice(0)) read();
    await fix.expect('our Logout', (view) => view.msgType === '5');
    fix.destroy();
  }
});

test('C1 S7 drops waiting orders at the logout, also with Logout(5) ahead of a gap', async () => {
  const gateway = await runningGateway({ 'SLOW.yaml': QUEUES });
  const fix = await gateway.logOn('SLOW');
  for (const clOrdID of ['first', 'waits']) fix.send(order(clOrdID));
  await fix.expect('the first order works', report('first', '0'));
  const lost = fix.nextSenderMsgSeqNum;
  fix.nextSenderMsgSeqNum += 1;
  fix.send('35=5');
  await fix.expect('our answer', (view) => view.msgType === '5');
  await fix.expect('the request for what is missing', (view) => view.msgType === '2');
  expect(await ordersOf(gateway, 'SLOW')).toEqual(['first 39=0', 'waits 39=8']);
  // Nor does one that is sent again begin to wait.
  fix.send(order('again'), { seqNum: lost, possDup: true });
  await eventually('the order is answered', async () => (await ordersOf(gateway, 'SLOW')).length === 3);
  expect(await ordersOf(gateway, 'SLOW')).toEqual(['again 39=8', 'first 39=0', 'waits 39=8']);
});
