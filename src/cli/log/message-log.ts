// Message logs for commands: opens a file or a journal, whichever is named, and finds the dictionaries to read it with.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { CrossgateError } from '../../base/errors.ts';
import { type DecodedField, type Dictionary, dataFieldsOf, describe, loadDictionary } from '../../dictionary/mod.ts';
import { loadVersions, versionsIn } from '../../engine/mod.ts';
import { type LoggedMessage, logFileText, logText, TextLogReader, type UnreadLines } from '../../replay/mod.ts';
import { type DamagedPlace, placeInWords } from '../../store/mod.ts';
import { DataFields, type MessageView, Tag, toPrintable } from '../../wire/mod.ts';
import { isPostgres, journalPlace, readPlace } from '../options/journal-place.ts';
import { followPlace } from './follow.ts';
import { journalMessages } from './journal-messages.ts';
import { entriesOfOrder, type OrderNames } from './journal-search.ts';

/** The dictionaries that come with the product. */
export const DICTIONARIES = fileURLToPath(new URL('../../../dictionaries/', import.meta.url));

/** BeginString(8) and BodyLength(9). */
const HEAD_BYTES = 40;

/** Dictionary that explains messages of a version without one; FIX.4.4's unless another is nearer. */
const NEAREST: Readonly<Record<string, string>> = { 'FIX.4.0': 'FIX.4.2', 'FIX.4.1': 'FIX.4.2' };

/** Stock dictionaries with every standard message, by BeginString(8); those of 4.2 have all that 4.0 and 4.1 have. */
const STANDARD: Readonly<Record<string, string>> = {
  'FIX.4.0': 'FIX42.xml',
  'FIX.4.1': 'FIX42.xml',
  'FIX.4.2': 'FIX42.xml',
  'FIX.4.3': 'FIX43.xml',
  'FIX.4.4': 'FIX44.xml',
  'FIXT.1.1': 'FIX50SP2.xml',
};

/** Dictionaries by BeginString(8), with the overlays beside them, read when first needed. */
export class LogDictionaries {
  private readonly directory: string;
  private readonly versions: readonly string[];
  private readonly known = new Map<string, readonly Dictionary[]>();
  private readonly standard = new Map<string, Dictionary>();

  constructor(directory: string = DICTIONARIES) {
    this.directory = directory;
    this.versions = versionsIn(directory);
  }

  /** The first that knows a name wins. A near version's where the folder has none of this one. @throws CrossgateError XG_DICTIONARY_INVALID */
  async of(beginString: string): Promise<readonly Dictionary[]> {
    const version = this.versions.includes(beginString) ? beginString : (NEAREST[beginString] ?? 'FIX.4.4');
    const known = this.known.get(version);
    if (known !== undefined) return known;
    const { names } = (await loadVersions(this.directory, [version])).get(version)!;
    this.known.set(version, names);
    return names;
  }

  /**
   * As `of`, with every standard name beside them if they lack one that the message needs: reading those of FIX.5.0SP2 takes
   * 0.4 s. @throws CrossgateError XG_DICTIONARY_INVALID
   */
  async naming(view: MessageView): Promise<readonly Dictionary[]> {
    const own = await this.of(view.beginString);
    if (isNamedBy(own, view)) return own;
    const file = STANDARD[view.beginString] ?? 'FIX44.xml';
    let standard = this.standard.get(file);
    if (standard === undefined) {
      const xmlText = brotliDecompressSync(await readFile(join(DICTIONARIES, 'standard', `${file}.br`))).toString();
      standard = loadDictionary(xmlText, file);
      this.standard.set(file, standard);
    }
    // Our lists of MsgType(35) name some messages of earlier versions as later ones do.
    return own.some(({ messages }) => messages.has(view.msgType)) ? [...own, standard] : [standard, ...own];
  }

  /** Where SOH may stand in a value and where groups end, in every version. @throws CrossgateError XG_DICTIONARY_INVALID */
  async dataFields(): Promise<DataFields> {
    const all: Dictionary[] = [];
    for (const version of this.versions) {
      try {
        all.push(...(await this.of(version)));
      } catch (error) {
        // A house has the versions that it speaks; a message of another one fails when it is explained.
        if (!(error instanceof CrossgateError && isMissing(error.cause))) throw error;
      }
    }
    return dataFieldsOf(all);
  }
}

/** Whether the dictionaries have the message, for its groups, and a name for each of its fields. */
function isNamedBy(dictionaries: readonly Dictionary[], view: MessageView): boolean {
  if (!dictionaries.some(({ messages }) => messages.has(view.msgType))) return false;
  for (let i = 0; i < view.fieldCount; i++) {
    const tag = view.tagAt(i);
    if (dictionaries.every(({ fields }) => !fields.has(tag))) return false;
  }
  return true;
}

/** A message's fields for people; of one that was cut, those that its log has: BodyLength(9) as it stands, no CheckSum(10). */
export function describedFields(
  { view, asLogged }: LoggedMessage,
  dictionaries: readonly Dictionary[],
): DecodedField[] {
  if (view === null) return [];
  const fields = describe(view, dictionaries);
  if (asLogged === undefined) return fields;
  const [, second = ''] = toPrintable(asLogged.subarray(0, HEAD_BYTES)).split('|');
  const stated = /^9=(\d{1,7})$/.exec(second)?.[1];
  return fields.flatMap((field) => {
    if (field.tag === Tag.CheckSum) return [];
    if (field.tag !== Tag.BodyLength) return [field];
    return stated === undefined ? [] : [{ ...field, value: stated }];
  });
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}

/**
 * All messages of a log file, or of the journal that a state names, in order. Damaged places are reported, skipped, and
 * fail the command unless it has its own exit code; `unread` takes them in words.
 * @throws CrossgateError XG_USAGE
 */
export async function* readMessageLog(
  file: string | undefined,
  state: string,
  dataFields: DataFields = DataFields.STANDARD,
  unread: string[] = [],
): AsyncGenerator<LoggedMessage> {
  const place = file ?? state;
  if (file === '-') {
    yield* readText('standard input', (tellCut) => logText(process.stdin, tellCut), dataFields, unread);
    return;
  }
  const found = isPostgres(place) ? null : await stat(place).catch(() => null);
  // Without a file the journal is meant; its errors name the alternatives.
  if (found === null && file !== undefined && !isPostgres(place))
    throw new CrossgateError('XG_USAGE', `there is no ${place}`);
  if (found === null || found.isDirectory()) {
    const journal = await journalPlace(place);
    const tell = (damaged: DamagedPlace): void => void unread.push(tellDamage(damaged));
    yield* journalMessages(readPlace(journal, 0, tell), dataFields);
    return;
  }
  yield* readText(place, (tellCut) => logFileText(place, tellCut), dataFields, unread);
}

/**
 * The messages of a journal that name an order, the oldest first. Null where a file of text is named, which has no index.
 * @throws CrossgateError XG_USAGE
 */
export async function messagesOfOrder(
  file: string | undefined,
  state: string,
  dataFields: DataFields,
  names: OrderNames,
): Promise<AsyncGenerator<LoggedMessage> | null> {
  const place = file ?? state;
  if (file === '-') return null;
  if (!isPostgres(place) && (await stat(place).catch(() => null))?.isFile() === true) return null;
  const tell = (text: string): void => {
    console.error(`crossgate: messages may be missing: ${text}`);
    process.exitCode = 1;
  };
  return journalMessages(entriesOfOrder(await journalPlace(place), names, tell), dataFields);
}

/**
 * All messages of the journal that a state names, and those that come, until a signal.
 * @throws CrossgateError XG_USAGE
 */
export async function* followMessageLog(
  file: string | undefined,
  state: string,
  dataFields: DataFields,
): AsyncGenerator<LoggedMessage> {
  const place = file ?? state;
  if (!isPostgres(place) && (await stat(place).catch(() => null))?.isDirectory() !== true) {
    throw new CrossgateError(
      'XG_USAGE',
      `--follow is for the journal of a gateway, and ${place} is none: \`crossgate decode --follow\` follows a text`,
    );
  }
  yield* journalMessages(followPlace(await journalPlace(place), tellDamage), dataFields);
}

async function* readText(
  place: string,
  textOf: (tellCut: (why: string) => void) => AsyncIterable<string>,
  dataFields: DataFields,
  unread: string[],
): AsyncGenerator<LoggedMessage> {
  const reader = new TextLogReader(dataFields);
  const damage: string[] = [];
  for await (const chunk of textOf((why) => damage.push(why))) yield* reader.push(chunk);
  yield* reader.end();
  unread.push(...sayMissing(place, damage, reader.unread));
}

/**
 * All messages of several logs, such as one per direction, as if they were one: by their times; of the same time, those of the
 * place named first come first. A message without a time stays behind the one before it. `-` is standard input. @throws CrossgateError XG_USAGE
 */
export async function* readMessageLogs(
  files: readonly string[],
  state: string,
  dataFields: DataFields,
  unread: string[] = [],
): AsyncGenerator<LoggedMessage> {
  if (files.filter((file) => file === '-').length > 1) throw new CrossgateError('XG_USAGE', '- may be named once');
  const logs = (files.length === 0 ? [undefined] : files).map((file) =>
    readMessageLog(file, state, dataFields, unread),
  );
  const heads: { readonly log: (typeof logs)[number]; message: LoggedMessage; at: number }[] = [];
  for (const log of logs) {
    const { value } = await log.next();
    if (value) heads.push({ log, message: value, at: value.at ?? Number.NEGATIVE_INFINITY });
  }
  while (heads.length > 0) {
    const head = heads.reduce((earliest, each) => (each.at < earliest.at ? each : earliest));
    yield head.message;
    const { value } = await head.log.next();
    if (value) {
      head.message = value;
      head.at = value.at ?? head.at;
    } else heads.splice(heads.indexOf(head), 1);
  }
}

function tellDamage(place: DamagedPlace): string {
  const text = `messages may be missing: ${placeInWords(place)}`;
  console.error(`crossgate: ${text}`);
  process.exitCode = 1;
  return text;
}

/**
 * Report the unread parts of a text, and where they stand: damage of a compressed file, lines with FIX, cut messages. Each is a
 * failure of the command, because something is missing. @returns them, `file:line: why` for lines
 */
export function sayMissing(place: string, damage: readonly string[], unread: UnreadLines, told = 0): string[] {
  const { summary } = unread;
  const lines = (summary === null ? damage : [...damage, summary]).map((reason) => `${place}: ${reason}`);
  const places = unread.placesIn(place);
  for (const line of [...lines, ...places.slice(told)]) console.error(`${line}.`);
  if (lines.length > 0) process.exitCode = 1;
  return [...lines, ...places];
}
