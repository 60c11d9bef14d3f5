// Messages of a session in `for await`: order, end with the engine, limit.

import { expect, test } from 'vitest';
import type { FixMessage } from '../../../src/engine/library/fix-message.ts';
import { FEED_MESSAGES_MAX, MessageFeed } from '../../../src/engine/library/message-feed.ts';
import { newMessage, startAcceptor, startInitiator } from '../../../src/mod.ts';

test('a loop gets every message in order, and ends when the engine is closed', async () => {
  const read: (string | null)[] = [];
  const acceptor = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS' }],
    application: { onMessage() {} },
  });
  const [session] = acceptor.sessions.values();
  const three = Promise.withResolvers<void>();
  const loop = (async () => {
    for await (const message of session!) {
      read.push(message.string('Headline'));
      if (read.length === 3) three.resolve();
    }
  })();
  const initiator = await startInitiator({
    addresses: [{ host: '127.0.0.1', port: acceptor.port }],
    sessions: [{ senderCompID: 'OMS', targetCompID: 'GATE' }],
    application: {
      onMessage() {},
      onLogon(oms) {
        for (const Headline of ['a', 'b', 'c']) oms.send(newMessage('B', { Headline, LinesOfText: 1 }).add(58, 'text'));
      },
    },
  });
  await three.promise;
  await initiator.close();
  await acceptor.close();
  await loop;
  expect(read).toEqual(['a', 'b', 'c']);
  for await (const message of session!) expect.fail(`a closed engine gave ${message}`);
});

test('a loop that is too slow reads what waits, then gets XG_READER_BEHIND', async () => {
  const left: MessageFeed[] = [];
  const feed = new MessageFeed('FIX.4.4:GATE->OMS', (gone) => left.push(gone));
  const message = {} as FixMessage;
  for (let i = 0; i < FEED_MESSAGES_MAX; i++) feed.push(message);
  expect(left).toEqual([]);
  feed.push(message);
  expect(left).toEqual([feed]);
  for (let i = 0; i < FEED_MESSAGES_MAX; i++) expect((await feed.next()).done).toBe(false);
  await expect(feed.next()).rejects.toMatchObject({ code: 'XG_READER_BEHIND' });
  expect(await feed.next()).toEqual({ done: true, value: undefined });
});

test('a loop that breaks takes nothing more', async () => {
  const left: MessageFeed[] = [];
  const feed = new MessageFeed('FIX.4.4:GATE->OMS', (gone) => left.push(gone));
  feed.push({} as FixMessage);
  await feed.return();
  expect([left, await feed.next()]).toEqual([[feed], { done: true, value: undefined }]);
});
