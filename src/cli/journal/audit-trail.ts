// `crossgate store audit`: who did what, when and why, out of the journal: what operators and callers of the bridge did, what
// was taken over from files, and every change of sequence numbers. The gateway may run.

import process from 'node:process';
import { redactedText } from '../../base/redacted-text.ts';
import { terminalText } from '../../base/terminal-text.ts';
import { formatIso } from '../../base/time.ts';
import { type DamagedPlace, isOwedReset, type JournalEntry, placeInWords } from '../../store/mod.ts';
import { CLOCK_ERROR_MS_MAX, journalPlaces, readPlace } from '../options/journal-place.ts';
import { utcTime } from '../options/utc-time.ts';
import { endWithReader, printLine } from '../output/exit.ts';
import { counted } from '../output/reading-count.ts';

export interface AuditOptions {
  readonly state: string;
  readonly partition?: string;
  readonly from?: string;
  readonly to?: string;
  readonly match?: string;
  readonly json?: boolean;
}

/** One thing that somebody did. */
interface Action {
  readonly at: string;
  readonly who: string;
  readonly action: string;
  readonly detail: string;
}

/** Print the audit trail, the oldest first. Exit code 1 if there is nothing, or some of it cannot be read. */
export async function showAudit(options: AuditOptions): Promise<void> {
  endWithReader();
  const from = utcTime('--from', options.from) ?? 0;
  const to = utcTime('--to', options.to) ?? Number.POSITIVE_INFINITY;
  const wanted = options.match?.toLowerCase() ?? '';
  const damage: DamagedPlace[] = [];
  let shown = 0;
  const since = from - CLOCK_ERROR_MS_MAX;
  const places = await journalPlaces(options.state, options.partition);
  const parts = places.map(({ partition, place }) => ({
    partition,
    entries: readPlace(place, since, (damaged) => damage.push(damaged)),
  }));
  const isOne = places.length === 1;
  for await (const entry of counted(byTime(parts), 'records read', process.stdout.isTTY)) {
    if (entry.at < from || entry.at > to) continue;
    const action = actionOf(entry);
    if (action === null) continue;
    const { at, who, action: what, detail } = action;
    if (!`${who} ${what} ${detail}`.toLowerCase().includes(wanted)) continue;
    shown++;
    const time = at.slice(0, 23).replace('T', ' ');
    const { partition } = entry;
    const place = isOne ? '' : `${partition}  `;
    const line = isOne ? action : { ...action, partition };
    await printLine(options.json ? JSON.stringify(line) : terminalText(`${time}  ${place}${who}  ${what}  ${detail}`));
  }
  if (shown === 0) console.error('No entry matches.');
  for (const place of damage) console.error(`crossgate: some of it may be missing: ${placeInWords(place)}`);
  if (shown === 0 || damage.length > 0) process.exitCode = 1;
}

type Entry = JournalEntry & { readonly partition: string | null };

/** Entries of several journals by their times, the oldest first; those of one journal stay in its order. */
async function* byTime(
  parts: readonly { readonly partition: string | null; readonly entries: AsyncIterable<JournalEntry> }[],
): AsyncGenerator<Entry> {
  const heads = await Promise.all(
    parts.map(async ({ partition, entries }) => {
      const rest = entries[Symbol.asyncIterator]();
      return { partition, rest, next: await rest.next() };
    }),
  );
  for (;;) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads) {
      if (head.next.done !== true && (first === null || head.next.value.at < first.next.value.at)) first = head;
    }
    if (first === null) return;
    yield { ...first.next.value, partition: first.partition };
    first.next = await first.rest.next();
  }
}

function actionOf({ at, record }: JournalEntry): Action | null {
  const time = formatIso(at);
  if (record.kind === 'audit') {
    const { who, action, detail } = record;
    return { at: time, who, action, detail: redactedText(detail) };
  }
  if (record.kind !== 'numbers') return null;
  const { sessionId, from, to, who, why } = record;
  if (isOwedReset(record)) {
    return { at: time, who, action: 'reset is due', detail: redactedText(`${sessionId} within the session: ${why}`) };
  }
  const change = (name: 'nextSenderMsgSeqNum' | 'nextTargetMsgSeqNum'): string => `${from[name]} → ${to[name]}`;
  const numbers = `next out ${change('nextSenderMsgSeqNum')}, next in ${change('nextTargetMsgSeqNum')}`;
  return { at: time, who, action: 'numbers changed', detail: redactedText(`${sessionId} ${numbers}: ${why}`) };
}
