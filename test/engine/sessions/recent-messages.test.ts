// The last messages of a session: bounded, numbered, counted by type.

import { expect, test } from 'vitest';
import { RecentMessages } from '../../../src/engine/sessions/recent-messages.ts';

const SESSION = { sessionId: 'FIX.4.4:US->THEM', series: 1 };
const raw = new Uint8Array([1]);

function inbound(msgSeqNum: number, msgType = '0') {
  return { kind: 'inbound' as const, ...SESSION, msgSeqNum, nextTargetMsgSeqNum: msgSeqNum + 1, msgType, raw };
}

test('keeps the latest 200 messages, oldest first, and continues after the last one seen', () => {
  const recent = new RecentMessages();
  for (let n = 1; n <= 450; n++) recent.add(inbound(n), n);
  const all = recent.since(0, 1000);
  expect([all.length, all[0]!.msgSeqNum, all.at(-1)!.msgSeqNum]).toEqual([200, 251, 450]);
  expect(recent.since(448, 50).map(({ serial, at }) => [serial, at])).toEqual([
    [449, 449],
    [450, 450],
  ]);
  expect(recent.since(450, 50)).toEqual([]);
  expect(recent.since(0, 3).map(({ msgSeqNum }) => msgSeqNum)).toEqual([448, 449, 450]);
});

test('market data pushes no order out: only its numbers are kept', () => {
  const recent = new RecentMessages();
  recent.add(inbound(1, 'D'), 1);
  const none = new Uint8Array();
  for (let n = 1; n <= 500; n++) {
    recent.add({ kind: 'outbound', ...SESSION, msgSeqNum: n, msgType: 'X', resendable: false, raw: none }, n);
  }
  recent.add(inbound(2, 'F'), 501);
  const all = recent.since(0, 1000);
  expect(all.map(({ serial, raw }) => [serial, raw.length])).toEqual([
    [1, 1],
    ...Array.from({ length: 20 }, (_, i) => [482 + i, 0]),
    [502, 1],
  ]);
  expect(all[20]).toMatchObject({ serial: 501, msgSeqNum: 500, note: 'MsgType(35)=X: only its number is kept' });
});

test('long messages are kept as far as they fit into a megabyte, the last one whatever its length', () => {
  const recent = new RecentMessages();
  const of = (msgSeqNum: number, length: number) => ({ ...inbound(msgSeqNum), raw: new Uint8Array(length) });
  for (let n = 1; n <= 40; n++) recent.add(of(n, 65_536), n);
  expect(recent.since(0, 1000).map(({ serial }) => serial)).toEqual(Array.from({ length: 16 }, (_, i) => 25 + i));
  recent.add(of(41, 2_000_000), 41);
  expect(recent.since(0, 1000).map(({ serial }) => serial)).toEqual([41]);
});

test('a kept message survives overwritten source bytes of any length', () => {
  const recent = new RecentMessages();
  const shared = new Uint8Array(70_000);
  const lengths = Array.from({ length: 700 }, (_, i) => 1 + ((i * 7_919) % (i % 50 === 0 ? 60_000 : 900)));
  for (const [i, length] of lengths.entries()) {
    const bytes = shared.subarray(0, length).fill(i % 251);
    const record = { ...SESSION, msgSeqNum: i + 1, msgType: '8', raw: bytes };
    recent.add(i % 3 === 0 ? { ...inbound(i + 1), raw: bytes } : { kind: 'outbound', resendable: true, ...record }, i);
    if (i % 97 !== 0) continue;
    for (const { serial, raw } of recent.since(0, 1000)) {
      expect([serial, raw.length]).toEqual([serial, lengths[serial - 1]]);
      expect(raw.every((byte) => byte === (serial - 1) % 251)).toBe(true);
    }
  }
  expect(recent.since(0, 1000)).toHaveLength(200);
});

test('messages are counted by direction and MsgType(35), beyond 64 types together', () => {
  const recent = new RecentMessages();
  for (let n = 0; n < 100; n++) recent.add(inbound(n + 1, `U${n}`), 0);
  for (let n = 0; n < 3; n++) recent.add(inbound(n + 101, 'U7'), 0);
  recent.add({ kind: 'outbound', ...SESSION, msgSeqNum: 1, msgType: '8', resendable: true, raw }, 0);
  expect(recent.counts.in.size).toBe(65);
  expect(recent.counts.in.get('other')).toBe(36);
  expect(recent.counts.in.get('U7')).toBe(4);
  expect([recent.total('in'), recent.total('out')]).toEqual([103, 1]);
});

test('keeps unnumbered messages without counting them, and skips records without bytes', () => {
  const recent = new RecentMessages();
  const { sessionId } = SESSION;
  recent.add({ kind: 'unsequenced', sessionId, direction: 'in', raw, note: 'garbled' }, 5);
  recent.add({ kind: 'state', sessionId, loggedOn: true }, 6);
  expect(recent.since(0, 10)).toEqual([{ serial: 1, at: 5, direction: 'in', msgSeqNum: null, raw, note: 'garbled' }]);
  expect(recent.total('in')).toBe(0);
});
