// An engine of the library whose sessions come and go, and whose certificate is renewed, while it runs; over real sockets.

import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { type FixEngine, newMessage, startAcceptor, startInitiator } from '../../../src/mod.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { type FixConnection, openFix } from '../../support/fix-connection.ts';

const HUB = { senderCompID: 'HUB', targetCompID: 'DESK' } as const;

async function acceptor(sessions: Parameters<typeof startAcceptor>[0]['sessions'] = []): Promise<FixEngine> {
  const engine = await startAcceptor({
    port: 0,
    sessions,
    application: {
      onMessage: (_message, session) => session.send(newMessage('B', { Headline: 'heard' }).add(33, '1').add(58, 'x')),
    },
  });
  onTestFinished(() => engine.close());
  return engine;
}

async function loggedOn(
  port: number,
  senderCompID: string,
  msgSeqNum = 1,
  beginString = 'FIX.4.4',
): Promise<FixConnection> {
  const peer = await openFix(port, { senderCompID, targetCompID: 'HUB', beginString });
  onTestFinished(() => peer.destroy());
  peer.nextSenderMsgSeqNum = msgSeqNum;
  peer.send('35=A|98=0|108=30|');
  await peer.expect('the answer to the Logon', (view) => view.msgType === 'A');
  return peer;
}

test('a session that is added trades like one that was there, in a version that no other speaks', async () => {
  const engine = await acceptor([HUB]);
  await loggedOn(engine.port, 'DESK');
  const session = await engine.addSession({ senderCompID: 'HUB', targetCompID: 'NEW', beginString: 'FIX.4.2' });
  expect([...engine.sessions.keys()]).toEqual(['FIX.4.4:HUB->DESK', 'FIX.4.2:HUB->NEW']);
  const peer = await loggedOn(engine.port, 'NEW', 1, 'FIX.4.2');
  expect(session.loggedOn).toBe(true);
  peer.send('35=B|148=x|33=1|58=a line|');
  expect((await peer.expect('news', (view) => view.msgType === 'B')).string(148)).toBe('heard');
});

test('a session that is removed is logged out and lets nobody in; added again it goes on in its numbers', async () => {
  const engine = await acceptor([HUB]);
  const peer = await loggedOn(engine.port, 'DESK');
  const removed = engine.removeSession('FIX.4.4:HUB->DESK', 'moved away');
  expect((await peer.expect('Logout', (view) => view.msgType === '5')).string(58)).toBe('moved away');
  peer.send('35=5|');
  await removed;
  expect([...engine.sessions.keys()]).toEqual([]);
  const stranger = await openFix(engine.port, { senderCompID: 'DESK', targetCompID: 'HUB' });
  stranger.nextSenderMsgSeqNum = 3;
  stranger.send('35=A|98=0|108=30|');
  await stranger.expectClosed();
  expect(stranger.received).toEqual([]);
  const session = await engine.addSession(HUB);
  await loggedOn(engine.port, 'DESK', 3);
  expect(session.numbers).toMatchObject({ series: 1, nextSenderMsgSeqNum: 4, nextTargetMsgSeqNum: 4 });
});

test('an initiator connects a session that is added, and no more once it is removed', async () => {
  const hub = await acceptor([HUB]);
  const desk = await startInitiator({
    addresses: [{ host: '127.0.0.1', port: hub.port }],
    reconnectFirstMs: 20,
    reconnectLargestMs: 50,
    sessions: [],
    application: { onMessage: () => {} },
  });
  onTestFinished(() => desk.close());
  const session = await desk.addSession({ senderCompID: 'DESK', targetCompID: 'HUB' });
  await expect.poll(() => session.loggedOn).toBe(true);
  await desk.removeSession('FIX.4.4:DESK->HUB');
  await expect.poll(() => hub.sessions.get('FIX.4.4:HUB->DESK')!.loggedOn).toBe(false);
  expect(desk.sessions.size).toBe(0);
});

test('what cannot be added or removed is told, and changes nothing', async () => {
  const engine = await acceptor([HUB]);
  await expect(engine.addSession(HUB)).rejects.toThrow('session FIX.4.4:HUB->DESK is there already');
  await expect(engine.addSession({ ...HUB, targetCompID: 'X', heartBtInt: 3 } as never)).rejects.toThrow(
    'did you mean heartBtIntS?',
  );
  await expect(engine.addSession({ ...HUB, targetCompID: 'X', beginString: 'FIX.9.9' })).rejects.toThrow(
    'beginString must be one of',
  );
  await expect(engine.removeSession('FIX.4.4:HUB->X')).rejects.toThrow('there is no session FIX.4.4:HUB->X');
  expect(() => engine.renewTls({ certificate: 'x' })).toThrow('listens without TLS');
  expect([...engine.sessions.keys()]).toEqual(['FIX.4.4:HUB->DESK']);
  await engine.close();
  await expect(engine.addSession({ ...HUB, targetCompID: 'Y' })).rejects.toThrow('the engine is closed');
});

test('shows a renewed certificate from the next connection; a misfit keeps the old one', async () => {
  const certificate = (commonName: string) => createSelfSignedCertificate({ commonName });
  const [first, second] = [await certificate('first'), await certificate('second')];
  const engine = await startAcceptor({
    port: 0,
    sessions: [HUB],
    tls: { certificate: first.certificatePem, key: first.keyPem },
    application: { onMessage: () => {} },
  });
  onTestFinished(() => engine.close());
  const shown = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connectTls({ port: engine.port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
      socket.once('error', reject);
    });
  expect(await shown()).toBe('first');
  expect(() => engine.renewTls({ certificate: second.certificatePem })).toThrow(/key/);
  expect(await shown()).toBe('first');
  engine.renewTls({ certificate: second.certificatePem, key: second.keyPem });
  expect(await shown()).toBe('second');
});
