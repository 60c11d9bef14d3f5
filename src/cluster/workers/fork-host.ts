// Starts partitions as processes of this program. A process that does not serve yet may be stopped too.

import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { CrossgateError } from '../../base/errors.ts';
import type { EngineLog } from '../../engine/mod.ts';
import type { PartitionHost, RunningPartition, StartOptions } from './partition-host.ts';
import type { Beginning, FromWorker, ToWorker } from './worker-messages.ts';
import { WorkerProcess } from './worker-process.ts';

const TOKEN_BYTES = 32;

export interface ForkHostOptions {
  /** Program and arguments of a partition; its own options are added. */
  readonly program: string;
  readonly args: readonly string[];
  /** With the secrets that this process no longer has in its own. */
  readonly environment: NodeJS.ProcessEnv;
  /** First message to each partition, besides its name. */
  readonly beginning: Omit<Beginning, 'kind' | 'partition' | 'standsBy' | 'nodeToken'>;
  /** Whether partitions wait for their journals. */
  readonly standsBy: boolean;
  readonly log: EngineLog;
  /** A partition has taken over a changed configuration. */
  readonly onApplied: () => void;
}

export class ForkHost implements PartitionHost {
  readonly #options: ForkHostOptions;
  readonly #children = new Map<string, { readonly child: ChildProcess; readonly ended: Promise<string> }>();

  constructor(options: ForkHostOptions) {
    this.#options = options;
  }

  async start(partition: string, options: StartOptions = {}): Promise<RunningPartition> {
    const { program, args, environment, beginning, standsBy } = this.#options;
    if (!beginning.partitions.some(({ name }) => name === partition)) {
      throw new CrossgateError('XG_CONFIG_INVALID', `there is no partition ${partition}`);
    }
    const child = fork(program, [...args, '--partition', partition], {
      env: environment,
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ended = this.#endOf(child, partition);
    this.#children.set(partition, { child, ended });
    watch(child, options.watchdogMs);
    const nodeToken = randomBytes(TOKEN_BYTES).toString('base64url');
    const message = { ...beginning, partition, standsBy: options.standsBy ?? standsBy, nodeToken };
    child.send({ kind: 'begin', ...message } satisfies ToWorker, () => {});
    return await new Promise((resolve, reject) => {
      child.on('message', (heard: FromWorker) => {
        if (heard.kind === 'serving') resolve(new WorkerProcess(partition, child, { ...heard, nodeToken }, ended));
        else if (heard.kind === 'standing') options.onStanding?.();
        else if (heard.kind === 'applied') this.#options.onApplied();
      });
      void ended.then((reason) =>
        reject(new CrossgateError('XG_ENGINE_CLOSED', `partition ${partition} ended before it served: ${reason}`)),
      );
    });
  }

  async stop(partition: string): Promise<void> {
    const found = this.#children.get(partition);
    if (found === undefined) return;
    if (found.child.connected) found.child.send({ kind: 'stop' } satisfies ToWorker, () => {});
    await found.ended;
  }

  #endOf(child: ChildProcess, partition: string): Promise<string> {
    return new Promise((resolve) => {
      const end = (reason: string): void => {
        if (this.#children.get(partition)?.child === child) this.#children.delete(partition);
        resolve(reason);
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(signal === null ? `exit code ${code}` : `ended by ${signal}`));
    });
  }
}

/** Kill a process that gives no sign of life: its machine or disk holds it, and its counterparties with it. */
function watch(child: ChildProcess, watchdogMs: number | undefined): void {
  if (watchdogMs === undefined) return;
  let timer: NodeJS.Timeout | null = null;
  let heard = 0;
  const look = (): void => {
    // This process may have been stopped itself: signs of life that came meanwhile are read first.
    const before = heard;
    setImmediate(() =>
      setImmediate(() => {
        if (heard === before) child.kill('SIGKILL');
      }),
    );
  };
  child.on('message', ({ kind }: FromWorker) => {
    heard++;
    // Once it serves: on a busy machine a start is silent for longer, and it holds no counterparty.
    if (kind === 'serving' && timer === null) timer = setTimeout(look, watchdogMs);
    else timer?.refresh();
  });
  child.once('exit', () => {
    if (timer !== null) clearTimeout(timer);
  });
}
