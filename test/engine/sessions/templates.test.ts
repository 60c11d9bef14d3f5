// Sessions made from templates, through the library's acceptor over TCP: who gets one, who does not, and what is left of it
// after a restart.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WRONG_CREDENTIALS } from '../../../src/engine/logon/authentication.ts';
import { hashPassword } from '../../../src/engine/logon/password-hash.ts';
import { type FixEngine, type FixSessionOptions, fileStore, type Journal, startAcceptor } from '../../../src/mod.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { type FixConnection, openFix } from '../../support/network/fix-connection.ts';

const TEMPLATE: FixSessionOptions = {
  senderCompID: 'XGATE',
  targetCompID: '*',
  access: { onRefusal: 'logout', answersUnproved: true },
  template: {
    sessionsMax: 2,
    passwordOf: ({ targetCompID }) => (targetCompID === 'UNKNOWN' ? null : `pw-${targetCompID}`),
  },
};

async function acceptor(
  sessions: readonly FixSessionOptions[],
  store?: Journal,
  said: string[] = [],
  failedLogonsPerMinute = 10,
): Promise<FixEngine & { up: string[] }> {
  const up: string[] = [];
  const engine = await startAcceptor({
    port: 0,
    sessions,
    limits: { failedLogonsPerMinute },
    log: (_level, text) => said.push(text),
    ...(store === undefined ? {} : { store }),
    application: {
      onMessage: () => {},
      onLogon: ({ sessionID }) => {
        up.push(sessionID);
      },
    },
  });
  onTestFinished(() => engine.close());
  return { ...engine, up };
}

async function logon(engine: FixEngine, senderCompID: string, fields: string, first = 1): Promise<FixConnection> {
  const connection = await openFix(engine.port, { senderCompID, targetCompID: 'XGATE', beginString: 'FIX.4.4' });
  onTestFinished(() => connection.destroy());
  connection.nextSenderMsgSeqNum = first;
  connection.send(`35=A|${fields}98=0|108=30|`);
  return connection;
}

async function logOff(connection: FixConnection, fields = ''): Promise<void> {
  connection.send(`35=5|${fields}`);
  await connection.expect('the Logout', ({ msgType }) => msgType === '5');
  connection.destroy();
}

const isLogon = ({ msgType }: MessageView): boolean => msgType === 'A';

test('every counterparty with its own password gets a session of its own, up to the limit', async () => {
  const said: string[] = [];
  const engine = await acceptor([TEMPLATE], undefined, said);
  const [one, two] = await Promise.all([logon(engine, 'ONE', '554=pw-ONE|'), logon(engine, 'TWO', '554=pw-TWO|')]);
  for (const connection of [one, two]) expect((await connection.next()).msgType).toBe('A');
  expect(engine.up.sort()).toEqual(['FIX.4.4:XGATE->ONE', 'FIX.4.4:XGATE->TWO']);
  expect([...engine.sessions.keys()].sort()).toEqual(engine.up);
  one.send('35=1|112=mine|');
  expect((await one.next()).string(Tag.TestReqID)).toBe('mine');
  for (let attempt = 0; attempt < 3; attempt++) {
    const three = await logon(engine, 'THREE', '554=pw-THREE|');
    await three.expectClosed();
    expect(three.received).toEqual([]);
  }
  // The alarm comes once, however often it tries, and the log has one line of its address and minute.
  const text = 'FIX.4.4:XGATE->THREE: the template has made 2 sessions already, of 2 at most';
  expect(said.filter((one) => one === text)).toHaveLength(1);
  expect(said.filter((one) => one.startsWith('connection dropped') && one.endsWith(text))).toHaveLength(1);
  await logOff(two);
  // The place of a session that was made stays its own.
  const again = await logon(engine, 'TWO', '554=pw-TWO|', 3);
  expect((await again.next()).msgType).toBe('A');
});

test('a template that is full reads the secrets of its sessions once in a second, however many are refused', async () => {
  const reads: string[] = [];
  const passwordOf = ({ targetCompID }: { targetCompID: string }): string => {
    reads.push(targetCompID);
    return `pw-${targetCompID}`;
  };
  const engine = await acceptor([{ ...TEMPLATE, template: { ...TEMPLATE.template, passwordOf } }]);
  for (const name of ['ONE', 'TWO']) await (await logon(engine, name, `554=pw-${name}|`)).expect('the Logon', isLogon);
  const before = reads.length;
  const from = Date.now();
  for (let i = 0; i < 20; i++) await (await logon(engine, `N${i}`, `554=pw-N${i}|`)).expectClosed();
  const ofOthers = reads.slice(before).filter((name) => !name.startsWith('N'));
  expect(ofOthers.length).toBeLessThanOrEqual(2 * (1 + (Date.now() - from) / 1000));
});

test.each([
  ['a wrong password', 'ONE', '554=pw-TWO|'],
  ['no password', 'ONE', ''],
  ['a counterparty without a secret', 'UNKNOWN', '554=pw-UNKNOWN|'],
])('S1: %s makes no session; the Logout consumes no number', async (_what, compID, fields) => {
  const engine = await acceptor([TEMPLATE]);
  const refused = await logon(engine, compID, fields);
  const logout = await refused.next();
  expect([logout.msgType, logout.int(Tag.MsgSeqNum)]).toEqual(['5', 1]);
  expect(logout.string(Tag.Text)).toBe(WRONG_CREDENTIALS);
  await refused.expectClosed();
  expect([...engine.sessions.keys()]).toEqual([]);
});

test("refuses probing for a template's counterparties like guessing", async () => {
  const engine = await acceptor([TEMPLATE], undefined, [], 2);
  for (let i = 0; i < 2; i++) {
    const refused = await logon(engine, 'UNKNOWN', '554=a guess|');
    expect((await refused.next()).string(Tag.Text)).toBe(WRONG_CREDENTIALS);
    await refused.expectClosed();
  }
  const silent = await logon(engine, 'ONE', '554=pw-ONE|');
  await silent.expectClosed();
  expect(silent.received).toEqual([]);
});

test('S1: two Logons of a newcomer checked at once make one session; the other is dropped', async () => {
  const { passwordOf: _, ...template } = TEMPLATE.template!;
  const engine = await acceptor([{ ...TEMPLATE, template, password: await hashPassword('pw-ALL', 10) }]);
  const both = await Promise.all([logon(engine, 'ONE', '554=pw-ALL|'), logon(engine, 'ONE', '554=pw-ALL|')]);
  const answered = await Promise.any(both.map(async (one) => ((await one.next()).msgType === 'A' ? one : never())));
  const other = both.find((one) => one !== answered)!;
  await other.expectClosed();
  expect(other.received).toEqual([]);
  expect(engine.up).toEqual(['FIX.4.4:XGATE->ONE']);
});

function never(): Promise<never> {
  return new Promise(() => {});
}

test('a failing passwordOf, now or later, admits no counterparty and ends nothing', async () => {
  const failing: [passwordOf: () => unknown, why: string][] = [
    [() => JSON.parse('no JSON'), 'SyntaxError'],
    [async () => 'pw-ONE', 'it is promised, and has to be there at once'],
    [async () => JSON.parse('no JSON'), 'it is promised, and has to be there at once'],
    [() => null, 'there is none'],
  ];
  for (const [passwordOf, why] of failing) {
    const said: string[] = [];
    const template = { ...TEMPLATE, template: { passwordOf: passwordOf as () => string } };
    const engine = await acceptor([template], undefined, said);
    const refused = await logon(engine, 'ONE', '554=pw-ONE|');
    expect((await refused.next()).string(Tag.Text)).toBe(WRONG_CREDENTIALS);
    await refused.expectClosed();
    expect(engine.up).toEqual([]);
    expect(said.join()).toContain(`password of ONE: ${why}`);
  }
});

test('S1: a Logon that fails for another reason than its password makes no session either', async () => {
  const engine = await acceptor([TEMPLATE]);
  const refused = await openFix(engine.port, { senderCompID: 'ONE', targetCompID: 'XGATE', beginString: 'FIX.4.4' });
  refused.send('35=A|98=0|108=100000|554=pw-ONE|');
  expect((await refused.next()).string(Tag.Text)).toContain('HeartBtInt(108)=100000');
  await refused.expectClosed();
  expect([...engine.sessions.keys()]).toEqual([]);
});

test('takes CompIDs that could name something else for unknown', async () => {
  const engine = await acceptor([TEMPLATE]);
  for (const compID of ['..', '*', 'A/B', 'A B']) {
    const refused = await logon(engine, compID, `554=pw-${compID}|`);
    await refused.expectClosed();
    expect(refused.received.filter(({ msgType }) => msgType === 'A')).toEqual([]);
  }
  expect([...engine.sessions.keys()]).toEqual([]);
});

test("prefers a session's own file to the template; SubIDs are required if the template has them", async () => {
  const engine = await acceptor([
    { senderCompID: 'XGATE', targetCompID: 'HOUSE', password: 'house' },
    { ...TEMPLATE, targetSubID: '*', template: {}, password: 'same' },
  ]);
  expect((await (await logon(engine, 'HOUSE', '554=house|')).next()).msgType).toBe('A');
  const none = await logon(engine, 'ONE', '554=same|');
  await none.expectClosed();
  expect((await (await logon(engine, 'ONE', '50=DESK|554=same|')).next()).msgType).toBe('A');
  expect(engine.up).toEqual(['FIX.4.4:XGATE->HOUSE', 'FIX.4.4:XGATE->ONE/DESK']);
});

test('after a restart the session is there again and its numbers go on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-template-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const before = await acceptor([TEMPLATE], await fileStore(folder));
  const first = await logon(before, 'ONE', '554=pw-ONE|');
  expect((await first.next()).msgType).toBe('A');
  await logOff(first);
  await before.close();

  const after = await acceptor([TEMPLATE], await fileStore(folder));
  expect([...after.sessions.keys()]).toEqual(['FIX.4.4:XGATE->ONE']);
  const low = await logon(after, 'ONE', '554=pw-ONE|');
  expect((await low.next()).string(Tag.Text)).toContain('MsgSeqNum too low, expecting 3');
  const second = await logon(after, 'ONE', '554=pw-ONE|', 3);
  const answer = await second.next();
  // 1 and 2 were sent before the restart, 3 said that the number was too low.
  expect([answer.msgType, answer.int(Tag.MsgSeqNum)]).toEqual(['A', 4]);
});

test('a session of its own for a counterparty that a template took before goes on with the numbers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-template-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const before = await acceptor([TEMPLATE], await fileStore(folder));
  const first = await logon(before, 'ONE', '554=pw-ONE|');
  expect((await first.next()).msgType).toBe('A');
  await logOff(first);
  await before.close();

  const own = { senderCompID: 'XGATE', targetCompID: 'ONE', password: 'its own' };
  const after = await acceptor([TEMPLATE, own], await fileStore(folder));
  const second = await logon(after, 'ONE', '554=its own|', 3);
  const answer = await second.next();
  expect([answer.msgType, answer.int(Tag.MsgSeqNum)]).toEqual(['A', 3]);
});
