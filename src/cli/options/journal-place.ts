// Where a command finds a journal: in the state directory of a gateway, or in PostgreSQL. One place for all commands that read
// journals, so that each works on both.

import { existsSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import { PARTITIONS_FOLDER, partitionFolder, partitionJournal } from '../../cluster/mod.ts';
import { wholeOps } from '../../ops/mod.ts';
import type { PostgresConfig } from '../../runtime/mod.ts';
import {
  type DamagedPlace,
  giveToOwner,
  importInWords,
  inspectJournal,
  inspectRows,
  type Journal,
  type JournalEntry,
  type JournalInspection,
  type JournalVerification,
  journalsIn,
  openJournal,
  openPostgresJournal,
  placeInWords,
  type RowsPlace,
  readJournal,
  readRowJournal,
  remedyOfPlace,
  verifyJournal,
  verifyRows,
  WITNESS_FILE,
} from '../../store/mod.ts';
import { ReadingCount } from '../output/reading-count.ts';

/** How a journal in PostgreSQL is named on the command line. */
export const POSTGRES_PREFIX = 'postgres:';
const JOURNAL_DEFAULT = 'crossgate';
/** Of a state directory. */
const JOURNAL_FOLDER = 'journal';

/** By how much a clock may have been wrong, ahead or behind, until it was set: records do not lie by their times then. */
export const CLOCK_ERROR_MS_MAX = 86_400_000;

/** For the help of `--state`. */
export const STATE_HELP =
  'state directory of the gateway, or postgres:REFERENCE[,JOURNAL] such as postgres:env:CROSSGATE_POSTGRES_URL';

export type JournalPlace =
  | { readonly kind: 'embedded'; readonly directory: string }
  | { readonly kind: 'postgres'; readonly rows: RowsPlace };

/** An address too, which is none of these and must not be said again: it holds a password. */
export function isPostgres(state: string): boolean {
  return state.startsWith(POSTGRES_PREFIX) || state.startsWith('postgresql:');
}

/** A journal in PostgreSQL as `--state` names it, wherever the command is given. */
export function stateOf(
  { url: { reference }, journal }: Pick<PostgresConfig, 'url' | 'journal'>,
  folder: string,
): string {
  const path = /^file:(.+)$/.exec(reference)?.[1];
  return `${POSTGRES_PREFIX}${path === undefined ? reference : `file:${resolve(folder, path)}`},${journal}`;
}

/** The journal that `--state` names. @throws CrossgateError XG_USAGE, XG_SECRET_MISSING */
export async function journalPlace(state: string): Promise<JournalPlace> {
  mustBeGiven(state);
  if (!isPostgres(state)) return { kind: 'embedded', directory: await journalDirectory(state) };
  const [reference = '', journal = JOURNAL_DEFAULT] = state.slice(POSTGRES_PREFIX.length).split(',');
  if (!/^(env|file):(?!.*:\/\/)./.test(reference)) {
    throw new CrossgateError(
      'XG_USAGE',
      '--state: write postgres:env:NAME or postgres:file:PATH, not the address, which holds a password',
    );
  }
  const { secretReference } = await wholeOps();
  const url = secretReference(reference, process.cwd(), process.env).read();
  return { kind: 'postgres', rows: { url, journal } };
}

/** A journal, and the partition that it is of; null: a gateway in one process. */
interface PartitionPlace {
  readonly partition: string | null;
  readonly place: JournalPlace;
}

/**
 * The journals of a gateway: that of one process, or those of all its partitions.
 * @param partition one of them alone
 * @throws as `journalPlace`
 */
export async function journalPlaces(state: string, partition?: string): Promise<readonly PartitionPlace[]> {
  mustBeGiven(state);
  if (partition !== undefined) return [{ partition, place: await journalPlace(stateOfPartition(state, partition)) }];
  const { own, parts } = await journalsAt(state);
  if (parts.length === 0) return [{ partition: null, place: own ?? (await journalPlace(state)) }];
  if (own === null) {
    const placeOf = async (name: string): Promise<PartitionPlace> => ({
      partition: name,
      place: await journalPlace(stateOfPartition(state, name)),
    });
    return await Promise.all(parts.map(placeOf));
  }
  console.error(
    `crossgate: this is the journal of one process; \`--partition\` names that of a partition: ${parts.join(', ')}`,
  );
  return [{ partition: null, place: own }];
}

/** The only journal of a gateway, or that of one partition. @throws CrossgateError XG_USAGE that names the partitions */
export async function onlyPlace(state: string, partition?: string): Promise<JournalPlace> {
  const [first, ...more] = await journalPlaces(state, partition);
  if (more.length === 0) return first!.place;
  const names = [first!, ...more].map((one) => one.partition).join(', ');
  throw new CrossgateError(
    'XG_USAGE',
    `${state} has a journal for each partition: name one with --partition (${names})`,
  );
}

/** For the help of `--partition`. */
export const PARTITION_HELP = 'one partition of a gateway with workers, or of a cluster';

function stateOfPartition(state: string, partition: string): string {
  if (!isPostgres(state)) return partitionFolder(state, partition);
  const [reference = '', journal = JOURNAL_DEFAULT] = state.split(',');
  return `${reference},${partitionJournal(journal, partition)}`;
}

/** Journals below a place: that of one process, and those of partitions, by their names. */
interface Journals {
  readonly own: JournalPlace | null;
  readonly parts: readonly string[];
}

async function journalsAt(state: string): Promise<Journals> {
  const place = isPostgres(state) ? await journalPlace(state) : null;
  if (place?.kind === 'postgres') {
    const { url, journal } = place.rows;
    const prefix = partitionJournal(journal, '');
    const names = (await journalsIn(url)).map(({ name }) => name);
    const parts = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    return { own: names.includes(journal) ? place : null, parts };
  }
  const directory = await findJournal(state);
  const folder = join(state, PARTITIONS_FOLDER);
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => ((await findJournal(join(folder, name))) === null ? [] : [name])),
  );
  return { own: directory === null ? null : { kind: 'embedded', directory }, parts: found.flat().sort() };
}

/**
 * The journal that a command writes: the one that `--state` and `--partition` name, or that is to begin there.
 * @throws as `journalPlace`, and XG_USAGE if there are several
 */
export async function placeToWrite(state: string, partition?: string): Promise<JournalPlace> {
  mustBeGiven(state);
  const { own, parts } = await journalsAt(state);
  if (partition !== undefined) {
    if (partition.trim() === '') throw new CrossgateError('XG_USAGE', '--partition is empty: name a partition');
    const others = parts.filter((name) => name !== partition);
    // Its first start may be still to come.
    if (others.length > 0 && others.length === parts.length)
      console.error(`crossgate: the journal of partition ${partition} begins here; there are ${parts.join(', ')}`);
    return await placeThere(stateOfPartition(state, partition));
  }
  // A start uses the journal of one process, or those of partitions. The others may be copies from before.
  if (parts.length > 1 || (parts.length === 1 && own !== null)) {
    const what = own === null ? 'a journal for each partition' : 'the journal of one process and those of partitions';
    throw new CrossgateError('XG_USAGE', `${state} has ${what}: name one with --partition (${parts.join(', ')})`);
  }
  return await placeThere(parts[0] === undefined ? state : stateOfPartition(state, parts[0]));
}

async function placeThere(state: string): Promise<JournalPlace> {
  if (isPostgres(state)) return await journalPlace(state);
  return { kind: 'embedded', directory: (await findJournal(state)) ?? join(state, JOURNAL_FOLDER) };
}

/** A variable of a script that is not set would lead to a journal in the folder that one is in. @throws CrossgateError XG_USAGE */
function mustBeGiven(state: string): void {
  if (state.trim() === '') throw new CrossgateError('XG_USAGE', `--state is empty: name a ${STATE_HELP}`);
}

/** @throws CrossgateError XG_USAGE */
async function journalDirectory(state: string): Promise<string> {
  const directory = await findJournal(state);
  if (directory !== null) return directory;
  const { parts } = await journalsAt(state);
  const hint =
    parts.length === 0 ? STATE_HELP : `partition: ${parts.map((one) => partitionFolder(state, one)).join(', ')}`;
  throw new CrossgateError('XG_USAGE', `there is no journal in ${state}: name a ${hint}`);
}

/** The journal folder of a state directory; the directory itself if it holds a journal; null without one. */
async function findJournal(state: string): Promise<string | null> {
  for (const directory of [join(state, JOURNAL_FOLDER), state]) {
    const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
      // It may well be there, but not for this user.
      throw error;
    });
    if (names.some((name) => name.endsWith('.xgj'))) return directory;
  }
  return null;
}

/**
 * Read it as a message log; the gateway may run. Segments finished before `since`, by the clock of that time, may be
 * left out.
 * @throws CrossgateError XG_JOURNAL_CORRUPT without `onDamage`
 */
export function readPlace(
  place: JournalPlace,
  since: EpochMs = 0,
  onDamage?: (place: DamagedPlace) => void,
): AsyncIterable<JournalEntry> {
  return place.kind === 'embedded'
    ? readJournal(place.directory, since, onDamage)
    : readRowJournal(place.rows, since, onDamage);
}

export function inspectPlace(place: JournalPlace): Promise<JournalInspection> {
  return place.kind === 'embedded' ? inspectJournal(place.directory) : inspectRows(place.rows);
}

export async function verifyPlace(
  place: JournalPlace,
  retentionDays: number | null = null,
): Promise<JournalVerification> {
  const count = new ReadingCount('records verified');
  const onRecord = (): void => count.add();
  try {
    if (place.kind === 'postgres') return await verifyRows(place.rows, retentionDays, onRecord);
    const { directory } = place;
    return await verifyJournal(directory, Date.now(), witnessOf(directory), retentionDays, onRecord);
  } finally {
    count.end();
  }
}

/** The note of how far a journal was on disk. A copy beside the journal has none of its own. */
function witnessOf(directory: string): string | null {
  return basename(directory) === JOURNAL_FOLDER ? join(dirname(directory), WITNESS_FILE) : null;
}

/** A writer notes its records, as the gateway does: otherwise a grown copy would pass for the journal (rule J3). */
function ofDirectory(directory: string, purpose: 'import' | 'export'): { directory: string; witness?: string } {
  const witness = witnessOf(directory);
  return purpose === 'export' || witness === null || !existsSync(witness) ? { directory } : { directory, witness };
}

/**
 * Open it for writing on behalf of a session; the gateway must be stopped. Damage that does not concern the session, or that an
 * operator let it go on after, is no hindrance; a part of an import is one for an export.
 * @throws CrossgateError XG_JOURNAL_LOCKED, XG_JOURNAL_CORRUPT
 */
export async function openPlace(
  place: JournalPlace,
  sessionId: string,
  purpose: 'import' | 'export' = 'import',
): Promise<Journal> {
  const journal =
    place.kind === 'embedded'
      ? await openJournal({ ...ofDirectory(place.directory, purpose), now: Date.now, onDamage: 'pass' })
      : await openPostgresJournal(place.rows);
  const damage = journal.recovered.damage?.concerning(sessionId) ?? null;
  const isPart = purpose === 'export' && journal.recovered.sessions.get(sessionId)?.importBegun === true;
  if (damage === null && !isPart) return journal;
  await journal.close();
  if (damage === null) throw new CrossgateError('XG_JOURNAL_CORRUPT', importInWords(sessionId));
  const remedy = `${remedyOfPlace(damage)}, or start the gateway and run \`crossgate sessions open\` once its numbers are agreed on`;
  throw new CrossgateError(
    'XG_JOURNAL_CORRUPT',
    `${placeInWords(damage)}; records of ${sessionId} may be among them: ${remedy}`,
  );
}

/** Close the result of `openPlace`. Files that root made in another user's folder are given to that user. */
export async function closePlace(place: JournalPlace, journal: Journal): Promise<void> {
  await journal.close();
  // Others own the files that they made, and may not look into each folder that is there, such as the lost+found of a
  // disk.
  if (place.kind === 'postgres' || process.getuid?.() !== 0) return;
  const { directory } = place;
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const made = names.filter((name) => !name.startsWith('lost+found'));
  giveToOwner(
    directory,
    made.map((name) => join(directory, name)),
  );
}

/** The place in words, without a secret. */
export function placeName(place: JournalPlace): string {
  if (place.kind === 'embedded') return place.directory;
  return `journal ${place.rows.journal} in PostgreSQL`;
}
