// The bytes of a log as text for the search: compressed by gzip or not, in UTF-8, UTF-16 or an encoding of single bytes, of a
// file, of standard input, or of a file that grows and is rotated. Leaves finding messages to text-log.ts.

import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { CrossgateError } from '../base/errors.ts';

/** How often a followed file is looked at for more. */
const FOLLOW_MS = 200;
const READ_BYTES = 65_536;

type Encoding = 'bytes' | 'utf-16le' | 'utf-16be';

/** Text chunk by chunk, one character per byte as `TextLogReader` takes it. @throws CrossgateError XG_USAGE for broken gzip */
export async function* logText(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<string> {
  const decoder = new LogDecoder();
  for await (const chunk of unzipped(chunks, name)) yield decoder.push(chunk);
}

/** The text of a log file. @throws CrossgateError XG_USAGE for broken gzip */
export function logFileText(path: string): AsyncGenerator<string> {
  return logText(createReadStream(path), path);
}

/**
 * The text of a file and whatever is appended to it, without end. What follows when another file takes its name is read from
 * that file's beginning, after the rest of the old one; so is a file that was cut.
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
      // What was written to the old file while we waited comes first.
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

async function* unzipped(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  const all = async function* (): AsyncGenerator<Buffer> {
    yield first.value;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  };
  if (!isGzip(first.value)) {
    yield* all();
    return;
  }
  const gunzip = createGunzip();
  // A source that fails, or damage, ends the reading below with its error too.
  pipeline(all(), gunzip).catch(() => {});
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (cause) {
    throw new CrossgateError('XG_USAGE', `${name} is compressed and ends early or is damaged`, { cause });
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
