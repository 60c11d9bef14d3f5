// Fields that a library user's function adds to an initiator's Logon: requested before each connection.

import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { type FixSessionOptions, startAcceptor, startInitiator } from '../../../src/mod.ts';
import { scriptedAcceptor } from '../../support/network/scripted-acceptor.ts';

const US = { senderCompID: 'US', targetCompID: 'EXCHANGE_TEST' };
const application = { onMessage: () => {} };

async function initiator(port: number, options: Partial<FixSessionOptions>, lines: string[] = []) {
  const engine = await startInitiator({
    addresses: [{ host: '127.0.0.1', port }],
    sessions: [{ ...US, ...options }],
    application,
    reconnectFirstMs: 10,
    reconnectLargestMs: 20,
    log: (_level, text) => lines.push(text),
  });
  onTestFinished(() => engine.close());
  return engine;
}

test('a venue that wants a nonce, and its hash as the password, gets others in each Logon', async () => {
  const venue = await scriptedAcceptor({ script: () => {} });
  onTestFinished(() => venue.close());
  let nonce = 0;
  const hashOf = (text: string): string => createHash('sha256').update(`${text}secret`).digest('base64');
  await initiator(venue.port, {
    logonFields: () => {
      nonce++;
      return [
        [95, `${`nonce${nonce}`.length}`],
        [96, `nonce${nonce}`],
      ];
    },
    password: () => hashOf(`nonce${nonce}`),
  });
  const logonOf = async (connection: number) => {
    await expect.poll(() => venue.connections[connection]?.received.length ?? 0).toBeGreaterThan(0);
    return venue.connections[connection]!.received[0]!;
  };
  const first = await logonOf(0);
  venue.connections[0]!.destroy();
  const second = await logonOf(1);
  expect(first.string(96)).not.toBe(second.string(96));
  for (const logon of [first, second]) expect(logon.string(554)).toBe(hashOf(logon.string(96)!));
});

test.each([
  [
    'that throws',
    () => {
      throw new Error('the vault is shut');
    },
    'the vault is shut',
  ],
  ['that gives a promise', async () => [[9001, 'Y']], 'must give a list of [tag, text]'],
  ['that gives a field which every Logon has', () => [[108, '30']], 'must give a list of [tag, text]'],
] as const)('reports a function %s, and ends nothing', async (_how, broken, words) => {
  const venue = await scriptedAcceptor({ script: () => {} });
  onTestFinished(() => venue.close());
  let isBroken = false;
  const lines: string[] = [];
  const logonFields = () => (isBroken ? (broken() as never) : []);
  await initiator(venue.port, { logonFields }, lines);
  await expect.poll(() => venue.connections.length).toBe(1);
  isBroken = true;
  venue.connections[0]!.destroy();
  await expect.poll(() => lines.join('\n')).toContain(words);
  isBroken = false;
  await expect.poll(() => venue.connections.length).toBeGreaterThan(1);
});

test('a function that fails at the start ends the start; so does one as an acceptor’s Logon fields', async () => {
  const fails = (): never => {
    throw new Error('no key');
  };
  const options = { application, sessions: [{ ...US, logonFields: fails }] };
  const refused = { code: 'XG_SECRET_MISSING', message: expect.stringContaining('no key') };
  await expect(startInitiator({ ...options, addresses: [{ host: '127.0.0.1', port: 9 }] })).rejects.toMatchObject(
    refused,
  );
  await expect(startAcceptor({ ...options, port: 0 })).rejects.toMatchObject({ code: 'XG_CONFIG_INVALID' });
});

test('a signer that fails ends its connection, and the next attempt signs', async () => {
  const venue = await scriptedAcceptor({ script: () => {} });
  onTestFinished(() => venue.close());
  const lines: string[] = [];
  let calls = 0;
  const sign = (): string => {
    calls++;
    if (calls === 1) throw new Error('the token was taken out');
    return 'signed';
  };
  const engine = await initiator(venue.port, { logonSigner: { length: 6, sign } }, lines);
  const [session] = engine.sessions.values();
  await expect.poll(() => session!.loggedOn).toBe(true);
  expect(lines).toContain('connection dropped: no Logon could be made: Error: the token was taken out');
  expect(venue.connections[1]!.received[0]!.string(96)).toBe('signed');
});
