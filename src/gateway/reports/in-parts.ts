// Many messages of one answer, as many in a turn as leave others theirs.

import { piecesOf } from '../state/chunked-work.ts';
import type { Turn } from '../state/state.ts';

/** Send a message for each item, in their order; those beyond one piece in later turns of the session. */
export function inParts<T>(
  turn: Turn,
  sessionId: string,
  items: readonly T[],
  sendOne: (turn: Turn, item: T, i: number) => void,
): void {
  let i = 0;
  const [first = [], ...others] = piecesOf(items);
  for (const item of first) sendOne(turn, item, i++);
  for (const piece of others) {
    turn.state.pieces.add(sessionId, turn.steady, (next) => {
      for (const item of piece) sendOne(next, item, i++);
    });
  }
}
