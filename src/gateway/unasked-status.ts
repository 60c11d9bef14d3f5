// TradingSessionStatus(h) to `venue` sessions that never asked for it, as the exchange's own FIX sends it (exchange reference
// §7.2): the platform halts or resumes, a market does. Leaves h to those who asked to security-status.ts (rule D4).

import type { EpochMs } from '../base/time.ts';
import { MessageDraft, MsgType, Tag } from '../wire/mod.ts';
import { sessionSymbolOf } from './reference-data.ts';
import { haltOf, isPlatformOpen, PLATFORM, UNREACHABLE } from './security-status.ts';
import type { GatewayState, SessionState, Turn } from './state.ts';

/** A stream that comes back within this time was no halt: orders pass meanwhile. **Assumed**. */
const HALT_AFTER_MS = 5_000;

/** What a session was told: kept while it is away, since nothing else says what it missed. */
interface Told {
  isUp: boolean;
  isOpen: boolean;
  closedSince: EpochMs | null;
  /** Markets that do not trade, by the exchange's names of them. */
  readonly halted: Set<string>;
}

/** What the sessions were told that are told unasked. */
export class UnaskedStatus {
  readonly bySession = new Map<string, Told>();
  /** Whether a market trades, by the exchange's name of it, as last read. */
  readonly markets = new Map<string, boolean>();
  /** When a halt of the platform is told, if it lasts until then. */
  dueAt: EpochMs | null = null;

  /** The clock was set back: a halt lasts as long as before. */
  setBack(byMs: number): void {
    if (this.dueAt !== null) this.dueAt -= byMs;
    for (const told of this.bySession.values()) if (told.closedSince !== null) told.closedSince -= byMs;
  }
}

/**
 * The session logged on: it takes the platform for open, and is told of markets that change from now on. One that was here
 * before is told what changed meanwhile: a halt from before its end may come once more with a resend.
 */
export function followStatus(turn: Turn, session: SessionState): void {
  if (!session.isVenue || !session.takesOrders) return;
  const { bySession, markets } = turn.state.unasked;
  const before = bySession.get(session.config.sessionId);
  const isOpen = before === undefined || before.isOpen || !isPlatformOpen(turn.state, session);
  const halted = before?.halted ?? new Set([...markets.keys()].filter((symbol) => markets.get(symbol) === false));
  const told: Told = { isUp: true, isOpen, closedSince: null, halted };
  bySession.set(session.config.sessionId, told);
  tellPlatform(turn, session, told);
  for (const [symbol, trades] of markets) if (trades === halted.has(symbol)) tellMarket(turn, session, told, symbol);
}

/** The session is away: it is told nothing until it comes back. */
export function leaveStatus({ state }: Turn, sessionId: string): void {
  const told = state.unasked.bySession.get(sessionId);
  if (told !== undefined) told.isUp = false;
}

/** Tell whether the platform is open. Called after an input that may have changed it, and when a halt is due. */
export function tellPlatformUnasked(turn: Turn): void {
  turn.state.unasked.dueAt = null;
  for (const [session, told] of present(turn.state)) tellPlatform(turn, session, told);
}

/** Tell which markets halted or resumed since they were read last. */
export function tellMarketsUnasked(turn: Turn): void {
  const { unasked, board } = turn.state;
  const changed: string[] = [];
  for (const [symbol, trades] of unasked.markets) {
    const rules = board.rules(symbol);
    if (rules === null) unasked.markets.delete(symbol);
    else if ((haltOf(rules.market) === null) !== trades) changed.push(symbol);
  }
  for (const symbol of changed) unasked.markets.set(symbol, !unasked.markets.get(symbol));
  // A market that is listed anew did not change.
  for (const { market } of board.allRules()) {
    if (!unasked.markets.has(market.symbol)) unasked.markets.set(market.symbol, haltOf(market) === null);
  }
  if (changed.length === 0) return;
  for (const [session, told] of present(turn.state)) {
    for (const symbol of changed) tellMarket(turn, session, told, symbol);
  }
}

function* present({ unasked, sessions }: GatewayState): Generator<[SessionState, Told]> {
  for (const [sessionId, told] of unasked.bySession) {
    const session = sessions.get(sessionId);
    if (told.isUp && session?.isVenue === true) yield [session, told];
  }
}

function tellPlatform(turn: Turn, session: SessionState, told: Told): void {
  const { unasked, subscriptions } = turn.state;
  const isOpen = isPlatformOpen(turn.state, session);
  if (isOpen) told.closedSince = null;
  else told.closedSince ??= turn.now;
  if (isOpen === told.isOpen) return;
  if (told.closedSince !== null) {
    const dueAt = told.closedSince + HALT_AFTER_MS;
    if (turn.now < dueAt) {
      unasked.dueAt = Math.min(unasked.dueAt ?? dueAt, dueAt);
      return;
    }
  }
  told.isOpen = isOpen;
  // Who asked was told at once.
  if (!subscriptions.hasPlatform(session.config.sessionId)) send(turn, session, null, isOpen ? null : UNREACHABLE);
}

function tellMarket(turn: Turn, session: SessionState, { halted }: Told, symbol: string): void {
  const rules = turn.state.board.rules(symbol);
  if (rules === null) return;
  const halt = haltOf(rules.market);
  if (halt === null) halted.delete(symbol);
  else halted.add(symbol);
  // FIX.4.2 has no Symbol(55) in h.
  if (!session.version.hasParties || session.symbols?.has(symbol) === false) return;
  send(turn, session, sessionSymbolOf(session, symbol), halt);
}

/** 340=1 with 1368=3 while something halts it, else 340=2 with 1368=0; without Symbol(55) it is the whole platform. */
function send(turn: Turn, session: SessionState, symbol: string | null, halt: string | null): void {
  const draft = new MessageDraft(MsgType.TradingSessionStatus)
    .header(Tag.TargetSubID, 'ADMIN')
    .add(Tag.TradingSessionID, PLATFORM)
    .add(Tag.UnsolicitedIndicator, 'Y')
    .add(Tag.TradSesStatus, halt === null ? '2' : '1');
  if (session.version.hasParties) draft.add(Tag.TradSesEvent, halt === null ? '0' : '3').addIf(Tag.Symbol, symbol);
  turn.send(session.config.sessionId, draft.addIf(Tag.Text, halt));
}
