// A native call of Node's Buffer that its type definitions leave out: half the time of `toString`, which looks at its
// encoding argument first.

interface Latin1Buffer extends Buffer {
  latin1Slice(start: number, end: number): string;
}

/** Bytes [start, end) as a string of one character per byte. */
export function latin1(buffer: Buffer, start: number, end: number): string {
  return (buffer as Latin1Buffer).latin1Slice(start, end);
}
