// `crossgate log`: reads the journal as a message log, one decoded line per message.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { formatIso } from '../base/time.ts';
import { loadDictionary, toDecodedLine } from '../dictionary/mod.ts';
import { type JournalEntry, readJournal } from '../store/mod.ts';
import { toPrintable, viewOf } from '../wire/mod.ts';

interface LogOptions {
  readonly state: string;
  readonly session?: string;
  readonly type?: string;
  readonly raw?: boolean;
  readonly json?: boolean;
}

interface LoggedMessage {
  readonly at: string;
  readonly direction: 'in' | 'out';
  readonly session: string | null;
  readonly raw: Uint8Array;
  readonly note: string;
}

export function addLogCommand(program: Command): void {
  program
    .command('log')
    .description('print every message of the journal, decoded')
    .option('--state <directory>', 'state directory of the gateway', process.env.CROSSGATE_STATE ?? '.crossgate')
    .option('--session <id>', 'only sessions whose id contains this text')
    .option('--type <msgType>', 'only this MsgType(35)')
    .option('--raw', 'print the bytes, SOH as |')
    .option('--json', 'one JSON object per line')
    .action(run);
}

function messageOf(entry: JournalEntry): LoggedMessage | null {
  const { record } = entry;
  const at = formatIso(entry.at);
  switch (record.kind) {
    case 'inbound':
      return { at, direction: 'in', session: record.sessionId, raw: record.raw, note: '' };
    case 'outbound':
      return { at, direction: 'out', session: record.sessionId, raw: record.raw, note: '' };
    case 'unsequenced':
      return { at, direction: record.direction, session: record.sessionId, raw: record.raw, note: record.note };
    default:
      return null;
  }
}

async function run(options: LogOptions): Promise<void> {
  const file = 'FIX44.xml';
  const dictionary = loadDictionary(await readFile(join('dictionaries', file), 'utf8'), file);
  for await (const entry of readJournal(join(options.state, 'journal'))) {
    const message = messageOf(entry);
    if (message === null) continue;
    if (options.session !== undefined && !(message.session ?? '').includes(options.session)) continue;
    const view = viewOf(message.raw);
    if (options.type !== undefined && view?.msgType !== options.type) continue;
    const printable = toPrintable(message.raw);
    if (options.json) {
      const { at, direction, session, note } = message;
      console.log(JSON.stringify({ at, direction, session, note, msgType: view?.msgType ?? null, message: printable }));
      continue;
    }
    const text = options.raw || view === null ? printable : toDecodedLine(view, dictionary);
    const arrow = message.direction === 'in' ? '→' : '←';
    console.log(`${message.at} ${message.session ?? '-'} ${arrow} ${text}${message.note && ` (${message.note})`}`);
  }
}
