import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SettledNonces } from '../../../src/exchange-client/commands/settled-nonces.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

test('U2 a nonce is settled the time after its acknowledgement that reads lag, also where no other follows', () => {
  const settled = new SettledNonces(1_000);
  expect(settled.highest(0)).toBe(-1n);
  settled.note(5n, 0);
  settled.note(7n, 10);
  expect(settled.highest(999)).toBe(-1n);
  expect(settled.highest(1_000)).toBe(5n);
  expect(settled.highest(1_010)).toBe(7n);
});

test('U2 so are those acknowledged without a query, and those after a quiet time', () => {
  const settled = new SettledNonces(1_000);
  settled.note(1n, 0);
  settled.note(2n, 1_000);
  settled.note(3n, 1_500);
  expect(settled.highest(2_000)).toBe(2n);
  settled.note(4n, 2_010);
  expect(settled.highest(9_000)).toBe(4n);
  settled.note(5n, 10_000);
  settled.note(6n, 10_500);
  expect(settled.highest(11_000)).toBe(5n);
  expect(settled.highest(11_500)).toBe(6n);
});

test('U2 settles no nonce sooner than reads lag, and seldom later than twice that, at any pace', () => {
  checkProperty(
    fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1 }), (pauses) => {
      const settled = new SettledNonces(1_000);
      const noted: { readonly nonce: bigint; readonly at: number }[] = [];
      const before = (at: number): bigint => noted.filter((one) => one.at <= at).at(-1)?.nonce ?? -1n;
      let now = 0;
      for (const pause of pauses) {
        now += pause;
        settled.note(BigInt(noted.length), now);
        noted.push({ nonce: BigInt(noted.length), at: now });
        const highest = settled.highest(now);
        expect(highest).toBeLessThanOrEqual(before(now - 1_000));
        expect(highest).toBeGreaterThanOrEqual(before(now - 2_900));
      }
      expect(settled.highest(now + 1_000)).toBeGreaterThanOrEqual(before(now - 900));
      expect(settled.highest(now + 2_000)).toBe(BigInt(noted.length - 1));
    }),
  );
});
