// Numbers as decimal digits, written straight into a frame. Leaves tags and checksums to frame-writer.ts.

const ZERO = 0x30;
const POINT = 0x2e;
const BILLION = 1_000_000_000;
/** Most digits after the point that {@link writeDecimal} writes, and most bytes that it then needs. */
export const DECIMALS_MAX = 15;
export const DECIMAL_BYTES_MAX = 20;
const INT_POWERS = Int32Array.from({ length: 10 }, (_, n) => 10 ** n);
const POWERS = Array.from({ length: DECIMALS_MAX + 1 }, (_, n) => 10 ** n);

/** Write a number of at most 31 bits; returns where it ends. */
export function writeNumber(bytes: Buffer, from: number, value: number): number {
  const end = from + digitsOf(value);
  writeDigits(bytes, from, end, value);
  return end;
}

/** How many digits a number of at most 31 bits has. */
export function digitsOf(value: number): number {
  // 1233/4096 is the logarithm of 2: digits of the largest number of as many bits, or one less.
  const digits = (((32 - Math.clz32(value | 1)) * 1233) >> 12) | 0;
  return digits === 0 || value >= INT_POWERS[digits]! ? (digits + 1) | 0 : digits;
}

/** Write a number of at most 31 bits as the digits [from, end), zeros before it; returns their sum. */
export function writeDigits(bytes: Buffer, from: number, end: number, value: number): number {
  let rest = value | 0;
  let sum = 0;
  for (let at = end - 1; at >= from; at--) {
    const tenth = (rest / 10) | 0;
    const digit = (ZERO + rest - tenth * 10) | 0;
    bytes[at] = digit;
    sum = (sum + digit) | 0;
    rest = tenth;
  }
  return sum;
}

/** Write `coefficient / 10^scale`, of a safe integer that is not negative; returns where it ends. */
export function writeDecimal(bytes: Buffer, from: number, coefficient: number, scale: number): number {
  const unit = POWERS[scale]!;
  const whole = Math.floor(coefficient / unit);
  const end = writeWhole(bytes, from, whole);
  if (scale === 0) return end;
  bytes[end] = POINT;
  writeFraction(bytes, end + 1, coefficient - whole * unit, scale);
  return end + 1 + scale;
}

function writeWhole(bytes: Buffer, from: number, value: number): number {
  if (value < BILLION) return writeNumber(bytes, from, value);
  const high = Math.floor(value / BILLION);
  const end = writeNumber(bytes, from, high);
  writeDigits(bytes, end, end + 9, value - high * BILLION);
  return end + 9;
}

/** Write a number with exactly `digits` digits. */
function writeFraction(bytes: Buffer, from: number, value: number, digits: number): void {
  const high = Math.floor(value / BILLION);
  if (digits > 9) writeDigits(bytes, from, from + digits - 9, high);
  writeDigits(bytes, from + digits - Math.min(digits, 9), from + digits, digits > 9 ? value - high * BILLION : value);
}
