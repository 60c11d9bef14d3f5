// `crossgate kill-switch throw|lift|status`: stops trading of a session, an account or everything at a running gateway, and
// lets it go on again when a second person agrees (rule O12).

import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { formatIso } from '../../base/time.ts';
import type { ActionResult } from '../../engine/mod.ts';
import type { KillSwitchView } from '../../runtime/mod.ts';
import { tellFailure } from '../output/exit.ts';
import { type Column, formatTable } from '../output/table.ts';
import { shown, withWatch } from '../output/watch.ts';
import { type AdminClientOptions, askGateway, tell, understood, withAdminOptions } from './admin-client.ts';

interface SwitchOptions extends AdminClientOptions {
  readonly session?: string;
  readonly account?: string;
  readonly all?: boolean;
  readonly why: string;
}

/** Of `status` 1 is an answer: a gateway that does not give one has a code of its own. */
const NOT_ASKED = 3;

const time = (at: number): string => formatIso(at).slice(0, 19).replace('T', ' ');

/** A gateway of another version may not say. */
const asked = (at: number | null | undefined): string => (typeof at === 'number' ? time(at) : '-');

const COLUMNS: readonly Column<KillSwitchView>[] = [
  { title: 'SCOPE', cell: ({ scope }) => scope },
  { title: 'NAME', cell: ({ name }) => (name === '' ? '-' : name) },
  { title: 'THROWN (UTC)', cell: ({ thrownAt }) => time(thrownAt) },
  { title: 'BY', cell: ({ thrownBy }) => thrownBy },
  { title: 'OPEN', cell: ({ openOrders }) => String(openOrders), right: true },
  { title: 'LIFT ASKED BY', cell: ({ liftAskedBy }) => liftAskedBy ?? '-' },
  { title: 'AT (UTC)', cell: ({ liftAskedAt }) => asked(liftAskedAt) },
  { title: 'UNTIL', cell: ({ liftAskedUntil }) => asked(liftAskedUntil).slice(-8) },
  { title: 'WHY', cell: ({ why }) => why },
];

export function addKillSwitchCommands(program: Command): void {
  const group = program.command('kill-switch').description('stop trading at a running gateway, and let it go on');
  for (const [action, description] of [
    ['throw', 'cancel open orders one by one, and refuse new ones, over restarts, until it is lifted'],
    ['lift', 'ask to lift it; a second person has to do the same within a quarter of an hour'],
  ] as const) {
    withAdminOptions(group.command(action).description(description))
      .option('--session <name>', 'of this session')
      .option('--account <id>', 'of this trading account')
      .option('--all', 'of everything')
      .requiredOption('--why <text>', 'reason: for the counterparties and the audit trail')
      .action((options: SwitchOptions) => act(action, options));
  }
  withWatch(
    withAdminOptions(
      group
        .command('status')
        .description('the switches that are on; exit code 1 if any is, 3 if that cannot be known: no gateway answers'),
    ),
  ).action(statusOrNotAsked);
}

async function act(action: 'throw' | 'lift', options: SwitchOptions): Promise<void> {
  const { session, account, all, why } = options;
  const chosen = [session, account, all === true ? '' : undefined].filter((one) => one !== undefined);
  if (chosen.length !== 1) throw new CrossgateError('XG_USAGE', 'name one of --session, --account and --all');
  const scope = session !== undefined ? 'session' : account !== undefined ? 'account' : 'all';
  const body = { scope, name: chosen[0], why };
  const answer = askGateway<ActionResult>(options, 'POST', `/api/kill-switches/${action}`, body);
  tell(await answer.catch((error: unknown) => Promise.reject(action === 'throw' ? urgent(error) : error)), options);
}

/** An operator who must stop trading while the gateway is gone has no time to search for the alternative. */
function urgent(error: unknown): unknown {
  if (!(error instanceof CrossgateError) || error.code !== 'XG_ADMIN_UNREACHABLE') return error;
  const instead = '`crossgate cancel-all --account ID` cancels at the exchange itself while no gateway runs';
  return new CrossgateError(error.code, `${error.message}; ${instead}`, { cause: error });
}

async function statusOrNotAsked(options: AdminClientOptions): Promise<void> {
  try {
    await understood(shown(status))(options);
  } catch (error) {
    const code = tellFailure(error);
    process.exitCode = code === 1 ? NOT_ASKED : code;
  }
}

interface Answer {
  readonly killSwitches: readonly KillSwitchView[];
  /** Of a gateway that runs several. */
  readonly partitions?: readonly { readonly answered: boolean }[];
}

async function status(options: AdminClientOptions): Promise<string> {
  const answer = await askGateway<Answer>(options, 'GET', '/api/kill-switches');
  const isWhole = (answer.partitions ?? []).every(({ answered }) => answered);
  if (answer.killSwitches.length > 0) process.exitCode = 1;
  else if (!isWhole) process.exitCode = NOT_ASKED;
  if (options.json) return JSON.stringify(answer, null, 2);
  return answer.killSwitches.length === 0 ? 'No kill switch is on.' : formatTable(COLUMNS, answer.killSwitches);
}
