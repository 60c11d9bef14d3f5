// Bytes of a file or pipe, taken in the pieces that a format asks for.

export class ByteSource {
  private readonly chunks: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);
  private isOver = false;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next bytes without taking them; fewer at the end. */
  async peek(count: number): Promise<Buffer> {
    while (this.held.length < count && !this.isOver) {
      const { value, done } = await this.chunks.next();
      if (done === true) this.isOver = true;
      else this.held = this.held.length === 0 ? value : Buffer.concat([this.held, value]);
    }
    return this.held.subarray(0, count);
  }

  /** Take so many bytes; fewer at the end. */
  async read(count: number): Promise<Buffer> {
    const bytes = await this.peek(count);
    this.held = this.held.subarray(bytes.length);
    return bytes;
  }

  /** Take what is there, at most so many bytes; null at the end. */
  async readSome(max: number): Promise<Buffer | null> {
    const some = await this.peek(1);
    return some.length === 0 ? null : await this.read(Math.min(max, this.held.length));
  }

  /** Pass over so many bytes. */
  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const some = await this.readSome(left);
      if (some === null) return;
      left -= some.length;
    }
  }

  /** Give back the last bytes taken. */
  putBack(bytes: Buffer): void {
    this.held = this.held.length === 0 ? bytes : Buffer.concat([bytes, this.held]);
  }
}
