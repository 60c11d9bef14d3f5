// The results of a certification, kept in one file that is replaced as a whole: a killed process loses the case under way only.

import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CrossgateError } from '../../base/errors.ts';
import type { CaseResult } from '../run/case-result.ts';

/** A result, with the rules of engagement that it was reached under. */
export interface KeptResult extends CaseResult {
  readonly rules: string;
}

interface ProgressFile {
  readonly form: 1;
  readonly results: readonly KeptResult[];
  readonly used: readonly string[];
  readonly takesNews: boolean;
}

const FILE = 'progress.json';
/** ClOrdIDs that are remembered; the newest. */
const USED_MAX = 50_000;

export class Progress {
  readonly results = new Map<string, KeptResult>();
  readonly used = new Set<string>();
  /** Whether the OMS takes News(B). */
  takesNews = true;
  private readonly path: string;

  /** Read what there is in a folder, which is made if it is missing. @throws CrossgateError if the file is unusable */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.path = join(folder, FILE);
    const kept = read(this.path);
    for (const result of kept?.results ?? []) this.results.set(result.id, result);
    for (const clOrdID of kept?.used ?? []) this.used.add(clOrdID);
    this.takesNews = kept?.takesNews ?? true;
  }

  add(result: KeptResult): void {
    this.results.set(result.id, result);
    this.save();
  }

  /** Replace the file; it survives power loss when this returns. */
  save(): void {
    const file: ProgressFile = {
      form: 1,
      results: [...this.results.values()],
      used: [...this.used].slice(-USED_MAX),
      takesNews: this.takesNews,
    };
    const draft = `${this.path}.draft`;
    const handle = openSync(draft, 'w', 0o600);
    try {
      writeSync(handle, JSON.stringify(file));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, this.path);
    const folder = openSync(dirname(this.path), 'r');
    fsyncSync(folder);
    closeSync(folder);
  }
}

function read(path: string): ProgressFile | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new CrossgateError('XG_CONFIG_INVALID', `the progress ${path} cannot be read`, { cause });
  }
  try {
    const file = JSON.parse(text) as ProgressFile;
    if (file.form === 1 && Array.isArray(file.results) && Array.isArray(file.used)) return file;
  } catch {}
  throw new CrossgateError(
    'XG_CONFIG_INVALID',
    `${path} is no progress of a certification: move it away to begin anew`,
  );
}
