// Exact decimals: parsing as FIX writes them, arithmetic without loss, rounding only where it is named.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal, minDecimal } from '../../src/base/decimal.ts';
import { checkProperty } from '../support/random/seeded-property.ts';

describe('parsing a decimal', () => {
  test.each([
    ['0', '0'],
    ['1.50', '1.50'],
    ['-0.05', '-0.05'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['00012.300', '12.300'],
    ['123456789012345.12345678', '123456789012345.12345678'],
  ])('%s is read as %s', (text, expected) => {
    expect(Decimal.parse(text)?.toString()).toBe(expected);
  });

  test.each(['', '-', '.', '1e5', '+1', '1.2.3', ' 1', '1 ', 'abc', 'NaN', '0x10', '1'.repeat(61)])(
    '"%s" is malformed',
    (text) => {
      expect(Decimal.parse(text)).toBeNull();
    },
  );

  test('60 digits are still read exactly', () => {
    const text = `${'9'.repeat(30)}.${'1'.repeat(30)}`;
    expect(Decimal.parse(text)?.toString()).toBe(text);
  });
});

describe('arithmetic', () => {
  test('0.1 + 0.2 is 0.3', () => {
    expect(Decimal.of('0.1').add(Decimal.of('0.2')).toString()).toBe('0.3');
  });

  test('a subtraction may go below zero', () => {
    expect(Decimal.of('1.05').subtract(Decimal.of('2')).toString()).toBe('-0.95');
  });

  test('a product keeps every digit', () => {
    expect(Decimal.of('2536.0121950').multiply(Decimal.of('0.10000000')).trimmed().toString()).toBe('253.6012195');
  });

  test.each([
    ['1', '3', 4, '0.3333'],
    ['2', '3', 4, '0.6667'],
    ['1', '8', 2, '0.12'],
    ['3', '8', 2, '0.38'],
    ['-1', '8', 2, '-0.12'],
    ['100.00', '4', 0, '25'],
    ['5', '1000', 2, '0.00'],
  ])('%s / %s to %i decimals, half-even, is %s', (a, b, decimals, expected) => {
    expect(Decimal.of(a).divide(Decimal.of(b), decimals).toString()).toBe(expected);
  });

  test('dividing by zero is a bug of the caller', () => {
    expect(() => Decimal.of('1').divide(Decimal.ZERO, 2)).toThrow('division by zero');
  });

  test('rounding is half-even and leaves a shorter value alone', () => {
    expect(Decimal.of('2.345').round(2).toString()).toBe('2.34');
    expect(Decimal.of('2.355').round(2).toString()).toBe('2.36');
    expect(Decimal.of('2.3').round(2).toString()).toBe('2.3');
  });

  test('withScale pads and refuses to lose digits', () => {
    expect(Decimal.of('1.5').withScale(4).toString()).toBe('1.5000');
    expect(Decimal.of('1.500').withScale(1).toString()).toBe('1.5');
    expect(() => Decimal.of('1.55').withScale(1)).toThrow('must not round');
  });

  test('a price is a multiple of its tick whatever the zeros', () => {
    expect(Decimal.of('100.50').isMultipleOf(Decimal.of('0.5000'))).toBe(true);
    expect(Decimal.of('100.25').isMultipleOf(Decimal.of('0.5'))).toBe(false);
  });

  test('comparison ignores trailing zeros', () => {
    expect(Decimal.of('1.10').equals(Decimal.of('1.1'))).toBe(true);
    expect(minDecimal(Decimal.of('1.2'), Decimal.of('1.19')).toString()).toBe('1.19');
    expect(Decimal.of('-0.5').isNegative()).toBe(true);
    expect(Decimal.of('0.00').isZero()).toBe(true);
    expect(Decimal.of('1.2300').significantDecimals()).toBe(2);
  });
});

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 0, max: 12 }))
  .map(([coefficient, scale]) => new Decimal(coefficient, scale));

describe('properties', () => {
  test('reads its own output back', () => {
    checkProperty(fc.property(decimals, (a) => Decimal.of(a.toString()).equals(a)));
  });

  test('adding and subtracting the same leaves the value', () => {
    checkProperty(fc.property(decimals, decimals, (a, b) => a.add(b).subtract(b).equals(a)));
  });

  test('a quotient is within half a unit of its last place', () => {
    checkProperty(
      fc.property(decimals, decimals, fc.integer({ min: 0, max: 10 }), (a, b, places) => {
        fc.pre(!b.isZero());
        const difference = a.divide(b, places).multiply(b).subtract(a).abs();
        const half = new Decimal(5n, places + 1).multiply(b.abs());
        return difference.compare(half) <= 0;
      }),
    );
  });
});

// A coefficient up to 2^53 − 1 is kept as a number, a larger one as a bigint: their results must be equal.
test('around 2^53 every operation is as exact as on small numbers', () => {
  const edge = fc.bigInt({ min: -20n, max: 20n }).map((more) => (more < 0n ? more - 2n ** 53n : more + 2n ** 53n));
  const coefficient = fc.oneof(
    edge,
    fc.bigInt({ min: -1000n, max: 1000n }),
    fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
  );
  const scale = fc.integer({ min: 0, max: 18 });
  checkProperty(
    fc.property(coefficient, scale, coefficient, scale, (a, s, b, t) => {
      const x = new Decimal(a, s);
      const y = new Decimal(b, t);
      const [p, q] = [a * 10n ** BigInt(18 - s), b * 10n ** BigInt(18 - t)];
      expect(x.coefficient).toBe(a);
      expect(x.add(y).withScale(18).coefficient).toBe(p + q);
      expect(x.subtract(y).withScale(18).coefficient).toBe(p - q);
      expect(x.multiply(y).coefficient).toBe(a * b);
      expect(x.compare(y)).toBe(p < q ? -1 : p > q ? 1 : 0);
      expect(x.abs().coefficient).toBe(a < 0n ? -a : a);
      expect([x.isZero(), x.isNegative(), x.isPositive()]).toEqual([a === 0n, a < 0n, a > 0n]);
      if (b !== 0n) expect(x.isMultipleOf(y)).toBe(p % q === 0n);
      expect(Decimal.parse(x.toString())).toEqual(x);
      expect(x.trimmed().withScale(s)).toEqual(x);
    }),
    5_000,
  );
});

test('O3 reads back its own output, also sums, products and leading zeros longer than accepted input', () => {
  const longest = Decimal.parse(`.${'9'.repeat(60)}`)!;
  for (const value of [longest, longest.multiply(longest), longest.add(Decimal.of('9'.repeat(60))), longest.negate()]) {
    expect(Decimal.of(`${value}`).equals(value)).toBe(true);
  }
  expect(Decimal.parse(`${longest}`)).toBeNull();
});
