// Delta debugging of a replay: the fewest requests of a log with which one difference remains. Orders leave whole
// first, with all their requests, then single requests. Each attempt is a replay of its own, which the owner runs.

import { Tag } from '../../wire/mod.ts';
import type { ReplayPlan, ReplayRequest } from '../target/replay-plan.ts';
import type { ReplayDifference, ReplayResult, RequestResult } from '../target/replay-run.ts';

/** One attempt: a plan to replay. The owner answers with its result. */
export type Shrinking = Generator<ReplayPlan, ReplayPlan, ReplayResult>;

/**
 * The request to keep: the first that differs, unless it follows from another one, and how it differs. Null if nothing
 * does in a way that could be replayed.
 */
export function differenceToKeep(result: ReplayResult): RequestResult | null {
  const differing = result.requests.filter(
    ({ differences }) =>
      differences.length > 0 && !differences.some(({ kind }) => kind === 'notSent' || kind === 'notComparable'),
  );
  return differing[0] ?? null;
}

/** Shrink a plan that gave a difference. The generator yields plans to replay, and returns the smallest that has it. */
export function* shrink(plan: ReplayPlan, kept: RequestResult): Shrinking {
  const wanted = signatureOf(kept.differences);
  const isIn = function* (indices: readonly number[]): Generator<ReplayPlan, boolean, ReplayResult> {
    const result = yield subPlan(plan, new Set(indices));
    const same = result.requests.find(({ request }) => request.message === kept.request.message);
    return same !== undefined && signatureOf(same.differences) === wanted;
  };
  const units = ordersOf(plan.requests);
  const own = units.find((unit) => unit.includes(kept.request.index))!;
  const others = yield* reduced(
    units.filter((unit) => unit !== own),
    (left) => isIn([...left.flat(), ...own]),
  );
  const single = [...others.flat(), ...own].filter((index) => index !== kept.request.index).map((index) => [index]);
  const left = yield* reduced(single, (some) => isIn([...some.flat(), kept.request.index]));
  return subPlan(plan, new Set([...left.flat(), kept.request.index]));
}

/** The fewest units that pass the test: halves, quarters and so on are taken away (ddmin, Zeller and Hildebrandt 2002). */
function* reduced(
  all: readonly (readonly number[])[],
  isEnough: (units: readonly (readonly number[])[]) => Generator<ReplayPlan, boolean, ReplayResult>,
): Generator<ReplayPlan, readonly (readonly number[])[], ReplayResult> {
  if (all.length > 0 && (yield* isEnough([]))) return [];
  let units = all;
  for (let parts = 2; units.length > 1; ) {
    const size = Math.ceil(units.length / parts);
    let smaller: typeof units | null = null;
    for (let at = 0; at < units.length && smaller === null; at += size) {
      const rest = units.toSpliced(at, size);
      if (rest.length > 0 && (yield* isEnough(rest))) smaller = rest;
    }
    if (smaller !== null) {
      units = smaller;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) break;
    else parts = Math.min(units.length, parts * 2);
  }
  return units;
}

/** Kinds of the differences, the messages and tags in them: equal for the same difference in another replay. */
function signatureOf(differences: readonly ReplayDifference[]): string {
  const names = differences.map((each) => {
    switch (each.kind) {
      case 'missing':
        return `missing ${each.recorded.msgType} ${each.recorded.view().string(Tag.ExecType)}`;
      case 'unexpected':
        return `unexpected ${each.live.msgType} ${each.live.view().string(Tag.ExecType)}`;
      case 'fields':
        return `fields ${each.recorded.msgType} ${each.fields.map(({ tag }) => tag).join(',')}`;
      default:
        return each.kind;
    }
  });
  return names.sort().join('; ');
}

/** Requests by the order that they concern: linked by OrigClOrdID(41), or with an id in common. */
function ordersOf(requests: readonly ReplayRequest[]): number[][] {
  const unitOf = new Map<string, number[]>();
  const units: number[][] = [];
  for (const { index, message, keys } of requests) {
    const before = message.view().string(Tag.OrigClOrdID);
    const names = before === null ? keys : [...keys, `${Tag.ClOrdID}=${before}`];
    const known = names.map((name) => unitOf.get(name)).find((unit) => unit !== undefined);
    const unit = known ?? [];
    if (known === undefined) units.push(unit);
    unit.push(index);
    for (const name of names) unitOf.set(name, unit);
  }
  return units;
}

/** The plan with some of its requests, and the answers to them. */
function subPlan(plan: ReplayPlan, kept: ReadonlySet<number>): ReplayPlan {
  const newIndex = new Map<number, number>();
  for (const { index } of plan.requests) if (kept.has(index)) newIndex.set(index, newIndex.size);
  const answersUpTo = [0];
  for (const { request } of plan.answers) answersUpTo.push(answersUpTo.at(-1)! + (kept.has(request) ? 1 : 0));
  return {
    ...plan,
    requests: plan.requests
      .filter(({ index }) => kept.has(index))
      .map((request) => ({
        ...request,
        index: newIndex.get(request.index)!,
        answersBefore: answersUpTo[request.answersBefore]!,
      })),
    answers: plan.answers
      .filter(({ request }) => kept.has(request))
      .map((answer) => ({ ...answer, request: newIndex.get(answer.request)! })),
  };
}
