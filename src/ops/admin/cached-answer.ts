// An answer that is the same for everybody who asks, and grows with what there is to tell: made anew for a twentieth of the
// time at most, however many pages are open, as it stands on the event loop of the orders.

/** For so many times as long as it took, an answer is given again. */
const GIVEN_FOR = 20;

export class SharedAnswer {
  readonly #make: () => unknown;
  readonly #elapsedMs: () => number;
  #text = '';
  #until = Number.NEGATIVE_INFINITY;

  /** @param make what is told, as it can be said in JSON @param elapsedMs a clock that never goes back */
  constructor(make: () => unknown, elapsedMs = (): number => performance.now()) {
    this.#make = make;
    this.#elapsedMs = elapsedMs;
  }

  /** In JSON. */
  text(): string {
    const begun = this.#elapsedMs();
    if (begun < this.#until) return this.#text;
    this.#text = JSON.stringify(this.#make());
    const ended = this.#elapsedMs();
    this.#until = ended + GIVEN_FOR * (ended - begun);
    return this.#text;
  }

  /** Somebody did something: whoever asks next is told what came of it. */
  forget(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }
}
