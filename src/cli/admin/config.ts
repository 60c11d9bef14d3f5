// `crossgate config …`: what the files would change in a running gateway and from when on, taking it over, the versions that counted,
// and the way back to one of them.

import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { terminalLines } from '../../base/terminal-text.ts';
import { formatIso } from '../../base/time.ts';
import {
  type ApplyReport,
  type ConfigurationPreview,
  type ConfigurationVersion,
  formatFindings,
  formatProblems,
  type SettingChange,
  wholeOps,
} from '../../ops/mod.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { type Column, formatTable } from '../output/table.ts';
import { shown, withWatch } from '../output/watch.ts';
import { type AdminClientOptions, askGateway, isProposal, tell, understood, withAdminOptions } from './admin-client.ts';

interface WhyOptions extends AdminClientOptions {
  readonly why?: string;
}

/** Status of an answer that says: nothing was changed. */
const NOT_USED = 422;

const CHANGES: readonly Column<SettingChange>[] = [
  { title: 'OF', cell: ({ of }) => of },
  { title: 'COUNTS', cell: ({ counts }) => (counts === 'now' ? 'now' : `at the ${counts}`) },
  { title: 'SETTING', cell: ({ key }) => key },
  { title: 'BEFORE', cell: ({ before }) => before ?? '-' },
  { title: 'AFTER', cell: ({ after }) => after ?? '-' },
];

const VERSIONS: readonly Column<ConfigurationVersion>[] = [
  { title: 'VERSION', cell: ({ version }) => String(version), right: true },
  { title: 'AT (UTC)', cell: ({ at }) => formatIso(at).slice(0, 19).replace('T', ' ') },
  { title: 'WHO', cell: ({ who }) => who },
  { title: 'WHY', cell: ({ why }) => (why === '' ? '-' : why) },
  { title: 'FILES', cell: ({ changed }) => changed.join(' ') },
];

export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('configuration of a running gateway');
  withAdminOptions(
    config
      .command('diff')
      .description('show the changes that the files would make to each session, and from when on; changes nothing'),
  ).action(understood(diff));
  withAdminOptions(
    config
      .command('apply')
      .description(
        'take changed session files, certificates and tokens over without a restart; with a problem, nothing',
      ),
  )
    .option('--why <text>', 'reason, for the history and the audit trail')
    .action(understood(apply));
  withWatch(
    withAdminOptions(
      config.command('history').description('every version that counted, with who took it over and why'),
    ),
  ).action(understood(shown(history)));
  config
    .command('schema')
    .description('print the JSON Schema of a configuration file, so that editors complete it')
    .argument('<file>', 'gateway, session or defaults')
    .action(schema);
  withAdminOptions(
    config
      .command('rollback')
      .description('put the files of an earlier version back and apply them; with a problem, nothing')
      .argument('<version>', 'number in the history'),
  )
    .requiredOption('--why <text>', 'reason, for the history and the audit trail')
    .action(understood(rollback));
}

async function schema(file: string): Promise<void> {
  const { PUBLISHED, publishedSchema } = await wholeOps();
  const found = PUBLISHED.find((one) => one === file);
  if (found === undefined)
    throw new CrossgateError('XG_USAGE', `there is no schema of ${file}: write one of ${PUBLISHED.join(', ')}`);
  process.stdout.write(publishedSchema(found));
}

async function diff(options: AdminClientOptions): Promise<void> {
  const { problems, changes } = await askGateway<ConfigurationPreview>(options, 'GET', '/api/configuration/diff');
  if (problems.length > 0) process.exitCode = 1;
  if (options.json) console.log(JSON.stringify({ problems, changes }, null, 2));
  else if (problems.length > 0) console.error(terminalLines(`Nothing would be changed.\n${formatProblems(problems)}`));
  else console.log(changes.length === 0 ? 'Nothing is to be changed.' : formatTable(CHANGES, changes));
}

async function apply(options: WhyOptions): Promise<void> {
  const body = options.why === undefined ? undefined : { why: options.why };
  const answers = { answers: [NOT_USED] };
  say(await askGateway<ApplyReport>(options, 'POST', '/api/configuration/apply', body, answers), options);
}

async function rollback(version: string, options: WhyOptions): Promise<void> {
  const body = { version: wholeNumber('<version>', version, 1), why: options.why };
  const answers = { answers: [NOT_USED] };
  say(await askGateway<ApplyReport>(options, 'POST', '/api/configuration/rollback', body, answers), options);
}

async function history(options: AdminClientOptions): Promise<string> {
  const path = '/api/configuration/versions';
  const { versions } = await askGateway<{ versions: ConfigurationVersion[] }>(options, 'GET', path);
  return options.json ? JSON.stringify({ versions }, null, 2) : formatTable(VERSIONS, versions);
}

function say(report: ApplyReport, options: AdminClientOptions): void {
  if (isProposal(report)) {
    tell(report, options);
    return;
  }
  if (!report.ok) process.exitCode = 1;
  if (options.json) {
    console.log(JSON.stringify(report, null, 2));
    return;
  }
  if (report.warnings.length > 0) console.error(`Allowed, but look at it:\n${formatFindings(report.warnings)}`);
  if (!report.ok) console.error(terminalLines(report.text));
  else {
    tell(report, options);
    if (report.version !== null) console.log(`Kept as version ${report.version} (\`crossgate config history\`).`);
  }
}
