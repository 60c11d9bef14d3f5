// Look-ups that wait for room in the exchange's limits, of one address. Trading accounts alternate. Within an account
// the look-up that began first finishes first, so that orders settle one after another. One account's hundreds delay no
// other. rate-budget.ts has the room.

/** A waiter looks again this soon: the answer to another request can make room. */
export const POLL_MS = 20;

/** Unwanted ones dropped at once: each is an answer to its owner. */
const LET_GO_MAX = 20;

interface Waiting {
  readonly turn: number;
  /** One budget and category: where the first of them has to wait, so have those behind it. */
  readonly limit: object;
  readonly owner: object;
  readonly until: number;
  readonly waitMs: () => number;
  readonly isWanted: () => boolean;
  /** Take the room and go on. */
  readonly go: () => void;
  readonly giveUp: () => void;
}

export interface LookupRoom<T> {
  readonly limit: object;
  readonly owner: object;
  /** 0 where it may leave now. */
  readonly waitMs: () => number;
  readonly take: () => T;
  /** Longest wait. */
  readonly withinMs: number;
  /** Asked when its turn has come; default: it is. */
  readonly isWanted?: (() => boolean) | undefined;
}

export class LookupTurns {
  /** In the order of their turns. */
  #waiting: Waiting[] = [];
  /** The latest turn that had room, and the last of each account. */
  #served = 0;
  readonly #lastOf = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  /** The turn of a look-up of this account that begins now; it keeps it for all of its questions. */
  next(tradingAccountId: string): number {
    const turn = Math.max(this.#served, this.#lastOf.get(tradingAccountId) ?? 0) + 1;
    this.#lastOf.set(tradingAccountId, turn);
    return turn;
  }

  /** Wait for room and take it; null if there is none in time or its owner gave up. */
  async room<T>(
    turn: number,
    { limit, owner, waitMs, take, withinMs, isWanted = () => true }: LookupRoom<T>,
  ): Promise<T | null> {
    return await new Promise((resolve) => {
      const until = performance.now() + withinMs;
      const waiting: Waiting = {
        turn,
        limit,
        owner,
        until,
        waitMs,
        isWanted,
        go: () => resolve(take()),
        giveUp: () => resolve(null),
      };
      const behind = this.#waiting.findLastIndex((other) => other.turn <= turn);
      this.#waiting.splice(behind + 1, 0, waiting);
      // Behind another one of its limit it has to wait: of thousands that come at once, each would look at all the others.
      const isFirst = this.#waiting.find((other) => other.limit === limit) === waiting;
      if (isFirst || this.#timer === null) this.#pump();
    });
  }

  /** Nothing of this owner goes any more. */
  giveUp(owner: object): void {
    const left = this.#waiting.filter((waiting) => waiting.owner === owner);
    this.#waiting = this.#waiting.filter((waiting) => waiting.owner !== owner);
    for (const waiting of left) waiting.giveUp();
  }

  #pump(): void {
    const now = performance.now();
    const full = new Set<object>();
    const staying: Waiting[] = [];
    let letGo = 0;
    for (const waiting of this.#waiting) {
      if (!full.has(waiting.limit) && waiting.waitMs() === 0) {
        const isWanted = waiting.isWanted();
        if (isWanted) {
          this.#served = Math.max(this.#served, waiting.turn);
          waiting.go();
          continue;
        }
        if (letGo++ < LET_GO_MAX) {
          waiting.giveUp();
          continue;
        }
      }
      full.add(waiting.limit);
      if (now >= waiting.until) waiting.giveUp();
      else staying.push(waiting);
    }
    this.#waiting = staying;
    if (staying.length === 0 || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#pump();
    }, POLL_MS);
  }
}
