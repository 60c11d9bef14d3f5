// `crossgate conform`: plays named cases against a counterparty, as initiator or acceptor, and says which step failed and
// why. The language and its machine are the scenario room's; this file reads options and writes results.

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { hostPort } from '../../base/host-port.ts';
import { terminalLines, terminalText } from '../../base/terminal-text.ts';
import { APPL_VER_ID, beginStringOf } from '../../dictionary/mod.ts';
import { wholeOps } from '../../ops/mod.ts';
import { parseTarget } from '../../replay/mod.ts';
import { type Role, SESSION_VARIABLES } from '../../scenario/mod.ts';
import { LogDictionaries } from '../log/message-log.ts';
import { repeated } from '../options/repeated.ts';
import { ProgressBar } from '../output/progress-bar.ts';
import { mustBeWritable, sayBeside, writeJson } from '../output/result-files.ts';
import { type ConformedCase, caseLines, conformJson, conformJUnit, countCases } from './conform-report.ts';
import { connectingTo, type Endpoint, listeningOn } from './endpoint.ts';
import { BUILT_IN, loadSuites, type SuiteCase } from './suite-files.ts';
import { SuitePlayer } from './suite-player.ts';

interface ConformOptions {
  readonly target?: string;
  readonly listen?: string;
  readonly suite: readonly string[];
  readonly case?: readonly string[];
  readonly without?: readonly string[];
  readonly list?: boolean;
  readonly fixVersion: string;
  readonly senderCompId?: string;
  readonly targetCompId?: string;
  readonly username?: string;
  readonly password?: string;
  readonly production?: boolean;
  readonly set?: readonly string[];
  readonly timeout: string;
  readonly pause: string;
  readonly tls?: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly json?: string;
  readonly junit?: string;
}

const VERSIONS = Object.keys(APPL_VER_ID);

/** Exit code for want of a connection: whether the counterparty conforms is not known. */
const NOT_CONNECTED = 3;

export function addConformCommand(program: Command): void {
  program
    .command('conform')
    .description('play test cases against a counterparty and judge each step')
    .option('--target <host:port>', 'the acceptor to connect to')
    .option('--listen <port>', 'accept the connections of an initiator here instead; HOST:PORT for one address')
    .option(
      '--suite <name>',
      `${BUILT_IN.join(', ')}, a file *.scenario or *.def, or a folder of them; several times`,
      repeated,
      [],
    )
    .option('--case <id>', 'run this case alone; several times', repeated)
    .option('--without <tag>', 'leave out the cases with this tag, such as slow; several times', repeated)
    .option('--list', 'name the cases and run none')
    .option('--fix-version <version>', VERSIONS.join(', '), 'FIX.4.4')
    .option('--sender-comp-id <compID>', 'our SenderCompID(49)')
    .option('--target-comp-id <compID>', "TargetCompID(56): the counterparty's")
    .option('--username <name>', 'Username(553)')
    .option('--password <reference>', 'Password(554) as env:NAME or file:PATH')
    .option('--production', 'log on without TestMessageIndicator(464)=Y')
    .option('--set <name=value>', 'a variable of the suite, such as symbol=BTCUSDC; several times', repeated)
    .option('--timeout <ms>', 'longest wait for an expected message', '10000')
    .option('--pause <ms>', 'wait between two cases, for a counterparty that limits its Logons', '0')
    .option('--tls', 'speak TLS')
    .option('--ca <file>', 'certificates to trust, PEM; with --listen, the initiator has to show one signed by them')
    .option('--cert <file>', 'our own certificate, PEM; --key with it')
    .option('--key <file>', 'its private key, PEM')
    .option('--json <file>', 'write the result as JSON; `-` prints it, and the lines for people on the error stream')
    .option('--junit <file>', 'write the result as JUnit XML')
    .addHelpText(
      'after',
      '\nExit codes: 0 every mandatory case passed; 1 one failed; 2 wrong usage, or faults in a\nscenario; 3 a connection could not be made.',
    )
    .action(run);
}

async function run(options: ConformOptions): Promise<void> {
  const { suite, target, listen } = options;
  if (suite.length === 0) throw usage(`say which cases: --suite ${BUILT_IN.join(', ')} or FILE`);
  if (!VERSIONS.includes(options.fixVersion))
    throw usage(`--fix-version ${options.fixVersion}: write one of ${VERSIONS.join(', ')}`);
  const role: Role = listen === undefined ? 'initiator' : 'acceptor';
  const beginString = beginStringOf(options.fixVersion);
  const given = await variables(options, beginString === 'FIXT.1.1' ? APPL_VER_ID[options.fixVersion]! : '');
  const suites = await loadSuites(suite, { role, hostVariables: [...SESSION_VARIABLES, ...given.keys()] });
  for (const note of suites.notes) console.error(terminalText(note));
  const chosen = chosenCases(suites.cases, options);
  if (options.list === true) {
    for (const one of chosen) console.log(terminalText(listed(one)));
    return;
  }
  if ((target === undefined) === (listen === undefined))
    throw usage('say with whom: --target HOST:PORT, or --listen PORT');
  const timeoutMs = milliseconds('--timeout', options.timeout);
  const pauseMs = options.pause === '0' ? 0 : milliseconds('--pause', options.pause);
  // QuickFIX's scripts bring the CompIDs along.
  const isScripted = chosen.every(({ beginString }) => beginString !== null);
  const { senderCompId = isScripted ? '' : undefined, targetCompId = isScripted ? '' : undefined } = options;
  if (senderCompId === undefined || targetCompId === undefined)
    throw usage('say who we are and who they are: --sender-comp-id and --target-comp-id');
  await mustBeWritable(options);
  const { endpoint, counterparty } = await endpointOf(options);
  const say = sayBeside(options);
  if (listen !== undefined) say(`listening on ${counterparty}`);
  const player = new SuitePlayer({
    endpoint,
    identity: { beginString, senderCompID: senderCompId, targetCompID: targetCompId },
    version: options.fixVersion,
    dataFields: await new LogDictionaries().dataFields(),
    variables: given,
    timeoutMs,
    onSay: (text) => say(terminalText(text)),
  });
  const startedAt = Date.now();
  const conformed = await playAll(player, chosen, pauseMs, (one) => {
    for (const line of caseLines(one, suites.names)) say(terminalText(line));
  });
  await endpoint.close();
  const context = { counterparty, version: options.fixVersion, names: suites.names, startedAt, endedAt: Date.now() };
  say(summary(conformed));
  if (options.json !== undefined) await writeJson(options, conformJson(conformed, context));
  if (options.junit !== undefined) await writeFile(options.junit, conformJUnit(conformed, context));
  process.exitCode = exitCodeOf(conformed);
}

async function playAll(
  player: SuitePlayer,
  cases: readonly SuiteCase[],
  pauseMs: number,
  onCase: (one: ConformedCase) => void,
): Promise<ConformedCase[]> {
  const bar = new ProgressBar(process.stderr, cases.length);
  const stop = (): void => player.stop();
  process.once('SIGINT', stop);
  const conformed: ConformedCase[] = [];
  try {
    for (const one of cases) {
      bar.show(conformed.length);
      const result = await player.play(one);
      conformed.push({ ...one, result });
      bar.end();
      onCase(conformed.at(-1)!);
      // Without a connection no further case says more.
      if (player.stopped || result?.connected === false) break;
      if (pauseMs > 0 && result !== null) await delay(pauseMs);
    }
  } finally {
    bar.end();
    process.off('SIGINT', stop);
  }
  return conformed;
}

function summary(cases: readonly ConformedCase[]): string {
  const { passed, failed, optionalFailed, notRun } = countCases(cases);
  const parts = [`${passed} passed`, `${failed} failed`];
  if (optionalFailed > 0) parts.push(`${optionalFailed} optional failed`);
  if (notRun > 0) parts.push(`${notRun} not run`);
  return `${cases.length} cases: ${parts.join(', ')}`;
}

function exitCodeOf(cases: readonly ConformedCase[]): number {
  const ran = cases.flatMap(({ result }) => (result === null || result.outcome === 'skipped' ? [] : [result]));
  const unconnected = ran.find(({ connected }) => !connected);
  if (unconnected !== undefined) {
    console.error(terminalLines(`crossgate: the run ended for want of a connection: ${unconnected.text}`));
    return NOT_CONNECTED;
  }
  return countCases(cases).failed > 0 || ran.length === 0 ? 1 : 0;
}

function chosenCases(
  cases: readonly SuiteCase[],
  { case: ids, without = [] }: Pick<ConformOptions, 'case' | 'without'>,
): SuiteCase[] {
  for (const id of ids ?? []) {
    if (cases.every(({ linked }) => linked.id !== id))
      throw usage(`--case ${id}: no suite has it; --list names the cases`);
  }
  return cases.filter(({ linked }) =>
    ids === undefined ? !linked.tags.some((tag) => without.includes(tag)) : ids.includes(linked.id),
  );
}

function listed({ suite, linked }: SuiteCase): string {
  const { id, title, mandatory, versions, rule } = linked;
  const more = [
    mandatory ? 'mandatory' : 'optional',
    ...(versions === null ? [] : [versions.join(' ')]),
    ...(rule === null ? [] : [rule]),
  ];
  return `${suite} ${id}: ${title} (${more.join('; ')})`;
}

/** The variables of a run, beside the numbers of its session. */
async function variables(options: ConformOptions, defaultApplVerID: string): Promise<Map<string, string>> {
  const { fixVersion, username = '', production } = options;
  // TestMessageIndicator(464) exists from FIX.4.3.
  const testMessageIndicator = production === true || fixVersion < 'FIX.4.3' ? '' : 'Y';
  const values = new Map(
    Object.entries({
      run: `C${Date.now().toString(36)}`,
      version: fixVersion,
      username,
      password: await passwordOf(options.password),
      testMessageIndicator,
      defaultApplVerID,
    }),
  );
  for (const pair of options.set ?? []) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw usage(`--set ${pair}: write NAME=VALUE`);
    values.set(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return values;
}

async function passwordOf(reference: string | undefined): Promise<string> {
  if (reference === undefined) return '';
  if (!/^(?:env|file):./.test(reference)) throw usage('--password: write env:NAME or file:PATH, not the password');
  const { secretReference } = await wholeOps();
  return secretReference(reference, process.cwd(), process.env).read();
}

async function endpointOf(
  options: ConformOptions,
): Promise<{ readonly endpoint: Endpoint; readonly counterparty: string }> {
  const { target, listen, tls, ca, cert, key } = options;
  const files = Object.entries({ ca, cert, key }).filter((each): each is [string, string] => each[1] !== undefined);
  if (tls !== true && files.length > 0) throw usage(`--${files[0]![0]} is for TLS: add --tls`);
  if ((cert === undefined) !== (key === undefined)) throw usage('--cert and --key belong together');
  const pem: Record<string, Buffer> = Object.fromEntries(files.map(([name, file]) => [name, readFileSync(file)]));
  if (listen === undefined) {
    const address = parseTarget(target!);
    if (address === null) throw usage(`--target ${target}: write HOST:PORT`);
    return { endpoint: connectingTo(tls === true ? { ...address, tls: pem } : address), counterparty: target! };
  }
  if (tls === true && pem.cert === undefined) throw usage('--listen with --tls needs --cert and --key');
  const address = parseTarget(listen.includes(':') ? listen : `127.0.0.1:${listen === '0' ? 1 : listen}`);
  if (address === null) throw usage(`--listen ${listen}: write PORT or HOST:PORT`);
  const place = listen === '0' ? { ...address, port: 0 } : address;
  const secure = { key: pem.key!, cert: pem.cert!, ...(pem.ca === undefined ? {} : { ca: pem.ca, requestCert: true }) };
  const endpoint = await listeningOn(tls === true ? { ...place, tls: secure } : place);
  return { endpoint, counterparty: hostPort(place.host, endpoint.port) };
}

function milliseconds(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 3_600_000) throw usage(`${option} ${text}: write milliseconds`);
  return value;
}

function usage(text: string): CrossgateError {
  return new CrossgateError('XG_USAGE', text);
}
