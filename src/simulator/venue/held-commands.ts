// Commands that the exchange ignores until released; they wait in order of arrival.

/** More than so many at once are not held. */
const HELD_MAX = 1_000;

export class HeldCommands {
  private readonly waiting: (() => void)[] = [];
  private held = false;
  /** So many of those that come go on although others wait. */
  private passing = 0;

  get isHeld(): boolean {
    return this.held;
  }

  /** From now on commands wait. */
  hold(): void {
    this.held = true;
    this.passing = 0;
  }

  /** Go on with all that wait and hold no more, or with `count` only: the first of those that wait, then of those that come. */
  release(count: number | null = null): void {
    if (count === null) this.held = false;
    const released = this.waiting.splice(0, count ?? Number.POSITIVE_INFINITY);
    if (count !== null) this.passing += count - released.length;
    for (const goOn of released) goOn();
  }

  /** Resolves when a command that came now is to be taken. */
  turn(): Promise<void> {
    if (!this.held || this.waiting.length >= HELD_MAX) return Promise.resolve();
    if (this.passing > 0) {
      this.passing--;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
