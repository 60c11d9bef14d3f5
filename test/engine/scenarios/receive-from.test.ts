// A consumer of the library that tracks its own progress: it requests again the messages that it had not finished when
// it was killed.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type FixEngine,
  type FixMessage,
  type FixSession,
  fileStore,
  newMessage,
  startAcceptor,
  startInitiator,
  Tag,
} from '../../../src/mod.ts';

const SESSION = 'FIX.4.4:DESK->HUB';

/** A hub that sends five News(B) when the desk is there for the first time. */
async function hub(): Promise<{ port: number; session: FixSession }> {
  let isTold = false;
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'HUB', targetCompID: 'DESK' }],
    application: {
      onLogon(session) {
        for (let at = 1; at <= 5 && !isTold; at++) {
          session.send(
            newMessage('B', { Headline: `news-${at}` })
              .add(Tag.NoLinesOfText, '1')
              .add(Tag.Text, 'a line'),
          );
        }
        isTold = true;
      },
      onMessage: () => {},
    },
  });
  onTestFinished(() => engine.close());
  return { port: engine.port, session: [...engine.sessions.values()][0]! };
}

/** Received messages, by number, with `+` for PossDupFlag(43)=Y. */
class Desk {
  readonly told: string[] = [];
  engine!: FixEngine;
  #wake: () => void = () => {};

  get session(): FixSession {
    return this.engine.sessions.get(SESSION)!;
  }

  onMessage(message: FixMessage): void {
    this.told.push(`${message.msgSeqNum} ${message.string('Headline')}${message.possDup ? '+' : ''}`);
    this.#wake();
  }

  async count(wanted: number): Promise<void> {
    while (this.told.length < wanted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

async function desk(port: number, folder: string): Promise<Desk> {
  const consumer = new Desk();
  consumer.engine = await startInitiator({
    addresses: [{ host: '127.0.0.1', port }],
    reconnectFirstMs: 20,
    reconnectLargestMs: 50,
    sessions: [{ senderCompID: 'DESK', targetCompID: 'HUB', durability: 'process' }],
    store: await fileStore(folder),
    application: { onMessage: (message) => consumer.onMessage(message) },
  });
  onTestFinished(() => consumer.engine.close());
  return consumer;
}

async function storeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-consumer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('unfinished counted messages return after a start, each marked as a repetition', async () => {
  const folder = await storeFolder();
  const { port } = await hub();
  const first = await desk(port, folder);
  await first.count(5);
  await first.engine.close();
  const second = await desk(port, folder);
  const { nextTargetMsgSeqNum } = second.session.numbers;
  second.session.receiveFrom(4, 'finished up to 3');
  await second.count(3);
  expect(second.told).toEqual(['4 news-3+', '5 news-4+', '6 news-5+']);
  await expect.poll(() => second.session.numbers.nextTargetMsgSeqNum).toBeGreaterThan(nextTargetMsgSeqNum);
  await second.engine.close();
  const store = await fileStore(folder);
  const session = store.recovered.sessions.get(SESSION)!;
  await store.close();
  expect([session.numbers.series, session.due ?? null]).toEqual([1, null]);
});

test('a session that is logged on is logged out for it, comes back, and is sent them then', async () => {
  const { port, session } = await hub();
  const consumer = await desk(port, await storeFolder());
  await consumer.count(5);
  consumer.session.receiveFrom(6, 'news-5 was not taken');
  await consumer.count(6);
  expect(consumer.told.slice(5)).toEqual(['6 news-5+']);
  expect(session.numbers.series).toBe(1);
});

test('refuses unreached or invalid numbers, and changes nothing', async () => {
  const { port } = await hub();
  const consumer = await desk(port, await storeFolder());
  await consumer.count(5);
  const { session } = consumer;
  for (const number of [8, 0, 1.5, Number.NaN, '2' as never]) {
    expect(() => session.receiveFrom(number, 'why')).toThrow('whole number from 1 to 7');
  }
  expect(() => session.receiveFrom(2, undefined as never)).toThrow('is a text');
  session.receiveFrom(7, 'nothing is missing');
  expect([session.loggedOn, session.numbers.nextTargetMsgSeqNum]).toEqual([true, 7]);
});

test('a closed engine receives nothing again', async () => {
  const { port } = await hub();
  const consumer = await desk(port, await storeFolder());
  await consumer.count(5);
  const { session } = consumer;
  await consumer.engine.close();
  expect(() => session.receiveFrom(2, 'too late')).toThrow('the engine is closed');
});
