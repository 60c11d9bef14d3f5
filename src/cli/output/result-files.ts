// Files that a replay writes its result into (`--json`, `--junit`, `--html`, `--shrink`). They are opened before it begins: an unwritable
// place would lose the result of hours of traffic with a counterparty.

import { once } from 'node:events';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';

export interface ResultFiles {
  /** `-` prints it. */
  readonly json?: string | undefined;
  readonly junit?: string | undefined;
  readonly html?: string | undefined;
  readonly shrink?: string | undefined;
}

const PRINTED = '-';
/** How a result begins. */
const BEGINS = { json: '{', junit: '<?xml', html: '<!doctype html', shrink: 'suite ' } as const;

/**
 * Their old content stays until the result exists. @throws CrossgateError XG_USAGE if one cannot be written, or is no
 * result
 */
export async function mustBeWritable({ json, junit, html, shrink }: ResultFiles): Promise<void> {
  for (const [option, path] of Object.entries({ json: json === PRINTED ? undefined : json, junit, html, shrink })) {
    if (path === undefined) continue;
    const fault = await faultOf(path, BEGINS[option as keyof typeof BEGINS]);
    if (fault === null) continue;
    throw new CrossgateError('XG_USAGE', `--${option}: ${path} ${fault.told}`, { cause: fault.cause });
  }
}

async function faultOf(path: string, begins: string): Promise<{ told: string; cause?: unknown } | null> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'a+');
    if (await isResult(file, begins)) return null;
    // The option of other commands names no file: the next argument is then the log.
    return {
      told: 'holds something else than a result, which is written there: nothing was replayed; name another file',
    };
  } catch (cause) {
    return { told: `cannot be written, and nothing was replayed: ${(cause as Error).message}`, cause };
  } finally {
    await file?.close();
  }
}

/** Whether a file is empty, or a result of before; a pipe or a device is nothing that could be lost. */
async function isResult(file: FileHandle, begins: string): Promise<boolean> {
  const about = await file.stat();
  if (!about.isFile() || about.size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(begins.length), 0, begins.length, 0);
  return buffer.toString('latin1') === begins;
}

/** The place for human-readable results: beside the printed result. */
export function sayBeside({ json }: ResultFiles): (line: string) => void {
  return json === PRINTED ? console.error : console.log;
}

/** @param text in pieces, which may be many */
export async function writeJson({ json }: ResultFiles, text: Iterable<string>): Promise<void> {
  if (json === undefined) return;
  if (json !== PRINTED) return await writeFile(json, text);
  for (const piece of text) {
    // Write errors are reported where they occur.
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain').catch(() => {});
  }
}
