// An error in a callback of the library's user ends neither the session nor the process.

import { expect, onTestFinished, test } from 'vitest';
import { AssertionError } from '../../../src/base/assert.ts';
import type { Turn } from '../../../src/engine/application.ts';
import { CallbackApplication } from '../../../src/engine/library/fix-application.ts';
import type { SessionSlot } from '../../../src/engine/sessions/session-slot.ts';
import {
  type AcceptorOptions,
  type Alarm,
  type Fields,
  type FixApplication,
  type FixSession,
  type FixSessionOptions,
  MessageDraft,
  newMessage,
  startAcceptor,
  startInitiator,
  Tag,
} from '../../../src/mod.ts';
import { toPrintable } from '../../../src/wire/mod.ts';
import { type FixConnection, openFix } from '../../support/network/fix-connection.ts';

const NEWS = '35=B|148=a|33=1|58=b';

async function acceptor(
  application: FixApplication,
  session: Partial<FixSessionOptions> = {},
  options: Partial<AcceptorOptions> = {},
): Promise<{ fix: FixConnection; alarms: Alarm[]; session: FixSession }> {
  const alarms: Alarm[] = [];
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS', durability: 'process', ...session }],
    application,
    onAlarm: (alarm) => alarms.push(alarm),
    ...options,
  });
  const fix = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(async () => {
    fix.destroy();
    await engine.close();
  });
  fix.send('35=A|98=0|108=30');
  await fix.next();
  return { fix, alarms, session: [...engine.sessions.values()][0]! };
}

const failure = (): never => {
  throw new Error('a bug');
};

/** A promise as other libraries have them: of a class of its own, and doing nothing before it is asked. */
const promiseOfOthers = () => ({
  // biome-ignore lint/suspicious/noThenProperty: that is what makes it one
  then: (_resolve: unknown, reject: (error: Error) => void) => reject(new Error('a bug')),
});

test.each([
  ['throws', failure],
  ['throws behind an await', () => Promise.resolve().then(failure)],
  ['gives a promise of another library that is rejected', promiseOfOthers],
  [
    'throws what has no text',
    () => {
      throw Object.create(null);
    },
  ],
  [
    'reads a message behind an await',
    async (message: Parameters<FixApplication['onMessage']>[0]) => {
      await Promise.resolve();
      message.string('Headline');
    },
  ],
])('a callback that %s is answered with BusinessMessageReject(j) and an alarm', async (_what, onMessage) => {
  const { fix, alarms } = await acceptor({ onMessage });
  fix.send(NEWS);
  const answer = await fix.next();
  expect([answer.msgType, answer.int(Tag.RefSeqNum), answer.string(Tag.RefMsgType)]).toEqual(['j', 2, 'B']);
  expect(alarms.map(({ alarm }) => alarm)).toEqual(['application-failed']);
  fix.send('35=1|112=alive');
  expect((await fix.next()).string(Tag.TestReqID)).toBe('alive');
});

test.each<[string, FixApplication['onMessage']]>([
  ['sends the message that it got', (message, session) => session.send(message as never)],
  ['sends an object of its own', (_message, session) => session.send({ msgType: '8' } as never)],
  ['sends a message of no type', (_message, session) => session.send(new MessageDraft(5 as never))],
  ['logs out with null', (_message, session) => session.logout(null as never)],
  ['resets without a reason', (_message, session) => session.reset(undefined as never)],
])('a callback without types that %s is answered likewise', async (_what, onMessage) => {
  const { fix, alarms } = await acceptor({ onMessage });
  fix.send(NEWS);
  expect((await fix.next()).msgType).toBe('j');
  expect(alarms.map(({ alarm }) => alarm)).toEqual(['application-failed']);
  fix.send('35=1|112=alive');
  expect((await fix.next()).string(Tag.TestReqID)).toBe('alive');
});

test('an async onLogon or onLogout that fails is an alarm', async () => {
  const onLogon = async () => failure();
  const { fix, alarms } = await acceptor({ onMessage: () => {}, onLogon, onLogout: onLogon });
  fix.send('35=5');
  await fix.next();
  expect(alarms.map(({ alarm }) => alarm)).toEqual(['application-failed', 'application-failed']);
});

test.each([
  ['throws', failure],
  ['is rejected', async () => failure()],
])('an onAlarm or log that %s ends neither the session nor the process', async (_what, told) => {
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  onTestFinished(() => void process.off('unhandledRejection', onRejection));
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS' }],
    application: { onMessage: failure },
    onAlarm: told,
    log: told,
  });
  const fix = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(async () => {
    fix.destroy();
    await engine.close();
  });
  fix.send('35=A|98=0|108=30');
  fix.send(NEWS);
  expect([(await fix.next()).msgType, (await fix.next()).msgType]).toEqual(['A', 'j']);
  expect(rejections).toEqual([]);
});

test('two applications failing on every message end: a BusinessMessageReject(j) is not answered', async () => {
  let rejects = 0;
  const application: FixApplication = {
    onMessage(message, session) {
      if (message.msgType === 'j') rejects++;
      session.reject(message, 'not taken here');
      failure();
    },
  };
  const { fix } = await acceptor(application);
  fix.send(NEWS);
  expect([(await fix.next()).msgType, (await fix.next()).msgType]).toEqual(['j', 'j']);
  fix.send('35=j|45=2|372=j|380=0');
  fix.send('35=1|112=alive');
  expect((await fix.next()).string(Tag.TestReqID)).toBe('alive');
  expect(rejects).toBe(1);
});

test('a key that cannot be read refuses the Logon and ends nothing', async () => {
  const lines: string[] = [];
  const key = {
    reference: 'our vault',
    read: (): string => {
      throw new Error('it is sealed');
    },
  };
  const signature = { algorithm: 'hmac-sha256', key, windowMs: 10_000 } as const;
  const engine = await startAcceptor({
    port: 0,
    sessions: [
      { senderCompID: 'GATE', targetCompID: 'OMS', access: { signature, onRefusal: 'logout', answersUnproved: true } },
    ],
    application: { onMessage: () => {} },
    log: (_level, text) => lines.push(text),
  });
  onTestFinished(() => engine.close());
  const fix = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(() => fix.destroy());
  fix.send('35=A|98=0|95=4|96=AAAA|108=30');
  expect((await fix.next()).msgType).toBe('5');
  expect(lines).toContain('our vault: Error: it is sealed');
  await expect(
    startInitiator({
      addresses: [{ host: '127.0.0.1', port: engine.port }],
      sessions: [{ senderCompID: 'OMS', targetCompID: 'GATE', access: { signature } }],
      application: { onMessage: () => {} },
    }),
  ).rejects.toMatchObject({ code: 'XG_SECRET_MISSING', message: 'our vault: Error: it is sealed' });
});

async function asksAgain(onResend: FixApplication['onResend']): Promise<{ answers: string[]; alarms: Alarm[] }> {
  const { fix, alarms } = await acceptor({
    ...(onResend === undefined ? {} : { onResend }),
    onMessage(message, session) {
      for (const id of ['a', 'b', 'c']) session.send(newMessage('B', { Headline: id, NoLinesOfText: 1, Text: 'x' }));
      session.reject(message, 'r');
    },
  });
  fix.send(NEWS);
  for (let count = 0; count < 4; count++) await fix.next();
  fix.send('35=2|7=1|16=0');
  fix.send('35=1|112=end');
  const answers: string[] = [];
  for (;;) {
    const answer = await fix.next();
    if (answer.msgType === '0') return { answers, alarms };
    const what = answer.string(Tag.NewSeqNo) ?? answer.string(Tag.Headline) ?? answer.string(Tag.Text);
    answers.push(`${answer.int(Tag.MsgSeqNum)} ${answer.msgType} ${what}`);
  }
}

test('S4 gap-fills exactly the messages that the application does not want resent', async () => {
  const asked: string[] = [];
  const { answers } = await asksAgain((message) => {
    asked.push(`${message.msgType} ${message.string('Headline')} ${Number.isFinite(message.time('SendingTime'))}`);
    return message.string('Headline') !== 'b' && message.msgType !== 'j';
  });
  expect(asked).toEqual(['B a true', 'B b true', 'B c true', 'j null true']);
  expect(answers).toEqual(['1 4 2', '2 B a', '3 4 4', '4 B c', '5 4 6']);
});

test.each([
  ['throws', failure],
  ['answers by a promise', (async () => false) as never],
])('S4 an onResend that %s is an alarm for each message, and all are sent again', async (_what, onResend) => {
  const { answers, alarms } = await asksAgain(onResend);
  expect(answers).toEqual(['1 4 2', '2 B a', '3 B b', '4 B c', '5 j r']);
  expect(alarms.map(({ alarm }) => alarm)).toEqual(Array(4).fill('application-failed'));
});

test('an application hears which of its messages was refused by Reject(3), each of them, and answers none', async () => {
  const told: string[] = [];
  const { fix } = await acceptor({
    onMessage(message, session) {
      told.push(`message ${message.msgType}`);
      for (const id of ['a', 'b']) session.send(newMessage('B', { Headline: id, NoLinesOfText: 1, Text: 'x' }));
    },
    onReject(reject, refused, session) {
      told.push(`${session.targetCompID} ${reject.string('Text')}: ${refused?.string('Headline') ?? refused}`);
      if (refused?.string('Headline') === 'b') failure();
    },
  });
  fix.send(NEWS);
  await fix.next();
  await fix.next();
  for (const [refSeqNum, text] of [
    [2, 'one'],
    [3, 'two'],
    [1, 'the Logon'],
    [99, 'none'],
  ]) {
    fix.send(`35=3|45=${refSeqNum}|58=${text}`);
  }
  fix.send('35=1|112=alive');
  expect((await fix.next()).string(Tag.TestReqID)).toBe('alive');
  await expect.poll(() => told).toHaveLength(5);
  expect(told).toEqual(['message B', 'OMS one: a', 'OMS two: b', 'OMS the Logon: null', 'OMS none: null']);
});

test("onLogout gets the counterparty's own reason", async () => {
  const reasons: string[] = [];
  const { fix } = await acceptor({ onMessage: () => {}, onLogout: (_session, reason) => void reasons.push(reason) });
  fix.send('35=5|58=MsgSeqNum too low, expecting 9 but received 1');
  await expect.poll(() => reasons).toHaveLength(1);
  expect(reasons).toEqual(['Logout(5) received: MsgSeqNum too low, expecting 9 but received 1']);
});

test('awaiting drained() allows more than the limit, without counting as a slow consumer', async () => {
  const alarms: string[] = [];
  const outboundBytesMax = 65_536;
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS' }],
    application: { onMessage: () => {} },
    limits: { outboundBytesMax },
    onAlarm: ({ alarm }) => alarms.push(alarm),
  });
  const fix = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(async () => {
    fix.destroy();
    await engine.close();
  });
  fix.send('35=A|98=0|108=30');
  await fix.next();
  const session = engine.sessions.get('FIX.4.4:GATE->OMS')!;
  let most = 0;
  for (let i = 1; i <= 2000; i++) {
    session.send(newMessage('B', { Headline: `h${i}`, NoLinesOfText: 1, Text: 'x'.repeat(200) }));
    most = Math.max(most, session.waitingBytes);
    if (i % 50 === 0) await session.drained();
  }
  expect((await fix.expect('the last one', (view) => view.string(Tag.Headline) === 'h2000')).int(34)).toBe(2001);
  expect([alarms, most > outboundBytesMax / 8, most < outboundBytesMax]).toEqual([[], true, true]);
  fix.destroy();
  await session.drained();
});

const PARTIES = '453=2|448=A|447=D|452=1|802=1|523=desk|803=2|448=B|447=D|452=3';

test('the last entry of a group ends where the dictionary ends it', async () => {
  const seen: (string | null)[] = [];
  const has: boolean[] = [];
  const { fix } = await acceptor({
    onMessage(message) {
      const read = (parties: Fields[]): void => {
        for (const party of parties) {
          seen.push(party.string('PartyID'), ...party.group('NoPartySubIDs').map((sub) => sub.string('PartySubID')));
          has.push(
            party.has('ClOrdID'),
            party.has('Text'),
            party.group('NoPartySubIDs').some((sub) => sub.has('PartyRole')),
          );
        }
      };
      read(message.group('NoPartyIDs'));
      read(message.copy().group(453));
    },
  });
  fix.send(`35=D|11=a|${PARTIES}|55=BTCUSDC|54=1|60=20261122-21:00:00|38=1|40=2|44=1|58=outside`);
  fix.send('35=1|112=alive');
  expect((await fix.next()).string(Tag.TestReqID)).toBe('alive');
  expect(seen).toEqual(['A', 'desk', 'B', 'A', 'desk', 'B']);
  expect(has).toEqual(Array(12).fill(false));
});

test('reads group entries by ApplVerID(1128) in a session with several versions', async () => {
  const seen: (string | null)[][] = [];
  const engine = await startAcceptor({
    port: 0,
    sessions: [
      { senderCompID: 'GATE', targetCompID: 'OMS', beginString: 'FIXT.1.1', defaultApplVerID: '7', applVerIDs: ['9'] },
    ],
    application: {
      onMessage: (message) =>
        void seen.push(...message.group('NoOrders').map((one) => [one.string('OrderID'), one.string('ClOrdID')])),
    },
  });
  const fix = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE', beginString: 'FIXT.1.1' });
  onTestFinished(async () => {
    fix.destroy();
    await engine.close();
  });
  fix.send('35=A|98=0|108=30|1137=7');
  await fix.next();
  // OrderID(37) came into ListStatus(N) with SP1.
  const order = (id: string, orderID = ''): string => `11=${id}|${orderID}14=0|39=0|151=1|84=0|6=0`;
  const list = '66=l|429=1|82=1|431=3|83=1|68=2|73=2';
  fix.send(`35=N|1128=9|${list}|${order('a', '37=x|')}|${order('b', '37=y|')}`);
  fix.send(`35=N|${list}|${order('c')}|${order('d')}`);
  fix.send('35=1|112=alive');
  expect((await fix.next()).string(Tag.TestReqID)).toBe('alive');
  expect(seen).toEqual([
    ['x', 'a'],
    ['y', 'b'],
    [null, 'c'],
    [null, 'd'],
  ]);
});

test('a session that does not validate reads groups that its dictionary does not have', async () => {
  const seen: (string | null)[] = [];
  const { fix } = await acceptor(
    { onMessage: (message) => seen.push(...message.group('NoPartyIDs').map((party) => party.string(20_001))) },
    { validateIncoming: false },
  );
  fix.send('35=D|11=a|453=2|448=A|20001=x|448=B|20001=y|55=BTCUSDC|54=1|60=20261122-21:00:00|38=1|40=2|44=1');
  fix.send('35=1|112=alive');
  expect((await fix.next()).string(Tag.TestReqID)).toBe('alive');
  expect(seen).toEqual(['x', 'y']);
});

test('later changes of a message do not affect its sent form', async () => {
  const { fix } = await acceptor(
    {
      onMessage(_message, session) {
        const draft = new MessageDraft('B').add(Tag.Headline, 'one').header(Tag.TargetSubID, 'desk');
        session.send(draft);
        session.send(draft.add(Tag.Text, 'two ö'));
        draft.add(Tag.Text, 'three').header(Tag.OnBehalfOfCompID, 'firm');
        session.send(draft);
        session.send(draft);
      },
    },
    { checkRequiredFields: false },
  );
  fix.send(NEWS);
  const sent = await Promise.all([1, 2, 3, 4].map(() => fix.next()));
  expect(
    sent.map((view) =>
      toPrintable(view.bytes()).replace(/^.*\|52=[^|]*\|56=OMS\|57=desk\|(?:115=firm\|)?|10=\d+\|$/g, ''),
    ),
  ).toEqual(['148=one|', '148=one|58=two ö|', '148=one|58=two ö|58=three|', '148=one|58=two ö|58=three|']);
  expect(sent.map((view) => [view.string(Tag.TargetSubID), view.string(Tag.OnBehalfOfCompID)])).toEqual([
    ['desk', null],
    ['desk', null],
    ['desk', 'firm'],
    ['desk', 'firm'],
  ]);
});

test.each(['A', '2', '4', '5', ''])(
  'an application sends no 35=%s: session messages are the engine’s, and numbered by it',
  async (msgType) => {
    const refused: string[] = [];
    const { fix } = await acceptor({
      onMessage(_message, session) {
        try {
          session.send(new MessageDraft(msgType).add(Tag.NewSeqNo, '50'));
        } catch (error) {
          refused.push(error instanceof Error ? error.message : '');
        }
      },
    });
    fix.send(NEWS);
    fix.send('35=1|112=alive');
    const next = await fix.next();
    expect([next.msgType, next.int(Tag.MsgSeqNum)]).toEqual(['0', 2]);
    expect(refused).toEqual([expect.stringContaining('logout() ends a session, reset() begins its numbers again')]);
  },
);

test('refuses a header field of the session: another number or name would break each connection', async () => {
  const refused: string[] = [];
  const { fix } = await acceptor({
    onMessage(message, session) {
      const news = () => newMessage('B', { Headline: 'a', NoLinesOfText: 1, Text: 'x' });
      const owned = [
        news().header(Tag.MsgSeqNum, '99'),
        news().header(Tag.TargetSubID, 'DESK').header(Tag.SenderCompID, 'X'),
      ];
      for (const draft of owned) {
        try {
          session.send(draft);
        } catch (error) {
          refused.push((error as Error).message);
        }
      }
      session.send(news().header(Tag.TargetSubID, 'DESK').header(Tag.PossResend, 'Y'));
      session.reject(message, 'r');
    },
  });
  fix.send(NEWS);
  const sent = await fix.next();
  expect([sent.int(Tag.MsgSeqNum), sent.string(Tag.TargetSubID), sent.string(Tag.PossResend)]).toEqual([
    2,
    'DESK',
    'Y',
  ]);
  expect(refused).toEqual(
    [34, 49].map((tag) => `not a message to send: ${tag} in its header is written by the session`),
  );
});

test.each(['a callback', 'a program'])(
  '%s sends far more than the limit in one turn, and a reading peer stays connected',
  async (who) => {
    const burst = (session: FixSession): void => {
      for (let i = 1; i <= 2000; i++)
        session.send(newMessage('B', { Headline: `h${i}`, NoLinesOfText: 1, Text: 'x'.repeat(2000) }));
      session.send(newMessage('B', { Headline: 'long', NoLinesOfText: 1, Text: 'x'.repeat(60_000) }));
    };
    const { fix, alarms, session } = await acceptor(
      { onMessage: (_message, of) => burst(of) },
      {},
      { limits: { outboundBytesMax: 65_536 } },
    );
    if (who === 'a program') burst(session);
    else fix.send(NEWS);
    expect((await fix.expect('the last one', (view) => view.string(Tag.Headline) === 'long')).int(34)).toBe(2002);
    expect([alarms, session.loggedOn]).toEqual([[], true]);
  },
);

test("an error of the session during a callback's send goes to the process, not the callback", async () => {
  const application = new CallbackApplication({
    application: { onLogon: (session) => session.send(newMessage('B')), onMessage: () => {} },
    alarm: () => {},
    isFlooded: () => false,
    pendingBytes: () => 0,
    callbacksMax: 1,
    outboundBytesMax: 1,
    load: async () => [],
  });
  const { sessionID } = application.addSession({
    sessionId: 'FIX.4.4:GATE->OMS',
    machine: { config: {}, missingIn: () => null },
  } as unknown as SessionSlot);
  const broken = new AssertionError('inbound messages are counted in order');
  const turn = {
    sendNow: () => {
      throw broken;
    },
  } as unknown as Turn;
  expect(() => application.handle({ kind: 'sessionUp', sessionId: sessionID }, turn)).toThrow(broken);
});

test('refuses a message without a required field by name, sends nothing, and lets an option allow it', async () => {
  const lacking = newMessage('B', { NoLinesOfText: 1, Text: 'a' });
  const { fix, session } = await acceptor({ onMessage: () => {} });
  const before = session.numbers;
  expect(() => session.send(lacking)).toThrow(
    expect.objectContaining({
      code: 'XG_MESSAGE_INVALID',
      message: 'FIX.4.4:GATE->OMS: not sent: News(B) lacks Headline(148), which the dictionary requires',
    }),
  );
  expect(session.numbers).toEqual(before);
  session.send(newMessage('B', { Headline: 'whole', NoLinesOfText: 1, Text: 'b' }));
  expect((await fix.next()).string(Tag.Headline)).toBe('whole');

  const lenient = await acceptor({ onMessage: () => {} }, { checkRequiredFields: false });
  lenient.session.send(lacking);
  expect((await lenient.fix.next()).string(Tag.NoLinesOfText)).toBe('1');
});

test('a callback that sends a message without a required field fails on its message', async () => {
  const { fix, alarms } = await acceptor({
    onMessage: (_message, on) => on.send(newMessage('B', { NoLinesOfText: 1, Text: 'a' })),
  });
  fix.send(NEWS);
  expect((await fix.next()).string(Tag.Text)).toBe('The application failed on this message');
  expect(alarms.map(({ text }) => text)).toEqual([expect.stringContaining('lacks Headline(148)')]);
});

test('answers a rejected message with its id and the given reason', async () => {
  const { fix, session } = await acceptor({
    onMessage: (message, on) => on.reject(message, 'no news here', '3'),
  });
  fix.send(NEWS);
  const answer = await fix.next();
  const fields = [Tag.RefSeqNum, Tag.RefMsgType, Tag.BusinessRejectReason, Tag.Text].map((tag) => answer.string(tag));
  expect([answer.msgType, ...fields]).toEqual(['j', '2', 'B', '3', 'no news here']);
  expect(() => session.disable(5 as never)).toThrow(AssertionError);
  expect(session.enabled).toBe(true);
});

test('a session that is disabled stays logged out until it is enabled, on either side', async () => {
  const told: string[] = [];
  const of = (which: string): FixApplication => ({
    onLogon: () => void told.push(`${which} up`),
    onMessage: () => {},
    onLogout: (_session, reason) => void told.push(`${which} down: ${reason}`),
  });
  const lines: string[] = [];
  const log = (_level: string, text: string): void => void lines.push(text);
  const gate = { senderCompID: 'GATE', targetCompID: 'OMS' };
  const server = await startAcceptor({ port: 0, sessions: [gate], application: of('GATE'), log });
  const addresses = [{ host: '127.0.0.1', port: server.port }];
  const oms = { senderCompID: 'OMS', targetCompID: 'GATE' };
  const pauses = { reconnectFirstMs: 20, reconnectLargestMs: 20 };
  const client = await startInitiator({ addresses, sessions: [oms], application: of('OMS'), ...pauses, log });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const session = client.sessions.get('FIX.4.4:OMS->GATE')!;
  const accepted = server.sessions.get('FIX.4.4:GATE->OMS')!;
  await expect.poll(() => told).toHaveLength(2);
  session.disable('closed for today');
  await expect.poll(() => told).toContain('GATE down: Logout(5) received: closed for today');
  const connections = (): number => lines.filter((text) => text === 'connected').length;
  // Time for a second one.
  for (let turns = 0; turns < 10; turns++) await openFix(server.port, gate).then((fix) => fix.destroy());
  expect([connections(), session.enabled, session.loggedOn]).toEqual([1, false, false]);
  accepted.disable();
  session.enable();
  await expect.poll(() => lines.join()).toContain('no session FIX.4.4:GATE->OMS is open');
  expect(told).toHaveLength(4);
  accepted.enable();
  await expect.poll(() => told.slice(4).sort()).toEqual(['GATE up', 'OMS up']);
});
