// A standby node over PostgreSQL (`store.standby: wait`). While another node writes the journal it waits, answers
// health requests, and serves no counterparty. When that node has stopped or was killed, it takes over with the
// configuration of that moment. A node that is stopped meanwhile, or during an immediate start, leaves the journal in
// order. The store watches the lease; start.ts starts the engine.

import { setTimeout as pause } from 'node:timers/promises';
import { type AdministeredEngine, loadGateway } from '../../administration/mod.ts';
import { CrossgateError } from '../../base/errors.ts';
import type { EngineLog } from '../../engine/mod.ts';
import { type ConfigurationOptions, formatProblems, readAdminAddress, wholeOps } from '../../ops/mod.ts';
import { makeStateDirectory, type PostgresConfig } from '../../runtime/mod.ts';
import { JournalHeld, JournalNotGiven, lives, markOfThisProcess, standBy } from '../../store/mod.ts';
import type { SoundConfiguration } from '../options/configuration.ts';
import type { EarlySignals } from '../output/exit.ts';

/** Time between two tries to take a journal that the database does not give. */
const TRY_AGAIN_MS = 1_000;

export interface InTurnOptions {
  /** Its folder, and the secrets that the process no longer has in its own environment. */
  readonly configuration: ConfigurationOptions;
  /** Called when it waits for a journal that another node writes. */
  readonly onStanding?: () => void;
  /** Resolves with the reason when the node stops this process, which is a partition of it; null: it is none. */
  readonly order: Promise<string> | null;
  readonly log: EngineLog;
  readonly signals: EarlySignals;
  /** @throws JournalHeld if another node was the first; a node that stands by holds the port of its admin API itself */
  readonly start: (
    loaded: SoundConfiguration,
    holdsAdminPort: boolean,
    stopped?: AbortSignal,
  ) => Promise<AdministeredEngine>;
}

export interface Started {
  readonly engine: AdministeredEngine;
  /** Its start options. */
  readonly loaded: SoundConfiguration;
}

/**
 * Start the engine: at once, or on a standby node when it is its turn. Null if it was stopped before that.
 * @throws every error of the start
 */
export async function startInTurn(first: SoundConfiguration, options: InTurnOptions): Promise<Started | null> {
  const { log, signals, order } = options;
  if (first.config.postgres === null) return { engine: await options.start(first, false), loaded: first };
  if (!first.config.postgres.standsBy) {
    const engine = await taken(first, false, options);
    return engine === null ? null : { engine, loaded: first };
  }
  const { stateDirectory } = first.config;
  await makeStateDirectory(stateDirectory);
  await mustBeUnused(stateDirectory);
  const { loadOperations, startStandbyServer } = await wholeOps();
  let said = 'this node looks for the one that writes the journal';
  const mark = markOfThisProcess();
  const { admin } = first;
  const server = await startStandbyServer({ admin, stateDirectory, process: mark, log, said: () => said });
  const tell = (text: string, level: 'info' | 'error' = 'info'): void => {
    said = text;
    log(level, text);
  };
  let hasWaited = false;
  /** Why this node could not take the journal that may be had. */
  let trouble: string | null = null;
  const stand = async (): Promise<void> => {
    // The time of a take-over is for the journal and the exchange, not for reading the program.
    await Promise.all([loadGateway(first.config), first.admin === null ? null : loadOperations()]);
    options.onStanding?.();
  };
  const tellOfWriter = (text: string): void => {
    if (!hasWaited) void stand();
    hasWaited = true;
    trouble = null;
    tell(text);
  };
  try {
    for (let [loaded, isKnown] = [first, false]; ; isKnown = true) {
      const { postgres } = loaded.config;
      const place = { ...postgres!, isKnown, pauseMs: trouble === null ? 0 : TRY_AGAIN_MS };
      const waits = (stopped: AbortSignal): Promise<null> => wait(place, tellOfWriter, stopped);
      const end = postgres === null ? null : await signals.told(waits, order);
      if (typeof end === 'string') {
        log('info', end);
        return null;
      }
      if (trouble === null) tell('the journal may be had: this node takes it');
      loaded = await newest(loaded, options);
      try {
        const engine = await taken(loaded, true, options);
        return engine === null ? null : { engine, loaded };
      } catch (error) {
        if (error instanceof JournalHeld) trouble = null;
        else if (!(error instanceof JournalNotGiven && hasWaited)) throw error;
        else {
          // The database goes away, or loses its own standby, with the machine of the node before as like as not.
          if (error.message !== trouble) tell(`this node takes over as soon as it can: ${error.message}`, 'error');
          trouble = error.message;
        }
      }
    }
  } finally {
    await server.close();
  }
}

/**
 * Start over PostgreSQL. Null if this node was stopped meanwhile: half-way it would leave its lease, and the next node
 * would wait for its end, or be refused. Another node's lease is not awaited then. @throws every error of the start
 */
async function taken(
  loaded: SoundConfiguration,
  holdsAdminPort: boolean,
  { log, signals, order, start }: InTurnOptions,
): Promise<AdministeredEngine | null> {
  let engine: AdministeredEngine | null = null;
  let failure: unknown = null;
  const end = await signals.told(async (stopped) => {
    const said = (): void => log('info', `${stopped.reason}: this node stops, and leaves the journal to the next one`);
    stopped.addEventListener('abort', said, { once: true });
    try {
      engine = await start(loaded, holdsAdminPort, stopped);
    } catch (error) {
      failure = error;
    }
    return engine;
  }, order);
  if (typeof end !== 'string') {
    if (end === null) throw failure;
    return end;
  }
  await (engine as AdministeredEngine | null)?.close();
  return null;
}

async function wait(
  place: PostgresConfig & { readonly isKnown: boolean; readonly pauseMs: number },
  tell: (text: string) => void,
  stopped: AbortSignal,
): Promise<null> {
  const { url, journal, requestTimeoutMs, isKnown, pauseMs } = place;
  // A node that was stopped meanwhile has nothing to check.
  await pause(pauseMs, undefined, { signal: stopped }).catch(() => {});
  let writer = 'another node';
  const waits = (): void => tell(`this node stands by: the journal ${journal} is written by ${writer}`);
  const listener = {
    onWriter: (one: string): void => {
      writer = one;
      waits();
    },
    onTrouble: (reason: string | null): void => {
      if (reason === null) waits();
      else tell(`this node stands by and does not see whether the journal ${journal} is written: ${reason}`);
    },
  };
  await standBy({ url: () => url.read(), journal, requestTimeoutMs, isKnown }, listener, stopped);
  return null;
}

/** Two nodes of one machine would take each other's notes for their own. @throws CrossgateError XG_JOURNAL_LOCKED */
async function mustBeUnused(stateDirectory: string): Promise<void> {
  const note = await readAdminAddress(stateDirectory).catch(() => null);
  if (note === null || note.process === null || !lives(note.process)) return;
  const [id] = note.process.split(' ');
  throw new CrossgateError(
    'XG_JOURNAL_LOCKED',
    `the state folder ${stateDirectory} is used by process ${id}, which is running: a node that stands by has one of its own (\`state\` in gateway.yaml, CROSSGATE_STATE)`,
  );
}

function isSamePlace(one: SoundConfiguration['admin'], other: SoundConfiguration['admin']): boolean {
  return one?.host === other?.host && one?.port === other?.port;
}

/** The configuration as it is now: as with a running gateway, one that has problems is not used. */
async function newest(before: SoundConfiguration, { configuration, log }: InTurnOptions): Promise<SoundConfiguration> {
  const { adminPortMustBeFree, checkCertificates, loadConfiguration } = await wholeOps();
  const loaded = loadConfiguration(configuration);
  const { config } = loaded;
  const problems = config === null ? loaded.problems : checkCertificates(config, Date.now()).problems;
  if (config !== null && problems.length === 0) {
    if (config.stateDirectory !== before.config.stateDirectory) {
      log(
        'warn',
        'another state folder counts from the next start on: this node takes over as it was configured before',
      );
      return before;
    }
    // This node holds its own port; the owner of another node's port is unknown.
    if (isSamePlace(loaded.admin, before.admin)) return { ...loaded, config };
    try {
      await adminPortMustBeFree(loaded.admin);
      return { ...loaded, config };
    } catch (error) {
      log('error', `this node takes over as it was configured before: ${(error as Error).message}`);
      return before;
    }
  }
  const text = 'the configuration has problems since this node stands by: it takes over as it was configured before';
  log('error', `${text}\n${formatProblems(problems)}`);
  return before;
}
