// Reads a hand-written file for the simulated exchange, YAML or JSON, into plain values, and explains failures in
// words. world-file.ts and fault-file.ts check the content.

import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { CrossgateError } from '../../base/errors.ts';

const FILE_BYTES_MAX = 16_777_216;
const ALIASES_MAX = 100;

/** Where the library speaks to a programmer. */
const WORDS: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a second document begins here (`---`)',
  RESOURCE_EXHAUSTION: 'brackets or dashes are nested too deeply here',
  TAG_RESOLVE_FAILED: 'tags such as `!!binary` are not used here',
};

/** The keys in a file; none for an empty one. `what` names its kind. @throws CrossgateError with line and reason */
export function readPlainFile(path: string, what: string): Readonly<Record<string, unknown>> {
  const fail = (why: string, cause?: unknown): never => {
    throw new CrossgateError('XG_SIMULATOR_INVALID', `the ${what} file ${path} cannot be used: ${why}`, { cause });
  };
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    return fail(code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code ?? String(cause)})`, cause);
  }
  if (bytes.length > FILE_BYTES_MAX) return fail('it is larger than 16 MiB');
  if (!isUtf8(bytes) || bytes.includes(0)) return fail('it is not UTF-8 text');
  const lines = new LineCounter();
  // Tags beyond the core schema make bytes, times and sets of a value: only plain values go on.
  const options = { lineCounter: lines, prettyErrors: false, resolveKnownTags: false, logLevel: 'error' } as const;
  const document = parseDocument(bytes.toString('utf8'), options);
  const [first] = [...document.errors, ...document.warnings];
  if (first !== undefined) {
    return fail(`line ${lines.linePos(first.pos[0]).line} is not readable: ${WORDS[first.code] ?? first.message}`);
  }
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount: ALIASES_MAX }) ?? {};
  } catch (cause) {
    return fail('its aliases (`*name`) name nothing, or too much', cause);
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    return fail('it is no list of `key: value` lines');
  return data as Readonly<Record<string, unknown>>;
}
