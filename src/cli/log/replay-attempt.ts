// One replay of a plan at an acceptor: its run, its connection, its progress on a terminal.

import process from 'node:process';
import { CrossgateError, type ErrorCode } from '../../base/errors.ts';
import { type ReplayPlan, type ReplayResult, ReplayRun } from '../../replay/mod.ts';
import { ProgressBar } from '../output/progress-bar.ts';
import { type ReplayConnectionOptions, replayOver } from './replay-connection.ts';

export interface ReplayAttemptOptions extends Omit<ReplayConnectionOptions, 'plan' | 'run' | 'onProgress'> {
  readonly volatile: readonly number[];
  readonly keepsPace: boolean;
  readonly answerTimeoutMs: number;
  readonly waitMaxMs: number;
}

export interface ReplayAttempt {
  readonly result: ReplayResult;
  /** Put before every ClOrdID of this run (rule R1). */
  readonly prefix: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

const NOT_CONNECTED: readonly ErrorCode[] = ['XG_CONNECT_FAILED', 'XG_TLS_INVALID'];

/** Replay. Without a connection nothing is sent, and the result says why. `note`: beside the progress. */
export async function attemptReplay(
  plan: ReplayPlan,
  options: ReplayAttemptOptions,
  note = '',
): Promise<ReplayAttempt> {
  const startedAt = Date.now();
  const prefix = `R${startedAt.toString(36)}-`;
  const { volatile, keepsPace, answerTimeoutMs, waitMaxMs, ...connection } = options;
  const run = new ReplayRun(plan, { prefix, volatile, keepsPace, answerTimeoutMs, waitMaxMs });
  const bar = new ProgressBar(process.stderr, plan.requests.length);
  let reason: string;
  try {
    reason = await replayOver({
      ...{ ...connection, plan, run },
      onProgress: (sent, awaited) => {
        const waits = awaited === null ? [] : [`waiting for ${awaited}`];
        bar.show(sent, [...(note === '' ? [] : [note]), ...waits].join(', '));
      },
    });
  } catch (error) {
    if (!(error instanceof CrossgateError) || !NOT_CONNECTED.includes(error.code)) throw error;
    reason = `${error.message} [${error.code}]`;
  } finally {
    bar.end();
  }
  return { result: run.result(reason), prefix, startedAt, endedAt: Date.now() };
}
