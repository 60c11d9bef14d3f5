// `crossgate replay --pure`: runs a gateway's day again from its journal alone and says whether every message and every order
// record comes out the same to the byte. Reads the journal; touches nothing.

import process from 'node:process';
import { CrossgateError } from '../base/errors.ts';
import { terminalText } from '../base/terminal-text.ts';
import { formatIso } from '../base/time.ts';
import { joinVersions, loadVersion, ORDER_VERSIONS, type VersionDictionaries, versionOf } from '../engine/mod.ts';
import { type DayDifference, DayReplay, type ReplayedFrame, type ReplayedRecord } from '../replay/mod.ts';
import { type JournalRecord, JournalState } from '../store/mod.ts';
import { toRedacted } from '../wire/mod.ts';
import { type JournalPlace, journalPlace, readPlace } from './journal-place.ts';

/** Replay the journal of a state directory with the dictionaries of its gateway; exit code 0 if identical, 1 if not. */
export async function replayPure(state: string, dictionariesDirectory: string): Promise<void> {
  const place = await journalPlace(state);
  const dictionaries = await dictionariesIn(dictionariesDirectory);
  const fold = new JournalState();
  const ended = new Map<string, string>();
  const day = new DayReplay({
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
      return known.newValidator(session.sendsSessionStatus);
    },
  });
  for await (const frame of framesOf(place)) {
    const difference = day.frame(frame);
    if (difference === null) continue;
    for (const line of describeDifference(difference)) console.log(line);
    process.exitCode = 1;
    return;
  }
  const { starts, frames, inbound, outbound, orders, skipped } = day.counts;
  if (starts === 0) {
    console.error('The journal holds no start of a gateway that a replay could begin with.');
    process.exitCode = 1;
    return;
  }
  const before = skipped === 0 ? '' : ` (${skipped} frames before the first start left out)`;
  console.log(
    `identical: ${outbound} messages out, ${inbound} in, ${orders} order records; ${frames} frames, ${starts} starts${before}`,
  );
}

async function* framesOf(place: JournalPlace): AsyncGenerator<ReplayedFrame> {
  let records: ReplayedRecord[] = [];
  let frame = -1;
  let at = 0;
  for await (const entry of readPlace(place)) {
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
  const show = (record: DayDifference['recorded']): string => {
    if (record === null) return 'nothing';
    return 'raw' in record ? `${record.kind} ${toRedacted(record.raw)}` : JSON.stringify(record);
  };
  return [
    `different from frame ${frame} on, ${formatIso(at)}`,
    `  told:     ${told}`,
    `  journal:  ${show(recorded)}`,
    `  replayed: ${show(replayed)}`,
  ].map(terminalText);
}
