// `crossgate sessions import`: session files from a QuickFIX settings file, with a report on every key. The ops room
// interprets keys; this file writes and prints.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { type CfgSession, formatProblems, type SettingReport, wholeOps } from '../../ops/mod.ts';
import { SESSIONS_DEFAULT } from '../options/environment.ts';
import { writeNewFiles } from '../output/new-files.ts';
import { type Column, formatTable } from '../output/table.ts';

interface ImportOptions {
  readonly out: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const COLUMNS: readonly Column<SettingReport>[] = [
  { title: 'LINE', cell: ({ line }) => String(line), right: true },
  { title: 'SETTING', cell: ({ key, value }) => `${key}=${value}` },
  { title: '', cell: ({ kind }) => kind },
  { title: 'HERE', cell: ({ text }) => text },
];

/** Settings that a session here needs and a FIX engine's file lacks, as comments to fill in. */
const MISSING: Readonly<Record<string, string>> = {
  accounts: '# The accounts that it may trade (required):\n# accounts:\n#   - account: "111000000000001"\n',
  limits:
    '# Risk limits (required):\n# limits:\n#   orderQtyMax: "100"\n#   notionalMax: "5000000"\n#   openOrdersMax: 200\n#   priceBandPercent: "20"\n',
};
const PASSWORD = '# password: file:secrets/NAME.password\n';
const OF_ACCEPTOR = `# Password(554), by reference (required unless it logs on by signature or certificate):\n${PASSWORD}`;
const OF_INITIATOR = `# Password(554) to be sent, by reference, if the counterparty wants one:\n${PASSWORD}`;

export function addSessionImportCommand(sessions: Command): void {
  sessions
    .command('import <file>')
    .description('write session files out of a QuickFIX settings file (C++, /J, /n, Go), with a report per setting')
    .option('--out <folder>', 'where the session files go', SESSIONS_DEFAULT)
    .option('--force', 'replace session files that are there')
    .option('--json', 'as JSON')
    .action(run);
}

async function run(file: string, options: ImportOptions): Promise<void> {
  const bytes = await readFile(file).catch((cause: Error) => {
    throw new CrossgateError('XG_USAGE', `${file} could not be read: ${cause.message}`, { cause });
  });
  const { checkedReports, readCfgBytes } = await wholeOps();
  const { sessions, problems } = readCfgBytes(bytes, file);
  const all = [...problems, ...sessions.flatMap(({ file: { problems: own } }) => own)];
  if (all.length > 0) {
    // Nothing is written: a session without a setting that was meant is another session.
    if (options.json) console.log(JSON.stringify({ problems: all, sessions: [] }, null, 2));
    else console.error(formatProblems(all));
    process.exitCode = 1;
    return;
  }
  const pathOf = ({ name }: CfgSession): string => join(options.out, `${name}.yaml`);
  // Read only now: the commands beside this one write no YAML.
  const { stringify } = await import('yaml');
  const textOf = ({ file: { values } }: CfgSession): string => stringify(values, { aliasDuplicateObjects: false });
  const files = sessions.map((session) => [pathOf(session), sessionFile(session, textOf(session), file)] as const);
  await writeNewFiles(options.out, files, options.force ?? false);
  const reports = checkedReports(sessions);
  const written = sessions.map((session, at) => ({
    name: session.name,
    file: pathOf(session),
    settings: reports[at]!,
  }));
  // The files are there to be corrected, and a script must notice that a session is less secure.
  if (reports.flat().some(({ caution }) => caution === 'error')) process.exitCode = 1;
  if (options.json) {
    console.log(JSON.stringify({ problems: [], sessions: written }, null, 2));
    return;
  }
  for (const { file: path, settings } of written) console.log(`${path}\n${formatTable(COLUMNS, settings)}\n`);
  const cautions = reports.flat().filter(({ caution }) => caution !== undefined);
  const lines = cautions.map(({ line, key, caution, text }) => `${file}:${line}: security ${caution}: ${key}: ${text}`);
  for (const line of new Set(lines)) console.error(line);
  console.log(
    'Now add the parts that such a file lacks (accounts, limits, the password’s file), then: crossgate check',
  );
}

function sessionFile({ name, file: { values } }: CfgSession, written: string, from: string): string {
  // A template with one secret for all would let each counterparty log on as any other.
  const secret = values.template === true ? '{compID}' : name;
  const lines = { ...MISSING, password: values.role === 'initiator' ? OF_INITIATOR : OF_ACCEPTOR };
  const missing = Object.entries(lines).flatMap(([key, text]) =>
    values[key] === undefined ? [`\n${text.replace('NAME', secret)}`] : [],
  );
  return `# Imported from ${from}.\n\n${written}${missing.join('')}`;
}
