// A Logon that comes while the session's connection before is still ending: the counterparty's takes over, a stranger's ends
// nothing (S1).

import { expect, onTestFinished, test } from 'vitest';
import { type FixEngine, startAcceptor } from '../../../src/mod.ts';
import { Tag } from '../../../src/wire/mod.ts';
import { type FixConnection, openFix } from '../../support/network/fix-connection.ts';

const PASSWORD = 'correct horse battery staple';

async function acceptor(delivered: string[] = []): Promise<FixEngine> {
  const engine = await startAcceptor({
    port: 0,
    sessions: [
      {
        senderCompID: 'GATE',
        targetCompID: 'OMS',
        password: PASSWORD,
        access: { onRefusal: 'logout', answersUnproved: true },
        logoutTimeoutMs: 20_000,
      },
    ],
    application: { onMessage: (message) => void delivered.push(message.string('ClOrdID') ?? '') },
  });
  onTestFinished(() => engine.close());
  return engine;
}

async function connect(engine: FixEngine): Promise<FixConnection> {
  const connection = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(() => connection.destroy());
  return connection;
}

/** Logged on, then a Logout ahead of two orders that are still to come (S10). */
async function endingWithGap(engine: FixEngine): Promise<FixConnection> {
  const connection = await connect(engine);
  connection.send(`35=A|98=0|108=30|554=${PASSWORD}`);
  await connection.expect('the Logon', ({ msgType }) => msgType === 'A');
  connection.nextSenderMsgSeqNum = 4;
  connection.send('35=5');
  await connection.expect('the Logout', ({ msgType }) => msgType === '5');
  await connection.expect('the ResendRequest', ({ msgType }) => msgType === '2');
  return connection;
}

const ORDER = '43=Y|122=20260105-12:00:00.000|55=BTCUSDC|54=1|60=20260105-12:00:00.000|38=2|40=2|44=100';

test.each(['', '141=Y|'])(
  'S1 refuses a stranger without ending it: outstanding messages still arrive (%s)',
  async (reset) => {
    const delivered: string[] = [];
    const engine = await acceptor(delivered);
    const connection = await endingWithGap(engine);
    const stranger = await connect(engine);
    stranger.send(`35=A|98=0|108=30|${reset}554=guess`);
    const refusal = await stranger.expect('the Logout', ({ msgType }) => msgType === '5');
    expect([refusal.int(Tag.MsgSeqNum), refusal.string(Tag.Text)]).toEqual([
      1,
      expect.stringContaining('Invalid user'),
    ]);
    await stranger.expectClosed();
    expect(stranger.received).toHaveLength(1);
    connection.nextSenderMsgSeqNum = 2;
    connection.send(`35=D|${ORDER.replace('55=', '11=o-1|55=')}`);
    connection.send(`35=D|${ORDER.replace('55=', '11=o-2|55=')}`);
    connection.send('35=1|112=last');
    await connection.expectClosed().catch(() => {});
    expect(delivered).toEqual(['o-1', 'o-2']);
  },
);

test('the counterparty itself, back at once, is let in', async () => {
  const engine = await acceptor();
  await endingWithGap(engine);
  const again = await connect(engine);
  again.nextSenderMsgSeqNum = 5;
  again.send(`35=A|98=0|108=30|554=${PASSWORD}`);
  await again.expect('the Logon', ({ msgType }) => msgType === 'A');
});
