// SendingTime(52) and OrigSendingTime(122) as finely as a session is set to write them, over TCP, and with a resend.

import { connect } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { type FixEngine, memoryStore, newMessage, startAcceptor } from '../../../src/mod.ts';
import { Tag } from '../../../src/wire/mod.ts';
import { FixConnection } from '../../support/network/fix-connection.ts';

const engines: FixEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

const PRECISIONS = [
  ['seconds', /^\d{8}-\d\d:\d\d:\d\d$/],
  ['milliseconds', /^\d{8}-\d\d:\d\d:\d\d\.\d{3}$/],
  ['microseconds', /^\d{8}-\d\d:\d\d:\d\d\.\d{6}$/],
  ['nanoseconds', /^\d{8}-\d\d:\d\d:\d\d\.\d{9}$/],
] as const;

async function oms(settings: object, beginString = 'FIX.4.4', now?: () => number) {
  const engine = await startAcceptor({
    port: 0,
    store: memoryStore(),
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS', beginString, ...settings }],
    application: { onMessage: () => {} },
    ...(now === undefined ? {} : { now }),
  });
  engines.push(engine);
  const fix = new FixConnection(connect(engine.port, '127.0.0.1'), {
    senderCompID: 'OMS',
    targetCompID: 'GATE',
    beginString,
  });
  onTestFinished(() => fix.destroy());
  fix.send('35=A|98=0|108=30');
  const logon = await fix.next();
  return { fix, logon, session: [...engine.sessions.values()][0]! };
}

const news = (line: string) => newMessage('B', { Headline: line, NoLinesOfText: 1, Text: 'one' });

test.each(PRECISIONS)(
  'timestampPrecision %s: each message has one such SendingTime(52), the resend the first as 122',
  async (timestampPrecision, form) => {
    const { fix, logon, session } = await oms({ timestampPrecision });
    expect(logon.string(Tag.SendingTime)).toMatch(form);
    session.send(news('first'));
    session.send(news('second'));
    const first = await fix.next();
    const second = await fix.next();
    const [one, two] = [first.string(Tag.SendingTime)!, second.string(Tag.SendingTime)!];
    expect(one).toMatch(form);
    expect(two >= one).toBe(true);
    fix.send('35=2|7=1|16=0');
    const gapFill = await fix.expect('a gap fill', (view) => view.msgType === '4');
    expect(gapFill.string(Tag.OrigSendingTime)).toMatch(form);
    expect(gapFill.string(Tag.OrigSendingTime)).toBe(gapFill.string(Tag.SendingTime));
    const again = await fix.expect(
      'the resend',
      (view) => view.string(Tag.PossDupFlag) === 'Y' && view.msgType === 'B',
    );
    expect(again.string(Tag.OrigSendingTime)).toBe(one);
    expect(again.string(Tag.SendingTime)).toMatch(form);
  },
);

test('without the setting FIX.4.4 writes milliseconds, from a clock with finer decimals', async () => {
  let time = Date.now() + 0.25;
  const plain = await oms({}, 'FIX.4.4', () => time);
  expect(plain.logon.string(Tag.SendingTime)).toMatch(PRECISIONS[1][1]);
  const fine = await oms({ timestampPrecision: 'nanoseconds' }, 'FIX.4.4', () => time);
  expect(fine.logon.string(Tag.SendingTime)).toMatch(/\.\d{3}250000$/);
  time += 0.5;
  fine.session.send(news('later'));
  expect((await fine.fix.next()).string(Tag.SendingTime)).toMatch(/\.\d{3}750000$/);
});
