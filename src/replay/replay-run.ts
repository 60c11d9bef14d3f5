// A replay under way, as a machine: says which message goes out next and when to wait, takes what comes back, and judges it.
// It has no socket, no clock and no session: those are its owner's.

import { assert } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import { type MessageDraft, type MessageView, Tag } from '../wire/mod.ts';
import {
  type Comparison,
  compareAnswers,
  type FieldDifference,
  IdPairs,
  type MatchedAnswers,
  matchAnswers,
} from './answer-match.ts';
import { freshMessage, RunIds } from './fresh-message.ts';
import { type KeptMessage, MessageKeeper } from './kept-message.ts';
import { withoutAuction } from './no-auction.ts';
import { causeOf, type RecordedAnswer, type ReplayPlan, type ReplayRequest } from './replay-plan.ts';

/** How a live acceptor answered otherwise than the log says. */
export type ReplayDifference =
  | { readonly kind: 'notSent'; readonly reason: string }
  | { readonly kind: 'notComparable'; readonly reason: string }
  | { readonly kind: 'missing'; readonly recorded: KeptMessage }
  | { readonly kind: 'unexpected'; readonly live: KeptMessage }
  | {
      readonly kind: 'fields';
      readonly recorded: KeptMessage;
      readonly live: KeptMessage;
      readonly fields: readonly FieldDifference[];
    };

export interface RequestResult {
  readonly request: ReplayRequest;
  /** Answers in the log. */
  readonly answers: number;
  readonly differences: readonly ReplayDifference[];
}

export interface ReplayResult {
  readonly requests: readonly RequestResult[];
  /** Messages that came and that nothing of this run caused. */
  readonly foreign: number;
}

export interface ReplayRunOptions {
  /** Put before every ClOrdID, another one for each run (rule R1). */
  readonly prefix: string;
  /** Tags that are not compared, besides what is never the same twice. */
  readonly volatile: readonly number[];
  /** Whether requests keep the distances in time that they have in the log; absent: each as soon as it may be sent. */
  readonly keepsPace?: boolean;
}

interface LiveAnswer {
  readonly request: number;
  readonly message: KeptMessage;
}

/** A cause with an id under the run's prefix. */
const PREFIXED_KEY = new RegExp(`^(${Tag.ClOrdID}|${Tag.ListID})=(.*)$`, 's');
/** Most live answers kept for one cause; a counterparty that sends more is looping. */
const LIVE_MAX = 10_000;

export class ReplayRun {
  readonly ids: RunIds;
  private readonly plan: ReplayPlan;
  private readonly volatile: ReadonlySet<number>;
  private readonly keepsPace: boolean;
  /** From a time of the log to that of this run; null until the first request with a time was sent. */
  private shiftMs: number | null = null;
  private readonly keys: ReadonlySet<string>;
  private readonly recorded: Map<string, RecordedAnswer[]>;
  private readonly live = new Map<string, LiveAnswer[]>();
  private readonly keeper = new MessageKeeper();
  /** Answers awaited so far, per cause, and how many of them were given up. */
  private readonly wanted = new Map<string, number>();
  private readonly givenUp = new Map<string, number>();
  /** Causes with missing answers. */
  private readonly awaited = new Set<string>();
  private wantedUpTo = 0;
  private next = 0;
  private readonly sentAs = new Map<number, number>();
  private readonly latest = new Map<string, number>();
  private foreign = 0;

  constructor(plan: ReplayPlan, options: ReplayRunOptions) {
    this.plan = plan;
    this.ids = new RunIds(options.prefix);
    this.volatile = new Set(options.volatile);
    this.keepsPace = options.keepsPace === true;
    this.keys = new Set(plan.requests.flatMap(({ keys }) => keys));
    this.recorded = Map.groupBy(plan.answers, ({ key }) => key);
  }

  /** Requests sent so far. */
  get sent(): number {
    return this.next;
  }

  /** Whether everything was sent and every answer of the log came or was given up. */
  get complete(): boolean {
    return this.upcoming() === undefined && this.isSatisfied(this.plan.answers.length);
  }

  /** The next message, or null while answers that stand before it in the log have not come, or its time has not. */
  take(now: EpochMs): MessageDraft | null {
    const request = this.upcoming();
    if (request === undefined || !this.isSatisfied(request.answersBefore) || now < this.timeOf(request)) return null;
    this.next++;
    if (request.at !== null) this.shiftMs ??= now - request.at;
    for (const key of request.keys) this.latest.set(key, request.index);
    return freshMessage(request, this.ids, now);
  }

  /** When the next message may go out, if only its time has not come; null if it waits for nothing, or for answers. */
  dueAt(now: EpochMs): EpochMs | null {
    const request = this.upcoming();
    if (request === undefined || now >= this.timeOf(request)) return null;
    return this.isSatisfied(request.answersBefore) ? this.timeOf(request) : null;
  }

  /** The request that is to be sent next; those that cannot be sent are passed over. */
  private upcoming(): ReplayRequest | undefined {
    while (this.plan.requests[this.next]?.isCutShort === true) this.next++;
    return this.plan.requests[this.next];
  }

  private timeOf({ at }: ReplayRequest): EpochMs {
    return this.keepsPace && at !== null && this.shiftMs !== null ? at + this.shiftMs : Number.NEGATIVE_INFINITY;
  }

  /** Say under which MsgSeqNum(34) the message taken last went out. */
  sentUnder(msgSeqNum: number): void {
    assert(this.next > 0, 'a message was taken before it is said to be sent');
    this.sentAs.set(msgSeqNum, this.next - 1);
  }

  /** Take an application message or a Reject(3) that came. */
  received(view: MessageView): void {
    const cause = causeOf(view, (key) => this.keyOfLive(key) !== null);
    const request = typeof cause === 'number' ? this.sentAs.get(cause) : undefined;
    const key =
      request !== undefined
        ? this.plan.requests[request]!.keys[0]!
        : typeof cause === 'string'
          ? this.keyOfLive(cause)
          : null;
    const index = request ?? (key === null ? undefined : this.latest.get(key));
    if (key === null || index === undefined) {
      this.foreign++;
      return;
    }
    const answers = this.live.get(key) ?? [];
    if (answers.length >= LIVE_MAX) return;
    this.live.set(key, answers);
    answers.push({ request: index, message: this.keeper.keep(view) });
    this.learn(key, view);
  }

  /** Nothing came for too long: what is awaited is given up, and the replay goes on. */
  giveUp(): void {
    for (const key of this.awaited) {
      const missing = this.wanted.get(key)! - (this.live.get(key)?.length ?? 0);
      if (missing > 0) this.givenUp.set(key, missing);
    }
  }

  /** Judge. `endReason`: why requests were not sent, if the connection ended before. */
  result(endReason: string): ReplayResult {
    const differences = this.plan.requests.map((): ReplayDifference[] => []);
    for (const [i, { isCutShort }] of this.plan.requests.entries()) {
      if (isCutShort) differences[i]!.push({ kind: 'notSent', reason: 'the log has only its beginning' });
      else if (i >= this.next) differences[i]!.push({ kind: 'notSent', reason: endReason });
    }
    this.judge(differences);
    for (const [index, reason] of withoutAuction(this.plan, (key) => this.live.get(key) ?? [])) {
      if (differences[index]!.length > 0) differences[index] = [{ kind: 'notComparable', reason }];
    }
    const counts = new Map<number, number>();
    for (const { request } of this.plan.answers) counts.set(request, (counts.get(request) ?? 0) + 1);
    const requests = this.plan.requests.map((request, i) => ({
      request,
      answers: counts.get(i) ?? 0,
      differences: differences[i]!,
    }));
    return { requests, foreign: this.foreign };
  }

  private judge(differences: ReplayDifference[][]): void {
    const requestOf = new Map<KeptMessage, number>();
    for (const { request, message } of [...this.plan.answers, ...[...this.live.values()].flat()])
      requestOf.set(message, request);
    const pairs = [...this.keys].flatMap((key) =>
      matchAnswers(
        (this.recorded.get(key) ?? []).map(({ message }) => message),
        (this.live.get(key) ?? []).map(({ message }) => message),
      ),
    );
    const compared = this.compare(pairs);
    for (const { recorded, live } of pairs) {
      if (recorded === null) {
        differences[requestOf.get(live!)!]!.push({ kind: 'unexpected', live: live! });
        continue;
      }
      const request = requestOf.get(recorded)!;
      if (live === null) {
        // Only a sent request can be answered.
        if (request < this.next) differences[request]!.push({ kind: 'missing', recorded });
        continue;
      }
      const fields = compared.get(recorded)!;
      if (fields.length > 0) differences[request]!.push({ kind: 'fields', recorded, live, fields });
    }
  }

  /**
   * Differences of each pair, by the answer of the log. In the log's order: an id is compared with its earlier value.
   */
  private compare(pairs: readonly MatchedAnswers[]): Map<KeptMessage, readonly FieldDifference[]> {
    const ids = new IdPairs();
    const comparison: Comparison = {
      isLeftOut: (tag) => this.volatile.has(tag),
      translate: (value) => this.ids.recorded(value),
      pair: (kind, recorded, live) =>
        kind === Tag.RefSeqNum ? this.refersElsewhere(recorded, live) : ids.pair(kind, recorded, live),
    };
    const liveOf = new Map(pairs.map(({ recorded, live }) => [recorded, live]));
    const compared = new Map<KeptMessage, readonly FieldDifference[]>();
    for (const { message } of this.plan.answers) {
      const live = liveOf.get(message) ?? null;
      if (live !== null) compared.set(message, compareAnswers(message.view(), live.view(), comparison));
    }
    return compared;
  }

  /** Why a RefSeqNum(45) does not refer to the same request; null if it does, or refers to none of this run. */
  private refersElsewhere(recorded: string, live: string): string | null {
    const sent = this.sentAs.get(Number(live));
    if (sent === undefined) return null;
    const { msgSeqNum } = this.plan.requests[sent]!;
    return Number(recorded) === msgSeqNum ? null : `it refers to 34=${msgSeqNum} of the log`;
  }

  /** Whether the first `count` answers of the log are here, cause by cause, or were given up. */
  private isSatisfied(count: number): boolean {
    for (; this.wantedUpTo < count; this.wantedUpTo++) {
      const { key } = this.plan.answers[this.wantedUpTo]!;
      this.wanted.set(key, (this.wanted.get(key) ?? 0) + 1);
      this.awaited.add(key);
    }
    for (const key of this.awaited) {
      const here = (this.live.get(key)?.length ?? 0) + (this.givenUp.get(key) ?? 0);
      if (here < this.wanted.get(key)!) return false;
      this.awaited.delete(key);
    }
    return true;
  }

  /** The plan's key for a live one: ClOrdIDs and ListIDs of this run are prefixed; others are not of this run. */
  private keyOfLive(key: string): string | null {
    const [, tag, id] = PREFIXED_KEY.exec(key) ?? [];
    if (id === undefined) return this.keys.has(key) ? key : null;
    if (!this.ids.isOfRun(id)) return null;
    const recorded = `${tag}=${this.ids.recorded(id)}`;
    return this.keys.has(recorded) ? recorded : null;
  }

  /** The exchange's ids of an order or execution in the log and now, from the answer at the same place. */
  private learn(key: string, live: MessageView): void {
    const recorded = this.recorded.get(key)?.[this.live.get(key)!.length - 1]?.message.view();
    if (recorded === undefined) return;
    for (const tag of [Tag.OrderID, Tag.SecondaryOrderID, Tag.ExecID]) {
      this.ids.learn(tag, recorded.string(tag), live.string(tag));
    }
  }
}
