// The result of a conformance run: lines for people, JSON, JUnit XML.

import { formatIso } from '../../base/time.ts';
import { junitXml } from '../../replay/mod.ts';
import { compareFields, type FieldNames, type Place, type StepVerdict, sideBySide } from '../../scenario/mod.ts';
import type { CaseResult } from './case-player.ts';
import type { SuiteCase } from './suite-files.ts';

/** A case and how it ended; no result: it does not apply to this version or role. */
export interface ConformedCase extends SuiteCase {
  readonly result: CaseResult | null;
}

export interface ConformContext {
  /** `HOST:PORT` of the counterparty, or of our port. */
  readonly counterparty: string;
  readonly version: string;
  readonly names: FieldNames;
  readonly startedAt: number;
  readonly endedAt: number;
}

const MARK = { passed: '✓', failed: '✗', notSeen: '✗', skipped: '–' } as const;

/** A case in one line, and of a failed one the step with expected and received fields beside each other. */
export function caseLines({ linked, result }: ConformedCase, names: FieldNames): string[] {
  const title = `${linked.id}${linked.title === '' ? '' : ` ${linked.title}`}${linked.mandatory ? '' : ' (optional)'}`;
  if (result === null) return [`– ${title}: does not apply to this version`];
  const seconds = ((result.endedAt - result.startedAt) / 1000).toFixed(1);
  const line = `${MARK[result.outcome]} ${title} (${seconds} s)`;
  if (result.outcome === 'passed') return [line];
  if (result.outcome === 'skipped') return [`${line}: not run: ${result.text}`];
  return [line, ...failureLines(linked, result, names).map((text) => `    ${text}`)];
}

/** Why a case failed: the step, its rule and hint, the fields, the messages just before. */
function failureLines(linked: SuiteCase['linked'], result: CaseResult, names: FieldNames): string[] {
  const verdict = failedStep(result);
  if (verdict === null) return [result.text];
  const { step, text, expected, received, differences } = verdict;
  const rule = step.rule ?? linked.rule;
  const lines = [`${where(step.place)}: ${step.text}`, ...step.calls.map((call) => `  called at ${where(call)}`), text];
  if (rule !== null) lines.push(`rule: ${rule}`);
  if (step.hint !== null) lines.push(`hint: ${step.hint}`);
  if (expected !== null || received !== null) {
    lines.push(...sideBySide(compareFields(expected, received, differences, names)));
  }
  return lines;
}

function failedStep({ verdicts }: CaseResult): StepVerdict | null {
  return verdicts.find(({ outcome }) => outcome === 'failed' || outcome === 'notSeen') ?? null;
}

const where = ({ file, line }: Place): string => `${file}:${line}`;

/** Numbers of cases by outcome; `failed` counts mandatory ones alone. */
export function countCases(cases: readonly ConformedCase[]) {
  const ran = cases.flatMap(({ linked, result }) => (result === null ? [] : [{ linked, ...result }]));
  const failed = ran.filter(({ outcome }) => outcome === 'failed' || outcome === 'notSeen');
  return {
    cases: cases.length,
    passed: ran.filter(({ outcome }) => outcome === 'passed').length,
    failed: failed.filter(({ linked }) => linked.mandatory).length,
    optionalFailed: failed.filter(({ linked }) => !linked.mandatory).length,
    notRun: cases.length - ran.filter(({ outcome }) => outcome !== 'skipped').length,
  };
}

/** The result as JSON, in pieces. Secrets of messages are masked. */
export function* conformJson(cases: readonly ConformedCase[], context: ConformContext): Generator<string> {
  const { counterparty, version, startedAt, endedAt, names } = context;
  const { cases: _, ...counts } = countCases(cases);
  const head = { counterparty, version, startedAt: formatIso(startedAt), endedAt: formatIso(endedAt), ...counts };
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "cases": [`;
  for (const [index, one] of cases.entries()) {
    yield `${index === 0 ? '' : ','}\n    ${JSON.stringify(caseJson(one, names))}`;
  }
  yield '\n  ]\n}\n';
}

function caseJson({ suite, linked, result }: ConformedCase, names: FieldNames): unknown {
  const { id, title, rule, mandatory } = linked;
  const about = { suite, id, title, rule, mandatory };
  if (result === null) return { ...about, outcome: 'notApplicable' };
  const steps = result.verdicts.map(({ step, outcome, text, at, expected, received, differences }) => ({
    step: step.text,
    at: formatIso(at),
    file: step.place.file,
    line: step.place.line,
    outcome,
    ...(text === '' ? {} : { text, rule: step.rule ?? rule, hint: step.hint }),
    ...(outcome === 'passed' ? {} : { fields: compareFields(expected, received, differences, names) }),
  }));
  const messages = result.messages.map(({ at, ...one }) => ({ at: formatIso(at), ...one }));
  return {
    ...about,
    outcome: result.outcome,
    text: result.text,
    ms: result.endedAt - result.startedAt,
    steps,
    messages,
  };
}

type JUnitCase = Parameters<typeof junitXml>[1][number];

/** The result as JUnit XML. A case that was not run is no test of it. */
export function conformJUnit(cases: readonly ConformedCase[], context: ConformContext): string {
  const { counterparty, startedAt, endedAt, names } = context;
  const ran = cases.flatMap(({ suite, linked, result }): JUnitCase[] => {
    if (result === null || result.outcome === 'skipped') return [];
    const name = `${linked.id} ${linked.title}`.trim();
    if (result.outcome === 'passed') return [{ classname: suite, name, problem: null }];
    const element = result.connected ? ('failure' as const) : ('error' as const);
    const lines = failureLines(linked, result, names);
    const evidence = result.messages.map(({ direction, text }) => `${direction === 'sent' ? '>' : '<'} ${text}`);
    const problem = { element, type: result.outcome, lines: [result.text, ...lines, ...evidence] };
    return [{ classname: suite, name, problem }];
  });
  return [...junitXml({ name: `conform ${counterparty}`, startedAt, endedAt }, ran)].join('');
}
