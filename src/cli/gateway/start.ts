// `crossgate start`: the gateway, with the embedded simulated exchange where configured, until Ctrl-C.

import { flushCompileCache } from 'node:module';
import process from 'node:process';
import { type Command, Option } from 'commander';
import { type AdministeredEngine, startEngine } from '../../administration/mod.ts';
import { CrossgateError } from '../../base/errors.ts';
import { raiseLimit } from '../../base/process-limits.ts';
import {
  addressPartsIn,
  journalObstacle,
  type Partition,
  PartitionWorker,
  partitionPart,
  partitionsOf,
} from '../../cluster/mod.ts';
import type { EngineLog } from '../../engine/mod.ts';
import {
  type ConfigurationOptions,
  formatProblems,
  type LoadedConfiguration,
  type Operations,
  wholeOps,
} from '../../ops/mod.ts';
import { type EngineConfig, Interruptions } from '../../runtime/mod.ts';
import { JournalHeld, JournalNotGiven, markOfThisProcess } from '../../store/mod.ts';
import { DailySchedule, writeInOwnProcess } from '../journal/daily-schedule.ts';
import { loadedOrExit, type SoundConfiguration } from '../options/configuration.ts';
import { SESSIONS_DEFAULT } from '../options/environment.ts';
import { stateOf } from '../options/journal-place.ts';
import { VERSION } from '../options/version.ts';
import { type EarlySignals, endByForce, endOnBug, leaveSoon, passOverSignals, stopSignal } from '../output/exit.ts';
import { runNode } from './node.ts';
import { fileBytesMax, openFilesMax, tooFewOpenFiles, tooSmallFiles } from './process-limits.ts';
import { type InTurnOptions, startInTurn } from './standby.ts';
import { certificationsOf, programInWords, type Start, type StartOptions, secretsOf } from './starting.ts';
import { tellWelcome, welcome } from './welcome.ts';

/** @param signals heard from before this file was read */
export function addStartCommand(program: Command, signals: EarlySignals): void {
  program
    .command('start')
    .description('run the gateway')
    .option('--sessions <directory>', 'folder of the configuration', SESSIONS_DEFAULT)
    .option('--log <format>', 'auto, pretty or json; json: one stream, the first lines included', 'auto')
    .option('--log-level <level>', 'debug, info, warn or error', 'info')
    .addOption(new Option('--partition <name>').hideHelp())
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
    // Its channel to the node would keep a process alive that failed to start.
    if (options.partition !== undefined) PartitionWorker.leave();
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
  const worker = options.partition === undefined ? null : await PartitionWorker.begin();
  const { createLog, KnownFiles, secretVariables } = await wholeOps();
  // Secrets are read again from the copy; no child process, and no library that prints the environment, gets them.
  const environment = { ...process.env };
  const configuration: ConfigurationOptions = {
    directory: options.sessions,
    environment,
    known: new KnownFiles(),
    ...(worker === null ? {} : { part: partitionPart(worker.beginning) }),
  };
  const first = await loadedOrExit(configuration);
  if (first === null) return PartitionWorker.leave();
  for (const name of secretVariables(first.config, first.admin?.users ?? [])) delete process.env[name];
  const said = createLog({ format: options.log, level: options.logLevel });
  const log: EngineLog =
    worker === null
      ? said
      : (level, text, fields) => said(level, text, { partition: worker.beginning.partition, ...fields });
  sayPassedOver(log);
  // The node has checked what it started this process with.
  if (worker === null && !(await isSound(first, log))) return;
  const start = { options, configuration, first, environment, log, signals };
  const { workers, cluster = null } = first.config;
  if (worker !== null) return await runProcess(start, worker);
  const partitions = partitionsOf(first.config);
  const runsPartitions = cluster !== null || (workers === 'auto' && partitions.length > 1);
  await journalMustBeInPlace(start, partitions, runsPartitions);
  if (runsPartitions) await runNode(start, partitions);
  else await runProcess(start, null);
}

/** @throws CrossgateError XG_JOURNAL_LOCKED if sessions would begin without the numbers that they have */
async function journalMustBeInPlace(
  { first: { config }, log }: Start,
  partitions: readonly Partition[],
  runsPartitions: boolean,
): Promise<void> {
  let obstacle: string | null = null;
  try {
    obstacle = await journalObstacle(config, partitions, runsPartitions);
  } catch (error) {
    // A node that stands by waits for its database; any other one fails at it a moment later.
    log('warn', 'whether the journal lies in another place could not be seen', { error });
  }
  if (obstacle !== null) throw new CrossgateError('XG_JOURNAL_LOCKED', obstacle);
}

/** Certificates and dictionaries too; false after their problems were printed. */
async function isSound(first: SoundConfiguration, log: EngineLog): Promise<boolean> {
  const { bringsDictionaries, checkCertificates, checkDictionaries } = await wholeOps();
  const pairs = checkCertificates(first.config, Date.now());
  const dictionaries = bringsDictionaries(first.config)
    ? await checkDictionaries(first.config)
    : { problems: [], warnings: [] };
  const refused = [...pairs.problems, ...dictionaries.problems];
  if (refused.length > 0) {
    refuse(refused);
    return false;
  }
  tellWarnings(log, [...first.warnings, ...pairs.warnings, ...dictionaries.warnings]);
  const limits = [tooFewOpenFiles(first.config, openFilesMax()), tooSmallFiles(first.config, fileBytesMax())];
  for (const text of limits) if (text !== null) log('warn', text);
  return true;
}

/** The gateway, or one partition of it. */
async function runProcess(start: Start, worker: PartitionWorker | null): Promise<void> {
  const { options, configuration, first, environment, log, signals } = start;
  const { adminPortMustBeFree, startOperations } = await wholeOps();
  const interruptions = new Interruptions({
    folder: first.config.stateDirectory,
    version: VERSION,
    log,
    now: Date.now,
  });
  endOnBug(log, () => interruptions.note());
  const createSecrets = secretsOf(log);
  let raise: AdministeredEngine['alarm'] = (_, text) => log('warn', text);
  const certifications = certificationsOf(start, (alarm, text, fields) => raise(alarm, text, fields));
  await certifications.apply(first.certifications);
  const elsewhere = certifications.elsewhere.bind(certifications);
  const startOne: InTurnOptions['start'] = (
    { config, admin },
    holdsAdminPort,
    stopped,
  ): Promise<AdministeredEngine> => {
    const onSecretsReady = async (): Promise<void> => {
      if (worker !== null) return;
      await createSecrets(config);
      if (!holdsAdminPort) await adminPortMustBeFree(admin);
    };
    const common = { config, log, now: Date.now, onSecretsReady, program: programInWords(), interruptions, elsewhere };
    const listens = worker === null;
    return startEngine({ ...common, listens, ...(stopped === undefined ? {} : { stopped }) });
  };
  const onStanding = (): void => worker?.standing();
  const order = worker?.stopped ?? null;
  const turn = await startInTurn(first, { configuration, log, signals, order, start: startOne, onStanding });
  if (turn === null) {
    PartitionWorker.leave();
    return leaveSoon(log);
  }
  const { engine, loaded: started } = turn;
  raise = engine.alarm.bind(engine);
  await certifications.apply(started.certifications);
  // From now on sessions may be logged on: each is logged out, even if operations have not started yet.
  const signal = stopSignal();
  signals.over();
  let operations: Operations;
  try {
    const process = markOfThisProcess();
    const common = { configuration, started, log, now: Date.now, version: VERSION, process, certifications };
    // Secrets of new sessions are made by the process that owns the ports.
    const prepare = worker === null ? createSecrets : async (): Promise<void> => {};
    const onApplied = (): void => worker?.applied();
    const { nodeToken: parentToken, consoleUrl } = worker?.beginning ?? {};
    const ofParent = parentToken === undefined ? {} : { parentToken, consoleUrl: consoleUrl ?? null };
    operations = await startOperations({ engine, ...common, variables: environment, prepare, onApplied, ...ofParent });
    if (worker !== null) await serve(worker, engine, operations);
  } catch (error) {
    await engine.close();
    throw error;
  }
  const daily = dailySchedule(started.config, environment, log, options.sessions);
  daily?.begin();
  if (worker === null) tellWelcome(welcome(engine, operations, started.admin?.sharedToken === true), options, log);
  // For the next start, should this one be killed.
  flushCompileCache();
  const lost = engine.lost.then((reason) => ({ reason }));
  const told = worker === null ? [] : [worker.stopped];
  const end = await Promise.race([signal, lost, ...told]);
  if (typeof end === 'string') log('info', worker === null ? `${end} received` : `this partition stops: ${end}`);
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
  await worker?.close();
  PartitionWorker.leave();
  leaveSoon(log);
}

/** Take connections from the node. */
async function serve(worker: PartitionWorker, engine: AdministeredEngine, { url }: Operations): Promise<void> {
  const { config, sessions, bridge, journal } = engine;
  worker.onTold = (message) => engine.addressBudget?.shareWith(addressPartsIn(message));
  const isReady = engine.logonGate.heldFor === null && engine.administration.exchangeLogins().every(({ up }) => up);
  await worker.serve(
    config.stateDirectory,
    config.limits,
    (connection, listener, place) => sessions.acceptor.accept(connection, listener, place),
    { adminUrl: url!, bridgeUrl: bridge?.url ?? null, journal: journal.location, isReady },
  );
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
