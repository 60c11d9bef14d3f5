// The auctions of an acceptor, as SecurityStatus(f) reports them, and whether one is in the phase that a request needs.
// Asks with SecurityStatusRequest(e), one subscription for each symbol. Leaves needs to logged-auctions.ts.

import type { EpochMs } from '../../base/time.ts';
import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { type AuctionStage, newsOfStatus } from './auction-news.ts';
import type { AuctionNeed } from './logged-auctions.ts';

/** Most symbols with a subscription; requests of others do not wait. */
const SYMBOLS_MAX = 200;
/** An auction with less time than in the log is taken if it began this short time ago: it has no more to give. */
const JUST_BEGUN_MS = 1_000;
/** Time that must be left beyond that of the log, since a replay may be slower. */
const MARGIN_MS = 1_000;

interface Watched {
  readonly reqID: string;
  readonly symbol: string;
  readonly askedAt: EpochMs;
  /** Null until the acceptor said it. */
  stage: AuctionStage | null;
  auctionID: string;
  crossAt: EpochMs | null;
  /** When its beginning was seen; null if it was running before. */
  begunAt: EpochMs | null;
  /** The acceptor says no phase. */
  isSilent: boolean;
  count: number;
}

export type Permission =
  | { readonly kind: 'now' }
  /** Send this first: it asks for the phase. */
  | { readonly kind: 'ask'; readonly draft: MessageDraft }
  /** A message or this time changes it. */
  | { readonly kind: 'wait'; readonly until: EpochMs; readonly hasPhase: boolean };

export interface WatchOptions {
  /** Put before the ids of its requests. */
  readonly prefix: string;
  /** Longest wait for an answer to a question for the phase. */
  readonly answerTimeoutMs: number;
  /** Longest wait for a phase. */
  readonly waitMaxMs: number;
}

const NOW = { kind: 'now' } as const;

export class AuctionWatch {
  private readonly options: WatchOptions;
  private readonly watched = new Map<string, Watched>();
  private readonly byReqID = new Map<string, Watched>();
  private readonly bySeqNum = new Map<number, Watched>();
  private asked: Watched | null = null;
  /** The log's auction to the acceptor's one, and when that was over. */
  private readonly bound = new Map<string, { readonly symbol: string; readonly auctionID: string }>();
  private readonly overAt = new Map<string, EpochMs>();

  constructor(options: WatchOptions) {
    this.options = options;
  }

  /** Whether a request may go out, with the phase that it needs, which it has waited for since `since`. */
  permission(need: AuctionNeed, since: EpochMs, now: EpochMs): Permission {
    const watched = this.watched.get(need.symbol);
    if (watched === undefined)
      return this.watched.size >= SYMBOLS_MAX ? NOW : { kind: 'ask', draft: this.ask(need.symbol, now) };
    const { answerTimeoutMs, waitMaxMs } = this.options;
    if (watched.isSilent) return NOW;
    if (watched.stage === null) {
      const until = watched.askedAt + answerTimeoutMs;
      if (now < until) return { kind: 'wait', until, hasPhase: false };
      watched.isSilent = true;
      return NOW;
    }
    if (now >= since + waitMaxMs || this.isMet(need, watched, now)) {
      if (need.auction !== null && need.stage !== 'closed' && !this.bound.has(need.auction)) {
        this.bound.set(need.auction, { symbol: need.symbol, auctionID: watched.auctionID });
      }
      return NOW;
    }
    return { kind: 'wait', until: since + waitMaxMs, hasPhase: true };
  }

  private isMet({ stage, auction, leftMs }: AuctionNeed, watched: Watched, now: EpochMs): boolean {
    const bound = auction === null ? undefined : this.bound.get(auction);
    // An auction that is past the phase does not come back to it.
    if (bound !== undefined && (bound.auctionID !== watched.auctionID || isBehind(watched.stage!, stage))) return true;
    if (stage !== watched.stage) return stage === 'closed' && watched.stage === 'cross';
    if (bound !== undefined || stage !== 'open' || leftMs === null || watched.crossAt === null) return true;
    const isNew = watched.begunAt !== null && now - watched.begunAt <= JUST_BEGUN_MS;
    return isNew || watched.crossAt - now >= leftMs + MARGIN_MS;
  }

  /** When the acceptor's auction for one of the log was over: `running`, `unknown`, or the time. */
  endOf(auction: string): EpochMs | 'running' | 'unknown' {
    const bound = this.bound.get(auction);
    if (bound === undefined) return 'unknown';
    const key = `${bound.symbol} ${bound.auctionID}`;
    return this.overAt.get(key) ?? 'running';
  }

  private ask(symbol: string, now: EpochMs): MessageDraft {
    const reqID = `${this.options.prefix}phase-${this.watched.size + 1}`;
    const watched: Watched = {
      ...{ reqID, symbol, askedAt: now, stage: null, auctionID: '#0', crossAt: null, begunAt: null },
      ...{ isSilent: false, count: 0 },
    };
    this.watched.set(symbol, watched);
    this.byReqID.set(reqID, watched);
    this.asked = watched;
    return new MessageDraft(MsgType.SecurityStatusRequest)
      .add(Tag.SecurityStatusReqID, reqID)
      .add(Tag.Symbol, symbol)
      .add(Tag.SubscriptionRequestType, '1');
  }

  /** Say under which MsgSeqNum(34) the question taken last went out. */
  askedUnder(msgSeqNum: number): void {
    if (this.asked !== null) this.bySeqNum.set(msgSeqNum, this.asked);
    this.asked = null;
  }

  /** Take a message that came. @returns whether it answers a question of this watch */
  received(view: MessageView, now: EpochMs): boolean {
    if (view.msgType === MsgType.Reject || view.msgType === MsgType.BusinessMessageReject) {
      const refused = this.bySeqNum.get(view.int(Tag.RefSeqNum) ?? Number.NaN);
      if (refused !== undefined) refused.isSilent = true;
      return refused !== undefined;
    }
    if (view.msgType !== MsgType.SecurityStatus) return false;
    const watched = this.byReqID.get(view.string(Tag.SecurityStatusReqID) ?? '');
    if (watched !== undefined) this.learn(watched, view, now);
    return watched !== undefined;
  }

  private learn(watched: Watched, view: MessageView, now: EpochMs): void {
    const news = newsOfStatus(view);
    if (news === null) {
      // An imbalance of the auction is no phase.
      if (watched.stage === null) watched.isSilent = true;
      return;
    }
    const { stage, crossAt } = news;
    const isRunning = stage !== 'closed';
    const wasRunning = watched.stage !== null && watched.stage !== 'closed';
    if (isRunning && !wasRunning) watched.count++;
    const auctionID = isRunning ? (news.auctionID ?? `#${watched.count}`) : watched.auctionID;
    if (wasRunning && (!isRunning || auctionID !== watched.auctionID)) {
      this.overAt.set(`${watched.symbol} ${watched.auctionID}`, now);
    }
    if (stage === 'open' && watched.stage !== null && (watched.stage !== 'open' || auctionID !== watched.auctionID)) {
      watched.begunAt = now;
    }
    watched.stage = stage;
    watched.auctionID = auctionID;
    watched.crossAt = isRunning ? crossAt : null;
  }
}

const ORDER: readonly AuctionStage[] = ['open', 'lockdown', 'cross', 'closed'];

function isBehind(stage: AuctionStage, wanted: AuctionStage): boolean {
  return ORDER.indexOf(stage) > ORDER.indexOf(wanted);
}
