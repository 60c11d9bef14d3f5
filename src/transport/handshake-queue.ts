// Performs TLS handshakes one after another: a thousand clients at once, as after a power cut, must not delay sessions
// that are logged on. A handshake takes as long as about a hundred orders, and the client's first messages nearly as
// long again. The caller performs the handshake itself.

import type { Socket } from 'node:net';

/** A client that is far away, or says no more, keeps the others waiting for so long, */
const PLACE_MS = 10;
/** or for less where so many wait that the last would have its turn only after about so long: its handshake has its time too. */
const WAIT_MS = 4_000;

export class HandshakeQueue {
  readonly #begin: (socket: Socket) => void;
  readonly #waiting: Socket[] = [];
  /** Of two, what their clients answer together would be read in one turn of the event loop. */
  #underWay: Socket | null = null;
  #begunAt = 0;
  #isDue = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(begin: (socket: Socket) => void) {
    this.#begin = begin;
  }

  /** A client said something: its handshake begins in one of the next turns. */
  push(socket: Socket): void {
    this.#waiting.push(socket);
    this.#goOn();
  }

  /** It is done, or failed. */
  over(socket: Socket): void {
    if (this.#underWay !== socket) return;
    this.#underWay = null;
    this.#goOn();
  }

  #goOn(): void {
    if (this.#isDue || this.#waiting.length === 0) return;
    this.#isDue = true;
    // Not in the turn that ended the one before: what arrived during that is read first.
    setImmediate(() =>
      setImmediate(() => {
        this.#isDue = false;
        this.#next();
      }),
    );
  }

  /** Begin one, unless the one before still has its place. */
  #next(): void {
    const now = performance.now();
    const placeMs = Math.min(PLACE_MS, WAIT_MS / this.#waiting.length);
    const placeIsFreeAfterMs = this.#underWay === null ? 0 : this.#begunAt + placeMs - now;
    if (placeIsFreeAfterMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#goOn();
      }, placeIsFreeAfterMs).unref();
      return;
    }
    let socket = this.#waiting.shift();
    while (socket?.destroyed === true) socket = this.#waiting.shift();
    if (socket === undefined) return;
    this.#underWay = socket;
    this.#begunAt = now;
    this.#begin(socket);
    this.#goOn();
  }
}
