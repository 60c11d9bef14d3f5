// Builds short strings without a native call. Node's slice costs 100 ns at any length; single characters take a third
// of that. The compiler builds the string in place only if the call names the number of characters.

import { latin1 } from './latin1.ts';

const text = String.fromCharCode;

/** Bytes [from, to) as a string of one character per byte, independent of the buffer. */
export function shortText(b: Buffer, from: number, to: number): string {
  const a = from;
  // biome-ignore format: one case after the other
  switch (to - from) {
    case 2: return text(b[a]!, b[a + 1]!);
    case 3: return text(b[a]!, b[a + 1]!, b[a + 2]!);
    case 4: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!);
    case 5: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!);
    case 6: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!);
    case 7: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!);
    case 8: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!);
    case 9: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!);
    case 10: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!);
    case 11: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!);
    case 12: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!);
    case 13: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!);
    case 14: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!, b[a + 13]!);
    case 15: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!, b[a + 13]!, b[a + 14]!);
    case 16: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!, b[a + 13]!, b[a + 14]!, b[a + 15]!);
    case 17: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!, b[a + 13]!, b[a + 14]!, b[a + 15]!, b[a + 16]!);
    case 18: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!, b[a + 13]!, b[a + 14]!, b[a + 15]!, b[a + 16]!, b[a + 17]!);
    case 19: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!, b[a + 13]!, b[a + 14]!, b[a + 15]!, b[a + 16]!, b[a + 17]!,
      b[a + 18]!);
    case 20: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!, b[a + 13]!, b[a + 14]!, b[a + 15]!, b[a + 16]!, b[a + 17]!,
      b[a + 18]!, b[a + 19]!);
    case 21: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!, b[a + 13]!, b[a + 14]!, b[a + 15]!, b[a + 16]!, b[a + 17]!,
      b[a + 18]!, b[a + 19]!, b[a + 20]!);
    case 22: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!, b[a + 13]!, b[a + 14]!, b[a + 15]!, b[a + 16]!, b[a + 17]!,
      b[a + 18]!, b[a + 19]!, b[a + 20]!, b[a + 21]!);
    case 23: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!, b[a + 13]!, b[a + 14]!, b[a + 15]!, b[a + 16]!, b[a + 17]!,
      b[a + 18]!, b[a + 19]!, b[a + 20]!, b[a + 21]!, b[a + 22]!);
    case 24: return text(b[a]!, b[a + 1]!, b[a + 2]!, b[a + 3]!, b[a + 4]!, b[a + 5]!, b[a + 6]!, b[a + 7]!, b[a + 8]!,
      b[a + 9]!, b[a + 10]!, b[a + 11]!, b[a + 12]!, b[a + 13]!, b[a + 14]!, b[a + 15]!, b[a + 16]!, b[a + 17]!,
      b[a + 18]!, b[a + 19]!, b[a + 20]!, b[a + 21]!, b[a + 22]!, b[a + 23]!);
    default: return latin1(b, from, to);
  }
}
