// Work that never runs twice at once: one that is asked for while it runs follows, once for all who ask.

export class OneAfterAnother {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | null = null;
  #isWanted = false;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when what is asked for now is done. */
  run(): Promise<void> {
    if (this.#running !== null) {
      this.#isWanted = true;
      return this.#running;
    }
    this.#running = this.#all();
    return this.#running;
  }

  async #all(): Promise<void> {
    try {
      do {
        this.#isWanted = false;
        await this.#work();
      } while (this.#isWanted);
    } finally {
      this.#running = null;
    }
  }
}
