// `crossgate news send|planned|withdraw`: News(B) to counterparties of a running gateway, and the stop that it announces.

import type { Command } from 'commander';
import { formatIso } from '../../base/time.ts';
import type { ActionResult } from '../../engine/mod.ts';
import type { PlannedStop } from '../../gateway/mod.ts';
import { shown, withWatch } from '../output/watch.ts';
import { type AdminClientOptions, askGateway, tell, understood, withAdminOptions } from './admin-client.ts';

interface SendOptions extends AdminClientOptions {
  readonly session?: readonly string[];
  readonly headline: string;
  readonly text?: string;
  readonly flash?: boolean;
  readonly stopAt?: string;
}

export function addNewsCommands(program: Command): void {
  const group = program.command('news').description('send News(B) to counterparties of a running gateway');
  withAdminOptions(group.command('send').description('to all sessions that are logged on, or to some'))
    .option('--session <name...>', 'only to these sessions')
    .requiredOption('--headline <text>', 'Headline(148)')
    .option('--text <text>', 'Text(58); the headline, if absent')
    .option('--flash', 'Urgency(61)=1')
    .option('--stop-at <time>', 'time of a planned stop (UTC): the News goes again before it, and after each Logon')
    .action(understood(send));
  withWatch(withAdminOptions(group.command('planned').description('the planned stop that is announced'))).action(
    understood(shown(planned)),
  );
  withAdminOptions(group.command('withdraw').description('the planned stop does not take place: tell its receivers'))
    .requiredOption('--why <text>', 'reason, for the audit trail')
    .action(
      understood(async (options: AdminClientOptions & { readonly why: string }) => {
        tell(await askGateway<ActionResult>(options, 'POST', '/api/news/withdraw', { why: options.why }), options);
      }),
    );
}

async function send(options: SendOptions): Promise<void> {
  const { session: sessions = [], headline, text = '', flash, stopAt } = options;
  const urgency = flash === true ? '1' : '0';
  const body = { sessions, headline, text, urgency, ...(stopAt === undefined ? {} : { stopAt }) };
  tell(await askGateway<ActionResult>(options, 'POST', '/api/news', body), options);
}

async function planned(options: AdminClientOptions): Promise<string> {
  const answer = await askGateway<{ plannedStop: PlannedStop | null }>(options, 'GET', '/api/news');
  if (options.json) return JSON.stringify(answer, null, 2);
  const { plannedStop } = answer;
  if (plannedStop === null) return 'no stop is planned';
  const { stopAt, headline, text, sessionIds } = plannedStop;
  const to = sessionIds === null ? 'all sessions' : sessionIds.join(' ');
  return `${formatIso(stopAt)} to ${to}: ${headline}${text === '' ? '' : `: ${text}`}`;
}
