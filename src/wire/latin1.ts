// Two native calls of Node's Buffer that its type definitions leave out: half the time of `toString` and `write`, which
// look at their encoding argument first.

interface Latin1Buffer extends Buffer {
  latin1Slice(start: number, end: number): string;
  latin1Write(text: string, at: number): number;
}

/** Bytes [start, end) as a string of one character per byte. */
export function latin1(buffer: Buffer, start: number, end: number): string {
  return (buffer as Latin1Buffer).latin1Slice(start, end);
}

/** Write a string at `at`, the low byte of each character; the caller sees to what lies above. */
export function latin1Write(buffer: Buffer, text: string, at: number): void {
  (buffer as Latin1Buffer).latin1Write(text, at);
}
