// The bytes of a log as text for the search: with or without gzip, in UTF-8, UTF-16 or a single-byte encoding. The
// source is a file, standard input, or a file that grows and is rotated. text-log.ts finds messages.

import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { CrossgateError } from '../../base/errors.ts';

/** How often a followed file is looked at for more. */
const FOLLOW_MS = 200;
const READ_BYTES = 65_536;
/** Compressed bytes that are read at once: they may be a thousand times as many. */
const UNZIP_BYTES = 4096;
const DAMAGED = 'the compressed file is damaged, the rest cannot be read';

type Encoding = 'bytes' | 'utf-16le' | 'utf-16be';

/** Says why what is behind is not read. */
type TellCut = (why: string) => void;

/** Text chunk by chunk, one character per byte as `TextLogReader` takes it; of gzip that is cut or damaged, what is before that. */
export async function* logText(chunks: AsyncIterable<Buffer>, tellCut: TellCut): AsyncGenerator<string> {
  const decoder = new LogDecoder();
  for await (const chunk of begunByTwo(unzipped(begunByTwo(chunks), tellCut))) yield decoder.push(chunk);
}

/** The same bytes with the first two together: both identify the format, and a pipe may deliver one alone. */
async function* begunByTwo(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let first: Buffer | null = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes: Buffer = first === null || first.length === 0 ? chunk : Buffer.concat([first, chunk]);
    if (first !== null && bytes.length < 2) first = bytes;
    else {
      first = null;
      yield bytes;
    }
  }
  if (first !== null && first.length > 0) yield first;
}

/** The text of a log file. */
export function logFileText(path: string, tellCut: TellCut): AsyncGenerator<string> {
  return logText(createReadStream(path), tellCut);
}

/**
 * The text of a file and its appended data, without end. After a rotation or truncation reading continues at the
 * beginning of the new file, after the rest of the old one.
 */
export async function* followedText(path: string): AsyncGenerator<string> {
  let handle: FileHandle | null = await open(path, 'r');
  try {
    let decoder = new LogDecoder();
    let at = 0;
    for (;;) {
      for (let chunk = await readAt(handle, at); chunk.length > 0; chunk = await readAt(handle, at)) {
        if (at === 0 && isGzip(chunk)) {
          throw new CrossgateError('XG_USAGE', `${path} is compressed: it is read, not followed`);
        }
        at += chunk.length;
        yield decoder.push(chunk);
      }
      await wait(FOLLOW_MS);
      const [now, opened] = [await stat(path).catch(() => null), await handle.stat()];
      const isOther = now !== null && (now.ino !== opened.ino || now.dev !== opened.dev);
      // Data written to the old file during the wait comes first.
      if (isOther && opened.size > at) continue;
      if (isOther) {
        await handle.close();
        handle = null;
        handle = await open(path, 'r');
      }
      if (isOther || opened.size < at) {
        decoder = new LogDecoder();
        at = 0;
        // The last line of what was before has ended, whether it says so or not.
        yield '\n';
      }
    }
  } finally {
    await handle?.close();
  }
}

async function readAt(handle: FileHandle, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(READ_BYTES), position });
  return buffer.subarray(0, bytesRead);
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

async function* unzipped(chunks: AsyncIterable<Buffer>, tellCut: TellCut): AsyncGenerator<Buffer> {
  let unzip: Unzip | null = null;
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && isGzip(chunk)) unzip = new Unzip();
    isFirst = false;
    if (unzip === null) yield chunk;
    else
      for (let at = 0; at < chunk.length; at += UNZIP_BYTES)
        yield* await unzip.push(chunk.subarray(at, at + UNZIP_BYTES));
    if (unzip?.isOver === true) break;
  }
  if (unzip === null) return;
  yield* await unzip.end();
  if (unzip.problem !== null) tellCut(unzip.problem);
}

/** Gzip piece by piece: what was in front of a cut, or of damage, is not lost with it. */
class Unzip {
  problem: string | null = null;
  isOver = false;
  private readonly gunzip = createGunzip();
  private unzipped: Buffer[] = [];
  private goOn: () => void = () => {};

  constructor() {
    const over = (): void => {
      this.isOver = true;
      this.goOn();
    };
    this.gunzip.on('data', (chunk: Buffer) => this.unzipped.push(chunk));
    this.gunzip.on('end', over);
    this.gunzip.on('error', (error: NodeJS.ErrnoException) => {
      const isCut = error.code === 'Z_BUF_ERROR';
      this.problem = isCut ? 'the compressed file ends early, the rest is missing' : DAMAGED;
      over();
    });
  }

  async push(chunk: Buffer): Promise<Buffer[]> {
    return await this.after((done) => this.gunzip.write(chunk, done));
  }

  async end(): Promise<Buffer[]> {
    return await this.after(() => this.gunzip.end());
  }

  private async after(run: (done: () => void) => void): Promise<Buffer[]> {
    if (this.isOver) return [];
    await new Promise<void>((resolve) => {
      this.goOn = resolve;
      run(resolve);
    });
    return this.unzipped.splice(0);
  }
}

/** Bytes as characters of one byte each; UTF-16, as some shells write what is redirected, as the UTF-8 of the same text. */
class LogDecoder {
  private encoding: Encoding | null = null;
  private text: TextDecoder | null = null;

  push(chunk: Buffer): string {
    if (this.encoding === null && chunk.length > 0) {
      this.encoding = encodingOf(chunk);
      if (this.encoding !== 'bytes') this.text = new TextDecoder(this.encoding);
    }
    if (this.text === null) return chunk.toString('latin1');
    return Buffer.from(this.text.decode(chunk, { stream: true }), 'utf8').toString('latin1');
  }
}

/** A byte order mark says it, or else where the zeros of plain letters stand. */
function encodingOf(chunk: Buffer): Encoding {
  const [first = 1, second = 1] = chunk;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return 'bytes';
}
