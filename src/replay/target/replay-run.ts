// A replay under way, as a machine: says which message goes out next and when to wait, takes what comes back, and judges it.
// It has no socket, no clock and no session: those are its owner's.

import { assert } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';
import { type MessageDraft, type MessageView, Tag } from '../../wire/mod.ts';
import { AuctionWatch, type Permission } from '../auctions/auction-watch.ts';
import { LoggedAuctions } from '../auctions/logged-auctions.ts';
import { withoutAuction } from '../auctions/no-auction.ts';
import { type KeptMessage, MessageKeeper } from '../kept-message.ts';
import {
  type Comparison,
  compareAnswers,
  type FieldDifference,
  IdPairs,
  type MatchedAnswers,
  matchAnswers,
} from './answer-match.ts';
import { AwaitedAnswers } from './awaited-answers.ts';
import { freshMessage, RunIds } from './fresh-message.ts';
import { causeOf, type ReplayPlan, type ReplayRequest } from './replay-plan.ts';

/** How a live acceptor answered otherwise than the log says. */
export type ReplayDifference =
  | { readonly kind: 'notSent'; readonly reason: string }
  | { readonly kind: 'notComparable'; readonly reason: string }
  /** `reason`: how long it was awaited; null if the connection ended before. */
  | { readonly kind: 'missing'; readonly recorded: KeptMessage; readonly reason: string | null }
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
  /** Every answer of the log beside the one of the run, also where nothing differs. */
  readonly pairs: readonly AnswerPair[];
}

export interface AnswerPair {
  readonly recorded: KeptMessage | null;
  readonly live: KeptMessage | null;
  readonly fields: readonly FieldDifference[];
  /** Whether the log has only a part of its answer, so that the rest was not compared. */
  readonly isPart: boolean;
  /** Time from the request; null if it is not known. */
  readonly recordedAfterMs: number | null;
  readonly liveAfterMs: number | null;
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
  /** How much longer than in the log an answer may take. Default 5,000. */
  readonly answerTimeoutMs?: number;
  /** Longest wait for an answer or an auction phase, whatever the log took. Default 600,000. */
  readonly waitMaxMs?: number;
}

const ANSWER_TIMEOUT_MS = 5_000;
const WAIT_MAX_MS = 600_000;

interface LiveAnswer {
  readonly request: number;
  readonly message: KeptMessage;
  readonly at: EpochMs;
}

/** A cause with an id under the run's prefix. */
const PREFIXED_KEY = new RegExp(`^(${Tag.ClOrdID}|${Tag.ListID})=(.*)$`, 's');
/** SecurityStatus(f) of these has neither Text(58) nor values for the phase of an auction. */
const VERSIONS_WITHOUT_PHASE: readonly string[] = ['FIX.4.0', 'FIX.4.1', 'FIX.4.2'];
const PHASE_NAMES = { open: 'ACCUMULATION', lockdown: 'LOCKDOWN', cross: 'CROSS' } as const;
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
  private readonly live = new Map<string, LiveAnswer[]>();
  private readonly keeper = new MessageKeeper();
  private next = 0;
  private readonly sentAs = new Map<number, number>();
  private readonly latest = new Map<string, number>();
  private foreign = 0;
  private readonly answers: AwaitedAnswers;
  private readonly auctions: LoggedAuctions;
  /** Null where the version has no words for a phase. */
  private readonly watch: AuctionWatch | null;
  private permission: Permission = { kind: 'now' };
  private phaseWaitedSince: EpochMs | null = null;
  private hasAsked = false;

  constructor(plan: ReplayPlan, options: ReplayRunOptions) {
    this.plan = plan;
    this.ids = new RunIds(options.prefix);
    this.volatile = new Set(options.volatile);
    this.keepsPace = options.keepsPace === true;
    this.keys = new Set(plan.requests.flatMap(({ keys }) => keys));
    const { prefix, answerTimeoutMs = ANSWER_TIMEOUT_MS, waitMaxMs = WAIT_MAX_MS } = options;
    const timing = { answerTimeoutMs, waitMaxMs };
    this.auctions = new LoggedAuctions(plan);
    this.watch = VERSIONS_WITHOUT_PHASE.includes(plan.beginString) ? null : new AuctionWatch({ prefix, ...timing });
    this.answers = new AwaitedAnswers({
      ...{ plan, auctions: this.auctions, watch: this.watch, ...timing },
      cameFor: (key) => this.live.get(key)?.length ?? 0,
    });
  }

  /** Requests sent so far. */
  get sent(): number {
    return this.next;
  }

  /** Whether everything was sent and every answer of the log came or was given up. */
  get complete(): boolean {
    return this.upcoming() === undefined && this.answers.areHere(this.plan.answers.length);
  }

  /**
   * The next message; null while answers that stand before it in the log have not come, its time has not, or its auction
   * is in another phase. It may be a question of the run's own for that phase.
   */
  take(now: EpochMs): MessageDraft | null {
    const request = this.upcoming();
    if (request === undefined || !this.answers.areHere(request.answersBefore) || now < this.timeOf(request))
      return null;
    this.permission = this.permissionOf(request, now);
    if (this.permission.kind === 'wait') return null;
    this.hasAsked = this.permission.kind === 'ask';
    if (this.permission.kind === 'ask') return this.permission.draft;
    const isDelayed = this.phaseWaitedSince !== null && now > this.phaseWaitedSince;
    this.phaseWaitedSince = null;
    this.next++;
    this.answers.sent(request.index, now);
    // Requests behind one that waited for its phase keep their distance from it.
    if (request.at !== null && (this.shiftMs === null || isDelayed)) this.shiftMs = now - request.at;
    for (const key of request.keys) this.latest.set(key, request.index);
    return freshMessage(request, this.ids, now);
  }

  private permissionOf({ index }: ReplayRequest, now: EpochMs): Permission {
    const need = this.auctions.needOf(index);
    if (need === undefined || this.watch === null) return { kind: 'now' };
    this.phaseWaitedSince ??= now;
    return this.watch.permission(need, this.phaseWaitedSince, now);
  }

  /** The auction phase that the next request waits for, in words; null if it waits for none. */
  get awaitedPhase(): string | null {
    const need = this.auctions.needOf(this.next);
    if (need === undefined || this.permission.kind !== 'wait' || !this.permission.hasPhase) return null;
    const { symbol, stage } = need;
    return stage === 'closed' ? `no auction of ${symbol}` : `an auction of ${symbol} in phase ${PHASE_NAMES[stage]}`;
  }

  /** When to call `tick`, whatever comes. */
  deadline(now: EpochMs): EpochMs {
    const request = this.upcoming();
    if (request !== undefined && this.answers.areHere(request.answersBefore)) {
      const at = this.timeOf(request);
      if (now < at) return at;
      if (this.permission.kind === 'wait') return this.permission.until;
    }
    return this.answers.deadline(now);
  }

  /** Time passed: give up overdue answers. */
  tick(now: EpochMs): void {
    if (now >= this.deadline(now)) this.answers.giveUp(now);
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
    if (this.hasAsked) {
      this.watch!.askedUnder(msgSeqNum);
      return;
    }
    assert(this.next > 0, 'a message was taken before it is said to be sent');
    this.sentAs.set(msgSeqNum, this.next - 1);
  }

  /** Take an application message or a Reject(3) that came. */
  received(view: MessageView, now: EpochMs): void {
    if (this.watch?.received(view, now) === true) return;
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
    this.answers.progressed(now);
    this.live.set(key, answers);
    answers.push({ request: index, message: this.keeper.keep(view), at: now });
    this.learn(key, view);
  }

  /** Judge. `endReason`: why requests were not sent, if the connection ended before. */
  result(endReason: string): ReplayResult {
    const differences = this.plan.requests.map((): ReplayDifference[] => []);
    for (const [i, { isCutShort }] of this.plan.requests.entries()) {
      if (isCutShort) differences[i]!.push({ kind: 'notSent', reason: 'the log has only its beginning' });
      else if (i >= this.next) differences[i]!.push({ kind: 'notSent', reason: endReason });
    }
    const pairs = this.judge(differences);
    for (const [index, reason] of withoutAuction(this.plan, (key) => this.live.get(key) ?? [])) {
      if (differences[index]!.length > 0) differences[index] = [{ kind: 'notComparable', reason }];
    }
    const counts = new Map<number, number>();
    for (const { request } of this.plan.answers) counts.set(request, (counts.get(request) ?? 0) + 1);
    const requests = this.plan.requests.map((request, i) => ({
      request,
      answers: counts.get(i) ?? 0,
      differences: differences[i]!,
      pairs: pairs[i]!,
    }));
    return { requests, foreign: this.foreign };
  }

  /** Enter the differences of every request. @returns its answers in pairs */
  private judge(differences: ReplayDifference[][]): AnswerPair[][] {
    const pairsOf = this.plan.requests.map((): AnswerPair[] => []);
    const answerOf = new Map(this.plan.answers.map((answer) => [answer.message, answer]));
    const liveOf = new Map([...this.live.values()].flat().map((answer) => [answer.message, answer]));
    const pairs = [...this.keys].flatMap((key) =>
      matchAnswers(
        this.answers.recordedFor(key).map(({ message }) => message),
        (this.live.get(key) ?? []).map(({ message }) => message),
      ),
    );
    const compared = this.compare(pairs);
    for (const { recorded, live } of pairs) {
      const answer = recorded === null ? null : answerOf.get(recorded)!;
      const came = live === null ? null : liveOf.get(live)!;
      const index = answer === null ? came!.request : answer.request;
      const fields = (recorded === null ? undefined : compared.get(recorded)) ?? [];
      const [askedAt, sentAt] = [this.plan.requests[index]!.at, this.answers.sentAt(index)];
      pairsOf[index]!.push({
        ...{ recorded, live, fields },
        isPart: answer?.isCutShort === true,
        recordedAfterMs: askedAt === null || answer === null || answer.at === null ? null : answer.at - askedAt,
        liveAfterMs: sentAt === undefined || came === null ? null : came.at - sentAt,
      });
      if (recorded === null) differences[index]!.push({ kind: 'unexpected', live: live! });
      else if (live !== null && fields.length > 0) differences[index]!.push({ kind: 'fields', recorded, live, fields });
      // Only a sent request can be answered.
      else if (live === null && index < this.next)
        differences[index]!.push({ kind: 'missing', recorded, reason: this.answers.whyGivenUp(answer!.key) });
    }
    return pairsOf;
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
    for (const { message, isCutShort } of this.plan.answers) {
      const live = liveOf.get(message) ?? null;
      if (live !== null) compared.set(message, compareAnswers(message.view(), live.view(), comparison, isCutShort));
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
    const recorded = this.answers.recordedFor(key)[this.live.get(key)!.length - 1]?.message.view();
    if (recorded === undefined) return;
    for (const tag of [Tag.OrderID, Tag.SecondaryOrderID, Tag.ExecID]) {
      this.ids.learn(tag, recorded.string(tag), live.string(tag));
    }
  }
}
