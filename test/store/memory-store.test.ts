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

const proven = (series: number, msgSeqNum: number) => ({
  kind: 'proven' as const,
  sessionId: SESSION,
  series,
  msgSeqNum,
});
const numbersOf = async (store: ReturnType<typeof openMemoryStore>, series: number) =>
  (await store.loadOutbound(SESSION, series, 1, 1000)).map(({ msgSeqNum }) => msgSeqNum);

test('S2 an ended series keeps unproven reports and waiting ones until sent again', async () => {
  const store = openMemoryStore(100);
  store.append([outbound(1), outbound(2), outbound(3), proven(1, 1)], 1);
  expect(await numbersOf(store, 1)).toEqual([1, 2, 3]);
  store.append([outbound(1, 2)], 2);
  expect(await numbersOf(store, 1)).toEqual([2, 3]);
  store.append([outbound(4, 1), proven(1, 3)], 3);
  expect(await numbersOf(store, 1)).toEqual([4]);
  // A series that had nothing to resend may owe a report all the same.
  store.append([outbound(1, 4)], 4);
  store.append([outbound(2, 3)], 5);
  expect(await numbersOf(store, 3)).toEqual([2]);
  expect(await numbersOf(store, 4)).toEqual([1]);
});

test('a series that has nothing to resend yet, and a session without any, may be proven received', async () => {
  const store = openMemoryStore(10);
  store.append([proven(1, 1)], 1);
  store.append([outbound(1), proven(2, 1)], 2);
  expect(await numbersOf(store, 1)).toEqual([1]);
});

test("ended series count towards a session's kept messages: their oldest give way", async () => {
  const store = openMemoryStore(10);
  for (let n = 1; n <= 8; n++) store.append([outbound(n)], n);
  for (let n = 1; n <= 2; n++) store.append([outbound(n, 2)], n);
  expect(await numbersOf(store, 1)).toHaveLength(8);
  for (let n = 3; n <= 4; n++) store.append([outbound(n, 2)], n);
  expect(await numbersOf(store, 1)).toEqual([3, 4, 5, 6, 7, 8]);
  for (let n = 5; n <= 10; n++) store.append([outbound(n, 2)], n);
  expect(await numbersOf(store, 1)).toEqual([]);
  expect(await numbersOf(store, 2)).toHaveLength(10);
  for (let series = 3; series < 40; series++) store.append([outbound(1, series)], series);
  expect(await numbersOf(store, 3)).toEqual([]);
  expect(await numbersOf(store, 39)).toEqual([1]);
});
