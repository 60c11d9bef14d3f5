// Texts of a library's messages in the character set of the session or of MessageEncoding(347), over real sockets.

import { expect, onTestFinished, test } from 'vitest';
import {
  type FixMessage,
  type FixSession,
  type FixSessionOptions,
  newMessage,
  startAcceptor,
} from '../../../src/mod.ts';
import type { MessageView } from '../../../src/wire/mod.ts';
import { type FixConnection, openFix } from '../../support/network/fix-connection.ts';

const hex = (view: MessageView, tag: number): string => Buffer.from(view.string(tag) ?? '', 'latin1').toString('hex');

/** A session that is logged on, its counterparty, and what the application was given, as it was read during the callback. */
async function session(
  settings: Partial<FixSessionOptions>,
  read: (message: FixMessage) => unknown = () => null,
): Promise<{ fix: FixSession; peer: FixConnection; given: unknown[] }> {
  const given: unknown[] = [];
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'HUB', targetCompID: 'DESK', ...settings }],
    application: { onMessage: (message) => void given.push(read(message)) },
  });
  onTestFinished(() => engine.close());
  const peer = await openFix(engine.port, { senderCompID: 'DESK', targetCompID: 'HUB' });
  onTestFinished(() => peer.destroy());
  peer.send('35=A|98=0|108=30|');
  await peer.next();
  return { fix: [...engine.sessions.values()][0]!, peer, given };
}

const news = (headline: string | Buffer) => newMessage('B', { Headline: headline }).add(33, '1').add(58, 'a line');

test.each([
  [{}, 'Börse', '42f6727365'],
  [{ charset: 'UTF-8' }, 'Börse €', '42c3b672736520e282ac'],
  [{ charset: 'Shift_JIS' }, '東京', '938c8b9e'],
] as const)('a text goes out in the character set of the session %j', async (settings, text, bytes) => {
  const { fix, peer } = await session(settings);
  fix.send(news(text));
  expect(hex(await peer.next(), 148)).toBe(bytes);
});

test('MessageEncoding(347) of a message counts before the session, and a Length field counts bytes', async () => {
  const { fix, peer } = await session({});
  const draft = newMessage('B', { MessageEncoding: 'EUC-JP', Headline: '東京' }).add(33, '1').add(58, 'a line');
  fix.send(draft.add(354, '2').add(355, '東京'));
  const sent = await peer.next();
  expect([hex(sent, 148), sent.string(354), hex(sent, 355)]).toEqual(['c5ecb5fe', '4', 'c5ecb5fe']);
});

test("refuses a text outside the set, or with SOH, by the field's name, and sends nothing", async () => {
  const { fix, peer } = await session({});
  const before = fix.numbers;
  expect(() => fix.send(news('10 €'))).toThrow(/Headline\(148\) holds text that ISO-8859-1 does not have/);
  expect(() => fix.send(news('a').header(50, '東'))).toThrow(/SenderSubID\(50\)/);
  expect(() => fix.send(news('a\x01150=F'))).toThrow(/Headline\(148\) holds SOH/);
  expect(() => fix.send(news('a\x00b'))).toThrow(/Headline\(148\) holds NUL/);
  expect(() => fix.send(newMessage('B', { MessageEncoding: 'UTF-16', Headline: 'ö' }))).toThrow(
    /MessageEncoding\(347\)=UTF-16/,
  );
  expect(() => fix.logout('Schluß €')).toThrow(/Text\(58\)/);
  expect(() => fix.reject({ msgType: 'D', msgSeqNum: 2 }, '€')).toThrow(/Text\(58\)/);
  expect(fix.numbers).toEqual(before);
  fix.send(news('after all'));
  expect((await peer.next()).string(148)).toBe('after all');
});

test('a Buffer goes out as it is, SOH in data behind its Length field included', async () => {
  const { fix, peer } = await session({ charset: 'UTF-8' });
  fix.send(
    news(Buffer.from([0x80, 0xff]))
      .add(95, '3')
      .add(96, Buffer.from('a\x01b')),
  );
  const sent = await peer.next();
  expect([hex(sent, 148), sent.string(96)]).toEqual(['80ff', 'a\x01b']);
  expect(() => fix.send(news(Buffer.from('a\x01b')))).toThrow(/Headline\(148\) holds SOH/);
});

test('reads received text as written, and copies it into an answer byte for byte', async () => {
  const { fix, peer, given } = await session({ charset: 'Shift_JIS' }, (message) => {
    const answer = newMessage('B');
    message.copyTo(answer, 148);
    fix.send(answer.add(33, '1').add(58, message.string(148)!));
    return [message.string('Headline'), message.bytes('Headline')?.toString('hex')];
  });
  peer.send('35=B|148=\x93\x8c\x8b\x9e|33=1|58=a line|');
  const sent = await peer.next();
  expect(given).toEqual([['東京', '938c8b9e']]);
  expect([hex(sent, 148), hex(sent, 58)]).toEqual(['938c8b9e', '938c8b9e']);
});

test.each(['J\xfcrgen', 'J\xc3\xbcrgen'])('a Username(553) is known in either encoding: %j', async (bytes) => {
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'HUB', targetCompID: 'DESK', username: 'Jürgen', password: 'geheim' }],
    application: { onMessage: () => {} },
  });
  onTestFinished(() => engine.close());
  const peer = await openFix(engine.port, { senderCompID: 'DESK', targetCompID: 'HUB' });
  onTestFinished(() => peer.destroy());
  peer.send(`35=A|98=0|108=30|553=${bytes}|554=geheim|`);
  expect((await peer.next()).msgType).toBe('A');
});

test("refuses at the start a setting with text outside the session's character set", async () => {
  const start = (settings: Partial<FixSessionOptions>): Promise<unknown> =>
    startAcceptor({
      port: 0,
      sessions: [{ senderCompID: 'HUB', targetCompID: 'DESK', ...settings }],
      application: { onMessage: () => {} },
    });
  await expect(start({ logonText: 'Überall €' })).rejects.toThrow(
    /sessions\[0\]\.logonText must be a text that ISO-8859-1 has/,
  );
  await expect(start({ charset: 'UTF-16' as never })).rejects.toThrow(/sessions\[0\]\.charset must be one of/);
});
