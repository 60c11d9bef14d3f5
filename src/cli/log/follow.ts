// `crossgate log --follow`: the journal of a running gateway without end, until a signal. A look at an embedded journal
// costs nothing while its files do not change.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import type { EpochMs } from '../../base/time.ts';
import { type DamagedPlace, followJournal, type JournalEntry } from '../../store/mod.ts';
import { type JournalPlace, readPlace } from '../options/journal-place.ts';

/** Between two looks. */
const LOOK_MS = 200;
const LOOK_AT_ROWS_MS = 1_000;
/** Rows of one time may become visible one after the other. */
const ROWS_OVERLAP_MS = 60_000;

/** Every entry, and then those that come, until SIGINT or SIGTERM. */
export function followPlace(place: JournalPlace, onDamage: (place: DamagedPlace) => void): AsyncIterable<JournalEntry> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  return place.kind === 'embedded'
    ? followJournal(place.directory, 0, onDamage, changeIn(place.directory, stop.signal))
    : followRows(place, onDamage, stop.signal);
}

/** Waits for a change of the journal's files; false if it is to end. */
function changeIn(directory: string, stopped: AbortSignal): () => Promise<boolean> {
  let before = '';
  return async () => {
    while (await waited(LOOK_MS, stopped)) {
      const names = (await readdir(directory)).filter((name) => name.endsWith('.xgj')).sort();
      // Only the newest segment grows, and the one before it as its successor begins.
      const newest = names.slice(-2).map(async (name) => {
        const about = await stat(join(directory, name)).catch(() => null);
        return `${name} ${about?.mtimeMs} ${about?.size}`;
      });
      const now = (await Promise.all(newest)).join('; ');
      if (now === before) continue;
      before = now;
      return true;
    }
    return false;
  };
}

async function* followRows(
  place: JournalPlace,
  onDamage: (place: DamagedPlace) => void,
  stopped: AbortSignal,
): AsyncGenerator<JournalEntry> {
  let [lastFrame, lastAt]: [number, EpochMs] = [0, 0];
  do {
    let [frame, at] = [lastFrame, lastAt];
    for await (const entry of readPlace(place, Math.max(0, lastAt - ROWS_OVERLAP_MS), onDamage)) {
      if (entry.frame <= lastFrame) continue;
      [frame, at] = [entry.frame, entry.at];
      yield entry;
    }
    [lastFrame, lastAt] = [frame, at];
  } while (await waited(LOOK_AT_ROWS_MS, stopped));
}

/** False if a signal ended the wait. */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  await wait(ms, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}
