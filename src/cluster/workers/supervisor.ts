// Keeps the partitions of a node running: one that ends is started again, after a pause that grows, and the others go on.

import { CrossgateError } from '../../base/errors.ts';
import type { EngineLog } from '../../engine/mod.ts';
import type { PartitionHost, RunningPartition, StartOptions } from './partition-host.ts';

/** First and longest pause before a partition is started again; the pause doubles with each end. */
const PAUSE_FIRST_MS = 250;
const PAUSE_LARGEST_MS = 10_000;
/** One that served so long has its first pause again. */
const STEADY_MS = 60_000;
/** The end of a process that stopped in order (fork-host.ts). */
const IN_ORDER = 'exit code 0';

export interface SupervisorOptions {
  readonly host: PartitionHost;
  readonly log: EngineLog;
  readonly start?: StartOptions;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<string, RunningPartition>();
  readonly #states = new Map<string, string>();
  readonly #pauses = new Map<string, NodeJS.Timeout>();
  readonly #starting = new Set<Promise<unknown>>();
  #isStopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Null while it does not serve. */
  partition(name: string): RunningPartition | null {
    return this.#running.get(name) ?? null;
  }

  get serving(): readonly RunningPartition[] {
    return [...this.#running.values()];
  }

  /** Each partition that is kept running, and what it does, in a word. */
  states(): ReadonlyMap<string, string> {
    return this.#states;
  }

  /** Start a partition, and keep it running from then on. @throws CrossgateError if its first start fails */
  async keep(name: string): Promise<void> {
    await this.#start(name, PAUSE_FIRST_MS);
  }

  /** Stop all of them in order; false if one of them did not end so. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    const ends = Promise.all(this.serving.map(({ ended }) => ended));
    for (const pause of this.#pauses.values()) clearTimeout(pause);
    await Promise.all([...this.#states.keys()].map((name) => this.#options.host.stop(name)));
    await Promise.allSettled(this.#starting);
    return (await ends).every((reason) => reason === IN_ORDER);
  }

  async #start(name: string, pauseMs: number): Promise<void> {
    const { host, log, start } = this.#options;
    if (this.#isStopping) throw new CrossgateError('XG_ENGINE_CLOSED', `partition ${name} is not started any more`);
    this.#states.set(name, 'starting');
    const begun = host.start(name, { ...start, onStanding: () => this.#states.set(name, 'standing by') });
    this.#starting.add(begun);
    let partition: RunningPartition;
    try {
      partition = await begun;
    } catch (error) {
      this.#states.set(name, 'stopped');
      throw error;
    } finally {
      this.#starting.delete(begun);
    }
    const startedAt = performance.now();
    this.#running.set(name, partition);
    this.#states.set(name, 'running');
    log('info', 'partition serves', { partition: name, process: partition.pid });
    void partition.ended.then((reason) => {
      this.#running.delete(name);
      this.#states.set(name, 'stopped');
      if (this.#isStopping) return;
      const isSteady = performance.now() - startedAt >= STEADY_MS;
      log('error', `the process of a partition ended: ${reason}`, { partition: name });
      this.#startAgain(name, isSteady ? PAUSE_FIRST_MS : pauseMs);
    });
  }

  #startAgain(name: string, pauseMs: number): void {
    if (this.#isStopping) return;
    this.#options.log('info', `partition starts again in ${pauseMs} ms`, { partition: name });
    const next = Math.min(pauseMs * 2, PAUSE_LARGEST_MS);
    const timer = setTimeout(() => {
      this.#pauses.delete(name);
      this.#start(name, next).catch((error: unknown) => {
        if (!(error instanceof CrossgateError)) throw error;
        if (this.#isStopping) return;
        this.#states.set(
          name,
          'not starting, and tried again: its log has the reason, `crossgate check` shows faults of files',
        );
        this.#options.log(
          'error',
          `${error.message}; its reason stands above, \`crossgate check\` shows faults of files`,
          { partition: name },
        );
        this.#startAgain(name, next);
      });
    }, pauseMs);
    this.#pauses.set(name, timer);
  }
}
