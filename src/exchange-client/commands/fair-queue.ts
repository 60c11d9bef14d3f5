// Waiting commands, shared fairly: each sharer (a FIX session) has its own queue, first in, first out, and the sharers
// alternate. A busy one delays only itself (rule S7). Sends nothing itself.

/** Result of an attempt to send: gone, or the obstacle. */
export interface Obstacle {
  /** Worth trying again after so long. */
  readonly ms: number;
  readonly reason: string;
  /** Only this one has to wait; those behind it may go past. */
  readonly ownOrderOnly: boolean;
}

export interface FairEntry {
  readonly sharer: string;
}

export class FairQueue<T extends FairEntry> {
  readonly #queues = new Map<string, T[]>();
  readonly #giveUpAt: (entry: T, obstacle: Obstacle) => number;
  #size = 0;

  /** `giveUpAt`: the latest time that an entry waits for its obstacle. */
  constructor(giveUpAt: (entry: T, obstacle: Obstacle) => number) {
    this.#giveUpAt = giveUpAt;
  }

  get size(): number {
    return this.#size;
  }

  push(entry: T): void {
    this.#queueOf(entry.sharer).push(entry);
    this.#size++;
  }

  /** Enter a sent command again, before all others of its sharer. */
  putBack(entry: T): void {
    this.#queueOf(entry.sharer).unshift(entry);
    this.#size++;
  }

  #queueOf(sharer: string): T[] {
    let queue = this.#queues.get(sharer);
    if (queue === undefined) {
      queue = [];
      this.#queues.set(sharer, queue);
    }
    return queue;
  }

  /** Remove and return matching entries. */
  take(matches: (entry: T) => boolean): T[] {
    if (this.#size === 0) return [];
    const taken: T[] = [];
    for (const [sharer, queue] of [...this.#queues]) {
      for (let i = 0; i < queue.length; ) {
        const entry = queue[i]!;
        if (!matches(entry)) i++;
        else {
          taken.push(entry);
          this.#take(sharer, i);
        }
      }
    }
    return taken;
  }

  /** Remove and return everything. */
  clear(): T[] {
    const all = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#size = 0;
    return all;
  }

  /**
   * Send every entry that can go, sharers in turn. `attempt` sends an entry or returns the obstacle; `expire` gets
   * entries that waited too long. Returns the milliseconds until the next attempt is worthwhile.
   */
  pump(now: () => number, attempt: (entry: T) => Obstacle | null, expire: (entry: T, reason: string) => void): number {
    let again = Number.POSITIVE_INFINITY;
    // Bounded by the waiting entries: a round without a send ends it.
    for (let sent = true; sent && this.#size > 0; ) {
      sent = false;
      for (const sharer of [...this.#queues.keys()]) {
        const outcome = this.#serve(sharer, now, attempt, expire);
        if (outcome.sent) sent = true;
        else again = Math.min(again, outcome.ms);
        if (outcome.blockedBy !== null) {
          // No entry can go now; waiting ones still expire in time.
          return Math.min(again, outcome.ms, this.#expireHeads(now, expire, outcome.blockedBy));
        }
      }
    }
    return again;
  }

  /** One entry of a sharer, which then goes to the end. */
  #serve(
    sharer: string,
    now: () => number,
    attempt: (entry: T) => Obstacle | null,
    expire: (entry: T, reason: string) => void,
  ): { sent: boolean; blockedBy: Obstacle | null; ms: number } {
    const queue = this.#queues.get(sharer);
    let ms = Number.POSITIVE_INFINITY;
    for (let i = 0; queue !== undefined && i < queue.length; ) {
      const entry = queue[i]!;
      const obstacle = attempt(entry);
      if (obstacle === null) {
        this.#take(sharer, i);
        const rest = this.#queues.get(sharer);
        if (rest !== undefined) {
          this.#queues.delete(sharer);
          this.#queues.set(sharer, rest);
        }
        return { sent: true, blockedBy: null, ms };
      }
      const giveUpAt = this.#giveUpAt(entry, obstacle);
      if (now() >= giveUpAt) {
        this.#take(sharer, i);
        expire(entry, obstacle.reason);
        continue;
      }
      ms = Math.min(ms, obstacle.ms, giveUpAt - now());
      if (!obstacle.ownOrderOnly) return { sent: false, blockedBy: obstacle, ms };
      i++;
    }
    return { sent: false, blockedBy: null, ms };
  }

  #expireHeads(now: () => number, expire: (entry: T, reason: string) => void, obstacle: Obstacle): number {
    let again = Number.POSITIVE_INFINITY;
    for (const [sharer, queue] of [...this.#queues]) {
      while (queue[0] !== undefined && now() >= this.#giveUpAt(queue[0], obstacle)) {
        const entry = queue[0];
        this.#take(sharer, 0);
        expire(entry, obstacle.reason);
      }
      if (queue[0] !== undefined) again = Math.min(again, this.#giveUpAt(queue[0], obstacle) - now());
    }
    return again;
  }

  #take(sharer: string, i: number): void {
    const queue = this.#queues.get(sharer)!;
    queue.splice(i, 1);
    this.#size--;
    if (queue.length === 0) this.#queues.delete(sharer);
  }
}
