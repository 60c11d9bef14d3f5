// Remembered fingerprints against sets and maps that keep the texts.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentBigInts, RecentPrints, TextPrint } from '../../../src/base/collections/recent-prints.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

const TEXTS = Array.from({ length: 331 }, (_, i) => `o${i}`);
const words = ({ a, b, c, d }: TextPrint): string => [a, b, c, d].join(' ');

test('a new text takes the place of the one added longest ago, one that is there stays as old as it is', () => {
  checkProperty(
    fc.property(
      fc.array(fc.nat(TEXTS.length - 1), { minLength: 1_000, maxLength: 1_000 }),
      fc.integer({ min: 1, max: 300 }),
      (picks, max) => {
        const recent = new RecentPrints(max);
        const print = new TextPrint();
        const plain = new Map<string, number>();
        for (const [step, pick] of picks.entries()) {
          const text = TEXTS[pick]!;
          expect(recent.has(print.of(text))).toBe(plain.has(text));
          if (step % 2 === 0) expect(recent.take(print.of(text))).toBe(!plain.has(text));
          const place = recent.add(print.of(text));
          expect(place).toBeLessThan(max);
          if (!plain.has(text) && plain.size === max) plain.delete(plain.keys().next().value!);
          plain.set(text, plain.get(text) ?? place);
          expect(place).toBe(plain.get(text));
          if (step % 97 === 0) {
            expect(TEXTS.filter((each) => recent.has(print.of(each)) !== plain.has(each))).toEqual([]);
          }
        }
      },
    ),
    10,
  );
});

test('texts that share the entry where they are looked for are all found, and go one by one', () => {
  // Of four places and eight entries nearly all meet; each is the oldest once.
  const recent = new RecentPrints(4);
  const print = new TextPrint();
  for (let i = 0; i < 3_000; i++) {
    recent.add(print.of(`${i}`));
    for (let back = 0; back < 6; back++) expect(recent.has(print.of(`${i - back}`))).toBe(back < 4 && i - back >= 0);
  }
});

test('numbers are found by the texts added last, and a text that comes again has its latest number', () => {
  const numbers = new RecentBigInts(1_000);
  for (let i = 0n; i < 3_000n; i++) numbers.set(`${i}`, i * 1_000_000_007n);
  numbers.set('2999', -1n);
  numbers.set('2000', 2n ** 63n - 1n);
  expect(numbers.get('1999')).toBeUndefined();
  expect(numbers.get('2000')).toBe(2n ** 63n - 1n);
  expect(numbers.get('2500')).toBe(2_500n * 1_000_000_007n);
  expect(numbers.get('2999')).toBe(-1n);
});

test('a fingerprint separates consecutive texts, and an empty one adds none', () => {
  const print = new TextPrint();
  const all = [
    ['ab', 'c'],
    ['a', 'bc'],
    ['abc'],
    ['abc', ''],
    ['abc', null],
    ['', 'abc'],
    [null, 'abc'],
    ['', ''],
    [''],
  ];
  expect(new Set(all.map((texts) => words(print.of(...texts)))).size).toBe(all.length);
  expect(words(print.of('ab').and('c'))).toBe(words(new TextPrint().of('ab', 'c')));
});

test('half a fingerprint separates nearly all of 100,000 exchange-like texts, the whole one all', () => {
  const print = new TextPrint();
  const whole = new Set<string>();
  const halves = [new Set<string>(), new Set<string>()] as const;
  const texts = 100_000;
  for (let i = 0; i < texts; i++) {
    const { a, b, c, d } = print.of(
      `${179576914804500000 + i * 100}`,
      'OPEN',
      null,
      `0.00${i % 10}00000`,
      '50000.0000',
    );
    whole.add(`${a} ${b} ${c} ${d}`);
    halves[0].add(`${a} ${b}`);
    halves[1].add(`${c} ${d}`);
  }
  expect(whole.size).toBe(texts);
  for (const half of halves) expect(half.size).toBe(texts);
});
