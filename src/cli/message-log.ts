// Message logs for commands: opens a file or a journal, whichever is named, and finds the dictionaries to read it with.

import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CrossgateError } from '../base/errors.ts';
import { type Dictionary, loadDictionary } from '../dictionary/mod.ts';
import { type LoggedMessage, loggedMessage, TextLogReader } from '../replay/mod.ts';
import { type JournalEntry, readJournal } from '../store/mod.ts';
import { FrameWriter, MessageDraft } from '../wire/mod.ts';

/** The dictionaries that come with the product. */
export const DICTIONARIES = fileURLToPath(new URL('../../dictionaries/', import.meta.url));

/** Dictionary files of a BeginString(8); the first that knows a name wins. */
const DICTIONARY_FILES: Readonly<Record<string, readonly string[]>> = {
  'FIX.4.0': ['FIX42.xml'],
  'FIX.4.1': ['FIX42.xml'],
  'FIX.4.2': ['FIX42.xml'],
  'FIXT.1.1': ['FIX50SP2.xml', 'FIXT11.xml'],
};

/** Dictionaries by BeginString(8), read when first needed. FIX.4.4's for versions of which there is none. */
export class LogDictionaries {
  private readonly files = new Map<string, Dictionary>();

  async of(beginString: string): Promise<readonly Dictionary[]> {
    const dictionaries: Dictionary[] = [];
    for (const file of DICTIONARY_FILES[beginString] ?? ['FIX44.xml']) {
      let dictionary = this.files.get(file);
      if (dictionary === undefined) {
        dictionary = loadDictionary(await readFile(join(DICTIONARIES, file), 'utf8'), file);
        this.files.set(file, dictionary);
      }
      dictionaries.push(dictionary);
    }
    return dictionaries;
  }
}

/** The journal folder of a state directory; the directory itself if it holds a journal. @throws CrossgateError XG_USAGE */
export async function journalDirectory(state: string): Promise<string> {
  for (const directory of [join(state, 'journal'), state]) {
    const names = await readdir(directory).catch(() => []);
    if (names.some((name) => name.endsWith('.xgj'))) return directory;
  }
  throw new CrossgateError('XG_USAGE', `there is no journal in ${state}; name a state directory or a log file`);
}

/** All messages of a log file, or of the journal in a state directory, in order. @throws CrossgateError XG_USAGE */
export async function* readMessageLog(file: string | undefined, state: string): AsyncGenerator<LoggedMessage> {
  const place = file ?? state;
  const found = await stat(place).catch(() => null);
  if (found === null) throw new CrossgateError('XG_USAGE', `there is no ${place}`);
  if (found.isDirectory()) {
    for await (const entry of readJournal(await journalDirectory(place))) {
      const message = messageOf(entry);
      if (message !== null) yield message;
    }
    return;
  }
  const reader = new TextLogReader();
  for await (const chunk of createReadStream(place, 'latin1')) yield* reader.push(chunk as string);
  yield* reader.end();
}

/** Market data is counted and not kept: what the journal knows of such a message, as a frame. */
function headerOf({ sessionId, msgSeqNum, msgType }: NumberedRecord, sendingTime: number): Buffer {
  const [, beginString = '', senderCompID = '', targetCompID = ''] = /^([^:]*):(.*?)->(.*)$/.exec(sessionId) ?? [];
  const comp = (party: string): string => party.split('/')[0]!;
  const header = { beginString, senderCompID: comp(senderCompID), targetCompID: comp(targetCompID), msgSeqNum };
  return new FrameWriter().encode({ ...header, sendingTime }, new MessageDraft(msgType));
}

type NumberedRecord = Extract<JournalEntry['record'], { kind: 'outbound' }>;

function messageOf({ at, record }: JournalEntry): LoggedMessage | null {
  switch (record.kind) {
    case 'outbound':
      if (record.raw.length === 0) {
        const note = 'only its number is kept';
        return loggedMessage(headerOf(record, at), { at, session: record.sessionId, counted: true, note });
      }
      return loggedMessage(record.raw, { at, session: record.sessionId, counted: true, note: '' });
    case 'inbound':
      return loggedMessage(record.raw, { at, session: record.sessionId, counted: true, note: '' });
    case 'unsequenced':
      return loggedMessage(record.raw, { at, session: record.sessionId, counted: false, note: record.note });
    default:
      return null;
  }
}
