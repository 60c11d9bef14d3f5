// TradingSessionStatus(h) to `venue` sessions that never asked for it, as the exchange's own FIX sends it (exchange reference
// §7.2): the platform halts or resumes, a market does. Leaves h to those who asked to security-status.ts (rule D4).

import { MessageDraft, MsgType, Tag } from '../../wire/mod.ts';
import { encodeRecord } from '../book/order-record.ts';
import { sessionSymbolOf } from '../reference-data/instrument.ts';
import type { SessionState } from '../state/session-state.ts';
import type { GatewayState, Turn } from '../state/state.ts';
import type { Told } from '../state/unsolicited-state.ts';
import { PLATFORM } from './auction-message.ts';
import { haltOf, isPlatformOpen, UNREACHABLE } from './security-status.ts';

/** A stream that comes back within this time was no halt: orders pass meanwhile. **Assumed**. */
const HALT_AFTER_MS = 5_000;

/**
 * The session logged on: it assumes an open platform, and hears of markets that change from now on. A session that was
 * here before hears of changes meanwhile: a halt from before its end may be repeated by a resend.
 */
export function followStatus(turn: Turn, session: SessionState): void {
  if (!session.isVenue || !session.takesOrders) return;
  const { bySession, markets } = turn.state.unasked;
  const { sessionId } = session.config;
  const before = bySession.get(sessionId);
  const isOpen = before?.isOpen ?? true;
  const halted = before?.halted ?? null;
  const told: Told = { isUp: true, isOpen, again: !isOpen, closedSince: null, halted, saved: before?.saved ?? '' };
  bySession.set(sessionId, told);
  tellPlatform(turn, session, told);
  tellMarkets(turn, session, told, [...markets.keys()]);
  save(turn, sessionId, told);
}

/** The session is away: it receives nothing until it returns. */
export function leaveStatus({ state }: Turn, sessionId: string): void {
  const told = state.unasked.bySession.get(sessionId);
  if (told !== undefined) told.isUp = false;
}

/** Tell whether the platform is open. Called after an input that may have changed it, and when a halt is due. */
export function tellPlatformUnasked(turn: Turn): void {
  turn.state.unasked.dueAt = null;
  for (const [session, told] of present(turn.state)) {
    tellPlatform(turn, session, told);
    save(turn, session.config.sessionId, told);
  }
}

/** Tell which markets halted or resumed since they were read last. */
export function tellMarketsUnasked(turn: Turn): void {
  const { unasked, board } = turn.state;
  // After a start they are compared with the last reports to each session.
  const isFirst = unasked.markets.size === 0;
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
  const symbols = isFirst ? [...unasked.markets.keys()] : changed;
  if (symbols.length === 0) return;
  for (const [session, told] of present(turn.state)) {
    tellMarkets(turn, session, told, symbols);
    save(turn, session.config.sessionId, told);
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
  else told.closedSince ??= turn.steady;
  if (isOpen === told.isOpen && (isOpen || !told.again)) return;
  if (told.closedSince !== null) {
    const dueAt = told.closedSince + HALT_AFTER_MS;
    if (turn.steady < dueAt) {
      unasked.dueAt = Math.min(unasked.dueAt ?? dueAt, dueAt);
      return;
    }
  }
  told.isOpen = isOpen;
  told.again = false;
  // The requester was answered at once.
  if (!subscriptions.hasPlatform(session.config.sessionId)) send(turn, session, null, isOpen ? null : UNREACHABLE);
}

/** Tell those of these markets that changed since the session heard of them. */
function tellMarkets(turn: Turn, session: SessionState, told: Told, symbols: readonly string[]): void {
  const { markets } = turn.state.unasked;
  if (markets.size === 0) return;
  told.halted ??= new Set([...markets.keys()].filter((symbol) => markets.get(symbol) === false));
  for (const symbol of symbols) {
    if (markets.get(symbol) === told.halted.has(symbol)) tellMarket(turn, session, told.halted, symbol);
  }
}

function tellMarket(turn: Turn, session: SessionState, halted: Set<string>, symbol: string): void {
  const rules = turn.state.board.rules(symbol);
  if (rules === null) return;
  const halt = haltOf(rules.market);
  if (halt === null) halted.delete(symbol);
  else halted.add(symbol);
  // FIX.4.2 has no Symbol(55) in h.
  if (!session.version.hasParties || session.symbols?.has(symbol) === false) return;
  send(turn, session, sessionSymbolOf(session, symbol), halt);
}

/** Keep the session's last reports; delisted markets never resume. */
function save(turn: Turn, sessionId: string, told: Told): void {
  if (told.halted === null) return;
  const { board } = turn.state;
  const halted = [...told.halted].filter((symbol) => board.listed(symbol) !== null).sort();
  const key = `status|${sessionId}`;
  const record = encodeRecord({ kind: 'status', key, sessionId, isOpen: told.isOpen, halted });
  if (record === told.saved) return;
  told.saved = record;
  turn.record(sessionId, key, record);
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
