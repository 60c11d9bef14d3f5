// The store that keeps messages in memory only: what a resend finds, and what is let go.

import { expect, test } from 'vitest';
import { openMemoryStore } from '../../src/store/mod.ts';

const SESSION = 'FIX.4.4:A->B';

function outbound(msgSeqNum: number, series = 1, resendable = true) {
  const raw = Buffer.from(`message ${series}/${msgSeqNum}`);
  return { kind: 'outbound' as const, sessionId: SESSION, series, msgSeqNum, msgType: '8', resendable, raw };
}

test('a resend finds the messages of its range, ascending, and none of another series', async () => {
  const store = openMemoryStore(1000);
  for (let n = 1; n <= 100; n++) store.append([outbound(n, 1, n % 3 !== 0)], n);
  const found = await store.loadOutbound(SESSION, 1, 50, 56);
  expect(found.map(({ msgSeqNum }) => msgSeqNum)).toEqual([50, 52, 53, 55, 56]);
  expect(found.map(({ raw }) => Buffer.from(raw).toString())).toContain('message 1/53');
  expect(await store.loadOutbound(SESSION, 2, 1, 100)).toEqual([]);
  store.append([outbound(1, 2)], 200);
  expect(await store.loadOutbound(SESSION, 1, 1, 100)).toEqual([]);
  expect((await store.loadOutbound(SESSION, 2, 1, 1)).map(({ at }) => at)).toEqual([200]);
});

test('beyond the limit the oldest messages are let go, also across slabs', async () => {
  const store = openMemoryStore(50);
  const large = Buffer.alloc(40_000, 'x');
  for (let n = 1; n <= 173; n++) store.append([{ ...outbound(n), ...(n % 7 === 0 ? { raw: large } : {}) }], n);
  const found = await store.loadOutbound(SESSION, 1, 1, 1000);
  expect(found.map(({ msgSeqNum }) => msgSeqNum)).toEqual(Array.from({ length: 50 }, (_, i) => 124 + i));
  expect(found.find(({ msgSeqNum }) => msgSeqNum === 168)?.raw.length).toBe(40_000);
  expect(Buffer.from(found.at(-1)!.raw).toString()).toBe('message 1/173');
});
