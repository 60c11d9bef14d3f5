// A long list of markets in parts, each in a turn of its own, so that others are served in between.

import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { MarketRules } from '../vocabulary/market-board.ts';

/** Markets per turn and per message, well below the longest message that any engine accepts. */
export const PART_MAX = 100;

/** Sends the markets of a list from this index on. */
type TellPart = (turn: Turn, session: SessionState, from: number, some: readonly MarketRules[]) => void;

/**
 * Send a list in parts; at least one, of no markets if there are none. Nothing piles up: the rest of an earlier long
 * answer to the session goes at once, ahead of another one.
 */
export function listMarkets(
  turn: Turn,
  { config: { sessionId } }: SessionState,
  markets: readonly MarketRules[],
  tell: TellPart,
): void {
  const { listings, sessions, pieces } = turn.state;
  if (markets.length > PART_MAX) listings.get(sessionId)?.(turn, true);
  let from = 0;
  const goOn = (next: Turn, isWhole: boolean): void => {
    do {
      const session = sessions.get(sessionId);
      if (session !== undefined) tell(next, session, from, markets.slice(from, from + PART_MAX));
      from += PART_MAX;
    } while (isWhole && from < markets.length);
    if (from >= markets.length) {
      if (listings.get(sessionId) === goOn) listings.delete(sessionId);
      return;
    }
    listings.set(sessionId, goOn);
    pieces.add(sessionId, next.steady, (later) => {
      if (listings.get(sessionId) === goOn) goOn(later, false);
    });
  };
  goOn(turn, false);
}
