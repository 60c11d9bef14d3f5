// A long list that is read some entries at a time is what it is when it is read at once.

import { expect, test } from 'vitest';
import { longArray, parseExactJson } from '../../../src/exchange/mod.ts';
import { longList } from '../../../src/exchange-client/streams/long-frame.ts';

function read(text: string) {
  const list = longList(Buffer.from(text));
  return list === null ? null : { head: list.head, pieces: [...list.entries()] };
}

const entry = (i: number): unknown => ({
  orderId: `${i}`,
  statusReason: `as "},{" and "data":[ and ü, ${'},{'.repeat(i % 7)}`,
  legs: i % 3 === 0 ? [{ a: 1 }, { b: [{}, {}] }] : [],
});

test('a list is read some entries at a time, each of them once, whatever stands within them', () => {
  for (const count of [0, 1, 19, 20, 21, 40, 500]) {
    const frame = { type: 'snapshot', tradingAccountId: '1', dataType: 'V1TAOrder' };
    const data = Array.from({ length: count }, (_, i) => entry(i));
    const { head, pieces } = read(JSON.stringify({ ...frame, data }))!;
    expect(head).toEqual({ ...frame, data: [] });
    expect(pieces.flat()).toEqual(data);
    for (const piece of read(JSON.stringify({ data: data.map(() => ({})) }))!.pieces)
      expect(piece!.length).toBeLessThanOrEqual(20);
  }
});

test('no digit is lost of a number, and blanks between entries cost the pieces only', () => {
  const text = '{ "type": "snapshot", "data":[{"price":0.10},{"id":12345678901234567890}\n, {"q":1E-8} ] }';
  expect(read(text)!.pieces.flat()).toEqual([{ price: '0.10' }, { id: '12345678901234567890' }, { q: '1E-8' }]);
});

test('reads a frame with its list elsewhere as a whole, and loses none before another', () => {
  for (const text of [
    '{"data":[1],"type":"x"}',
    '{"meta":{"data":[1]},"type":["x"]}',
    '{"text":"\\"data\\":[","l":[]}',
  ])
    expect(read(text)).toBeNull();
  const data = Array.from({ length: 50 }, (_, i) => entry(i));
  expect(read(JSON.stringify({ data, more: [{}, {}] }))!.pieces.flat()).toEqual(data);
  // Some were read one by one before: none is read twice.
  const plain = Array.from({ length: 50 }, (_, i) => ({ i: `${i}` }));
  const { pieces } = read(JSON.stringify({ data: plain, more: [{}, {}] }))!;
  expect([pieces.length, pieces.flat()]).toEqual([3, plain]);
});

test('reads the part before the break of a list, and reports the rest as unreadable', () => {
  const data = Array.from({ length: 50 }, (_, i) => ({ i }));
  const text = JSON.stringify({ type: 'snapshot', data }).replace('{"i":45}', '{"i":}');
  const { pieces } = read(text)!;
  expect(parseExactJson(text)).toBeUndefined();
  expect(pieces.at(-1)).toBeNull();
  expect(pieces.slice(0, -1).flat()).toEqual(data.slice(0, 40));
});

test('reads a bare list some entries at a time, with the same result as at once', () => {
  for (const count of [0, 1, 20, 21, 500]) {
    const list = Array.from({ length: count }, (_, i) => entry(i));
    for (const text of [JSON.stringify(list), JSON.stringify(list, null, 1), `${JSON.stringify(list)}\r\n`])
      expect([...longArray(text)!].flat()).toEqual(list);
    const pieces = [...longArray(JSON.stringify(list.map(() => ({}))))!];
    expect(pieces.every((piece) => piece!.length <= 20)).toBe(true);
  }
});

test('never reports a broken or wrong bare list as read whole', () => {
  const list = JSON.stringify(Array.from({ length: 50 }, (_, i) => ({ i })));
  for (const text of [`${list.slice(0, -1)},]`, `${list}]`, `${list},[]`, list.replace('{"i":45}', '{"i":}'), '[']) {
    expect(parseExactJson(text)).toBeUndefined();
    const entries = longArray(text);
    expect(entries === null || [...entries].includes(null)).toBe(true);
  }
  for (const text of ['', ']', list.slice(0, -1), `${list}\u00a0`, ` ${list}`, `{"data":${list}}`, `\ufeff${list}`])
    expect(longArray(text)).toBeNull();
});
