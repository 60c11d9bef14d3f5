// `crossgate status`: a running gateway on one screen: whether it takes orders, its sessions, exchange, journal and alarms.

import process from 'node:process';
import type { Command } from 'commander';
import type { Health, SessionView } from '../../administration/mod.ts';
import { formatIso } from '../../base/time.ts';
import type { OpenAlarm } from '../../ops/mod.ts';
import type { KillSwitchView } from '../../runtime/mod.ts';
import { type Column, formatPairs, formatTable } from '../output/table.ts';
import { shown, type WatchOptions, withWatch } from '../output/watch.ts';
import { type AdminClientOptions, askGateway, understood, withAdminOptions } from './admin-client.ts';
import { stateInWords } from './sessions.ts';

interface Overview {
  readonly now: number;
  readonly startedAt: number;
  readonly health: Health;
  readonly venue: string | null;
  readonly journal: { readonly healthy: boolean; readonly queuedBytes: number };
  readonly exchangeLogins: readonly {
    readonly name: string;
    readonly up: boolean;
    readonly privateFeedLive: boolean;
    readonly inFlight: number;
  }[];
  readonly sessions: readonly SessionView[];
  readonly auctions: readonly { readonly symbol: string; readonly phase: string }[];
  readonly orderCounts: Readonly<Record<'pendingNew' | 'new' | 'partiallyFilled' | 'commandsInFlight', number>>;
  readonly killSwitches: readonly KillSwitchView[];
  readonly notices: readonly string[];
  /** Of a gateway that runs several. */
  readonly partitions?: readonly PartitionRow[];
}

interface PartitionRow {
  readonly name: string;
  readonly node: string;
  readonly state: string;
  readonly sessions: number;
  readonly loggedOn: number;
  readonly openOrders: number;
  readonly startedAt: number | null;
}

/** Sessions and alarms with a line of their own; `sessions list` and `alarms list` have them all. */
const SESSIONS_SHOWN = 12;
const ALARMS_SHOWN = 8;

const SESSIONS: readonly Column<SessionView>[] = [
  { title: 'SESSION', cell: ({ name }) => name },
  { title: 'STATE', cell: stateInWords },
  { title: 'NEXT OUT', cell: ({ status }) => String(status.numbers.nextSenderMsgSeqNum), right: true },
  { title: 'NEXT IN', cell: ({ status }) => String(status.numbers.nextTargetMsgSeqNum), right: true },
  { title: 'OPEN', cell: ({ openOrders }) => String(openOrders), right: true },
  { title: 'ALARMS', cell: ({ alarms }) => String(alarms), right: true },
];

const PARTITIONS: readonly Column<PartitionRow>[] = [
  { title: 'PARTITION', cell: ({ name }) => name },
  { title: 'NODE', cell: ({ node }) => node },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'LOGGED ON', cell: ({ loggedOn, sessions }) => `${loggedOn} of ${sessions}`, right: true },
  { title: 'OPEN', cell: ({ openOrders }) => String(openOrders), right: true },
  {
    title: 'SINCE (UTC)',
    cell: ({ startedAt }) => (startedAt === null ? '-' : formatIso(startedAt).slice(0, 19).replace('T', ' ')),
  },
];

const ALARMS: readonly Column<OpenAlarm>[] = [
  { title: 'ALARM', cell: ({ alarm }) => alarm },
  { title: 'SEVERITY', cell: ({ severity }) => severity },
  { title: 'TIMES', cell: ({ count }) => String(count), right: true },
  { title: 'LAST (UTC)', cell: ({ lastAt }) => formatIso(lastAt).slice(11, 19) },
  { title: 'TEXT', cell: ({ text }) => text },
];

export function addStatusCommand(program: Command): void {
  withWatch(
    withAdminOptions(
      program
        .command('status')
        .description(
          'a running gateway on one screen: sessions, exchange, journal, alarms; exit code 1 if it does not take every order',
        ),
    ),
  ).action(understood(shown(look)));
}

async function look(options: AdminClientOptions & WatchOptions): Promise<string> {
  const overview = await askGateway<Overview>(options, 'GET', '/api/overview');
  const { alarms } = await askGateway<{ alarms: OpenAlarm[] }>(options, 'GET', '/api/alarms/open');
  process.exitCode = overview.health.ready ? 0 : 1;
  const { partitions = [] } = overview;
  if (options.json) return JSON.stringify({ ...overview, alarms }, null, 2);
  return [
    formatPairs(standing(overview)),
    ...(partitions.length === 0
      ? []
      : [part(`${partitions.length} partitions`, PARTITIONS, partitions, partitions.length)]),
    part(sessionsInWords(overview.sessions), SESSIONS, foremost(overview.sessions), SESSIONS_SHOWN),
    part(alarms.length === 0 ? 'No alarm is open.' : `${alarms.length} alarms`, ALARMS, alarms, ALARMS_SHOWN),
  ].join('\n\n');
}

function standing(overview: Overview): [string, string][] {
  const { health, venue, journal, exchangeLogins, orderCounts, killSwitches, auctions, notices } = overview;
  const logins = exchangeLogins.map(({ name, up, privateFeedLive, inFlight }) => {
    const state = up ? (privateFeedLive ? 'up' : 'up, its stream is not live') : 'down';
    return `${name} ${state}${inFlight === 0 ? '' : `, ${inFlight} commands under way`}`;
  });
  const { pendingNew, new: working, partiallyFilled } = orderCounts;
  return [
    ['gateway', health.ready ? 'ready for orders' : health.reasons.join('; ')],
    ['since', `${formatIso(overview.startedAt).slice(0, 19).replace('T', ' ')} UTC`],
    ['exchange', `${venue ?? 'none'}: ${logins.join('; ')}`],
    ['journal', journalInWords(journal)],
    ['open orders', `${pendingNew} pending, ${working} new, ${partiallyFilled} partially filled`],
    ...(auctions.length === 0
      ? []
      : [['auctions', auctions.map(({ symbol, phase }) => `${symbol} ${phase}`).join(', ')] as [string, string]]),
    [
      'kill switches',
      killSwitches.map(({ scope, name, why }) => `${`${scope} ${name}`.trim()} (${why})`).join(', ') || 'none is on',
    ],
    ...notices.map((notice): [string, string] => ['notice', notice]),
  ];
}

function journalInWords({ healthy, queuedBytes }: Overview['journal']): string {
  const state = healthy ? 'healthy' : 'CANNOT RECORD';
  return `${state}, ${queuedBytes === 0 ? 'all written' : `${queuedBytes} bytes not written yet`}`;
}

function sessionsInWords(sessions: readonly SessionView[]): string {
  const loggedOn = sessions.filter(({ status }) => status.state === 'loggedOn').length;
  return `${loggedOn} of ${sessions.length} sessions are logged on`;
}

/** Those with alarms first, then those with open orders. */
function foremost(sessions: readonly SessionView[]): readonly SessionView[] {
  return [...sessions].sort((a, b) => b.alarms - a.alarms || b.openOrders - a.openOrders);
}

function part<Row>(title: string, columns: readonly Column<Row>[], rows: readonly Row[], shownMax: number): string {
  if (rows.length === 0) return title;
  const left = rows.length - shownMax;
  return `${title}\n${formatTable(columns, rows.slice(0, shownMax))}${left > 0 ? `\n… ${left} more` : ''}`;
}
