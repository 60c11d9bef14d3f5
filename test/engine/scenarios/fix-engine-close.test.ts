// How an engine of the library ends: with callbacks under way, with a store that takes nothing any more, and what is asked of it
// afterwards.

import { expect, test } from 'vitest';
import { type FixApplication, type FixEngine, type FixSession, newMessage, startAcceptor } from '../../../src/mod.ts';
import { FailingDisk } from '../../store/failing-disk.ts';
import { openIn, temporaryDirectory } from '../../store/journal-place.ts';
import { openFix } from '../../support/network/fix-connection.ts';

test('close waits for a stuck disk as configured, ends the connection and reports the store', async () => {
  const disk = new FailingDisk();
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS' }],
    application: { onMessage: () => {} },
    store: await openIn(temporaryDirectory(), { disk }),
    limits: { shutdownWaitMs: 20 },
  });
  const fix = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  fix.send('35=A|98=0|108=30');
  await fix.next();
  disk.fail('EIO', 'open', 'write', 'sync', 'syncBlocking');
  const [session] = engine.sessions.values();
  session!.send(newMessage('B', { Headline: 'never recorded', NoLinesOfText: 1, Text: 'a' }));
  const inVain = expect(session!.recorded()).rejects.toMatchObject({ code: 'XG_ENGINE_CLOSED' });
  await expect(engine.close()).rejects.toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
  await inVain;
  await fix.expectClosed();
});

test('recorded() waits until the store has sent messages, in and outside callbacks', async () => {
  const disk = new FailingDisk();
  const told: string[] = [];
  const tell = async (session: FixSession, what: string): Promise<void> => {
    session.send(newMessage('B', { Headline: what, NoLinesOfText: 1, Text: 'a' }));
    await session.recorded();
    told.push(what);
  };
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS' }],
    application: { onMessage: (message, session) => tell(session, `answer to ${message.string('Headline')}`) },
    store: await openIn(temporaryDirectory(), { disk }),
  });
  const fix = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  fix.send('35=A|98=0|108=30');
  await fix.next();
  const [session] = engine.sessions.values();
  await session!.recorded();
  disk.fail('EIO', 'open', 'write', 'sync', 'syncBlocking');
  const outside = tell(session!, 'outside');
  fix.send(NEWS);
  fix.send('35=1|112=a');
  await expect.poll(() => session!.numbers.nextTargetMsgSeqNum).toBe(4);
  expect(told).toEqual([]);
  disk.heal();
  await outside;
  expect([(await fix.next()).string(148), (await fix.next()).string(148)]).toEqual(['outside', 'answer to a']);
  await session!.recorded();
  expect(told).toEqual(['outside', 'answer to a']);
  fix.destroy();
  await engine.close();
});

const NEWS = '35=B|148=a|33=1|58=b';

async function withSession(application: FixApplication, shutdownWaitMs = 10_000) {
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS' }],
    application,
    limits: { shutdownWaitMs },
  });
  const fix = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  fix.send('35=A|98=0|108=30');
  await fix.next();
  return { engine, fix, session: [...engine.sessions.values()][0]! };
}

test('close waits for the answer of an async callback, and logs out behind it', async () => {
  let answer = (): void => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { engine, fix } = await withSession({
    async onMessage(message, session) {
      const headline = message.string('Headline');
      await asked;
      session.send(newMessage('B', { Headline: `answer to ${headline}`, NoLinesOfText: 1, Text: 'c' }));
    },
  });
  fix.send(NEWS);
  fix.send('35=1|112=taken');
  await fix.next();
  const closed = engine.close();
  answer();
  const [news, logout] = [await fix.next(), await fix.next()];
  expect([news.string(148), logout.msgType]).toEqual(['answer to a', '5']);
  fix.send('35=5');
  await closed;
});

test('close does not wait for the callback that awaits it', async () => {
  let engine: FixEngine | null = null;
  const ended = new Promise<string>((resolve) => {
    void withSession(
      {
        async onMessage() {
          await engine?.close();
          resolve('closed');
        },
      },
      60_000,
    ).then((opened) => {
      engine = opened.engine;
      opened.fix.send(NEWS);
      void opened.fix.expect('the Logout', (view) => view.msgType === '5').then(() => opened.fix.send('35=5'));
    });
  });
  expect(await ended).toBe('closed');
});

test('refuses calls on a session of a closed engine in words', async () => {
  const { engine, fix, session } = await withSession({ onMessage: () => {} }, 100);
  fix.destroy();
  await engine.close();
  const words = {
    code: 'XG_ENGINE_CLOSED',
    message: expect.stringContaining('FIX.4.4:GATE->OMS: nothing can be sent'),
  };
  for (const ask of [
    () => session.send(newMessage('B', { Headline: 'a', NoLinesOfText: 1, Text: 'b' })),
    () => session.reset('why'),
  ]) {
    expect(ask).toThrow(expect.objectContaining(words));
  }
  session.logout();
  expect([session.loggedOn, session.waitingBytes]).toEqual([false, 0]);
});

test('answers with the resent message if an async callback fails without a connection', async () => {
  let fail = (): void => {};
  const { engine, fix, session } = await withSession({
    async onMessage() {
      await new Promise<void>((resolve) => {
        fail = resolve;
      });
      throw new Error('a bug');
    },
  });
  fix.send(NEWS);
  fix.send('35=1|112=taken');
  await fix.next();
  fix.destroy();
  while (session.loggedOn) await new Promise((resolve) => setImmediate(resolve));
  fail();
  const again = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  again.nextSenderMsgSeqNum = 4;
  again.send('35=A|98=0|108=30');
  expect((await again.next()).int(34)).toBe(4);
  again.send('35=2|7=3|16=3');
  expect((await again.next()).msgType).toBe('j');
  again.destroy();
  await engine.close();
});
