// Which drop copy sessions are told of an order (rules S9, O11), and trades of orders entered elsewhere that come before
// their order does. Leaves what is said to drop-copy.ts.

import type { ExchangeTrade } from '../exchange/mod.ts';
import { namesOf, type SessionNames } from './session-names.ts';
import type { SessionState } from './state.ts';

/** SessionID of orders that were entered elsewhere: no session's. */
export const ELSEWHERE = '';

/** Trades kept until their order is heard of; the oldest goes, and its order is then asked for. */
const EARLY_TRADES_MAX = 1_000;

/** A drop copy session with its selection read once. */
export interface CopySession {
  readonly session: SessionState;
  /** What it calls accounts and symbols; no other accounts are copied. */
  readonly names: SessionNames;
  readonly sessionIds: ReadonlySet<string> | null;
  readonly elsewhere: boolean;
}

/** What is asked of an order to know who is told of it. */
export interface CopiedOrder {
  readonly sessionId: string;
  readonly tradingAccountId: string;
  readonly exchangeSymbol: string;
}

export class DropCopies {
  private readonly bySession = new Map<string, CopySession>();
  private readonly early = new Map<string, ExchangeTrade>();

  /** A session was added or has new settings. */
  set(session: SessionState): void {
    const { sessionId, dropCopy } = session.config;
    if (dropCopy === undefined) {
      this.bySession.delete(sessionId);
      return;
    }
    this.bySession.set(sessionId, {
      session,
      names: namesOf(session.config),
      sessionIds: dropCopy.sessionIds === null ? null : new Set(dropCopy.sessionIds),
      elsewhere: dropCopy.elsewhere,
    });
  }

  /** The sessions that are told of an order. */
  *of(order: CopiedOrder): Generator<CopySession> {
    for (const copy of this.bySession.values()) if (covers(copy, order)) yield copy;
  }

  get isEmpty(): boolean {
    return this.bySession.size === 0;
  }

  /** Whether anybody is told of orders of an account that were entered elsewhere. */
  wantsElsewhere(tradingAccountId: string, exchangeSymbol: string): boolean {
    for (const copy of this.bySession.values()) {
      if (covers(copy, { sessionId: ELSEWHERE, tradingAccountId, exchangeSymbol })) return true;
    }
    return false;
  }

  /** Keep a trade whose order was not heard of yet. */
  keepTrade(trade: ExchangeTrade): void {
    this.early.set(trade.tradeId, trade);
    if (this.early.size > EARLY_TRADES_MAX) this.early.delete(this.early.keys().next().value!);
  }

  /** The trades kept for an order; they are no longer kept. */
  takeTrades(orderId: string): ExchangeTrade[] {
    const taken = [...this.early.values()].filter((trade) => trade.orderId === orderId);
    for (const { tradeId } of taken) this.early.delete(tradeId);
    return taken;
  }
}

function covers(copy: CopySession, { sessionId, tradingAccountId, exchangeSymbol }: CopiedOrder): boolean {
  if (!copy.names.accounts.has(tradingAccountId)) return false;
  const { symbols } = copy.session;
  if (symbols !== null && !symbols.has(exchangeSymbol)) return false;
  if (sessionId === ELSEWHERE) return copy.elsewhere;
  return copy.sessionIds === null || copy.sessionIds.has(sessionId);
}
