// `crossgate decode`: FIX out of any text, field by field, for people and scripts. Finding messages in text is the replay
// room's, names and meanings are the dictionary's; this file reads and prints.

import { stat } from 'node:fs/promises';
import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { terminalText } from '../../base/terminal-text.ts';
import { formatIso } from '../../base/time.ts';
import type { DecodedField, Dictionary } from '../../dictionary/mod.ts';
import { followedText, type LoggedMessage, logFileText, logText, TextLogReader } from '../../replay/mod.ts';
import { toRedacted } from '../../wire/mod.ts';
import { SECRET_TAGS, SECRET_TAGS_OF, type SecretTagOptions, secretTagsOf } from '../options/secret-tags.ts';
import { endWithReader, printLine } from '../output/exit.ts';
import { describedFields, LogDictionaries, sayMissing } from './message-log.ts';

interface DecodeOptions extends SecretTagOptions {
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly color?: boolean;
  readonly dictionaries?: string;
}

const Colour = { Name: '\u001b[36m', Faint: '\u001b[2m', Strong: '\u001b[1m', Off: '\u001b[0m' } as const;

export function addDecodeCommand(program: Command): void {
  program
    .command('decode')
    .description('decode the FIX messages in a file or on standard input, one field per line, groups indented')
    .argument(
      '[file]',
      'any text with FIX in it, compressed (gzip, zstd, zip) or not, or a network capture; without it standard input',
    )
    .option('--json', 'one JSON object per message and line')
    .option('-f, --follow', 'wait for more at the end of the file, as `tail -f` does')
    .option('--dictionaries <directory>', 'dictionaries to explain fields with, overlays beside them, instead of ours')
    .option(...SECRET_TAGS)
    .option(...SECRET_TAGS_OF)
    .option('--no-color', 'plain text on a terminal too')
    .action(run);
}

async function run(file: string | undefined, options: DecodeOptions): Promise<void> {
  endWithReader();
  // NO_COLOR counts when it is there and not empty (no-color.org).
  const plain = options.color === false || (process.env.NO_COLOR ?? '') !== '' || !process.stdout.isTTY;
  const dictionaries = new LogDictionaries(options.dictionaries);
  const reader = new TextLogReader((await dictionaries.dataFields()).withSecrets(await secretTagsOf(options)));
  let found = 0;
  const print = async (messages: readonly LoggedMessage[]): Promise<void> => {
    for (const message of messages) {
      found++;
      const known = message.view === null ? [] : await dictionaries.naming(message.view);
      await printLine(options.json ? JSON.stringify(jsonOf(message, known)) : textOf(message, known, !plain));
    }
  };
  let told = 0;
  const damage: string[] = [];
  const place = file ?? 'the input';
  for await (const chunk of await textIn(file, options.follow ?? false, (why) => damage.push(why))) {
    await print(reader.push(chunk));
    // A followed file has no end at which to report the count.
    if (!options.follow) continue;
    const places = reader.unread.placesIn(place);
    for (const where of places.slice(told)) console.error(`${where}.`);
    told = places.length;
  }
  await print(reader.end());
  sayMissing(place, damage, reader.unread, told);
  if (found > 0) return;
  console.error(`There is no FIX message in ${place}.`);
  process.exitCode = 1;
}

/** The text; without end if it is followed. @throws CrossgateError XG_USAGE if there is no such file */
async function textIn(
  file: string | undefined,
  follow: boolean,
  tellCut: (why: string) => void,
): Promise<AsyncGenerator<string>> {
  if (file === undefined || file === '-') return logText(process.stdin, tellCut);
  const found = await stat(file).catch(() => null);
  if (found === null) throw new CrossgateError('XG_USAGE', `there is no file ${file}`);
  if (found.isDirectory()) {
    const what = `${file} is a folder: name a file in it, or \`crossgate log ${file}\` for the state directory of a gateway`;
    throw new CrossgateError('XG_USAGE', what);
  }
  return follow ? followedText(file) : logFileText(file, tellCut);
}

function textOf(message: LoggedMessage, dictionaries: readonly Dictionary[], coloured: boolean): string {
  const paint = (colour: string, text: string): string => (coloured ? `${colour}${text}${Colour.Off}` : text);
  const { view, at } = message;
  const note = message.note === '' ? '' : ` (${terminalText(message.note)})`;
  if (view === null)
    return `${paint(Colour.Strong, 'not a message')}${note}: ${toRedacted(message.asLogged ?? message.raw)}\n`;
  const name = nameOf(view.msgType, dictionaries) ?? `MsgType=${terminalText(view.msgType)}`;
  const time = at === null ? '' : `  ${formatIso(at)}`;
  const lines = describedFields(message, dictionaries).map((field) => {
    const entry = field.entry === 0 ? '' : `${field.entry}.`;
    const indent = '  '.repeat(field.depth) + (field.depth === 0 ? '' : entry.padEnd(4));
    const meaning = field.meaning === null ? '' : ` ${paint(Colour.Faint, field.meaning)}`;
    const tag = paint(Colour.Faint, String(field.tag).padStart(5));
    return `${tag} ${indent}${paint(Colour.Name, field.name)} = ${terminalText(field.value)}${meaning}`;
  });
  return `${paint(Colour.Strong, name)}${paint(Colour.Faint, time)}${note}\n${lines.join('\n')}\n`;
}

function jsonOf(message: LoggedMessage, dictionaries: readonly Dictionary[]): unknown {
  const { view, at, note, raw, asLogged } = message;
  return {
    at: at === null ? null : formatIso(at),
    msgType: view?.msgType ?? null,
    name: view === null ? null : nameOf(view.msgType, dictionaries),
    fields: describedFields(message, dictionaries).map(fieldJson),
    ...(message.isCutShort ? { isCutShort: true } : {}),
    note,
    message: toRedacted(asLogged ?? raw),
  };
}

function fieldJson({ tag, name, value, meaning, depth, entry }: DecodedField): unknown {
  return { tag, name, value, meaning, depth, entry };
}

function nameOf(msgType: string, dictionaries: readonly Dictionary[]): string | null {
  return dictionaries.map((each) => each.messageName(msgType)).find((name) => name !== null) ?? null;
}
