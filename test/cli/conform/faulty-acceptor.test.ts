// The suite against acceptors with one fault each: it fails exactly where the fault shows. A relay in front of a right acceptor
// changes what that sends.

import { connect as connectTcp, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FixEngine, startAcceptor } from '../../../src/mod.ts';
import { Framer, fromPrintable, toPrintable } from '../../../src/wire/mod.ts';
import { failures, playSuite } from './played-suite.ts';

/** Changes a message of the acceptor; null: it is lost. */
type Fault = (text: string, field: (tag: number) => string | null) => string | null;

let engine: FixEngine;
const relays: Server[] = [];

const FAULTS: Readonly<Record<string, Fault>> = {
  none: (text) => text,
  'forgets TestReqID': (text, field) => (field(35) === '0' ? text.replace(/\|112=[^|]*/, '') : text),
  'asks for too little': (text, field) =>
    field(35) === '2' ? text.replace(/\|7=(\d+)/, (_, n) => `|7=${Number(n) + 1}`) : text,
  'confirms another HeartBtInt': (text, field) => (field(35) === 'A' ? text.replace(/\|108=\d+/, '|108=77') : text),
  'gives no RefTagID': (text, field) => (field(35) === '3' ? text.replace(/\|371=\d+/, '') : text),
  'gap fill without PossDupFlag': (text, field) => (field(35) === '4' ? text.replace('|43=Y', '') : text),
  'gives no reason': (text, field) => (field(35) === '5' ? text.replace(/\|58=[^|]*/, '') : text),
  'answers no Logout': (text, field) => (field(35) === '5' && field(58) === null ? null : text),
  'gap fill too short': (text, field) =>
    field(35) === '4' ? text.replace(/\|36=(\d+)/, (_, n) => `|36=${Number(n) - 1}`) : text,
  'wrong CheckSum': (text, field) => (field(35) === '0' ? text.replace(/\|10=\d+/, '|10=999') : text),
};

beforeAll(async () => {
  engine = await startAcceptor({
    port: 0,
    sessions: Object.keys(FAULTS).map((_, i) => ({
      senderCompID: 'XGATE',
      targetCompID: `OMS${i}`,
      heartBtIntMinS: 1,
    })),
    limits: { failedLogonsPerMinute: 1_000_000 },
    application: { onMessage: (message, session) => session.reject(message, 'not here', '3') },
  });
});
afterAll(async () => {
  for (const relay of relays) relay.close();
  await engine.close();
});

async function relay(fault: Fault): Promise<number> {
  // Either end closes only after the other: a session that is still logged on would refuse the next Logon.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const acceptor = connectTcp({ port: engine.port, host: '127.0.0.1', allowHalfOpen: true });
    const framer = new Framer({ frameBytesMax: 100_000, fieldsMax: 1_000 });
    client.on('error', () => acceptor.destroy());
    acceptor.on('error', () => client.destroy());
    client.pipe(acceptor);
    acceptor.on('end', () => client.end());
    acceptor.on('data', (chunk: Buffer) => {
      framer.push(chunk);
      for (let result = framer.next(); result !== null; result = framer.next()) {
        if (result.kind !== 'message') continue;
        const { view } = result;
        // Lengths and sums are made anew, but for those that the fault writes.
        const text = toPrintable(view.bytes());
        const changed = fault(text, (tag) => view.string(tag));
        if (changed === null) continue;
        const sum = /\|10=\d+/.exec(changed)![0];
        const keeps = text.includes(sum) ? '' : sum.slice(1);
        client.write(fromPrintable(changed.replace(/\|9=\d+/, '').replace(/\|10=\d+\|/, `|${keeps}`)));
      }
    });
  });
  relays.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

/** `only`: these cases alone, where the fault makes each of them slow. */
async function failuresWith(name: string, only?: readonly string[]): Promise<string[]> {
  const targetCompID = 'XGATE';
  const senderCompID = `OMS${Object.keys(FAULTS).indexOf(name)}`;
  const played = await playSuite({
    port: await relay(FAULTS[name]!),
    suite: 'session',
    senderCompID,
    targetCompID,
    timeoutMs: 700,
    wants: (id, tags) =>
      only?.includes(id) ?? (!tags.includes('slow') && !['13-b', '1S-c', '1S-c2', '2S'].includes(id)),
  });
  return failures(played);
}

test.concurrent('a right acceptor passes', async () => {
  expect(await failuresWith('none')).toEqual([]);
});

test.concurrent('an acceptor that forgets TestReqID fails wherever a TestRequest is answered', async () => {
  const failed = await failuresWith('forgets TestReqID');
  expect(failed).toContain('4-b: failed at “expect Heartbeat | TestReqID=HELLO-{run}” (112)');
  expect(failed).toContain('2-a: failed at “expect Heartbeat | TestReqID={id}” (112)');
  expect(failed.every((line) => line.endsWith('(112)'))).toBe(true);
});

test.concurrent('an acceptor that asks for too little fails where a resend is requested', async () => {
  expect(await failuresWith('asks for too little')).toEqual([
    '2-b: failed at “expect ResendRequest | BeginSeqNo={first} | EndSeqNo=*” (7)',
    '10-b: failed at “expect ResendRequest | BeginSeqNo={first} | EndSeqNo=*” (7)',
    '20: failed at “expect ResendRequest | BeginSeqNo={first} | EndSeqNo=*” (7)',
  ]);
});

test.concurrent('an acceptor that confirms another HeartBtInt fails at its Logon', async () => {
  const failed = await failuresWith('confirms another HeartBtInt');
  expect(failed).toContain(
    '1S-a: failed at “expect Logon | EncryptMethod=0 | HeartBtInt={heartBtInt} | MsgSeqNum=1” (108)',
  );
  expect(failed.every((line) => line.endsWith('(108)'))).toBe(true);
});

test.concurrent('an acceptor that gives no RefTagID fails where a field is refused', async () => {
  const failed = await failuresWith('gives no RefTagID');
  expect(failed.map((line) => line.split(':')[0])).toEqual(['14-a', '14-b', '14-c', '14-d', '14-f', '14-h']);
  expect(failed.every((line) => line.endsWith('(371)'))).toBe(true);
});

test.concurrent('an acceptor whose gap fill lacks PossDupFlag fails where it resends', async () => {
  const failed = await failuresWith('gap fill without PossDupFlag');
  expect(failed.map((line) => line.split(':')[0])).toEqual(['8-a', '8-b', '20']);
  expect(failed.every((line) => line.includes('(43'))).toBe(true);
});

test.concurrent('an acceptor that gives no reason fails where it ends the session', async () => {
  const failed = await failuresWith('gives no reason');
  expect(failed).toEqual(['2-c', '2-i', '10-d'].map((id) => `${id}: failed at “expect Logout | Text=*” (58)`));
});

test.concurrent('an acceptor that answers no Logout is not seen to', async () => {
  expect(await failuresWith('answers no Logout', ['1S-a', '13-a'])).toEqual([
    '1S-a: notSeen at “await Logout”',
    '13-a: notSeen at “expect Logout”',
  ]);
});

test.concurrent('an acceptor whose gap fill is too short fails at NewSeqNo', async () => {
  const failed = await failuresWith('gap fill too short');
  expect(failed.map((line) => line.split(':')[0])).toEqual(['8-a', '8-b', '20']);
  expect(failed.every((line) => line.endsWith('(36)'))).toBe(true);
});

test.concurrent('bytes that are no message fail the step that waits for one', async () => {
  const failed = await failuresWith('wrong CheckSum');
  expect(failed).toContain('4-b: failed at “expect Heartbeat | TestReqID=HELLO-{run}”');
});
