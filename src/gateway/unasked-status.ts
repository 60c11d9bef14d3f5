// TradingSessionStatus(h) to `venue` sessions that never asked for it, as the exchange's own FIX sends it (exchange reference
// §7.2): the platform halts or resumes, a market does. Leaves h to those who asked to security-status.ts (rule D4).

import type { EpochMs } from '../base/time.ts';
import { MessageDraft, MsgType, Tag } from '../wire/mod.ts';
import type { MarketBoard } from './market-board.ts';
import { sessionSymbolOf } from './reference-data.ts';
import { haltOf, isPlatformOpen, PLATFORM, UNREACHABLE } from './security-status.ts';
import type { SessionState, Turn } from './state.ts';

/** A stream that comes back within this time was no halt: orders pass meanwhile. **Assumed**. */
const HALT_AFTER_MS = 5_000;

/** What a session that is logged on was told. */
interface Told {
  isOpen: boolean;
  closedSince: EpochMs | null;
  /** Whether a market trades, by the exchange's name of it. */
  readonly markets: Map<string, boolean>;
}

/** What the sessions were told that are told unasked. */
export class UnaskedStatus {
  readonly bySession = new Map<string, Told>();
  /** When a halt of the platform is told, if it lasts until then. */
  dueAt: EpochMs | null = null;
}

/** The session logged on: it takes the platform for open, and is told of markets that change from now on. */
export function followStatus(turn: Turn, session: SessionState): void {
  if (!session.isVenue || !session.takesOrders) return;
  const markets = new Map<string, boolean>();
  noteNew(turn.state.board, markets);
  turn.state.unasked.bySession.set(session.config.sessionId, { isOpen: true, closedSince: null, markets });
  tellUnasked(turn);
}

/** Tell what changed. Called after an input that may have changed it, and when a halt is due. */
export function tellUnasked(turn: Turn): void {
  const { unasked, sessions } = turn.state;
  unasked.dueAt = null;
  for (const [sessionId, told] of unasked.bySession) {
    const session = sessions.get(sessionId);
    if (session === undefined || !session.isVenue) continue;
    tellPlatform(turn, session, told);
    // FIX.4.2 has no Symbol(55) in h.
    if (session.version.hasParties) tellMarkets(turn, session, told);
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

function tellMarkets(turn: Turn, session: SessionState, { markets }: Told): void {
  const { board } = turn.state;
  noteNew(board, markets);
  for (const [symbol, was] of markets) {
    const rules = board.rules(symbol);
    const halt = rules === null ? null : haltOf(rules.market);
    if (rules === null || (halt === null) === was) continue;
    markets.set(symbol, halt === null);
    if (session.symbols?.has(symbol) !== false) send(turn, session, sessionSymbolOf(session, symbol), halt);
  }
}

/** A market that is listed anew did not change. */
function noteNew(board: MarketBoard, markets: Map<string, boolean>): void {
  for (const { market } of board.allRules()) {
    if (!markets.has(market.symbol)) markets.set(market.symbol, haltOf(market) === null);
  }
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
