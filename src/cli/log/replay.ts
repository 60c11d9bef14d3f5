// `crossgate replay`: sends the counterparty's side of a message log to a running acceptor and compares the answers.
// Planning, matching and judging are the replay room's; this file reads options, shows progress and writes the reports.

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { terminalLines } from '../../base/terminal-text.ts';
import { wholeOps } from '../../ops/mod.ts';
import {
  countResults,
  GapFinder,
  LogSessions,
  matchesFilter,
  nothingSent,
  numbersOf,
  parseTarget,
  planReplay,
  type ReplayContext,
  ReplayLog,
  type ReplayPlan,
  type ReplayResult,
  replayHtml,
  replayJson,
  replayJUnit,
  replayLines,
  targetRefusal,
} from '../../replay/mod.ts';
import { type DataFields, MsgType } from '../../wire/mod.ts';
import { STATE_DEFAULT } from '../options/environment.ts';
import { STATE_HELP } from '../options/journal-place.ts';
import { repeated } from '../options/repeated.ts';
import { utcTime } from '../options/utc-time.ts';
import { counted } from '../output/reading-count.ts';
import { mustBeWritable, sayBeside, writeJson } from '../output/result-files.ts';
import { DICTIONARIES, LogDictionaries, readMessageLogs } from './message-log.ts';
import { attemptReplay, type ReplayAttemptOptions } from './replay-attempt.ts';
import { replayPure } from './replay-pure.ts';
import { shrinkReplay } from './replay-shrink.ts';

interface ReplayOptions {
  readonly state: string;
  readonly target?: string;
  readonly pure?: boolean;
  readonly dictionaries?: string;
  readonly session?: string;
  readonly from?: string;
  readonly to?: string;
  readonly sender?: string;
  readonly senderCompId?: string;
  readonly targetCompId?: string;
  readonly allowCompId?: readonly string[];
  readonly username?: string;
  readonly password?: string;
  readonly volatile?: readonly string[];
  readonly timeout: string;
  readonly longestWait: string;
  readonly settle: string;
  readonly pace?: string;
  readonly tls?: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly json?: string;
  readonly junit?: string;
  readonly html?: string;
  readonly shrink?: string;
}

/** Options that need sending. */
const FOR_A_TARGET = [
  'target',
  'session',
  'from',
  'to',
  'sender',
  'senderCompId',
  'targetCompId',
  'allowCompId',
  'username',
  'password',
  'volatile',
  'pace',
  'tls',
  'ca',
  'cert',
  'key',
  'html',
  'shrink',
] as const satisfies readonly (keyof ReplayOptions)[];

/** As it is written: `--sender-comp-id`. */
const optionOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Exit code where nothing was sent: there was no connection, or no Logon. Whether the answers differ is not known. */
const NOTHING_SENT = 3;

/** Most gaps in the numbers of a log that are named. */
const GAPS_SHOWN = 5;
/** Most messages of a log that is replayed; they are held in memory. */
const MESSAGES_MAX = 1_000_000;

export function addReplayCommand(program: Command): void {
  program
    .command('replay')
    .description('send one side of a message log to a running acceptor again and compare the answers')
    .argument(
      '[files...]',
      'log files (put together by their times), - for standard input, or state directory of a gateway; without any the journal of --state',
    )
    .option('--state <place>', STATE_HELP, STATE_DEFAULT)
    .option('--target <host:port>', 'the acceptor; only this machine, unless --allow-comp-id names the CompIDs')
    .option('--pure', 'send nothing: run the gateway of a journal again and compare its output, byte by byte')
    .option('--dictionaries <directory>', "the dictionaries of the log's gateway, if they are not ours")
    .option('--allow-comp-id <compID>', 'a CompID that may be used at another machine; name both', repeated)
    .option('--session <text>', 'the session of the log with this text in its id, such as a CompID')
    .option('--from <time>', 'only messages from this time on (UTC), such as 2026-11-21T09:30:00; and its Logons')
    .option('--to <time>', 'only messages up to this time (UTC)')
    .option(
      '--sender <compID>',
      'SenderCompID(49) in the log of the side to replay; default: who alone sent orders and the like, else the first Logon',
    )
    .option('--sender-comp-id <compID>', 'SenderCompID(49) to log on with, if not the one of the log')
    .option('--target-comp-id <compID>', 'TargetCompID(56) to log on to, if not the one of the log')
    .option('--username <name>', 'Username(553)')
    .option('--password <reference>', 'Password(554) as env:NAME or file:PATH')
    .option(
      '--volatile <tag,...>',
      'tags not to compare at all; of times, and of ids that the exchange gives, other values are no difference',
      repeated,
    )
    .option('--timeout <ms>', 'how much longer than in the log an answer may take', '5000')
    .option('--longest-wait <ms>', 'longest wait for an answer or an auction phase, whatever the log took', '600000')
    .option(
      '--pace <how>',
      '`recorded` keeps the times between the requests of the log; otherwise each goes out once those before it are answered',
    )
    .option('--settle <ms>', 'wait at the end for answers that the log does not have', '500')
    .option('--tls', 'connect over TLS')
    .option('--ca <file>', 'certificate to trust, PEM, instead of the system certificates')
    .option('--cert <file>', 'certificate of our own to log on with, PEM; --key with it')
    .option('--key <file>', 'its private key, PEM')
    .option('--json <file>', 'write the result as JSON; `-` prints it, and the lines for people on the error stream')
    .option('--junit <file>', 'write the result as JUnit XML')
    .option('--html <file>', 'write the result as one HTML page: each order, the answers side by side')
    .option('--shrink <file>', 'replay ever fewer requests that still differ, and write the fewest as a scenario')
    .addHelpText(
      'after',
      '\nExit codes: 0 all as in the log; 1 something differs, cannot be compared or was\nnot sent; 2 wrong usage; 3 nothing was sent, for want of a connection or a Logon.',
    )
    .action(run);
}

async function run(files: readonly string[], options: ReplayOptions): Promise<void> {
  if (options.pure === true) {
    const meant = FOR_A_TARGET.filter((name) => options[name] !== undefined);
    if (meant.length > 0) throw usage(`--pure sends nothing: leave ${meant.map(optionOf).join(', ')} out`);
    if (files.length > 1) throw usage('--pure reads one journal');
    await replayPure(files[0] ?? options.state, options.dictionaries ?? DICTIONARIES, options);
    return;
  }
  if (options.target === undefined) throw usage('say where to: --target HOST:PORT, or --pure');
  const target = parseTarget(options.target);
  if (target === null) throw usage(`--target ${options.target}: write HOST:PORT`);
  const { pace } = options;
  if (pace !== undefined && pace !== 'recorded') throw usage(`--pace ${pace}: write recorded, or leave it out`);
  const volatile = tagsOf(options.volatile ?? []);
  const answerTimeoutMs = milliseconds('--timeout', options.timeout);
  const waitMaxMs = milliseconds('--longest-wait', options.longestWait);
  const settleMs = milliseconds('--settle', options.settle);
  const tls = tlsOf(options);
  const password = await passwordOf(options.password);
  const dictionaries = new LogDictionaries(options.dictionaries);
  const dataFields = await dictionaries.dataFields();
  const unread: string[] = [];
  const plan = await planOf(files, dataFields, options, unread);
  const names = await dictionaries.of(plan.beginString);
  const senderCompID = options.senderCompId ?? plan.senderCompID;
  const targetCompID = options.targetCompId ?? plan.targetCompID;
  const refusal = targetRefusal(target, { senderCompID, targetCompID }, options.allowCompId ?? []);
  if (refusal !== null) throw usage(refusal);
  await mustBeWritable(options);
  const attempt: ReplayAttemptOptions = {
    ...{ dataFields, senderCompID, targetCompID, password, settleMs, answerTimeoutMs, waitMaxMs, volatile },
    connect: tls === null ? target : { ...target, tls },
    username: options.username ?? null,
    keepsPace: pace === 'recorded',
  };
  const { result, ...run } = await attemptReplay(plan, attempt);
  const context = { ...run, plan, target: options.target, dictionaries: names, unread };
  await report(result, context, options);
  if (options.shrink === undefined) return;
  const shrinkOptions = { file: options.shrink, dictionaries: names };
  sayBeside(options)(await shrinkReplay(plan, result, attempt, shrinkOptions));
}

/** TLS options; null for none. */
function tlsOf({ tls, ca, cert, key }: ReplayOptions): { ca?: Buffer; cert?: Buffer; key?: Buffer } | null {
  const files = Object.entries({ ca, cert, key }).filter((each): each is [string, string] => each[1] !== undefined);
  if (tls !== true && files.length > 0) throw usage(`--${files[0]![0]} is for TLS: add --tls`);
  if ((cert === undefined) !== (key === undefined)) throw usage('--cert and --key belong together');
  return tls === true ? Object.fromEntries(files.map(([name, file]) => [name, readFileSync(file)])) : null;
}

async function report(result: ReplayResult, context: ReplayContext, options: ReplayOptions): Promise<void> {
  const { same, different, notComparable, notSent } = countResults(result);
  const say = sayBeside(options);
  for (const line of replayLines(result, context)) say(line);
  const { plan } = context;
  const rest = [
    ...(notComparable === 0 ? [] : [`${notComparable} not comparable`]),
    ...(notSent === 0 ? [] : [`${notSent} not sent`]),
    ...(plan.unrelated === 0 ? [] : [`${plan.unrelated} messages of the log answer none of its requests`]),
    ...(result.foreign === 0 ? [] : [`${result.foreign} messages came that belong to no request of this run`]),
  ];
  const sent = result.requests.length - notSent;
  say(
    [
      `${sent} requests sent as ${context.prefix}…: ${same} answered as in the log, ${different} differently`,
      ...rest,
    ].join('; '),
  );
  if (options.json !== undefined) await writeJson(options, replayJson(result, context));
  if (options.junit !== undefined) await writeFile(options.junit, replayJUnit(result, context));
  if (options.html !== undefined) await writeFile(options.html, replayHtml(result, context));
  const reasonOfNone = nothingSent(result);
  if (reasonOfNone !== null) console.error(terminalLines(`crossgate: nothing was sent: ${reasonOfNone}`));
  // Unreadable parts of the log have set one before.
  if (reasonOfNone !== null) process.exitCode = NOTHING_SENT;
  else if (different + notComparable + notSent > 0) process.exitCode = 1;
}

async function planOf(
  files: readonly string[],
  dataFields: DataFields,
  options: ReplayOptions,
  unread: string[],
): Promise<ReplayPlan> {
  const log = new ReplayLog();
  let wanted = 0;
  let read = 0;
  const [from, to] = [utcTime('--from', options.from), utcTime('--to', options.to)];
  const filter = { session: options.session ?? null, types: [], tags: [], from, to };
  const gaps = new GapFinder();
  const sessions = new LogSessions();
  const messages = readMessageLogs(files, options.state, dataFields, unread);
  for await (const message of counted(messages, 'messages read')) {
    read++;
    const way = sessions.directionOf(message);
    // Logons before say who is who, and how to log on.
    const earlier = message.view?.msgType === MsgType.Logon ? null : from;
    if (!matchesFilter(message, { ...filter, from: earlier }, way)) continue;
    if (matchesFilter(message, filter, way)) gaps.add(message, way);
    log.add(message, way);
    if (++wanted > MESSAGES_MAX) throw usage(`more than ${MESSAGES_MAX} messages: cut the log`);
  }
  const chosenBy = (['session', 'from', 'to'] as const).flatMap((name) =>
    options[name] === undefined ? [] : [`--${name} ${options[name]}`],
  );
  const chosen = chosenBy.length === 0 ? '' : ` (${chosenBy.join(' ')}: ${wanted} of ${read} messages)`;
  if (wanted === 0 && read > 0) throw usage(`no message of the log is wanted${chosen}`);
  const plan = planReplay(log, options.sender ?? null, options.session ?? null);
  if (typeof plan === 'string') throw usage(`${plan}${chosen}`);
  sayMissing(plan, gaps);
  return plan;
}

/** Report the numbers that the log lacks: effects and answers of such a message appear as differences of others. */
function sayMissing({ way, senderCompID, targetCompID }: ReplayPlan, gaps: GapFinder): void {
  for (const [from, name] of [
    [senderCompID, way.name],
    [targetCompID, way.opposite],
  ]) {
    const missing = gaps.open().filter(({ direction }) => direction === name);
    if (missing.length === 0) continue;
    const shown = missing.slice(0, GAPS_SHOWN).map(numbersOf);
    const numbers = `34=${shown.join(', ')}${missing.length > GAPS_SHOWN ? ', …' : ''}`;
    console.error(`crossgate: the log lacks messages of ${from} (${numbers}): their consequences may differ`);
  }
}

function tagsOf(texts: readonly string[]): number[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => {
      if (!/^[1-9]\d{0,8}$/.test(text)) throw usage(`--volatile ${text}: write tags, such as 58,6`);
      return Number(text);
    });
}

function milliseconds(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 3_600_000) throw usage(`${option} ${text}: write milliseconds`);
  return value;
}

async function passwordOf(reference: string | undefined): Promise<string | null> {
  if (reference === undefined) return null;
  if (!/^(?:env|file):./.test(reference)) throw usage('--password: write env:NAME or file:PATH, not the password');
  const { secretReference } = await wholeOps();
  return secretReference(reference, process.cwd(), process.env).read();
}

function usage(text: string): CrossgateError {
  return new CrossgateError('XG_USAGE', text);
}
