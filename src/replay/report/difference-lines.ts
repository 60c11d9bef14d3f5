// Differences for people: one line with expected and actual, the fields below it. Consequences of an earlier difference
// are marked as such.

import type { Dictionary } from '../../dictionary/mod.ts';
import { Tag } from '../../wire/mod.ts';
import type { KeptMessage } from '../kept-message.ts';
import type { ReplayRequest } from '../target/replay-plan.ts';
import type { ReplayDifference, ReplayResult } from '../target/replay-run.ts';

/** A request that was not answered as in the log. */
export interface RequestLines {
  readonly request: ReplayRequest;
  /** The label of an earlier request on the same order that this difference follows from; null if it stands for itself. */
  readonly followsFrom: string | null;
  /** Empty where nothing differs. */
  readonly lines: readonly string[];
}

type Dictionaries = readonly Dictionary[];

/** Why a request or an order was refused, whichever message says so. */
const REASONS = [Tag.OrdRejReason, Tag.CxlRejReason, Tag.BusinessRejectReason, Tag.SessionRejectReason] as const;
/** Result of an order: a different one changes all that follows. */
const OUTCOMES: readonly number[] = [Tag.ExecType, Tag.OrdStatus];
/** Content of the first line. */
const SAID: readonly number[] = [Tag.ExecType, ...REASONS, Tag.Text];

/** Every request of a result, in order. */
export function requestLines(result: ReplayResult, dictionaries: Dictionaries): RequestLines[] {
  const wentElsewhere = new Map<string, string>();
  return result.requests.map(({ request, differences }) => {
    const { label, message } = request;
    const view = message.view();
    const followsFrom = wentElsewhere.get(view.string(Tag.OrigClOrdID) ?? '') ?? null;
    const clOrdID = view.string(Tag.ClOrdID);
    if (clOrdID !== null && differences.some(isOtherOutcome)) wentElsewhere.set(clOrdID, followsFrom ?? label);
    const isConsequence = followsFrom !== null && differences.length > 0;
    return { request, followsFrom: isConsequence ? followsFrom : null, lines: linesOf(differences, dictionaries) };
  });
}

export function messageName(msgType: string, dictionaries: Dictionaries): string {
  return dictionaries.map((each) => each.messageName(msgType)).find((name) => name !== null) ?? `MsgType ${msgType}`;
}

export function fieldName(tag: number, dictionaries: Dictionaries): string {
  const name = dictionaries.map((each) => each.fieldName(tag)).find((found) => found !== null);
  return name === undefined ? `${tag}` : `${name}(${tag})`;
}

/** Whether an order went another way, so that what the log has next may not come. */
function isOtherOutcome(difference: ReplayDifference): boolean {
  return difference.kind !== 'fields' || difference.fields.some(({ tag }) => OUTCOMES.includes(tag));
}

function linesOf(differences: readonly ReplayDifference[], dictionaries: Dictionaries): string[] {
  const lines: string[] = [];
  // An answer that is missing beside one of another type that came instead: one difference, not two.
  const instead = differences.flatMap((each) => (each.kind === 'unexpected' ? [each.live] : []));
  const missing = differences.filter(({ kind }) => kind === 'missing').length;
  let isElsewhere = false;
  let unpaired = missing;
  for (const difference of differences) {
    switch (difference.kind) {
      case 'notSent':
        lines.push(`not sent: ${difference.reason}`);
        break;
      case 'notComparable':
        lines.push(`not comparable: ${difference.reason}`);
        break;
      case 'missing': {
        const expected = says(difference.recorded, dictionaries);
        const waited = difference.reason === null ? '' : ` (${difference.reason})`;
        const live = instead.shift();
        if (live !== undefined) lines.push(`expected ${expected}, got ${says(live, dictionaries)}`);
        else lines.push(`missing${isElsewhere ? ', as a consequence' : ''}: ${expected}${waited}`);
        break;
      }
      case 'unexpected':
        // Those that came instead of a missing one were said with it.
        if (unpaired > 0) unpaired--;
        else lines.push(`not in the log: ${says(difference.live, dictionaries)}`);
        break;
      case 'fields':
        lines.push(...fieldLines(difference, dictionaries));
        break;
    }
    isElsewhere ||= isOtherOutcome(difference);
  }
  return lines;
}

function fieldLines(
  { recorded, live, fields }: Extract<ReplayDifference, { kind: 'fields' }>,
  dictionaries: Dictionaries,
): string[] {
  const expected = says(recorded, dictionaries);
  const came = says(live, dictionaries);
  const isOther = fields.some(({ tag }) => OUTCOMES.includes(tag));
  return [
    isOther ? `expected ${expected}, got ${came}` : `other fields in ${expected}`,
    ...fields
      .filter(({ tag }) => !(isOther && SAID.includes(tag)))
      .map(({ tag, recorded: before, live: now, why }) => {
        const because = why === null ? '' : ` (${why})`;
        return `  ${fieldName(tag, dictionaries)} is ${now ?? 'absent'}, in the log ${before ?? 'absent'}${because}`;
      }),
  ];
}

/** Short form of an answer: `8 Rejected 103=2: TEXT`. */
export function says(message: KeptMessage, dictionaries: Dictionaries): string {
  const view = message.view();
  const said = [view.has(Tag.ExecType) ? Tag.ExecType : Tag.OrdStatus, ...REASONS].flatMap((tag) => {
    const value = view.string(tag);
    if (value === null) return [];
    const isOutcome = OUTCOMES.includes(tag);
    const meaning = dictionaries.map((each) => each.enumName(tag, value)).find((name) => name !== null);
    return [isOutcome && meaning !== undefined ? meaning : `${tag}=${value}`];
  });
  const text = view.string(Tag.Text);
  return [messageName(view.msgType, dictionaries), ...said].join(' ') + (text === null ? '' : `: ${text}`);
}
