// `crossgate config apply`: a running gateway takes changed session files over, or says why it does not.

import process from 'node:process';
import type { Command } from 'commander';
import { terminalLines } from '../../base/terminal-text.ts';
import { type ApplyReport, formatFindings } from '../../ops/mod.ts';
import { type AdminClientOptions, askGateway, isProposal, tell, understood, withAdminOptions } from './admin-client.ts';

/** Status of an answer that says: nothing was changed. */
const NOT_USED = 422;

export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('configuration of a running gateway');
  withAdminOptions(
    config
      .command('apply')
      .description(
        'take changed session files, certificates and tokens over without a restart; with a problem, nothing',
      ),
  ).action(understood(apply));
}

async function apply(options: AdminClientOptions): Promise<void> {
  const report = await askGateway<ApplyReport>(options, 'POST', '/api/configuration/apply', undefined, {
    answers: [NOT_USED],
  });
  if (isProposal(report)) return tell(report, options);
  if (!report.ok) process.exitCode = 1;
  if (options.json) {
    console.log(JSON.stringify(report, null, 2));
    return;
  }
  if (report.warnings.length > 0) console.error(`Allowed, but look at it:\n${formatFindings(report.warnings)}`);
  if (report.ok) tell(report, options);
  else console.error(terminalLines(report.text));
}
