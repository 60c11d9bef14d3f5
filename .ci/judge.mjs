// Judges the runs of .ci/run, by what test/support/outcome.ts wrote: outcome.json, and again.json of files played once more.
//   judge.mjs again FOLDER             prints the files to play once more, one a line
//   judge.mjs verdict FOLDER STATUS    prints unsteady tests, failures and figures; exit 1 unless all passed. STATUS: of the first run.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** More files than this fail together for a reason; one or two may have met a slow moment of the machine. */
const FILES_AGAIN_MAX = 6;
/** Of output: failures, lines of one, columns of a line. */
const FAILURES_MAX = 40;
const LINES_MAX = 8;
const COLUMNS_MAX = 300;
/** Scripts of QuickFIX C++ that fail for a reason: docs/reference/engine-habits.md, "Habits of other engines". */
const SCRIPTS_EXPECTED = 465;
const SCRIPT_EXPECTED_TO_FAIL = /^fix50(sp\d)?\/2r_/;

const failuresOf = (outcome) => outcome.filter(({ state }) => state === 'failed');
const keyOf = ({ file, title }) => `${file} > ${title}`;

/** Files with a failure; none if they are too many. */
function filesToPlayAgain(outcome) {
  const files = [...new Set(failuresOf(outcome).map(({ file }) => file))];
  return files.length > FILES_AGAIN_MAX || !files.every((file) => file.startsWith('test/')) ? [] : files;
}

/** A test that failed once and passed once is unsteady, and counts as passed. `again`: empty without a second run. */
function verdictOf(outcome, again) {
  const failedAgain = new Set(failuresOf(again).map(keyOf));
  const passedAgain = new Set(again.filter(({ state }) => state === 'passed').map(keyOf));
  const filesAgain = new Set(again.map(({ file }) => file));
  const isTest = (one) => one.title !== '(outside of its tests)';
  const isUnsteady = (one) =>
    !failedAgain.has(keyOf(one)) && (isTest(one) ? passedAgain.has(keyOf(one)) : filesAgain.has(one.file));
  const unsteady = failuresOf(outcome).filter(isUnsteady);
  return {
    passed: outcome.filter(({ state }) => state === 'passed').length + unsteady.filter(isTest).length,
    failed: failuresOf(outcome).filter((one) => !isUnsteady(one)),
    skipped: outcome.filter(({ state }) => state === 'skipped').length,
    unsteady,
  };
}

/** What failed of the acceptance scripts, by the log of their run: none if as many passed as are expected to. */
function scriptFailures(log) {
  const passed = Number(/^(\d+) passed, \d+ failed$/m.exec(log)?.[1] ?? 0);
  if (passed >= SCRIPTS_EXPECTED) return [];
  const failures = [...log.matchAll(/^FAIL (\S+).*\n\s*(.*)/gm)]
    .filter(([, name]) => !SCRIPT_EXPECTED_TO_FAIL.test(name))
    .map(([, title, message]) => ({ file: 'acceptance scripts', title, message }));
  return failures.length > 0 ? failures : [{ file: 'acceptance scripts', title: `${passed} passed`, message: log }];
}

/** `file > title: message`, of the message its first lines. */
function inShort({ message, ...of }) {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  const first = lines.slice(0, LINES_MAX).map((line) => line.trimEnd().slice(0, COLUMNS_MAX));
  return `${keyOf(of)}: ${first.join('\n    ')}`;
}

function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Empty without a run. */
function outcomeIn(folder, name) {
  return JSON.parse(textOf(join(folder, name)) ?? '[]');
}

/** Lines that say which tests failed or are unsteady, the figures last; `isGood` if none failed. */
function judge(folder, status) {
  const { passed, failed, skipped, unsteady } = verdictOf(
    outcomeIn(folder, 'outcome.json'),
    outcomeIn(folder, 'again.json'),
  );
  // The checks before the tests write no outcome, nor does a run that was ended.
  if (status !== '0' && failed.length + unsteady.length === 0) {
    failed.push({ file: 'npm test', title: `exit ${status}`, message: 'no test says why: see above' });
  }
  // The scripts count as one test.
  const log = textOf(join(folder, 'conformance.log'));
  const scripts = log === null ? [] : scriptFailures(log);
  const isScript = log === null ? 0 : 1;
  const figures = [
    `${passed + (scripts.length === 0 ? isScript : 0)} passed`,
    `${failed.length + (scripts.length === 0 ? 0 : isScript)} failed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const lines = [
    ...unsteady.map((one) => `unsteady: ${inShort(one)}`),
    ...[...failed, ...scripts].slice(0, FAILURES_MAX).map((one) => `failed: ${inShort(one)}`),
    figures.join(', '),
  ];
  return { lines, isGood: failed.length + scripts.length === 0 };
}

const [, , command, folder, status] = process.argv;
if (command === 'again') {
  for (const file of filesToPlayAgain(outcomeIn(folder, 'outcome.json'))) console.log(file);
} else {
  const { lines, isGood } = judge(folder, status);
  console.log(lines.join('\n'));
  process.exitCode = isGood ? 0 : 1;
}
