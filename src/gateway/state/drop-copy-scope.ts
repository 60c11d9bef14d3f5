// Which sessions are told of an order that they did not enter: drop copies (rules S9, O11), and `venue` order sessions of the
// liquidations on their accounts, as the exchange's own FIX tells them (exchange reference §7.2). Keeps trades of orders entered
// elsewhere that come before their order does. Leaves what is said to drop-copy.ts.

import type { EpochMs } from '../../base/time.ts';
import type { ExchangeTrade } from '../../exchange/mod.ts';
import type { CopiedRecord, LiquidationsRecord } from '../book/record-kinds.ts';
import type { SessionState } from './session-state.ts';

/** SessionID of orders that were entered elsewhere: no session's. */
export const ELSEWHERE = '';

/** Trades kept until their order is heard of; the oldest goes, and its order is then asked for. */
const EARLY_TRADES_MAX = 1_000;

/** A drop copy session with its selection read once; of its own accounts alone anything is copied. */
export interface CopySession {
  readonly session: SessionState;
  /** What it calls accounts and symbols; no other accounts are copied. */
  readonly sessionIds: ReadonlySet<string> | null;
  /** Sessions that it named before this process, and that are not configured now: of what they left open it is told still. */
  readonly gone: Set<string>;
  readonly elsewhere: boolean;
}

/** An order session that is told of liquidations. */
interface LiquidationSession extends Pick<CopySession, 'session'> {
  /** By trading account id; not known before the first input, which brings the time. */
  readonly since: Map<string, EpochMs>;
}

/** What is asked of an order to know who is told of it. */
export interface CopiedOrder {
  readonly sessionId: string;
  readonly tradingAccountId: string;
  readonly exchangeSymbol: string;
}

type OrderElsewhere = Omit<CopiedOrder, 'sessionId'>;

export class DropCopies {
  private readonly bySession = new Map<string, CopySession>();
  private readonly ofLiquidations = new Map<string, LiquidationSession>();
  /** Since when sessions that are not configured were told of liquidations, by trading account id: their files lie aside. */
  private readonly away = new Map<string, ReadonlyMap<string, EpochMs>>();
  /** Sessions that templates made: by their SessionID that of the template. */
  private readonly templates = new Map<string, string>();
  /** Whether there may be an account without a beginning. */
  private mayBegin = false;
  /** The sessions that a drop copy names, as they are on record, by its SessionID. */
  private readonly named = new Map<string, readonly string[]>();
  /** Whether that may be others now. */
  mayName = false;
  /** By order and trade: one tradeId may serve both sides of a self-match (rule O2). */
  private readonly early = new Map<string, ExchangeTrade>();
  /** Whether it was told that there are more orders entered elsewhere than are followed. */
  isIncomplete = false;

  /** A session was added or has new settings. `isThere`: whether one is configured. */
  set(session: SessionState, isThere: (sessionId: string) => boolean): void {
    const { sessionId, dropCopy, madeFrom } = session.config;
    for (const { gone } of this.bySession.values()) gone.delete(sessionId);
    if (madeFrom !== undefined) this.templates.set(sessionId, madeFrom);
    const since = this.ofLiquidations.get(sessionId)?.since ?? new Map(this.away.get(sessionId));
    this.ofLiquidations.delete(sessionId);
    this.away.delete(sessionId);
    if (session.isVenue && session.takesOrders) {
      this.ofLiquidations.set(sessionId, { session, since });
      this.mayBegin = true;
    }
    if (dropCopy === undefined) {
      this.bySession.delete(sessionId);
      return;
    }
    this.bySession.set(sessionId, {
      session,
      sessionIds: dropCopy.sessionIds === null ? null : new Set(dropCopy.sessionIds),
      gone: new Set(),
      elsewhere: dropCopy.elsewhere,
    });
    this.keepGone(sessionId, isThere);
  }

  private keepGone(copyId: string, isThere: (sessionId: string) => boolean): void {
    const copy = this.bySession.get(copyId);
    if (copy === undefined || copy.sessionIds === null) return;
    this.mayName = true;
    for (const id of this.named.get(copyId) ?? []) if (!isThere(id) && !copy.sessionIds.has(id)) copy.gone.add(id);
  }

  /** What an earlier process noted of whom a drop copy names. */
  recoverNamed({ sessionId, sessionIds }: CopiedRecord, isThere: (sessionId: string) => boolean): void {
    this.named.set(sessionId, sessionIds);
    this.keepGone(sessionId, isThere);
  }

  /** Whom drop copies name, of those where that is not on record. `hasOpen`: of others that are gone nothing is to be told. */
  *namedAnew(
    hasOpen: (sessionId: string) => boolean,
  ): Generator<readonly [copyId: string, sessionIds: readonly string[]]> {
    this.mayName = false;
    for (const [copyId, { sessionIds, gone }] of this.bySession) {
      if (sessionIds === null) continue;
      for (const id of gone) if (!hasOpen(id)) gone.delete(id);
      const all = [...sessionIds, ...gone].sort();
      if (JSON.stringify(all) === JSON.stringify(this.named.get(copyId))) continue;
      this.named.set(copyId, all);
      yield [copyId, all];
    }
  }

  /** What an earlier process noted; of a session that is not configured, too. */
  recover({ sessionId, since }: LiquidationsRecord, isConfigured: boolean): void {
    if (!isConfigured) this.away.set(sessionId, new Map(Object.entries(since)));
    const known = this.ofLiquidations.get(sessionId);
    for (const [account, at] of Object.entries(since)) known?.since.set(account, at);
  }

  /** Note the beginning of each session and account that has none; returns the sessions that got one. */
  begin(now: EpochMs): LiquidationSession[] {
    if (!this.mayBegin) return [];
    this.mayBegin = false;
    return [...this.ofLiquidations.values()].filter(({ session, since }) => {
      const fresh = [...session.names.accounts.keys()].filter((account) => !since.has(account));
      for (const account of fresh) since.set(account, now);
      return fresh.length > 0;
    });
  }

  /** The sessions that are told of an order. */
  *of(order: CopiedOrder): Generator<CopySession> {
    const madeFrom = this.templates.get(order.sessionId) ?? null;
    for (const copy of this.bySession.values()) if (covers(copy, order, madeFrom)) yield copy;
  }

  /** The order sessions that are told of the fills of a liquidation. */
  *ofLiquidation(order: OrderElsewhere): Generator<LiquidationSession> {
    for (const one of this.ofLiquidations.values()) if (trades(one, order)) yield one;
  }

  /** Those that would be told of them, were they configured: their SessionID and since when. */
  *awayOf({ tradingAccountId }: OrderElsewhere): Generator<readonly [sessionId: string, since: EpochMs]> {
    for (const [sessionId, accounts] of this.away) {
      const since = accounts.get(tradingAccountId);
      if (since !== undefined) yield [sessionId, since];
    }
  }

  get isEmpty(): boolean {
    return this.bySession.size === 0;
  }

  /** Whether anybody is told of this order that was entered elsewhere. */
  wantsElsewhere(order: OrderElsewhere, isLiquidation: boolean): boolean {
    for (const copy of this.bySession.values()) if (covers(copy, { ...order, sessionId: ELSEWHERE }, null)) return true;
    if (!isLiquidation) return false;
    for (const one of this.ofLiquidations.values()) if (trades(one, order)) return true;
    for (const _ of this.awayOf(order)) return true;
    return false;
  }

  /** Keep a trade whose order was not heard of yet. */
  keepTrade(trade: ExchangeTrade): void {
    this.early.set(earlyKey(trade), trade);
    if (this.early.size > EARLY_TRADES_MAX) this.early.delete(this.early.keys().next().value!);
  }

  /** The trades kept for an order; they are no longer kept. */
  takeTrades(orderId: string): ExchangeTrade[] {
    const taken = [...this.early.values()].filter((trade) => trade.orderId === orderId);
    for (const trade of taken) this.early.delete(earlyKey(trade));
    return taken;
  }
}

const earlyKey = ({ orderId, tradeId }: ExchangeTrade): string => `${orderId} ${tradeId}`;

/** `madeFrom`: the template of the order's session, null if that is none's. */
function covers(copy: CopySession, order: CopiedOrder, madeFrom: string | null): boolean {
  if (!trades(copy, order)) return false;
  if (order.sessionId === ELSEWHERE) return copy.elsewhere;
  const { sessionIds, gone } = copy;
  if (sessionIds === null || sessionIds.has(order.sessionId) || gone.has(order.sessionId)) return true;
  return madeFrom !== null && sessionIds.has(madeFrom);
}

/** Whether account and market are the session's. */
function trades({ session }: Pick<CopySession, 'session'>, order: OrderElsewhere): boolean {
  const { symbols } = session;
  return session.names.accounts.has(order.tradingAccountId) && (symbols === null || symbols.has(order.exchangeSymbol));
}
