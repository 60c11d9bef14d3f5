// The result of a replay for people (lines), for scripts (JSON) and for build servers (JUnit XML).

import { terminalText } from '../base/terminal-text.ts';
import { type EpochMs, formatIso } from '../base/time.ts';
import type { Dictionary } from '../dictionary/mod.ts';
import { type MessageView, Tag, toRedacted } from '../wire/mod.ts';
import { type JUnitCase, junitXml } from './junit.ts';
import type { ReplayPlan, ReplayRequest } from './replay-plan.ts';
import type { ReplayDifference, ReplayResult } from './replay-run.ts';

/** What a report says beside the result. */
export interface ReplayContext {
  readonly plan: ReplayPlan;
  /** As given on the command line. */
  readonly target: string;
  readonly prefix: string;
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
  readonly dictionaries: readonly Dictionary[];
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
  const lines: string[] = [];
  if (nothingSent(result) !== null) return lines;
  for (const { request, differences } of result.requests) {
    if (differences.length === 0) continue;
    lines.push(`${requestName(request, context)} (34=${request.msgSeqNum} in the log)`);
    for (const difference of differences)
      for (const line of differenceLines(difference, context)) lines.push(`  ${line}`);
  }
  return lines.map(terminalText);
}

export function replayJson(result: ReplayResult, context: ReplayContext): string {
  const { plan, target, prefix, startedAt, endedAt } = context;
  const requests = result.requests.map(({ request, answers, differences }) => ({
    msgType: request.msgType,
    name: messageName(request.msgType, context),
    msgSeqNum: request.msgSeqNum,
    id: request.label,
    answers,
    differences: differences.map((difference) => differenceJson(difference, context)),
  }));
  const { senderCompID, targetCompID } = plan;
  return `${JSON.stringify(
    {
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
      requests,
    },
    null,
    2,
  )}\n`;
}

/** One test case per request; `failure` for differences, `error` for what could not be tried, one alone if nothing was. */
export function replayJUnit(result: ReplayResult, context: ReplayContext): string {
  const { plan, target, startedAt, endedAt } = context;
  const suite = { name: `replay of ${plan.senderCompID} at ${target}`, startedAt, endedAt };
  const notSentReason = nothingSent(result);
  if (notSentReason !== null) {
    const problem = { element: 'error', type: 'notSent', lines: [`nothing was sent: ${notSentReason}`] } as const;
    return junitXml(suite, [{ classname: 'Logon', name: 'Logon', problem }]);
  }
  const cases = result.requests.map(({ request, differences }): JUnitCase => {
    const classname = messageName(request.msgType, context);
    const name = `${request.msgSeqNum} ${requestName(request, context)}`;
    if (differences.length === 0) return { classname, name, problem: null };
    const lines = differences.flatMap((difference) => differenceLines(difference, context));
    const untried = differences.some(({ kind }) => kind === 'notSent' || kind === 'notComparable');
    const element = untried ? 'error' : 'failure';
    return { classname, name, problem: { element, type: differences[0]!.kind, lines } };
  });
  return junitXml(suite, cases);
}

/** Why no request at all went out; null if some did. */
export function nothingSent({ requests }: ReplayResult): string | null {
  const reasons = requests.map(({ differences }) => differences.find(({ kind }) => kind === 'notSent'));
  const [first] = reasons;
  return first?.kind === 'notSent' && reasons.every((each) => each !== undefined) ? first.reason : null;
}

function requestName({ msgType, label }: ReplayRequest, context: ReplayContext): string {
  return `${messageName(msgType, context)} ${label}`;
}

function messageName(msgType: string, { dictionaries }: ReplayContext): string {
  return dictionaries.map((each) => each.messageName(msgType)).find((name) => name !== null) ?? `MsgType ${msgType}`;
}

function fieldName(tag: number, { dictionaries }: ReplayContext): string {
  const name = dictionaries.map((each) => each.fieldName(tag)).find((found) => found !== null);
  return name === undefined ? `${tag}` : `${name}(${tag})`;
}

/** What an answer says, in a few words. */
function answerName(view: MessageView, context: ReplayContext): string {
  const says = [Tag.ExecType, Tag.OrdStatus, Tag.Text]
    .filter((tag) => view.has(tag))
    .map((tag) => `${fieldName(tag, context)}=${view.string(tag)}`);
  return [messageName(view.msgType, context), ...says].join(' ');
}

function differenceLines(difference: ReplayDifference, context: ReplayContext): string[] {
  switch (difference.kind) {
    case 'notSent':
      return [`not sent: ${difference.reason}`];
    case 'notComparable':
      return [`not comparable: ${difference.reason}`];
    case 'missing':
      return [`missing: ${answerName(difference.recorded, context)}`];
    case 'unexpected':
      return [`not in the log: ${answerName(difference.live, context)}`];
    case 'fields': {
      const answer = answerName(difference.recorded, context);
      return difference.fields.map(
        ({ tag, recorded, live, why }) =>
          `${fieldName(tag, context)} is ${live ?? 'absent'}, in the log ${recorded ?? 'absent'}${why === null ? '' : ` (${why})`}: ${answer}`,
      );
    }
  }
}

function differenceJson(difference: ReplayDifference, context: ReplayContext): unknown {
  switch (difference.kind) {
    case 'notSent':
    case 'notComparable':
      return difference;
    case 'missing':
      return { kind: 'missing', recorded: toRedacted(difference.recorded.bytes()) };
    case 'unexpected':
      return { kind: 'unexpected', live: toRedacted(difference.live.bytes()) };
    case 'fields':
      return {
        kind: 'fields',
        fields: difference.fields.map((field) => ({ ...field, name: fieldName(field.tag, context) })),
        recorded: toRedacted(difference.recorded.bytes()),
        live: toRedacted(difference.live.bytes()),
      };
  }
}
