// Where every choice of a simulation comes from: one seed, and the faults that may happen with how often they did.

/** Everything that can go wrong; each is counted in every run. */
export const FAULTS = [
  'linkCut',
  'frameTorn',
  'linkSilent',
  'chunkSplit',
  'kill',
  'powerLoss',
  'killDuringStart',
  'tornTail',
  'failedSync',
  'diskFull',
  'slowSync',
  'failedRead',
  'commandLost',
  'commandLate',
  'answerLost',
  'serverError',
  'refused',
  'notSent',
  'idMissing',
  'lateRefusal',
  'lostRefusal',
  'streamCut',
  'eventRepeated',
  'lookupFailed',
  'fenceFailed',
  'reconciliationFailed',
  'unsolicitedEnd',
  'lateFill',
  'crossPostponed',
  'excludedAtCross',
  'auctionFeedCut',
  'reset',
  'resetInSession',
  'houseResets',
  'resetAnswerLost',
  'logonAnswerLost',
  'askedTwice',
  'askedDuringResend',
  'oldNumbersAsked',
  'copiesAskedAgain',
  'clOrdIDTwice',
  'possResend',
  'secondLogon',
  'logout',
] as const;
export type Fault = (typeof FAULTS)[number];

/** A seeded stream of numbers (mulberry32). */
export class Randomness {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer in [from, to]. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(p: number): boolean {
    return this.next() < p;
  }

  /** @throws RangeError if there is nothing to pick from */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to pick from');
    return items[Math.floor(this.next() * items.length)]!;
  }
}

/** The faults of one run: which may happen, how eagerly, and how often each did. */
export class Faults {
  readonly counts: Record<Fault, number> = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<
    Fault,
    number
  >;
  /** Off while everything is to come to rest. */
  on = true;
  readonly #random: Randomness;
  readonly #eagerness: Record<Fault, number>;

  /** Each seed leaves some faults out and exaggerates others, so that rare company of faults occurs too. */
  constructor(random: Randomness, without: ReadonlySet<Fault>) {
    this.#random = random;
    this.#eagerness = Object.fromEntries(
      FAULTS.map((fault) => {
        const eagerness = random.pick([0, 0.5, 1, 1, 1, 2.5]);
        return [fault, without.has(fault) ? 0 : eagerness];
      }),
    ) as Record<Fault, number>;
  }

  /** Whether the fault happens now, at a usual probability of `p`. */
  strikes(fault: Fault, p: number): boolean {
    const drawn = this.#random.next();
    if (!this.on || drawn >= p * this.#eagerness[fault]) return false;
    this.counts[fault]++;
    return true;
  }

  /** A fault that follows from another one. */
  count(fault: Fault): void {
    this.counts[fault]++;
  }
}
