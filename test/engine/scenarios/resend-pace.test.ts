// A resend goes out no faster than the counterparty reads: far more than its connection may buffer reaches it whole.

import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type FixEngine, newMessage, startAcceptor } from '../../../src/mod.ts';
import { MsgType, Tag } from '../../../src/wire/mod.ts';
import { FixConnection } from '../../support/network/fix-connection.ts';

/** More than sockets of this machine take unread, and many times what the engine may buffer. */
const REPORTS = 6000;
const TEXT = 'x'.repeat(3000);
const OUTBOUND_BYTES_MAX = 1_000_000;

let engine: FixEngine | null = null;
afterEach(async () => {
  await engine?.close();
  engine = null;
});

/** An acceptor that has sent so many messages of that text, and its counterparty, which logs on without having got any. */
async function withUnread(count: number, text: string) {
  const alarms: string[] = [];
  const lines: string[] = [];
  engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS' }],
    limits: { outboundBytesMax: OUTBOUND_BYTES_MAX },
    application: { onMessage: () => {} },
    onAlarm: ({ alarm }) => alarms.push(alarm),
    log: (_level, line) => lines.push(line),
  });
  const session = [...engine.sessions.values()][0]!;
  for (let i = 0; i < count; i++) {
    session.send(newMessage(MsgType.News, { Headline: `n-${i}`, NoLinesOfText: 1, Text: text }));
  }
  const socket = connect({ host: '127.0.0.1', port: engine.port });
  const oms = new FixConnection(socket, { senderCompID: 'OMS', targetCompID: 'GATE' });
  oms.send('35=A|98=0|108=30');
  await oms.expect('the answer to the Logon', ({ msgType }) => msgType === 'A');
  return { alarms, lines, socket, oms, engine };
}

test('a resend waits for a counterparty that reads slowly, instead of ending its connection', async () => {
  const { alarms, lines, socket, oms, engine: running } = await withUnread(REPORTS, TEXT);
  // A peer that stops reading while the kernel's buffers fill has not read for a while.
  socket.pause();
  oms.send('35=2|7=1|16=0');
  const told = 'the counterparty does not read: the resend waits for it';
  const until = Date.now() + 30_000;
  while (!lines.includes(told) && Date.now() < until && !oms.closed) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(lines).toContain(told);
  socket.resume();
  await oms.expect('the whole resend', () => oms.received.length > REPORTS);
  expect(oms.received.at(-1)!.boolean(Tag.PossDupFlag)).toBe(true);
  const resent = oms.received.filter(({ msgType }) => msgType === 'B').map((view) => view.int(Tag.MsgSeqNum));
  expect(resent).toEqual(Array.from({ length: REPORTS }, (_, i) => i + 1));
  expect(alarms).toEqual([]);
  // It leaves the Logout of the closing engine unanswered: what becomes of it is recorded before the store is closed.
  await running.close();
  engine = null;
  await oms.expectClosed();
});

test('a resend arrives whole if fifty of its messages exceed the outbound limit', async () => {
  const { alarms, oms } = await withUnread(200, TEXT.repeat(15));
  oms.send('35=2|7=1|16=0');
  await oms.expect('the whole resend', () => oms.received.length > 200);
  expect(alarms).toEqual([]);
});
