// `crossgate replay --shrink`: replays parts of a log that differs until no request can be left out, and writes what is
// left as a scenario.

import { writeFile } from 'node:fs/promises';
import type { Dictionary } from '../../dictionary/mod.ts';
import { differenceToKeep, nothingSent, type ReplayPlan, type ReplayResult, shrink } from '../../replay/mod.ts';
import { attemptReplay, type ReplayAttemptOptions } from './replay-attempt.ts';
import { shrunkScenario } from './shrunk-scenario.ts';

/** Most replays for one shrinking. */
const ATTEMPTS_MAX = 500;

export interface ShrinkOptions {
  /** Where the scenario goes. */
  readonly file: string;
  readonly dictionaries: readonly Dictionary[];
}

/** Shrink a plan that gave `result`. @returns what came of it, in words */
export async function shrinkReplay(
  plan: ReplayPlan,
  result: ReplayResult,
  attempt: ReplayAttemptOptions,
  { file, dictionaries }: ShrinkOptions,
): Promise<string> {
  const kept = differenceToKeep(result);
  if (kept === null) return 'nothing to shrink: no request is answered differently';
  const shrinking = shrink(plan, kept);
  let attempts = 0;
  let next = shrinking.next();
  let smallest = plan;
  while (next.done !== true) {
    if (attempts === ATTEMPTS_MAX) break;
    attempts++;
    const tried: ReplayPlan = next.value;
    const { result: came } = await attemptReplay(tried, attempt, `shrinking, attempt ${attempts}`);
    const reason = nothingSent(came);
    if (reason !== null) return `not shrunk: attempt ${attempts} sent nothing: ${reason}`;
    next = shrinking.next(came);
  }
  if (next.done === true) smallest = next.value;
  else return `not shrunk: ${ATTEMPTS_MAX} attempts were not enough; leave out a part of the log by --from and --to`;
  await writeFile(file, shrunkScenario(smallest, kept, dictionaries));
  const [before, after] = [plan.requests.length, smallest.requests.length];
  return `shrunk from ${before} to ${after} requests that still differ, in ${attempts} attempts: ${file}`;
}
