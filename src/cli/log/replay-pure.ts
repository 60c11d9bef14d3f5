// `crossgate replay --pure`: runs a gateway's day again from its journal alone and says whether every message and every order
// record comes out the same to the byte. Reads the journal; touches nothing.

import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import { terminalText } from '../../base/terminal-text.ts';
import { formatIso } from '../../base/time.ts';
import {
  joinVersions,
  loadVersion,
  ORDER_VERSIONS,
  type VersionDictionaries,
  validatorSwitches,
  versionOf,
} from '../../engine/mod.ts';
import {
  type DayCounts,
  type DayDifference,
  junitXml,
  newDayReplay,
  type ReplayedFrame,
  type ReplayedRecord,
} from '../../replay/mod.ts';
import { type JournalRecord, JournalState } from '../../store/mod.ts';
import { toRedacted } from '../../wire/mod.ts';
import { type JournalPlace, journalPlace, readPlace } from '../options/journal-place.ts';
import { counted } from '../output/reading-count.ts';
import { mustBeWritable, type ResultFiles, sayBeside, writeJson } from '../output/result-files.ts';

/**
 * Replay the journal of a state directory with the dictionaries of its gateway; exit code 0 if identical, 1 if not.
 * `files`: where the result is written too.
 */
export async function replayPure(state: string, dictionariesDirectory: string, files: ResultFiles = {}): Promise<void> {
  const startedAt = Date.now();
  const place = await journalPlace(state);
  const dictionaries = await dictionariesIn(dictionariesDirectory);
  await mustBeWritable(files);
  const fold = new JournalState();
  const ended = new Map<string, string>();
  const day = await newDayReplay({
    fold: {
      // The journal's own records, handed back to it.
      apply: (record: ReplayedRecord, at) => {
        const own = record as JournalRecord;
        if (own.kind === 'order') for (const key of own.ended ?? []) ended.set(key, own.record);
        fold.apply(own, at);
      },
      sessions: () => fold.sessions(),
      orders: fold.orders,
      ended: { find: (key) => ended.get(key) ?? null },
    },
    validator: (session) => {
      const version = versionOf(session);
      const known = joinVersions(version, dictionaries);
      if (known === null) throw new CrossgateError('XG_USAGE', `there is no dictionary for ${version}`);
      return known.newValidator(validatorSwitches(session));
    },
  });
  let difference: DayDifference | null = null;
  for await (const frame of framesOf(place)) {
    difference = day.frame(frame);
    if (difference !== null) break;
  }
  difference ??= day.end();
  const { counts } = day;
  const isIdentical = difference === null && counts.starts > 0;
  const lines = difference === null ? [] : describeDifference(difference);
  if (!isIdentical && difference === null) lines.push(NO_START);
  await writeJson(files, [jsonOf(isIdentical, counts, difference)]);
  if (files.junit !== undefined) {
    const element = difference === null ? 'error' : 'failure';
    const problem = isIdentical ? null : ({ element, type: 'different', lines } as const);
    const suite = { name: `replay --pure of ${state}`, startedAt, endedAt: Date.now() };
    const cases = [{ classname: 'journal', name: 'identical to the byte', problem }];
    writeFileSync(files.junit, [...junitXml(suite, cases)].join(''));
  }
  if (!isIdentical) process.exitCode = 1;
  const say = sayBeside(files);
  if (difference !== null) for (const line of lines) say(line);
  else if (!isIdentical) console.error(NO_START);
  else say(inWords(counts));
}

const NO_START = 'The journal holds no start of a gateway that a replay could begin with.';

function inWords({ starts, frames, inbound, outbound, orders, skipped }: DayCounts): string {
  const before = skipped === 0 ? '' : ` (${skipped} frames before the first start left out)`;
  return `identical: ${outbound} messages out, ${inbound} in, ${orders} order records; ${frames} frames, ${starts} starts${before}`;
}

function jsonOf(identical: boolean, counts: DayCounts, difference: DayDifference | null): string {
  const found =
    difference === null
      ? null
      : {
          frame: difference.frame,
          at: formatIso(difference.at),
          told: difference.told,
          journal: shown(difference.recorded),
          replayed: shown(difference.replayed),
        };
  return `${JSON.stringify({ identical, ...counts, difference: found }, null, 2)}\n`;
}

async function* framesOf(place: JournalPlace): AsyncGenerator<ReplayedFrame> {
  let records: ReplayedRecord[] = [];
  let frame = -1;
  let at = 0;
  for await (const entry of counted(readPlace(place), 'records replayed')) {
    if (entry.frame !== frame && records.length > 0) {
      yield { frame, at, records };
      records = [];
    }
    frame = entry.frame;
    at = entry.at;
    records.push(entry.record as ReplayedRecord);
  }
  if (records.length > 0) yield { frame, at, records };
}

/** Every version's, with the overlays beside them, as the gateway reads them. @throws CrossgateError XG_DICTIONARY_INVALID */
async function dictionariesIn(directory: string): Promise<ReadonlyMap<string, VersionDictionaries>> {
  const dictionaries = new Map<string, VersionDictionaries>();
  for (const version of ORDER_VERSIONS) {
    const loaded = await loadVersion(directory, version);
    if (loaded !== null) dictionaries.set(version, loaded);
  }
  return dictionaries;
}

function describeDifference({ frame, at, told, recorded, replayed }: DayDifference): string[] {
  return [
    `different from frame ${frame} on, ${formatIso(at)}`,
    `  told:     ${told}`,
    `  journal:  ${shown(recorded)}`,
    `  replayed: ${shown(replayed)}`,
    // A journal does not say who wrote it.
    '  Another version may write the same day differently without a fault: replay it with the version that wrote it.',
  ].map(terminalText);
}

/** A record without secrets. */
function shown(record: DayDifference['recorded']): string {
  if (record === null) return 'nothing';
  return 'raw' in record ? `${record.kind} ${toRedacted(record.raw)}` : JSON.stringify(record);
}
