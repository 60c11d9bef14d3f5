// Exact decimal numbers for prices, quantities, amounts and fees: an integer coefficient and a scale, never a float.
// Nothing here rounds unless the caller names the number of decimals (rules O3, D10).

import { assert } from './assert.ts';

/** Digits accepted in a decimal text: more is refused as malformed, so that hostile input stays linear. */
export const DIGITS_MAX = 60;

const POWERS: bigint[] = [1n];
function pow10(n: number): bigint {
  for (let i = POWERS.length; i <= n; i++) POWERS.push(POWERS[i - 1]! * 10n);
  return POWERS[n]!;
}

/** An exact decimal, `coefficient / 10^scale`. Immutable; trailing zeros are kept until `trimmed()`. */
export class Decimal {
  readonly coefficient: bigint;
  readonly scale: number;

  constructor(coefficient: bigint, scale: number) {
    assert(Number.isInteger(scale) && scale >= 0, 'decimal scale is a non-negative integer');
    this.coefficient = coefficient;
    this.scale = scale;
  }

  static readonly ZERO = new Decimal(0n, 0);

  /** Parse `-?digits[.digits]` (FIX float without exponent; `.5` and `5.` as FIX permits). Null if malformed. */
  static parse(text: string): Decimal | null {
    const length = text.length;
    let i = 0;
    const negative = length > 0 && text.charCodeAt(0) === 0x2d;
    if (negative) i = 1;
    let point = -1;
    let digits = 0;
    for (let k = i; k < length; k++) {
      const c = text.charCodeAt(k);
      if (c === 0x2e) {
        if (point !== -1) return null;
        point = k;
      } else if (c < 0x30 || c > 0x39) return null;
      else digits++;
    }
    if (digits === 0 || digits > DIGITS_MAX) return null;
    const bare = point === -1 ? text.slice(i) : text.slice(i, point) + text.slice(point + 1);
    const value = BigInt(bare);
    return new Decimal(negative ? -value : value, point === -1 ? 0 : length - point - 1);
  }

  /** Parse a text that this program or a validated configuration wrote. @throws AssertionError if malformed */
  static of(text: string): Decimal {
    const value = Decimal.parse(text);
    assert(value !== null, `not a decimal: ${text}`);
    return value;
  }

  add(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.coefficientAt(scale) + other.coefficientAt(scale), scale);
  }

  subtract(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.coefficientAt(scale) - other.coefficientAt(scale), scale);
  }

  multiply(other: Decimal): Decimal {
    return new Decimal(this.coefficient * other.coefficient, this.scale + other.scale);
  }

  negate(): Decimal {
    return new Decimal(-this.coefficient, this.scale);
  }

  abs(): Decimal {
    return this.coefficient < 0n ? this.negate() : this;
  }

  /** Divide to `decimals` places, half-even. @throws AssertionError on division by zero */
  divide(other: Decimal, decimals: number): Decimal {
    assert(other.coefficient !== 0n, 'division by zero');
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
    const a = this.coefficientAt(scale);
    const b = other.coefficientAt(scale);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  equals(other: Decimal): boolean {
    return this.compare(other) === 0;
  }

  isZero(): boolean {
    return this.coefficient === 0n;
  }

  isPositive(): boolean {
    return this.coefficient > 0n;
  }

  isNegative(): boolean {
    return this.coefficient < 0n;
  }

  /** Whether this is a whole multiple of `step` (a tick size); `step` must not be zero. */
  isMultipleOf(step: Decimal): boolean {
    const scale = Math.max(this.scale, step.scale);
    return this.coefficientAt(scale) % step.coefficientAt(scale) === 0n;
  }

  /** Number of decimals that matter: the scale without trailing zeros. */
  significantDecimals(): number {
    let scale = this.scale;
    let c = this.coefficient;
    while (scale > 0 && c % 10n === 0n) {
      c /= 10n;
      scale--;
    }
    return scale;
  }

  /** The same value without trailing zeros after the point. */
  trimmed(): Decimal {
    const scale = this.significantDecimals();
    return scale === this.scale ? this : new Decimal(this.coefficient / pow10(this.scale - scale), scale);
  }

  /** The same value written with exactly `decimals` places. @throws AssertionError if that would lose digits */
  withScale(decimals: number): Decimal {
    if (decimals >= this.scale) return new Decimal(this.coefficientAt(decimals), decimals);
    const lost = pow10(this.scale - decimals);
    assert(this.coefficient % lost === 0n, 'withScale must not round');
    return new Decimal(this.coefficient / lost, decimals);
  }

  toString(): string {
    if (this.scale === 0) return this.coefficient.toString();
    const negative = this.coefficient < 0n;
    const digits = (negative ? -this.coefficient : this.coefficient).toString().padStart(this.scale + 1, '0');
    const point = digits.length - this.scale;
    return `${negative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
  }

  toJSON(): string {
    return this.toString();
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
