// Sessions that take by setting what the specification has garbled or refused, over real sockets through the public door.

import { expect, onTestFinished, test } from 'vitest';
import { type FixSessionOptions, newMessage, startAcceptor } from '../../../src/mod.ts';
import { fromPrintable, type MessageView, toPrintable } from '../../../src/wire/mod.ts';
import { type FixConnection, openFix } from '../../support/network/fix-connection.ts';

/** An acceptor of two sessions; the second has these settings. With the messages of its application. */
async function acceptor(settings: Partial<FixSessionOptions>): Promise<{ port: number; given: string[] }> {
  const given: string[] = [];
  const engine = await startAcceptor({
    port: 0,
    sessions: [
      { senderCompID: 'HUB', targetCompID: 'STRICT' },
      { senderCompID: 'HUB', targetCompID: 'LENIENT', ...settings },
    ],
    application: {
      onMessage(message, session) {
        given.push(message.toString());
        session.send(newMessage('B', { Headline: 'heard' }).add(33, '1').add(58, 'a line'));
      },
    },
  });
  onTestFinished(() => engine.close());
  return { port: engine.port, given };
}

async function connected(port: number, senderCompID: string, beginString = 'FIX.4.4'): Promise<FixConnection> {
  const peer = await openFix(port, { senderCompID, targetCompID: 'HUB', beginString });
  onTestFinished(() => peer.destroy());
  return peer;
}

/** A message with a CheckSum(10) that no sum of bytes has. */
function withWrongCheckSum(senderCompID: string, msgSeqNum: number, body: string): Buffer {
  const now = new Date().toISOString().replace(/[-Z]/g, '').replace('T', '-');
  const [msgType, ...fields] = body.split('|');
  const head = `${msgType}|49=${senderCompID}|56=HUB|34=${msgSeqNum}|52=${now}`;
  const frame = fromPrintable([head, ...fields].join('|'));
  frame.write('256', frame.length - 4, 'latin1');
  return frame;
}

const answer = (peer: FixConnection, msgType: string): Promise<MessageView> =>
  peer.expect(`35=${msgType}`, (view) => view.msgType === msgType);

const NEWS = '35=B|148=x|33=1|58=a line|';

test('a session takes a wrong CheckSum(10) by setting, in its Logon too, and one beside it does not', async () => {
  const { port, given } = await acceptor({ validateCheckSum: false });
  const lenient = await connected(port, 'LENIENT');
  lenient.sendBytes(withWrongCheckSum('LENIENT', 1, '35=A|98=0|108=30|'));
  expect((await answer(lenient, 'A')).msgType).toBe('A');
  lenient.sendBytes(withWrongCheckSum('LENIENT', 2, NEWS));
  await answer(lenient, 'B');
  expect(given[0]).toMatch(/\|34=2\|/);
  expect(given[0]).not.toMatch(/10=256/);

  const strict = await connected(port, 'STRICT');
  strict.sendBytes(withWrongCheckSum('STRICT', 1, '35=A|98=0|108=30|'));
  strict.send('35=A|98=0|108=30|');
  expect((await answer(strict, 'A')).msgType).toBe('A');
  strict.sendBytes(withWrongCheckSum('STRICT', 2, NEWS));
  strict.send('35=1|112=still there|');
  expect((await answer(strict, '0')).string(112)).toBe('still there');
  expect(given).toHaveLength(1);
});

test('an empty field is taken by setting, and an empty TestReqID(112) comes back as it was', async () => {
  const { port } = await acceptor({ validateFieldsHaveValues: false });
  const lenient = await connected(port, 'LENIENT');
  lenient.send('35=A|98=0|108=30|');
  await answer(lenient, 'A');
  lenient.send('35=1|112=|');
  expect(toPrintable((await answer(lenient, '0')).bytes())).toMatch(/\|112=\|10=/);
  const strict = await connected(port, 'STRICT');
  strict.send('35=A|98=0|108=30|');
  await answer(strict, 'A');
  strict.send('35=1|112=|');
  expect((await answer(strict, '3')).string(373)).toBe('4');
});

test('a DefaultApplVerID(1137) of another version is taken by setting, also one that no dictionary lists', async () => {
  const beginString = 'FIXT.1.1';
  const { port } = await acceptor({ beginString, otherDefaultApplVerIDs: ['7', '10'] });
  for (const [applVerID, msgType] of [
    ['8', '5'],
    ['10', 'A'],
  ] as const) {
    const lenient = await connected(port, 'LENIENT', beginString);
    lenient.send(`35=A|98=0|108=30|141=Y|1137=${applVerID}|`);
    expect((await answer(lenient, msgType)).msgType).toBe(msgType);
    lenient.destroy();
  }
});

test('a rejected application message says where its answer goes, as the session’s Reject does', async () => {
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'HUB', targetCompID: 'DESK' }],
    application: { onMessage: (message, session) => session.reject(message, 'not today') },
  });
  onTestFinished(() => engine.close());
  const desk = await connected(engine.port, 'DESK');
  desk.send('35=A|98=0|108=30|');
  await answer(desk, 'A');
  desk.send('35=B|115=FIRM|116=PIT|148=x|33=1|58=a line|');
  const reject = await answer(desk, 'j');
  expect([reject.string(128), reject.string(129)]).toEqual(['FIRM', 'PIT']);
});
