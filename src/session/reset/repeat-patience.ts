// Decides whether a counterparty must show that it reads before reports are repeated to it. Each repetition is recorded under
// new numbers. A counterparty that logs on with a reset and drops the connection, again and again, would multiply the
// journal; one that reads answers a TestRequest(1) and gets its reports a moment later.

/** Connections in a row that ended amid unproven repetitions. Links break twice. */
const IN_VAIN_MAX = 2;

export class RepeatPatience {
  #inVain = 0;
  #hasRepeated = false;
  /** The repetition waits for the answer to a TestRequest. */
  isWaiting = false;

  /** Whether the next repetition needs an answer first. */
  get asksFirst(): boolean {
    return this.#inVain >= IN_VAIN_MAX;
  }

  /** A report was repeated on this connection. */
  repeated(): void {
    this.#hasRepeated = true;
  }

  /** The counterparty answered: it reads. */
  answered(): void {
    this.#inVain = 0;
    this.#hasRepeated = false;
  }

  connectionEnded(): void {
    if (this.#hasRepeated) this.#inVain++;
    this.#hasRepeated = false;
    this.isWaiting = false;
  }
}
