// TLS handshakes one after the other: a thousand clients at once, as after a power cut at their house, must not hold up those that
// are logged on. One takes about as long as a hundred orders, and what its client says behind it nearly as long again. Leaves the
// handshakes themselves to whoever begins them.

import type { Socket } from 'node:net';

/** Under way at a time: what their clients answer, together, is read in one turn of the event loop. */
const UNDER_WAY_MAX = 2;
/** A client that is far away, or says no more, has its place for so long, */
const PLACE_MS = 20;
/** or for less where so many wait that the last would have its turn only after about so long: its handshake has its time too. */
const WAIT_MS = 4_000;

export class HandshakeQueue {
  readonly #begin: (socket: Socket) => void;
  readonly #waiting: Socket[] = [];
  /** When each was begun, in this order. */
  readonly #underWay = new Map<Socket, number>();
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
    if (this.#underWay.delete(socket)) this.#goOn();
  }

  #goOn(): void {
    if (this.#isDue || this.#waiting.length === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#next();
    });
  }

  /** Begin one, if there is a place. */
  #next(): void {
    const now = performance.now();
    const placeMs = Math.min(PLACE_MS, (UNDER_WAY_MAX * WAIT_MS) / this.#waiting.length);
    for (const [socket, begunAt] of this.#underWay) {
      if (now - begunAt < placeMs) break;
      this.#underWay.delete(socket);
    }
    if (this.#underWay.size >= UNDER_WAY_MAX) {
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#goOn();
      }, placeMs).unref();
      return;
    }
    let socket = this.#waiting.shift();
    while (socket?.destroyed === true) socket = this.#waiting.shift();
    if (socket === undefined) return;
    this.#underWay.set(socket, now);
    this.#begin(socket);
    this.#goOn();
  }
}
