// The report of applying the configuration, as a value and in words. reload.ts applies it.

import type { SessionChanges } from '../../../administration/mod.ts';
import type { EpochMs } from '../../../base/time.ts';
import type { ConfigProblem } from '../config-problem.ts';

export const NOT_USED = 'The changed configuration is not used.';

/** Result of applying the configuration. */
export interface ApplyReport {
  readonly at: EpochMs;
  readonly who: string;
  /** False: nothing was changed. */
  readonly ok: boolean;
  /** In words. */
  readonly text: string;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
  /** Null if nothing was changed. */
  readonly changes: SessionChanges | null;
  /** Certificates and tokens that were taken over, in words; empty if nothing was changed. */
  readonly renewed: readonly string[];
  /**
   * Keys of gateway.yaml, their secrets, and files of data dictionaries that differ from the running ones: they count
   * from the next start on.
   */
  readonly restartNeeded: readonly string[];
  /** Limits that the files raise, where that takes a second person (`admin.twoPeople`), and the digest of these files; else null. */
  readonly raised: { readonly limits: readonly string[]; readonly digest: string } | null;
  /** The version that is kept of what was taken over; null if none is new. */
  readonly version: number | null;
}

export const refusedInWords = ({ text }: ApplyReport): string => `${NOT_USED} ${text}`;

export function changesAnything({ changes, renewed }: ApplyReport): boolean {
  if (changes === null) return false;
  return changes.added.length + changes.changed.length + changes.retired.length + renewed.length > 0;
}

export function inWords(changes: SessionChanges, renewed: readonly string[], restartNeeded: readonly string[]): string {
  const lines: string[] = [];
  for (const kind of ['added', 'changed', 'retired'] as const) {
    for (const { name, detail } of changes[kind]) lines.push(`${name} ${kind}: ${detail}.`);
  }
  for (const text of renewed) lines.push(`Renewed: ${text}.`);
  if (changes.unchanged > 0)
    lines.push(`${changes.unchanged} ${changes.unchanged === 1 ? 'session' : 'sessions'} unchanged.`);
  if (restartNeeded.length > 0) lines.push(`Waiting for a restart: ${restartNeeded.join(', ')}.`);
  return lines.length === 0 ? 'Nothing is to be changed.' : lines.join(' ');
}
