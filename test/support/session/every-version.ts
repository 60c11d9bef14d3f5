// Session test cases in every FIX version: a script is written for FIX.4.4 and translated.

import { test } from 'vitest';
import { type MachineDriver, type MachineOptions, runScenario } from './session-machine.ts';

export const BEGIN_STRINGS = ['FIX.4.0', 'FIX.4.1', 'FIX.4.2', 'FIX.4.3', 'FIX.4.4', 'FIXT.1.1'] as const;
export type BeginString = (typeof BEGIN_STRINGS)[number];

/**
 * A FIX.4.4 script as another version has it: Reject(3) without 371 to 373 before 4.2 and with 373 only as far as 4.2 has
 * it (rule S5), Logon(A) with DefaultApplVerID(1137) in FIXT.1.1.
 */
export function inVersion(script: string, beginString: BeginString): string {
  const own = script
    .replaceAll('8=FIX.4.4|', `8=${beginString}|`)
    .replaceAll('expected FIX.4.4|', `expected ${beginString}|`);
  if (beginString === 'FIX.4.0' || beginString === 'FIX.4.1') {
    return own.replace(/^(\s*< 35=3\|.*)$/gm, (line) => line.replace(/\b37[123]=[^|]*\|/g, ''));
  }
  if (beginString === 'FIX.4.2') return own.replace(/^(\s*< 35=3\|.*)\b373=(?:1[2-9]|99)\|/gm, '$1');
  if (beginString !== 'FIXT.1.1') return own;
  return own
    .replace(/^(\s*[<>]+ 35=A\|.*?108=[^|]*\|(?:141=Y\|)?(?:789=\d+\|)?(?:464=Y\|)?)/gm, '$1{1137}')
    .replaceAll('{1137}', '1137=9|');
}

/** A script as a test ran it, to be run again elsewhere. */
export interface RecordedScenario {
  readonly title: string;
  readonly script: string;
  readonly options: MachineOptions;
  /** First version that has the case. */
  readonly from: BeginString;
}

let recording: RecordedScenario[] | null = null;

/**
 * The FIX.4.4 scripts of test files, for a runner over another medium. `load` imports the files; their tests run on the
 * pure machine here and now, and are not registered. Whatever becomes of `load`, recording ends with it: files that run
 * later in the same process would register no test.
 */
export async function recordScenarios(load: () => Promise<unknown>): Promise<readonly RecordedScenario[]> {
  const recorded: RecordedScenario[] = [];
  recording = recorded;
  try {
    await load();
  } finally {
    recording = null;
  }
  return recorded;
}

export type ScenarioRunner = (script: string, options?: MachineOptions) => MachineDriver;

/** Register a test for each version, from `from` on; `run` is `runScenario` for that version. */
export function testInEveryVersion(
  title: string,
  body: (run: ScenarioRunner) => void,
  from: BeginString = 'FIX.4.0',
): void {
  if (recording !== null) {
    const recorded = recording;
    body((script, options = {}) => {
      recorded.push({ title, script, options, from });
      return runScenario(script, options);
    });
    return;
  }
  for (const beginString of BEGIN_STRINGS.slice(BEGIN_STRINGS.indexOf(from))) {
    test(`${title} (${beginString})`, () => {
      body((script, options = {}) => {
        const config = { beginString, ...options.config };
        return runScenario(inVersion(script, beginString), { ...options, config });
      });
    });
  }
}
