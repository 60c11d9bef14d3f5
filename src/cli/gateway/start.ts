// `crossgate start`: the gateway, with the embedded simulated exchange where configured, until Ctrl-C.

import { flushCompileCache } from 'node:module';
import { hostname } from 'node:os';
import { extname, resolve } from 'node:path';
import process from 'node:process';
import type { Command } from 'commander';
import { type AdministeredEngine, startEngine } from '../../administration/mod.ts';
import { CrossgateError } from '../../base/errors.ts';
import { hostPort } from '../../base/host-port.ts';
import { raiseLimit } from '../../base/process-limits.ts';
import { CertificationHost } from '../../certification/mod.ts';
import type { EngineLog } from '../../engine/mod.ts';
import { formatProblems, type LoadedConfiguration, type LogFormat, type Operations, wholeOps } from '../../ops/mod.ts';
import { type EngineConfig, Interruptions } from '../../runtime/mod.ts';
import { JournalHeld, JournalNotGiven, markOfThisProcess } from '../../store/mod.ts';
import { createSelfSignedCertificate } from '../../transport/mod.ts';
import { DailySchedule, writeInOwnProcess } from '../journal/daily-schedule.ts';
import { loadedOrExit } from '../options/configuration.ts';
import { SESSIONS_DEFAULT } from '../options/environment.ts';
import { stateOf } from '../options/journal-place.ts';
import { VERSION } from '../options/version.ts';
import { type EarlySignals, endByForce, endOnBug, leaveSoon, passOverSignals, stopSignal } from '../output/exit.ts';
import { fileBytesMax, openFilesMax, tooFewOpenFiles, tooSmallFiles } from './process-limits.ts';
import { type InTurnOptions, startInTurn } from './standby.ts';

interface StartOptions {
  readonly sessions: string;
  readonly log: LogFormat;
  readonly logLevel: string;
}

/** @param signals heard from before this file was read */
export function addStartCommand(program: Command, signals: EarlySignals): void {
  program
    .command('start')
    .description('run the gateway')
    .option('--sessions <directory>', 'folder of the configuration', SESSIONS_DEFAULT)
    .option('--log <format>', 'auto, pretty or json; json: one stream, the first lines included', 'auto')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .action((options: StartOptions) => run(options, signals));
}

const PORTS =
  'ports are set by `fix.listen[].port`, `simulator.port`, `bridge.port` and `admin.port` in gateway.yaml, or by CROSSGATE_…_PORT (0: a free one)';
const FOLDER =
  'the folder is set by `state` in gateway.yaml, or by CROSSGATE_STATE, and this user must be able to write there';
const STAND_BY = 'with `store.standby: wait` in gateway.yaml it waits for its turn';
const MAY_NOT_WRITE: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT']);

async function run(options: StartOptions, signals: EarlySignals): Promise<void> {
  try {
    await runGateway(options, signals);
  } catch (error) {
    const remedy = remedyOf(error);
    if (remedy === null) throw error;
    const { code, message } = error as CrossgateError;
    throw new CrossgateError(code, `${message}; ${remedy}`, { cause: error });
  }
}

/** The setting that kept the gateway from starting, with its place; null if it is no setting. */
function remedyOf(error: unknown): string | null {
  if (!(error instanceof CrossgateError)) return null;
  const { code } = (error.cause ?? {}) as { readonly code?: unknown };
  // How a limit of the process is raised is said of every command (exit.ts).
  if (raiseLimit(error.cause) !== null) return null;
  if (error.code === 'XG_LISTEN_FAILED') return PORTS;
  if (error instanceof JournalHeld) return STAND_BY;
  // A file of its address, or a socket: nothing that is written.
  if (error instanceof JournalNotGiven) return null;
  return error.code === 'XG_JOURNAL_WRITE_FAILED' && MAY_NOT_WRITE.has(code) ? FOLDER : null;
}

async function runGateway(options: StartOptions, signals: EarlySignals): Promise<void> {
  const sayPassedOver = passOverSignals();
  const {
    adminPortMustBeFree,
    bringsDictionaries,
    checkCertificates,
    checkDictionaries,
    createLog,
    ensureDemoSecrets,
    secretVariables,
    startOperations,
  } = await wholeOps();
  // Secrets are read again from the copy; no child process, and no library that prints the environment, gets them.
  const environment = { ...process.env };
  const first = await loadedOrExit(options.sessions, environment);
  if (first === null) return;
  for (const name of secretVariables(first.config, first.admin?.users ?? [])) delete process.env[name];
  const pairs = checkCertificates(first.config, Date.now());
  const dictionaries = bringsDictionaries(first.config)
    ? await checkDictionaries(first.config)
    : { problems: [], warnings: [] };
  const refused = [...pairs.problems, ...dictionaries.problems];
  if (refused.length > 0) return refuse(refused);
  const log = createLog({ format: options.log, level: options.logLevel });
  sayPassedOver(log);
  const interruptions = new Interruptions({
    folder: first.config.stateDirectory,
    version: VERSION,
    log,
    now: Date.now,
  });
  endOnBug(log, () => interruptions.note());
  tellWarnings(log, [...first.warnings, ...pairs.warnings, ...dictionaries.warnings]);
  const limits = [tooFewOpenFiles(first.config, openFilesMax()), tooSmallFiles(first.config, fileBytesMax())];
  for (const text of limits) if (text !== null) log('warn', text);
  const createSecrets = async (wanted: EngineConfig): Promise<void> => {
    const created = await ensureDemoSecrets(wanted, createSelfSignedCertificate);
    for (const file of created) log('info', `created ${file}`);
  };
  const certifications = new CertificationHost({
    thread: new URL(`../certification/desk-thread${extname(import.meta.url)}`, import.meta.url),
    data: { sessions: resolve(options.sessions), environment },
    stateDirectory: first.config.stateDirectory,
    version: VERSION,
    log,
    alarm: (alarm, text, fields) => raise(alarm, text, fields),
  });
  let raise: AdministeredEngine['alarm'] = (_, text) => log('warn', text);
  await certifications.apply(first.certifications);
  const elsewhere = certifications.elsewhere.bind(certifications);
  const program = `version ${VERSION} (Node ${process.versions.node}), process ${process.pid} of ${hostname()}`;
  const start: InTurnOptions['start'] = ({ config, admin }, holdsAdminPort, stopped): Promise<AdministeredEngine> => {
    const onSecretsReady = async (): Promise<void> => {
      await createSecrets(config);
      if (!holdsAdminPort) await adminPortMustBeFree(admin);
    };
    const common = { config, log, now: Date.now, onSecretsReady, program, interruptions, elsewhere };
    return startEngine({ ...common, ...(stopped === undefined ? {} : { stopped }) });
  };
  const turn = await startInTurn(first, { sessions: options.sessions, environment, log, signals, start });
  if (turn === null) return leaveSoon(log);
  const { engine, loaded: started } = turn;
  raise = engine.alarm.bind(engine);
  await certifications.apply(started.certifications);
  // From now on sessions may be logged on: each is logged out, even if operations have not started yet.
  const signal = stopSignal();
  signals.over();
  const configuration = { directory: options.sessions, environment };
  let operations: Operations;
  try {
    const process = markOfThisProcess();
    const common = { configuration, started, log, now: Date.now, version: VERSION, process, certifications };
    operations = await startOperations({ engine, ...common, variables: environment, prepare: createSecrets });
  } catch (error) {
    await engine.close();
    throw error;
  }
  const daily = dailySchedule(started.config, environment, log, options.sessions);
  daily?.begin();
  const lines = welcome(engine, operations, started.admin?.sharedToken === true);
  if (options.log === 'json')
    for (const line of lines.filter((each) => each !== '')) log('info', line.trim().replace(/ {2,}/, ': '));
  else for (const line of lines) console.log(line);
  // For the next start, should this one be killed.
  flushCompileCache();
  const lost = engine.lost.then((reason) => ({ reason }));
  const end = await Promise.race([signal, lost]);
  if (typeof end === 'string') log('info', `${end} received`);
  // Log lines lost to a full disk are no failure of the gateway (exit.ts).
  process.exitCode = typeof end === 'string' ? 0 : 1;
  // Health and metrics are there to be asked until the last order has its answer.
  daily?.close();
  await certifications.closeAll();
  await engine.close();
  if (engine.journalEnd === 'lacking') process.exitCode = 1;
  if (engine.journalEnd === 'stuck') {
    log('error', 'the process is killed by itself: leaving in order would wait for its disk too');
    endByForce();
  }
  await operations.close();
  leaveSoon(log);
}

function tellWarnings(log: EngineLog, warnings: LoadedConfiguration['warnings']): void {
  for (const { file, line, key, problem, remedy } of warnings) {
    const place = { file, ...(line === null ? {} : { line }), ...(key === '' ? {} : { key }) };
    log('warn', `allowed, but look at it: ${problem}; ${remedy}`, place);
  }
}

/** Null where no daily files are wanted. */
function dailySchedule(
  { dailyFolder = null, stateDirectory, postgres }: EngineConfig,
  environment: NodeJS.ProcessEnv,
  log: EngineLog,
  sessions: string,
): DailySchedule | null {
  if (dailyFolder === null) return null;
  const state = postgres === null ? stateDirectory : stateOf(postgres, stateDirectory);
  // The one secret that the child process needs.
  const variable = /^env:(.+)$/.exec(postgres?.url.reference ?? '')?.[1];
  // The folder says which tags are secret.
  const variables = {
    CROSSGATE_SESSIONS: sessions,
    ...(variable === undefined ? {} : { [variable]: environment[variable] }),
  };
  return new DailySchedule({
    folder: dailyFolder,
    log,
    now: Date.now,
    write: (date, stopped) => writeInOwnProcess(state, date, dailyFolder, stopped, { variables }),
  });
}

function refuse(problems: Parameters<typeof formatProblems>[0]): void {
  console.error(formatProblems(problems));
  process.exitCode = 1;
}

/** The few lines that a newcomer needs: the address, the credentials and the folders. */
function welcome(engine: AdministeredEngine, operations: Operations, takesSharedToken: boolean): string[] {
  const { heldFor, partlyHeldFor } = engine.logonGate;
  const logins = engine.administration.exchangeLogins();
  const isReady = logins.some(({ up }) => up);
  const lines =
    heldFor === null
      ? ['', isReady ? 'Crossgate is ready for orders.' : 'Crossgate runs, and is not ready for orders yet.']
      : [
          '',
          `Crossgate accepts no Logon: ${heldFor}.`,
          '  The page "Back up and restore" of the documentation has the next steps: `crossgate sessions open`.',
        ];
  for (const { name, up } of logins) {
    if (!up) lines.push(`  but: the exchange login ${name} is not up; it is tried again by itself`);
  }
  for (const reason of partlyHeldFor) lines.push(`  but: ${reason}`);
  for (const { scope, name, thrownBy, why } of engine.administration.orders.killSwitches()) {
    const whose = scope === 'all' ? 'of everything' : `of ${scope} ${name}`;
    lines.push(`  but: the kill switch ${whose} is on (${thrownBy}: ${why}); see \`crossgate kill-switch status\``);
  }
  for (const { host, port, tls } of engine.addresses) {
    lines.push(`  FIX${tls ? ' over TLS' : '         '}  ${hostPort(host, port)}`);
  }
  for (const session of engine.config.sessions) {
    if (!session.enabled) continue;
    lines.push(`  session        ${session.session.beginString} ${counterpartyOf(session)}`);
  }
  const where =
    engine.simulator === null ? engine.config.exchange.baseUrl : `${engine.simulator.url} (simulated, embedded)`;
  lines.push(`  exchange       ${where}`);
  if (engine.bridge !== null) {
    const tokens = engine.config.bridge?.callers.map(({ token }) => token.reference).join(', ') ?? 'none';
    lines.push(`  bridge         ${engine.bridge.url}/openapi.json token ${tokens}`);
  }
  if (operations.url !== null) {
    const token = takesSharedToken ? 'token file:secrets/admin.token' : 'with a token of `admin.users`';
    lines.push(`  console        ${operations.url} ${token}`);
  }
  lines.push(`  journal        ${engine.journal.location}`);
  lines.push(`  file: paths    relative to ${engine.config.stateDirectory}`);
  // The demo places orders: nothing to propose where they would be real.
  const demo = engine.simulator === null ? '' : demoHint();
  lines.push(`${demo}Ctrl-C logs every session out and stops.`, '');
  return lines;
}

/**
 * Facts for a session's counterparty: the names in its messages, and the proof required; or the address that we connect
 * to.
 */
function counterpartyOf({ session, password, access, connect }: EngineConfig['sessions'][number]): string {
  const { senderCompID, targetCompID } = session;
  if (connect !== null) {
    const places = connect.addresses.map(({ host, port }) => hostPort(host, port)).join(', ');
    return `SenderCompID(49)=${senderCompID} TargetCompID(56)=${targetCompID}, we connect to ${places}`;
  }
  const proofs = [
    ...(password === null ? [] : [`password ${password.reference}`]),
    ...(access.signature === null ? [] : [`signature ${access.signature.algorithm} ${access.signature.key.reference}`]),
    ...(access.certificate === null ? [] : ['client certificate']),
  ];
  const proof = proofs.length === 0 ? 'password none' : proofs.join(', ');
  return `SenderCompID(49)=${targetCompID} TargetCompID(56)=${senderCompID} ${proof}`;
}

/** How the demo is run in a clone, in the image, or in an installed package; empty if its OMS was left out. */
function demoHint(): string {
  try {
    import.meta.resolve('jspurefix');
  } catch {
    return '';
  }
  const isClone = extname(import.meta.filename) === '.ts';
  const isImage = process.env.CROSSGATE_SAMPLES !== undefined;
  if (isImage) return 'Try `crossgate demo` in this container. ';
  return `Try \`${isClone ? 'npm run demo' : 'npx crossgate demo'}\` in a second terminal. `;
}
