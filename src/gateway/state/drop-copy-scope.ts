// Sessions that learn of an order that they did not enter: drop copies (rules S9, O11), and `venue` order sessions for
// liquidations on their accounts, as in the exchange's own FIX (exchange reference §7.2). Keeps trades of external
// orders that arrive before their order. drop-copy.ts words the reports.

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
  /** Its names of accounts and symbols; no other accounts are copied. */
  readonly sessionIds: ReadonlySet<string> | null;
  /**
   * Sessions that it named before this process and that are not configured now: it still learns of their open orders.
   */
  readonly gone: Set<string>;
  readonly elsewhere: boolean;
}

/** An order session that learns of liquidations. */
interface LiquidationSession extends Pick<CopySession, 'session'> {
  /** By trading account id; not known before the first input, which brings the time. */
  readonly since: Map<string, EpochMs>;
}

/** Properties of an order that decide its receivers. */
export interface CopiedOrder {
  readonly sessionId: string;
  readonly tradingAccountId: string;
  readonly exchangeSymbol: string;
}

type OrderElsewhere = Omit<CopiedOrder, 'sessionId'>;

export class DropCopies {
  private readonly bySession = new Map<string, CopySession>();
  private readonly ofLiquidations = new Map<string, LiquidationSession>();
  /**
   * Time from which sessions without configuration learned of liquidations, by trading account id: their files lie
   * aside.
   */
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
  /** True if the surplus of external orders over the limit was reported. */
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

  /** A drop copy's named sessions as an earlier process recorded them. */
  recoverNamed({ sessionId, sessionIds }: CopiedRecord, isThere: (sessionId: string) => boolean): void {
    this.named.set(sessionId, sessionIds);
    this.keepGone(sessionId, isThere);
  }

  /**
   * Sessions that drop copies name, unless recorded. `hasOpen`: sessions that are gone matter only with open orders.
   */
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

  /** Records of an earlier process, also for a session that is not configured. */
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

  /** The sessions that learn of an order. */
  *of(order: CopiedOrder): Generator<CopySession> {
    const madeFrom = this.templates.get(order.sessionId) ?? null;
    for (const copy of this.bySession.values()) if (covers(copy, order, madeFrom)) yield copy;
  }

  /** The order sessions that learn of the fills of a liquidation. */
  *ofLiquidation(order: OrderElsewhere): Generator<LiquidationSession> {
    for (const one of this.ofLiquidations.values()) if (trades(one, order)) yield one;
  }

  /** Those that would learn of them if they were configured: their SessionID and start time. */
  *awayOf({ tradingAccountId }: OrderElsewhere): Generator<readonly [sessionId: string, since: EpochMs]> {
    for (const [sessionId, accounts] of this.away) {
      const since = accounts.get(tradingAccountId);
      if (since !== undefined) yield [sessionId, since];
    }
  }

  get isEmpty(): boolean {
    return this.bySession.size === 0;
  }

  /** True if any session learns of this external order. */
  wantsElsewhere(order: OrderElsewhere, isLiquidation: boolean): boolean {
    for (const copy of this.bySession.values()) if (covers(copy, { ...order, sessionId: ELSEWHERE }, null)) return true;
    if (!isLiquidation) return false;
    for (const one of this.ofLiquidations.values()) if (trades(one, order)) return true;
    for (const _ of this.awayOf(order)) return true;
    return false;
  }

  /** Keep a trade of an order that has not been reported yet. */
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
