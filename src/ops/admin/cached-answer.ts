// A shared answer that grows with its content. It is rebuilt for at most a twentieth of the time, for any number of
// open pages, because it runs on the event loop of the orders.

/** For so many times as long as it took, an answer is given again. */
const GIVEN_FOR = 20;

export class SharedAnswer {
  readonly #make: () => unknown;
  readonly #elapsedMs: () => number;
  #text = '';
  #until = Number.NEGATIVE_INFINITY;

  /** @param make builds the answer as JSON data @param elapsedMs a monotonic clock */
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

  /** An action changed something: the next caller gets a fresh answer. */
  forget(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }
}
