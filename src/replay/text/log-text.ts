// The bytes of a log as text for the search: compressed or not, a network capture, in UTF-8, UTF-16 or a single-byte
// encoding. The source is a file, standard input, or a file that grows and is rotated. text-log.ts finds messages.

import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { TextDecoder } from 'node:util';
import { CrossgateError } from '../../base/errors.ts';
import { ByteSource } from '../bytes/byte-source.ts';
import { type TellCut, unpacked, zipEntries } from '../bytes/unpack.ts';
import { isCapture } from '../capture/capture-file.ts';
import { captureText } from '../capture/capture-text.ts';

/** How often a followed file is looked at for more. */
const FOLLOW_MS = 200;
const READ_BYTES = 65_536;

type Encoding = 'bytes' | 'utf-16le' | 'utf-16be';

/** Archives within archives that are opened. */
const DEPTH_MAX = 3;

/**
 * Text chunk by chunk, one character per byte as `TextLogReader` takes it: of a log, compressed or in an archive or not, or
 * of the FIX in a network capture. Of bytes that are cut or damaged, what is before that.
 */
export function logText(chunks: AsyncIterable<Buffer>, tellCut: TellCut): AsyncGenerator<string> {
  return textIn(new ByteSource(chunks), tellCut, 0);
}

async function* textIn(source: ByteSource, tellCut: TellCut, depth: number): AsyncGenerator<string> {
  const head = await source.peek(4);
  const packing = depth < DEPTH_MAX ? packingOf(head) : null;
  if (packing === 'zip') {
    for await (const entry of zipEntries(source, tellCut)) {
      yield* textIn(new ByteSource(entry), tellCut, depth + 1);
      // A damaged file leaves a rest, before which the next one is not found.
      for await (const _ of entry);
      yield '\n';
    }
  } else if (packing !== null) yield* textIn(new ByteSource(unpacked(source, packing, tellCut)), tellCut, depth + 1);
  else if (isCapture(head)) yield* captureText(source, tellCut);
  else {
    const decoder = new LogDecoder();
    for (let chunk = await source.readSome(READ_BYTES); chunk !== null; chunk = await source.readSome(READ_BYTES))
      yield decoder.push(chunk);
  }
}

/** By the first bytes of a file; null for bytes that are not compressed. */
function packingOf(head: Buffer): 'gzip' | 'zstd' | 'zip' | null {
  if (isGzip(head)) return 'gzip';
  const magic = head.toString('hex');
  return magic === '28b52ffd' ? 'zstd' : magic === '504b0304' ? 'zip' : null;
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
        if (at === 0 && (packingOf(chunk.subarray(0, 4)) !== null || isCapture(chunk))) {
          throw new CrossgateError('XG_USAGE', `${path} is compressed or a capture: it is read, not followed`);
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
