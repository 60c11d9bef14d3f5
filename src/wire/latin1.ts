// One native call of Node's Buffer that its type definitions leave out.

interface Latin1Buffer extends Buffer {
  latin1Slice(start: number, end: number): string;
}

/** Bytes [start, end) as a string of one character per byte: half the time of `toString('latin1')`. */
export function latin1(buffer: Buffer, start: number, end: number): string {
  return (buffer as Latin1Buffer).latin1Slice(start, end);
}
