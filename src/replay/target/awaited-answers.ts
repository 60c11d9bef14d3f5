// The answers of a log that a replay still waits for, cause by cause. It waits as long as the log took and a time-out
// more. Answers of a cross have until the auction is over.

import type { EpochMs } from '../../base/time.ts';
import type { AuctionWatch } from '../auctions/auction-watch.ts';
import type { LoggedAuctions } from '../auctions/logged-auctions.ts';
import type { RecordedAnswer, ReplayPlan } from './replay-plan.ts';

export interface AnswerTiming {
  /** How much longer than in the log an answer may take. */
  readonly answerTimeoutMs: number;
  /** Longest wait for an answer or a phase, whatever the log took. */
  readonly waitMaxMs: number;
}

interface Due {
  readonly at: EpochMs;
  /** Why it is overdue then, in words. */
  readonly why: string;
}

export interface AwaitedAnswersOptions extends AnswerTiming {
  readonly plan: ReplayPlan;
  readonly auctions: LoggedAuctions;
  /** Null where the acceptor says no phase. */
  readonly watch: AuctionWatch | null;
  /** How many answers came for a cause. */
  readonly cameFor: (key: string) => number;
}

export class AwaitedAnswers {
  private readonly options: AwaitedAnswersOptions;
  private readonly recorded: ReadonlyMap<string, readonly RecordedAnswer[]>;
  private readonly wanted = new Map<string, number>();
  private readonly givenUp = new Map<string, { readonly count: number; readonly why: string }>();
  /** Causes with missing answers. */
  private readonly missing = new Set<string>();
  private wantedUpTo = 0;
  private readonly sentTimes: EpochMs[] = [];
  private lastProgressAt: EpochMs | null = null;
  /** No answer is overdue before this. */
  private lookAt: EpochMs = Number.NEGATIVE_INFINITY;

  constructor(options: AwaitedAnswersOptions) {
    this.options = options;
    this.recorded = Map.groupBy(options.plan.answers, ({ key }) => key);
  }

  recordedFor(key: string): readonly RecordedAnswer[] {
    return this.recorded.get(key) ?? [];
  }

  /** When a request went out; undefined if it did not. */
  sentAt(index: number): EpochMs | undefined {
    return this.sentTimes[index];
  }

  sent(index: number, now: EpochMs): void {
    this.sentTimes[index] = now;
    this.lastProgressAt = now;
  }

  /** Something of this run came. */
  progressed(now: EpochMs): void {
    this.lastProgressAt = now;
  }

  /** Whether the first `count` answers of the log are here, or were given up. */
  areHere(count: number): boolean {
    for (; this.wantedUpTo < count; this.wantedUpTo++) {
      const { key } = this.options.plan.answers[this.wantedUpTo]!;
      this.wanted.set(key, (this.wanted.get(key) ?? 0) + 1);
      this.missing.add(key);
    }
    for (const key of this.missing) {
      const here = this.options.cameFor(key) + (this.givenUp.get(key)?.count ?? 0);
      if (here < this.wanted.get(key)!) return false;
      this.missing.delete(key);
    }
    return true;
  }

  /** When to call `giveUp`. */
  deadline(now: EpochMs): EpochMs {
    return Math.max((this.lastProgressAt ?? now) + this.options.answerTimeoutMs, this.lookAt);
  }

  /** Give up the overdue ones. */
  giveUp(now: EpochMs): void {
    let next = Number.POSITIVE_INFINITY;
    let isAny = false;
    for (const key of this.missing) {
      const due = this.dueOf(key, now);
      if (due === null) continue;
      if (now < due.at) next = Math.min(next, due.at);
      else {
        isAny = true;
        const count = this.wanted.get(key)! - this.options.cameFor(key);
        this.givenUp.set(key, { count, why: due.why });
      }
    }
    this.lookAt = Number.isFinite(next) ? next : now;
    // Requests behind an answer that was given up go out now: theirs begin to be awaited.
    if (isAny) this.lastProgressAt = now;
  }

  /** Why an answer was given up; null if it was not. */
  whyGivenUp(key: string): string | null {
    return this.givenUp.get(key)?.why ?? null;
  }

  private dueOf(key: string, now: EpochMs): Due | null {
    const missing = this.recordedFor(key).slice(this.options.cameFor(key), this.wanted.get(key));
    let latest: Due | null = null;
    for (const answer of missing) {
      const due = this.dueAnswer(answer, now);
      if (latest === null || due.at > latest.at) latest = due;
    }
    return latest;
  }

  private dueAnswer(answer: RecordedAnswer, now: EpochMs): Due {
    const { plan, auctions, watch, answerTimeoutMs, waitMaxMs } = this.options;
    const sentAt = this.sentTimes[answer.request] ?? now;
    const since = Math.max(sentAt, this.lastProgressAt ?? sentAt);
    const { at: askedAt } = plan.requests[answer.request]!;
    const tookMs = answer.at === null || askedAt === null ? 0 : Math.max(0, answer.at - askedAt);
    const cross = auctions.crossOf(answer);
    const end = cross === null || watch === null ? 'unknown' : watch.endOf(cross.auction);
    const expected =
      end === 'running' ? Number.POSITIVE_INFINITY : end === 'unknown' ? sentAt + tookMs : end + cross!.afterMs;
    const at = Math.max(expected, since) + answerTimeoutMs;
    const last = Math.max(sentAt + waitMaxMs, since + answerTimeoutMs);
    const waited = `waited ${seconds(Math.min(at, last) - sentAt)}`;
    if (at > last)
      return { at: last, why: `${waited}, by --longest-wait ${waitMaxMs}; the log took ${seconds(tookMs)}` };
    const beyond = end === 'unknown' ? `the ${seconds(tookMs)} of the log` : 'the end of the auction';
    return { at, why: `${waited}: --timeout ${answerTimeoutMs} ms beyond ${beyond}` };
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
