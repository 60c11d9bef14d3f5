// Processes one connection's frames in order. Long ones continue in turns of the event loop, with other work in
// between, and later frames wait. Owners process the frames.

/** Work left, a piece with each `next`. */
export type Rest = Generator<void, void>;

export class FrameTurns {
  /** The last one goes on first. */
  readonly #underWay: Rest[] = [];
  readonly #waiting: (() => Rest | null)[] = [];
  /** Called to pause input during long work: only frames already read then wait. */
  readonly #pause: (isPaused: boolean) => void;
  /** A turn is to come. */
  #isDue = false;
  #isOver = false;

  constructor(pause: (isPaused: boolean) => void) {
    this.#pause = pause;
  }

  get isBusy(): boolean {
    return this.#underWay.length > 0;
  }

  /** Do something behind all that came before it: at once, if nothing is under way. */
  add(run: () => Rest | null): void {
    if (this.isBusy) this.#waiting.push(run);
    else this.goFirst(run());
  }

  /** Do something before anything else goes on: its first piece at once. */
  goFirst(rest: Rest | null): void {
    if (rest === null || this.#isOver || rest.next().done === true) return;
    // That piece may have ended the connection.
    if (this.#isOver) return;
    this.#underWay.push(rest);
    this.#pause(true);
    this.#later();
  }

  /** Drop the remaining work. */
  close(): void {
    this.#isOver = true;
    this.#underWay.length = 0;
    this.#waiting.length = 0;
  }

  #later(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#turn();
    });
  }

  #turn(): void {
    const rest = this.#underWay.at(-1);
    if (rest === undefined) return;
    if (rest.next().done === true) {
      // It may have had something else go first with its last piece.
      const at = this.#underWay.indexOf(rest);
      if (at !== -1) this.#underWay.splice(at, 1);
    }
    while (!this.isBusy) {
      const run = this.#waiting.shift();
      if (run === undefined) break;
      this.goFirst(run());
    }
    if (this.isBusy) this.#later();
    else if (!this.#isOver) this.#pause(false);
  }
}
