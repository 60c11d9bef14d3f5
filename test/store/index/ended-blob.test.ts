// Runs of ended orders: found by every key, the later of two with one key, and nothing else.

import { expect, test } from 'vitest';
import { fingerprint } from '../../../src/store/fingerprint.ts';
import {
  encodeEndedOrders,
  endedIn,
  findEnded,
  hashesOf,
  hashOf,
  placesIn,
} from '../../../src/store/index/ended-blob.ts';
import { EndedFilter } from '../../../src/store/postgres/ended-filter.ts';

test('an order is found by each of its keys, the later record of a key counts, and other keys find nothing', () => {
  const orders = Array.from({ length: 500 }, (_, n) => ({
    keys: [`c|FIX.4.4:A->B|order-${n}`, `r|111/${n}`, `x|${9_000 + n}`],
    text: JSON.stringify({ n, text: 'é'.repeat(n % 40) }),
  }));
  const again = { keys: ['c|FIX.4.4:A->B|order-7', 'x|9007'], text: '{"n":"again"}' };
  const run = encodeEndedOrders([...orders, again]);
  for (const { keys, text } of orders) {
    for (const key of keys) expect(findEnded(run, key)).toBe(again.keys.includes(key) ? again.text : text);
  }
  expect(findEnded(run, 'r|111/500')).toBeNull();
  expect(findEnded(run, '')).toBeNull();
  expect(findEnded(encodeEndedOrders([]), 'r|111/1')).toBeNull();
});

test('a run of the orders of a day takes no more memory while it is made than a few times its size', () => {
  const orders = Array.from({ length: 4_000 }, (_, n) => ({ keys: [`c|${n}`], text: `{"n":${n},"text":"${n ** 3}"}` }));
  const before = process.memoryUsage().arrayBuffers;
  const run = encodeEndedOrders(orders);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000);
  expect(run.length).toBeLessThan(600_000);
});

test('every key of a run finds its record, and its filter knows each and hardly any other', () => {
  const orders = Array.from({ length: 20_000 }, (_, n) => ({ keys: [`c|A->B|${n}`, `x|${n}`], text: `{"n":${n}}` }));
  const run = encodeEndedOrders(orders);
  const places = new Map(Array.from(placesIn(run), (place) => [place.print, place]));
  for (const { keys, text } of orders.slice(0, 500)) {
    for (const key of keys) {
      const { at, bytes, nth } = places.get(fingerprint(key).short)!;
      expect(nth).toBe(0);
      expect(endedIn(run.subarray(at, at + bytes), key)).toBe(text);
      expect(endedIn(run.subarray(at, at + bytes), `${key}0`)).toBeNull();
    }
  }
  const hashes = hashesOf(run);
  const filter = EndedFilter.for(hashes.length / 4);
  expect(filter.memory.byteLength).toBeLessThan(200_000);
  for (let at = 0; at < hashes.length; at += 4) filter.add(hashes.readUInt32LE(at));
  const seen = new EndedFilter(filter.memory);
  const mayHold = (key: string): boolean => seen.mayHold(hashOf(fingerprint(key).short));
  expect(orders.every(({ keys }) => keys.every(mayHold))).toBe(true);
  const strangers = Array.from({ length: 20_000 }, (_, n) => `c|A->B|new-${n}`).filter(mayHold);
  expect(strangers.length).toBeLessThan(100);
  expect(filter.isTooSmallFor(40_000)).toBe(false);
  expect(filter.isTooSmallFor(80_000)).toBe(true);
  expect(EndedFilter.for(1_000_000_000).memory.byteLength).toBe(67_108_864);
});
