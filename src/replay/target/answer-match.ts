// Answers of a live acceptor beside those of the log: which belong together, and in which fields they differ.

import { type MessageView, Tag } from '../../wire/mod.ts';
import { isAuctionID } from '../auctions/no-auction.ts';
import type { KeptMessage } from '../kept-message.ts';

/** Numbers and marks of a transmission, not compared at all. */
const TRANSMISSION_TAGS: readonly number[] = [8, 9, 10, 34, 43, 49, 52, 56, 97, 122, 369];
/** Times, and ids that the exchange gives: their values are never the same twice, but they must be there, or not, as in the log. */
const VOLATILE_TAGS: readonly number[] = [42, 60, 64, 75, 272, 273, 527, 880, 1003, 1040];
/** Other values, but one of today for each of the log; and what kind of thing they name. */
const PAIRED_TAGS: ReadonlyMap<number, number> = new Map([
  [Tag.OrderID, Tag.OrderID],
  [Tag.AffectedOrderID, Tag.OrderID],
  [Tag.SecondaryOrderID, Tag.SecondaryOrderID],
  [Tag.AffectedSecondaryOrderID, Tag.SecondaryOrderID],
  [Tag.ExecID, Tag.ExecID],
  [Tag.ExecRefID, Tag.ExecID],
  [Tag.MassActionReportID, Tag.MassActionReportID],
  [Tag.RefSeqNum, Tag.RefSeqNum],
  [Tag.TradingSessionID, Tag.TradingSessionID],
]);

/** How a field of an answer is compared. */
export type AnswerTag = 'transmission' | 'volatile' | 'id' | 'value';

/** `volatile` too for a text with ids or times in it. */
export function answerTagKind(tag: number, value: string): AnswerTag {
  if (TRANSMISSION_TAGS.includes(tag)) return 'transmission';
  if (VOLATILE_TAGS.includes(tag)) return 'volatile';
  if (PAIRED_TAGS.has(tag)) return NO_ID.includes(value) || !isId(tag, value) ? 'value' : 'id';
  return TEXT_TAGS.includes(tag) && idsInText(value).words !== value ? 'volatile' : 'value';
}

/** Texts for people, with such ids and times in the middle. */
const TEXT_TAGS: readonly number[] = [Tag.Text, Tag.RejectText];
/** Facts in a text: the auction that forbids a cancel (rule T4), another session's order, the time of a cross. */
const IN_TEXT = /(\bauction )(\d{5,})\b|(\bOrderID\(37\)=)([^\s,;:)]+)|(\b)\d{8}-\d\d:\d\d:\d\d(?:\.\d+)?/gi;

/** Ids without a value from the exchange, in equal words everywhere: no order yet (rule D7), a status (ExecID 0). */
const NO_ID: readonly string[] = ['NONE', '0'];

/** One field with another value; null where one side does not have it. */
export interface FieldDifference {
  readonly tag: number;
  readonly recorded: string | null;
  readonly live: string | null;
  /** Why ids that are never the same do not stand for each other; null for other fields. */
  readonly why: string | null;
}

/** How values of a run are held against those of a log. */
export interface Comparison {
  /** Tags that somebody wants not to be compared. */
  isLeftOut(tag: number): boolean;
  /** A live value in the words of the log. */
  translate(value: string): string;
  /** In words, why two ids of one kind do not stand for each other; null if they do. */
  pair(kind: number, recorded: string, live: string): string | null;
}

/** Ids of a log and of a run that stand for each other, one for one within their kind. */
export class IdPairs {
  private readonly kinds = new Map<number, { toLive: Map<string, string>; toRecorded: Map<string, string> }>();

  /**
   * Pair two. A contradiction to an earlier pair is reported in words, and then accepted, so that it is reported once.
   */
  pair(kind: number, recorded: string, live: string): string | null {
    if (NO_ID.includes(recorded) || NO_ID.includes(live)) return recorded === live ? null : 'an id on one side only';
    const known = this.kinds.get(kind) ?? { toLive: new Map<string, string>(), toRecorded: new Map<string, string>() };
    this.kinds.set(kind, known);
    const liveBefore = known.toLive.get(recorded);
    if (liveBefore === live) return null;
    const recordedBefore = known.toRecorded.get(live);
    known.toLive.set(recorded, live);
    if (recordedBefore === undefined) known.toRecorded.set(live, recorded);
    if (liveBefore !== undefined) return `the log keeps its id, here it was ${liveBefore} before`;
    return recordedBefore === undefined
      ? null
      : `the log has another id for each, here it is that of ${recordedBefore} too`;
  }
}

export interface MatchedAnswers {
  readonly recorded: KeptMessage | null;
  readonly live: KeptMessage | null;
}

/** Cells of the comparison of two lists; above it they are paired in their order. */
const CELLS_MAX = 1_000_000;

/**
 * Pair two lists of answers with one cause. Equal answers (MsgType, ExecType, OrdStatus, CxlRejResponseTo) are paired
 * first, in order. Of the rest between two pairs, messages of one type are paired so that their fields are compared.
 */
export function matchAnswers(recorded: readonly KeptMessage[], live: readonly KeptMessage[]): MatchedAnswers[] {
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

function signatureOf(message: KeptMessage): string {
  const view = message.view();
  return [message.msgType, ...[Tag.ExecType, Tag.OrdStatus, Tag.CxlRejResponseTo].map((tag) => view.string(tag))].join(
    ' ',
  );
}

/** The longest common subsequence of what the two lists say, as pairs of positions. */
function anchors(recorded: readonly KeptMessage[], live: readonly KeptMessage[]): [number, number][] {
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

function pairRest(recorded: readonly KeptMessage[], live: readonly KeptMessage[]): MatchedAnswers[] {
  const left = [...live];
  const matched = recorded.map((expected): MatchedAnswers => {
    const at = left.findIndex(({ msgType }) => msgType === expected.msgType);
    return { recorded: expected, live: at === -1 ? null : left.splice(at, 1)[0]! };
  });
  return [...matched, ...left.map((message) => ({ recorded: null, live: message }))];
}

/**
 * Compare two answers field by field, repeated fields in their order. `isPart`: the log has only a part of its answer, so
 * that a field it lacks is no difference.
 */
export function compareAnswers(
  recorded: MessageView,
  live: MessageView,
  comparison: Comparison,
  isPart = false,
): FieldDifference[] {
  const before = valuesOf(recorded, comparison, (value) => value);
  const after = valuesOf(live, comparison, (value) => comparison.translate(value));
  const differences: FieldDifference[] = [];
  for (const tag of new Set([...before.keys(), ...after.keys()])) {
    const ours = before.get(tag) ?? [];
    const theirs = after.get(tag) ?? [];
    if (VOLATILE_TAGS.includes(tag) && ours.length > 0 && theirs.length > 0) continue;
    const kind = PAIRED_TAGS.get(tag);
    const count = isPart ? ours.length : Math.max(ours.length, theirs.length);
    for (let i = 0; i < count; i++) {
      const [value = null, now = null] = [ours[i], theirs[i]];
      const isPaired = kind !== undefined && isId(tag, value) && isId(tag, now);
      const why = isPaired ? comparison.pair(kind, value, now) : null;
      if (isPaired ? why === null : value === now || saysTheSame(tag, value, now, comparison)) continue;
      differences.push({ tag, recorded: value, live: now, why });
    }
  }
  return differences;
}

/** Whether two texts differ in nothing but times, and in ids that stand for each other. */
function saysTheSame(tag: number, recorded: string | null, live: string | null, comparison: Comparison): boolean {
  if (recorded === null || live === null || !TEXT_TAGS.includes(tag)) return false;
  const [before, now] = [recorded, live].map(idsInText);
  if (before!.words !== now!.words) return false;
  return before!.ids.every(([kind, id], i) => comparison.pair(kind, id, now!.ids[i]![1]) === null);
}

/** A text without its ids and times, and the ids, each with what kind of thing it names. */
function idsInText(text: string): { words: string; ids: (readonly [kind: number, id: string])[] } {
  const ids: (readonly [number, string])[] = [];
  const words = text.replace(IN_TEXT, (_, auction, auctionID, order, orderID) => {
    if (auctionID !== undefined) ids.push([Tag.TradingSessionID, auctionID]);
    if (orderID !== undefined) ids.push([Tag.OrderID, orderID]);
    return `${auction ?? order ?? 'a time'}\u0000`;
  });
  return { words, ids };
}

/** Whether an answer has an id under a tag of `PAIRED_TAGS`. */
function isId(tag: number, value: string | null): value is string {
  return value !== null && (tag !== Tag.TradingSessionID || isAuctionID(value));
}

function valuesOf(
  view: MessageView,
  comparison: Comparison,
  translate: (value: string) => string,
): Map<number, string[]> {
  const values = new Map<number, string[]>();
  for (let i = 0; i < view.fieldCount; i++) {
    const tag = view.tagAt(i);
    if (TRANSMISSION_TAGS.includes(tag) || comparison.isLeftOut(tag)) continue;
    const value = translate(view.stringAt(i));
    const known = values.get(tag);
    if (known === undefined) values.set(tag, [value]);
    else known.push(value);
  }
  return values;
}
