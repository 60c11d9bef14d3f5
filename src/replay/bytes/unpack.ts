// Compressed logs, piece by piece: gzip, Zstandard and the entries of a zip archive. Bytes in front of a cut, or of
// damage, are not lost with it.

import type { Transform } from 'node:stream';
import { crc32, createGunzip, createInflateRaw, createZstdDecompress } from 'node:zlib';
import type { ByteSource } from './byte-source.ts';

/** Says why what is behind is not read. */
export type TellCut = (why: string) => void;

/** Compressed bytes that are read at once; zstd has blocks of a few bytes for 128 KiB. */
const PIECE_BYTES = { gzip: 4096, zstd: 512, deflate: 4096 } as const;
const DAMAGED = 'the compressed file is damaged, the rest cannot be read';
const CUT = 'the compressed file ends early, the rest is missing';

/** The content of a gzip or Zstandard file. */
export async function* unpacked(source: ByteSource, format: 'gzip' | 'zstd', tellCut: TellCut): AsyncGenerator<Buffer> {
  const unpacker = new Unpacker(format === 'gzip' ? createGunzip() : createZstdDecompress());
  for (;;) {
    const chunk = unpacker.isOver ? null : await source.readSome(PIECE_BYTES[format]);
    if (chunk === null) break;
    yield* await unpacker.push(chunk);
  }
  yield* await unpacker.end();
  if (unpacker.problem !== null) tellCut(unpacker.problem);
}

class Unpacker {
  problem: string | null = null;
  isOver = false;
  private readonly stream: Transform & { readonly bytesWritten: number };
  private unpacked: Buffer[] = [];
  private goOn: () => void = () => {};

  constructor(stream: Transform & { readonly bytesWritten: number }) {
    this.stream = stream;
    const over = (): void => {
      this.isOver = true;
      this.goOn();
    };
    stream.on('data', (chunk: Buffer) => this.unpacked.push(chunk));
    stream.on('end', over);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      const isCut = error.code === 'Z_BUF_ERROR' || error.code === 'ZSTD_error_srcSize_wrong';
      this.problem = isCut ? CUT : DAMAGED;
      over();
    });
  }

  /** Compressed bytes that were used. */
  get used(): number {
    return this.stream.bytesWritten;
  }

  async push(chunk: Buffer): Promise<Buffer[]> {
    return await this.after((done) => this.stream.write(chunk, done));
  }

  async end(): Promise<Buffer[]> {
    return await this.after(() => this.stream.end());
  }

  private async after(run: (done: () => void) => void): Promise<Buffer[]> {
    if (this.isOver) return [];
    await new Promise<void>((resolve) => {
      this.goOn = resolve;
      run(resolve);
    });
    return this.unpacked.splice(0);
  }
}

const LOCAL_HEADER = 0x04034b50;
const DATA_DESCRIPTOR = 0x08074b50;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 0x1;
const SIZES_BEHIND = 0x8;
const ZIP64 = 0x0001;
/** Most entries of an archive. */
const ENTRIES_MAX = 10_000;

/**
 * The files of a zip archive, each to be read before the next. Read from its beginning, so that a pipe will do: the table
 * at the end of an archive is not needed for entries that are stored or deflated.
 */
export async function* zipEntries(source: ByteSource, tellCut: TellCut): AsyncGenerator<AsyncGenerator<Buffer>> {
  for (let count = 0; ; count++) {
    const header = await source.read(30);
    if (header.length < 30 || header.readUInt32LE(0) !== LOCAL_HEADER) {
      if (header.length === 0 || (header.length < 4 && count > 0)) tellCut(CUT);
      return;
    }
    if (count >= ENTRIES_MAX) {
      tellCut(`the archive has more than ${ENTRIES_MAX} files, the rest is not read`);
      return;
    }
    const [flags, method] = [header.readUInt16LE(6), header.readUInt16LE(8)];
    const name = (await source.read(header.readUInt16LE(26))).toString('utf8');
    const extra = await source.read(header.readUInt16LE(28));
    const packedBytes = packedSizeOf(header, extra);
    const isUnknown = (flags & SIZES_BEHIND) !== 0;
    const why = whyUnread(flags, method, isUnknown);
    if (why !== null) {
      tellCut(`${name} in the archive ${why}`);
      if (isUnknown) return;
      await source.skip(packedBytes);
      continue;
    }
    const entry = new ZipEntry(source, { name, isDeflated: method === DEFLATED, packedBytes, isUnknown }, tellCut);
    const checkSum = header.readUInt32LE(14);
    if (!name.endsWith('/')) yield entry.content(isUnknown ? null : checkSum);
    if (!entry.isWhole) return;
  }
}

function whyUnread(flags: number, method: number, isUnknown: boolean): string | null {
  if ((flags & ENCRYPTED) !== 0) return 'is encrypted and not read';
  if (method !== STORED && method !== DEFLATED) return `is compressed by method ${method}, which is not read`;
  return method === STORED && isUnknown ? 'is stored without its length and not read' : null;
}

function packedSizeOf(header: Buffer, extra: Buffer): number {
  const size = header.readUInt32LE(18);
  if (size !== 0xffffffff) return size;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    // The uncompressed size stands before it.
    if (extra.readUInt16LE(at) === ZIP64 && at + 20 <= extra.length) return Number(extra.readBigUInt64LE(at + 12));
  }
  return size;
}

interface EntryHead {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly packedBytes: number;
  /** Its sizes stand behind it. */
  readonly isUnknown: boolean;
}

class ZipEntry {
  /** Whether the next entry can be found behind it. */
  isWhole = true;
  private readonly source: ByteSource;
  private readonly head: EntryHead;
  private readonly tellCut: TellCut;
  private sum = 0;

  constructor(source: ByteSource, head: EntryHead, tellCut: TellCut) {
    this.source = source;
    this.head = head;
    this.tellCut = tellCut;
  }

  /** `checkSum`: null where it stands behind the entry. */
  async *content(checkSum: number | null): AsyncGenerator<Buffer> {
    this.isWhole = false;
    const chunks = this.head.isDeflated ? this.deflated() : this.stored();
    for await (const chunk of chunks) {
      this.sum = crc32(chunk, this.sum);
      yield chunk;
    }
    const behind = this.isWhole && this.head.isUnknown ? await this.descriptor() : null;
    const expected = checkSum ?? behind;
    if (this.isWhole && expected !== this.sum) this.tellCut(`${this.head.name} in the archive has a wrong checksum`);
  }

  private async *stored(): AsyncGenerator<Buffer> {
    for (let left = this.head.packedBytes; left > 0; ) {
      const chunk = await this.source.readSome(Math.min(left, PIECE_BYTES.gzip * 16));
      if (chunk === null) {
        this.tellCut(CUT);
        return;
      }
      left -= chunk.length;
      yield chunk;
    }
    this.isWhole = true;
  }

  private async *deflated(): AsyncGenerator<Buffer> {
    const unpacker = new Unpacker(createInflateRaw());
    let given = 0;
    let last: Buffer = Buffer.alloc(0);
    while (!unpacker.isOver) {
      const left = this.head.isUnknown ? Number.POSITIVE_INFINITY : this.head.packedBytes - given;
      const chunk = left <= 0 ? null : await this.source.readSome(Math.min(left, PIECE_BYTES.deflate));
      if (chunk === null) break;
      last = chunk;
      given += chunk.length;
      yield* await unpacker.push(chunk);
    }
    yield* await unpacker.end();
    if (unpacker.problem !== null) {
      this.tellCut(unpacker.problem);
      return;
    }
    const surplus = given - unpacker.used;
    if (surplus > 0) this.source.putBack(last.subarray(last.length - surplus));
    this.isWhole = true;
  }

  /** CheckSum behind an entry of unknown size; the signature before it and the width of the sizes are optional. */
  private async descriptor(): Promise<number> {
    const first = await this.source.read(4);
    const hasSignature = first.length === 4 && first.readUInt32LE(0) === DATA_DESCRIPTOR;
    const sum = hasSignature ? await this.source.read(4) : first;
    await this.source.skip(8);
    const next = await this.source.peek(2);
    // Sizes of 64 bits: the other halves come before the next header.
    if (next.length === 2 && next.toString('latin1') !== 'PK') await this.source.skip(8);
    return sum.length === 4 ? sum.readUInt32LE(0) : -1;
  }
}
