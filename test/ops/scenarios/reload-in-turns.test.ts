// A changed set of sessions that is taken over a few at a time: what comes in between.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hashPassword } from '../../../src/engine/logon/password-hash.ts';
import { Passwords } from '../../../src/engine/logon/passwords.ts';
import { admitSession, newcomer } from '../../../src/runtime/admission/template-sessions.ts';
import { Tag } from '../../../src/wire/mod.ts';
import { type FixConnection, openFix } from '../../support/network/fix-connection.ts';
import { ACCOUNT, type RunningGateway, runningGateway, sessionFile } from '../running-gateway.ts';

const NAMES = Array.from({ length: 10 }, (_, index) => `OMS${index}`);
const TEMPLATE = `${sessionFile('"*"').replace('oms.password', '{targetCompID}.password')}template: true\n`;
const COPY = `senderCompID: GATE
targetCompID: ZCOPY
kind: dropCopy
password: file:secrets/oms.password
accounts: [{ account: "${ACCOUNT}" }]
cancelOnDisconnect: { on: "off" }
`;

const manySessions = (orderQtyMax?: string): Record<string, string> =>
  Object.fromEntries(NAMES.map((name) => [`${name}.yaml`, sessionFile(name, orderQtyMax)]));

/** A machine so slow that each session has a turn of the event loop of its own. */
function slowMachine(): void {
  const now = performance.now.bind(performance);
  let late = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ++late * 10);
  onTestFinished(() => clock.mockRestore());
}

function change({ folder }: RunningGateway, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) folder.write(`sessions/${name}`, text);
}

/** Take the folder over, and look around in each turn of the event loop until that is done. */
async function applied({ engine, folder }: RunningGateway, look: () => void, keepsMost = false) {
  const { sessions } = folder.load().config!;
  slowMachine();
  let isOver = false;
  const applying = engine.administration.applySessions(sessions, 'ann', { keepsMost }).finally(() => {
    isOver = true;
  });
  // Reported below.
  applying.catch(() => {});
  while (!isOver) {
    await nextTurn();
    look();
  }
  return await applying;
}

/** How many sessions have the new limit. */
const changedIn = ({ engine }: RunningGateway, orderQtyMax: string): number =>
  [...engine.sessionConfigs.values()].filter(({ gateway }) => gateway.limits?.orderQtyMax === orderQtyMax).length;

test('sessions that changed at once are taken over one after the other, and orders have their turn between', async () => {
  const gateway = await runningGateway(manySessions());
  change(gateway, manySessions('7'));
  const seen = new Set<number>();
  const { changed, unchanged } = await applied(gateway, () => seen.add(changedIn(gateway, '7')));
  expect([...seen]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(changed.map(({ name }) => name)).toEqual(NAMES);
  expect(unchanged).toBe(1);
});

test('each session that is taken over is in the audit trail before any order under its new settings can be', async () => {
  const gateway = await runningGateway({ ...manySessions(), 'ZGONE.yaml': sessionFile('ZGONE') });
  const audited: string[] = [];
  const { administration } = gateway.engine;
  const audit = administration.audit.bind(administration);
  vi.spyOn(administration, 'audit').mockImplementation((who, action, detail) => {
    audited.push(`${who} ${action} ${detail.split(' ')[0]}`);
    audit(who, action, detail);
  });
  change(gateway, { ...manySessions('7'), 'ZNEW.yaml': sessionFile('ZNEW', '7') });
  rmSync(join(gateway.folder.path, 'sessions', 'ZGONE.yaml'));
  const { slots } = gateway.engine.dispatcher;
  await applied(gateway, () => {
    const retired = [...slots.values()].filter((slot) => slot.retired).length;
    expect(audited).toHaveLength(changedIn(gateway, '7') + retired);
  });
  expect(audited).toEqual([
    ...NAMES.map((name) => `ann configuration: session changed ${name}`),
    'ann configuration: session added ZNEW',
    'ann configuration: session retired ZGONE',
  ]);
});

test('applies no session if one is refused, even the last one', async () => {
  const gateway = await runningGateway({ ...manySessions(), 'ZHUB.yaml': sessionFile('ZHUB') });
  const role = 'role: initiator\nconnect: { addresses: ["127.0.0.1:1"], reconnectFirstMs: 60000 }\n';
  change(gateway, { ...manySessions('7'), 'ZHUB.yaml': `${sessionFile('ZHUB', '7')}${role}` });
  const applying = applied(gateway, () => expect(changedIn(gateway, '7')).toBe(0));
  await expect(applying).rejects.toThrow('the role of the session changed; restart the gateway to take it over');
  expect(changedIn(gateway, '7')).toBe(0);
});

test('no order comes between the look at the open orders of a session and its becoming a drop copy', async () => {
  const gateway = await runningGateway({ ...manySessions(), 'ZCOPY.yaml': sessionFile('ZCOPY') });
  change(gateway, { ...manySessions('7'), 'ZCOPY.yaml': COPY });
  const kinds: unknown[] = [];
  await applied(gateway, () => {
    if (changedIn(gateway, '7') > 0) kinds.push(gateway.engine.sessionConfigs.get('FIX.4.4:GATE->ZCOPY')?.gateway.kind);
  });
  expect(new Set(kinds)).toEqual(new Set(['dropCopy']));
});

test('a session that a Logon makes from a template while others are taken over is none that was removed', async () => {
  for (const isAtOnce of [true, false]) {
    const gateway = await runningGateway({ ...manySessions(), 'CLIENTS.yaml': TEMPLATE });
    const { engine, folder } = gateway;
    change(gateway, { ...manySessions('7'), 'ZNEW.yaml': sessionFile('ZNEW') });
    rmSync(join(folder.path, 'sessions', 'OMS0.yaml'));
    const made: string[] = [];
    const { added, changed, retired } = await applied(gateway, () => {
      // Before the first is changed, or after it: an unknown one, and one with a new file.
      if (made.length > 0 || changedIn(gateway, '7') > 0 === isAtOnce) return;
      for (const name of ['ACME', 'ZNEW'])
        made.push(admitSession(engine, newcomer(engine, `FIX.4.4:GATE->${name}`)!).sessionId);
    });
    expect(retired).toEqual([]);
    expect(engine.dispatcher.slots.get('FIX.4.4:GATE->ACME')).toMatchObject({ enabled: true, retired: false });
    expect(added).toEqual([]);
    expect(changed.find(({ name }) => name === 'ZNEW')?.detail).toContain('its file is sessions/ZNEW.yaml now');
    expect(engine.sessionConfigs.get('FIX.4.4:GATE->ZNEW')?.madeFrom).toBeUndefined();
    vi.restoreAllMocks();
  }
});

test('a gateway stopped during an application has all of the sessions, or none, next turn', async () => {
  for (const whenChanged of [0, 3]) {
    const gateway = await runningGateway(manySessions());
    change(gateway, manySessions('7'));
    let closing: Promise<void> | null = null;
    const counts: number[] = [];
    const applying = applied(gateway, () => {
      counts.push(changedIn(gateway, '7'));
      if (counts.at(-1) === whenChanged) closing ??= gateway.engine.close();
    });
    if (whenChanged === 0) await expect(applying).rejects.toThrow('the gateway is stopping');
    else await applying;
    expect(counts.at(-1)).toBe(whenChanged === 0 ? 0 : NAMES.length);
    expect(counts).not.toContain(whenChanged + 1);
    vi.restoreAllMocks();
    await closing;
  }
});

const passwordIn = (name: string): string => sessionFile('OMS').replace('oms.password', name);

/** A gateway with two hashed passwords; the session file names the first. */
async function passwordGateway(files: (secret: string) => string): Promise<RunningGateway> {
  const hashes = await Promise.all(['the one before', 'the one behind'].map((password) => hashPassword(password, 8)));
  return await runningGateway({ 'OMS.yaml': files('0.password') }, {}, (path) => {
    mkdirSync(join(path, 'state', 'secrets'), { recursive: true, mode: 0o700 });
    hashes.forEach((hash, i) => {
      writeFileSync(join(path, 'state', 'secrets', `${i}.password`), hash, { mode: 0o600 });
    });
  });
}

/** Take another file over once the password of the next Logon proved right, and before the Logon is decided. */
function appliedMeanwhile(gateway: RunningGateway, file: string): void {
  const { verify } = Passwords.prototype;
  const meanwhile = vi.spyOn(Passwords.prototype, 'verify').mockImplementationOnce(async function (
    this: Passwords,
    ...asked
  ) {
    const isRight = await verify.apply(this, asked);
    change(gateway, { 'OMS.yaml': file });
    expect((await gateway.ask('/api/configuration/apply', {})).body.text).toMatch(/^OMS changed: /);
    return isRight;
  });
  onTestFinished(() => meanwhile.mockRestore());
}

async function logOn(gateway: RunningGateway, password: string): Promise<FixConnection> {
  const fix = await openFix(gateway.engine.addresses[0]!.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(() => fix.destroy());
  fix.send(`35=A|98=0|108=30|554=${password}`);
  return fix;
}

test('S1 a Logon checked while another password is taken over fails: the new one counts', async () => {
  const gateway = await passwordGateway(passwordIn);
  appliedMeanwhile(gateway, passwordIn('1.password'));
  for (const attempt of ['during', 'behind']) {
    const refused = await logOn(gateway, 'the one before');
    await refused.expectClosed();
    expect(refused.received, attempt).toEqual([]);
  }
  await (await logOn(gateway, 'the one behind')).expect('the Logon', ({ msgType }) => msgType === 'A');
});

const changeable = (secret: string): string => `${passwordIn(secret)}logon: { newPasswordOverlapMs: 60000 }\n`;
const CHANGING = '35=A|98=0|108=30|141=Y|554=the one before|925=a new and long one';

test('S1 refuses a NewPassword(925) checked while another password is taken over', async () => {
  const gateway = await passwordGateway(changeable);
  const fix = await logOn(gateway, 'the one before');
  await fix.next();
  appliedMeanwhile(gateway, changeable('1.password'));
  fix.nextSenderMsgSeqNum = 1;
  fix.send(CHANGING);
  expect((await fix.next()).msgType).toBe('5');
  expect(existsSync(join(gateway.stateDirectory, 'passwords'))).toBe(false);
});

test('and is taken if other material was taken over', async () => {
  const gateway = await passwordGateway(changeable);
  const fix = await logOn(gateway, 'the one before');
  await fix.next();
  appliedMeanwhile(gateway, changeable('0.password').replace('orderQtyMax: "10"', 'orderQtyMax: "7"'));
  fix.nextSenderMsgSeqNum = 1;
  fix.send(CHANGING);
  fix.send('35=1|112=behind');
  expect((await fix.next()).msgType).toBe('A');
  expect((await fix.next()).string(Tag.TestReqID)).toBe('behind');
  expect(existsSync(join(gateway.stateDirectory, 'passwords'))).toBe(true);
});
