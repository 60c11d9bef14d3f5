// A replay under way, as a machine: says which message goes out next and when to wait, takes what comes back, and judges it.
// It has no socket, no clock and no session: those are its owner's.

import { assert } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import { type MessageDraft, type MessageView, Tag, viewOf } from '../wire/mod.ts';
import { compareAnswers, type FieldDifference, matchAnswers, VOLATILE_TAGS } from './answer-match.ts';
import { freshMessage, RunIds } from './fresh-message.ts';
import { causeOf, type RecordedAnswer, type ReplayPlan, type ReplayRequest } from './replay-plan.ts';

/** How a live acceptor answered otherwise than the log says. */
export type ReplayDifference =
  | { readonly kind: 'notSent'; readonly reason: string }
  | { readonly kind: 'missing'; readonly recorded: MessageView }
  | { readonly kind: 'unexpected'; readonly live: MessageView }
  | {
      readonly kind: 'fields';
      readonly recorded: MessageView;
      readonly live: MessageView;
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
  /** Tags whose values are not compared, besides {@link VOLATILE_TAGS}. */
  readonly volatile: readonly number[];
}

interface LiveAnswer {
  readonly request: number;
  readonly view: MessageView;
}

/** A cause whose id is under the run's prefix. */
const PREFIXED_KEY = new RegExp(`^(${Tag.ClOrdID}|${Tag.ListID})=(.*)$`, 's');
/** Most live answers kept for one cause; a counterparty that sends more is looping. */
const LIVE_MAX = 10_000;

export class ReplayRun {
  readonly ids: RunIds;
  private readonly plan: ReplayPlan;
  private readonly volatile: ReadonlySet<number>;
  private readonly keys: ReadonlySet<string>;
  private readonly recorded: Map<string, RecordedAnswer[]>;
  private readonly live = new Map<string, LiveAnswer[]>();
  /** Answers awaited so far, per cause, and how many of them were given up. */
  private readonly wanted = new Map<string, number>();
  private readonly givenUp = new Map<string, number>();
  /** Causes whose answers are not all here yet. */
  private readonly awaited = new Set<string>();
  private wantedUpTo = 0;
  private next = 0;
  private readonly sentAs = new Map<number, number>();
  private readonly latest = new Map<string, number>();
  private foreign = 0;

  constructor(plan: ReplayPlan, options: ReplayRunOptions) {
    this.plan = plan;
    this.ids = new RunIds(options.prefix);
    this.volatile = new Set([...VOLATILE_TAGS, ...options.volatile]);
    this.keys = new Set(plan.requests.flatMap(({ keys }) => keys));
    this.recorded = Map.groupBy(plan.answers, ({ key }) => key);
  }

  /** Requests sent so far. */
  get sent(): number {
    return this.next;
  }

  /** Whether everything was sent and every answer of the log came or was given up. */
  get complete(): boolean {
    return this.next === this.plan.requests.length && this.isSatisfied(this.plan.answers.length);
  }

  /** The next message, or null while answers that stand before it in the log have not come. */
  take(now: EpochMs): MessageDraft | null {
    const request = this.plan.requests[this.next];
    if (request === undefined || !this.isSatisfied(request.answersBefore)) return null;
    this.next++;
    for (const key of request.keys) this.latest.set(key, request.index);
    return freshMessage(request, this.ids, now);
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
    const copy = viewOf(view.copyBytes(), view.dataFields);
    assert(copy !== null, 'a framed message is a message');
    this.live.set(key, answers);
    answers.push({ request: index, view: copy });
    this.learn(key, copy);
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
    for (let i = this.next; i < this.plan.requests.length; i++) {
      differences[i]!.push({ kind: 'notSent', reason: endReason });
    }
    for (const key of this.keys) this.judge(key, differences);
    const counts = new Map<number, number>();
    for (const { request } of this.plan.answers) counts.set(request, (counts.get(request) ?? 0) + 1);
    const requests = this.plan.requests.map((request, i) => ({
      request,
      answers: counts.get(i) ?? 0,
      differences: differences[i]!,
    }));
    return { requests, foreign: this.foreign };
  }

  private judge(key: string, differences: ReplayDifference[][]): void {
    const recorded = this.recorded.get(key) ?? [];
    const live = this.live.get(key) ?? [];
    const requestOf = new Map<MessageView, number>();
    for (const { request, view } of [...recorded, ...live]) requestOf.set(view, request);
    const pairs = matchAnswers(
      recorded.map(({ view }) => view),
      live.map(({ view }) => view),
    );
    for (const pair of pairs) {
      if (pair.recorded === null) {
        differences[requestOf.get(pair.live!)!]!.push({ kind: 'unexpected', live: pair.live! });
        continue;
      }
      const request = requestOf.get(pair.recorded)!;
      if (pair.live === null) {
        // What was never asked cannot be answered.
        if (request < this.next) differences[request]!.push({ kind: 'missing', recorded: pair.recorded });
        continue;
      }
      const fields = compareAnswers(
        pair.recorded,
        pair.live,
        (tag) => this.volatile.has(tag),
        (value) => this.ids.recorded(value),
      );
      const { recorded: before, live: now } = pair;
      if (fields.length > 0) differences[request]!.push({ kind: 'fields', recorded: before, live: now, fields });
    }
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

  /** What the exchange called an order or an execution then and now, from the answer of the log at the same place. */
  private learn(key: string, live: MessageView): void {
    const recorded = this.recorded.get(key)?.[this.live.get(key)!.length - 1]?.view;
    if (recorded === undefined) return;
    for (const tag of [Tag.OrderID, Tag.SecondaryOrderID, Tag.ExecID]) {
      this.ids.learn(recorded.string(tag), live.string(tag));
    }
  }
}
