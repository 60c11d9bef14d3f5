// `crossgate sessions …`: lists and steers the FIX sessions of a running gateway.

import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { DecodedMessage, SessionView } from '../../administration/mod.ts';
import { CrossgateError } from '../../base/errors.ts';
import { formatIso } from '../../base/time.ts';
import type { ActionResult } from '../../engine/mod.ts';
import type { OpeningStatus } from '../../session/mod.ts';
import { addKitCommand } from '../kit/kit.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { type Column, formatPairs, formatTable } from '../output/table.ts';
import { shown, withWatch } from '../output/watch.ts';
import { type AdminClientOptions, askGateway, isProposal, tell, understood, withAdminOptions } from './admin-client.ts';
import { addNewSessionCommand } from './session-new.ts';
import { addSecretCommand } from './session-secret.ts';
import { addSessionImportCommand } from './sessions-import.ts';

/** How often, and how many times, a reset within the session is looked at. */
const RESET_LOOK_MS = 200;
const RESET_TRIES_MAX = 600;
/** So many are kept of a session. */
const MESSAGES_MAX = 200;

interface ActionOptions extends AdminClientOptions {
  readonly why: string;
}

interface ResetOptions extends ActionOptions {
  readonly sender?: string;
  readonly target?: string;
  readonly now?: boolean;
}

interface ShowOptions extends AdminClientOptions {
  readonly messages: string;
}

const time = (at: number | null): string => (at === null ? '-' : formatIso(at).slice(0, 19).replace('T', ' '));

const COLUMNS: readonly Column<SessionView>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'STATE', cell: stateInWords },
  { title: 'SINCE (UTC)', cell: ({ status }) => time(status.since) },
  { title: 'NEXT OUT', cell: ({ status }) => String(status.numbers.nextSenderMsgSeqNum), right: true },
  { title: 'NEXT IN', cell: ({ status }) => String(status.numbers.nextTargetMsgSeqNum), right: true },
  { title: 'OPEN', cell: ({ openOrders }) => String(openOrders), right: true },
  { title: 'ALARMS', cell: ({ alarms }) => String(alarms), right: true },
  { title: 'REMOTE', cell: ({ status }) => status.remote ?? '-' },
  { title: 'SESSION', cell: ({ sessionId }) => sessionId },
];

export function addSessionCommands(program: Command): void {
  const sessions = program.command('sessions').description('list and steer the FIX sessions of a running gateway');
  addNewSessionCommand(sessions);
  addSecretCommand(sessions);
  addKitCommand(sessions);
  withWatch(withAdminOptions(sessions.command('list').description('every session with its live state'))).action(
    understood(shown(list)),
  );
  withAdminOptions(sessions.command('show <name>').description('one session, and its last messages'))
    .option('--messages <count>', `how many of its last messages, ${MESSAGES_MAX} at most`, '10')
    .action(understood(show));
  for (const [action, description] of [
    ['logout', 'log a session out, and tell it why; it may log on again'],
    ['disable', 'log a session out and refuse its logons, until enabled or restarted'],
    ['enable', 'let a disabled session log on again'],
  ] as const) {
    withAdminOptions(sessions.command(`${action} <name>`).description(description))
      .requiredOption('--why <text>', 'reason, for the audit trail')
      .action(async (name: string, options: ActionOptions) => {
        await act(name, action, { why: options.why }, options);
      });
  }
  withAdminOptions(
    sessions.command('reset <name>').description('reset both sequence numbers to 1, or set those that are given'),
  )
    .requiredOption('--why <text>', 'reason, for the audit trail')
    .option('--sender <number>', 'next MsgSeqNum(34) of ours; it may only rise')
    .option('--target <number>', 'next MsgSeqNum(34) expected from the counterparty')
    .option(
      '--now',
      'begin again at 1 within the open session, by Logon(A) with ResetSeqNumFlag(141)=Y, and wait for the answer',
    )
    .action(understood(reset));
  withAdminOptions(
    sessions
      .command('open [name]')
      .description(
        'let all sessions log on although the exchange has orders that the journal lacks, or one session despite damaged records; set numbers before',
      ),
  )
    .requiredOption('--why <text>', 'reason, for the audit trail')
    .action(async (name: string | undefined, options: ActionOptions) => {
      if (name !== undefined) {
        await act(name, 'open', { why: options.why }, options);
        return;
      }
      const result = await askGateway<ActionResult>(options, 'POST', '/api/logons/open', { why: options.why });
      tell(result, options);
    });
  addSessionImportCommand(sessions);
}

/** Its state for people: `loggedOn`, `kept out`, `disconnected, disabled`. */
export function stateInWords({ status, enabled, retired, keptOut }: SessionView): string {
  if (retired) return 'removed';
  if (keptOut !== null && status.state === 'disconnected') return 'kept out';
  return enabled ? status.state : status.state === 'disconnected' ? 'disabled' : `${status.state}, disabled`;
}

async function list(options: AdminClientOptions): Promise<string> {
  const answer = await askGateway<{ sessions: SessionView[] }>(options, 'GET', '/api/sessions');
  return options.json ? JSON.stringify(answer, null, 2) : formatTable(COLUMNS, answer.sessions);
}

async function show(name: string, options: ShowOptions): Promise<void> {
  const path = `/api/sessions/${encodeURIComponent(name)}`;
  const limit = wholeNumber('--messages', options.messages, 0, MESSAGES_MAX);
  const session = await askGateway<SessionView>(options, 'GET', path);
  const query = `${path}/messages?limit=${Math.max(1, limit)}`;
  const { messages } =
    limit === 0 ? { messages: [] } : await askGateway<{ messages: DecodedMessage[] }>(options, 'GET', query);
  if (options.json) {
    console.log(JSON.stringify({ ...session, messages }, null, 2));
    return;
  }
  console.log(formatPairs(details(session)));
  if (messages.length > 0) console.log('\nLast messages');
  for (const { at, direction, line, note } of messages) {
    console.log(`${formatIso(at).slice(11, 23)} ${direction === 'in' ? '→' : '←'} ${line}${note && ` (${note})`}`);
  }
}

function details(session: SessionView): [string, string][] {
  const { status } = session;
  const { series, nextSenderMsgSeqNum, nextTargetMsgSeqNum } = status.numbers;
  const pairs: [string, string][] = [
    ['session', session.sessionId],
    ['state', stateInWords(session)],
    ...(session.keptOut === null
      ? []
      : [['kept out', session.keptOut.replace('NAME', session.name)] as [string, string]]),
    ['since', time(status.since)],
    ['remote', status.remote ?? '-'],
    ['numbers', `next out ${nextSenderMsgSeqNum}, next in ${nextTargetMsgSeqNum}, series ${series}`],
    ['proven received', `up to ${status.provenMsgSeqNum}`],
    ['last in / out', `${time(status.lastReceivedAt)} / ${time(status.lastSentAt)}`],
    ['messages', `${session.messagesIn} in, ${session.messagesOut} out since the start`],
    ['heartbeat', `${status.heartBtIntS} s`],
    ['open orders', String(session.openOrders)],
    ['accounts', session.accounts.join(' ')],
    ['dialect', session.dialect],
    ['durability', session.durability],
    ['alarms', String(session.alarms)],
    ['file', session.source],
  ];
  const { gap, replay, opening } = status;
  if (opening !== null) pairs.push(['schedule', openingInWords(opening)]);
  if (gap !== null) pairs.push(['gap', `${gap.beginSeqNo}–${gap.endSeqNo} asked for, ${gap.queued} messages wait`]);
  if (replay !== null) pairs.push(['resend', `at ${replay.next} of ${replay.end}, ${replay.held} messages wait`]);
  if (status.reset !== null) {
    pairs.push([
      'reset',
      status.reset.logonSent ? 'Logon(A) with 141=Y is unanswered' : 'waits for proof that nothing is missing',
    ]);
  }
  if (status.testRequestOutstanding) pairs.push(['silence', 'a TestRequest(1) is unanswered']);
  return pairs;
}

function openingInWords({ open, changesAt, resetsAt }: OpeningStatus): string {
  const until = changesAt === null ? '' : ` until ${time(changesAt)}`;
  const reset = resetsAt === null ? 'never reset by time' : `numbers reset ${time(resetsAt)}`;
  return `${open ? 'open' : 'closed'}${until}, ${reset} (UTC)`;
}

async function reset(name: string, options: ResetOptions): Promise<void> {
  const { sender, target, why } = options;
  if (options.now === true) {
    if (sender !== undefined || target !== undefined) {
      throw new CrossgateError('XG_USAGE', '--now begins both numbers at 1: it goes without --sender and --target');
    }
    await resetNow(name, options);
    return;
  }
  const body = {
    reset: sender === undefined && target === undefined,
    nextSenderMsgSeqNum: sender === undefined ? undefined : wholeNumber('--sender', sender, 1),
    nextTargetMsgSeqNum: target === undefined ? undefined : wholeNumber('--target', target, 1),
    why,
  };
  await act(name, 'numbers', body, options);
}

/** The gateway gives the wish up after a minute and the session after the time limit of a Logon: both are waited for. */
async function resetNow(name: string, options: ResetOptions): Promise<void> {
  const path = `/api/sessions/${encodeURIComponent(name)}`;
  const before = await askGateway<SessionView>(options, 'GET', path);
  const body = { reset: true, within: true, why: options.why };
  const asked = await askGateway<ActionResult>(options, 'POST', `${path}/numbers`, body);
  if (isProposal(asked)) return tell(asked, options);
  let now = await askGateway<SessionView>(options, 'GET', path);
  for (let tries = 0; (now.status.reset ?? null) !== null && tries < RESET_TRIES_MAX; tries++) {
    await pause(RESET_LOOK_MS);
    now = await askGateway<SessionView>(options, 'GET', path);
  }
  const { numbers, state } = now.status;
  const done = numbers.series > before.status.numbers.series && (state === 'loggedOn' || state === 'disconnected');
  const series = `next out ${numbers.nextSenderMsgSeqNum}, next in ${numbers.nextTargetMsgSeqNum}, series ${numbers.series}`;
  const text = done
    ? `Both numbers began at 1 again: ${series}.`
    : `The counterparty did not answer as FIX has it: ${series}.`;
  if (!done) throw new CrossgateError('XG_ADMIN_REFUSED', text);
  console.log(options.json ? JSON.stringify({ done, text }, null, 2) : text);
}

async function act(name: string, action: string, body: unknown, options: AdminClientOptions): Promise<void> {
  const path = `/api/sessions/${encodeURIComponent(name)}/${action}`;
  const result = await askGateway<ActionResult>(options, 'POST', path, body);
  tell(result, options);
}
