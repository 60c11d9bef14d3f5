// How an engine of the library ends whose store takes nothing any more.

import { expect, test } from 'vitest';
import { newMessage, startAcceptor } from '../../src/mod.ts';
import { FailingDisk } from '../store/failing-disk.ts';
import { openIn, temporaryDirectory } from '../store/journal-place.ts';
import { openFix } from '../support/fix-connection.ts';

test('close waits for a disk that takes nothing as long as is set, ends the connection and says that the store is not whole', async () => {
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
  session!.send(newMessage('B', { Headline: 'never recorded' }));
  await expect(engine.close()).rejects.toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
  await fix.expectClosed();
});
