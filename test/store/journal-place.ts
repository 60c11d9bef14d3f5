// Temporary directories with embedded journals, and processes that die without a word.

import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type EmbeddedJournalOptions, type Journal, openJournal } from '../../src/store/mod.ts';

/** A new empty directory, removed after the test, what was opened in it before. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'crossgate-journal-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Open a journal that is closed after the test. */
export async function openIn(directory: string, options: Partial<EmbeddedJournalOptions> = {}): Promise<Journal> {
  const journal = await openJournal({ directory, now: () => 1_700_000_000_000, ...options });
  onTestFinished(() => journal.close().catch(() => {}));
  return journal;
}

/** The next process's view if the present one died at this moment: a copy, without its lock. */
export function copyAsLeftBehind(directory: string): string {
  const copy = temporaryDirectory();
  for (const name of readdirSync(directory)) {
    if (!name.startsWith('lock')) cpSync(join(directory, name), join(copy, name), { recursive: true });
  }
  return copy;
}

export function segmentNames(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.xgj'))
    .sort();
}
