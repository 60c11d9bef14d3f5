// What callers without types may get wrong in the library's options: said by name, before anything is opened.

import { expect, test } from 'vitest';
import { type AcceptorOptions, startAcceptor, startInitiator } from '../../src/mod.ts';

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
