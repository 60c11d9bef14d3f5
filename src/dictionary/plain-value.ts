// First looks at a value's bytes for the fast half of validation: true is certain, false decides nothing. In 32-bit
// arithmetic and, where the length is fixed, without branches. Leaves the whole of each data type to value-format.ts.

/** Whether [from, to), not empty, is digits. */
export function isPlainDigits(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if ((bytes[i]! - 0x30) >>> 0 > 9) return false;
  return true;
}

/** Whether [from, to), not empty, is digits with at most one point, not the first byte: most decimals. */
export function isPlainDecimal(bytes: Buffer, from: number, to: number): boolean {
  if ((bytes[from]! - 0x30) >>> 0 > 9) return false;
  let points = 0;
  for (let i = from + 1; i < to; i++) {
    const c = bytes[i]!;
    if ((c - 0x30) >>> 0 <= 9) continue;
    if (c !== 0x2e || points !== 0) return false;
    points = 1;
  }
  return true;
}

/** The number in two digits at `at`; negative if one of them is no digit. */
function pair(bytes: Buffer, at: number): number {
  const tens = bytes[at]! - 0x30;
  const ones = bytes[at + 1]! - 0x30;
  return ((tens | ones | (9 - tens) | (9 - ones)) >> 31) | (tens * 10 + ones);
}

/** Whether [from, to) is a UTCTimestamp on one of the first 28 days of a month, to the second or the millisecond. */
export function isPlainTimestamp(bytes: Buffer, from: number, to: number): boolean {
  const length = to - from;
  if (length !== 21 && length !== 17) return false;
  const month = pair(bytes, from + 4);
  const day = pair(bytes, from + 6);
  const hour = pair(bytes, from + 9);
  const minute = pair(bytes, from + 12);
  const second = pair(bytes, from + 15);
  // Negative as soon as one of them is.
  let outside = pair(bytes, from) | pair(bytes, from + 2) | hour | minute | second;
  outside |= (month - 1) | (12 - month) | (day - 1) | (28 - day) | (23 - hour) | (59 - minute) | (60 - second);
  let separators = (bytes[from + 8]! ^ 0x2d) | (bytes[from + 11]! ^ 0x3a) | (bytes[from + 14]! ^ 0x3a);
  if (length === 21) {
    const tenths = bytes[from + 18]! - 0x30;
    outside |= tenths | (9 - tenths) | pair(bytes, from + 19);
    separators |= bytes[from + 17]! ^ 0x2e;
  }
  return separators === 0 && outside >= 0;
}
