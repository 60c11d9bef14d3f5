// `crossgate store`: shows, checks, moves and reports on the journal of a gateway. The store room reads it; this file
// chooses and prints. Commands that change a journal, or must be final, need a stopped gateway.

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { formatIso } from '../../base/time.ts';
import {
  absentInWords,
  absentSegments,
  importInWords,
  type JournalInspection,
  type JournalVerification,
  makeFolder,
  onlyInSnapshot,
  openJournal,
  placeInWords,
  sessionsInWords,
} from '../../store/mod.ts';
import { STATE_DEFAULT } from '../options/environment.ts';
import {
  closePlace,
  inspectPlace,
  type JournalPlace,
  journalPlaces,
  onlyPlace,
  openPlace,
  PARTITION_HELP,
  placeName,
  STATE_HELP,
  verifyPlace,
} from '../options/journal-place.ts';
import { SECRET_TAGS, SECRET_TAGS_OF, type SecretTagOptions, secretTagsOf } from '../options/secret-tags.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { sessionFileNames } from '../output/session-file-names.ts';
import { formatPairs, formatTable } from '../output/table.ts';
import { showAudit } from './audit-trail.ts';
import { convertStore } from './convert.ts';
import { copyStore } from './copy.ts';
import { writeDaily } from './daily-files.ts';
import { writeQuickfixStore } from './quickfix-store.ts';
import { owedReports, sentInParts } from './sent-messages.ts';
import { importSession } from './store-import.ts';

interface StateOption {
  readonly state: string;
  readonly partition?: string;
  readonly json?: boolean;
}

export function addStoreCommands(program: Command): void {
  const store = program.command('store').description('check, show and move the journal of a gateway');
  const add = (name: string, description: string, asJson = 'as JSON'): Command =>
    store
      .command(name)
      .description(description)
      .option('--state <place>', STATE_HELP, STATE_DEFAULT)
      .option('--partition <name>', PARTITION_HELP)
      .option('--json', asJson);
  add('verify', 'read every record, snapshot and archived file; exit code 1 if anything is damaged')
    .option('--rebuild', 'delete snapshots and indexes, which the next start makes anew; the gateway must be stopped')
    .option(
      '--retention-days <days>',
      'days after which files, or rows, may be gone: the retentionDays of a store of the library; default a year',
    )
    .action(verify);
  add('show', 'sessions with their numbers, files and sizes').action(show);
  add('audit', 'the audit trail: actions with operator, time and reason; the oldest first', 'one JSON object per line')
    .option('--from <time>', 'from this UTC time on, such as 2026-11-21T09:30:00')
    .option('--to <time>', 'up to this UTC time')
    .option('--match <text>', 'only entries with this text: an operator, a session, an order')
    .action(showAudit);
  add('export', 'write a session as a QuickFIX file store; the gateway must be stopped')
    .requiredOption('--session <id>', 'such as FIX.4.4:GATE->OMS')
    .requiredOption('--to <folder>', 'where the four files are written')
    .action(exportSession);
  add(
    'import',
    'take over a session from a QuickFIX file store (C++, /J, /n, Go), numbers and messages; the gateway must be stopped',
  )
    .argument('<prefix>', 'path of the files without their endings, such as store/FIX.4.4-GATE-OMS')
    .requiredOption('--session <id>', 'such as FIX.4.4:GATE->OMS')
    .requiredOption('--why <text>', 'the reason, for the audit trail')
    .option('--who <name>', 'who asks for it; default: the user that runs this')
    .option('--replace', 'even if the journal knows the session already; its numbers are replaced')
    .action(importSession);
  add(
    'convert',
    'bring a journal in PostgreSQL from the blocks of an earlier version into tables; its gateways must be stopped',
  )
    .option('--skip-damaged', 'leave out blocks that cannot be read, and report what is lost')
    .action(convertStore);
  store
    .command('copy')
    .description('copy a journal in PostgreSQL to the names of its partitions; the gateways must be stopped')
    .option('--state <place>', 'postgres:REFERENCE[,JOURNAL], the journal of a gateway in one process', STATE_DEFAULT)
    .requiredOption('--to <journals>', 'the new names, such as crossgate-fund,crossgate-primary')
    .option('--json', 'as JSON')
    .action(copyStore);
  add('daily', 'write the orders and trades of a day, a CSV file each per session')
    .option('--date <date>', 'a day in UTC, such as 2026-11-20; without it the day before this one')
    .option('--to <folder>', 'where the files are written', '.')
    .option(...SECRET_TAGS)
    .option(...SECRET_TAGS_OF)
    .action(daily);
}

async function verify(
  options: StateOption & { readonly rebuild?: boolean; readonly retentionDays?: string },
): Promise<void> {
  const { retentionDays } = options;
  const kept = retentionDays === undefined ? null : wholeNumber('--retention-days', retentionDays, 1);
  const reports: object[] = [];
  const places = await journalPlaces(options.state, options.partition);
  for (const { partition, place } of places) {
    if (options.rebuild) await forgetSnapshots(place);
    const report = await verifyPlace(place, kept);
    reports.push(places.length === 1 ? report : { partition, ...report });
    if (!options.json) printVerification(place, report);
    if (report.problems.length > 0) process.exitCode = 1;
  }
  if (options.json) console.log(JSON.stringify(ofAll(reports), null, 2));
}

/** One report as it is; several below a key. */
function ofAll(reports: readonly object[]): object {
  return reports.length === 1 ? reports[0]! : { partitions: reports };
}

function printVerification(place: JournalPlace, report: JournalVerification): void {
  const { records, frames, segments, snapshots, archived, problems } = report;
  console.log(
    `${placeName(place)}: ${records} records in ${frames} frames, ${segments} ${partsOf(place)} (${archived} archived), ${snapshots} snapshots`,
  );
  for (const { path, problem, unfinished } of problems) {
    console.log(`${unfinished ? 'unfinished' : 'damaged'}: ${path}: ${problem}`);
  }
  if (problems.length === 0) console.log('All of it is whole.');
}

/** Delete files derived from segments. The lock is taken meanwhile: a running gateway would miss the files. */
async function forgetSnapshots(place: JournalPlace): Promise<void> {
  if (place.kind === 'postgres') {
    throw new CrossgateError('XG_USAGE', '--rebuild is for a journal in files: one in PostgreSQL has no snapshots');
  }
  const { directory } = place;
  const absent = await absentSegments(directory);
  if (absent.length > 0) {
    throw new CrossgateError(
      'XG_USAGE',
      `${directory}: ${absentInWords(absent)}: their content in snapshots and indexes cannot be rebuilt, so none was deleted; put the archive back first`,
    );
  }
  const unread = await onlyInSnapshot(directory);
  if (unread !== null) {
    throw new CrossgateError(
      'XG_USAGE',
      `${directory}: the content of an unreadable file in snapshots and indexes cannot be rebuilt, so none was deleted; put that file back from a backup or replica first: ${unread}`,
    );
  }
  const journal = await openJournal({ directory, now: Date.now }).catch((error: unknown) => {
    if (error instanceof CrossgateError && error.code === 'XG_JOURNAL_LOCKED') throw error;
    // This may be the remedy for a journal that cannot be opened.
    return null;
  });
  try {
    const names = readdirSync(directory).filter((name) => /\.xg[sxko]$/.test(name));
    // Snapshots first: one left by a killed command would be trusted without its files.
    names.sort((a, b) => Number(b.endsWith('.xgs')) - Number(a.endsWith('.xgs')));
    for (const name of names) rmSync(join(directory, name));
  } finally {
    if (journal !== null) await closePlace(place, journal);
  }
}

/** Description of a journal. */
function partsOf(place: JournalPlace): string {
  return place.kind === 'embedded' ? 'segments' : 'commits';
}

/** A journal in PostgreSQL has none: its tables are what a snapshot would hold. */
function snapshotInWords(
  place: JournalPlace,
  { snapshotSegment }: { readonly snapshotSegment: number },
): [string, string][] {
  if (place.kind === 'postgres') return [];
  return [['Snapshot', snapshotSegment === 0 ? 'none' : `covers segments up to ${snapshotSegment}`]];
}

async function show({ state, partition: wanted, json }: StateOption): Promise<void> {
  const places = await journalPlaces(state, wanted);
  const reports: object[] = [];
  for (const [nth, { partition, place }] of places.entries()) {
    const inspection = await inspectPlace(place);
    reports.push(places.length === 1 ? inspection : { partition, ...inspection });
    if (json) continue;
    if (nth > 0) console.log('');
    printInspection(place, inspection);
  }
  if (json) console.log(JSON.stringify(ofAll(reports), null, 2));
}

function printInspection(place: JournalPlace, { sessions, ...journal }: JournalInspection): void {
  const parts = partsOf(place);
  console.log(
    formatPairs([
      ['Journal', placeName(place)],
      [
        `${parts[0]!.toUpperCase()}${parts.slice(1)}`,
        `${journal.segments} (${journal.bytes} bytes), ${journal.archived} archived`,
      ],
      ...keptInWords(journal),
      ...snapshotInWords(place, journal),
      ['Open orders and counters', String(journal.orders)],
      ...journal.damage.map(
        ({ sessions: concerned, ...damage }) =>
          [
            'Damage',
            `${placeInWords(damage)}; may concern ${sessionsInWords(concerned) || 'no session known here'}`,
          ] as const,
      ),
      ...sessions
        .filter(({ importBegun }) => importBegun)
        .map(({ sessionId }) => ['Import', importInWords(sessionId)] as const),
      ...journal.notes.map((note) => ['Note', note] as const),
    ]),
  );
  if (sessions.length === 0) return;
  console.log(
    `\n${formatTable(
      [
        { title: 'Session', cell: ({ sessionId }) => sessionId },
        { title: 'Series', cell: ({ numbers }) => String(numbers.series), right: true },
        { title: 'Next out', cell: ({ numbers }) => String(numbers.nextSenderMsgSeqNum), right: true },
        { title: 'Next in', cell: ({ numbers }) => String(numbers.nextTargetMsgSeqNum), right: true },
        { title: 'Proven', cell: ({ provenMsgSeqNum }) => String(provenMsgSeqNum), right: true },
        { title: 'Last counted', cell: ({ countedAt }) => (countedAt === null ? '-' : formatIso(countedAt)) },
      ],
      sessions,
    )}`,
  );
}

/** Why the archive does not receive the files that fill the disk. */
function keptInWords({ kept }: Pick<JournalInspection, 'kept'>): [string, string][] {
  if (kept === undefined) return [];
  const { segments, from, sessions } = kept;
  const [first, ...others] = sessions;
  const whose = others.length === 0 ? first : `${first}, and ${others.length} more sessions,`;
  const why = 'have not begun again since, or reports of then are not proven received';
  return [['Not archived', `${segments}, from ${from} on: the numbers of ${whose} ${why}`]];
}

/** Name of a session's files in QuickFIX's store: `FIX.4.4-GATE-OMS`. */
function quickfixName(sessionId: string): string {
  return sessionId.replace(':', '-').replace('->', '-').replaceAll('/', '_');
}

async function exportSession(options: StateOption & { readonly session: string; readonly to: string }): Promise<void> {
  const place = await onlyPlace(options.state, options.partition);
  const journal = await openPlace(place, options.session, 'export');
  try {
    const sessionIds = [...journal.recovered.sessions.keys()];
    const known = journal.recovered.sessions.get(options.session);
    if (known === undefined) throw unknownSession(options.session, sessionIds);
    const { nextSenderMsgSeqNum, nextTargetMsgSeqNum } = known.numbers;
    const prefix = join(options.to, sessionFileNames(sessionIds, quickfixName).get(options.session)!);
    // A counterparty's messages concern no other.
    makeFolder(options.to);
    const { series } = known.numbers;
    const messages = sentInParts(journal, options.session, { series, from: 1, to: nextSenderMsgSeqNum - 1 });
    const numbers = { nextSenderMsgSeqNum, nextTargetMsgSeqNum };
    const owed = await owedReports(journal, known);
    const count = await writeQuickfixStore(prefix, { ...numbers, messages }, Date.now());
    say(
      options,
      { prefix, ...numbers, messages: count, owed },
      (report) =>
        `${report.prefix}.*: next out ${report.nextSenderMsgSeqNum}, next in ${report.nextTargetMsgSeqNum}, ${report.messages} messages`,
    );
    if (owed > 0) console.error(`crossgate: ${leftBehind(owed)}`);
  } finally {
    await closePlace(place, journal);
  }
}

/** A file store holds one series. */
function leftBehind(owed: number): string {
  const reports = owed === 1 ? '1 report' : `${owed} reports`;
  return `${reports} of numbers that ended before these may not have arrived, and are in none of the files: the next Logon at the gateway of this journal brings them, or the counterparty compares its orders`;
}

function unknownSession(sessionId: string, known: readonly string[]): CrossgateError {
  return new CrossgateError(
    'XG_NOT_FOUND',
    `the journal knows no session ${sessionId}; it knows ${sessionsInWords(known) || 'none'}`,
  );
}

async function daily(
  options: StateOption & SecretTagOptions & { readonly date?: string; readonly to: string },
): Promise<void> {
  const date = options.date ?? formatIso(Date.now() - 86_400_000).slice(0, 10);
  const from = Date.parse(`${date}T00:00:00Z`);
  // A day that no month has is taken for one of the next.
  if (Number.isNaN(from) || formatIso(from).slice(0, 10) !== date) {
    throw new CrossgateError('XG_USAGE', `--date ${date}: write a day as 2026-11-20`);
  }
  if (!existsSync(options.to) || !statSync(options.to).isDirectory()) {
    throw new CrossgateError('XG_USAGE', `there is no folder ${options.to}`);
  }
  const secretTags = await secretTagsOf(options);
  const { files, damage } = await writeDaily(
    await onlyPlace(options.state, options.partition),
    date,
    from,
    options.to,
    secretTags,
  );
  say(options, { date, files, damage: damage.map(placeInWords) }, () =>
    files.length === 0
      ? `There was no ExecutionReport on ${date}.`
      : files.map(({ path, lines }) => `${path}: ${lines} lines`).join('\n'),
  );
  if (damage.length === 0) return;
  for (const place of damage) console.error(`crossgate: reports of ${date} may be missing: ${placeInWords(place)}`);
  process.exitCode = 1;
}

function say<T>({ json }: StateOption, report: T, sentence: (report: T) => string): void {
  console.log(json ? JSON.stringify(report, null, 2) : sentence(report));
}
