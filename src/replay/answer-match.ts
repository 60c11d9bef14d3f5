// Answers of a live acceptor beside those of the log: which belong together, and in which fields they differ.

import { type MessageView, Tag } from '../wire/mod.ts';

/** Fields that are never the same twice: numbers, times, and ids that the exchange gives. */
export const VOLATILE_TAGS: readonly number[] = [
  8, 9, 10, 34, 43, 49, 52, 56, 97, 122, 369, 17, 37, 42, 45, 60, 64, 75, 198, 272, 273, 527, 880, 1003, 1040,
];

/** One field with another value; null where one side does not have it. */
export interface FieldDifference {
  readonly tag: number;
  readonly recorded: string | null;
  readonly live: string | null;
}

export interface MatchedAnswers {
  readonly recorded: MessageView | null;
  readonly live: MessageView | null;
}

/** Cells of the comparison of two lists; above it they are paired in their order. */
const CELLS_MAX = 1_000_000;

/**
 * Pair two lists of answers with one cause. What says the same (MsgType, ExecType, OrdStatus, CxlRejResponseTo) is paired
 * first, in order; of what is left between two pairs, messages of one type are paired so that their fields are compared.
 */
export function matchAnswers(recorded: readonly MessageView[], live: readonly MessageView[]): MatchedAnswers[] {
  const matched: MatchedAnswers[] = [];
  let i = 0;
  let j = 0;
  for (const [anchorI, anchorJ] of [...anchors(recorded, live), [recorded.length, live.length] as const]) {
    matched.push(...pairRest(recorded.slice(i, anchorI), live.slice(j, anchorJ)));
    if (anchorI < recorded.length) matched.push({ recorded: recorded[anchorI]!, live: live[anchorJ]! });
    i = anchorI + 1;
    j = anchorJ + 1;
  }
  return matched;
}

function signatureOf(view: MessageView): string {
  return [view.msgType, ...[Tag.ExecType, Tag.OrdStatus, Tag.CxlRejResponseTo].map((tag) => view.string(tag))].join(
    ' ',
  );
}

/** The longest common subsequence of what the two lists say, as pairs of positions. */
function anchors(recorded: readonly MessageView[], live: readonly MessageView[]): [number, number][] {
  const width = live.length + 1;
  if (recorded.length * width > CELLS_MAX) return [];
  const a = recorded.map(signatureOf);
  const b = live.map(signatureOf);
  const lengths = new Int32Array((recorded.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      lengths[at] = a[i] === b[j] ? lengths[at + width + 1]! + 1 : Math.max(lengths[at + width]!, lengths[at + 1]!);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}

function pairRest(recorded: readonly MessageView[], live: readonly MessageView[]): MatchedAnswers[] {
  const left = [...live];
  const matched = recorded.map((view): MatchedAnswers => {
    const at = left.findIndex(({ msgType }) => msgType === view.msgType);
    return { recorded: view, live: at === -1 ? null : left.splice(at, 1)[0]! };
  });
  return [...matched, ...left.map((view) => ({ recorded: null, live: view }))];
}

/** Compare two answers field by field, repeated fields in their order. `translate` brings live values to the log's ids. */
export function compareAnswers(
  recorded: MessageView,
  live: MessageView,
  isVolatile: (tag: number) => boolean,
  translate: (value: string) => string,
): FieldDifference[] {
  const before = valuesOf(recorded, isVolatile, (value) => value);
  const after = valuesOf(live, isVolatile, translate);
  const differences: FieldDifference[] = [];
  for (const tag of new Set([...before.keys(), ...after.keys()])) {
    const ours = before.get(tag) ?? [];
    const theirs = after.get(tag) ?? [];
    for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
      if (ours[i] === theirs[i]) continue;
      differences.push({ tag, recorded: ours[i] ?? null, live: theirs[i] ?? null });
    }
  }
  return differences;
}

function valuesOf(
  view: MessageView,
  isVolatile: (tag: number) => boolean,
  translate: (value: string) => string,
): Map<number, string[]> {
  const values = new Map<number, string[]>();
  for (let i = 0; i < view.fieldCount; i++) {
    const tag = view.tagAt(i);
    if (isVolatile(tag)) continue;
    const value = translate(view.stringAt(i));
    const known = values.get(tag);
    if (known === undefined) values.set(tag, [value]);
    else known.push(value);
  }
  return values;
}
