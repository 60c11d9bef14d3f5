// The verdict of .ci/run (.ci/judge.mjs): which files are played once more, which tests count, and the last lines of its output.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const script = join(import.meta.dirname, '../.ci/judge.mjs');
const OUTSIDE = '(outside of its tests)';

interface Result {
  readonly file: string;
  readonly title: string;
  readonly state: string;
  readonly message: string;
}
const passed = (file: string, title: string): Result => ({ file, title, state: 'passed', message: '' });
const skipped = (file: string, title: string): Result => ({ file, title, state: 'skipped', message: '' });
const failed = (file: string, title: string, message = 'expected 1 to be 2'): Result => ({
  file,
  title,
  state: 'failed',
  message,
});

interface Runs {
  readonly outcome?: readonly Result[];
  readonly again?: readonly Result[];
  readonly conformance?: string;
}

function judge(command: 'again' | 'verdict', runs: Runs, exit = '1'): { status: number | null; lines: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-judge-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { outcome, again, conformance } = runs;
  if (outcome !== undefined) writeFileSync(join(folder, 'outcome.json'), JSON.stringify(outcome));
  if (again !== undefined) writeFileSync(join(folder, 'again.json'), JSON.stringify(again));
  if (conformance !== undefined) writeFileSync(join(folder, 'conformance.log'), conformance);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, command, folder, exit], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return { status, lines: stdout.split('\n').slice(0, -1) };
}

const A = 'test/a.test.ts';
const B = 'test/b.test.ts';

test('a run in which all passed has figures alone', () => {
  const outcome = [passed(A, 'one'), passed(B, 'one'), skipped(B, 'two')];
  expect(judge('verdict', { outcome }, '0')).toEqual({ status: 0, lines: ['2 passed, 0 failed, 1 skipped'] });
  expect(judge('again', { outcome }).lines).toEqual([]);
});

test('a file that failed is played once more; a test that passes then is unsteady and counts as passed', () => {
  const outcome = [passed(A, 'one'), failed(A, 'two', 'Error: late\n\n  at x\n'), passed(B, 'one')];
  expect(judge('again', { outcome }).lines).toEqual([A]);
  const again = [passed(A, 'one'), passed(A, 'two')];
  expect(judge('verdict', { outcome, again })).toEqual({
    status: 0,
    lines: [`unsteady: ${A} > two: Error: late`, '      at x', '3 passed, 0 failed'],
  });
});

test('a failure counts that comes again, that was not played again, or whose test is gone', () => {
  const outcome = [failed(A, 'one'), passed(A, 'two'), failed(B, 'one')];
  const lines = [
    `failed: ${A} > one: expected 1 to be 2`,
    `failed: ${B} > one: expected 1 to be 2`,
    '1 passed, 2 failed',
  ];
  expect(judge('verdict', { outcome })).toEqual({ status: 1, lines });
  expect(judge('verdict', { outcome, again: [failed(A, 'one'), skipped(B, 'one')] })).toEqual({ status: 1, lines });
});

test('of equal titles in a file, all must pass in the second run', () => {
  const outcome = [failed(A, 'same'), passed(A, 'same')];
  expect(judge('verdict', { outcome, again: [passed(A, 'same'), failed(A, 'same')] }).status).toBe(1);
});

test('an error outside of tests fails the run, unless the file ends without it in the second', () => {
  const outcome = [passed(A, 'one'), failed(A, OUTSIDE, 'connection lost')];
  expect(judge('again', { outcome }).lines).toEqual([A]);
  expect(judge('verdict', { outcome }).lines.at(-1)).toBe('1 passed, 1 failed');
  expect(judge('verdict', { outcome, again: [passed(A, 'one')] })).toEqual({
    status: 0,
    lines: [`unsteady: ${A} > ${OUTSIDE}: connection lost`, '1 passed, 0 failed'],
  });
});

test('more than six files with failures are not played again, nor an error that names no file', () => {
  const files = Array.from({ length: 7 }, (_, i) => `test/${i}.test.ts`);
  const outcome = files.map((file) => failed(file, 'one'));
  expect(judge('again', { outcome: outcome.slice(1) }).lines).toEqual(files.slice(1));
  expect(judge('again', { outcome }).lines).toEqual([]);
  expect(judge('again', { outcome: [failed('vitest', OUTSIDE)] }).lines).toEqual([]);
});

test('a run without an outcome, or one that ends badly though each test passed, is a failure', () => {
  const line = 'failed: npm test > exit 1: no test says why: see above';
  expect(judge('verdict', {})).toEqual({ status: 1, lines: [line, '0 passed, 1 failed'] });
  expect(judge('verdict', { outcome: [passed(A, 'one')] })).toEqual({ status: 1, lines: [line, '1 passed, 1 failed'] });
});

test('the acceptance scripts count as one test, which names those that are not expected to fail', () => {
  const outcome = [passed(A, 'one')];
  const known = 'FAIL fix50/2r_UnregisteredMsgType.def:9 (20 ms)\n     field 1137 is missing\n';
  const good = { outcome, conformance: `${known}\n465 passed, 3 failed\n` };
  expect(judge('verdict', good, '0')).toEqual({ status: 0, lines: ['2 passed, 0 failed'] });
  const late = 'FAIL fix44/6_SendTestRequest.def:4 (2400 ms)\n     nothing came in 2400 ms\n';
  const bad = { outcome, conformance: `${known}${late}\n464 passed, 4 failed\n` };
  expect(judge('verdict', bad, '0')).toEqual({
    status: 1,
    lines: [
      'failed: acceptance scripts > fix44/6_SendTestRequest.def:4: nothing came in 2400 ms',
      '1 passed, 1 failed',
    ],
  });
  const none = { outcome, conformance: 'error: the build ended early\n' };
  expect(judge('verdict', none, '0').lines).toEqual([
    'failed: acceptance scripts > 0 passed: error: the build ended early',
    '1 passed, 1 failed',
  ]);
});
