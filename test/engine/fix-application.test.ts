// What becomes of an error in a callback of the library's user: it ends neither the session nor the process.

import { expect, onTestFinished, test } from 'vitest';
import { type Alarm, type FixApplication, MessageDraft, startAcceptor, Tag } from '../../src/mod.ts';
import { type FixConnection, openFix } from '../support/fix-connection.ts';

const NEWS = '35=B|148=a|33=1|58=b';

async function acceptor(application: FixApplication): Promise<{ fix: FixConnection; alarms: Alarm[] }> {
  const alarms: Alarm[] = [];
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS', durability: 'process' }],
    application,
    onAlarm: (alarm) => alarms.push(alarm),
  });
  const fix = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(async () => {
    fix.destroy();
    await engine.close();
  });
  fix.send('35=A|98=0|108=30');
  await fix.next();
  return { fix, alarms };
}

const failure = (): never => {
  throw new Error('a bug');
};

test.each([
  ['throws', failure],
  ['throws behind an await', () => Promise.resolve().then(failure)],
  [
    'reads a message behind an await',
    async (message: Parameters<FixApplication['onMessage']>[0]) => {
      await Promise.resolve();
      message.string('Headline');
    },
  ],
])('a callback that %s is answered with BusinessMessageReject(j) and an alarm', async (_what, onMessage) => {
  const { fix, alarms } = await acceptor({ onMessage });
  fix.send(NEWS);
  const answer = await fix.next();
  expect([answer.msgType, answer.int(Tag.RefSeqNum), answer.string(Tag.RefMsgType)]).toEqual(['j', 2, 'B']);
  expect(alarms.map(({ alarm }) => alarm)).toEqual(['application-failed']);
  fix.send('35=1|112=alive');
  expect((await fix.next()).string(Tag.TestReqID)).toBe('alive');
});

test('an async onLogon or onLogout that fails is an alarm', async () => {
  const onLogon = async () => failure();
  const { fix, alarms } = await acceptor({ onMessage: () => {}, onLogon, onLogout: onLogon });
  fix.send('35=5');
  await fix.next();
  expect(alarms.map(({ alarm }) => alarm)).toEqual(['application-failed', 'application-failed']);
});

test.each(['A', '2', '4', '5', ''])(
  'an application sends no 35=%s: session messages are the engine’s, and numbered by it',
  async (msgType) => {
    const refused: string[] = [];
    const { fix } = await acceptor({
      onMessage(_message, session) {
        try {
          session.send(new MessageDraft(msgType).add(Tag.NewSeqNo, '50'));
        } catch (error) {
          refused.push(error instanceof Error ? error.message : '');
        }
      },
    });
    fix.send(NEWS);
    fix.send('35=1|112=alive');
    const next = await fix.next();
    expect([next.msgType, next.int(Tag.MsgSeqNum)]).toEqual(['0', 2]);
    expect(refused).toEqual([expect.stringContaining('logout() ends a session, reset() begins its numbers again')]);
  },
);
