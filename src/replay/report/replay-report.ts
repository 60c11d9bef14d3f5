// The result of a replay for people (lines), for scripts (JSON) and for build servers (JUnit XML).

import { terminalText } from '../../base/terminal-text.ts';
import { type EpochMs, formatIso } from '../../base/time.ts';
import type { Dictionary } from '../../dictionary/mod.ts';
import { toRedacted } from '../../wire/mod.ts';
import type { ReplayPlan, ReplayRequest } from '../target/replay-plan.ts';
import type { ReplayDifference, ReplayResult } from '../target/replay-run.ts';
import { fieldName, messageName, requestLines } from './difference-lines.ts';
import { type JUnitCase, junitXml } from './junit.ts';

/** Content of a report besides the result. */
export interface ReplayContext {
  readonly plan: ReplayPlan;
  /** As given on the command line. */
  readonly target: string;
  readonly prefix: string;
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
  readonly dictionaries: readonly Dictionary[];
  /** Parts of the log that were not read, `file:line: why`; absent: none. */
  readonly unread?: readonly string[];
}

/** Requests that were answered as in the log, otherwise, in a way that says nothing, and not sent. */
export interface ReplayCounts {
  readonly notComparable: number;
  readonly same: number;
  readonly different: number;
  readonly notSent: number;
}

export function countResults(result: ReplayResult): ReplayCounts {
  let different = 0;
  let notSent = 0;
  let notComparable = 0;
  for (const { differences } of result.requests) {
    if (differences.some(({ kind }) => kind === 'notSent')) notSent++;
    else if (differences.some(({ kind }) => kind === 'notComparable')) notComparable++;
    else if (differences.length > 0) different++;
  }
  const same = result.requests.length - different - notSent - notComparable;
  return { same, different, notComparable, notSent };
}

/** Every difference, request by request, as lines for a terminal; none where nothing was sent. */
export function replayLines(result: ReplayResult, context: ReplayContext): string[] {
  if (nothingSent(result) !== null) return [];
  return requestLines(result, context.dictionaries)
    .filter(({ lines }) => lines.length > 0)
    .flatMap(({ request, followsFrom, lines }) => {
      const because = followsFrom === null ? '' : `, a consequence of ${followsFrom}`;
      const head = `${requestName(request, context)} (34=${request.msgSeqNum} in the log)${because}`;
      return [head, ...lines.map((line) => `  ${line}`)];
    })
    .map(terminalText);
}

/** In pieces, one for each request: a day's log that differs throughout is longer than a string can be. */
export function* replayJson(result: ReplayResult, context: ReplayContext): Generator<string> {
  const { plan, target, prefix, startedAt, endedAt } = context;
  const { senderCompID, targetCompID } = plan;
  const head = {
    target,
    senderCompID,
    targetCompID,
    clOrdIDPrefix: prefix,
    startedAt: formatIso(startedAt),
    endedAt: formatIso(endedAt),
    nothingSent: nothingSent(result),
    ...countResults(result),
    unrelatedInLog: plan.unrelated,
    foreign: result.foreign,
    unread: context.unread ?? [],
  };
  yield `${JSON.stringify(head, null, 2).slice(0, -'\n}'.length)},\n  "requests": [`;
  for (const [i, { request, answers, differences }] of result.requests.entries()) {
    const one = {
      msgType: request.msgType,
      name: messageName(request.msgType, context.dictionaries),
      msgSeqNum: request.msgSeqNum,
      id: request.label,
      answers,
      differences: differences.map((difference) => differenceJson(difference, context)),
    };
    yield `${i === 0 ? '' : ','}\n${JSON.stringify(one, null, 2).replaceAll(/^/gm, '    ')}`;
  }
  yield '\n  ]\n}\n';
}

/** One test case per request; `failure` for differences, `error` for what could not be tried, one alone if nothing was. */
export function replayJUnit(result: ReplayResult, context: ReplayContext): Iterable<string> {
  const { plan, target, startedAt, endedAt } = context;
  const suite = { name: `replay of ${plan.senderCompID} at ${target}`, startedAt, endedAt };
  const notSentReason = nothingSent(result);
  if (notSentReason !== null) {
    const problem = { element: 'error', type: 'notSent', lines: [`nothing was sent: ${notSentReason}`] } as const;
    return junitXml(suite, [{ classname: 'Logon', name: 'Logon', problem }]);
  }
  const told = requestLines(result, context.dictionaries);
  const cases = result.requests.map(({ request, differences }, i): JUnitCase => {
    const classname = messageName(request.msgType, context.dictionaries);
    const name = `${request.msgSeqNum} ${requestName(request, context)}`;
    if (differences.length === 0) return { classname, name, problem: null };
    const { followsFrom, lines } = told[i]!;
    const [first, ...rest] = lines;
    const head = followsFrom === null ? first! : `${first} (a consequence of ${followsFrom})`;
    const untried = differences.some(({ kind }) => kind === 'notSent' || kind === 'notComparable');
    const element = untried ? 'error' : 'failure';
    return { classname, name, problem: { element, type: differences[0]!.kind, lines: [head, ...rest] } };
  });
  return junitXml(suite, cases);
}

/** Why no request at all went out; null if some did. */
export function nothingSent({ requests }: ReplayResult): string | null {
  // A cut message is never sent.
  const whole = requests.filter(({ request }) => !request.isCutShort);
  const reasons = whole.map(({ differences }) => differences.find(({ kind }) => kind === 'notSent'));
  const [first] = reasons;
  return first?.kind === 'notSent' && reasons.every((each) => each !== undefined) ? first.reason : null;
}

function requestName({ msgType, label }: ReplayRequest, { dictionaries }: ReplayContext): string {
  return `${messageName(msgType, dictionaries)} ${label}`;
}

function differenceJson(difference: ReplayDifference, context: ReplayContext): unknown {
  switch (difference.kind) {
    case 'notSent':
    case 'notComparable':
      return difference;
    case 'missing':
      return { kind: 'missing', reason: difference.reason, recorded: toRedacted(difference.recorded.bytes()) };
    case 'unexpected':
      return { kind: 'unexpected', live: toRedacted(difference.live.bytes()) };
    case 'fields':
      return {
        kind: 'fields',
        fields: difference.fields.map((field) => ({ ...field, name: fieldName(field.tag, context.dictionaries) })),
        recorded: toRedacted(difference.recorded.bytes()),
        live: toRedacted(difference.live.bytes()),
      };
  }
}
