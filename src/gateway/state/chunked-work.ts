// Work of one input that is too much for one turn, such as the cancels or statuses of ten thousand orders. It is done
// in chunks, each in its own turn, and other counterparties are served in between. Sessions alternate. The code that
// adds the work defines a chunk and how it survives the end of the process.

import type { EpochMs } from '../../base/time.ts';

/** Orders in one piece: a few milliseconds. */
export const PIECE_ORDERS = 200;
/** Between two pieces; whatever came meanwhile is taken first. */
const PAUSE_MS = 1;

/** `T`: the turn that it is done in. */
export type Piece<T> = (turn: T) => void;

export class Pieces<T> {
  /** The next in turn stands first. */
  private readonly bySession = new Map<string, Piece<T>[]>();
  /** When the next piece is done, or null if there is none. */
  dueAt: EpochMs | null = null;

  /** Have a piece done behind all others of its session. Empty: of no session. */
  add(sessionId: string, now: EpochMs, piece: Piece<T>): void {
    const waiting = this.bySession.get(sessionId);
    if (waiting === undefined) this.bySession.set(sessionId, [piece]);
    else waiting.push(piece);
    this.dueAt ??= now + PAUSE_MS;
  }

  /** Remove and return the next piece, or null. */
  take(now: EpochMs): Piece<T> | null {
    for (const [sessionId, waiting] of this.bySession) {
      const piece = waiting.shift()!;
      this.bySession.delete(sessionId);
      if (waiting.length > 0) this.bySession.set(sessionId, waiting);
      this.dueAt = this.bySession.size === 0 ? null : now + PAUSE_MS;
      return piece;
    }
    return null;
  }
}

/** Cut work that is too much for one turn into chunks; the first is for the present turn. */
export function piecesOf<T>(all: readonly T[]): T[][] {
  const pieces: T[][] = [];
  for (let i = 0; i < all.length; i += PIECE_ORDERS) pieces.push(all.slice(i, i + PIECE_ORDERS));
  return pieces;
}
