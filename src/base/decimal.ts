// Exact decimal numbers for prices, quantities, amounts and fees: an integer coefficient and a scale, never a float.
// Nothing here rounds unless the caller names the number of decimals (rules O3, D10).

import { assert } from './assert.ts';

/** Digits accepted in a decimal text: more is refused as malformed, so that hostile input stays linear. */
export const DIGITS_MAX = 60;

/** Powers of ten that are safe integers. */
const SMALL_POWERS = Array.from({ length: 16 }, (_, n) => 10 ** n);

const POWERS: bigint[] = [1n];
function pow10(n: number): bigint {
  for (let i = POWERS.length; i <= n; i++) POWERS.push(POWERS[i - 1]! * 10n);
  return POWERS[n]!;
}

/** Whether a coefficient is exact as a number: almost every price and quantity is, and needs no bigint. */
function isSmall(coefficient: number): boolean {
  return coefficient <= Number.MAX_SAFE_INTEGER && coefficient >= -Number.MAX_SAFE_INTEGER;
}

/** An exact decimal, `coefficient / 10^scale`. Immutable; trailing zeros are kept until `trimmed()`. */
export class Decimal {
  readonly scale: number;
  /** The coefficient if it is a safe integer, else NaN, with the coefficient in `big`. Never −0. */
  private readonly small: number;
  private readonly big: bigint | null;

  /** `coefficient`: as a number only if it is a safe integer. */
  constructor(coefficient: bigint | number, scale: number) {
    assert(Number.isInteger(scale) && scale >= 0, 'decimal scale is a non-negative integer');
    this.scale = scale;
    if (typeof coefficient === 'number') {
      assert(Number.isSafeInteger(coefficient), 'a decimal coefficient is an integer');
      this.small = coefficient + 0;
      this.big = null;
    } else {
      const number = Number(coefficient);
      const fits = isSmall(number);
      this.small = fits ? number : Number.NaN;
      this.big = fits ? null : coefficient;
    }
  }

  static readonly ZERO = new Decimal(0, 0);

  get coefficient(): bigint {
    return this.big ?? BigInt(this.small);
  }

  /** The coefficient as a number, NaN if it is beyond the safe integers. */
  get safeCoefficient(): number {
    return this.small;
  }

  /** Parse `-?digits[.digits]` (FIX float without exponent; `.5` and `5.` as FIX permits). Null if malformed. */
  static parse(text: string): Decimal | null {
    return Decimal.read(text, DIGITS_MAX);
  }

  private static read(text: string, digitsMax: number): Decimal | null {
    const length = text.length;
    let i = 0;
    const negative = length > 0 && text.charCodeAt(0) === 0x2d;
    if (negative) i = 1;
    let point = -1;
    let digits = 0;
    let value = 0;
    for (let k = i; k < length; k++) {
      const c = text.charCodeAt(k);
      if (c === 0x2e) {
        if (point !== -1) return null;
        point = k;
      } else if (c < 0x30 || c > 0x39) return null;
      else {
        value = value * 10 + (c - 0x30);
        digits++;
      }
    }
    if (digits === 0 || digits > digitsMax) return null;
    const scale = point === -1 ? 0 : length - point - 1;
    if (isSmall(value)) return new Decimal(negative ? -value : value, scale);
    const bare = point === -1 ? text.slice(i) : text.slice(i, point) + text.slice(point + 1);
    const exact = BigInt(bare);
    return new Decimal(negative ? -exact : exact, scale);
  }

  /**
   * Parse a text that this program or a validated configuration wrote: sums, products and the zero before a point may
   * have more digits than the input. @throws AssertionError if malformed
   */
  static of(text: string): Decimal {
    const value = Decimal.read(text, Number.POSITIVE_INFINITY);
    assert(value !== null, `not a decimal: ${text}`);
    return value;
  }

  add(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    const a = this.smallAt(scale);
    const b = other.smallAt(scale);
    if (isSmall(a) && isSmall(b) && isSmall(a + b)) return new Decimal(a + b, scale);
    return new Decimal(this.coefficientAt(scale) + other.coefficientAt(scale), scale);
  }

  subtract(other: Decimal): Decimal {
    return this.add(other.negate());
  }

  multiply(other: Decimal): Decimal {
    const product = this.small * other.small;
    if (isSmall(product)) return new Decimal(product, this.scale + other.scale);
    return new Decimal(this.coefficient * other.coefficient, this.scale + other.scale);
  }

  negate(): Decimal {
    return new Decimal(this.big === null ? -this.small : -this.big, this.scale);
  }

  abs(): Decimal {
    return this.isNegative() ? this.negate() : this;
  }

  /** Divide to `decimals` places, half-even. @throws AssertionError on division by zero */
  divide(other: Decimal, decimals: number): Decimal {
    assert(!other.isZero(), 'division by zero');
    // this/other = (a / 10^s) / (b / 10^t) = a * 10^(t-s) / b; shift so that the quotient has `decimals` places.
    const shift = decimals + other.scale - this.scale;
    const numerator = shift >= 0 ? this.coefficient * pow10(shift) : this.coefficient;
    const denominator = shift >= 0 ? other.coefficient : other.coefficient * pow10(-shift);
    return new Decimal(divideHalfEven(numerator, denominator), decimals);
  }

  /** Round to at most `decimals` places, half-even; the value is unchanged if it has no more than that. */
  round(decimals: number): Decimal {
    if (this.scale <= decimals) return this;
    return new Decimal(divideHalfEven(this.coefficient, pow10(this.scale - decimals)), decimals);
  }

  /** Negative, zero or positive as this is less than, equal to or greater than `other`. */
  compare(other: Decimal): -1 | 0 | 1 {
    const scale = Math.max(this.scale, other.scale);
    const x = this.smallAt(scale);
    const y = other.smallAt(scale);
    if (isSmall(x) && isSmall(y)) return x < y ? -1 : x > y ? 1 : 0;
    const a = this.coefficientAt(scale);
    const b = other.coefficientAt(scale);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  equals(other: Decimal): boolean {
    return this.compare(other) === 0;
  }

  isZero(): boolean {
    return this.small === 0;
  }

  isPositive(): boolean {
    return this.big === null ? this.small > 0 : this.big > 0n;
  }

  isNegative(): boolean {
    return this.big === null ? this.small < 0 : this.big < 0n;
  }

  /** Whether this is a whole multiple of `step` (a tick size); `step` must not be zero. */
  isMultipleOf(step: Decimal): boolean {
    const scale = Math.max(this.scale, step.scale);
    const value = this.smallAt(scale);
    const unit = step.smallAt(scale);
    if (isSmall(value) && isSmall(unit) && unit !== 0) return value % unit === 0;
    return this.coefficientAt(scale) % step.coefficientAt(scale) === 0n;
  }

  /** Number of decimals that matter: the scale without trailing zeros. */
  significantDecimals(): number {
    let scale = this.scale;
    if (this.big === null) {
      for (let c = this.small; scale > 0 && c % 10 === 0; c /= 10) scale--;
      return scale;
    }
    for (let c = this.big; scale > 0 && c % 10n === 0n; c /= 10n) scale--;
    return scale;
  }

  /** The same value without trailing zeros after the point. */
  trimmed(): Decimal {
    const scale = this.significantDecimals();
    return scale === this.scale ? this : this.withScale(scale);
  }

  /** The same value written with exactly `decimals` places. @throws AssertionError if that would lose digits */
  withScale(decimals: number): Decimal {
    if (decimals >= this.scale) {
      const small = this.smallAt(decimals);
      return new Decimal(isSmall(small) ? small : this.coefficientAt(decimals), decimals);
    }
    const places = this.scale - decimals;
    if (this.small === 0) return new Decimal(0, decimals);
    const unit = SMALL_POWERS[places];
    if (this.big === null && unit !== undefined) {
      assert(this.small % unit === 0, 'withScale must not round');
      return new Decimal(this.small / unit, decimals);
    }
    const lost = pow10(places);
    assert(this.coefficient % lost === 0n, 'withScale must not round');
    return new Decimal(this.coefficient / lost, decimals);
  }

  toString(): string {
    const { scale } = this;
    if (scale === 0) return this.big === null ? `${this.small}` : `${this.big}`;
    const negative = this.isNegative();
    const size = this.big === null ? Math.abs(this.small) : negative ? -this.big : this.big;
    const digits = `${size}`.padStart(scale + 1, '0');
    const point = digits.length - scale;
    return `${negative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
  }

  toJSON(): string {
    return this.toString();
  }

  /** The coefficient at a scale no smaller than this one's, as a number; outside the safe integers if it is not exact. */
  private smallAt(scale: number): number {
    if (scale === this.scale) return this.small;
    const unit = SMALL_POWERS[scale - this.scale];
    return unit === undefined ? Number.NaN : this.small * unit;
  }

  private coefficientAt(scale: number): bigint {
    return scale === this.scale ? this.coefficient : this.coefficient * pow10(scale - this.scale);
  }
}

function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  let q = n / d;
  const twice = (n % d) * 2n;
  if (twice > d || (twice === d && q % 2n === 1n)) q += 1n;
  return negative ? -q : q;
}

/** The smaller of two decimals. */
export function minDecimal(a: Decimal, b: Decimal): Decimal {
  return a.compare(b) <= 0 ? a : b;
}
