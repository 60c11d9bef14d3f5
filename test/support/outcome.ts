// The outcome of a run for .ci/judge.mjs: the state of each test, and errors outside of tests, which vitest's JSON report
// leaves out. CROSSGATE_OUTCOME names the file.

import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';

type UnhandledErrors = Parameters<NonNullable<Reporter['onTestRunEnd']>>[1];

interface TestOutcome {
  readonly file: string;
  readonly title: string;
  readonly state: string;
  readonly message: string;
}

const OUTSIDE = '(outside of its tests)';

export default class Outcome implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: UnhandledErrors): void {
    const path = process.env.CROSSGATE_OUTCOME;
    if (path === undefined) return;
    const outcomes = [
      ...modules.flatMap(outcomesOf),
      // An unhandled error names the file that ran at that time.
      ...unhandled.map((error) => failure(String(error.VITEST_TEST_PATH ?? 'vitest'), error.message)),
    ];
    writeFileSync(path, JSON.stringify(outcomes));
  }
}

function outcomesOf(module: TestModule): readonly TestOutcome[] {
  const file = relative(process.cwd(), module.moduleId);
  const tests = [...module.children.allTests()].map((test): TestOutcome => {
    const { state, errors } = test.result();
    const { message = '', diff = '' } = errors?.[0] ?? {};
    return { file, title: test.fullName, state, message: plain(`${message}\n${diff}`) };
  });
  // A file that cannot be loaded, and hooks around tests.
  const around = [module, ...module.children.allSuites()].flatMap((each) => each.errors());
  return [...tests, ...around.map(({ message }) => failure(module.moduleId, message))];
}

function failure(path: string, message: string): TestOutcome {
  return { file: relative(process.cwd(), path), title: OUTSIDE, state: 'failed', message: plain(message) };
}

function plain(message: string): string {
  return stripVTControlCharacters(message).trim();
}
