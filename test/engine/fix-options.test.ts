// What callers without types may get wrong in the library's options: said by name, before anything is opened.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type AcceptorOptions, fileStore, startAcceptor, startInitiator } from '../../src/mod.ts';

const application = { onMessage: () => {} };
const session = { senderCompID: 'A', targetCompID: 'B' };

test.each([
  [{}, 'sessions must be a list of sessions'],
  [{ sessions: [{ senderCompID: 'A' }] }, 'sessions[0].targetCompID must be a text of printable characters'],
  [{ sessions: [session, { ...session, senderCompID: '' }] }, 'sessions[1].senderCompID must be a text'],
  [{ sessions: [{ ...session, heartbeat: 30 }] }, 'sessions[0].heartbeat is no setting of a session'],
  [{ sessions: [{ ...session, heartBtIntS: '30' }] }, 'sessions[0].heartBtIntS must be a number'],
  [{ sessions: [session, session] }, 'sessions[1] is FIX.4.4:A->B, and so is another'],
  [{ sessions: [session], port: 99_999 }, 'port must be a whole number from 0 to 65535'],
  [{ sessions: [session], busyPollMicros: 0.5 }, 'busyPollMicros must be a whole number from 0 to 1000000'],
  [{ sessions: [session], application: {} }, 'application must be an object with onMessage(message, session)'],
  [
    { sessions: [{ ...session, access: { allowFrom: ['10.0.0.0/33'] } }] },
    'sessions[0].access.allowFrom must be a list',
  ],
  [{ sessions: [{ ...session, messageRate: { excess: 'hold' } }] }, 'sessions[0].messageRate.excess must be refuse'],
])('%j is refused in words', async (options, words) => {
  const given = { port: 0, application, ...options } as unknown as AcceptorOptions;
  await expect(startAcceptor(given)).rejects.toMatchObject({
    code: 'XG_CONFIG_INVALID',
    message: expect.stringContaining(words),
  });
});

test('an initiator needs a port to connect to', async () => {
  const given = { addresses: [{ host: 'h', port: 0 }], sessions: [session], application };
  await expect(startInitiator(given)).rejects.toThrow('addresses[0].port must be a whole number from 1 to 65535');
});

test.each([
  [[], 'addresses must be a list of addresses, one at least'],
  [[{ port: 9876 }], 'addresses[0].host must be a host'],
])('an initiator needs somebody to connect to: %j', async (addresses, words) => {
  const given = { addresses, sessions: [session], application } as unknown as Parameters<typeof startInitiator>[0];
  await expect(startInitiator(given)).rejects.toThrow(words);
});

test('what cannot start leaves the store closed, which the next attempt opens', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-options-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sessions = [{ ...session, beginString: 'FIX.3.9' }];
  const attempt = async () => startAcceptor({ port: 0, application, sessions, store: await fileStore(folder) });
  await expect(attempt()).rejects.toThrow('and is FIX.3.9');
  await expect(attempt()).rejects.toThrow('and is FIX.3.9');
});
