// An engine of the library with sessions that come and go, and a renewed certificate, while it runs; over real sockets.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { type FixEngine, fileStore, newMessage, startAcceptor, startInitiator } from '../../../src/mod.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { type FixConnection, openFix } from '../../support/network/fix-connection.ts';

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

test('a removed session is logged out and refuses Logons; added again it continues its numbers', async () => {
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

const TEMPLATE = { senderCompID: 'HUB', targetCompID: '*', template: { sessionsMax: 2 } } as const;

test('a template that is added makes sessions of Logons, up to its limit; removed it makes none', async () => {
  const engine = await acceptor([HUB]);
  const refused = async (senderCompID: string): Promise<void> => {
    const peer = await openFix(engine.port, { senderCompID, targetCompID: 'HUB' });
    peer.send('35=A|98=0|108=30|');
    await peer.expectClosed();
  };
  await refused('NEW');
  expect(await engine.addSession(TEMPLATE)).toBeNull();
  const peer = await loggedOn(engine.port, 'NEW');
  expect([...engine.sessions.keys()]).toEqual(['FIX.4.4:HUB->DESK', 'FIX.4.4:HUB->NEW']);
  peer.send('35=B|148=x|33=1|58=a line|');
  expect((await peer.expect('news', (view) => view.msgType === 'B')).string(148)).toBe('heard');
  await loggedOn(engine.port, 'DESK');
  await loggedOn(engine.port, 'SECOND');
  await refused('THIRD');
  await expect(engine.addSession(TEMPLATE)).rejects.toThrow('template FIX.4.4:HUB->* is there already');

  await engine.removeSession('FIX.4.4:HUB->*');
  await engine.removeSession('FIX.4.4:HUB->SECOND');
  await refused('FOURTH');
  peer.send('35=B|148=x|33=1|58=a line|');
  await expect.poll(() => peer.received.filter(({ msgType }) => msgType === 'B').length).toBe(2);
  await expect(engine.removeSession('FIX.4.4:HUB->*')).rejects.toThrow('there is no session FIX.4.4:HUB->*');
});

test('a template of a version that no other session speaks asks each counterparty for its own password', async () => {
  const engine = await acceptor();
  const passwordOf = ({ targetCompID }: { targetCompID: string }): string => `word of ${targetCompID}`;
  await engine.addSession({ ...TEMPLATE, template: { passwordOf } });
  const wrong = await openFix(engine.port, { senderCompID: 'NEW', targetCompID: 'HUB' });
  wrong.send('35=A|98=0|108=30|554=word of DESK|');
  await wrong.expectClosed();
  expect(engine.sessions.size).toBe(0);
  const peer = await openFix(engine.port, { senderCompID: 'NEW', targetCompID: 'HUB' });
  onTestFinished(() => peer.destroy());
  peer.send('35=A|98=0|108=30|554=word of NEW|');
  await peer.expect('the answer to the Logon', (view) => view.msgType === 'A');
});

test('a template added again after a restart has the sessions that it made, with their numbers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-template-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const start = async (): Promise<FixEngine> =>
    await startAcceptor({
      port: 0,
      sessions: [],
      store: await fileStore(folder),
      application: { onMessage: () => {} },
    });
  const first = await start();
  await first.addSession(TEMPLATE);
  const peer = await loggedOn(first.port, 'NEW');
  peer.send('35=5|');
  await peer.expectClosed();
  await first.close();
  const second = await start();
  onTestFinished(() => second.close());
  expect([...second.sessions.keys()]).toEqual([]);
  await second.addSession(TEMPLATE);
  expect(second.sessions.get('FIX.4.4:HUB->NEW')!.numbers).toMatchObject({ series: 1, nextTargetMsgSeqNum: 3 });
  await loggedOn(second.port, 'NEW', 3);
});

test('reports an impossible addition or removal, and changes nothing', async () => {
  const engine = await acceptor([HUB]);
  await expect(engine.addSession(HUB)).rejects.toThrow('session FIX.4.4:HUB->DESK is there already');
  await expect(engine.addSession({ ...HUB, targetCompID: 'X', heartBtInt: 3 } as never)).rejects.toThrow(
    'did you mean heartBtIntS?',
  );
  await expect(engine.addSession({ ...HUB, targetCompID: 'X', beginString: 'FIX.9.9' })).rejects.toThrow(
    'beginString must be one of',
  );
  const desk = await startInitiator({
    addresses: [{ host: '127.0.0.1', port: engine.port }],
    sessions: [],
    application: { onMessage: () => {} },
  });
  onTestFinished(() => desk.close());
  await expect(desk.addSession({ ...TEMPLATE, senderCompID: 'DESK' })).rejects.toThrow(
    'an initiator knows its counterparty',
  );
  expect(() => desk.renewTls({ authority: 'x' })).toThrow('connects without TLS');
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

test('an initiator shows a renewed certificate and trusts a renewed authority at its next connection', async () => {
  const [ours, next, hubs, theirs] = await Promise.all(
    ['us', 'us anew', 'localhost', 'localhost'].map((commonName) => createSelfSignedCertificate({ commonName })),
  );
  const hub = await startAcceptor({
    port: 0,
    sessions: [HUB],
    tls: { certificate: hubs!.certificatePem, key: hubs!.keyPem, clientAuthority: ours!.certificatePem },
    application: { onMessage: () => {} },
  });
  onTestFinished(() => hub.close());
  const desk = await startInitiator({
    addresses: [{ host: 'localhost', port: hub.port }],
    reconnectFirstMs: 20,
    reconnectLargestMs: 50,
    sessions: [{ senderCompID: 'DESK', targetCompID: 'HUB' }],
    tls: { authority: hubs!.certificatePem, certificate: ours!.certificatePem, key: ours!.keyPem },
    application: { onMessage: () => {} },
  });
  onTestFinished(() => desk.close());
  const session = desk.sessions.get('FIX.4.4:DESK->HUB')!;
  const isUp = () => expect.poll(() => session.loggedOn);
  await isUp().toBe(true);
  // An unfit option changes nothing, and an open connection stays.
  expect(() => desk.renewTls({ certificate: next!.certificatePem })).toThrow(/key/);
  expect(() => desk.renewTls({ clientAuthority: next!.certificatePem })).toThrow('tls.clientAuthority');
  expect(() => hub.renewTls({ authority: next!.certificatePem })).toThrow('tls.authority');
  hub.renewTls({ certificate: theirs!.certificatePem, key: theirs!.keyPem, clientAuthority: next!.certificatePem });
  expect(session.loggedOn).toBe(true);
  session.logout();
  await isUp().toBe(false);
  desk.renewTls({ authority: theirs!.certificatePem, certificate: next!.certificatePem, key: next!.keyPem });
  await isUp().toBe(true);
});
