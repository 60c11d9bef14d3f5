// The present and the last auctions of each symbol in memory, for the plots of the console: indicative price and imbalance, each change
// with its moment. The console draws them over the phase clock. Bounded by symbols, auctions and points.

import type { Administration } from '../../administration/mod.ts';
import type { EpochMs } from '../../base/time.ts';

const LOOK_MS = 500;
const SYMBOLS_MAX = 200;
const AUCTIONS_MAX = 3;
/** Of one auction; a later point replaces the last one. */
const POINTS_MAX = 2_000;

/** Amounts are numbers here: they are drawn, and nothing is counted with them. */
export interface AuctionPoint {
  readonly at: EpochMs;
  /** Price at which the auction would clear; the clearing price in the last point. Null while there is none. */
  readonly price: number | null;
  /** Quantity that is left over: buys above zero, sells below. */
  readonly imbalance: number | null;
  readonly paired: number | null;
}

export interface AuctionCourse {
  readonly symbol: string;
  readonly auctionId: string;
  readonly startTime: EpochMs;
  readonly lockdownTime: EpochMs;
  readonly scheduledCrossTime: EpochMs;
  readonly points: readonly AuctionPoint[];
}

interface Course extends AuctionCourse {
  scheduledCrossTime: EpochMs;
  readonly points: AuctionPoint[];
}

type Source = Pick<Administration, 'auctions' | 'imbalance' | 'now'>;

export class AuctionRing {
  readonly #source: Source;
  readonly #timer: NodeJS.Timeout;
  /** By symbol, the oldest first. */
  readonly #courses = new Map<string, Course[]>();

  constructor(source: Source) {
    this.#source = source;
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Note what changed, as every half second. */
  look(): void {
    for (const { symbol, auctionId, startTime, lockdownTime, scheduledCrossTime } of this.#source.auctions()) {
      const courses = this.#courses.get(symbol) ?? [];
      if (courses.length === 0) {
        if (this.#courses.size >= SYMBOLS_MAX) continue;
        this.#courses.set(symbol, courses);
      }
      let course = courses.at(-1);
      if (course?.auctionId !== auctionId) {
        course = { symbol, auctionId, startTime, lockdownTime, scheduledCrossTime, points: [] };
        courses.push(course);
        if (courses.length > AUCTIONS_MAX) courses.shift();
      }
      // It may be postponed.
      course.scheduledCrossTime = scheduledCrossTime;
      this.#note(course);
    }
  }

  /** Auctions of a symbol, the latest last. */
  courses(symbol: string): readonly AuctionCourse[] {
    return this.#courses.get(symbol) ?? [];
  }

  symbols(): readonly string[] {
    return [...this.#courses.keys()];
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #note({ symbol, auctionId, points }: Course): void {
    const noii = this.#source.imbalance(symbol);
    if (noii === null || noii.auctionId !== auctionId) return;
    const quantity = drawn(noii.imbalanceQuantity);
    const signs = { BUY: 1, SELL: -1, NONE: 0 } as const;
    const point = {
      at: noii.at ?? this.#source.now(),
      price: drawn(noii.clearingPrice ?? noii.farPrice),
      imbalance: quantity === null ? null : quantity * signs[noii.imbalanceDirection],
      paired: drawn(noii.pairedQuantity),
    };
    const last = points.at(-1);
    if (last !== undefined && isSame(last, point)) return;
    if (points.length >= POINTS_MAX) points.pop();
    points.push(point);
  }
}

function drawn(amount: string | null): number | null {
  return amount === null ? null : Number(amount);
}

function isSame(a: AuctionPoint, b: AuctionPoint): boolean {
  return a.price === b.price && a.imbalance === b.imbalance && a.paired === b.paired;
}
