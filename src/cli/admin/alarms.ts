// `crossgate alarms list|history|acknowledge|silence|silences|unsilence`: the alarms of a running gateway, and those that
// operators keep from being sent for a while.

import type { Command } from 'commander';
import { formatIso } from '../../base/time.ts';
import type { OpenAlarm, Silence } from '../../ops/mod.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { type Column, formatTable } from '../output/table.ts';
import { shown, withWatch } from '../output/watch.ts';
import { type AdminClientOptions, askGateway, tell, understood, withAdminOptions } from './admin-client.ts';

interface WhyOptions extends AdminClientOptions {
  readonly why: string;
}

interface SilenceOptions extends WhyOptions {
  readonly session?: string;
  readonly minutes: string;
}

interface HistoryOptions extends AdminClientOptions {
  readonly limit: string;
}

/** An alarm as it was raised. */
interface RaisedAlarm {
  readonly at: number;
  readonly alarm: string;
  readonly severity: string;
  readonly text: string;
  readonly runbook: string | null;
}

const time = (at: number): string => formatIso(at).slice(0, 19).replace('T', ' ');

const OPEN: readonly Column<OpenAlarm>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'SEVERITY', cell: ({ severity, isEscalated }) => `${severity}${isEscalated ? ' (escalated)' : ''}` },
  { title: 'ALARM', cell: ({ alarm }) => alarm },
  { title: 'TIMES', cell: ({ count }) => `${count}`, right: true },
  { title: 'LAST (UTC)', cell: ({ lastAt }) => time(lastAt) },
  { title: 'SENT', cell: sentOf },
  { title: 'TEXT', cell: ({ text }) => text },
];

const RAISED: readonly Column<RaisedAlarm>[] = [
  { title: 'AT (UTC)', cell: ({ at }) => time(at) },
  { title: 'SEVERITY', cell: ({ severity }) => severity },
  { title: 'ALARM', cell: ({ alarm }) => alarm },
  { title: 'TEXT', cell: ({ text }) => text },
];

const SILENCES: readonly Column<Silence>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'ALARM', cell: ({ alarm }) => alarm },
  { title: 'SESSION', cell: ({ session }) => session ?? '-' },
  { title: 'UNTIL (UTC)', cell: ({ until }) => time(until) },
  { title: 'BY', cell: ({ by }) => by },
  { title: 'WHY', cell: ({ why }) => why },
];

export function addAlarmCommands(program: Command): void {
  const group = program.command('alarms').description('alarms of a running gateway: look, acknowledge, silence');
  withWatch(withAdminOptions(group.command('list').description('the open alarms, the latest first'))).action(
    understood(shown(list)),
  );
  withWatch(withAdminOptions(group.command('history').description('the alarms that were raised, the latest first')))
    .option('--limit <n>', 'at most so many', '50')
    .action(understood(shown(history)));
  withAdminOptions(group.command('acknowledge <id>').description('send no more of an open alarm unless it escalates'))
    .requiredOption('--why <text>', 'reason, for the audit trail')
    .action(understood(acknowledge));
  withAdminOptions(group.command('silence <alarm>').description('send no alarm of this name for a while'))
    .option('--session <name>', 'only those about this session')
    .requiredOption('--minutes <n>', 'for how long; at most a week, 10080')
    .requiredOption('--why <text>', 'reason, for the audit trail')
    .action(understood(silence));
  withWatch(withAdminOptions(group.command('silences').description('the silences that are on'))).action(
    understood(shown(silences)),
  );
  withAdminOptions(group.command('unsilence <id>').description('end a silence'))
    .option('--why <text>', 'reason, for the audit trail', '')
    .action(understood(unsilence));
}

function sentOf({ acknowledged, silencedUntil }: OpenAlarm): string {
  if (acknowledged !== null) return `acknowledged by ${acknowledged.by}`;
  return silencedUntil === null ? 'yes' : `silenced until ${time(silencedUntil).slice(11, 16)}`;
}

async function list(options: AdminClientOptions): Promise<string> {
  const answer = await askGateway<{ alarms: OpenAlarm[] }>(options, 'GET', '/api/alarms/open');
  if (options.json) return JSON.stringify(answer, null, 2);
  if (answer.alarms.length === 0) return 'No alarm is open.';
  return formatTable(OPEN, answer.alarms);
}

async function history(options: HistoryOptions): Promise<string> {
  const limit = wholeNumber('--limit', options.limit, 1, 1000);
  const answer = await askGateway<{ alarms: RaisedAlarm[] }>(options, 'GET', `/api/alarms?limit=${limit}`);
  if (options.json) return JSON.stringify(answer, null, 2);
  if (answer.alarms.length === 0) return 'No alarm was raised since the start.';
  return formatTable(RAISED, answer.alarms);
}

async function acknowledge(id: string, options: WhyOptions): Promise<void> {
  const body = { id, why: options.why };
  tell(await askGateway<{ text: string }>(options, 'POST', '/api/alarms/acknowledge', body), options);
}

async function silence(alarm: string, options: SilenceOptions): Promise<void> {
  const { session, minutes, why } = options;
  const body = {
    alarm,
    minutes: wholeNumber('--minutes', minutes, 1, 10_080),
    why,
    ...(session === undefined ? {} : { session }),
  };
  tell(await askGateway<{ text: string }>(options, 'POST', '/api/alarms/silences', body), options);
}

async function silences(options: AdminClientOptions): Promise<string> {
  const answer = await askGateway<{ silences: Silence[] }>(options, 'GET', '/api/alarms/silences');
  if (options.json) return JSON.stringify(answer, null, 2);
  if (answer.silences.length === 0) return 'No alarm is silenced.';
  return formatTable(SILENCES, answer.silences);
}

async function unsilence(id: string, options: WhyOptions): Promise<void> {
  const body = { id, why: options.why };
  tell(await askGateway<{ text: string }>(options, 'POST', '/api/alarms/silences/end', body), options);
}
